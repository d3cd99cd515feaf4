package stage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/workload"
)

// FindMax makes a stage look for the highest rate at which limits hold, instead of
// keeping to a rate.
type FindMax struct {
	// Limits are what must hold at a rate. That the rate is reached, to within
	// 1 %, goes without saying.
	Limits []condition.Condition
	// From is the first rate that is tried, To the highest; transactions per
	// second.
	From, To float64
	// Probe is how long each rate is measured, after it has run for Settle.
	Probe, Settle time.Duration
	// Precision is how far the answer may be below a rate that fails, such as
	// 0.05 for 5 %.
	Precision float64
}

// Probe is a rate that was tried, and what came of it.
type Probe struct {
	Rate     float64 // asked for, transactions per second
	Achieved float64
	Checks   []Check // of the limits
	OK       bool    // the rate was reached and all limits held
}

// Why says in one line what the probe measured, failures first.
func (p Probe) Why() string {
	var texts []string
	if p.short() {
		texts = append(texts, fmt.Sprintf("only %.1f tps", p.Achieved))
	}
	for _, failing := range []bool{true, false} {
		for _, c := range p.Checks {
			if c.OK != failing {
				texts = append(texts, c.String())
			}
		}
	}
	return strings.Join(texts, ", ")
}

// short tells whether the rate was not reached.
func (p Probe) short() bool { return p.Achieved < 0.99*p.Rate-1 }

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
	deadline := time.Now().Add(st.Duration)
	for ctx.Err() == nil && !time.Now().Add(f.Settle+f.Probe).After(deadline) {
		settled := make(chan workload.Snapshot, 1)
		timer := time.AfterFunc(f.Settle, func() { settled <- r.stats.Snapshot() })
		abandoned = job.AtRate(search.rate, f.Settle+f.Probe).Run(ctx, r.stats)
		if ctx.Err() != nil {
			timer.Stop()
			break
		}
		p := f.judge(search.rate, r.stats.Snapshot().Sub(<-settled))
		probes <- p
		if !search.next(p.OK) {
			r.found = true
			break
		}
	}
	r.low = search.low
	return abandoned
}

// judge tells whether the limits held at a rate.
func (f *FindMax) judge(rate float64, s workload.Snapshot) Probe {
	seconds := f.Probe.Seconds()
	p := Probe{Rate: rate, Achieved: float64(s.Transactions()) / seconds}
	latency := new(histogram.Snapshot)
	for _, h := range s.Response {
		latency = latency.Add(h)
	}
	p.OK = !p.short()
	for _, limit := range f.Limits {
		c := Check{Assertion: limit}
		c.Measured, c.Known = limit.Measure(condition.Measured{Seconds: seconds, Counts: s.Total(), Latency: latency})
		c.OK = c.Known && limit.Holds(c.Measured)
		p.Checks = append(p.Checks, c)
		p.OK = p.OK && c.OK
	}
	return p
}

// ProbeObserver is an [Observer] that also wants to know of each rate that a stage
// with find-max has tried. It is called from the same goroutine.
type ProbeObserver interface {
	Probe(s *Stage, p Probe) error
}

// FindMaxError says that a stage found no rate at which its limits hold.
type FindMaxError struct{ Stage *Stage }

func (e *FindMaxError) Error() string {
	return fmt.Sprintf("stage %d: find-max: the limits do not even hold at %s tps", e.Stage.Number, FormatTPS(workload.Constant(e.Stage.FindMax.From)))
}

// Found returns a *[FindMaxError] if a stage tried rates and not even the first
// held its limits, and nil otherwise.
func (r *Result) Found() error {
	var errs []error
	for _, s := range r.Stages {
		if s.Stage.FindMax != nil && s.MaxRate == 0 && len(s.Probes) > 0 {
			errs = append(errs, &FindMaxError{s.Stage})
		}
	}
	return errors.Join(errs...)
}

// The keys of find-max besides latency limits, and the latencies that may be
// limited.
var (
	findMaxKeys   = []string{"from", "to", "probe", "settle", "precision", "error-rate"}
	findMaxLimits = []string{"p50", "p90", "p95", "p99", "p99.9", "p99.99", "max", "mean"}
)

