package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

func TestBatchWalksVisitEachKeyOnce(t *testing.T) {
	for _, workload := range []string{"I", "DB"} {
		for _, size := range []int{2, 7, 100, 5000} {
			for _, workers := range []int{1, 3, 16} {
				synctest.Test(t, func(t *testing.T) {
					spec := specOf(workload)
					spec.Workers, spec.BatchWrite, spec.BatchDelete = workers, size, size
					client := newFakeClient()
					snap := runJob(t, spec, client)
					seen := map[int]int{}
					for _, c := range client.calls {
						if c.op != "batch" || len(c.rows) > size || len(c.rows) == 0 {
							t.Fatalf("%s by %d: a %s of %d records", workload, size, c.op, len(c.rows))
						}
						for _, r := range c.rows {
							seen[r.key]++
						}
					}
					for key := 1; key <= 1000; key++ {
						if seen[key] != 1 {
							t.Fatalf("%s by %d with %d workers: key %d was visited %d times", workload, size, workers, key, seen[key])
						}
					}
					// Whole batches, but for the last.
					if want := (1000 + size - 1) / size; len(client.calls) != want {
						t.Errorf("%s by %d with %d workers: %d batches, want %d", workload, size, workers, len(client.calls), want)
					}
					want := Counts{Done: uint64(len(client.calls)), Hit: 1000}
					if len(seen) != 1000 || snap.Counts[Write] != want {
						t.Errorf("%s by %d: %d keys, counts %+v, want %+v", workload, size, len(seen), snap.Counts[Write], want)
					}
				})
			}
		}
	}
}

func TestRowsOfBatches(t *testing.T) {
	args, err := objspec.Parse(`7,"x"`, objspec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		workload                     string
		read, write                  []int
		batchRead, batchWrite, batch int
		want                         string // every kind of row, or call without rows
	}{
		{"RU,50", nil, nil, 3, 3, 1, "3*get; 3*put 3"},
		{"RU,50", nil, nil, 3, 1, 1, "3*get; put"},
		{"RU,50", nil, nil, 1, 4, 1, "4*put 3; get"},
		{"RU,50,50,50", []int{1, 2}, []int{2}, 2, 2, 1, "2*get; 2*get b_2 b_3; 2*put 1; 2*put 3"},
		{"RR,50", nil, nil, 2, 3, 1, "2*get; 3*put 3"},
		{"RUD,30,30", nil, nil, 2, 3, 4, "2*get; 3*put 3; 4*delete"},
		{"RUD,50,0", nil, nil, 1, 1, 4, "4*delete; get"},
		{"RUF,0,0", nil, nil, 1, 2, 1, "2*udf m f 7 x"},
		{"RUF,0,0", nil, nil, 1, 1, 1, "udf"},
		{"DB", nil, []int{0, 1}, 1, 1, 5, "5*put 2"},
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
				spec.BatchRead, spec.BatchWrite, spec.BatchDelete = c.batchRead, c.batchWrite, c.batch
				spec.UDF = Function{Module: "m", Name: "f", Args: args}
				spec.Workers = 1
				client := newFakeClient()
				client.latency = func(call) time.Duration { return 5 * time.Millisecond }
				runJob(t, spec, client)
				kinds := map[string]bool{}
				for _, call := range client.calls {
					kind := call.op
					if call.op == "batch" {
						row := call.rows[0]
						for _, r := range call.rows {
							if r.kind != row.kind || r.what != row.what {
								t.Errorf("%s: a batch of %+v and %+v", c.workload, row, r)
							}
						}
						kind = fmt.Sprintf("%d*%s", len(call.rows), strings.TrimSpace(row.kind+" "+row.what))
					}
					kinds[kind] = true
				}
				var got []string
				for k := range kinds {
					got = append(got, k)
				}
				slices.Sort(got)
				if s := strings.Join(got, "; "); s != c.want {
					t.Errorf("%s (random %v): %s, want %s", c.workload, random, s, c.want)
				}
			})
		}
	}
}

func TestBatchOutcomes(t *testing.T) {
	for _, c := range []struct {
		why    string
		row    func(key int) types.ResultCode
		answer func(call) as.Error
		want   Counts // of one batch of four reads
		rows   string // failures
	}{
		{"all there", nil, nil, Counts{Done: 1, Hit: 4}, ""},
		{"some missing", func(key int) types.ResultCode {
			if key%2 == 0 {
				return types.KEY_NOT_FOUND_ERROR
			}
			return types.OK
		}, nil, Counts{Done: 1, Hit: 2, Miss: 2}, ""},
		{"all missing", func(int) types.ResultCode { return types.KEY_NOT_FOUND_ERROR }, nil, Counts{Done: 1, Miss: 4}, ""},
		{"one failed", func(key int) types.ResultCode {
			if key == 3 {
				return types.DEVICE_OVERLOAD
			}
			return types.OK
		}, nil, Counts{Done: 1, Hit: 3, Lost: 1}, "DEVICE_OVERLOAD record 1"},
		{"all failed", func(int) types.ResultCode { return types.DEVICE_OVERLOAD }, nil, Counts{Error: 1, Lost: 4}, "DEVICE_OVERLOAD 1"},
		{"all timed out", func(int) types.ResultCode { return types.TIMEOUT }, nil, Counts{Timeout: 1, Lost: 4}, "TIMEOUT 1"},
		{"the call failed", func(int) types.ResultCode { return types.NO_RESPONSE }, failing(types.NETWORK_ERROR), Counts{Error: 1, Lost: 4}, "NETWORK_ERROR 1"},
		{"the call timed out when half was answered", func(key int) types.ResultCode {
			if key > 2 {
				return types.NO_RESPONSE
			}
			return types.OK
		}, failing(types.TIMEOUT), Counts{Timeout: 1, Hit: 2, Lost: 2}, "TIMEOUT 1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf("DB")
			spec.Workers, spec.BatchDelete, spec.Keys = 1, 4, keygen.Range{Start: 1, End: 5}
			client := newFakeClient()
			client.row, client.answer = c.row, c.answer
			stats := NewStats(1, false, allOps)
			job, err := Prepare(spec, client)
			if err != nil {
				t.Fatal(err)
			}
			job.Run(t.Context(), stats)
			if got := stats.Snapshot().Counts[Write]; got != c.want {
				t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
			}
			var rows []string
			for _, f := range stats.Failures() {
				row := f.Name()
				if f.Record {
					row += " record"
				}
				rows = append(rows, fmt.Sprint(row, " ", f.Count))
			}
			if got := strings.Join(rows, "; "); got != c.rows {
				t.Errorf("%s: failures %q, want %q", c.why, got, c.rows)
			}
		})
	}
}

