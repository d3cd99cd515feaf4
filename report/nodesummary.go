package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// SummaryFormat is the form of the summary at the end of a run.
type SummaryFormat string

// The formats.
const (
	SummaryText SummaryFormat = "text" // aeroload's own, by [WriteSummary]
	SummaryNode SummaryFormat = "node" // that of the Node.js client's benchmark, by [NodeSummary]
)

// ParseSummaryFormat reads text or node.
func ParseSummaryFormat(text string) (SummaryFormat, error) {
	if f := SummaryFormat(text); f == SummaryText || f == SummaryNode {
		return f, nil
	}
	return "", fmt.Errorf("%q is neither text nor node%s", text, suggest.DidYouMean(text, []string{string(SummaryText), string(SummaryNode)}))
}

// NodeSummary gathers what the summary block of the Node.js client's benchmark
// shows, and prints it. Names, order and layout of the tables are as in its
// stats.js.
type NodeSummary struct {
	columns []*nodeColumn
}

// nodeColumn is a column of the table of transactions.
type nodeColumn struct {
	name       string
	count      func(*workload.Snapshot) uint64
	all        uint64
	least      float64 // per second in any period
	most       float64
	fragment   bool // as long as only a fragment of a second was seen
	hasPeriods bool
}

// NewNodeSummary returns the summary of a run of plan.
func NewNodeSummary(plan *stage.Plan) *NodeSummary {
	of := func(op workload.Op) *nodeColumn {
		return &nodeColumn{name: op.String(), count: func(s *workload.Snapshot) uint64 { return nodeCount(s, op) }}
	}
	n := &NodeSummary{columns: []*nodeColumn{
		{name: "total", count: func(s *workload.Snapshot) (sum uint64) {
			for op := range workload.Op(workload.NumOps) {
				if op != workload.Txn { // its commands are in the sum
					sum += nodeCount(s, op)
				}
			}
			return sum
		}},
		of(workload.Read), of(workload.Write), of(workload.QueryOp), of(workload.ScanOp),
	}}
	// What that benchmark does not have comes last.
	for _, op := range operations(plan) {
		if op == workload.UDF || op == workload.Txn {
			n.columns = append(n.columns, of(op))
		}
	}
	return n
}

// nodeCount counts transactions, however they ended, but the records of queries
// and scans.
func nodeCount(s *workload.Snapshot, op workload.Op) uint64 {
	if op == workload.QueryOp || op == workload.ScanOp {
		return s.Counts[op].Records()
	}
	return s.Counts[op].Attempted()
}

// Pause does nothing.
func (n *NodeSummary) Pause(*stage.Stage, int) error { return nil }

// Warmup does nothing.
func (n *NodeSummary) Warmup(*stage.Stage) error { return nil }

// StageStart does nothing.
func (n *NodeSummary) StageStart(*stage.Stage, time.Time) error { return nil }

// Period takes note of the period's rates.
func (n *NodeSummary) Period(p *stage.Period) error {
	for _, c := range n.columns {
		c.add(c.count(&p.Delta), p.Elapsed)
	}
	return nil
}

// add takes note of a period. Fragments of a second at the end of a stage count
// for the smallest and the largest rate only while there is nothing better.
func (c *nodeColumn) add(count uint64, elapsed time.Duration) {
	c.all += count
	fragment := elapsed < 500*time.Millisecond
	if elapsed <= 0 || c.hasPeriods && fragment && !c.fragment {
		return
	}
	rate := float64(count) / elapsed.Seconds()
	if !c.hasPeriods || c.fragment && !fragment {
		c.least, c.most = rate, rate
	}
	c.least, c.most = min(c.least, rate), max(c.most, rate)
	c.hasPeriods, c.fragment = true, fragment
}

// StageEnd does nothing.
func (n *NodeSummary) StageEnd(*stage.StageResult) error { return nil }

