package stage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/internal/gcpause"
	"github.com/aeroload/aeroload/internal/steady"
	"github.com/aeroload/aeroload/workload"
)

// period is the time between two lines of a stage.
const period = time.Second

// Sequencer runs the stages of a plan in turn.
type Sequencer struct {
	plan     *Plan
	jobs     []*workload.Job
	monitors []*workload.Monitor
	stats    *workload.Stats
}

// Prepare makes a plan ready to run: what can fail fails here, before the first
// transaction. The policies are those of single-record reads and writes; they
// are copied. newTimer makes the timers that keep stages to their rates.
func Prepare(plan *Plan, client workload.Client, read *as.BasePolicy, write *as.WritePolicy, newTimer workload.NewTimer) (*Sequencer, error) {
	s := &Sequencer{plan: plan, stats: workload.NewStats(plan.MaxWorkers(), plan.Throttled(), plan.Ops())}
	for _, st := range plan.Stages {
		monitor := workload.NewMonitor(st.Number, st.errorLimits())
		job, err := workload.Prepare(workload.Spec{
			Workload:        st.Workload,
			Namespace:       plan.Namespace,
			Set:             plan.Set,
			Keys:            st.Keys,
			Shard:           st.Shard,
			Distribution:    st.Distribution,
			KeyFormat:       st.KeyFormat,
			KeyFile:         st.KeyFile,
			Workers:         st.Workers(),
			Duration:        st.Duration,
			Transactions:    st.Transactions,
			Warmup:          st.Warmup,
			Schedule:        st.Schedule,
			BatchRead:       st.BatchRead,
			BatchWrite:      st.BatchWrite,
			BatchDelete:     st.BatchDelete,
			BatchNamespaces: st.BatchNamespaces,
			UDF:             st.UDF.function(),
			Object:          st.Object,
			ReadBins:        indexes(st.ReadBins),
			WriteBins:       indexes(st.WriteBins),
			Random:          st.Random,
			Query:           workload.Query{Bin: st.Query.Bin - 1, Width: st.Query.Width},
			Scan:            st.Scan,
			Verify:          st.Verify,
			Unknown:         st.Unknown,
			MayLack:         st.MayLack,
			Seed:            st.Seed,
			Stream:          uint64(st.Number),
			TTL:             st.TTL,
			Monitor:         monitor,
			NewTimer:        newTimer,
			ReadPolicy:      read,
			WritePolicy:     write,
		}, client)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", st.Number, err)
		}
		s.jobs, s.monitors = append(s.jobs, job), append(s.monitors, monitor)
	}
	return s, nil
}

func (u *UDF) function() workload.Function {
	if u == nil {
		return workload.Function{}
	}
	return workload.Function{Module: u.Module, Name: u.Function, Args: u.Args}
}

// indexes turns bin numbers from 1 into indexes from 0.
func indexes(bins []int) []int {
	var list []int
	for _, b := range bins {
		list = append(list, b-1)
	}
	return list
}

// Run runs all stages, or until ctx is cancelled, whose cause then is in the
// result. It must be called once.
func (s *Sequencer) Run(ctx context.Context, obs Observer) *Result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{Sequencer: s, obs: obs, cancel: cancel, result: &Result{Plan: s.plan}}
	for i, st := range s.plan.Stages {
		if st.Pause > 0 {
			r.pause(ctx, st)
		}
		if ctx.Err() != nil {
			break
		}
		r.stage(ctx, st, s.jobs[i], s.monitors[i])
	}
	r.result.End = steady.Now()
	r.result.Total = r.total
	r.result.Failures = s.stats.Failures()
	r.result.Stopped = context.Cause(ctx)
	return r.result
}

// run is the state of Run.
type run struct {
	*Sequencer
	obs     Observer
	cancel  context.CancelCauseFunc
	result  *Result
	started time.Time          // of the stage
	before  workload.Snapshot  // at that time
	failed  []workload.Failure // likewise
	total   workload.Snapshot  // at the end of the last period
	ended   time.Time          // when that was
	pauses  gcpause.Reading    // at the stage's start
	probes  []Probe            // of the stage, with find-max
	low     float64            // the highest rate that held, when its search is over
	found   bool               // the search came to its end
}

// check stops the run on an error of the observer.
func (r *run) check(err error) {
	if err != nil {
		r.cancel(err)
	}
}

func (r *run) pause(ctx context.Context, st *Stage) {
	seconds := 1 + rand.New(rand.NewPCG(st.Seed, uint64(st.Number))).IntN(st.Pause)
	r.check(r.obs.Pause(st, seconds))
	wait(ctx, time.Duration(seconds)*time.Second)
}

