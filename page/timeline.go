package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/aeroload/aeroload/result"
	"github.com/aeroload/aeroload/workload"
)

// timeline is a common time axis of several runs: the stages of the same number
// start at the same place, each after the longest wait that any run had between
// the two starts.
type timeline struct {
	runs   []Run
	starts map[int]float64 // by stage number, seconds
	descs  map[int]string
	order  []int
	end    float64
	only   int // number of the only stage shown, or 0
}

func newTimeline(runs []Run) *timeline {
	t := &timeline{runs: runs, starts: map[int]float64{}, descs: map[int]string{}}
	for _, r := range runs {
		for _, s := range r.Document.Stages {
			if !slices.Contains(t.order, s.Number) {
				t.order = append(t.order, s.Number)
				t.descs[s.Number] = stageName(s)
			}
		}
	}
	slices.Sort(t.order)
	for _, number := range t.order {
		at := t.end // of the stages before, in any run
		for _, r := range runs {
			stages := r.Document.Stages
			if i := slices.IndexFunc(stages, func(s *result.Stage) bool { return s.Number == number }); i > 0 {
				before := stages[i-1]
				at = math.Max(at, t.starts[before.Number]+stages[i].Start.Sub(before.Start).Seconds())
			}
		}
		t.starts[number] = at
		for _, r := range runs {
			if s := r.stage(number); s != nil {
				t.end = math.Max(t.end, at+length(s))
			}
		}
	}
	return t
}

// length is how long a stage is on the axis: periods may end after its last
// transaction.
func length(s *result.Stage) float64 {
	seconds := s.Seconds
	if n := len(s.Periods); n > 0 {
		seconds = math.Max(seconds, s.Periods[n-1].Start+s.Periods[n-1].Seconds)
	}
	return seconds
}

// stage returns the time axis of one stage alone.
func (t *timeline) stage(number int) *timeline {
	one := &timeline{runs: t.runs, starts: map[int]float64{number: 0}, only: number}
	for _, r := range t.runs {
		if s := r.stage(number); s != nil {
			one.end = math.Max(one.end, length(s))
		}
	}
	return one
}

// mostPeriods is the number of periods of the run that has most.
func (t *timeline) mostPeriods() int {
	n := 0
	for _, r := range t.runs {
		periods := 0
		for _, s := range t.stages(r) {
			periods += len(s.Periods)
		}
		n = max(n, periods)
	}
	return n
}

func stageName(s *result.Stage) string {
	if s.Desc == "" {
		return "Stage " + strconv.Itoa(s.Number)
	}
	return strconv.Itoa(s.Number) + ": " + cut(s.Desc, longest)
}

// stages are those of a run that the axis shows.
func (t *timeline) stages(r Run) []*result.Stage {
	if t.only == 0 {
		return r.Document.Stages
	}
	if s := r.stage(t.only); s != nil {
		return []*result.Stage{s}
	}
	return nil
}

// chart returns an empty chart over the timeline.
func (t *timeline) chart(title string) *chart {
	c := &chart{title: title, x: timeScale(t.end), xLabel: "time since the start", xText: formatSeconds}
	if t.only > 0 {
		c.xLabel += " of the stage"
	}
	for _, number := range t.order {
		c.boundaries = append(c.boundaries, boundary{t.starts[number], strconv.Itoa(number), t.descs[number]})
	}
	return c
}

// most is the highest value that is drawn. More can only come from a file that no
// run wrote.
const most = 1e15

// trace returns a line's pieces, one a stage or more: a point in the middle of
// each period for which value has one. A period with no such neighbor is drawn
// from its start to its end.
func (t *timeline) trace(r Run, value func(*result.Stage, result.Period) (float64, bool)) [][]point {
	var pieces [][]point
	for _, s := range t.stages(r) {
		var piece []point
		var last result.Period
		finish := func() {
			if len(piece) == 1 {
				at := t.starts[s.Number] + last.Start
				piece = []point{{at, piece[0].y}, {at + last.Seconds, piece[0].y}}
			}
			if len(piece) > 0 {
				pieces, piece = append(pieces, piece), nil
			}
		}
		for _, p := range s.Periods {
			if v, ok := value(s, p); ok && v <= most {
				piece, last = append(piece, point{t.starts[s.Number] + p.Start + p.Seconds/2, v}), p
				continue
			}
			finish()
		}
		finish()
	}
	return pieces
}

// periodTotal adds up a period's commands. A transaction of several commands
// counts as these, as in the lines of a run.
func periodTotal(p result.Period) (c workload.Counts) {
	for name, o := range p.Operations {
		if name != workload.Op(workload.Txn).String() {
			c = c.Add(o.Workload())
		}
	}
	return c
}

