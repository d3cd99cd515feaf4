package stage

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/keygen"
)

// keyFileFolder returns a folder with a stage file's place in it and the files
// of keys names.txt (a, b, c) and numbers.txt (10, 20).
func keyFileFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"names.txt": "a\nb\nc\n", "numbers.txt": "10\n20\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every row is a stage's second key and the ones after it.
func TestKeys(t *testing.T) {
	dir := keyFileFolder(t)
	for _, c := range []struct{ why, text, want, line string }{
		{"the default", "workload: RU", "distribution: uniform\n    type: integer\n", ""},
		{"a scalar is the distribution", "workload: RU\n  keys: zipfian", "distribution: zipfian\n    theta: 0.99\n    scramble: true\n    type: integer\n", "zipfian,theta=0.99,scramble=true"},
		{"a scalar with parameters", "workload: RU\n  keys: 'hotspot,hot-keys=1'", "distribution: hotspot\n    hot-keys: 1\n    hot-operations: 80\n    type: integer\n", "hotspot,hot-keys=1,hot-operations=80"},
		{"a mapping", "workload: RU\n  keys: {distribution: zipfian, theta: 0.5, scramble: false, type: string, prefix: user, pad: 10}",
			"distribution: zipfian\n    theta: 0.5\n    scramble: false\n    type: string\n    template: user%010d\n", "zipfian,theta=0.5,scramble=false, string user%010d"},
		{"a walk draws nothing", "workload: I\n  keys: {prefix: p}", "keys:\n    type: string\n    template: p%d\n", "string p%d"},
		{"a percent sign in the prefix", "workload: I\n  keys: {prefix: '5%'}", "template: 5%%%d\n", "string 5%%%d"},
		{"a template alone makes strings", "workload: I\n  keys: {template: 'a%xb'}", "type: string\n    template: a%xb\n", "string a%xb"},
		{"bytes", "workload: I\n  keys: {type: bytes}", "type: bytes\n", "bytes"},
		{"a length alone makes bytes", "workload: I\n  keys: {length: 16}", "type: bytes\n    length: 16\n", "bytes of length 16"},
		{"a file beside the stage file", "workload: I\n  keys: {file: names.txt, type: string}", "key-start: 1\n  key-end: 4\n  keys:\n    type: string\n    file: " + filepath.Join(dir, "names.txt") + "\n", "string from " + filepath.Join(dir, "names.txt")},
		{"a part of a file", "workload: RU\n  key-start: 2\n  keys: {distribution: latest, file: numbers.txt, type: integer}", "key-start: 2\n  key-end: 3\n", "latest,theta=0.99, integer from " + filepath.Join(dir, "numbers.txt")},
		{"a shard", "workload: I\n  shard: 2/8", "shard: 2/8\n", ""},
		{"everything is one shard", "workload: I", "shard: 1/1\n", ""},
	} {
		plan, err := Parse(filepath.Join(dir, "f.yaml"), []byte("- object-spec: I4\n  "+c.text), flagDefaults())
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var out, again bytes.Buffer
		if err := plan.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: printed as\n%s\nwant %s", c.why, out.String(), c.want)
		}
		if got := plan.Stages[0].DescribeKeys(); got != c.line {
			t.Errorf("%s: described as %q, want %q", c.why, got, c.line)
		}
		// Whatever the flags are then.
		d := flagDefaults()
		d.KeyFlags = []FlagValue{{"--shard", "shard", "3/4", ""}, {"--key-type", "keys", "bytes", "type"}, {"--key-distribution", "keys", "normal", "distribution"}}
		plan, err = Parse("other.yaml", out.Bytes(), d)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		if err := plan.WriteYAML(&again); err != nil || again.String() != out.String() {
			t.Errorf("%s: printed as\n%s\nreads back as\n%s, %v", c.why, out.String(), again.String(), err)
		}
	}
}