// Defaults of find-max.
const (
	findMaxFrom      = 1000
	findMaxProbe     = 5 * time.Second
	findMaxSettle    = time.Second
	findMaxPrecision = 0.05
	findMaxDuration  = 5 * time.Minute
	maxRate          = 1e9
)

// setFindMax reads {p99: 2ms, error-rate: 0.1%, from: 1k, to: 100k, probe: 5s,
// settle: 1s, precision: 5%}.
func setFindMax(d *draft, v value, problems *Problems) {
	m := &mapReader{name: "find-max", value: v, problems: problems}
	f := &FindMax{From: findMaxFrom, To: maxRate, Probe: findMaxProbe, Settle: findMaxSettle, Precision: findMaxPrecision}
	for _, key := range append(findMaxLimits, "error-rate") {
		limit, ok := v.sub[key]
		if !ok {
			continue
		}
		c, err := condition.Parse(key+" <= "+limit.text, condition.Assertion)
		if err != nil {
			var reason *condition.Error
			if errors.As(err, &reason) {
				err = reason.Err // which names the text
			}
			m.fail(limit.place, fmt.Errorf("%s: %w", key, err))
			continue
		}
		f.Limits = append(f.Limits, c)
	}
	if len(f.Limits) == 0 && !m.failed {
		m.missing("no limit is given; expected one such as {p99: 2ms} or {error-rate: 0.1%}")
	}
	if m.has("from") {
		f.From = m.rate("from")
	}
	if m.has("to") {
		f.To = m.rate("to")
	}
	if m.has("probe") {
		f.Probe = m.duration("probe")
	}
	if m.has("settle") {
		f.Settle = m.duration("settle")
	}
	if m.has("precision") {
		f.Precision = read(m, "precision", workload.ParsePercent) / 100
	}
	switch {
	case m.failed:
	case f.From < 1:
		m.fail(v.place, errors.New("from: a search begins at 1 tps or more"))
	case f.To < f.From:
		m.fail(v.place, fmt.Errorf("to: %g is below from, %g", f.To, f.From))
	case f.Precision < 0.001:
		m.fail(v.place, errors.New("precision: expected at least 0.1%"))
	}
	d.FindMax = f
}

// resolveFindMax checks find-max against the stage's other keys.
func (d *draft) resolveFindMax(problems *Problems) {
	if d.FindMax == nil || d.bad["find-max"] || d.bad["workload"] {
		return
	}
	for _, key := range []string{"tps", "warmup", "transactions"} {
		if v, ok := d.given[key]; ok && !v.inherited {
			problems.add(v.place, "%s: it does not go with find-max, which chooses the rates and times itself", key)
		}
	}
	d.Warmup, d.Transactions = 0, 0
	if !d.Workload.Endless() {
		problems.add(d.placeOf("find-max"), "find-max: %s ends with its key range; a search needs a workload without an end", d.Workload)
		return
	}
	d.Schedule.Curve = workload.Constant(d.FindMax.From)
	if _, given := d.given["duration"]; !given {
		d.Duration = findMaxDuration
	}
	if once := d.FindMax.Settle + d.FindMax.Probe; d.Duration < once && !d.bad["duration"] {
		problems.add(d.placeOf("duration"), "duration: %v is too short for a single probe of find-max, which takes %v", d.Duration, once)
	}
}

// String returns the mapping as a stage file gives it, with every default.
func (f *FindMax) String() string {
	limits := make([]string, len(f.Limits))
	for i, c := range f.Limits {
		limits[i] = strings.Replace(c.Text, " <= ", ": ", 1)
	}
	return fmt.Sprintf("{%s, from: %s, to: %s, probe: %s, settle: %s, precision: %g%%}", strings.Join(limits, ", "),
		FormatTPS(workload.Constant(f.From)), FormatTPS(workload.Constant(f.To)), FormatDuration(f.Probe), FormatDuration(f.Settle), 100*f.Precision)
}
