package stage

import (
	"fmt"
	"math"
	"strings"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/workload"
)

// Probe is a rate that was tried, and what came of it.
type Probe struct {
	Rate float64 // asked for, transactions per second
	// Achieved is how many transactions ended per second, however they ended.
	Achieved float64
	// Behind is how many transactions were due by the end and never started.
	Behind float64
	// P99 is the 99th percentile of the response times in µs, 0 if none was
	// measured. Lateness is that of aeroload's own part in them.
	P99, Lateness int64
	// ErrorRate is the share of transactions that timed out or failed, 0 to 1.
	ErrorRate float64
	Checks    []Check // of the limits
	// Short tells that the rate was not kept up.
	Short bool
	OK    bool // the rate was kept up, and all limits held
	// Next is the rate to try next, if there is time; 0 when the search is over. Held
	// is the highest rate that is known to hold by now; 0 for none.
	Next, Held float64
}

// Verdict returns "holds" or "fails".
func (p Probe) Verdict() string {
	if p.OK {
		return "holds"
	}
	return "fails"
}

// Why says in one line what decided: what failed, or else all limits.
func (p Probe) Why() string {
	var texts []string
	if p.Short {
		texts = append(texts, fmt.Sprintf("the rate was not kept up: %.0f transactions behind", p.Behind))
	}
	for _, c := range p.Checks {
		if c.OK == p.OK {
			texts = append(texts, c.String())
		}
	}
	if !p.OK && 4*p.Lateness >= p.P99 && p.P99 > 0 {
		texts = append(texts, fmt.Sprintf("aeroload's own lateness: %s (p99)", condition.FormatLatency(float64(p.Lateness))))
	}
	return strings.Join(texts, ", ")
}

// trial is what was measured at a rate.
type trial struct {
	workload.Snapshot         // of the time after settling, until the last transaction had ended
	seconds           float64 // from the settling to the end of the time
	ended             uint64  // transactions that ended in it
	behind            float64 // transactions that were due by its end and never started
}

// maxShortfall is the share of a rate that may be missing where it counts as kept up.
const maxShortfall = 0.01

// judge tells whether a rate was kept up and the limits held.
func judge(st *Stage, rate float64, t trial) Probe {
	p := Probe{
		Rate: rate, Achieved: float64(t.ended) / t.seconds, Behind: t.behind,
		P99: t.commands().Percentile(99), Lateness: t.Lateness.Percentile(99),
	}
	if whole := t.Response[workload.Txn]; whole.Count() > 0 {
		p.P99 = max(p.P99, whole.Percentile(99))
	}
	counts := t.Total()
	// To a user a timeout is an error.
	counts.Error, counts.Timeout = counts.Error+counts.Timeout, 0
	if n := counts.Attempted(); n > 0 {
		p.ErrorRate = float64(counts.Error) / float64(n)
	}
	p.Short = t.short(rate, st.Schedule.Poisson)
	p.OK = !p.Short
	for _, limit := range st.FindMax.Limits {
		c := Check{Assertion: limit}
		// Where there are transactions of several commands, a latency limit is
		// for these and for commands.
		for _, latency := range []*histogram.Snapshot{t.commands(), t.Response[workload.Txn]} {
			v, known := limit.Measure(condition.Measured{Seconds: t.seconds, Counts: counts, Latency: latency})
			if known {
				c.Measured, c.Known = max(c.Measured, v), true
			}
		}
		c.OK = c.Known && limit.Holds(c.Measured)
		p.Checks = append(p.Checks, c)
		p.OK = p.OK && c.OK
	}
	return p
}

// short tells whether the rate was not kept up: too few transactions ended, or
// those that wait for a free worker had become too many by the end.
func (t trial) short(rate float64, poisson bool) bool {
	due := rate * t.seconds
	// Each end of the time may cut off a transaction.
	slack := 2.0
	if poisson {
		slack += 4 * math.Sqrt(due) // of which there is less one time in 30 000
	}
	return float64(t.ended) < (1-maxShortfall)*due-slack || t.behind > maxShortfall*due+1
}

// commands returns the response times of all commands.
func (t trial) commands() *histogram.Snapshot {
	all := new(histogram.Snapshot)
	for op, h := range t.Response {
		if workload.Op(op) != workload.Txn {
			all = all.Add(h)
		}
	}
	return all
}
