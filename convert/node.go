package convert

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// nodeTool is the benchmark of the Node.js client 6 (benchmarks/main.js, worker.js
// and config.json), with the keys that older versions had besides.
func nodeTool() *tool {
	const noOutput = "aeroload's output does not depend on it"
	return &tool{
		name: "node", title: "the Node.js client's benchmark", input: "a configuration of the Node.js client's benchmark",
		fill: fillNode,
		settings: []setting{
			{names: []string{"host"}, flag: "--hosts"},
			{names: []string{"port"}, flag: "--port", check: whole(1, 65535)},
			{names: []string{"user"}, flag: "--user"},
			{names: []string{"password"}, flag: "--password", secret: true},
			{names: []string{"namespace"}, flag: "--namespace"},
			{names: []string{"set"}},
			{names: []string{"totalTimeout"}},
			{names: []string{"timeout"}},
			{names: []string{"log"}, none: "aeroload shows the client's log with --debug"},
			{names: []string{"json"}, takes: nothing, none: "aeroload writes results as JSON with --result FILE"},
			{names: []string{"silent"}, takes: nothing, none: "aeroload always prints its rates; send standard output elsewhere"},
			{names: []string{"summary"}, takes: nothing},
			{names: []string{"longevity"}, takes: nothing, none: "it watches the memory of the benchmark itself"},
			{names: []string{"alert"}, none: "it says where to tell of the benchmark's own memory"},
			{names: []string{"filename"}, none: "it says where to tell of the benchmark's own memory"},
			{names: []string{"promises"}, takes: nothing, none: "Go has neither promises nor callbacks"},
			{names: []string{"help"}, none: noOutput},
			{names: []string{"indexSpec"}, nested: true, none: "the benchmark does not read it; aeroload creates the indexes that its queries need"},
			{names: []string{"querySpec"}, nested: true},
			{names: []string{"scanSpec"}, nested: true},
			// What a stage says.
			{names: []string{"operations"}},
			{names: []string{"iterations"}},
			{names: []string{"processes"}},
			{names: []string{"time"}},
			{names: []string{"reads"}},
			{names: []string{"writes"}},
			{names: []string{"keyRange"}, nested: true},
			{names: []string{"binSpec"}, nested: true},
			{names: []string{"ttl"}},
		},
	}
}

// nodeLoad works out the stage of a config.json.
type nodeLoad struct {
	in                               *input
	d                                *draft
	reads, writes, perRun, processes int64
	high                             int64 // the largest key
}

// fillNode works out what the Node.js client's benchmark does.
func fillNode(in *input, d *draft) {
	n := &nodeLoad{in: in, d: d}
	n.workload()
	n.keys()
	n.object()
	ttl, why := n.seconds("ttl", "10000")
	d.setInt("expiration-time", ttl, why)
	n.end()
	d.inFlight(n.processes*n.perRun, fmt.Sprintf("%d processes, each with %d operations at once", n.processes, n.perRun))
	d.note("A process of the benchmark starts its operations together, and the next ones when all are done; here a transaction follows as soon as another ends.")
	n.policies()
}

// default of a key that the benchmark's guide names and its code lacks.
const fromGuide = "default of its guide"

// count reads a whole number of a key.
func (n *nodeLoad) count(name string, byDefault, low, high int64) (int64, string) {
	v, why := n.in.integer(name, byDefault, low, high)
	if n.in.get(name) == nil {
		why = fmt.Sprintf("%s: %d, %s", name, byDefault, fromGuide)
	}
	return v, why
}

