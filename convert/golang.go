package convert

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// goTool is the benchmark of the Go client 7 and 8 (tools/benchmark/benchmark.go),
// with the flags that older versions had besides.
func goTool() *tool {
	count := whole(0, math.MaxInt32)
	return &tool{
		name: "go", title: "the Go client's benchmark", input: "a command line of the Go client's benchmark",
		read: readGoFlags, fill: fillGo,
		settings: []setting{
			{names: []string{"h"}, flag: "--hosts"},
			{names: []string{"p"}, flag: "--port", check: whole(1, 65535)},
			{names: []string{"U"}, flag: "--user"},
			{names: []string{"P"}, flag: "--password", secret: true},
			{names: []string{"A"}, flag: "--auth", check: choice("internal", "INTERNAL", "external", "EXTERNAL", "pki", "PKI")},
			{names: []string{"sa"}, takes: nothing, flag: "--services-alternate"},
			{names: []string{"maxErrorRate"}},
			{names: []string{"errorRateWindow"}, flag: "--error-rate-window", check: whole(1, math.MaxInt32)},
			{names: []string{"minConnsPerNode"}, flag: "--min-conns-per-node", check: count},
			{names: []string{"queueSize"}, flag: "--max-conns-per-node", check: whole(1, math.MaxInt32)},
			{names: []string{"tlsName"}},
			{names: []string{"tlsCAFile", "rootCA"}},
			{names: []string{"tlsCertFile", "certFile"}},
			{names: []string{"tlsKeyFile", "keyFile"}},
			{names: []string{"keyFilePass"}, flag: "--tls-keyfile-password", secret: true},
			{names: []string{"n"}, flag: "--namespace"},
			{names: []string{"s"}, flag: "--set"},
			{names: []string{"T"}},
			{names: []string{"maxRetries"}},
			{names: []string{"compress"}, takes: nothing, flag: "--compress"},
			{names: []string{"L", "l"}},
			{names: []string{"d"}, takes: nothing, flag: "--debug"},
			{names: []string{"openingConnectionThreshold"}, none: "aeroload leaves it to the client how many connections are opened at once"},
			{names: []string{"warmUp"}, none: "aeroload opens connections as they are needed; a stage's warmup key leaves the time for that out of the results"},
			{names: []string{"M"}, takes: nothing, none: "aeroload writes bins, not Go structs; the struct would have the bins I, S and B, two of them empty"},
			{names: []string{"grpc"}, takes: nothing, none: "the proxy of version 7 is no longer in the client"},
			{names: []string{"profile"}, takes: nothing, none: "aeroload has no profiler's port"},
			{names: []string{"profilePort"}, none: "aeroload has no profiler's port"},
			{names: []string{"cpuprofile"}, none: "aeroload writes no profile"},
			{names: []string{"u"}, takes: nothing, stops: true},
			// What a stage says.
			{names: []string{"w"}},
			{names: []string{"k"}},
			{names: []string{"o"}},
			{names: []string{"R"}, takes: nothing},
			{names: []string{"g"}},
			{names: []string{"c"}},
		},
	}
}

// readGoFlags reads a command line as Go's package flag does: names behind one
// dash or two, values behind = or in the next word, and those of switches behind
// = alone.
func readGoFlags(in *input, args []Word) {
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		if w.Text == "--" && len(args) == 0 {
			return
		}
		body := strings.TrimPrefix(strings.TrimPrefix(w.Text, "-"), "-")
		if w.Text == "--" || w.Text == "-" || body == w.Text {
			in.operand(w, "the benchmark ignores it and all that follows")
			return
		}
		typed := w.Text[:len(w.Text)-len(body)]
		name, text, glued := strings.Cut(body, "=")
		s := in.tool.setting(name)
		switch {
		case s == nil:
			args = in.unknown(w.Place, typed+name, name, typed, args)
		case s.takes == nothing && glued:
			b, err := strconv.ParseBool(text)
			if err != nil {
				in.fail(w.Place, "%s: %q is not a boolean", typed+name, text)
			}
			in.shown = append(in.shown, typed+body)
			in.add(&given{setting: s, typed: typed + name, text: strconv.FormatBool(b), place: w.Place})
		default:
			args = in.flag(s, typed+name, w.Place, text, glued, args)
		}
	}
}

