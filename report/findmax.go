package report

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/internal/steady"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// Probe says on the log what came of a rate that was tried.
func (l *Lines) Probe(s *stage.Stage, p stage.Probe) error {
	_, err := fmt.Fprintf(l.log, "%s INFO Stage %d: asked %s tps, achieved %s, p99 %s, error rate %s: %s, %s\n", steady.Now().Format(logTime), s.Number,
		rate(p.Rate), rate(p.Achieved), condition.FormatLatency(float64(p.P99)), percent(p.ErrorRate), p.Verdict(), p.Why())
	return err
}

// writeFound says which rate a stage has found, and by which probes.
func writeFound(b *strings.Builder, s *stage.StageResult) {
	switch {
	case s.MaxRate == 0:
		b.WriteString("no rate was found at which the limits hold.\n")
	case !s.Settled:
		fmt.Fprintf(b, "the limits hold at %s tps; how much more there is was not found out in time.\n", rate(s.MaxRate))
	case s.MaxRate >= s.Stage.FindMax.To:
		fmt.Fprintf(b, "the limits hold at %s tps, the highest rate that was to be tried.\n", rate(s.MaxRate))
	default:
		fmt.Fprintf(b, "the limits hold up to %s tps.\n", rate(s.MaxRate))
	}
	if len(s.Probes) == 0 {
		return
	}
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  asked\tachieved\tp99\terror rate\tverdict\twhy")
	for _, p := range s.Probes {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", rate(p.Rate), rate(p.Achieved), condition.FormatLatency(float64(p.P99)), percent(p.ErrorRate), p.Verdict(), p.Why())
	}
	t.Flush()
}

// rate writes transactions per second for people: whole ones, or tenths of few.
func rate(tps float64) string {
	if tps < 100 {
		tps = math.Round(tps*10) / 10
	} else {
		tps = math.Round(tps)
	}
	return workload.FormatRate(tps)
}

// percent writes a share from 0 to 1, to three digits.
func percent(share float64) string { return fmt.Sprintf("%.3g%%", 100*share) }