func (n *nodeLoad) workload() {
	reads, from := n.count("reads", 1, 0, 1_000_000)
	writes, why := n.count("writes", 1, 0, 1_000_000)
	n.reads, n.writes = reads, writes
	n.perRun, _ = n.count("operations", 10, 1, 1_000_000)
	n.processes, _ = n.count("processes", 4, 1, 10_000)
	if reads+writes == 0 {
		n.in.fail(n.in.get("reads").place, "reads and writes are both 0")
		reads = 1
	}
	percent := strconv.FormatFloat(math.Round(1e6*float64(reads)/float64(reads+writes))/1e4, 'f', -1, 64)
	n.d.set("workload", "RU,"+percent, from+"; "+why)
	if reads > 0 && writes > 0 {
		n.d.note("The benchmark reads each key while it writes it; here reads and writes draw keys of their own.")
	}
	for _, name := range []string{"querySpec", "scanSpec"} {
		if g := n.in.get(name); g != nil && !g.node.empty() {
			n.processes -= int64(max(len(g.node.items), 1))
			what := "queries"
			if name == "scanSpec" {
				what = "scans"
			}
			n.d.without(g.cite(), "each of its "+what+" keeps a process busy beside the reads and writes, which a stage cannot say; the operations query and scan mix them by weight, see the README")
		}
	}
	if n.processes < 1 {
		n.in.fail(n.in.shown[0], "its queries and scans take all processes: there are no reads and writes to convert")
		n.processes = 1
	}
}

// keys settles the range, both of whose ends are keys. The benchmark takes key 1
// for all below it.
func (n *nodeLoad) keys() {
	low, high, why := int64(0), int64(100_000), "keyRange 0 to 100000, "+fromGuide
	if g := n.in.get("keyRange"); g != nil {
		bounds := map[string]*int64{"min": &low, "max": &high}
		if g.node.kind != object {
			n.in.fail(g.place, "keyRange: expected an object with min and max")
			return
		}
		for _, m := range g.node.members {
			to, ok := bounds[m.key]
			if !ok {
				n.in.fail(m.place, "keyRange: unknown key %q; expected min, max", m.key)
				continue
			}
			delete(bounds, m.key)
			v, err := strconv.ParseInt(m.value.text, 10, 64)
			if err != nil || v < 0 || v > 1<<32 {
				n.in.fail(m.value.place, "keyRange: %s: %q is not a whole number from 0 to 2^32", m.key, m.value.text)
				continue
			}
			*to = v
		}
		for _, key := range []string{"min", "max"} {
			if bounds[key] != nil {
				n.in.fail(g.place, "keyRange: %s is missing", key)
			}
		}
		if low > high {
			n.in.fail(g.place, "keyRange: min %d is above max %d", low, high)
		}
		why = fmt.Sprintf("keyRange: min %d, max %d, both of which are keys", low, high)
	}
	if low < 1 {
		why += "; the benchmark takes key 1 for 0"
	}
	n.d.setInt("key-start", max(low, 1), why)
	n.d.setInt("key-end", max(high, 1)+1, "the first key behind them")
	n.high = max(high, 1)
}

// nodeText is the length of the text that strings and bytes are made of. It is
// repeated until the size is reached, and never cut.
const nodeText = 46

// object settles what records look like.
func (n *nodeLoad) object() {
	g := n.in.get("binSpec")
	if g == nil {
		n.d.set("object-spec", "bin1=I4", "binSpec is missing, without which the benchmark fails; an integer")
		return
	}
	if g.node.kind != list || len(g.node.items) == 0 {
		n.in.fail(g.place, "binSpec: expected a list of bins such as {\"name\": \"bin1\", \"type\": \"STRING\", \"size\": 1024}")
		return
	}
	var specs []string
	names := map[string]bool{}
	for _, item := range g.node.items {
		spec, name := n.bin(item)
		switch {
		case name == "num" && names[name]: // all bins of unknown types are one
		case names[name]:
			n.in.fail(item.place, "binSpec: a second bin %q", name)
		default:
			specs = append(specs, name+"="+spec)
		}
		names[name] = true
	}
	n.d.set("object-spec", strings.Join(specs, ","),
		"binSpec; texts are repeated whole there, so sizes are rounded up to multiples of 46, and strings end in the key. Integers are the key. Texts are of a-z and 0-9 here")
}

