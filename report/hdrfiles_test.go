package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/aeroload/aeroload/stage"
)

func TestHDRFiles(t *testing.T) {
	plan := planOf(t, "- {workload: RU, desc: mixed}\n- {workload: 'RU,100', tps: 3}")
	dir := filepath.Join(t.TempDir(), "made", "for", "us")
	h, err := NewHDRFiles(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	first := measured([]int{100, 200}, []int{2_000_000}, 0)
	first.Response = measured(nil, nil, 1).Response
	second := measured([]int{300}, nil, 10)
	total := measured([]int{100, 200, 300}, []int{2_000_000}, 0)
	total.Response = second.Response
	for _, err := range []error{
		h.StageStart(plan.Stages[0], at),
		h.Period(&stage.Period{Stage: plan.Stages[0], End: at.Add(time.Second), Delta: first, InStage: first, Total: first}),
		h.StageEnd(&stage.StageResult{}),
		h.StageStart(plan.Stages[1], at.Add(10*time.Second)),
		h.Period(&stage.Period{Stage: plan.Stages[1], End: at.Add(11 * time.Second), Delta: second, InStage: second, Total: total}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	id := at.UTC().Format("2006-01-02T15:04:05Z")
	if _, err := os.Stat(filepath.Join(dir, "stage2_read_"+id+".hdrhist")); err == nil {
		t.Error("the files of stage 2 were written a second after its start")
	}
	if err := errors.Join(h.StageEnd(&stage.StageResult{}), h.Close()); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{ // counts
		"write": 1, "read": 3, "stage1_write": 1, "stage1_read": 2, "stage2_read": 1,
		"response_read": 1, "stage2_response_read": 1,
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2*len(want) {
		t.Errorf("%d files, want %d: %v", len(entries), 2*len(want), entries)
	}
	for name, n := range want {
		data, err := os.ReadFile(filepath.Join(dir, name+"_"+id+".hdrhist"))
		if err != nil {
			t.Error(err)
			continue
		}
		reader := hdr.NewHistogramLogReader(bytes.NewReader(data))
		got, err := reader.NextIntervalHistogram()
		if err != nil || got == nil || got.TotalCount() != n {
			t.Errorf("%s: %v, %v; want %d values", name, got, err, n)
		}
		start := at
		if strings.HasPrefix(name, "stage2") {
			start = at.Add(10 * time.Second)
		}
		if want := fmt.Sprintf("#[StartTime: %.3f (seconds since epoch)", float64(start.UnixMilli())/1000); !strings.Contains(string(data), want) {
			t.Errorf("%s: no %q in\n%s", name, want, data)
		}
		if table, err := os.ReadFile(filepath.Join(dir, name+"_"+id+".txt")); err != nil || !strings.Contains(string(table), fmt.Sprintf("Total count    = %12d]", n)) {
			t.Errorf("%s.txt: %v\n%s", name, err, table)
		}
	}
}

// Neither runs one after the other nor runs at a time overwrite each other's
// files, also in a folder whose name looks like a pattern.
func TestHDRFilesOfRunsInOneSecondStandSideBySide(t *testing.T) {
	plan := planOf(t, "- {workload: I}")
	dir := filepath.Join(t.TempDir(), "[a]")
	var open []*HDRFiles
	for i := range 4 {
		h, err := NewHDRFiles(dir, plan)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.StageStart(plan.Stages[0], at); err != nil {
			t.Fatal(err)
		}
		open = append(open, h)
		if i == 1 {
			continue // it ends after the others
		}
		finishHDR(t, h, plan)
	}
	finishHDR(t, open[1], plan)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	logs := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("left behind: %s", e.Name())
		}
		if strings.HasPrefix(e.Name(), "write_") && strings.HasSuffix(e.Name(), ".hdrhist") {
			logs++
		}
	}
	if logs != 4 {
		t.Errorf("four runs left %d logs: %v", logs, entries)
	}
}

// finishHDR ends a run after one write.
func finishHDR(t *testing.T, h *HDRFiles, plan *stage.Plan) {
	t.Helper()
	s := measured(nil, []int{1}, 0)
	err := errors.Join(
		h.Period(&stage.Period{Stage: plan.Stages[0], End: at, InStage: s, Total: s}),
		h.StageEnd(&stage.StageResult{}),
		h.Close())
	if err != nil {
		t.Fatal(err)
	}
}

// Files that cannot be written for a while do not end the run; only the last
// state counts.
func TestHDRFilesThatCannotBeWritten(t *testing.T) {
	plan := planOf(t, "- {workload: I}")
	dir := filepath.Join(t.TempDir(), "d")
	h, err := NewHDRFiles(dir, plan)
	if err != nil {
		t.Fatal(err)
	}
	s := measured(nil, []int{1}, 0)
	p := &stage.Period{Stage: plan.Stages[0], End: at.Add(time.Minute), InStage: s, Total: s}
	if err := h.StageStart(plan.Stages[0], at); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Period(p), h.StageEnd(&stage.StageResult{})); err != nil {
		t.Errorf("the run would end: %v", err)
	}
	if err := h.Close(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Close = %v", err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.StageEnd(&stage.StageResult{}), h.Close()); err != nil {
		t.Errorf("with the folder back: %v", err)
	}
}

func TestHDRFilesRefuseAFolderThatIsNone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewHDRFiles(file, planOf(t, "- {workload: I}")); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file in its place: %v", err)
	}
}
