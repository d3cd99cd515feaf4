package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aeroload/aeroload/metrics"
	results "github.com/aeroload/aeroload/result"
	"github.com/aeroload/aeroload/stage"
)

// heard keeps what a program prints, and may be read while it runs.
type heard struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.String()
}

// intact checks that a folder holds whole files of a run: histograms that can be
// read, and a result that adds up, if any.
func intact(t *testing.T, dir string, stderr string) {
	t.Helper()
	hdr := hdrCounts(t, filepath.Join(dir, "hdr"))
	path := filepath.Join(dir, "r.json")
	if _, err := os.Stat(path); err == nil {
		addsUp(t, readResult(t, path), result{stderr: stderr}, hdr)
	}
	nothingHidden(t, dir)
}

// nothingHidden checks that a run left none of the files that it writes to on the way.
func nothingHidden(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{".*", "hdr/.*"} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// A signal ends a run within the time that transactions on their way get, and with
// its exit code, whatever the run is doing; a second one does no harm.
func TestSignalsAtAnyMoment(t *testing.T) {
	notReal(t)
	for _, c := range []struct {
		moment, stages string
		out, err       string // what is printed when the moment has come
		hosts          func(t *testing.T) string
		args           []string
	}{
		{"connecting", "- {workload: I}", "seed", "", silentNode, nil},
		{"the pause", "- {workload: I, key-end: 11}\n- {workload: RU, pause: 3600, duration: 3600}", "Stage 1:", "Pause for", nil, nil},
		{"the warm-up", "- {workload: I, key-end: 11}\n- {workload: RU, warmup: 3600, duration: 3600, tps: 100}", "Stage 1:", "Warm up for", nil, nil},
		{"a stage", "- {workload: I, key-end: 11}\n- {workload: RU, duration: 3600, tps: 100}", "Stage 2:", "", nil, nil},
		{"a stage as fast as it can", "- {workload: RU, duration: 3600}", "total(", "", nil, nil},
		{"the rest of a walk's duration", "- {workload: I, key-end: 11, duration: 3600}", "total(", "", nil, nil},
		{"the search for a rate", "- {workload: RU, duration: 3600, find-max: {p99: 1s, from: 100, to: 200, probe: 60s}}", "total(", "", nil, nil},
		{"a hung server", "- {workload: 'RU,100', duration: 3600}", "total(", "", func(t *testing.T) string { return startFaulty(t, "read drop").Addr() }, []string{"-T", "0"}},
		{"a server that is gone", "- {workload: 'RU,100', duration: 3600}", "total(", "", func(t *testing.T) string { return startFaulty(t, "any close").Addr() }, nil},
	} {
		// The kernel makes one of two signals that are the same.
		for _, signals := range [][]syscall.Signal{{syscall.SIGTERM}, {syscall.SIGHUP}, {syscall.SIGINT, syscall.SIGTERM}} {
			t.Run(fmt.Sprintf("%s/%v", c.moment, signals), func(t *testing.T) {
				t.Parallel()
				hosts := c.hosts
				if hosts == nil {
					hosts = func(t *testing.T) string { return startFaulty(t).Addr() }
				}
				dir := t.TempDir()
				file := filepath.Join(dir, "stages.yaml")
				if err := os.WriteFile(file, []byte(c.stages), 0o600); err != nil {
					t.Fatal(err)
				}
				var stdout, stderr heard
				cmd := exec.Command(binary, append([]string{"-h", hosts(t), "--connect-timeout", "60000", "--workload-stages", file, "-z", "4", "--debug",
					"--hdr-hist", filepath.Join(dir, "hdr"), "--result", filepath.Join(dir, "r.json")}, c.args...)...)
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cmd.Process.Kill() })
				await(t, c.moment, func() bool {
					return strings.Contains(stdout.String(), c.out) && strings.Contains(stderr.String(), c.err)
				})
				s := &stoppable{cmd: cmd}
				s.stop(t, signals...)
				// Two signals may come in either order.
				if code := cmd.ProcessState.ExitCode(); code != 128+int(signals[0]) && code != 128+int(signals[len(signals)-1]) {
					t.Errorf("exit code %d\n%s%s", code, stdout.String(), stderr.String())
				}
				if len(signals) == 1 {
					intact(t, dir, stderr.String())
					if !strings.Contains(stderr.String(), "aeroload: stopped by SIG") {
						t.Errorf("stderr does not say why it ended:\n%s", stderr.String())
					}
					return
				}
				if strings.HasPrefix(c.moment, "a hung") && strings.Contains(stderr.String(), "stopped by SIG") {
					t.Errorf("the second signal did not end it at once:\n%s", stderr.String())
				}
				// Cut off as it is, the run has left whole files or none.
				hdrCounts(t, filepath.Join(dir, "hdr"))
				if _, err := os.Stat(filepath.Join(dir, "r.json")); err == nil {
					readResult(t, filepath.Join(dir, "r.json"))
				}
				nothingHidden(t, dir)
			})
		}
	}
}

