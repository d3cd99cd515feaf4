package metrics

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

func serve(t *testing.T, e *Exporter) *Server {
	t.Helper()
	s, err := Listen("127.0.0.1:0", e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// request does a request and returns the answer with its body.
func request(t *testing.T, method, url, accept string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestOnlyMetricsAreServed(t *testing.T) {
	s := serve(t, sample(t))
	base := strings.TrimSuffix(s.URL(), Path)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/metrics", 200}, {"HEAD", "/metrics", 200}, {"GET", "/metrics?name[]=up", 200},
		{"POST", "/metrics", 405}, {"DELETE", "/metrics", 405},
		{"GET", "/", 404}, {"GET", "/metrics/", 404}, {"GET", "/debug/pprof/", 404},
	} {
		answer, body := request(t, c.method, base+c.path, "")
		if answer.StatusCode != c.status {
			t.Errorf("%s %s: %s", c.method, c.path, answer.Status)
		}
		if strings.Contains(body, "aeroload_") != (c.status == 200 && c.method == "GET" && !strings.Contains(c.path, "?")) {
			t.Errorf("%s %s: %.200q", c.method, c.path, body)
		}
	}
}

// Those who can read protocol buffers get native histograms, and classic buckets with
// them; text has the latter, and both kinds of text are complete.
func TestFormats(t *testing.T) {
	s := serve(t, sample(t))
	answer, body := request(t, "GET", s.URL(), "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
	found := false
	decoder := expfmt.NewDecoder(strings.NewReader(body), expfmt.ResponseFormat(answer.Header))
	for {
		var family dto.MetricFamily
		if err := decoder.Decode(&family); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if family.GetName() == "aeroload_service_time_seconds" {
			found = true
			for _, m := range family.Metric {
				h := m.Histogram
				if h.GetZeroThreshold() <= 0 || h.Schema == nil || (len(h.PositiveSpan) == 0) != (h.GetSampleCount() == 0) {
					t.Errorf("no native histogram: %.200v", h)
				}
				if len(h.Bucket) == 0 {
					t.Errorf("no classic buckets: %.200v", h)
				}
			}
		}
	}
	if !found {
		t.Error("no service times")
	}
	_, body = request(t, "GET", s.URL(), "text/plain")
	if !strings.Contains(body, `aeroload_service_time_seconds_bucket{op="write",stage="1",le="0.0001"} 1`+"\n") {
		t.Errorf("no bucket in\n%s", body)
	}
	_, body = request(t, "GET", s.URL(), "application/openmetrics-text;version=1.0.0")
	if !strings.HasSuffix(body, "# EOF\n") || !strings.Contains(body, "process_cpu_seconds_total ") || !strings.Contains(body, "go_goroutines ") {
		t.Errorf("OpenMetrics text ends with %q", body[max(0, len(body)-100):])
	}
}

func TestABusyPort(t *testing.T) {
	s := serve(t, sample(t))
	if _, err := Listen(s.listener.Addr().String(), sample(t)); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a busy port: %v", err)
	}
}

// Peers that connect and say nothing, or that do not read their answers, do not hold up
// the end, after which the port is free.
func TestCloseWaitsForNobody(t *testing.T) {
	s, err := Listen("127.0.0.1:0", sample(t))
	if err != nil {
		t.Fatal(err)
	}
	address := s.listener.Addr().String()
	for _, say := range []string{"", "GET /metrics HTTP/1.1\r\nHost: x\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, say); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- errors.Join(s.Close(), s.Close()) }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("waits")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	l.Close()
}

// A run's end is fetched by whoever comes after it, not by who was there before.
func TestLinger(t *testing.T) {
	e := sample(t)
	s := serve(t, e)
	request(t, "GET", s.URL(), "")
	e.Finished()
	request(t, "HEAD", s.URL(), "")
	if s.Linger(t.Context(), 0) {
		t.Error("nobody has fetched the end")
	}
	done := make(chan bool, 1)
	go func() { done <- s.Linger(context.Background(), time.Hour) }()
	_, body := request(t, "GET", s.URL(), "")
	if !<-done || !strings.Contains(body, `aeroload_phase{phase="finished"} 1`) {
		t.Error("the end was not fetched")
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if s.Linger(stopped, time.Hour) {
		t.Error("lingers after it was stopped")
	}
}

// A request that is no HTTP gets an answer and leaves no trace.
func TestGarbage(t *testing.T) {
	s := serve(t, sample(t))
	c, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "\x16\x03\x01\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "400") {
		t.Errorf("%q, %v", line, err)
	}
}
