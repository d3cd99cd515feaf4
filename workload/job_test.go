package workload

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
)

// runJob runs a spec on virtual time and returns what it measured.
func runJob(t *testing.T, spec Spec, client *fakeClient) Snapshot {
	t.Helper()
	stats := NewStats(spec.Workers, spec.Schedule.Throttled(), allOps)
	job, err := Prepare(spec, client)
	if err != nil {
		t.Fatal(err)
	}
	if abandoned := job.Run(context.Background(), stats); abandoned != 0 {
		t.Errorf("%d transactions abandoned", abandoned)
	}
	return stats.Snapshot()
}

func TestWalksVisitEachKeyOnce(t *testing.T) {
	for _, workload := range []string{"I", "DB"} {
		for _, threads := range []int{1, 7, 16, 1500} {
			t.Run(fmt.Sprint(workload, threads), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					spec := specOf(workload)
					spec.Workers = threads
					client := newFakeClient()
					snap := runJob(t, spec, client)
					seen := map[int]int{}
					for _, c := range client.calls {
						seen[c.key]++
					}
					for key := 1; key <= 1000; key++ {
						if seen[key] != 1 {
							t.Fatalf("key %d was visited %d times", key, seen[key])
						}
					}
					if len(seen) != 1000 {
						t.Errorf("%d keys visited, want 1000", len(seen))
					}
					if got := snap.Counts[Write]; got != (Counts{Done: 1000, Hit: 1000}) {
						t.Errorf("counts = %+v", got)
					}
				})
			})
		}
	}
}

func TestBinsOfTransactions(t *testing.T) {
	for _, c := range []struct {
		workload    string
		read, write []int
		want        []string // every kind of call that is made
		why         string
	}{
		{"I", nil, nil, []string{"put b b_2 b_3"}, "inserts write all bins"},
		{"I", nil, []int{1, 2}, []string{"put b_2 b_3"}, "or those that are named"},
		{"RU,50", nil, nil, []string{"get", "put b b_2 b_3"}, "no names ask for all bins"},
		{"RU,50", []int{2}, []int{0}, []string{"get b_3", "put b"}, "named bins and no percentage: always those"},
		{"RU,50,0,0", nil, nil, []string{"get b", "put b"}, "partial without names is the first bin"},
		{"RU,50,50,50", []int{1}, []int{2}, []string{"get", "get b_2", "put b b_2 b_3", "put b_3"}, "both ways"},
		{"RU,100", nil, nil, []string{"get"}, "reads only"},
		{"RU,0", nil, nil, []string{"put b b_2 b_3"}, "writes only"},
		{"RR,50", nil, nil, []string{"get", "put b b_2 b_3"}, "replaces send the same bins"},
		{"RUD,40,40", nil, nil, []string{"delete", "get", "put b b_2 b_3"}, "the rest deletes"},
		{"RUD,50,50", nil, nil, []string{"get", "put b b_2 b_3"}, "nothing left to delete"},
		{"RUD,50,0", nil, nil, []string{"delete", "get"}, "no writes"},
		{"DB", nil, nil, []string{"delete"}, "whole records"},
		{"DB", nil, []int{0, 2}, []string{"put b=nil b_3=nil"}, "single bins"},
	} {
		for _, random := range []bool{false, true} {
			if random && c.workload == "DB" {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				spec := specOf(c.workload)
				spec.Workload, _ = Parse(c.workload)
				spec.Workload = spec.Workload.Resolve(c.read != nil, c.write != nil)
				spec.ReadBins, spec.WriteBins, spec.Random = c.read, c.write, random
				client := newFakeClient()
				client.latency = func(call) time.Duration { return 5 * time.Millisecond }
				runJob(t, spec, client)
				kinds := map[string]bool{}
				for _, got := range client.calls {
					kinds[strings.TrimSpace(got.op+" "+strings.Join(got.bins, " "))] = true
				}
				got := make([]string, 0, len(kinds))
				for k := range kinds {
					got = append(got, k)
				}
				slices.Sort(got)
				if !slices.Equal(got, c.want) {
					t.Errorf("%s: %s (random %v) did %q, want %q", c.why, c.workload, random, got, c.want)
				}
			})
		}
	}
}

