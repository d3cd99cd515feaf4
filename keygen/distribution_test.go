package keygen

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseDistribution(t *testing.T) {
	for _, c := range []struct{ text, want, why string }{
		{"uniform", "uniform", "no parameters"},
		{"zipfian", "zipfian,theta=0.99,scramble=true", "YCSB's defaults"},
		{"zipfian,theta=0.5", "zipfian,theta=0.5,scramble=true", "one parameter"},
		{"zipfian, scramble=false, theta=10", "zipfian,theta=10,scramble=false", "blanks, any order, the bound itself"},
		{"latest,theta=1", "latest,theta=1", "the value at which the integral is a logarithm"},
		{"hotspot", "hotspot,hot-keys=20,hot-operations=80", "YCSB's defaults as percentages"},
		{"hotspot,hot-operations=0,hot-keys=100", "hotspot,hot-keys=100,hot-operations=0", "both bounds"},
		{"normal", "normal,mean=50,stddev=16.67", "three standard deviations to either end"},
		{"normal,mean=0,stddev=1e-3", "normal,mean=0,stddev=0.001", "an exponent"},
		{"exponential", "exponential,percentile=95,fraction=0.8571428571", "YCSB's defaults"},
		{"sequential", "sequential", "no parameters"},
	} {
		d, err := ParseDistribution(c.text)
		if err != nil || d.String() != c.want {
			t.Errorf("%s: ParseDistribution(%q) = %v, %v; want %s", c.why, c.text, d, err, c.want)
			continue
		}
		if again, err := ParseDistribution(d.String()); err != nil || again != d {
			t.Errorf("%s: %q does not read back: %v, %v", c.why, d, again, err)
		}
	}
}

func TestDistributionErrors(t *testing.T) {
	for _, c := range []struct{ text, want, why string }{
		{"", `"" is not a distribution`, "nothing"},
		{"zipfain", `did you mean "zipfian"?`, "two letters swapped"},
		{"zipfian,theta", `"theta" in "zipfian,theta" is not a parameter`, "no value"},
		{"zipfian,", `"" in "zipfian," is not a parameter`, "an empty parameter"},
		{"zipfian,theta=1,theta=2", "given twice", "which one is meant?"},
		{"zipfian,thata=1", `did you mean "theta"?`, "a mistyped parameter"},
		{"zipfian,hot-keys=1", "expected theta or scramble", "another distribution's parameter"},
		{"uniform,theta=1", "uniform has no parameters", "a parameter of none"},
		{"zipfian,theta=0", `theta: "0" is not a number above 0 and up to 10`, "theta 0 is uniform"},
		{"zipfian,theta=10.1", `"10.1" is not a number above 0 and up to 10`, "past the bound"},
		{"zipfian,theta=NaN", `"NaN" is not a number`, "compares with nothing"},
		{"zipfian,theta=-Inf", `"-Inf" is not a number`, "no number to work with"},
		{"zipfian,scramble=no", `scramble: "no" is not true or false`, "a flag"},
		{"hotspot,hot-keys=0", `"0" is not a number above 0 and up to 100`, "there must be a hot set"},
		{"hotspot,hot-operations=101", `"101" is not a number from 0 to 100`, "past the bound"},
		{"normal,mean=-1", `"-1" is not a number from 0 to 100`, "before the range"},
		{"normal,stddev=0", `"0" is not a number above 0 and up to 100`, "all on one key"},
		{"exponential,percentile=100", `"100" is not a number above 0 and below 100`, "the tail never ends"},
		{"exponential,fraction=85", `"85" is not a number above 0 and up to 1`, "percent instead of a fraction"},
	} {
		if _, err := ParseDistribution(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: ParseDistribution(%q): %v; want it to say %s", c.why, c.text, err, c.want)
		}
	}
}

