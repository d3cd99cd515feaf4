package stage

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/workload"
)

func assertDefaults() Defaults {
	return Defaults{Namespace: "test", Set: "testset", ObjectSpec: "I4", StartKey: 1, Keys: 1000, Threads: 2, AsyncMax: 5, Seed: 7}
}

func TestAssertionsAreRead(t *testing.T) {
	const file = `defaults:
  assert: [write.p99 < 1s, errors == 0]
  on-fail: stop
stages:
  - {workload: I, assert: []}
  - {workload: I}
  - {workload: "RU,100"}
  - workload: RU,50
    tps: 100
    on-fail: continue
    assert:
      - p99 < 2ms
      - "read.response.p99.9 < 10ms"
      - tps >= 99
  - {workload: RU, assert: miss-rate < 1%}
`
	plan, err := Parse("f.yaml", []byte(file), assertDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		assertions, onFail, why string
	}{
		{"", "continue", "an empty list takes back the defaults, and then on-fail means nothing"},
		{"write.p99 < 1s|errors == 0", "stop", "the defaults"},
		{"errors == 0", "stop", "a default that means nothing is left out"},
		{"p99 < 2ms|read.response.p99.9 < 10ms|tps >= 99", "continue", "its own"},
		{"miss-rate < 1%", "stop", "a text is a list of one"},
	} {
		var texts []string
		for _, a := range plan.Stages[i].Assertions {
			texts = append(texts, a.Text)
		}
		if got := strings.Join(texts, "|"); got != want.assertions || plan.Stages[i].OnFail.String() != want.onFail {
			t.Errorf("stage %d: %s, %v; want %s, %s (%s)", i+1, got, plan.Stages[i].OnFail, want.assertions, want.onFail, want.why)
		}
	}
	var b bytes.Buffer
	if err := plan.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Parse("f.yaml", b.Bytes(), assertDefaults())
	if err != nil || len(again.Stages[3].Assertions) != 3 || again.Stages[3].Assertions[1] != plan.Stages[3].Assertions[1] || again.Stages[1].OnFail != Stop {
		t.Errorf("%v, printed as\n%s", err, &b)
	}
}

func TestAssertionProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"- {workload: I, assert: [p99 < 2]}", `f.yaml:1:32: assert: "p99 < 2", character 7: "2" is no value for p99: expected a time with a unit, such as 500us, 2ms or 1s`},
		{"- {workload: I, assert: [\"p99 < 2\"]}", `f.yaml:1:26: assert: "p99 < 2", character 7`},
		{"- workload: I\n  assert:\n  - errors == 0\n  - wirte.p99 < 2ms", `f.yaml:4:5: assert: "wirte.p99 < 2ms", character 1: unknown selector "wirte": expected one of`},
		{"- workload: I\n  assert: p99", `f.yaml:2:14: assert: "p99", character 4: a comparison is missing`},
		{"- {workload: I, assert: [read.p99 < 2ms]}", `f.yaml:1:26: assert: "read.p99 < 2ms": the workload I has no read operations`},
		{"- {workload: I, assert: [response.p99 < 2ms]}", `f.yaml:1:26: assert: "response.p99 < 2ms": response times need a target rate (tps)`},
		{"- {workload: I, assert: {p99: 2ms}}", `f.yaml:1:25: assert: expected a single value, not a mapping`},
		{"- {workload: I, assert: [[p99]]}", `f.yaml:1:26: assert: expected a single value, not a list`},
		{"- {workload: I, assert: }", `f.yaml:1:25: assert: the value is missing`},
		{"- {workload: I, assert: [errors == 0], on-fail: stopp}", `f.yaml:1:49: on-fail: "stopp" is not stop or continue; did you mean "stop"?`},
		{"- {workload: I, on-fail: stop}", `f.yaml:1:26: on-fail: the stage asserts nothing`},
		{"- {workload: I, asert: [errors == 0]}", `f.yaml:1:17: unknown key "asert"; did you mean "assert"?`},
	} {
		_, err := Parse("f.yaml", []byte(c.text), assertDefaults())
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != 1 || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// measuredStage is a stage of ten seconds with 100 reads of 1 to 100 ms and 10
// writes of 1 ms, whose response times are ten times that.
func measuredStage(t *testing.T, text string) *StageResult {
	t.Helper()
	plan, err := Parse("f.yaml", []byte(text), assertDefaults())
	if err != nil {
		t.Fatal(err)
	}
	r := &StageResult{Stage: plan.Stages[0], Elapsed: 10 * time.Second}
	for op := range r.Service {
		service, response := histogram.NewRecorder(1), histogram.NewRecorder(1)
		n := map[workload.Op]int{workload.Read: 100, workload.Write: 10}[workload.Op(op)]
		for i := range n {
			d := time.Millisecond
			if workload.Op(op) == workload.Read {
				d = time.Duration(i+1) * time.Millisecond
			}
			service.Shard(0).Record(d)
			response.Shard(0).Record(10 * d)
		}
		r.Counts[op] = workload.Counts{Done: uint64(n), Hit: uint64(n)}
		r.Service[op], r.Response[op] = service.Snapshot(), response.Snapshot()
	}
	return r
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		stage, assertion string
		ok               bool
		measured         float64
	}{
		{"RU", "p50 < 46ms", true, 45_023}, // 100 reads and 10 writes: the 55th of all is 45 ms
		{"RU", "read.p50 < 50ms", false, 50_015},
		{"RU", "write.max <= 1ms", true, 1000},
		{"RU, tps: 5", "write.max <= 1ms", false, 10_007}, // response times
		{"RU, tps: 5", "write.service.max <= 1ms", true, 1000},
		{"RU", "tps == 11", true, 11},
		{"RU", "read.tps == 10", true, 10},
		{"RU", "total.count == 110", true, 110},
		{"RU", "errors == 0", true, 0},
		{"RUF", "udf.p99 < 1s", false, 0}, // nothing measured
	} {
		udf := ""
		if c.stage == "RUF" {
			udf = ", udf: {module: m, function: f}"
		}
		r := measuredStage(t, "- {workload: "+c.stage+udf+", assert: ["+c.assertion+"]}")
		checks := r.check()
		if len(checks) != 1 || checks[0].OK != c.ok || checks[0].Measured != c.measured {
			t.Errorf("%s in %s: %+v, want %v, measured %v", c.assertion, c.stage, checks, c.ok, c.measured)
		}
	}
}

