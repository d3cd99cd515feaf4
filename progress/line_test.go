package progress

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func planOf(t testing.TB, text string) *stage.Plan {
	t.Helper()
	plan, err := stage.Parse("f.yaml", []byte(text), stage.Defaults{
		Namespace: "test", Set: "testset", ObjectSpec: "I4", StartKey: 1, Keys: 1_000_000, Threads: 16, AsyncMax: 50, Seed: 7,
		ObjectOptions: objspec.Options{BinName: "testbin", CompressionRatio: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// measured makes a snapshot of reads that took the given microseconds.
func measured(counts workload.Counts, us ...int) workload.Snapshot {
	var s workload.Snapshot
	for op := range s.Service {
		r := histogram.NewRecorder(1)
		if workload.Op(op) == workload.Read {
			for _, v := range us {
				r.Shard(0).Record(time.Duration(v) * time.Microsecond)
			}
		}
		s.Service[op], s.Response[op] = r.Snapshot(), r.Snapshot()
	}
	s.Counts[workload.Read] = counts
	return s
}

// Lines about all that a run does, on terminals of several widths.
func TestLines(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	plan := planOf(t, `
- {workload: I, key-end: 1001, desc: load}
- {workload: 'RU,80', duration: 90, tps: 20k, desc: "80 % reads"}
- {workload: 'RU,80', duration: 2h, warmup: 10, pause: 5}
- {workload: 'RU,100', duration: 300, find-max: {p99: 2ms, probe: 5s, settle: 1s}, desc: knee}
- {workload: 'RU,80', transactions: 500, duration: 3600, desc: "a description of several 行 words that goes on"}
`)
	counts := workload.Counts{Done: 250, Hit: 250}
	inStage := func(n int, after, elapsed time.Duration, in workload.Snapshot, delta workload.Snapshot) state {
		st := plan.Stages[n-1]
		p := &Progress{terminal: &Terminal{}, wake: make(chan struct{}, 1), state: state{stages: 5}}
		_ = p.StageStart(st, start)
		_ = p.Period(&stage.Period{Stage: st, End: start.Add(after), Elapsed: elapsed, Delta: delta, InStage: in})
		return p.state
	}
	second := measured(workload.Counts{Done: 20_000, Hit: 20_000}, 100, 200, 1500)
	stopping := inStage(2, 10*time.Second, time.Second, measured(counts), second)
	stopping.stopping = "stopped by SIGINT"
	found := inStage(4, 13*time.Second, time.Second, measured(counts), measured(workload.Counts{Done: 1990}, 900))
	found.trying, found.tried, found.tries, found.held = 2000, start.Add(12*time.Second), 2, 1000
	found.now.target = 2000
	over := found
	over.trying, over.held = 0, 1414
	bad := workload.Counts{Done: 400, Hit: 380, Miss: 20, Timeout: 1, Error: 30, Lost: 1, Mismatch: 2}
	var b strings.Builder
	for _, c := range []struct {
		why string
		s   state
		at  time.Duration
	}{
		{"a load before its first second", state{phase: running, stage: plan.Stages[0], stages: 5, since: start}, 400 * time.Millisecond},
		{"a load", inStage(1, time.Second, time.Second, measured(counts, 90), measured(counts, 90)), 1300 * time.Millisecond},
		{"a rate that is reached", inStage(2, 10*time.Second, time.Second, measured(counts), second), 10 * time.Second},
		{"a rate that is not reached", inStage(2, 60*time.Second, time.Second, measured(bad), measured(bad, 1_200_000)), 60 * time.Second},
		{"the last transactions take long", inStage(2, 90*time.Second, time.Second, measured(bad), measured(workload.Counts{})), 95 * time.Second},
		{"a pause", state{phase: pausing, stage: plan.Stages[2], stages: 5, since: start, lasts: 5 * time.Second}, 1100 * time.Millisecond},
		{"a warm-up", state{phase: warming, stage: plan.Stages[2], stages: 5, since: start, lasts: 10 * time.Second}, 5 * time.Second},
		{"hours", inStage(3, 90*time.Minute, time.Second, measured(counts), second), 90*time.Minute + 5*time.Second},
		{"a probe", found, 15 * time.Second},
		{"a search at its end", over, 16 * time.Second},
		{"a number of transactions, and a long description", inStage(5, 4*time.Second, 2*time.Second, measured(counts), measured(workload.Counts{Done: 3}, 5)), 4 * time.Second},
		{"a run that is stopped", stopping, 10500 * time.Millisecond},
		{"between stages", state{stages: 5}, time.Second},
	} {
		fmt.Fprintf(&b, "%s:\n", c.why)
		for _, columns := range []int{0, 120, 80, 40, 20, 5} {
			line := c.s.line(start.Add(c.at), columns)
			fmt.Fprintf(&b, "%4d %q\n", columns, line)
			if w := uniseg.StringWidth(line); columns > 0 && w >= columns {
				t.Errorf("%s: a line of %d columns on a terminal of %d", c.why, w, columns)
			}
		}
	}
	b.WriteString("stages that are over:\n")
	for _, r := range []*stage.StageResult{
		{Stage: plan.Stages[0], Elapsed: 9 * time.Second, Snapshot: measured(workload.Counts{Done: 1000, Hit: 1000}, 80, 90)},
		{Stage: plan.Stages[1], Elapsed: 45 * time.Second, Snapshot: measured(bad, 80, 90)},
		{Stage: plan.Stages[1], Elapsed: 93 * time.Second, Snapshot: measured(workload.Counts{Done: 1_800_000, Hit: 1_800_000}, 80, 90)},
		{Stage: plan.Stages[3], Elapsed: 99 * time.Second, Snapshot: measured(counts, 80), MaxRate: 1414.2},
		{Stage: plan.Stages[3], Elapsed: 8 * time.Second, Snapshot: measured(counts, 80)},
	} {
		fmt.Fprintf(&b, "     %q\n", summary(r, 5, 100))
	}
	file := filepath.Join("testdata", "lines.txt")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o777), os.WriteFile(file, []byte(b.String()), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || b.String() != string(want) {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, b.String(), want)
	}
}

// Whatever a description is, a line fits its terminal and has no control codes.
func FuzzLine(f *testing.F) {
	plan := planOf(f, "- {workload: 'RU,80', duration: 60, tps: 5}")
	f.Add("load", 80, 0.5, uint64(3))
	f.Add("行行行行行行行行行行行行行行行", 30, 1.0, uint64(0))
	f.Add("\x1b[2J\n\u202e", 7, 0.0, uint64(1<<63))
	f.Add("👩‍👩‍👧‍👦e\u0301", 12, 0.99, uint64(7))
	f.Fuzz(func(t *testing.T, desc string, columns int, share float64, n uint64) {
		if !utf8.ValidString(desc) || columns < 1 || columns > 1000 || !(share >= 0 && share <= 1) {
			return
		}
		st := *plan.Stages[0]
		st.Desc = desc
		start := time.Unix(1, 0)
		s := state{phase: running, stage: &st, stages: 1, since: start, ticked: true, measured: measured(workload.Counts{Done: n, Error: n})}
		line := s.line(start.Add(time.Duration(share*float64(st.Duration))), columns)
		if uniseg.StringWidth(line) >= columns {
			t.Errorf("%q takes %d columns of %d", line, uniseg.StringWidth(line), columns)
		}
		if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
			t.Errorf("%q has a control code", line)
		}
	})
}

func TestParseMode(t *testing.T) {
	for _, m := range []Mode{Auto, On, Off} {
		if got, err := ParseMode(string(m)); got != m || err != nil {
			t.Errorf("%s: %v, %v", m, got, err)
		}
	}
	if _, err := ParseMode("offf"); err == nil || err.Error() != `"offf" is not auto, on or off; did you mean "off"?` {
		t.Errorf("offf: %v", err)
	}
}