// throughput is the chart of rates: of each operation of a single run, or the
// totals of several.
func (t *timeline) throughput() *chart {
	c := t.chart("Throughput")
	c.yLabel, c.yText = "transactions/s", formatRate
	several := len(t.runs) > 1
	for i, r := range t.runs {
		l := line{name: "total", pieces: t.trace(r, func(_ *result.Stage, p result.Period) (float64, bool) {
			return float64(periodTotal(p).Done) / p.Seconds, p.Seconds > 0
		})}
		if several {
			l.name, l.look = r.Name, look{color: i, marked: true}
		}
		c.lines = append(c.lines, l)
		c.marks = append(c.marks, t.failures(r, i)...)
	}
	if ops := operations(t.runs, t.only); !several && len(ops) > 1 {
		for i, op := range ops {
			c.lines = append(c.lines, line{name: op, look: look{color: i + 1, dash: 1 + 2*(i%2)}, pieces: t.trace(t.runs[0], func(s *result.Stage, p result.Period) (float64, bool) {
				if s.Operations[op] == nil {
					return 0, false
				}
				if o := p.Operations[op]; o != nil {
					return float64(o.Done) / p.Seconds, p.Seconds > 0
				}
				return 0, true
			})})
		}
	}
	low, high := extent(c.lines[:len(t.runs)])
	if l, ok := t.targets(); ok {
		c.lines = append(c.lines, l)
	}
	_, top := extent(c.lines)
	c.y = linearScale(top)
	c.about = fmt.Sprintf("Transactions per second that were answered, over time: from %s to %s a period.", formatRate(low), formatRate(high))
	if n := len(c.marks); n > 0 {
		c.about += fmt.Sprintf(" Triangles mark %d periods with timeouts or errors.", n)
	}
	return c
}

// targets is the line of the rates that stages were asked for. Runs must agree.
func (t *timeline) targets() (line, bool) {
	l := line{name: "target", look: look{color: asked, dash: 2}}
	texts := map[int]string{}
	for i, r := range t.runs {
		for _, s := range t.stages(r) {
			target := newTarget(r.Document, s.Number)
			text := ""
			if target != nil {
				text = fmt.Sprint(target.text, target.times)
			}
			if before, ok := texts[s.Number]; ok && before != text {
				return l, false
			}
			if _, ok := texts[s.Number]; ok || target == nil {
				texts[s.Number] = text
				continue
			}
			texts[s.Number] = text
			one := t.stage(s.Number)
			one.starts = t.starts
			l.pieces = append(l.pieces, one.trace(t.runs[i], func(_ *result.Stage, p result.Period) (float64, bool) { return target.rate(p) })...)
		}
	}
	return l, len(l.pieces) > 0
}

// failures marks the periods in which transactions failed.
func (t *timeline) failures(r Run, i int) (marks []mark) {
	name := ""
	if len(t.runs) > 1 {
		name = r.Name
	}
	for _, s := range t.stages(r) {
		for _, p := range s.Periods {
			if c := periodTotal(p); c.Timeout+c.Error > 0 {
				at := t.starts[s.Number] + p.Start
				marks = append(marks, mark{at, at + p.Seconds, i, name, c.Timeout, c.Error})
			}
		}
	}
	return marks
}

// percentile is one of those that documents hold.
type percentile struct {
	name string
	of   func(*result.Latency) int64
	look look
}

func percentiles() []percentile {
	return []percentile{
		{"p50", func(l *result.Latency) int64 { return l.P50 }, look{color: 2, dash: 2}},
		{"p90", func(l *result.Latency) int64 { return l.P90 }, look{color: 1, dash: 1}},
		{"p99", func(l *result.Latency) int64 { return l.P99 }, look{}},
		{"p99.9", func(l *result.Latency) int64 { return l.P999 }, look{color: 3, dash: 3}},
		{"max", func(l *result.Latency) int64 { return l.Max }, look{color: 4, dash: 4}},
	}
}

// latencies are the charts of an operation's latencies over time, for each kind
// that was measured: all percentiles of a single run, two of each of several.
// Their latency axes are the same.
func (t *timeline) latencies(op string) []*chart {
	shown := percentiles()
	if len(t.runs) > 1 {
		shown = []percentile{shown[2], shown[0]}
	}
	var charts []*chart
	var all []line
	for _, k := range kinds() {
		c := t.chart(k.title + " of " + op)
		c.yLabel, c.yText = "latency (log scale)", formatLatency
		for i, r := range t.runs {
			for j, q := range shown {
				l := line{name: q.name, look: q.look}
				if len(t.runs) > 1 {
					l.look = look{color: i, dash: j, marked: true}
				}
				l.pieces = t.trace(r, func(_ *result.Stage, p result.Period) (float64, bool) {
					o := p.Operations[op]
					if o == nil || k.ofPeriod(o) == nil || k.ofPeriod(o).Count == 0 {
						return 0, false
					}
					return math.Max(1, float64(q.of(k.ofPeriod(o)))), true
				})
				if len(l.pieces) > 0 {
					c.lines = append(c.lines, l)
				}
			}
			// The runs are told apart by the legend first, percentiles after.
			if n := len(c.lines); len(t.runs) > 1 && n > 0 && c.lines[n-1].color == i {
				c.legend = append(c.legend, look{color: i, marked: true}.legend(r.Name))
			}
		}
		if len(c.legend) > 0 {
			for j, q := range shown {
				c.legend = append(c.legend, look{color: asked, dash: j}.legend(q.name))
			}
		}
		if len(c.lines) > 0 {
			low, high := extent(c.lines)
			c.about = fmt.Sprintf("Percentiles of the %s of %s a period, over time. They reach from %s to %s.", k.name+" time", op, formatLatency(low), formatLatency(high))
			charts, all = append(charts, c), append(all, c.lines...)
		}
	}
	y := logScale(extent(all))
	for _, c := range charts {
		c.y = y
	}
	return charts
}

// operations are those of any run in a stage, or in any stage for 0, in the order
// in which results show them.
func operations(runs []Run, number int) []string {
	var names []string
	for op := range workload.Op(workload.NumOps) {
		for _, r := range runs {
			if slices.ContainsFunc(r.Document.Stages, func(s *result.Stage) bool {
				return s.Operations[op.String()] != nil && (number == 0 || s.Number == number)
			}) {
				names = append(names, op.String())
				break
			}
		}
	}
	return names
}