// At whatever time of a short run a signal comes, also at its end: what is there is
// whole.
func TestSignalsAtAnyTime(t *testing.T) {
	notReal(t)
	for i := range 16 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			hosts, dir := startFaulty(t).Addr(), t.TempDir()
			cmd := exec.Command(binary, "-h", hosts, "--connect-timeout", "60000", "-w", "RU,50", "-t", "1", "-g", "200", "-k", "100",
				"--hdr-hist", filepath.Join(dir, "hdr"), "--result", filepath.Join(dir, "r.json"))
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2]
			timer := time.AfterFunc(time.Duration(i)*80*time.Millisecond, func() { _ = cmd.Process.Signal(sig) })
			defer timer.Stop()
			_ = cmd.Wait()
			// A signal that comes before the program listens kills it; one that
			// comes when all is over changes nothing.
			if code := cmd.ProcessState.ExitCode(); code != 128+int(sig) && code != 0 && code != -1 {
				t.Errorf("exit code %d\n%s", code, stderr.String())
			}
			intact(t, dir, stderr.String())
		})
	}
}

// Under nohup a hang-up is none of the run's business.
func TestNohup(t *testing.T) {
	notReal(t)
	t.Parallel()
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$@"`, "sh", binary, "-h", startFaulty(t).Addr(), "-w", "RU", "-t", "2", "-g", "100", "-k", "100")
	var stdout, stderr heard
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await(t, "a line", func() bool { return strings.Contains(stdout.String(), "total(") })
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, stderr.String())
	}
}

// A process that stands still for a while, as when a machine is suspended, is a jump
// of its clock: the run ends in time, in whole periods, and loses nothing.
func TestProcessStandsStill(t *testing.T) {
	notReal(t)
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	cmd := exec.Command(binary, "-h", startFaulty(t).Addr(), "-w", "RU", "-t", "5", "-g", "200", "-k", "100", "-T", "60000", "--connect-timeout", "60000",
		"--result", path, "--hdr-hist", filepath.Join(dir, "hdr"))
	var stdout, stderr heard
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await(t, "a line", func() bool { return strings.Contains(stdout.String(), "total(") })
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(2500*time.Millisecond, func() { _ = cmd.Process.Signal(syscall.SIGCONT) })
	defer timer.Stop()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	d, err := results.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	addsUp(t, d, result{stderr: stderr.String()}, hdrCounts(t, filepath.Join(dir, "hdr")))
	s := d.Stages[0]
	all, longest := uint64(0), 0.0
	for _, o := range s.Operations {
		all += o.Done
		longest = max(longest, float64(o.Response.Max)/1e6)
	}
	for i, p := range s.Periods[1:] {
		if before := s.Periods[i]; p.Start < before.Start+before.Seconds-1e-6 {
			t.Errorf("period %d begins at %v, before the end of %v s from %v", i+1, p.Start, before.Seconds, before.Start)
		}
	}
	// Nothing that was due then is left out, and it shows how long it waited.
	if all != 1000 && !strings.Contains(stderr.String(), "It fell behind") || all > 1000 || longest < 2 || s.Seconds < 5 {
		t.Errorf("%d transactions in %v s, waiting for up to %v s", all, s.Seconds, longest)
	}
}

// A signal while a command writes its file ends it at once: what was there stays, and
// nothing else is left.
func TestSignalsWhileAFileIsReplaced(t *testing.T) {
	const variable = "REPLACE_FILE_TEST"
	if path := os.Getenv(variable); path != "" {
		err := replaceFile(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, "half"); err != nil {
				return err
			}
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				return err
			}
			select {} // until the signal has come
		})
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := writeFile(t, filepath.Join(dir, "report.html"), "old")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSignalsWhileAFileIsReplaced$")
	cmd.Env = append(os.Environ(), variable+"="+path)
	r := finish(t, cmd)
	if r.code != 143 || string(readFile(t, path)) != "old" {
		t.Errorf("exit code %d, want 143; the file holds %q\n%s%s", r.code, readFile(t, path), r.stdout, r.stderr)
	}
	nothingHidden(t, dir)
}

// A signal that comes while a run writes its results also ends the wait for somebody
// who fetches the metrics.
func TestSignalBeforeTheMetricsLinger(t *testing.T) {
	server, err := metrics.Listen("127.0.0.1:0", metrics.NewExporter(metrics.Run{Plan: new(stage.Plan)}))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr bytes.Buffer
	(&live{server: server}).linger(ctx, time.Hour, &stderr)
	if stderr.Len() > 0 {
		t.Errorf("printed %q", &stderr)
	}
}
