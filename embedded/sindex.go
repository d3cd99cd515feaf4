package embedded

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Limits of secondary indexes in the real server (sindex.h, datamodel.h).
const (
	maxIndexes       = 256 // in a namespace
	maxIndexName     = 63  // bytes
	maxIndexedString = 2048
)

// Which values of a bin an index holds, as the protocol numbers it.
const (
	indexDefault   = 0 // the bin's value
	indexList      = 1 // the elements of a list
	indexMapKeys   = 2
	indexMapValues = 3
)

// A sindexDef says what is indexed.
type sindexDef struct {
	set      string // empty for all records
	bin      string
	context  string // MessagePack, empty for the bin itself
	particle byte   // of the values: integer, string or blob
	kind     byte   // indexDefault and so on
}

// A sindex is a secondary index. Each partition has a tree, which the partition's
// lock guards.
type sindex struct {
	sindexDef
	name  string
	setID uint16
	trees []sindexTree // by partition
}

// A sindexTree holds a partition's entries, sorted. A partition has few enough
// for a slice to be the fastest and smallest form.
type sindexTree struct{ entries []sindexEntry }

// A sindexEntry is one value of a record: an integer, or the hash of a string or
// blob.
type sindexEntry struct {
	value  int64
	digest Digest
}

func (a sindexEntry) compare(b sindexEntry) int {
	if order := cmp.Compare(a.value, b.value); order != 0 {
		return order
	}
	return bytes.Compare(a.digest[:], b.digest[:])
}

// A sindexTable holds a namespace's indexes. The list is replaced, never changed,
// so that writes need no lock to look at it.
type sindexTable struct {
	mu   sync.Mutex // held to change the list
	list atomic.Pointer[[]*sindex]
}

// all returns the indexes.
func (t *sindexTable) all() []*sindex {
	if list := t.list.Load(); list != nil {
		return *list
	}
	return nil
}

// named returns the index of a name, nil if there is none.
func (t *sindexTable) named(name string) *sindex {
	for _, x := range t.all() {
		if x.name == name {
			return x
		}
	}
	return nil
}

// defined returns the index with a definition, nil if there is none.
func (t *sindexTable) defined(def sindexDef) *sindex {
	for _, x := range t.all() {
		if x.sindexDef == def {
			return x
		}
	}
	return nil
}

// update replaces the entries of old by those of r. Either may be nil. The caller
// holds the partition's lock.
func (t *sindexTable) update(d *Digest, old, r *record) {
	for _, x := range t.all() {
		x.update(d, old, r)
	}
}

func (x *sindex) update(d *Digest, old, r *record) {
	for _, some := range []*record{old, r} {
		if some != nil && x.setID != 0 && some.setID != x.setID {
			return
		}
	}
	was, had := x.binOf(old)
	is, has := x.binOf(r)
	if had == has && was.particle == is.particle && bytes.Equal(was.value, is.value) {
		return
	}
	var before, after [8]int64 // enough for most, without an allocation
	gone, come := x.values(before[:0], was, had), x.values(after[:0], is, has)
	tree := &x.trees[d.partition()]
	tree.remove(d, without(gone, come))
	tree.add(d, without(come, gone))
}

// without returns the values of a, sorted, that aren't among the sorted b.
func without(a, b []int64) []int64 {
	if len(b) == 0 {
		return a
	}
	out := make([]int64, 0, len(a))
	for _, v := range a {
		if _, found := slices.BinarySearch(b, v); !found {
			out = append(out, v)
		}
	}
	return out
}

// binOf returns the bin of a record that is indexed.
func (x *sindex) binOf(r *record) (bin, bool) {
	if r == nil {
		return bin{}, false
	}
	return r.findBin([]byte(x.bin))
}

// values appends the values that an index has of a bin, sorted and each once.
func (x *sindex) values(into []int64, b bin, ok bool) []int64 {
	if !ok {
		return into
	}
	x.eachValue(b, func(v int64, _ []byte) bool {
		into = append(into, v)
		return true
	})
	if len(into) < 2 {
		return into
	}
	slices.Sort(into)
	return slices.Compact(into)
}

// eachValue calls visit with the values of a bin that are indexed: an integer, or
// a hash and the text it is of. It stops when visit returns false.
func (x *sindex) eachValue(b bin, visit func(v int64, text []byte) bool) {
	if x.context != "" {
		var ok bool
		if b, ok = resolveContext(b, x.context); !ok {
			return
		}
	}
	switch {
	case x.kind == indexDefault && b.particle == x.particle:
		if x.particle == particleInteger {
			visit(int64(binary.BigEndian.Uint64(b.value)), nil)
		} else if len(b.value) <= maxIndexedString {
			visit(hashText(b.value), b.value)
		}
	case x.kind == indexList && b.particle == particleList:
		x.eachElement(b.value, 1, 0, visit)
	case x.kind == indexMapKeys && b.particle == particleMap:
		x.eachElement(b.value, 2, 0, visit)
	case x.kind == indexMapValues && b.particle == particleMap:
		x.eachElement(b.value, 2, 1, visit)
	}
}

