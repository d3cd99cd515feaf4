package workload

import (
	"context"
	"testing"
	"time"
)

// Timers may be late on a busy machine, but never early.
func TestTimersAreNeverEarly(t *testing.T) {
	for name, newTimer := range map[string]NewTimer{"go": GoTimer, "fine": FineTimer} {
		timer := newTimer(context.Background())
		for _, d := range []time.Duration{0, 1, time.Microsecond, 50 * time.Microsecond, time.Millisecond, 20 * time.Millisecond} {
			for range 20 {
				start := time.Now()
				if !timer.Wait(d) {
					t.Fatalf("%s: Wait(%v) = false", name, d)
				}
				if took := time.Since(start); took < d {
					t.Errorf("%s: Wait(%v) took %v", name, d, took)
				}
			}
		}
		timer.Close()
	}
}

func TestTimersEndWithTheirContext(t *testing.T) {
	for name, newTimer := range map[string]NewTimer{"go": GoTimer, "fine": FineTimer} {
		ctx, cancel := context.WithCancel(context.Background())
		timer := newTimer(ctx)
		time.AfterFunc(time.Millisecond, cancel)
		if timer.Wait(time.Hour) {
			t.Errorf("%s: an hour went by", name)
		}
		if timer.Wait(time.Hour) {
			t.Errorf("%s: waits although its context is done", name)
		}
		timer.Close()
	}
}

func TestFastStagesUseCheapTimers(t *testing.T) {
	for tps, want := range map[float64]bool{1: true, 10_000: true, 1e9: false} {
		asked := false
		newTimer := Schedule{Curve: Constant(tps)}.timers(func(ctx context.Context) Timer {
			asked = true
			return GoTimer(ctx)
		})
		newTimer(context.Background()).Close()
		if asked != want {
			t.Errorf("%g/s: fine timer %v, want %v", tps, asked, want)
		}
	}
}

func TestWaitingAllocatesNothing(t *testing.T) {
	for name, newTimer := range map[string]NewTimer{"go": GoTimer, "fine": FineTimer} {
		timer := newTimer(context.Background())
		if n := testing.AllocsPerRun(100, func() { timer.Wait(time.Microsecond) }); n != 0 {
			t.Errorf("%s: %v allocations a wait", name, n)
		}
		timer.Close()
	}
}

func BenchmarkTimers(b *testing.B) {
	for name, newTimer := range map[string]NewTimer{"go": GoTimer, "fine": FineTimer} {
		b.Run(name, func(b *testing.B) {
			timer := newTimer(context.Background())
			defer timer.Close()
			var late time.Duration
			for b.Loop() {
				start := time.Now()
				timer.Wait(200 * time.Microsecond)
				late += time.Since(start) - 200*time.Microsecond
			}
			b.ReportMetric(float64(late.Microseconds())/float64(b.N), "µs-late/op")
		})
	}
}
