package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// The tests in the e2e files run the built program against a server and look at
// what it stored, through the client. With AEROLOAD_TEST_HOSTS=host:port they
// use that server, else an embedded one.

var (
	binary     string
	testsBegan = time.Now()
)

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "aeroload-e2e")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "aeroload")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	// What whoever runs the tests has set for runs is not for the tests.
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, envPrefix) && name != "AEROLOAD_TEST_HOSTS" {
			if err := os.Unsetenv(name); err != nil {
				return 0, err
			}
		}
	}
	if err := os.Setenv("HOME", dir); err != nil {
		return 0, err
	}
	// Runs would inherit that from tests under nohup.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	return m.Run(), nil
}

// target is a server to run against, and a set of its own.
type target struct {
	t      *testing.T
	hosts  string
	set    string
	client *as.Client
}

var sets atomic.Int64

func newTarget(t *testing.T) *target {
	t.Helper()
	hosts := os.Getenv("AEROLOAD_TEST_HOSTS")
	if hosts == "" {
		hosts = embedded.RunT(t, embedded.Config{}).Addr()
	}
	addresses, err := as.NewHosts(strings.Split(hosts, ",")...)
	if err != nil {
		t.Fatal(err)
	}
	client, err := as.NewClientWithPolicyAndHost(as.NewClientPolicy(), addresses...)
	if err != nil {
		t.Fatal(err)
	}
	tg := &target{t: t, hosts: hosts, client: client, set: fmt.Sprintf("e2e-%d-%d", os.Getpid(), sets.Add(1))}
	t.Cleanup(func() {
		if err := client.Truncate(nil, "test", tg.set, nil); err != nil {
			t.Error(err)
		}
		client.Close()
	})
	return tg
}

// result is what a run of the program left.
type result struct {
	stdout, stderr string
	code           int
}

// runBinary runs the program in a folder of its own.
func runBinary(t *testing.T, args ...string) result {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = t.TempDir()
	return finish(t, cmd)
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// run runs the program against the target, and fails the test unless it exits
// with the wanted code. The timeout is long because a busy test machine may
// stand still for seconds.
func (tg *target) run(code int, args ...string) result {
	tg.t.Helper()
	r := runBinary(tg.t, append([]string{"-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000"}, args...)...)
	if r.code != code {
		tg.t.Fatalf("%q: exit code %d, want %d\n%s%s", args, r.code, code, r.stdout, r.stderr)
	}
	return r
}

// records reads the bins of every record of the target's set whose key is in
// [start, end), and fails the test if the set holds any other record.
func (tg *target) records(start, end int) map[int]as.BinMap {
	tg.t.Helper()
	found := map[int]as.BinMap{}
	for key := start; key < end; key++ {
		if r, ok := tg.get(key); ok {
			found[key] = r.Bins
		}
	}
	if n := tg.count(); n != len(found) {
		tg.t.Errorf("the set holds %d records, %d of them have keys in [%d, %d)", n, len(found), start, end)
	}
	return found
}

func (tg *target) get(key int) (*as.Record, bool) {
	tg.t.Helper()
	return tg.getAny(key)
}

// getAny reads the record of an integer, string or bytes key.
func (tg *target) getAny(key any) (*as.Record, bool) {
	tg.t.Helper()
	k, err := as.NewKey("test", tg.set, key)
	if err != nil {
		tg.t.Fatal(err)
	}
	r, err := tg.client.Get(nil, k)
	if errors.Is(err, as.ErrKeyNotFound) {
		return nil, false
	}
	if err != nil {
		tg.t.Fatal(err)
	}
	return r, true
}

// count scans the target's set.
func (tg *target) count() int {
	tg.t.Helper()
	p := as.NewScanPolicy()
	p.IncludeBinData = false
	set, err := tg.client.ScanAll(p, "test", tg.set)
	if err != nil {
		tg.t.Fatal(err)
	}
	n := 0
	for r := range set.Results() {
		if r.Err != nil {
			tg.t.Fatal(r.Err)
		}
		n++
	}
	return n
}

// summaryRow is a row of the summary.
type summaryRow struct {
	stage                            int
	op, latency                      string
	count, misses, timeouts, errors_ int
}

// summary reads the table of a run's summary.
func summary(t *testing.T, stderr string) []summaryRow {
	t.Helper()
	var rows []summaryRow
	for line := range strings.Lines(stderr) {
		f := strings.Fields(line)
		if len(f) == 16 { // with records/s, which runs with batches have
			f = slices.Delete(f, 5, 6)
		}
		if len(f) != 15 || f[2] != "service" && f[2] != "response" {
			continue
		}
		var r summaryRow
		r.op, r.latency = f[1], f[2]
		for i, to := range map[int]*int{0: &r.stage, 3: &r.count, 5: &r.misses, 6: &r.timeouts, 7: &r.errors_} {
			n, err := strconv.Atoi(f[i])
			if err != nil {
				t.Fatalf("summary row %q: %v", line, err)
			}
			*to = n
		}
		rows = append(rows, r)
	}
	return rows
}

// idleListener is a port on which every connection is counted.
func idleListener(t *testing.T) (hosts string, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	connections = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), connections
}

// await polls until ok or a minute has passed.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
