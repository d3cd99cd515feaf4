package main

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/progress"
	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// parseInto reads the flags of a run into s, as a run does, without its action.
func parseInto(s *settings, args ...string) (log string, err error) {
	cmd := command{options: runOptions(), action: func(s *settings, _ []string, _, _ io.Writer) error { return s.finish() }}
	var stderr bytes.Buffer
	err = cmd.run(s, args, io.Discard, &stderr)
	return stderr.String(), err
}

func parseFlags(t *testing.T, args ...string) *settings {
	t.Helper()
	s := newSettings()
	if log, err := parseInto(s, args...); err != nil || log != "" {
		t.Fatalf("%q: %v %s", args, err, log)
	}
	return s
}

// flagRow is one flag: how it is written, what the help says of its default, and
// what it changes.
type flagRow struct {
	name, short string
	def         string
	value       string // for a switch ""
	change      func(s *settings)
}

// flagRows are the flags of asbench, in the order of its documentation, and then
// those that asbench does not have.
func flagRows() []flagRow {
	ms := func(n int) *time.Duration { d := time.Duration(n) * time.Millisecond; return &d }
	describes := func(flag, key, text string) func(*settings) {
		return func(s *settings) {
			key, sub, _ := strings.Cut(key, ".")
			s.stageFlags = append(s.stageFlags, stage.FlagValue{Flag: "--" + flag, Key: key, Sub: sub, Text: text})
		}
	}
	keys := func(flag, key, text string) func(*settings) {
		return func(s *settings) {
			key, sub, _ := strings.Cut(key, ".")
			s.defaults.KeyFlags = append(s.defaults.KeyFlags, stage.FlagValue{Flag: "--" + flag, Key: key, Sub: sub, Text: text})
		}
	}
	nothing := func(*settings) {}
	return []flagRow{
		{"hosts", "h", "127.0.0.1", "a:4000,[::1]:tls:5", func(s *settings) { s.hosts = "a:4000,[::1]:tls:5" }},
		{"port", "p", "3000", "4000", func(s *settings) { s.port = 4000 }},
		{"user", "U", "", "joe", func(s *settings) { s.cluster.User = "joe" }},
		{"auth", "", "INTERNAL", "external_insecure", func(s *settings) { s.cluster.Auth = cluster.AuthExternalInsecure }},
		{"services-alternate", "", "", "", func(s *settings) { s.cluster.ServicesAlternate = true }},
		{"connect-timeout", "", "1000", "250", func(s *settings) { s.cluster.ConnectTimeout = 250 * time.Millisecond }},
		{"max-error-rate", "", "0", "7", func(s *settings) { s.cluster.MaxErrorRate = 7 }},
		{"error-rate-window", "", "1", "3", func(s *settings) { s.cluster.ErrorRateWindow = 3 }},
		{"tender-interval", "", "1000", "2000", func(s *settings) { s.cluster.TendInterval = 2 * time.Second }},
		{"max-socket-idle", "", "55", "20", func(s *settings) { s.cluster.MaxSocketIdle = 20 * time.Second }},
		{"min-conns-per-node", "", "0", "4", func(s *settings) { s.cluster.MinConnsPerNode = 4 }},
		{"max-conns-per-node", "", "300, or as many as there are threads", "40", func(s *settings) { s.cluster.MaxConnsPerNode = 40 }},
		{"conn-pools-per-node", "Y", "1", "2", nothing},
		{"async-min-conns-per-node", "", "0", "5", nothing},
		{"async-max-conns-per-node", "", "300", "500", nothing},
		{"namespace", "n", "test", "bar", func(s *settings) { s.defaults.Namespace = "bar" }},
		{"set", "s", "testset", "people", func(s *settings) { s.defaults.Set = "people" }},
		{"bin", "b", "testbin", "field", func(s *settings) { s.defaults.ObjectOptions.BinName = "field" }},
		{"start-key", "K", "1", "1000", func(s *settings) { s.defaults.StartKey = 1000 }},
		{"keys", "k", "1000000", "10M", func(s *settings) { s.defaults.Keys = 10_000_000 }},
		{"object-spec", "o", "I4", "I2,S50", func(s *settings) { s.defaults.ObjectSpec = "I2,S50" }},
		{"random", "R", "", "", describes("random", "random", "true")},
		{"expiration-time", "e", "0", "-1", describes("expiration-time", "expiration-time", "-1")},
		{"duration", "t", "10; 0 for I and DB", "30", describes("duration", "duration", "30")},
		{"workload", "w", "RU,50", "RR,75", describes("workload", "workload", "RR,75")},
		{"workload-stages", "", "", "stages.yaml", func(s *settings) { s.stagesFile = "stages.yaml" }},
		{"read-bins", "", "all", "1,3", describes("read-bins", "read-bins", "1,3")},
		{"write-bins", "", "all", "2", describes("write-bins", "write-bins", "2")},
		{"threads", "z", "16", "32", func(s *settings) { s.defaults.Threads = 32 }},
		{"throughput", "g", "0", "5000", describes("throughput", "tps", "5000")},
		{"batch-size", "", "1", "10", describes("batch-size", "batch-size", "10")},
		{"batch-read-size", "", "--batch-size", "11", describes("batch-read-size", "batch-read-size", "11")},
		{"batch-write-size", "", "--batch-size", "12", describes("batch-write-size", "batch-write-size", "12")},
		{"batch-delete-size", "", "--batch-size", "13", describes("batch-delete-size", "batch-delete-size", "13")},
		{"find-max", "", "", "{p99: 2ms}", describes("find-max", "find-max", "{p99: 2ms}")},
		{"query", "", "", "{bin: 2}", describes("query", "query", "{bin: 2}")},
		{"scan", "", "", "{partitions: 2}", describes("scan", "scan", "{partitions: 2}")},
		{"verify", "", "", "", describes("verify", "verify", "true")},
		{"on-error", "", "give-up", "stop", describes("on-error", "on-error", "stop")},
		{"max-errors", "", "", "100", describes("max-errors", "max-errors", "100")},
		{"max-outage", "", "60 from the start, then no limit", "30", describes("max-outage", "max-outage", "30")},
		{"batch-namespaces", "", "--namespace", "test,bar", describes("batch-namespaces", "batch-namespaces", "test,bar")},
		{"operations", "", "", "{read: 1}", describes("operations", "operations", "{read: 1}")},
		{"compress", "", "", "", func(s *settings) { s.cluster.Compress = true }},
		{"compression-ratio", "", "1", "0.25", func(s *settings) { s.defaults.ObjectOptions.CompressionRatio = 0.25 }},
		{"socket-timeout", "", "30000", "900", func(s *settings) { s.socketTimeout = ms(900) }},
		{"read-socket-timeout", "", "30000", "901", func(s *settings) { s.readSocket = ms(901) }},
		{"write-socket-timeout", "", "30000", "902", func(s *settings) { s.writeSocket = ms(902) }},
		{"timeout", "T", "1000", "50", func(s *settings) { s.totalTimeout = ms(50) }},
		{"read-timeout", "", "1000", "51", func(s *settings) { s.readTotal = ms(51) }},
		{"write-timeout", "", "1000", "52", func(s *settings) { s.writeTotal = ms(52) }},
		{"max-retries", "", "1", "4", func(s *settings) { s.cluster.MaxRetries = 4 }},
		{"sleep-between-retries", "", "0", "15", func(s *settings) { s.cluster.SleepBetweenRetries = 15 * time.Millisecond }},
		{"debug", "d", "", "", func(s *settings) { s.debug = true }},
		{"latency", "L", "", "", func(s *settings) { s.latency = true }},
		{"percentiles", "", "50,90,99,99.9,99.99", "0, 50,99.5", func(s *settings) { s.percentiles = []float64{0, 50, 99.5} }},
		{"latency-columns", "", "", "ycsb", func(s *settings) { s.columns, _ = report.ParseColumns("ycsb") }},
		{"summary-format", "", "text", "node", func(s *settings) { s.summaryFormat = "node" }},
		{"output-file", "", "", "out.txt", func(s *settings) { s.outputFile = "out.txt" }},
		{"output-period", "", "1", "5", func(s *settings) { s.outputPeriod = 5 * time.Second }},
		{"hdr-hist", "", "", "hists", func(s *settings) { s.hdrDir = "hists" }},
		{"hdr-log", "", "", "log", func(s *settings) { s.hdrLog = "log" }},
		{"result", "", "", "r.json", func(s *settings) { s.resultFile = "r.json" }},
		{"progress", "", "auto", "off", func(s *settings) { s.progress = progress.Off }},
		{"metrics-listen", "", "", ":9464", func(s *settings) { s.metrics = "127.0.0.1:9464" }},
		{"metrics-linger", "", "0", "30", func(s *settings) { s.metricsLinger = 30 * time.Second }},
		{"shared", "S", "", "", nothing},
		{"send-key", "", "", "", func(s *settings) { s.cluster.SendKey = true }},
		{"replica", "C", "sequence", "prefer-rack", func(s *settings) { s.cluster.Replica = cluster.ReplicaPreferRack }},
		{"rack-id", "", "", "3,1", func(s *settings) { s.cluster.RackIDs = []int{3, 1} }},
		{"read-mode-ap", "N", "one", "all", func(s *settings) { s.cluster.ReadModeAP = cluster.ReadModeAPAll }},
		{"read-mode-sc", "B", "session", "allowReplica", func(s *settings) { s.cluster.ReadModeSC = cluster.ReadModeSCAllowReplica }},
		{"commit-level", "M", "all", "master", func(s *settings) { s.cluster.CommitLevel = cluster.CommitMaster }},
		{"durable-delete", "D", "", "", func(s *settings) { s.cluster.DurableDelete = true }},
		{"async", "a", "", "", describes("async", "async", "true")},
		{"async-max-commands", "c", "50", "200", func(s *settings) { s.defaults.AsyncMax = 200 }},
		{"udf-package-name", "", "", "mod", describes("udf-package-name", "udf.module", "mod")},
		{"udf-function-name", "", "", "fn", describes("udf-function-name", "udf.function", "fn")},
		{"udf-function-values", "", "", "1,I2", describes("udf-function-values", "udf.args", "1,I2")},
		{"event-loops", "W", "1", "2", nothing},
		{"tls-enable", "", "", "", func(s *settings) { s.cluster.TLS.Enable = true }},
		{"tls-name", "", "", "node", func(s *settings) { s.cluster.TLS.Name = "node" }},
		{"tls-cafile", "", "", "ca.pem", func(s *settings) { s.cluster.TLS.CAFile = "ca.pem" }},
		{"tls-capath", "", "", "cas", func(s *settings) { s.cluster.TLS.CAPath = "cas" }},
		{"tls-protocols", "", "TLSv1.2,TLSv1.3", "-all +TLSv1.3", func(s *settings) { s.cluster.TLS.Protocols = "-all +TLSv1.3" }},
		{"tls-cipher-suite", "", "", "A:B", func(s *settings) { s.cluster.TLS.CipherSuites = "A:B" }},
		{"tls-crl-check", "", "", "", func(s *settings) { s.cluster.TLS.CRLCheck = true }},
		{"tls-crl-check-all", "", "", "", func(s *settings) { s.cluster.TLS.CRLCheckAll = true }},
		{"tls-cert-blacklist", "", "", "bad.txt", func(s *settings) { s.cluster.TLS.CertBlacklist = "bad.txt" }},
		{"tls-log-session-info", "", "", "", func(s *settings) { s.cluster.TLS.SessionLog = os.Stderr }},
		{"tls-keyfile", "", "", "key.pem", func(s *settings) { s.cluster.TLS.KeyFile = "key.pem" }},
		{"tls-keyfile-password", "", "", "env:PW", func(s *settings) { s.cluster.TLS.KeyPassword = "env:PW" }},
		{"tls-certfile", "", "", "cert.pem", func(s *settings) { s.cluster.TLS.CertFile = "cert.pem" }},
		{"tls-login-only", "", "", "", func(s *settings) { s.cluster.TLS.LoginOnly = true }},

		{"udf-file", "", "", "mod.lua", describes("udf-file", "udf.file", "mod.lua")},
		{"transactions", "", "0", "10k", describes("transactions", "transactions", "10k")},
		{"warmup", "", "0", "5s", describes("warmup", "warmup", "5s")},
		{"arrival", "", "uniform", "poisson", describes("arrival", "arrival", "poisson")},
		{"seed", "", "drawn at random", "18446744073709551615", func(s *settings) { s.defaults.Seed = 1<<64 - 1 }},
		{"gen-bench", "", "", "1M", func(s *settings) { s.genBench = 1_000_000 }},
		{"key-distribution", "", "uniform", "zipfian,theta=0.9", keys("key-distribution", "keys.distribution", "zipfian,theta=0.9")},
		{"key-type", "", "integer", "bytes", keys("key-type", "keys.type", "bytes")},
		{"key-prefix", "", "", "user", keys("key-prefix", "keys.prefix", "user")},
		{"key-pad", "", "", "10", keys("key-pad", "keys.pad", "10")},
		{"key-template", "", "", "user%08d", keys("key-template", "keys.template", "user%08d")},
		{"key-length", "", "", "16", keys("key-length", "keys.length", "16")},
		{"key-file", "", "", "keys.txt", keys("key-file", "keys.file", "keys.txt")},
		{"shard", "", "1/1", "2/8", keys("shard", "shard", "2/8")},
		{"embedded", "", "", "", func(s *settings) { s.embedded = true }},
	}
}

