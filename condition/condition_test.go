package condition

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/workload"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Kind
		want Condition
	}{
		{"p99 < 2ms", Assertion, Condition{Metric: Percentile, Percent: 99, Comparator: Less, Value: 2000}},
		{"read.p99.9 <= 10ms", Assertion, Condition{Op: "read", Metric: Percentile, Percent: 99.9, Comparator: LessEqual, Value: 10_000}},
		{"p99.99<1s", Assertion, Condition{Metric: Percentile, Percent: 99.99, Comparator: Less, Value: 1e6}},
		{"  errors==0 ", Assertion, Condition{Metric: Errors, Comparator: Equal}},
		{"tps >= 9900", Assertion, Condition{Metric: TPS, Comparator: GreaterEqual, Value: 9900}},
		{"tps >= 9.9k", Assertion, Condition{Metric: TPS, Comparator: GreaterEqual, Value: 9900}},
		{"count > 1_000_000", Assertion, Condition{Metric: Count, Comparator: Greater, Value: 1e6}},
		{"miss-rate < 1%", Assertion, Condition{Metric: MissRate, Comparator: Less, Value: 0.01}},
		{"write.service.max < 1m", Assertion, Condition{Op: "write", Latency: "service", Metric: Max, Comparator: Less, Value: 60e6}},
		{"response.total.mean != 500us", Assertion, Condition{Op: "total", Latency: "response", Metric: Mean, Comparator: NotEqual, Value: 500}},
		{"min > 0", Assertion, Condition{Metric: Min, Comparator: Greater}},
		{"p99 > +10%", Comparison, Condition{Metric: Percentile, Percent: 99, Comparator: Greater, Value: 10, Change: ChangePercent}},
		{"tps < -5%", Comparison, Condition{Metric: TPS, Comparator: Less, Value: -5, Change: ChangePercent}},
		{"read.p99.9 > +1ms", Comparison, Condition{Op: "read", Metric: Percentile, Percent: 99.9, Comparator: Greater, Value: 1000, Change: ChangeAbsolute}},
		{"stage2.write.p50 > +1 ms", Comparison, Condition{Stage: 2, Op: "write", Metric: Percentile, Percent: 50, Comparator: Greater, Value: 1000, Change: ChangeAbsolute}},
		{"errors > 0", Comparison, Condition{Metric: Errors, Comparator: Greater}},
		{"miss-rate > 1%", Comparison, Condition{Metric: MissRate, Comparator: Greater, Value: 0.01}},
		{"miss-rate > +50%", Comparison, Condition{Metric: MissRate, Comparator: Greater, Value: 50, Change: ChangePercent}},
		{"tps < -500", Comparison, Condition{Metric: TPS, Comparator: Less, Value: -500, Change: ChangeAbsolute}},
	} {
		got, err := Parse(c.text, c.kind)
		c.want.Text = strings.TrimSpace(c.text)
		if err != nil || got != c.want {
			t.Errorf("Parse(%q) = %+v, %v\nwant %+v", c.text, got, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Kind
		at   int // the character, from 1
		want string
	}{
		{"", Assertion, 1, "empty"},
		{"  ", Assertion, 1, "empty"},
		{"p99", Assertion, 4, "a comparison is missing"},
		{"< 5", Assertion, 1, "the metric is missing"},
		{"p99 <", Assertion, 6, "a value is missing"},
		{"p99 = 2ms", Assertion, 5, `did you mean "=="?`},
		{"p99 => 2ms", Assertion, 5, `did you mean ">="?`},
		{"p99 <<< 2ms", Assertion, 5, "unknown comparison"},
		{"p101 < 2ms", Assertion, 1, "p101 is no percentile"},
		{"read.p101 < 2ms", Assertion, 6, "p101 is no percentile"},
		{"eror < 2", Assertion, 1, `did you mean "errors"?`},
		{"errorrate < 2%", Assertion, 1, `did you mean "error-rate"?`},
		{"read.avg < 2ms", Assertion, 6, `did you mean "mean"?`},
		{"raed.p99 < 2ms", Assertion, 1, `did you mean "read"?`},
		{"service.raed.p99 < 2ms", Assertion, 9, `did you mean "read"?`},
		{"read. < 2ms", Assertion, 6, "unknown metric"},
		{".p99 < 2ms", Assertion, 1, "unknown selector"},
		{"read < 2ms", Assertion, 5, "a metric is missing behind read"},
		{"read.write.p99 < 2ms", Assertion, 6, "already"},
		{"stage1.p99 < 2ms", Assertion, 1, "the stage that it stands in"},
		{"stage0.p99 > +1%", Comparison, 1, "unknown selector"},
		{"service.tps > 5", Assertion, 9, "tps is no latency"},
		{"p99 < 2", Assertion, 7, "a time with a unit"},
		{"p99 < 2%", Assertion, 7, "a time with a unit"},
		{"p99 > +2", Comparison, 7, "a change such as"},
		{"p99 > 10%", Comparison, 7, "write +10%"},
		{"p99 < +2ms", Assertion, 7, "no other run"},
		{"tps >= 99h", Assertion, 8, "a number such as"},
		{"miss-rate < 0.1", Assertion, 13, "a share such as 1%"},
		{"miss-rate < 101%", Assertion, 13, "out of range"},
		{"tps > 1e5", Assertion, 7, "is no value"},
		{"tps > inf", Assertion, 7, "is no value"},
		{"µ99 < 2ms", Assertion, 1, "unknown metric"},
		{"µ.p99 < 2", Assertion, 1, "unknown selector"},
		{"service.µ.p99 < 2", Assertion, 9, "unknown selector"},
		{strings.Repeat("x", 300), Assertion, 1, "at most 200 bytes"},
	} {
		_, err := Parse(c.text, c.kind)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q): %v; want an error with %q", c.text, err, c.want)
			continue
		}
		if at := len([]rune(e.Text[:e.Offset])) + 1; at != c.at {
			t.Errorf("Parse(%q): %v; want it at character %d", c.text, err, c.at)
		}
	}
}

