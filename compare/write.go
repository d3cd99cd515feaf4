package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/aeroload/aeroload/condition"
)

// Formats are the kinds of output that [Table.Write] knows.
func Formats() []string { return []string{"text", "markdown", "json"} }

// Write prints the table in one of the [Formats]. Errors are those of w.
func (t *Table) Write(w io.Writer, format string) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(t)
	}
	var b strings.Builder
	if format == "markdown" {
		t.writeMarkdown(&b)
	} else {
		t.writeText(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func columns() []string {
	return []string{"stage", "op", "metric", "base", "new", "change", "verdict"}
}

func (t *Table) writeText(b *strings.Builder) {
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "%s\t\n", strings.Join(columns(), "\t"))
	for _, r := range t.Rows {
		fmt.Fprintf(tw, "%s\t\n", strings.Join(r.cells(), "\t"))
	}
	tw.Flush()
	fmt.Fprintf(b, "%s\n", t.legend())
	for _, text := range t.Warnings {
		fmt.Fprintf(b, "Warning: %s\n", text)
	}
	for _, f := range t.Fired {
		fmt.Fprintf(b, "FAILED: %s\n", f.Text)
	}
}

func (t *Table) writeMarkdown(b *strings.Builder) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(columns(), " | "), "--:|:--|:--|--:|--:|--:|:--|")
	for _, r := range t.Rows {
		cells := r.cells()
		if r.Verdict == Better || r.Verdict == Worse {
			cells[len(cells)-1] = "**" + cells[len(cells)-1] + "**"
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintf(b, "\n%s\n", t.legend())
	for _, text := range t.Warnings {
		fmt.Fprintf(b, "\n**Warning:** %s\n", escapeMarkdown(text))
	}
	for _, f := range t.Fired {
		fmt.Fprintf(b, "\n**Failed:** `%s`\n", f.Text)
	}
}

// escapeMarkdown makes text, which may hold an object spec or a description, mean
// itself.
func escapeMarkdown(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "&", "&amp;", "[", `\[`, "|", `\|`).Replace(text)
}

// cells are the texts of a row.
func (r Row) cells() []string {
	value := func(v float64) string {
		if r.metric.latency {
			return condition.FormatLatency(v)
		}
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	}
	change := "0"
	switch {
	case r.Change != nil:
		change = fmt.Sprintf("%+.1f%%", *r.Change*100)
	case r.New != 0:
		change = "+" + value(r.New)
	}
	verdict := "~ noise"
	switch {
	case r.Verdict == Unknown:
		verdict = "? too short"
	case r.Verdict != Same:
		verdict = fmt.Sprintf("%s (p=%.3f)", r.Verdict, *r.P)
		if *r.P < 0.0005 {
			verdict = fmt.Sprintf("%s (p<0.001)", r.Verdict)
		}
	case r.Base == r.New:
		verdict = "~"
	}
	return []string{strconv.Itoa(r.Stage), r.Op, r.Metric, value(r.Base), value(r.New), change, verdict}
}

// legend says what the verdicts rest on.
func (t *Table) legend() string {
	basis := fmt.Sprintf("%d and %d runs", t.BaseRuns, t.NewRuns)
	if t.Test == "periods" {
		basis = fmt.Sprintf("one run a side, judged by its periods; changes up to %g%% count as noise", t.Margin*100)
	}
	return fmt.Sprintf("%s; the chance of any false better or worse in this table is %g%%.", basis, t.Alpha*100)
}
