package embedded_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// updateUDF rewrites the golden file with the answers of the real server.
var updateUDF = flag.Bool("update-udf", false, "write testdata/udf.golden from the real server")

const udfGolden = "testdata/udf.golden"

// variable is the name that the real server's error texts give a value.
var variable = regexp.MustCompile(` \((field|local|global|upvalue|constant|method) '[^']*'\)`)

// plainText is an error's text without what depends on the server.
func plainText(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "Node: "); i >= 0 {
		text = text[i:]
	}
	_, text, _ = strings.Cut(text, ": ")
	_, text, _ = strings.Cut(text, ": ")
	return variable.ReplaceAllString(text, "")
}

// runUDF calls a function with a body on a record, and on nothing, and describes
// results and what is stored afterwards.
func (tg target) runUDF(t *testing.T, body string) (lines []string) {
	t.Helper()
	source := "function f(rec, a, b)\n" + body + "\nend\n"
	if _, err := tg.client.RegisterUDF(nil, []byte(source), "udftest.lua", as.LUA); err != nil {
		return []string{fmt.Sprintf("%s: register: %v", body, err)}
	}
	policy := as.NewWritePolicy(0, 0)
	policy.SendKey = true
	key := mustKey(t, "test", testSet, "udf golden")
	for _, there := range []bool{true, false} {
		if _, err := tg.client.Delete(nil, key); err != nil {
			t.Fatal(err)
		}
		if there {
			must(t, tg.client.PutBins(policy, key,
				as.NewBin("i", 10), as.NewBin("f", 2.0), as.NewBin("s", "str"), as.NewBin("l", []any{1, 2, 3}),
				as.NewBin("m", map[string]any{"a": 1, "b": "x"}), as.NewBin("b", []byte{1, 171, 3}),
				as.NewBin("t", true), as.NewBin("big", int64(9007199254740993))))
		}
		got, err := tg.client.Execute(policy, key, "udftest", "f", as.NewValue(41), as.NewValue(2.0))
		text := fmt.Sprintf("%T %v", got, got)
		if err != nil {
			text = fmt.Sprintf("error %v %s", codeOf(err), plainText(err))
		}
		text = regexp.MustCompile(`/\S*/udftest`).ReplaceAllString(text, "udftest") // the folder differs
		lines = append(lines, fmt.Sprintf("%s (%v): %s; %s", body, there, text, tg.describe(key)))
	}
	return lines
}

// describe describes a record.
func (tg target) describe(key *as.Key) string {
	r, err := tg.client.Get(nil, key)
	if err != nil {
		return "no record"
	}
	var bins []string
	for name, value := range r.Bins {
		text := fmt.Sprintf("%s=%T %v", name, value, value)
		bins = append(bins, text[:min(len(text), 60)])
	}
	slices.Sort(bins)
	if len(bins) > 12 {
		bins = append(bins[:12], fmt.Sprintf("%d in all", len(bins)))
	}
	return fmt.Sprintf("gen %d, expires %v, key %v, %s", r.Generation, r.Expiration < 1000, r.Key.Value() != nil, strings.Join(bins, " "))
}

// TestUDFResults compares the results of many functions with those that the real
// server has given.
func TestUDFResults(t *testing.T) {
	text, err := os.ReadFile("testdata/udf-bodies.txt")
	must(t, err)
	bodies := strings.Split(strings.TrimSpace(string(text)), "\n")
	eachTarget(t, func(t *testing.T, tg target) {
		t.Cleanup(func() { _, _ = tg.client.RemoveUDF(nil, "udftest.lua") })
		var lines []string
		for _, body := range bodies {
			lines = append(lines, tg.runUDF(t, body)...)
		}
		if *updateUDF && tg.server == nil {
			must(t, os.WriteFile(udfGolden, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		}
		golden, err := os.ReadFile(udfGolden)
		must(t, err)
		want := strings.Split(strings.TrimSuffix(string(golden), "\n"), "\n")
		if len(lines) != len(want) {
			t.Errorf("%d results, want %d", len(lines), len(want))
		}
		for i := range min(len(lines), len(want)) {
			if lines[i] != want[i] {
				t.Errorf("got  %s\nwant %s", lines[i], want[i])
			}
		}
	})
}
