package page

import (
	"fmt"
	"math"

	"github.com/aeroload/aeroload/result"
)

// distributionTicks is the number of points between two percentiles of which the
// second leaves half as much above it.
const distributionTicks = 5

// distribution is HdrHistogram's plot of an operation's latencies in a stage: how
// high they are at each percentile, the axis of which stretches the highest.
func distribution(runs []Run, number int, op string) (*chart, error) {
	c := &chart{
		title:  fmt.Sprintf("Distribution of %s latencies", op),
		xLabel: "percentile", xText: formatShare,
		yLabel: "latency (log scale)", yText: formatLatency,
	}
	most := 10.0
	for i, r := range runs {
		s := r.stage(number)
		if s == nil || s.Operations[op] == nil {
			continue
		}
		o := s.Operations[op]
		for j, kind := range []struct {
			name string
			l    *result.Latency
		}{{"response", o.Response}, {"service", o.Service}} {
			// Over each other, service times of stages that have response
			// times would hide what counts.
			if kind.l == nil || kind.l.Count == 0 || len(runs) > 1 && j == 1 && o.Response != nil {
				continue
			}
			piece, err := quantiles(kind.l)
			if err != nil {
				return nil, err
			}
			l := line{name: kind.name, color: j, dash: j, pieces: [][]point{piece}}
			if len(runs) > 1 {
				l.name, l.color, l.dash = r.label(i)+" "+kind.name, i, 0
			}
			c.lines = append(c.lines, l)
			most = math.Max(most, float64(kind.l.Count))
		}
	}
	if len(c.lines) == 0 {
		return nil, nil
	}
	low, high := extent(c.lines)
	c.x, c.y = scale{low: 1, high: most, log: true}, logScale(low, high)
	c.about = fmt.Sprintf("Latency of %s at each percentile of stage %d, from %s at the lowest to %s at the highest. The axis is 1/(1-percentile), on a log scale.",
		op, number, formatLatency(low), formatLatency(high))
	return c, nil
}

// quantiles returns the latency at each of a series of percentiles, as
// 1/(1-percentile). The last, the maximum, stands at the number of latencies.
func quantiles(l *result.Latency) ([]point, error) {
	s, err := l.Snapshot()
	if err != nil {
		return nil, err
	}
	var points []point
	count := float64(s.Count())
	for _, b := range s.HDR().CumulativeDistributionWithTicks(distributionTicks) {
		x := count
		if b.Quantile < 100 {
			x = math.Min(count, 1/(1-b.Quantile/100))
		}
		points = append(points, point{x, math.Max(1, float64(min(b.ValueAt, s.Max())))})
	}
	return points, nil
}
