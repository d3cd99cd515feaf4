// Package gcpause tells how long the garbage collector has stopped the process.
package gcpause

import (
	"math"
	"runtime/metrics"
)

// metric is the name of the pauses in package runtime/metrics, which has them in
// seconds.
const metric = "/sched/pauses/total/gc:seconds"

// Reading is all pauses from the start of the process to some moment. The zero value
// has none and compares with no other.
type Reading struct{ histogram *metrics.Float64Histogram }

// Read returns the pauses until now.
func Read() Reading {
	samples := []metrics.Sample{{Name: metric}}
	metrics.Read(samples)
	if samples[0].Value.Kind() != metrics.KindFloat64Histogram {
		return Reading{}
	}
	return Reading{samples[0].Value.Float64Histogram()}
}

// Pauses summarizes pauses: their number and, in seconds, percentiles and the
// longest, up to the edges of the runtime's buckets.
type Pauses struct {
	Count         uint64
	P50, P99, Max float64
}

// Since summarizes the pauses between before and r.
func (r Reading) Since(before Reading) Pauses {
	after := r.histogram
	if after == nil || before.histogram == nil || len(before.histogram.Counts) != len(after.Counts) {
		return Pauses{}
	}
	counts := make([]uint64, len(after.Counts))
	var p Pauses
	for i := range counts {
		counts[i] = after.Counts[i] - before.histogram.Counts[i]
		p.Count += counts[i]
	}
	// The bucket i reaches from Buckets[i] to Buckets[i+1], whose last may be
	// infinite.
	upper := func(i int) float64 {
		if edge := after.Buckets[i+1]; !math.IsInf(edge, 1) {
			return edge
		}
		return after.Buckets[i]
	}
	quantile := func(q float64) float64 {
		need, seen := uint64(math.Ceil(q*float64(p.Count))), uint64(0)
		for i, n := range counts {
			if seen += n; n > 0 && seen >= need {
				return upper(i)
			}
		}
		return 0
	}
	p.P50, p.P99, p.Max = quantile(0.5), quantile(0.99), quantile(1)
	return p
}
