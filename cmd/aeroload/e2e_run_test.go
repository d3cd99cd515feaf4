package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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
		// Wall-clock time, not time since the boot: while these tests ran.
		if m := regexp.MustCompile(`#\[StartTime: (\d+)`).FindSubmatch(data); m == nil {
			t.Errorf("%s: no StartTime", file)
		} else if start, _ := strconv.ParseInt(string(m[1]), 10, 64); start < testsBegan.Unix() || start > time.Now().Unix() {
			t.Errorf("%s: StartTime %d is not from %d to now", file, start, testsBegan.Unix())
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
		{"needs a bin with a map", []string{"--workload-stages", write("counters.yaml", "- workload: CI,50\n")}},
		{"do not go together", []string{"--workload-stages", good, "-w", "I"}},
		{`"abc"`, []string{"-w", "I", "-k", "abc"}},
		{`"abc"`, []string{"-g", "abc"}},
		{"unknown workload", []string{"-w", "RX"}},
		{`did you mean "--workload"?`, []string{"--worklod", "I"}},
		{`"0"`, []string{"-w", "I", "-z", "0"}},
		{"expected a length", []string{"-w", "I", "-o", "S"}},
		{"output file", []string{"-w", "I", "--output-file", filepath.Join(dir, "none", "out")}},
		{"folder of HDR histograms", []string{"-w", "I", "--hdr-hist", good}},
		{"result file", []string{"-w", "I", "--result", filepath.Join(dir, "none", "r.json")}},
		{"is a folder", []string{"-w", "I", "--result", dir}},
		{"interval log", []string{"-w", "I", "--hdr-log", filepath.Join(dir, "none", "log")}},
		{"assert.yaml:1:32: assert: ", []string{"--workload-stages", write("assert.yaml", "- {workload: I, assert: [p99 < 2]}\n")}},
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