// eachElement visits one of every per elements of a collection: the one at place.
func (x *sindex) eachElement(value []byte, per, place int, visit func(int64, []byte) bool) {
	e, b, ok := parseElement(value)
	if !ok {
		return
	}
	b, count := skipFlags(&e, b)
	for range count {
		for i := range per {
			head, _, ok := parseElement(b)
			if !ok {
				return
			}
			if i == place && !x.visitElement(&head, visit) {
				return
			}
			if b, ok = skipElement(b); !ok {
				return
			}
		}
	}
}

// visitElement visits an element if it is of the index's type.
func (x *sindex) visitElement(e *element, visit func(int64, []byte) bool) bool {
	switch {
	case x.particle == particleInteger && (e.kind == typeInteger || e.kind == typeNegative):
		if e.kind == typeInteger && e.number > math.MaxInt64 {
			return true
		}
		return visit(int64(e.number), nil)
	case x.particle == particleString && e.kind == typeString,
		x.particle == particleBlob && e.kind == typeBytes && len(e.payload) > 0 && e.payload[0] == particleBlob:
		if text := e.payload[1:]; len(text) <= maxIndexedString {
			return visit(hashText(text), text)
		}
	}
	return true
}

// skipElement returns what follows the first element of b.
func skipElement(b []byte) ([]byte, bool) {
	for left := 1; left > 0; left-- {
		e, rest, ok := parseElement(b)
		if !ok {
			return nil, false
		}
		switch e.kind {
		case typeList:
			left += e.count
		case typeMap:
			left += 2 * e.count
		}
		b = rest
	}
	return b, true
}

// hashText is the value by which an index finds a string or blob. Others may have
// the same, so that the text must be compared too.
func hashText(text []byte) int64 {
	h := fnv.New64a()
	_, _ = h.Write(text) // never fails
	return int64(h.Sum64())
}

// manyValues is the number of values from which changing a tree sorts it anew
// instead of moving entries for each.
const manyValues = 16

// add adds a record's values.
func (t *sindexTree) add(d *Digest, values []int64) {
	if len(values) > manyValues {
		for _, v := range values {
			t.entries = append(t.entries, sindexEntry{v, *d})
		}
		slices.SortFunc(t.entries, sindexEntry.compare)
		return
	}
	for _, v := range values {
		e := sindexEntry{v, *d}
		if i, found := slices.BinarySearchFunc(t.entries, e, sindexEntry.compare); !found {
			t.entries = slices.Insert(t.entries, i, e)
		}
	}
}

// remove removes a record's values.
func (t *sindexTree) remove(d *Digest, values []int64) {
	if len(values) > manyValues {
		t.entries = slices.DeleteFunc(t.entries, func(e sindexEntry) bool {
			if e.digest != *d {
				return false
			}
			_, found := slices.BinarySearch(values, e.value)
			return found
		})
		return
	}
	for _, v := range values {
		if i, found := slices.BinarySearchFunc(t.entries, sindexEntry{v, *d}, sindexEntry.compare); found {
			t.entries = slices.Delete(t.entries, i, i+1)
		}
	}
}

// createIndex makes an index and fills it. It is there for writes from the start, and
// each partition is filled under its lock, so that nothing is missed. The caller
// holds the table's lock.
func (ns *namespace) createIndex(name string, def sindexDef) {
	x := &sindex{sindexDef: def, name: name, trees: make([]sindexTree, partitions)}
	if def.set != "" {
		x.setID, _ = ns.makeSet([]byte(def.set))
	}
	list := append(slices.Clone(ns.indexes.all()), x)
	ns.indexes.list.Store(&list)
	for pid := range ns.partitions {
		p := &ns.partitions[pid]
		p.mu.Lock()
		tree := &x.trees[pid]
		tree.entries = tree.entries[:0]
		for d, r := range p.records {
			if x.setID != 0 && r.setID != x.setID {
				continue
			}
			b, ok := x.binOf(r)
			for _, v := range x.values(nil, b, ok) {
				tree.entries = append(tree.entries, sindexEntry{v, d})
			}
		}
		slices.SortFunc(tree.entries, sindexEntry.compare)
		p.mu.Unlock()
	}
}

// dropIndex removes an index. The caller holds the table's lock.
func (ns *namespace) dropIndex(x *sindex) {
	list := slices.DeleteFunc(slices.Clone(ns.indexes.all()), func(y *sindex) bool { return y == x })
	ns.indexes.list.Store(&list)
}

// size returns the number of entries of an index.
func (x *sindex) size(ns *namespace) (n int) {
	for pid := range x.trees {
		p := &ns.partitions[pid]
		p.mu.Lock()
		n += len(x.trees[pid].entries)
		p.mu.Unlock()
	}
	return n
}
