package stage

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/workload"
)

// flagDefaults are the values that the flags have when none is given.
func flagDefaults() Defaults {
	return Defaults{
		Namespace: "test", Set: "testset", ObjectSpec: "I4", StartKey: 1, Keys: 1_000_000, Threads: 16, AsyncMax: 50, Seed: 7,
		ObjectOptions: objspec.Options{BinName: "testbin", CompressionRatio: 1},
	}
}

func parse(text string) (*Plan, error) { return Parse("f.yaml", []byte(text), flagDefaults()) }

// asbenchFile is a stage file as asbench's users have it, with every key that
// both tools run.
const asbenchFile = `- stage: 1
  desc: "load"
  workload: I
  key-start: 1
  key-end: 50001
  object-spec: "I4,S50"
- stage: 2
  desc: "mixed"
  duration: 5
  workload: RU,80
  key-start: 1
  key-end: 50001
  tps: 20000
  read-bins: 1
  write-bins: 1,2
  pause: 3
  batch-size: 1
  async: no
  random: yes
  expiration-time: -1
`

func TestParseAsbenchFile(t *testing.T) {
	plan, err := parse(asbenchFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Stages) != 2 || plan.Namespace != "test" || plan.Set != "testset" {
		t.Fatalf("plan = %+v", plan)
	}
	first, second := plan.Stages[0], plan.Stages[1]
	keys := keygen.Range{Start: 1, End: 50001}
	if first.Number != 1 || first.Desc != "load" || first.Duration != 0 || first.Workload.Kind != workload.Insert ||
		first.Keys != keys || first.Object.String() != "I4,S50" || first.Threads != 16 || first.Seed != 7 || first.Random {
		t.Errorf("stage 1 = %+v", first)
	}
	want := *second
	want.Number, want.Desc, want.Duration, want.Schedule.Curve, want.Keys = 2, "mixed", 5*time.Second, workload.Constant(20000), keys
	want.Workload = workload.Workload{Kind: workload.ReadUpdate, Read: 80, Write: 20, ReadAll: 0, WriteAll: 0, Share: 100}
	want.ReadBins, want.WriteBins, want.Pause, want.Random, want.TTL = []int{1}, []int{1, 2}, 3, true, -1
	want.Batch, want.BatchRead, want.BatchWrite, want.BatchDelete, want.Threads, want.AsyncMax, want.Seed = 1, 1, 1, 1, 16, 50, 7
	if !reflect.DeepEqual(*second, want) {
		t.Errorf("stage 2 = %+v\nwant %+v", *second, want)
	}
	if got := second.Object.String(); got != "I4,S50" {
		t.Errorf("stage 2 has the spec %q, want that of stage 1", got)
	}
}

