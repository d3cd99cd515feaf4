package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// maxExample is how much of an error's text the summary shows, in bytes.
const maxExample = 160

// EmbeddedNote is what every summary of a run against the embedded server says.
const EmbeddedNote = "The server was embedded: these numbers measure this machine, not Aerospike."

// WriteSummary prints what a run came to: a row for each stage and operation,
// and how many transactions failed with which result code.
func WriteSummary(w io.Writer, r *stage.Result, embedded bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nSummary (%s; latencies in µs)\n", count(len(r.Stages), "stage"))
	ops := operations(r.Plan)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	records := ""
	if r.Plan.Batched() {
		records = "records/s\t"
	}
	fmt.Fprintln(t, "stage\top\tlatency\tcount\ttps\t"+records+"misses\ttimeouts\terrors\tmin\tmean\tp50\tp90\tp99\tp99.9\tmax\t")
	for _, s := range r.Stages {
		for _, op := range ops {
			writeRow(t, s, op, r.Plan.Batched())
		}
	}
	t.Flush()
	for _, s := range r.Stages {
		writeNotes(&b, s)
	}
	writeFailures(&b, r.Failures)
	if embedded {
		b.WriteString(EmbeddedNote + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRow prints an operation of a stage: in one row, or in two when its
// response times differ from its service times.
func writeRow(w io.Writer, s *stage.StageResult, op workload.Op, records bool) {
	c := s.Counts[op]
	if c.Attempted() == 0 {
		return
	}
	perSecond := func(n uint64) string {
		return strconv.FormatFloat(float64(n)/s.Elapsed.Seconds(), 'f', 1, 64)
	}
	row := func(kind string, h *histogram.Snapshot) {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%s\t", s.Stage.Number, op, kind, c.Attempted(), perSecond(c.Done))
		if records {
			fmt.Fprintf(w, "%s\t", perSecond(c.Records()))
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%.0f\t", c.Miss, c.Timeout, c.Error, h.Min(), h.Mean())
		for _, v := range h.Percentiles([]float64{50, 90, 99, 99.9}) {
			fmt.Fprintf(w, "%d\t", v)
		}
		fmt.Fprintf(w, "%d\t\n", h.Max())
	}
	if s.Stage.Schedule.Throttled() {
		row("response", s.Response[op])
	}
	row("service", s.Service[op])
}

// writeNotes says what the numbers of a stage mean, and what was odd about it.
func writeNotes(b *strings.Builder, s *stage.StageResult) {
	_, desc, _ := strings.Cut(strings.TrimSpace(stageLine(s.Stage)), ": ")
	fmt.Fprintf(b, "Stage %d (%s): %v, ", s.Stage.Number, desc, s.Elapsed.Round(time.Millisecond))
	switch {
	case s.Stage.FindMax != nil:
		writeFound(b, s)
	case s.Stage.Schedule.Throttled():
		writePace(b, s)
	default:
		fmt.Fprintf(b, "closed loop of %s. Service times hide the waiting at a fixed rate.\n", count(s.Stage.Workers(), "worker"))
	}
	var over int64
	for op := range s.Service {
		over += s.Service[op].OverRange()
	}
	if over > 0 {
		fmt.Fprintf(b, "  %s took longer than an hour, the most that is told apart.\n", count(int(over), "transaction"))
	}
	writeOutages(b, s.Outages)
	writePauses(b, s)
	if s.Stage.Verify {
		writeVerified(b, s)
	}
	if s.Abandoned > 0 {
		fmt.Fprintf(b, "  %s still without an answer when the run was stopped, and counted nowhere.\n", count(s.Abandoned, "transaction"))
	}
}

// writePauses tells of pauses of the garbage collector that may show in the
// latencies: above a millisecond, or above half of an operation's p99.
func writePauses(b *strings.Builder, s *stage.StageResult) {
	longest := s.Pauses.Max * 1e6 // µs
	shows := longest > 1000
	for op := range workload.Op(workload.NumOps) {
		p99 := s.Stage.Latency(s.Snapshot, op).Percentile(99)
		shows = shows || p99 > 0 && longest > float64(p99)/2
	}
	if shows {
		fmt.Fprintf(b, "  Latencies include pauses of aeroload's garbage collector: %s of up to %s, half of them up to %s.\n",
			count(int(s.Pauses.Count), "pause"), condition.FormatLatency(math.Ceil(longest)), condition.FormatLatency(math.Ceil(s.Pauses.P50*1e6)))
	}
}

// writeVerified says what came of comparing the records that were read.
func writeVerified(b *strings.Builder, s *stage.StageResult) {
	c := s.Counts[workload.Read]
	not := ""
	if names := s.Stage.UnknownBins(); names != "" {
		not = fmt.Sprintf(" without %s, which cannot be told", names)
	}
	fmt.Fprintf(b, "  Of %s that were read%s, %d were not as the object spec makes them.\n", count(int(c.Hit), "record"), not, c.Mismatch)
	for _, text := range s.Mismatches {
		fmt.Fprintf(b, "    %s\n", text)
	}
	if more := c.Mismatch - uint64(len(s.Mismatches)); more > 0 {
		fmt.Fprintf(b, "    and %d more\n", more)
	}
}

// writePace says how a stage kept to its rate.
func writePace(b *strings.Builder, s *stage.StageResult) {
	// No transaction is due after the duration, though the last may end later.
	end := s.Elapsed
	if s.Stage.Workload.Endless() {
		end = min(end, s.Stage.Duration)
	}
	schedule, warmup := s.Stage.Schedule, s.Stage.Warmup
	done, due := float64(s.Transactions()), schedule.Curve.Count(warmup+end)-schedule.Curve.Count(warmup)
	fmt.Fprintf(b, "%.1f of %.1f tps. Response times count from when a transaction was due.\n", done/end.Seconds(), due/end.Seconds())

	slack := float64(s.Stage.Workers())
	if schedule.Poisson {
		slack += 4 * math.Sqrt(due) // what is due then varies
	}
	switch behind := due - done - float64(s.Abandoned); {
	case behind <= slack || s.Stage.Transactions > 0:
	case s.Stage.Workload.Endless():
		fmt.Fprintf(b, "  It fell behind: %.0f transactions that were due were never started, so no response time shows how long they waited.\n", behind)
	case end > s.Stage.Duration:
		b.WriteString("  It fell behind its rate.\n")
	}
	l := s.Lateness
	if l.Count() == 0 {
		return
	}
	fmt.Fprintf(b, "  Response times include aeroload's own lateness of %d µs (p50), %d µs (p99), %d µs (max).\n",
		l.Percentile(50), l.Percentile(99), l.Max())
	if share := latenessShare(s); share >= 25 {
		fmt.Fprintf(b, "  Warning: up to %d %% of the p99 response time may be that lateness; service times are free of it.\n", share)
	}
}

// latenessShare is aeroload's own p99 lateness in percent of the smallest p99
// response time of an operation; 0 when there is none.
func latenessShare(s *stage.StageResult) int64 {
	var share int64
	for _, h := range s.Response {
		if p99 := h.Percentile(99); p99 > 0 {
			share = max(share, min(100, 100*s.Lateness.Percentile(99)/p99))
		}
	}
	return share
}

func writeFailures(b *strings.Builder, failures []workload.Failure) {
	for _, unit := range []string{"transactions", "records of batches"} {
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		any := false
		for _, f := range failures {
			if f.Record != (unit != "transactions") {
				continue
			}
			if !any {
				fmt.Fprintf(t, "Failed %s by result code:\n", unit)
			}
			any = true
			fmt.Fprintf(t, "  %s\t%d\t%s\t%d\t%s\n", f.Op, f.Code, f.Name(), f.Count, shorten(f.Example))
		}
		t.Flush()
	}
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
