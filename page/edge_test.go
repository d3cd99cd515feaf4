package page

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/result"
)

// Results of which there is little to draw make a page all the same. What holds for
// every page, such as coordinates that are numbers, is checked in write.
func TestLittleToDraw(t *testing.T) {
	two := twoStages(t)
	few := seconds(map[string]sample{"read": {us: []int64{7}}})
	for _, c := range []struct {
		why, want string
		stages    []*result.Stage
	}{
		{"one transaction in one period", "Stage 1: short", []*result.Stage{newStage(t, 1, "short", true, 1, few)}},
		{"a stage that was stopped before it did anything", "No transaction was tried.",
			[]*result.Stage{newStage(t, 1, "", false, 1, few), newStage(t, 2, "", false, 1, nil)}},
		{"nothing but such a stage", "No transaction was tried.", []*result.Stage{newStage(t, 1, "", true, 1, nil)}},
		{"periods of nothing", "No transaction was tried.", []*result.Stage{newStage(t, 1, "", false, 1, seconds(nil, nil))}},
		{"errors alone, which have no latency", "read 3 0.0 0 0 3 service – – – – – – –",
			[]*result.Stage{newStage(t, 1, "", false, 1, seconds(map[string]sample{"read": {errors: 3}}))}},
		{"no time at all", "Stage 1", []*result.Stage{instant(t)}},
		{"later stages only, as after a stage that was left out", "Stage 3: third", []*result.Stage{newStage(t, 3, "third", false, 1, few)}},
		{"a gap in the middle", "Stage 1", []*result.Stage{newStage(t, 1, "", false, 1, seconds(few[0], nil, few[0], few[0]))}},
		{"periods of a microsecond", "Stage 1", []*result.Stage{newStage(t, 1, "", true, 1e-6, seconds(few[0], few[0]))}},
		{"latencies of nothing and of an hour", "1h", []*result.Stage{
			newStage(t, 1, "", false, 3600, seconds(map[string]sample{"read": {us: []int64{0, 3_600_000_000}}}))}},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := newDocument(t, c.stages...)
			if page := text(write(t, Run{"a", d}).root); !strings.Contains(page, c.want) {
				t.Errorf("no %q on the page", c.want)
			}
			write(t, Run{"a", d}, Run{"b", two}, Run{"c", d})
		})
	}
	if err := Write(&bytes.Buffer{}, []Run{{"a", newDocument(t)}}); err == nil || !strings.Contains(err.Error(), "no stage") {
		t.Errorf("a run without a stage: %v", err)
	}
}

// instant returns a stage whose only period took no time.
func instant(t *testing.T) *result.Stage {
	s := newStage(t, 1, "", false, 1, seconds(map[string]sample{"write": {us: []int64{5}}}))
	s.Seconds, s.Periods[0].Seconds, s.Operations["write"].TPS = 0, 0, 0
	return s
}

// Numbers that only a forged file has neither leave the pictures nor fill the page.
func TestForgedNumbers(t *testing.T) {
	two := twoStages(t)
	d := clone(t, two)
	d.End = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	d.Stages[1].Start = time.Date(9990, 1, 1, 0, 0, 0, 0, time.UTC)
	d.Stages[0].Periods[1].Seconds = 1e-300
	d.Stages[0].Operations["write"].TPS = math.MaxFloat64
	d.Stages[1].Periods[3].Start = 10 * 366 * 24 * 3600
	d.Stages[1].Assertions[0].Measured = measured(math.MaxFloat64)
	d.Stages[1].Client.UserCPU = math.MaxFloat64
	d.Stages[1].Client.MaxRSS = math.MaxUint64
	d.Stages[1].FindMax = &result.FindMax{TPS: math.MaxFloat64, Probes: []result.Probe{{TPS: -1, Achieved: math.MaxFloat64}}}
	d.Config.Stages[1]["tps"] = map[string]any{"from": 0, "to": 1e300, "over": "1ns"}
	write(t, Run{"forged", reread(t, d)})
	d.Config.Stages[1]["tps"] = map[string]any{"from": 1, "to": 1e6, "over": "1ns"}
	d.Config.Stages[1]["warmup"] = "1000000h"
	write(t, Run{"forged", reread(t, d)}, Run{"true", two})
}

// hostile is text that would be markup, or turn the text after it around.
const hostile = "</title></svg><script>alert(1)</script><img src=x onerror=alert(1)>\"'`&amp;{{.}}\u202e\x00\x1b[31m"

// texts puts a text wherever a copy of a document takes one.
func texts(t testing.TB, base *result.Document, s string) Run {
	d := clone(t, base)
	for _, target := range []*string{
		&d.Stopped, &d.Config.Namespace, &d.Config.Set, &d.Config.Bin, &d.Config.Connection.User, &d.Config.Connection.Auth, &d.Config.Connection.Hosts[0],
		&d.Versions.Aeroload, &d.Versions.Go, &d.Versions.Client, &d.Server.Nodes[0].Name, &d.Server.Nodes[0].Host, &d.Server.Nodes[0].Build,
		&d.Machines[0].Host, &d.Machines[0].CPU, &d.Machines[0].Kernel, &d.Stages[0].Desc, &d.Stages[1].Desc, &d.Notes[0].Text,
		&d.Stages[1].Operations["read"].Codes[0].Name, &d.Stages[1].Operations["read"].Codes[0].Example,
	} {
		*target = s
	}
	d.Config.Stages[0]["desc"], d.Config.Stages[0][s], d.Config.Stages[1]["tps"] = s, []any{s, map[string]any{s: s}}, "x"+s // never a rate, which would be drawn
	d.Stages[0].FindMax = &result.FindMax{Probes: []result.Probe{{Why: s}}}
	d.Notes = append(d.Notes, result.Note{At: d.Start, Kind: result.NoteKind(s), Text: s})
	return Run{s, d}
}

