package convert

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/workload"
)

// asbenchTool is asbench, aerospike-benchmark 2.2.9 (src/main/benchmark_init.c).
// aeroload has the same flags, so what a stage file has no key for keeps its name.
func asbenchTool() *tool {
	count := whole(0, math.MaxInt32)
	return &tool{
		name: "asbench", title: "asbench", input: "a command line of asbench",
		read: readGetopt, fill: fillAsbench,
		settings: []setting{
			{names: []string{"hosts", "h"}, flag: "--hosts"},
			{names: []string{"port", "p"}, flag: "--port", check: whole(1, 65535)},
			{names: []string{"user", "U"}, flag: "--user"},
			{names: []string{"password", "P"}, takes: perhaps, flag: "--password", secret: true},
			{names: []string{"auth"}, flag: "--auth", check: choice("INTERNAL", "INTERNAL", "EXTERNAL", "EXTERNAL", "EXTERNAL_INSECURE", "EXTERNAL_INSECURE", "PKI", "PKI")},
			{names: []string{"services-alternate", "servicesAlternate"}, takes: nothing, flag: "--services-alternate"},
			{names: []string{"connect-timeout"}, flag: "--connect-timeout", check: millis},
			{names: []string{"max-error-rate"}, flag: "--max-error-rate", check: count},
			{names: []string{"error-rate-window"}, flag: "--error-rate-window", check: whole(1, math.MaxInt32)},
			{names: []string{"tender-interval"}, flag: "--tender-interval", check: millis},
			{names: []string{"max-socket-idle"}, flag: "--max-socket-idle", check: count},
			{names: []string{"min-conns-per-node"}, flag: "--min-conns-per-node", check: count},
			{names: []string{"max-conns-per-node"}, flag: "--max-conns-per-node", check: whole(1, math.MaxInt32)},
			{names: []string{"conn-pools-per-node", "Y", "connPoolsPerNode"}, none: "the Go client divides its pool by itself"},
			{names: []string{"async-min-conns-per-node"}, none: "there is one pool of connections, see --min-conns-per-node"},
			{names: []string{"async-max-conns-per-node"}, none: "there is one pool of connections, see --max-conns-per-node"},
			{names: []string{"tls-enable", "tlsEnable"}, takes: nothing, flag: "--tls-enable"},
			{names: []string{"tls-name"}, flag: "--tls-name"},
			{names: []string{"tls-cafile", "tlsCaFile"}, flag: "--tls-cafile"},
			{names: []string{"tls-capath", "tlsCaPath"}, flag: "--tls-capath"},
			{names: []string{"tls-protocols", "tlsProtocols"}, flag: "--tls-protocols"},
			{names: []string{"tls-cipher-suite", "tlsCipherSuite"}, flag: "--tls-cipher-suite"},
			{names: []string{"tls-crl-check", "tlsCrlCheck"}, takes: nothing, flag: "--tls-crl-check"},
			{names: []string{"tls-crl-check-all", "tlsCrlCheckAll"}, takes: nothing, flag: "--tls-crl-check-all"},
			{names: []string{"tls-cert-blacklist", "tlsCertBlackList"}, flag: "--tls-cert-blacklist"},
			{names: []string{"tls-log-session-info", "tlsLogSessionInfo"}, takes: nothing, flag: "--tls-log-session-info"},
			{names: []string{"tls-keyfile", "tlsKeyFile"}, flag: "--tls-keyfile"},
			{names: []string{"tls-keyfile-password", "tlsKeyFilePassword"}, takes: perhaps, flag: "--tls-keyfile-password", secret: true},
			{names: []string{"tls-certfile", "tlsCertFile"}, flag: "--tls-certfile"},
			{names: []string{"tls-login-only", "tlsLoginOnly"}, takes: nothing, none: "the Go client cannot use TLS for the login alone; with --tls-enable it uses it for all"},
			{names: []string{"namespace", "n"}, flag: "--namespace"},
			{names: []string{"set", "s"}, flag: "--set"},
			{names: []string{"bin", "b"}, flag: "--bin"},
			{names: []string{"compress"}, takes: nothing, flag: "--compress"},
			{names: []string{"compression-ratio", "compressionRatio"}, flag: "--compression-ratio", check: ratio},
			{names: []string{"socket-timeout", "socketTimeout"}, flag: "--socket-timeout", check: millis},
			{names: []string{"read-socket-timeout", "readSocketTimeout"}, flag: "--read-socket-timeout", check: millis},
			{names: []string{"write-socket-timeout", "writeSocketTimeout"}, flag: "--write-socket-timeout", check: millis},
			{names: []string{"timeout", "T"}, flag: "--timeout", check: millis},
			{names: []string{"read-timeout", "readTimeout"}, flag: "--read-timeout", check: millis},
			{names: []string{"write-timeout", "writeTimeout"}, flag: "--write-timeout", check: millis},
			{names: []string{"max-retries", "maxRetries"}, flag: "--max-retries", check: whole(0, 1_000_000)},
			{names: []string{"sleep-between-retries"}, flag: "--sleep-between-retries", check: millis},
			{names: []string{"replica", "C"}, flag: "--replica", check: choice("master", "master", "any", "any", "sequence", "sequence", "prefer-rack", "prefer-rack")},
			{names: []string{"rack-id"}, flag: "--rack-id", check: count},
			{names: []string{"read-mode-ap", "N", "readModeAP"}, flag: "--read-mode-ap", check: choice("one", "one", "all", "all")},
			{names: []string{"read-mode-sc", "B", "readModeSC"}, flag: "--read-mode-sc", check: choice("session", "session", "linearize", "linearize", "allowReplica", "allowReplica", "allowUnavailable", "allowUnavailable")},
			{names: []string{"commit-level", "M", "commitLevel"}, flag: "--commit-level", check: choice("all", "all", "master", "master")},
			{names: []string{"durable-delete", "D", "durableDelete"}, takes: nothing, flag: "--durable-delete"},
			{names: []string{"send-key"}, takes: nothing, flag: "--send-key"},
			{names: []string{"latency", "L"}, takes: nothing, older: report.LooksLikeColumns},
			{names: []string{"percentiles"}, flag: "--percentiles"},
			{names: []string{"output-file", "outputFile"}, flag: "--output-file"},
			{names: []string{"output-period", "outputPeriod"}, flag: "--output-period", check: whole(1, math.MaxInt32)},
			{names: []string{"debug", "d"}, takes: nothing, flag: "--debug"},
			{names: []string{"shared", "S"}, takes: nothing, none: "the Go client has no cluster state in shared memory"},
			{names: []string{"event-loops", "W", "eventLoops"}, none: "Go has no event loops to configure"},
			{names: []string{"version", "V", "v"}, takes: nothing, stops: true},
			{names: []string{"help"}, takes: nothing, stops: true},
			// What a stage says.
			{names: []string{"workload-stages", "workloadStages"}},
			{names: []string{"workload", "w"}},
			{names: []string{"duration", "t"}},
			{names: []string{"throughput", "g"}},
			{names: []string{"start-key", "K", "startKey"}},
			{names: []string{"keys", "k"}},
			{names: []string{"object-spec", "o", "objectSpec"}},
			{names: []string{"random", "R"}, takes: nothing},
			{names: []string{"expiration-time", "e"}},
			{names: []string{"read-bins", "readBins"}},
			{names: []string{"write-bins", "writeBins"}},
			{names: []string{"batch-size", "batchSize"}},
			{names: []string{"batch-read-size"}},
			{names: []string{"batch-write-size"}},
			{names: []string{"batch-delete-size"}},
			{names: []string{"threads", "z"}},
			{names: []string{"async", "a"}, takes: nothing},
			{names: []string{"async-max-commands", "c", "asyncMaxCommands"}},
			{names: []string{"udf-package-name", "upn", "udfPackageName"}},
			{names: []string{"udf-function-name", "ufn", "udfFunctionName"}},
			{names: []string{"udf-function-values", "ufv", "udfFunctionValues"}},
			{names: []string{"hdr-hist", "hdrHist"}},
		},
	}
}

