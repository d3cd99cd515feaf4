package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

func TestParseSummaryFormat(t *testing.T) {
	for _, text := range []string{"text", "node"} {
		if f, err := ParseSummaryFormat(text); err != nil || string(f) != text {
			t.Errorf("%q: %q, %v", text, f, err)
		}
	}
	for text, want := range map[string]string{
		"nodes": `"nodes" is neither text nor node; did you mean "node"?`,
		"":      `"" is neither text nor node`,
	} {
		if _, err := ParseSummaryFormat(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// latencies makes a snapshot of so many operations a latency in microseconds.
func latencies(counts map[int]int) *histogram.Snapshot {
	r := histogram.NewRecorder(1)
	for us, n := range counts {
		for range n {
			r.Shard(0).Record(time.Duration(us) * time.Microsecond)
		}
	}
	return r.Snapshot()
}

// The tables are those that the benchmark's stats.js and its cli-table print of
// the same numbers, blank for blank, but for the latencies between 1 and 2 ms,
// which it shows as up to 1 ms.
func TestNodeSummary(t *testing.T) {
	plan := planOf(t, "- {workload: RU, duration: 30, threads: 25}\n- {workload: RU, duration: 60, threads: 100}")
	n := NewNodeSummary(plan)
	for _, p := range []struct{ reads, writes uint64 }{{1_234_567, 200}, {800, 210}} {
		var delta workload.Snapshot
		delta.Counts[workload.Read].Done, delta.Counts[workload.Write].Done = p.reads, p.writes
		if err := n.Period(&stage.Period{Stage: plan.Stages[0], Elapsed: time.Second, Delta: delta}); err != nil {
			t.Fatal(err)
		}
	}
	snapshot := measured(nil, nil, 0)
	snapshot.Counts[workload.Read] = workload.Counts{Done: 900, Hit: 894, Miss: 6}
	snapshot.Counts[workload.Write] = workload.Counts{Done: 96, Hit: 96, Timeout: 3, Error: 1}
	snapshot.Service[workload.Read] = latencies(map[int]int{1000: 900})
	snapshot.Service[workload.Write] = latencies(map[int]int{3000: 60, 7000: 20, 12_000: 10, 20_000: 9, 40_000: 1})
	var b bytes.Buffer
	err := n.Write(&b, &stage.Result{
		Plan: plan,
		Stages: []*stage.StageResult{
			{Stage: plan.Stages[0], Elapsed: time.Second, Snapshot: snapshot},
			{Stage: plan.Stages[1], Elapsed: time.Second, Snapshot: measured(nil, nil, 0)},
		},
		Failures: []workload.Failure{
			{Op: workload.Write, Code: types.TIMEOUT, Count: 3},
			{Op: workload.Write, Code: types.INVALID_NODE_ERROR, Count: 1}, // a client's code: -3
			{Op: workload.Read, Code: types.TIMEOUT, Record: true, Count: 50},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `
SUMMARY

  Environment
    Node.js Version       -
    UV_THREADPOOL_SIZE    -

  Configuration
    operations    100         |
    iterations    undefined   |
    processes     1           |
    promises      false       |
    time          1.50 minutes|

  Transactions
               total        read         write    query    scan
    Total      1,235,777    1,235,367    410      0        0   |
    TPS        617,889      617,684      205      0        0   |
    Min TPS    1,010        800          200      0        0   |
    Max TPS    1,234,767    1,234,567    210      0        0   |

  Durations
    <= 1     > 1     > 2     > 4     > 8     > 16    > 32|
    90.0%    0.0%    6.0%    2.0%    1.0%    0.9%    0.1%|

  Status Codes
    0        2       9       -3  |
    99.0%    0.6%    0.3%    0.1%|

`
	// The marks keep the blanks at the ends of lines.
	if want = strings.ReplaceAll(want, "|", ""); b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

// The shares that the benchmark's own README shows of a run.
func TestNodeDurations(t *testing.T) {
	plan := planOf(t, "- {workload: RU}")
	snapshot := measured(nil, nil, 0)
	snapshot.Service[workload.Read] = latencies(map[int]int{500: 80, 1001: 119, 2001: 200, 4000: 17, 8000: 270, 16_000: 184})
	snapshot.Service[workload.Write] = latencies(map[int]int{1000: 4, 30_000: 106, 32_100: 19})
	rows := nodeDurations(&stage.Result{Stages: []*stage.StageResult{{Stage: plan.Stages[0], Snapshot: snapshot}}})
	want := [][]string{
		{"<= 1", "> 1", "> 2", "> 4", "> 8", "> 16", "> 32"},
		{"8.4%", "11.9%", "21.7%", "27.0%", "18.4%", "10.6%", "1.9%"},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q, want %q", rows, want)
	}
}

// Transactions of several commands count as their commands, queries as their
// records, and records that are missing from a batch don't make it fail.
func TestNodeSummaryCountsCommands(t *testing.T) {
	plan := planOf(t, "- {workload: RMU, duration: 1}\n- {operations: {query: 1}, duration: 1, query: {bin: 1}}\n- {workload: 'RU,100', duration: 1, batch-size: 5}")
	n := NewNodeSummary(plan)
	var results []*stage.StageResult
	for i, counts := range []map[workload.Op]workload.Counts{
		{workload.Read: {Done: 10, Hit: 8, Miss: 2}, workload.Write: {Done: 10, Hit: 10}, workload.Txn: {Done: 10}},
		{workload.QueryOp: {Done: 4, Hit: 40}},
		{workload.Read: {Done: 6, Hit: 10, Miss: 20}},
	} {
		snapshot := measured(nil, nil, 0)
		for op, c := range counts {
			snapshot.Counts[op] = c
		}
		st := plan.Stages[i]
		if err := n.Period(&stage.Period{Stage: st, Elapsed: time.Second, Delta: snapshot}); err != nil {
			t.Fatal(err)
		}
		// A fragment of a second, whose rate would be 100 times as high.
		if err := n.Period(&stage.Period{Stage: st, Elapsed: 10 * time.Millisecond, Delta: snapshot}); err != nil {
			t.Fatal(err)
		}
		results = append(results, &stage.StageResult{Stage: st, Elapsed: 2 * time.Second, Snapshot: snapshot})
	}
	var b bytes.Buffer
	if err := n.Write(&b, &stage.Result{Plan: plan, Stages: results}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"total read write query scan txn Total 132 32 20 80 0 20 TPS 22 5 3 13 0 3 Min TPS 6 0 0 0 0 0 Max TPS 40 10 10 40 0 10 ",
		"Status Codes 0 2 93.3% 6.7%", // 2 of 10 + 10 + 4 + 6
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, b.String())
		}
	}
}

// As long as there is no whole period, a fragment is all there is.
func TestNodeSummaryOfAFragment(t *testing.T) {
	plan := planOf(t, "- {workload: I}")
	n := NewNodeSummary(plan)
	for _, p := range []struct {
		elapsed   time.Duration
		writes    uint64
		low, high float64
	}{
		{100 * time.Millisecond, 50, 500, 500},
		{200 * time.Millisecond, 20, 100, 500},
		{time.Second, 300, 300, 300},
		{time.Second, 200, 200, 300},
		{100 * time.Millisecond, 1, 200, 300},
		{0, 1, 200, 300},
	} {
		var delta workload.Snapshot
		delta.Counts[workload.Write].Done = p.writes
		if err := n.Period(&stage.Period{Stage: plan.Stages[0], Elapsed: p.elapsed, Delta: delta}); err != nil {
			t.Fatal(err)
		}
		if c := n.columns[2]; c.name != "write" || c.least != p.low || c.most != p.high {
			t.Errorf("after %v: %s from %g to %g, want %g to %g", p.elapsed, c.name, c.least, c.most, p.low, p.high)
		}
	}
}

func TestNodeTime(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0.00 seconds", 1: "1.00 second", 59: "59.00 seconds", 60: "1.00 minute", 90: "1.50 minutes",
		3600: "1.00 hour", 86_400: "24.00 hours", 7_200_000: "2,000.00 hours",
	} {
		if got := nodeTime(seconds); got != want {
			t.Errorf("%g: %q, want %q", seconds, got, want)
		}
	}
	plan := planOf(t, "- {workload: I}\n- {workload: RU, duration: 5}")
	if got := nodeConfiguration(plan)[4][1]; got != "undefined" {
		t.Errorf("a run that ends when it is done takes %q", got)
	}
}
