// Package histogram records the latencies of a load run and prints them in
// the formats asbench users already parse.
//
// A [Recorder] is a set of sharded, cumulative, atomic counters. Workers add
// to it; a reporter takes a [Snapshot] whenever it wants one and subtracts
// the previous one to get a period. Nothing is ever reset, so recording needs
// no lock and no buffer swap, and every number printed can be derived again
// from two snapshots.
//
// Latencies are whole microseconds, rounded down, from 0 to one hour, at three
// significant decimal digits: a value is known to within 0.1 % (exactly below
// 2048 µs). Values above one hour are counted in the topmost bucket and
// reported by [Snapshot.OverRange], so a stall never disappears from a report.
// The counters are laid out as github.com/HdrHistogram/hdrhistogram-go lays
// them out, and that library computes the percentiles and encodes the files.
package histogram

import (
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// Lowest is the smallest value told apart from its neighbour, in
	// microseconds. (Zero has a counter of its own.)
	Lowest = 1
	// Highest is the largest latency recorded as itself, in microseconds: one
	// hour. Anything above counts as Highest and as over range.
	Highest = 3_600_000_000
	// SignificantDigits is the number of decimal digits kept of each value.
	SignificantDigits = 3
)

// The geometry that hdrhistogram-go derives from the three constants above:
// three digits need single-unit resolution up to 2000, so 2048 sub-buckets, of
// which every bucket but the first uses the upper half; bucket k has steps of
// 2^k µs, and 2048 << 21 is the first such power above one hour.
const (
	subBucketBits = 11
	subBucketMask = 1<<subBucketBits - 1
	halfBits      = subBucketBits - 1
	blockLen      = 1 << halfBits
	blocks        = 23
	countsLen     = blocks * blockLen
)

// A Shard is the set of counters one worker adds to. Shards are independent
// allocations, so workers on different shards share no cache line. All methods
// may be called concurrently.
type Shard struct {
	// touched has bit b set once any counter of block b has been used, which
	// lets a snapshot skip the ~90 % of counters that a run never reaches. It
	// is written at most once per block, so it stays shared in every cache.
	touched   atomic.Uint32
	overRange atomic.Int64
	_         [48]byte // keep the flags off the first counters' cache line
	counts    [countsLen]atomic.Int64
}

// Record counts one latency. It is rounded down to whole microseconds; a
// negative one counts as 0, and one above an hour counts as an hour and is
// flagged as over range. Record takes no lock and allocates nothing: it is one
// atomic addition (two when over range).
func (s *Shard) Record(d time.Duration) {
	us := uint64(max(d, 0)) / uint64(time.Microsecond)
	if us > Highest {
		us = Highest
		s.overRange.Add(1)
	}
	i := index(us)
	// Flag first, count second: a count that is visible is never skipped for
	// longer than the Record call that made it.
	if bit := uint32(1) << (i >> halfBits); s.touched.Load()&bit == 0 {
		s.touched.Or(bit)
	}
	s.counts[i].Add(1)
}

// index is the position of the counter of a value of at most Highest µs.
func index(us uint64) int {
	bucket := bits.Len64(us|subBucketMask) - subBucketBits
	return bucket<<halfBits + int(us>>bucket)
}

// lowestAt is the smallest value, in µs, counted at position i: the inverse of
// index.
func lowestAt(i int) int64 {
	if i < 2*blockLen {
		return int64(i)
	}
	bucket := i>>halfBits - 1
	return int64(i-bucket<<halfBits) << bucket
}

// A Recorder counts the latencies of one kind of operation over a whole run.
type Recorder struct {
	shards []*Shard
}

// NewRecorder returns a recorder of as many shards as asked for, at least one.
// A shard takes 184 KiB. One shard a worker is best; fewer work too.
func NewRecorder(shards int) *Recorder {
	r := &Recorder{shards: make([]*Shard, max(shards, 1))}
	for i := range r.shards {
		r.shards[i] = new(Shard)
	}
	return r
}

// Shard returns the shard for worker i; any i is valid, as the number of
// shards wraps around.
func (r *Recorder) Shard(i int) *Shard {
	i %= len(r.shards)
	if i < 0 {
		i += len(r.shards)
	}
	return r.shards[i]
}

// Snapshot returns everything recorded so far. It may be called while workers
// record: each counter is read once, so an operation recorded meanwhile is in
// this snapshot or in the next, never in both halves of a period or in neither.
func (r *Recorder) Snapshot() *Snapshot {
	var touched uint32
	for _, shard := range r.shards {
		touched |= shard.touched.Load()
	}
	s := &Snapshot{counts: make([]int64, bits.Len32(touched)*blockLen)}
	for _, shard := range r.shards {
		s.overRange += shard.overRange.Load()
		// Only blocks that were in use when the slice was sized: one that came
		// into use since is left to the next snapshot.
		for mask := touched & shard.touched.Load(); mask != 0; mask &= mask - 1 {
			start := bits.TrailingZeros32(mask) << halfBits
			sum := s.counts[start : start+blockLen]
			for i := range sum {
				sum[i] += shard.counts[start+i].Load()
			}
		}
	}
	for _, n := range s.counts {
		s.total += n
	}
	return s
}
