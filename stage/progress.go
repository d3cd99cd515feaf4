package stage

import (
	"time"

	"github.com/aeroload/aeroload/workload"
)

// Due returns how many transactions of the stage are due by a time after its
// measured time began. It is 0 for stages without a rate, and for those that look
// for one.
func (s *Stage) Due(t time.Duration) float64 {
	if !s.Schedule.Throttled() || s.FindMax != nil {
		return 0
	}
	if s.Workload.Endless() {
		t = min(t, s.Duration) // none is due later
	}
	curve := s.Schedule.Curve
	due := curve.Count(s.Warmup+t) - curve.Count(s.Warmup)
	if s.Transactions > 0 {
		due = min(due, float64(s.Transactions))
	}
	return due
}

// Walk returns how many keys the stage visits, each once; 0 if it does not walk its
// range, or ends before.
func (s *Stage) Walk() uint64 {
	if s.Workload.Endless() || s.Transactions > 0 {
		return 0
	}
	return s.Workload.Keys(s.Keys).Shard(s.Shard).Size()
}

// Walked returns how many of these keys are done, of what the stage has measured.
func (s *Stage) Walked(measured workload.Snapshot) uint64 {
	c := measured.Total()
	// The records of a batch that failed are lost; a record of a transaction of
	// its own that failed is counted as a transaction alone.
	return max(c.Attempted(), c.Hit+c.Miss+c.Lost)
}

// Share returns how much of the stage is done, from 0 to 1, at a time after its
// measured time began, with what it has measured until then. Stages with find-max may
// end long before it is 1.
func (s *Stage) Share(t time.Duration, measured workload.Snapshot) float64 {
	passed := 1.0
	if s.Duration > 0 {
		passed = min(1, t.Seconds()/s.Duration.Seconds())
	}
	done := 0.0
	if s.Transactions > 0 {
		done = min(1, float64(measured.Transactions())/float64(s.Transactions))
	}
	if s.Workload.Endless() {
		return max(passed, done) // whichever comes first
	}
	if keys := s.Walk(); keys > 0 {
		done = min(1, float64(s.Walked(measured))/float64(keys))
	}
	return min(passed, done)
}
