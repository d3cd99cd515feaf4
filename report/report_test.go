package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/internal/gcpause"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

func defaults() stage.Defaults {
	return stage.Defaults{
		Namespace: "test", Set: "testset", ObjectSpec: "I4", StartKey: 1, Keys: 1_000_000, Threads: 16, AsyncMax: 50, Seed: 7,
		ObjectOptions: objspec.Options{BinName: "testbin", CompressionRatio: 1},
	}
}

func planOf(t *testing.T, text string) *stage.Plan {
	t.Helper()
	plan, err := stage.Parse("f.yaml", []byte(text), defaults())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// measured makes a snapshot of transactions that took the given microseconds.
// With factor, response times are that many times as long; 0 leaves them out.
func measured(reads, writes []int, factor int) workload.Snapshot {
	var s workload.Snapshot
	for op := range workload.Op(workload.NumOps) {
		list := map[workload.Op][]int{workload.Read: reads, workload.Write: writes}[op]
		service, response := histogram.NewRecorder(1), histogram.NewRecorder(1)
		for _, us := range list {
			service.Shard(0).Record(time.Duration(us) * time.Microsecond)
			response.Shard(0).Record(time.Duration(us*factor) * time.Microsecond)
		}
		s.Counts[op].Done, s.Counts[op].Hit = uint64(len(list)), uint64(len(list))
		s.Service[op] = service.Snapshot()
		if factor > 0 {
			s.Response[op] = response.Snapshot()
		}
	}
	if factor > 0 {
		late := histogram.NewRecorder(1)
		late.Shard(0).Record(60 * time.Microsecond)
		s.Lateness = late.Snapshot()
	}
	return s
}

// at is a fixed moment, in local time as the lines show it.
var at = time.Date(2026, 11, 30, 18, 21, 56, 292e6, time.Local)

// utc replaces the times of day, which depend on the time zone.
func utc(text string) string {
	return strings.ReplaceAll(text, at.UTC().Format("2006-01-02T15:04:"), "<utc>:")
}

func TestHeader(t *testing.T) {
	plan, err := stage.FromFlags([]stage.FlagValue{{Flag: "--workload", Key: "workload", Text: "RU,50"}, {Flag: "--duration", Key: "duration", Text: "5"}}, defaults())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	s := Settings{Cluster: cluster.DefaultConfig(), Plan: plan, Defaults: defaults(), Port: 3000}
	if err := WriteHeader(&b, s); err != nil {
		t.Fatal(err)
	}
	golden(t, "header.golden", b.String())
	lines := strings.Split(b.String(), "\n")
	if !slices.ContainsFunc(lines[:20], func(l string) bool { return l == "namespace:              test" }) {
		t.Error("the namespace is not among the first 20 lines, where tools look for it")
	}

	s.Percentiles, s.OutputFile, s.OutputPeriod, s.HDRDir = []float64{50, 99.9}, "out.txt", 3*time.Second, "hists"
	b.Reset()
	if err := WriteHeader(&b, s); err != nil {
		t.Fatal(err)
	}
	golden(t, "header-outputs.golden", b.String())

	s.Embedded = true
	b.Reset()
	if err := WriteHeader(&b, s); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "server:                 embedded (the numbers measure this machine, not Aerospike)\n") {
		t.Errorf("the header of an embedded run begins %q", b.String()[:80])
	}
}

