package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	results "github.com/aeroload/aeroload/result"
)

// nightly runs examples/nightly/nightly.sh in a folder of its own.
type nightly struct {
	t   *testing.T
	dir string
	env []string
}

func newNightly(t *testing.T, stages string, env ...string) *nightly {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	n := &nightly{t: t, dir: t.TempDir()}
	n.write("stages.yaml", stages)
	n.env = append(os.Environ(), append([]string{"NIGHTLY_AEROLOAD=" + binary, "NIGHTLY_STAGES=stages.yaml", "NIGHTLY_RUNS=2"}, env...)...)
	return n
}

func (n *nightly) write(name, text string) {
	n.t.Helper()
	writeFile(n.t, filepath.Join(n.dir, name), text)
}

func (n *nightly) command(args ...string) *exec.Cmd {
	n.t.Helper()
	cmd := exec.Command("sh", append([]string{absolute(n.t, "../../examples/nightly/nightly.sh")}, args...)...)
	cmd.Dir, cmd.Env = n.dir, n.env
	return cmd
}

// run makes a night and returns its name: "" if it left none.
func (n *nightly) run(code int, args ...string) (night string, r result) {
	n.t.Helper()
	before := n.nights()
	r = finish(n.t, n.command(args...))
	if r.code != code {
		n.t.Fatalf("exit code %d, want %d\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	for _, name := range n.nights() {
		if !slices.Contains(before, name) {
			night = name
		}
	}
	if want := n.read("latest"); night != want {
		n.t.Errorf("the night is %q, the file latest says %q", night, want)
	}
	if good := n.has(night, "good"); good != (code == 0) {
		n.t.Errorf("exit code %d, a good night: %t", code, good)
	}
	return night, r
}

// nights returns the names of the nights, oldest first.
func (n *nightly) nights() []string {
	n.t.Helper()
	folders, err := filepath.Glob(filepath.Join(n.dir, "nightly-results", "2*"))
	if err != nil {
		n.t.Fatal(err)
	}
	for i, f := range folders {
		folders[i] = filepath.Base(f)
	}
	return folders
}

func (n *nightly) path(names ...string) string {
	return filepath.Join(append([]string{n.dir, "nightly-results"}, names...)...)
}

func (n *nightly) has(names ...string) bool {
	_, err := os.Stat(n.path(names...))
	return err == nil
}

// read returns a file of the results without the end of its last line, "" if there
// is none.
func (n *nightly) read(names ...string) string {
	n.t.Helper()
	text, err := os.ReadFile(n.path(names...))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		n.t.Fatal(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}

// shortNight returns the example's stages, small enough for a test, and with limits
// that hold on a test machine which stands still for seconds.
func shortNight(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/nightly/nightly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	short := string(text)
	for _, r := range [][2]string{
		{"key-end: 1M", "key-end: 500"},
		{"    warmup: 10s\n", ""}, {"duration: 2m", "duration: 2m\n    transactions: 200"}, {"tps: 10k", "tps: 400"},
		{"p99 < 5ms", "p99 < 1m"}, {"p99.9 < 20ms", "p99.9 < 1m"}, {"tps >= 9900", "tps > 0"},
		{"    warmup: 5s\n", ""}, {"duration: 1m\n", "duration: 1m\n    transactions: 500\n"},
	} {
		if strings.Count(short, r[0]) != 1 {
			t.Fatalf("nightly.yaml has %q %d times", r[0], strings.Count(short, r[0]))
		}
		short = strings.Replace(short, r[0], r[1], 1)
	}
	return short
}

// The night with a delay of 5 ms fails and names it. The median service time of a
// rate that is far below the limit is what a busy test machine changes least: the
// condition lies in the middle between no change and the delay.
func TestNightly(t *testing.T) {
	t.Parallel()
	n := newNightly(t, shortNight(t), "NIGHTLY_FAIL_IF=stage2.service.p50 > +2.5ms\nerrors > 0")
	on := func(address string) []string {
		return []string{"--hosts", address, "-T", "60000", "--connect-timeout", "60000"}
	}
	sound := on(startServe(t)[0])
	slow := on(startServe(t, "--fault", "any delay=5ms")[0])

	first, r := n.run(0, sound...)
	if !strings.Contains(r.stderr, "no good night of these stages yet") || n.has(first, "comparison.txt") {
		t.Errorf("the first night is compared with something:\n%s", r.stderr)
	}
	second, r := n.run(0, sound...)
	if !strings.Contains(r.stderr, "comparison with nightly-results/"+first+"\n") || !strings.Contains(r.stdout, "p99") {
		t.Errorf("the second night is not compared with the first:\n%s%s", r.stdout, r.stderr)
	}
	for _, file := range []string{first + "-run1.json", first + "-run2.json"} {
		if !strings.Contains(n.read(second, "report.html"), strings.TrimSuffix(file, ".json")) {
			t.Errorf("the report does not have %s", file)
		}
	}

	third, r := n.run(exitComparison, slow...)
	worse := regexp.MustCompile(`(?m)^stage 2 (read|write): stage2\.service\.p50 > \+2\.5ms: [\d.]+ms, was [\d.]+(ms|µs) \(\+[\d.]+%\)$`)
	if got := worse.FindAllString(r.stderr, -1); len(got) != 2 {
		t.Errorf("it does not name what got worse, of reads and of writes:\n%s", r.stderr)
	}
	if !strings.Contains(r.stderr, "comparison with nightly-results/"+second+"\n") {
		t.Errorf("the third night is not compared with the second:\n%s", r.stderr)
	}
	summary := n.read(third, "summary.md")
	for _, want := range []string{"# Nightly load test: failed\n", "\n* stage 2 read: stage2.service.p50 > +2.5ms: ", "Compared with nightly-results/" + second, "| p99 "} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary does not have %q:\n%s", want, summary)
		}
	}
	if !strings.Contains(n.read(third, "report.html"), third+"-run2") {
		t.Error("the night that failed has no report")
	}

	// The bad night is no base.
	_, r = n.run(0, sound...)
	if !strings.Contains(r.stderr, "comparison with nightly-results/"+second+"\n") {
		t.Errorf("the fourth night is not compared with the second:\n%s", r.stderr)
	}
}

