package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/internal/shown"
)

// TestBadFlags runs whole command lines that are wrong: all end with exit code 2
// and a message before anything is sent. (A flag that is let through makes the
// run try 127.0.0.1:3000, and either way ends with another code.)
func TestBadFlags(t *testing.T) {
	file := t.TempDir() + "/stages.yaml"
	if err := os.WriteFile(file, []byte("- workload: I\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string // separated by blanks; '' is an empty argument
		want string // in the message; several pieces, in their order, separated by |
	}{
		// What the argument reader refuses; the rest of that is in TestNormalizeErrors.
		{"--worklod I", `unknown flag --worklod; did you mean "--workload"?`},
		{"validate --worklod I", "unknown flag --worklod"},
		{"validate -h", `unknown flag -h; did you mean "--help"?`},
		{"serve -h", `unknown flag -h; did you mean "--help"?`},
		{"serve --lisen :0", `unknown flag --lisen; did you mean "--listen"?`},
		{"serve --threads 5", "unknown flag --threads"},
		{"--listen :0", "unknown flag --listen"},
		{"-z", "-z (--threads) needs a value: N"},
		{"serve --listen ''", "--listen: the value is empty"},
		{"serve --listen 127.0.0.1:99x", `--listen: "127.0.0.1:99x" is not an address: its port is not a number from 0 to 65535`},
		{"serve --listen 0.0.0.0:99999", `--listen: "0.0.0.0:99999" is not an address: its port is not a number from 0 to 65535`},
		{"serve --listen 3000", `--listen: "3000" is not an address: expected HOST:PORT, or :PORT; did you mean ":3000"?`},
		{"serve --listen 127.0.0.1:65534 --nodes 3", `--nodes: the ports of 3 nodes from that of --listen on, "127.0.0.1:65534", end at 65536; 65535 is the highest port`},
		{"serve --listen", "--listen needs a value: HOST:PORT"},
		{"--debug=no", "--debug=no: --debug is a switch and takes no value"},

		// Numbers.
		{"-k abc", `--keys: "abc" is not a count`},
		{"-k ''", `--keys: "" is not a count`},
		{"-k 1.5", `--keys: "1.5" is not a count`},
		{"-k 0", "--keys: the key range [1, 1) is empty"},
		{"-k -5", "--keys: -5 is out of range"},
		{"-k 99999999999999999999", "--keys: 99999999999999999999 is out of range"},
		{"-K x", `--start-key: "x" is not a count`},
		{"-z 0", `--threads: "0" is not a whole number from 1 to 10000`},
		{"-z 10001", `--threads: "10001" is not a whole number from 1 to 10000`},
		{"-z16x", `--threads: "16x" is not a whole number from 1 to 10000`},
		{"-z 99999999999999999999", `--threads: "99999999999999999999" is not a whole number`},
		{"-p 70000", `--port: "70000" is not a whole number from 1 to 65535`},
		{"-p 0", `--port: "0" is not a whole number from 1 to 65535`},
		{"-g abc", `--throughput: "abc" is not a number of transactions per second`},
		{"-g -1", "--throughput: -1 is out of range"},
		{"-g NaN", `--throughput: "NaN" is not a number`},
		{"-t abc", `--duration: "abc" is not a duration`},
		{"-t -1", "--duration: -1 is out of range"},
		{"-t 0", "--duration: the workload RU,50%,100%,100% has no end of its own"},
		{"-e -3", "--expiration-time: -3 is out of range"},
		{"-e soon", `--expiration-time: "soon" is not a duration`},
		{"--seed -1", `--seed: "-1" is not a seed`},
		{"--seed 18446744073709551616", `--seed: "18446744073709551616" is not a seed`},
		{"-T abc", `--timeout: "abc" is not a number of milliseconds`},
		{"-T 5x", `--timeout: "5x" is not a number of milliseconds`},
		{"-T -1", "--timeout: -1 is out of range: expected 0 to 2147483647 milliseconds"},
		{"-T -1s", `--timeout: "-1s" is not a number of milliseconds`},
		{"--read-timeout 2147483648", "--read-timeout: 2147483648 is out of range"},
		{"--write-socket-timeout 99999999999999999999", "--write-socket-timeout: 99999999999999999999 is out of range"},
		{"--connection-timeout x", `--connect-timeout: "x" is not a number of milliseconds`},
		{"--max-socket-idle x", `--max-socket-idle: "x" is not a number of seconds`},
		{"--max-retries -1", `--max-retries: "-1" is not a whole number from 0`},
		{"--max-conns-per-node 0", `--max-conns-per-node: "0" is not a whole number from 1`},
		{"--output-period 0", `--output-period: "0" is not a whole number from 1`},
		{"-W 1001", `--event-loops: "1001" is not a whole number from 1 to 1000`},
		{"-c 5001", `--async-max-commands: "5001" is not a whole number from 1 to 5000`},
		{"-Y 0", `--conn-pools-per-node: "0" is not a whole number from 1`},
		{"--batch-size 0", "--batch-size: 0 is out of range"},
		{"--batch-size 100001", "--batch-size: 100001 is out of range: expected a batch size from 1 to 100000"},
		{"-w RUF", "--workload: RUF,40%,40% calls a UDF: give its module and function under the key udf"},
		{"-w RUF -upn mod", "--udf-package-name: function is missing"},
		{"-w RUF -upn mod -ufn f -ufv Q", "--udf-function-values: object spec: "},
		{"-w RUF -ufn f --udf-file none.lua", "--udf-file: open none.lua: no such file or directory"},
		{"-upn mod -ufn f", "--udf-package-name: the workload RU,50% calls no UDF"},
		{"-s " + strings.Repeat("x", 64), "--set: "},
		{"-n " + strings.Repeat("x", 32), "--namespace: "},
		{"--transactions x", `--transactions: "x" is not a count`},
		{"--arrival random", `--arrival: "random" is no kind of arrival: expected uniform or poisson`},
		{"-w I --warmup 5", "--warmup: I visits each key once"},
		{"--compression-ratio 0", `--compression-ratio: "0" is not a ratio from 0.001 to 1`},
		{"--compression-ratio 1.01", `--compression-ratio: "1.01" is not a ratio from 0.001 to 1`},
		{"--compression-ratio NaN", `--compression-ratio: "NaN" is not a ratio`},
		{"--compression-ratio half", `--compression-ratio: "half" is not a ratio`},

		// Percentiles.
		{"--percentiles 99,50", `--percentiles: 50 in "99,50" does not ascend`},
		{"--percentiles 50,50", `--percentiles: 50 in "50,50" does not ascend`},
		{"--percentiles 100", `--percentiles: "100" is not a percentile: expected numbers from 0 to below 100`},
		{"--percentiles 50,-1", `--percentiles: "-1" in "50,-1" is not a percentile`},
		{"--percentiles NaN", `--percentiles: "NaN" is not a percentile`},
		{"--percentiles Inf", `--percentiles: "Inf" is not a percentile`},
		{"--percentiles ''", `--percentiles: "" is not a percentile`},
		{"--percentiles 50,,90", `--percentiles: "" in "50,,90" is not a percentile`},
		{"--percentiles 50,", `--percentiles: "" in "50," is not a percentile`},

		// Choices.
		{"--replica foo", `--replica: "foo" is not one of master, any, sequence, prefer-rack`},
		{"--replica Master", `--replica: "Master" is written "master"`},
		{"--auth foo", `--auth: "foo" is not one of INTERNAL, EXTERNAL, EXTERNAL_INSECURE, PKI`},
		{"-N two", `--read-mode-ap: "two" is not one of one, all`},
		{"-B foo", `--read-mode-sc: "foo" is not one of session, linearize, allowReplica, allowUnavailable`},
		{"-M foo", `--commit-level: "foo" is not one of all, master`},
		{"--rack-id x", `--rack-id: rack 1, "x", is not a number`},
		{"--rack-id 1", "--rack-id: only with --replica prefer-rack"},
		{"-C prefer-rack", "--rack-id: needed with --replica prefer-rack"},

		// Hosts.
		{"-h ''", `--hosts: host 1, "": the host is missing`},
		{"-h a,,b", `--hosts: host 2, "": the host is missing`},
		{"-h a:70000", `--hosts: host 1, "a:70000": port 70000 is not in 1..65535`},
		{"-h [::1", `--hosts: host 1, "[::1": the bracket isn't closed`},
		{"-h ::1", `--hosts: host 1, "::1": put an IPv6 address in brackets`},

		// Texts.
		{"-w foo", `--workload: unknown workload "foo"`},
		{"-w RU,101", `--workload: "RU,101"`},
		{"-o I9", "--object-spec: |I9"},
		{"-b abcdefghijklmnop", `--object-spec: |"abcdefghijklmnop" has 16 bytes`},
		{"--read-bins 2", "--read-bins: there is no bin 2"},
		{"--read-bins 1 -w I", "--read-bins: the workload I reads no bins"},
		{"--write-bins x", `--write-bins: "x" in "x" is not a bin number`},
		{"-R -w DB", "--random: the workload DB writes no values"},
		{"--workload-stages ''", "--workload-stages: the value is empty"},
		{"--output-file ''", "--output-file: the value is empty"},
		{"--hdr-hist ''", "--hdr-hist: the value is empty"},
		{"--result ''", "--result: the value is empty"},
		{"--hdr-log ''", "--hdr-log: the value is empty"},
		{"--workload-stages -", `--workload-stages: "-" is no stream here; ./- is the file of that name`},
		{"--output-file -", `--output-file: "-" is not standard output here, but "stdout" is; ./- is the file of that name`},
		{"--hdr-hist -", `--hdr-hist: "-" is no stream here`},
		{"--hdr-log=-", `--hdr-log: "-" is no stream here`},
		{"--result -", `--result: "-" is no stream here`},
		{"--profile-file -", `--profile-file: "-" is no stream here`},
		{"merge -o - a.json", `--output: "-" is no stream here`},
		{"merge -", `"-" is no stream here`},
		{"compare a.json,- b.json", `"-" is no stream here`},
		{"report -", `"-" is no stream here`},
		{"validate FILE -", `"-" is no stream here`},
		{"validate ./-", "open ./-: no such file"},
		{"--workload-stages ./-", "open ./-: no such file"},
		{"--metrics-listen ''", "--metrics-listen: the value is empty"},
		{"--metrics-listen 9464", `--metrics-listen: "9464" is not an address: expected HOST:PORT, or :PORT; did you mean ":9464"?`},
		{"--metrics-linger 5", "--metrics-linger says how long to serve metrics after the run, which needs --metrics-listen"},
		{"--progress offf", `--progress: "offf" is not auto, on or off; did you mean "off"?`},
		{"--tls-cafile ''", "--tls-cafile: the value is empty"},
		{"-n ''", "--namespace: the value is empty"},
		{"-b ''", "--bin: the value is empty"},

		// Flags that do not go together.
		{"--workload-stages FILE -w RU", "--workload and --workload-stages do not go together|FILE"},
		{"-t 5 --workload-stages FILE -g 1 -t 6", "--duration, --throughput and --workload-stages do not go together|FILE"},
		{"--workload-stages FILE -R -a -e 1 --read-bins 1 --write-bins 1", "--random, --async, --expiration-time, --read-bins, --write-bins and --workload-stages"},
		{"--workload-stages FILE --batch-size 1 --batch-read-size 1 --batch-write-size 1 --batch-delete-size 1",
			"--batch-size, --batch-read-size, --batch-write-size, --batch-delete-size and --workload-stages"},
		{"--workload-stages nosuch.yaml", "nosuch.yaml: no such file"},
		{"--embedded -h a", "--hosts and --embedded do not go together"},
		{"--embedded -p 4000 -U joe -Px --tls-enable", "--port, --user, --password, --tls-enable and --embedded do not go together"},
		{"-U joe", `--password: missing for --user "joe"`},
		{"--tls-name x", "--tls-name: has no effect without --tls-enable"},
		{"--tls-enable --tls-login-only", "--tls-login-only"},

		// What a terminal would obey.
		{"--embedded --\x1b[31mX", `unknown flag --\x1b[31mX`},
		{"-\x1b[31mX", `unknown flag -\x1b[31mX`},
		{"-d\x1b", `unknown flag -\x1b in -d\x1b`},
		{"--debug=\x1b", `--debug=\x1b: --debug is a switch`},
		{"--workload-stages \x1b[31mX", `open \x1b[31mX: no such file`},
		{"--profile-file \x1b", `--profile-file: open \x1b: no such file`},
		{"--embedded --output-file no/\x1b", `open no/\x1b: no such file`},
		{"validate a\u202eb", `open a\u202eb: no such file`},
		{"merge \xff.json", `open \xff.json: no such file`},
		{"compare \x1b a", `open \x1b: no such file`},
		{"report \x1b", `open \x1b: no such file`},
		{"convert \x1b", `\x1b`},
		{"completion \x1b", `\x1b`},
		{"gen \x1b", `\x1b`},
		{"serve --tls-certfile \x1b --tls-keyfile x", `open \x1b: no such file`},

		// Several at once.
		{"-k abc -p 0 -z 0", `--keys: "abc"|--port: "0"|--threads: "0"`},
		{"-z 0 -g abc -h :1 -t x", `--threads: "0"|--hosts: host 1, ":1"|--throughput: "abc"|--duration: "x"`},
		{"-g abc -t x -w foo", `--throughput: "abc"|--duration: "x"|--workload: unknown workload "foo"`},
		{"--foo --bar=1", "unknown flag --foo|unknown flag --bar"},

		// What is no flag.
		{"foo", `unexpected argument "foo"; for the help use --help`},
		{"help", `unexpected argument "help"; for the help use --help`},
		{"validat x.yaml", `unexpected argument "validat"; did you mean "validate"?`},
		{"-z 8 validate x.yaml", "the command validate comes first, before all flags: aeroload validate …"},
		{"-- -z", `unexpected argument "-z"`},
		{"-w RU 75", `unexpected argument "75"`},
		{"-P secret", "-P: its value is written without a blank before it"},
		{"serve --user bob", `--user: "bob": want NAME:PASSWORD:ROLE,…`},
		{"serve --user bob:x:king", `user "bob": there is none of the roles king`},
		{"serve --tls-certfile x.pem", "--tls-certfile and --tls-keyfile are needed both"},
		{"serve --tls-certfile x.pem --tls-keyfile x.key", "--tls-certfile: open x.pem: no such file"},
		{"serve --tls-test d --tls-cafile x.pem", "--tls-test: it makes its own certificates"},
		{"serve --churn 500", "--churn: needs --nodes 2 or more"},
		{"serve --nodes 9", `--nodes: "9"`},
		{"serve --nodes 3 --racks 1,2", "--racks: there are 2 for 3 nodes"},
		{"serve --fault write", `--fault: fault "write": it does nothing`},
		{"serve --fault-seed=x", `--fault-seed: strconv.ParseUint: parsing "x": invalid syntax`},
		{"serve foo", `unexpected argument "foo"`},
		{"validate", "validate needs the name of a stage file"},
		{"validate nosuch.yaml", "nosuch.yaml: no such file"},
	} {
		var args []string
		for _, arg := range strings.Fields(strings.ReplaceAll(c.args, "FILE", file)) {
			args = append(args, strings.ReplaceAll(arg, "''", ""))
		}
		var stdout, stderr bytes.Buffer
		code := run(args, &stdout, &stderr)
		message := stderr.String()
		if code != exitUsage || stdout.Len() > 0 {
			t.Errorf("%s: exit code %d\nstdout: %s\nstderr: %s", c.args, code, &stdout, message)
		}
		if strings.Contains(message, "secret") {
			t.Errorf("%s: the message shows the password: %s", c.args, message)
		}
		if shown.Text(message) != message {
			t.Errorf("%s: the message holds what a terminal obeys: %q", c.args, message)
		}
		checkMessage(t, message)
		rest, ok := strings.CutPrefix(message, "aeroload: ")
		for piece := range strings.SplitSeq(strings.ReplaceAll(c.want, "FILE", file), "|") {
			if ok {
				_, rest, ok = strings.Cut(rest, piece)
			}
		}
		if !ok {
			t.Errorf("%s:\ngot  %swant %s", c.args, message, c.want)
		}
	}
}

// checkMessage looks for what is wrong in any message: words that repeat what
// stands before them (--throughput: tps: …), and formats that went wrong.
func checkMessage(t *testing.T, message string) {
	t.Helper()
	if strings.Contains(message, "%!") || !strings.HasSuffix(message, "\n") || strings.HasSuffix(message, "\n\n") {
		t.Errorf("a message is badly formed: %q", message)
	}
	for line := range strings.Lines(message) {
		parts := strings.Split(strings.TrimPrefix(line, "aeroload: "), ": ")
		for i := 1; i < len(parts); i++ {
			if strings.TrimLeft(parts[i], "-") == strings.TrimLeft(parts[i-1], "-") {
				t.Errorf("a message repeats %q: %s", parts[i], line)
			}
		}
	}
}

func TestUsageErrorUnwraps(t *testing.T) {
	inner := errors.New("inner")
	if err := usagef("outer: %w", inner); !errors.Is(err, inner) || err.Error() != "outer: inner" {
		t.Errorf("usagef gives %v", err)
	}
}
