package stage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A spec that is made for variety switches random on, whatever the file says,
// where values are written.
func TestVarietyMeansRandom(t *testing.T) {
	tests := []struct {
		stage string
		want  bool
		why   string
	}{
		{"workload: I\n  object-spec: 'id=@uuid'", true, "a generator"},
		{"workload: I\n  object-spec: 'id=@uuid'\n  random: false", true, "as in asbench, random: false changes nothing"},
		{"workload: RU,50\n  object-spec: '[I4,{1:@city}]'", true, "inside collections too"},
		{"workload: I\n  object-spec: 'I4,S{5..10}'", true, "lengths that are drawn"},
		{"workload: I\n  object-spec: 'I4,x?0.5=S5'", true, "an optional bin"},
		{"workload: I\n  object-spec: '[1..3*I4]'", true, "a multiplier that is drawn"},
		{"workload: I\n  object-spec: 'n=@pick(7)'", true, "a generator that always makes the same is one all the same"},
		{"workload: I\n  object-spec: 'a=I4,S50,B10,D,b'", false, "plain forms are fixed by default"},
		{"workload: RU,100\n  object-spec: '@city'", false, "nothing is written"},
		{"workload: DB\n  object-spec: '@city'", false, "DB writes no values"},
		{"workload: RUF,40,0\n  udf: {module: m, function: f, args: '@city'}", true, "the arguments of a UDF"},
	}
	for _, tt := range tests {
		plan, err := parse("- " + tt.stage + "\n")
		if err != nil {
			t.Errorf("%s: %v", tt.stage, err)
			continue
		}
		if got := plan.Stages[0].Random; got != tt.want {
			t.Errorf("%s: random is %t (%s)", tt.stage, got, tt.why)
		}
	}
}

// A write needs a bin; a selection of optional bins might have none.
func TestWritesOfOptionalBins(t *testing.T) {
	const spec = "\n  object-spec: 'a?0.5=I4,b=I4'\n"
	for stage, want := range map[string]string{
		"- workload: I" + spec:                         "",
		"- workload: RU,50" + spec:                     "",
		"- workload: RU,50\n  write-bins: 1,2" + spec:  "",
		"- workload: RU,100\n  read-bins: 1" + spec:    "",
		"- workload: DB\n  write-bins: 1" + spec:       "",
		"- workload: RMI" + spec:                       "",
		"- workload: RMU" + spec:                       "write-bins: all of these bins are optional",
		"- workload: RMU\n  write-bins: 2" + spec:      "",
		"- operations: {read: 1, update: 1}" + spec:    "",
		"- workload: RU,50\n  write-bins: 1" + spec:    "f.yaml:2:15: write-bins: all of these bins are optional",
		"- workload: I\n  write-bins: 1" + spec:        "f.yaml:2:15: write-bins: all of these bins are optional",
		"- workload: 'RU,50,100,50'" + spec:            "write-bins: all of these bins are optional", // partial writes take the first bin
		"- workload: I\n  object-spec: 'a?0.5=I4'\n":   "all bins are optional, so a record might have none",
		"- workload: I\n  object-spec: 'a=I4,a=I4'\n":  `the record has a bin "a" already`,
		"- workload: I\n  object-spec: '{40*S1:I4}'\n": "the map needs 40 different S1 keys",
	} {
		_, err := parse(stage)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", stage, err, want)
		}
	}
}

// A spec may be a YAML block, or a file beside the stage file.
func TestSpecsOfSeveralLines(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("spec.txt", "# a customer\nid=@uuid\nage=@int(18,90)  # years\n")
	write("args.txt", "@city\n7")
	write("bad.txt", "id=@uuid\nmail=@emial\n")
	file := write("stages.yaml", `
- workload: I
  object-spec: |
    id=@uuid
    age=@int(18,90)
- workload: RUF,50,20
  object-spec: '@file:spec.txt'
  udf: {module: m, function: f, args: '@file:args.txt'}
`)
	plan, err := Load(file, flagDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Stages {
		if got := s.Object.String(); got != "id=@uuid,age=@int(18,90)" {
			t.Errorf("stage %d: %s", s.Number, got)
		}
	}
	if got := plan.Stages[1].UDF.Args.String(); got != "@city,7" {
		t.Errorf("arguments %s", got)
	}
	for text, want := range map[string]string{
		"@file:bad.txt": "bad.txt: object spec, line 2: unknown generator \"emial\"; did you mean \"email\"?\n      mail=@emial\n            ^",
		"@file:no.txt":  "no such file",
		"@file:":        "expected the path of a file after @file:",
	} {
		_, err := Load(write("wrong.yaml", "- workload: I\n  object-spec: '"+text+"'\n"), flagDefaults())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "wrong.yaml:2:16: ") {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