// pair is how the benchmark reads its workload and object spec: a word, and a
// number behind a colon or comma; what follows is ignored.
var pair = regexp.MustCompile(`^(\w+)(?:[:,](\d+))?(.*)$`)

// fillGo works out what the Go client's benchmark does.
func fillGo(in *input, d *draft) {
	code := goWorkload(in, d)
	threads, from := in.integer("c", 32, 1, math.MaxInt32)
	n, why := in.integer("k", 1_000_000, 1, maxInt)
	d.setInt("key-start", 0, "keys are from 0 on there")
	d.setInt("key-end", n, keysFrom(n, why))
	if code == "RU" {
		d.setPlain("keys", "sequential", "each goroutine walks its part of the keys there, again and again")
	}
	if n%threads != 0 {
		d.note("The keys do not divide by %d goroutines; the last goroutine of the benchmark then walks beyond the range, to key %d.", threads, threads*(n/threads+n%threads)-1)
	}
	goObject(in, d)
	if rate, why := in.integer("g", 0, 0, math.MaxInt32); rate > 0 {
		d.setInt("tps", rate, why)
	}
	if code == "RU" {
		d.endless("runs until it is stopped")
	} else {
		d.ends(in, "when the keys are written")
	}
	d.threads(threads, from)
	if in.byName["queueSize"] == nil && threads > 128 {
		d.note("The benchmark has 128 connections a node for %d goroutines, and fails transactions beyond that; aeroload opens as many as there are threads.", threads)
	}
	goPolicies(in, d)
}

// goWorkload returns the code of the workload: I or RU.
func goWorkload(in *input, d *draft) string {
	text, from := in.text("w", "I:100")
	m := pair.FindStringSubmatch(text)
	code := ""
	if m != nil {
		code = strings.ToUpper(m[1])
	}
	if code != "I" && code != "RU" {
		in.fail(in.get("w").place, "%s: %q is not a workload: expected I[:percent] or RU[:percent]", in.get("w").typed, text)
		return ""
	}
	percent := int64(-1)
	if m[2] != "" {
		var err error
		if percent, err = strconv.ParseInt(m[2], 10, 32); err != nil || percent > 100 {
			in.fail(in.get("w").place, "%s: %q in %q is not a percentage", in.get("w").typed, m[2], text)
			return code
		}
	}
	if m[3] != "" {
		d.note("The benchmark ignores %s at the end of %s, and so does this.", quoteShell(m[3]), quoteShell(text))
	}
	switch {
	case code == "RU" && percent < 0:
		d.set("workload", "RU,50", from+", whose percentage is 50 there")
	case code == "RU":
		d.set("workload", fmt.Sprintf("RU,%d", percent), from)
	case percent == 0:
		in.fail(in.get("w").place, "%s: 0 %% of the keys are none", in.get("w").typed)
	case percent < 0 || percent == 100:
		d.set("workload", "I", from)
	default:
		d.set("workload", fmt.Sprintf("I:%d", percent), from)
		d.note("The benchmark inserts all keys whatever the percentage of I (a slip in its code); this inserts the percentage.")
	}
	return code
}

