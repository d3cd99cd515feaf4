package main

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
	results "github.com/aeroload/aeroload/result"
)

// search runs queries or scans, and returns how many records each returned on
// average, and how many returned none.
func (tg *target) search(op string, args ...string) (records float64, misses uint64) {
	tg.t.Helper()
	file := filepath.Join(tg.t.TempDir(), "result.json")
	r := tg.run(0, append(args, "--operations", "{"+op+": 1}", "--result", file)...)
	if strings.Contains(r.stderr, "Failed") || !strings.Contains(r.stderr, "records/s") {
		tg.t.Errorf("%q:\n%s%s", args, r.stdout, r.stderr)
	}
	doc, err := results.ReadFile(file)
	if err != nil {
		tg.t.Fatal(err)
	}
	o := doc.Stages[0].Operations[op]
	return float64(o.Hits) / float64(o.Done), o.Misses
}

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
		{"a bin that half of the records have", "I4,n?0.5=@key", "{bin: 2}", 1},
	} {
		tg := newTarget(t)
		tg.run(0, "-w", "I", "-k", "200", "-o", c.spec, "--seed", "1")
		got, misses := tg.search("query", "--query", c.query, "-k", "200", "-o", c.spec, "--seed", "1", "--transactions", "100", "-z", "4")
		if got != c.want || misses != 0 {
			t.Errorf("%s: %g records a query and %d misses, want %g", c.why, got, misses, c.want)
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
	got, _ := tg.search("query", "--query", "{bin: 1, width: 50}", "-R", "-k", "100", "-o", "n=@key", "--transactions", "200")
	if got != 50 {
		t.Errorf("%g records a query, want 50", got)
	}
	// Values that no record has are misses, not errors.
	if got, misses := tg.search("query", "-R", "-K", "5000", "-k", "100", "-o", "n=@key", "--transactions", "50"); got != 0 || misses != 50 {
		t.Errorf("%g records a query and %d misses, want none and 50", got, misses)
	}
}

func TestScansReadTheSet(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "2000", "-o", "I4,S10", "--batch-size", "100")
	if got, _ := tg.search("scan", "--transactions", "5", "-z", "2", "--read-bins", "2", "-o", "I4,S10"); got != 2000 {
		t.Errorf("%g records a scan, want 2000", got)
	}
	// A quarter of the partitions has about a quarter of the records: 500, give or
	// take 5 standard deviations of 19.
	if got, _ := tg.search("scan", "--scan", "{partitions: 1024}", "--transactions", "40", "-z", "2"); got < 400 || got > 600 {
		t.Errorf("%g records in a quarter of the partitions, want about 500", got)
	}
	if got, _ := tg.search("scan", "--scan", "{max-records: 30}", "--transactions", "5"); got != 30 {
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

// Without a set, queries are on the records that have none, and an index is found
// again.
func TestQueriesWithoutASet(t *testing.T) {
	addr := embedded.RunT(t, embedded.Config{}).Addr()
	for _, op := range []string{"insert", "query", "query"} {
		r := runBinary(t, "-h", addr, "--connect-timeout", "60000", "-s", "", "--operations", "{"+op+": 1}", "-k", "20", "-o", "n=@key", "--transactions", "20")
		if r.code != 0 || strings.Contains(r.stderr, "Failed") {
			t.Errorf("%s: code %d\n%s", op, r.code, r.stderr)
		}
	}
}

// An interrupted scan is left alone within about a second, and counted nowhere.
func TestInterruptedScan(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{})
	fault, err := embedded.ParseFault("scan delay=10m")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.SetFaults(1, fault); err != nil {
		t.Fatal(err)
	}
	s := &stoppable{cmd: exec.Command(binary, "-h", server.Addr(), "-T", "0", "--connect-timeout", "60000", "--operations", "{scan: 1}", "-z", "3", "-t", "3600")}
	pipe, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stderr = &s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	out := bufio.NewReader(pipe)
	for line := ""; !strings.Contains(line, "scan(tps=0"); { // after a second of the stage
		if line, err = out.ReadString('\n'); err != nil {
			t.Fatalf("%v\n%s", err, s.stderr.String())
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if took := s.stop(t, syscall.SIGINT); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("code %d, want 130", code)
	}
	if !strings.Contains(s.stderr.String(), "3 transactions still without an answer") {
		t.Errorf("no word of the scans:\n%s", s.stderr.String())
	}
}