// wait waits for d, or until ctx is done.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// stage runs one stage to its end.
func (r *run) stage(ctx context.Context, st *Stage, job *workload.Job, monitor *workload.Monitor) {
	defer r.watchErrors(ctx, st, monitor)()
	// Nothing of a warm-up is recorded, and all that comes after it is the stage's.
	r.before, r.failed = r.stats.Snapshot(), r.stats.Failures()
	if st.Warmup > 0 {
		r.check(r.obs.Warmup(st))
	} else {
		r.begin(st)
	}
	done := make(chan int, 1)
	probes := make(chan Probe)
	r.probes, r.low, r.found = nil, 0, false
	launched := steady.Now()
	go func() {
		if st.FindMax != nil {
			done <- r.search(ctx, st, job, probes)
			return
		}
		abandoned := job.Run(ctx, r.stats)
		if !st.Workload.Endless() { // it may be done before its minimum duration
			wait(ctx, time.Until(launched.Add(st.Duration)))
		}
		done <- abandoned
	}()
	if st.Warmup > 0 {
		warmUp(ctx, st, done)
		r.begin(st)
	}
	abandoned := r.watch(st, done, probes)

	r.period(st, steady.Now())
	res := &StageResult{
		Stage:      st,
		Start:      r.started,
		Elapsed:    r.ended.Sub(r.started),
		Snapshot:   r.total.Sub(r.before),
		Abandoned:  abandoned,
		Probes:     r.probes,
		MaxRate:    r.low,
		Settled:    r.found,
		Pauses:     gcpause.Read().Since(r.pauses),
		Mismatches: r.stats.Mismatches(uint64(st.Number)),
		Outages:    r.outages(monitor),
		Failures:   workload.FailuresSince(r.stats.Failures(), r.failed),
	}
	if ctx.Err() == nil {
		res.Checks = res.check()
	}
	r.result.Stages = append(r.result.Stages, res)
	r.check(r.obs.StageEnd(res))
	if st.OnFail == Stop && len(res.Failed()) > 0 {
		r.cancel(r.result.Assertions())
	}
}

// begin starts the measured time of a stage.
func (r *run) begin(st *Stage) {
	r.started = steady.Now()
	if r.result.Start.IsZero() {
		r.result.Start = r.started
	}
	r.total, r.ended = r.before, r.started
	r.pauses = gcpause.Read()
	r.check(r.obs.StageStart(st, r.started))
}

// warmUp waits until the warm-up of a running stage is over.
func warmUp(ctx context.Context, st *Stage, done chan int) {
	select {
	case <-time.After(st.Warmup):
	case <-ctx.Done():
	case abandoned := <-done: // it had fewer transactions than that
		done <- abandoned
	}
}

// watch reports a period every second until the stage is over, and leaves the
// last one to its caller.
func (r *run) watch(st *Stage, done <-chan int, probes <-chan Probe) (abandoned int) {
	for tick := r.started.Add(period); ; tick = r.nextTick() {
		timer := time.NewTimer(time.Until(tick))
		select {
		case abandoned = <-done:
			timer.Stop()
			return abandoned
		case p := <-probes:
			timer.Stop()
			r.probe(st, p)
			continue
		case <-timer.C:
		}
		// Near its end, which only a walk of the key range does not know, the
		// stage's last period is left to grow, so that no line shows a few
		// milliseconds as if they were a second.
		if off := tick.Sub(r.started) - st.Duration; !st.Workload.Endless() || st.FindMax != nil || off < -period/2 || off > period/2 {
			r.period(st, steady.Now())
		}
	}
}

// probe keeps a rate that was tried, and reports it.
func (r *run) probe(st *Stage, p Probe) {
	r.probes = append(r.probes, p)
	if obs, ok := r.obs.(ProbeObserver); ok {
		r.check(obs.Probe(st, p))
	}
}

// nextTick returns the next whole period of the stage. Those that went by while
// the process stood still are left out.
func (r *run) nextTick() time.Time {
	return r.started.Add(time.Since(r.started).Truncate(period) + period)
}

// period reports what happened since the last period, unless that is nothing in
// next to no time.
func (r *run) period(st *Stage, now time.Time) {
	total := r.stats.Snapshot()
	p := &Period{
		Stage:      st,
		End:        now,
		SinceStart: now.Sub(r.result.Start),
		Elapsed:    now.Sub(r.ended),
		Delta:      total.Sub(r.total),
		InStage:    total.Sub(r.before),
		Total:      total,
		Failures:   workload.FailuresSince(r.stats.Failures(), r.failed),
	}
	r.total, r.ended = total, now
	if p.Elapsed < period/2 && p.Delta.Total() == (workload.Counts{}) {
		return
	}
	r.check(r.obs.Period(p))
}
