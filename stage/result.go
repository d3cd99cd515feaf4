package stage

import (
	"time"

	"github.com/aeroload/aeroload/internal/gcpause"
	"github.com/aeroload/aeroload/workload"
)

// Result is everything that a run measured. All outputs derive from it.
type Result struct {
	Plan *Plan
	// Start is when the first stage began, End when the last one ended.
	Start, End time.Time
	// Stages holds the stages that ran, the last of them perhaps not to its
	// end.
	Stages []*StageResult
	// Total covers all stages.
	Total    workload.Snapshot
	Failures []workload.Failure
	// Stopped is why the run ended early: the cause with which its context
	// was cancelled, an error of the observer, an *[AssertionError] of a
	// stage that stops the run then, or an *[ErrorsError]. It is nil for a run
	// that went to its end.
	Stopped error
}

// StageResult is what one stage measured.
type StageResult struct {
	Stage *Stage
	Start time.Time
	// Elapsed is the time from the stage's start until its last transaction
	// had ended and its minimum duration had passed.
	Elapsed time.Duration
	workload.Snapshot
	// Abandoned is the number of transactions that were still waiting for an
	// answer when the run was stopped; they are counted nowhere else.
	Abandoned int
	// Failures tells how the stage's failures divide into result codes.
	Failures []workload.Failure
	// Probes are the rates that a stage with find-max has tried, MaxRate the
	// highest at which its limits held, 0 if there was none. Settled tells that
	// the search came to its end, rather than that of its time.
	Probes  []Probe
	MaxRate float64
	Settled bool
	// Pauses are those of the garbage collector during the stage, the embedded
	// server's included if it is in the process.
	Pauses gcpause.Pauses
	// Mismatches describe the first records that a stage that verifies read
	// with other values than the object spec makes.
	Mismatches []string
	// Outages are the times at which the cluster was gone, in their order.
	Outages []workload.Outage
	// Checks are the stage's assertions and what came of them; none if the
	// run was stopped before the stage's end.
	Checks []Check
}

// Period is what happened since the period before: about a second, less or more
// at the end of a stage.
type Period struct {
	Stage *Stage
	// End is when the period ended; SinceStart is the time from the start of
	// the first stage to End.
	End        time.Time
	SinceStart time.Duration
	// Elapsed is the length of the period.
	Elapsed time.Duration
	// Delta is what the period measured, InStage what the stage has, and Total
	// what the whole run has.
	Delta, InStage, Total workload.Snapshot
	// Failures tells how the failures of InStage divide into result codes. Those
	// of the last moment may be in only one of the two.
	Failures []workload.Failure
}

// Observer is told what happens while stages run. Its methods are called from
// one goroutine. An error stops the run.
type Observer interface {
	// Pause announces a wait before a stage.
	Pause(s *Stage, seconds int) error
	// Warmup announces that a stage runs unrecorded for its warm-up.
	Warmup(s *Stage) error
	// StageStart is called when the stage's measured time begins: right
	// before its first transaction, or after its warm-up.
	StageStart(s *Stage, at time.Time) error
	// Period is called about every second, and once more at the end of a
	// stage: together the periods of a stage hold all that it measured.
	Period(p *Period) error
	// StageEnd is called when the stage is over.
	StageEnd(r *StageResult) error
}
