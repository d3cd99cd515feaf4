package stage

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/workload"
)

// The keys of the mappings that say what queries and scans ask for.
var (
	queryKeys = []string{"bin", "width", "index"}
	scanKeys  = []string{"partitions", "max-records"}
)

// Query is what a stage's secondary-index queries ask for.
type Query struct {
	Bin   int    // number of the bin, from 1
	Width uint64 // of the range of values; 0 asks for one value
	Index string // name of the secondary index if it must be created; "" is SET_BIN
}

// setQuery sets what queries ask for: {bin: 2, width: 100, index: name}.
func setQuery(d *draft, v value, problems *Problems) {
	m := &mapReader{name: "query", value: v, problems: problems}
	d.Query = Query{Bin: 1}
	if m.has("bin") {
		d.Query.Bin = int(read(m, "bin", integer("a bin number", 1, math.MaxInt32)))
	}
	if m.has("width") {
		d.Query.Width = uint64(read(m, "width", integer("a number of values", 1, math.MaxInt64)))
	}
	if m.has("index") {
		d.Query.Index = read(m, "index", func(text string) (string, error) {
			if text == "" || len(text) > maxIndexName {
				return "", fmt.Errorf("%q is no name of an index: expected 1 to %d characters", text, maxIndexName)
			}
			if i := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == ':' || r == ';' || r == '=' }); i >= 0 {
				return "", fmt.Errorf("%q is no name of an index: %q in it has a meaning in the server's commands", text, text[i])
			}
			return text, nil
		})
	}
}

// maxIndexName is the longest name of a secondary index on the server
// (INAME_MAX_SZ in aerospike-server as/include/sindex/sindex.h is 256).
const maxIndexName = 255

// maxIndexedText is the longest string that queries can ask for (range_from_msg_string
// in aerospike-server as/src/query/query.c takes less than MAX_STRING_KSIZE, 2048).
const maxIndexedText = 2047

// setScan sets what scans read: {partitions: 64, max-records: 1000}.
func setScan(d *draft, v value, problems *Problems) {
	m := &mapReader{name: "scan", value: v, problems: problems}
	d.Scan = workload.Scan{}
	if m.has("partitions") {
		d.Scan.Partitions = int(read(m, "partitions", integer("a number of partitions", 1, workload.NumPartitions)))
	}
	if m.has("max-records") {
		d.Scan.MaxRecords = read(m, "max-records", integer("a number of records", 1, math.MaxInt64))
	}
}

// integer returns what reads a whole number within [low, high].
func integer(what string, low, high int64) func(string) (int64, error) {
	return func(text string) (int64, error) { return parseInteger(text, what, low, high) }
}

// resolveQuery checks what queries ask for against the object spec.
func (d *draft) resolveQuery(problems *Problems) {
	if d.bad["workload"] || d.Object == nil {
		return
	}
	if _, given := d.given["scan"]; given && !d.Workload.HasScans() {
		d.Scan = workload.Scan{}
		d.meaningless("scan", problems, "the workload %s has no scans", d.Workload)
	}
	if !d.Workload.HasQueries() {
		if _, given := d.given["query"]; given {
			d.Query = Query{}
			d.meaningless("query", problems, "the workload %s has no queries", d.Workload)
		}
		return
	}
	if d.bad["query"] {
		return
	}
	if d.Query.Bin == 0 {
		d.Query.Bin = 1
	}
	key := "query"
	if _, given := d.given[key]; !given {
		key = "workload" // the first bin is what it asks for
	}
	fail := func(err error) { problems.addErr(d.placeOf(key), fmt.Errorf("query: %w", err)) }
	names := d.Object.Bins()
	switch i := d.Query.Bin - 1; {
	case i >= len(names):
		fail(fmt.Errorf("there is no bin %d: the object spec %q has %d", d.Query.Bin, d.Object, len(names)))
		return
	case d.Object.Text(i) && d.Query.Width > 0:
		fail(errors.New("width: strings have no ranges; leave it out to look for one value"))
	case !d.Object.Text(i) && !d.Object.Integer(i):
		fail(fmt.Errorf("bin %d is neither an integer nor a string in the object spec %q", d.Query.Bin, d.Object))
	case !d.Object.Repeatable(i):
		fail(fmt.Errorf("bin %d holds the time of its making, which a later query cannot ask for", d.Query.Bin))
	case d.Object.Text(i) && d.Object.MaxBytes(i) > maxIndexedText:
		fail(fmt.Errorf("bin %d can have strings of %d bytes; the server looks for strings of at most %d", d.Query.Bin, d.Object.MaxBytes(i), maxIndexedText))
	}
}

// Indexes lists the secondary indexes that the plan's queries need, each once.
func (p *Plan) Indexes() []cluster.Index {
	var list []cluster.Index
	for _, s := range p.Stages {
		if !s.Workload.HasQueries() {
			continue
		}
		if index := s.index(p.Namespace, p.Set); !slices.Contains(list, index) {
			list = append(list, index)
		}
	}
	return list
}

// index is the one that the stage's queries need.
func (s *Stage) index(namespace, set string) cluster.Index {
	bin := s.Query.Bin - 1
	index := cluster.Index{Namespace: namespace, Set: set, Bin: s.Object.Bins()[bin], Name: s.Query.Index, Integer: s.Object.Integer(bin)}
	if index.Name == "" {
		index.Name = set + "_" + index.Bin
	}
	return index
}

// checkIndexes refuses stages that need different indexes of one name, before the
// first of them is created.
func checkIndexes(drafts []*draft, set string, problems *Problems) {
	type user struct {
		index cluster.Index
		stage int
	}
	users := map[string]user{}
	for _, d := range drafts {
		if d.bad["workload"] || d.bad["query"] || d.Object == nil || !d.Workload.HasQueries() || d.Query.Bin > len(d.Object.Bins()) {
			continue
		}
		index := d.index("", set)
		first, taken := users[index.Name]
		switch {
		case !taken:
			users[index.Name] = user{index, d.Number}
		case first.index.Bin != index.Bin:
			problems.add(d.placeOf("query"), "query: stage %d has the index %q on bin %q; give the one on bin %q another name", first.stage, index.Name, first.index.Bin, index.Bin)
		case first.index.Integer != index.Integer:
			problems.add(d.placeOf("query"), "query: stage %d has the index %q on bin %q with values of another type; give this one another name", first.stage, index.Name, index.Bin)
		}
	}
}

// queryPairs lists the keys that say what queries and scans ask for.
func (s *Stage) queryPairs() (pairs [][2]string) {
	if s.Workload.HasQueries() {
		text := fmt.Sprintf("{bin: %d", s.Query.Bin)
		if s.Query.Width > 0 {
			text += fmt.Sprintf(", width: %d", s.Query.Width)
		}
		if s.Query.Index != "" {
			text += fmt.Sprintf(", index: %q", s.Query.Index)
		}
		pairs = append(pairs, [2]string{"query", text + "}"})
	}
	if s.Scan != (workload.Scan{}) {
		text := ""
		if s.Scan.Partitions > 0 {
			text = fmt.Sprintf("partitions: %d", s.Scan.Partitions)
		}
		if s.Scan.MaxRecords > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("max-records: %d", s.Scan.MaxRecords)
		}
		pairs = append(pairs, [2]string{"scan", "{" + text + "}"})
	}
	return pairs
}
