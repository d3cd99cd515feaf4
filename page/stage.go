package page

import (
	"fmt"
	"strings"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/result"
)

// stageView is a stage of all runs.
type stageView struct {
	Number        int
	Title         string // as in lists
	Heading       string
	Several       bool
	HasMismatches bool // some run's reads differed from what was written
	Facts         []fact
	Rows          []row
	Codes         []string
	Assertions    []assertion
	Found         []found
	Groups        []group
	glance        []glance
}

// glance is a stage of a run in one row, all operations together.
type glance struct {
	legend
	Number               int
	Title                string
	Span                 int // runs of the stage, in its first row; else 0
	Length, Count, TPS   string
	Target               string
	Latency              string // which of them
	P50, P99, P999, Max  string
	Timeouts, Errors     string
	TimedOut, HadErrors  bool
	Passed, Failed, None bool   // assertions: all, some not, there are none
	Assertions           string // how many held
}

// row is an operation of a run in a stage.
type row struct {
	legend
	Op                               string
	Count, TPS                       string
	Misses, Timeouts, Errors         string
	TimedOut, HadErrors, HadMismatch bool
	Mismatches                       string
	Latencies                        []latencyRow
}

// latencyRow is one of an operation's two latencies.
type latencyRow struct {
	Kind, Mean, P50, P90, P99, P999, P9999, Max string
}

type assertion struct {
	Run  string
	OK   bool
	Text string
}

// found is what a search for the highest rate came to.
type found struct {
	Text   string
	Probes []probe
}

type probe struct {
	TPS, Achieved, Why string
	OK                 bool
}

func newStageView(t *timeline, number int) (stageView, error) {
	v := stageView{Number: number, Title: t.descs[number], Heading: "Stage " + strings.TrimPrefix(t.descs[number], "Stage "), Several: len(t.runs) > 1}
	for i, r := range t.runs {
		if s := r.stage(number); s != nil {
			if err := v.add(r, s, look{color: i, marked: v.Several}); err != nil {
				return v, fmt.Errorf("%s: stage %d: %w", r.Name, number, err)
			}
		}
	}
	v.glance[0].Span = len(v.glance)
	// The only stage has the same picture above, and one period is but a number.
	if one := t.stage(number); len(t.order) > 1 && one.mostPeriods() > 1 {
		v.Groups = append(v.Groups, side([]*chart{one.throughput()}, fmt.Sprintf("throughput-%d", number)))
	}
	for _, op := range operations(t.runs, number) {
		for i, r := range t.runs {
			if s := r.stage(number); s != nil && s.Operations[op] != nil {
				v.Rows = append(v.Rows, newRow(s.Operations[op], op, look{color: i, marked: v.Several}.legend(r.Name)))
				v.HasMismatches = v.HasMismatches || s.Operations[op].Mismatches > 0
			}
		}
		charts, err := distributions(t.runs, number, op)
		if err != nil {
			return v, fmt.Errorf("stage %d: %w", number, err)
		}
		if g := side(charts, fmt.Sprintf("distribution-%d-%s", number, op)); len(g.Figures) > 0 {
			v.Groups = append(v.Groups, g)
		}
	}
	return v, nil
}

// add adds a run's share of the stage.
func (v *stageView) add(r Run, s *result.Stage, l look) error {
	where := ""
	if v.Several {
		where = r.Name + ": "
	}
	g, err := newGlance(r, s, l)
	if err != nil {
		return err
	}
	g.Title = v.Title
	v.glance = append(v.glance, g)
	v.Facts = append(v.Facts, stageFacts(r, s, where)...)
	for _, op := range s.OperationNames() {
		for _, c := range s.Operations[op].Codes {
			unit := "transactions"
			if c.Records {
				unit = "records of batches"
			}
			v.Codes = append(v.Codes, fmt.Sprintf("%s%s %s %s failed with %d %s (%s)", where, formatCount(c.Count), op, unit, c.Code, cut(c.Name, longest), cut(c.Example, 2*longest)))
		}
	}
	for _, a := range s.Assertions {
		v.Assertions = append(v.Assertions, assertion{r.Name, a.OK, cut(a.String(), longest)})
	}
	if s.FindMax != nil {
		v.Found = append(v.Found, newFound(s.FindMax, where))
	}
	return nil
}

