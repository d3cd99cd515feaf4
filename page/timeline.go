package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/aeroload/aeroload/result"
	"github.com/aeroload/aeroload/workload"
)

// timeline is the common time axis of several runs: the stages of the same
// number start at the same place, each after the longest wait that any run had
// between the two starts.
type timeline struct {
	starts map[int]float64 // by stage number, seconds
	descs  map[int]string
	order  []int
	end    float64
}

func newTimeline(runs []Run) *timeline {
	t := &timeline{starts: map[int]float64{}, descs: map[int]string{}}
	for _, r := range runs {
		for _, s := range r.Document.Stages {
			if !slices.Contains(t.order, s.Number) {
				t.order = append(t.order, s.Number)
				t.descs[s.Number] = stageName(s)
			}
		}
	}
	slices.Sort(t.order)
	end := 0.0 // of the stages before, in any run
	for _, number := range t.order {
		at := end
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
				end = math.Max(end, at+s.Seconds)
			}
		}
	}
	t.end = end
	return t
}

func stageName(s *result.Stage) string {
	if s.Desc == "" {
		return fmt.Sprintf("stage %d", s.Number)
	}
	return fmt.Sprintf("%d: %s", s.Number, s.Desc)
}

// chart returns an empty chart over the timeline.
func (t *timeline) chart(title string) *chart {
	c := &chart{title: title, x: timeScale(t.end), xLabel: "time since the start", xText: formatSeconds}
	for _, number := range t.order {
		c.boundaries = append(c.boundaries, boundary{t.starts[number], t.descs[number]})
	}
	return c
}

// trace returns a line's pieces, one a stage: a point in the middle of each
// period for which value has one.
func (t *timeline) trace(d *result.Document, value func(result.Period) (float64, bool)) [][]point {
	var pieces [][]point
	for _, s := range d.Stages {
		var piece []point
		for _, p := range s.Periods {
			v, ok := value(p)
			if !ok {
				if len(piece) > 0 {
					pieces, piece = append(pieces, piece), nil
				}
				continue
			}
			piece = append(piece, point{t.starts[s.Number] + p.Start + p.Seconds/2, v})
		}
		if len(piece) > 0 {
			pieces = append(pieces, piece)
		}
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
func (t *timeline) throughput(runs []Run) *chart {
	c := t.chart("Throughput")
	c.yLabel, c.yText = "transactions/s", formatRate
	rate := func(n uint64, p result.Period) (float64, bool) {
		return float64(n) / p.Seconds, p.Seconds > 0
	}
	for i, r := range runs {
		name, color := "total", 0
		if len(runs) > 1 {
			name, color = r.label(i), i
		}
		c.lines = append(c.lines, line{name: name, color: color, dash: color / colors, pieces: t.trace(r.Document, func(p result.Period) (float64, bool) {
			return rate(periodTotal(p).Done, p)
		})})
		c.marks = append(c.marks, t.errors(r, i, len(runs) > 1)...)
	}
	if ops := operations(runs); len(runs) == 1 && len(ops) > 1 {
		for i, op := range ops {
			c.lines = append(c.lines, line{name: op, color: i + 1, dash: 1, pieces: t.trace(runs[0].Document, func(p result.Period) (float64, bool) {
				if o := p.Operations[op]; o != nil {
					return rate(o.Done, p)
				}
				return 0, false
			})})
		}
	}
	low, high := extent(c.lines)
	c.y = linearScale(high)
	c.about = fmt.Sprintf("Transactions per second that were answered, over time: from %s to %s a period.", formatRate(low), formatRate(high))
	if n := len(c.marks); n > 0 {
		c.about += fmt.Sprintf(" Triangles mark %d periods with timeouts or errors.", n)
	}
	return c
}

// errors marks the periods in which transactions failed.
func (t *timeline) errors(r Run, i int, named bool) (marks []mark) {
	for _, s := range r.Document.Stages {
		for _, p := range s.Periods {
			c := periodTotal(p)
			if c.Timeout+c.Error == 0 {
				continue
			}
			text := fmt.Sprintf("%s after the start of stage %d: %d timeouts, %d errors", formatSeconds(p.Start), s.Number, c.Timeout, c.Error)
			if named {
				text = r.label(i) + ", " + text
			}
			marks = append(marks, mark{t.starts[s.Number] + p.Start + p.Seconds/2, text})
		}
	}
	return marks
}

// percentile is one of those that documents hold.
type percentile struct {
	name string
	of   func(*result.Latency) int64
}

func percentiles() []percentile {
	return []percentile{
		{"p50", func(l *result.Latency) int64 { return l.P50 }},
		{"p90", func(l *result.Latency) int64 { return l.P90 }},
		{"p99", func(l *result.Latency) int64 { return l.P99 }},
		{"p99.9", func(l *result.Latency) int64 { return l.P999 }},
		{"max", func(l *result.Latency) int64 { return l.Max }},
	}
}

// latency is the chart of an operation's latencies over time: all percentiles of
// a single run, two of each of several.
func (t *timeline) latency(runs []Run, op string) *chart {
	c := t.chart("Latency of " + op)
	c.yLabel, c.yText = "latency (log scale)", formatLatency
	shown := percentiles()
	if len(runs) > 1 {
		shown = []percentile{shown[0], shown[2]}
	}
	for i, r := range runs {
		for j, q := range shown {
			l := line{name: q.name, color: j}
			if len(runs) > 1 {
				l.name, l.color, l.dash = r.label(i)+" "+q.name, i, 1-j
			}
			l.pieces = t.trace(r.Document, func(p result.Period) (float64, bool) {
				o := p.Operations[op]
				if o == nil || o.Latency().Count == 0 {
					return 0, false
				}
				return math.Max(1, float64(q.of(o.Latency()))), true
			})
			c.lines = append(c.lines, l)
		}
	}
	low, high := extent(c.lines)
	c.y = logScale(low, high)
	c.about = fmt.Sprintf("Latency percentiles of %s a period, over time: response times of stages with a target rate, service times of others. They reach from %s to %s.",
		op, formatLatency(low), formatLatency(high))
	return c
}

// extent returns the least and the greatest value of the lines, 0 without any.
func extent(lines []line) (low, high float64) {
	first := true
	for _, l := range lines {
		for _, piece := range l.pieces {
			for _, p := range piece {
				if first {
					low, high, first = p.y, p.y, false
				}
				low, high = math.Min(low, p.y), math.Max(high, p.y)
			}
		}
	}
	return low, high
}

// operations are those of any run, in the order in which results show them.
func operations(runs []Run) []string {
	var names []string
	for op := range workload.Op(workload.NumOps) {
		for _, r := range runs {
			if slices.ContainsFunc(r.Document.Stages, func(s *result.Stage) bool { return s.Operations[op.String()] != nil }) {
				names = append(names, op.String())
				break
			}
		}
	}
	return names
}