func TestDefaultsAndInheritance(t *testing.T) {
	for _, c := range []struct {
		why, text string
		check     func(s []*Stage) bool
	}{
		{"workloads without an end run for 10 s", "- workload: RU",
			func(s []*Stage) bool { return s[0].Duration == 10*time.Second }},
		{"walks have no minimum duration", "- workload: I\n- workload: DB",
			func(s []*Stage) bool { return s[0].Duration == 0 && s[1].Duration == 0 }},
		{"keys come from the flags", "- workload: I",
			func(s []*Stage) bool { return s[0].Keys == keygen.Range{Start: 1, End: 1_000_001} }},
		{"key-end follows from key-start", "- workload: I\n  key-start: 500",
			func(s []*Stage) bool { return s[0].Keys == keygen.Range{Start: 500, End: 1_000_500} }},
		{"key-start follows from the flags, not from the stage before", "- workload: I\n  key-start: 500\n- workload: I\n  key-end: 30",
			func(s []*Stage) bool { return s[1].Keys == keygen.Range{Start: 1, End: 30} }},
		{"the object spec comes from the stage before, over several", "- workload: I\n  object-spec: S8\n- workload: RU\n- workload: RU",
			func(s []*Stage) bool { return s[2].Object.String() == "S8" }},
		{"the first object spec comes from the flags", "- workload: I\n- workload: I\n  object-spec: S8",
			func(s []*Stage) bool { return s[0].Object.String() == "I4" && s[1].Object.String() == "S8" }},
		{"defaults apply to each stage that does not say otherwise",
			"defaults: {workload: 'RU,70', tps: 5, threads: 2}\nstages: [{desc: a}, {tps: 9}]",
			func(s []*Stage) bool {
				return s[0].Schedule.Curve == workload.Constant(5) && s[1].Schedule.Curve == workload.Constant(9) && s[0].Workload.Read == 70 && s[1].Threads == 2 && s[0].Desc == "a"
			}},
		{"a default object spec goes before the stage's before", "defaults: {object-spec: I1, workload: I}\nstages: [{object-spec: S8}, {}]",
			func(s []*Stage) bool { return s[1].Object.String() == "I1" }},
		{"a file may have no defaults", "stages: [{workload: I}]", func(s []*Stage) bool { return len(s) == 1 }},
		{"batch-size is the size of all batches", "- workload: I\n  batch-size: 1",
			func(s []*Stage) bool { return s[0].BatchRead == 1 && s[0].BatchWrite == 1 && s[0].BatchDelete == 1 }},
		{"bins may be a list", "- workload: RU\n  object-spec: I,I,I\n  read-bins: [1, 3]",
			func(s []*Stage) bool {
				return reflect.DeepEqual(s[0].ReadBins, []int{1, 3}) && s[0].Workload.ReadAll == 0
			}},
		{"a percentage goes before the bins' default", "- workload: RU,50,30\n  object-spec: I,I,I\n  read-bins: 1,3",
			func(s []*Stage) bool { return s[0].Workload.ReadAll == 30 && s[0].Workload.WriteAll == 100 }},
		{"anchors and aliases", "- workload: &w RU,10\n- workload: *w", func(s []*Stage) bool { return s[1].Workload.Read == 10 }},
		{"a seed and threads per stage", "- workload: RU\n  seed: 18446744073709551615\n  threads: 10000",
			func(s []*Stage) bool { return s[0].Seed == 1<<64-1 && s[0].Threads == 10000 }},
		{"every key that exists", "- workload: I\n  key-start: 0\n  key-end: 9223372036854775808",
			func(s []*Stage) bool { return s[0].Keys == keygen.Range{Start: 0, End: 1 << 63} }},
	} {
		plan, err := parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
		} else if !c.check(plan.Stages) {
			t.Errorf("%s: got %+v", c.why, *plan.Stages[len(plan.Stages)-1])
		}
	}
}

func TestNumbersAndDurations(t *testing.T) {
	for _, c := range []struct {
		key, text string
		want      func(*Stage) bool
	}{
		{"key-end", "10M", func(s *Stage) bool { return s.Keys.End == 10_000_000 }},
		{"key-end", "1_000_000", func(s *Stage) bool { return s.Keys.End == 1_000_000 }},
		{"key-end", "2k", func(s *Stage) bool { return s.Keys.End == 2000 }},
		{"key-end", "1.5G", func(s *Stage) bool { return s.Keys.End == 1_500_000_000 }},
		{"key-end", "0x3e8", func(s *Stage) bool { return s.Keys.End == 1000 }},
		{"key-end", `"77"`, func(s *Stage) bool { return s.Keys.End == 77 }},
		{"tps", "0.5", func(s *Stage) bool { return s.Schedule.Curve == workload.Constant(0.5) }},
		{"tps", "100k", func(s *Stage) bool { return s.Schedule.Curve == workload.Constant(100_000) }},
		{"duration", "90", func(s *Stage) bool { return s.Duration == 90*time.Second }},
		{"duration", "30s", func(s *Stage) bool { return s.Duration == 30*time.Second }},
		{"duration", "5m", func(s *Stage) bool { return s.Duration == 5*time.Minute }},
		{"duration", "1h30m", func(s *Stage) bool { return s.Duration == 90*time.Minute }},
		{"duration", "250ms", func(s *Stage) bool { return s.Duration == 250*time.Millisecond }},
		{"duration", "1.5", func(s *Stage) bool { return s.Duration == 1500*time.Millisecond }},
		{"expiration-time", "-2", func(s *Stage) bool { return s.TTL == -2 }},
		{"expiration-time", "1h", func(s *Stage) bool { return s.TTL == 3600 }},
		{"random", "Yes", func(s *Stage) bool { return s.Random }},
		{"random", "FALSE", func(s *Stage) bool { return !s.Random }},
	} {
		plan, err := parse("- workload: RU\n  " + c.key + ": " + c.text)
		if err != nil {
			t.Errorf("%s: %s: %v", c.key, c.text, err)
		} else if !c.want(plan.Stages[0]) {
			t.Errorf("%s: %s: got %+v", c.key, c.text, *plan.Stages[0])
		}
	}
}

