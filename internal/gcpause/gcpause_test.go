package gcpause

import (
	"math"
	"runtime"
	"runtime/metrics"
	"testing"
)

func TestSince(t *testing.T) {
	reading := func(counts []uint64, buckets ...float64) Reading {
		return Reading{&metrics.Float64Histogram{Counts: counts, Buckets: buckets}}
	}
	inf := math.Inf(1)
	before := reading([]uint64{1, 0, 0}, 0, 1e-5, 1e-4, 1e-3)
	for _, c := range []struct {
		why           string
		before, after Reading
		want          Pauses
	}{
		{"upper edges; the 99th of 100 is the last of the short ones", before, reading([]uint64{1, 99, 1}, 0, 1e-5, 1e-4, 1e-3), Pauses{100, 1e-4, 1e-4, 1e-3}},
		{"earlier pauses do not count", before, before, Pauses{}},
		{"the last bucket has no upper edge", reading([]uint64{0, 0}, 0, 1, inf), reading([]uint64{0, 1}, 0, 1, inf), Pauses{1, 1, 1, 1}},
		{"no reading before", Reading{}, before, Pauses{}},
		{"none after", before, Reading{}, Pauses{}},
	} {
		if got := c.after.Since(c.before); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.why, got, c.want)
		}
	}
}

func TestReadSeesCollections(t *testing.T) {
	before := Read()
	runtime.GC()
	if p := Read().Since(before); p.Count == 0 || p.Max <= 0 || p.P50 > p.Max {
		t.Errorf("after a collection: %+v", p)
	}
}
