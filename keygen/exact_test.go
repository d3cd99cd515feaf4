package keygen

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// checkCounts compares how often each of several things came up with their exact
// probabilities, by a chi-square test at 99.9 %. The seeds are fixed, so it never
// fails by chance. Cells in which fewer than ten are expected are taken together.
func checkCounts(t *testing.T, name string, counts []int, probability []float64) {
	t.Helper()
	draws := 0
	for _, n := range counts {
		draws += n
	}
	var chi2, rest, sum float64
	cells, restCount := 0, 0
	for i, p := range probability {
		want := p * float64(draws)
		sum += p
		if want < 10 {
			rest += want
			restCount += counts[i]
			continue
		}
		d := float64(counts[i]) - want
		chi2 += d * d / want
		cells++
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Fatalf("%s: the test's own probabilities have the sum %v", name, sum)
	}
	switch {
	case rest >= 10:
		d := float64(restCount) - rest
		chi2 += d * d / rest
		cells++
	case float64(restCount) > 40: // of fewer than ten that are expected
		t.Errorf("%s: unlikely things came up %d times, expected %.1f", name, restCount, rest)
	}
	if cells < 2 {
		return
	}
	if limit := (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(0.999); chi2 > limit {
		t.Errorf("%s: chi-square = %.1f over %d degrees of freedom, above %.1f", name, chi2, cells-1, limit)
	}
}

// checkCDF compares fractions with their cumulative distribution by a
// Kolmogorov-Smirnov test at 99.9 %, whose limit for large samples is
// 1.95/sqrt(n).
func checkCDF(t *testing.T, name string, sample []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n := float64(len(sample))
	var worst float64
	for i, x := range sample {
		p := cdf(x)
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	if worst*math.Sqrt(n) > 1.95 {
		t.Errorf("%s: the largest distance of %d draws is %.5f, above %.5f", name, len(sample), worst, 1.95/math.Sqrt(n))
	}
}

func draw(g Generator, r Range, draws int) []int {
	counts := make([]int, r.Size())
	for range draws {
		counts[g.Next()-r.Start]++
	}
	return counts
}

// powerSum is the sum of k^-theta for k from a to b, term by term up to 2000 and
// after that by Euler and Maclaurin's formula, whose next term is below 1e-12.
func powerSum(a, b, theta float64) float64 {
	const direct = 2000
	var sum float64
	for k := a; k <= min(b, direct); k++ {
		sum += math.Pow(k, -theta)
	}
	if a = max(a, direct+1); b < a {
		return sum
	}
	f := func(x float64) float64 { return math.Pow(x, -theta) }
	slope := func(x float64) float64 { return -theta * math.Pow(x, -theta-1) }
	integral := math.Log(b / a)
	if theta != 1 {
		integral = (math.Pow(b, 1-theta) - math.Pow(a, 1-theta)) / (1 - theta)
	}
	return sum + integral + (f(a)+f(b))/2 + (slope(b)-slope(a))/12
}

var thetas = []float64{0.01, 0.5, 0.99, 0.9999999, 1, 1.2, 2, 5}

func TestZipfianIsExact(t *testing.T) {
	for _, theta := range thetas {
		for _, size := range []uint64{1, 2, 3, 10, 1000} {
			r := Range{Start: 7, End: 7 + size}
			want := make([]float64, size)
			for k := range want {
				want[k] = math.Pow(float64(k+1), -theta) / powerSum(1, float64(size), theta)
			}
			d := Distribution{kind: 1, values: [maxParams]float64{theta, 0}}
			checkCounts(t, d.String(), draw(d.New(r, rand.NewPCG(1, size), 0, 1), r, 300_000), want)

			d = Distribution{kind: 2, values: [maxParams]float64{theta}}
			slices.Reverse(want) // the newest key is the last
			checkCounts(t, d.String(), draw(d.New(r, rand.NewPCG(2, size), 0, 1), r, 300_000), want)
		}
	}
}

// In ranges that cannot be counted key by key, the powers of two are cells.
func TestZipfianIsExactInHugeRanges(t *testing.T) {
	for _, theta := range thetas {
		for _, size := range []uint64{1<<32 + 12345, fine, fine + 1, 1<<53 + 1, 1<<62 + 1<<61, 1 << 63} {
			var want [65]float64 // by the length of rank+1 in bits
			total := powerSum(1, float64(size), theta)
			for l := 1; l <= 64 && 1<<(l-1) <= size; l++ {
				first := math.Ldexp(1, l-1)
				want[l] = powerSum(first, min(2*first-1, float64(size)), theta) / total
			}
			z := NewZipfian(Range{0, size}, theta, false, rand.NewPCG(3, size))
			counts := make([]int, 65)
			for range 200_000 {
				counts[bits.Len64(z.Next()+1)]++
			}
			checkCounts(t, fmt.Sprintf("theta %v, %d keys", theta, size), counts, want[:])
		}
	}
}

// What floating point leaves out must be drawn: of keys far out in a huge range,
// each residue modulo 64 is as likely as another.
func TestNoKeyOfHugeRangesIsLeftOut(t *testing.T) {
	const residues = 64
	want := slices.Repeat([]float64{1. / residues}, residues)
	for _, text := range []string{"zipfian,scramble=false,theta=0.5", "zipfian,theta=0.5", "latest,theta=0.5", "uniform", "hotspot", "normal", "exponential"} {
		d, err := ParseDistribution(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []uint64{fine, fine + 64, 1 << 63} {
			for _, shift := range []int{0, 6, 12} {
				g := d.New(Range{0, size}, rand.NewPCG(4, uint64(shift)), 0, 1)
				counts := make([]int, residues)
				for range 100_000 {
					counts[g.Next()>>shift%residues]++
				}
				checkCounts(t, text, counts, want)
			}
		}
	}
}

// reference is the offset of a rank by the library's hash.
func reference(rank, size uint64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], rank)
	h.Write(b[:])
	v := int64(h.Sum64())
	if v < 0 {
		v = -v
	}
	return uint64(v) % size
}

func TestScrambledZipfianIsExact(t *testing.T) {
	for _, theta := range []float64{0.5, 0.99, 1.2} {
		total := powerSum(1, YCSBItems, theta)
		for _, size := range []uint64{1, 2, 3, 1000, 100_000} {
			// The first ranks one by one; the others are many to a key, so that
			// each key has the same of them.
			const head = 1 << 18
			want := make([]float64, size)
			for k := range want {
				want[k] = powerSum(head+1, YCSBItems, theta) / total / float64(size)
			}
			for rank := range uint64(head) {
				want[reference(rank, size)] += math.Pow(float64(rank+1), -theta) / total
			}
			r := Range{Start: 1, End: 1 + size}
			d := Distribution{kind: 1, values: [maxParams]float64{theta, 1}}
			checkCounts(t, d.String(), draw(d.New(r, rand.NewPCG(5, size), 0, 1), r, 500_000), want)
		}
	}
}

// YCSB's first users are widely known by name, and in its source the sum of all
// probabilities is given as 26.46902820178302.
func TestScrambledZipfianIsYCSBs(t *testing.T) {
	if h := fnv1a(0); h != 6284781860667377211 {
		t.Errorf("the hash of 0 is %d; YCSB's first key is user6284781860667377211", h)
	}
	if h := fnv1a(1); h != 8517097267634966620 {
		t.Errorf("the hash of 1 is %d; YCSB's second key is user8517097267634966620", h)
	}
	if sum := powerSum(1, YCSBItems, 0.99); math.Abs(sum-26.46902820178302) > 1e-8 {
		t.Errorf("the sum over %d items is %.14f", uint64(YCSBItems), sum)
	}
	const draws = 1_000_000
	z := NewZipfian(Range{1, 1 + YCSBItems}, 0.99, true, rand.NewPCG(6, 6))
	hot := 0
	for range draws {
		if z.Next() == 1+reference(0, YCSBItems) {
			hot++
		}
	}
	p := 1 / 26.46902820178302
	if d := math.Abs(float64(hot) - p*draws); d > 4*math.Sqrt(draws*p*(1-p)) {
		t.Errorf("the hottest key came up %d times of %d, expected %.0f", hot, draws, p*draws)
	}
}

// Of three quarters of all hashes, a plain remainder makes the first third of
// the keys twice as likely as the others.
func TestScramblingIsEvenInHugeRanges(t *testing.T) {
	const size = 1<<62 + 1<<61
	z := NewZipfian(Range{0, size}, 0.5, true, rand.NewPCG(7, 7))
	counts := make([]int, 3)
	for range 300_000 {
		counts[z.Next()/(size/3)]++
	}
	checkCounts(t, "thirds", counts, []float64{1. / 3, 1. / 3, 1. / 3})
}

func TestLatestGrows(t *testing.T) {
	l := NewLatest(Range{100, 101}, 0.99, rand.NewPCG(8, 8))
	for _, size := range []uint64{1, 2, 50, 50, 1000, 3} { // it may also shrink
		l.SetEnd(100 + size)
		want := make([]float64, size)
		for k := range want {
			want[k] = math.Pow(float64(size)-float64(k), -0.99) / powerSum(1, float64(size), 0.99)
		}
		r := Range{100, 100 + size}
		checkCounts(t, "latest", draw(l, r, 100_000), want)
	}
}
