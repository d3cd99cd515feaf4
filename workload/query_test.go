package workload

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
	"github.com/aeroload/aeroload/objspec"
)

// searched is a client of a server with records of the set "searched" whose bin n has
// the values.
func searched(t *testing.T, host string, values ...int64) *as.Client {
	t.Helper()
	hosts, err := as.NewHosts(host)
	if err != nil {
		t.Fatal(err)
	}
	client, err := as.NewClientWithPolicyAndHost(as.NewClientPolicy(), hosts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for i, v := range values {
		key, err := as.NewKey("test", "searched", i)
		if err != nil {
			t.Fatal(err)
		}
		if err := client.PutBins(nil, key, as.NewBin("n", v)); err != nil {
			t.Fatal(err)
		}
	}
	return client
}

// searchSpec is that of a worker that scans, or queries the bin n.
func searchSpec(t *testing.T, act, object string) Spec {
	t.Helper()
	o, _ := NewOperation(act, 1)
	spec := specOf("RU,50")
	spec.Workload = NewMix([]Operation{o}).Resolve(false, false)
	spec.Namespace, spec.Set, spec.Workers = "test", "searched", 1
	parsed, err := objspec.Parse(object, objspec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	spec.Object = parsed
	spec.ReadPolicy.TotalTimeout, spec.ReadPolicy.SocketTimeout = 0, time.Minute
	return spec
}

// searchWorker is a worker of the spec.
func searchWorker(t *testing.T, spec Spec, client Client) (*worker, *Stats) {
	t.Helper()
	job, err := Prepare(spec, client)
	if err != nil {
		t.Fatal(err)
	}
	stats := NewStats(1, false, spec.Workload.Ops())
	w := newWorker(t.Context(), job, 0, &stats.tallies[0])
	w.epoch, w.recording = time.Now(), true
	return w, stats
}

// A range begins at the record's value and stops at the largest integer.
func TestQueriesAskForTheRange(t *testing.T) {
	client := searched(t, embedded.RunT(t, embedded.Config{}).Addr(), math.MinInt64, -6, -5, -1, 0, 4, 5, math.MaxInt64-1, math.MaxInt64)
	task, err := client.CreateIndex(nil, "test", "searched", "n", "n", as.NUMERIC)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-task.OnComplete(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, object string
		width       uint64
		want        uint64
	}{
		{"equality", "n=-5", 0, 1},
		{"a range of one", "n=-5", 1, 1},
		{"across 0: -5, -1, 0 and 4, but not 5", "n=-5", 10, 4},
		{"one more", "n=-5", 11, 5},
		{"the largest value", "n=9223372036854775807", 1, 1},
		{"to just below the largest value", "n=9223372036854775806", 1, 1},
		{"to the largest value exactly", "n=9223372036854775806", 2, 2},
		{"beyond the largest value", "n=9223372036854775806", 1000, 2},
		{"as wide as can be from near the smallest: to -1", "n=-9223372036854775807", math.MaxInt64, 3},
		{"what no record has", "n=77", 0, 0},
	} {
		spec := searchSpec(t, "query", c.object)
		spec.Query.Width = c.width
		w, _ := searchWorker(t, spec, client)
		if !w.searcher.ask(1) {
			t.Errorf("%s: no value", c.why)
		}
		if err := w.searcher.search(client, QueryRecords); err != nil || w.searcher.returned != c.want {
			t.Errorf("%s: %d records and %v, want %d", c.why, w.searcher.returned, err, c.want)
		}
	}
}

// A record without the bin is passed over for one that has it.
func TestQueriesOfOptionalBins(t *testing.T) {
	spec := searchSpec(t, "query", "I1,n?0.01=@key")
	spec.Query.Bin, spec.Random = 1, true
	w, _ := searchWorker(t, spec, newFakeClient())
	bin := spec.Object.NewGenerator(spec.Seed)
	for range 100 {
		w.record = w.address(w.key, w.source, w.draws.Next())
		if !w.prepareQuery() {
			t.Fatal("the range has no end")
		}
		// A share of 1 % leaves out 1000 draws in a row once in 23000 times.
		if len(bin.Record(w.record, []int{1})) == 0 {
			t.Fatalf("asks for the record %d, which has no bin", w.record)
		}
	}
	// The same record for all has the bin or not; there is nothing to draw then.
	w.searcher.spec.Random = false
	before := w.rng
	if w.prepareQuery(); w.rng != before {
		t.Error("draws records though they are all alike")
	}
}

// Scans begin at every place behind which as many partitions are left, and nowhere else.
func TestScansChooseTheirPartitions(t *testing.T) {
	for _, c := range []struct {
		partitions int
		want       int // different first partitions that can be seen
	}{{0, 1}, {NumPartitions, 1}, {NumPartitions - 1, 2}, {NumPartitions - 3, 4}} {
		spec := searchSpec(t, "scan", "I1")
		spec.Scan.Partitions = c.partitions
		w, _ := searchWorker(t, spec, newFakeClient())
		count, seen := c.partitions, map[string]bool{}
		if count == 0 {
			count = NumPartitions
		}
		for range 200 { // misses one of four once in 10^24 times
			w.searcher.prepareScan(w)
			f := w.searcher.partitions
			if f.Begin < 0 || f.Count != count || f.Begin+f.Count > NumPartitions {
				t.Fatalf("%d partitions: reads %d from %d on", c.partitions, f.Count, f.Begin)
			}
			seen[fmt.Sprint(f.Begin)] = true
		}
		if len(seen) != c.want {
			t.Errorf("%d partitions: from %d places, want %d", c.partitions, len(seen), c.want)
		}
	}
}

// Records that came before an error count, and the transaction fails once.
func TestScansThatFailPartWay(t *testing.T) {
	cluster := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 3})
	client := searched(t, cluster.Addrs()[0], make([]int64, 600)...)
	fault, err := embedded.ParseFault("scan code=parameter node=2")
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.SetFaults(1, fault); err != nil {
		t.Fatal(err)
	}
	w, stats := searchWorker(t, searchSpec(t, "scan", "I1"), client)
	w.searcher.prepareScan(w)
	failure := w.searcher.search(client, ScanRecords)
	n := w.searcher.returned
	if failure == nil || n == 0 || n == 600 {
		t.Fatalf("%d of 600 records and %v, want some and an error", n, failure)
	}
	_, hit := w.settle(w.job.steps[0], true, failure, time.Millisecond, -1)
	c := stats.Snapshot().Counts[ScanOp]
	if hit || c.Error != 1 || c.Done != 0 || c.Hit != n || c.Miss != 0 {
		t.Errorf("%+v, want one error and %d hits", c, n)
	}
	if rows := stats.Failures(); len(rows) != 1 || rows[0].Count != 1 || rows[0].Name() != "PARAMETER_ERROR" {
		t.Errorf("%+v, want one PARAMETER_ERROR", rows)
	}
}

