package compare

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// run makes the result of a stage of reads, a period a second, each of 100
// transactions whose latencies are about the given µs. Every period has the given
// number of errors.
func run(t *testing.T, seed uint64, periods int, us float64, errs uint64) *result.Document {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &result.Stage{Number: 1, Seconds: float64(periods), Operations: map[string]*result.Operation{}}
	total := &result.Operation{}
	all := new(histogram.Snapshot)
	for i := range periods {
		r := histogram.NewRecorder(1)
		for range 100 {
			r.Shard(0).Record(time.Duration(us * (1 + rng.ExpFloat64()) * float64(time.Microsecond)))
		}
		l, err := result.NewLatency(r.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		c := result.Counts{Done: 100, Hits: 100, Errors: errs}
		s.Periods = append(s.Periods, result.Period{Start: float64(i), Seconds: 1, Operations: map[string]*result.PeriodOperation{"read": {Counts: c, Service: l}}})
		total.Done, total.Hits, total.Errors = total.Done+c.Done, total.Hits+c.Hits, total.Errors+errs
		all = all.Add(r.Snapshot())
	}
	var err error
	if total.Service, err = result.NewLatency(all); err != nil {
		t.Fatal(err)
	}
	total.TPS = float64(total.Done) / s.Seconds
	s.Operations["read"] = total
	return &result.Document{
		Stages: []*result.Stage{s}, Machines: []result.Machine{{CPU: "x"}},
		Config: result.Config{Stages: []map[string]any{{"workload": "RU,100%", "threads": 16}}},
	}
}

func side(docs ...*result.Document) []*result.Document { return docs }

func verdicts(t *Table) map[string]Verdict {
	v := map[string]Verdict{}
	for _, r := range t.Rows {
		v[r.Metric] = r.Verdict
	}
	return v
}

func TestVerdicts(t *testing.T) {
	base := run(t, 1, 30, 1000, 0)
	for _, c := range []struct {
		why       string
		base, new []*result.Document
		want      map[string]Verdict
	}{
		{"the same again", side(base), side(run(t, 2, 30, 1000, 0)), map[string]Verdict{"tps": Same, "p50": Same, "p99": Same, "max": Same, "errors": Same}},
		{"slower by half", side(base), side(run(t, 3, 30, 1500, 0)), map[string]Verdict{"tps": Same, "p50": Worse, "p90": Worse, "p99": Worse}},
		{"faster by half", side(base), side(run(t, 4, 30, 500, 0)), map[string]Verdict{"p50": Better, "p90": Better, "p99": Better}},
		{"slower by less than the margin", side(base), side(run(t, 5, 30, 1030, 0)), map[string]Verdict{"p50": Same, "p99": Same}},
		{"errors where there were none", side(base), side(run(t, 6, 30, 1000, 5)), map[string]Verdict{"errors": Worse, "p50": Same}},
		{"too short", side(base), side(run(t, 7, 7, 5000, 0)), map[string]Verdict{"p50": Unknown, "tps": Unknown}},
		{"repeated runs", side(run(t, 8, 9, 1000, 0), run(t, 9, 9, 1000, 0), run(t, 10, 9, 1000, 0)), side(run(t, 11, 9, 1500, 0), run(t, 12, 9, 1500, 0), run(t, 13, 9, 1500, 0)),
			map[string]Verdict{"tps": Same, "p50": Worse, "max": Same}},
		{"one run against a history", side(run(t, 8, 9, 1000, 0), run(t, 9, 9, 1000, 0), run(t, 10, 9, 1000, 0), run(t, 14, 9, 1000, 0)), side(run(t, 15, 9, 2000, 0)),
			map[string]Verdict{"p50": Worse, "tps": Same}},
	} {
		table, err := Compare(c.base, c.new, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		got := verdicts(table)
		for metric, want := range c.want {
			if got[metric] != want {
				t.Errorf("%s: %s is %s, want %s", c.why, metric, got[metric], want)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	base := run(t, 1, 30, 1000, 0)
	slow, same, failing := run(t, 3, 30, 1500, 0), run(t, 2, 30, 1000, 0), run(t, 6, 30, 1000, 5)
	for _, c := range []struct {
		condition string
		new       *result.Document
		fires     bool
	}{
		{"p50 > +10%", slow, true},
		{"p50 > +70%", slow, false},
		{"read.p50 > +100us", slow, true},
		{"stage1.total.p99.5 > +10%", slow, true}, // has no row, so the change alone counts
		{"p50 < -10%", slow, false},
		{"max > +0.001%", same, false}, // noise, if it is larger at all
		{"max < -0.001%", same, false},
		{"errors > 0", failing, true},
		{"errors > +10%", failing, true}, // from none to some
		{"error-rate > 1%", failing, true},
		{"errors > 0", same, false},
		{"tps < -5%", slow, false},
		{"tps < 101", same, true},
	} {
		cond, err := condition.Parse(c.condition, condition.Comparison)
		if err != nil {
			t.Fatal(err)
		}
		table, err := Compare(side(base), side(c.new), DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Check([]condition.Condition{cond}); err != nil || (len(table.Fired) == 1) != c.fires {
			t.Errorf("%s: %v, fired %+v", c.condition, err, table.Fired)
		}
	}
	table, err := Compare(side(base), side(slow), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"write.p99 > +1%", "stage2.tps > 5", "response.p99 > 1s"} {
		cond, err := condition.Parse(text, condition.Comparison)
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Check([]condition.Condition{cond}); err == nil || !strings.Contains(err.Error(), "no stage of these runs measured") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCompareRefusesAndWarns(t *testing.T) {
	a := run(t, 1, 9, 1000, 0)
	b := run(t, 2, 9, 1000, 0)
	b.Stages[0].Operations["write"] = b.Stages[0].Operations["read"]
	if _, err := Compare(side(a), side(b), DefaultOptions()); err == nil || !strings.Contains(err.Error(), "other operations") {
		t.Errorf("other operations: %v", err)
	}
	b = run(t, 2, 9, 1000, 0)
	b.Stages = nil
	if _, err := Compare(side(a), side(b), DefaultOptions()); err == nil || !strings.Contains(err.Error(), "1 and 0 stages") {
		t.Errorf("no stages: %v", err)
	}
	b = run(t, 2, 9, 1000, 0)
	b.Config.Stages[0]["threads"], b.Machines[0].CPU, b.Stopped = 32, "y", "stopped by SIGINT"
	table, err := Compare(side(a), side(b), DefaultOptions())
	if err != nil || len(table.Warnings) != 3 {
		t.Errorf("%v, warnings %q", err, table.Warnings)
	}
}

// A folder may hold a run and a copy of it; two equal values would have no noise.
func TestARunCountsOnceOnASide(t *testing.T) {
	a, b := run(t, 1, 9, 1000, 0), run(t, 2, 9, 1000, 0)
	table, err := Compare(side(a, run(t, 1, 9, 1000, 0)), side(b, b, b), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a run is there more than once in BASE, and counts once", "a run is there more than once in NEW, and counts once"}
	if table.BaseRuns != 1 || table.NewRuns != 1 || table.Test != "periods" || !slices.Equal(table.Warnings, want) {
		t.Errorf("%d and %d runs, judged by %s, warnings %q", table.BaseRuns, table.NewRuns, table.Test, table.Warnings)
	}
	if table, err = Compare(side(a, b), side(a, b), DefaultOptions()); err != nil || table.BaseRuns != 2 || table.NewRuns != 2 {
		t.Errorf("the same runs on both sides: %v, %+v", err, table)
	}
}

// Whatever makes two stages another load is worth a warning, whichever key says it.
func TestWarnsOfOtherPlans(t *testing.T) {
	with := func(seed uint64, keys map[string]any) *result.Document {
		d := run(t, seed, 9, 1000, 0)
		maps.Copy(d.Config.Stages[0], keys)
		return d
	}
	for _, c := range []struct {
		why       string
		base, new map[string]any
		want      []string
	}{
		{"nothing that matters", map[string]any{"seed": 1, "desc": "a", "pause": 1}, map[string]any{"seed": 2, "assert": []any{"errors == 0"}}, nil},
		{"how keys are drawn", map[string]any{"keys": map[string]any{"distribution": "uniform"}}, map[string]any{"keys": map[string]any{"distribution": "zipfian"}},
			[]string{`stage 1: keys is {"distribution":"uniform"} in one run and {"distribution":"zipfian"} in another`}},
		{"how many", map[string]any{"key-end": 1000.0}, map[string]any{"key-end": 1000000.0}, []string{"stage 1: key-end is 1000 in one run and 1000000 in another"}},
		{"what only one is told", nil, map[string]any{"verify": true}, []string{"stage 1: verify is not given in one run and true in another"}},
	} {
		table, err := Compare(side(with(1, c.base)), side(with(2, c.new)), DefaultOptions())
		if err != nil || !slices.Equal(table.Warnings, c.want) && len(table.Warnings)+len(c.want) > 0 {
			t.Errorf("%s: %v, warnings %q", c.why, err, table.Warnings)
		}
	}
}

// What find-max found is a value of a run; its probes are no noise of that.
func TestFindMaxIsCompared(t *testing.T) {
	found := func(seed uint64, tps float64) *result.Document {
		d := run(t, seed, 30, 1000, 0)
		d.Stages[0].FindMax = &result.FindMax{TPS: tps, Settled: true}
		return d
	}
	for _, c := range []struct {
		why       string
		base, new []*result.Document
		change    float64
		want      Verdict
	}{
		{"one run a side", side(found(1, 10000)), side(found(2, 8000)), -0.2, Unknown},
		{"lower", side(found(1, 10000), found(2, 10100), found(3, 9900)), side(found(4, 8000), found(5, 8100), found(6, 7900)), -0.2, Worse},
		{"higher", side(found(1, 10000), found(2, 10100), found(3, 9900)), side(found(4, 12000), found(5, 12100), found(6, 11900)), 0.2, Better},
		{"as before", side(found(1, 10000), found(2, 10500), found(3, 9500)), side(found(4, 9900), found(5, 10400), found(6, 9400)), -0.01, Same},
	} {
		table, err := Compare(c.base, c.new, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		row := table.Rows[len(table.Rows)-1]
		if row.Metric != "find-max" || row.Op != "total" || row.Verdict != c.want || math.Abs(*row.Change-c.change) > 1e-9 {
			t.Errorf("%s: %+v, want %s by %g", c.why, row, c.want, c.change)
		}
	}
	table, err := Compare(side(found(1, 10000)), side(run(t, 2, 30, 1000, 0)), DefaultOptions())
	if err != nil || table.Rows[len(table.Rows)-1].Metric == "find-max" {
		t.Errorf("one of two looked for it: %v, %+v", err, table)
	}
}

func TestMarkdownShowsWarningsAsTheyAre(t *testing.T) {
	table := &Table{}
	table.warn("object-spec is %s", "[3*I2],{2*S1:I1} <b>&amp;`_x_`")
	var b strings.Builder
	if err := table.Write(&b, "markdown"); err != nil {
		t.Fatal(err)
	}
	const want = "**Warning:** object-spec is \\[3\\*I2],{2\\*S1:I1} &lt;b>&amp;amp;\\`\\_x\\_\\`\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s\nwant %s", &b, want)
	}
}

func TestFormats(t *testing.T) {
	table, err := Compare(side(run(t, 1, 30, 1000, 0)), side(run(t, 3, 30, 1500, 1)), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	table.warn("something is odd")
	cond, err := condition.Parse("p99 > +10%", condition.Comparison)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Check([]condition.Condition{cond}); err != nil {
		t.Fatal(err)
	}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := table.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", "table."+format)
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s:\n%s", file, &b)
		}
		if format == "json" && !json.Valid(b.Bytes()) {
			t.Error("not JSON")
		}
	}
}
