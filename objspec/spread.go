package objspec

import (
	"math"
	"math/bits"
)

// curve is the kind of a spread.
type curve uint8

const (
	evenCurve curve = iota
	normalCurve
	exponentialCurve
)

// spread is a distribution of whole numbers: of lengths, or of multipliers.
//
// The draws use nothing but operations that every machine rounds alike: the
// conversions around products keep a compiler from fusing them with sums, and
// there is no logarithm. Values must be the same on all machines.
type spread struct {
	curve    curve
	min, max int
	mean, sd float64
}

const (
	// normalCut is how many standard deviations from the mean a normal
	// distribution is cut off: one value in 16 000 lies beyond 4.
	normalCut = 4
	// exponentialCut is the same for an exponential one, in means: one value
	// in 22 000 lies beyond 10.
	exponentialCut = 10
)

// draw returns a number from d.min to d.max.
func (d *spread) draw(s *stream) int {
	switch d.curve {
	case normalCurve:
		for {
			if v := math.Floor(d.mean + float64(d.sd*s.normal()) + 0.5); v >= float64(d.min) && v <= float64(d.max) {
				return int(v)
			}
		}
	case exponentialCurve:
		for {
			if v := math.Floor(float64(d.mean*s.exponential()) + 0.5); v <= float64(d.max) {
				return int(v)
			}
		}
	default:
		return d.min + int(s.below(uint64(d.max-d.min+1)))
	}
}

// normal returns a draw from the standard normal distribution, very nearly: the
// number of ones among 256 random bits, whose mean is 128 and whose deviation
// is 8, made continuous by a uniform fraction of mean 1/2 and variance 1/12.
func (s *stream) normal() float64 {
	ones := 0
	for range 4 {
		ones += bits.OnesCount64(s.next())
	}
	const deviation = 8.0052068229092 // sqrt(64 + 1/12)
	return (float64(ones-128) + (s.unit() - 0.5)) / deviation
}

// exponential returns a draw from the exponential distribution of mean 1. It is
// von Neumann's way, which only compares uniform numbers ("Various techniques
// used in connection with random digits", 1951): a falling run that begins with
// u and has an odd length accepts u; each run that has an even one adds 1.
func (s *stream) exponential() float64 {
	for whole := 0.0; ; whole++ {
		first := s.next()
		odd := true
		for last := first; ; odd = !odd {
			u := s.next()
			if u >= last {
				break
			}
			last = u
		}
		if odd {
			return whole + float64(first>>11)/(1<<53)
		}
	}
}

// distinctTexts returns that no text of a drawn length, of uniform symbols, is
// more likely than one in how many.
func (d *spread) distinctTexts(symbols uint64) uint64 {
	n := uint64(1)
	if d.curve == evenCurve {
		n = uint64(d.max - d.min + 1)
	}
	return times(n, power(symbols, d.min))
}

// times multiplies, up to the largest number there is.
func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high > 0 {
		return math.MaxUint64
	}
	return low
}

// power raises to the n-th power, up to the largest number there is.
func power(base uint64, n int) uint64 {
	result := uint64(1)
	for range min(n, 64) { // no base over 1 goes further
		result = times(result, base)
	}
	return result
}
