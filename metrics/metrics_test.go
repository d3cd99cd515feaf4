package metrics

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/types"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

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

func recorded(us ...int) *histogram.Snapshot {
	r := histogram.NewRecorder(1)
	for _, v := range us {
		r.Shard(0).Record(time.Duration(v) * time.Microsecond)
	}
	return r.Snapshot()
}

// fakeCluster is a cluster of two nodes, one of which was lost and found.
type fakeCluster struct{}

func (fakeCluster) Health() cluster.Health {
	return cluster.Health{NodesAdded: 3, NodesRemoved: 1, TendsFailed: 2, PartitionMapUpdates: 4, ConnectionsFailed: 5, CircuitBreakerHits: 6, Retries: 7}
}

func (fakeCluster) Connections() map[string]int { return map[string]int{"a:3000": 17, "b:3000": 16} }

// sample is an exporter in the midst of a run of four stages that has everything that
// can be exported.
func sample(t testing.TB) *Exporter {
	t.Helper()
	plan := planOf(t, `
- {workload: I, key-end: 101, desc: load}
- {workload: 'RU,80', duration: 60, tps: 1000, verify: true, desc: mixed, assert: [p99 < 2ms, errors == 0]}
- {workload: 'RU,100', find-max: {p99: 1ms, from: 500}}
- {workload: RMU, duration: 10}
`)
	start := time.Unix(1_800_000_000, 500_000_000)
	e := NewExporter(Run{Plan: plan, Seed: 7, Aeroload: "v1.2.3", Client: "v8.5.0"})
	e.Connected(fakeCluster{}, []cluster.Node{{Name: "A", Host: "a:3000", Build: "8.1.0.3", Edition: "Community"}, {Name: "B", Host: "b:3000"}})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	snapshot := func(counts map[workload.Op]workload.Counts, latency map[workload.Op]*histogram.Snapshot) workload.Snapshot {
		s := workload.Snapshot{Lateness: recorded(20, 30)}
		for op := range workload.Op(workload.NumOps) {
			s.Counts[op], s.Service[op], s.Response[op] = counts[op], recorded(), recorded()
			if latency[op] != nil {
				s.Service[op], s.Response[op] = latency[op], latency[op].Add(latency[op])
			}
		}
		return s
	}

	load := snapshot(map[workload.Op]workload.Counts{workload.Write: {Done: 97, Hit: 97, Timeout: 2, Error: 1}}, map[workload.Op]*histogram.Snapshot{workload.Write: recorded(99, 100, 1999, 20_000_000)})
	must(e.StageStart(plan.Stages[0], start))
	must(e.StageEnd(&stage.StageResult{Stage: plan.Stages[0], Start: start, Elapsed: 2 * time.Second, Snapshot: load, Failures: []workload.Failure{
		{Op: workload.Write, Code: types.TIMEOUT, Count: 2}, {Op: workload.Write, Code: types.ResultCode(251), Count: 1},
		{Op: workload.Write, Code: types.KEY_BUSY, Record: true, Count: 4},
	}}))

	must(e.Pause(plan.Stages[1], 1))
	must(e.Warmup(plan.Stages[1]))
	must(e.StageStart(plan.Stages[1], start.Add(5*time.Second)))
	mixed := snapshot(map[workload.Op]workload.Counts{workload.Write: {Done: 200, Hit: 200}, workload.Read: {Done: 750, Hit: 740, Miss: 10, Mismatch: 3}}, map[workload.Op]*histogram.Snapshot{workload.Read: recorded(0, 1, 50)})
	assertion, err := condition.Parse("p99 < 2ms", condition.Assertion)
	must(err)
	must(e.StageEnd(&stage.StageResult{Stage: plan.Stages[1], Elapsed: time.Second, Snapshot: mixed, Checks: []stage.Check{{Assertion: assertion, OK: true}, {Assertion: assertion, OK: true}}}))

	must(e.StageStart(plan.Stages[2], start.Add(10*time.Second)))
	must(e.Probe(plan.Stages[2], stage.Probe{Rate: 500, OK: true, Next: 1000, Held: 500}))
	must(e.StageEnd(&stage.StageResult{Stage: plan.Stages[2], Elapsed: time.Second, Snapshot: snapshot(nil, nil)}))

	must(e.StageStart(plan.Stages[3], start.Add(20*time.Second)))
	whole := snapshot(map[workload.Op]workload.Counts{workload.Write: {Done: 10, Hit: 10}, workload.Read: {Done: 10, Hit: 10}, workload.Txn: {Done: 10, Hit: 10}}, nil)
	whole.Parts = 20
	must(e.Period(&stage.Period{Stage: plan.Stages[3], End: start.Add(21 * time.Second), Elapsed: time.Second, InStage: whole}))
	return e
}

