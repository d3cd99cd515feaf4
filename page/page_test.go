package page

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample is what an operation came to in a period.
type sample struct {
	us               []int64 // service times of transactions that were answered
	wait             int64   // µs by which response times are longer
	timeouts, errors int
}

// seconds are periods of a second, from the start of a stage on.
func seconds(ops ...map[string]sample) []map[string]sample { return ops }

// latency returns the latencies of a document.
func latency(t testing.TB, us []int64) *result.Latency {
	t.Helper()
	r := histogram.NewRecorder(1)
	for _, v := range us {
		r.Shard(0).Record(time.Duration(v) * time.Microsecond)
	}
	l, err := result.NewLatency(r.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// later returns latencies with a wait before them.
func later(us []int64, wait int64) []int64 {
	list := make([]int64, len(us))
	for i, v := range us {
		list[i] = v + wait
	}
	return list
}

// newStage returns a stage that measured periods of a length.
func newStage(t testing.TB, number int, desc string, throttled bool, length float64, periods []map[string]sample) *result.Stage {
	t.Helper()
	s := &result.Stage{Number: number, Desc: desc, Throttled: throttled, Seconds: length * float64(len(periods)),
		Operations: map[string]*result.Operation{}, Assertions: []result.Assertion{}, Periods: []result.Period{}}
	service, response := map[string][]int64{}, map[string][]int64{}
	known := map[string]*result.Latency{} // encoding takes time
	encoded := func(us []int64) *result.Latency {
		key := fmt.Sprint(us)
		if known[key] == nil {
			known[key] = latency(t, us)
		}
		return known[key]
	}
	for i, ops := range periods {
		p := result.Period{Start: length * float64(i), Seconds: length, Operations: map[string]*result.PeriodOperation{}}
		for name, o := range ops {
			// Timeouts count with their latency.
			times := append(slices.Clone(o.us), slices.Repeat([]int64{1_000_000}, o.timeouts)...)
			c := result.Counts{Done: uint64(len(o.us)), Hits: uint64(len(o.us)), Timeouts: uint64(o.timeouts), Errors: uint64(o.errors)}
			po := &result.PeriodOperation{Counts: c, Service: encoded(times)}
			service[name], response[name] = append(service[name], times...), append(response[name], later(times, o.wait)...)
			if throttled {
				po.Response = encoded(later(times, o.wait))
			}
			p.Operations[name] = po
			total := s.Operations[name]
			if total == nil {
				total = &result.Operation{Codes: []result.Code{}}
				s.Operations[name] = total
			}
			total.Done, total.Hits = total.Done+c.Done, total.Hits+c.Hits
			total.Timeouts, total.Errors = total.Timeouts+c.Timeouts, total.Errors+c.Errors
		}
		s.Periods = append(s.Periods, p)
	}
	for name, o := range s.Operations {
		o.TPS = float64(o.Done) / s.Seconds
		o.Service = latency(t, service[name])
		if throttled {
			o.Response = latency(t, response[name])
		}
		if o.Timeouts > 0 {
			o.Codes = append(o.Codes, result.Code{Code: 9, Name: "TIMEOUT", Count: o.Timeouts, Example: "timed out"})
		}
	}
	return s
}

// newDocument returns the document of a run of stages, a second apart, as it would
// be read from a file.
func newDocument(t testing.TB, stages ...*result.Stage) *result.Document {
	t.Helper()
	start := time.Date(2026, 11, 30, 20, 57, 37, 0, time.UTC)
	d := &result.Document{
		Format: result.Format, Version: result.Version, Start: start, Seed: 7, Stages: stages,
		Config:   result.Config{Namespace: "test", Set: "testset", Bin: "testbin", Connection: result.Connection{Hosts: []string{"db1:3000"}, Auth: "INTERNAL"}},
		Versions: result.Versions{Aeroload: "v1.2.3", Go: "go1.26.0", Client: "v8.5.0"},
		Server:   result.Server{Nodes: []result.Node{{Name: "BB9", Host: "db1:3000", Build: "8.1.0.3", Edition: "Enterprise"}}},
		Machines: []result.Machine{{Host: "loader", OS: "linux", Arch: "amd64", Kernel: "6.1", CPU: "Fast", Cores: 2, MemoryBytes: 8 << 30}},
		Notes:    []result.Note{},
	}
	at := start
	for _, s := range stages {
		s.Start = at
		at = at.Add(time.Duration((s.Seconds + 1) * float64(time.Second)))
		for len(d.Config.Stages) < s.Number {
			d.Config.Stages = append(d.Config.Stages, map[string]any{"stage": len(d.Config.Stages) + 1, "tps": 0, "workload": "RU,80"})
		}
	}
	d.End = at
	return reread(t, d)
}

// reread returns the document as its file is read.
func reread(t testing.TB, d *result.Document) *result.Document {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	d, err := result.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// clone returns a copy of a document, which is quicker than to make one.
func clone(t testing.TB, d *result.Document) *result.Document {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	d = new(result.Document)
	if err := json.Unmarshal(data, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// measured returns a pointer to a measured value.
func measured(v float64) *float64 { return &v }

// twoStages returns the document of a load and a stage at a rate, the third period
// of which has failures.
func twoStages(t testing.TB) *result.Document {
	load := newStage(t, 1, "load", false, 1, seconds(
		map[string]sample{"write": {us: []int64{100, 200, 300, 400}}},
		map[string]sample{"write": {us: []int64{100, 200, 300}}},
	))
	mixed := newStage(t, 2, "80 % reads", true, 1, seconds(
		map[string]sample{"read": {us: []int64{50, 60, 70, 80}, wait: 1000}, "write": {us: []int64{500}, wait: 1000}},
		map[string]sample{"read": {us: []int64{50, 60, 70, 80}, wait: 1000}, "write": {us: []int64{600}, wait: 1000}},
		map[string]sample{"read": {us: []int64{50, 60}, timeouts: 2}, "write": {errors: 1}},
		map[string]sample{"read": {us: []int64{50, 60, 70, 80}}, "write": {us: []int64{800}}},
	))
	mixed.Assertions = []result.Assertion{
		{Text: "p99 < 2ms", Measured: measured(1_000_447), Unit: "us"},
		{Text: "tps >= 4", OK: true, Measured: measured(4.25)},
	}
	mixed.Lateness = latency(t, []int64{30, 40})
	mixed.Client = result.Client{UserCPU: 1, SystemCPU: 1, MaxRSS: 64 << 20, GC: result.GC{Pauses: 3, Max: 0.0015}}
	d := newDocument(t, load, mixed)
	d.Config.Stages[1]["tps"] = 5
	d.Notes = []result.Note{{At: d.Start.Add(4 * time.Second), Kind: result.NoteCluster, Stage: 2, Text: "nodes that left: 1"}}
	return reread(t, d)
}

// The page of a small run, to the letter.
func TestGolden(t *testing.T) {
	d := write(t, Run{"last.json", twoStages(t)})
	got := strings.Replace(d.text, pageCSS, "…\n", 1)
	path := filepath.Join("testdata", "page.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the page differs from %s; -update rewrites it", path)
	}
}

// What a run measured is on the page, as text.
func TestTexts(t *testing.T) {
	d := write(t, Run{"last.json", twoStages(t)})
	page := text(d.root)
	for _, want := range []string{
		"1 of 2 assertions failed", "stage 2: p99 < 2ms: 1s", "✗ failed p99 < 2ms", "✓ passed tps >= 4: 4.25",
		"Stage 1: load", "Stage 2: 80 % reads", "a target rate of 5.0", "in a closed loop",
		"2 read transactions failed with 9 TIMEOUT (timed out)", "30µs (p50), 40µs (p99)",
		"0.5 processors, 64 MiB of memory at most, 3 collector pauses of up to 1.5ms",
		"db1:3000, Enterprise 8.1.0.3", "20:57:41 stage 2: nodes that left: 1", "workload: RU,80", "max_conns_per_node: 0",
		"Percentiles of the response time of read a period", "Percentiles of the service time of read a period",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	// 14 reads answered and 2 timed out in 4 s; 8 of them 1 ms late.
	var rows []string
	for _, tr := range d.all("tr") {
		rows = append(rows, text(tr))
	}
	for _, want := range []string{
		"1: load 2s – 3.5 service 200µs 400µs 400µs 400µs 0 0 –",
		"2: 80 % reads 4s 5.0 4.2 response 1.06ms 1s 1s 1s 2 1 ✗ 1 of 2",
		"read 16 3.5 0 2 0 response 126ms 1.05ms 1.08ms 1s 1s 1s 1s",
		"service 125ms 60µs 80µs 1s 1s 1s 1s",
		"write 4 0.8 0 0 1 response 1.3ms 1.5ms 1.6ms 1.6ms 1.6ms 1.6ms 1.6ms",
	} {
		if !slices.Contains(rows, want) {
			t.Errorf("no row %q among\n%s", want, strings.Join(rows, "\n"))
		}
	}
}

// Stages, failures and targets are marked where they were, and lines differ by more
// than their color.
func TestMarks(t *testing.T) {
	d := write(t, Run{"last.json", twoStages(t)})
	svg := d.find("throughput-wide-title")
	// From 64 to 946 are the 7 s up to the end of the second stage, which
	// starts after 3 s. Its third period is from 5 to 6 s.
	scale := func(s float64) string { return px(64 + 882*s/7) }
	var stages, marks []string
	dashes := map[string]bool{}
	for n := range svg.Descendants() {
		switch class := attr(n, "class"); {
		case class == "mark":
			marks = append(marks, attr(n, "d")+" "+text(n))
		case class == "" && n.Data == "path" && attr(n.Parent, "class") == "stages":
			stages = append(stages, attr(n, "d")+" "+text(n))
		case strings.HasPrefix(class, "line "):
			dashes[strings.Fields(class)[2]] = true
		}
	}
	if want := []string{"M" + scale(0) + " 10V274 1: load", "M" + scale(3) + " 10V274 2: 80 % reads"}; !slices.Equal(stages, want) {
		t.Errorf("stages: %q, want %q", stages, want)
	}
	if want := []string{"M" + scale(5.5) + " 265l-5 9h10z 5s to 6s: 2 timeouts, 1 errors"}; !slices.Equal(marks, want) {
		t.Errorf("marks: %q, want %q", marks, want)
	}
	if len(dashes) != 4 {
		t.Errorf("target, total, read and write have the dashes %v", slices.Collect(maps.Keys(dashes)))
	}
	// The legend names each line.
	if legend := text(svg.Parent); !strings.HasPrefix(legend, "Throughput total write read target timeouts or errors ") {
		t.Errorf("the legend is %.100q", legend)
	}
}

// Several runs lie over each other, each with a color and a marker, and what they
// did differently is told.
func TestSeveralRuns(t *testing.T) {
	two := twoStages(t)
	var runs []Run
	for i := range MaxRuns {
		d := clone(t, two)
		d.Config.Stages[1]["threads"] = 8 + i/4
		runs = append(runs, Run{fmt.Sprintf("run%d.json", i), d})
	}
	d := write(t, runs...)
	svg := d.find("throughput-wide-title")
	var classes []string // the first is drawn last
	shapes := map[string]bool{}
	for n := range svg.Descendants() {
		if class := attr(n, "class"); strings.HasPrefix(class, "line c") {
			classes = append([]string{class}, classes...)
		} else if strings.HasPrefix(class, "marker") {
			shapes[regexp.MustCompile(`m.*?z`).FindString(attr(n, "d"))] = true
		}
	}
	if want := []string{"line c0 d0", "line c1 d0", "line c2 d0", "line c3 d0", "line c4 d0", "line c5 d0", "line c6 d0", "line c7 d0"}; !slices.Equal(classes, want) {
		t.Errorf("lines: %v", classes)
	}
	if len(shapes) != MaxRuns {
		t.Errorf("%d shapes of markers: %v", len(shapes), shapes)
	}
	var rows []string
	for _, tr := range d.all("tr") {
		rows = append(rows, text(tr))
	}
	if want := "stage 2 threads 8 8 8 8 9 9 9 9"; !slices.Contains(rows, want) {
		t.Errorf("no row %q", want)
	}
	if strings.Contains(strings.Join(rows, "\n"), "stage 1 workload") {
		t.Error("what is the same is among what differs")
	}

	if text := text(write(t, runs[0], Run{"run0.json", runs[1].Document}).root); !strings.Contains(text, "run0.json (2)") || !strings.Contains(text, "Nothing: all runs had the same configuration.") {
		t.Error("runs of one name are not told apart, or equal ones differ")
	}
	if err := Write(&bytes.Buffer{}, append(runs, runs[0])); err == nil || !strings.Contains(err.Error(), "1 to 8 runs, not 9") {
		t.Errorf("nine runs: %v", err)
	}
}