// ratio checks a compression ratio.
func ratio(text string) (string, error) {
	r, err := strconv.ParseFloat(text, 64)
	if err != nil || !(r >= 0.001 && r <= 1) {
		return "", fmt.Errorf("%q is not a ratio from 0.001 to 1", text)
	}
	return text, nil
}

// ofStage are the flags of asbench that describe its only stage, and are refused
// beside a stage file.
var ofStage = []string{"workload", "duration", "throughput", "random", "expiration-time", "read-bins", "write-bins",
	"batch-size", "batch-read-size", "batch-write-size", "batch-delete-size", "async",
	"udf-package-name", "udf-function-name", "udf-function-values"}

func fillAsbench(in *input, d *draft) {
	if g := in.get("hdr-hist"); g != nil {
		d.hdrDir = entry{name: "hdr-hist", value: g.text, why: g.cite()}
	}
	if g := in.get("workload-stages"); g != nil {
		fillFromStages(in, d, g)
		return
	}
	text, from := in.text("workload", "RU,50")
	w, err := workload.Parse(text)
	if err != nil {
		in.fail(in.get("workload").place, "%s: %w", in.get("workload").typed, err)
		return
	}
	d.set("workload", text, from)
	if w.ReadAll >= 0 && w.ReadAll < 100 {
		d.note("asbench never reads all bins once a read-all percentage under 100 is given; here it is followed.")
	}
	switch g := in.get("duration"); {
	case g != nil:
		n, why := in.integer("duration", 10, 0, math.MaxInt32)
		d.ends(in, why)
		d.setInt("duration", n, why+", in seconds")
	case w.Endless():
		d.ends(in, "after 10 s")
		d.setInt("duration", 10, "default there, in seconds")
	default:
		d.ends(in, "when the keys are done")
	}
	if n, why := in.integer("throughput", 0, 0, math.MaxInt32); n > 0 {
		d.setInt("tps", n, why)
	}
	asbenchKeys(in, d)
	spec, from := in.text("object-spec", "I4")
	d.set("object-spec", spec, from)
	if in.on("random") {
		d.setPlain("random", "true", in.get("random").typed)
	}
	for _, name := range []string{"expiration-time", "batch-size", "batch-read-size", "batch-write-size", "batch-delete-size"} {
		if in.get(name) != nil {
			low := int64(1)
			if name == "expiration-time" {
				low = -2
			}
			n, why := in.integer(name, 0, low, math.MaxInt32)
			d.setInt(name, n, why)
		}
	}
	for _, name := range []string{"read-bins", "write-bins"} {
		if g := in.get(name); g != nil {
			d.set(name, g.text, g.cite())
		}
	}
	asbenchUDF(in, d)
	asbenchWorkers(in, d)
	asbenchLatency(in, d)
}

