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
	tables []keyTable
	counts []int    // multipliers drawn for the value being made
	source []source // the one that values are made from
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
		counts: padded[int](s.slots),
		source: padded[source](1),
	}
	for _, n := range s.tables {
		g.tables = append(g.tables, newKeyTable(n))
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

// Record returns the bins of the record that key identifies, in order, without
// the optional ones that the record doesn't have. sel lists the
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
	s := &g.source[0]
	s.key = key
	if sel == nil && !g.spec.optional {
		for i := range g.bins {
			g.fill(i, record, s)
		}
		return g.bins
	}
	picked := g.picked[:0]
	if sel == nil {
		for i := range g.bins {
			if g.fill(i, record, s) {
				picked = append(picked, g.bins[i])
			}
		}
		return picked
	}
	for _, i := range sel {
		if g.fill(i, record, s) {
			picked = append(picked, g.bins[i])
		}
	}
	return picked
}

// All returns the bins that records can have, whether the last record has them
// or not. As with Record, they belong to the generator.
func (g *Generator) All() []*aerospike.Bin { return g.bins }

// fill generates bin i of a record in place, and tells whether the record has it.
func (g *Generator) fill(i int, record uint64, s *source) bool {
	f := g.spec.bins[i]
	s.stream = stream(mix(record + (uint64(i)+1)*golden))
	if present := g.spec.present[i]; present > 0 && s.next() >= present {
		return false
	}
	if f.constant {
		return true // made once, by NewGenerator
	}
	v := &g.values[i]
	v.Data = g.appendParticle(v.Data[:0], f, s)
	return true
}

// appendParticle appends a value the way a bin holds it.
func (g *Generator) appendParticle(dst []byte, f *form, s *source) []byte {
	switch f.kind {
	case kindInt, kindDouble:
		return binary.BigEndian.AppendUint64(dst, f.scalar(s))
	case kindBool:
		return append(dst, byte(f.scalar(s)))
	case kindString, kindBytes:
		return f.appendContents(dst, s)
	case kindGeo:
		return f.appendContents(append(dst, make([]byte, geoHeader)...), s)
	default:
		return g.appendPacked(dst, f, s)
	}
}

// appendPacked appends a value the way a collection holds it.
func (g *Generator) appendPacked(dst []byte, f *form, s *source) []byte {
	switch f.kind {
	case kindInt:
		return appendInt(dst, int64(f.scalar(s)))
	case kindDouble:
		return binary.BigEndian.AppendUint64(append(dst, 0xcb), f.scalar(s))
	case kindBool:
		return append(dst, 0xc2|byte(f.scalar(s)))
	case kindString, kindBytes, kindGeo:
		if f.generated() {
			return f.appendRaw(dst, s)
		}
		return f.appendContents(appendRawHeader(dst, particleType(f.kind), f.particle), s)
	case kindList:
		dst = appendListHeader(dst, g.drawCounts(f, s))
		for i := range f.items {
			for range g.count(&f.items[i]) {
				dst = g.appendPacked(dst, f.items[i].form, s)
			}
		}
		return dst
	default:
		return g.appendMap(dst, f, s)
	}
}

// drawCounts draws the multipliers of a collection, in order, and returns how
// many elements or entries it has.
func (g *Generator) drawCounts(f *form, s *source) int {
	if !f.varying {
		return f.entries
	}
	total := 0
	for i := range f.items {
		total += g.drawCount(&f.items[i], s)
	}
	for i := range f.pairs {
		total += g.drawCount(&f.pairs[i].key, s)
	}
	return total
}

func (g *Generator) drawCount(it *item, s *source) int {
	if it.counts == nil {
		return int(it.times)
	}
	n := it.counts.draw(&s.stream)
	g.counts[it.slot] = n
	return n
}

// count returns an item's multiplier, which drawCounts has drawn.
func (g *Generator) count(it *item) int {
	if it.counts == nil {
		return int(it.times)
	}
	return g.counts[it.slot]
}

func (g *Generator) appendMap(dst []byte, f *form, s *source) []byte {
	entries := g.drawCounts(f, s)
	for i := range f.groups {
		g.perms[f.perms+i].start(&f.groups[i], s)
	}
	if f.table >= 0 {
		g.tables[f.table].start(f.fixed)
	}
	dst = appendMapHeader(dst, entries)
	for i := range f.pairs {
		p := &f.pairs[i]
		for range g.count(&p.key) {
			dst = g.appendKey(dst, f, p, s)
			dst = g.appendPacked(dst, p.value, s)
		}
	}
	return dst
}

// appendKey appends a key that the map doesn't have yet.
func (g *Generator) appendKey(dst []byte, f *form, p *pair, s *source) []byte {
	start := len(dst)
	for {
		if p.group < 0 {
			dst = g.appendPacked(dst, p.key.form, s)
		} else {
			group := &f.groups[p.group]
			index := g.perms[f.perms+p.group].index(group, s)
			dst = group.appendKey(dst, p.key.form, index, s)
		}
		if f.table < 0 || p.key.constant || g.tables[f.table].add(dst, dst[start:], start+1, f.fixed) {
			return dst
		}
		dst = dst[:start]
	}
}

// scalar returns the bits of an integer, double or boolean.
func (f *form) scalar(s *source) uint64 {
	switch {
	case f.constant:
		return f.bits
	case f.number != nil:
		return f.number(s)
	case f.kind == kindInt:
		return s.integer(f.size)
	case f.kind == kindDouble:
		return s.double()
	default:
		return s.bool()
	}
}

// appendConstant appends a constant key the way a map holds it.
func appendConstant(dst []byte, key *form) []byte {
	if key.kind == kindInt {
		return appendInt(dst, int64(key.bits))
	}
	return append(appendRawHeader(dst, particleType(key.kind), len(key.text)), key.text...)
}

// appendRaw appends a string whose length is known when it is made: with room
// for the longest header, which is then made to fit.
func (f *form) appendRaw(dst []byte, s *source) []byte {
	start, room := len(dst), f.packed-f.textSize()
	dst = f.appendContents(dst[:start+room], s)
	n := len(dst) - start - room
	header := len(appendRawHeader(dst[:start], particleType(f.kind), n)) - start
	if header < room {
		copy(dst[start+header:], dst[start+room:])
	}
	return dst[:start+header+n]
}

// appendContents appends the characters of a string, the bytes of a byte string
// or the text of GeoJSON.
func (f *form) appendContents(dst []byte, s *source) []byte {
	switch {
	case f.constant:
		return append(dst, f.text...)
	case f.write != nil:
		return f.write(dst, s)
	}
	size, random := f.size, f.random
	if f.sizes != nil {
		size = f.sizes.draw(&s.stream)
		random = randomShare(f.ratio, size)
	}
	dst, out := extend(dst, size)
	if f.kind == kindString {
		s.fillText(out)
		return dst
	}
	s.fillBytes(out[:random])
	clear(out[random:])
	return dst
}

// extend makes dst n bytes longer, and returns the new bytes as well. There is
// always room: buffers are as large as their form's largest value.
func extend(dst []byte, n int) (extended, added []byte) {
	old := len(dst)
	extended = dst[:old+n]
	return extended, extended[old:]
}
