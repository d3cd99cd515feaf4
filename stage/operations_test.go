package stage

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// Every row follows the first line of a stage.
func TestOperations(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"weights", "operations: {read: 70, update: 20, delete: 5, udf: 5}\n  udf: {module: m, function: f}",
			"operations: {read: {weight: 70, all: 100}, update: {weight: 20, all: 100}, delete: 5, udf: 5}"},
		{"weights need not add up to 100", "operations: {update: 1k, read: 0.5}", "operations: {read: {weight: 0.5, all: 100}, update: {weight: 1000, all: 100}}"},
		{"percent signs are decoration", "operations: {read: 70%, replace: 30%}", "operations: {read: {weight: 70, all: 100}, replace: {weight: 30, all: 100}}"},
		{"a weight of 0 is left out", "operations: {read: 1, update: 0}", "operations: {read: {weight: 1, all: 100}}"},
		{"named bins are taken always", "operations: {read: 1, insert: 1}\n  read-bins: 2", "operations: {read: {weight: 1, all: 0}, insert: {weight: 1, all: 100}}"},
		{"or by their share", "operations: {read: {weight: 1, all: 25%}}\n  read-bins: 2", "operations: {read: {weight: 1, all: 25}}"},
		{"transactions of several commands", "operations: {read-update: 1, read-increment: 2, read-decrement: 3, increment: 4, decrement: 5}",
			"operations: {increment: 4, decrement: 5, read-update: 1, read-increment: 2, read-decrement: 3}"},
		{"a business transaction", "operations: {txn: {weight: 2, reads: 3, writes: 2, variance: 1, pattern: ruB}}",
			"operations: {txn: {weight: 2, reads: 3, writes: 2, variance: 1, pattern: ruB}}"},
		{"the named bin is the integer", "operations: {increment: 1}\n  write-bins: 3", "operations: {increment: 1}"},
		{"namespaces of batch reads", "operations: {read: 1}\n  batch-read-size: 5\n  batch-namespaces: [test, bar]", "batch-namespaces: test,bar"},
		{"the same as text", "workload: RU,50\n  batch-size: 5\n  batch-namespaces: test, bar", "batch-namespaces: test,bar"},
		{"queries", "operations: {query: 2, read: 1}\n  query: {bin: 3, width: 1k}", "query: {bin: 3, width: 1000}"},
		{"queries by default", "operations: {query: 1}\n  query: {index: i}", `query: {bin: 1, index: "i"}`},
		{"scans", "operations: {scan: 1}\n  scan: {partitions: 64, max-records: 10}", "scan: {partitions: 64, max-records: 10}"},
		{"letter codes stay letter codes", "workload: TXN,r:5,w:2,v:20%,t:r", "workload: TXN,r:5,w:2,v:20%,t:r"},
		{"a share of the range", "workload: I:60", "workload: I:60"},
	} {
		plan, err := Parse("f.yaml", []byte("- desc: x\n  "+c.text), specDefaults())
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var out bytes.Buffer
		if err := plan.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), c.want+"\n") {
			t.Errorf("%s: printed as\n%s\nwant %s", c.why, out.String(), c.want)
		}
		again, err := Parse("f.yaml", out.Bytes(), specDefaults())
		if err != nil || !reflect.DeepEqual(again.Stages[0].Workload, plan.Stages[0].Workload) {
			t.Errorf("%s: reads back as %+v, %v", c.why, again, err)
		}
	}
}

// specDefaults are those of a run with -o I4,S8,I2.
func specDefaults() Defaults {
	d := flagDefaults()
	d.ObjectSpec = "I4,S8,I2"
	return d
}

