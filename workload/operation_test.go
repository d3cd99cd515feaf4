package workload

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
)

// mixOf returns a mix of named operations with weights.
func mixOf(t *testing.T, weights map[string]float64) Workload {
	t.Helper()
	var list []Operation
	for _, name := range OperationNames() {
		if weight := weights[name]; weight > 0 {
			o, ok := NewOperation(name, weight)
			if !ok {
				t.Fatalf("no operation %q", name)
			}
			list = append(list, o)
		}
	}
	return NewMix(list).Resolve(false, false)
}

// With 20 000 draws the standard deviation of a share of 50 % is 0.35 points; a
// fixed seed makes the outcome certain.
func TestMixFollowsItsWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("I")
		spec.Workload = mixOf(t, map[string]float64{"read": 140, "update": 20, "replace": 10, "delete": 10, "udf": 10, "increment": 6, "decrement": 4})
		spec.UDF = Function{Module: "m", Name: "f"}
		spec.Schedule.Curve = Constant(20_000)
		client := newFakeClient()
		runJob(t, spec, client)
		got := map[string]float64{}
		for _, c := range client.calls {
			kind := c.op
			switch {
			case c.op == "put" && c.write.RecordExistsAction == as.REPLACE:
				kind = "replace"
			case c.op == "add":
				kind = c.bins[0]
			}
			got[kind] += 100 / float64(len(client.calls))
		}
		want := map[string]float64{"get": 70, "put": 10, "replace": 5, "delete": 5, "udf": 5, "b+1": 3, "b+-1": 2}
		for kind, share := range want {
			if math.Abs(got[kind]-share) > 1 {
				t.Errorf("%.2f %% %s, want %g", got[kind], kind, share)
			}
		}
		if len(got) != len(want) {
			t.Errorf("did %v", got)
		}
	})
}

// kindOf is a call as a pattern writes it.
func kindOf(c call) string {
	switch {
	case c.op == "batch":
		return fmt.Sprintf("%dB", len(c.rows))
	case c.op == "add":
		return "i"
	case c.op == "get" && len(c.bins) == 0:
		return "R"
	case c.op == "get":
		return "r"
	}
	code := "u"
	if c.write.RecordExistsAction == as.REPLACE {
		code = "p"
	}
	if len(c.bins) == 3 {
		code = strings.ToUpper(code)
	}
	return code
}

func TestCommandsOfTransactions(t *testing.T) {
	for _, c := range []struct {
		workload    string
		read, write []int
		want        string // the commands of each transaction
		bins        string // that the last command takes
		same        bool   // all on one record
		why         string
	}{
		{"RMU", nil, nil, "Ru", "b", true, "all bins are read and the first is updated"},
		{"RMU", []int{1}, []int{2}, "ru", "b_3", true, "or those that are named"},
		{"RMI", nil, nil, "Ri", "b+1", true, "adds one"},
		{"RMD", nil, []int{2}, "Ri", "b_3+-1", true, "subtracts one from the named bin"},
		{"TXN,t:r2Ruw3PUp5Bi", nil, nil, "rRRuuPPPUp5Bi", "b+1", false, "every letter, w being an update"},
		{"TXN,r:3", nil, nil, "RRR", "", false, "reads of all bins"},
		{"TXN,w:2", nil, nil, "UU", "b b_2 b_3", false, "writes of all bins"},
		{"TXN,t:ru,r:3", nil, nil, "ruRR", "", false, "a sequence counts towards the reads"},
		{"TXN,t:3r,r:2", nil, nil, "rrr", "b", false, "and may hold more of them"},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf(c.workload)
			spec.ReadBins, spec.WriteBins = c.read, c.write
			spec.Workers, spec.Transactions, spec.Duration = 1, 50, time.Hour
			client := newFakeClient()
			snap := runJob(t, spec, client)
			var got string
			keys := map[int]bool{}
			for _, call := range client.calls {
				got += kindOf(call)
				keys[call.key] = true
			}
			if got != strings.Repeat(c.want, 50) {
				t.Errorf("%s: %s did %s, want 50 times %s", c.why, c.workload, got[:min(len(got), 60)], c.want)
			}
			last := client.calls[len(client.calls)-1]
			if bins := strings.Join(last.bins, " "); bins != c.bins {
				t.Errorf("%s: %s last took %s, want %s", c.why, c.workload, bins, c.bins)
			}
			for i := 0; c.same && i < len(client.calls); i += 2 {
				if client.calls[i].key != client.calls[i+1].key {
					t.Errorf("%s: read %d and wrote %d", c.workload, client.calls[i].key, client.calls[i+1].key)
				}
			}
			if len(keys) < 20 {
				t.Errorf("%s: only %d records of 1000 in 50 transactions", c.workload, len(keys))
			}
			if got := snap.Counts[Txn]; got != (Counts{Done: 50, Hit: 50}) || snap.Transactions() != 50 {
				t.Errorf("%s: counted %+v and %d transactions, want 50", c.workload, got, snap.Transactions())
			}
			if got := snap.Total().Done; got != uint64(len(client.calls)) || snap.Parts != got {
				t.Errorf("%s: counted %d commands and %d parts of %d", c.workload, got, snap.Parts, len(client.calls))
			}
		})
	}
}