// A file whose every error is of a kind of its own; the golden file holds what
// is said about them.
func TestErrorsAreReportedTogetherWithTheirPlaces(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse(filepath.Base(file), data, flagDefaults())
		var problems Problems
		if !errors.As(err, &problems) {
			t.Errorf("%s: %v", file, err)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".golden", err.Error()+"\n")
	}
}

// Each of these is the only thing wrong with its file.
func TestSingleErrors(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"an empty file", "", "f.yaml:1:1: the file holds no stages"},
		{"nothing but a comment", "# later\n", "f.yaml:1:1: the file holds no stages"},
		{"an empty list", "[]", "f.yaml:1:1: the list of stages is empty"},
		{"an empty list of stages", "stages: []", "f.yaml:1:9: the list of stages is empty"},
		{"null", "~", "f.yaml:1:1: the file holds no stages"},
		{"a word", "hello", `f.yaml:1:1: expected a list of stages, not "hello"`},
		{"defaults alone", "defaults: {tps: 3}", "f.yaml:1:1: the file holds no stages: the key stages is missing"},
		{"several documents", "- workload: I\n---\n- workload: I", "f.yaml:2:1: a second YAML document begins here: a stage file is one document"},
		{"a stage without a dash", "workload: I", `f.yaml:1:1: "workload" is a key of a stage: begin each stage with a dash, or put the stages under a key stages:`},
		{"broken YAML", "- workload: I\n  tps: [1", "f.yaml:2:3: not valid YAML: did not find expected ',' or ']'"},
		{"a mapping that ends too early", "- workload: I\n  tps: 1\n bad: 2", "f.yaml:3:2: not valid YAML: did not find expected '-' indicator"},
		{"an alias of nothing", "# *foo\n- workload: I\n  desc: \"*foo\"\n- workload: *foo\n- workload: *foo", "f.yaml:4:13: not valid YAML: unknown anchor 'foo' referenced"},
		{"an alias behind a longer one", "- &foo2 {workload: I}\n- *foo2\n- *foo", "f.yaml:3:3: not valid YAML: unknown anchor 'foo' referenced"},
		{"a control character", "- workload: I\n  desc: a\x01", "f.yaml:2:10: not valid YAML: control characters are not allowed"},
		{"no UTF-8", "- workload: I\n  desc: \xff", "f.yaml:2:9: not valid YAML: invalid leading UTF-8 octet"},
		{"a tab", "- workload: I\n\ttps: 1", "f.yaml:2:2: not valid YAML: found a tab character that violates indentation"},
		{"an object spec without quotes", "- workload: I\n  object-spec: @city", "f.yaml:2:3: not valid YAML: found character that cannot start any token; a value that begins with @, %, ` or a tab needs quotes"},
		{"one with a colon", "- workload: I\n  object-spec: a=@pick(1: 2)", "f.yaml:2:3: not valid YAML: mapping values are not allowed in this context; a value that holds a colon and a blank needs quotes"},
		{"one that is a list to YAML", "- workload: I\n  object-spec: [I4]\n- workload: I", "f.yaml:2:16: object-spec: expected a single value, not a list; a spec that begins with a bracket or brace needs quotes"},
		{"one that is missing", "- workload: I\n  object-spec:", "f.yaml:2:15: object-spec: the value is missing"},
		{"an unknown key", "- workload: I\n  duraton: 3", `f.yaml:2:3: unknown key "duraton"; did you mean "duration"?`},
		{"another tool's word", "- workload: I\n  ttl: 3", `f.yaml:2:3: unknown key "ttl"; did you mean "expiration-time"?`},
		{"two letters in the wrong order", "- workload: I\n  tsp: 3", `f.yaml:2:3: unknown key "tsp"; did you mean "tps"?`},
		{"a key of the top level", "- workload: I\n  hdr-hist: d", `f.yaml:2:3: unknown key "hdr-hist": it stands at the top level, beside stages`},
		{"another key of the top level", "- workload: I\n  metrics-listen: :9464", `f.yaml:2:3: unknown key "metrics-listen": it stands at the top level, beside stages`},
		{"no address", "metrics-listen: ''\nstages: [{workload: I}]", "f.yaml:1:17: metrics-listen: the value is empty; expected HOST:PORT, or :PORT"},
		{"an address without a port", "metrics-listen: 9464\nstages: [{workload: I}]", `f.yaml:1:17: metrics-listen: "9464" is not an address: expected HOST:PORT, or :PORT; did you mean ":9464"?`},
		{"a list of addresses", "metrics-listen: [':9464']\nstages: [{workload: I}]", "f.yaml:1:17: metrics-listen: expected a single value, not a list"},
		{"a merge key", "- &a {workload: I}\n- {<<: *a, workload: I}", `f.yaml:2:4: unknown key "<<": YAML merge keys are not supported; put what stages share under defaults`},
		{"a folder without a name", "hdr-hist: ''\nstages: [{workload: I}]", "f.yaml:1:11: hdr-hist: the value is missing"},
		{"an unknown workload", "- workload: RX,5", `f.yaml:1:13: workload: unknown workload "RX"; expected one of I, RU, RR, RUD, RUF, DB, RMU, RMI, RMD, TXN, C, CI, CK; did you mean "RU"?`},
		{"no workload", "- desc: x", "f.yaml:1:3: stage 1 has no workload and no operations"},
		{"a key twice", "- workload: I\n  tps: 1\n  tps: 2", `f.yaml:3:3: the key "tps" is given twice; it stands in line 2 already`},
		{"a wrong number", "- workload: I\n- stage: 3\n  workload: I", "f.yaml:2:10: stage: stage 3 stands at position 2: number the stages 1, 2, 3, … in their order, or leave the numbers out"},
		{"no value", "- workload: I\n  tps:", "f.yaml:2:7: tps: the value is missing"},
		{"a list for a number", "- workload: I\n  tps: [1]", "f.yaml:2:8: tps: expected a single value, not a list"},
		{"a boolean that is none", "- workload: I\n  async: maybe", `f.yaml:2:10: async: "maybe" is not a boolean: expected true or false, yes or no`},
		{"a word for a number", "- workload: I\n  tps: fast", `f.yaml:2:8: tps: "fast" is not a number of transactions per second`},
		{"a negative rate", "- workload: I\n  tps: -1", "f.yaml:2:8: tps: -1 is out of range: expected a rate from 0 (unthrottled) to 1G"},
		{"an exponent", "- workload: I\n  key-end: 1e6", `f.yaml:2:12: key-end: "1e6" is not a key number: expected a whole number such as 1000000, 1_000_000 or 1M`},
		{"overflow", "- workload: I\n  key-end: 18446744073709551616", "f.yaml:2:12: key-end: 18446744073709551616 is out of range: expected a key from 0 to 9223372036854775808"},
		{"overflow by suffix", "- workload: I\n  key-end: 99999999999999999999G", "f.yaml:2:12: key-end: 99999999999999999999G is out of range: expected a key from 0 to 9223372036854775808"},
		{"half a key", "- workload: I\n  key-end: 1.5", `f.yaml:2:12: key-end: "1.5" is not a key number: expected a whole number such as 1000000, 1_000_000 or 1M`},
		{"octal", "- workload: I\n  key-end: 010", `f.yaml:2:12: key-end: "010" is not a key number: expected a whole number such as 1000000, 1_000_000 or 1M`},
		{"an empty range", "- workload: I\n  key-start: 5\n  key-end: 5", "f.yaml:3:12: the key range [5, 5) is empty: key-start must be below key-end"},
		{"a range past the last key", "- workload: I\n  key-start: 9223372036854775807", "f.yaml:2:14: the key range [9223372036854775807, 9223372036855775807) goes past the largest integer key, 9223372036854775807"},
		{"a negative duration", "- workload: RU\n  duration: -5", "f.yaml:2:13: duration: -5 is out of range: a duration cannot be negative"},
		{"a duration in words", "- workload: RU\n  duration: 5 min", `f.yaml:2:13: duration: "5 min" is not a duration: expected a number of seconds, or a number with a unit such as 30s, 5m or 1h30m`},
		{"no duration", "- workload: RU\n  duration: 0", "f.yaml:2:13: duration: the workload RU,50%,100%,100% has no end of its own and would run for no time at all"},
		{"an endless duration", "- workload: RU\n  duration: 99999999999", "f.yaml:2:13: duration: 99999999999 seconds is too long: the longest duration is ten years"},
		{"a TTL below -2", "- workload: I\n  expiration-time: -3", "f.yaml:2:20: expiration-time: -3 is out of range: a duration cannot be negative (0 is the namespace's default, -1 never, -2 leaves it as it is)"},
		{"a TTL that means something else", "- workload: I\n  expiration-time: 4294967295", "f.yaml:2:20: expiration-time: 4294967295 seconds is too long: the longest duration is ten years (0 is the namespace's default, -1 never, -2 leaves it as it is)"},
		{"bins that do not exist", "- workload: RU\n  object-spec: I,I\n  read-bins: 1,3", `f.yaml:3:14: read-bins: there is no bin 3: the object spec "I,I" has 2`},
		{"bins out of order", "- workload: RU\n  object-spec: I,I\n  write-bins: 2,1", `f.yaml:3:15: write-bins: bin 1 in "2,1" comes after bin 2: bin numbers must ascend`},
		{"bin 0", "- workload: RU\n  read-bins: 0", `f.yaml:2:14: read-bins: "0" in "0" is not a bin number: expected whole numbers from 1, such as 1,3,4`},
		{"read-bins without reads", "- workload: I\n  read-bins: 1", "f.yaml:2:14: read-bins: the workload I reads no bins"},
		{"write-bins without writes", "- workload: RU,100\n  write-bins: 1", "f.yaml:2:15: write-bins: the workload RU,100% writes no bins"},
		{"write-bins with whole-record deletes only", "- workload: RUD,50,0\n  write-bins: 1", "f.yaml:2:15: write-bins: the workload RUD,50%,0% writes no bins"},
		{"random deletes", "- workload: DB\n  random: true", "f.yaml:2:11: random: the workload DB writes no values"},
		{"no threads", "- workload: I\n  threads: 0", "f.yaml:2:12: threads: 0 is out of range: expected a number of threads from 1 to 10000"},
		{"a pause of half seconds", "- workload: I\n  pause: 1.5", "f.yaml:2:10: pause: 1.5 is not a whole number of seconds"},
		{"a line break in the description", "- workload: I\n  desc: \"a\\nb\"", `f.yaml:2:9: desc: "a\nb" does not fit on the line that announces a stage`},
		{"a stage that is a word", "- workload: I\n- mixed", "f.yaml:2:3: expected a stage (a mapping such as `workload: RU,75`), not \"mixed\""},
		{"a wrong default", "defaults: {tps: x}\nstages: [{workload: I}, {workload: I}]", `f.yaml:1:17: tps: "x" is not a number of transactions per second`},
		{"a wrong default that no stage uses", "defaults: {tps: x}\nstages: [{workload: I, tps: 1}]", `f.yaml:1:17: tps: "x" is not a number of transactions per second`},
		{"a number as a default", "defaults: {stage: 1}\nstages: [{workload: I}]", "f.yaml:1:19: stage: a stage's number cannot be a default"},
		{"defaults that are a list", "defaults: []\nstages: [{workload: I}]", "f.yaml:1:11: defaults: expected a mapping of stage keys, not a list"},
		{"an unknown key at the top", "stages: [{workload: I}]\ndefault: {}", `f.yaml:2:1: unknown key "default"; expected defaults, stages, hdr-hist or metrics-listen; did you mean "defaults"?`},
		{"an object spec", "- workload: I\n  object-spec: I4,Q9", "f.yaml:2:16: object spec: "},
	} {
		_, err := parse(c.text)
		switch {
		case err == nil:
			t.Errorf("%s: no error", c.why)
		case c.why == "an object spec":
			if !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(err.Error(), "^") {
				t.Errorf("%s: %v", c.why, err)
			}
		case err.Error() != c.want:
			t.Errorf("%s:\n got %v\nwant %s", c.why, err, c.want)
		}
	}
}

