package objspec

import (
	"encoding/binary"
	"math"

	"github.com/aerospike/aerospike-client-go/v8"
	particle "github.com/aerospike/aerospike-client-go/v8/types/particle_type"
)

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
	for range n {
		var v any
		if f.kind == kindMap {
			v, rest = unpack(rest)
			keys = append(keys, v)
		}
		v, rest = unpack(rest)
		values = append(values, v)
	}
	return keys, values
}

// unpack returns the value that data, which appendPacked made, begins with, and
// what is behind it. Lists and maps are not taken apart any further.
func unpack(data []byte) (v any, rest []byte) {
	c, body := data[0], data[1:]
	switch {
	case c < 0x80 || c >= 0xe0:
		return int64(int8(c)), body
	case c < 0xa0 || c >= 0xdc && c <= 0xdf:
		return unpackCollection(data)
	case c < 0xc0:
		return unpackRaw(body, int(c&0x1f))
	}
	switch c {
	case 0xc2, 0xc3:
		return c == 0xc3, body
	case 0xcb:
		return math.Float64frombits(binary.BigEndian.Uint64(body)), body[8:]
	case 0xcc:
		return int64(body[0]), body[1:]
	case 0xcd:
		return int64(binary.BigEndian.Uint16(body)), body[2:]
	case 0xce:
		return int64(binary.BigEndian.Uint32(body)), body[4:]
	case 0xd0:
		return int64(int8(body[0])), body[1:]
	case 0xd1:
		return int64(int16(binary.BigEndian.Uint16(body))), body[2:]
	case 0xd2:
		return int64(int32(binary.BigEndian.Uint32(body))), body[4:]
	case 0xd9:
		return unpackRaw(body[1:], int(body[0]))
	case 0xda:
		return unpackRaw(body[2:], int(binary.BigEndian.Uint16(body)))
	case 0xdb:
		return unpackRaw(body[4:], int(binary.BigEndian.Uint32(body)))
	default: // 0xd3, and 0xcf, which only other writers use
		return int64(binary.BigEndian.Uint64(body)), body[8:]
	}
}

// unpackRaw returns the string or byte string of the first n bytes.
func unpackRaw(body []byte, n int) (v any, rest []byte) {
	text, rest := body[1:n], body[n:]
	switch int(body[0]) {
	case particle.BLOB:
		return text, rest
	case particle.GEOJSON:
		return aerospike.GeoJSONValue(text), rest
	}
	return string(text), rest
}

func unpackCollection(data []byte) (v any, rest []byte) {
	n, inner := cutHeader(data)
	list := data[0]&0xf0 == 0x90 || data[0] == 0xdc || data[0] == 0xdd
	times := n
	if !list {
		times = 2 * n
	}
	rest = inner
	for range times {
		_, rest = unpack(rest)
	}
	arg := collectionArg{n, inner[:len(inner)-len(rest)]}
	if list {
		return aerospike.NewListerValue(arg), rest
	}
	return aerospike.NewMapperValue(arg), rest
}