// A signal ends the run that goes on, which writes its result, and the night.
func TestNightlyStopped(t *testing.T) {
	n := newNightly(t, "- {workload: RU, duration: 1h, key-end: 100}\n")
	cmd := n.command("--embedded")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	logs := func() string {
		text := ""
		for _, night := range n.nights() {
			text += n.read(night, night+"-run1.log")
		}
		return text
	}
	for deadline := time.Now().Add(time.Minute); !strings.Contains(logs(), " total("); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatalf("the run does not start:\n%s%s", stderr.String(), logs())
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is looked at
	night := n.nights()[0]
	if code := cmd.ProcessState.ExitCode(); code != 143 || n.has(night, "good") {
		t.Errorf("exit code %d, a good night: %t\n%s", code, n.has(night, "good"), stderr.String())
	}
	d, err := results.ReadFile(n.path(night, night+"-run1.json"))
	if err != nil || d.Stopped == "" {
		t.Errorf("the result of the run that was stopped: %v", err)
	}
}

// scripted stands in for the program where the script's own ways are tested: the
// exit codes of runs and comparisons come from the environment.
const scripted = `#!/bin/sh
echo "$*" >> calls
case $1 in
compare)
	echo "the table"
	if [ "$COMPARE" != 0 ]; then echo "aeroload: stage 1 read: slower" >&2; fi
	exit "$COMPARE" ;;
report)
	for last; do :; done
	echo page > "$last"
	exit "$REPORT" ;;
esac
while [ "$1" != --result ]; do shift; done
case $2 in *-run1.json) code=$RUN1 ;; *) code=$RUN2 ;; esac
if [ "$code" != 2 ]; then echo '{}' > "$2"; fi
if [ "$code" = 3 ]; then echo "Stage 2: assertion FAILED  p99 < 2ms: 3ms" >&2; fi
exit "$code"
`

// scriptedNight makes a night with the given exit codes.
type scriptedNight struct{ run1, run2, compare, report string }

