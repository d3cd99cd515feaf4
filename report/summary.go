package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// maxExample is how much of an error's text the summary shows, in bytes.
const maxExample = 160

// WriteSummary prints what a run came to: a row for each stage and operation,
// and how many transactions failed with which result code.
func WriteSummary(w io.Writer, r *stage.Result, embedded bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nSummary (%s; latencies in µs)\n", count(len(r.Stages), "stage"))
	ops := operations(r.Plan)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\top\tlatency\tcount\ttps\tmisses\ttimeouts\terrors\tmin\tmean\tp50\tp90\tp99\tp99.9\tmax\t")
	for _, s := range r.Stages {
		for _, op := range ops {
			writeRow(t, s, op)
		}
	}
	t.Flush()
	for _, s := range r.Stages {
		writeNotes(&b, s)
	}
	writeFailures(&b, r.Failures)
	if embedded {
		b.WriteString("The server was embedded: these numbers measure this machine, not Aerospike.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRow prints an operation of a stage: in one row, or in two when its
// response times differ from its service times.
func writeRow(w io.Writer, s *stage.StageResult, op workload.Op) {
	c := s.Counts[op]
	if c == (workload.Counts{}) {
		return
	}
	tps := strconv.FormatFloat(float64(c.Answered())/s.Elapsed.Seconds(), 'f', 1, 64)
	row := func(kind string, h *histogram.Snapshot) {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t%d\t%d\t%d\t%d\t%.0f\t%d\t%d\t%d\t%d\t%d\t\n", s.Stage.Number, op, kind,
			c.Attempted(), tps, c.Miss, c.Timeout, c.Error,
			h.Min(), h.Mean(), h.Percentile(50), h.Percentile(90), h.Percentile(99), h.Percentile(99.9), h.Max())
	}
	if s.Stage.TPS > 0 {
		row("response", s.Response[op])
	}
	row("service", s.Service[op])
}

// writeNotes says what the numbers of a stage mean, and what was odd about it.
func writeNotes(b *strings.Builder, s *stage.StageResult) {
	_, desc, _ := strings.Cut(strings.TrimSpace(stageLine(s.Stage)), ": ")
	fmt.Fprintf(b, "Stage %d (%s): %v, ", s.Stage.Number, desc, s.Elapsed.Round(time.Millisecond))
	if s.Stage.TPS > 0 {
		done := float64(s.Total().Attempted()) / s.Elapsed.Seconds()
		fmt.Fprintf(b, "%.1f of %s tps", done, stage.FormatTPS(s.Stage.TPS))
		if done < 0.99*s.Stage.TPS && s.Stage.Workload.Endless() {
			b.WriteString(": it fell behind")
		}
		b.WriteString(". Response times count from when a transaction was due.\n")
		if l := s.Lateness; l.Count() > 0 {
			fmt.Fprintf(b, "  They include aeroload's own lateness of %d µs (p50), %d µs (p99), %d µs (max).\n",
				l.Percentile(50), l.Percentile(99), l.Max())
		}
	} else {
		fmt.Fprintf(b, "closed loop of %s. Service times hide the waiting at a fixed rate.\n", count(s.Stage.Threads, "thread"))
	}
	var over int64
	for op := range s.Service {
		over += s.Service[op].OverRange()
	}
	if over > 0 {
		fmt.Fprintf(b, "  %s took longer than an hour, the most that is told apart.\n", count(int(over), "transaction"))
	}
	if s.Abandoned > 0 {
		fmt.Fprintf(b, "  %s still without an answer when the run was stopped, and counted nowhere.\n", count(s.Abandoned, "transaction"))
	}
}

func writeFailures(b *strings.Builder, failures []workload.Failure) {
	if len(failures) == 0 {
		return
	}
	b.WriteString("Failed transactions by result code:\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, f := range failures {
		fmt.Fprintf(t, "  %s\t%d\t%s\t%d\t%s\n", f.Op, f.Code, f.Name(), f.Count, shorten(f.Example))
	}
	t.Flush()
}

// shorten makes an error text fit one line.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxExample {
		return text
	}
	return strings.ToValidUTF8(text[:maxExample], "") + "…"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return itoa(n) + " " + what + "s"
}