func goObject(in *input, d *draft) {
	text, from := in.text("o", "I")
	m := pair.FindStringSubmatch(text)
	if m == nil {
		m = []string{"", "", "", ""}
	}
	size, err := int64(0), error(nil)
	if m[2] != "" {
		size, err = strconv.ParseInt(m[2], 10, 32)
	}
	bin := strings.ToUpper(m[1])
	spec, remark := "", "all bins of the kind have its name, as there"
	switch {
	case bin == "I":
		spec = "I=I8"
	case bin == "S":
		if m[2] == "" {
			size, remark = 50, remark+"; 50 is its size there if none is given"
		}
		spec = "S=S" + itoa(size)
		remark += "; strings are of a-z and 0-9, there mostly zero bytes"
	case bin == "B":
		if m[2] == "" {
			size, remark = 200, remark+"; 200 is its size there if none is given"
		}
		spec = "B=B" + itoa(size)
		remark += "; all bytes are random, there most are zero. R:size:percent, with zeros, compresses like that"
	}
	if spec == "" || err != nil {
		in.fail(in.get("o").place, "%s: %q is not an object spec: expected I, B[:size] or S[:size]", in.get("o").typed, text)
		return
	}
	d.set("object-spec", spec, from+"; "+remark)
	if in.on("R") {
		d.setPlain("random", "true", in.get("R").typed)
	}
}

// goPolicies works out the flags that take more than the table.
func goPolicies(in *input, d *draft) {
	rate, why := in.integer("maxErrorRate", 50, 0, math.MaxInt32)
	if in.get("maxErrorRate") == nil {
		why = "default there; aeroload's is no limit"
	}
	d.flag("--max-error-rate", itoa(rate), why)
	timeout, why := in.integer("T", 0, 0, maxMillis)
	if in.get("T") == nil {
		why = "default there, no limit; aeroload's is 1000"
	}
	d.flag("--timeout", itoa(timeout), why)
	retries, why := in.integer("maxRetries", 2, 0, 1_000_000)
	if in.get("maxRetries") == nil {
		why = "default there; aeroload's is 1"
	}
	d.flag("--max-retries", itoa(retries), why)
	if g := in.get("L"); g != nil {
		goLatency(in, d, g)
	}
	goTLS(in, d)
}

// twoNumbers is how the benchmark reads its latency columns: it looks for two
// numbers anywhere.
var twoNumbers = regexp.MustCompile(`(\d+)[:,](\d+)`)

// goLatency works out the latency columns.
func goLatency(in *input, d *draft, g *given) {
	if g.text == "" {
		d.without(g.cite(), "no columns, there either")
		return
	}
	m := twoNumbers.FindStringSubmatch(g.text)
	if m == nil {
		in.fail(g.place, "%s: %q is no latency layout: expected COLUMNS,SHIFT", g.typed, g.text)
		return
	}
	d.columns(in, g, m[1]+","+m[2], g.cite()+"; the lines are those of the Java client's benchmark")
	d.note("The benchmark shows one column more than %s says, and takes the second number for the milliseconds of the first column (slips in its code); this follows its help.", g.typed)
}

// goTLS switches TLS on if a file of it is named, which is the benchmark's rule.
func goTLS(in *input, d *draft) {
	var files []*given
	for _, f := range [][2]string{{"tlsCAFile", "--tls-cafile"}, {"tlsCertFile", "--tls-certfile"}, {"tlsKeyFile", "--tls-keyfile"}} {
		if g := in.get(f[0]); g != nil && g.text != "" {
			if files == nil {
				d.turnOn("--tls-enable", "the benchmark uses TLS if a file of it is given")
			}
			files = append(files, g)
			d.flag(f[1], g.text, g.cite())
		}
	}
	switch g := in.get("tlsName"); {
	case g == nil:
	case files == nil:
		d.without(g.cite(), "there is no TLS without a file of certificates, there either")
	default:
		d.flag("--tls-name", g.text, g.cite())
	}
	if g := in.byName["keyFilePass"]; g != nil && (strings.HasPrefix(g.text, "b64:") || strings.HasPrefix(g.text, "env-b64:")) {
		d.note("The password of the key is in base64, which aeroload does not read: decode it.")
	}
}