func TestOperationErrors(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"no such operation", "operations: {raed: 1}", `f.yaml:2:16: operations: unknown key "raed"; expected read, update, replace, insert, delete, udf, increment, decrement, read-update, read-increment, read-decrement, query, scan, txn; did you mean "read"?`},
		{"no operation", "operations: {}", "f.yaml:2:15: operations: no operation has a weight above 0; expected weights such as {read: 70, update: 30}"},
		{"only zeros", "operations: {read: 0}", "f.yaml:2:15: operations: no operation has a weight above 0; expected weights such as {read: 70, update: 30}"},
		{"a weight below 0", "operations: {read: -1}", `f.yaml:2:22: operations: read: "-1" is not a weight: expected a number from 0 on`},
		{"a weight that is none", "operations: {read: lots}", `f.yaml:2:22: operations: read: "lots" is not a weight: expected a number from 0 on`},
		{"a weight beyond reason", "operations: {read: 9G}", `f.yaml:2:22: operations: read: 9G is out of range: expected a weight to 1000000000`},
		{"a text", "operations: read", `f.yaml:2:15: operations: expected a mapping of read, update, replace, insert, delete, udf, increment, decrement, read-update, read-increment, read-decrement, query, scan, txn, not "read"`},
		{"a list for a weight", "operations: {read: [1]}", "f.yaml:2:22: operations: read: expected a single value, not a list"},
		{"no weight in a mapping", "operations: {read: {all: 5}}", "f.yaml:2:22: operations: read: weight is missing"},
		{"a share that is none", "operations: {read: {weight: 1, all: 101}}", `f.yaml:2:39: operations: read: all: "101" is not a number from 0 to 100`},
		{"a share where there is none", "operations: {delete: {weight: 1, all: 50}}", "f.yaml:2:41: operations: delete: all: this operation does not choose between all bins and some"},
		{"a pattern where there is none", "operations: {read: {weight: 1, pattern: r}}", "f.yaml:2:43: operations: read: pattern does not go with a read operation, which has weight, all"},
		{"an unknown key in a mapping", "operations: {read: {wieght: 1}}", `f.yaml:2:23: operations: read: unknown key "wieght"; expected weight, all, reads, writes, variance, pattern; did you mean "weight"?`},
		{"a weight for a business transaction", "operations: {txn: 5}", "f.yaml:2:21: operations: txn: expected a mapping of weight, reads, writes, variance, pattern"},
		{"an empty business transaction", "operations: {txn: {weight: 5}}", "f.yaml:2:21: operations: txn: a transaction without commands: give r:READS, w:WRITES or t:PATTERN"},
		{"a bad pattern", "operations: {txn: {weight: 5, pattern: rz}}", `f.yaml:2:21: operations: txn: "t:rz": 'z' at position 2 is no command: expected one of rbupiwRBUPW`},
		{"both", "operations: {read: 1}\n  workload: I", "f.yaml:2:15: operations: the stage has a workload already; give one of the two"},
		{"UDF calls without a UDF", "operations: {udf: 1}", "f.yaml:2:15: workload: udf 1 calls a UDF: give its module and function under the key udf"},
		{"adding to a string", "workload: RMI\n  write-bins: 2", `f.yaml:3:15: write-bins: the workload RMI adds to bin 2, which is no integer in the object spec "I4,S8,I2"`},
		{"adding to two bins", "workload: RMD\n  write-bins: 1,3", "f.yaml:3:15: write-bins: the workload RMD adds to one bin; name only that"},
		{"batches of single records", "workload: RMU\n  batch-size: 5", "f.yaml:3:15: batch-size: the commands of the workload RMU are on single records"},
		{"namespaces without batches", "workload: RU,50\n  batch-namespaces: test,bar", "f.yaml:3:21: batch-namespaces: the stage has no batch reads to spread; give a batch-read-size above 1"},
		{"namespaces without reads", "workload: I\n  batch-size: 2\n  batch-namespaces: test", "f.yaml:4:21: batch-namespaces: the stage has no batch reads to spread; give a batch-read-size above 1"},
		{"a namespace twice", "workload: RU,50\n  batch-size: 5\n  batch-namespaces: test,test", `f.yaml:4:21: batch-namespaces: "test" is given twice`},
		{"a namespace without a name", "workload: RU,50\n  batch-size: 5\n  batch-namespaces: 'test,'", "f.yaml:4:21: batch-namespaces: the name of a namespace is missing"},
		{"no collection", "workload: C,50", `f.yaml:2:13: workload: C,50%,0,0 needs a bin with a list or a map, which the object spec "I4,S8,I2" has not`},
		{"no map", "workload: CK\n  object-spec: '[I2]'", `f.yaml:2:13: workload: CK,50%,0,0 needs a bin with a map, which the object spec "[I2]" has not`},
		{"no map of integers", "workload: CI\n  object-spec: '{S2:I2,S3:D}'", `f.yaml:2:13: workload: CI,50%,0,0 needs a bin with a map whose values are integers, which the object spec "{S2:I2,S3:D}" has not`},
		{"too many counters", "workload: CI\n  object-spec: '{1001*S4:I2}'", "f.yaml:2:13: workload: CI,50%,0,0 adds to at most 1000 entries a map; bin 1 has up to 1001"},
		{"batches of collections", "workload: C,50\n  object-spec: '[I2]'\n  batch-size: 3", "f.yaml:4:15: batch-size: the commands of the workload C,50%,0,0 are on single records"},
		{"bins of collections", "workload: C,50\n  object-spec: '[I2]'\n  read-bins: 1", "f.yaml:4:14: read-bins: the workload C,50%,0,0 reads no bins"},
		{"no such bin", "operations: {query: 1}\n  query: {bin: 4}", `f.yaml:3:10: query: there is no bin 4: the object spec "I4,S8,I2" has 3`},
		{"a range of strings", "operations: {query: 1}\n  query: {bin: 2, width: 5}", "f.yaml:3:10: query: width: strings have no ranges; leave it out to look for one value"},
		{"a bin without an index", "operations: {query: 1}\n  object-spec: '[I1]'", `f.yaml:2:15: query: bin 1 is neither an integer nor a string in the object spec "[I1]"`},
		{"a range of nothing", "operations: {query: 1}\n  query: {width: 0}", "f.yaml:3:18: query: width: 0 is out of range: expected a number of values from 1 to 9223372036854775807"},
		{"an index without a name", "operations: {query: 1}\n  query: {index: ''}", `f.yaml:3:18: query: index: "" is no name of an index: expected 1 to 255 characters`},
		{"no queries", "workload: I\n  query: {bin: 1}", "f.yaml:3:10: query: the workload I has no queries"},
		{"no scans", "operations: {query: 1}\n  scan: {partitions: 2}", "f.yaml:3:9: scan: the workload query 1 has no scans"},
		{"too many partitions", "operations: {scan: 1}\n  scan: {partitions: 4097}", "f.yaml:3:22: scan: partitions: 4097 is out of range: expected a number of partitions from 1 to 4096"},
		{"an unknown key of queries", "operations: {query: 1}\n  query: {bni: 1}", `f.yaml:3:11: query: unknown key "bni"; expected bin, width, index; did you mean "bin"?`},
		{"batches of queries", "operations: {query: 1}\n  batch-size: 5", "f.yaml:3:15: batch-size: the commands of the workload query 1 are on single records"},
		{"less than a key", "workload: I:1\n  key-end: 50", "f.yaml:2:13: workload: I:1 of 49 keys is less than one key"},
	} {
		_, err := Parse("f.yaml", []byte("- desc: x\n  "+c.text), specDefaults())
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.why, err, c.want)
		}
	}
}