func TestAssertionErrorNamesAll(t *testing.T) {
	r := measuredStage(t, "- {workload: RU, assert: [read.p50 < 50ms, errors == 0, tps > 1k]}")
	run := &Result{Stages: []*StageResult{r}}
	if err := run.Assertions(); err != nil {
		t.Errorf("not checked, but %v", err)
	}
	r.Checks = r.check()
	want := "stage 1: assertion failed: read.p50 < 50ms: 50.015ms\nstage 1: assertion failed: tps > 1k: 11"
	if err := run.Assertions(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	c := Check{Assertion: condition.Condition{Text: "p99 < 1s"}}
	if c.String() != "p99 < 1s: nothing measured" {
		t.Errorf("got %q", c)
	}
}

// A failed assertion ends the run only where on-fail says so, and a stage that a
// signal cuts short is not judged.
func TestOnFail(t *testing.T) {
	const ok, bad = "assert: [errors == 0]", "assert: [p99 < 1ms]"
	for _, c := range []struct {
		why, text string
		stop      time.Duration
		stages    int
		failed    string
		stopped   bool
	}{
		{"all is well", "- {workload: RU, duration: 2, " + ok + "}\n- {workload: RU, duration: 2}", 0, 2, "", false},
		{"it goes on by default", "- {workload: RU, duration: 2, " + bad + "}\n- {workload: RU, duration: 2}", 0, 2,
			"stage 1: assertion failed: p99 < 1ms: 50.015ms", false},
		{"it stops when told to", "- {workload: RU, duration: 2, on-fail: stop, " + bad + "}\n- {workload: RU, duration: 2}", 0, 1,
			"stage 1: assertion failed: p99 < 1ms: 50.015ms", true},
		{"a stage that was cut short is not judged", "- {workload: RU, duration: 2, " + bad + "}", time.Second, 1, "", true},
	} {
		r, _, _ := sequence(t, c.text, 50*time.Millisecond, c.stop, nil)
		failed := ""
		if err := r.Assertions(); err != nil {
			failed = err.Error()
		}
		if len(r.Stages) != c.stages || failed != c.failed || (r.Stopped != nil) != c.stopped {
			t.Errorf("%s: %d stages, failed %q, stopped %v; want %d, %q, %v", c.why, len(r.Stages), failed, r.Stopped, c.stages, c.failed, c.stopped)
		}
		var assertion *AssertionError
		if c.stop == 0 && c.stopped && !errors.As(r.Stopped, &assertion) {
			t.Errorf("%s: stopped by %v", c.why, r.Stopped)
		}
	}
}