// bin turns one bin of the binSpec into an object spec.
func (n *nodeLoad) bin(item *node) (spec, name string) {
	fields := map[string]*node{}
	for _, m := range item.members {
		if m.key != "name" && m.key != "type" && m.key != "size" {
			n.in.fail(m.place, "binSpec: unknown key %q; expected name, type, size", m.key)
		}
		fields[m.key] = m.value
	}
	for _, key := range []string{"name", "type"} {
		if fields[key] == nil || fields[key].text == "" {
			n.in.fail(item.place, "binSpec: a bin lacks its %s", key)
			return "", ""
		}
	}
	size := int64(0)
	if f := fields["size"]; f != nil && !f.null {
		var err error
		if size, err = strconv.ParseInt(f.text, 10, 32); err != nil || size < 0 {
			n.in.fail(f.place, "binSpec: %q is not a size", f.text)
		}
	}
	stored := max((size+nodeText-1)/nodeText, 1) * nodeText
	name = fields["name"].text
	switch fields["type"].text {
	case "STRING":
		return "S" + itoa(stored+int64(len(itoa(n.high)))), name
	case "BYTES":
		return "B" + itoa(stored), name
	case "INTEGER":
		return "@key", name
	}
	n.d.note("The benchmark writes the key to the bin num for the type %s of bin %s, which it does not know; so does this.", quoteShell(fields["type"].text), quoteShell(name))
	return "@key", "num"
}

// withUnit is a time as the benchmark reads it: 30, "30s", "5m" or "1h".
var withUnit = regexp.MustCompile(`^(\d{1,9})([smh]?)$`)

// seconds reads a time.
func (n *nodeLoad) seconds(name, byDefault string) (int64, string) {
	text, why := n.in.text(name, byDefault)
	if n.in.get(name) == nil {
		why = name + ", " + fromGuide
	}
	m := withUnit.FindStringSubmatch(text)
	if m == nil {
		n.in.fail(n.in.get(name).place, "%s: %q is not a time such as 30, \"30s\", \"5m\" or \"1h\"", name, text)
		return 0, why
	}
	t, _ := strconv.ParseInt(m[1], 10, 64)
	return t * map[string]int64{"": 1, "s": 1, "m": 60, "h": 3600}[m[2]], why + ", in seconds"
}

// end settles when the stage ends: a time, or else so many iterations of every
// process.
func (n *nodeLoad) end() {
	in, d := n.in, n.d
	if g := in.get("time"); g != nil {
		t, why := n.seconds("time", "")
		if t == 0 {
			in.fail(g.place, "time: 0 seconds are no load")
		}
		d.ends(in, why)
		d.setInt("duration", t, why)
		if i := in.get("iterations"); i != nil {
			d.without(i.cite(), "time overrides it, there too")
		}
		return
	}
	if in.get("iterations") == nil {
		d.endless("runs until it is stopped")
		return
	}
	i, why := in.integer("iterations", 0, 1, math.MaxInt32)
	d.ends(in, why)
	total, err := workloadTotal(i, n.perRun, n.processes)
	if err != nil {
		in.fail(in.get("iterations").place, "%w", err)
	}
	d.setInt("transactions", total, fmt.Sprintf("%s of %d operations in %d processes", why, n.perRun, n.processes))
}

// workloadTotal multiplies, and refuses what no run could do. A factor that was
// wrong is 0.
func workloadTotal(factors ...int64) (int64, error) {
	total := int64(1)
	for _, f := range factors {
		if f > 0 && total > maxInt/f {
			return 0, fmt.Errorf("%v operations are too many", factors)
		}
		total *= f
	}
	return total, nil
}

// policies works out the flags that take more than the table.
func (n *nodeLoad) policies() {
	in, d := n.in, n.d
	set, why := in.text("set", "demo")
	if in.get("set") == nil {
		why = "set, " + fromGuide
	}
	d.flag("--set", set, why)
	total, old := in.get("totalTimeout"), in.get("timeout")
	switch {
	case total != nil:
		t, why := in.integer("totalTimeout", 0, 0, maxMillis)
		d.flag("--timeout", itoa(t), why)
		if old != nil && old.text != total.text {
			d.without(old.cite(), "totalTimeout has taken its place")
		}
	case old != nil:
		t, why := in.integer("timeout", 0, 0, maxMillis)
		d.flag("--timeout", itoa(t), why)
	}
	if in.on("summary") {
		d.flag("--summary-format", "node", in.get("summary").cite())
	}
	d.flag("--max-error-rate", "100", "default of the C client below; aeroload's is no limit")
	if n.writes == 0 {
		d.flag("--max-retries", "2", "default of the C client below for reads; aeroload's is 1")
		return
	}
	d.flag("--max-retries", map[bool]string{true: "2", false: "0"}[n.reads > 0],
		"default of the C client below is 2 for reads and 0 for writes; aeroload has one number for both, 1 by default")
}
