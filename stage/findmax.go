package stage

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/workload"
)

// FindMax makes a stage look for the highest rate at which limits hold, instead of
// keeping to a rate.
type FindMax struct {
	// Limits are what must hold at a rate, besides that it is kept up. Latencies
	// are response times; the error rate counts timeouts as errors.
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

// findMaxKeys are the keys of find-max, some percentiles among them for the sake of
// suggestions.
var findMaxKeys = []string{"p50", "p90", "p99", "p99.9", "p99.99", "mean", "max", "error-rate", "from", "to", "probe", "settle", "precision"}

// findMaxPercentile is what other percentiles are called.
var findMaxPercentile = regexp.MustCompile(`^p\d+(\.\d+)?$`)

// Defaults of find-max.
const (
	findMaxFrom      = 1000
	findMaxProbe     = 5 * time.Second
	findMaxSettle    = time.Second
	findMaxPrecision = 0.05
	findMaxDuration  = 5 * time.Minute
	findMaxErrors    = "1%"
	maxRate          = 1e9
)

// setFindMax reads {p99: 2ms, error-rate: 0.1%, from: 1k, to: 100k, probe: 5s,
// settle: 1s, precision: 5%}.
func setFindMax(d *draft, v value, problems *Problems) {
	m := &mapReader{name: "find-max", value: v, problems: problems}
	f := &FindMax{From: findMaxFrom, To: maxRate, Probe: findMaxProbe, Settle: findMaxSettle, Precision: findMaxPrecision}
	f.Limits = m.limits()
	if len(f.Limits) == 0 && !m.failed {
		m.missing("no limit is given; expected one such as {p99: 2ms} or {error-rate: 0.1%}")
	}
	if !m.has("error-rate") {
		// A server that refuses what is too much for it must not seem fast.
		f.Limits = append(f.Limits, m.limit("error-rate", value{text: findMaxErrors, place: v.place}))
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
		m.fail(v.sub["from"].place, errors.New("from: a search begins at 1 tps or more"))
	case f.To < f.From && m.has("to"):
		m.fail(v.sub["to"].place, fmt.Errorf("to: %s is below from, %s", workload.FormatRate(f.To), workload.FormatRate(f.From)))
	case f.Precision < 0.001:
		m.fail(v.sub["precision"].place, errors.New("precision: expected at least 0.1%"))
	}
	d.FindMax = f
}

// limits reads the limits that are given: percentiles from the lowest, then others.
func (m *mapReader) limits() []condition.Condition {
	var limits []condition.Condition
	for key, v := range m.value.sub {
		if findMaxPercentile.MatchString(key) {
			limits = append(limits, m.limit(key, v))
		}
	}
	slices.SortFunc(limits, func(a, b condition.Condition) int { return cmp.Compare(a.Percent, b.Percent) })
	for _, key := range []string{"mean", "max", "error-rate"} {
		if v, ok := m.value.sub[key]; ok {
			limits = append(limits, m.limit(key, v))
		}
	}
	return limits
}

// limit reads a limit as the condition that it stands for.
func (m *mapReader) limit(key string, v value) condition.Condition {
	c, err := condition.Parse(key+" <= "+v.text, condition.Assertion)
	if err == nil {
		return c
	}
	var reason *condition.Error
	if errors.As(err, &reason) {
		err = reason.Err // which names the text
	}
	m.fail(v.place, fmt.Errorf("%s: %w", key, err))
	return c
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