// With 20 000 draws the standard deviation of a share of 20 % is 0.28 points; a
// fixed seed makes the outcome certain.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		workload           string
		get, put, deletion float64
	}{
		{"RU,80", 80, 20, 0},
		{"RU,0.5", 0.5, 99.5, 0},
		{"RUD,40,40", 40, 40, 20},
		{"RUD,10,0", 10, 0, 90},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf(c.workload)
			spec.Schedule.Curve = Constant(20_000)
			client := newFakeClient()
			runJob(t, spec, client)
			n := map[string]float64{}
			for _, call := range client.calls {
				n[call.op] += 100 / float64(len(client.calls))
			}
			for op, want := range map[string]float64{"get": c.get, "put": c.put, "delete": c.deletion} {
				if math.Abs(n[op]-want) > 1 {
					t.Errorf("%s: %.2f %% %s, want %g", c.workload, n[op], op, want)
				}
			}
		})
	}
}

func TestWritePolicies(t *testing.T) {
	for _, c := range []struct {
		workload   string
		ttl        int64
		bins       []int
		exists     as.RecordExistsAction
		expiration uint32
	}{
		{"I", 0, nil, as.UPDATE, 0},
		{"RU,0", 3600, nil, as.UPDATE, 3600},
		{"RR,0", -1, nil, as.REPLACE, math.MaxUint32},
		{"RU,0", -2, nil, as.UPDATE, math.MaxUint32 - 1},
		{"DB", 0, []int{1}, as.UPDATE_ONLY, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf(c.workload)
			spec.TTL, spec.WriteBins = c.ttl, c.bins
			spec.Keys = keygen.Range{Start: 5, End: 6}
			client := newFakeClient()
			client.latency = func(call) time.Duration { return time.Second }
			runJob(t, spec, client)
			got := client.calls[0].write
			if got.RecordExistsAction != c.exists || got.Expiration != c.expiration {
				t.Errorf("%s with TTL %d: action %v, expiration %d; want %v, %d",
					c.workload, c.ttl, got.RecordExistsAction, got.Expiration, c.exists, c.expiration)
			}
		})
	}
}

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		workload string
		answer   func(call) as.Error
		missing  bool
		op       Op
		want     func(n uint64) Counts
		code     types.ResultCode
		why      string
	}{
		{"RU,100", nil, false, Read, func(n uint64) Counts { return Counts{Done: n, Hit: n} }, 0, "a record read"},
		{"RU,100", failing(types.KEY_NOT_FOUND_ERROR), false, Read, func(n uint64) Counts { return Counts{Done: n, Miss: n} }, 0, "no such record"},
		{"DB", nil, true, Write, func(n uint64) Counts { return Counts{Done: n, Miss: n} }, 0, "a delete that found nothing"},
		{"I", failing(types.TIMEOUT), false, Write, func(n uint64) Counts { return Counts{Timeout: n} }, types.TIMEOUT, "a timeout"},
		{"I", failing(types.DEVICE_OVERLOAD), false, Write, func(n uint64) Counts { return Counts{Error: n} }, types.DEVICE_OVERLOAD, "an error"},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf(c.workload)
			client := newFakeClient()
			client.answer, client.missing = c.answer, c.missing
			client.latency = func(call) time.Duration { return time.Millisecond }
			stats := NewStats(spec.Workers, false, allOps)
			job, err := Prepare(spec, client)
			if err != nil {
				t.Fatal(err)
			}
			job.Run(context.Background(), stats)
			n := uint64(len(client.calls))
			snap := stats.Snapshot()
			if got := snap.Counts[c.op]; got != c.want(n) {
				t.Errorf("%s: counts = %+v, want %+v", c.why, got, c.want(n))
			}
			if got, want := snap.Service[c.op].Count(), int64(snap.Counts[c.op].Measured()); got != want {
				t.Errorf("%s: %d latencies, want %d", c.why, got, want)
			}
			switch failures := stats.Failures(); {
			case c.code == 0 && len(failures) != 0:
				t.Errorf("%s: failures = %+v", c.why, failures)
			case c.code != 0 && (len(failures) != 1 || failures[0].Code != c.code || failures[0].Count != n || failures[0].Op != c.op):
				t.Errorf("%s: failures = %+v", c.why, failures)
			}
		})
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err  as.Error
		how  outcome
		code types.ResultCode
	}{
		{&as.AerospikeError{ResultCode: types.TIMEOUT}, timeout, types.TIMEOUT},
		{&as.AerospikeError{ResultCode: types.KEY_NOT_FOUND_ERROR}, done, types.KEY_NOT_FOUND_ERROR},
		{&as.AerospikeError{ResultCode: types.NETWORK_ERROR}, failed, types.NETWORK_ERROR},
		{&as.AerospikeError{ResultCode: types.MAX_RETRIES_EXCEEDED}, failed, types.MAX_RETRIES_EXCEEDED},
	} {
		if how, code := classify(c.err); how != c.how || code != c.code {
			t.Errorf("classify(%v) = %v, %v; want %v, %v", c.err, how, code, c.how, c.code)
		}
	}
}

