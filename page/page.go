// Package page makes one HTML page of the results of runs: rates and latencies
// over time, distributions, assertions and configuration, several runs over each
// other.
//
// The page holds all that it shows: no script, no font and nothing from the
// network. Its pictures are SVG that html/template writes, because they take
// their colors from the page's style sheet, which knows about dark screens and
// paper, and because the template escapes whatever text a result holds.
package page

import (
	_ "embed" // the template and the style sheet
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/aeroload/aeroload/result"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// MaxRuns is the number of runs that a page can show: that of its colors.
const MaxRuns = colors

// Run is a result to show.
type Run struct {
	// Name tells the run from the others, such as the name of its file.
	Name     string
	Document *result.Document // as [result.Read] returns it
}

// label is what the run is called beside a line.
func (r Run) label(i int) string {
	if r.Name == "" {
		return fmt.Sprintf("run %d", i+1)
	}
	return r.Name
}

// stage returns the stage of a number, nil if the run has none.
func (r Run) stage(number int) *result.Stage {
	for _, s := range r.Document.Stages {
		if s.Number == number {
			return s
		}
	}
	return nil
}

// Write writes the page of one to [MaxRuns] runs. Errors are those of w, and of
// results without a stage.
func Write(w io.Writer, runs []Run) error {
	v, err := newView(runs)
	if err != nil {
		return err
	}
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	if err := t.Execute(w, v); err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	return nil
}

func newView(runs []Run) (*view, error) {
	if len(runs) == 0 || len(runs) > MaxRuns {
		return nil, fmt.Errorf("a report shows 1 to %d runs, not %d", MaxRuns, len(runs))
	}
	line := newTimeline(runs)
	if len(line.order) == 0 {
		return nil, errors.New("there is no stage to report on")
	}
	v := &view{Style: template.CSS(pageCSS), Several: len(runs) > 1}
	for i, r := range runs {
		about, err := newAbout(r, i)
		if err != nil {
			return nil, err
		}
		v.Runs = append(v.Runs, about)
		v.Failed += about.Failed
	}
	v.Title = "aeroload: " + v.Runs[0].Name
	if v.Several {
		v.Title += fmt.Sprintf(" and %d more", len(runs)-1)
	}
	v.Overview = append(v.Overview, line.throughput(runs).figure("throughput"))
	for _, op := range operations(runs) {
		v.Overview = append(v.Overview, line.latency(runs, op).figure("latency-"+op))
	}
	for _, number := range line.order {
		s, err := newStageView(runs, number, line.descs[number])
		if err != nil {
			return nil, err
		}
		v.Stages = append(v.Stages, s)
	}
	return v, nil
}
