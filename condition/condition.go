// Package condition reads and checks conditions on what a stage measured, such as
// "read.p99.9 < 10ms", and on how it changed from another run, such as
// "p99 > +10%".
//
// A condition is
//
//	[stage<N>.][<operation>.][service.|response.]<metric> <comparison> <value>
//
// with the selectors in any order. The grammar is one for the assertions of stage
// files and for the --fail-if of `aeroload compare`; [Kind] tells what either
// does not take.
package condition

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/workload"
)

// Kind is where a condition stands.
type Kind uint8

// The kinds.
const (
	// Assertion is a condition of a stage on its own numbers: it selects no
	// stage and compares with no other run.
	Assertion Kind = iota
	// Comparison is a condition on two runs. A value with a sign is a change
	// from the first run to the second; one without is compared with what the
	// second run measured.
	Comparison
)

// Metric is a number that a stage measures.
type Metric uint8

// The metrics, by the names that conditions use.
const (
	TPS         Metric = iota // tps: transactions that were answered, per second
	RPS                       // rps: records that were answered for, per second
	Count                     // count: transactions, however they ended
	Errors                    // errors: transactions that failed, but for timeouts
	Timeouts                  // timeouts: transactions that timed out
	Misses                    // misses: records to read or delete that were not there
	Mismatches                // mismatches: records that were read with other values than verifying wanted
	ErrorRate                 // error-rate: errors by transactions, 0 to 1
	TimeoutRate               // timeout-rate: timeouts by transactions, 0 to 1
	MissRate                  // miss-rate: misses by records, 0 to 1
	Min                       // min: smallest latency, µs
	Mean                      // mean: mean latency, µs
	Max                       // max: largest latency, µs
	Percentile                // p99, p99.9: a percentile of the latencies, µs
)

// unit is what the values of a metric are.
type unit uint8

const (
	number   unit = iota // a count or a rate per second
	fraction             // 0 to 1, written in percent
	latency              // µs, written with a unit of time
)

// metrics are the names and units by Metric. Percentile has no fixed name.
func metrics() [Percentile]struct {
	name string
	unit unit
} {
	return [Percentile]struct {
		name string
		unit unit
	}{
		TPS: {"tps", number}, RPS: {"rps", number}, Count: {"count", number},
		Errors: {"errors", number}, Timeouts: {"timeouts", number}, Misses: {"misses", number}, Mismatches: {"mismatches", number},
		ErrorRate: {"error-rate", fraction}, TimeoutRate: {"timeout-rate", fraction}, MissRate: {"miss-rate", fraction},
		Min: {"min", latency}, Mean: {"mean", latency}, Max: {"max", latency},
	}
}

func (m Metric) unit() unit {
	if m >= Percentile {
		return latency
	}
	return metrics()[m].unit
}

// Comparator is how a condition compares.
type Comparator uint8

// The comparators.
const (
	Less         Comparator = iota // <
	LessEqual                      // <=
	Greater                        // >
	GreaterEqual                   // >=
	Equal                          // ==
	NotEqual                       // !=
)

// String returns the comparator as conditions write it.
func (c Comparator) String() string { return comparators()[c] }

func comparators() [6]string { return [6]string{"<", "<=", ">", ">=", "==", "!="} }

// Holds tells whether a stands to b as the comparator says.
func (c Comparator) Holds(a, b float64) bool {
	switch c {
	case Less:
		return a < b
	case LessEqual:
		return a <= b
	case Greater:
		return a > b
	case GreaterEqual:
		return a >= b
	case Equal:
		return a == b
	}
	return a != b
}

// Change is what the value of a condition means.
type Change uint8

// The changes.
const (
	NoChange       Change = iota // the value is one of the metric
	ChangePercent                // the value is a change in percent of the first run's
	ChangeAbsolute               // the value is a change in the metric's unit
)

// Total is the operation that stands for all of them together.
const Total = "total"

// Condition is a condition that was read.
type Condition struct {
	// Text is the condition as it was written, without blanks around it.
	Text string
	// Stage is the number of the stage, or 0 if none is named.
	Stage int
	// Op is the name of an operation, [Total], or "" if none is named.
	Op string
	// Latency is "service" or "response", or "" if neither is named: response
	// times of stages that have a target rate, service times of others.
	Latency string
	Metric  Metric
	// Percent is the percentile of the metric Percentile, 0 to 100.
	Percent    float64
	Comparator Comparator
	// Value is what to compare with: in the metric's unit, or in percent for
	// ChangePercent.
	Value  float64
	Change Change
}

