package convert

import (
	"math"
	"strings"
)

// javaTool is the benchmark of the Java client 9 (Main.java), with the flags
// that older versions had besides.
func javaTool() *tool {
	count := whole(0, math.MaxInt32)
	const oldFlag = "a flag of older versions; "
	return &tool{
		name: "java", title: "the Java client's benchmark", input: "a command line of the Java client's benchmark",
		read: readCommonsCLI, fill: fillJava, firstWins: true,
		settings: []setting{
			{names: []string{"hosts", "h"}, flag: "--hosts"},
			{names: []string{"port", "p"}, flag: "--port", check: whole(1, 65535)},
			{names: []string{"user", "U"}, flag: "--user"},
			{names: []string{"password", "P"}, flag: "--password", secret: true},
			{names: []string{"auth"}, flag: "--auth", check: choice("INTERNAL", "INTERNAL", "EXTERNAL", "EXTERNAL", "EXTERNAL_INSECURE", "EXTERNAL_INSECURE", "PKI", "PKI")},
			{names: []string{"clusterName", "c"}, none: "aeroload does not check the name of the cluster"},
			{names: []string{"servicesAlternate"}, takes: nothing, flag: "--services-alternate"},
			{names: []string{"loginTimeout", "lt"}, none: "the time for logins is part of --connect-timeout"},
			{names: []string{"tendTimeout", "tt"}, none: "the time for looks at the cluster is part of --connect-timeout"},
			{names: []string{"tendInterval", "ti"}, flag: "--tender-interval", check: millis},
			{names: []string{"connectTimeout", "ct"}},
			{names: []string{"maxSocketIdle"}, flag: "--max-socket-idle", check: count},
			{names: []string{"maxErrorRate"}},
			{names: []string{"errorRateWindow"}, flag: "--error-rate-window", check: whole(1, math.MaxInt32)},
			{names: []string{"minConnsPerNode"}, flag: "--min-conns-per-node", check: count},
			{names: []string{"maxConnsPerNode"}, flag: "--max-conns-per-node", check: whole(1, math.MaxInt32)},
			{names: []string{"asyncMinConnsPerNode"}, none: "there is one pool of connections, see --min-conns-per-node"},
			{names: []string{"asyncMaxConnsPerNode"}, none: "there is one pool of connections, see --max-conns-per-node"},
			{names: []string{"connPoolsPerNode", "Y"}, none: "the Go client divides its pool by itself"},
			{names: []string{"tlsEnable", "tls"}, takes: nothing, flag: "--tls-enable"},
			{names: []string{"tlsProtocols", "tp"}, flag: "--tls-protocols", check: protocols},
			{names: []string{"tlsCipherSuite", "tlsCiphers"}, flag: "--tls-cipher-suite"},
			{names: []string{"tlsRevoke", "tr"}, none: "put these serial numbers into a file and give that by --tls-cert-blacklist"},
			{names: []string{"tlsLoginOnly"}, takes: nothing, none: "the Go client cannot use TLS for the login alone; with --tls-enable it uses it for all"},
			{names: []string{"namespace", "n"}, flag: "--namespace"},
			{names: []string{"set", "s"}, flag: "--set"},
			{names: []string{"timeout", "T"}},
			{names: []string{"socketTimeout"}, flag: "--socket-timeout", check: millis},
			{names: []string{"readSocketTimeout"}, flag: "--read-socket-timeout", check: millis},
			{names: []string{"writeSocketTimeout"}, flag: "--write-socket-timeout", check: millis},
			{names: []string{"totalTimeout"}, flag: "--timeout", check: millis},
			{names: []string{"readTotalTimeout"}, flag: "--read-timeout", check: millis},
			{names: []string{"writeTotalTimeout"}, flag: "--write-timeout", check: millis},
			{names: []string{"timeoutDelay"}, none: "aeroload does not wait for late answers of connections that timed out"},
			{names: []string{"maxRetries"}},
			{names: []string{"sleepBetweenRetries"}, flag: "--sleep-between-retries", check: millis},
			{names: []string{"replica", "r"}},
			{names: []string{"prole"}, takes: nothing},
			{names: []string{"rackId"}},
			{names: []string{"readModeAP"}, flag: "--read-mode-ap", check: choice("one", "one", "all", "all")},
			{names: []string{"consistencyLevel"}, flag: "--read-mode-ap", check: choice("one", "one", "all", "all")},
			{names: []string{"readModeSC"}, flag: "--read-mode-sc", check: choice("session", "session", "linearize", "linearize", "allow_replica", "allowReplica", "allow_unavailable", "allowUnavailable")},
			{names: []string{"commitLevel"}, flag: "--commit-level", check: choice("all", "all", "master", "master")},
			{names: []string{"readTouchTtlPercent", "rt"}, none: "aeroload leaves the share of the time to live from which reads prolong it to the namespace"},
			{names: []string{"sendKey"}, takes: nothing, flag: "--send-key"},
			{names: []string{"latency"}},
			{names: []string{"debug", "D"}, takes: nothing, flag: "--debug"},
			{names: []string{"reportNotFound", "N"}, takes: nothing, none: "aeroload always counts missing records as misses"},
			{names: []string{"batchShowNodes", "BSN"}, takes: nothing, none: "aeroload does not print to which nodes batches go"},
			{names: []string{"batchThreads", "BT"}, none: oldFlag + "the Go client asks all nodes of a batch at once"},
			{names: []string{"keylength", "l"}, none: oldFlag + "keys are integers"},
			{names: []string{"eventLoops", "W"}, none: "Go has no event loops to configure"},
			{names: []string{"eventLoopType", "elt"}, none: "Go has no event loops to configure"},
			{names: []string{"netty"}, takes: nothing, none: "Go has no event loops to configure"},
			{names: []string{"nettyEpoll"}, takes: nothing, none: "Go has no event loops to configure"},
			{names: []string{"partitionIds", "pids"}, none: "aeroload uses the keys of all partitions"},
			{names: []string{"usage", "u"}, takes: nothing, stops: true},
			{names: []string{"version", "V"}, takes: nothing, stops: true},
			// What a stage says.
			{names: []string{"workload", "w"}},
			{names: []string{"transactions", "t"}},
			{names: []string{"throughput", "g"}},
			{names: []string{"startkey", "S"}},
			{names: []string{"keys", "k"}},
			{names: []string{"keyFile", "F"}},
			{names: []string{"keyType", "KT"}},
			{names: []string{"bins", "b"}},
			{names: []string{"objectSpec", "o"}},
			{names: []string{"random", "R"}, takes: nothing},
			{names: []string{"expirationTime", "e"}},
			{names: []string{"batchSize", "B"}},
			{names: []string{"batchNamespaces", "bns"}},
			{names: []string{"threads", "z"}},
			{names: []string{"virtualThreads", "vt"}},
			{names: []string{"async", "a"}, takes: nothing},
			{names: []string{"asyncMaxCommands", "C"}},
			{names: []string{"udfPackageName", "upn"}},
			{names: []string{"udfFunctionName", "ufn"}},
			{names: []string{"udfFunctionValues", "ufv"}},
		},
	}
}

