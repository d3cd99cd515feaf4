// Package report turns what a run measures into what people and programs read:
// the header, the lines of each second, the summary, and the histogram files.
//
// Each kind of output is a [stage.Observer] of its own; [Multi] feeds several.
package report

import (
	"errors"
	"time"

	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// Multi is several observers as one. Each is told everything, whatever the
// others return.
type Multi []stage.Observer

func (m Multi) each(tell func(stage.Observer) error) error {
	var errs []error
	for _, o := range m {
		errs = append(errs, tell(o))
	}
	return errors.Join(errs...)
}

// Pause tells all observers.
func (m Multi) Pause(s *stage.Stage, seconds int) error {
	return m.each(func(o stage.Observer) error { return o.Pause(s, seconds) })
}

// Warmup tells all observers.
func (m Multi) Warmup(s *stage.Stage) error {
	return m.each(func(o stage.Observer) error { return o.Warmup(s) })
}

// StageStart tells all observers.
func (m Multi) StageStart(s *stage.Stage, at time.Time) error {
	return m.each(func(o stage.Observer) error { return o.StageStart(s, at) })
}

// Period tells all observers.
func (m Multi) Period(p *stage.Period) error {
	return m.each(func(o stage.Observer) error { return o.Period(p) })
}

// Probe tells the observers that want to know.
func (m Multi) Probe(s *stage.Stage, p stage.Probe) error {
	return m.each(func(o stage.Observer) error {
		if o, ok := o.(stage.ProbeObserver); ok {
			return o.Probe(s, p)
		}
		return nil
	})
}

// StageEnd tells all observers.
func (m Multi) StageEnd(r *stage.StageResult) error {
	return m.each(func(o stage.Observer) error { return o.StageEnd(r) })
}

// timestamp is how histogram lines and file names write a moment, in UTC.
const timestamp = "2006-01-02T15:04:05Z"

// stageLine is the line that announces a stage.
func stageLine(s *stage.Stage) string {
	desc := s.Desc
	if desc == "" {
		desc = s.Workload.String()
	}
	return "Stage " + itoa(s.Number) + ": " + shown.Name(desc) + "\n"
}

// operations lists those that the plan performs, in the order of the columns.
func operations(plan *stage.Plan) []workload.Op {
	var list []workload.Op
	for op, performed := range plan.Ops() {
		if performed {
			list = append(list, workload.Op(op))
		}
	}
	return list
}
