// Package compare tells whether what one run measured differs from what another
// did by more than noise. docs/compare.md says how, and why so.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/result"
)

// Options decide how a comparison judges.
type Options struct {
	// Alpha is the chance, 0 to 1, that a comparison of the same thing with
	// itself calls any of its rows different.
	Alpha float64
	// Margin is the change, as a share of the base, up to which single runs
	// count as the same: how much one run may differ from the next for reasons
	// that do not show within a run.
	Margin float64
}

// DefaultOptions are a level of 5 % and a margin of 5 %.
func DefaultOptions() Options { return Options{Alpha: 0.05, Margin: 0.05} }

// Verdict is what a row comes to.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "same"    // no more than noise
	Better  Verdict = "better"  // more than noise, to the good
	Worse   Verdict = "worse"   // more than noise, to the bad
	Unknown Verdict = "unknown" // too little was measured to tell
)

// Row is a metric of an operation of a stage.
type Row struct {
	Stage  int     `json:"stage"`
	Op     string  `json:"op"`
	Metric string  `json:"metric"` // tps, p50, p90, p99, p99.9, max, errors, timeouts or find-max
	Base   float64 `json:"base"`   // the mean of the runs' values; latencies in µs
	New    float64 `json:"new"`
	// Change is that of New as a share of Base; nil if Base is 0.
	Change *float64 `json:"change"`
	// P is the probability of such a difference by noise alone, adjusted for the
	// number of rows; nil if the verdict is Unknown.
	P       *float64 `json:"p"`
	Verdict Verdict  `json:"verdict"`

	metric metric
}

// Table is a comparison.
type Table struct {
	Alpha    float64  `json:"alpha"`
	Margin   float64  `json:"margin"` // 0 if runs were repeated
	Test     string   `json:"test"`   // "runs" or "periods": what the noise was estimated from
	BaseRuns int      `json:"base_runs"`
	NewRuns  int      `json:"new_runs"`
	Rows     []Row    `json:"rows"`
	Warnings []string `json:"warnings"`
	Fired    []Fired  `json:"fired"`

	base, new []*result.Document
}

// metric is one of those that a table shows.
type metric struct {
	name    string
	percent float64 // of a percentile
	latency bool
	less    bool // less is better
}

func metrics() []metric {
	return []metric{
		{name: "tps"},
		{name: "p50", percent: 50, latency: true, less: true},
		{name: "p90", percent: 90, latency: true, less: true},
		{name: "p99", percent: 99, latency: true, less: true},
		{name: "p99.9", percent: 99.9, latency: true, less: true},
		{name: "max", percent: 100, latency: true, less: true},
		{name: "errors", less: true},
		{name: "timeouts", less: true},
	}
}

// Compare compares the runs of two sides, each at least one, all of the same
// stages. A run that is there twice on a side counts once.
func Compare(base, new []*result.Document, o Options) (*Table, error) {
	if len(base) == 0 || len(new) == 0 {
		return nil, errors.New("nothing to compare")
	}
	t := &Table{Alpha: o.Alpha, Margin: o.Margin, Test: "periods", Rows: []Row{}, Warnings: []string{}, Fired: []Fired{}}
	t.base, t.new = t.distinct(base, "BASE"), t.distinct(new, "NEW")
	t.BaseRuns, t.NewRuns = len(t.base), len(t.new)
	if t.BaseRuns+t.NewRuns > 2 {
		t.Test, t.Margin = "runs", 0
	}
	if err := t.checkStages(); err != nil {
		return nil, err
	}
	var p []float64
	for i, s := range base[0].Stages {
		for _, op := range s.OperationNames() {
			for _, m := range metrics() {
				row, raw, err := t.row(i, op, m)
				if err != nil {
					return nil, err
				}
				if m.name == "timeouts" && row.Base == 0 && row.New == 0 {
					continue
				}
				t.Rows, p = append(t.Rows, row), append(p, raw)
			}
		}
		if t.allLookedForMax(i) {
			row, raw := t.findMaxRow(i)
			t.Rows, p = append(t.Rows, row), append(p, raw)
		}
	}
	for i, adjusted := range holm(p) {
		t.Rows[i].judge(adjusted, o.Alpha)
	}
	return t, nil
}

