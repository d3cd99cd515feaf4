package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// minPeriods is the fewest periods of a run from which its noise is estimated.
const minPeriods = 8

// estimate is a mean with the variance of that mean.
type estimate struct {
	mean, variance float64
	df             float64 // degrees of freedom of the variance
}

// fromPeriods estimates the mean of a stationary, autocorrelated series. The
// variance of the mean is the long-run variance by the n, estimated by the mean
// square of the first cosine-weighted averages of the series, which follows a t
// distribution with as many degrees of freedom as there are averages (the
// equal-weighted cosine estimator of Lazarus, Lewis, Stock and Watson, 2018). A
// drift within the run counts as noise.
func fromPeriods(x []float64) estimate {
	n := float64(len(x))
	mean := stat.Mean(x, nil)
	terms := cosines(len(x))
	sum := 0.0
	for j := 1; j <= terms; j++ {
		weighted := 0.0
		for t, v := range x {
			weighted += (v - mean) * math.Cos(math.Pi*float64(j)*(float64(t)+0.5)/n)
		}
		sum += weighted * weighted * 2 / n
	}
	return estimate{mean, sum / float64(terms) / n, float64(terms)}
}

// cosines is how many averages are taken of n values: 0.4 n^(2/3), as the authors
// recommend, but at least 3, and at most 12: more would gain little power, and see
// less of a long memory.
func cosines(n int) int { return min(12, max(3, int(0.4*math.Pow(float64(n), 2./3)))) }

// fromRuns is the mean of repeated runs, each of which is one independent value.
func fromRuns(x []float64) estimate {
	mean, variance := stat.MeanVariance(x, nil)
	n := float64(len(x))
	return estimate{mean, variance / n, n - 1}
}

// pValue is the probability that two means differ at least as much as these do,
// beyond the margin, if they were the same: Welch's t-test. resolution is the width
// of the steps that values come in, below which nothing is told apart.
func pValue(a, b estimate, margin, resolution float64) float64 {
	rounding := resolution * resolution / 12
	va, vb := a.variance+rounding, b.variance+rounding
	d := math.Abs(a.mean-b.mean) - margin
	switch {
	case d <= 0:
		return 1
	case va+vb == 0:
		return 0
	}
	df := (va + vb) * (va + vb) / (va*va/a.df + vb*vb/b.df)
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(d/math.Sqrt(va+vb))
}

// pooled is pValue for sides of which one has fewer than three runs: both are
// taken to vary alike. It is Student's t-test.
func pooled(x, y []float64, resolution float64) float64 {
	square := func(v []float64) (mean, sum float64) {
		mean = stat.Mean(v, nil)
		for _, f := range v {
			sum += (f - mean) * (f - mean)
		}
		return mean, sum
	}
	mx, sx := square(x)
	my, sy := square(y)
	nx, ny := float64(len(x)), float64(len(y))
	df := nx + ny - 2
	variance := ((sx+sy)/df + resolution*resolution/12) * (1/nx + 1/ny)
	switch d := math.Abs(mx - my); {
	case d == 0:
		return 1
	case variance == 0:
		return 0
	default:
		return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(d/math.Sqrt(variance))
	}
}

// holm adjusts p-values for their number, so that the chance of any false one among
// them stays at the level (Holm, 1979). NaN stands for what was not tested.
func holm(p []float64) []float64 {
	var order []int
	for i, v := range p {
		if !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	sortBy(order, func(i int) float64 { return p[i] })
	adjusted := make([]float64, len(p))
	for i := range adjusted {
		adjusted[i] = math.NaN()
	}
	most := 0.0
	for rank, i := range order {
		most = max(most, min(1, p[i]*float64(len(order)-rank)))
		adjusted[i] = most
	}
	return adjusted
}
