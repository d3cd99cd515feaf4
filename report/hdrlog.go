package report

import (
	"fmt"
	"os"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// HDRLog writes a histogram log with an interval for each period and operation:
// service times under the operation's name as tag (read), response times of stages
// that have a target rate under response_ and that name. A file that is there
// keeps its text until the first stage starts.
type HDRLog struct {
	file *os.File
	ops  []workload.Op
	// begun is true once the file holds this run's text.
	begun bool
}

// NewHDRLog opens the file of a run of plan.
func NewHDRLog(path string, plan *stage.Plan) (*HDRLog, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("interval log: %w", err)
	}
	return &HDRLog{file: f, ops: operations(plan)}, nil
}

// Pause does nothing.
func (l *HDRLog) Pause(*stage.Stage, int) error { return nil }

// Warmup does nothing.
func (l *HDRLog) Warmup(*stage.Stage) error { return nil }

// StageStart begins the log with the first stage, and announces each stage by a
// comment.
func (l *HDRLog) StageStart(s *stage.Stage, at time.Time) error {
	if !l.begun {
		l.begun = true
		if info, err := l.file.Stat(); err == nil && info.Mode().IsRegular() {
			if err := l.file.Truncate(0); err != nil {
				return fmt.Errorf("interval log: %w", err)
			}
		}
		if err := histogram.WriteIntervalHeader(l.file, at); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(l.file, "#[%s]\n", stageLine(s)[:len(stageLine(s))-1])
	return err
}

// Period writes the period's intervals.
func (l *HDRLog) Period(p *stage.Period) error {
	start := p.End.Add(-p.Elapsed)
	for _, op := range l.ops {
		for _, i := range []struct {
			tag  string
			data *histogram.Snapshot
		}{{op.String(), p.Delta.Service[op]}, {"response_" + op.String(), p.Delta.Response[op]}} {
			if i.data == nil || i.data.Count() == 0 {
				continue
			}
			if err := histogram.WriteInterval(l.file, i.tag, i.data, start, p.Elapsed); err != nil {
				return err
			}
		}
	}
	return nil
}

// StageEnd does nothing.
func (l *HDRLog) StageEnd(*stage.StageResult) error { return nil }

// Close closes the file.
func (l *HDRLog) Close() error { return l.file.Close() }
