package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/internal/wholefile"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// hdrInterval is how often the histogram files are rewritten while a stage
// runs: what a kill -9 loses at most.
const hdrInterval = 5 * time.Second

// HDRFiles keeps HdrHistogram files in a folder up to date: for each operation
// the service times of the whole run, under the names that asbench gives them
// (write_<start>.hdrhist and .txt), and those of each stage (stage1_write_…).
// In runs with a target rate the response times of the stages that have one stand
// beside them (response_write_…). Files are replaced as a whole, so that a reader,
// or a killed run, never meets half a file. While they cannot be written, the run
// goes on; [HDRFiles.Close] tells if the last state is not in them.
type HDRFiles struct {
	dir     string
	ops     []workload.Op
	start   time.Time // of the run
	stage   time.Time // of the stage
	id      string    // the run's part of the file names
	written time.Time
	last    *stage.Period // not yet in the files
	err     error         // why not
}

// NewHDRFiles makes the folder if it is missing and checks that files can be
// written to it.
func NewHDRFiles(dir string, plan *stage.Plan) (*HDRFiles, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("folder of HDR histograms: %w", err)
	}
	if err := wholefile.CheckFolder(dir, dir); err != nil {
		return nil, fmt.Errorf("folder of HDR histograms: %w", err)
	}
	return &HDRFiles{dir: dir, ops: operations(plan)}, nil
}

// Pause does nothing.
func (h *HDRFiles) Pause(*stage.Stage, int) error { return nil }

// Warmup does nothing.
func (h *HDRFiles) Warmup(*stage.Stage) error { return nil }

// StageStart notes the times that the files state.
func (h *HDRFiles) StageStart(_ *stage.Stage, at time.Time) (err error) {
	h.stage, h.written = at, at
	if h.start.IsZero() {
		h.start = at
		h.id, err = h.reserveID()
	}
	return err
}

// reserveID returns the start time, with a number behind it if another run that
// started in the same second writes to the folder or has done so. A hidden file
// keeps the others off until there are files.
func (h *HDRFiles) reserveID() (string, error) {
	base := h.start.UTC().Format(timestamp)
	id := base
	for n := 2; ; n++ {
		mine, err := h.reserve(id)
		if err != nil {
			return "", fmt.Errorf("folder of HDR histograms: %w", err)
		}
		if mine {
			return id, nil
		}
		id = fmt.Sprintf("%s-%d", base, n)
	}
}

// reserve takes an id, unless another run has it or has left files under it.
func (h *HDRFiles) reserve(id string) (mine bool, err error) {
	f, err := wholefile.Create(h.reservation(id))
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// Looked at after the reservation, since a run removes its own only when
	// its files are there.
	entries, err := os.ReadDir(h.dir)
	used := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), "_"+id+".hdrhist") })
	if err = errors.Join(err, f.Close()); err != nil || used {
		return false, errors.Join(err, wholefile.Remove(f.Name()))
	}
	return true, nil
}

// Path returns the path of a further file of the run in the folder, such as
// result_<start>.json; "" as long as no stage has started.
func (h *HDRFiles) Path(name, extension string) string {
	if h.id == "" {
		return ""
	}
	return filepath.Join(h.dir, name+"_"+h.id+extension)
}

func (h *HDRFiles) reservation(id string) string { return filepath.Join(h.dir, ".run_"+id) }

// Period rewrites the files when the last time is long enough ago.
func (h *HDRFiles) Period(p *stage.Period) error {
	h.last = p
	if p.End.Sub(h.written) >= hdrInterval {
		h.err = h.flush()
	}
	return nil
}

// StageEnd rewrites the files.
func (h *HDRFiles) StageEnd(*stage.StageResult) error {
	h.err = h.flush()
	return nil
}

// Close ends the run. It returns an error if the files are not up to date.
func (h *HDRFiles) Close() error {
	if h.id != "" {
		// A folder that is gone shows in h.err already.
		_ = wholefile.Remove(h.reservation(h.id))
	}
	return h.err
}

func (h *HDRFiles) flush() error {
	p := h.last
	if p == nil {
		return h.err
	}
	h.written = p.End
	var files []wholefile.File
	stagePrefix := fmt.Sprintf("stage%d_", p.Stage.Number)
	for _, op := range h.ops {
		for _, f := range []struct {
			name  string
			data  *histogram.Snapshot
			start time.Time
		}{
			{op.String(), p.Total.Service[op], h.start},
			{stagePrefix + op.String(), p.InStage.Service[op], h.stage},
			{"response_" + op.String(), p.Total.Response[op], h.start},
			{stagePrefix + "response_" + op.String(), p.InStage.Response[op], h.stage},
		} {
			if f.data == nil || f.data.Count() == 0 {
				continue
			}
			files = append(files, h.files(f.name, f.data, f.start, p.End)...)
		}
	}
	if err := wholefile.Refresh(files...); err != nil {
		return fmt.Errorf("HDR histogram: %w", err)
	}
	h.last = nil
	return nil
}

// files returns what is written of a histogram.
func (h *HDRFiles) files(name string, s *histogram.Snapshot, start, end time.Time) []wholefile.File {
	path := filepath.Join(h.dir, name+"_"+h.id)
	return []wholefile.File{
		{Path: path + ".hdrhist", Write: func(w io.Writer) error { return histogram.WriteLog(w, s, start, end) }},
		{Path: path + ".txt", Write: func(w io.Writer) error { return histogram.WritePercentiles(w, s) }},
	}
}