// The numbers vary evenly between their ends, and reads and writes come mixed.
func TestVarianceOfTransactions(t *testing.T) {
	for _, c := range []struct {
		workload                 string
		lowR, highR, lowW, highW int
		why                      string
	}{
		{"TXN,r:10,w:5,v:20%", 8, 12, 4, 6, "a percentage of each"},
		{"TXN,r:10,w:5,v:2", 8, 12, 3, 7, "an absolute number"},
		{"TXN,r:3,w:1,v:1", 2, 4, 0, 2, "down to nothing of a kind"},
		{"TXN,r:10,w:0,v:50%", 5, 15, 0, 0, "what there is none of does not vary"},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf(c.workload)
			spec.Workers, spec.Transactions, spec.Duration = 1, 2000, 1000*time.Hour
			spec.Schedule.Curve = Constant(1) // the gaps tell transactions apart
			client := newFakeClient()
			runJob(t, spec, client)
			reads, writes := map[int]int{}, map[int]int{}
			first := map[string]int{}
			for at := range 2000 {
				var r, w int
				for _, call := range client.calls {
					if call.at != time.Duration(at)*time.Second {
						continue
					}
					if r+w == 0 {
						first[call.op]++
					}
					if call.op == "get" {
						r++
					} else {
						w++
					}
				}
				client.calls = client.calls[r+w:]
				reads[r]++
				writes[w]++
			}
			check := func(what string, counts map[int]int, low, high int) {
				share := 2000 / float64(high-low+1)
				for n, times := range counts {
					// Five standard deviations of a binomial count.
					if n < low || n > high || math.Abs(float64(times)-share) > 5*math.Sqrt(share) {
						t.Errorf("%s: %d transactions with %d %s, want %.0f with each of %d to %d", c.workload, times, n, what, share, low, high)
					}
				}
				if len(counts) != high-low+1 {
					t.Errorf("%s: %d different numbers of %s, want %d", c.workload, len(counts), what, high-low+1)
				}
			}
			check("reads", reads, c.lowR, c.highR)
			check("writes", writes, c.lowW, c.highW)
			if c.highW > 0 && (first["get"] < 1000 || first["put"] < 300) {
				t.Errorf("%s: transactions begin with %v", c.workload, first)
			}
		})
	}
}

func TestInsertsOfAMixGoPastTheRange(t *testing.T) {
	for _, batch := range []int{1, 7} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf("I")
			spec.Workload = mixOf(t, map[string]float64{"read": 50, "insert": 50})
			spec.Workers, spec.Transactions, spec.Duration, spec.BatchWrite = 3, 300, time.Hour, batch
			client := newFakeClient()
			client.latency = func(call) time.Duration { return time.Millisecond }
			runJob(t, spec, client)
			var inserted []int
			for _, c := range client.calls {
				switch {
				case c.op == "get" && (c.key < 1 || c.key > 1000):
					t.Errorf("read %d", c.key)
				case c.op == "put":
					inserted = append(inserted, c.key)
				}
				for _, row := range c.rows {
					inserted = append(inserted, row.key)
				}
			}
			slices.Sort(inserted)
			if len(inserted) < 100*batch || inserted[0] != 1001 || len(slices.Compact(slices.Clone(inserted))) != len(inserted) {
				t.Errorf("inserted %d records from %d on, want every key from 1001 on once", len(inserted), inserted[0])
			}
			// Workers that insert more than others leave gaps, but each has a
			// row of its own without any.
			for i := range 3 {
				var own []int
				for _, key := range inserted {
					if (key-1001)%3 == i {
						own = append(own, key)
					}
				}
				if want := 1001 + i + 3*(len(own)-1); own[len(own)-1] != want {
					t.Errorf("worker %d ends at %d, want %d", i, own[len(own)-1], want)
				}
			}
		})
	}
}

func TestShareOfTheRange(t *testing.T) {
	for _, c := range []struct {
		workload string
		want     int
	}{{"I:60", 600}, {"I:0.1", 1}, {"I:33.35", 333}, {"I:100", 1000}, {"I", 1000}} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf(c.workload)
			client := newFakeClient()
			runJob(t, spec, client)
			var keys []int
			for _, call := range client.calls {
				keys = append(keys, call.key)
			}
			slices.Sort(keys)
			if len(keys) != c.want || keys[0] != 1 || keys[len(keys)-1] != c.want {
				t.Errorf("%s wrote %d keys to %d, want 1 to %d", c.workload, len(keys), keys[len(keys)-1], c.want)
			}
		})
	}
	whole := keygen.Range{Start: 0, End: 1 << 63}
	w, _ := Parse("I:50")
	if got := w.Keys(whole); got.Size() != 1<<62 {
		t.Errorf("half of 2^63 keys are %d", got.Size())
	}
}

func TestBatchNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,50")
		spec.BatchRead, spec.BatchWrite, spec.BatchNamespaces = 5, 2, []string{"test", "bar"}
		client := newFakeClient()
		client.latency = func(call) time.Duration { return 10 * time.Millisecond }
		runJob(t, spec, client)
		for _, c := range client.calls {
			var got []string
			for _, row := range c.rows {
				got = append(got, row.kind+" "+row.namespace)
			}
			want := "put test, put test"
			if c.rows[0].kind == "get" {
				want = "get test, get bar, get test, get bar, get test"
			}
			if text := strings.Join(got, ", "); text != want {
				t.Fatalf("a batch of %s, want %s", text, want)
			}
		}
	})
}

// A failed command ends its transaction and is counted once by its code; a record
// that is not there does not.
func TestOutcomesOfTransactions(t *testing.T) {
	for _, c := range []struct {
		code types.ResultCode
		want [NumOps]Counts // of one transaction: write, read, udf, whole
	}{
		{types.OK, [NumOps]Counts{{Done: 1, Hit: 1}, {Done: 1, Hit: 1}, {}, {Done: 1, Hit: 1}}},
		{types.KEY_NOT_FOUND_ERROR, [NumOps]Counts{{Done: 1, Hit: 1}, {Done: 1, Miss: 1}, {}, {Done: 1, Miss: 1}}},
		{types.TIMEOUT, [NumOps]Counts{{}, {Timeout: 1}, {}, {Timeout: 1}}},
		{types.DEVICE_OVERLOAD, [NumOps]Counts{{}, {Error: 1}, {}, {Error: 1}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf("RMU")
			spec.Workers, spec.Transactions = 1, 1
			client := newFakeClient()
			client.answer = func(call call) as.Error {
				if call.op == "get" && c.code != types.OK {
					return &as.AerospikeError{ResultCode: c.code}
				}
				return nil
			}
			stats := NewStats(1, false, allOps)
			job, err := Prepare(spec, client)
			if err != nil {
				t.Fatal(err)
			}
			job.Run(context.Background(), stats)
			if got := stats.Snapshot().Counts; got != c.want {
				t.Errorf("%v: %+v, want %+v", c.code, got, c.want)
			}
			if rows := stats.Failures(); c.want[Txn].Done == 0 && (len(rows) != 1 || rows[0].Op != Read || rows[0].Count != 1) ||
				c.want[Txn].Done == 1 && len(rows) != 0 {
				t.Errorf("%v: failures %+v", c.code, rows)
			}
		})
	}
}

// The second command is due when the first has ended; the whole counts from the
// intended start.
func TestLatenciesOfTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RMU")
		spec.Workers, spec.Transactions, spec.Duration = 1, 2, time.Hour
		spec.Schedule.Curve = Constant(100) // due at 0 and 10 ms; the second starts at 50 ms
		client := newFakeClient()
		client.latency = func(c call) time.Duration {
			return map[string]time.Duration{"get": 20 * time.Millisecond, "put": 30 * time.Millisecond}[c.op]
		}
		snap := runJob(t, spec, client)
		for _, c := range []struct {
			op       Op
			service  int64
			response int64 // the longer one, of the second transaction
		}{{Read, 20, 60}, {Write, 30, 30}, {Txn, 50, 90}} {
			service, response := snap.Service[c.op].Max()/1000, snap.Response[c.op].Max()/1000
			if service != c.service || response != c.response {
				t.Errorf("%s: service %d ms and response %d ms, want %d and %d", c.op, service, response, c.service, c.response)
			}
		}
	})
}

func TestStopInTheMidstOfATransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("TXN,r:1000")
		spec.Workers, spec.Duration = 2, time.Hour
		client := newFakeClient()
		client.latency = func(call) time.Duration { return 10 * time.Millisecond }
		stats := NewStats(2, false, allOps)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(105*time.Millisecond, cancel)
		if abandoned := job.Run(ctx, stats); abandoned != 0 {
			t.Errorf("%d abandoned", abandoned)
		}
		snap := stats.Snapshot()
		if got := snap.Total().Done; got != 22 || snap.Counts[Txn] != (Counts{}) || snap.Transactions() != 0 {
			t.Errorf("%d commands, %+v transactions, want 22 commands and no transaction", got, snap.Counts[Txn])
		}
	})
}
