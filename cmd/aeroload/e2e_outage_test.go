package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
	results "github.com/aeroload/aeroload/result"
)

// trouble runs the program against the hosts and calls at with the number of each
// second, when its line has been printed. It returns what the run left, after
// checking that it adds up.
func trouble(t *testing.T, hosts string, code int, at func(second int), args ...string) (*results.Document, result) {
	t.Helper()
	dir := t.TempDir()
	path, hdrDir := filepath.Join(dir, "r.json"), filepath.Join(dir, "hdr")
	cmd := exec.Command(binary, append([]string{"-h", hosts, "--connect-timeout", "60000", "--result", path, "--hdr-hist", hdrDir}, args...)...)
	var stdout, stderr bytes.Buffer
	seconds := 0
	cmd.Stdout, cmd.Stderr = writerFunc(func(p []byte) (int, error) {
		for range bytes.Count(p, []byte("total(")) {
			seconds++
			at(seconds)
		}
		return stdout.Write(p)
	}), &stderr
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	if r.code != code {
		t.Fatalf("exit code %d, want %d\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	d := readResult(t, path)
	addsUp(t, d, r, hdrCounts(t, hdrDir))
	return d, r
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// addsUp checks that every transaction counts once, in all that a run leaves: those
// attempted are those that succeeded, and those that failed by result code. That the
// periods add up to the stage, reading the result has checked.
func addsUp(t *testing.T, d *results.Document, r result, hdr map[string]int) {
	t.Helper()
	printed := map[string]summaryRow{}
	for _, row := range summary(t, r.stderr) {
		if row.latency == "service" {
			sum := printed[row.op]
			printed[row.op] = summaryRow{count: sum.count + row.count, timeouts: sum.timeouts + row.timeouts, errors_: sum.errors_ + row.errors_}
		}
	}
	for _, s := range d.Stages {
		for name, o := range s.Operations {
			byCode := uint64(0)
			for _, c := range o.Codes {
				if !c.Records {
					byCode += c.Count
				}
			}
			if byCode != o.Timeouts+o.Errors {
				t.Errorf("stage %d: %s: %d timeouts and %d errors, but %d by result code", s.Number, name, o.Timeouts, o.Errors, byCode)
			}
			if got := hdr["stage"+string(rune('0'+s.Number))+"_"+name]; uint64(got) != o.Done+o.Timeouts {
				t.Errorf("stage %d: %s: %d in the histogram, want %d + %d", s.Number, name, got, o.Done, o.Timeouts)
			}
			p := printed[name]
			printed[name] = summaryRow{count: p.count - int(o.Done+o.Timeouts+o.Errors), timeouts: p.timeouts - int(o.Timeouts), errors_: p.errors_ - int(o.Errors)}
		}
	}
	for name, left := range printed {
		if left != (summaryRow{}) {
			t.Errorf("%s: the summary differs from the result by %+v\n%s", name, left, r.stderr)
		}
	}
}

// An outage that must be in the result and the summary: one, that is over, of about
// the time that the cluster was gone.
func oneOutage(t *testing.T, d *results.Document, r result, least time.Duration) {
	t.Helper()
	s := d.Stages[0]
	if len(s.Outages) != 1 || !s.Outages[0].Over || s.Outages[0].Seconds < least.Seconds() || s.Outages[0].Seconds > s.Seconds {
		t.Errorf("outages %+v, want one of at least %v in %v s", s.Outages, least, s.Seconds)
	}
	if !regexp.MustCompile(`  The cluster was gone for [\d.ms]+: from \d\d:\d\d:\d\d\.\d{3} to \d\d:\d\d:\d\d\.\d{3}\.\n`).MatchString(r.stderr) {
		t.Errorf("no outage in the summary:\n%s", r.stderr)
	}
}

// notReal skips a test that makes a server misbehave.
func notReal(t *testing.T) {
	t.Helper()
	if os.Getenv("AEROLOAD_TEST_HOSTS") != "" {
		t.Skip("a real cluster is not harmed")
	}
}

// A cluster that comes back within the run is used again, however it was gone: the
// transactions add up, and the result says how long it was.
func TestOutages(t *testing.T) {
	notReal(t)
	t.Parallel()
	hang, err := embedded.ParseFault("any drop")
	if err != nil {
		t.Fatal(err)
	}
	hangInfo, err := embedded.ParseFault("info drop")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		args       []string
		gone, back func(t *testing.T, s *embedded.Server) error
	}{
		{"the server stops and starts", nil,
			func(_ *testing.T, s *embedded.Server) error { return s.Close() },
			func(t *testing.T, s *embedded.Server) error {
				next, err := embedded.Start(embedded.Config{Listen: s.Addr()})
				if err == nil {
					t.Cleanup(func() { next.Close() })
				}
				return err
			}},
		{"the same at a rate", []string{"-g", "300"},
			func(_ *testing.T, s *embedded.Server) error { return s.Close() },
			func(t *testing.T, s *embedded.Server) error {
				next, err := embedded.Start(embedded.Config{Listen: s.Addr()})
				if err == nil {
					t.Cleanup(func() { next.Close() })
				}
				return err
			}},
		{"the network hangs", []string{"-T", "200"},
			func(_ *testing.T, s *embedded.Server) error { return s.SetFaults(1, hang, hangInfo) },
			func(_ *testing.T, s *embedded.Server) error { return s.SetFaults(1) }},
		{"in batches", []string{"-T", "200", "--batch-size", "5"},
			func(_ *testing.T, s *embedded.Server) error { return s.SetFaults(1, hang) },
			func(_ *testing.T, s *embedded.Server) error { return s.SetFaults(1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := embedded.Start(embedded.Config{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			d, r := trouble(t, s.Addr(), 0, func(second int) {
				var err error
				switch second {
				case 1:
					err = c.gone(t, s)
				case 3:
					err = c.back(t, s)
				}
				if err != nil {
					t.Error(err)
				}
			}, append([]string{"-w", "RU,50", "-k", "1000", "-t", "7", "-z", "8"}, c.args...)...)
			// It was gone for two seconds at least; how soon the client is back
			// is its own affair.
			oneOutage(t, d, r, time.Second)
			last := d.Stages[0].Periods[len(d.Stages[0].Periods)-1]
			if last.Operations["read"] == nil || last.Operations["read"].Done == 0 {
				t.Errorf("nothing succeeded in the end: %+v", last.Operations["read"])
			}
			if d.Stages[0].Operations["read"].Timeouts+d.Stages[0].Operations["read"].Errors == 0 {
				t.Error("no read failed")
			}
		})
	}
}

// One of three nodes leaves and joins again: some transactions may fail, none is
// lost, and in the end all nodes have work.
func TestNodeLeavesAndJoins(t *testing.T) {
	notReal(t)
	t.Parallel()
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 3})
	var before map[embedded.Operation]uint64
	d, _ := trouble(t, cl.Addrs()[0], 0, func(second int) {
		var err error
		switch second {
		case 1:
			err = cl.Stop(2)
		case 3:
			err = cl.Start(2)
			before = cl.Node(2).Operations()
		}
		if err != nil {
			t.Error(err)
		}
	}, "-w", "RU,50", "-k", "1000", "-t", "7", "-z", "8", "--tender-interval", "250")
	s := d.Stages[0]
	if s.Cluster.NodesRemoved != 1 || s.Cluster.NodesAdded != 1 {
		t.Errorf("the client noticed %+v, want a node lost and found", s.Cluster)
	}
	for _, o := range s.Outages {
		t.Errorf("two of three nodes were there, but %+v", o)
	}
	after, more := cl.Node(2).Operations(), uint64(0)
	for op, n := range after {
		more += n - before[op]
	}
	if more < 100 {
		t.Errorf("the node that came back had %d operations", more)
	}
}

// Connections that break again and again cost retries and perhaps transactions, but
// none is lost or counted twice.
func TestConnectionResets(t *testing.T) {
	notReal(t)
	t.Parallel()
	for _, faults := range [][]string{{"any reset p=0.2"}, {"any close p=0.1", "any truncate p=0.1"}, {"any garbage p=0.02", "any garbage=body p=0.02", "any reset p=0.05"}} {
		t.Run(strings.Join(faults, ", "), func(t *testing.T) {
			t.Parallel()
			s := startFaulty(t, faults...)
			d, r := trouble(t, s.Addr(), 0, func(int) {}, "-w", "RUD,40,40", "-k", "200", "-t", "2", "-z", "8", "-T", "2000", "--max-retries", "1")
			struck := 0
			for _, n := range s.FaultHits() {
				struck += n
			}
			failed := uint64(0)
			for _, o := range d.Stages[0].Operations {
				failed += o.Errors + o.Timeouts
			}
			if struck == 0 || failed == 0 {
				t.Errorf("%d faults, %d failures\n%s", struck, failed, r.stderr)
			}
		})
	}
}

// When every transaction times out, the run fails, and says so: at its end, or before
// it if it is told to.
func TestEveryTransactionTimesOut(t *testing.T) {
	notReal(t)
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-t", "2"}, `(?m)^aeroload: all \d+ transactions failed$`},
		{[]string{"-t", "3600", "--max-outage", "1"}, `(?m)^aeroload: stage 1: given up because all \d+ transactions since the start failed, for [\dms.]+ .*\n  (read|write) 9 TIMEOUT `},
		{[]string{"-t", "3600", "--on-error", "stop"}, `(?m)^aeroload: stage 1: stopped because a transaction failed \(on-error: stop\):\n  (read|write) 9 TIMEOUT `},
		{[]string{"-t", "3600", "--max-errors", "20"}, `(?m)^aeroload: stage 1: stopped because more than 20 transactions failed \(max-errors\):\n  (read|write) 9 TIMEOUT `},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			s := startFaulty(t, "any drop")
			d, r := trouble(t, s.Addr(), 1, func(int) {}, append([]string{"-w", "RU,50", "-k", "100", "-z", "4", "-T", "150"}, c.args...)...)
			if !regexp.MustCompile(c.says).MatchString(r.stderr) {
				t.Errorf("%s is not in\n%s", c.says, r.stderr)
			}
			if stopped := d.Stopped != ""; stopped != (c.args[1] == "3600") {
				t.Errorf("stopped: %q", d.Stopped)
			}
			for name, o := range d.Stages[0].Operations {
				if o.Done != 0 || o.Timeouts == 0 || o.Service.Min < 100_000 {
					t.Errorf("%s: %+v, %d µs at least; want timeouts of 150 ms", name, o.Counts, o.Service.Min)
				}
			}
		})
	}
}

