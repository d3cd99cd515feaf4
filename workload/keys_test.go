package workload

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
)

// keysOf returns the keys of all records that the client was asked for, in
// order of the calls.
func keysOf(client *fakeClient) (keys []int) {
	for _, c := range client.calls {
		if c.op != "batch" {
			keys = append(keys, c.key)
		}
		for _, row := range c.rows {
			keys = append(keys, row.key)
		}
	}
	return keys
}

func TestTransactionsFollowTheDistribution(t *testing.T) {
	for _, name := range keygen.DistributionNames() {
		for _, batch := range []int{1, 5} {
			spec := specOf("RU,100")
			spec.Workers, spec.Duration, spec.Transactions, spec.BatchRead = 1, time.Hour, 400, batch
			spec.Shard = keygen.Shard{Index: 2, Count: 4} // of the keys 1 to 1000
			var err error
			if spec.Distribution, err = keygen.NamedDistribution(name); err != nil {
				t.Fatal(err)
			}
			client := newFakeClient()
			runJob(t, spec, client)
			keys := keysOf(client)
			if len(keys) != 400*batch || slices.Min(keys) < 251 || slices.Max(keys) > 500 {
				t.Fatalf("%s: %d keys from %d to %d, want %d from the shard", name, len(keys), slices.Min(keys), slices.Max(keys), 400*batch)
			}
			for i, key := range keys {
				if want := 251 + i%250; name == "sequential" && key != want {
					t.Fatalf("sequential: key %d comes at place %d, want %d", key, i, want)
				}
			}
			// Zipfian's rank 0 goes where YCSB puts its first user.
			hottest := map[string]int{"latest": 500, "zipfian": 251 + 6284781860667377211%250}
			if want, ok := hottest[name]; ok && mostFrequent(keys) != want {
				t.Errorf("%s: key %d comes most often, want %d", name, mostFrequent(keys), want)
			}
		}
	}
}

func mostFrequent(keys []int) (hottest int) {
	count := map[int]int{}
	for _, key := range keys {
		if count[key]++; count[key] > count[hottest] {
			hottest = key
		}
	}
	return hottest
}

// The shards of a share of the range are shares of the work.
func TestShardsWalkEachKeyOnce(t *testing.T) {
	for _, batch := range []int{1, 7} {
		var all []int
		for i := range uint64(3) {
			spec := specOf("I:60")
			spec.Shard, spec.BatchWrite = keygen.Shard{Index: i + 1, Count: 3}, batch
			client := newFakeClient()
			runJob(t, spec, client)
			keys := keysOf(client)
			slices.Sort(keys)
			if len(keys) != 200 {
				t.Errorf("shard %d has %d keys", i+1, len(keys))
			}
			all = append(all, keys...)
		}
		for i, key := range all {
			if key != i+1 {
				t.Fatalf("key %d is at place %d", key, i)
			}
		}
		if len(all) != 600 {
			t.Errorf("%d keys, want 600", len(all))
		}
	}
}

func TestShardsInsertDifferentRecords(t *testing.T) {
	var all []int
	for i := range uint64(3) {
		spec := specOf("I")
		spec.Workload = mixOf(t, map[string]float64{"insert": 1})
		spec.Workers, spec.Transactions, spec.Duration = 4, 200, time.Hour
		spec.Shard = keygen.Shard{Index: i + 1, Count: 3}
		client := newFakeClient()
		runJob(t, spec, client)
		all = append(all, keysOf(client)...)
	}
	slices.Sort(all)
	for i, key := range all {
		if key != 1001+i {
			t.Fatalf("key %d is at place %d behind the range", key, i)
		}
	}
	if len(all) != 600 {
		t.Errorf("%d records inserted, want 600", len(all))
	}
}

func TestInsertsEndWithTheKeysOfTheirFormat(t *testing.T) {
	spec := specOf("I")
	spec.Workload = mixOf(t, map[string]float64{"insert": 1})
	spec.Keys = keygen.Range{Start: 1, End: 251}
	spec.KeyFormat = keygen.Format{Type: keygen.BytesKey, Length: 1}
	job, err := Prepare(spec, newFakeClient())
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(t.Context(), job, 1, &NewStats(spec.Workers, false, allOps).tallies[1])
	var got []uint64
	for key, ok := w.nextKey(InsertRecord); ok; key, ok = w.nextKey(InsertRecord) {
		got = append(got, key)
	}
	if want := []uint64{252}; !slices.Equal(got, want) { // the next, 256, has two bytes
		t.Errorf("the second of four workers inserts %v, want %v", got, want)
	}
}

// What a file of keys cannot give is an error of the transaction, and nothing is
// sent.
func TestKeysThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte("5\n6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := keygen.OpenFile(path, keygen.IntegerKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range []int{1, 3} {
		spec := specOf("RU,100")
		spec.Workers, spec.Duration, spec.Transactions, spec.BatchRead = 1, time.Hour, 40, batch
		spec.KeyFile = file
		spec.Keys = keygen.Range{Start: 100, End: 200} // there are two
		client := newFakeClient()
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		stats := NewStats(1, false, allOps)
		job.Run(t.Context(), stats)
		if c := stats.Snapshot().Counts[Read]; c != (Counts{Error: 40}) || len(client.calls) != 0 {
			t.Errorf("batches of %d: %+v, %d calls", batch, c, len(client.calls))
		}
		failures := stats.Failures()
		if len(failures) != 1 || failures[0].Code != types.COMMON_ERROR || !strings.Contains(failures[0].Example, "it has 2 keys only") {
			t.Errorf("batches of %d: %+v", batch, failures)
		}
	}
}

// The newest records of a shard are those that it inserted itself.
func TestLatestOfAShard(t *testing.T) {
	spec := specOf("I")
	spec.Workload = mixOf(t, map[string]float64{"read": 50, "insert": 50})
	spec.Workers, spec.Transactions, spec.Duration = 1, 2000, time.Hour
	spec.Shard = keygen.Shard{Index: 2, Count: 3} // 334 to 666, and behind 1000
	var err error
	if spec.Distribution, err = keygen.NamedDistribution("latest"); err != nil {
		t.Fatal(err)
	}
	client := newFakeClient()
	runJob(t, spec, client)
	newest, fresh, old := 999, 0, 0 // three before the first that it inserts
	for _, c := range client.calls {
		switch {
		case c.op == "put":
			if newest += 3; c.key != newest {
				t.Fatalf("inserted %d, want %d", c.key, newest)
			}
		case c.key >= 334 && c.key <= 666:
			old++
		case c.key > 1000 && c.key%3 == 0 && c.key <= newest:
			fresh++
		default:
			t.Fatalf("read %d, the newest being %d", c.key, newest)
		}
	}
	if fresh < old {
		t.Errorf("%d reads of new records, %d of those loaded before", fresh, old)
	}
}