// row compares a metric. p is NaN if it cannot be tested.
func (t *Table) row(stage int, op string, m metric) (r Row, p float64, err error) {
	var sides [2][]float64
	for side, docs := range [][]*result.Document{t.base, t.new} {
		for _, d := range docs {
			v, err := m.ofRun(d.Stages[stage], op)
			if err != nil {
				return r, 0, err
			}
			sides[side] = append(sides[side], v)
		}
	}
	r = t.newRow(stage, op, m, sides)
	if t.Test == "runs" {
		return r, m.testRuns(sides[0], sides[1]), nil
	}
	return r, m.testPeriods(t.base[0].Stages[stage], t.new[0].Stages[stage], op, t.Margin), nil
}

// newRow makes a row of the values of both sides' runs.
func (t *Table) newRow(stage int, op string, m metric, sides [2][]float64) Row {
	r := Row{Stage: t.base[0].Stages[stage].Number, Op: op, Metric: m.name, Base: mean(sides[0]), New: mean(sides[1]), metric: m}
	if r.Base != 0 {
		change := r.New/r.Base - 1
		r.Change = &change
	}
	return r
}

// ofRun returns the value of a whole run.
func (m metric) ofRun(s *result.Stage, op string) (float64, error) {
	o := s.Operations[op]
	switch {
	case m.name == "tps":
		return o.TPS, nil
	case m.name == "errors":
		return float64(o.Errors), nil
	case m.name == "timeouts":
		return float64(o.Timeouts), nil
	}
	h, err := s.Latency(o).Snapshot()
	if err != nil {
		return 0, err
	}
	return m.ofHistogram(h), nil
}

func (m metric) ofHistogram(h *histogram.Snapshot) float64 {
	if m.name == "max" {
		return float64(h.Max())
	}
	return float64(h.Percentile(m.percent))
}

// testRuns takes each run for one independent value.
func (m metric) testRuns(x, y []float64) float64 {
	resolution := 0.0
	if m.latency { // on a logarithmic scale, since latencies vary by factors
		resolution = step(mean(x), mean(y))
		x, y = logs(x), logs(y)
	}
	if len(x) < 3 || len(y) < 3 {
		return pooled(x, y, resolution)
	}
	return pValue(fromRuns(x), fromRuns(y), 0, resolution)
}

// testPeriods takes the periods of one run a side for a series.
func (m metric) testPeriods(base, new *result.Stage, op string, margin float64) float64 {
	x, y := m.series(base, op), m.series(new, op)
	if len(x) < minPeriods || len(y) < minPeriods {
		return math.NaN()
	}
	switch {
	case m.latency:
		resolution := step(mean(x), mean(y))
		return pValue(fromPeriods(logs(x)), fromPeriods(logs(y)), math.Log1p(margin), resolution)
	case m.name != "tps":
		margin = 0
	}
	return pValue(fromPeriods(x), fromPeriods(y), margin*mean(x), 0)
}

// series returns the metric of each whole period. A last one that is shorter than
// half the others is left out.
func (m metric) series(s *result.Stage, op string) []float64 {
	var x []float64
	for i, p := range s.Periods {
		if i > 0 && i == len(s.Periods)-1 && p.Seconds < s.Periods[0].Seconds/2 || p.Seconds <= 0 {
			continue
		}
		o := p.Operations[op]
		if o == nil {
			if !m.latency {
				x = append(x, 0) // it stood still
			}
			continue
		}
		l := o.Latency()
		switch m.name {
		case "tps":
			x = append(x, float64(o.Done)/p.Seconds)
		case "errors":
			x = append(x, float64(o.Errors)/p.Seconds)
		case "timeouts":
			x = append(x, float64(o.Timeouts)/p.Seconds)
		default:
			if l.Count > 0 {
				x = append(x, float64(map[string]int64{"p50": l.P50, "p90": l.P90, "p99": l.P99, "p99.9": l.P999, "max": l.Max}[m.name]))
			}
		}
	}
	return x
}

