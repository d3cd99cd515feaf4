package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/santhosh-tekuri/jsonschema/v6"

	results "github.com/aeroload/aeroload/result"
)

// readResult reads a result and checks it against the published schema.
func readResult(t *testing.T, path string) *results.Document {
	t.Helper()
	d, err := results.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(absolute(t, "../../docs/result.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := jsonschema.UnmarshalJSON(f)
	if err = errors.Join(err, schema.Validate(v)); err != nil {
		t.Error(err)
	}
	return d
}

// The result, the interval log, the summary and the assertions of a run agree, and
// a failed assertion is exit code 3.
func TestResultOfARun(t *testing.T) {
	tg := newTarget(t)
	dir := t.TempDir()
	file, path, log := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "r.json"), filepath.Join(dir, "log")
	const text = `- {workload: I, key-end: 301, assert: [errors == 0, count == 300]}
- {workload: RU, key-end: 301, duration: 2, tps: 200, seed: 3, assert: [read.misses == 0, total.count < 5]}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := tg.run(3, "--workload-stages", file, "--result", path, "--hdr-log", log, "--hdr-hist", filepath.Join(dir, "hdr"))
	for _, want := range []string{
		"Stage 1: assertion ok      count == 300: 300\n", "Stage 2: assertion ok      read.misses == 0: 0\n",
		"Stage 2: assertion FAILED  total.count < 5: ", "aeroload: stage 2: assertion failed: total.count < 5: ",
	} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q in\n%s", want, r.stderr)
		}
	}
	if strings.Contains(r.stdout, "assertion") {
		t.Error("assertions are on standard output, where parsers expect rates")
	}
	d := readResult(t, path)
	if len(d.Stages) != 2 || d.Stopped != "" || len(d.Server.Nodes) == 0 || d.Server.Nodes[0].Build == "" || d.Stages[1].Assertions[1].OK || !d.Stages[1].Throttled {
		t.Errorf("%+v", d)
	}
	if beside, _ := filepath.Glob(filepath.Join(dir, "hdr", "result_*.json")); len(beside) != 1 {
		t.Errorf("in the folder of histograms: %v", beside)
	} else if a, b := readFile(t, beside[0]), readFile(t, path); !bytes.Equal(a, b) {
		t.Error("the results differ")
	}

	logged := intervals(t, log)
	for _, row := range summary(t, r.stderr) {
		o := d.Stages[row.stage-1].Operations[row.op]
		if o == nil || int(o.Done+o.Timeouts+o.Errors) != row.count || int(o.Misses) != row.misses {
			t.Errorf("%+v in the summary, %+v in the result", row, o)
			continue
		}
		tag := row.op
		if row.latency == "response" {
			tag = "response_" + tag
		}
		logged[tag] -= int64(row.count)
	}
	for tag, left := range logged {
		if left != 0 {
			t.Errorf("%s: the intervals hold %d more than the summary", tag, left)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// intervals adds up the counts of an interval log by tag, as the library's reader
// sees them.
func intervals(t *testing.T, path string) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	reader := hdr.NewHistogramLogReader(bytes.NewReader(readFile(t, path)))
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if h == nil {
			return counts
		}
		if h.EndTimeMs() < h.StartTimeMs() || h.StartTimeMs() < 1.7e12 {
			t.Errorf("an interval from %d to %d ms", h.StartTimeMs(), h.EndTimeMs())
		}
		counts[h.Tag()] += h.TotalCount()
	}
}

func TestAssertionCanStopTheRun(t *testing.T) {
	tg := newTarget(t)
	dir := t.TempDir()
	file, path := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "r.json")
	if err := os.WriteFile(file, []byte("- {workload: I, key-end: 11, assert: [count > 10], on-fail: stop}\n- {workload: I, key-end: 11}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := tg.run(3, "--workload-stages", file, "--result", path)
	if strings.Contains(r.stdout, "Stage 2:") {
		t.Error("stage 2 ran")
	}
	if d := readResult(t, path); len(d.Stages) != 1 || !strings.Contains(d.Stopped, "count > 10") {
		t.Errorf("%d stages, stopped: %q", len(d.Stages), d.Stopped)
	}
}

func TestInterruptedRunLeavesItsResult(t *testing.T) {
	tg := newTarget(t)
	s := startTwoStages(t, tg, "200")
	s.stop(t, syscall.SIGINT)
	files, _ := filepath.Glob(filepath.Join(s.dir, "hdr", "result_*.json"))
	if len(files) != 1 {
		t.Fatalf("results: %v\n%s", files, s.stderr.String())
	}
	if d := readResult(t, files[0]); len(d.Stages) != 2 || !strings.Contains(d.Stopped, "SIGINT") {
		t.Errorf("%d stages, stopped: %q", len(d.Stages), d.Stopped)
	}
}

// A result that cannot be written is an error, but costs no other output.
func TestUnwrittenResultLosesNothingElse(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no device that is always full")
	}
	tg := newTarget(t)
	log := filepath.Join(t.TempDir(), "log")
	r := tg.run(1, "-w", "I", "-k", "300", "--result", full, "--hdr-log", log)
	if !strings.Contains(r.stderr, "Summary") || !strings.Contains(r.stderr, "result file: ") {
		t.Errorf("printed\n%s", r.stderr)
	}
	if n := intervals(t, log)["write"]; n != 300 {
		t.Errorf("the log holds %d", n)
	}
}

// An output that took the place of another, or of a file that is read, would lose it.
func TestOutputsAreFilesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	stages, there, link := filepath.Join(dir, "s.yaml"), filepath.Join(dir, "there"), filepath.Join(dir, "link")
	const plan = "- {workload: I, key-end: 10}\n"
	for path, text := range map[string]string{stages: plan, there: ""} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(there, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, want string
		args      []string
	}{
		{"a file that is not there yet", "--hdr-log: " + dir + "/new is --result as well", []string{"--result", dir + "/./new", "--hdr-log", dir + "/new"}},
		{"one that is, by another name", "--output-file: " + link + " is --hdr-log as well", []string{"--hdr-log", there, "--output-file", link}},
		{"the stage file", "--result: " + stages + " is the stage file as well", []string{"--result", stages}},
	} {
		r := runBinary(t, append([]string{"--embedded", "--workload-stages", stages}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit code %d, want 2 and %q\n%s", c.why, r.code, c.want, r.stderr)
		}
	}
	if got := string(readFile(t, stages)); got != plan {
		t.Errorf("the stage file is now %q", got)
	}
	inputs := map[string]string{
		"keys": "a\nb\nc\n", "m.lua": "function get(rec) return 1 end\n", "spec": "S5", "args": "I4", "profiles.yaml": "set: mine\n",
		"all.yaml": `- {workload: "RUF,50,0", keys: {file: keys, type: string}, object-spec: "@file:spec", transactions: 50, udf: {file: m.lua, function: get, args: "@file:args"}}`,
	}
	for name, text := range inputs {
		writeFile(t, filepath.Join(dir, name), text)
	}
	all := []string{"--embedded", "--workload-stages", filepath.Join(dir, "all.yaml"), "--profile-file", filepath.Join(dir, "profiles.yaml")}
	for name, text := range inputs {
		for _, flag := range []string{"--result", "--hdr-log", "--output-file"} {
			path := filepath.Join(dir, name)
			r := runBinary(t, append(all, flag, path)...)
			if r.code != 2 || !strings.Contains(r.stderr, flag+": "+path+" is the ") || string(readFile(t, path)) != text {
				t.Errorf("%s %s: exit code %d, want 2; the file holds %q\n%s", flag, name, r.code, readFile(t, path), r.stderr)
			}
		}
	}
	if r := runBinary(t, append(all, "--result", filepath.Join(dir, "r.json"))...); r.code != 0 {
		t.Errorf("with a file of its own: exit code %d\n%s", r.code, r.stderr)
	}
	r := runBinary(t, "--embedded", "--workload-stages", stages, "--result", os.DevNull, "--hdr-log", os.DevNull, "--output-file", "stdout")
	if r.code != 0 {
		t.Errorf("a device for several: exit code %d\n%s", r.code, r.stderr)
	}
}

// The results of two runs, merged and compared as from a shell.
func TestMergeAndCompare(t *testing.T) {
	tg := newTarget(t)
	dir := t.TempDir()
	a, b, m := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "m.json")
	tg.run(0, "-w", "I", "-k", "300", "--result", a)
	tg.run(0, "-w", "I", "-k", "300", "-K", "301", "--result", b)
	r := runBinary(t, "merge", a, b, "-o", m)
	if r.code != 0 || !strings.Contains(r.stdout, "600") {
		t.Fatalf("merge: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if d := readResult(t, m); d.Stages[0].Operations["write"].Done != 600 || len(d.Machines) != 2 {
		t.Errorf("merged: %+v", d.Stages[0].Operations["write"])
	}
	for _, c := range []struct {
		why, want string
		code      int
		args      []string
	}{
		{"too short to tell", "? too short", 0, []string{a, b}},
		{"several runs a side", "2 and 2 runs", 0, []string{a + "," + b, a + "," + b}},
		{"a condition that is met", "aeroload: stage 1 write: count > 299: 300", 3, []string{"--fail-if", "count > 299", a, b}},
		{"a condition that is not", "chance of any false", 0, []string{"--fail-if", "errors > 0", a + "," + b, a + "," + b}},
		{"as JSON", `"condition": "stage1.write.count > 5"`, 3, []string{"--format", "json", "--fail-if", "stage1.write.count > 5", a, b}},
		{"as Markdown", "| stage | op |", 0, []string{"--format=markdown", a, b}},
		{"what was not measured", "no stage of these runs measured read.p99", 2, []string{"--fail-if", "read.p99 > +5%", a, b}},
		{"a folder", "2 and 1 runs", 0, []string{dir, m}},
		{"a wrong condition", `--fail-if: "p99 > 5", character 7`, 2, []string{"--fail-if", "p99 > 5", a, b}},
		{"one side", "two sides", 2, []string{a}},
		{"no such file", "none.json", 2, []string{a, "none.json"}},
	} {
		r := runBinary(t, append([]string{"compare"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.stdout+r.stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", c.why, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
	before := string(readFile(t, a))
	if r := runBinary(t, "merge", a, b, "-o", a); r.code != 2 || !strings.Contains(r.stderr, "is one of the results") || string(readFile(t, a)) != before {
		t.Errorf("merging into a part: exit code %d\n%s", r.code, r.stderr)
	}
	if r := runBinary(t, "merge", a, a); r.code != 2 || !strings.Contains(r.stderr, "the same run") {
		t.Errorf("merging a run with itself: exit code %d\n%s", r.code, r.stderr)
	}
	tg.run(0, "-w", "DB", "-k", "300", "--result", b)
	if r := runBinary(t, "merge", a, b); r.code != 2 || !strings.Contains(r.stderr, "workload of stage 1 is") {
		t.Errorf("merging other stages: exit code %d\n%s", r.code, r.stderr)
	}
}