// A search that is abandoned ends although most records have not come.
func TestAbandonedSearchesEnd(t *testing.T) {
	const records = 2000
	client := searched(t, embedded.RunT(t, embedded.Config{}).Addr(), make([]int64, records)...)
	w, _ := searchWorker(t, searchSpec(t, "scan", "I1"), client)
	w.searcher.prepareScan(w)
	set, err := client.ScanPartitions(w.searcher.scan, w.searcher.partitions, "test", "searched")
	if err != nil {
		t.Fatal(err)
	}
	// Nobody has taken a record yet, so the queue of 50 is as far as the scan comes.
	w.searcher.running.Store(set)
	w.searcher.abandon()
	for set.IsActive() {
		runtime.Gosched()
	}
	if err := set.Close(); err == nil {
		t.Error("it was not closed")
	}
	n := 0
	for range set.Results() {
		n++
	}
	if n == records {
		t.Error("the scan went on to its end")
	}
}

// closing abandons a worker's search as soon as it has begun.
type closing struct {
	Client
	worker *worker
}

func (c *closing) ScanPartitions(p *as.ScanPolicy, f *as.PartitionFilter, namespace, set string, bins ...string) (*as.Recordset, as.Error) {
	defer c.worker.searcher.abandon()
	return c.Client.ScanPartitions(p, f, namespace, set, bins...)
}

// What an abandoned search returned is counted nowhere, and the worker ends.
func TestAbandonedSearchesDoNotCount(t *testing.T) {
	client := &closing{Client: searched(t, embedded.RunT(t, embedded.Config{}).Addr(), make([]int64, 500)...)}
	spec := searchSpec(t, "scan", "I1")
	spec.Transactions = 1
	w, stats := searchWorker(t, spec, client)
	client.worker = w
	w.run(t.Context())
	if total := stats.Snapshot().Counts[ScanOp]; total != (Counts{}) {
		t.Errorf("counted %+v", total)
	}
}
