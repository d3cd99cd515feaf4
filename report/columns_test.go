package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

func columns(t testing.TB, text string) Columns {
	t.Helper()
	c, err := ParseColumns(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseColumns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"7,1", "7,1,ms"},
		{"4,3,us", "4,3,us"},
		{"ALT,7,1,MS", "alt,7,1,ms"}, // Java ignores case
		{"2,30", "2,30,ms"},          // the shift means nothing with two columns
		{"32,1", "32,1,ms"},          // up to 2^30
		{"ycsb", "ycsb"},
		{"Ycsb,3", "ycsb,3"},
	} {
		got, err := ParseColumns(c.text)
		if err != nil || got.String() != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.want)
		}
		if again, err := ParseColumns(got.String()); err != nil || again != got {
			t.Errorf("%q: read again: %+v, %v, want %+v", c.text, again, err, got)
		}
	}
	if got := (Columns{}).String(); got != "" {
		t.Errorf("no layout is %q", got)
	}
	for _, c := range []struct{ text, says string }{
		{"", "expected [alt,]COLUMNS"},
		{"7", "expected [alt,]COLUMNS"},
		{"alt", "expected [alt,]COLUMNS"},
		{"7,1,us,2", "expected [alt,]COLUMNS"},
		{"ycsb,1,2", "expected [alt,]COLUMNS"},
		{"ycsb,-1", "the warm-up -1 is out of range: expected 0 to 1000000"},
		{"x,1", `the number of columns "x" is no number`},
		{"7,one", `the shift "one" is no number`},
		{"1,1", "the number of columns 1 is out of range: expected 2 to 32"}, // Java crashes
		{"7,0", "the shift 0 is out of range: expected 1 to 30"},             // equal columns
		{"7,99999999999999999999", "the shift 99999999999999999999 is out of range"},
		{"33,1", "the number of columns 33 is out of range"},
		{"10,4", "the last column would begin at 2^32"},
		{"7,1,ns", `the unit "ns" is neither us nor ms`}, // Java takes it for ms
	} {
		_, err := ParseColumns(c.text)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.text, err, c.says)
		}
	}
}

