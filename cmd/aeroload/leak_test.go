package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
	"go.uber.org/goleak"

	"github.com/aeroload/aeroload/embedded"
)

// A run that is over, well or not, leaves no goroutine in the process and no
// connection to the server.
func TestNoLeaks(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults []string
		args   []string
		signal bool // a SIGINT ends it
		code   int
	}{
		{"all is well", nil, []string{"-t", "1"}, false, 0},
		{"at a rate, with all outputs", nil, []string{"-t", "1", "-g", "100", "-L", "--debug", "--hdr-hist", "hdr", "--result", "r.json", "--hdr-log", "log", "--output-file", "out"}, false, 0},
		{"no namespace", nil, []string{"-n", "none"}, false, 1},
		{"resets", []string{"any reset p=0.3"}, []string{"-t", "1"}, false, 0},
		{"timeouts", []string{"any drop p=0.1"}, []string{"-t", "1", "-T", "100"}, false, 0},
		{"given up", []string{"any code=4"}, []string{"-t", "60", "--max-outage", "1"}, false, 1},
		{"too many errors", []string{"any code=4 p=0.5"}, []string{"-t", "60", "--max-errors", "10"}, false, 1},
		{"scans that fail", []string{"scan code=4 p=0.5"}, []string{"--operations", "{scan: 1, read: 5}", "-t", "1"}, false, 0},
		{"a signal", nil, []string{"-t", "3600"}, true, 130},
		{"a signal in the warm-up", nil, []string{"-t", "3600", "--warmup", "3600"}, true, 130},
		{"a signal while waiting for a turn", nil, []string{"-t", "3600", "-g", "0.001"}, true, 130},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			srv := startFaulty(t, c.faults...)
			args := append([]string{"-h", srv.Addr(), "-k", "100", "-z", "4", "--max-retries", "0", "-T", "60000", "--connect-timeout", "60000"}, c.args...)
			for i, a := range args {
				if i > 0 && (args[i-1] == "--hdr-hist" || args[i-1] == "--result" || args[i-1] == "--hdr-log" || args[i-1] == "--output-file") {
					args[i] = filepath.Join(dir, a)
				}
			}
			before := goleak.IgnoreCurrent()
			if c.signal {
				// It is sent when transactions, or the wait for them, have begun.
				go func() {
					await(t, "transactions", func() bool { return len(srv.Operations()) > 0 })
					_ = syscall.Kill(syscall.Getpid(), syscall.SIGINT)
				}()
			}
			var stdout, stderr heard
			if code := run(args, &stdout, &stderr); code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, stderr.String())
			}
			await(t, "connections to be closed", func() bool { return connections(t, srv) <= 1 })
			// What serves a connection is the server's.
			goleak.VerifyNone(t, before, goleak.IgnoreAnyFunction("github.com/aeroload/aeroload/embedded.(*Server).serve"))
		})
	}
}

// connections asks a server how many there are, that of the question included.
func connections(t *testing.T, srv *embedded.Server) int {
	t.Helper()
	host := as.NewHost("127.0.0.1", srv.Port())
	conn, err := as.NewConnection(as.NewClientPolicy(), host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	info, err := conn.RequestInfo("statistics")
	if err != nil {
		t.Fatal(err)
	}
	for _, stat := range strings.Split(info["statistics"], ";") {
		if text, ok := strings.CutPrefix(stat, "client_connections="); ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no number of connections in %q", info["statistics"])
	return 0
}
