package convert

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/workload"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// javaLoad works out the stage of a command line of the Java client's benchmark.
type javaLoad struct {
	in   *input
	d    *draft
	code string // of the workload
	// commands is how many commands the benchmark counts for what is one
	// transaction of aeroload.
	commands int64
}

// workload settles what the stage does, and tells whether that can be told.
func (j *javaLoad) workload() bool {
	text, from := j.in.text("workload", "")
	if text == "" {
		text, from = "RU,50", "default there"
		if g := j.in.byName["keyFile"]; g != nil {
			text, from = "RU,100", g.cite()+": without -w, its keys are read"
		}
	}
	place := from
	if g := j.in.get("workload"); g != nil {
		place = g.place
	}
	fields := strings.Split(text, ",")
	j.code, j.commands = fields[0], 1
	var err error
	switch j.code {
	case "I", "RMU", "RMI", "RMD":
		if len(fields) > 1 {
			err = fmt.Errorf("%s takes no percentages", j.code)
		}
	case "RU", "RR":
		err = checkPercents(fields)
	case "TXN":
		_, err = workload.ParsePattern(fields[1:])
	default:
		err = fmt.Errorf("%q is not one of I, RU, RR, RMU, RMI, RMD, TXN", j.code)
	}
	if err != nil {
		j.in.fail(place, "-w: %w in %q", err, text)
		return false
	}
	if !j.udf(fields, from) {
		j.d.set("workload", text, from)
	}
	switch j.code {
	case "RMU", "RMI", "RMD":
		j.commands = 2
		j.d.note("aeroload counts a read and the write that follows it as one transaction, the benchmark as two.")
		if j.code != "RMU" {
			j.d.note("The benchmark adds to a bin without a name, which only namespaces of a single bin have; aeroload adds to the first bin.")
		}
	case "TXN":
		j.commands = patternCommands(fields[1:])
		if strings.Contains(text, ",v:") {
			j.d.note("The benchmark makes no commands at all once v: is given (a slip in its code); here the variation is what its help says.")
		}
	}
	return true
}

// checkPercents checks the percentages of RU and RR as the benchmark does.
func checkPercents(fields []string) error {
	if len(fields) < 2 || len(fields) > 4 {
		return fmt.Errorf("%s takes one to three percentages", fields[0])
	}
	for _, f := range fields[1:] {
		if n, err := strconv.Atoi(f); err != nil || n < 0 || n > 100 {
			return fmt.Errorf("%q is not a whole percentage from 0 to 100", f)
		}
	}
	return nil
}

// patternCommands returns about how many commands a business transaction has.
func patternCommands(parts []string) int64 {
	var reads, writes, fixedReads, fixedWrites int64
	for _, p := range parts {
		key, text, _ := strings.Cut(p, ":")
		n, _ := strconv.ParseInt(text, 10, 64)
		switch key {
		case "r":
			reads = n
		case "w":
			writes = n
		case "t":
			times := int64(0)
			for _, c := range text {
				if c >= '0' && c <= '9' {
					times = times*10 + int64(c-'0')
					continue
				}
				if times == 0 || c == 'b' || c == 'B' { // a batch is one command
					times = 1
				}
				if strings.ContainsRune("rbRB", c) {
					fixedReads += times
				} else {
					fixedWrites += times
				}
				times = 0
			}
		}
	}
	return max(reads, fixedReads) + max(writes, fixedWrites)
}

// udf writes the workload of command lines whose reads call a UDF, if this is
// one.
func (j *javaLoad) udf(fields []string, from string) bool {
	module, function, args := j.in.get("udfPackageName"), j.in.get("udfFunctionName"), j.in.get("udfFunctionValues")
	var cites []string
	for _, g := range []*given{module, function, args} {
		if g != nil {
			cites = append(cites, g.cite())
		}
	}
	switch missing := cmp.Or(function, args); {
	case cites == nil:
		return false
	case module == nil || function == nil && args != nil:
		j.in.fail(missing.place, "%s: a UDF needs -udfPackageName and -udfFunctionName", missing.typed)
		return true
	}
	if why := j.noCalls(fields, args); why != "" {
		j.d.without(strings.Join(cites, ", "), why)
		return false
	}
	reads, _ := strconv.Atoi(fields[1])
	operations := "{udf: 100}"
	if reads < 100 {
		write, all := map[string]string{"RU": "update", "RR": "replace"}[j.code], "100"
		if len(fields) == 4 {
			all = fields[3]
		}
		operations = fmt.Sprintf("{udf: %d, %s: {weight: %d, all: %s}}", reads, write, 100-reads, all)
	}
	j.d.setPlain("operations", operations, from+": the reads call the UDF")
	var values []string
	for v := range strings.SplitSeq(args.text, ",") {
		values = append(values, quoteSpec(v))
	}
	j.d.setPlain("udf", fmt.Sprintf("{module: %s, function: %s, args: %s}", quoteFlow(module.text), quoteFlow(function.text), quoteFlow(strings.Join(values, ","))),
		strings.Join(cites, ", ")+"; the arguments are strings, as there")
	return true
}

