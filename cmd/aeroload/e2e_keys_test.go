package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// keysStored checks that the set holds these keys, each written once, and no
// other.
func (tg *target) keysStored(keys ...any) {
	tg.t.Helper()
	for _, key := range keys {
		if rec, ok := tg.getAny(key); !ok || rec.Generation != 1 {
			tg.t.Errorf("key %v (%T): stored %t, %+v", key, key, ok, rec)
		}
	}
	if n := tg.count(); n != len(keys) {
		tg.t.Errorf("the set holds %d records, want %d", n, len(keys))
	}
}

// numbered makes the keys from start to below end.
func numbered(start, end int, key func(n int) any) []any {
	var keys []any
	for n := start; n < end; n++ {
		keys = append(keys, key(n))
	}
	return keys
}

func TestKeyTypesAreStored(t *testing.T) {
	for _, c := range []struct {
		args []string
		key  func(n int) any
		why  string
	}{
		{[]string{"--key-type", "string"}, func(n int) any { return fmt.Sprint(n) }, "digits"},
		{[]string{"--key-prefix", "user"}, func(n int) any { return fmt.Sprintf("user%d", n) }, "a prefix alone makes strings"},
		{[]string{"--key-prefix", "user", "--key-pad", "10"}, func(n int) any { return fmt.Sprintf("user%010d", n) }, "padding"},
		{[]string{"--key-template", "u%04x:p"}, func(n int) any { return fmt.Sprintf("u%04x:p", n) }, "a template"},
		{[]string{"--key-type", "bytes"}, func(n int) any { return []byte{0, 0, 0, 0, 0, 0, 0, byte(n)} }, "eight bytes"},
		{[]string{"--key-length", "2"}, func(n int) any { return []byte{0, byte(n)} }, "two bytes"},
	} {
		for _, batch := range []string{"1", "7"} {
			tg := newTarget(t)
			args := append([]string{"-K", "90", "-k", "40", "--batch-size", batch}, c.args...)
			tg.run(0, append([]string{"-w", "I", "-R"}, args...)...)
			t.Run(c.why, func(t *testing.T) { tg.keysStored(numbered(90, 130, c.key)...) })
			// Reads find them, and deletes too.
			r := tg.run(0, append([]string{"-w", "RU,100", "--transactions", "200"}, args...)...)
			if row := summary(t, r.stderr)[0]; row.misses != 0 || row.count != 200 {
				t.Errorf("%s: %+v", c.why, row)
			}
			tg.run(0, append([]string{"-w", "DB"}, args...)...)
			if n := tg.count(); n != 0 {
				t.Errorf("%s: %d records left", c.why, n)
			}
		}
	}
}

func TestKeyFile(t *testing.T) {
	names := filepath.Join(t.TempDir(), "names.txt")
	writeFile(t, names, "\ufeffanna\r\n\r\nbert\nné e\n")
	tg := newTarget(t)
	// More threads than keys, and batches across the end of the file.
	tg.run(0, "-w", "I", "--key-file", names, "--key-type", "string", "--batch-size", "2")
	tg.keysStored("anna", "bert", "né e")

	squares := filepath.Join(t.TempDir(), "squares.txt")
	writeLines(t, squares, 1000, func(n int) int { return n*n - 5 })
	tg = newTarget(t)
	tg.run(0, "-w", "I", "-R", "--key-file", squares, "--key-type", "integer")
	tg.keysStored(numbered(0, 1000, func(n int) any { return n*n - 5 })...)
	r := tg.run(0, "-w", "RU,100", "--transactions", "3000", "--key-file", squares, "--key-type", "integer", "--key-distribution", "zipfian")
	if row := summary(t, r.stderr)[0]; row.misses != 0 || row.count != 3000 {
		t.Errorf("reads of the file's keys: %+v", row)
	}

	// -K and -k take a part of the file, and a record's value is that of its
	// key, wherever it stands.
	other := newTarget(t)
	other.run(0, "-w", "I", "-R", "--seed", "7", "-K", "100", "-k", "50")
	part := newTarget(t)
	writeLines(t, squares, 100, func(n int) int { return n + 101 })
	part.run(0, "-w", "I", "-R", "--seed", "7", "-K", "10", "-k", "5", "--key-file", squares, "--key-type", "integer")
	for key, bins := range part.records(110, 115) {
		if rec, ok := other.get(key); !ok || rec.Bins["testbin"] != bins["testbin"] {
			t.Errorf("key %d: %v from the file, %+v from the range", key, bins, rec)
		}
	}
	if part.count() != 5 {
		t.Errorf("%d keys of the file were stored, want 5", part.count())
	}
}

// writeLines writes a file of keys, for n from 0.
func writeLines(t *testing.T, path string, lines int, key func(n int) int) {
	t.Helper()
	var text strings.Builder
	for n := range lines {
		fmt.Fprintln(&text, key(n))
	}
	writeFile(t, path, text.String())
}

