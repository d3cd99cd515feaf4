package page

import (
	"fmt"
	"math"

	"github.com/aeroload/aeroload/result"
)

// distributionTicks is the number of points between two percentiles of which the
// second leaves half as much above it.
const distributionTicks = 5

// kind is one of the two latencies of an operation.
type kind struct {
	name, title string
	of          func(*result.Operation) *result.Latency
	ofPeriod    func(*result.PeriodOperation) *result.Latency
}

func kinds() []kind {
	return []kind{
		{"response", "Response time", func(o *result.Operation) *result.Latency { return o.Response }, func(o *result.PeriodOperation) *result.Latency { return o.Response }},
		{"service", "Service time", func(o *result.Operation) *result.Latency { return o.Service }, func(o *result.PeriodOperation) *result.Latency { return o.Service }},
	}
}

// distributions are HdrHistogram's plots of an operation's latencies in a stage:
// how high they are at each percentile, the axis of which stretches the highest.
// Both latencies of one run are in one plot. Several runs have one for each.
func distributions(runs []Run, number int, op string) ([]*chart, error) {
	var lines [2][]line
	most := 10.0
	for i, r := range runs {
		s := r.stage(number)
		if s == nil || s.Operations[op] == nil {
			continue
		}
		for j, k := range kinds() {
			l := k.of(s.Operations[op])
			if l == nil || l.Count == 0 {
				continue
			}
			piece, err := quantiles(l)
			if err != nil {
				return nil, fmt.Errorf("%s: %s of %s: %w", r.Name, k.name, op, err)
			}
			drawn := line{name: k.name, look: look{color: j, dash: j}, pieces: [][]point{piece}}
			if len(runs) > 1 {
				drawn.name, drawn.look = r.Name, look{color: i, marked: true}
			}
			lines[j] = append(lines[j], drawn)
			most = math.Max(most, float64(l.Count))
		}
	}
	low, high := extent(append(append([]line{}, lines[0]...), lines[1]...))
	y := logScale(low, high)
	if len(runs) == 1 {
		return newDistribution("Latency of "+op+" by percentile", append(lines[0], lines[1]...), y, most), nil
	}
	var charts []*chart
	for j, k := range kinds() {
		charts = append(charts, newDistribution(k.title+" of "+op+" by percentile", lines[j], y, most)...)
	}
	return charts, nil
}

// newDistribution returns the plot of some lines, none if there are none.
func newDistribution(title string, lines []line, y scale, most float64) []*chart {
	if len(lines) == 0 {
		return nil
	}
	low, high := extent(lines)
	return []*chart{{
		title: title,
		about: fmt.Sprintf("%s, from %s at the lowest to %s at the highest. The axis is 1/(1-percentile), on a log scale.", title, formatLatency(low), formatLatency(high)),
		x:     scale{low: 1, high: most, log: true}, xLabel: "percentile", xText: formatShare,
		xTicks: func(n int) []float64 { return percentileTicks(most, n+2) },
		y:      y, yLabel: "latency (log scale)", yText: formatLatency,
		lines: lines,
	}}
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