// noCalls returns why no UDF is called although one is given; "" if one is.
func (j *javaLoad) noCalls(fields []string, args *given) string {
	batch := j.in.byName["batchSize"]
	switch {
	case args == nil:
		return "the benchmark calls a UDF only if -udfFunctionValues is given"
	case j.code == "I" || len(fields) > 1 && fields[1] == "0":
		return "only reads call it, and there are none"
	case j.code != "RU" && j.code != "RR":
		return "aeroload calls UDFs in workloads of independent reads and writes; the reads of " + j.code + " are plain ones"
	case batch != nil && batch.text != "0" && batch.text != "1":
		return "batch reads do not call UDFs, there either"
	}
	return ""
}

// quoteSpec writes a text as a constant string of an object spec.
func quoteSpec(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

func (j *javaLoad) keys() {
	in, d := j.in, j.d
	if file := in.get("keyFile"); file != nil {
		j.keyFile(file)
		return
	}
	start, from := in.integer("startkey", 0, 0, maxInt)
	n, why := in.integer("keys", 100_000, 1, maxInt)
	d.setInt("key-start", start, from)
	d.setInt("key-end", start+n, keysFrom(n, why))
}

// keyFile takes the keys from a file. Its number of lines is the number of keys,
// whatever -k and -S say.
func (j *javaLoad) keyFile(file *given) {
	in, d := j.in, j.d
	kind, why := "string", "default there"
	if g := in.get("keyType"); g != nil {
		why = g.cite()
		switch g.text {
		case "S":
		case "I":
			kind = "integer"
		default:
			in.fail(g.place, "%s: %q is not one of S, I", g.typed, g.text)
		}
	}
	d.setPlain("keys", fmt.Sprintf("{file: %s, type: %s}", quoteFlow(file.text), kind),
		fmt.Sprintf("%s; type: %s. The path starts at this stage file, not at the working directory", file.cite(), why))
	for _, name := range []string{"startkey", "keys"} {
		if g := in.get(name); g != nil {
			d.without(g.cite(), "with a file, all of its keys are used, as there")
		}
	}
	if in.get("workload") != nil {
		d.note("With -w, the benchmark takes but the number of keys from the file, and uses the integers from 0 on; this uses the keys of the file.")
	}
}

// object settles what records look like: as many bins as -b says, of the kinds
// that -o lists, in turns.
func (j *javaLoad) object() {
	in, d := j.in, j.d
	text, from := in.text("objectSpec", "I")
	bins, why := in.integer("bins", 1, 1, 32767)
	random := in.on("random")
	kinds := strings.Split(text, ",")
	var specs, remarks []string
	for i := range bins {
		spec, remark, err := javaBin(kinds[i%int64(len(kinds))], random, i == 0)
		if err != nil {
			in.fail(in.get("objectSpec").place, "-o: %w", err)
			return
		}
		specs = append(specs, fmt.Sprintf("%d=%s", i, spec))
		if remark != "" && i < int64(len(kinds)) && !strings.Contains(strings.Join(remarks, "; "), remark) {
			remarks = append(remarks, remark)
		}
	}
	if in.get("bins") == nil && len(kinds) > 1 {
		why = "default there: one bin, whatever -o lists"
	}
	d.set("object-spec", strings.Join(specs, ","), strings.Join(append([]string{from, "bins: " + why + ". Their names are those that the benchmark gives them"}, remarks...), "; "))
	if random {
		d.setPlain("random", "true", in.get("random").typed)
	}
	if in.get("expirationTime") != nil {
		n, ttl := in.integer("expirationTime", 0, -1, math.MaxInt32)
		d.setInt("expiration-time", n, ttl+", in seconds")
	}
}

// javaBin turns one kind of -o into an object spec. remark tells how values
// differ.
func javaBin(kind string, random, first bool) (spec, remark string, err error) {
	parts := strings.Split(kind, ":")
	size := func(i int) (int64, error) {
		if i >= len(parts) {
			return 0, fmt.Errorf("%q lacks a size", kind)
		}
		n, err := strconv.ParseInt(parts[i], 10, 32)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%q in %q is not a size", parts[i], kind)
		}
		return n, nil
	}
	if kind == "" {
		return "", "", errors.New("a bin has no type")
	}
	switch kind[0] { // the benchmark looks at the first letter alone
	case 'I':
		if random && first {
			return "@key", "an integer in the first bin is the key, as there", nil
		}
		return "I4", "integers are 32 bits drawn at random", nil
	case 'S':
		n, err := size(1)
		return "S" + itoa(n), "strings are of a-z and 0-9, there of all printable ASCII characters", err
	case 'B':
		n, err := size(1)
		return "B" + itoa(n), "", err
	case 'R':
		n, err := size(1)
		if err != nil {
			return "", "", err
		}
		percent, err := size(2)
		if err == nil && percent > 100 {
			err = fmt.Errorf("%q in %q is not a percentage", parts[2], kind)
		}
		remark := "sizes are rounded down to multiples of 8, as there"
		if percent == 100 {
			remark += "; there only the first eighth of R:…:100 is random, by a slip in its code"
		}
		return fmt.Sprintf("R:%d:%d", n/8*8, percent), remark, err
	case 'D':
		if random {
			return "@now", "D is the time in milliseconds", nil
		}
		return "I6", "D is a time in milliseconds, the same in all records without -R; this is another integer of its size", nil
	}
	return "", "", fmt.Errorf("%q is not one of I, S:<size>, B:<size>, R:<size>:<percent>, D", kind)
}

