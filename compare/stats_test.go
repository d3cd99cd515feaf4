package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// autoregressive returns a series each of whose values keeps a share phi of the
// one before.
func autoregressive(rng *rand.Rand, n int, phi float64) []float64 {
	x := make([]float64, n)
	v := rng.NormFloat64() / math.Sqrt(1-phi*phi) // stationary from the start
	for i := range x {
		x[i] = v
		v = phi*v + rng.NormFloat64()
	}
	return x
}

// Two series of the same process are called different at most about as often as the
// level says, however much their values depend on each other; the test of
// independent values in their place would do so far more often.
func TestLevelOfAutocorrelatedPeriods(t *testing.T) {
	const trials = 4000
	for _, c := range []struct {
		n   int
		phi float64
		// most is the share of false alarms that is accepted at the level of 5 %:
		// a series that is short against its memory cannot tell it all.
		most float64
	}{
		{10, 0, 0.06}, {60, 0, 0.06}, {300, 0, 0.06},
		{10, 0.3, 0.08}, {60, 0.3, 0.06}, {300, 0.5, 0.06},
		{60, 0.7, 0.10}, {300, 0.7, 0.07}, {300, 0.9, 0.12},
	} {
		rng := rand.New(rand.NewPCG(1, uint64(c.n)))
		alarms, strict, naive := 0, 0, 0
		for range trials {
			a, b := autoregressive(rng, c.n, c.phi), autoregressive(rng, c.n, c.phi)
			p := pValue(fromPeriods(a), fromPeriods(b), 0, 0)
			if p < 0.05 {
				alarms++
			}
			if p < 0.05/14 { // as of fourteen rows
				strict++
			}
			if pValue(fromRuns(a), fromRuns(b), 0, 0) < 0.05 {
				naive++
			}
		}
		share := float64(alarms) / trials
		t.Logf("n=%d phi=%.1f: %.3f false at 0.05, %.4f at %.4f; as if independent: %.3f", c.n, c.phi, share, float64(strict)/trials, 0.05/14, float64(naive)/trials)
		if share > c.most {
			t.Errorf("n=%d phi=%.1f: %.3f false alarms, want at most %.2f", c.n, c.phi, share, c.most)
		}
		if c.phi >= 0.7 && float64(naive)/trials < 2*share {
			t.Errorf("n=%d phi=%.1f: the test for independent values does as well: this test shows nothing", c.n, c.phi)
		}
	}
}

// A change of three standard deviations is found in 60 periods, with fourteen rows
// tested.
func TestPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 1000 {
		a, b := autoregressive(rng, 60, 0.3), autoregressive(rng, 60, 0.3)
		for i := range b {
			b[i] += 3
		}
		if pValue(fromPeriods(a), fromPeriods(b), 0, 0) < 0.05/14 {
			found++
		}
	}
	if found < 950 {
		t.Errorf("found %d of 1000 changes", found)
	}
}

func TestLevelOfRuns(t *testing.T) {
	for _, c := range []struct{ a, b int }{{3, 3}, {5, 5}, {1, 5}, {2, 2}, {10, 3}} {
		rng := rand.New(rand.NewPCG(5, uint64(c.a*100+c.b)))
		const trials = 4000
		alarms := 0
		for range trials {
			a, b := autoregressive(rng, c.a, 0), autoregressive(rng, c.b, 0)
			p := 0.0
			if c.a < 3 || c.b < 3 {
				p = pooled(a, b, 0)
			} else {
				p = pValue(fromRuns(a), fromRuns(b), 0, 0)
			}
			if p < 0.05 {
				alarms++
			}
		}
		if share := float64(alarms) / trials; share > 0.07 { // Welch's test is approximate where sides differ in size
			t.Errorf("%d and %d runs: %.3f false alarms at the level of 0.05", c.a, c.b, share)
		}
	}
}

func TestPValue(t *testing.T) {
	for _, c := range []struct {
		why        string
		a, b       estimate
		margin     float64
		resolution float64
		want       float64
	}{
		{"equal means", estimate{1, 1, 4}, estimate{1, 1, 4}, 0, 0, 1},
		{"within the margin", estimate{1, 0.0001, 4}, estimate{1.05, 0.0001, 4}, 0.1, 0, 1},
		{"no variance at all", estimate{1, 0, 4}, estimate{2, 0, 4}, 0, 0, 0},
		// t = 2.776 at 4 degrees of freedom is the 97.5th percentile.
		{"the edge of 5 %", estimate{0, 1, 4}, estimate{2.776445, 0, 4}, 0, 0, 0.05},
	} {
		if got := pValue(c.a, c.b, c.margin, c.resolution); math.Abs(got-c.want) > 1e-5 {
			t.Errorf("%s: p = %v, want %v", c.why, got, c.want)
		}
	}
	if p := pValue(estimate{1, 0, 4}, estimate{1.01, 0, 4}, 0, 0.04); p < 0.05 {
		t.Errorf("a difference below the resolution has p = %v", p)
	}
}

func TestHolm(t *testing.T) {
	got := holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, math.NaN(), 0.06, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 || math.IsNaN(got[i]) != math.IsNaN(want) {
			t.Errorf("adjusted %v", got)
			break
		}
	}
}