func TestRates(t *testing.T) {
	for _, c := range []struct {
		tps     float64
		threads int
		seconds int
		want    int
	}{
		{0.5, 1, 20, 10},
		{0.5, 16, 20, 10},
		{200, 1, 5, 1000},
		{200, 16, 5, 1000},
		{3, 1000, 10, 30},
		{50_000, 16, 2, 100_000},
		{100_000, 3, 1, 100_000},
		{333.333, 7, 3, 1000},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf("RU,50")
			spec.Schedule.Curve, spec.Workers = Constant(c.tps), c.threads
			spec.Duration = time.Duration(c.seconds) * time.Second
			client := newFakeClient()
			start := time.Now()
			runJob(t, spec, client)
			if took := time.Since(start); took != spec.Duration {
				t.Errorf("%g/s with %d threads took %v, want %v", c.tps, c.threads, took, spec.Duration)
			}
			if got := len(client.calls); got != c.want {
				t.Errorf("%g/s for %d s with %d threads made %d transactions, want %d", c.tps, c.seconds, c.threads, got, c.want)
			}
			// Evenly spaced, whatever the number of threads: each of ten equal
			// parts of the time holds a tenth of the transactions.
			var parts [10]int
			for _, call := range client.calls {
				parts[int(call.at*10/spec.Duration)]++
			}
			for i, n := range parts {
				if d := n - c.want/10; d < -1 || d > 1 {
					t.Errorf("%g/s with %d threads: tenth %d has %d transactions, want %d", c.tps, c.threads, i, n, c.want/10)
				}
			}
		})
	}
}

// A rate far below the number of keys must not keep workers waiting for turns
// that have nothing left to do.
func TestThrottledWalkEndsWithItsRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("I")
		spec.Workers, spec.Keys, spec.Schedule.Curve = 16, keygen.Range{Start: 1, End: 4}, Constant(0.5)
		client := newFakeClient()
		start := time.Now()
		runJob(t, spec, client)
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("three keys at 0.5/s took %v, want 4s", took)
		}
	})
}

// One worker, 100 transactions a second, and a server that stands still from
// 0.5 s to 1.5 s. The transaction that meets the stall waits for a second; the
// hundred that were due meanwhile wait in line behind it, for 0.99 s, 0.98 s, …
// Service time shows one slow answer; response time shows them all.
func TestStallHasItsFullWeightInResponseTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,100")
		spec.Workers, spec.Schedule.Curve, spec.Duration = 1, Constant(100), 3*time.Second
		client := newFakeClient()
		client.latency = func(c call) time.Duration {
			if c.at == 500*time.Millisecond {
				return time.Second
			}
			return 0
		}
		snap := runJob(t, spec, client)
		if n := snap.Counts[Read].Hit; n != 300 {
			t.Fatalf("%d transactions, want 300: the stall must be caught up", n)
		}
		service, response := snap.Service[Read], snap.Response[Read]
		if got := service.Percentile(99); got != 0 {
			t.Errorf("service p99 = %d µs, want 0: a single call was slow", got)
		}
		// 100 of 300 waited: the quantile at 1 - 50/300 is the 50th longest
		// wait, 0.51 s, and the longest is the stall itself.
		if got := response.Percentile(100 * (1 - 49.5/300)); math.Abs(float64(got)-510_000) > 1000 {
			t.Errorf("response percentile = %d µs, want 510000", got)
		}
		if got := response.Max(); math.Abs(float64(got)-1e6) > 1000 {
			t.Errorf("response max = %d µs, want 1000000", got)
		}
		if got := response.Percentile(60); got != 0 {
			t.Errorf("response p60 = %d µs, want 0: two thirds met no stall", got)
		}
	})
}

func TestClosedLoopHasNoResponseTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,50")
		client := newFakeClient()
		client.latency = func(call) time.Duration { return 10 * time.Millisecond }
		stats := NewStats(spec.Workers, true, allOps)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		job.Run(context.Background(), stats)
		snap := stats.Snapshot()
		for _, op := range []Op{Read, Write} {
			if s, r := snap.Service[op], snap.Response[op]; s.Count() == 0 || s.Min() != 10_000 || r.Count() != 0 {
				t.Errorf("%s: %d service times from %d, %d response times", op, s.Count(), s.Min(), r.Count())
			}
		}
	})
}

func TestStopDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,50")
		spec.Duration = time.Hour
		client := newFakeClient()
		var open atomic.Int64
		client.latency = func(call) time.Duration { return 300 * time.Millisecond }
		client.answer = func(call) as.Error { open.Add(1); return nil }
		stats := NewStats(spec.Workers, false, allOps)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(1000*time.Millisecond, cancel)
		start := time.Now()
		if abandoned := job.Run(ctx, stats); abandoned != 0 {
			t.Errorf("%d abandoned", abandoned)
		}
		if took := time.Since(start); took != 1200*time.Millisecond {
			t.Errorf("took %v, want 1.2s: the transactions in flight end", took)
		}
		if got := int(stats.Snapshot().Total().Attempted()); got != len(client.calls) || int64(got) != open.Load() {
			t.Errorf("counted %d of %d transactions", got, len(client.calls))
		}
	})
}

func TestStopGivesUpOnAHungServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,50")
		client := newFakeClient()
		client.latency = func(call) time.Duration { return time.Hour }
		stats := NewStats(spec.Workers, false, allOps)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if abandoned := job.Run(ctx, stats); abandoned != spec.Workers {
			t.Errorf("%d abandoned, want %d", abandoned, spec.Workers)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %v, want 2s", took)
		}
		time.Sleep(time.Hour) // lets the fake server's answers come
	})
}

func TestStopWhileWaitingForATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,50")
		spec.Schedule.Curve, spec.Duration = Constant(0.001), 24*time.Hour
		job, err := Prepare(spec, newFakeClient())
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(1500*time.Millisecond, cancel)
		start := time.Now()
		job.Run(ctx, NewStats(spec.Workers, true, allOps))
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("took %v, want 1.5s", took)
		}
	})
}

func TestSameSeedSameTransactions(t *testing.T) {
	sequence := func(seed, stream uint64) (list []string) {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf("RUD,40,40")
			spec.Workers, spec.Seed, spec.Stream, spec.Schedule.Curve = 1, seed, stream, Constant(100)
			client := newFakeClient()
			runJob(t, spec, client)
			for _, c := range client.calls {
				list = append(list, fmt.Sprint(c.op, c.key))
			}
		})
		return list
	}
	if !slices.Equal(sequence(1, 1), sequence(1, 1)) {
		t.Error("the same seed and stage drew other transactions")
	}
	if slices.Equal(sequence(1, 1), sequence(1, 2)) || slices.Equal(sequence(1, 1), sequence(2, 1)) {
		t.Error("another stage or seed drew the same transactions")
	}
}

func TestPrepareRefuses(t *testing.T) {
	spec := specOf("I")
	spec.Workers = 0
	if _, err := Prepare(spec, newFakeClient()); err == nil {
		t.Error("no threads: no error")
	}
	spec = specOf("I")
	spec.Keys = keygen.Range{Start: 3, End: 3}
	if _, err := Prepare(spec, newFakeClient()); err == nil {
		t.Errorf("no keys: %v", err)
	}
}
