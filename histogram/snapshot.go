package histogram

import (
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Snapshot is an immutable set of latencies: all of a run up to a moment, or
// the part between two moments (see [Snapshot.Sub]). The zero value is an
// empty one. All values are microseconds. A Snapshot must not be copied; its
// methods may be called concurrently.
type Snapshot struct {
	counts    []int64 // by index; zeros at the end may be left out
	total     int64
	overRange int64

	once sync.Once
	hist *hdrhistogram.Histogram // set by once, never changed after
}

// Count is the number of latencies recorded.
func (s *Snapshot) Count() int64 { return s.total }

// OverRange is how many of the latencies were above one hour. They are part of
// every other number, as one hour.
func (s *Snapshot) OverRange() int64 { return s.overRange }

// Min is the smallest latency: exact below 2048 µs, else the lower edge of its
// bucket (at most 0.1 % low). It is 0 when nothing was recorded.
func (s *Snapshot) Min() int64 { return s.histogram().Min() }

// Max is the largest latency: exact below 2048 µs, else the upper edge of its
// bucket (at most 0.1 % high). It is 0 when nothing was recorded.
func (s *Snapshot) Max() int64 { return s.histogram().Max() }

// Mean is the arithmetic mean, each latency taken as the middle of its bucket.
// It is 0 when nothing was recorded.
func (s *Snapshot) Mean() float64 { return s.histogram().Mean() }

// StdDev is the standard deviation of the latencies (population formula, each
// taken as the middle of its bucket). It is 0 when nothing was recorded.
func (s *Snapshot) StdDev() float64 { return s.histogram().StdDev() }

// Percentile is the latency that p percent of the operations did not exceed,
// with p in 0..100 (values outside count as the nearer end): the upper edge of
// the bucket that holds it, as HdrHistogram defines it; for p = 0, the lower
// edge of the first. It is 0 when nothing was recorded.
func (s *Snapshot) Percentile(p float64) int64 {
	return s.histogram().ValueAtPercentile(p)
}

// Percentiles is [Snapshot.Percentile] for several percentiles in any order,
// in one pass. The answers are in the order of the questions.
func (s *Snapshot) Percentiles(ps []float64) []int64 {
	return s.histogram().ValueAtPercentilesSlice(ps)
}

// CountAtMost returns, for each of the limits in microseconds, which ascend, how
// many latencies do not exceed it. It is exact for limits below 2048 µs; above,
// latencies of the bucket that holds the limit (0.1 % wide) all count as not
// above it.
func (s *Snapshot) CountAtMost(limits []int64) []int64 {
	counts := make([]int64, len(limits))
	var sum int64
	i := 0
	for n, limit := range limits {
		for ; i < len(s.counts) && lowestAt(i) <= limit; i++ {
			sum += s.counts[i]
		}
		counts[n] = sum
	}
	return counts
}

// Sub returns what was recorded after prev, an earlier snapshot of the same
// recorder (nil for the beginning of the run). Counts that prev has and s
// lacks, which can't happen with an earlier snapshot, count as none.
func (s *Snapshot) Sub(prev *Snapshot) *Snapshot {
	d := &Snapshot{counts: make([]int64, len(s.counts)), overRange: s.overRange}
	copy(d.counts, s.counts)
	if prev != nil {
		d.overRange = max(0, s.overRange-prev.overRange)
		for i := range min(len(d.counts), len(prev.counts)) {
			d.counts[i] = max(0, d.counts[i]-prev.counts[i])
		}
	}
	for _, n := range d.counts {
		d.total += n
	}
	return d
}

// Add returns the latencies of both snapshots together: of several kinds of
// operation, or of several recorders. other may be nil.
func (s *Snapshot) Add(other *Snapshot) *Snapshot {
	if other == nil {
		other = new(Snapshot)
	}
	long, short := s, other
	if len(long.counts) < len(short.counts) {
		long, short = short, long
	}
	sum := &Snapshot{
		counts:    append([]int64(nil), long.counts...),
		total:     s.total + other.total,
		overRange: s.overRange + other.overRange,
	}
	for i, n := range short.counts {
		sum.counts[i] += n
	}
	return sum
}

// HDR returns the latencies as a histogram of the HdrHistogram library, in
// microseconds: a copy that the caller may change.
func (s *Snapshot) HDR() *hdrhistogram.Histogram {
	return hdrhistogram.Import(&hdrhistogram.Snapshot{
		LowestTrackableValue:  Lowest,
		HighestTrackableValue: Highest,
		SignificantFigures:    SignificantDigits,
		Counts:                s.counts,
	})
}

// histogram is HDR made once, for the queries.
func (s *Snapshot) histogram() *hdrhistogram.Histogram {
	s.once.Do(func() { s.hist = s.HDR() })
	return s.hist
}
