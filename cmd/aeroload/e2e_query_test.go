package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// records returns the records that a run's operation returned and missed, of the
// single period that it printed.
func returned(t *testing.T, r result, op string) (hits, misses int) {
	t.Helper()
	for _, m := range regexp.MustCompile(op+`\(tps=\d+ \(hit=(\d+) miss=(\d+)\)`).FindAllStringSubmatch(r.stdout, -1) {
		h, _ := strconv.Atoi(m[1])
		n, _ := strconv.Atoi(m[2])
		hits, misses = hits+h, misses+n
	}
	return hits, misses
}

// recordsPerTransaction is what the summary says, exactly but for rounding.
func recordsPerTransaction(t *testing.T, r result, op string) float64 {
	t.Helper()
	for line := range strings.Lines(r.stderr) {
		f := strings.Fields(line)
		if len(f) == 16 && f[1] == op {
			tps, _ := strconv.ParseFloat(f[4], 64)
			records, _ := strconv.ParseFloat(f[5], 64)
			return records / tps
		}
	}
	t.Fatalf("no row of %s with records/s in\n%s", op, r.stderr)
	return 0
}

func near(a, b float64) bool { return a > b*0.99-0.01 && a < b*1.01+0.01 }

func TestQueriesFindTheRecords(t *testing.T) {
	for _, c := range []struct {
		why, spec, query string
		want             float64 // records a query
	}{
		{"each integer once", "n=@key", "{bin: 1}", 1},
		{"ranges of integers", "n=@key", "{bin: 1, width: 1}", 1},
		{"each string once", `s=@fmt("k#{key}")`, "{bin: 1}", 1},
		{"the same value everywhere", "7", "{bin: 1}", 200},
		{"a bin that is not the first", "I4,n=@key", "{bin: 2}", 1},
	} {
		tg := newTarget(t)
		tg.run(0, "-w", "I", "-k", "200", "-o", c.spec, "--seed", "1")
		r := tg.run(0, "--operations", "{query: 1}", "--query", c.query, "-R", "-k", "200", "-o", c.spec, "--seed", "1", "--transactions", "100", "-z", "4")
		if got := recordsPerTransaction(t, r, "query"); !near(got, c.want) {
			t.Errorf("%s: %g records a query, want %g", c.why, got, c.want)
		}
		if _, misses := returned(t, r, "query"); misses != 0 || strings.Contains(r.stderr, "Failed") {
			t.Errorf("%s:\n%s%s", c.why, r.stdout, r.stderr)
		}
		if n := len(tg.records(1, 201)); n != 200 {
			t.Errorf("%s: %d records left", c.why, n)
		}
	}
}

// A range of values has as many records as keys lie in it.
func TestQueriesOfRanges(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "1000", "-o", "n=@key")
	// From the keys 1 to 100 on, a range of 50 never meets the end.
	r := tg.run(0, "--operations", "{query: 1}", "--query", "{bin: 1, width: 50}", "-R", "-k", "100", "-o", "n=@key", "--transactions", "200")
	if got := recordsPerTransaction(t, r, "query"); !near(got, 50) {
		t.Errorf("%g records a query, want 50", got)
	}
	// Values that no record has are misses, not errors.
	r = tg.run(0, "--operations", "{query: 1}", "-R", "-K", "5000", "-k", "100", "-o", "n=@key", "--transactions", "50")
	for _, row := range summary(t, r.stderr) {
		if row.op != "query" || row.count != 50 || row.misses != 50 || row.errors_ != 0 {
			t.Errorf("%+v", row)
		}
	}
}

func TestScansReadTheSet(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "2000", "-o", "I4,S10", "--batch-size", "100")
	r := tg.run(0, "--operations", "{scan: 1}", "--transactions", "5", "-z", "2", "--read-bins", "2", "-o", "I4,S10")
	if got := recordsPerTransaction(t, r, "scan"); !near(got, 2000) {
		t.Errorf("%g records a scan, want 2000", got)
	}
	// A quarter of the partitions has about a quarter of the records: 500, give or
	// take 5 standard deviations of 19.
	r = tg.run(0, "--operations", "{scan: 1}", "--scan", "{partitions: 1024}", "--transactions", "40", "-z", "2")
	if got := recordsPerTransaction(t, r, "scan"); got < 400 || got > 600 {
		t.Errorf("%g records in a quarter of the partitions, want about 500", got)
	}
	r = tg.run(0, "--operations", "{scan: 1}", "--scan", "{max-records: 30}", "--transactions", "5")
	if got := recordsPerTransaction(t, r, "scan"); !near(got, 30) {
		t.Errorf("%g records, want 30", got)
	}
}

// An index that is there serves, whatever its name; the name of another is refused.
func TestIndexesOfQueries(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "20", "-o", "n=@key,s=S5")
	run := func(code int, query string) result {
		return tg.run(code, "--operations", "{query: 1}", "--query", query, "-R", "-k", "20", "-o", "n=@key,s=S5", "--seed", "1", "--transactions", "5")
	}
	run(0, "{bin: 1, index: "+tg.set+"-one}")
	run(0, "{bin: 1, index: "+tg.set+"-two}") // served by the first
	r := run(1, "{bin: 2, index: "+tg.set+"-one}")
	if !strings.Contains(r.stderr, `-one" is there already, but on the numeric bin "n"`) {
		t.Errorf("another bin's index:\n%s", r.stderr)
	}
}
