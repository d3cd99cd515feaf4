package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// startFaulty starts a server with faults.
func startFaulty(t *testing.T, faults ...string) *embedded.Server {
	t.Helper()
	s := embedded.RunT(t, embedded.Config{})
	setFaults(t, s, faults...)
	return s
}

func setFaults(t *testing.T, s *embedded.Server, faults ...string) {
	t.Helper()
	var all []embedded.Fault
	for _, text := range faults {
		f, err := embedded.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	if err := s.SetFaults(1, all...); err != nil {
		t.Fatal(err)
	}
}

// sums adds up what the summary says of the service times: transactions attempted,
// and timeouts and errors among them.
func sums(t *testing.T, r result) (count, timeouts, failures int) {
	t.Helper()
	for _, row := range summary(t, r.stderr) {
		if row.latency == "service" {
			count, timeouts, failures = count+row.count, timeouts+row.timeouts, failures+row.errors_
		}
	}
	return count, timeouts, failures
}

// Each failed transaction counts once, by its result code, however many attempts
// it took.
func TestFaultsAreCountedOnce(t *testing.T) {
	for _, c := range []struct {
		name             string
		faults           []string
		args             []string
		code             int
		failed, timeouts int
		stored           int
		says             string // a regular expression
	}{
		{"a result code, 10 times", []string{"write code=device-overload n=10"}, []string{"--max-retries", "0"},
			0, 10, 0, 190, `(?m)^ +write +18 +DEVICE_OVERLOAD +10 `},
		{"two result codes", []string{"write code=22 n=4", "write code=key-busy n=6"}, []string{"--max-retries", "0"},
			0, 10, 0, 190, `(?m)^ +write +14 +KEY_BUSY +6 .*\n +write +22 +FAIL_FORBIDDEN +4 `},
		{"a closed connection is retried", []string{"write close n=10"}, []string{"--max-retries", "10"},
			0, 0, 0, 200, ``},
		{"a reset connection is retried", []string{"write reset n=10"}, []string{"--max-retries", "10"},
			0, 0, 0, 200, ``},
		{"a closed connection without retries", []string{"write close n=10"}, []string{"--max-retries", "0"},
			0, 10, 0, 190, `(?m)^ +write +-18 +NETWORK_ERROR +10 `},
		{"a truncated reply: the record is there", []string{"write truncate n=10"}, []string{"--max-retries", "0"},
			0, 10, 0, 200, `(?m)^ +write +-18 +NETWORK_ERROR +10 `},
		{"silence is a timeout", []string{"write drop n=10"}, []string{"--max-retries", "0", "--write-timeout", "300"},
			0, 10, 10, 190, ``},
		{"everything fails", []string{"write code=device-overload"}, []string{"--max-retries", "0"},
			1, 200, 0, 0, `all 200 transactions failed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startFaulty(t, c.faults...)
			args := append([]string{"-h", s.Addr(), "-w", "I", "-k", "200", "-z", "4", "-T", "60000", "--connect-timeout", "60000"}, c.args...)
			r := runBinary(t, args...)
			if r.code != c.code {
				t.Fatalf("exit code %d, want %d\n%s", r.code, c.code, r.stderr)
			}
			count, timeouts, failures := sums(t, r)
			if failures != c.failed-c.timeouts || timeouts < c.timeouts {
				t.Errorf("%d timeouts and %d errors, want %d and %d\n%s", timeouts, failures, c.timeouts, c.failed-c.timeouts, r.stderr)
			}
			if count != 200 {
				t.Errorf("%d transactions were attempted, want 200\n%s", count, r.stderr)
			}
			if n := s.Count("test", "testset"); n != c.stored {
				t.Errorf("%d records are stored, want %d", n, c.stored)
			}
			if !regexp.MustCompile(c.says).MatchString(r.stderr) {
				t.Errorf("%s is not in\n%s", c.says, r.stderr)
			}
			struck := 0
			for _, n := range s.FaultHits() {
				struck += n
			}
			if struck < c.failed || struck == 0 {
				t.Errorf("the faults struck %d times", struck)
			}
		})
	}
}

// startServe runs `aeroload serve` on free ports and returns its addresses.
func startServe(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	line, err := bufio.NewReader(pipe).ReadString('\n')
	addresses := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(line, -1)
	if err != nil || addresses == nil {
		t.Fatalf("%q, %v", line, err)
	}
	return addresses
}

// The faults of the command line strike.
func TestServeWithFaults(t *testing.T) {
	addresses := startServe(t, "--fault", "write code=22 n=3", "--fault", "write code=14 skip=5 n=2", "--fault-seed", "9")
	r := runBinary(t, "-h", addresses[0], "-w", "I", "-k", "50", "-T", "60000", "--connect-timeout", "60000", "--max-retries", "0")
	if _, _, failures := sums(t, r); failures != 5 || r.code != 0 {
		t.Errorf("exit code %d, %d errors, want 5\n%s", r.code, failures, r.stderr)
	}
	if !strings.Contains(r.stderr, "Failed transactions by result code:") {
		t.Errorf("printed\n%s", r.stderr)
	}
}

// Each of three nodes gets its share; one address is enough to find them.
func TestServeNodes(t *testing.T) {
	addresses := startServe(t, "--nodes", "3", "--racks", "1,1,2")
	if len(addresses) != 3 {
		t.Fatalf("the server listens on %v", addresses)
	}
	r := runBinary(t, "-h", addresses[2], "-w", "I", "-k", "500", "-T", "60000", "--connect-timeout", "60000", "--debug", "--replica", "prefer-rack", "--rack-id", "2")
	if count, _, failures := sums(t, r); count != 500 || failures != 0 || r.code != 0 {
		t.Errorf("exit code %d, %d transactions, %d errors\n%s", r.code, count, failures, r.stderr)
	}
	hosts, err := as.NewHosts(addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	client, err := as.NewClientWithPolicyAndHost(as.NewClientPolicy(), hosts...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if n := len(client.GetNodes()); n != 3 {
		t.Errorf("the client finds %d nodes", n)
	}
}

// Nodes that come and go all the time cost no transaction either.
func TestServeChurn(t *testing.T) {
	addresses := startServe(t, "--nodes", "3", "--churn", "400")
	r := runBinary(t, "-h", strings.Join(addresses, ","), "-w", "RU,50", "-k", "1000", "-t", "3", "-z", "4", "-g", "2000", "-T", "60000", "--connect-timeout", "60000",
		"--max-retries", "100000", "--sleep-between-retries", "5", "--tender-interval", "20")
	if count, timeouts, failures := sums(t, r); count == 0 || timeouts+failures != 0 || r.code != 0 {
		t.Errorf("exit code %d, %d transactions, %d timeouts, %d errors\n%s", r.code, count, timeouts, failures, r.stderr)
	}
}

// A node that leaves and comes back during a run costs no transaction, as retries
// go to another node.
func TestNodeLeavesDuringARun(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for number := 3; number > 0; number-- {
			await(t, "writes", func() bool { return cl.Node(1).Count("test", "testset") > 3000*(4-number) })
			if err := cl.Stop(number); err != nil {
				t.Error(err)
			}
			await(t, "more writes", func() bool { return cl.Node(1).Count("test", "testset") > 3000*(4-number)+1500 })
			if err := cl.Start(number); err != nil {
				t.Error(err)
			}
		}
	}()
	r := runBinary(t, "-h", cl.Node(1).Addr(), "-w", "I", "-k", "12000", "-z", "4", "-T", "60000", "--connect-timeout", "60000",
		"--max-retries", "1000", "--sleep-between-retries", "5", "--tender-interval", "20")
	<-done
	if count, timeouts, failures := sums(t, r); count != 12000 || timeouts+failures != 0 || r.code != 0 {
		t.Errorf("exit code %d, %d transactions, %d timeouts, %d errors\n%s", r.code, count, timeouts, failures, r.stderr)
	}
	if n := cl.Node(1).Count("test", "testset"); n != 12000 {
		t.Errorf("%d records", n)
	}
}

// One write holds up a single thread for 700 ms. At 100 writes a second, 70 others
// are due meanwhile: their response times show it, their service times don't.
func TestStallShowsInResponseTimes(t *testing.T) {
	s := startFaulty(t, "write delay=700ms skip=50 n=1")
	dir := t.TempDir()
	r := runBinary(t, "-h", s.Addr(), "-w", "I", "-k", "200", "-z", "1", "-g", "100", "-T", "60000", "--connect-timeout", "60000", "--hdr-hist", dir)
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	slow := map[string]int64{}
	for _, kind := range []string{"stage1_write", "stage1_response_write"} {
		files, err := filepath.Glob(filepath.Join(dir, kind+"_*.hdrhist"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: files %v, %v", kind, files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		h, err := hdr.NewHistogramLogReader(bytes.NewReader(data)).NextIntervalHistogram()
		if err != nil || h.TotalCount() != 200 || h.Max() < 690_000 {
			t.Fatalf("%s: %v, %d values up to %d µs", kind, err, h.TotalCount(), h.Max())
		}
		for _, bar := range h.Distribution() {
			if bar.From >= 300_000 {
				slow[kind] += bar.Count
			}
		}
	}
	// 40 writes are due in the first 400 ms of the stall and wait 300 ms at least.
	if slow["stage1_response_write"] < 35 || slow["stage1_response_write"] <= slow["stage1_write"] {
		t.Errorf("over 300 ms took %v", slow)
	}
}

// The client panics on an answer whose body is garbage. That costs a
// transaction, not the run.
func TestGarbageCostsTransactions(t *testing.T) {
	s := startFaulty(t, "read garbage=body n=10")
	r := runBinary(t, "-h", s.Addr(), "-w", "RU,100", "-k", "200", "-z", "4", "-T", "60000", "--connect-timeout", "60000", "--max-retries", "0", "--transactions", "500")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	count, timeouts, failures := sums(t, r)
	if count != 500 || failures == 0 || failures > 10 || timeouts != 0 {
		t.Errorf("%d transactions, %d errors, %d timeouts\n%s", count, failures, timeouts, r.stderr)
	}
}
