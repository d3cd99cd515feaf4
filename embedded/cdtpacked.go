package embedded

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// Payloads of the extension of type nonStorage, from the server's msgpack_in.c.
const (
	compareWildcard = 0 // equals anything
	compareInfinity = 1 // is greater than anything
)

// typeInfinity sorts after every storable type.
const typeInfinity = typeExtension + 1

// isNonStorage reports whether an element only has a meaning in comparisons.
func (e *element) isNonStorage() bool {
	return e.kind == typeExtension && e.ext == nonStorage && len(e.payload) > 0 && len(e.payload) < 4
}

// packedSpan returns the size in bytes of the first element of b, of a collection
// that of its header, and how many elements it contains. It is parseElement for
// those who only want to know where an element ends. The size may be more than
// there is.
func packedSpan(b []byte) (size, contains int, ok bool) {
	if len(b) == 0 {
		return 0, 0, false
	}
	switch head := b[0]; {
	case head <= 0x7F || head >= 0xE0:
		return 1, 0, true
	case head <= 0x8F:
		return 1, 2 * int(head&0x0F), true
	case head <= 0x9F:
		return 1, int(head & 0x0F), true
	case head <= 0xBF:
		return 1 + int(head&0x1F), 0, true
	case head == 0xC1:
		return 0, 0, false
	case head <= 0xC3:
		return 1, 0, true
	case head == 0xCA:
		return 1 + 4, 0, true
	case head == 0xCB:
		return 1 + 8, 0, true
	case head >= 0xCC && head <= 0xCF:
		return 1 + 1<<(head-0xCC), 0, true
	case head >= 0xD0 && head <= 0xD3:
		return 1 + 1<<(head-0xD0), 0, true
	case head == 0xD9 && len(b) > 1:
		return 2 + int(b[1]), 0, true
	}
	e, rest, ok := parseElement(b)
	contains = e.count
	if e.kind == typeMap {
		contains *= 2
	}
	return len(b) - len(rest), contains, ok
}

// packedSize returns the size in bytes of the first element of b with all that it
// contains. It goes without recursion, so that depth needs no limit.
func packedSize(b []byte) (int, bool) {
	at := 0
	for n := 1; n > 0; n-- {
		size, contains, ok := packedSpan(b[at:])
		if at += size; !ok || at > len(b) {
			return 0, false
		}
		n += contains
	}
	return at, true
}

// skipPacked splits the first element, with all that it contains, off b. It
// reports whether a part of the element is not storable.
func skipPacked(b []byte) (first, rest []byte, nonStorable, ok bool) {
	at := 0
	for n := 1; n > 0; n-- {
		size, contains, ok := packedSpan(b[at:])
		if !ok || size > len(b)-at {
			return nil, nil, false, false
		}
		if head := b[at]; head == 0xC7 || head >= 0xD4 && head <= 0xD5 || head == 0xC8 || head == 0xC9 {
			e, _, _ := parseElement(b[at:])
			nonStorable = nonStorable || e.isNonStorage()
		}
		at += size
		n += contains
	}
	return b[:at:at], b[at:], nonStorable, true
}

// comparePacked orders the first elements of a and b, which may hold wildcards
// and need not be normalised, as the real server does: lists are compared element
// by element as far as the shorter one goes, and a wildcard on either side ends
// the comparison as a match. Both must be well formed.
func comparePacked(a, b []byte) int {
	order, _ := comparePackedMaps(a, b)
	return order
}