// newGlance puts all operations of a stage together.
func newGlance(r Run, s *result.Stage, l look) (glance, error) {
	m, _, err := s.Measured(condition.Condition{Op: condition.Total, Metric: condition.Percentile})
	if err != nil {
		return glance{}, err
	}
	g := glance{
		legend: l.legend(r.Name), Number: s.Number, Length: formatSeconds(s.Seconds), Count: formatCount(m.Counts.Attempted()),
		TPS: none, Target: none, Latency: "service", P50: none, P99: none, P999: none, Max: none,
		Timeouts: formatCount(m.Counts.Timeout), Errors: formatCount(m.Counts.Error),
		TimedOut: m.Counts.Timeout > 0, HadErrors: m.Counts.Error > 0, None: len(s.Assertions) == 0,
	}
	if s.Seconds > 0 {
		g.TPS = formatNumber(float64(m.Counts.Done) / s.Seconds)
	}
	if s.Throttled {
		g.Latency = "response"
	}
	if s.FindMax != nil && s.FindMax.TPS > 0 {
		g.Target = "found " + formatNumber(s.FindMax.TPS)
	}
	if t := newTarget(r.Document, s.Number); t != nil {
		if mean, ok := t.rate(result.Period{Seconds: s.Seconds}); ok && mean < most {
			g.Target = formatNumber(mean)
		}
	}
	if h := m.Latency; h.Count() > 0 {
		p := h.Percentiles([]float64{50, 99, 99.9})
		g.P50, g.P99, g.P999, g.Max = formatLatency(float64(p[0])), formatLatency(float64(p[1])), formatLatency(float64(p[2])), formatLatency(float64(h.Max()))
	}
	failed := 0
	for _, a := range s.Assertions {
		if !a.OK {
			failed++
		}
	}
	g.Passed, g.Failed = failed == 0 && !g.None, failed > 0
	g.Assertions = fmt.Sprintf("%d of %d", len(s.Assertions)-failed, len(s.Assertions))
	return g, nil
}

// stageFacts are what else is worth knowing of a stage. where names the run.
func stageFacts(r Run, s *result.Stage, where string) []fact {
	pace := "a closed loop, each worker waiting for its answers: service times hide what waits elsewhere"
	if s.Throttled {
		pace = "a target rate: response times count from when a transaction was due"
		if t := newTarget(r.Document, s.Number); t != nil {
			pace = "a target rate of " + t.describe() + ": response times count from when a transaction was due"
		}
	}
	list := []fact{{where + "pace", formatSeconds(s.Seconds) + " at " + pace}}
	if !s.Throttled {
		list[0].Value = formatSeconds(s.Seconds) + " in " + pace
	}
	if l := s.Lateness; l != nil && l.Count > 0 {
		list = append(list, fact{where + "own lateness", fmt.Sprintf("%s (p50), %s (p99), %s (max): how late aeroload itself started transactions, as part of response times",
			formatLatency(float64(l.P50)), formatLatency(float64(l.P99)), formatLatency(float64(l.Max)))})
	}
	if s.Abandoned > 0 {
		list = append(list, fact{where + "abandoned", fmt.Sprintf("%d transactions without an answer when the run was stopped", s.Abandoned)})
	}
	c := s.Client
	used := fmt.Sprintf("%s of memory at most", formatBytes(c.MaxRSS))
	if s.Seconds > 0 {
		used = fmt.Sprintf("%s processors, ", short((c.UserCPU+c.SystemCPU)/s.Seconds)) + used
	}
	if c.GC.Pauses > 0 {
		used += fmt.Sprintf(", %d collector pauses of up to %s", c.GC.Pauses, formatLatency(c.GC.Max*1e6))
	}
	list = append(list, fact{where + "aeroload used", used})
	return list
}

func newFound(f *result.FindMax, where string) found {
	shown := found{Text: fmt.Sprintf("%sHighest rate at which the limits hold: %s transactions/s", where, formatNumber(f.TPS))}
	switch {
	case f.TPS == 0:
		shown.Text = where + "No rate was found at which the limits hold"
	case !f.Settled:
		shown.Text += "; how much more there is was not found out in time"
	}
	for _, p := range f.Probes {
		shown.Probes = append(shown.Probes, probe{formatNumber(p.TPS), formatNumber(p.Achieved), cut(p.Why, 2*longest), p.OK})
	}
	return shown
}

func newRow(o *result.Operation, op string, l legend) row {
	r := row{
		legend: l, Op: op, Count: formatCount(o.Workload().Attempted()), TPS: formatNumber(o.TPS),
		Misses: formatCount(o.Misses), Timeouts: formatCount(o.Timeouts), Errors: formatCount(o.Errors),
		TimedOut: o.Timeouts > 0, HadErrors: o.Errors > 0, HadMismatch: o.Mismatches > 0, Mismatches: formatCount(o.Mismatches),
	}
	for _, k := range kinds() {
		l := k.of(o)
		switch {
		case l == nil:
		case l.Count == 0:
			r.Latencies = append(r.Latencies, latencyRow{k.name, none, none, none, none, none, none, none})
		default:
			us := func(v int64) string { return formatLatency(float64(v)) }
			r.Latencies = append(r.Latencies, latencyRow{k.name, formatLatency(l.Mean), us(l.P50), us(l.P90), us(l.P99), us(l.P999), us(l.P9999), us(l.Max)})
		}
	}
	return r
}
