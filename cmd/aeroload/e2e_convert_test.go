package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/convert"
)

// runLine returns the words of the command line that the comments of a converted
// file give.
func runLine(t *testing.T, text string) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		line, comment := strings.CutPrefix(line, "#   ")
		if !comment || len(lines) == 0 && !strings.HasPrefix(line, "aeroload ") {
			continue
		}
		lines = append(lines, line)
		if !strings.HasSuffix(strings.TrimSpace(line), `\`) {
			break
		}
	}
	words, err := convert.Split(strings.Join(lines, ""))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var texts []string
	for _, w := range words[1:] {
		texts = append(texts, w.Text)
	}
	return texts
}

// without takes flags and their values out of a command line.
func without(args []string, flags ...string) []string {
	var left []string
	for i := 0; i < len(args); i++ {
		if slices.Contains(flags, args[i]) {
			i++
			continue
		}
		left = append(left, args[i])
	}
	return left
}

// The examples of the five tools' guides, with fewer keys, do what they say there
// once they are converted, and run by the command line that comes with them.
func TestConvertedExamplesRun(t *testing.T) {
	t.Parallel()
	text := func(n int) func(v any) bool {
		return func(v any) bool { s, ok := v.(string); return ok && len(s) == n }
	}
	integer := func(v any) bool { _, ok := v.(int); return ok }
	blob := func(n int) func(v any) bool {
		return func(v any) bool { b, ok := v.([]byte); return ok && len(b) == n }
	}
	for _, c := range []struct {
		args       []string // of convert
		config     string   // of a file to convert
		start, end int      // keys
		exact      bool     // all of them are written
		bins       map[string]func(any) bool
		flags      string // in the command line
	}{
		{args: []string{"./target/benchmark -h 127.0.0.1 -p 3000 -k 2000 -t 1"},
			start: 1, end: 2001, bins: map[string]func(any) bool{"testbin": integer}},
		{args: []string{"./target/benchmark -h 127.0.0.1 -p 3000 -n test -k 2000 -o S50 -w RU,90 -z 20 -t 1"},
			start: 1, end: 2001, bins: map[string]func(any) bool{"testbin": text(50)}},
		{args: []string{"./target/benchmark -h 127.0.0.1 -p 3000 -n test -s demoset -k 2000 -o S1400 -g 2500 -w RU,80 -z 8 -t 1 -L 4,3"},
			start: 1, end: 2001, bins: map[string]func(any) bool{"testbin": text(1400)}, flags: "--set demoset --latency-columns 4,3"},
		{args: []string{"--duration", "300ms", "--from", "java", "--", "-h", "127.0.0.1", "-p", "3000", "-n", "test", "-k", "2000", "-S", "1", "-o", "S:50", "-w", "RU,10", "-z", "20"},
			start: 1, end: 2001, bins: map[string]func(any) bool{"0": text(50)}, flags: "--max-error-rate 100 --max-retries 2"},
		{args: []string{"--duration", "300ms", "./run_benchmarks -h 127.0.0.1 -p 3000 -n test -k 2000 -b 1 -o B:1400 -w RU,80 -g 2500 -T 50 -z 8"},
			start: 0, end: 2000, bins: map[string]func(any) bool{"0": blob(1400)}, flags: "--timeout 50 --socket-timeout 50 --max-retries 2"},
		{args: []string{"--duration", "300ms", "./run_benchmarks -h 127.0.0.1 -p 3000 -n test -k 2000 -S 1 -o S:50 -w RU,50 -z 1 -async -asyncMaxCommands 300 -eventLoops 8"},
			start: 1, end: 2001, bins: map[string]func(any) bool{"0": text(50)}},
		{args: []string{"./run_benchmarks -k 500 -w I -b 2 -o I,S:5 -R"},
			start: 0, end: 500, exact: true, bins: map[string]func(any) bool{"0": integer, "1": text(5)}},
		{args: []string{"go run benchmark.go -k 1000"},
			start: 0, end: 1000, exact: true, bins: map[string]func(any) bool{"I": integer}, flags: "--max-error-rate 50 --timeout 0 --max-retries 2"},
		{args: []string{"--from", "go", "--duration", "300ms", "./benchmark -h 127.0.0.1 -p 3000 -n test -k 2000 -o S:50 -w RU,10 -c 64"},
			start: 0, end: 2000, bins: map[string]func(any) bool{"S": text(50)}},
		{args: []string{"--from", "go", "--duration", "300ms", "./benchmark -h 127.0.0.1 -p 3000 -n test -k 2000 -o S:1400 -w RU,80 -T 50 -c 32"},
			start: 0, end: 2000, bins: map[string]func(any) bool{"S": text(1400)}},
		{args: []string{"--from", "go", "--duration", "300ms", "./benchmark -h 127.0.0.1 -p 3000 -n test -k 2000 -o S:2000 -w RU,50 -c 64 -L 5,1"},
			start: 0, end: 2000, bins: map[string]func(any) bool{"S": text(2000)}, flags: "--latency-columns 5,1"},
		{config: `{"host": "db-1", "port": 3000, "timeout": 0, "ttl": 10000, "log": "INFO", "namespace": "test", "set": "demo",
			"user": null, "password": null, "operations": 10, "iterations": null, "processes": 4, "time": "1s", "reads": 1, "writes": 1,
			"keyRange": {"min": 0, "max": 2000}, "binSpec": [{"name": "bin1", "type": "STRING", "size": 1024},
			{"name": "bin2", "type": "BYTES", "size": 1024}, {"name": "bin3", "type": "INTEGER"}], "promises": true, "summary": true}`,
			start: 1, end: 2001, bins: map[string]func(any) bool{"bin1": text(1062), "bin2": blob(1058), "bin3": integer}, flags: "--set demo --summary-format node --max-error-rate 100 --timeout 0"},
		{config: `{"Host": "localhost", "Port": 3000, "Namespace": "test", "Set": "test", "Initialize": true, "AsyncMaxCommands": 40,
			"Sync": false, "SyncThreads": 8, "Records": 1000, "InitPct": 50, "ReadPct": 50, "BinType": "Integer", "BinSize": 50, "FixedValue": true, "Timeout": 1000}`,
			start: 0, end: 500, exact: true, bins: map[string]func(any) bool{"bin": integer}, flags: "--set test"},
		{config: `{"Host": "localhost", "Port": 3000, "Namespace": "test", "Set": "test", "Initialize": false, "Sync": true, "SyncThreads": 8,
			"TransactionMax": 400, "Records": 1000, "ReadPct": 50, "BinType": "String", "BinSize": 50, "BatchSize": 10, "FixedValue": false}`,
			start: 0, end: 1000, bins: map[string]func(any) bool{"bin": text(50)}},
	} {
		tg := newTarget(t)
		dir := t.TempDir()
		args := c.args
		if c.config != "" {
			args = []string{writeFile(t, filepath.Join(dir, "in.json"), c.config)}
		}
		file := filepath.Join(dir, "out.yaml")
		if r := runBinary(t, append([]string{"convert", "-o", file}, args...)...); r.code != 0 || r.stdout+r.stderr != "" {
			t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.stdout, r.stderr)
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := runLine(t, string(data))
		for flag := range strings.SplitSeq(c.flags, " --") {
			if !strings.Contains(strings.Join(line, " "), strings.TrimPrefix(flag, "--")) {
				t.Errorf("%q: runs with %q, without %q", args, line, flag)
			}
		}
		// The server, its patience and the summary are the test's own.
		line = without(line, "--hosts", "--port", "--set", "--timeout", "--socket-timeout", "--summary-format")
		r := tg.run(0, line...)
		records := tg.records(c.start, c.end)
		writes := 0
		for _, row := range summary(t, r.stderr) {
			if row.errors_ > 0 || row.timeouts > 0 {
				t.Errorf("%q: %+v", args, row)
			}
			if row.op == "write" && row.latency == "service" {
				writes += row.count
			}
		}
		if len(records) == 0 || len(records) > writes || c.exact && (len(records) != c.end-c.start || writes != len(records)) {
			t.Errorf("%q: %d writes stored %d records of the keys %d to %d", args, writes, len(records), c.start, c.end)
		}
		for key, bins := range records {
			if why := wrongBins(bins, c.bins); why != "" {
				t.Errorf("%q: key %d: %s", args, key, why)
				break
			}
			if id, ok := bins["bin3"].(int); ok && id != key {
				t.Errorf("%q: key %d holds the number %d", args, key, id)
			}
		}
	}
}

// wrongBins says what is wrong with a record.
func wrongBins(bins as.BinMap, wanted map[string]func(any) bool) string {
	if len(bins) != len(wanted) {
		return fmt.Sprintf("%d bins, want %d", len(bins), len(wanted))
	}
	for name, is := range wanted {
		if !is(bins[name]) {
			return fmt.Sprintf("the bin %s is %T %.60v", name, bins[name], bins[name])
		}
	}
	return ""
}

// The command lines that are given with converted files are ones that aeroload
// takes.
func TestConvertedFlagsAreKnown(t *testing.T) {
	files, err := filepath.Glob("../../convert/testdata/*.golden.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := runLine(t, string(data))
		s := newSettings()
		if log, err := parseInto(s, append(without(line, "--workload-stages"), "--workload-stages", file)...); err != nil || log != "" {
			t.Errorf("%s: %q: %v %s", file, line, err, log)
			continue
		}
		if _, err := s.plan(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestConvertCommand(t *testing.T) {
	dir := t.TempDir()
	config := writeFile(t, filepath.Join(dir, "config.json"), `{"set": "s"}`)
	script := writeFile(t, filepath.Join(dir, "run.sh"), "#!/bin/sh\n# load\n./run_benchmarks -k 5 \\\n  -w I | tee log\n")
	binaryFile := writeFile(t, filepath.Join(dir, "bin.sh"), "\x7f\xff\xfe")
	stages := writeFile(t, filepath.Join(dir, "st ages.yaml"), "- workload: I\n  key-end: 9\n")
	texts := map[string]string{}
	for _, path := range []string{config, script, stages} {
		texts[path] = string(readFile(t, path))
	}
	for _, c := range []struct {
		args   []string
		stdin  string
		code   int
		stdout string // a part of it
		stderr string
	}{
		{args: []string{config}, stdout: "Node.js client's benchmark"},
		{args: []string{"--from", "node", config}, stdout: "--set s"},
		{args: []string{"--from", "node", "-"}, stdin: "\ufeff" + `{"set": "t"}`, stdout: "--set t"},
		{args: []string{"-"}, stdin: ` {"Set": "t"}`, stdout: "C# client's benchmark"},
		{args: []string{script}, stdout: "key-end: 5"},
		{args: []string{"-"}, stdin: "asbench -k 5", stdout: "key-end: 6"},
		{args: []string{"--from=asbench", "--", "--hosts", "h", "-k", "5"}, stdout: "key-end: 6"},
		{args: []string{"--from", "asbench", "--", "-R"}, stdout: "random: true"},
		{args: []string{"asbench", "-k", "5"}, code: 2, stderr: "unknown flag -k\nThe flags of the other benchmark stand behind --"},
		{args: []string{"--", "asbench", "-k", "5"}, stdout: "key-end: 6"},
		{args: []string{"./asbench"}, stdout: "key-end: 1000001"},
		{args: []string{"asbenhc"}, code: 2, stderr: "no such file"},
		{args: []string{"asbench --workload-stages '" + stages + "'"}, stdout: "- workload: I\n  key-end: 9\n"},
		{args: []string{"run_benchmarks -F keys.txt"}, stdout: "keys.txt", stderr: "warning: the stages need a file that is not there yet"},
		{args: nil, code: 2, stderr: "convert needs a command line or a file"},
		{args: []string{"--from", "ndoe", config}, code: 2, stderr: `--from: "ndoe" is not one of asbench, java, go, node, csharp, auto; did you mean "node"?`},
		{args: []string{"--from", "asbench", "--", "--treads", "5"}, code: 2, stderr: `argument 1: unknown flag --treads; did you mean "--threads"?`},
		{args: []string{"--from", "node", filepath.Join(dir, "none.json")}, code: 2, stderr: "no such file"},
		{args: []string{"--", "-k", "5"}, code: 2, stderr: "could be one of asbench or java or go"},
		{args: []string{"--duration", "5", "asbench -k 5"}, code: 2, stderr: "--duration is for benchmarks that run until they are stopped"},
		{args: []string{"-o", config, config}, code: 2, stderr: "--output: " + config + " is what is converted as well"},
		{args: []string{"-o", script, script}, code: 2, stderr: "is what is converted as well"},
		{args: []string{"-o", stages, "asbench --workload-stages '" + stages + "'"}, code: 2, stderr: "is what is converted as well"},
		{args: []string{"-o", filepath.Join(dir, "no", "x.yaml"), config}, code: 2, stderr: "x.yaml cannot be written: no such file"},
		{args: []string{binaryFile}, code: 2, stderr: binaryFile + ":1:2: no valid command line: this is no text in UTF-8"},
	} {
		cmd := exec.Command(binary, append([]string{"convert"}, c.args...)...)
		cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(c.stdin)
		r := finish(t, cmd)
		if r.code != c.code || !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) || c.stderr == "" && r.stderr != "" {
			t.Errorf("%q: exit code %d, want %d, %q and %q\n%s%s", c.args, r.code, c.code, c.stdout, c.stderr, r.stdout, r.stderr)
		}
	}
	for path, text := range texts {
		if got := string(readFile(t, path)); got != text {
			t.Errorf("%s now holds %q", path, got)
		}
	}
}

// A dash is standard output, and no file.
func TestConvertToStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	var want string
	for _, output := range [][]string{nil, {"-o", "-"}, {"--output=-"}} {
		var stdout, stderr bytes.Buffer
		args := slices.Concat([]string{"convert", "--from", "asbench"}, output, []string{"--", "-w", "RU,80"})
		if code := run(args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%q: exit code %d, %s", args, code, &stderr)
		}
		if want == "" {
			want = stdout.String()
		}
		if stdout.String() != want || !strings.Contains(want, "RU,80") {
			t.Errorf("%q prints\n%s\nwant\n%s", args, &stdout, want)
		}
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("it left %v, %v", files, err)
	}
}
