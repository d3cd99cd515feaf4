package stage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/aeroload/aeroload/internal/steady"
	"github.com/aeroload/aeroload/workload"
)

// rateSearch decides which rate to try next: it doubles the rate until one fails,
// then halves the distance, in ratio, between the highest that held and the lowest
// that failed. It is a pure function of the outcomes.
type rateSearch struct {
	find         *FindMax
	rate         float64   // to try next
	low          float64   // the highest rate that held; 0 for none
	fails        []float64 // rates that failed, each below the one before
	held, failed int       // of the tries of this rate
	last         bool      // the rate is the lowest that failed, tried once more
}

func newRateSearch(f *FindMax) *rateSearch { return &rateSearch{find: f, rate: f.From} }

// next takes the outcome of trying the rate, and returns false when the search is
// over. A rate that fails is tried again, and two of three tries decide, so that a
// hiccup does not; and the lowest that failed is tried once more at the end, since
// all depends on it.
func (s *rateSearch) next(ok bool) bool {
	if ok {
		s.held++
	} else {
		s.failed++
	}
	switch {
	case s.last && s.failed > 0:
		return false
	case s.failed == 1 && s.held < 2:
		return true
	case s.failed < 2:
		s.low = s.rate
	default:
		s.fails = append(s.fails, s.rate)
	}
	if s.last { // it holds after all
		s.fails, s.last = s.fails[:len(s.fails)-1], false
	}
	s.held, s.failed = 0, 0
	high := s.high()
	switch {
	case s.low == 0 || s.low >= s.find.To:
		return false
	case high > 0 && high/s.low <= 1+s.find.Precision:
		s.rate, s.last = high, true
	case high == 0:
		s.rate = min(2*s.low, s.find.To)
	default:
		s.rate = math.Sqrt(s.low * high)
	}
	return true
}

// high returns the lowest rate that failed, 0 if none did.
func (s *rateSearch) high() float64 {
	if len(s.fails) == 0 {
		return 0
	}
	return s.fails[len(s.fails)-1]
}

// search tries rates until the highest is found, or the stage's time is over, and
// sends what came of each. It returns how many transactions were abandoned.
func (r *run) search(ctx context.Context, st *Stage, job *workload.Job, probes chan<- Probe) (abandoned int) {
	f := st.FindMax
	search := newRateSearch(f)
	rounds := job.Rounds(r.stats)
	deadline := steady.Now().Add(st.Duration)
	for first := true; ctx.Err() == nil && (first || !steady.Now().Add(f.Settle+f.Probe).After(deadline)); first = false {
		settled, ended := r.stampAfter(f.Settle), r.stampAfter(f.Settle+f.Probe)
		behind, left := rounds.Run(ctx, search.rate, f.Settle+f.Probe)
		if abandoned = left; ctx.Err() != nil {
			break
		}
		from, to := <-settled, <-ended
		p := judge(st, search.rate, trial{
			seconds: to.at.Sub(from.at).Seconds(),
			ended:   to.Transactions() - from.Transactions(),
			behind:  behind,
			// Those that were on their way at the end count too: they may
			// be the slow ones.
			Snapshot: r.stats.Snapshot().Sub(from.Snapshot),
		})
		r.found = !search.next(p.OK)
		if p.Held = search.low; !r.found {
			p.Next = search.rate
		}
		probes <- p
		if r.found {
			break
		}
	}
	r.low = search.low
	return abandoned
}

// stamp is a snapshot and when it was taken.
type stamp struct {
	workload.Snapshot
	at time.Time
}

// stampAfter takes a snapshot after a time.
func (r *run) stampAfter(d time.Duration) <-chan stamp {
	c := make(chan stamp, 1)
	time.AfterFunc(d, func() { c <- stamp{r.stats.Snapshot(), steady.Now()} })
	return c
}

// ProbeObserver is an [Observer] that also wants to know of each rate that a stage
// with find-max has tried. It is called from the same goroutine.
type ProbeObserver interface {
	Probe(s *Stage, p Probe) error
}

// FindMaxError says that a stage found no rate at which its limits hold.
type FindMaxError struct {
	Stage *Stage
	// Undecided tells that the stage's time was over before its first rate had
	// failed often enough to decide.
	Undecided bool
}

func (e *FindMaxError) Error() string {
	text := "the limits do not even hold at %s tps"
	if e.Undecided {
		text = "the time was over before it was known whether the limits hold at %s tps"
	}
	return fmt.Sprintf("stage %d: find-max: "+text, e.Stage.Number, workload.FormatRate(e.Stage.FindMax.From))
}

// Found returns a *[FindMaxError] if a stage that looked for a rate found none, and
// nil otherwise.
func (r *Result) Found() error {
	var errs []error
	for _, s := range r.Stages {
		if s.Stage.FindMax != nil && s.MaxRate == 0 {
			errs = append(errs, &FindMaxError{s.Stage, !s.Settled})
		}
	}
	return errors.Join(errs...)
}
