package stage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aeroload/aeroload/workload"
)

// The keys of an operation that is given as a mapping.
var (
	operationKeys   = []string{"weight", "all"}
	transactionKeys = []string{"weight", "reads", "writes", "variance", "pattern"}
)

// maxWeight bounds the weights of operations, so that their sum stays a number.
const maxWeight = 1e9

// setOperations sets the workload of a stage as operations with weights: {read:
// 70, update: {weight: 20, all: 50}, txn: {weight: 10, reads: 5, writes: 2}}.
func setOperations(d *draft, v value, problems *Problems) {
	m := &mapReader{name: "operations", value: v, problems: problems}
	var list []workload.Operation
	for _, name := range workload.OperationNames() {
		sub, ok := v.sub[name]
		if !ok {
			continue
		}
		if o, ok := readOperation(m, name, sub); ok && o.Weight > 0 {
			list = append(list, o)
		}
	}
	if len(list) == 0 && !m.failed {
		m.missing("no operation has a weight above 0; expected weights such as {read: 70, update: 30}")
	}
	d.mix = list
}

// readOperation reads one operation: a weight, or a mapping with the weight and
// what else there is to say.
func readOperation(m *mapReader, name string, v value) (workload.Operation, bool) {
	simple, named := workload.NewOperation(name, 0)
	if v.sub == nil {
		weight, err := parseWeight(v.text)
		switch {
		case v.broken:
			m.failed = true
		case err != nil:
			m.fail(v.place, fmt.Errorf("%s: %w", name, err))
		case !named:
			m.fail(v.place, fmt.Errorf("%s: expected a mapping of %s", name, strings.Join(transactionKeys, ", ")))
		default:
			simple.Weight = weight
			return simple, true
		}
		return workload.Operation{}, false
	}
	sub := &mapReader{name: m.name + ": " + name, value: v, problems: m.problems}
	weight := read(sub, "weight", parseWeight)
	if named {
		sub.only(name+" operation", operationKeys...)
		simple.Weight = weight
		if all, ok := v.sub["all"]; ok && !simple.Shared() {
			sub.fail(all.place, errors.New("all: this operation does not choose between all bins and some"))
		} else if ok {
			simple.All = read(sub, "all", workload.ParsePercent)
		}
	} else {
		sub.only(name+" operation", transactionKeys...)
		if p := readPattern(sub); p != nil {
			simple = workload.NewTransaction(p, weight)
		}
	}
	m.failed = m.failed || sub.failed
	return simple, !sub.failed
}

// readPattern reads what a transaction is made of.
func readPattern(m *mapReader) *workload.Pattern {
	var parts []string
	for _, part := range [][2]string{{"reads", "r:"}, {"writes", "w:"}, {"variance", "v:"}, {"pattern", "t:"}} {
		if v, ok := m.value.sub[part[0]]; ok {
			parts = append(parts, part[1]+v.text)
		}
	}
	if m.failed || m.value.broken {
		return nil
	}
	p, err := workload.ParsePattern(parts)
	if err != nil {
		m.fail(m.value.place, err)
		return nil
	}
	return p
}

func parseWeight(text string) (float64, error) {
	r, ok := parseNumber(strings.TrimSuffix(text, "%"))
	if !ok || r.Sign() < 0 {
		return 0, fmt.Errorf("%q is not a weight: expected a number from 0 on", text)
	}
	weight, _ := r.Float64()
	if weight > maxWeight {
		return 0, fmt.Errorf("%s is out of range: expected a weight to %.0f", text, float64(maxWeight))
	}
	return weight, nil
}

// setNamespaces sets the namespaces of batch reads.
func setNamespaces(d *draft, text string) error {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if err := CheckNamespace(name); err != nil {
			return err
		}
		if slices.Contains(d.BatchNamespaces, name) {
			return fmt.Errorf("%q is given twice", name)
		}
		d.BatchNamespaces = append(d.BatchNamespaces, name)
	}
	return nil
}

// CheckNamespace returns an error for what cannot be the name of a namespace: the
// server's names have 1 to 31 bytes (AS_NAMESPACE_SZ in aerospike-server
// as/include/base/datamodel.h is 32, with the terminating zero).
func CheckNamespace(name string) error {
	switch {
	case name == "":
		return errors.New("the name of a namespace is missing")
	case len(name) > 31:
		return fmt.Errorf("%q has %d bytes; the longest name has 31", name, len(name))
	}
	return nil
}

// resolveMix settles which of the stage's workload and operations counts: its
// own rather than one of the file's defaults.
func (d *draft) resolveMix(problems *Problems) {
	operations, mixed := d.given["operations"]
	w, coded := d.given["workload"]
	switch {
	case !mixed || operations.inherited && coded && !w.inherited:
		return
	case coded && !w.inherited && !d.bad["workload"]:
		problems.add(operations.place, "operations: the stage has a workload already; give one of the two")
	case coded && w.inherited && operations.inherited:
		problems.add(operations.place, "operations: the defaults have a workload already; give one of the two")
	}
	d.Workload = workload.NewMix(d.mix)
	d.bad["workload"] = d.bad["operations"]
	d.given["workload"] = operations
}

// checkCollections refuses a collection workload without a bin to work on.
func (d *draft) checkCollections(problems *Problems) {
	if d.bad["workload"] || !d.Workload.Collects() {
		return
	}
	found := false
	for i := range d.Object.Bins() {
		if !d.Workload.Fits(d.Object, i) {
			continue
		}
		found = true
		if n, ok := d.Object.Counters(i); ok && n > workload.MaxCounters && d.Workload.Kind == workload.Counters {
			problems.add(d.placeOf("workload"), "workload: %s adds to at most %d entries a map; bin %d has up to %d", d.Workload, workload.MaxCounters, i+1, n)
		}
	}
	if !found {
		wanted := map[workload.Kind]string{
			workload.Collections: "a list or a map", workload.Counters: "a map whose values are integers", workload.Lookups: "a map",
		}[d.Workload.Kind]
		problems.add(d.placeOf("workload"), "workload: %s needs a bin with %s, which the object spec %q has not", d.Workload, wanted, d.Object)
	}
}