// twoPeriods is a run of one mixed stage: a whole second, then half a second
// with a miss, a timeout and an error.
func twoPeriods(t *testing.T, o stage.Observer, plan *stage.Plan) {
	t.Helper()
	st := plan.Stages[0]
	first := measured([]int{100, 200, 300, 400}, []int{1000, 2000}, 0)
	second := measured([]int{500}, []int{50_000}, 0)
	second.Counts[workload.Read] = workload.Counts{Done: 1, Miss: 1, Timeout: 1}
	second.Counts[workload.Write].Error = 1
	total := measured([]int{100, 200, 300, 400, 500}, []int{1000, 2000, 50_000}, 0)
	for _, err := range []error{
		o.Pause(st, 2),
		o.StageStart(st, at),
		o.Period(&stage.Period{Stage: st, End: at.Add(time.Second), SinceStart: time.Second, Elapsed: time.Second, Delta: first, InStage: first, Total: first}),
		o.Period(&stage.Period{Stage: st, End: at.Add(1500 * time.Millisecond), SinceStart: 1500 * time.Millisecond, Elapsed: 500 * time.Millisecond, Delta: second, InStage: total, Total: total}),
		o.StageEnd(&stage.StageResult{Stage: st, Start: at, Elapsed: 1500 * time.Millisecond, Snapshot: total}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestLines(t *testing.T) {
	plan := planOf(t, "- {workload: RU, desc: mixed}")
	var out, log bytes.Buffer
	twoPeriods(t, NewLines(&out, &log, plan, []float64{50, 90, 99.9}), plan)
	golden(t, "lines.golden", utc(out.String()))
	if !strings.Contains(log.String(), " INFO Pause for 2 seconds before stage 1\n") || strings.Contains(out.String(), "Pause") {
		t.Errorf("the pause belongs on the log: %q", log.String())
	}
}

// What public parsers of asbench's output expect of every line after the first
// stage's.
func TestLinesKeepToTheGrammar(t *testing.T) {
	number := regexp.MustCompile(`^[a-z]+=\d+$`)
	hdrLine := regexp.MustCompile(`^hdr: (write|read |udf  ) \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d+(, \d+){6}$`)
	plan := planOf(t, "- {workload: RU, desc: default config (specify your own)}")
	var out bytes.Buffer
	twoPeriods(t, NewLines(&out, io.Discard, plan, []float64{50, 90, 99}), plan)
	_, after, ok := strings.Cut(out.String(), "Stage 1: default config (specify your own)\n")
	if !ok {
		t.Fatalf("no stage line in %q", out.String())
	}
	for line := range strings.Lines(after) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "hdr:") {
			if !hdrLine.MatchString(line) {
				t.Errorf("%q is no latency line", line)
			}
			continue
		}
		_, total, ok := strings.Cut(line, " total(")
		if !ok || strings.Count(line, "total(") != 1 {
			t.Errorf("%q has no single total", line)
		}
		for field := range strings.FieldsSeq(strings.NewReplacer("(", "", ")", "").Replace(total)) {
			if !number.MatchString(field) {
				t.Errorf("%q in %q is no name=number", field, line)
			}
		}
	}
}

func TestColumnsFollowThePlan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"- {workload: I}", "write total"},
		{"- {workload: DB}", "write total"},
		{"- {workload: 'RU,100'}", "read total"},
		{"- {workload: 'RU,100'}\n- {workload: I}", "write read total"},
	} {
		plan := planOf(t, c.text)
		var out bytes.Buffer
		l := NewLines(&out, io.Discard, plan, nil)
		if err := l.Period(&stage.Period{Stage: plan.Stages[0], End: at, Elapsed: time.Second, Delta: measured(nil, nil, 0), Total: measured(nil, nil, 0)}); err != nil {
			t.Fatal(err)
		}
		var columns []string
		for _, m := range regexp.MustCompile(`([a-z]+)\(tps`).FindAllStringSubmatch(out.String(), -1) {
			columns = append(columns, m[1])
		}
		if got := strings.Join(columns, " "); got != c.want {
			t.Errorf("%q has the columns %q, want %q", c.text, got, c.want)
		}
	}
}

func TestRatesAreOverTheTimeElapsed(t *testing.T) {
	for _, c := range []struct {
		counts  workload.Counts
		elapsed time.Duration
		want    string
	}{
		{workload.Counts{Done: 1000, Hit: 1000}, time.Second, "tps=1000 (hit=1000 miss=0) timeouts=0 errors=0"},
		{workload.Counts{Done: 1000, Hit: 1000}, 500 * time.Millisecond, "tps=2000 (hit=2000 miss=0) timeouts=0 errors=0"},
		{workload.Counts{Done: 6, Hit: 3, Miss: 3}, 4 * time.Second, "tps=2 (hit=1 miss=1) timeouts=0 errors=0"},
		{workload.Counts{Done: 10, Hit: 900, Miss: 100}, 2 * time.Second, "tps=5 (hit=450 miss=50) timeouts=0 errors=0"},
		{workload.Counts{Timeout: 1, Error: 2}, 4 * time.Second, "tps=0 (hit=0 miss=0) timeouts=1 errors=2"},
		{workload.Counts{Done: 5, Hit: 5}, 0, "tps=5 (hit=5 miss=0) timeouts=0 errors=0"},
	} {
		if got := newRates(c.counts, c.elapsed).String(); got != c.want {
			t.Errorf("%+v in %v: %s, want %s", c.counts, c.elapsed, got, c.want)
		}
	}
}

