package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The records do not depend on how they are written.
func TestBatchesStoreTheSameRecords(t *testing.T) {
	spec := []string{"-k", "101", "-o", "I4,S8,[2*B3]", "-R", "--seed", "5"}
	single := newTarget(t)
	single.run(0, append(spec, "-w", "I")...)
	want := single.records(1, 102)
	for _, size := range []string{"2", "7", "100", "1000"} {
		tg := newTarget(t)
		r := tg.run(0, append(spec, "-w", "I", "-z", "3", "--batch-size", size)...)
		if got := tg.records(1, 102); !reflect.DeepEqual(got, want) {
			t.Errorf("batches of %s stored other records than single writes", size)
		}
		if !strings.Contains(r.stderr, "records/s") {
			t.Errorf("batches of %s: no records/s in\n%s", size, r.stderr)
		}
	}
	async := newTarget(t)
	async.run(0, append(spec, "-w", "I", "-a", "-c", "7")...)
	if got := async.records(1, 102); !reflect.DeepEqual(got, want) {
		t.Error("an async stage stored other records")
	}
}

func TestBatchWorkloads(t *testing.T) {
	for _, size := range []string{"1", "8"} {
		tg := newTarget(t)
		tg.run(0, "-w", "I", "-k", "100", "-o", "I1,I2,I3", "--batch-size", size)
		// A replace leaves nothing of the old record.
		tg.run(0, "-w", "RR,0", "-k", "10", "-o", "I1,I2,I3", "--write-bins", "2", "--transactions", "2000", "--batch-size", size)
		for key, bins := range tg.records(1, 101) {
			if want := map[bool]int{true: 1, false: 3}[key <= 10]; len(bins) != want {
				t.Errorf("size %s: key %d has %d bins, want %d", size, key, len(bins), want)
			}
		}
		tg.run(0, "-w", "DB", "-K", "21", "-k", "10", "-o", "I1,I2,I3", "--write-bins", "1,3", "--batch-size", size)
		for key, bins := range tg.records(1, 101) {
			if key >= 21 && key <= 30 && (len(bins) != 1 || bins["testbin_2"] == nil) {
				t.Errorf("size %s: key %d holds %v, want bin 2 alone", size, key, bins)
			}
		}
		// Of 60 keys, 10 are not there.
		tg.run(0, "-w", "DB", "-K", "41", "-k", "10")
		r := tg.run(0, "-w", "DB", "-K", "31", "-k", "60", "--batch-size", size)
		if n := len(tg.records(1, 101)); n != 40 {
			t.Errorf("size %s: %d records left, want 40", size, n)
		}
		if !strings.Contains(r.stdout, "miss=") || strings.Contains(r.stderr, "Failed") {
			t.Errorf("size %s: printed\n%s%s", size, r.stdout, r.stderr)
		}
	}
}

func TestTransactionsEndTheRun(t *testing.T) {
	tg := newTarget(t)
	for _, n := range []int{1, 100, 777} {
		r := tg.run(0, "-w", "RU,50", "-k", "50", "--transactions", fmt.Sprint(n), "-z", "7")
		total := 0
		for _, row := range summary(t, r.stderr) {
			total += row.count
		}
		if total != n {
			t.Errorf("--transactions %d made %d", n, total)
		}
	}
}
