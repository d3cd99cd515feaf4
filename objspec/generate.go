package objspec

import (
	"encoding/binary"
	"reflect"

	"github.com/aerospike/aerospike-client-go/v8"
)

// Generator makes the bins of records. It isn't safe for concurrent use: make
// one for each worker. Generators of one spec and one seed are interchangeable.
type Generator struct {
	spec   *Spec
	seed   uint64 // mixed; see random.go
	bins   []*aerospike.Bin
	values []aerospike.RawBlobValue // the bins' values; each Data is a reused buffer
	picked []*aerospike.Bin         // room for a partial record's bins
	perms  []permutation
}

// NewGenerator returns a generator whose records follow from the seed. It
// allocates the buffers for the largest record the spec can make, so that
// Record needn't allocate.
func (s *Spec) NewGenerator(seed uint64) *Generator {
	n := len(s.bins)
	g := &Generator{
		spec:   s,
		seed:   mix(seed + golden),
		bins:   make([]*aerospike.Bin, n),
		values: padded[aerospike.RawBlobValue](n),
		picked: padded[*aerospike.Bin](n),
		perms:  padded[permutation](s.perms),
	}
	total := 0
	for _, f := range s.bins {
		total += f.particle
	}
	arena := padded[byte](total)
	bins := make([]aerospike.Bin, n)
	for i, f := range s.bins {
		g.values[i] = aerospike.RawBlobValue{
			ParticleType: particleType(f.kind),
			Data:         arena[:0:f.particle],
		}
		arena = arena[f.particle:]
		if f.constant {
			g.values[i].Data = g.appendParticle(g.values[i].Data, f, nil)
		}
		bins[i] = aerospike.Bin{Name: s.names[i], Value: &g.values[i]}
		g.bins[i] = &bins[i]
	}
	return g
}

// padded returns n elements that share no cache line with other memory.
// Generators are made in a row and small, and each is written to by a worker
// of its own all the time: side by side they would slow each other down.
func padded[T any](n int) []T {
	const cacheLine = 64 // bytes
	pad := 1 + cacheLine/int(reflect.TypeFor[T]().Size())
	return make([]T, n+2*pad)[pad : pad+n : pad+n]
}

// Record returns the bins of the record that key identifies. sel lists the
// wanted bins by their index from 0 to len(Bins())-1, in ascending order; nil
// means all of them. An index outside that range is a programming error and
// panics like any slice access.
//
// A bin's value depends on the seed, key and the bin's index alone, so a
// partial record equals the same bins of the whole one. The bins, their values
// and the slice belong to the generator: they mustn't be changed, and are
// valid until its next call. Values are *aerospike.RawBlobValue, which the
// client can write as bins, but can't use as UDF arguments or list elements.
func (g *Generator) Record(key uint64, sel []int) []*aerospike.Bin {
	record := mix(g.seed ^ key)
	if sel == nil {
		for i := range g.bins {
			g.fill(i, record)
		}
		return g.bins
	}
	picked := g.picked[:0]
	for _, i := range sel {
		g.fill(i, record)
		picked = append(picked, g.bins[i])
	}
	return picked
}

// fill generates bin i of a record in place.
func (g *Generator) fill(i int, record uint64) {
	f := g.spec.bins[i]
	if f.constant {
		return // done once, by NewGenerator
	}
	s := stream(mix(record + (uint64(i)+1)*golden))
	v := &g.values[i]
	v.Data = g.appendParticle(v.Data[:0], f, &s)
}

// appendParticle appends a value the way a bin holds it.
func (g *Generator) appendParticle(dst []byte, f *form, s *stream) []byte {
	switch f.kind {
	case kindInt, kindDouble:
		return binary.BigEndian.AppendUint64(dst, f.scalar(s))
	case kindBool:
		return append(dst, byte(f.scalar(s)))
	case kindString, kindBytes:
		return f.appendContents(dst, s)
	default:
		return g.appendPacked(dst, f, s)
	}
}

// appendPacked appends a value the way a collection holds it.
func (g *Generator) appendPacked(dst []byte, f *form, s *stream) []byte {
	switch f.kind {
	case kindInt:
		return appendInt(dst, int64(f.scalar(s)))
	case kindDouble:
		return binary.BigEndian.AppendUint64(append(dst, 0xcb), f.scalar(s))
	case kindBool:
		return append(dst, 0xc2|byte(f.scalar(s)))
	case kindString, kindBytes:
		return f.appendContents(appendRawHeader(dst, particleType(f.kind), f.particle), s)
	case kindList:
		dst = appendListHeader(dst, f.entries)
		for i := range f.items {
			for range f.items[i].times {
				dst = g.appendPacked(dst, f.items[i].form, s)
			}
		}
		return dst
	default:
		return g.appendMap(dst, f, s)
	}
}

func (g *Generator) appendMap(dst []byte, f *form, s *stream) []byte {
	for i := range f.groups {
		g.perms[f.perms+i].start(s)
	}
	dst = appendMapHeader(dst, f.entries)
	for i := range f.pairs {
		p := &f.pairs[i]
		for range p.key.times {
			if p.group < 0 {
				dst = g.appendPacked(dst, p.key.form, s)
			} else {
				group := &f.groups[p.group]
				index := g.perms[f.perms+p.group].index(group)
				dst = group.appendKey(dst, p.key.form, index, s)
			}
			dst = g.appendPacked(dst, p.value, s)
		}
	}
	return dst
}

// scalar returns the bits of an integer, double or boolean.
func (f *form) scalar(s *stream) uint64 {
	switch {
	case f.constant:
		return f.bits
	case f.kind == kindInt:
		return s.integer(f.size)
	case f.kind == kindDouble:
		return s.double()
	default:
		return s.bool()
	}
}

// appendContents appends the characters of a string or the bytes of a byte string.
func (f *form) appendContents(dst []byte, s *stream) []byte {
	if f.constant {
		return append(dst, f.text...)
	}
	dst, out := extend(dst, f.size)
	if f.kind == kindString {
		s.fillText(out)
		return dst
	}
	s.fillBytes(out[:f.random])
	clear(out[f.random:])
	return dst
}

// extend makes dst n bytes longer, and returns the new bytes as well. There is
// always room: buffers are as large as their form's largest value.
func extend(dst []byte, n int) (extended, added []byte) {
	old := len(dst)
	extended = dst[:old+n]
	return extended, extended[old:]
}
