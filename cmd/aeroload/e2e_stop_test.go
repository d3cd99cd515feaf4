package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
)

// stoppable is a run in the middle of its second stage.
type stoppable struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	dir            string
}

// startTwoStages starts a load and an endless stage, and returns once the
// second stage has printed a line.
func startTwoStages(t *testing.T, tg *target, tps string) *stoppable {
	t.Helper()
	s := &stoppable{dir: t.TempDir()}
	file := filepath.Join(s.dir, "two.yaml")
	if err := os.WriteFile(file, []byte("- {workload: I, key-end: 301}\n- {workload: RU, key-end: 301, duration: 1h, tps: "+tps+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(binary, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "--workload-stages", file, "--hdr-hist", filepath.Join(s.dir, "hdr"), "-L")
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
	for inSecond := false; ; {
		line, err := out.ReadString('\n')
		if err != nil {
			t.Fatalf("%v\n%s%s", err, s.stdout.String(), s.stderr.String())
		}
		s.stdout.WriteString(line)
		inSecond = inSecond || strings.HasPrefix(line, "Stage 2:")
		if inSecond && strings.Contains(line, "total(") {
			break
		}
	}
	go func() { _, _ = io.Copy(&s.stdout, out) }()
	return s
}

// stop sends the signals, each right after the other, and waits for the end.
func (s *stoppable) stop(t *testing.T, signals ...syscall.Signal) time.Duration {
	t.Helper()
	start := time.Now()
	for _, sig := range signals {
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("does not end")
	}
	return time.Since(start)
}

func TestSignalsLeaveValidResults(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
		tps    string
	}{{syscall.SIGINT, 130, "0"}, {syscall.SIGTERM, 143, "200"}} {
		tg := newTarget(t)
		s := startTwoStages(t, tg, c.tps)
		s.stop(t, c.signal)
		if got := s.cmd.ProcessState.ExitCode(); got != c.code {
			t.Errorf("%v: exit code %d, want %d\n%s", c.signal, got, c.code, s.stderr.String())
		}
		if !strings.Contains(s.stderr.String(), "aeroload: stopped by SIG") {
			t.Errorf("%v: stderr does not say why it ended:\n%s", c.signal, s.stderr.String())
		}
		counts := hdrCounts(t, filepath.Join(s.dir, "hdr"))
		rows := summary(t, s.stderr.String())
		if len(rows) < 3 {
			t.Fatalf("%v: summary %+v\n%s", c.signal, rows, s.stderr.String())
		}
		printed := map[string]int{}
		for _, row := range rows {
			if row.latency == "service" {
				printed[row.op] += row.count - row.errors_
				if got := counts[fmt.Sprintf("stage%d_%s", row.stage, row.op)]; got != row.count-row.errors_ {
					t.Errorf("%v: stage %d %s: %d printed, %d in the histogram", c.signal, row.stage, row.op, row.count, got)
				}
			}
		}
		for op, n := range printed {
			if counts[op] != n {
				t.Errorf("%v: %s: %d printed, %d in the histogram", c.signal, op, n, counts[op])
			}
		}
		if left, _ := filepath.Glob(filepath.Join(s.dir, "hdr", ".*")); len(left) > 0 {
			t.Errorf("%v: left behind: %v", c.signal, left)
		}
	}
}

// The first signal waits a second for a server that does not answer, the second
// for nothing.
func TestHungServer(t *testing.T) {
	if os.Getenv("AEROLOAD_TEST_HOSTS") != "" {
		t.Skip("a real cluster is not held up")
	}
	t.Parallel()
	hang, err := embedded.ParseFault("read drop")
	if err != nil {
		t.Fatal(err)
	}
	for _, signals := range [][]syscall.Signal{{syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGTERM}} {
		srv := embedded.RunT(t, embedded.Config{Faults: []embedded.Fault{hang}})
		cmd := exec.Command(binary, "-h", srv.Addr(), "-T", "0", "--connect-timeout", "60000", "-w", "RU,100", "-k", "50", "-z", "4", "-t", "3600")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		lines := bufio.NewScanner(pipe)
		for lines.Scan() && !strings.Contains(lines.Text(), "total(") {
		}
		s := &stoppable{cmd: cmd}
		s.stop(t, signals...)
		// Two signals may come in either order.
		if code := cmd.ProcessState.ExitCode(); code != 143 && (code != 130 || len(signals) == 1) {
			t.Errorf("%d signals: exit code %d\n%s", len(signals), code, stderr.String())
		}
		told := strings.Contains(stderr.String(), "4 transactions still without an answer when the run was stopped")
		if (len(signals) == 1) != told {
			t.Errorf("printed\n%s", stderr.String())
		}
	}
}

// silentNode accepts connections and never answers.
func silentNode(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			if c, err := l.Accept(); err != nil {
				return
			} else {
				t.Cleanup(func() { c.Close() })
			}
		}
	}()
	return l.Addr().String()
}