// spellings are all ways to write the flag.
func (r flagRow) spellings() [][]string {
	if r.value == "" {
		forms := [][]string{{"--" + r.name}, {"-" + r.name}}
		if r.short != "" {
			forms = append(forms, []string{"-" + r.short})
		}
		return forms
	}
	forms := [][]string{
		{"--" + r.name, r.value}, {"--" + r.name + "=" + r.value}, {"-" + r.name, r.value}, {"-" + r.name + "=" + r.value},
	}
	if r.short != "" {
		forms = append(forms, []string{"-" + r.short, r.value}, []string{"-" + r.short + r.value}, []string{"-" + r.short + "=" + r.value})
	}
	return forms
}

func TestFlags(t *testing.T) {
	for _, r := range flagRows() {
		canonical := "--" + r.name
		if r.value != "" {
			canonical += "=" + r.value
		}
		for _, args := range r.spellings() {
			var log bytes.Buffer
			got, err := normalize(args, allOptions(allCommands()[0]), &log)
			if err != nil || !slices.Equal(got, []string{canonical}) || log.Len() > 0 {
				t.Errorf("%q is read as %q, %v %s", args, got, err, &log)
			}
		}
		got, want := newSettings(), newSettings()
		want.defaults.Seed = got.defaults.Seed
		want.given[r.name] = true
		r.change(want)
		if err := want.finish(); err != nil {
			t.Fatal(err)
		}
		if log, err := parseInto(got, canonical); err != nil || log != "" {
			t.Errorf("%s: %v %s", canonical, err, log)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", canonical, got, want)
		}
	}
}

