package keygen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestHotspotIsExact(t *testing.T) {
	for _, c := range []struct {
		size             uint64
		keys, operations float64
		hot              int
		why              string
	}{
		{1, 20, 80, 1, "one key is hot"},
		{2, 20, 80, 1, "a fifth of two keys is one"},
		{3, 50, 80, 2, "one and a half is two"},
		{5, 100, 10, 5, "all are hot, so all are alike"},
		{100, 20, 80, 20, "the usual"},
		{1000, 0.1, 99.9, 1, "one very hot key"},
		{1000, 20, 0, 200, "hot keys that nobody wants"},
		{1000, 20, 100, 200, "cold keys that nobody wants"},
	} {
		want := make([]float64, c.size)
		for k := range want {
			switch cold := int(c.size) - c.hot; {
			case cold == 0:
				want[k] = 1 / float64(c.size)
			case k < c.hot:
				want[k] = c.operations / 100 / float64(c.hot)
			default:
				want[k] = (1 - c.operations/100) / float64(cold)
			}
		}
		r := Range{3, 3 + c.size}
		h := NewHotspot(r, c.keys, c.operations, rand.NewPCG(1, c.size))
		counts := draw(h, r, 200_000)
		checkCounts(t, c.why, counts, want)
		for k, p := range want {
			if p == 0 && counts[k] > 0 {
				t.Fatalf("%s: key %d came up", c.why, k)
			}
		}
	}
}

// normalCDF is the cumulative distribution of a normal variate that is known to
// lie in [0, 1).
func normalCDF(mean, stddev float64) func(float64) float64 {
	n := distuv.Normal{Mu: mean, Sigma: stddev}
	low, high := n.CDF(0), n.CDF(1)
	return func(x float64) float64 { return (n.CDF(x) - low) / (high - low) }
}

// exponentialCDF is that of the distance from the end of the range, by YCSB's
// definition: the rate is -ln(1 - percentile/100) / fraction, and what is beyond
// the range is drawn again.
func exponentialCDF(percentile, fraction float64) func(float64) float64 {
	e := distuv.Exponential{Rate: -math.Log(1-percentile/100) / fraction}
	return func(x float64) float64 { return e.CDF(x) / e.CDF(1) }
}

// shapes are normal and exponential distributions with their cumulative forms.
func shapes() map[string]func(float64) float64 {
	newest := func(cdf func(float64) float64) func(float64) float64 {
		return func(x float64) float64 { return 1 - cdf(1-x) }
	}
	return map[string]func(float64) float64{
		"normal":                    normalCDF(0.5, 0.1667),
		"normal,mean=0":             normalCDF(0, 0.1667),
		"normal,mean=90,stddev=100": normalCDF(0.9, 1),
		"normal,mean=30,stddev=0.5": normalCDF(0.3, 0.005),
		"exponential":               newest(exponentialCDF(95, 0.8571428571)),
		"exponential,percentile=99,fraction=0.01":     newest(exponentialCDF(99, 0.01)),
		"exponential,percentile=0.5,fraction=1":       newest(exponentialCDF(0.5, 1)),
		"exponential,percentile=99.99,fraction=0.125": newest(exponentialCDF(99.99, 0.125)),
	}
}

func TestShapesAreExact(t *testing.T) {
	for text, cdf := range shapes() {
		d, err := ParseDistribution(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []uint64{1, 2, 3, 10, 1000} {
			r := Range{Start: 5, End: 5 + size}
			want := make([]float64, size)
			for k := range want {
				want[k] = cdf(float64(k+1)/float64(size)) - cdf(float64(k)/float64(size))
			}
			checkCounts(t, text, draw(d.New(r, rand.NewPCG(11, size), 0, 1), r, 200_000), want)
		}
		for _, size := range []uint64{1_000_000_007, 1<<53 + 1, 1<<62 + 1<<61, 1 << 63} {
			g := d.New(Range{0, size}, rand.NewPCG(12, size), 0, 1)
			sample := make([]float64, 100_000)
			for i := range sample {
				sample[i] = float64(g.Next()) / float64(size)
			}
			checkCDF(t, text, sample, cdf)
		}
	}
}

// The library's normal variates are multiples of a step, which in a range of
// this size is over a thousand keys. The keys' last three digits show whether the gaps
// are filled.
func TestNormalHasNoGaps(t *testing.T) {
	n := NewNormal(Range{0, 10_000_000_000_000}, 50, 16.67, rand.NewPCG(13, 13))
	counts := make([]int, 1000)
	for range 500_000 {
		counts[n.Next()%1000]++
	}
	checkCounts(t, "last digits", counts, slices.Repeat([]float64{0.001}, 1000))
}

// YCSB's documentation of the parameters: so many percent of the reads are
// within the newest fraction of the data (where the range cuts off next to
// nothing).
func TestExponentialKeepsItsPromise(t *testing.T) {
	const size, draws = 1_000_000, 100_000
	e := NewExponential(Range{0, size}, 99, 0.1, rand.NewPCG(14, 14))
	within := 0
	for range draws {
		if e.Next() >= size-size/10 {
			within++
		}
	}
	if math.Abs(float64(within)-0.99*draws) > 4*math.Sqrt(draws*0.99*0.01) {
		t.Errorf("%d of %d draws are in the newest tenth, expected 99 %%", within, draws)
	}
}

func TestSequentialWorkersTakeTurns(t *testing.T) {
	for _, size := range []uint64{1, 2, 3, 7, 16, 100} {
		for _, workers := range []int{1, 2, 3, 16, 250} {
			r := Range{10, 10 + size}
			var walks []*Sequential
			for i := range workers {
				walks = append(walks, NewSequential(r, i, workers))
			}
			for i := range 3 * int(size) * workers {
				if k, want := walks[i%workers].Next(), 10+uint64(i)%size; k != want {
					t.Fatalf("%d keys, %d workers: transaction %d takes %d, want %d", size, workers, i, k, want)
				}
			}
		}
	}
}

func TestSequentialInTheLargestRange(t *testing.T) {
	s := NewSequential(Range{0, 1 << 63}, 9_999, 10_000)
	s.offset = 1<<63 - 1
	if k := s.Next(); k != MaxKey {
		t.Errorf("the last key is %d", k)
	}
	if k := s.Next(); k != 9_999 {
		t.Errorf("after the last key comes %d, want 9999", k)
	}
}
