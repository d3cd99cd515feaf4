package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/aeroload/aeroload/embedded"
)

// tty is a run of the program on a terminal.
type tty struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys *os.File // the other side of the terminal

	mu       sync.Mutex
	terminal vt10x.Terminal
	raw      bytes.Buffer
	shown    sync.WaitGroup
}

// startOnTerminal starts a command on a terminal of its own that is high enough for all
// that it prints: its standard error, and, unless the command has one, its standard
// output.
func startOnTerminal(t *testing.T, cmd *exec.Cmd, columns int) *tty {
	t.Helper()
	const rows = 150
	s := &tty{t: t, cmd: cmd, terminal: vt10x.New(vt10x.WithSize(columns, rows))}
	if cmd.Env == nil {
		cmd.Env = append(os.Environ(), "TERM=xterm")
	}
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(columns), Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	s.keys = keys
	t.Cleanup(func() { _ = cmd.Process.Kill(); keys.Close() })
	s.shown.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := keys.Read(buf)
			s.mu.Lock()
			s.raw.Write(buf[:n])
			_, _ = s.terminal.Write(buf[:n])
			s.mu.Unlock()
			if err != nil { // EIO when the process is gone
				return
			}
		}
	})
	return s
}

// rows are those of the screen that are not empty.
func (s *tty) rows() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []string
	for row := range strings.SplitSeq(s.terminal.String(), "\n") {
		if row = strings.TrimRight(row, " \x00"); row != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

// awaitLast waits until the last row matches.
func (s *tty) awaitLast(pattern string) {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	var rows []string
	defer func() {
		if s.t.Failed() {
			s.t.Logf("the screen shows\n%s", strings.Join(rows, "\n"))
		}
	}()
	await(s.t, pattern, func() bool {
		rows = s.rows()
		return len(rows) > 0 && re.MatchString(rows[len(rows)-1])
	})
}

// end waits for the end of the process and returns its exit code.
func (s *tty) end() int {
	s.t.Helper()
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	s.shown.Wait()
	return s.cmd.ProcessState.ExitCode()
}

const twoStages = `- {workload: I, key-end: 301, desc: load}
- {workload: 'RU,80', key-end: 301, duration: 3, tps: 200, warmup: 1, pause: 1, desc: mixed}
`

// stageFile writes a stage file.
func stageFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// While a run is on a terminal, its last row shows how far it is; all else is as it
// would be without that row.
func TestProgressBesideStandardOutput(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	s := startOnTerminal(t, exec.Command(binary, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "--workload-stages", stageFile(t, twoStages)), 200)
	s.awaitLast(`^2/2  mixed  pause, 0:01 left$`)
	s.awaitLast(`^2/2  mixed  \[=*> *\]  warm-up 0:0\d/0:01$`)
	s.awaitLast(`^2/2  mixed  \[=*>? *\]  +\d+%  0:0\d/0:03  \d+/200 tps  p99 [\d.]+(µs|ms|s)  (no errors|\d+ .*)$`)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	known := regexp.MustCompile(`^(Stage \d: (load|mixed)|\d{4}-\d\d-\d\d [\d:.]+ INFO (Add node |Start |Pause for 1 |Warm up for 1s |(write|read)\(.* total\(tps=\d+ \(hit=\d+ miss=\d+\) timeouts=\d+ errors=\d+\)$).*)$`)
	rates, inRun := 0, false
	for _, row := range s.rows() {
		switch {
		case strings.Contains(row, "Add node"):
			inRun = true
		case strings.HasPrefix(row, "Summary ("):
			inRun = false
		}
		if !inRun {
			continue
		}
		if !known.MatchString(row) {
			t.Errorf("a row of the screen is %q", row)
		}
		if strings.Contains(row, " total(") {
			rates++
		}
	}
	if rates < 3 {
		t.Errorf("%d lines of rates on the screen:\n%s", rates, strings.Join(s.rows(), "\n"))
	}
}

// With standard output elsewhere, each stage leaves a row, and the other output is
// untouched.
func TestProgressAlone(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	cmd := exec.Command(binary, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "--workload-stages", stageFile(t, twoStages))
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	s := startOnTerminal(t, cmd, 100)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	screen := strings.Join(s.rows(), "\n")
	want := regexp.MustCompile(`(?m)\A1/2  load  \[=+\]  100%  0:0\d  300/300 keys  \d+ tps  p99 .*  no errors
.* INFO Pause for 1 seconds before stage 2
.* INFO Warm up for 1s before stage 2
2/2  mixed  \[=+>?\]  +(9\d|100)%  0:0\d  \d+/200 tps  p99 .*
Summary \(2 stages`)
	if !want.MatchString(screen) {
		t.Errorf("the screen shows\n%s", screen)
	}
	if strings.ContainsAny(stdout.String(), "\x1b\r") {
		t.Errorf("standard output has control codes: %q", stdout.String())
	}
}

func TestNoProgressWhereItIsNotWanted(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	args := []string{"-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "--workload-stages", stageFile(t, twoStages)}
	for _, c := range []struct {
		why  string
		env  string
		args []string
	}{
		{"a terminal that cannot move its cursor", "TERM=dumb", nil},
		{"no terminal type", "TERM=", nil},
		{"switched off", "TERM=xterm", []string{"--progress", "off"}},
	} {
		cmd := exec.Command(binary, append(args, c.args...)...)
		cmd.Env = append(os.Environ(), c.env)
		s := startOnTerminal(t, cmd, 150)
		if code := s.end(); code != 0 {
			t.Errorf("%s: exit code %d", c.why, code)
		}
		if raw := s.raw.String(); strings.Contains(raw, "\x1b") || strings.Contains(raw, "2/2") || !strings.Contains(raw, "Summary (2 stages") {
			t.Errorf("%s: the terminal got %q", c.why, raw)
		}
	}
	r := tg.run(0, "--workload-stages", stageFile(t, twoStages))
	if strings.ContainsAny(r.stderr+r.stdout, "\x1b\r") || strings.Contains(r.stderr, "2/2") {
		t.Errorf("a pipe got\n%s%s", r.stdout, r.stderr)
	}
	r = tg.run(0, "--workload-stages", stageFile(t, twoStages), "--progress=on")
	if strings.ContainsAny(r.stderr+r.stdout, "\x1b\r") || !regexp.MustCompile(`(?m)^2/2  mixed  +(9\d|100)%  0:0\d  `).MatchString(r.stderr) {
		t.Errorf("asked for in a pipe:\n%s%s", r.stdout, r.stderr)
	}
	if r = runBinary(t, "--progress=onn"); r.code != exitUsage || !strings.Contains(r.stderr, `--progress: "onn" is not auto, on or off; did you mean "on"?`) {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

// Ctrl-C is shown while transactions are waited for; at the end, also at once by a
// second Ctrl-C, the row is gone.
func TestProgressWhileStopping(t *testing.T) {
	if os.Getenv("AEROLOAD_TEST_HOSTS") != "" {
		t.Skip("a real cluster is not held up")
	}
	t.Parallel()
	hang, err := embedded.ParseFault("read drop")
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range []bool{false, true} {
		srv := embedded.RunT(t, embedded.Config{Faults: []embedded.Fault{hang}})
		s := startOnTerminal(t, exec.Command(binary, "-h", srv.Addr(), "-T", "0", "--connect-timeout", "60000", "-w", "RU,100", "-k", "50", "-z", "4", "-t", "3600"), 150)
		s.awaitLast(`^1/1  default.*0 tps  no errors$`)
		press := func() {
			t.Helper()
			if _, err := s.keys.Write([]byte{3}); err != nil { // Ctrl-C
				t.Fatal(err)
			}
		}
		press()
		s.awaitLast(`^1/1  default.*  waiting for transactions on their way \(Ctrl-C ends at once\)  stopped by SIGINT$`)
		if again {
			press()
		}
		if code := s.end(); code != 130 {
			t.Errorf("again %v: exit code %d", again, code)
		}
		if screen := strings.Join(s.rows(), "\n"); strings.Contains(screen, "1/1  default") || strings.Contains(screen, "Summary (") == again {
			t.Errorf("again %v: the screen shows\n%s", again, screen)
		}
	}
}

// A terminal that is closed ends the run, and its files are written.
func TestTheTerminalIsClosed(t *testing.T) {
	tg := newTarget(t)
	dir := filepath.Join(t.TempDir(), "hdr")
	cmd := exec.Command(binary, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "-w", "RU,80", "-k", "50", "-t", "3600", "-g", "100", "--hdr-hist", dir)
	cmd.Stdout = io.Discard
	s := startOnTerminal(t, cmd, 150)
	s.awaitLast(`^1/1  default.*no errors$`)
	if err := s.keys.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		t.Fatal(err)
	}
	// The kernel sends SIGHUP.
	if code := s.end(); code != 129 {
		t.Errorf("exit code %d, ended by %v", code, s.cmd.ProcessState)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("result files: %v, %v", files, err)
	}
	if d := readResult(t, files[0]); !strings.Contains(d.Stopped, "SIGHUP") || len(d.Stages) != 1 {
		t.Errorf("stopped by %q after %d stages", d.Stopped, len(d.Stages))
	}
}
