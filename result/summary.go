package result

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteSummary prints what a result came to: a row for each stage and operation,
// then how many transactions failed with which result code, the assertions, and
// the notes. Errors are those of w.
func (d *Document) WriteSummary(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Summary of %d machine(s), %s to %s (latencies in µs)\n", len(d.Machines),
		d.Start.UTC().Format(time.RFC3339), d.End.UTC().Format(time.RFC3339))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\top\tlatency\tcount\ttps\trecords/s\tmisses\ttimeouts\terrors\tmin\tmean\tp50\tp90\tp99\tp99.9\tmax\t")
	for _, s := range d.Stages {
		for _, name := range s.OperationNames() {
			o := s.Operations[name]
			if o.Response != nil {
				writeRow(t, s, name, "response", o.Response)
			}
			writeRow(t, s, name, "service", o.Service)
		}
	}
	t.Flush()
	for _, s := range d.Stages {
		for _, name := range s.OperationNames() {
			for _, c := range s.Operations[name].Codes {
				unit := "transactions"
				if c.Records {
					unit = "records of batches"
				}
				fmt.Fprintf(&b, "Stage %d: %d %s %s failed with %d %s\n", s.Number, c.Count, name, unit, c.Code, c.Name)
			}
		}
		for _, a := range s.Assertions {
			verdict := "ok    "
			if !a.OK {
				verdict = "FAILED"
			}
			fmt.Fprintf(&b, "Stage %d: assertion %s  %s\n", s.Number, verdict, a)
		}
	}
	for _, n := range d.Notes {
		where := ""
		if n.Stage > 0 {
			where = fmt.Sprintf("stage %d: ", n.Stage)
		}
		fmt.Fprintf(&b, "Note: %s%s\n", where, n.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRow(w io.Writer, s *Stage, name, kind string, l *Latency) {
	o := s.Operations[name]
	fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%.1f\t%.1f\t%d\t%d\t%d\t%d\t%.0f\t%d\t%d\t%d\t%d\t%d\t\n", s.Number, name, kind,
		o.Workload().Attempted(), o.TPS, o.RecordsPerSecond, o.Misses, o.Timeouts, o.Errors,
		l.Min, l.Mean, l.P50, l.P90, l.P99, l.P999, l.Max)
}