// Two machines load a range at once, and go on inserting.
func TestShardsShareTheWork(t *testing.T) {
	tg := newTarget(t)
	both := func(args ...string) {
		var wg sync.WaitGroup
		for _, shard := range []string{"1/2", "2/2"} {
			wg.Go(func() {
				if r := runBinary(t, append([]string{"-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "--shard", shard}, args...)...); r.code != 0 {
					t.Errorf("shard %s: exit code %d\n%s", shard, r.code, r.stderr)
				}
			})
		}
		wg.Wait()
	}
	both("-w", "I", "-k", "1001", "-z", "7")
	tg.keysStored(numbered(1, 1002, func(n int) any { return n })...)

	file := filepath.Join(t.TempDir(), "insert.yaml")
	writeFile(t, file, "- operations: {insert: 1}\n  transactions: 100\n  threads: 4\n  key-end: 1002\n")
	both("--workload-stages", file)
	tg.keysStored(numbered(1, 1202, func(n int) any { return n })...)
}

func TestSequentialKeysComeOncePerLap(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "97")
	tg.run(0, "-w", "RU,0", "-k", "97", "-z", "10", "--key-distribution", "sequential", "--transactions", "291")
	for n := 1; n <= 97; n++ {
		if rec, ok := tg.get(n); !ok || rec.Generation != 4 {
			t.Errorf("key %d was written %+v times, want once and in each of three laps", n, rec)
		}
	}
}

// updates counts how often each key was updated by the transactions of a run.
func updates(t *testing.T, distribution string, keys, transactions int) map[int]int {
	tg := newTarget(t)
	size := fmt.Sprint(keys)
	tg.run(0, "-w", "I", "-k", size)
	tg.run(0, "-w", "RU,0", "-k", size, "--seed", "42", "--key-distribution", distribution, "--transactions", fmt.Sprint(transactions))
	counts, sum := map[int]int{}, 0
	for n := 1; n <= keys; n++ {
		if rec, ok := tg.get(n); ok {
			counts[n] = int(rec.Generation) - 1
			sum += counts[n]
		}
	}
	if sum != transactions {
		t.Fatalf("%d updates were stored, want %d", sum, transactions)
	}
	return counts
}

func TestHotKeys(t *testing.T) {
	const keys, transactions = 500, 6000
	var harmonic float64 // the sum over all ranks
	for k := 1; k <= keys; k++ {
		harmonic += math.Pow(float64(k), -0.99)
	}
	for _, c := range []struct {
		distribution string
		hottest      int
		share        float64
		why          string
	}{
		{"zipfian,scramble=false", 1, 1 / harmonic, "the first"},
		{"latest", keys, 1 / harmonic, "the last"},
		// The name of YCSB's first user, which is the hash of the rank 0. The sum
		// over YCSB's ranks is 26.469; those behind the first lend it what
		// they lend to every key.
		{"zipfian", 1 + 6284781860667377211%keys, 1/26.469 + (1-1/26.469)/keys, "where YCSB puts it"},
	} {
		counts := updates(t, c.distribution, keys, transactions)
		want := c.share * transactions
		if d := math.Abs(float64(counts[c.hottest]) - want); d > 5*math.Sqrt(want) {
			t.Errorf("%s: key %d was updated %d times, expected about %.0f", c.distribution, c.hottest, counts[c.hottest], want)
		}
		for n, count := range counts {
			if count > counts[c.hottest] {
				t.Errorf("%s: key %d was updated %d times, more often than %s, key %d", c.distribution, n, count, c.why, c.hottest)
			}
		}
	}
}

// The newest of the inserted records are read most; nothing is read that is not
// there yet, but for what other workers are about to insert.
func TestLatestFollowsInserts(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "10")
	file := filepath.Join(t.TempDir(), "latest.yaml")
	writeFile(t, file, "- operations: {update: 1, insert: 1}\n  transactions: 2000\n  threads: 1\n  key-end: 11\n  keys: latest\n  seed: 5\n")
	tg.run(0, "--workload-stages", file)
	inserted, fresh := 0, 0
	for n := 11; n < 3000; n++ {
		rec, ok := tg.get(n)
		if !ok {
			break
		}
		inserted++
		fresh += int(rec.Generation) - 1
	}
	old := 0
	for n := 1; n <= 10; n++ {
		rec, _ := tg.get(n)
		old += int(rec.Generation) - 1
	}
	if total := tg.count(); total != 10+inserted || old+fresh+inserted != 2000 {
		t.Errorf("%d records, %d inserted behind ten, %d+%d updates of 2000 transactions", total, inserted, old, fresh)
	}
	if fresh < 5*old {
		t.Errorf("%d updates of new records, %d of the first ten", fresh, old)
	}
}

func TestKeyFlagsAreDefaultsOfStageFiles(t *testing.T) {
	tg := newTarget(t)
	file := filepath.Join(t.TempDir(), "two.yaml")
	writeFile(t, file, "- workload: I\n- workload: RU,100\n  transactions: 100\n  keys: zipfian\n")
	r := tg.run(0, "--workload-stages", file, "-k", "50", "--key-prefix", "p", "--key-distribution", "hotspot", "--shard", "2/5")
	tg.keysStored(numbered(11, 21, func(n int) any { return fmt.Sprintf("p%d", n) })...)
	for _, want := range []string{"  keys: string p%d\n  shard: 2/5\n", "  keys: zipfian,theta=0.99,scramble=true, string p%d\n"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the header does not have %q:\n%s", want, r.stdout)
		}
	}
	if row := summary(t, r.stderr)[1]; row.misses != 0 || row.count != 100 {
		t.Errorf("reads: %+v", row)
	}
}

func TestSendKeyStoresStringKeys(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "30", "--key-prefix", "user", "--send-key")
	set, err := tg.client.ScanAll(nil, "test", tg.set)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for r := range set.Results() {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if v, ok := r.Record.Key.Value().(as.StringValue); ok {
			seen[string(v)] = true
		}
	}
	for n := 1; n <= 30; n++ {
		if key := fmt.Sprintf("user%d", n); !seen[key] {
			t.Errorf("%s is not stored; %d keys are", key, len(seen))
		}
	}
}