func TestCurves(t *testing.T) {
	for _, c := range []struct{ tps, want string }{
		{"0", "0"},
		{"1500", "1500"},
		{"{from: 1k, to: 20_000, over: 1m}", "{from: 1000, to: 20000, over: 1m0s}"},
		{"{from: 100, to: 0, over: 90}", "{from: 100, to: 0, over: 1m30s}"},
		{"{from: 10, to: 100, step: 7.5, hold: 30s}", "{from: 10, to: 100, step: 7.5, hold: 30s}"},
		{"{mean: 1k, amplitude: 500, period: 1h}", "{mean: 1000, amplitude: 500, period: 1h0m0s}"},
	} {
		plan, err := parse("- {workload: RU, tps: " + c.tps + "}")
		if err != nil {
			t.Errorf("%s: %v", c.tps, err)
		} else if got := FormatTPS(plan.Stages[0].Schedule.Curve); got != c.want {
			t.Errorf("%s: %s, want %s", c.tps, got, c.want)
		}
	}
	for _, c := range []struct{ tps, want string }{
		{"{}", "1:23: tps: expected a number, a ramp {from, to, over}"},
		{"{from: 1, to: 2}", "1:23: tps: expected a number, a ramp"},
		{"{from: 1, over: 2s}", "1:23: tps: to is missing"},
		{"{from: x, to: 2, over: 2s}", `1:30: tps: from: "x" is not a number of transactions per second`},
		{"{from: 1, to: 2, over: 0}", "1:46: tps: over: 0 is too short"},
		{"{from: 0, to: 0, over: 5}", "1:23: tps: a ramp from 0 to 0 has no transactions"},
		{"{from: 1, to: 2, over: 5, hold: 1}", "1:55: tps: hold does not go with a ramp, which has from, to, over"},
		{"{from: 1, to: 1G, step: 1, hold: 1}", "1:23: tps: that makes 999999999 steps"},
		{"{from: 1, to: 5, step: 0, hold: 1}", "1:46: tps: step: a step of 0 leads nowhere"},
		{"{mean: 5, amplitude: 6, period: 1m}", "1:23: tps: a sine needs a mean above 0 and an amplitude of at most the mean"},
		{"{from: 1, too: 2, over: 5}", `1:33: tps: unknown key "too"; expected from, to, over, step, hold, mean, amplitude, period; did you mean "to"?`},
		{"{from: [1], to: 2, over: 5}", "1:30: tps: from: expected a single value, not a list"},
	} {
		_, err := parse("- {workload: RU, tps: " + c.tps + "}")
		if err == nil || !strings.HasPrefix(err.Error(), "f.yaml:"+c.want) {
			t.Errorf("%s: %v, want f.yaml:%s", c.tps, err, c.want)
		}
	}
}

