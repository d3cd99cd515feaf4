// Package steady tells the time of day for what a run prints and stores, so that its
// times stay in order.
package steady

import "time"

var start = time.Now()

// Now is the time of day as it was when the program started, plus the time since. A
// clock that is set meanwhile, by hand or by a time service, does not move it: an
// event is never earlier than one before it, and the time between two is how long it
// took. [time.Now] measures durations just as well, but its time of day jumps with the
// clock.
func Now() time.Time { return start.Add(time.Since(start)) }
