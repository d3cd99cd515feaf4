package stage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/workload"
)

// OnFail is what becomes of a run when an assertion of a stage fails.
type OnFail uint8

// What on-fail can be.
const (
	// Continue goes on with the next stage; the run fails at its end.
	Continue OnFail = iota
	// Stop leaves out the stages that follow.
	Stop
)

// String returns the word of stage files.
func (o OnFail) String() string { return onFails()[o] }

func onFails() []string { return []string{"continue", "stop"} }

// Check is an assertion and what came of it at the end of its stage.
type Check struct {
	Assertion condition.Condition
	// Measured is the value of the assertion's metric: latencies in µs, shares
	// from 0 to 1. It means nothing without Known.
	Measured float64
	// Known is false when the stage measured nothing that has such a value,
	// which fails the assertion.
	Known bool
	OK    bool
}

// String says what was measured, such as "p99 < 2ms: 3.1ms".
func (c Check) String() string {
	if !c.Known {
		return c.Assertion.Text + ": nothing measured"
	}
	return c.Assertion.Text + ": " + c.Assertion.Format(c.Measured)
}

// check checks the stage's assertions against what it measured.
func (r *StageResult) check() []Check {
	var checks []Check
	for _, a := range r.Stage.Assertions {
		c := Check{Assertion: a}
		c.Measured, c.Known = a.Measure(r.measured(a))
		c.OK = c.Known && a.Holds(c.Measured)
		checks = append(checks, c)
	}
	return checks
}

// measured gathers what an assertion is about: one operation, or all of them.
func (r *StageResult) measured(a condition.Condition) condition.Measured {
	m := condition.Measured{Seconds: r.Elapsed.Seconds(), Latency: new(histogram.Snapshot)}
	for op := range workload.Op(workload.NumOps) {
		if !a.Selects(op) {
			continue
		}
		m.Counts = m.Counts.Add(r.Counts[op])
		latency := r.Stage.Latency(r.Snapshot, op)
		switch a.Latency {
		case "service":
			latency = r.Service[op]
		case "response":
			latency = r.Response[op]
		}
		m.Latency = m.Latency.Add(latency)
	}
	return m
}

// Failed returns the checks that failed.
func (r *StageResult) Failed() []Check {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(c Check) bool { return c.OK })
}

// AssertionError says which assertions of a run failed.
type AssertionError struct{ Stages []*StageResult }

func (e *AssertionError) Error() string {
	var lines []string
	for _, s := range e.Stages {
		for _, c := range s.Failed() {
			lines = append(lines, fmt.Sprintf("stage %d: assertion failed: %s", s.Stage.Number, c))
		}
	}
	return strings.Join(lines, "\n")
}

// Assertions returns an *[AssertionError] if any assertion of the run failed, and
// nil if none did.
func (r *Result) Assertions() error {
	failed := slices.DeleteFunc(slices.Clone(r.Stages), func(s *StageResult) bool { return len(s.Failed()) == 0 })
	if len(failed) == 0 {
		return nil
	}
	return &AssertionError{failed}
}

// setAssertions reads the assertions of a stage.
func setAssertions(d *draft, items []value, problems *Problems) {
	d.Assertions, d.asserted = nil, nil
	for _, item := range items {
		a, err := condition.Parse(item.text, condition.Assertion)
		if err != nil {
			problems.addErr(item.inside(err), fmt.Errorf("assert: %w", err))
			continue
		}
		d.Assertions = append(d.Assertions, a)
		d.asserted = append(d.asserted, item.place)
	}
}

// inside returns the place in a text that a condition's error is about. In quoted
// text it is that of the text, since escapes may stand before it.
func (v value) inside(err error) Place {
	var e *condition.Error
	place := v.place
	if errors.As(err, &e) && v.plain {
		place.Column += utf8.RuneCountInString(e.Text[:e.Offset])
	}
	return place
}

func setOnFail(d *draft, text string) error {
	i := slices.Index(onFails(), text)
	if i < 0 {
		return fmt.Errorf("%q is not stop or continue%s", text, suggest.DidYouMean(text, onFails()))
	}
	d.OnFail = OnFail(i)
	return nil
}

// resolveAssertions refuses assertions about what the stage does not measure, and
// leaves them out where they come from the file's defaults.
func (d *draft) resolveAssertions(problems *Problems) {
	if _, given := d.given["on-fail"]; given && len(d.Assertions) == 0 && !d.bad["assert"] {
		d.OnFail = Continue
		d.meaningless("on-fail", problems, "the stage asserts nothing")
	}
	if d.bad["workload"] || d.bad["tps"] {
		return
	}
	ops := (&Plan{Stages: []*Stage{&d.Stage}}).Ops()
	var kept []condition.Condition
	for i, a := range d.Assertions {
		wrong := ""
		if a.Op != "" && a.Op != condition.Total && !ops[opNamed(a.Op)] {
			wrong = fmt.Sprintf("the workload %s has no %s operations", d.Workload, a.Op)
		}
		if a.Latency == "response" && !d.Schedule.Throttled() {
			wrong = "response times need a target rate (tps)"
		}
		if a.Metric == condition.Mismatches && !(d.Verify && d.Workload.HasRecordReads()) {
			wrong = "mismatches are found in stages that read records with verify: true"
		}
		switch {
		case wrong == "":
			kept = append(kept, a)
		case !d.given["assert"].inherited:
			problems.add(d.asserted[i], "assert: %q: %s", a.Text, wrong)
		}
	}
	d.Assertions = kept
}

// opNamed returns the operation of a name that exists.
func opNamed(name string) workload.Op {
	op := workload.Op(0)
	for op.String() != name {
		op++
	}
	return op
}

// items reads a list of scalars, or a scalar as a list of one.
func (r *reader) items(name string, n *yaml.Node) []value {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	items := []value{}
	for _, item := range nodes {
		item = deref(item)
		before := len(r.problems)
		v := value{text: r.scalar(name, item), place: r.at(item), plain: item.Style == 0}
		if len(r.problems) == before {
			items = append(items, v)
		}
	}
	return items
}

// assertNodes returns the stage's assertions as a stage file gives them.
func (s *Stage) assertNodes() []*yaml.Node {
	if len(s.Assertions) == 0 {
		return nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, a := range s.Assertions {
		list.Content = append(list.Content, text(a.Text))
	}
	return []*yaml.Node{text("assert"), list, text("on-fail"), text(s.OnFail.String())}
}
