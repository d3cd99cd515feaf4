package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/aeroload/aeroload/histogram"
)

// Latencies are exported twice in one histogram: in buckets with fixed bounds, which
// every Prometheus reads, and as a native histogram, which those that ask for it get
// instead.
const (
	// schema 3 has eight buckets for each doubling: a quantile is within 5 %.
	schema        = 3
	perDoubling   = 1 << schema
	zeroThreshold = 1e-6 // seconds; below it is what was recorded as 0 µs
)

// bounds are the upper bounds of the classic buckets in µs: 1, 2, 3, 5 and 7 in each
// decade from 10 µs to 10 s.
func bounds() []float64 {
	var list []float64
	for decade := 10.0; decade < 1e7; decade *= 10 {
		for _, step := range []float64{1, 2, 3, 5, 7} {
			list = append(list, step*decade)
		}
	}
	return append(list, 1e7)
}

// converted is a set of latencies as Prometheus counts them.
type converted struct {
	count   uint64
	sum     float64 // seconds
	classic []*dto.Bucket
	native  map[int]int64
	zero    uint64
}

// convert counts latencies anew. Each is taken to be in the middle of the step of the
// recorder, at most 0.1 % wide, in which it was counted: the sum and the bucket of one
// that lies within half a step of a bound are true to that.
func convert(s *histogram.Snapshot) converted {
	c := converted{native: map[int]int64{}}
	limits := bounds()
	counts := make([]uint64, len(limits)+1)
	for _, bar := range s.HDR().Distribution() {
		if bar.Count == 0 {
			continue
		}
		n := uint64(bar.Count)
		middle := float64(bar.From+bar.To+1) / 2 // µs, which were rounded down
		c.count += n
		c.sum += middle / 1e6 * float64(n)
		at, _ := slices.BinarySearch(limits, middle)
		counts[at] += n
		if bar.To == 0 {
			c.zero += n
			continue
		}
		c.native[int(math.Ceil(math.Log2(middle/1e6)*perDoubling))] += bar.Count
	}
	total := uint64(0)
	for i, limit := range limits {
		total += counts[i]
		c.classic = append(c.classic, &dto.Bucket{UpperBound: new(limit / 1e6), CumulativeCount: new(total)})
	}
	return c
}

// metric returns the latencies as a metric with labels.
func (c converted) metric(desc *prometheus.Desc, created time.Time, labels ...string) prometheus.Metric {
	native, err := prometheus.NewConstNativeHistogram(desc, c.count, c.sum, c.native, nil, c.zero, schema, zeroThreshold, created, labels...)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return both{native, c.classic}
}

// both is a native histogram that has classic buckets besides.
type both struct {
	prometheus.Metric
	classic []*dto.Bucket
}

// Write implements [prometheus.Metric].
func (b both) Write(out *dto.Metric) error {
	if err := b.Metric.Write(out); err != nil {
		return err
	}
	out.Histogram.Bucket = b.classic
	return nil
}