// judge turns an adjusted probability into a verdict.
func (r *Row) judge(p, alpha float64) {
	switch {
	case math.IsNaN(p):
		r.Verdict = Unknown
		return
	case p >= alpha || r.New == r.Base:
		r.Verdict = Same
	case (r.New < r.Base) == r.metric.less:
		r.Verdict = Better
	default:
		r.Verdict = Worse
	}
	r.P = &p
}

// step is the width of a histogram's steps at the smaller of two values, as a
// share of it: 1 µs, or 0.1 %.
func step(a, b float64) float64 { return max(1/max(1, min(a, b)), 0.001) }

func logs(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Log(max(v, 1)) // 0 µs is less than one
	}
	return y
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func sortBy(order []int, key func(int) float64) {
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
}

// Fired is a condition of --fail-if that was met.
type Fired struct {
	Condition string  `json:"condition"`
	Stage     int     `json:"stage"`
	Op        string  `json:"op"`
	Base      float64 `json:"base"`
	New       float64 `json:"new"`
	Text      string  `json:"text"` // for people
}

// Check checks conditions and notes those that are met in the table. A condition
// applies to each stage and operation that it does not exclude. One on a change is
// met if the change is beyond its value and, where the table has such a row, not
// called noise; one on a value, if the new runs' mean meets it.
func (t *Table) Check(conditions []condition.Condition) error {
	for _, c := range conditions {
		applied := false
		for i, s := range t.base[0].Stages {
			for _, op := range append(s.OperationNames(), condition.Total) {
				// The total is asked for by name, or is what has no rows.
				if c.Stage != 0 && c.Stage != s.Number || c.Op != "" && c.Op != op || c.Op == "" && op == condition.Total {
					continue
				}
				ok, err := t.checkOne(c, i, op)
				if err != nil {
					return err
				}
				applied = applied || ok
			}
		}
		if !applied {
			return fmt.Errorf("%q: no stage of these runs measured %s", c.Text, c.Describe())
		}
	}
	return nil
}

// checkOne checks a condition on an operation of a stage; applied is false if it
// has no value there.
func (t *Table) checkOne(c condition.Condition, stage int, op string) (applied bool, err error) {
	named := c
	named.Op = op
	base, okBase, err := measure(named, t.base, stage)
	if err != nil {
		return false, err
	}
	new, okNew, err := measure(named, t.new, stage)
	if err != nil || !okNew || c.Change != condition.NoChange && !okBase {
		return false, err
	}
	value := new
	switch c.Change {
	case condition.ChangePercent:
		switch {
		case base != 0:
			value = (new/base - 1) * 100
		case new != 0:
			value = math.Inf(1) // from nothing to something
		default:
			value = 0
		}
	case condition.ChangeAbsolute:
		value = new - base
	}
	number := t.base[0].Stages[stage].Number
	if !c.Holds(value) || c.Change != condition.NoChange && t.isNoise(number, named) {
		return true, nil
	}
	text := fmt.Sprintf("stage %d %s: %s: %s", number, op, c.Text, c.Format(new))
	if c.Change != condition.NoChange {
		text += fmt.Sprintf(", was %s", c.Format(base))
		if base != 0 {
			text += fmt.Sprintf(" (%+.1f%%)", (new/base-1)*100)
		}
	}
	t.Fired = append(t.Fired, Fired{c.Text, number, op, base, new, text})
	return true, nil
}

// measure returns the mean of the runs' values.
func measure(c condition.Condition, docs []*result.Document, stage int) (float64, bool, error) {
	var values []float64
	for _, d := range docs {
		m, ok, err := d.Stages[stage].Measured(c)
		if err != nil {
			return 0, false, err
		}
		v, known := c.Measure(m)
		if !ok || !known {
			return 0, false, nil
		}
		values = append(values, v)
	}
	return mean(values), true, nil
}

// isNoise tells whether the table has a row of the condition's metric and calls
// its change noise.
func (t *Table) isNoise(stage int, c condition.Condition) bool {
	if c.Latency != "" {
		return false // the rows are of the latencies that the stage shows
	}
	for _, r := range t.Rows {
		same := r.Metric == c.MetricName()
		if r.Stage == stage && r.Op == c.Op && same {
			return r.Verdict == Same
		}
	}
	return false
}