func TestLooksLikeColumns(t *testing.T) {
	for text, want := range map[string]bool{
		"7,1": true, "7,": true, "+7,1": true, "alt,x": true, "YCSB": true, "ycsb,3": true,
		"": false, "stages.yaml": false, "-d": false, "7": false, "alt": false, "7x": false, "validate": false,
	} {
		if got := LooksLikeColumns(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func FuzzParseColumns(f *testing.F) {
	for _, text := range []string{"7,1", "alt,4,3,us", "ycsb,3", "32,1", "10,4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseColumns(text)
		if err != nil {
			return
		}
		if again, err := ParseColumns(c.String()); err != nil || again != c {
			t.Errorf("%q: %+v is written %q, and read %+v, %v", text, c, c, again, err)
		}
		if !LooksLikeColumns(text) {
			t.Errorf("%q is a layout, but does not look like one", text)
		}
		if c.style != columnsYCSB {
			limits := c.limits()
			for i := 1; i < len(limits); i++ {
				if limits[i] <= limits[i-1] {
					t.Fatalf("%q: limits %v", text, limits)
				}
			}
		}
	})
}

// columnRun returns what a run of three periods prints, the last of them empty.
func columnRun(t *testing.T, layout string) string {
	t.Helper()
	plan := planOf(t, "- {workload: RU}")
	var out bytes.Buffer
	lines := NewColumnLines(&out, plan, columns(t, layout))
	st := plan.Stages[0]
	errs := []error{lines.StageStart(st, at)}
	for _, delta := range []workload.Snapshot{
		measured([]int{50, 60, 70, 80, 999, 1000, 1000, 1001}, []int{100, 900, 1000, 1001, 1500, 2000}, 0),
		measured([]int{300, 1_200_127, 5, 6, 7, 8}, []int{500}, 0),
		measured(nil, nil, 0),
	} {
		errs = append(errs, lines.Period(&stage.Period{Stage: st, End: at, Elapsed: time.Second, Delta: delta}))
	}
	for _, err := range append(errs, lines.StageEnd(&stage.StageResult{Stage: st}), lines.Close()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// What the classes of the Java benchmark print of the same latencies, character
// for character, but for the mean with a slow one among them, which is taken as
// the middle of its bucket. They round up, so 1000 µs are not above 1 ms, and 1001
// are.
func TestColumnLines(t *testing.T) {
	for layout, want := range map[string]string{
		"7,1": `
      <=1ms >1ms >2ms >4ms >8ms >16ms >32ms
write   50%  50%   0%   0%   0%    0%    0%
read    88%  13%   0%   0%   0%    0%    0%
      <=1ms >1ms >2ms >4ms >8ms >16ms >32ms
write  100%   0%   0%   0%   0%    0%    0%
read    83%  17%  17%  17%  17%   17%   17%
      <=1ms >1ms >2ms >4ms >8ms >16ms >32ms
write    0%   0%   0%   0%   0%    0%    0%
read     0%   0%   0%   0%   0%    0%    0%
Latency Summary
      <=1ms >1ms >2ms >4ms >8ms >16ms >32ms
write   57%  43%   0%   0%   0%    0%    0%
read    86%  14%   7%   7%   7%    7%    7%
`,
		"4,3,ms": `
      <=1ms >1ms >8ms >64ms
write   50%  50%   0%    0%
read    88%  13%   0%    0%
      <=1ms >1ms >8ms >64ms
write  100%   0%   0%    0%
read    83%  17%  17%   17%
      <=1ms >1ms >8ms >64ms
write    0%   0%   0%    0%
read     0%   0%   0%    0%
Latency Summary
      <=1ms >1ms >8ms >64ms
write   57%  43%   0%    0%
read    86%  14%   7%    7%
`,
		"9,2,us": `
      <=1us >1us >4us >16us >64us >256us >1024us >4096us >16384us
write    0% 100% 100%  100%  100%    83%     33%      0%       0%
read     0% 100% 100%  100%   75%    50%      0%      0%       0%
      <=1us >1us >4us >16us >64us >256us >1024us >4096us >16384us
write    0% 100% 100%  100%  100%   100%      0%      0%       0%
read     0% 100% 100%   33%   33%    33%     17%     17%      17%
      <=1us >1us >4us >16us >64us >256us >1024us >4096us >16384us
write    0%   0%   0%    0%    0%     0%      0%      0%       0%
read     0%   0%   0%    0%    0%     0%      0%      0%       0%
Latency Summary
      <=1us >1us >4us >16us >64us >256us >1024us >4096us >16384us
write    0% 100% 100%  100%  100%    86%     29%      0%       0%
read     0% 100% 100%   71%   57%    43%      7%      7%       7%
`,
		"alt,4,1": `
  write <=1ms(3:50%) >1ms(3:50%) >2ms(0:0%) >4ms(0:0%) total(6)
  read  <=1ms(7:87.5%) >1ms(1:12.5%) >2ms(0:0%) >4ms(0:0%) total(8)
  write <=1ms(1:100%) >1ms(0:0%) >2ms(0:0%) >4ms(0:0%) total(1)
  read  <=1ms(5:83.3333%) >1ms(1:16.6667%) >2ms(1:16.6667%) >4ms(1:16.6667%) total(6)
  write <=1ms(0:0%) >1ms(0:0%) >2ms(0:0%) >4ms(0:0%) total(0)
  read  <=1ms(0:0%) >1ms(0:0%) >2ms(0:0%) >4ms(0:0%) total(0)
Latency Summary
  write <=1ms(4:57.1429%) >1ms(3:42.8571%) >2ms(0:0%) >4ms(0:0%) total(7)
  read  <=1ms(12:85.7143%) >1ms(2:14.2857%) >2ms(1:7.1429%) >4ms(1:7.1429%) total(14)
`,
		// From 1000 ms on, Java tells no percentile.
		"ycsb": `
write: Period[Ops:6 Avg Latency:1083us] Total[Ops:6 Latency:(avg:1083us Min:100us Max:2000us) 95th% Latency:2ms 99th% Latency:2ms]
 read: Period[Ops:8 Avg Latency:532us] Total[Ops:8 Latency:(avg:532us Min:50us Max:1001us) 95th% Latency:1ms 99th% Latency:1ms]
write: Period[Ops:1 Avg Latency:500us] Total[Ops:7 Latency:(avg:1000us Min:100us Max:2000us) 95th% Latency:2ms 99th% Latency:2ms]
 read: Period[Ops:6 Avg Latency:199990us] Total[Ops:14 Latency:(avg:86014us Min:5us Max:1200127us)]
write: Period[Ops:0 Avg Latency:0us] Total[Ops:7 Latency:(avg:1000us Min:100us Max:2000us) 95th% Latency:2ms 99th% Latency:2ms]
 read: Period[Ops:0 Avg Latency:0us] Total[Ops:14 Latency:(avg:86014us Min:5us Max:1200127us)]
`,
		"ycsb,2": `
Warming up (1 left)...
Warming up (1 left)...
Warming up (0 left)...
Warming up (0 left)...
write: Period[Ops:0 Avg Latency:0us] Total[Ops:0 Latency:(avg:0us Min:-1us Max:-1us)]
 read: Period[Ops:0 Avg Latency:0us] Total[Ops:0 Latency:(avg:0us Min:-1us Max:-1us)]
`,
	} {
		if got := columnRun(t, layout); got != want[1:] {
			t.Errorf("%s:\ngot:\n%swant:\n%s", layout, got, want[1:])
		}
	}
}

// As the Java benchmark's own help has it.
func TestColumnHeads(t *testing.T) {
	for layout, want := range map[string]string{
		"7,1": "<=1ms >1ms >2ms >4ms >8ms >16ms >32ms",
		"4,3": "<=1ms >1ms >8ms >64ms",
	} {
		if got, _, _ := strings.Cut(columnRun(t, layout), "\n"); strings.TrimSpace(got) != want {
			t.Errorf("%s: %q, want %q", layout, got, want)
		}
	}
}

// Half of the last digit is rounded up, as DecimalFormat and Math.round do it there.
func TestFourDigits(t *testing.T) {
	for _, c := range []struct {
		n, total int64
		want     string
	}{
		{1, 3200, "0.0313"}, {1, 3, "33.3333"}, {1, 8, "12.5"}, {1, 1, "100"}, {0, 5, "0"}, {0, 0, "0"}, {1, 10_000_000, "0"},
	} {
		if got := fourDigits(c.n, c.total); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.n, c.total, got, c.want)
		}
	}
	if got := share(1, 200, 100); got != 1 {
		t.Errorf("half a percent is rounded to %d %%", got)
	}
}

// A run of nothing but inserts has no rows of reads; one that never came to its
// first stage has no summary; a stage with a target rate shows response times.
func TestColumnLinesFollowThePlan(t *testing.T) {
	plan := planOf(t, "- {workload: I, tps: 10}")
	var out bytes.Buffer
	lines := NewColumnLines(&out, plan, columns(t, "2,1"))
	if err := lines.Close(); err != nil || out.Len() > 0 {
		t.Errorf("without a period: %v, %q", err, out.String())
	}
	delta := measured(nil, []int{400, 600}, 2)
	if err := lines.Period(&stage.Period{Stage: plan.Stages[0], Delta: delta}); err != nil {
		t.Fatal(err)
	}
	if want := "      <=1ms >1ms\nwrite   50%  50%\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
