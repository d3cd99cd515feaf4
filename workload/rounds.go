package workload

import (
	"context"
	"math"
	"time"
)

// Rounds runs a job several times, one after the other, at rates of their own. Each
// draws other keys than the ones before, and inserts other records.
type Rounds struct {
	job   Job
	stats *Stats
}

// Rounds returns the rounds of the job, which must be one without an end of its own
// ([Workload.Endless]) and without warm-up, and record into stats.
func (j *Job) Rounds(stats *Stats) *Rounds { return &Rounds{*j, stats} }

// Run runs the job at a rate, in transactions per second, for a time, and returns
// when no transaction is in flight. behind is how many transactions were due within
// that time and never started, because no worker was free. When ctx is cancelled, it
// ends as [Job.Run] does, returns how many workers it left waiting, and must not be
// called again.
func (r *Rounds) Run(ctx context.Context, tps float64, duration time.Duration) (behind float64, abandoned int) {
	j := &r.job
	j.spec.Schedule.Curve, j.spec.Duration = Constant(tps), duration
	workers, abandoned := j.run(ctx, r.stats)
	if abandoned > 0 {
		return 0, abandoned // they still run
	}
	due := Constant(tps).Count(duration)
	for _, w := range workers {
		behind += w.slots.left(due)
		j.inserts = max(j.inserts, w.fresh)
	}
	// The workers' numbers count on from a multiple of how many they are.
	step := uint64(j.spec.Workers)
	j.inserts = (j.inserts + step - 1) / step * step
	j.round++
	return behind, 0
}

// left returns how many transactions the worker has not taken of those that are due
// before a position on the curve; on average, if their spacing is random.
func (s *slots) left(due float64) float64 { return max(0, math.Ceil((due-s.next)/s.step)) }
