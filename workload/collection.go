package workload

import (
	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/objspec"
)

// MaxCounters is the most entries that a record's map may have in a CI workload,
// as in asbench: each is an operation of its own.
const MaxCounters = 1000

// Collects tells whether the workload's transactions work within list and map
// bins.
func (w Workload) Collects() bool {
	return w.Kind == Collections || w.Kind == Counters || w.Kind == Lookups
}

// Fits tells whether a collection workload works on the bin of the spec with the
// given index: C on lists and maps, CI on maps of integers, CK on maps. The other
// bins are written as they are.
func (w Workload) Fits(spec *objspec.Spec, i int) bool {
	list, mapped := spec.Collection(i)
	switch w.Kind {
	case Collections:
		return list || mapped
	case Counters:
		_, ok := spec.Counters(i)
		return ok
	case Lookups:
		return mapped
	}
	return false
}

// collection is a bin that a collection workload works on.
type collection struct {
	bin  int // index
	name string
	list bool
}

// collector makes the operations of one worker's collection transactions.
type collector struct {
	workload    Workload
	collections []collection
	others      []int // indexes of the other bins
	values      *objspec.Generator
	maps        *as.MapPolicy
	reads       []*as.Operation // of all reads; nil for those by key
	writes      []*as.Operation // of all writes, when these are the same
	keys        [][]any         // by collection, of all reads by key, likewise
	random      bool
}

func newCollector(spec *Spec) *collector {
	c := &collector{
		workload: spec.Workload,
		values:   spec.Object.NewGenerator(spec.Seed),
		maps:     as.DefaultMapPolicy(),
		random:   spec.Random,
	}
	for i, name := range spec.Object.Bins() {
		if spec.Workload.Fits(spec.Object, i) {
			list, _ := spec.Object.Collection(i)
			c.collections = append(c.collections, collection{i, name, list})
		} else {
			c.others = append(c.others, i)
		}
	}
	if c.workload.Kind != Lookups {
		for _, col := range c.collections {
			c.reads = append(c.reads, c.read(col))
		}
	}
	if !c.random {
		c.writes = c.write(0, 0)
		for _, col := range c.collections {
			keys, _ := c.values.Entries(0, col.bin)
			c.keys = append(c.keys, keys)
		}
	}
	return c
}

// read returns the operation that reads the window of a collection: the last
// elements of a list or entries of a map, or the entries with the largest values.
func (c *collector) read(col collection) *as.Operation {
	n := c.workload.Window
	switch {
	case n == 0:
		return as.GetBinOp(col.name)
	case col.list:
		return as.ListGetByIndexRangeCountOp(col.name, -n, n, as.ListReturnTypeValue)
	case c.workload.Kind == Counters:
		return as.MapGetByRankRangeCountOp(col.name, -n, n, as.MapReturnType.KEY_VALUE)
	}
	return as.MapGetByIndexRangeCountOp(col.name, -n, n, as.MapReturnType.KEY_VALUE)
}

// nextReads returns the operations of the next read.
func (c *collector) nextReads(w *worker) []*as.Operation {
	if c.reads != nil {
		return c.reads
	}
	var ops []*as.Operation
	for i, col := range c.collections {
		var keys []any
		if c.random {
			keys, _ = c.values.Entries(w.rng.Uint64(), col.bin)
		} else {
			keys = c.keys[i]
		}
		n := min(max(1, c.workload.Window), len(keys))
		if n == 0 {
			ops = append(ops, as.GetBinOp(col.name)) // there is no key to look for
			continue
		}
		first := w.between(0, len(keys)-n)
		ops = append(ops, as.MapGetByKeyListOp(col.name, keys[first:first+n], as.MapReturnType.KEY_VALUE))
	}
	return ops
}

// nextWrites returns the operations of the next write. With random values each
// write has elements of its own, even on the same record: collections grow. The
// other bins are the record's, as always.
func (c *collector) nextWrites(w *worker) []*as.Operation {
	if c.writes != nil {
		return c.writes
	}
	return c.write(w.rng.Uint64(), w.record)
}

// write returns the operations that add the elements of a draw to the collections,
// cut these to their cap, and write the other bins of the record.
func (c *collector) write(draw, record uint64) []*as.Operation {
	var ops []*as.Operation
	for _, col := range c.collections {
		keys, values := c.values.Entries(draw, col.bin)
		switch {
		case len(values) == 0:
		case col.list:
			ops = append(ops, as.ListAppendOp(col.name, values...))
		case c.workload.Kind == Counters:
			for i, key := range keys {
				ops = append(ops, as.MapIncrementOp(c.maps, col.name, key, values[i]))
			}
		default:
			ops = append(ops, c.put(col.name, keys, values)...)
		}
		if c.workload.Cap > 0 && len(values) > 0 {
			ops = append(ops, c.trim(col))
		}
	}
	if len(c.others) > 0 {
		for _, bin := range c.values.Record(record, c.others) {
			ops = append(ops, as.PutOp(bin))
		}
	}
	if len(ops) == 0 { // the draw had nothing to write
		ops = append(ops, as.TouchOp())
	}
	return ops
}

// put returns the operations that put entries into a map: one, unless there are
// byte strings among the keys, which Go's maps can't have.
func (c *collector) put(name string, keys, values []any) []*as.Operation {
	entries := make(map[any]any, len(keys))
	for i, key := range keys {
		if _, ok := key.([]byte); ok {
			return c.putEach(name, keys, values)
		}
		entries[key] = values[i]
	}
	return []*as.Operation{as.MapPutItemsOp(c.maps, name, entries)}
}

func (c *collector) putEach(name string, keys, values []any) []*as.Operation {
	ops := make([]*as.Operation, len(keys))
	for i, key := range keys {
		ops[i] = as.MapPutOp(c.maps, name, key, values[i])
	}
	return ops
}

// trim returns the operation that removes all but the cap of a collection: its
// last elements or entries, or the entries with the largest values.
func (c *collector) trim(col collection) *as.Operation {
	n := c.workload.Cap
	switch {
	case col.list:
		return as.ListRemoveByIndexRangeCountOp(col.name, -n, n, as.ListReturnTypeNone|as.ListReturnTypeInverted)
	case c.workload.Kind == Counters:
		return as.MapRemoveByRankRangeCountOp(col.name, -n, n, as.MapReturnType.NONE|as.MapReturnType.INVERTED)
	}
	return as.MapRemoveByIndexRangeCountOp(col.name, -n, n, as.MapReturnType.NONE|as.MapReturnType.INVERTED)
}