func TestExported(t *testing.T) {
	e := sample(t)
	// Everything but histograms and versions, as the specification of each metric
	// demands it of the numbers above.
	for name, want := range map[string]string{
		"aeroload_transactions_total": `{op="read",outcome="error",stage="2"} 0
{op="read",outcome="error",stage="3"} 0
{op="read",outcome="error",stage="4"} 0
{op="read",outcome="ok",stage="2"} 750
{op="read",outcome="ok",stage="3"} 0
{op="read",outcome="ok",stage="4"} 10
{op="read",outcome="timeout",stage="2"} 0
{op="read",outcome="timeout",stage="3"} 0
{op="read",outcome="timeout",stage="4"} 0
{op="txn",outcome="error",stage="4"} 0
{op="txn",outcome="ok",stage="4"} 10
{op="txn",outcome="timeout",stage="4"} 0
{op="write",outcome="error",stage="1"} 1
{op="write",outcome="error",stage="2"} 0
{op="write",outcome="error",stage="4"} 0
{op="write",outcome="ok",stage="1"} 97
{op="write",outcome="ok",stage="2"} 200
{op="write",outcome="ok",stage="4"} 10
{op="write",outcome="timeout",stage="1"} 2
{op="write",outcome="timeout",stage="2"} 0
{op="write",outcome="timeout",stage="4"} 0`,
		"aeroload_completed_transactions_total":       `{stage="1"} 100` + "\n" + `{stage="2"} 950` + "\n" + `{stage="3"} 0` + "\n" + `{stage="4"} 10`,
		"aeroload_due_transactions_total":             `{stage="2"} 1000`,
		"aeroload_failed_transactions_total":          `{code="251",op="write",stage="1"} 1` + "\n" + `{code="TIMEOUT",op="write",stage="1"} 2`,
		"aeroload_failed_records_total":               `{code="KEY_BUSY",op="write",stage="1"} 4`,
		"aeroload_mismatched_records_total":           `{op="read",stage="2"} 3`,
		"aeroload_find_max_probes_total":              `{outcome="fails",stage="3"} 0` + "\n" + `{outcome="holds",stage="3"} 1`,
		"aeroload_find_max_transactions_per_second":   `{stage="3"} 500`,
		"aeroload_assertion_ok":                       `{assertion="p99 < 2ms",stage="2"} 1`,
		"aeroload_stage_start_timestamp_seconds":      `{stage="1"} 1.8000000005e+09` + "\n" + `{stage="2"} 1.8000000055e+09` + "\n" + `{stage="3"} 1.8000000105e+09` + "\n" + `{stage="4"} 1.8000000205e+09`,
		"aeroload_stage_elapsed_seconds":              `{stage="1"} 2` + "\n" + `{stage="2"} 1` + "\n" + `{stage="3"} 1` + "\n" + `{stage="4"} 1`,
		"aeroload_stage_workers":                      `{stage="1"} 16` + "\n" + `{stage="2"} 16` + "\n" + `{stage="3"} 16` + "\n" + `{stage="4"} 16`,
		"aeroload_current_stage":                      ` 4`,
		"aeroload_cluster_nodes":                      ` 2`,
		"aeroload_cluster_connections":                `{address="a:3000"} 17` + "\n" + `{address="b:3000"} 16`,
		"aeroload_cluster_node_info":                  `{address="a:3000",build="8.1.0.3",edition="Community",node="A"} 1` + "\n" + `{address="b:3000",build="",edition="",node="B"} 1`,
		"aeroload_client_retries_total":               ` 7`,
		"aeroload_client_connections_failed_total":    ` 5`,
		"aeroload_client_tends_failed_total":          ` 2`,
		"aeroload_client_nodes_added_total":           ` 3`,
		"aeroload_client_nodes_removed_total":         ` 1`,
		"aeroload_client_partition_map_updates_total": ` 4`,
		"aeroload_client_circuit_breaker_hits_total":  ` 6`,
		"aeroload_run_info":                           `{embedded="false",namespace="test",seed="7",set="testset"} 1`,
	} {
		if got := exposed(t, e, name); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
	if got := exposed(t, e, "aeroload_phase"); !strings.Contains(got, `{phase="running"} 1`) || strings.Count(got, " 1") != 1 {
		t.Errorf("phases\n%s", got)
	}
}

// exposed returns the samples of a metric as text, without its name.
func exposed(t *testing.T, c prometheus.Collector, name string) string {
	t.Helper()
	text, err := testutil.CollectAndFormat(c, expfmt.TypeTextPlain, name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			lines = append(lines, strings.TrimRight(rest, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// The names, the help and the values are as Prometheus wants them.
func TestLint(t *testing.T) {
	e := sample(t)
	problems, err := testutil.CollectAndLint(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(e); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Gather(); err != nil {
		t.Error(err)
	}
	if n, declared := gathered(registry), len(e.families.all); n < declared-2 { // target and backlog are over
		t.Errorf("%d of %d metrics have a value", n, declared)
	}
}

func gathered(g prometheus.Gatherer) int {
	all, _ := g.Gather()
	return len(all)
}

// Before anything is measured there is little to tell, and nothing goes wrong.
func TestBeforeTheRun(t *testing.T) {
	plan := planOf(t, "- {workload: RU, tps: 100, duration: 10}")
	e := NewExporter(Run{Plan: plan})
	if got := exposed(t, e, "aeroload_phase"); !strings.Contains(got, `{phase="connecting"} 1`) {
		t.Error(got)
	}
	if got := exposed(t, e, "aeroload_cluster_nodes"); got != "" {
		t.Errorf("a cluster: %s", got)
	}
	if err := e.StageStart(plan.Stages[0], time.Now()); err != nil {
		t.Fatal(err)
	}
	if got := exposed(t, e, "aeroload_response_time_seconds"); !strings.Contains(got, `_count{op="read",stage="1"} 0`) || !strings.Contains(got, `_count{op="write",stage="1"} 0`) {
		t.Errorf("response times: %s", got)
	}
	if got := exposed(t, e, "aeroload_target_transactions_per_second"); got != `{stage="1"} 100` {
		t.Errorf("target: %s", got)
	}
	e.Stopping()
	if got := exposed(t, e, "aeroload_phase"); !strings.Contains(got, `{phase="stopping"} 1`) {
		t.Error(got)
	}
	e.Finished()
	if got := exposed(t, e, "aeroload_phase"); !strings.Contains(got, `{phase="finished"} 1`) {
		t.Error(got)
	}
}

// The target of a rate that changes is that of the last period; what a stage is behind
// is its backlog.
func TestTargetAndBacklog(t *testing.T) {
	plan := planOf(t, "- {workload: 'RU,100', duration: 100, tps: {from: 0, to: 100, over: 100}}")
	e, start := NewExporter(Run{Plan: plan}), time.Now()
	if err := errors.Join(e.StageStart(plan.Stages[0], start), e.Period(&stage.Period{
		Stage: plan.Stages[0], End: start.Add(10 * time.Second), Elapsed: 2 * time.Second,
		InStage: workload.Snapshot{Counts: [workload.NumOps]workload.Counts{workload.Read: {Done: 30, Hit: 30, Error: 1}}},
	})); err != nil {
		t.Fatal(err)
	}
	// After 10 s the rate is 10 tps and 50 were due; after 8 s 32 were.
	if got := exposed(t, e, "aeroload_target_transactions_per_second"); got != `{stage="1"} 9` {
		t.Errorf("target: %s", got)
	}
	if got := exposed(t, e, "aeroload_backlog_transactions"); got != `{stage="1"} 19` {
		t.Errorf("backlog: %s", got)
	}
}

func histogramOf(t *testing.T, m prometheus.Metric) *dto.Histogram {
	t.Helper()
	var out dto.Metric
	if err := m.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Histogram
}

func TestHistograms(t *testing.T) {
	desc := prometheus.NewDesc("x", "x", nil, nil)
	// 2049 µs lies in the recorder's step of 2048 and 2049.
	values := []int{0, 0, 9, 10, 99, 100, 101, 1999, 2000, 2049, 999_000, 10_100_000}
	h := histogramOf(t, convert(recorded(values...)).metric(desc, time.Unix(5, 0)))
	if h.GetSampleCount() != uint64(len(values)) {
		t.Errorf("count %d", h.GetSampleCount())
	}
	sum := 0.0
	for _, v := range values {
		sum += float64(v) + 0.5
	}
	if got := h.GetSampleSum() * 1e6; math.Abs(got-sum) > 0.0005*sum {
		t.Errorf("sum %g µs, want %g to within 0.05 %%", got, sum)
	}
	if h.GetCreatedTimestamp().AsTime() != time.Unix(5, 0).UTC() {
		t.Errorf("created %v", h.GetCreatedTimestamp())
	}
	// Recorded as n µs is what took from n to below n+1: 100 is above the bound 100.
	for bound, want := range map[float64]uint64{1e-5: 3, 2e-5: 4, 1e-4: 5, 2e-4: 7, 1e-3: 7, 2e-3: 8, 3e-3: 10, 0.7: 10, 1: 11, 10: 11} {
		i := slices.IndexFunc(h.Bucket, func(b *dto.Bucket) bool { return math.Abs(b.GetUpperBound()/bound-1) < 1e-9 })
		if i < 0 {
			t.Errorf("no bucket up to %g s", bound)
		} else if got := h.Bucket[i].GetCumulativeCount(); got != want {
			t.Errorf("%d latencies up to %g s, want %d", got, bound, want)
		}
	}
	if !slices.IsSortedFunc(h.Bucket, func(a, b *dto.Bucket) int { return int(math.Copysign(1, a.GetUpperBound()-b.GetUpperBound())) }) {
		t.Error("the bounds do not ascend")
	}

	// The native buckets, decoded by the definition of the format: the i-th reaches from
	// 2^((i-1)/8) to 2^(i/8) seconds.
	native, n := map[int]int64{}, int64(0)
	index, at := 0, 0
	for _, span := range h.PositiveSpan {
		index += int(span.GetOffset())
		for range span.GetLength() {
			n += h.PositiveDelta[at]
			native[index] = n
			index++
			at++
		}
	}
	if h.GetZeroCount() != 2 || h.GetSchema() != 3 {
		t.Errorf("%d in the zero bucket, schema %d", h.GetZeroCount(), h.GetSchema())
	}
	total := int64(0)
	for _, n := range native {
		total += n
	}
	if total != int64(len(values)-2) {
		t.Errorf("%d in native buckets", total)
	}
	for _, v := range values[2:] {
		seconds, found := (float64(v)+0.5)/1e6, false
		for i, n := range native {
			if n > 0 && seconds > math.Exp2(float64(i-1)/8)*0.999 && seconds <= math.Exp2(float64(i)/8)*1.001 {
				found = true
			}
		}
		if !found {
			t.Errorf("%d µs is in no bucket of %v", v, native)
		}
	}
}

func TestNoLatencies(t *testing.T) {
	h := histogramOf(t, convert(new(histogram.Snapshot)).metric(prometheus.NewDesc("x", "x", nil, nil), time.Unix(5, 0)))
	if h.GetSampleCount() != 0 || h.GetSampleSum() != 0 || h.GetZeroCount() != 0 || len(h.Bucket) != len(bounds()) {
		t.Errorf("%v", h)
	}
}

// The classic bounds contain those at which people set limits.
func TestBounds(t *testing.T) {
	for _, us := range []float64{100, 200, 500, 1000, 2000, 3000, 5000, 10_000, 50_000, 100_000, 500_000, 1e6, 1e7} {
		if !slices.Contains(bounds(), us) {
			t.Errorf("no bucket ends at %g µs", us)
		}
	}
}

func BenchmarkCollect(b *testing.B) {
	e := sample(b)
	registry := prometheus.NewRegistry()
	registry.MustRegister(e)
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
