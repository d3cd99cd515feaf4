package convert

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestErrors checks what is said of wrong input: what it is, where it stands, and
// what was probably meant.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ tool, input, want string }{
		{"asbench", "asbench --thread 5 --treads 6", `column 20: unknown flag --treads; did you mean "--threads"?`},
		{"asbench", "asbench --pasword=sesame", `column 9: unknown flag --pasword; did you mean "--password"?`},
		{"asbench", "asbench --pasword sesame", `column 9: unknown flag --pasword; did you mean "--password"?`},
		{"asbench", "asbench --passwordsesame", `column 9: unknown flag --password…; did you mean "--password"?`},
		{"asbench", "asbench -passwordsesame", `column 9: unknown flag -password…; did you mean "-password"?`},
		{"asbench", "asbench -qPsesame", `column 9: unknown flag -qP…`},
		{"asbench", "asbench -dqPsesame", `column 9: unknown flag -q in "-dq…"`},
		{"java", "run_benchmarks -passwordsesame", `column 16: unknown flag -password…; did you mean "-password"?`},
		{"java", "run_benchmarks --passwordsesame", `column 16: unknown flag --password…; did you mean "--password"?`},
		{"java", "run_benchmarks -RQPsesame", `column 16: unknown flag -RQP…`},
		{"go", "benchmark -Psesame", `column 11: unknown flag -P…`},
		{"asbench", "asbench -P my sesame", "column 15: unexpected argument behind -P: asbench has only flags"},
		{"java", "run_benchmarks -P my sesame", "column 22: unexpected argument behind -P: the benchmark has only flags"},
		{"go", "benchmark -P my sesame", "column 17: unexpected argument behind -P: the benchmark ignores it"},
		{"node", `{"host": ["a", "b"], "user": {}}`, "in.json:1:10: host: expected a single value"},
		{"asbench", "asbench -q5", `column 9: unknown flag -q5`},
		{"asbench", "asbench -dq", `column 9: unknown flag -q in "-dq"`},
		{"asbench", "asbench -th 5", "column 9: the flag -th is short for several: --throughput, --threads"},
		{"asbench", "asbench -a 5", `column 12: unexpected argument "5"`},
		{"asbench", "asbench --async=5", "column 9: --async is a switch and takes no value"},
		{"asbench", "asbench -dL4,0", `column 9: -L: "4,0": the shift 0 is out of range: expected 1 to 30`},
		{"asbench", "asbench --latency=5", "column 9: --latency is a switch and takes no value"},
		{"asbench", "asbench -R -- x", `column 15: unexpected argument "x"`},
		{"asbench", "asbench -R -k", "column 12: -k needs a value"},
		{"asbench", "asbench -k 10M", `column 9: -k: "10M" is not a whole number from 1 on`},
		{"asbench", "asbench -z 0", `-z: "0" is not a whole number from 1 to 10000`},
		{"asbench", "asbench -p x", `column 9: -p: "x" is not a whole number from 1 to 65535`},
		{"asbench", "asbench -w RX", `column 9: -w: unknown workload "RX"`},
		{"asbench", "asbench -C some", `-C: "some" is not one of master, any, sequence, prefer-rack`},
		{"asbench", "asbench --workload-stages testdata/two-stages.yaml -w I", "column 52: -w and --workload-stages do not go together"},
		{"asbench", "asbench --workload-stages none.yaml", "column 9: --workload-stages: open none.yaml"},
		{"asbench", "asbench -o I9", "these settings make a stage that aeroload refuses: -o I9: object spec: expected a size from 1 to 8"},
		{"asbench", "asbench -upn m -w RUF,9,9", "these settings make a stage that aeroload refuses: -upn m: udf: function is missing"},
		{"asbench", `asbench -w I -o 'S"5'`, "these settings make a stage that aeroload refuses: -o 'S\"5': object spec: expected a length after"},
		{"csharp", `{"host": "h", "keyRange": {}, "binSpec": []}`, "in.json: its keys are not those of the C# client's benchmark, but of the tool node"},
		{"node", `{"Host": "h", "Set": "s"}`, "but of the tool csharp"},
		{"asbench", "asbench --help", "--help makes the benchmark print something and end"},
		{"asbench", "run_benchmarks -z 5", `column 1: "run_benchmarks" is the program of java, not of asbench`},
		{"asbench", "asbench -z $N", "column 12: the value of the variable $N is not known here: write it out"},
		{"asbench", "asbench -z `nproc`", "column 12: the result of a command is not known here"},
		{"asbench", "asbench -o \"S5", `no valid command line: reached EOF without closing quote`},
		{"asbench", "for i in 1; do asbench -z 5; done", "only simple commands can be converted"},
		{"asbench", "", "there is no command line of a benchmark"},
		{"asbench", "asbench -z 5; asbench -z 6", "column 15: a second command line begins here"},
		{"java", "run_benchmarks -w RU", `column 16: -w: RU takes one to three percentages in "RU"`},
		{"java", "run_benchmarks -w RU,101", `"101" is not a whole percentage from 0 to 100`},
		{"java", "run_benchmarks -w I,5", `-w: I takes no percentages in "I,5"`},
		{"java", "run_benchmarks -w RUD,5", `"RUD" is not one of I, RU, RR, RMU, RMI, RMD, TXN`},
		{"java", "run_benchmarks -w TXN,x:5", "expected r:READS"},
		{"java", "run_benchmarks -o X", `column 16: -o: "X" is not one of I, S:<size>`},
		{"java", "run_benchmarks -o S", `-o: "S" lacks a size`},
		{"java", "run_benchmarks -b 2 -o I,", `-o: a bin has no type`},
		{"java", "run_benchmarks -thread 5 --treads 5", `column 26: unknown flag --treads; did you mean "--threads"?`},
		{"java", "run_benchmarks -z -k 5", "column 16: -z needs a value, not the flag -k"},
		{"java", "run_benchmarks 5", `column 16: unexpected argument "5"`},
		{"java", "run_benchmarks -P=sesame -qq", "unknown flag -qq"},
		{"java", "run_benchmarks -read 5", "is short for several: --readSocketTimeout, --readTotalTimeout, --readModeAP"},
		{"java", "run_benchmarks -ufn f", "a UDF needs -udfPackageName and -udfFunctionName"},
		{"java", "run_benchmarks -r some", `-r: "some" is not one of master, any, sequence, preferRack`},
		{"java", "run_benchmarks -F keys.txt -KT X", `-KT: "X" is not one of S, I`},
		{"java", "run_benchmarks -o S:x", `-o: "x" in "S:x" is not a size`},
		{"java", "run_benchmarks -o R:8", `-o: "R:8" lacks a size`},
		{"java", "run_benchmarks -o R:8:101", `-o: "101" in "R:8:101" is not a percentage`},
		{"java", "run_benchmarks -latency 1,1", `column 16: -latency: "1,1": the number of columns 1 is out of range: expected 2 to 32`},
		{"java", "run_benchmarks -latency 7", `column 16: -latency: "7": expected [alt,]COLUMNS,SHIFT`},
		{"java", "run_benchmarks -async=5", "-async is a switch and takes no value"},
		{"go", "benchmark -z16", `column 11: unknown flag -z16`},
		{"go", "benchmark -maxRetry 5", `column 11: unknown flag -maxRetry; did you mean "-maxRetries"?`},
		{"go", "benchmark -k 5 x -c 3", `column 16: unexpected argument "x": the benchmark ignores it and all that follows`},
		{"go", "benchmark -R=maybe", `-R: "maybe" is not a boolean`},
		{"go", "benchmark -w RR:5", `column 11: -w: "RR:5" is not a workload: expected I[:percent] or RU[:percent]`},
		{"go", "benchmark -w RU:101", `-w: "101" in "RU:101" is not a percentage`},
		{"go", "benchmark -w I:0", "-w: 0 % of the keys are none"},
		{"go", "benchmark -L ms", `column 11: -L: "ms" is no latency layout: expected COLUMNS,SHIFT`},
		{"go", "benchmark -L 1,1", `column 11: -L: "1,1": the number of columns 1 is out of range: expected 2 to 32`},
		{"go", "benchmark -o D:5", `-o: "D:5" is not an object spec`},
		{"go", "benchmark -A none", `-A: "none" is not one of internal, external, pki`},
		{"node", `{"key-range": 5}`, `in.json:1:2: unknown key "key-range"; did you mean "keyRange"?`},
		{"node", "{\n  \"set\": \"s\",\n  \"operations\": \"x\"\n}", `in.json:3:17: operations: "x" is not a whole number from 1 to 1000000`},
		{"node", `{"keyRange": {"min": 5, "mx": 6}}`, `in.json:1:25: keyRange: unknown key "mx"; expected min, max`},
		{"node", `{"keyRange": {"min": 5}}`, "in.json:1:14: keyRange: max is missing"},
		{"node", `{"keyRange": {"min": 5, "max": 4}}`, "keyRange: min 5 is above max 4"},
		{"node", `{"keyRange": 5}`, "keyRange: expected an object with min and max"},
		{"node", `{"binSpec": {"name": "b"}}`, "in.json:1:13: binSpec: expected a list of bins"},
		{"node", `{"binSpec": [{"name": "b"}]}`, "in.json:1:14: binSpec: a bin lacks its type"},
		{"node", `{"binSpec": [{"name": "b", "type": "BYTES", "size": "big"}]}`, `binSpec: "big" is not a size`},
		{"node", `{"binSpec": [{"name": "b", "type": "BYTES"}, {"name": "b", "type": "STRING"}]}`, `in.json:1:46: binSpec: a second bin "b"`},
		{"node", `{"binSpec": [{"name": "b", "type": "BYTES", "length": 5}]}`, `in.json:1:45: binSpec: unknown key "length"; expected name, type, size`},
		{"node", `{"iterations": 2000000000, "operations": 1000000, "processes": 10000}`, "operations are too many"},
		{"node", `{"iterations":true}`, `iterations: "true" is not a whole number from 1 to 2147483647`},
		{"node", `{"time": 0}`, "time: 0 seconds are no load"},
		{"node", `{"scanSpec": ` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "}", "nested over 20 deep"},
		{"node", `{"set": "` + strings.Repeat("x", maxDocument) + `"}`, "in.json is larger than 1 MiB"},
		{"node", `{"time": "1 hour"}`, `time: "1 hour" is not a time`},
		{"node", `{"reads": 0, "writes": 0}`, "reads and writes are both 0"},
		{"node", `{"processes": 1, "scanSpec": [{}]}`, "its queries and scans take all processes"},
		{"node", `{"set": "a", "set": "b"}`, `in.json:1:14: the key "set" is given twice`},
		{"node", `{"set": "a"`, "in.json:1:12: not valid JSON"},
		{"node", "{\n\"set\" \"a\"}", "in.json:2:7: not valid JSON"},
		{"node", `{"user":"me","password":hunter2secret}`, "in.json:1:25: not valid JSON: this is no number, true, false or null; a text stands in double quotes"},
		{"csharp", `{"Password": "hun\ter\x"}`, "in.json:1:14: not valid JSON: a text has a line break, a character"},
		{"node", `{"password": "hun"ter"}`, "in.json:1:19: not valid JSON: an unexpected character after object value (expecting ',' or '}')"},
		{"node", "", "in.json:1:1: not valid JSON: the file ends here, before the settings do"},
		{"asbench", "asbench -U me -Ppa$sword -w I", "column 15: a $ stands for a variable, whose value is not known here: write it out, and a password"},
		{"asbench", "asbench --password $sword", "column 20: a $ stands for a variable"},
		{"asbench", `asbench -dP"pa$sword"`, "column 9: a $ stands for a variable"},
		{"asbench", "$BENCH -z 5", "column 1: the value of the variable $BENCH is not known here"},
		{"asbench", `bash -c "asbench -w I"`, "column 9: the command line of a benchmark stands within quotes here, for another program: give it alone, without bash before it"},
		{"asbench", `ssh host 'asbench -w I'`, "column 10: the command line of a benchmark stands within quotes here"},
		{"asbench", "asbench -z 5 | asbench -z 6", "column 16: a second command line begins here"},
		{"node", `["set"]`, "in.json:1:1: expected an object with the settings"},
		{"node", `{"set": "a"} {}`, "in.json:1:14: not valid JSON"},
		{"node", `{"password": {"x": "sesame"}, "port": 5}`, "in.json:1:14: password: expected a single value"},
		{"node", `{"password": "sesame", "port": 70000}`, `in.json:1:32: port: "70000" is not a whole number from 1 to 65535`},
		{"csharp", `{"Record": 5}`, `in.json:1:2: unknown key "Record"; did you mean "Records"?`},
		{"csharp", `{"Records": 99}`, "the benchmark inserts none of less than 100 records"},
		{"csharp", `{"BinType": "Map"}`, `in.json:1:13: BinType: "Map" is not one of Integer, String, Byte`},
		{"csharp", `{"Sync": "maybe"}`, `Sync: "maybe" is not true or false`},
		{"csharp", `{"TlsEnable": true, "TlsProtocols": "SSL3"}`, `TlsProtocols: "SSL3" is not one of Tls, `},
		{"csharp", `{"Replica": "NEAREST"}`, `Replica: "NEAREST" is not one of MASTER, MASTER_PROLES`},
		{"csharp", `{"Latency": true, "LatencyColumns": 11}`, `in.json:1:37: LatencyColumns: "11" is not a whole number from 2 to 10`},
		{"csharp", `{"Latency": true, "LatencyColumns": 10, "LatencyShift": 5}`, `in.json:1:37: LatencyColumns: "10,5": the last column would begin at 2^40`},
		{"csharp", `{"ReadPct": 101}`, `ReadPct: "101" is not a whole number from 0 to 100`},
	} {
		var err error
		if strings.Contains("node csharp", c.tool) {
			_, err = configOf(t, c.tool, c.input, Options{})
		} else {
			_, err = commandLineOf(t, c.tool, c.input, Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.input, err, c.want)
		}
	}
}