// protocols turns a comma-separated list of TLS versions into the form of
// --tls-protocols.
func protocols(text string) (string, error) {
	var list []string
	for p := range strings.SplitSeq(text, ",") {
		list = append(list, "+"+strings.TrimSpace(p))
	}
	return "-all " + strings.Join(list, " "), nil
}

// fillJava works out what the Java client's benchmark does.
func fillJava(in *input, d *draft) {
	j := &javaLoad{in: in, d: d}
	if !j.workload() {
		return
	}
	j.keys()
	j.object()
	j.end()
	j.workers()
	j.policies()
	j.stores()
}

// stores lists the Java runtime's own settings about certificates.
func (j *javaLoad) stores() {
	var names []string
	for _, w := range j.in.launcher {
		if name, _, ok := strings.Cut(w.Text, "="); ok && strings.HasPrefix(name, "-Djavax.net.ssl.") {
			names = append(names, name)
		}
	}
	if names != nil {
		j.d.without(strings.Join(names, ", "), "the Java runtime's store of certificates and keys: give them as PEM files by --tls-cafile, --tls-certfile and --tls-keyfile")
	}
}

// policies works out the flags that take more than the table.
func (j *javaLoad) policies() {
	in, d := j.in, j.d
	if g := in.get("connectTimeout"); g != nil {
		n, why := in.integer("connectTimeout", 0, 0, maxMillis)
		d.flag("--connect-timeout", itoa(n), why+", which is that of each new connection; here it is also that of the first contact")
	}
	if n, why := in.integer("maxErrorRate", 100, 0, math.MaxInt32); in.get("maxErrorRate") != nil || n > 0 {
		if in.get("maxErrorRate") == nil {
			why = "default there; aeroload's is no limit"
		}
		d.flag("--max-error-rate", itoa(n), why)
	}
	if g := in.get("timeout"); g != nil {
		n, why := in.integer("timeout", 0, 0, maxMillis)
		j.unless("--timeout", "totalTimeout", n, why)
		j.unless("--socket-timeout", "socketTimeout", n, why)
	}
	switch g := in.get("maxRetries"); {
	case g != nil:
		n, why := in.integer("maxRetries", 2, 0, 1_000_000)
		d.flag("--max-retries", itoa(n), why)
	case j.code == "I":
		d.flag("--max-retries", "0", "default there for writes; aeroload's is 1")
	default:
		d.flag("--max-retries", "2", "default there for reads, but 0 for writes; aeroload has one number for both, 1 by default")
	}
	if in.byName["user"] != nil && in.byName["password"] == nil {
		d.askPassword("the benchmark asks for it, too, since there is a user")
	}
	j.replica()
	if g := in.get("latency"); g != nil {
		d.columns(in, g, g.text, g.cite())
	}
}

// unless gives the run a flag, unless a setting that comes later says otherwise.
func (j *javaLoad) unless(flag, other string, n int64, why string) {
	if j.in.byName[other] == nil {
		j.d.flag(flag, itoa(n), why)
	}
}

func (j *javaLoad) replica() {
	in, d := j.in, j.d
	g, rack := in.get("replica"), in.byName["rackId"]
	switch {
	case in.on("prole"): // it is looked at last
		d.flag("--replica", "any", in.get("prole").cite())
	case g == nil:
	case g.text == "master" || g.text == "any" || g.text == "sequence":
		d.flag("--replica", g.text, g.cite())
	case g.text == "preferRack":
		d.flag("--replica", "prefer-rack", g.cite())
		n, why := in.integer("rackId", 0, 0, math.MaxInt32)
		d.flag("--rack-id", itoa(n), why)
	default:
		in.fail(g.place, "%s: %q is not one of master, any, sequence, preferRack", g.typed, g.text)
	}
	if rack != nil && !rack.used {
		in.get("rackId")
		d.without(rack.cite(), "it counts with -replica preferRack alone")
	}
}