// all returns every distribution with its defaults, and the extremes of what
// their parameters allow.
func all(t testing.TB) []Distribution {
	var list []Distribution
	texts := append(DistributionNames(), "zipfian,scramble=false", "zipfian,theta=10", "zipfian,theta=10,scramble=false",
		"zipfian,theta=1", "zipfian,theta=1e-300", "zipfian,theta=1e-300,scramble=false", "latest,theta=1.0000001", "hotspot,hot-keys=1e-300", "hotspot,hot-keys=100,hot-operations=0",
		"hotspot,hot-operations=100", "normal,mean=0,stddev=1e-300", "normal,mean=100,stddev=100",
		"exponential,percentile=1e-300", "exponential,percentile=99.9999999999999,fraction=1e-300")
	for _, text := range texts {
		d, err := ParseDistribution(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, d)
	}
	return list
}

// Sizes at which something may go wrong: tiny ones, those at the edges of
// float64's whole numbers and of the range of keys, none of them a round one.
var sizes = []uint64{1, 2, 3, 7, 1000, 1<<32 + 1, 1<<40 + 1, 1<<53 - 1, 1<<53 + 1, 1<<60 + 200, 1<<62 + 1<<61 + 3, 1<<63 - 1, 1 << 63}

func TestKeysStayInTheirRange(t *testing.T) {
	for _, d := range all(t) {
		for _, size := range sizes {
			r := Range{Start: min(5, 1<<63-size), End: min(5, 1<<63-size) + size}
			g := d.New(r, rand.NewPCG(1, size), 2, 5)
			for range 1000 {
				if k := g.Next(); k < r.Start || k >= r.End {
					t.Fatalf("%v over %d keys: %d is outside of %v", d, size, k, r)
				}
			}
		}
	}
}

func TestKeysRepeatWithTheirSeed(t *testing.T) {
	r := Range{1, 1 << 50}
	for _, d := range all(t) {
		a, b := d.New(r, rand.NewPCG(9, 1), 1, 3), d.New(r, rand.NewPCG(9, 1), 1, 3)
		for i := range 1000 {
			if x, y := a.Next(), b.Next(); x != y {
				t.Fatalf("%v: the same seed gives %d and %d at draw %d", d, x, y, i)
			}
		}
	}
}

func TestDistributionsAllocateNothing(t *testing.T) {
	for _, d := range all(t) {
		g := d.New(Range{1, 1_000_001}, rand.NewPCG(1, 1), 0, 16)
		if n := testing.AllocsPerRun(1000, func() { g.Next() }); n != 0 {
			t.Errorf("%v: %v allocations a key", d, n)
		}
	}
}

func FuzzParseDistribution(f *testing.F) {
	for _, d := range all(f) {
		f.Add(d.String())
	}
	f.Add("zipfian,theta=0x1p-3")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDistribution(text)
		if err != nil {
			return
		}
		if again, err := ParseDistribution(d.String()); err != nil || again != d {
			t.Fatalf("%q gives %v, which gives %v, %v", text, d, again, err)
		}
		for _, size := range []uint64{1, 1000, math.MaxInt64} {
			g := d.New(Range{0, size}, rand.NewPCG(1, 1), 0, 1)
			for range 20 {
				if k := g.Next(); k >= size {
					t.Fatalf("%v over %d keys gives %d", d, size, k)
				}
			}
		}
	})
}

func BenchmarkDistributions(b *testing.B) {
	for _, text := range append(DistributionNames(), "zipfian,scramble=false", "zipfian,theta=0.5") {
		d, err := ParseDistribution(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			g := d.New(Range{1, 1_000_001}, rand.NewPCG(1, 1), 0, 16)
			for b.Loop() {
				g.Next()
			}
		})
	}
}

// BenchmarkSetup is what a worker's generator costs, over the largest range.
func BenchmarkSetup(b *testing.B) {
	d, err := NamedDistribution("zipfian")
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.NewPCG(1, 1)
	for b.Loop() {
		d.New(Range{0, 1 << 63}, rng, 0, 16)
	}
}
