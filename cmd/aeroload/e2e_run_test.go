package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// hdrCounts reads the counts of the histogram logs in a folder, by name without
// the time of the run.
func hdrCounts(t *testing.T, dir string) map[string]int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.hdrhist"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h, err := hdr.NewHistogramLogReader(bytes.NewReader(data)).NextIntervalHistogram()
		if err != nil || h == nil {
			t.Fatalf("%s: %v, %v", file, h, err)
		}
		name := filepath.Base(file)
		name = name[:strings.LastIndex(name, "_")]
		counts[name] = int(h.TotalCount())
		table, err := os.ReadFile(strings.TrimSuffix(file, ".hdrhist") + ".txt")
		if err != nil || !regexp.MustCompile(fmt.Sprintf(`Total count    = +%d\]`, h.TotalCount())).Match(table) {
			t.Errorf("%s: the percentile table does not hold %d values: %v", file, h.TotalCount(), err)
		}
		// Wall-clock time, not time since the boot.
		if m := regexp.MustCompile(`#\[StartTime: (\d+)`).FindSubmatch(data); m == nil {
			t.Errorf("%s: no StartTime", file)
		} else if start, _ := strconv.ParseInt(string(m[1]), 10, 64); time.Since(time.Unix(start, 0)).Abs() > time.Minute {
			t.Errorf("%s: StartTime %d is not now", file, start)
		}
	}
	return counts
}

func TestQuickstartOnTheEmbeddedServer(t *testing.T) {
	cmd := exec.Command(binary, "--embedded", "--workload-stages", absolute(t, "../../examples/quickstart.yaml"))
	cmd.Dir = t.TempDir()
	r := finish(t, cmd)
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	if !strings.HasPrefix(r.stdout, "server:                 embedded") || !strings.Contains(r.stderr, "not Aerospike") {
		t.Error("the output does not say that the server is embedded")
	}
	counts := hdrCounts(t, filepath.Join(cmd.Dir, "hdr"))
	for _, row := range summary(t, r.stderr) {
		prefix := fmt.Sprintf("stage%d_", row.stage)
		if row.latency == "response" {
			prefix += "response_"
		}
		if row.count == 0 || counts[prefix+row.op] != row.count {
			t.Errorf("stage %d %s (%s): %d printed, %d in the histogram", row.stage, row.op, row.latency, row.count, counts[prefix+row.op])
		}
	}
	if counts["stage1_write"] != 100_000 || counts["write"] != 100_000+counts["stage2_write"] || counts["read"] != counts["stage2_read"] {
		t.Errorf("counts %v", counts)
	}
}

// The histogram files do not depend on -L, and what is printed with it agrees
// with them.
func TestHistogramFilesAndLatencyLinesAgree(t *testing.T) {
	for _, latency := range []bool{false, true} {
		tg := newTarget(t)
		dir := filepath.Join(t.TempDir(), "a", "b")
		args := []string{"-w", "I", "-k", "500", "--hdr-hist", dir}
		if latency {
			args = append(args, "-L", "--percentiles", "50,99")
		}
		r := tg.run(0, args...)
		if counts := hdrCounts(t, dir); counts["write"] != 500 || counts["stage1_write"] != 500 || len(counts) != 2 {
			t.Errorf("-L %v: counts %v", latency, counts)
		}
		lines := regexp.MustCompile(`(?m)^hdr: write \S+ \d+, (\d+), \d+, \d+, \d+, \d+$`).FindAllStringSubmatch(r.stdout, -1)
		switch {
		case !latency && strings.Contains(r.stdout, "hdr:"):
			t.Error("latency lines without -L")
		case latency && (len(lines) == 0 || lines[len(lines)-1][1] != "500"):
			t.Errorf("latency lines %v", lines)
		}
	}
}

