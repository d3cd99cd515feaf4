package convert

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// csharpTool is the benchmark of the C# client 8 (AerospikeBenchmarks/Args.cs and
// settings.json). Its keys are read without regard to their case.
func csharpTool() *tool {
	return &tool{
		name: "csharp", title: "the C# client's benchmark", input: "the settings of the C# client's benchmark",
		fill: fillCsharp, anyCase: true,
		settings: []setting{
			{names: []string{"Host"}, flag: "--hosts"},
			{names: []string{"Port"}, flag: "--port", check: whole(1, 65535)},
			{names: []string{"User"}, flag: "--user"},
			{names: []string{"Password"}, flag: "--password", secret: true},
			{names: []string{"AuthMode"}},
			{names: []string{"ClusterName"}, none: "aeroload does not check the name of the cluster"},
			{names: []string{"Namespace"}, flag: "--namespace"},
			{names: []string{"Set"}},
			{names: []string{"TlsEnable"}, takes: nothing},
			{names: []string{"TlsName"}},
			{names: []string{"TlsProtocols"}},
			{names: []string{"TlsRevoke"}},
			{names: []string{"TlsClientCertFile"}},
			{names: []string{"TlsLoginOnly"}, takes: nothing},
			{names: []string{"Timeout"}},
			{names: []string{"TimeoutDelay"}},
			{names: []string{"MaxRetries"}},
			{names: []string{"SleepBetweenRetries"}, flag: "--sleep-between-retries", check: millis},
			{names: []string{"Replica"}},
			{names: []string{"ReadModeAP"}, flag: "--read-mode-ap", check: choice("ONE", "one", "ALL", "all")},
			{names: []string{"ReadModeSC"}, flag: "--read-mode-sc", check: choice("SESSION", "session", "LINEARIZE", "linearize", "ALLOW_REPLICA", "allowReplica", "ALLOW_UNAVAILABLE", "allowUnavailable")},
			{names: []string{"Latency"}, takes: nothing},
			{names: []string{"LatencyColumns"}},
			{names: []string{"LatencyShift"}},
			{names: []string{"LatencyAltFormat"}, takes: nothing},
			{names: []string{"Debug"}, takes: nothing, flag: "--debug"},
			// What a stage says.
			{names: []string{"Initialize"}, takes: nothing},
			{names: []string{"InitPct"}},
			{names: []string{"ReadPct"}},
			{names: []string{"Records"}},
			{names: []string{"BinType"}},
			{names: []string{"BinSize"}},
			{names: []string{"FixedValue"}, takes: nothing},
			{names: []string{"TransactionMax"}},
			{names: []string{"Throughput"}},
			{names: []string{"BatchSize"}},
			{names: []string{"Sync"}, takes: nothing},
			{names: []string{"SyncThreads"}},
			{names: []string{"AsyncMaxCommands"}},
		},
	}
}

// csharpLoad works out the stage of a settings.json.
type csharpLoad struct {
	in     *input
	d      *draft
	insert bool
}

// fillCsharp works out what the C# client's benchmark does.
func fillCsharp(in *input, d *draft) {
	c := &csharpLoad{in: in, d: d}
	// Here the switches have values, which must be booleans.
	for i := range in.tool.settings {
		s := &in.tool.settings[i]
		if g := in.byName[s.names[0]]; g != nil && s.takes == nothing {
			g.text = strings.ToLower(g.text)
			if g.text != "true" && g.text != "false" {
				in.fail(g.place, "%s: %q is not true or false", g.typed, g.text)
			}
		}
	}
	c.workload()
	c.object()
	c.end()
	c.workers()
	c.policies()
	c.tls()
}

// shipped tells of a key that is missing, without which the benchmark fails.
const shipped = "not given; as in the file that comes with the benchmark"

// count reads a whole number of a key.
func (c *csharpLoad) count(name string, byDefault, low, high int64) (int64, string) {
	v, why := c.in.integer(name, byDefault, low, high)
	if c.in.get(name) == nil {
		why = name + " " + shipped
	}
	return v, why
}

// isOn reads a boolean of a key.
func (c *csharpLoad) isOn(name string, byDefault bool) (bool, string) {
	if g := c.in.get(name); g != nil {
		return g.text == "true", g.cite()
	}
	return byDefault, name + " " + shipped
}

