package keygen

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// fineBits is to how many of its leading bits an offset is worked out in
// floating point. In ranges of more than 2^fineBits keys, the lower ones are
// drawn uniformly.
const fineBits = 40

// coarse returns how many low bits of an offset in a range of n keys are drawn.
func coarse(n uint64) int { return bits.Len64(n-1) - fineBits }

// Normal draws keys around the middle, or another place, of the range: a normal
// variate is rounded down to a key, and drawn again if it is outside of the
// range.
type Normal struct {
	start, size  uint64
	mean, stddev float64 // in keys
	low          int
	rng          *rand.PCG
	normal       *rand.Rand
}

// NewNormal returns a generator over r, which must not be empty. mean is in
// percent of the range from its start, from 0 to 100, and stddev in percent of
// the range's size, above 0 and up to 100: within these limits a third of the
// variates at least falls into the range.
func NewNormal(r Range, mean, stddev float64, rng *rand.PCG) *Normal {
	size := float64(r.Size())
	return &Normal{
		start: r.Start, size: r.Size(),
		mean: mean / 100 * size, stddev: stddev / 100 * size,
		low: coarse(r.Size()),
		rng: rng, normal: rand.New(rng),
	}
}

// Next returns a key.
func (n *Normal) Next() uint64 {
	for {
		// The library's variates are multiples of some 2^-30. Shifting each at
		// random by up to 2^-21 fills the gaps, and adds 2^-44 of the variance.
		z := n.normal.NormFloat64() + (fraction(n.rng)-0.5)*0x1p-20
		x := math.Floor(n.mean + n.stddev*z)
		if x >= 0 && x < float64(n.size) {
			return n.start + fill(n.rng, uint64(x), n.low, n.size)
		}
	}
}

// Exponential draws the newest keys most often, after YCSB's exponential
// distribution: the key d places before the last of the range with a
// probability that falls by the same factor from each d to the next.
type Exponential struct {
	last, size uint64
	scale      float64 // how many keys on the probability has fallen by e
	total      float64 // what of the unbounded distribution is in the range
	low        int
	rng        *rand.PCG
}

// NewExponential returns a generator over r, which must not be empty. Without
// the bounds of the range, percentile percent of the draws, above 0 and below
// 100, would be among the newest fraction of the keys, above 0 and up to 1.
// YCSB draws again what is before the range, which gives the same distribution
// as scaling the probabilities up.
func NewExponential(r Range, percentile, fraction float64, rng *rand.PCG) *Exponential {
	size := float64(r.Size())
	scale := fraction * size / -math.Log1p(-percentile/100)
	return &Exponential{
		last: r.End - 1, size: r.Size(),
		scale: scale, total: -math.Expm1(-size / scale),
		low: coarse(r.Size()),
		rng: rng,
	}
}

// Next returns a key.
func (e *Exponential) Next() uint64 {
	d := -e.scale * math.Log1p(-e.total*fraction(e.rng))
	// Rounding may take the largest draws to the end of the range.
	offset := min(uint64(d), e.size-1)
	return e.last - fill(e.rng, offset, e.low, e.size)
}