func TestLatencyLinesShowResponseTimesWhenThrottled(t *testing.T) {
	plan := planOf(t, "- {workload: 'RU,100', tps: 10}")
	var out bytes.Buffer
	l := NewLines(&out, io.Discard, plan, []float64{50})
	plan2 := planOf(t, "- {workload: 'RU,100'}")
	service := measured([]int{30, 30}, nil, 0)
	for _, err := range []error{
		l.Period(&stage.Period{Stage: plan2.Stages[0], End: at, Elapsed: time.Second, Delta: service, InStage: service, Total: service}),
		l.StageEnd(&stage.StageResult{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s := measured([]int{100}, nil, 7)
	if err := l.Period(&stage.Period{Stage: plan.Stages[0], End: at, Elapsed: time.Second, SinceStart: time.Second, Delta: s, InStage: s, Total: s}); err != nil {
		t.Fatal(err)
	}
	// Cumulative: two service times of the stage before, and 700 µs of
	// response, not 100 µs of service, of this one.
	if want := " 1, 3, 30, 700, 30\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %q, want ...%q", out.String(), want)
	}
}

func TestBuckets(t *testing.T) {
	plan := planOf(t, "- {workload: RU, desc: mixed}")
	for _, every := range []time.Duration{time.Second, 2 * time.Second} {
		var out bytes.Buffer
		twoPeriods(t, NewBuckets(unclosed{&out}, plan, every), plan)
		golden(t, fmt.Sprintf("buckets-%ds.golden", int(every.Seconds())), utc(out.String()))
	}
}

// unclosed is a writer whose Close does nothing.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// full is a writer that takes n bytes.
type full struct{ n int }

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// A full disk shows before the first transaction if it can, and does not end a
// run that is under way.
func TestBucketsOnAFullDisk(t *testing.T) {
	plan := planOf(t, "- {workload: RU, desc: mixed}")
	b := NewBuckets(unclosed{&full{100}}, plan, time.Second)
	if err := b.StageStart(plan.Stages[0], at); !errors.Is(err, errFull) {
		t.Errorf("StageStart = %v", err)
	}
	b = NewBuckets(unclosed{&full{850}}, plan, time.Second)
	twoPeriods(t, b, plan)
	if err := b.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close = %v", err)
	}
}

