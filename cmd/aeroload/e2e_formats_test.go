package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The lines of the old tools come with asbench's, on standard output, and end it.
func TestOlderFormats(t *testing.T) {
	tg := newTarget(t)
	r := tg.run(0, "-w", "RU,50", "-k", "10", "--transactions", "200", "-t", "60", "-latency", "alt,3,1", "--summary-format", "node")
	lines := strings.Split(r.stdout, "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  write <=1ms(") })
	if at < 1 || !strings.Contains(lines[at-1], " total(tps=") || !strings.HasPrefix(lines[at+1], "  read  <=1ms(") {
		t.Errorf("no rows behind the rates:\n%s", r.stdout)
	}
	// All 200 are in the rows of the whole run, and in the table.
	_, end, _ := strings.Cut(r.stdout, "\nLatency Summary\n")
	rows := regexp.MustCompile(`(?m)^  (?:write|read ) <=1ms\(\d+:[\d.]+%\) >1ms\(\d+:[\d.]+%\) >2ms\(\d+:[\d.]+%\) total\((\d+)\)$`).FindAllStringSubmatch(end, -1)
	sum := 0
	for _, row := range rows {
		n, _ := strconv.Atoi(row[1])
		sum += n
	}
	if len(rows) != 2 || sum != 200 {
		t.Errorf("rows of the whole run: %q in\n%s", rows, end)
	}
	if !strings.Contains(end, "\nSUMMARY\n\n  Environment\n") || !regexp.MustCompile(`(?m)^    Total      200 `).MatchString(end) {
		t.Errorf("no block of the Node.js benchmark:\n%s", end)
	}
	if strings.Contains(r.stderr, "Summary") {
		t.Errorf("there is a second summary:\n%s", r.stderr)
	}
	r = tg.run(exitUsage, "-latency", "1,1", "--summary-format", "java")
	for _, want := range []string{`--latency-columns: "1,1": the number of columns 1 is out of range: expected 2 to 32`, `--summary-format: "java" is neither text nor node`} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("want %q:\n%s", want, r.stderr)
		}
	}
}