func TestUDFs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "stages.yaml")
	if err := os.WriteFile(filepath.Join(dir, "count.lua"), []byte("function f(rec) end"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why, udf string
		want     UDF
	}{
		{"a module that the cluster has", "{module: m, function: f}", UDF{Module: "m", Function: "f"}},
		{"its file name works too", "{module: m.lua, function: f}", UDF{Module: "m", Function: "f"}},
		{"a file beside the stage file names the module", "{file: count.lua, function: f}",
			UDF{Module: "count", Function: "f", File: filepath.Join(dir, "count.lua"), Source: []byte("function f(rec) end")}},
		{"or is registered under another name", "{file: " + filepath.Join(dir, "count.lua") + ", module: m, function: f}",
			UDF{Module: "m", Function: "f", File: filepath.Join(dir, "count.lua"), Source: []byte("function f(rec) end")}},
	} {
		plan, err := Parse(file, []byte("- {workload: RUF, udf: "+c.udf+"}"), flagDefaults())
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
		} else if got := *plan.Stages[0].UDF; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
	}
	plan, err := parse(`- {workload: RUF, udf: {module: m, function: f, args: '3,"x"'}}`)
	if err != nil || plan.Stages[0].UDF.Args.String() != `3,"x"` {
		t.Errorf("arguments: %+v, %v", plan, err)
	}
	for _, c := range []struct{ text, want string }{
		{"- workload: RUF", "f.yaml:1:13: workload: RUF,40%,40% calls a UDF: give its module and function under the key udf"},
		{"- {workload: RUF, udf: m}", `f.yaml:1:24: udf: expected a mapping of module, function, args, file, not "m"`},
		{"- {workload: RUF, udf: {function: f}}", "f.yaml:1:24: udf: module is missing"},
		{"- {workload: RUF, udf: {module: m}}", "f.yaml:1:24: udf: function is missing"},
		{"- {workload: RUF, udf: {module: m, function: f, args: Q}}", "f.yaml:1:55: udf: args: object spec:"},
		{"- {workload: RUF, udf: {file: none.lua, function: f}}", "f.yaml:1:31: udf: file: open none.lua: no such file"},
		{"- {workload: RU, udf: {module: m, function: f}}", "f.yaml:1:23: udf: the workload RU,50% calls no UDF"},
	} {
		if _, err := parse(c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// A default that means nothing in some stage is no error there; the stage's own
// value would be.
func TestDefaultsThatDoNotApply(t *testing.T) {
	plan, err := parse(`defaults: {object-spec: 'I,I', read-bins: 1, write-bins: 2, random: true, warmup: 3s, udf: {module: m, function: f}}
stages: [{workload: I}, {workload: 'RU,100'}, {workload: DB}, {workload: 'RUF'}]`)
	if err != nil {
		t.Fatal(err)
	}
	insert, read, remove, udf := plan.Stages[0], plan.Stages[1], plan.Stages[2], plan.Stages[3]
	if insert.ReadBins != nil || insert.WriteBins == nil || insert.UDF != nil || insert.Warmup != 0 || !insert.Random {
		t.Errorf("I: %+v", insert)
	}
	if read.ReadBins == nil || read.WriteBins != nil || read.Warmup != 3*time.Second {
		t.Errorf("RU,100: %+v", read)
	}
	if remove.Random || remove.WriteBins == nil {
		t.Errorf("DB: %+v", remove)
	}
	if udf.UDF == nil {
		t.Errorf("RUF: %+v", udf)
	}
}

func TestTransactionsEndAStage(t *testing.T) {
	plan, err := parse("- {workload: RU, transactions: 5k}\n- {workload: RU, transactions: 5k, duration: 3}")
	if err != nil {
		t.Fatal(err)
	}
	if s := plan.Stages[0]; s.Transactions != 5000 || s.Duration != maxDuration {
		t.Errorf("without a duration: %+v", s)
	}
	if s := plan.Stages[1]; s.Transactions != 5000 || s.Duration != 3*time.Second {
		t.Errorf("with a duration: %+v", s)
	}
}

func TestLoadReadsFiles(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.yaml")
	if err := os.WriteFile(good, []byte(asbenchFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if plan, err := Load(good, flagDefaults()); err != nil || len(plan.Stages) != 2 {
		t.Errorf("Load = %v, %v", plan, err)
	}
	if _, err := Load(filepath.Join(dir, "none.yaml"), flagDefaults()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Load(dir, flagDefaults()); err == nil {
		t.Error("a folder: no error")
	}
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, bytes.Repeat([]byte("#"), maxFileSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(large, flagDefaults()); err == nil || !strings.Contains(err.Error(), "larger than 4 MiB") {
		t.Errorf("a large file: %v", err)
	}
}

func TestFromFlags(t *testing.T) {
	plan, err := FromFlags([]FlagValue{{Flag: "--workload", Key: "workload", Text: "RU,80"}, {Flag: "--throughput", Key: "tps", Text: "200"}, {Flag: "--duration", Key: "duration", Text: "5"}}, flagDefaults())
	if err != nil {
		t.Fatal(err)
	}
	s := plan.Stages[0]
	if len(plan.Stages) != 1 || s.Schedule.Curve != workload.Constant(200) || s.Duration != 5*time.Second || s.Workload.Read != 80 || s.Number != 1 ||
		s.Desc != "default config (specify your own with --workload-stages)" {
		t.Errorf("stage = %+v", s)
	}
	_, err = FromFlags([]FlagValue{{Flag: "--workload", Key: "workload", Text: "RX"}, {Flag: "--throughput", Key: "tps", Text: "abc"}}, flagDefaults())
	if err == nil || !strings.Contains(err.Error(), `--throughput: tps: "abc" is not a number`) || !strings.Contains(err.Error(), `--workload: workload: unknown workload "RX"`) {
		t.Errorf("wrong flags: %v", err)
	}
	plan, err = FromFlags([]FlagValue{
		{Flag: "--workload", Key: "workload", Text: "RUF"}, {Flag: "--throughput", Key: "tps", Text: "{from: 1, to: 2k, over: 3m}"},
		{Flag: "--udf-package-name", Key: "udf", Sub: "module", Text: "m"}, {Flag: "--udf-function-name", Key: "udf", Sub: "function", Text: "f"},
	}, flagDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if s := plan.Stages[0]; FormatTPS(s.Schedule.Curve) != "{from: 1, to: 2000, over: 3m0s}" || s.UDF.Module != "m" || s.UDF.Function != "f" {
		t.Errorf("stage = %+v", s)
	}
	_, err = FromFlags([]FlagValue{{Flag: "--workload", Key: "workload", Text: "RU"}, {Flag: "--throughput", Key: "tps", Text: "{from: 1, too: 2k, over: x}"}}, flagDefaults())
	if err == nil || !strings.Contains(err.Error(), `--throughput: tps: unknown key "too"`) || !strings.Contains(err.Error(), `--throughput: tps: over: "x" is not a duration`) {
		t.Errorf("a wrong ramp: %v", err)
	}
	d := flagDefaults()
	d.Keys = 0
	if _, err = FromFlags([]FlagValue{{Flag: "--workload", Key: "workload", Text: "I"}}, d); err == nil || !strings.HasPrefix(err.Error(), "--keys: the key range [1, 1) is empty") {
		t.Errorf("no keys: %v", err)
	}
}

// What WriteYAML prints must mean the same plan, whatever the flags are then.
func TestWriteYAMLRoundTrip(t *testing.T) {
	for _, text := range []string{
		asbenchFile,
		"- workload: RU\n- workload: DB\n  write-bins: 1\n- workload: RUD,1,2,3,4\n  duration: 1.5\n  tps: 0.25",
		"- workload: I\n  object-spec: '\"a\\tb\",123,{2*S4:D},true'\n  desc: '1: \"yes\" # no'",
		"- {workload: 'RUF,1,2', udf: {module: m, function: 'true', args: '1'}, tps: {from: 1, to: 2, over: 3}, arrival: poisson, async: true, async-max-commands: 7}",
		"- {workload: RU, tps: {from: 1, to: 9, step: 2, hold: 1m}, transactions: 10k, warmup: 90s, batch-size: 7, batch-read-size: 3}",
		"hdr-hist: some/where\nstages: [{workload: I, desc: 'true', object-spec: '12'}]",
		"metrics-listen: :9464\nstages: [{workload: I}]",
		"hdr-hist: d\nmetrics-listen: '[::]:0'\nstages: [{workload: I}]",
	} {
		plan, err := parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var out bytes.Buffer
		if err := plan.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		other := Defaults{Namespace: "test", Set: "testset", ObjectSpec: "D", StartKey: 99, Keys: 1, Threads: 1, AsyncMax: 1, Seed: 99, ObjectOptions: flagDefaults().ObjectOptions}
		again, err := Parse("f.yaml", out.Bytes(), other)
		if err != nil {
			t.Fatalf("%q printed as\n%s\n%v", text, out.String(), err)
		}
		if !reflect.DeepEqual(plan, again) {
			t.Errorf("%q printed as\n%s\nreads back as %+v", text, out.String(), again.Stages[0])
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(asbenchFile)
	f.Add("defaults: {workload: I, tps: 1k}\nstages: [{object-spec: '[3*I2]'}, {}]")
	f.Add("- &a {workload: RU}\n- *a")
	f.Add("- workload: RU\n  read-bins: [1]\n  duration: 1h")
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := parse(text)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f.yaml:") && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "--") {
					t.Fatalf("an error without a place: %q", err)
				}
			}
			return
		}
		var out bytes.Buffer
		if err := plan.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		again, err := parse(out.String())
		if err != nil || !reflect.DeepEqual(plan, again) {
			t.Fatalf("%q printed as\n%s\nreads back with %v", text, out.String(), err)
		}
	})
}