func TestSummary(t *testing.T) {
	plan := planOf(t, "- {workload: I, desc: load}\n- {workload: 'RU,75', tps: 10, threads: 1}")
	first := measured(nil, []int{100, 200, 300}, 1)
	second := measured([]int{100, 150, 200}, []int{90}, 10)
	second.Counts[workload.Read] = workload.Counts{Done: 4, Hit: 3, Miss: 1}
	second.Counts[workload.Write] = workload.Counts{Timeout: 1, Error: 2}
	var b bytes.Buffer
	err := WriteSummary(&b, &stage.Result{
		Plan: plan,
		Stages: []*stage.StageResult{
			{Stage: plan.Stages[0], Elapsed: time.Second, Snapshot: first},
			{Stage: plan.Stages[1], Elapsed: 2 * time.Second, Snapshot: second, Abandoned: 1},
		},
		Failures: []workload.Failure{
			{Op: workload.Write, Code: types.DEVICE_OVERLOAD, Count: 2, Example: "first\n  line " + strings.Repeat("x", 300)},
			{Op: workload.Write, Code: types.TIMEOUT, Count: 1, Example: "no answer"},
		},
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.golden", b.String())
}

// Pauses are told of that may show: above a millisecond, or half of a p99.
func TestSummaryTellsOfPauses(t *testing.T) {
	plan := planOf(t, "- {workload: 'RU,100', threads: 1}")
	for _, c := range []struct {
		longest, p99 int // µs
		want         string
	}{
		{49, 100, ""},
		{51, 100, "  Latencies include pauses of aeroload's garbage collector: 3 pauses of up to 51µs, half of them up to 2µs.\n"},
		{999, 5000, ""},
		{1001, 5000, "  Latencies include pauses of aeroload's garbage collector: 3 pauses of up to 1.001ms, half of them up to 2µs.\n"},
		{51, 0, ""}, // nothing was measured
	} {
		var took []int
		if c.p99 > 0 {
			took = []int{c.p99}
		}
		s := &stage.StageResult{
			Stage: plan.Stages[0], Elapsed: time.Second, Snapshot: measured(took, nil, 1),
			Pauses: gcpause.Pauses{Count: 3, P50: 1.5e-6, Max: float64(c.longest) / 1e6},
		}
		var b bytes.Buffer
		if err := WriteSummary(&b, &stage.Result{Plan: plan, Stages: []*stage.StageResult{s}}, false); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "garbage collector"); got != (c.want != "") || !strings.Contains(b.String(), c.want) {
			t.Errorf("up to %d µs, p99 %d µs:\n%swant %q", c.longest, c.p99, b.String(), c.want)
		}
	}
}

// The 60 µs by which measured starts its transactions late are a fifteenth of a
// response p99 of 900 µs, and most of one of 90 µs.
func TestSummaryWarnsOfItsOwnLateness(t *testing.T) {
	plan := planOf(t, "- {workload: 'RU,100', tps: 10, threads: 1}")
	for _, c := range []struct {
		factor int
		warns  bool
	}{{10, false}, {1, true}} {
		s := measured([]int{90}, nil, c.factor)
		var b bytes.Buffer
		err := WriteSummary(&b, &stage.Result{Plan: plan, Stages: []*stage.StageResult{{Stage: plan.Stages[0], Elapsed: time.Second, Snapshot: s}}}, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "Warning: up to 66 % of the p99 response time"); got != c.warns {
			t.Errorf("factor %d: %s", c.factor, b.String())
		}
	}
}

// failing is an observer that fails.
type failing struct{ err error }

func (f failing) Pause(*stage.Stage, int) error            { return f.err }
func (f failing) Warmup(*stage.Stage) error                { return f.err }
func (f failing) StageStart(*stage.Stage, time.Time) error { return f.err }
func (f failing) Period(*stage.Period) error               { return f.err }
func (f failing) StageEnd(*stage.StageResult) error        { return f.err }

func TestMultiTellsAllWhateverOneReturns(t *testing.T) {
	plan := planOf(t, "- {workload: RU, desc: mixed}")
	broken := errors.New("broken")
	var out bytes.Buffer
	m := Multi{failing{broken}, NewLines(&out, io.Discard, plan, nil)}
	st := plan.Stages[0]
	s := measured(nil, nil, 0)
	for _, err := range []error{m.Pause(st, 1), m.StageStart(st, at), m.Period(&stage.Period{Stage: st, End: at, Elapsed: time.Second, Delta: s, InStage: s, Total: s}), m.StageEnd(&stage.StageResult{Stage: st})} {
		if !errors.Is(err, broken) {
			t.Errorf("err = %v", err)
		}
	}
	if strings.Count(out.String(), "\n") != 3 {
		t.Errorf("the second observer was told %q", out.String())
	}
}

// A description is one line, and tells a terminal nothing.
func TestStageLine(t *testing.T) {
	for desc, want := range map[string]string{
		"":             "Stage 1: I\n",
		`größe "x"`:    "Stage 1: größe \"x\"\n",
		"a\nb\x1b[31m": `Stage 1: a\nb\x1b[31m` + "\n",
	} {
		plan := planOf(t, "- {workload: I}\n")
		plan.Stages[0].Desc = desc
		if got := stageLine(plan.Stages[0]); got != want {
			t.Errorf("%q: got %q, want %q", desc, got, want)
		}
	}
}
