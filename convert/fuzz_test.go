package convert

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// FuzzSplit checks that words survive being quoted and split again.
func FuzzSplit(f *testing.F) {
	for _, g := range goldens {
		f.Add(g.line)
	}
	f.Add("asbench -o 'a'\"b\"c\\ d $'e\\t' \\\n -z 5 | tee x > y # z")
	f.Fuzz(func(t *testing.T, text string) {
		words, err := Split(text)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			if w.Place == "" {
				t.Fatalf("%q has no place", w.Text)
			}
			if !printable(w.Text) {
				return // shown, but not to be read back
			}
			quoted = append(quoted, quoteShell(w.Text))
		}
		again, err := Split(strings.Join(quoted, " "))
		if err != nil {
			t.Fatalf("%q: %v", quoted, err)
		}
		if len(again) != len(words) {
			t.Fatalf("%q became %q", words, again)
		}
		for i := range words {
			if words[i].Text != again[i].Text {
				t.Fatalf("%q became %q", words[i].Text, again[i].Text)
			}
		}
	})
}

// oneStage fails the test unless a result is one stage that can be run.
func oneStage(t *testing.T, r *Result, err error) {
	t.Helper()
	if err != nil {
		if r != nil || err.Error() == "" {
			t.Fatalf("result %v with error %q", r, err)
		}
		return
	}
	if r.Missing != nil {
		return // it cannot be loaded without the file
	}
	if n := len(planOf(t, r).Stages); n != 1 {
		t.Fatalf("%d stages in\n%s", n, r.Text)
	}
}

// fuzzWords is the target of one tool's reader of command lines.
func fuzzWords(f *testing.F, tool string) {
	for _, g := range goldens {
		if g.tool == tool {
			f.Add(g.line)
		}
	}
	for _, s := range namedTool(f, tool).settings {
		f.Add("x -" + s.names[0] + " 7 -" + s.names[len(s.names)-1] + "7 --" + s.names[0] + "=7")
	}
	f.Fuzz(func(t *testing.T, text string) {
		var words []Word
		for i, w := range strings.Fields(text) {
			words = append(words, Word{w, string(rune('a' + i%26))})
		}
		// A file name would make the target depend on what is on the disk.
		if strings.Contains(text, "@file") {
			return
		}
		r, err := CommandLine(tool, words, Options{})
		oneStage(t, r, err)
	})
}

func namedTool(f *testing.F, name string) *tool {
	tool, err := toolNamed(name)
	if err != nil {
		f.Fatal(err)
	}
	return tool
}

func FuzzAsbench(f *testing.F) { fuzzWords(f, "asbench") }

func FuzzJava(f *testing.F) { fuzzWords(f, "java") }

func FuzzGo(f *testing.F) { fuzzWords(f, "go") }

// fuzzConfig is the target of one tool's configuration file. Where JSON itself
// is at fault, the standard library must find it faulty, too.
func fuzzConfig(f *testing.F, tool string, files ...string) {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(strings.Repeat(`{"binSpec":[`, 100)))
	f.Add([]byte(`{"keyRange": {"min": 1e3, "max": -1}, "binSpec": [[{}]], "Records": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Config(tool, "in.json", data, Options{})
		if err != nil && strings.Contains(err.Error(), "not valid JSON") && json.Valid(data) {
			t.Fatalf("%q: %v", data, err)
		}
		oneStage(t, r, err)
	})
}

func FuzzNode(f *testing.F) { fuzzConfig(f, "node", "testdata/config.json") }

func FuzzCsharp(f *testing.F) {
	fuzzConfig(f, "csharp", "testdata/settings-init.json", "testdata/settings-rw.json")
}