func (n *nightly) scripted(code int, s scriptedNight, env ...string) (string, result) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(n.dir, "aeroload"), []byte(scripted), 0o777); err != nil {
		n.t.Fatal(err)
	}
	n.write("calls", "")
	saved := n.env
	defer func() { n.env = saved }()
	n.env = append(slices.Clone(n.env), append([]string{"NIGHTLY_AEROLOAD=./aeroload",
		"RUN1=" + s.run1, "RUN2=" + s.run2, "COMPARE=" + s.compare, "REPORT=" + s.report}, env...)...)
	return n.run(code, "--hosts", "a b")
}

// calls returns the calls of the program that begin with a word, but for the
// comparison of nothing that tells whether conditions are right.
func (n *nightly) calls(word string) []string {
	n.t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, "calls"))
	if err != nil {
		n.t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, word+" ") && strings.Contains(line, "nightly-results/") {
			list = append(list, strings.TrimSuffix(line, "\n"))
		}
	}
	return list
}

var goodNight = scriptedNight{"0", "0", "0", "0"}

func TestNightlyVerdicts(t *testing.T) {
	for _, c := range []struct {
		why      string
		night    scriptedNight
		code     int
		runs     int
		compared bool
		page     bool
		worse    string
	}{
		{"all is well", goodNight, 0, 2, true, true, ""},
		{"an assertion failed: the other run and the comparison go on", scriptedNight{"3", "0", "0", "0"}, 3, 2, true, true,
			"run 1, stage 2: assertion failed: p99 < 2ms: 3ms"},
		{"something got worse", scriptedNight{"0", "0", "3", "0"}, 3, 2, true, true, "stage 1 read: slower"},
		{"both", scriptedNight{"0", "3", "3", "0"}, 3, 2, true, true, "run 2, stage 2: assertion failed: p99 < 2ms: 3ms\nstage 1 read: slower"},
		{"a stage that failed stopped the run, so nothing compares", scriptedNight{"3", "3", "2", "0"}, 3, 2, true, true,
			"run 1, stage 2: assertion failed: p99 < 2ms: 3ms\nrun 2, stage 2: assertion failed: p99 < 2ms: 3ms\nstage 1 read: slower"},
		{"a run failed: it is pointless to go on", scriptedNight{"1", "0", "0", "0"}, 1, 1, false, true, "run 1 failed with exit code 1"},
		{"the second run failed", scriptedNight{"0", "1", "0", "0"}, 1, 2, false, true, "run 2 failed with exit code 1"},
		{"a run was stopped", scriptedNight{"130", "0", "0", "0"}, 130, 1, false, true, "run 1 failed with exit code 130"},
		{"the nights cannot be compared", scriptedNight{"0", "0", "2", "0"}, 2, 2, true, true, "stage 1 read: slower"},
		{"no page could be written", scriptedNight{"0", "0", "0", "1"}, 1, 2, true, true, ""},
	} {
		n := newNightly(t, "- {workload: I}\n")
		first, _ := n.scripted(0, goodNight)
		night, r := n.scripted(c.code, c.night)
		if runs := n.calls("--workload-stages"); len(runs) != c.runs || !strings.HasSuffix(runs[0], " --hosts a b") {
			t.Errorf("%s: runs %q, want %d", c.why, runs, c.runs)
		}
		want := "compare --format text --fail-if p50 > +10% --fail-if p99 > +15% --fail-if tps < -5% nightly-results/" + first + " nightly-results/" + night
		if calls := n.calls("compare"); c.compared != (len(calls) > 0) || c.compared && calls[0] != want {
			t.Errorf("%s: comparisons %q, want %q: %t", c.why, calls, want, c.compared)
		}
		if page := n.has(night, "report.html"); page != c.page {
			t.Errorf("%s: a page: %t", c.why, page)
		}
		if got := n.read(night, "worse.txt"); got != c.worse || !strings.Contains(r.stderr, c.worse) {
			t.Errorf("%s: what got worse is %q, want %q\n%s", c.why, got, c.worse, r.stderr)
		}
		verdict := "failed"
		if c.code == 0 {
			verdict = "passed"
		}
		if got := n.read(night, "summary.md"); !strings.HasPrefix(got, "# Nightly load test: "+verdict) {
			t.Errorf("%s: the summary is\n%s", c.why, got)
		}
	}
}