// comparePackedMaps is comparePacked; it also reports whether it has come across
// a map that has no order.
func comparePackedMaps(a, b []byte) (order int, unordered bool) {
	atEnd := 0
	for i, n := 0, 1; i < n; i++ {
		var x, y element
		x, a, _ = parseElement(a)
		y, b, _ = parseElement(b)
		kindX, kindY := x.compareKind(), y.compareKind()
		unordered = unordered || x.isUnordered(a) || y.isUnordered(b)
		if x.isWildcard() || y.isWildcard() {
			return 0, unordered
		}
		if kindX != kindY {
			return cmp.Compare(kindX, kindY), unordered
		}
		order = 0
		switch x.kind {
		case typeInteger, typeNegative:
			order = cmp.Compare(x.number, y.number)
		case typeDouble:
			order = compareDoubles(x.double, y.double)
		case typeString, typeBytes, typeGeoJSON:
			order = bytes.Compare(x.payload, y.payload)
		case typeExtension:
			if kindX != typeInfinity {
				order = bytes.Compare(x.payload, y.payload)
			}
		case typeList:
			a, x.count = skipMeta(&x, a)
			b, y.count = skipMeta(&y, b)
			if x.count == y.count {
				n += x.count
				break
			}
			n = i + 1 + min(x.count, y.count)
			atEnd = cmp.Compare(x.count, y.count)
		case typeMap:
			a, x.count = skipMeta(&x, a)
			b, y.count = skipMeta(&y, b)
			order = cmp.Compare(x.count, y.count)
			n += 2 * x.count
		}
		if order != 0 {
			return order, unordered
		}
	}
	return atEnd, unordered
}

// isUnordered reports whether an element is a map without an order, empty ones
// excepted; b is what follows its header.
func (e *element) isUnordered(b []byte) bool {
	if e.kind != typeMap || e.count == 0 {
		return false
	}
	first, _, ok := parseElement(b)
	return !ok || first.kind != typeExtension || first.ext&flagOrdered == 0
}

// compareDoubles orders two numbers; one that isn't a number equals every other.
func compareDoubles(x, y float64) int {
	switch {
	case x > y:
		return 1
	case x < y:
		return -1
	}
	return 0
}

func (e *element) isWildcard() bool {
	return e.isNonStorage() && len(e.payload) == 1 && e.payload[0] == compareWildcard
}

// compareKind is the kind by which an element is sorted among those of others.
func (e *element) compareKind() elementType {
	if e.isNonStorage() && len(e.payload) == 1 && e.payload[0] == compareInfinity {
		return typeInfinity
	}
	return e.kind
}

// skipMeta steps over the flags in a collection's first place, if any, and
// returns the number of elements or entries that follow.
func skipMeta(e *element, b []byte) ([]byte, int) {
	if e.count == 0 {
		return b, 0
	}
	first, rest, ok := parseElement(b)
	if !ok || !first.isFlags() {
		return b, e.count
	}
	if e.kind == typeMap {
		_, rest, _, _ = skipPacked(rest)
	}
	return rest, e.count - 1
}

// A collection is a list or map that has been taken apart. It is read only;
// changes make new bytes.
type collection struct {
	kind  elementType // typeList or typeMap
	flags byte
	body  []byte // what follows header and flags
	offs  []int  // where each element or entry starts in body, and its end
}

// parseCollection takes a list or map apart, which is as it is stored.
func parseCollection(b []byte) (collection, bool) {
	e, body, ok := parseElement(b)
	if !ok || e.kind != typeList && e.kind != typeMap {
		return collection{}, false
	}
	c := collection{kind: e.kind}
	n := e.count
	if first, _, ok := parseElement(body); ok && n > 0 && first.isFlags() {
		c.flags = first.ext
		body, n = skipMeta(&e, body)
	}
	c.body = body
	c.offs = make([]int, 1, n+1)
	at := 0
	for range n {
		size, ok := packedSize(body[at:])
		at += size
		if ok && c.kind == typeMap {
			size, ok = packedSize(body[at:])
			at += size
		}
		if !ok {
			return collection{}, false
		}
		c.offs = append(c.offs, at)
	}
	c.body = body[:at]
	return c, true
}

// len is the number of elements or entries.
func (c *collection) len() int { return len(c.offs) - 1 }

// at returns an element, or an entry with key and value.
func (c *collection) at(i int) []byte { return c.body[c.offs[i]:c.offs[i+1]] }

// span returns n elements or entries from i on.
func (c *collection) span(i, n int) []byte { return c.body[c.offs[i]:c.offs[i+n]] }

// key returns the key of a map's entry.
func (c *collection) key(i int) []byte {
	e := c.at(i)
	key, _, _, _ := skipPacked(e)
	return key
}