// What the defaults say gives way to what the stage says.
func TestOperationsAndDefaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"defaults: {workload: I}\nstages: [{operations: {read: 1}}]", "read 1"},
		{"defaults: {operations: {read: 1}}\nstages: [{workload: I}]", "I,100%"},
		{"defaults: {operations: {read: 1}}\nstages: [{desc: x}]", "read 1"},
	} {
		plan, err := Parse("f.yaml", []byte(c.text), flagDefaults())
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
		} else if got := plan.Stages[0].Workload.String(); got != c.want && got+",100%" != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	if _, err := Parse("f.yaml", []byte("defaults: {operations: {read: 1}, workload: I}\nstages: [{desc: x}]"), flagDefaults()); err == nil {
		t.Error("two workloads among the defaults: no error")
	}
}

// A spec made for variety gives each record a value of its own wherever values are
// written or compared.
func TestVarietySwitchesRandomOn(t *testing.T) {
	for text, want := range map[string]bool{
		"workload: I, object-spec: '@word'":                      true,
		"workload: 'RU,100', object-spec: '@word'":               false,
		"workload: 'RU,100', verify: true, object-spec: '@word'": true,
		"workload: 'RU,100', verify: true, object-spec: 'S8'":    false,
		"workload: 'C,50', object-spec: '[@word]'":               true,
	} {
		plan, err := parse("- {" + text + "}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if plan.Stages[0].Random != want {
			t.Errorf("%s: random %v, want %v", text, plan.Stages[0].Random, want)
		}
	}
}