// asbenchLatency carries out -L, which is a switch now and had columns in older
// versions.
func asbenchLatency(in *input, d *draft) {
	switch g := in.get("latency"); {
	case g == nil:
	case g.text == "":
		d.turnOn("--latency", g.cite())
	default:
		d.columns(in, g, g.text, g.cite()+", of an older version")
	}
}

func asbenchKeys(in *input, d *draft) {
	start, from := in.integer("start-key", 1, 0, maxInt)
	keys, why := in.integer("keys", 1_000_000, 1, maxInt)
	d.setInt("key-start", start, from)
	d.setInt("key-end", start+keys, keysFrom(keys, why))
}

// keysFrom says where the end of the keys comes from.
func keysFrom(keys int64, why string) string {
	if strings.HasSuffix(why, strconv.FormatInt(keys, 10)) {
		return why + ", from the start key on"
	}
	return fmt.Sprintf("%d keys, %s", keys, why)
}

func asbenchUDF(in *input, d *draft) {
	var parts, from []string
	for _, p := range [][2]string{{"udf-package-name", "module"}, {"udf-function-name", "function"}, {"udf-function-values", "args"}} {
		if g := in.get(p[0]); g != nil {
			parts = append(parts, p[1]+": "+quoteFlow(g.text))
			from = append(from, g.cite())
		}
	}
	if len(parts) > 0 {
		d.setPlain("udf", "{"+strings.Join(parts, ", ")+"}", strings.Join(from, ", "))
	}
}

// quoteFlow writes a text as a YAML scalar within braces.
func quoteFlow(text string) string {
	if q := quoteYAML(text); !strings.ContainsAny(text, "{}[],:#&*?|<>=!%@`'\"\\ ") || strings.HasPrefix(q, `"`) || strings.HasPrefix(q, "'") {
		return q
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

func asbenchWorkers(in *input, d *draft) {
	threads, why := in.integer("threads", 16, 1, 10_000)
	if !in.on("async") {
		d.threads(threads, why)
		return
	}
	n, from := in.integer("async-max-commands", 50, 1, 5000)
	d.inFlight(n, in.get("async").typed+", "+from)
}

// fillFromStages takes over the stage file that the command line names.
func fillFromStages(in *input, d *draft, g *given) {
	for _, name := range ofStage {
		if o := in.get(name); o != nil {
			in.fail(o.place, "%s and %s do not go together: the stages are described in the file alone", o.typed, g.typed)
		}
	}
	if d.options.Duration != "" {
		d.ends(in, "as the stages say")
	}
	if d.options.ReadFile == nil {
		in.fail(g.place, "%s names a stage file, which needs no conversion: aeroload runs it as it is", g.typed)
		return
	}
	data, err := d.options.ReadFile(g.text)
	if err != nil {
		in.fail(g.place, "%s: %w", g.typed, err)
		return
	}
	if d.hdrDir.value != "" {
		// The file has no place for it: asbench's are bare lists.
		d.flag("--hdr-hist", d.hdrDir.value, d.hdrDir.why)
	}
	asbenchLatency(in, d)
	for _, name := range []string{"object-spec", "start-key", "keys", "threads", "async-max-commands"} {
		if o := in.get(name); o != nil {
			d.flag("--"+name, o.text, o.cite()+", for stages that do not say")
		}
	}
	d.note("%s: its stages follow as they were, since aeroload reads asbench's stage files.", g.cite())
	d.whole, d.wholeFile = bytes.TrimPrefix(data, []byte("\ufeff")), g.text
}
