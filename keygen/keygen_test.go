package keygen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRangeCheck(t *testing.T) {
	for _, c := range []struct {
		r   Range
		ok  bool
		why string
	}{
		{Range{1, 2}, true, "one key"},
		{Range{0, 1 << 63}, true, "every non-negative integer key"},
		{Range{5, 5}, false, "empty"},
		{Range{6, 5}, false, "backwards"},
		{Range{1, 1<<63 + 1}, false, "the last key would be negative as an int64"},
		{Range{math.MaxUint64 - 1, math.MaxUint64}, false, "far above int64"},
	} {
		if err := c.r.Check(); (err == nil) != c.ok {
			t.Errorf("%s: Check(%v) = %v", c.why, c.r, err)
		}
	}
}

func TestPartsHoldEveryKeyOnce(t *testing.T) {
	for _, size := range []uint64{1, 2, 6, 7, 8, 1000} {
		for _, c := range [][2]int{{1, 1}, {2, 1}, {7, 1}, {16, 1}, {1001, 1}, {1, 3}, {2, 3}, {3, 100}, {2, 5000}} {
			n, block := c[0], c[1]
			r := Range{Start: 100, End: 100 + size}
			seen := map[uint64]int{}
			for i := range n {
				p := r.Part(i, n, block)
				for key, ok := p.Next(); ok; key, ok = p.Next() {
					if key < r.Start || key >= r.End {
						t.Fatalf("%d keys in %d parts: key %d is outside of %v", size, n, key, r)
					}
					seen[key]++
				}
				if _, ok := p.Next(); ok {
					t.Fatalf("%d keys in %d parts: part %d goes on after its end", size, n, i)
				}
			}
			for key := r.Start; key < r.End; key++ {
				if seen[key] != 1 {
					t.Fatalf("%d keys in %d parts: key %d visited %d times", size, n, key, seen[key])
				}
			}
		}
	}
}

func TestPartsAreDealtOutInBlocks(t *testing.T) {
	p := Range{Start: 1, End: 25}.Part(1, 3, 4)
	var got []uint64
	for key, ok := p.Next(); ok; key, ok = p.Next() {
		got = append(got, key)
	}
	if want := []uint64{5, 6, 7, 8, 17, 18, 19, 20}; !slices.Equal(got, want) {
		t.Errorf("the second of three parts in blocks of four: %v, want %v", got, want)
	}
}

func TestPartAtTheLargestKeys(t *testing.T) {
	r := Range{Start: 1<<63 - 3, End: 1 << 63}
	p := r.Part(2, 10_000, 1)
	if key, ok := p.Next(); !ok || key != MaxKey {
		t.Fatalf("Next() = %d, %v; want %d", key, ok, uint64(MaxKey))
	}
	if key, ok := p.Next(); ok {
		t.Fatalf("Next() after the end = %d", key)
	}
}

// The chi-square statistic of 100 cells has mean 99 and, at the 99.9 %
// quantile, 148.2; a fixed seed keeps the test from ever failing by chance.
func TestUniformIsUniform(t *testing.T) {
	const cells, draws = 100, 1_000_000
	u := NewUniform(Range{Start: 7, End: 7 + cells}, rand.NewPCG(1, 2))
	var count [cells]int
	for range draws {
		count[u.Next()-7]++
	}
	var chi2 float64
	for _, c := range count {
		d := float64(c) - draws/cells
		chi2 += d * d / (draws / cells)
	}
	if chi2 > 148.2 {
		t.Errorf("chi-square = %.1f over 99 degrees of freedom, above 148.2", chi2)
	}
}

// A size of 3*2^61 is where plain multiplication without rejection would show:
// the reachable keys then differ in weight.
func TestUniformStaysInsideHugeRanges(t *testing.T) {
	for _, r := range []Range{{0, 3 << 61}, {0, 1 << 63}, {MaxKey, 1 << 63}} {
		u := NewUniform(r, rand.NewPCG(3, 4))
		for range 10_000 {
			if k := u.Next(); k < r.Start || k >= r.End {
				t.Fatalf("key %d outside of %v", k, r)
			}
		}
	}
}

func TestUniformRepeatsWithItsSeed(t *testing.T) {
	a := NewUniform(Range{0, 1 << 40}, rand.NewPCG(9, 1))
	b := NewUniform(Range{0, 1 << 40}, rand.NewPCG(9, 1))
	c := NewUniform(Range{0, 1 << 40}, rand.NewPCG(9, 2))
	same := true
	for range 100 {
		x := a.Next()
		if y := b.Next(); x != y {
			t.Fatalf("same seed, other keys: %d and %d", x, y)
		}
		same = same && x == c.Next()
	}
	if same {
		t.Error("another stream gave the same 100 keys")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	u := NewUniform(Range{1, 1_000_001}, rand.NewPCG(1, 1))
	p := Range{1, 1 << 62}.Part(0, 16, 1)
	if n := testing.AllocsPerRun(1000, func() { u.Next(); p.Next() }); n != 0 {
		t.Errorf("%v allocations a key", n)
	}
}

func BenchmarkUniform(b *testing.B) {
	u := NewUniform(Range{1, 1_000_001}, rand.NewPCG(1, 1))
	for b.Loop() {
		u.Next()
	}
}

func BenchmarkPart(b *testing.B) {
	p := Range{1, 1 << 63}.Part(0, 16, 1)
	for b.Loop() {
		p.Next()
	}
}