func TestKeyErrors(t *testing.T) {
	dir := keyFileFolder(t)
	for _, c := range []struct{ why, text, want string }{
		{"no such distribution", "keys: zipfain", `:2:9: keys: "zipfain" is not a distribution of keys: expected uniform, zipfian, latest, hotspot, normal, exponential, sequential; did you mean "zipfian"?`},
		{"the same in a mapping", "keys: {distribution: zipfain}", `:2:24: keys: distribution: "zipfain" is not`},
		{"a wrong parameter", "keys: {distribution: zipfian, theta: 11}", `:2:40: keys: theta: "11" is not a number above 0 and up to 10`},
		{"another's parameter", "keys: {distribution: zipfian, mean: 1}", `:2:39: keys: mean: the distribution zipfian has no such parameter: expected theta or scramble`},
		{"a parameter of nothing", "keys: {theta: 1}", `:2:17: keys: theta: give the distribution that it belongs to`},
		{"an unknown key", "keys: {tpye: string}", `did you mean "type"?`},
		{"a list", "keys: [zipfian]", `:2:9: keys: expected a single value, not a list`},
		{"no such type", "keys: {type: text}", `:2:16: keys: type: "text" is not a type of keys`},
		{"a prefix of integers", "keys: {type: integer, prefix: u}", `:2:33: keys: prefix: it is for string keys, and these are of the type integer`},
		{"a length of strings", "keys: {type: string, length: 4}", `:2:32: keys: length: it is for bytes keys, and these are of the type string`},
		{"template and padding", "keys: {template: '%d', pad: 3}", `:2:31: keys: pad: the template says that already`},
		{"a template without a number", "keys: {template: user}", `:2:20: keys: template: the template "user" has no number`},
		{"padding that is none", "keys: {pad: many}", `:2:15: keys: pad: "many" is not a number of digits`},
		{"bytes that are too few", "keys: {length: 2}", `:2:18: keys: the last key, 1000000, does not fit into 2 bytes`},
		{"a missing value", "keys: {type: }", `keys: type: the value is missing`},
		{"an empty template", "keys: {template: ''}", `keys: template: the value is missing`},
		{"no such file", "keys: {file: none.txt, type: string}", `:2:16: keys: file: key file: open ` + filepath.Join(dir, "none.txt")},
		{"a file without a type", "keys: {file: names.txt}", `:2:16: keys: file: give the type of its keys: integer or string`},
		{"a file of bytes", "keys: {file: names.txt, type: bytes}", `:2:33: keys: type: "bytes" is not a type of keys in a file`},
		{"bad lines", "keys: {file: names.txt, type: integer}", `names.txt:1: "a" is not an integer`},
		{"a file and a prefix", "keys: {file: names.txt, type: string, prefix: u}", `:2:49: keys: prefix: a file holds the keys as they are`},
		{"past the end of the file", "keys: {file: names.txt, type: string}\n  key-end: 5", `:3:12: the key file ` + filepath.Join(dir, "names.txt") + ` has keys from 1 to 3, and none for the range [1, 5)`},
		{"before its first key", "keys: {file: names.txt, type: string}\n  key-start: 0\n  key-end: 2", `none for the range [0, 2)`},
		{"a walk does not draw", "workload: I\n  keys: latest", `:3:9: keys: distribution: the workload I visits each key once, in their order`},
		{"no keys to insert", "keys: {file: names.txt, type: string}\n  operations: {read: 1, insert: 1}", `:2:16: keys: file: the workload`},
		{"no shard", "shard: 9/8", `:2:10: shard: "9/8" is not a shard`},
		{"a shard without keys", "shard: 1/8\n  key-end: 4", `:2:10: shard: 1/8 of 3 keys holds none`},
	} {
		head := "- workload: RU\n  "
		if strings.Contains(c.text, "workload") || strings.Contains(c.text, "operations") {
			head = "- desc: x\n  "
		}
		_, err := Parse(filepath.Join(dir, "f.yaml"), []byte(head+c.text), flagDefaults())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want it to say %s", c.why, err, c.want)
		} else if n := len(err.(Problems)); n != 1 {
			t.Errorf("%s: %d problems: %v", c.why, n, err)
		}
	}
}