func (c *csharpLoad) workload() {
	d := c.d
	records, why := c.count("Records", 100_000, 1, math.MaxInt32)
	insert, from := c.isOn("Initialize", true)
	c.insert = insert
	percent, share := c.count("InitPct", 100, 1, 100)
	reads, readWhy := c.count("ReadPct", 50, 0, 100)
	end, endWhy := records, why+", from 0 on"
	if insert {
		d.set("workload", "I", from)
		end = records / 100 * percent
		endWhy = fmt.Sprintf("%s / 100 * %s", why, share)
		if end == 0 {
			c.in.fail(c.in.get("Records").place, "Records: the benchmark inserts none of less than 100 records, since it divides them by 100 first")
		}
		if c.in.get("ReadPct") != nil {
			d.without(readWhy, "Initialize only writes; with Initialize: false, this would be the workload RU,"+itoa(reads))
		}
	} else {
		d.set("workload", "RU,"+itoa(reads), readWhy+"; "+from)
		if c.in.get("InitPct") != nil {
			d.without(share, "it is for Initialize: true")
		}
	}
	d.setInt("key-start", 0, "keys are from 0 on there")
	d.setInt("key-end", end, endWhy)
}

func (c *csharpLoad) object() {
	in, d := c.in, c.d
	kind, why := in.text("BinType", "Integer")
	if in.get("BinType") == nil {
		why = "BinType " + shipped
	}
	size, sizeWhy := c.count("BinSize", 50, 0, math.MaxInt32)
	spec := ""
	switch strings.ToLower(kind) {
	case "integer":
		spec, why = "I4", why+"; integers are 32 bits drawn at random"
		if in.get("BinSize") != nil {
			d.without(sizeWhy, "an integer has no size, there either")
		}
	case "string":
		spec, why = "S"+itoa(size), why+"; "+sizeWhy+"; strings are of a-z and 0-9, there of all printable ASCII characters"
	case "byte":
		spec, why = "B"+itoa(size), why+"; "+sizeWhy
	default:
		_, err := choice("Integer", "", "String", "", "Byte", "")(kind)
		in.fail(in.get("BinType").place, "BinType: %w", err)
	}
	d.set("object-spec", "bin="+spec, why+". The bin has the name that the benchmark gives it")
	if fixed, why := c.isOn("FixedValue", true); !fixed {
		d.setPlain("random", "true", why)
	}
	d.setPlain("expiration-time", "0", "the benchmark leaves the time to live to the namespace")
}

// end settles when the stage ends and at which rate it runs.
func (c *csharpLoad) end() {
	d := c.d
	n, why := c.count("TransactionMax", 0, 0, math.MaxInt32)
	switch {
	case c.insert:
		d.ends(c.in, "when the records are written")
		if n > 0 {
			d.without(why, "it is for Initialize: false")
		}
	case n > 0:
		d.ends(c.in, why)
		d.setInt("transactions", n, why)
	default:
		d.endless("runs until it is stopped")
	}
	if rate, why := c.count("Throughput", 0, 0, math.MaxInt32); rate > 0 {
		d.setInt("tps", rate, why)
		if sync, _ := c.isOn("Sync", false); !sync {
			d.note("The benchmark takes no notice of Throughput unless Sync is true; here it holds.")
		}
	}
}

func (c *csharpLoad) workers() {
	in, d := c.in, c.d
	if batch, why := c.count("BatchSize", 0, 0, math.MaxInt32); batch > 1 {
		if c.insert {
			d.without(why, "only reads are batches, there too")
		} else {
			d.setInt("batch-read-size", batch, why+"; writes are on single records, as there")
		}
	}
	sync, why := c.isOn("Sync", false)
	threads, from := c.count("SyncThreads", 8, 1, math.MaxInt32)
	commands, async := c.count("AsyncMaxCommands", 40, 1, math.MaxInt32)
	const other = "it does not count with %s, there either"
	if sync {
		d.threads(threads, from+"; "+why)
		if in.get("AsyncMaxCommands") != nil {
			d.without(async, fmt.Sprintf(other, why))
		}
		return
	}
	d.inFlight(commands, async+"; "+why)
	if in.get("SyncThreads") != nil {
		d.without(from, fmt.Sprintf(other, why))
	}
}

