package convert

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/stage"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sesame is the password in all tests; it must never come out.
const sesame = "sesame"

// noSecrets fails the test if the password is in what a conversion made.
func noSecrets(t testing.TB, r *Result, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), sesame) {
		t.Errorf("the error shows the password: %v", err)
	}
	if r != nil && (bytes.Contains(r.Text, []byte(sesame)) || strings.Contains(strings.Join(r.Args, " "), sesame)) {
		t.Errorf("the result shows the password:\n%s%q", r.Text, r.Args)
	}
}

// commandLineOf converts a command line as it is pasted.
func commandLineOf(t testing.TB, tool, line string, o Options) (*Result, error) {
	t.Helper()
	words, err := Split(line)
	if err != nil {
		return nil, err
	}
	o.ReadFile = os.ReadFile
	r, err := CommandLine(tool, words, o)
	noSecrets(t, r, err)
	return r, err
}

func configOf(t testing.TB, tool, text string, o Options) (*Result, error) {
	t.Helper()
	r, err := Config(tool, "in.json", []byte(text), o)
	noSecrets(t, r, err)
	return r, err
}

// goldens are conversions whose whole text is kept. The command lines are those
// of the tools' own guides, with fewer keys, and some that use what is rare.
var goldens = []struct{ name, tool, line, file string }{
	{name: "asbench-default", tool: "asbench", line: "./target/benchmark -h 127.0.0.1 -p 3000"},
	{name: "asbench-read-mostly", tool: "asbench", line: "./target/benchmark -h 127.0.0.1 -p 3000 -n test -k 1000000 -o S50 -w RU,90 -z 20"},
	{name: "asbench-old-latency", tool: "asbench", line: "./target/benchmark -h 127.0.0.1 -p 3000 -n test -s demoset -k 1000000 -o S1400 -g 2500 -w RU,80 -z 8 -L 4,3"},
	{name: "asbench-many", tool: "asbench", line: "asbench -h db-1:tls-1:4333 -U loader -Psesame --tls-enable --tls-keyfile k.pem --tls-keyfile-password=sesame -upn m.lua -ufn f -ufv '1,\"x y\"' -w RUF,60,30 -b col -o 'I4,{2*S1:[3*I2]}' -z16 -S -W 4 --hdrHist hists -e -1 --batch-size 10 -RL -B allowReplica"},
	{name: "asbench-stages", tool: "asbench", line: "asbench -h db-1 --workload-stages testdata/two-stages.yaml -o S10 -k 1000 --hdr-hist hists"},
	{name: "asbench-policies", tool: "asbench", line: "asbench -h db-1 -p 3100 -U loader --auth EXTERNAL --services-alternate --connect-timeout 500 --max-error-rate 9 --error-rate-window 2 --tender-interval 700 --max-socket-idle 30 --min-conns-per-node 2 --max-conns-per-node 40 --tls-enable --tls-name t --tls-cafile ca.pem --tls-capath dir --tls-protocols '-all +TLSv1.2' --tls-cipher-suite ECDHE-RSA-AES128-GCM-SHA256 --tls-crl-check --tls-crl-check-all --tls-cert-blacklist bad.txt --tls-log-session-info --tls-keyfile k.pem --tls-certfile c.pem -n bar -s s1 -b col --compress --compression-ratio 0.5 --socket-timeout 1 --read-socket-timeout 2 --write-socket-timeout 3 -T 4 --read-timeout 5 --write-timeout 6 --max-retries 7 --sleep-between-retries 8 -C prefer-rack --rack-id 1 -N all -B linearize -M master -D --send-key -L --percentiles 50,99 --output-file out.txt --output-period 2 -d"},
	{name: "java-policies", tool: "java", line: "run_benchmarks -h db-1 -p 3100 -U loader -auth external -c prod -servicesAlternate -lt 1 -tt 2 -ti 700 -ct 500 -maxSocketIdle 30 -maxErrorRate 9 -errorRateWindow 2 -minConnsPerNode 2 -maxConnsPerNode 40 -Y 2 -tls -tp TLSv1.2 -tlsCiphers ECDHE-RSA-AES128-GCM-SHA256 -n bar -s s1 -socketTimeout 1 -readSocketTimeout 2 -writeSocketTimeout 3 -totalTimeout 4 -readTotalTimeout 5 -writeTotalTimeout 6 -maxRetries 7 -sleepBetweenRetries 8 -r any -readModeAP all -readModeSC allow_unavailable -commitLevel master -sendKey -latency 7,1 -D -N"},
	{name: "go-policies", tool: "go", line: "go run . -h db-1 -p 3100 -U loader -A pki -sa -maxErrorRate 9 -errorRateWindow 2 -minConnsPerNode 2 -queueSize 40 -tlsName t -tlsCAFile ca.pem -tlsCertFile c.pem -tlsKeyFile k.pem -keyFilePass file:pw.txt -n bar -s s1 -T 4 -maxRetries 7 -compress -L 5,1 -d"},
	{name: "java-threads", tool: "java", line: "./run_benchmarks -h 127.0.0.1 -p 3000 -n test -k 10000000 -S 1 -o S:50 -w RU,10 -z 20"},
	{name: "java-rate", tool: "java", line: "./run_benchmarks -h 127.0.0.1 -p 3000 -n test -k 10000000 -b 1 -o B:1400 -w RU,80 -g 2500 -T 50 -z 8"},
	{name: "java-async", tool: "java", line: "./run_benchmarks -h 127.0.0.1 -p 3000 -n test -k 10000000 -S 1 -o S:50 -w RU,50 -z 1 -async -asyncMaxCommands 300 -eventLoops 8"},
	{name: "java-default", tool: "java", line: "./run_benchmarks -h db-1"},
	{name: "java-many", tool: "java", line: "java -Djavax.net.ssl.trustStore=ts -Djavax.net.ssl.trustStorePassword=sesame -jar target/aerospike-benchmarks-9.0-jar-with-dependencies.jar -h 'db-1:tls-1:4333' -tlsEnable -U loader -P sesame -w RR,40 -b 3 -o I,R:100:30 -R -upn m -ufn f -ufv 1,x -r preferRack -rackId 2 -latency 7,1 -pids 1,2 -t 1000"},
	{name: "go-default", tool: "go", line: "go run benchmark.go"},
	{name: "go-read-write", tool: "go", line: "./benchmark -h 127.0.0.1 -p 3000 -n test -k 10000000 -o S:50 -w RU,10 -c 64"},
	{name: "go-timeout", tool: "go", line: "./benchmark -h 127.0.0.1 -p 3000 -n test -k 1000000 -o S:1400 -w RU,80 -T 50 -c 32"},
	{name: "go-latency", tool: "go", line: "./benchmark -h 127.0.0.1 -p 3000 -n test -k 10000000 -o S:2000 -w RU,50 -c 64 -L 5,1"},
	{name: "go-many", tool: "go", line: "./benchmark -k 1000 -w I:60 -c 7 -o B -U loader -P=sesame -tlsCAFile ca.pem -keyFilePass sesame -M -R -warmUp 5"},
	{name: "node", tool: "node", file: "testdata/config.json"},
	{name: "csharp-init", tool: "csharp", file: "testdata/settings-init.json"},
	{name: "csharp-rw", tool: "csharp", file: "testdata/settings-rw.json"},
}