// Flags that do not fit into the rows.
func TestSpecialFlags(t *testing.T) {
	if s := parseFlags(t, "-U", "joe", "-P"); s.cluster.Password != "" || !s.promptPassword {
		t.Errorf("-P does not ask for the password")
	}
	for _, args := range [][]string{{"-Psecret"}, {"-P=secret"}, {"--password=secret"}, {"-password=secret"}, {"-P", "-Psecret"}} {
		if s := parseFlags(t, args...); s.cluster.Password != "secret" || s.promptPassword {
			t.Errorf("%q: the password is %q, to be asked for: %t", args, s.cluster.Password, s.promptPassword)
		}
	}
	if s := parseFlags(t, "--connection-timeout", "7"); s.cluster.ConnectTimeout != 7*time.Millisecond {
		t.Errorf("--connection-timeout 7 gives %v", s.cluster.ConnectTimeout)
	}
	if s := parseFlags(t, "-z4", "-z", "5"); s.defaults.Threads != 5 {
		t.Errorf("of two --threads, 4 and 5, %d counts", s.defaults.Threads)
	}
	if s := parseFlags(t, "-T", "1.5s", "--max-socket-idle", "2m"); s.cluster.ReadTimeout != 1500*time.Millisecond || s.cluster.MaxSocketIdle != 2*time.Minute {
		t.Errorf("durations with units give %v and %v", s.cluster.ReadTimeout, s.cluster.MaxSocketIdle)
	}
	if s := parseFlags(t, "-p", "4000", "-h", "a,b:5"); !reflect.DeepEqual(s.cluster.Hosts, []cluster.Host{{Name: "a", Port: 4000}, {Name: "b", Port: 5}}) {
		t.Errorf("the hosts are %v", s.cluster.Hosts)
	}
	log, err := parseInto(newSettings(), "--maxRetries=2")
	if err != nil || !strings.Contains(log, "--max-retries") {
		t.Errorf("--maxRetries: %v, the log says %q", err, log)
	}
	for flag, sub := range map[string]string{"-upn": "module", "-ufn": "function", "--ufv": "args"} {
		if s := parseFlags(t, flag, "x"); len(s.stageFlags) != 1 || s.stageFlags[0].Sub != sub {
			t.Errorf("%s x gives %+v", flag, s.stageFlags)
		}
	}
}