// end settles when the stage ends and at which rate it runs.
func (j *javaLoad) end() {
	in, d := j.in, j.d
	n, why := in.integer("transactions", 0, 0, maxInt)
	switch {
	case j.code == "I":
		d.ends(in, "when the keys are written")
		if n > 0 {
			d.without(why, "it is for workloads of reads and writes, there too")
		}
	case n > 0:
		d.ends(in, why)
		if j.commands > 1 {
			why = fmt.Sprintf("%s commands, of which each transaction here has %d", why, j.commands)
		}
		d.setInt("transactions", (n+j.commands-1)/j.commands, why)
	default:
		d.endless("runs until it is stopped")
	}
	rate, why := in.integer("throughput", 0, 0, math.MaxInt32)
	if rate == 0 {
		return
	}
	// With -latency, the benchmark counts business transactions as one.
	if whole := j.code == "TXN" && in.byName["latency"] != nil; j.commands > 1 && !whole {
		why = fmt.Sprintf("%s commands/s, of which each transaction here has %d", why, j.commands)
		d.setPlain("tps", strconv.FormatFloat(float64(rate)/float64(j.commands), 'f', -1, 64), why)
	} else {
		d.setInt("tps", rate, why)
	}
	if in.on("async") {
		d.note("The benchmark takes no notice of -g in asynchronous mode; here it holds.")
	}
}

// workers settles how many transactions are on their way, and how many records
// they are on.
func (j *javaLoad) workers() {
	in, d := j.in, j.d
	batch, why := in.integer("batchSize", 0, 0, math.MaxInt32)
	namespaces := in.get("batchNamespaces")
	if batched := batch > 1 && (j.code == "RU" || j.code == "RR"); batched {
		d.setInt("batch-read-size", batch, why+"; writes are on single records, as there")
		if namespaces != nil {
			d.set("batch-namespaces", namespaces.text, namespaces.cite())
		}
	} else {
		if in.byName["batchSize"] != nil {
			d.without(why, "only reads of RU and RR are batches, of more than one record, there too")
		}
		if namespaces != nil {
			d.without(namespaces.cite(), "there are no batches, there either")
		}
	}
	if in.on("async") {
		n, from := in.integer("asyncMaxCommands", 100, 1, math.MaxInt32)
		d.inFlight(n, in.get("async").typed+"; "+from)
		for _, name := range []string{"threads", "virtualThreads"} {
			if g := in.get(name); g != nil {
				d.without(g.cite(), "the number of threads does not matter in asynchronous mode, there either")
			}
		}
		return
	}
	n, from := in.integer("threads", 16, 1, math.MaxInt32)
	if g := in.get("virtualThreads"); g != nil {
		if t := in.byName["threads"]; t != nil {
			d.without(t.cite(), g.typed+" overrides it, there too")
		}
		n, from = in.integer("virtualThreads", 16, 1, math.MaxInt32)
	}
	d.threads(n, from)
	if g := in.byName["maxConnsPerNode"]; g == nil && n > 100 {
		d.note("The Java client has 100 connections a node for %d threads, and fails transactions beyond that; aeroload opens as many as there are threads.", n)
	}
}
