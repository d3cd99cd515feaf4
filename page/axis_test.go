package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		why  string
		s    scale
		n    int
		text func(float64) string
		want string
	}{
		{"rates, to a round number above the highest", linearScale(3_901), 6, formatRate, "0 1k 2k 3k 4k"},
		{"a rate that is a round number itself", linearScale(5_000), 6, formatRate, "0 1k 2k 3k 4k 5k"},
		{"no rate at all", linearScale(0), 6, formatRate, "0 0.2 0.4 0.6 0.8 1"},
		{"fractions of transactions", linearScale(0.3), 6, formatRate, "0 0.05 0.1 0.15 0.2 0.25 0.3"},
		{"a short time", timeScale(0.4), 4, formatSeconds, "0s 0.1s 0.2s 0.3s 0.4s"},
		{"half a minute has steps of 5 s, not 3", timeScale(31.9), 10, formatSeconds, "0s 5s 10s 15s 20s 25s 30s"},
		{"steps of clocks", timeScale(300), 6, formatSeconds, "0s 1m 2m 3m 4m 5m"},
		{"half hours", timeScale(2*3600 + 10), 5, formatSeconds, "0s 30m 1h 1h30m 2h"},
		{"a day", timeScale(24 * 3600), 4, formatSeconds, "0s 6h 12h 18h 1d"},
		{"a week", timeScale(7 * 24 * 3600), 4, formatSeconds, "0s 2d 4d 6d"},
		{"a narrow range of latencies has more than powers of ten", logScale(90, 600), 6, formatLatency, "50µs 100µs 200µs 500µs 1ms"},
		{"a wide one has these alone", logScale(12, 900_000), 6, formatLatency, "10µs 100µs 1ms 10ms 100ms 1s"},
		{"the widest not even all", logScale(1, 3.6e9), 5, formatLatency, "1µs 100µs 10ms 1s 100s"},
		{"one latency", logScale(7, 7), 6, formatLatency, "5µs 10µs"},
		{"none", logScale(0, 0), 6, formatLatency, "1µs 2µs 5µs 10µs"},
	} {
		var got []string
		for _, v := range c.s.ticks(c.n) {
			got = append(got, c.text(v))
			if at := c.s.at(v); at < -1e-9 || at > 1+1e-9 {
				t.Errorf("%s: %s is at %v of the axis", c.why, c.text(v), at)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.why, s, c.want)
		}
	}
}