// value returns the value of a map's entry, or an element of a list.
func (c *collection) value(i int) []byte {
	e := c.at(i)
	if c.kind == typeMap {
		_, e, _, _ = skipPacked(e)
	}
	return e
}

// isOrdered reports whether a list is sorted by value, or a map by key for good.
// Maps without an order are stored sorted all the same.
func (c *collection) isOrdered() bool { return c.flags != 0 }

// pack returns a collection of n elements or entries, which parts hold.
func (c *collection) pack(n int, parts ...[]byte) []byte {
	return packCollection(c.kind, c.flags, n, parts...)
}

// packCollection makes a list or map with flags, which may be 0.
func packCollection(kind elementType, flags byte, n int, parts ...[]byte) []byte {
	const longestHeader = 5 + 4
	size := longestHeader
	for _, p := range parts {
		size += len(p)
	}
	out := make([]byte, 0, size)
	if flags == 0 {
		out = appendHeader(out, kind, n)
	} else {
		out = appendHeader(out, kind, n+1)
		out = appendExtension(out, flags, nil)
		if kind == typeMap {
			out = append(out, 0xC0)
		}
	}
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// splice returns the collection with del elements or entries at i replaced by
// add ones, which part holds.
func (c *collection) splice(i, del, add int, part []byte) []byte {
	return c.pack(c.len()-del+add, c.body[:c.offs[i]], part, c.body[c.offs[i+del]:])
}

// packInteger is an integer as an element.
func packInteger(out []byte, n int64) []byte { return appendInteger(out, uint64(n), n < 0) }

// packDouble is a double as an element.
func packDouble(f float64) []byte {
	return appendBits([]byte{0xCB}, math.Float64bits(f))
}

func appendBits(out []byte, n uint64) []byte {
	for shift := 56; shift >= 0; shift -= 8 {
		out = append(out, byte(n>>shift))
	}
	return out
}

// normaliseElement checks an element and returns it as it is stored, with its
// kind.
func normaliseElement(b []byte) ([]byte, elementType, bool) {
	top, _, ok := parseElement(b)
	if !ok {
		return nil, 0, false
	}
	n := normaliser{out: make([]byte, 0, len(b))}
	rest, ok := n.element(b, 0)
	return n.out, top.kind, ok && len(rest) == 0
}

// packedBin returns an element as a bin's value. Nil is no value. It reports
// false for elements that no bin can hold.
func packedBin(b []byte) (bin, bool) {
	e, _, ok := parseElement(b)
	if !ok {
		return bin{}, false
	}
	switch e.kind {
	case typeNil:
		return bin{}, true
	case typeFalse:
		return bin{particle: particleBool, value: []byte{0}}, true
	case typeTrue:
		return bin{particle: particleBool, value: []byte{1}}, true
	case typeNegative, typeInteger:
		return bin{particle: particleInteger, value: integerValue(int64(e.number))}, true
	case typeDouble:
		return bin{particle: particleFloat, value: floatValue(e.double)}, true
	case typeString:
		return bin{particle: particleString, value: e.payload[1:]}, true
	case typeGeoJSON:
		return bin{particle: particleGeoJSON, value: e.payload[1:]}, true
	case typeBytes:
		if len(e.payload) == 0 {
			return bin{particle: particleBlob}, true
		}
		particle := e.payload[0]
		if !isBlob(particle) {
			particle = particleBlob
		}
		return bin{particle: particle, value: e.payload[1:]}, true
	case typeList:
		return bin{particle: particleList, value: b}, true
	case typeMap:
		return bin{particle: particleMap, value: b}, true
	}
	return bin{}, false
}

func integerBin(n int64) bin { return bin{particle: particleInteger, value: integerValue(n)} }

func boolBin(t bool) bin {
	if t {
		return bin{particle: particleBool, value: []byte{1}}
	}
	return bin{particle: particleBool, value: []byte{0}}
}

// sortedOrder returns the positions of n things in ascending order; equal ones
// stay in the order in which they are.
func sortedOrder(n int, compare func(i, j int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}