func TestMeasure(t *testing.T) {
	r := histogram.NewRecorder(1)
	for us := 1; us <= 1000; us++ {
		r.Shard(0).Record(time.Duration(us) * time.Microsecond)
	}
	full := Measured{
		Seconds: 10,
		Counts:  workload.Counts{Done: 900, Timeout: 60, Error: 40, Hit: 1500, Miss: 500, Mismatch: 3},
		Latency: r.Snapshot(),
	}
	for _, c := range []struct {
		text  string
		from  Measured
		want  float64
		ok    bool
		holds bool
	}{
		{"tps >= 90", full, 90, true, true},
		{"rps > 200", full, 200, true, false},
		{"count == 1000", full, 1000, true, true},
		{"errors != 40", full, 40, true, false},
		{"timeouts <= 60", full, 60, true, true},
		{"misses < 500", full, 500, true, false},
		{"mismatches == 0", full, 3, true, false},
		{"error-rate < 5%", full, 0.04, true, true},
		{"timeout-rate < 5%", full, 0.06, true, false},
		{"miss-rate == 25%", full, 0.25, true, true},
		{"min == 1us", full, 1, true, true},
		{"max <= 1ms", full, 1000, true, true},
		{"mean > 500us", full, 500.5, true, true},
		{"p99.9 < 999us", full, 999, true, false},
		{"p0 == 1us", full, 1, true, true},
		{"errors == 0", Measured{}, 0, true, true},
		{"p99 < 1s", Measured{}, 0, false, false},
		{"miss-rate < 1%", Measured{Seconds: 1}, 0, false, false},
		{"tps > 5", Measured{}, 0, false, false},
	} {
		cond, err := Parse(c.text, Assertion)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := cond.Measure(c.from)
		if ok != c.ok || ok && (math.Abs(got-c.want) > 1e-9 || cond.Holds(got) != c.holds) {
			t.Errorf("%s: measured %v (%v), holds: %v; want %v (%v), %v", c.text, got, ok, cond.Holds(got), c.want, c.ok, c.holds)
		}
	}
	if (Condition{Metric: TPS, Comparator: NotEqual}).Holds(math.NaN()) {
		t.Error("what is not a number holds")
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		metric Metric
		v      float64
		want   string
	}{
		{TPS, 9999.41, "9999.41"}, {Errors, 0, "0"}, {MissRate, 0.0123456, "1.235%"}, {MissRate, 0.000001, "0.0001%"},
		{Max, 17, "17µs"}, {Max, 2151, "2.151ms"}, {Mean, 999.9996, "1000µs"}, {Max, 3_600_000_000, "3600s"},
	} {
		if got := (Condition{Metric: c.metric}).Format(c.v); got != c.want {
			t.Errorf("%v is written %q, want %q", c.v, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"p99 < 2ms", "read.p99.9 <= 10ms", "stage1.total.response.max > +1ms", "tps < -5%", "miss-rate < 1%", "p99.9.9 < µ", "a==", "p0..p1<>5"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, comparison bool) {
		kind := Assertion
		if comparison {
			kind = Comparison
		}
		c, err := Parse(text, kind)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(e.Text) || err.Error() == "" {
				t.Fatalf("%q: %v has no place", text, err)
			}
			return
		}
		if math.IsNaN(c.Value) || math.IsInf(c.Value, 0) || c.Percent < 0 || c.Percent > 100 || kind == Assertion && (c.Stage != 0 || c.Change != NoChange) {
			t.Errorf("%q is read as %+v", text, c)
		}
		again, err := Parse(c.String(), kind)
		if err != nil || again != c {
			t.Errorf("%q: its own text is read as %+v, %v, not %+v", text, again, err, c)
		}
	})
}