func TestGolden(t *testing.T) {
	for _, c := range goldens {
		var r *Result
		var err error
		if c.file == "" {
			r, err = commandLineOf(t, c.tool, c.line, Options{})
		} else {
			var data []byte
			if data, err = os.ReadFile(c.file); err != nil {
				t.Fatal(err)
			}
			r, err = Config(c.tool, filepath.Base(c.file), data, Options{File: "my stages.yaml"})
			noSecrets(t, r, err)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		file := filepath.Join("testdata", c.name+".golden.yaml")
		if *update {
			if err := os.WriteFile(file, r.Text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(r.Text, want) {
			t.Errorf("%s differs (go test ./convert -run Golden -update rewrites it):\n%s", file, r.Text)
		}
		for i, line := range strings.Split(string(r.Text), "\n") {
			if n := len([]rune(line)); n > width && strings.Contains(line, "#") && !strings.Contains(line, "object-spec") {
				t.Errorf("%s: line %d has %d characters", file, i+1, n)
			}
		}
	}
}

// planOf loads a result as aeroload does with the flags that it gives.
func planOf(t testing.TB, r *Result) *stage.Plan {
	t.Helper()
	d := stage.Defaults{Namespace: "test", Set: "testset", ObjectSpec: "I4", StartKey: 1, Keys: 1_000_000, Threads: 16, AsyncMax: 50}
	d.ObjectOptions.BinName, d.ObjectOptions.CompressionRatio = "testbin", 1
	p, err := stage.Parse("result.yaml", r.Text, d)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Text)
	}
	return p
}

// describe says what a stage does, in one line, with what is as usual left out.
func describe(s *stage.Stage) string {
	does := strings.TrimSuffix(strings.ReplaceAll(s.Workload.String(), "%", ""), ",100,100") // all bins
	text := fmt.Sprintf("%s %d-%d %s", does, s.Keys.Start, s.Keys.End, s.Object)
	add := func(is bool, format string, args ...any) {
		if is {
			text += " " + fmt.Sprintf(format, args...)
		}
	}
	add(s.Transactions == 0, "%s", s.Duration)
	add(s.Transactions > 0, "transactions=%d", s.Transactions)
	add(s.Async, "async=%d", s.AsyncMax)
	add(!s.Async, "threads=%d", s.Threads)
	add(s.Schedule.Throttled(), "tps=%s", stage.FormatTPS(s.Schedule.Curve))
	add(s.Random, "random")
	add(s.TTL != 0, "ttl=%d", s.TTL)
	add(s.BatchRead > 1, "read=%d", s.BatchRead)
	add(s.BatchWrite > 1, "write=%d", s.BatchWrite)
	add(s.BatchNamespaces != nil, "ns=%v", s.BatchNamespaces)
	add(s.Distribution.String() != "uniform", "%s", s.Distribution)
	add(s.ReadBins != nil, "read-bins=%v", s.ReadBins)
	if s.UDF != nil {
		text += fmt.Sprintf(" %s.%s", s.UDF.Module, s.UDF.Function)
		if s.UDF.Args != nil {
			text += "(" + s.UDF.Args.String() + ")"
		}
	}
	return text
}

// check converts an input and compares its stage, the flags of its run and its
// comments with what is wanted.
func check(t *testing.T, input string, r *Result, err error, stage, args string, comments ...string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", input, err)
		return
	}
	if stage != "" { // else it needs a file beside it
		if got := describe(planOf(t, r).Stages[0]); got != stage {
			t.Errorf("%s:\n got %s\nwant %s", input, got, stage)
		}
	}
	if got := strings.Join(r.Args, " "); got != args {
		t.Errorf("%s: runs with\n     %s\nwant %s", input, got, args)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(r.Text), "#", "")), " ")
	for _, c := range comments {
		if !strings.Contains(text, c) {
			t.Errorf("%s: no comment %q in\n%s", input, c, r.Text)
		}
	}
}
