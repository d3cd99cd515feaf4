package workload

import (
	"context"
	"runtime"
	"time"
)

// Timer waits until it is a worker's turn. It belongs to one worker.
type Timer interface {
	// Wait returns true after d, or false once the timer's context is done.
	Wait(d time.Duration) bool
	// Close frees the timer.
	Close()
}

// NewTimer makes the timer of a worker; its Wait ends when ctx is done.
type NewTimer func(ctx context.Context) Timer

// GoTimer makes a timer of the Go runtime. It costs little and is late by half a
// millisecond on average while the process is idle, because the runtime's poller
// waits in whole milliseconds.
func GoTimer(ctx context.Context) Timer {
	t := &goTimer{done: ctx.Done(), timer: time.NewTimer(0)}
	<-t.timer.C
	return t
}

type goTimer struct {
	done  <-chan struct{}
	timer *time.Timer
}

func (t *goTimer) Wait(d time.Duration) bool {
	t.timer.Reset(d)
	select {
	case <-t.timer.C:
		return true
	case <-t.done:
		return false
	}
}

func (t *goTimer) Close() { t.timer.Stop() }

// maxFineRate is the rate, in transactions per second and processor, up to which
// a fine timer is worth its price. A wait on one takes about 13 µs of processor
// time where one on a Go timer takes 5, so this is a tenth of each processor.
const maxFineRate = 10_000

// timers returns the timers for a stage of this rate: fine ones, unless they
// would take so much processor time that transactions suffered.
func (s Schedule) timers(fine NewTimer) NewTimer {
	if s.Curve.Peak() > maxFineRate*float64(runtime.GOMAXPROCS(0)) {
		return GoTimer
	}
	return fine
}
