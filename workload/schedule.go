package workload

import (
	"math/rand/v2"
	"time"
)

// Schedule says when each transaction of a stage is meant to start. Whoever
// falls behind is late for the next transactions by the numbers and works them
// off as fast as it can; there is no catching up to get wrong.
type Schedule struct {
	// Curve is the target rate of the whole stage; nil means as fast as
	// possible.
	Curve Curve
	// Poisson spaces the transactions at random, as independent users would
	// make them, instead of evenly.
	Poisson bool
}

// Throttled tells whether there is a target rate.
func (s Schedule) Throttled() bool { return s.Curve != nil }

// slots are the transactions of one worker of several: every workers-th of the
// stage's schedule, starting with its own number. This staggers the workers
// evenly, whatever the rate: with fewer transactions per second than workers,
// each just waits longer for its turn.
type slots struct {
	schedule Schedule
	next     float64 // position on the curve, in transactions of the stage
	step     float64
	rng      *rand.Rand // of a Poisson process
}

func (s Schedule) slots(worker, workers int, rng *rand.PCG) slots {
	sl := slots{schedule: s, next: float64(worker), step: float64(workers)}
	if s.Poisson {
		// Workers that each follow a Poisson process make one together. The
		// first gap is random too.
		sl.rng = rand.New(rng)
		sl.next = sl.rng.ExpFloat64() * sl.step
	}
	return sl
}

// take returns the intended start of the worker's next transaction.
func (s *slots) take() time.Duration {
	at := s.schedule.Curve.At(s.next)
	if s.rng != nil {
		s.next += s.rng.ExpFloat64() * s.step
	} else {
		s.next += s.step
	}
	return at
}