// policies works out the flags that take more than the table.
func (c *csharpLoad) policies() {
	in, d := c.in, c.d
	set, why := in.text("Set", "test")
	if in.get("Set") == nil {
		why = "Set " + shipped
	}
	d.flag("--set", set, why)
	if g := in.get("AuthMode"); g != nil && g.text != "" {
		mode, err := choice("INTERNAL", "INTERNAL", "EXTERNAL", "EXTERNAL", "EXTERNAL_INSECURE", "EXTERNAL_INSECURE", "PKI", "PKI")(g.text)
		if err != nil {
			in.fail(g.place, "AuthMode: %w", err)
		}
		if mode != "INTERNAL" {
			d.flag("--auth", mode, g.cite())
		}
	}
	d.flag("--max-error-rate", "100", "default of the C# client; aeroload's is no limit")
	timeout, why := c.count("Timeout", 1000, 0, maxMillis)
	d.flag("--timeout", itoa(timeout), why)
	retries, why := c.count("MaxRetries", 0, 0, 1_000_000)
	d.flag("--max-retries", itoa(retries), why+"; aeroload's is 1 by default")
	if n, why := c.count("TimeoutDelay", 0, 0, maxMillis); n > 0 {
		d.without(why, "aeroload does not wait for late answers of connections that timed out")
	}
	if g := in.get("Replica"); g != nil {
		replica, err := choice("MASTER", "master", "MASTER_PROLES", "any", "SEQUENCE", "sequence", "PREFER_RACK", "", "RANDOM", "any")(g.text)
		switch {
		case err != nil:
			in.fail(g.place, "Replica: %w", err)
		case replica == "":
			d.without(g.cite(), "the benchmark sets no rack, so it means SEQUENCE there; for racks, give --replica prefer-rack and --rack-id")
		case strings.EqualFold(g.text, "RANDOM"):
			d.flag("--replica", replica, g.cite()+", which is any node at all there, and any with a copy here")
		default:
			d.flag("--replica", replica, g.cite())
		}
	}
	c.latency()
}

// latency works out the latency columns, of which the benchmark reads nothing
// unless they are switched on.
func (c *csharpLoad) latency() {
	in, d := c.in, c.d
	if on, _ := c.isOn("Latency", false); !on {
		for _, name := range []string{"LatencyColumns", "LatencyShift", "LatencyAltFormat"} {
			if g := in.get(name); g != nil && g.text != "false" {
				d.without(g.cite(), "it does not count without Latency, there either")
			}
		}
		return
	}
	columns, why := c.count("LatencyColumns", 4, 2, 10)
	shift, shiftWhy := c.count("LatencyShift", 3, 1, 5)
	layout, why := fmt.Sprintf("%d,%d", columns, shift), why+"; "+shiftWhy
	if alt, altWhy := c.isOn("LatencyAltFormat", false); alt {
		layout, why = "alt,"+layout, why+"; "+altWhy
	}
	on := in.get("Latency")
	d.columns(in, cmp.Or(in.get("LatencyColumns"), on), layout, on.cite()+"; "+why)
}

// tls works out the flags of TLS, of which the benchmark reads nothing unless it
// is switched on.
func (c *csharpLoad) tls() {
	in, d := c.in, c.d
	if on, why := c.isOn("TlsEnable", false); on {
		d.turnOn("--tls-enable", why)
	}
	on := in.on("TlsEnable")
	for _, t := range []struct{ name, flag, none string }{
		{"TlsName", "--tls-name", ""},
		{"TlsProtocols", "--tls-protocols", ""},
		{"TlsRevoke", "", "put these serial numbers into a file and give that by --tls-cert-blacklist"},
		{"TlsClientCertFile", "", "a file of Windows' form (PKCS 12): give its parts as PEM files by --tls-certfile and --tls-keyfile"},
	} {
		switch g := in.get(t.name); {
		case g == nil || g.text == "":
		case !on:
			d.without(g.cite(), "it does not count without TlsEnable, there either")
		case t.name == "TlsProtocols":
			list, err := dotnetProtocols(g.text)
			if err != nil {
				in.fail(g.place, "TlsProtocols: %w", err)
			}
			d.flag(t.flag, list, g.cite())
		case t.flag != "":
			d.flag(t.flag, g.text, g.cite())
		default:
			d.without(g.cite(), t.none)
		}
	}
	if in.on("TlsLoginOnly") {
		why := "the Go client cannot use TLS for the login alone; with --tls-enable it uses it for all"
		if !on {
			why = "it does not count without TlsEnable, there either"
		}
		d.without(in.get("TlsLoginOnly").cite(), why)
	}
}

// dotnetProtocols turns a list of .NET's names of TLS versions into the form of
// --tls-protocols.
func dotnetProtocols(text string) (string, error) {
	known := choice("Tls", "TLSv1", "Tls11", "TLSv1.1", "Tls12", "TLSv1.2", "Tls13", "TLSv1.3",
		"TLSv1", "TLSv1", "TLSv1.1", "TLSv1.1", "TLSv1.2", "TLSv1.2", "TLSv1.3", "TLSv1.3")
	var list []string
	for p := range strings.SplitSeq(text, ",") {
		name, err := known(strings.TrimSpace(p))
		if err != nil {
			return "", err
		}
		list = append(list, name)
	}
	return protocols(strings.Join(list, ","))
}