// Write prints the summary of the run.
func (n *NodeSummary) Write(w io.Writer, r *stage.Result) error {
	var b strings.Builder
	b.WriteString("\nSUMMARY\n")
	for _, t := range []struct {
		name string
		rows [][]string
	}{
		{"Environment", [][]string{{"Node.js Version", "-"}, {"UV_THREADPOOL_SIZE", "-"}}},
		{"Configuration", nodeConfiguration(r.Plan)},
		{"Transactions", n.transactions(r)},
		{"Durations", nodeDurations(r)},
		{"Status Codes", nodeCodes(r)},
	} {
		fmt.Fprintf(&b, "\n  %s\n", t.name)
		writeNodeTable(&b, t.rows)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// nodeConfiguration says what the benchmark's settings come to here: one process
// with so many operations on their way at once.
func nodeConfiguration(plan *stage.Plan) [][]string {
	var seconds float64
	for _, s := range plan.Stages {
		if !s.Workload.Endless() || s.Transactions > 0 {
			seconds = math.NaN() // it runs until it is done
		}
		seconds += s.Duration.Seconds()
	}
	length := "undefined"
	if !math.IsNaN(seconds) {
		length = nodeTime(seconds)
	}
	return [][]string{
		{"operations", itoa(plan.MaxWorkers())},
		{"iterations", "undefined"},
		{"processes", "1"},
		{"promises", "false"},
		{"time", length},
	}
}

func (n *NodeSummary) transactions(r *stage.Result) [][]string {
	var seconds float64
	for _, s := range r.Stages {
		seconds += s.Elapsed.Seconds()
	}
	rows := [][]string{{""}, {"Total"}, {"TPS"}, {"Min TPS"}, {"Max TPS"}}
	for _, c := range n.columns {
		mean := 0.0
		if seconds > 0 {
			mean = float64(c.all) / seconds
		}
		for i, text := range []string{c.name, thousands(float64(c.all), 0), thousands(mean, 0), thousands(c.least, 0), thousands(c.most, 0)} {
			rows[i] = append(rows[i], text)
		}
	}
	return rows
}

// nodeDurations divides the latencies of all commands by milliseconds. The
// benchmark rounds them down first, so that what its heads call above 1 ms begins
// at 2 ms; here they mean what they say.
func nodeDurations(r *stage.Result) [][]string {
	sum := new(histogram.Snapshot)
	for _, s := range r.Stages {
		for op := range workload.Op(workload.NumOps) {
			if op != workload.Txn {
				sum = sum.Add(s.Stage.Latency(s.Snapshot, op))
			}
		}
	}
	limits := []int64{1, 2, 4, 8, 16, 32}
	us := make([]int64, len(limits))
	for i, ms := range limits {
		us[i] = ms * 1000
	}
	atMost := append(sum.CountAtMost(us), sum.Count())
	heads, shares := []string{"<= 1"}, []string{tenths(atMost[0], sum.Count())}
	for i, ms := range limits {
		heads = append(heads, fmt.Sprintf("> %d", ms))
		shares = append(shares, tenths(atMost[i+1]-atMost[i], sum.Count()))
	}
	return [][]string{heads, shares}
}

// nodeCodes divides all commands by result code: 0 and, of single records that
// were not there, 2, and those of failures.
func nodeCodes(r *stage.Result) [][]string {
	const ok, notFound = 0, 2 // of the wire protocol
	counts := map[int]int64{}
	var total int64
	add := func(code int, n uint64) {
		if n > 0 {
			counts[code] += int64(n)
			total += int64(n)
		}
	}
	for _, s := range r.Stages {
		for op, c := range s.Counts {
			if workload.Op(op) == workload.Txn {
				continue
			}
			missing := uint64(0)
			if !s.Stage.Batched() {
				missing = min(c.Miss, c.Done)
			}
			add(ok, c.Done-missing)
			add(notFound, missing)
		}
	}
	for _, f := range r.Failures {
		if !f.Record && f.Op != workload.Txn {
			add(int(f.Code), f.Count)
		}
	}
	// Codes of the client are negative, and come last.
	codes := slices.SortedFunc(maps.Keys(counts), func(a, b int) int {
		return cmp.Or(cmp.Compare(max(0, -a), max(0, -b)), cmp.Compare(a, b))
	})
	heads, shares := []string{}, []string{}
	for _, code := range codes {
		heads, shares = append(heads, itoa(code)), append(shares, tenths(counts[code], total))
	}
	return [][]string{heads, shares}
}

// writeNodeTable prints rows of equal length: each cell behind four blanks, and as
// wide as the widest of its column.
func writeNodeTable(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(b, "    %-*s", widths[i], cell)
		}
		b.WriteByte('\n')
	}
}

// nodeTime writes seconds in the largest unit of which there is at least one.
func nodeTime(v float64) string {
	unit := "second"
	for _, larger := range []string{"minute", "hour"} {
		if v < 60 {
			break
		}
		v, unit = v/60, larger
	}
	if v != 1 {
		unit += "s"
	}
	return thousands(v, 2) + " " + unit
}

// thousands writes a number that is not negative with commas between groups of
// three digits.
func thousands(v float64, decimals int) string {
	scale := math.Pow10(decimals)
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Round(v*scale)/scale, 'f', decimals, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if decimals > 0 {
		whole += "." + fraction
	}
	return whole
}

// tenths writes n of total in percent with one decimal.
func tenths(n, total int64) string {
	s := share(n, total, 1000)
	return fmt.Sprintf("%d.%d%%", s/10, s%10)
}