// Whatever texts a result has, the page has the same elements.
func TestHostileTexts(t *testing.T) {
	base := twoStages(t)
	plain, bad := write(t, texts(t, base, "plain")), write(t, texts(t, base, hostile))
	if got, want := outlineOf(bad), outlineOf(plain); !slices.Equal(got, want) {
		t.Errorf("%d elements, %d with plain texts", len(got), len(want))
	}
	if page := text(bad.root); !strings.Contains(page, "2: </title></svg><script>alert(1)</script>") {
		t.Error("the stage's name is not there as it is")
	}
	if strings.ContainsAny(bad.text, "\u202e\x00\x1b") {
		t.Error("characters that are not text are on the page")
	}
	long := write(t, texts(t, base, strings.Repeat("long ", 10_000)))
	// It may be whole in the configuration and the notes alone.
	if n := len(long.text); n > 2<<20 {
		t.Errorf("the page has %d bytes", n)
	}
	if heading := text(long.all("h2")[2]); len([]rune(heading)) > 2*longest {
		t.Errorf("a heading of %d letters", len(heading))
	}
}

// outlineOf are the names of a page's elements, in order. Labels of stages are there
// if there is room.
func outlineOf(d document) []string {
	var names []string
	for _, n := range d.all("") {
		if n.Data != "text" {
			names = append(names, n.Data)
		}
	}
	return names
}

func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "load", hostile, "]]>", "<!--", "\xff\xfe", "\u2066", "{\"a\": [", "- 1: x", "%s%d", "1"} {
		f.Add(s)
	}
	base := twoStages(f)
	want := outlineOf(write(f, texts(f, base, "plain")))
	f.Fuzz(func(t *testing.T, s string) {
		// Without a text there is no line about a run that ended early.
		if strings.TrimSpace(s) == "" {
			s = "plain"
		}
		if slices.ContainsFunc(mistakes, func(m string) bool { return strings.Contains(s, m) }) {
			t.Skip("the page has what it is not to have of its own")
		}
		if got := outlineOf(write(t, texts(t, base, s))); !slices.Equal(got, want) {
			t.Errorf("%d elements, %d with a plain text", len(got), len(want))
		}
	})
}

// A day's run has the most periods that a document keeps. Its pictures are thinned,
// and its highest latency, in one period of 1440, stays.
func TestDayIsThinned(t *testing.T) {
	var periods []map[string]sample
	for i := range 1440 {
		us := []int64{100, 110, 120, int64(130 + i%7)}
		if i == 1001 {
			us = append(us, 9_000_000)
		}
		periods = append(periods, map[string]sample{"read": {us: us, wait: 50}, "write": {errors: i % 2}})
	}
	d := write(t, Run{"day", newDocument(t, newStage(t, 1, "a day", true, 60, periods))})
	if n := len(d.text); n > 400_000 {
		t.Errorf("the page has %d bytes", n)
	}
	if !strings.Contains(text(d.root), "the lowest and the highest are drawn") {
		t.Error("the page does not tell that lines were thinned")
	}
	if strings.Contains(text(write(t, Run{"short", twoStages(t)}).root), "the lowest and the highest") {
		t.Error("the page of a short run tells of thinning")
	}
	// The latency axis ends at 10 s, whatever it begins at, so that 9 s are
	// close to the top.
	svg := d.find("latency-read-1-half-title")
	highest := math.Inf(1)
	for n := range svg.Descendants() {
		if strings.HasPrefix(attr(n, "class"), "line") {
			for _, p := range points(t, attr(n, "d")) {
				highest = math.Min(highest, p.y)
			}
		}
	}
	if highest > marginTop+5 {
		t.Errorf("the highest point is at %v", highest)
	}
	for _, want := range []string{"0s", "6h", "12h", "18h", "1d"} {
		found := false
		for n := range svg.Descendants() {
			found = found || n.Data == "text" && text(n) == want
		}
		if !found {
			t.Errorf("no %s at the time axis", want)
		}
	}
}

// Interrupted runs, merged results and searches say what they are.
func TestKindsOfRuns(t *testing.T) {
	d := twoStages(t)
	d.Stopped, d.Server.Embedded = "SIGINT", true
	d.Stages[1].Abandoned = 3
	d.Machines = append(d.Machines, d.Machines[0])
	d.Stages[1].Operations["read"].Mismatches, d.Stages[1].Periods[0].Operations["read"].Mismatches = 1, 1
	d.Stages[0].FindMax = &result.FindMax{TPS: 12_500, Settled: true, Probes: []result.Probe{
		{TPS: 10_000, Achieved: 9_999.5, OK: true, Why: "p99 1.2ms < 2ms"}, {TPS: 15_000, Achieved: 14_000, Why: "the rate was not kept up"}}}
	page := text(write(t, Run{"", reread(t, d)}).root)
	for _, want := range []string{
		"run 1 2026-11-30 20:57:37 UTC", "This run ended early: SIGINT", "The server was embedded: these numbers measure the machine, not Aerospike.",
		"3 transactions without an answer", "a target rate of 2 × 5.0", "mismatches latency", "Highest rate at which the limits hold: 12 500 transactions/s.",
		"10 000 10 000 ✓ hold p99 1.2ms < 2ms", "15 000 14 000 ✗ fail the rate was not kept up",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q on the page", want)
		}
	}
}
