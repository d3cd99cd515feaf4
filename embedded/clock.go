package embedded

import (
	"sync/atomic"
	"time"
)

// A Clock only moves when it is told to. As [Config.Now] it lets a test pass a
// record's time to live without waiting:
//
//	clock := embedded.NewClock(time.Now())
//	srv := embedded.RunT(t, embedded.Config{Now: clock.Now})
//	…
//	clock.Advance(time.Hour)
//
// Its methods may be called from any goroutine.
type Clock struct{ now atomic.Pointer[time.Time] }

// NewClock returns a clock that stands at start.
func NewClock(start time.Time) *Clock {
	c := &Clock{}
	c.Set(start)
	return c
}

// Now returns the time at which the clock stands.
func (c *Clock) Now() time.Time { return *c.now.Load() }

// Set makes the clock stand at t, which may be earlier than before.
func (c *Clock) Set(t time.Time) { c.now.Store(&t) }

// Advance moves the clock by d, back if d is negative, and returns the new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	for {
		old := c.now.Load()
		next := old.Add(d)
		if c.now.CompareAndSwap(old, &next) {
			return next
		}
	}
}
