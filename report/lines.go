package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/internal/steady"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Lines prints what asbench prints while stages run: a line that announces each
// stage, a line of rates each second and, with percentiles, a line of latencies
// for each operation. Nothing else goes to its writer after the first stage has
// been announced, because parsers written for asbench take every further line
// for one of these.
type Lines struct {
	out         io.Writer
	log         io.Writer
	ops         []workload.Op
	threads     int
	percentiles []float64
	started     bool
	// past are the latencies of the stages before, last those of this one.
	past, last [workload.NumOps]*histogram.Snapshot
}

// NewLines returns the lines of a run of plan. Everything that is no such line
// goes to log. percentiles (0 <= p < 100) are those of the latency lines; with
// none, no latency lines are printed.
func NewLines(out, log io.Writer, plan *stage.Plan, percentiles []float64) *Lines {
	return &Lines{out: out, log: log, ops: operations(plan), threads: plan.MaxWorkers(), percentiles: percentiles}
}

// logTime is how lines of events begin, in local time, as in asbench.
const logTime = "2006-01-02 15:04:05.000"

// Pause says on the log how long the wait is.
func (l *Lines) Pause(s *stage.Stage, seconds int) error {
	_, err := fmt.Fprintf(l.log, "%s INFO Pause for %d seconds before stage %d\n", steady.Now().Format(logTime), seconds, s.Number)
	return err
}

// Warmup says on the log how long it is.
func (l *Lines) Warmup(s *stage.Stage) error {
	_, err := fmt.Fprintf(l.log, "%s INFO Warm up for %v before stage %d\n", steady.Now().Format(logTime), s.Warmup, s.Number)
	return err
}

// StageStart announces the stage.
func (l *Lines) StageStart(s *stage.Stage, at time.Time) error {
	text := stageLine(s)
	if !l.started {
		text = fmt.Sprintf("%s INFO Start %d transaction threads\n%s", at.Format(logTime), l.threads, text)
	}
	l.started = true
	_, err := io.WriteString(l.out, text)
	return err
}

// Period prints the period's lines with one write, so that a reader of the
// output never sees half of them.
func (l *Lines) Period(p *stage.Period) error {
	var b strings.Builder
	b.WriteString(p.End.Format(logTime))
	b.WriteString(" INFO")
	var total rates
	for _, op := range l.ops {
		r := newRates(p.Delta.Counts[op], p.Elapsed)
		if op != workload.Txn { // its commands are in the total
			total = total.add(r)
		}
		fmt.Fprintf(&b, " %s(%s)", op, r)
	}
	fmt.Fprintf(&b, " total(%s)\n", total)
	if len(l.percentiles) > 0 {
		for _, op := range l.ops {
			l.last[op] = p.Stage.Latency(p.InStage, op)
			l.latencies(&b, op, p)
		}
	}
	_, err := io.WriteString(l.out, b.String())
	return err
}

// latencies appends the line of an operation's latencies, cumulative over the
// run: response times of stages with a target rate, service times of others.
func (l *Lines) latencies(b *strings.Builder, op workload.Op, p *stage.Period) {
	h := l.last[op].Add(l.past[op])
	fmt.Fprintf(b, "hdr: %-5s %s %d, %d, %d, %d", op, p.End.UTC().Format(timestamp),
		int64(p.SinceStart/time.Second), h.Count(), h.Min(), h.Max())
	for _, v := range h.Percentiles(l.percentiles) {
		fmt.Fprintf(b, ", %d", v)
	}
	b.WriteByte('\n')
}

// StageEnd says on the log what came of the stage's assertions. The rates and
// latencies were all in the last period.
func (l *Lines) StageEnd(r *stage.StageResult) error {
	for op, h := range l.last {
		if h != nil {
			l.past[op], l.last[op] = h.Add(l.past[op]), nil
		}
	}
	var b strings.Builder
	for _, c := range r.Checks {
		verdict := "ok    "
		if !c.OK {
			verdict = "FAILED"
		}
		fmt.Fprintf(&b, "Stage %d: assertion %s  %s\n", r.Stage.Number, verdict, c)
	}
	_, err := io.WriteString(l.log, b.String())
	return err
}

// rates are the numbers of one column: transactions and records per second, but
// timeouts and errors as they were counted, so that a single one never rounds to
// zero.
type rates struct {
	tps, hit, miss, timeouts, errors uint64
}

func newRates(c workload.Counts, elapsed time.Duration) rates {
	perSecond := func(n uint64) uint64 {
		if elapsed <= 0 {
			return n
		}
		return uint64(math.Round(float64(n) / elapsed.Seconds()))
	}
	// The sum of the records is rounded, not its parts, so that hits and
	// misses add up to the tps of single-record transactions.
	records := perSecond(c.Records())
	miss := min(perSecond(c.Miss), records)
	return rates{tps: perSecond(c.Done), hit: records - miss, miss: miss, timeouts: c.Timeout, errors: c.Error}
}

func (r rates) add(s rates) rates {
	return rates{r.tps + s.tps, r.hit + s.hit, r.miss + s.miss, r.timeouts + s.timeouts, r.errors + s.errors}
}

func (r rates) String() string {
	return fmt.Sprintf("tps=%d (hit=%d miss=%d) timeouts=%d errors=%d", r.tps, r.hit, r.miss, r.timeouts, r.errors)
}