// TestAllErrors checks that everything that is wrong is said at once.
func TestAllErrors(t *testing.T) {
	_, err := commandLineOf(t, "asbench", "asbench --treads 5 -k x -qq", Options{})
	if err == nil || strings.Count(err.Error(), "\n") < 2 || !strings.Contains(err.Error(), `"x" is not a whole number`) || !strings.Contains(err.Error(), "--treads") || !strings.Contains(err.Error(), "-qq") {
		t.Errorf("got %v", err)
	}
}

// TestOtherCommands checks that all commands but the benchmark's are left out.
func TestOtherCommands(t *testing.T) {
	for _, line := range []string{
		"echo x | asbench -z 5",
		"echo $X | sudo asbench -z 5 | tee log",
		"asbench -z 5 | while read line; do echo $line; done",
		"while true; do echo y; done | asbench -z 5",
		"time asbench -z 5",
		"echo $HOME; asbench -z 5 && echo done",
		"./load -z 5 | tee log",
	} {
		r, err := commandLineOf(t, "asbench", line, Options{})
		check(t, line, r, err, "RU,50 1-1000001 I4 10s threads=5", "")
	}
}

// TestSplitFile checks that errors about a file name it.
func TestSplitFile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\x7fELF\xff\xfe", "run.sh:1:5: no valid command line: this is no text in UTF-8"},
		{"", "run.sh: there is no command line of a benchmark"},
		{"#!/bin/sh\nasbench -z $N\n", "run.sh:2:12: the value of the variable $N is not known here: write it out"},
	} {
		if _, err := SplitFile("run.sh", c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestGuess(t *testing.T) {
	for _, c := range []struct{ line, tool, err string }{
		{"./asbench -k 5", "asbench", ""},
		{"docker run --rm aerospike/aerospike-tools asbench -k 5", "asbench", ""},
		{"/opt/aerospike-benchmark -k 5", "asbench", ""},
		{"$ ./run_benchmarks -k 5", "java", ""},
		{"./load -s benchmark -sa", "go", "could be one of"},
		{"java -cp x.jar com.aerospike.benchmarks.Main -k 5", "java", ""},
		{"go run . -k 5", "go", ""},
		{"go run github.com/aerospike/aerospike-client-go/v7/tools/benchmark@latest -k 5", "go", ""},
		{"./benchmark -c 64 -queueSize 5", "go", ""},
		{"./target/benchmark -k 5", "asbench", ""},
		{"-k 5 -asyncMaxCommands 8 -W 1 -eventLoopType DIRECT_NIO", "java", ""},
		{"--start-key 5", "asbench", ""},
		{"-sa -k 5", "", "could be one of asbench or java or go"},
		{"-k 5 -h x", "", "could be one of asbench or java or go"},
		{"./benchmark -k 5", "", "could be one of asbench or go"},
		{"-k 5 --no-such-flag", "", "no tool understands this command line"},
		{"asbench --no-such-flag", "", "column 9: unknown flag --no-such-flag"},
		{"tar -xf x.tar", "", "no tool understands this command line"},
	} {
		r, err := commandLineOf(t, Auto, c.line, Options{})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %s", c.line, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.line, err)
		case r.Tool != c.tool:
			t.Errorf("%s: taken for %s, want %s", c.line, r.Tool, c.tool)
		}
	}
	for _, c := range []struct{ text, tool, err string }{
		{`{"host": "h"}`, "node", ""},
		{`{"Host": "h"}`, "csharp", ""},
		{`{"hOST": "h"}`, "", "do not tell"},
		{`{}`, "", "do not tell"},
	} {
		r, err := configOf(t, Auto, c.text, Options{})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %s", c.text, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.text, err)
		case r.Tool != c.tool:
			t.Errorf("%s: taken for %s, want %s", c.text, r.Tool, c.tool)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`asbench -o 'I4,"a b"' -w RU,80`, `asbench|-o|I4,"a b"|-w|RU,80`},
		{"asbench -o \"S5\" \\\n  -z 5 # not this", "asbench|-o|S5|-z|5"},
		{`asbench -o a\ b --x="y z"`, `asbench|-o|a b|--x=y z`},
		{"asbench -s '' -k 5", "asbench|-s||-k|5"},
		{"asbench -k 5 > out.log 2>&1 &", "asbench|-k|5"},
		{"asbench -k 5 | tee out.log", "asbench|-k|5"},
		{"#!/bin/bash\nset -e\ncd /tmp && asbench -k 5\necho done", "asbench|-k|5"},
		{"PATH=x asbench -k 5", "asbench|-k|5"},
		{"asbench -o {2*S1:I1} -F ~/keys*.txt", "asbench|-o|{2*S1:I1}|-F|~/keys*.txt"},
		{"$ ./run_benchmarks -k 5", "$|./run_benchmarks|-k|5"},
		{`asbench -o $'S5\t'`, "asbench|-o|S5\t"},
	} {
		words, err := Split(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var texts []string
		for _, w := range words {
			texts = append(texts, w.Text)
		}
		if got := strings.Join(texts, "|"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
	words, err := Split("asbench \\\n  -k 5")
	if err != nil || words[1].Place != "line 2, column 3" {
		t.Errorf("words %v, error %v", words, err)
	}
}

// TestOptions checks the path and duration that a caller chooses.
func TestOptions(t *testing.T) {
	r, err := commandLineOf(t, "java", "run_benchmarks -k 5", Options{File: "out dir/x.yaml", Duration: "90s"})
	check(t, "a duration", r, err, "RU,50 0-5 0=I4 1m30s threads=16", "--max-error-rate 100 --max-retries 2", "--workload-stages 'out dir/x.yaml'")
	for _, c := range [][2]string{
		{"java", "run_benchmarks -w I"}, {"java", "run_benchmarks -t 5"}, {"asbench", "asbench"}, {"asbench", "asbench -w I"}, {"go", "benchmark -w I"},
	} {
		if _, err := commandLineOf(t, c[0], c[1], Options{Duration: "90s"}); err == nil || !strings.Contains(err.Error(), "--duration is for benchmarks that run until they are stopped") {
			t.Errorf("%s: %v", c[1], err)
		}
	}
	if _, err := commandLineOf(t, "java", "run_benchmarks", Options{Duration: "soon"}); err == nil || !strings.Contains(err.Error(), `"soon" is not a duration`) {
		t.Errorf("got %v", err)
	}
	if _, err := commandLineOf(t, "asbench", "asbench --workload-stages testdata/two-stages.yaml", Options{Duration: "5"}); err == nil || !strings.Contains(err.Error(), "this one ends by itself: as the stages say") {
		t.Errorf("got %v", err)
	}
	if !ReadsWords("java") || ReadsWords("node") || ReadsWords(Auto) {
		t.Error("ReadsWords confuses tools that have files with those that have command lines")
	}
	if _, err := CommandLine("asbench", Words([]string{"--workload-stages", "x"}), Options{}); err == nil || !strings.Contains(err.Error(), "argument 1: --workload-stages names a stage file, which needs no conversion") {
		t.Errorf("got %v", err)
	}
	for _, c := range []struct{ tool, want string }{
		{"node", "reads a file, not a command line"}, {"ndoe", `"ndoe" is no tool`}, {"javva", `did you mean "java"?`},
	} {
		if _, err := CommandLine(c.tool, Words([]string{"-k", "5"}), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.tool, err)
		}
	}
	if _, err := Config("java", "x.json", []byte("{}"), Options{}); err == nil || !strings.Contains(err.Error(), "has no configuration file") {
		t.Errorf("got %v", err)
	}
	if _, err := CommandLine("java", nil, Options{}); err == nil {
		t.Error("an empty command line is taken")
	}
	if _, err := CommandLine("java", Words([]string{"-s", "\xff"}), Options{}); err == nil || !strings.Contains(err.Error(), "argument 2: not valid UTF-8") {
		t.Errorf("got %v", err)
	}
}

// TestMissingFile checks that a file which the stages need may come later.
func TestMissingFile(t *testing.T) {
	r, err := commandLineOf(t, "java", "run_benchmarks -F keys.txt -KT I", Options{})
	if err != nil || r.Missing == nil || !strings.Contains(r.Missing.Error(), "keys.txt") {
		t.Fatalf("result %v, error %v", r, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/keys.txt", []byte("5\n7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err = commandLineOf(t, "java", "run_benchmarks -F keys.txt -KT S -S 5 -k 9 -w RU,30", Options{File: dir + "/stages.yaml"})
	check(t, "a file of keys", r, err, "", "--max-error-rate 100 --max-retries 2", "-S 5 with a file, all of its keys are used", "takes but the number of keys from the file", "{file: keys.txt, type: string}")
	r, err = commandLineOf(t, "java", "run_benchmarks -F keys.txt -KT I", Options{File: dir + "/stages.yaml"})
	if err != nil || r.Missing != nil || !strings.Contains(string(r.Text), "keys: {file: keys.txt, type: integer}") {
		t.Fatalf("result %v, error %v", r, err)
	}
}

// TestHostileText checks that no text gets out of its comment or its value.
func TestHostileText(t *testing.T) {
	for _, text := range []string{"a\nstages: []", "a # b", "a: b", "{", "'", `"`, "- x", "\x00", "\u2028x", "\u202e", "~", "null", "a\r\nb", "%d", "\ufeff"} {
		for _, flag := range []string{"-s", "-o", "--read-bins", "-n", "--hdr-hist", "-upn"} {
			words := Words([]string{flag, text, "-W", "1"})
			r, err := CommandLine("asbench", words, Options{File: "x" + text})
			if err != nil {
				continue
			}
			if n := len(planOf(t, r).Stages); n != 1 {
				t.Errorf("%s %q: %d stages", flag, text, n)
			}
			if flag == "--hdr-hist" && planOf(t, r).HDRDir != text {
				t.Errorf("--hdr-hist %q became %q", text, planOf(t, r).HDRDir)
			}
		}
		config := `{"set": ` + string(quoteJSON(t, text)) + `, "log": ` + string(quoteJSON(t, text)) + `}`
		if r, err := configOf(t, "node", config, Options{}); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if strings.Join(r.Args, "|") != "--set|"+text+"|--max-error-rate|100|--max-retries|2" && text != "" {
			t.Errorf("%q became %q", text, r.Args)
		}
	}
}

func quoteJSON(t *testing.T, text string) []byte {
	t.Helper()
	data, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