// What refuses everything for good is given up soon.
func TestRefusalsAreGivenUp(t *testing.T) {
	notReal(t)
	t.Parallel()
	s := startFaulty(t, "any code=parameter")
	d, r := trouble(t, s.Addr(), 1, func(int) {}, "-w", "RU,50", "-k", "100", "-z", "4", "-g", "100", "-t", "3600")
	if !regexp.MustCompile(`(?m)^aeroload: stage 1: given up because all \d+ transactions since the start failed, for [\dms.]+ \(on-error: continue would go on\):\n  (read|write) 4 PARAMETER_ERROR \(\d+\): `).MatchString(r.stderr) {
		t.Errorf("printed\n%s", r.stderr)
	}
	if s := d.Stages[0].Seconds; s < 10 || s > 60 || !strings.HasPrefix(d.Stopped, "stage 1: given up") {
		t.Errorf("stopped after %v s: %q", s, d.Stopped)
	}
}

// --debug shows the first errors of each kind in full, and the client's log.
func TestDebugShowsErrors(t *testing.T) {
	notReal(t)
	s := startFaulty(t, "write code=22", "read code=14 p=0.5")
	r := runBinary(t, "-h", s.Addr(), "--connect-timeout", "60000", "-w", "RU,50", "-k", "10", "-t", "1", "-z", "4", "--debug", "--max-retries", "0")
	line := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ERROR stage 1: (\w+) failed: (\d+) [A-Z_]+: namespace test, set testset, key \d+ \(digest [0-9a-f]{40}\), node [0-9A-F]+ 127\.0\.0\.1:\d+: .+$`)
	shown := map[string]int{}
	for _, m := range line.FindAllStringSubmatch(r.stderr, -1) {
		shown[m[1]+" "+m[2]]++
	}
	if shown["write 22"] != 5 || shown["read 14"] != 5 || strings.Count(r.stderr, " ERROR ") != 10 {
		t.Errorf("shown: %v\n%s", shown, r.stderr)
	}
	if !strings.Contains(r.stderr, "Tend") {
		t.Errorf("nothing of the client's log in\n%s", r.stderr)
	}
}
