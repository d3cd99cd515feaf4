package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/aeroload/aeroload/stage"
)

// What a log held before is there until a stage starts, and gone then; its
// intervals are tagged, and add up by tag.
func TestHDRLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(strings.Repeat("old\n", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := planOf(t, "- {workload: RU, tps: 100, desc: 'a, b'}")
	l, err := NewHDRLog(path, plan)
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); !bytes.HasPrefix(data, []byte("old")) {
		t.Error("the old log was gone before the run began")
	}
	st := plan.Stages[0]
	if err := l.StageStart(st, at); err != nil {
		t.Fatal(err)
	}
	for i, writes := range [][]int{{40, 50, 60}, nil} {
		p := &stage.Period{Stage: st, End: at.Add(time.Duration(i+1) * time.Second), Elapsed: time.Second, Delta: measured([]int{100, 2000}, writes, 3)}
		if err := l.Period(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	counts := map[string]int64{}
	reader := hdr.NewHistogramLogReader(bytes.NewReader(data))
	for {
		h, err := reader.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		counts[h.Tag()] += h.TotalCount()
		lines = append(lines, h.Tag())
		if h.EndTimeMs()-h.StartTimeMs() != 1000 || h.StartTimeMs() != at.UnixMilli() && h.StartTimeMs() != at.UnixMilli()+1000 {
			t.Errorf("an interval from %d to %d ms; the run began at %d", h.StartTimeMs(), h.EndTimeMs(), at.UnixMilli())
		}
	}
	if got, want := strings.Join(lines, " "), "write response_write read response_read read response_read"; got != want {
		t.Errorf("intervals %s, want %s", got, want)
	}
	if counts["read"] != 4 || counts["response_read"] != 4 || counts["write"] != 3 || counts["response_write"] != 3 {
		t.Errorf("counts %v", counts)
	}
	if bytes.Contains(data, []byte("old")) || !bytes.Contains(data, []byte("#[Stage 1: a, b]\n")) {
		t.Errorf("the log is\n%.400s", data)
	}
}
