package main

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/aeroload/aeroload/embedded"
	results "github.com/aeroload/aeroload/result"
)

// watched is a run whose standard error is read as it comes.
type watched struct {
	t   *testing.T
	cmd *exec.Cmd

	mu     sync.Mutex
	stderr strings.Builder
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stderr.Write(p)
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stderr.String()
}

func watch(t *testing.T, args ...string) *watched {
	t.Helper()
	w := &watched{t: t, cmd: exec.Command(binary, args...)}
	w.cmd.Dir = t.TempDir()
	w.cmd.Stderr = w
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	return w
}

var metricsAt = regexp.MustCompile(`(?m)^Metrics are at http://([^/]*)/metrics$`)

// address waits until the run says where its metrics are.
func (w *watched) address() string {
	w.t.Helper()
	await(w.t, "the address of the metrics", func() bool { return metricsAt.MatchString(w.text()) })
	return metricsAt.FindStringSubmatch(w.text())[1]
}

// scraped is what a scrape has returned.
type scraped map[string]*dto.MetricFamily

// scrape fetches the metrics; nil if they are not there.
func scrape(t *testing.T, address string) scraped {
	t.Helper()
	answer, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// metric returns the metric with these labels and no others, such as stage=1; nil if
// there is none.
func (s scraped) metric(name string, labels ...string) *dto.Metric {
	for _, m := range s[name].GetMetric() {
		var has []string
		for _, l := range m.Label {
			has = append(has, l.GetName()+"="+l.GetValue())
		}
		slices.Sort(labels)
		if slices.Sort(has); slices.Equal(has, labels) {
			return m
		}
	}
	return nil
}

// value is that of a counter or gauge, -1 if there is none.
func (s scraped) value(name string, labels ...string) float64 {
	m := s.metric(name, labels...)
	switch {
	case m.GetCounter() != nil:
		return m.GetCounter().GetValue()
	case m.GetGauge() != nil:
		return m.GetGauge().GetValue()
	}
	return -1
}

// The metrics grow while a run lasts, and those of its end are what its result says.
func TestMetricsOfARun(t *testing.T) {
	if os.Getenv("AEROLOAD_TEST_HOSTS") != "" {
		t.Skip("a real cluster has no faults on demand")
	}
	t.Parallel()
	busy, err := embedded.ParseFault("read code=device-overload p=0.1")
	if err != nil {
		t.Fatal(err)
	}
	srv := embedded.RunT(t, embedded.Config{Faults: []embedded.Fault{busy}})
	path := filepath.Join(t.TempDir(), "r.json")
	file := stageFile(t, `metrics-listen: 127.0.0.1:0
stages:
- {workload: I, key-end: 301, desc: load}
- {workload: 'RUD,70,20', key-end: 401, duration: 4, tps: 300, assert: [write.errors == 0, tps > 1M]}
`)
	w := watch(t, "-h", srv.Addr(), "-T", "60000", "--connect-timeout", "60000", "--max-retries", "0", "--workload-stages", file, "--result", path, "--metrics-linger", "60")
	address := w.address()
	if host, _, _ := net.SplitHostPort(address); host != "127.0.0.1" {
		t.Errorf("the metrics are at %s", address)
	}

	var seen []float64
	await(t, "two numbers of stage 2", func() bool {
		s := scrape(t, address)
		n := s.value("aeroload_completed_transactions_total", "stage=2")
		if n > 0 && (len(seen) == 0 || n > seen[len(seen)-1]) {
			seen = append(seen, n)
			if got := s.value("aeroload_target_transactions_per_second", "stage=2"); math.Abs(got-300) > 0.5 {
				t.Errorf("in the run the target is %g", got)
			}
			if s.value("aeroload_phase", "phase=running") != 1 || s.value("aeroload_current_stage") != 2 {
				t.Error("in the run the phase is another")
			}
			if n := s.value("aeroload_cluster_connections", "address="+srv.Addr()); n < 16 {
				t.Errorf("%g connections", n)
			}
		}
		return len(seen) >= 2
	})
	await(t, "the summary", func() bool { return strings.Contains(w.text(), "The metrics are served until they are fetched") })
	last := scrape(t, address)
	if code := exitCode(t, w.cmd); code != exitComparison { // of the assertion
		t.Errorf("exit code %d\n%s", code, w.text())
	}
	if strings.Contains(w.text(), "nobody has fetched") {
		t.Error("the last scrape was not noticed")
	}

	d := readResult(t, path)
	if d.Stages[1].Operations["read"].Errors == 0 {
		t.Fatal("no read failed")
	}
	for _, st := range d.Stages {
		compareStage(t, last, st)
	}
	if last.value("aeroload_assertion_ok", "stage=2", "assertion=write.errors == 0") != 1 || last.value("aeroload_assertion_ok", "stage=2", "assertion=tps > 1M") != 0 {
		t.Errorf("assertions: %v", last["aeroload_assertion_ok"])
	}
	if last.value("aeroload_phase", "phase=finished") != 1 || last.value("aeroload_cluster_nodes") != 1 {
		t.Error("at the end the phase, or the number of nodes, is another")
	}
	if got := last.value("aeroload_due_transactions_total", "stage=2"); got != 1200 {
		t.Errorf("%g transactions were due in 4 s at 300 tps", got)
	}
}

// compareStage compares the last scrape with a stage of the result.
func compareStage(t *testing.T, s scraped, st *results.Stage) {
	t.Helper()
	stage := fmt.Sprintf("stage=%d", st.Number)
	equal := func(name string, want float64, labels ...string) {
		t.Helper()
		if got := s.value(name, append(labels, stage)...); got != want {
			t.Errorf("%s{%s,%s} is %g, %g in the result", name, stage, strings.Join(labels, ","), got, want)
		}
	}
	completed := uint64(0)
	for op, o := range st.Operations {
		op := "op=" + op
		completed += o.Done + o.Timeouts + o.Errors
		equal("aeroload_transactions_total", float64(o.Done), op, "outcome=ok")
		equal("aeroload_transactions_total", float64(o.Timeouts), op, "outcome=timeout")
		equal("aeroload_transactions_total", float64(o.Errors), op, "outcome=error")
		equal("aeroload_records_total", float64(o.Hits), op, "outcome=hit")
		equal("aeroload_records_total", float64(o.Misses), op, "outcome=miss")
		for _, c := range o.Codes {
			name := "aeroload_failed_transactions_total"
			if c.Records {
				name = "aeroload_failed_records_total"
			}
			equal(name, float64(c.Count), op, "code="+c.Name)
		}
		compareLatency(t, s.metric("aeroload_service_time_seconds", stage, op), o.Service)
		if st.Throttled {
			compareLatency(t, s.metric("aeroload_response_time_seconds", stage, op), o.Response)
		} else if s.metric("aeroload_response_time_seconds", stage, op) != nil {
			t.Errorf("%s %s has response times", stage, op)
		}
	}
	equal("aeroload_completed_transactions_total", float64(completed))
	equal("aeroload_stage_elapsed_seconds", st.Seconds)
	// The last transaction may end before the stage's time is over.
	if got := s.value("aeroload_stage_progress_ratio", stage); got < 0.9 || got > 1 {
		t.Errorf("%s is done by %g", stage, got)
	}
	if st.Throttled {
		compareLatency(t, s.metric("aeroload_start_lateness_seconds", stage), st.Lateness)
	}
}

// compareLatency compares a histogram with that of the result: its count, its sum, and
// whether the percentiles lie in the buckets in which they must.
func compareLatency(t *testing.T, m *dto.Metric, want *results.Latency) {
	t.Helper()
	h := m.GetHistogram()
	if h.GetSampleCount() != uint64(want.Count) {
		t.Errorf("%d latencies, %d in the result", h.GetSampleCount(), want.Count)
		return
	}
	if want.Count == 0 {
		return
	}
	// The result's mean has whole µs, which were rounded down.
	if mean := h.GetSampleSum() * 1e6 / float64(want.Count); math.Abs(mean-want.Mean) > 1+0.001*want.Mean {
		t.Errorf("mean %g µs, %g in the result", mean, want.Mean)
	}
	for p, us := range map[float64]int64{50: want.P50, 90: want.P90, 99: want.P99, 100: want.Max} {
		rank := uint64(max(1, math.Floor(p/100*float64(want.Count)+0.5))) // as in HdrHistogram
		low := 0.0
		for _, b := range h.Bucket {
			high := b.GetUpperBound() * 1e6
			if b.GetCumulativeCount() >= rank {
				if v := float64(us); v < low*0.999-1 || v > high*1.001+1 {
					t.Errorf("p%g is %d µs in the result, and from %g to %g µs in the buckets", p, us, low, high)
				}
				break
			}
			low = high
		}
	}
}

// exitCode waits for the end of a process.
func exitCode(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	_ = cmd.Wait() // what is wrong shows in the exit code
	return cmd.ProcessState.ExitCode()
}

// A port that is taken is found out before anything is sent.
func TestMetricsPortIsBusy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	hosts, connections := idleListener(t)
	r := runBinary(t, "-h", hosts, "-w", "I", "--metrics-listen", l.Addr().String())
	if r.code != exitUsage || !strings.Contains(r.stderr, "metrics: listen tcp "+l.Addr().String()) || !strings.Contains(r.stderr, "address already in use") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections to the cluster", n)
	}
}