// String returns the text of the condition.
func (c Condition) String() string { return c.Text }

// Selects tells whether the condition is about an operation: the one that it names,
// or all of them. Of transactions of several commands, the latter are the commands,
// as in the totals of the rate lines.
func (c Condition) Selects(op workload.Op) bool {
	if c.Op == "" || c.Op == Total {
		return op != workload.Txn
	}
	return c.Op == op.String()
}

// IsLatency tells whether the metric is a latency.
func (c Condition) IsLatency() bool { return c.Metric.unit() == latency }

// Holds tells whether a measured value meets the condition. A value that is not
// a number meets none.
func (c Condition) Holds(v float64) bool {
	return !math.IsNaN(v) && c.Comparator.Holds(v, c.Value)
}

// Measured is what an operation of a stage measured.
type Measured struct {
	// Seconds is how long the stage took.
	Seconds float64
	Counts  workload.Counts
	// Latency holds the latencies that the condition asks for; nil for none.
	Latency *histogram.Snapshot
}

// Measure returns the value of the condition's metric: latencies in µs, shares
// from 0 to 1. ok is false if nothing was measured that has such a value.
func (c Condition) Measure(m Measured) (value float64, ok bool) {
	per := func(n uint64, of float64) (float64, bool) { return float64(n) / of, of > 0 }
	attempted := float64(m.Counts.Attempted())
	switch c.Metric {
	case TPS:
		return per(m.Counts.Done, m.Seconds)
	case RPS:
		return per(m.Counts.Records(), m.Seconds)
	case Count:
		return attempted, true
	case Errors:
		return float64(m.Counts.Error), true
	case Timeouts:
		return float64(m.Counts.Timeout), true
	case Misses:
		return float64(m.Counts.Miss), true
	case Mismatches:
		return float64(m.Counts.Mismatch), true
	case ErrorRate:
		return per(m.Counts.Error, attempted)
	case TimeoutRate:
		return per(m.Counts.Timeout, attempted)
	case MissRate:
		return per(m.Counts.Miss, float64(m.Counts.Records()))
	}
	if m.Latency == nil || m.Latency.Count() == 0 {
		return 0, false
	}
	switch c.Metric {
	case Min:
		return float64(m.Latency.Min()), true
	case Mean:
		return m.Latency.Mean(), true
	case Max:
		return float64(m.Latency.Max()), true
	}
	return float64(m.Latency.Percentile(c.Percent)), true
}

// Unit returns the unit of measured values: "us" for latencies, "fraction" for
// shares, else "".
func (c Condition) Unit() string {
	return [...]string{number: "", fraction: "fraction", latency: "us"}[c.Metric.unit()]
}

// Format writes a value of the metric for people, with its unit.
func (c Condition) Format(v float64) string {
	switch c.Metric.unit() {
	case latency:
		return FormatLatency(v)
	case fraction:
		return formatNumber(v*100) + "%"
	}
	return formatNumber(v)
}

// FormatLatency writes µs for people: as µs, ms or s, to three digits or more.
func FormatLatency(us float64) string {
	d := time.Duration(us * float64(time.Microsecond))
	switch {
	case d.Abs() < time.Millisecond:
		return formatNumber(us) + "µs"
	case d.Abs() < time.Second:
		return formatNumber(us/1e3) + "ms"
	}
	return formatNumber(us/1e6) + "s"
}

// formatNumber writes a number with at most three digits behind the point, and
// small ones with three digits in all.
func formatNumber(v float64) string {
	if v != 0 && math.Abs(v) < 0.1 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
}

// MetricName returns the metric's name, such as tps or p99.9.
func (c Condition) MetricName() string {
	if c.Metric < Percentile {
		return metrics()[c.Metric].name
	}
	return "p" + strconv.FormatFloat(c.Percent, 'f', -1, 64)
}

// Describe says what the condition is about: its left side.
func (c Condition) Describe() string {
	name := c.MetricName()
	if c.Latency != "" {
		name = c.Latency + "." + name
	}
	if c.Op != "" {
		name = c.Op + "." + name
	}
	if c.Stage > 0 {
		name = fmt.Sprintf("stage%d.%s", c.Stage, name)
	}
	return name
}
