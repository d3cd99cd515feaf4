package keygen

import (
	"math/bits"
	"math/rand/v2"
)

// below returns a number from 0 to n-1, each with the same probability; n is
// above 0.
func below(rng *rand.PCG, n uint64) uint64 {
	// Lemire's method ("Fast Random Integer Generation in an Interval", 2019):
	// the high word of random*n, redrawn when the low word falls into the part
	// that would make some numbers likelier than others.
	hi, lo := bits.Mul64(rng.Uint64(), n)
	if lo < n {
		reject := -n % n
		for lo < reject {
			hi, lo = bits.Mul64(rng.Uint64(), n)
		}
	}
	return hi
}

// fraction returns a multiple of 2^-53 in [0, 1).
func fraction(rng *rand.PCG) float64 {
	return float64(rng.Uint64()>>11) * 0x1p-53
}

// fill draws the lowest bits of an offset below n, which has been worked out in
// floating point: there neighbouring numbers of a huge range are many keys
// apart, and those in between would never come up. Offsets that agree in all
// higher bits must be about equally likely.
func fill(rng *rand.PCG, offset uint64, low int, n uint64) uint64 {
	if low <= 0 {
		return offset
	}
	first := offset >> low << low
	return first + below(rng, min(1<<low, n-first))
}