// Who asks for it is reachable from elsewhere; a flag overrides the stage file.
func TestMetricsOnAllAddresses(t *testing.T) {
	tg := newTarget(t)
	file := stageFile(t, "metrics-listen: 127.0.0.1:0\nstages: [{workload: 'RU,80', key-end: 11, duration: 1h, tps: 10}]\n")
	w := watch(t, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "--workload-stages", file, "--metrics-listen", "0.0.0.0:0")
	host, port, err := net.SplitHostPort(w.address())
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		t.Errorf("the metrics are at %s: %v", host, err)
	}
	if s := scrape(t, "127.0.0.2:"+port); s.value("aeroload_current_stage") < 0 {
		t.Error("no metrics at another address")
	}
}

// However a run ends, a peer that is connected and silent does not hold it up.
func TestMetricsEndWithTheRun(t *testing.T) {
	tg := newTarget(t)
	for _, signals := range [][]syscall.Signal{{syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGTERM}} {
		w := watch(t, "-h", tg.hosts, "-s", tg.set, "-T", "60000", "--connect-timeout", "60000", "-w", "RU,80", "-k", "10", "-t", "3600", "-g", "50", "--metrics-listen", ":0", "--metrics-linger", "3600")
		address := w.address()
		await(t, "the first second", func() bool { return scrape(t, address).value("aeroload_completed_transactions_total", "stage=1") > 0 })
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "GET /metrics HTTP/1.1\r\n"); err != nil {
			t.Fatal(err)
		}
		(&stoppable{cmd: w.cmd}).stop(t, signals...)
		c.Close()
		if code := w.cmd.ProcessState.ExitCode(); code != 128+int(signals[0]) {
			t.Errorf("%v: exit code %d\n%s", signals, code, w.text())
		}
		if scrape(t, address) != nil {
			t.Errorf("%v: the metrics are still there", signals)
		}
	}
	// One that cannot begin ends at once.
	if r := runBinary(t, "-h", "127.0.0.1:1", "--connect-timeout", "200", "-w", "I", "--metrics-listen", ":0", "--metrics-linger", "3600"); r.code != exitFailed {
		t.Errorf("without a cluster: exit code %d\n%s", r.code, r.stderr)
	}
}