// A wrong command line leaves no night behind, and settings are checked.
func TestNightlyRefuses(t *testing.T) {
	n := newNightly(t, "- {workload: I}\n")
	if night, _ := n.scripted(2, scriptedNight{"2", "0", "0", "0"}); night != "" {
		t.Errorf("there is a night %s", night)
	}
	for _, c := range []struct{ setting, says string }{
		{"NIGHTLY_RUNS=0", "NIGHTLY_RUNS is '0'; expected a whole number from 1 to 9999"},
		{"NIGHTLY_KEEP=many", "NIGHTLY_KEEP is 'many'"},
		{"NIGHTLY_AGAINST=-1", "NIGHTLY_AGAINST is '-1'"},
		{"NIGHTLY_RESULTS=a,b", "must not have commas"},
		{"NIGHTLY_AEROLOAD=./nowhere", "there is no program ./nowhere"},
		{"NIGHTLY_STAGES=nowhere.yaml", "the stage file nowhere.yaml cannot be read"},
		{"NIGHTLY_RESULTS=stages.yaml/results", "cannot be made"},
	} {
		if night, r := n.scripted(2, goodNight, c.setting); night != "" || !strings.Contains(r.stderr, "nightly: ") || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: a night %q, and\n%swant %q", c.setting, night, r.stderr, c.says)
		}
	}
	want := `NIGHTLY_FAIL_IF: "p99 > 10%", character 7: "10%" has no sign`
	if night, r := n.scripted(2, goodNight, "NIGHTLY_AEROLOAD="+binary, "NIGHTLY_FAIL_IF=p99 > +5%\np99 > 10%"); night != "" || !strings.Contains(r.stderr, want) {
		t.Errorf("a wrong condition: a night %q, and\n%swant %q", night, r.stderr, want)
	}
}

// The base is made of the last good nights with the same stages.
func TestNightlyBase(t *testing.T) {
	n := newNightly(t, "- {workload: I}\n", "NIGHTLY_AGAINST=2", "NIGHTLY_FAIL_IF=p99 > +1%\n\ntps < -2%")
	base := func() string {
		t.Helper()
		calls := n.calls("compare")
		if len(calls) == 0 {
			return ""
		}
		words := strings.Fields(strings.ReplaceAll(calls[0], "nightly-results/", ""))
		return words[len(words)-2]
	}
	var good []string
	for i, s := range []struct {
		night scriptedNight
		code  int
		want  []int // of the good nights so far
	}{
		{goodNight, 0, nil},
		{scriptedNight{"3", "3", "0", "0"}, 3, []int{0}},
		{goodNight, 0, []int{0}},
		{scriptedNight{"0", "0", "3", "0"}, 3, []int{0, 1}},
		{goodNight, 0, []int{0, 1}},
		{goodNight, 0, []int{1, 2}},
	} {
		night, _ := n.scripted(s.code, s.night)
		var want []string
		for _, k := range s.want {
			want = append(want, good[k])
		}
		if got := base(); got != strings.Join(want, ",") {
			t.Errorf("night %d is compared with %q, want %q", i+1, got, want)
		}
		if s.code == 0 {
			good = append(good, night)
		}
	}
	if call := n.calls("compare")[0]; !strings.Contains(call, "--fail-if p99 > +1% --fail-if tps < -2% nightly") {
		t.Errorf("the comparison is %q", call)
	}
	n.write("stages.yaml", "- {workload: RU}\n")
	if _, _ = n.scripted(0, goodNight); base() != "" {
		t.Errorf("other stages are compared with %s", base())
	}
}

// The oldest nights go, but not what the next is compared with.
func TestNightlyKeeps(t *testing.T) {
	n := newNightly(t, "- {workload: I}\n", "NIGHTLY_KEEP=2")
	bad := scriptedNight{"3", "3", "0", "0"}
	good, _ := n.scripted(0, goodNight)
	var last []string
	for range 4 {
		night, _ := n.scripted(3, bad)
		last = append(last, night)
	}
	// It is counted among those to keep, so one more goes when it does.
	if got, want := n.nights(), []string{good, last[2], last[3]}; !slices.Equal(got, want) {
		t.Errorf("after bad nights there are %q, want %q", got, want)
	}
	better, _ := n.scripted(0, goodNight)
	if got, want := n.nights(), []string{last[3], better}; !slices.Equal(got, want) {
		t.Errorf("after a good night there are %q, want %q", got, want)
	}
}
