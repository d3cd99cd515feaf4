package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

const plan = `- {workload: RU, tps: 100, duration: 3, desc: "mixed <1>", assert: [errors == 0, p99 < 1us]}
- {workload: I}
`

// begin is when the runs of these tests start.
var begin = time.Date(2026, 11, 30, 18, 0, 0, 0, time.UTC)

// document makes the result of a run by way of a recorder: periods of reads and
// writes in stage 1, each with latencies drawn by the seed.
func document(t testing.TB, text string, start time.Time, periods int, seed uint64, stopped error) *Document {
	t.Helper()
	defaults := stage.Defaults{Namespace: "test", Set: "testset", ObjectSpec: "I4", StartKey: 1, Keys: 100, Threads: 2, AsyncMax: 5, Seed: seed,
		ObjectOptions: objspec.Options{BinName: "testbin", CompressionRatio: 1}}
	p, err := stage.Parse("f.yaml", []byte(text), defaults)
	if err != nil {
		t.Fatal(err)
	}
	config := cluster.DefaultConfig()
	config.User, config.Password, config.TLS.KeyPassword = "joe", "s3cret", "s3cret"
	r, err := NewRecorder(Run{Plan: p, Defaults: defaults, Cluster: config, Embedded: true, Aeroload: "v1", Client: "v8"})
	if err != nil {
		t.Fatal(err)
	}
	health := cluster.Health{}
	r.Connected([]cluster.Node{{Name: "BB9", Host: "127.0.0.1:3000", Build: "8.1.0.3"}}, func() cluster.Health { return health })
	st := p.Stages[0]
	if err := r.StageStart(st, start); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var total workload.Snapshot
	for i := range periods {
		delta := drawn(rng, i)
		if i == 0 {
			total = delta
		} else {
			total = sum(total, delta)
		}
		at := start.Add(time.Duration(i+1) * time.Second)
		if err := r.Period(&stage.Period{Stage: st, End: at, Elapsed: time.Second, Delta: delta}); err != nil {
			t.Fatal(err)
		}
	}
	health.NodesRemoved = 1
	s := &stage.StageResult{Stage: st, Start: start, Elapsed: time.Duration(periods) * time.Second, Snapshot: total, Abandoned: 1,
		Failures: []workload.Failure{{Op: workload.Read, Code: 9, Count: total.Counts[workload.Read].Timeout, Example: "timed out"}},
		Checks:   []stage.Check{{Assertion: st.Assertions[0], Known: true, OK: true}, {Assertion: st.Assertions[1]}}}
	if err := r.StageEnd(s); err != nil {
		t.Fatal(err)
	}
	d, err := r.Document(stopped)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drawn makes a period of 20 reads, one of them timed out, and, in every other
// period, 10 writes.
func drawn(rng *rand.Rand, i int) workload.Snapshot {
	var s workload.Snapshot
	late := histogram.NewRecorder(1)
	late.Shard(0).Record(30 * time.Microsecond)
	s.Lateness = late.Snapshot()
	for op := range workload.Op(workload.NumOps) {
		n := map[workload.Op]int{workload.Read: 20, workload.Write: 10 * (i % 2)}[op]
		service, response := histogram.NewRecorder(1), histogram.NewRecorder(1)
		for range n {
			d := time.Duration(rng.ExpFloat64() * float64(time.Millisecond))
			service.Shard(0).Record(d)
			response.Shard(0).Record(2 * d)
		}
		s.Service[op], s.Response[op] = service.Snapshot(), response.Snapshot()
		s.Counts[op] = workload.Counts{Done: uint64(n), Hit: uint64(n)}
		if op == workload.Read {
			s.Counts[op].Done, s.Counts[op].Hit, s.Counts[op].Timeout = 19, 19, 1
		}
	}
	return s
}

func sum(a, b workload.Snapshot) workload.Snapshot {
	for op := range a.Counts {
		a.Counts[op] = a.Counts[op].Add(b.Counts[op])
		a.Service[op], a.Response[op] = a.Service[op].Add(b.Service[op]), a.Response[op].Add(b.Response[op])
	}
	a.Lateness = a.Lateness.Add(b.Lateness)
	return a
}

func encoded(t testing.TB, d *Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// validate checks a document against the published schema.
func validate(t *testing.T, data []byte) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "docs", "result.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

func TestDocumentsFitTheSchemaAndAreReadBack(t *testing.T) {
	whole, stopped := document(t, plan, begin, 5, 1, nil), document(t, plan, begin, 1, 2, errors.New("stopped by SIGINT"))
	merged, err := Merge([]*Document{whole, document(t, plan, begin, 5, 3, nil)}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*Document{"whole": whole, "stopped": stopped, "merged": merged} {
		data := encoded(t, d)
		if err := validate(t, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		back, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(encoded(t, back), data) {
			t.Errorf("%s: written again, it differs", name)
		}
		if bytes.Contains(data, []byte("s3cret")) {
			t.Errorf("%s: a password is in it", name)
		}
	}
	if err := validate(t, bytes.Replace(encoded(t, whole), []byte(`"version": 1`), []byte(`"version": 2`), 1)); err == nil {
		t.Error("the schema takes any version")
	}
	s := whole.Stages[0]
	read := s.Operations["read"]
	if read.Done != 95 || read.Timeouts != 5 || read.TPS != 19 || read.Service.Count != 100 || read.Codes[0].Count != 5 || s.Operations["write"].Done != 20 || s.Operations["udf"] != nil {
		t.Errorf("operations %+v, %+v", read, s.Operations)
	}
	if len(s.Periods) != 5 || s.Periods[1].Start != 1 || s.Periods[0].Operations["write"] != nil || s.Periods[1].Operations["write"].Done != 10 {
		t.Errorf("periods %+v", s.Periods)
	}
	if s.Cluster.NodesRemoved != 1 || len(whole.Notes) != 3 || stopped.Stopped != "stopped by SIGINT" {
		t.Errorf("cluster %+v, notes %+v, stopped %q", s.Cluster, whole.Notes, stopped.Stopped)
	}
	if got := whole.Config.Stages[0]["tps"]; got != 100 || len(whole.Config.Stages) != 2 {
		t.Errorf("stages %v", whole.Config.Stages)
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(encoded(t, document(t, plan, begin, 3, 1, nil)))
	for _, c := range []struct{ old, new, want string }{
		{good, "", "result:1:1: not a result: the file ends here, before the result does"},
		{good, "[]", "result:1:1: not a result: expected an object, not a list"},
		{good, "{}\nx", "result:2:1: not a result: not valid JSON: unexpected character 'x' behind the end of the result"},
		{good, "{\n \"format\": no}", "result:2:13: not a result: not valid JSON: unexpected character 'o' in literal null"},
		{good, "{\n \"format\":  5}", "result:2:13: not a result: format: expected a text, not a number"},
		{good, "{\"version\": 1", "result:1:14: not a result: the file ends here"},
		{good, "{}", "not a result of aeroload"},
		{`"version": 1`, `"version": 2`, "a result of version 2"},
		{`"seed":`, `"sead": 1, "seed":`, `unknown key "sead"`},
		{`"done": 57`, `"done": 58`, "add up"},
		{`"done": 57`, `"done": -1`, "done: expected a whole number from 0 on, not -1"},
		{`"stage": 1,
   "desc"`, `"stage": 3,
   "desc"`, "has the number 3"},
		{`"operations": {
    "read": {`, `"operations": {
    "raed": {`, `operation "read" is not one of the stage`},
		{`"seconds": 3,`, `"seconds": -3,`, "-3 seconds"},
		{`"throttled": true`, `"throttled": false`, "target rate"},
		{`"min": `, `"min": 1`, "not those of the histogram"},
		{`"HIST`, `"XIST`, "histogram"},
		{`"text": "errors == 0"`, `"text": "errors"`, "comparison is missing"},
		{`"notes": [`, `"notes": [` + strings.Repeat("{},", maxObjects), "objects"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Errorf("%q is not in the document", c.old)
			continue
		}
		if _, err := Read(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q for %.40q: %v; want an error with %q", c.new, c.old, err, c.want)
		}
	}
}

// A merged histogram is that of all latencies together, and its periods have all of
// them too, wherever machines started.
func TestMergeIsExact(t *testing.T) {
	const other = 2300 * time.Millisecond
	a, b := document(t, plan, begin, 6, 1, nil), document(t, strings.Replace(plan, "RU,", "RU, key-start: 50, key-end: 90,", 1), begin.Add(other), 6, 2, nil)
	m, err := Merge([]*Document{a, b}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	s := m.Stages[0]
	if s.Seconds != 8.3 || len(m.Machines) != 2 || s.Abandoned != 2 {
		t.Errorf("%v seconds, %d machines, %d abandoned", s.Seconds, len(m.Machines), s.Abandoned)
	}
	for _, name := range []string{"read", "write"} {
		x, errX := a.Stages[0].Operations[name].Response.Snapshot()
		y, errY := b.Stages[0].Operations[name].Response.Snapshot()
		if err := errors.Join(errX, errY); err != nil {
			t.Fatal(err)
		}
		want, err := NewLatency(x.Add(y))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Operations[name].Response; *got != *want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if want := float64(s.Operations[name].Done) / 8.3; s.Operations[name].TPS != want {
			t.Errorf("%s: %v tps, want %v", name, s.Operations[name].TPS, want)
		}
	}
	// b starts 2.3 periods later, which is two: they share the periods 2 to 5.
	if len(s.Periods) != 8 || s.Periods[1].Operations["read"].Done != 19 || s.Periods[2].Operations["read"].Done != 38 || s.Periods[7].Start != 7 {
		t.Errorf("%d periods: %+v", len(s.Periods), s.Periods)
	}
	if _, err := Read(bytes.NewReader(encoded(t, m))); err != nil {
		t.Error(err)
	}
	if lines := m.FailedAssertions(); len(lines) != 1 || !strings.HasPrefix(lines[0], "stage 1: assertion failed: p99 < 1us: ") {
		t.Errorf("failed: %q", lines)
	}
	var text bytes.Buffer
	if err := m.WriteSummary(&text); err != nil || !strings.Contains(text.String(), "Stage 1: 12 read transactions failed with 9 TIMEOUT") {
		t.Errorf("%v\n%s", err, &text)
	}
}

func TestMergeWarnsOfStagesApart(t *testing.T) {
	a := document(t, plan, begin, 3, 1, nil)
	for later, want := range map[time.Duration]bool{2 * time.Second: false, 10 * time.Second: true} {
		m, err := Merge([]*Document{a, document(t, plan, begin.Add(later), 3, 2, nil)}, []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		warned, embedded := false, 0
		for _, n := range m.Notes {
			if n.Kind == NoteEmbedded {
				embedded++
			}
			warned = warned || n.Kind == NoteWarning && strings.Contains(n.Text, "at the same time")
		}
		if warned != want {
			t.Errorf("%v later: warned: %v", later, warned)
		}
		if embedded != 1 {
			t.Errorf("%v later: said %d times that the server was embedded", later, embedded)
		}
	}
}

// Where a UDF's file is makes no difference, but what it is called does.
func TestMergeComparesUDFs(t *testing.T) {
	with := func(file, function string) *Document {
		d := document(t, plan, begin, 2, 1, nil)
		d.Config.Stages[0]["udf"] = map[string]any{"module": "m", "function": function, "file": file}
		return d
	}
	if _, err := Merge([]*Document{with("/a/m.lua", "f"), with("/b/m.lua", "f")}, []string{"a", "b"}); err != nil {
		t.Error(err)
	}
	if _, err := Merge([]*Document{with("/a/m.lua", "f"), with("/a/m.lua", "g")}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "udf of stage 1") {
		t.Errorf("other functions: %v", err)
	}
}

// Machines that share out the keys differ in what tells their part.
func TestMergeAddsShards(t *testing.T) {
	shard := func(part string, seed uint64) *Document {
		return document(t, strings.ReplaceAll(plan, "{workload", "{shard: "+part+", workload"), begin, 2, seed, nil)
	}
	a, b := shard("1/2", 1), shard("2/2", 2)
	m, err := Merge([]*Document{a, b}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	done := func(d *Document) uint64 { return d.Stages[0].Operations["read"].Done }
	if done(m) != done(a)+done(b) {
		t.Errorf("%d reads of %d and %d", done(m), done(a), done(b))
	}
}

func TestMergeRefusesTheSameRunTwice(t *testing.T) {
	read := func(data []byte) *Document {
		d, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	file := encoded(t, document(t, plan, begin, 2, 1, nil))
	a, again := read(file), read(file)
	b := read(encoded(t, document(t, plan, begin, 2, 2, nil)))
	if _, err := Merge([]*Document{a, b, again}, []string{"a", "b", "copy"}); err == nil || !strings.Contains(err.Error(), "a and copy hold the same run") {
		t.Errorf("a run twice: %v", err)
	}
	// It is found in merged results too, however deep, and also when they were files.
	c := read(encoded(t, document(t, plan, begin, 2, 3, nil)))
	merged := func(docs ...*Document) *Document {
		t.Helper()
		m, err := Merge(docs, make([]string, len(docs)))
		if err != nil {
			t.Fatal(err)
		}
		return read(encoded(t, m))
	}
	ab := merged(a, b)
	for _, docs := range [][]*Document{{ab, again}, {b, ab}, {merged(ab, c), b}, {merged(a), again}, {ab, merged(c, b)}, {ab, ab}} {
		if _, err := Merge(docs, []string{"x", "y"}); err == nil || !strings.Contains(err.Error(), "x and y hold the same run") {
			t.Errorf("a run that is in a merged result: %v", err)
		}
	}
	if abc := merged(ab, c); len(abc.Runs) != 3 {
		t.Errorf("three runs are %q", abc.Runs)
	}
	for _, runs := range []string{`["00"]`, `["` + strings.Repeat("A", 32) + `"]`, `["` + strings.Repeat("0", 32) + `","` + strings.Repeat("0", 32) + `"]`} {
		text := strings.Replace(string(file), `"machines": [`, `"runs": `+runs+`, "machines": [`, 1)
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "runs: ") {
			t.Errorf("%s: %v", runs, err)
		}
	}
}

func TestMergeRefusesOtherStages(t *testing.T) {
	a := document(t, plan, begin, 2, 1, nil)
	for from, want := range map[string]string{
		"tps: 100|tps: 200":                           "tps of stage 1 is 100 in a but 200 in b",
		"duration: 3|duration: 4":                     "duration of stage 1 is 3 in a but 4 in b",
		"{workload: I}|{workload: DB}":                "of stage 2 is",
		"desc:|object-spec: I4, on-fail: stop, desc:": "on-fail of stage 1 is continue in a but stop in b",
	} {
		old, new, _ := strings.Cut(from, "|")
		b := document(t, strings.Replace(plan, old, new, 1), begin, 2, 1, nil)
		if _, err := Merge([]*Document{a, b}, []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want an error with %q", from, err, want)
		}
	}
}

// A day of seconds fits into the bound, and nothing of it is lost.
func TestPeriodsAreBounded(t *testing.T) {
	st := &stage.Stage{Number: 1, Workload: workload.Workload{Kind: workload.ReadUpdate, Read: 50, Write: 50}}
	all := []*series{newSeries(begin), newSeries(begin)}
	rng := rand.New(rand.NewPCG(1, 1))
	const periods, limit = 1000, 60
	var want workload.Snapshot
	for i := range periods {
		delta := drawn(rng, i)
		if i == 0 {
			want = delta
		} else {
			want = sum(want, delta)
		}
		all[1].add(&stage.Period{Stage: st, End: begin.Add(time.Duration(i+1) * time.Second), Elapsed: time.Second, Delta: delta})
		boundPeriods(all, limit)
		if err := all[1].encode(encodePerPeriod); err != nil {
			t.Fatal(err)
		}
		if n := len(all[1].list); n > limit {
			t.Fatalf("%d periods", n)
		}
	}
	list, err := all[1].periods()
	if err != nil {
		t.Fatal(err)
	}
	var counts Counts
	var service []*Latency
	end := 0.0
	for i, p := range list {
		if p.Start != end || i < len(list)-1 && p.Seconds != float64(all[1].merge) {
			t.Errorf("period %d: from %v, %v seconds", i, p.Start, p.Seconds)
		}
		end = p.Start + p.Seconds
		counts = counts.add(p.Operations["read"].Counts)
		service = append(service, p.Operations["read"].Service)
	}
	got, err := mergeLatencies(service)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := NewLatency(want.Service[workload.Read])
	if err != nil {
		t.Fatal(err)
	}
	if end != periods || counts != newCounts(want.Counts[workload.Read]) || *got != *whole || len(list) < limit/2 {
		t.Errorf("%d periods to %v, %+v, %+v; want %+v, %+v", len(list), end, counts, got, want.Counts[workload.Read], whole)
	}
}

func TestWriteFile(t *testing.T) {
	d := document(t, plan, begin, 1, 1, nil)
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	link := filepath.Join(dir, "link.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := CheckWritable(path); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Error("the check changed the file")
	}
	if err := d.WriteFile(link); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err != nil {
		t.Error(err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Errorf("the link is gone: %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("left over: %v", entries)
	}
	if err := d.WriteFile(os.DevNull); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "r.json"), filepath.Join(path, "r.json")} {
		if err := CheckWritable(bad); err == nil {
			t.Errorf("%s can be written", bad)
		}
		if err := d.WriteFile(bad); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	data := encoded(f, document(f, plan, begin, 2, 1, nil))
	f.Add(data)
	f.Add([]byte(`{"format":"aeroload-result","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := d.WriteSummary(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
		other := *d
		other.Seed++
		m, err := Merge([]*Document{d, &other}, []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(m); err != nil {
			t.Error(err)
		}
	})
}