func TestPercentileTicks(t *testing.T) {
	for _, c := range []struct {
		high float64
		n    int
		want string
	}{
		{100, 6, "0% 50% 90% 99%"},
		{50_000, 12, "0% 50% 90% 99% 99.9% 99.99%"},
		{50_000, 6, "0% 90% 99% 99.9% 99.99%"},
		{1e9, 6, "0% 90% 99.9% 99.999% 99.99999% 99.9999999%"},
	} {
		var got []string
		for _, v := range percentileTicks(c.high, c.n) {
			got = append(got, formatShare(v))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("up to %v: %s, want %s", c.high, s, c.want)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{formatRate(999.5), "999.5"}, {formatRate(12_345), "12.35k"}, {formatRate(2e6), "2M"}, {formatRate(math.MaxFloat64), "1.8e+299G"},
		{formatNumber(0.25), "0.2"}, {formatNumber(99.96), "100.0"}, {formatNumber(1_234_567.8), "1\u202f234\u202f568"}, {formatNumber(1e300), "1e+300"},
		{formatCount(0), "0"}, {formatCount(999), "999"}, {formatCount(1000), "1\u202f000"}, {formatCount(math.MaxUint64), "18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615"},
		{formatSeconds(0.25), "0.25s"}, {formatSeconds(31.93), "31.9s"}, {formatSeconds(59.97), "1m"}, {formatSeconds(90), "1m30s"}, {formatSeconds(93_784.4), "1d2h3m4s"},
		{formatLatency(0), "0µs"}, {formatLatency(2.345), "2.35µs"}, {formatLatency(999.6), "1ms"}, {formatLatency(283_647), "284ms"}, {formatLatency(3.6e9), "3600s"},
		{formatShare(1), "0%"}, {formatShare(2), "50%"}, {formatShare(10_000), "99.99%"},
		{formatBytes(1 << 20), "1 MiB"}, {formatBytes(3 << 29), "1.5 GiB"}, {formatBytes(math.MaxUint64), "17179869184 GiB"},
		{cut("añb", 3), "añb"}, {cut("añbc", 3), "añ…"}, {cut("", 3), ""},
		{fit("steady", 100), "steady"}, {fit("steady", 35), "stea…"}, {fit("steady", 15), ""},
		{px(12.34), "12.3"}, {px(-0.04), "0"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Of each column of pixels the lowest and the highest point stay, in order.
func TestThin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var points []point
	low, high := map[int]float64{}, map[int]float64{}
	for i := range 5000 {
		p := point{float64(i) / 20, rng.Float64() * 100}
		points = append(points, p)
		at := int(p.x / column)
		if v, ok := low[at]; !ok || p.y < v {
			low[at] = p.y
		}
		high[at] = math.Max(high[at], p.y)
	}
	kept, thinned := thin(points)
	if columns := 250 / column; !thinned || len(kept) > 2*columns+2 {
		t.Errorf("%d points of %d columns", len(kept), columns)
	}
	if kept[0] != points[0] || kept[len(kept)-1] != points[len(points)-1] {
		t.Error("the line begins or ends elsewhere")
	}
	if !slices.IsSortedFunc(kept, func(a, b point) int { return int(math.Copysign(1, a.x-b.x)) }) {
		t.Error("points are out of order")
	}
	for _, p := range kept {
		at := int(p.x / column)
		if p.y == low[at] {
			delete(low, at)
		}
		if p.y == high[at] {
			delete(high, at)
		}
	}
	if len(low)+len(high) > 0 {
		t.Errorf("%d lowest and %d highest points are lost", len(low), len(high))
	}
	for _, few := range [][]point{nil, {{1, 1}}, {{1, 1}, {1.5, 2}}, {{1, 1}, {9, 1}, {17, 1}}} {
		if kept, thinned := thin(few); thinned || len(kept) != len(few) {
			t.Errorf("%v becomes %v", few, kept)
		}
	}
}

// A path of differences ends where the line does: errors of rounding do not add up.
func TestTraceDoesNotDrift(t *testing.T) {
	var line []point
	for i := range 3000 {
		line = append(line, point{64 + float64(i)*0.2949, 100 + 50*math.Sin(float64(i)/7)})
	}
	d := trace([][]point{line})
	if !outline.MatchString(d) {
		t.Fatalf("%.200q", d)
	}
	for i, p := range points(t, d) {
		if math.Abs(p.x-line[i].x) > 0.051 || math.Abs(p.y-line[i].y) > 0.051 {
			t.Fatalf("point %d is %v, want %v", i, p, line[i])
		}
	}
	if d := trace([][]point{{{1, 2}}, {{3, 4}, {4, 3.96}}}); d != "M1 2h3M3 4l1 0" {
		t.Errorf("pieces: %s", d)
	}
}

// The rate that was asked for is the mean over each period, of all machines, and
// begins with the warm-up.
func TestTarget(t *testing.T) {
	two := twoStages(t)
	for _, c := range []struct {
		why      string
		keys     map[string]any
		machines int
		start    float64
		want     string
	}{
		{"constant", map[string]any{"tps": 4000.0}, 1, 3, "4000"},
		{"as a text", map[string]any{"tps": "4k"}, 1, 3, "4000"},
		{"of two machines", map[string]any{"tps": 4000.0}, 2, 3, "8000"},
		{"a ramp of 1000 a second has 3500 in the middle of second 4", map[string]any{"tps": map[string]any{"from": 0.0, "to": 8000.0, "over": "8s"}}, 1, 3, "3500"},
		{"and 5500 after a warm-up of 2 s", map[string]any{"tps": map[string]any{"from": 0.0, "to": 8000.0, "over": "8s"}, "warmup": 2.0}, 1, 3, "5500"},
		{"a number that JSON writes with an exponent", map[string]any{"tps": 2e7}, 1, 0, "20000000"},
		{"none", map[string]any{"tps": 0.0}, 1, 0, "none"},
		{"nothing said", map[string]any{}, 1, 0, "none"},
		{"a search", map[string]any{"tps": 50.0, "find-max": map[string]any{"p99": "2ms"}}, 1, 0, "none"},
		{"what is no rate", map[string]any{"tps": "fast"}, 1, 0, "none"},
		{"what would end the text", map[string]any{"tps": "1\n- workload: I"}, 1, 0, "none"},
	} {
		d := clone(t, two)
		d.Config.Stages[0] = c.keys
		for len(d.Machines) < c.machines {
			d.Machines = append(d.Machines, d.Machines[0])
		}
		p := d.Stages[1].Periods[0]
		p.Start = c.start
		got := "none"
		if target := newTarget(d, 1); target != nil {
			v, _ := target.rate(p)
			got = fmt.Sprintf("%.6g", v)
			if v >= 1e6 {
				got = fmt.Sprintf("%.0f", v)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}