// Every flag has a row above, so that no flag goes untested, and no flag of
// asbench is missing.
func TestFlagRowsAreComplete(t *testing.T) {
	tested := map[string]bool{"password": true, profileName: true, profileFile: true} // in TestSources
	for _, r := range flagRows() {
		tested[r.name] = true
	}
	for _, o := range runOptions() {
		if !tested[o.name] {
			t.Errorf("--%s has no row", o.name)
		}
	}
	for _, o := range allOptions(command{}) {
		if s := map[string]string{"help": "", "version": "V"}[o.name]; s != o.short {
			t.Errorf("--%s has the short name %q, want %q", o.name, o.short, s)
		}
	}
}

func TestTimeouts(t *testing.T) {
	type timeouts struct{ read, write, readSocket, writeSocket int } // ms
	for _, c := range []struct {
		why  string
		args string
		want timeouts
	}{
		{"defaults", "", timeouts{1000, 1000, 30000, 30000}},
		{"the general one is for both", "-T 50", timeouts{50, 50, 30000, 30000}},
		{"a special one is for one", "--read-timeout 10", timeouts{10, 1000, 30000, 30000}},
		{"the special one wins", "-T 50 --read-timeout 10", timeouts{10, 50, 30000, 30000}},
		{"in whatever order", "--read-timeout 10 -T 50", timeouts{10, 50, 30000, 30000}},
		{"for writes too", "--write-timeout 10 -T 50", timeouts{50, 10, 30000, 30000}},
		{"both special ones", "--write-timeout 10 -T 50 --read-timeout 20", timeouts{20, 10, 30000, 30000}},
		{"0, no limit, is a value", "-T 50 --read-timeout 0", timeouts{0, 50, 30000, 30000}},
		{"so for the general one", "-T 0 --read-timeout 10", timeouts{10, 0, 30000, 30000}},
		{"sockets", "--socket-timeout 70 --write-socket-timeout 80", timeouts{1000, 1000, 70, 80}},
		{"sockets in another order", "--write-socket-timeout 80 --socket-timeout 70", timeouts{1000, 1000, 70, 80}},
		{"sockets, reads", "--read-socket-timeout 0 --socket-timeout 70", timeouts{1000, 1000, 0, 70}},
	} {
		s := parseFlags(t, strings.Fields(c.args)...)
		got := timeouts{
			int(s.cluster.ReadTimeout.Milliseconds()), int(s.cluster.WriteTimeout.Milliseconds()),
			int(s.cluster.ReadSocketTimeout.Milliseconds()), int(s.cluster.WriteSocketTimeout.Milliseconds()),
		}
		if got != c.want {
			t.Errorf("%s: %s gives %v, want %v", c.why, c.args, got, c.want)
		}
	}
}