func TestOutputFileIsAppendedTo(t *testing.T) {
	tg := newTarget(t)
	file := filepath.Join(t.TempDir(), "out")
	for range 2 {
		tg.run(0, "-w", "I", "-k", "300", "--output-file", file, "--output-period", "2")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if strings.Count(text, "Total num buckets: 115\n") != 2 || strings.Count(text, "\nStage 1: ") != 2 {
		t.Errorf("two runs left\n%s", text)
	}
	total := 0
	for _, m := range regexp.MustCompile(`(?m)^write_hist \S+, \S+, (\d+)(, \d+:\d+)+$`).FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		total += n
	}
	if total != 600 {
		t.Errorf("the lines hold %d transactions, want 600\n%s", total, text)
	}
	r := tg.run(0, "-w", "I", "-k", "300", "--output-file", "stdout")
	if !strings.HasPrefix(r.stdout, "hosts:") || !strings.Contains(r.stdout, "\nwrite_hist ") {
		t.Errorf("--output-file stdout printed\n%s", r.stdout)
	}
	if r := tg.run(1, "-w", "I", "-k", "300", "--output-file", "/dev/full"); !strings.Contains(r.stderr, "no space left") || tg.count() != 300 {
		t.Errorf("a full disk: %s", r.stderr)
	}
}

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
	s.cmd = exec.Command(binary, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--workload-stages", file, "--hdr-hist", filepath.Join(s.dir, "hdr"), "-L")
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

// Everything that is wrong with the command line or a file is found before a
// connection is tried.
func TestUsageErrors(t *testing.T) {
	hosts, connections := idleListener(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.yaml", "- workload: I\n")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"none.yaml: no such file or directory", []string{"--workload-stages", filepath.Join(dir, "none.yaml")}},
		{"empty.yaml:1:1: the file holds no stages", []string{"--workload-stages", write("empty.yaml", "")}},
		{`key.yaml:2:3: unknown key "duraton"; did you mean "duration"?`, []string{"--workload-stages", write("key.yaml", "- workload: I\n  duraton: 5\n")}},
		{`type.yaml:2:10: async: "maybe" is not a boolean`, []string{"--workload-stages", write("type.yaml", "- workload: I\n  async: maybe\n")}},
		{`workload.yaml:1:13: workload: unknown workload "XY"`, []string{"--workload-stages", write("workload.yaml", "- workload: XY\n")}},
		{"not valid YAML", []string{"--workload-stages", write("broken.yaml", "- workload: [\n")}},
		{"is given twice", []string{"--workload-stages", write("twice.yaml", "- workload: I\n  workload: I\n")}},
		{"one document", []string{"--workload-stages", write("documents.yaml", "- workload: I\n---\n- workload: I\n")}},
		{"expected a length after", []string{"--workload-stages", write("spec.yaml", "- workload: I\n  object-spec: I4,S\n")}},
		{"the key range [9, 5) is empty", []string{"--workload-stages", write("range.yaml", "- {workload: I, key-start: 9, key-end: 5}\n")}},
		{"not supported yet", []string{"--workload-stages", write("later.yaml", "- workload: CI,50\n")}},
		{"do not go together", []string{"--workload-stages", good, "-w", "I"}},
		{`"abc"`, []string{"-w", "I", "-k", "abc"}},
		{`"abc"`, []string{"-g", "abc"}},
		{"unknown workload", []string{"-w", "RX"}},
		{`did you mean "--workload"?`, []string{"--worklod", "I"}},
		{`"0"`, []string{"-w", "I", "-z", "0"}},
		{"expected a length", []string{"-w", "I", "-o", "S"}},
		{"output file", []string{"-w", "I", "--output-file", filepath.Join(dir, "none", "out")}},
		{"folder of HDR histograms", []string{"-w", "I", "--hdr-hist", good}},
		{"rack-id", []string{"-w", "I", "--replica", "prefer-rack"}},
		{"tls-cafile", []string{"-w", "I", "--tls-enable", "--tls-cafile", filepath.Join(dir, "none.pem")}},
		{`unexpected argument "validat"; did you mean "validate"?`, []string{"validat", "x.yaml"}},
	} {
		r := runBinary(t, append(c.args, "-h", hosts)...)
		if r.code != 2 {
			t.Errorf("%q: exit code %d, want 2\n%s", c.args, r.code, r.stderr)
		}
		if !strings.Contains(r.stderr, c.want) {
			t.Errorf("%q: no %q in\n%s", c.args, c.want, r.stderr)
		}
		if r.stdout != "" {
			t.Errorf("%q: printed\n%s", c.args, r.stdout)
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections were attempted", n)
	}
}

func TestValidateReportsAllFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"good.yaml": "- workload: I\n", "one.yaml": "- workload: X\n", "two.yaml": "- tps: 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "validate", "good.yaml", "one.yaml", "two.yaml")
	cmd.Dir = dir
	r := finish(t, cmd)
	if r.code != 2 || !strings.Contains(r.stderr, "one.yaml:1:13:") || !strings.Contains(r.stderr, "two.yaml:1:3:") || !strings.HasPrefix(r.stdout, "# good.yaml\n- stage: 1\n") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

func TestNoCluster(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	for _, c := range []struct{ hosts, want string }{
		{closed, "connection refused"},
		{silentNode(t), "no answer"},
		{closed + "," + silentNode(t), closed},
	} {
		r := runBinary(t, "-h", c.hosts, "-w", "I", "--connect-timeout", "300")
		lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
		if r.code != 1 || len(lines) != 1 || !strings.Contains(lines[0], c.want) || !strings.Contains(lines[0], strings.Split(c.hosts, ",")[0]) {
			t.Errorf("%s: exit code %d\n%s", c.hosts, r.code, r.stderr)
		}
	}
}

func TestUnknownNamespaceIsNoticedBeforeAnyStage(t *testing.T) {
	tg := newTarget(t)
	r := tg.run(1, "-w", "I", "-k", "10", "-n", "nowhere")
	if !strings.Contains(r.stderr, `"nowhere"`) || !strings.Contains(r.stderr, "test") || strings.Contains(r.stdout, "Stage 1") {
		t.Errorf("printed\n%s%s", r.stdout, r.stderr)
	}
}

// A Community server refuses durable deletes, so here every transaction fails.
func TestAllTransactionsFailing(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "20")
	r := tg.run(1, "-w", "DB", "-k", "20", "-D")
	if !strings.Contains(r.stderr, "all 20 transactions failed") || !strings.Contains(r.stderr, "Failed transactions by result code:") {
		t.Errorf("printed\n%s", r.stderr)
	}
	if n := tg.count(); n != 20 {
		t.Errorf("%d records, want 20", n)
	}
}

// A run that can write nothing failed, though its reads were answered.
func TestAllWritesFailing(t *testing.T) {
	tg := newTarget(t)
	r := tg.run(1, "-w", "RUD,50,0", "-k", "20", "--transactions", "100", "-D")
	if !strings.Contains(r.stderr, "write transactions failed") {
		t.Errorf("printed\n%s", r.stderr)
	}
}

func TestServeRefusesAWrongAddress(t *testing.T) {
	if r := runBinary(t, "serve", "--listen", "nonsense"); r.code != 2 || !strings.Contains(r.stderr, "HOST:PORT") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
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
		cmd := exec.Command(binary, "-h", srv.Addr(), "-w", "RU,50", "-k", "1000", "-t", "6", "-g", tps)
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
	tg := newTarget(t)
	dir := filepath.Join(t.TempDir(), "hdr")
	cmd := exec.Command(binary, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "-w", "RU,50", "-k", "50", "-g", "500", "-t", "3600", "--hdr-hist", dir)
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

func TestServe(t *testing.T) {
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(pipe).ReadString('\n')
	m := regexp.MustCompile(`127\.0\.0\.1:(\d+)`).FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("%q, %v", line, err)
	}
	port, _ := strconv.Atoi(m[1])
	client, aerr := as.NewClient("127.0.0.1", port)
	if aerr != nil {
		t.Fatal(aerr)
	}
	key, _ := as.NewKey("bar", "s", "k")
	if err := client.PutBins(nil, key, as.NewBin("b", 5)); err != nil {
		t.Fatal(err)
	}
	client.Close()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		var exit *exec.ExitError
		t.Errorf("ended with %v %v", err, errors.As(err, &exit))
	}
}
