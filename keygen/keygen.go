// Package keygen says which record key a transaction uses next, and what that
// key looks like in the database.
//
// Keys are numbers of a half-open [Range], of which a machine may take a
// [Shard]. A load walks its range once ([Range.Part]); a mixed workload draws
// from it as a [Distribution] says. A [Format] makes the number into an integer,
// string or bytes key, or a [File] holds the keys and the number is that of a
// line. Generators belong to one worker each, allocate nothing per key and take
// their randomness from a seed, so that a run can be repeated.
package keygen

import (
	"fmt"
	"math"
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
