package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/workload"
)

// OnError is what becomes of a run when transactions of a stage fail.
type OnError uint8

// What on-error can be.
const (
	// GiveUpOnError counts failures and goes on, but ends the run when every
	// transaction fails, see [Stage.MaxOutage].
	GiveUpOnError OnError = iota
	// ContinueOnError goes on whatever fails.
	ContinueOnError
	// StopOnError is GiveUpOnError, and ends the run as soon as more than
	// [Stage.MaxErrors] transactions have failed.
	StopOnError
)

func onErrors() []string { return []string{"give-up", "continue", "stop"} }

// String returns the word of stage files.
func (o OnError) String() string { return onErrors()[o] }

// For how long every transaction of a stage may fail from its start, where the stage
// does not say: with a cluster that cannot be reached, which may be restarting, and
// with one that is there and refuses them for reasons that do not pass.
const (
	patience        = time.Minute
	refusedPatience = 10 * time.Second
)

// errorLimits are the stage's, as its monitor takes them.
func (s *Stage) errorLimits() workload.ErrorLimits {
	l := workload.ErrorLimits{Patience: patience, Refused: refusedPatience}
	if s.MaxOutage > 0 {
		l = workload.ErrorLimits{Patience: s.MaxOutage, Refused: min(s.MaxOutage, refusedPatience), Always: true}
	}
	switch s.OnError {
	case ContinueOnError:
		return workload.ErrorLimits{}
	case StopOnError:
		l.Limited, l.Max, l.Counted = true, s.MaxErrors, s.errorsCounted
	}
	return l
}

// ErrorsError says that a run was ended because too many transactions of a stage
// failed. It wraps a *[workload.TooManyErrors].
type ErrorsError struct {
	Stage *Stage
	Err   error
}

func (e *ErrorsError) Error() string { return fmt.Sprintf("stage %d: %v", e.Stage.Number, e.Err) }

// Unwrap returns the reason without the stage.
func (e *ErrorsError) Unwrap() error { return e.Err }

// LogErrors makes the stages write failed transactions to log in full, as
// [workload.ErrorLog] does. It must be called before Run.
func (s *Sequencer) LogErrors(log io.Writer) {
	errorLog := workload.NewErrorLog(log)
	for _, m := range s.monitors {
		m.LogTo(errorLog)
	}
}

// watchErrors follows the failures of a stage until the function that it returns is
// called.
func (r *run) watchErrors(ctx context.Context, st *Stage, monitor *workload.Monitor) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		monitor.Watch(ctx, func(err error) { r.cancel(&ErrorsError{st, err}) })
	}()
	return func() {
		cancel()
		<-watched
	}
}

// outages returns those of the stage's measured time.
func (r *run) outages(monitor *workload.Monitor) []workload.Outage {
	var list []workload.Outage
	for _, o := range monitor.Outages(r.ended) {
		if o.Until.After(r.started) {
			if o.From.Before(r.started) { // in the warm-up
				o.From = r.started
			}
			list = append(list, o)
		}
	}
	return list
}

func setOnError(d *draft, text string) error {
	i := slices.Index(onErrors(), text)
	if i < 0 {
		return fmt.Errorf("%q is not continue, stop or give-up%s", text, suggest.DidYouMean(text, onErrors()))
	}
	d.OnError = OnError(i)
	return nil
}

func setMaxErrors(d *draft, text string) (err error) {
	d.MaxErrors, err = ParseCount(text)
	return err
}

func setMaxOutage(d *draft, text string) (err error) {
	d.MaxOutage, err = parseDuration(text)
	if err == nil && d.MaxOutage == 0 {
		err = errors.New("an outage of no time at all: expected a duration above 0, or on-error: stop to end at the first error")
	}
	return err
}

// resolveErrors settles what max-errors and max-outage mean together with on-error.
func (d *draft) resolveErrors(problems *Problems) {
	if d.bad["on-error"] {
		return
	}
	onError, given := d.given["on-error"]
	own := func(key string) bool {
		v, ok := d.given[key]
		return ok && !v.inherited
	}
	// A limit says what to do, unless on-error says otherwise in the same place.
	open := !given || onError.inherited
	_, limited := d.given["max-errors"]
	switch {
	case limited && !given || own("max-errors") && open:
		d.OnError, d.errorsCounted = StopOnError, true
	case own("max-outage") && open && d.OnError == ContinueOnError:
		d.OnError = GiveUpOnError
	}
	if limited && d.OnError != StopOnError {
		d.MaxErrors = 0
		d.meaningless("max-errors", problems, "the stage does not stop at a number of errors: on-error is %s", d.OnError)
	}
	if _, ok := d.given["max-outage"]; ok && d.OnError == ContinueOnError {
		d.MaxOutage = 0
		d.meaningless("max-outage", problems, "the stage does not stop at errors: on-error is %s", d.OnError)
	}
}

// errorPairs lists what the stage says about errors.
func (s *Stage) errorPairs() [][2]string {
	pairs := [][2]string{{"on-error", s.OnError.String()}}
	if s.OnError == StopOnError {
		pairs = append(pairs, [2]string{"max-errors", strconv.FormatUint(s.MaxErrors, 10)})
	}
	if s.MaxOutage > 0 {
		pairs = append(pairs, [2]string{"max-outage", FormatDuration(s.MaxOutage)})
	}
	return pairs
}
