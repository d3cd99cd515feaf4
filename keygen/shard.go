package keygen

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// MaxShards is the largest number of shards.
const MaxShards = 1_000_000

// Shard is one of Count parts of a range, counted from 1, for several machines
// that each do a part of a stage's work. The zero value is the whole range.
type Shard struct {
	Index, Count uint64
}

// ParseShard reads a shard such as 2/8: the second of eight, at most
// [MaxShards].
func ParseShard(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, err1 := strconv.ParseUint(index, 10, 64)
	n, err2 := strconv.ParseUint(count, 10, 64)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return Shard{}, fmt.Errorf("%q is not a shard: expected its number and how many there are, such as 2/8", text)
	case n == 0 || n > MaxShards:
		return Shard{}, fmt.Errorf("%q is not a shard: a range has from 1 to %d of them", text, MaxShards)
	case i == 0 || i > n:
		return Shard{}, fmt.Errorf("%q is not a shard: of %d shards the first is 1/%d and the last %d/%d", text, n, n, n, n)
	}
	return Shard{Index: i, Count: n}, nil
}

// String returns the shard as [ParseShard] reads it; "" for the zero value.
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Shard returns the consecutive keys of the range that are the shard's. The
// shards of a range are disjoint, hold all of its keys, follow each other in
// the order of their numbers, and differ in size by one key at most; if there are
// more shards than keys, some are empty.
func (r Range) Shard(s Shard) Range {
	if s.Count == 0 {
		return r
	}
	bound := func(i uint64) uint64 {
		hi, lo := bits.Mul64(r.Size(), i)
		q, _ := bits.Div64(hi, lo, s.Count) // i <= Count, so the quotient fits
		return r.Start + q
	}
	return Range{Start: bound(s.Index - 1), End: bound(s.Index)}
}
