package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// library is an empty histogram of the library with this package's geometry.
func library() *hdrhistogram.Histogram {
	return hdrhistogram.New(Lowest, Highest, SignificantDigits)
}

// TestLayoutIsTheLibrarys walks every bucket of the library: a difference in a
// single one would shift percentiles and make files unreadable.
func TestLayoutIsTheLibrarys(t *testing.T) {
	h := library()
	if got := len(h.Export().Counts); got != countsLen {
		t.Fatalf("the library has %d counters, we have %d", got, countsLen)
	}
	// The library lists buckets up to the last one used.
	if err := h.RecordValue(Highest); err != nil {
		t.Fatal(err)
	}
	bars := h.Distribution()
	if len(bars) < 22*blockLen {
		t.Fatalf("only %d buckets listed", len(bars))
	}
	for i, bar := range bars {
		if got := lowestAt(i); got != bar.From {
			t.Fatalf("bucket %d begins at %d, want %d", i, got, bar.From)
		}
		for _, v := range []int64{bar.From, bar.To, bar.From + (bar.To-bar.From)/2} {
			if got := index(uint64(v)); v <= Highest && got != i {
				t.Fatalf("value %d is counted at %d, want %d", v, got, i)
			}
		}
	}
}

// TestRecordMatchesLibrary records the same values here and in the library.
func TestRecordMatchesLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	r, h := NewRecorder(4), library()
	for i := range 200_000 {
		// Log-uniform over the whole range, so that every block is used.
		us := int64(math.Exp(rng.Float64() * math.Log(Highest)))
		if i < 5000 {
			us = int64(i)
		}
		r.Shard(i).Record(time.Duration(us)*time.Microsecond + time.Duration(rng.IntN(1000)))
		if err := h.RecordValue(us); err != nil {
			t.Fatal(err)
		}
	}
	s := r.Snapshot()
	if !s.HDR().Equals(h) {
		t.Fatal("the counters differ from the library's")
	}
	if s.Count() != h.TotalCount() || s.Min() != h.Min() || s.Max() != h.Max() ||
		s.Mean() != h.Mean() || s.StdDev() != h.StdDev() {
		t.Errorf("got count %d min %d max %d mean %v stddev %v, want %d %d %d %v %v",
			s.Count(), s.Min(), s.Max(), s.Mean(), s.StdDev(),
			h.TotalCount(), h.Min(), h.Max(), h.Mean(), h.StdDev())
	}
	ps := []float64{99.99, 0, 50, 90, 99, 99.9, 100}
	all := s.Percentiles(ps)
	for i, p := range ps {
		if want := h.ValueAtPercentile(p); s.Percentile(p) != want || all[i] != want {
			t.Errorf("p%v = %d and %d, want %d", p, s.Percentile(p), all[i], want)
		}
	}
}

func TestRecordEdges(t *testing.T) {
	for _, tt := range []struct {
		d        time.Duration
		min, max int64
		over     int64
		why      string
	}{
		{-time.Second, 0, 0, 0, "a clock that stepped back counts as no time"},
		{0, 0, 0, 0, "zero has a counter of its own"},
		{999 * time.Nanosecond, 0, 0, 0, "rounded down, as a whole microsecond hasn't passed"},
		{1999 * time.Nanosecond, 1, 1, 0, "rounded down"},
		{2047 * time.Microsecond, 2047, 2047, 0, "the last exact value"},
		{2049 * time.Microsecond, 2048, 2049, 0, "the first bucket of two values"},
		{1600 * time.Millisecond, 1_599_488, 1_600_511, 0, "a stall over 1 s is kept: steps are 2^10 µs from 2^20 µs on"},
		// 3.6e9 lies in 2^31..2^32, where steps are 2^21 µs: 1716 whole steps.
		{time.Hour, 1716 << 21, 1717<<21 - 1, 0, "an hour is in range"},
		{time.Hour + 999*time.Nanosecond, 1716 << 21, 1717<<21 - 1, 0, "still an hour when rounded down"},
		{time.Hour + time.Microsecond, 1716 << 21, 1717<<21 - 1, 1, "counted in the top bucket and flagged"},
		{math.MaxInt64, 1716 << 21, 1717<<21 - 1, 1, "the longest duration there is"},
	} {
		r := NewRecorder(1)
		r.Shard(0).Record(tt.d)
		s := r.Snapshot()
		if s.Count() != 1 || s.Min() != tt.min || s.Max() != tt.max || s.OverRange() != tt.over {
			t.Errorf("%v: count %d, min %d, max %d, over %d; want 1, %d, %d, %d (%s)",
				tt.d, s.Count(), s.Min(), s.Max(), s.OverRange(), tt.min, tt.max, tt.over, tt.why)
		}
	}
}

func TestEmptySnapshot(t *testing.T) {
	for name, s := range map[string]*Snapshot{
		"of an unused recorder": NewRecorder(3).Snapshot(),
		"the zero value":        new(Snapshot),
		"of an empty period":    new(Snapshot).Sub(new(Snapshot)),
	} {
		if s.Count() != 0 || s.Min() != 0 || s.Max() != 0 || s.Mean() != 0 || s.Percentile(99) != 0 || s.OverRange() != 0 {
			t.Errorf("%s: something was counted", name)
		}
	}
}

func TestShardWrapsAround(t *testing.T) {
	r := NewRecorder(0)
	if r.Shard(0) != r.Shard(7) {
		t.Error("a recorder of one shard has two")
	}
	r = NewRecorder(4)
	if r.Shard(1) != r.Shard(5) || r.Shard(1) == r.Shard(2) || r.Shard(-3) != r.Shard(1) {
		t.Error("shards don't repeat every 4")
	}
}

