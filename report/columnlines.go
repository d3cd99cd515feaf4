package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// ColumnLines prints latencies as the Java client's benchmark does: a line for
// each operation of the plan and period, with a line of heads before them where
// the layout has one, and, but for ycsb, the latencies of the whole run at its
// end. The latencies are those that [stage.Stage.Latency] returns.
type ColumnLines struct {
	out    io.Writer
	layout Columns
	ops    []workload.Op
	sums   [workload.NumOps]*histogram.Snapshot // of the run, without the warm-up
	warmup int                                  // periods still to leave out
	begun  bool
}

// NewColumnLines returns the lines of a run of plan, in a layout that is not the
// zero value.
func NewColumnLines(out io.Writer, plan *stage.Plan, layout Columns) *ColumnLines {
	c := &ColumnLines{out: out, layout: layout, ops: operations(plan), warmup: layout.warmup}
	for _, op := range c.ops {
		c.sums[op] = new(histogram.Snapshot)
	}
	return c
}

// Pause prints nothing.
func (c *ColumnLines) Pause(*stage.Stage, int) error { return nil }

// Warmup prints nothing.
func (c *ColumnLines) Warmup(*stage.Stage) error { return nil }

// StageStart prints nothing.
func (c *ColumnLines) StageStart(*stage.Stage, time.Time) error { return nil }

// Period prints the period's lines with one write.
func (c *ColumnLines) Period(p *stage.Period) error {
	c.begun = true
	var b strings.Builder
	c.writeHead(&b)
	for _, op := range c.ops {
		delta := p.Stage.Latency(p.Delta, op)
		switch {
		case c.layout.style != columnsYCSB:
			c.sums[op] = c.sums[op].Add(delta)
			c.layout.writeRow(&b, op, delta)
		case c.warmup > 0:
			fmt.Fprintf(&b, "Warming up (%d left)...\n", c.warmup-1)
		default:
			c.sums[op] = c.sums[op].Add(delta)
			writeYCSB(&b, op, delta, c.sums[op])
		}
	}
	c.warmup = max(0, c.warmup-1)
	_, err := io.WriteString(c.out, b.String())
	return err
}

// StageEnd prints nothing.
func (c *ColumnLines) StageEnd(*stage.StageResult) error { return nil }

// Close prints the latencies of the whole run, if there was any. It does not close
// the writer.
func (c *ColumnLines) Close() error {
	if !c.begun || c.layout.style == columnsYCSB {
		return nil
	}
	var b strings.Builder
	b.WriteString("Latency Summary\n")
	c.writeHead(&b)
	for _, op := range c.ops {
		c.layout.writeRow(&b, op, c.sums[op])
	}
	_, err := io.WriteString(c.out, b.String())
	return err
}

// writeHead names the columns where the rows do not.
func (c *ColumnLines) writeHead(b *strings.Builder) {
	if c.layout.style != columnsPercent {
		return
	}
	b.WriteString("     ")
	for i := range c.layout.columns {
		b.WriteString(" " + c.layout.name(i))
	}
	b.WriteByte('\n')
}

// writeRow prints how many of an operation's latencies are in each column.
func (c Columns) writeRow(b *strings.Builder, op workload.Op, h *histogram.Snapshot) {
	total := h.Count()
	// The first column is not above its limit; the others are.
	counts := []int64{}
	for i, n := range h.CountAtMost(c.limits()) {
		if i == 0 {
			counts = append(counts, n)
		}
		counts = append(counts, total-n)
	}
	if c.style == columnsCount {
		fmt.Fprintf(b, "  %-5s", op)
		for i, n := range counts {
			fmt.Fprintf(b, " %s(%d:%s%%)", c.name(i), n, fourDigits(n, total))
		}
		fmt.Fprintf(b, " total(%d)\n", total)
		return
	}
	fmt.Fprintf(b, "%-6s", op)
	for i, n := range counts {
		width := len(fmt.Sprint(c.limit(i))) + 4
		fmt.Fprintf(b, "%*s", width, fmt.Sprintf("%d%%", share(n, total, 100)))
	}
	b.WriteByte('\n')
}

// share returns n of total in parts of the whole (100 for percent), rounded half
// up; 0 of nothing.
func share(n, total, whole int64) int64 {
	if total == 0 {
		return 0
	}
	return (2*whole*n + total) / (2 * total)
}

// fourDigits writes n of total in percent with at most four decimals.
func fourDigits(n, total int64) string {
	s := share(n, total, 1_000_000)
	text := fmt.Sprintf("%d.%04d", s/10_000, s%10_000)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// ycsbBuckets are how many milliseconds the ycsb layout tells apart: percentiles
// from there on are left out.
const ycsbBuckets = 1000

// writeYCSB prints the line of an operation of a period.
func writeYCSB(b *strings.Builder, op workload.Op, period, total *histogram.Snapshot) {
	name := op.String()
	if op == workload.Txn {
		name = "txns"
	}
	low, high := total.Min(), total.Max()
	if total.Count() == 0 {
		low, high = -1, -1
	}
	fmt.Fprintf(b, "%5s: Period[Ops:%d Avg Latency:%dus] Total[Ops:%d Latency:(avg:%dus Min:%dus Max:%dus)",
		name, period.Count(), int64(period.Mean()), total.Count(), int64(total.Mean()), low, high)
	for _, percent := range []int64{95, 99} {
		if ms, ok := ycsbPercentile(total, percent); ok {
			fmt.Fprintf(b, " %dth%% Latency:%dms", percent, ms)
		}
	}
	b.WriteString("]\n")
}

// ycsbPercentile returns the whole milliseconds, rounded down, that percent of the
// latencies do not exceed.
func ycsbPercentile(h *histogram.Snapshot, percent int64) (ms int, ok bool) {
	if h.Count() == 0 {
		return 0, false
	}
	limits := make([]int64, ycsbBuckets)
	for i := range limits {
		limits[i] = int64(i+1)*1000 - 1
	}
	for ms, n := range h.CountAtMost(limits) {
		if 100*n >= percent*h.Count() {
			return ms, true
		}
	}
	return 0, false
}