// Flags of a stage end up in its plan.
func TestPlanFromFlags(t *testing.T) {
	s := parseFlags(t, "-w", "RU,75", "-t", "30s", "-g", "2k", "-R", "-e", "-1", "-o", "3*I1", "--read-bins", "1,3", "-K", "5", "-k", "10", "-z2", "--seed", "7")
	plan, err := s.plan()
	if err != nil {
		t.Fatal(err)
	}
	st := plan.Stages[0]
	got := []any{len(plan.Stages), st.Workload.String(), st.Duration, st.Schedule.Curve, st.Random, st.TTL, st.Object.String(), st.ReadBins, st.Keys.Start, st.Keys.End, st.Threads, st.Seed}
	want := []any{1, "RU,75%,0%,100%", 30 * time.Second, workload.Constant(2000), true, int64(-1), "3*I1", []int{1, 3}, uint64(5), uint64(15), 2, uint64(7)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// What is no flag may stand before flags: `validate FILE -k 10`.
func TestFlagsBehindArguments(t *testing.T) {
	file := t.TempDir() + "/stages.yaml"
	if err := os.WriteFile(file, []byte("- workload: I\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var outputs []string
	for _, args := range [][]string{
		{"validate", "-k", "10", "--seed=1", file},
		{"validate", file, "-k", "10", "--seed=1"},
		{"validate", "-k10", "--seed", "1", "--", file},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%q: exit code %d, %s", args, code, &stderr)
		}
		outputs = append(outputs, stdout.String())
	}
	if !strings.Contains(outputs[0], "key-end: 11") || outputs[1] != outputs[0] || outputs[2] != outputs[0] {
		t.Errorf("the outputs are\n%s", strings.Join(outputs, "\n"))
	}
}