// A stage inherits how keys are drawn and what they look like apart: from the
// file's defaults, and these from the flags.
func TestKeysAreInherited(t *testing.T) {
	d := flagDefaults()
	d.KeyFlags = []FlagValue{{"--key-prefix", "keys", "flag", "prefix"}, {"--key-pad", "keys", "5", "pad"}, {"--key-distribution", "keys", "normal", "distribution"}, {"--shard", "shard", "1/3", ""}}
	plan, err := Parse("f.yaml", []byte(`
defaults: {keys: 'hotspot,hot-keys=5'}
stages:
- workload: I
- workload: RU
- {workload: RU, keys: {distribution: zipfian}, shard: 2/3}
- {workload: RU, keys: {prefix: own}}
- {workload: RU, keys: {distribution: uniform, type: integer}}
`), d)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ keys, shard string }{
		{"string flag%05d", "1/3"},
		{"hotspot,hot-keys=5,hot-operations=80, string flag%05d", "1/3"},
		{"zipfian,theta=0.99,scramble=true, string flag%05d", "2/3"},
		{"hotspot,hot-keys=5,hot-operations=80, string own%d", "1/3"},
		{"", "1/3"},
	} {
		if st := plan.Stages[i]; st.DescribeKeys() != want.keys || st.Shard.String() != want.shard {
			t.Errorf("stage %d: %q, shard %v; want %+v", i+1, st.DescribeKeys(), st.Shard, want)
		}
	}
}

func TestKeyFlags(t *testing.T) {
	flags := func(texts ...string) (list []FlagValue) {
		for i := 0; i < len(texts); i += 2 {
			key, sub := "keys", texts[i]
			if sub == "shard" {
				key, sub = sub, ""
			}
			list = append(list, FlagValue{"--" + texts[i], key, texts[i+1], sub})
		}
		return list
	}
	d := flagDefaults()
	d.KeyFlags = flags("distribution", "latest,theta=0.5", "length", "9", "shard", "3/4")
	plan, err := FromFlags([]FlagValue{{"--workload", "workload", "RU", ""}}, d)
	if err != nil || plan.Stages[0].DescribeKeys() != "latest,theta=0.5, bytes of length 9" || plan.Stages[0].Shard != (keygen.Shard{Index: 3, Count: 4}) {
		t.Errorf("%+v, %v", plan, err)
	}
	for _, c := range []struct {
		why   string
		flags []FlagValue
		want  string
	}{
		{"a wrong distribution", flags("distribution", "zip"), "--distribution: "},
		{"a wrong shard", flags("shard", "5"), "--shard: "},
		{"padding of bytes", flags("type", "bytes", "pad", "5"), "--pad: "},
	} {
		d := flagDefaults()
		d.KeyFlags = c.flags
		// As a stage of their own, and also where every stage overrides them.
		_, err := FromFlags([]FlagValue{{"--workload", "workload", "RU", ""}}, d)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.why, err)
		}
		_, err = Parse("f.yaml", []byte("- {workload: RU, shard: 1/2, keys: {distribution: uniform, type: integer}}"), d)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.(Problems)) != 1 {
			t.Errorf("%s, overridden: %v", c.why, err)
		}
	}
	// What a flag says of draws means nothing to the walks of a stage file, but
	// is wrong where the walk is all there is.
	d = flagDefaults()
	d.KeyFlags = flags("distribution", "latest")
	if _, err := Parse("f.yaml", []byte("- workload: I"), d); err != nil {
		t.Error(err)
	}
	if _, err := FromFlags([]FlagValue{{"--workload", "workload", "I", ""}}, d); err == nil || !strings.Contains(err.Error(), "visits each key once") {
		t.Errorf("draws of a walk: %v", err)
	}
}

// -k takes the first keys of a file; its default does not.
func TestKeysOfAFile(t *testing.T) {
	dir := keyFileFolder(t)
	d := flagDefaults()
	d.Keys = 2
	text := []byte("- workload: I\n  keys: {file: names.txt, type: string}")
	for given, want := range map[bool]keygen.Range{true: {Start: 1, End: 3}, false: {Start: 1, End: 4}} {
		d.KeysGiven = given
		if plan, err := Parse(filepath.Join(dir, "f.yaml"), text, d); err != nil || plan.Stages[0].Keys != want {
			t.Errorf("-k given %t: %+v, %v", given, plan, err)
		}
	}
}