// TestPeriodsAddUp snapshots while eight goroutines record, on shards that
// two of them share: each operation must be in exactly one period.
func TestPeriodsAddUp(t *testing.T) {
	const workers, each = 8, 20_000
	r := NewRecorder(workers / 2)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			shard := r.Shard(w)
			for i := range each {
				shard.Record(time.Duration(i*i) * time.Microsecond)
			}
			shard.Record(2 * time.Hour)
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()

	prev, sum := new(Snapshot), new(Snapshot)
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		now := r.Snapshot()
		period := now.Sub(prev)
		if period.Count() != now.Count()-prev.Count() {
			t.Fatalf("a period of %d operations between %d and %d", period.Count(), prev.Count(), now.Count())
		}
		sum = sum.Add(period)
		prev = now
	}
	if want := int64(workers * (each + 1)); sum.Count() != want || prev.Count() != want {
		t.Errorf("periods add up to %d, the last snapshot to %d, want %d", sum.Count(), prev.Count(), want)
	}
	if sum.OverRange() != workers || prev.OverRange() != workers {
		t.Errorf("over range: periods %d, last snapshot %d, want %d", sum.OverRange(), prev.OverRange(), workers)
	}
	if !sum.HDR().Equals(prev.HDR()) {
		t.Error("the sum of the periods differs from the last snapshot")
	}
}

func TestSubAndAdd(t *testing.T) {
	r := NewRecorder(1)
	r.Shard(0).Record(5 * time.Microsecond)
	first := r.Snapshot()
	r.Shard(0).Record(5 * time.Microsecond)
	r.Shard(0).Record(3 * time.Second)
	r.Shard(0).Record(2 * time.Hour)
	second := r.Snapshot()

	period := second.Sub(first)
	if period.Count() != 3 || period.Min() != 5 || period.OverRange() != 1 {
		t.Errorf("period: count %d, min %d, over %d; want 3, 5, 1", period.Count(), period.Min(), period.OverRange())
	}
	if all := second.Sub(nil); all.Count() != 4 || all.OverRange() != 1 {
		t.Errorf("since the beginning: count %d, over %d; want 4, 1", all.Count(), all.OverRange())
	}
	if none := first.Sub(second); none.Count() != 0 || none.OverRange() != 0 {
		t.Errorf("a period backwards counts %d", none.Count())
	}
	// The longer and the shorter operand on either side.
	for _, sum := range []*Snapshot{first.Add(second), second.Add(first)} {
		if sum.Count() != 5 || sum.Percentile(50) != 5 || sum.OverRange() != 1 {
			t.Errorf("sum: count %d, median %d, over %d; want 5, 5, 1", sum.Count(), sum.Percentile(50), sum.OverRange())
		}
	}
	if same := second.Add(nil); same.Count() != 4 {
		t.Errorf("with nothing added: %d, want 4", same.Count())
	}
	if first.Count() != 1 || second.Count() != 4 {
		t.Error("Sub or Add changed its operand")
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	shard := NewRecorder(1).Shard(0)
	d := 100 * time.Microsecond
	if n := testing.AllocsPerRun(1000, func() { shard.Record(d); d += 3 * time.Microsecond }); n != 0 {
		t.Errorf("Record allocates %v times", n)
	}
}

// latencies are plausible ones: around 150 µs with a tail.
func latencies() []time.Duration {
	rng := rand.New(rand.NewPCG(3, 4))
	ds := make([]time.Duration, 4096)
	for i := range ds {
		ds[i] = time.Duration(150e3 * math.Exp(0.6*rng.NormFloat64()))
	}
	return ds
}

func BenchmarkRecord(b *testing.B) {
	ds := latencies()
	shard := NewRecorder(1).Shard(0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		shard.Record(ds[i&4095])
	}
}

func BenchmarkRecordParallel(b *testing.B) {
	ds := latencies()
	r := NewRecorder(64)
	var mu sync.Mutex
	worker := 0
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		mu.Lock()
		shard := r.Shard(worker)
		worker++
		mu.Unlock()
		for i := 0; pb.Next(); i++ {
			shard.Record(ds[i&4095])
		}
	})
}

// BenchmarkSnapshot64 sums 64 shards in use, as a reporter does once a second.
func BenchmarkSnapshot64(b *testing.B) {
	ds := latencies()
	r := NewRecorder(64)
	for i := range 64 * len(ds) {
		r.Shard(i).Record(ds[i&4095])
	}
	for w := range 64 {
		for _, d := range ds {
			r.Shard(w).Record(d)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Snapshot()
	}
}

// BenchmarkSnapshot64Wide does so with latencies in every block: the worst.
func BenchmarkSnapshot64Wide(b *testing.B) {
	r := NewRecorder(64)
	for w := range 64 {
		for us := int64(1); us < Highest; us *= 2 {
			r.Shard(w).Record(time.Duration(us) * time.Microsecond)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Snapshot()
	}
}

func TestCountAtMost(t *testing.T) {
	r := NewRecorder(1)
	for _, us := range []int{0, 1, 1000, 1001, 2047, 4000, 4001, 4002, 64_000} {
		r.Shard(0).Record(time.Duration(us) * time.Microsecond)
	}
	limits := []int64{-1, 0, 0, 1, 999, 1000, 1001, 2047, 4000, 4002, 63_999, 64_000, Highest}
	// 4000 and 4001 µs share a bucket of 2 µs.
	want := []int64{0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 8, 9, 9}
	if got := r.Snapshot().CountAtMost(limits); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := new(Snapshot).CountAtMost([]int64{1, Highest}); !slices.Equal(got, []int64{0, 0}) {
		t.Errorf("of an empty snapshot: %v", got)
	}
}
