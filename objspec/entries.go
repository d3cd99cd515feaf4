package objspec

import "github.com/aerospike/aerospike-client-go/v8"

// Collection tells what kind of collection the bin with the given index, from 0
// to len(Bins())-1, always holds: a list, a map, or neither.
func (s *Spec) Collection(i int) (list, mapped bool) {
	return s.bins[i].kind == kindList, s.bins[i].kind == kindMap
}

// Counters tells whether the bin with the given index, from 0 to len(Bins())-1,
// is a map whose values are all integers, and the most entries it has.
func (s *Spec) Counters(i int) (entries int, ok bool) {
	f := s.bins[i]
	if f.kind != kindMap {
		return 0, false
	}
	for _, p := range f.pairs {
		if p.value.kind != kindInt {
			return 0, false
		}
	}
	return f.entries, true
}

// Entries returns the elements of a list bin, or the keys and values of a map
// bin, of the record that key identifies, as the client takes them in list and
// map operations. i is the bin's index, as in [Spec.Collection]; another kind of
// bin is a programming error. An optional bin that the record doesn't have has
// none. Entries allocates; what it returns stays valid until the generator's next
// call.
func (g *Generator) Entries(key uint64, i int) (keys, values []any) {
	if len(g.Record(key, []int{i})) == 0 {
		return nil, nil
	}
	f := g.spec.bins[i]
	n, rest := cutHeader(g.values[i].Data)
	u := unpacker{data: rest}
	for range n {
		if f.kind == kindMap {
			keys = append(keys, u.operand())
		}
		values = append(values, u.operand())
	}
	return keys, values
}

// operand returns the next value as the client packs it into an operation. Lists
// and maps stay packed.
func (u *unpacker) operand() any {
	before := u.data
	v := u.value(0)
	packed := before[:len(before)-len(u.data)]
	switch v := v.(type) {
	case GeoJSON:
		return aerospike.GeoJSONValue(v)
	case []any:
		n, elements := cutHeader(packed)
		return aerospike.NewListerValue(collectionArg{n, elements})
	case []Entry:
		n, entries := cutHeader(packed)
		return aerospike.NewMapperValue(collectionArg{n, entries})
	}
	return v
}
