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
	"bytes"
	_ "embed" // the template and the style sheet
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"

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
	// Name tells the run from the others, such as the name of its file. Without
	// one, runs are numbered.
	Name     string
	Document *result.Document // as [result.Read] returns it
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
// results that have no stage or a histogram that cannot be read. Nothing is written
// of a page that cannot be made.
func Write(w io.Writer, runs []Run) error {
	v, err := newView(named(runs))
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	if _, err := w.Write(bytes.Map(printable, b.Bytes())); err != nil {
		return fmt.Errorf("report page: %w", err)
	}
	return nil
}

// printable replaces characters that HTML does not allow, and those that turn the
// text after them around: both can be in the texts of a result.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
		return unicode.ReplacementChar
	}
	return r
}

// named gives each run a name of its own.
func named(runs []Run) []Run {
	list := make([]Run, len(runs))
	seen := map[string]int{}
	for i, r := range runs {
		r.Name = cut(strings.TrimSpace(r.Name), longest)
		if r.Name == "" {
			r.Name = fmt.Sprintf("run %d", i+1)
		}
		if seen[r.Name]++; seen[r.Name] > 1 {
			r.Name += fmt.Sprintf(" (%d)", seen[r.Name])
		}
		list[i] = r
	}
	return list
}

// view is what the template shows.
type view struct {
	Title    string
	Style    template.CSS
	Several  bool
	Runs     []about
	Glance   []glance
	Thinned  bool // some line has more points than are drawn
	Overview []group
	Stages   []stageView
	Differ   []difference
}

// group is figures that stand beside each other, if there is room.
type group struct{ Figures []figure }

func newView(runs []Run) (*view, error) {
	if len(runs) == 0 || len(runs) > MaxRuns {
		return nil, fmt.Errorf("a page shows 1 to %d runs, not %d", MaxRuns, len(runs))
	}
	line := newTimeline(runs)
	if len(line.order) == 0 {
		return nil, errors.New("there is no stage to report on")
	}
	v := &view{Style: template.CSS(pageCSS), Several: len(runs) > 1, Title: runs[0].Name}
	if v.Several {
		v.Title += fmt.Sprintf(" and %d more", len(runs)-1)
	}
	for i, r := range runs {
		about, err := newAbout(r, look{color: i, marked: v.Several})
		if err != nil {
			return nil, err
		}
		v.Runs = append(v.Runs, about)
	}
	v.overview(line)
	for _, number := range line.order {
		s, err := newStageView(line, number)
		if err != nil {
			return nil, err
		}
		v.Stages = append(v.Stages, s)
		v.Glance = append(v.Glance, s.glance...)
	}
	v.Differ = differences(runs)
	return v, nil
}

// overview makes the pictures of whole runs.
func (v *view) overview(line *timeline) {
	v.Overview = append(v.Overview, group{[]figure{line.throughput().full("throughput")}})
	for _, op := range operations(line.runs, 0) {
		charts := line.latencies(op)
		if g := side(charts, "latency-"+op); len(g.Figures) > 0 {
			v.Overview = append(v.Overview, g)
		}
	}
	for _, g := range v.Overview {
		for _, f := range g.Figures {
			v.Thinned = v.Thinned || f.Thinned
		}
	}
}

// side lays charts out beside each other, or one over the whole width.
func side(charts []*chart, id string) (g group) {
	for i, c := range charts {
		if len(charts) == 1 {
			return group{[]figure{c.full(id)}}
		}
		g.Figures = append(g.Figures, c.half(fmt.Sprintf("%s-%d", id, i+1)))
	}
	return g
}