func TestSignalWhileConnecting(t *testing.T) {
	cmd := exec.Command(binary, "-h", silentNode(t), "--connect-timeout", "60000", "-w", "I")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The signal handler stands before anything is connected, but not before
	// the process runs; a signal that comes too early kills it.
	await(t, "the header", func() bool {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", cmd.Process.Pid))
		return err != nil || len(data) > 0 && stateOf(cmd) == "S"
	})
	s := &stoppable{cmd: cmd}
	s.stop(t, syscall.SIGINT)
	if code := cmd.ProcessState.ExitCode(); code != 130 && code != -1 {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
}

// stateOf is the state letter of a process.
func stateOf(cmd *exec.Cmd) string {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return rest[:min(1, len(rest))]
}

func TestClosedOutputEndsTheRun(t *testing.T) {
	tg := newTarget(t)
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", fmt.Sprintf("%s -h %s -s %s -T 60000 -w RU,0 -k 50 -t 3600 -g 200 --hdr-hist %s | head -1", binary, tg.hosts, tg.set, filepath.Join(dir, "hdr")))
	r := finish(t, cmd)
	if !strings.Contains(r.stderr, "broken pipe") {
		t.Errorf("stderr: %s", r.stderr)
	}
	if counts := hdrCounts(t, filepath.Join(dir, "hdr")); counts["write"] == 0 {
		t.Errorf("the histogram files hold %v", counts)
	}
}

// The server goes away in the middle of a stage and comes back: the run goes on,
// ends in time, and every transaction is counted.
func TestServerComesBack(t *testing.T) {
	if os.Getenv("AEROLOAD_TEST_HOSTS") != "" {
		t.Skip("a real cluster is not stopped")
	}
	for _, tps := range []string{"0", "500"} {
		srv, err := embedded.Start(embedded.Config{})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary, "-h", srv.Addr(), "--connect-timeout", "60000", "-w", "RU,50", "-k", "1000", "-t", "6", "-g", tps)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		lines := bufio.NewScanner(pipe)
		seconds := 0
		for lines.Scan() {
			if !strings.Contains(lines.Text(), "total(") {
				continue
			}
			switch seconds++; seconds {
			case 1:
				if err := srv.Close(); err != nil {
					t.Fatal(err)
				}
			case 3:
				if srv, err = embedded.Start(embedded.Config{Listen: srv.Addr()}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("-g %s: %v\n%s", tps, err, stderr.String())
		}
		if srv.Count("test", "testset") == 0 {
			t.Errorf("-g %s: nothing was written after the server came back\n%s", tps, stderr.String())
		}
		if seconds > 9 {
			t.Errorf("-g %s: printed %d lines for 6 seconds", tps, seconds)
		}
		if !strings.Contains(stderr.String(), "Failed transactions by result code:") {
			t.Errorf("-g %s: no failures in\n%s", tps, stderr.String())
		}
		srv.Close()
	}
}

// An output that nobody reads holds up neither the files nor the end.
func TestBlockedOutput(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	dir := filepath.Join(t.TempDir(), "hdr")
	cmd := exec.Command(binary, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "-w", "RU,50", "-k", "50", "-g", "500", "-t", "3600", "--hdr-hist", dir)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// The pipe is full from the start.
	if err := w.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = w.Write(make([]byte, 4096))
	}
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await(t, "the run's files", func() bool {
		entries, _ := os.ReadDir(dir)
		return len(entries) > 1 // besides the mark of a run that is under way
	})
	s := &stoppable{cmd: cmd}
	s.stop(t, syscall.SIGINT)
	if cmd.ProcessState.ExitCode() != 130 || len(summary(t, stderr.String())) == 0 {
		t.Errorf("exit code %d\n%s", cmd.ProcessState.ExitCode(), stderr.String())
	}
	if counts := hdrCounts(t, dir); counts["write"] == 0 {
		t.Errorf("the histogram files hold %v", counts)
	}
}
