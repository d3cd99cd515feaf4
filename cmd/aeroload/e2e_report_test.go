package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/aeroload/aeroload/embedded"
)

// pageText returns the text of an HTML page.
func pageText(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// A run with stages, a rate, failures and assertions, on a page.
func TestReportOfARun(t *testing.T) {
	t.Parallel()
	server := embedded.RunT(t, embedded.Config{Faults: []embedded.Fault{{On: embedded.FaultRead, Action: embedded.FaultCode, Code: 22, Count: 5}}})
	dir := t.TempDir()
	file, a, b := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "r", "a.json"), filepath.Join(dir, "r", "b.json")
	const text = `- {desc: load <all>, workload: I, key-end: 301, assert: [errors == 0]}
- {desc: mixed, workload: "RU,100", key-end: 301, duration: 2, tps: 200, assert: [errors == 0]}
`
	if err := os.Mkdir(filepath.Dir(a), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := runBinary(t, "-h", server.Addr(), "-T", "60000", "--connect-timeout", "60000", "--workload-stages", file, "--result", a); r.code != 3 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	out := filepath.Join(dir, "report.html")
	if r := runBinary(t, "report", a, "-o", out); r.code != 0 || r.stdout != "The report is in "+out+"\n" || r.stderr != "" {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	page := string(readFile(t, out))
	for _, want := range []string{
		"a.json 20", "✗ 1 of 2 assertions failed", "stage 2: errors == 0: 5", "Stage 1: load <all>", "✓ passed errors == 0: 0", "✗ failed errors == 0: 5",
		"Throughput total write read target timeouts or errors", "5 read transactions failed with 22", "a target rate of 200: response times",
		"Response time of read", "Service time of read", "Latency of write by percentile", "Aerospike Community Edition",
	} {
		if !strings.Contains(pageText(t, page), want) {
			t.Errorf("no %q on the page", want)
		}
	}

	runBinary(t, "-h", server.Addr(), "-T", "60000", "--connect-timeout", "60000", "--workload-stages", file, "--result", b)
	if r := runBinary(t, "report", a+","+b, filepath.Dir(a), "-o", "-"); r.code != 0 || !strings.HasPrefix(r.stdout, "<!DOCTYPE html>") || r.stderr != "" {
		t.Errorf("to standard output: exit code %d\n%s%.100s", r.code, r.stderr, r.stdout)
	} else if text := pageText(t, r.stdout); !strings.Contains(text, a+" (2)") || !strings.Contains(text, b+" (2) p99 p50") {
		t.Errorf("no runs over each other: %.1000s", text)
	}
}

func TestReportRefuses(t *testing.T) {
	tg := newTarget(t)
	dir := t.TempDir()
	good, bad, empty := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json"), filepath.Join(dir, "empty")
	tg.run(0, "-w", "I", "-k", "10", "--result", good)
	if err := os.WriteFile(bad, []byte(`{"format": "other"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	before := string(readFile(t, good))
	for _, c := range []struct {
		why, want string
		code      int
		args      []string
	}{
		{"no result", "report needs results", 2, nil},
		{"no such file", "none.json: no such file", 2, []string{good, "none.json"}},
		{"what is no result", bad + ": not a result of aeroload", 2, []string{bad}},
		{"a folder without results", "the folder " + empty + " holds no result files", 2, []string{empty}},
		{"more than a page shows", "9 results; a page shows 8 at most", 2, []string{strings.Repeat(good+",", 8) + good}},
		{"a page in the place of a result", "--output: " + good + " is one of the results", 2, []string{good, "-o", good}},
		{"a page in the place of a folder", "--output: " + dir + " is a folder", 2, []string{good, "-o", dir}},
		{"a folder that is not there", "--output: none/page.html cannot be written", 2, []string{good, "-o", "none/page.html"}},
		{"a wrong flag", "--outptu", 2, []string{good, "--outptu", "x"}},
	} {
		r := runBinary(t, append([]string{"report"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.stderr, c.want) || r.stdout != "" {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", c.why, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
	if string(readFile(t, good)) != before {
		t.Error("the result has changed")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	// A page that cannot be written to its end leaves the one before, and exit
	// code 1.
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no device that is always full")
	}
	if r := runBinary(t, "report", good, "-o", full); r.code != 1 || !strings.Contains(r.stderr, "report page: write "+full) {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}
