package main

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// counts returns the summary's transactions by operation.
func counts(t *testing.T, r result) map[string]int {
	t.Helper()
	n := map[string]int{}
	for _, row := range summary(t, r.stderr) {
		if row.errors_+row.timeouts > 0 {
			t.Errorf("failures: %+v", row)
		}
		if row.latency == "service" {
			n[row.op] += row.count
		}
	}
	return n
}

func TestReadThenModify(t *testing.T) {
	for _, c := range []struct {
		workload string
		sum      int // of what was added to all records
	}{{"RMU", 0}, {"RMI", 500}, {"RMD", -500}} {
		tg := newTarget(t)
		tg.run(0, "-w", "I", "-k", "20", "-o", "1000,S3")
		before := tg.records(1, 21)
		r := tg.run(0, "-w", c.workload, "-k", "20", "-o", "7,S3", "--transactions", "500")
		if got, want := counts(t, r), map[string]int{"read": 500, "write": 500, "txn": 500}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", c.workload, got, want)
		}
		sum, generations := 0, 0
		for key, bins := range tg.records(1, 21) {
			if bins["testbin_2"] != before[key]["testbin_2"] {
				t.Errorf("%s changed bin 2 of record %d", c.workload, key)
			}
			sum += bins["testbin"].(int) - 1000
			rec, _ := tg.get(key)
			generations += int(rec.Generation) - 1
			if c.workload == "RMU" && rec.Generation > 1 && bins["testbin"] != 7 {
				t.Errorf("RMU left %v in record %d", bins, key)
			}
		}
		if c.workload != "RMU" && sum != c.sum || generations != 500 {
			t.Errorf("%s added %d with %d writes, want %d with 500", c.workload, sum, generations, c.sum)
		}
	}
}

func TestBusinessTransactions(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "50", "-o", "0,S3")
	// A batch of 4, a read, an update and an increment a transaction.
	r := tg.run(0, "-w", "TXN,t:4BrUi", "-k", "50", "-o", "0,S3", "--transactions", "100")
	if got, want := counts(t, r), map[string]int{"read": 200, "write": 200, "txn": 100}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	generations := 0
	for key := range tg.records(1, 51) {
		rec, _ := tg.get(key)
		generations += int(rec.Generation) - 1
	}
	if generations != 200 {
		t.Errorf("%d writes arrived, want 200", generations)
	}
	m := regexp.MustCompile(`read\(tps=\d+ \(hit=(\d+) miss=0\)`).FindStringSubmatch(r.stdout)
	if m == nil || m[1] == "0" {
		t.Errorf("reads of records that are there:\n%s", r.stdout)
	}
	if !regexp.MustCompile(`txn\(tps=\d+ \(hit=\d+ miss=0\) timeouts=0 errors=0\) total\(`).MatchString(r.stdout) {
		t.Errorf("no column for transactions in\n%s", r.stdout)
	}
}

// has tells whether a record is there.
func has(tg *target, key int) bool {
	_, ok := tg.get(key)
	return ok
}

// A rate counts transactions, not their commands.
func TestRateOfTransactions(t *testing.T) {
	tg := newTarget(t)
	r := tg.run(0, "-w", "RMU", "-k", "100", "-g", "100", "-t", "2")
	if got := counts(t, r); got["txn"] != 200 || got["read"] != 200 || got["write"] != 200 {
		t.Errorf("%v, want 200 of each", got)
	}
	if !strings.Contains(r.stderr, "100.0 of 100.0 tps") || strings.Contains(r.stderr, "fell behind") {
		t.Errorf("the summary says\n%s", r.stderr)
	}
}

func TestOperationsByWeight(t *testing.T) {
	for _, batch := range []string{"1", "5"} {
		tg := newTarget(t)
		tg.run(0, "-w", "I", "-k", "100", "-o", "I1,I2,I3")
		r := tg.run(0, "--operations", "{read: 5, insert: 3, increment: 2}", "-k", "100", "-o", "I1,I2,I3",
			"--transactions", "300", "-z", "1", "--seed", "1", "--batch-size", batch)
		got := counts(t, r)
		if got["read"]+got["write"] != 300 || got["read"] < 120 || got["read"] > 180 {
			t.Errorf("%v, want half of 300 to be reads", got)
		}
		// Inserted records have three bins and follow the range without a gap.
		inserted := 0
		for has(tg, 101+inserted) {
			inserted++
		}
		n, _ := strconv.Atoi(batch)
		if inserted < 60*n || inserted > 120*n || len(tg.records(1, 5000)) != 100+inserted {
			t.Errorf("batches of %s: %d records inserted, %d in all", batch, inserted, len(tg.records(1, 5000)))
		}
		increments := 0
		for key, bins := range tg.records(1, 101+inserted) {
			rec, _ := tg.get(key)
			increments += int(rec.Generation) - 1
			if len(bins) != 3 {
				t.Errorf("record %d has %d bins", key, len(bins))
			}
		}
		if want := (got["write"] - inserted/n) * n; increments != want {
			t.Errorf("batches of %s: %d increments arrived, want %d", batch, increments, want)
		}
	}
}

func TestShareOfTheRange(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I:60", "-k", "50")
	if got := len(tg.records(1, 51)); got != 30 || !has(tg, 30) || has(tg, 31) {
		t.Errorf("I:60 of 50 keys wrote %d", got)
	}
}

func TestBatchNamespaces(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "100")
	// Every other record is looked for in a namespace that has none of them.
	r := tg.run(0, "-w", "RU,100", "-k", "100", "--batch-read-size", "10", "--batch-namespaces", "test,bar", "--transactions", "50")
	for _, row := range summary(t, r.stderr) {
		if row.count != 50 || row.misses != 250 {
			t.Errorf("%+v, want 50 batches with 250 misses", row)
		}
	}
	r = tg.run(1, "-w", "RU,100", "-k", "100", "--batch-read-size", "10", "--batch-namespaces", "test,none")
	if !strings.Contains(r.stderr, `"none"`) {
		t.Errorf("a namespace that is not there:\n%s", r.stderr)
	}
}
