package workload

import "time"

// Schedule says when each transaction of a stage is meant to start. It is a pure
// function of the transaction's number: no state, no clock, no catching up to
// get wrong. Whoever falls behind is late for the next transactions by the
// numbers and works them off as fast as it can.
type Schedule struct {
	// TPS is the target rate of the whole stage in transactions per second;
	// 0 means as fast as possible.
	TPS float64
}

// Throttled tells whether there is a target rate.
func (s Schedule) Throttled() bool { return s.TPS > 0 }

// At returns the intended start of the stage's n-th transaction, counted from 0,
// as the time since the start of the stage. It must not be called without a
// target rate.
func (s Schedule) At(n uint64) time.Duration {
	// Below 2^53 ns, which is 104 days, a float64 holds every nanosecond.
	return time.Duration(float64(n) * (float64(time.Second) / s.TPS))
}

// slots are the transactions of one worker of several: every workers-th of the
// stage's schedule, starting with its own number. This staggers the workers
// evenly, whatever the rate: with fewer transactions per second than workers,
// each just waits longer for its turn.
type slots struct {
	schedule Schedule
	next     uint64
	step     uint64
}

func (s Schedule) slots(worker, workers int) slots {
	return slots{schedule: s, next: uint64(worker), step: uint64(workers)}
}

// take returns the intended start of the worker's next transaction.
func (s *slots) take() time.Duration {
	at := s.schedule.At(s.next)
	s.next += s.step
	return at
}