func TestTransactionLimit(t *testing.T) {
	for _, c := range []struct {
		workload string
		batch    int
		n        uint64
		calls    int
	}{
		{"RU,50", 1, 10, 10}, {"RU,50", 1, 1, 1}, {"I", 1, 999, 999}, {"I", 1, 5000, 1000}, {"RU,100", 5, 33, 33},
	} {
		for _, workers := range []int{1, 4, 100} {
			for _, curve := range []Curve{nil, Constant(500)} {
				synctest.Test(t, func(t *testing.T) {
					spec := specOf(c.workload)
					spec.Transactions, spec.Workers, spec.BatchRead, spec.Schedule.Curve = c.n, workers, c.batch, curve
					spec.Duration = time.Hour
					client := newFakeClient()
					client.latency = func(call) time.Duration { return time.Millisecond }
					runJob(t, spec, client)
					if got := len(client.calls); got != c.calls {
						t.Errorf("%s, %d transactions, %d workers, %v: %d calls, want %d", c.workload, c.n, workers, curve, got, c.calls)
					}
				})
			}
		}
	}
}

func TestWarmupRunsUnrecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,50")
		spec.Warmup, spec.Duration, spec.Schedule.Curve = 2*time.Second, 3*time.Second, Constant(100)
		client := newFakeClient()
		start := time.Now()
		snap := runJob(t, spec, client)
		if took := time.Since(start); took != 5*time.Second || len(client.calls) != 500 {
			t.Errorf("%d transactions in %v, want 500 in 5s", len(client.calls), took)
		}
		if got := snap.Total().Attempted(); got != 300 {
			t.Errorf("%d recorded, want 300", got)
		}
		if got := snap.Response[Read].Count() + snap.Response[Write].Count(); got != 300 {
			t.Errorf("%d latencies, want 300", got)
		}
	})
}

// A stage's number of transactions is that of those recorded.
func TestTransactionsBesidesTheWarmup(t *testing.T) {
	for _, workers := range []int{1, 7} {
		for _, rate := range []float64{0, 100} {
			for _, text := range []string{"RU,50", "TXN,r:2,w:1"} {
				synctest.Test(t, func(t *testing.T) {
					spec := specOf(text)
					spec.Workers, spec.Warmup, spec.Duration, spec.Transactions = workers, 2*time.Second, time.Hour, 50
					if rate > 0 {
						spec.Schedule.Curve = Constant(rate)
					}
					client := newFakeClient()
					client.latency = func(call) time.Duration { return 10 * time.Millisecond }
					if got := runJob(t, spec, client).Transactions(); got != 50 {
						t.Errorf("%s, %d workers, rate %v: %d transactions recorded, want 50", text, workers, rate, got)
					}
				})
			}
		}
	}
}

// The gaps of a Poisson process are as long as they vary: mean and standard
// deviation are 1/rate. Over 20 000 gaps both are within 3 % (over four standard
// errors), and a fixed seed settles it.
func TestPoissonArrivals(t *testing.T) {
	for _, workers := range []int{1, 16} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf("RU,50")
			spec.Workers, spec.Duration = workers, 20*time.Second
			spec.Schedule = Schedule{Curve: Constant(1000), Poisson: true}
			client := newFakeClient()
			runJob(t, spec, client)
			var at []float64
			for _, c := range client.calls {
				at = append(at, c.at.Seconds()*1000)
			}
			slices.Sort(at)
			var sum, squares float64
			for i := 1; i < len(at); i++ {
				gap := at[i] - at[i-1]
				sum += gap
				squares += gap * gap
			}
			n := float64(len(at) - 1)
			mean := sum / n
			variance := squares/n - mean*mean
			if mean < 0.97 || mean > 1.03 || variance < 0.94 || variance > 1.06 {
				t.Errorf("%d workers: %d arrivals, mean gap %.3f, variance %.3f; want 1 and 1", workers, len(at), mean, variance)
			}
		})
	}
}

func TestRampIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := specOf("RU,50")
		spec.Workers, spec.Duration = 7, 10*time.Second
		spec.Schedule.Curve = Ramp{0, 1000, 10 * time.Second}
		client := newFakeClient()
		runJob(t, spec, client)
		var perSecond [10]int
		for _, c := range client.calls {
			perSecond[int(c.at.Seconds())]++
		}
		for i, n := range perSecond {
			if want := 50 + 100*i; n < want-2 || n > want+2 {
				t.Errorf("second %d had %d transactions, want %d", i, n, want)
			}
		}
	})
}
