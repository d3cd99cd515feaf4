// Package keygen says which record key a transaction uses next.
//
// Keys are integers of a half-open [Range]. A load walks its range once
// ([Range.Part]); a mixed workload draws from it ([Uniform]). Generators belong
// to one worker each, allocate nothing per key and take their randomness from a
// seed, so that a run can be repeated.
package keygen

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

// MaxKey is the largest integer key: Aerospike's integer keys are signed 64-bit
// numbers.
const MaxKey = math.MaxInt64

// Range is the set of integer keys Start <= key < End.
type Range struct {
	Start, End uint64
}

// Size returns the number of keys in the range.
func (r Range) Size() uint64 { return r.End - r.Start }

// Check returns an error if the range is empty, runs backwards or holds keys
// above [MaxKey].
func (r Range) Check() error {
	switch {
	case r.Start >= r.End:
		return fmt.Errorf("the key range [%d, %d) is empty: key-start must be below key-end", r.Start, r.End)
	case r.End-1 > MaxKey:
		return fmt.Errorf("the key range [%d, %d) goes past the largest integer key, %d", r.Start, r.End, uint64(MaxKey))
	}
	return nil
}

// Part returns the i-th of n disjoint parts of the range, 0 <= i < n, which
// together hold every key exactly once. The range is dealt out to the parts in
// blocks of consecutive keys, so that a worker that takes block keys at a time
// takes whole blocks, but for the last of the range. Workers that advance at the
// same pace fill the range from its start: a load that is stopped has written a
// prefix, give or take a few blocks a worker.
func (r Range) Part(i, n, block int) Part {
	b := uint64(block)
	return Part{rng: r, offset: uint64(i) * b, left: b, block: b, skip: uint64(n-1) * b}
}

// Part is an iteration over one part of a range.
type Part struct {
	rng    Range
	offset uint64
	left   uint64 // keys of the block
	block  uint64
	skip   uint64 // keys of the other parts between two blocks
}

// Next returns the part's next key, and false when there is none left.
func (p *Part) Next() (uint64, bool) {
	if p.offset >= p.rng.Size() {
		return 0, false
	}
	key := p.rng.Start + p.offset
	// Sizes reach 2^63 and blocks times parts 10^9, so the sums fit.
	p.offset++
	if p.left--; p.left == 0 {
		p.left = p.block
		p.offset += p.skip
	}
	return key, true
}

// Uniform draws keys of a range, each with the same probability.
type Uniform struct {
	start, size uint64
	rng         *rand.PCG
}

// NewUniform returns a generator over r, which must not be empty. The same rng
// state gives the same keys.
func NewUniform(r Range, rng *rand.PCG) *Uniform {
	return &Uniform{start: r.Start, size: r.Size(), rng: rng}
}

// Next returns a key.
func (u *Uniform) Next() uint64 {
	// Lemire's method ("Fast Random Integer Generation in an Interval", 2019):
	// the high word of random*size, redrawn when the low word falls into the
	// part that would make some keys likelier than others.
	hi, lo := bits.Mul64(u.rng.Uint64(), u.size)
	if lo < u.size {
		reject := -u.size % u.size
		for lo < reject {
			hi, lo = bits.Mul64(u.rng.Uint64(), u.size)
		}
	}
	return u.start + hi
}
