package embedded

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// maxDepth is how deep collections may nest. The real server sets no limit; this
// one keeps a hostile value from exhausting the stack.
const maxDepth = 4096

// Flags in the extension that may come first in a collection.
const (
	flagOrdered   = 0x01 // a list sorted by value, or a map sorted by key
	flagMapOrders = 0x03 // a map's orders: by key, by key and value
)

// An elementType is the kind of a MessagePack element, in the order in which
// elements of different kinds sort (msgpack_in.h).
type elementType byte

const (
	typeNil elementType = iota
	typeFalse
	typeTrue
	typeNegative
	typeInteger
	typeString
	typeList
	typeMap
	typeBytes
	typeDouble
	typeGeoJSON
	typeExtension
)

// An element is the head of a parsed MessagePack element.
type element struct {
	kind    elementType
	number  uint64 // integers: two's complement
	double  float64
	payload []byte // strings, bytes and extensions; strings begin with a type byte
	ext     byte   // type of an extension
	count   int    // lists: elements; maps: entries
	raw     []byte // all bytes of a scalar, or a collection's header
}

// nonStorage is the type of the extensions that stand for wildcards and
// infinity in comparisons. They can't be stored.
const nonStorage = 0xFF

// parseElement splits the first element off b. Of a collection it takes the
// header only.
func parseElement(b []byte) (e element, rest []byte, ok bool) {
	if len(b) == 0 {
		return e, nil, false
	}
	head := b[0]
	var size, length int // bytes after the first: of a length or number; of what follows it
	switch {
	case head <= 0x7F:
		e.kind, e.number = typeInteger, uint64(head)
	case head >= 0xE0:
		e.kind, e.number = typeNegative, uint64(int64(int8(head)))
	case head <= 0x8F:
		e.kind, e.count = typeMap, int(head&0x0F)
	case head <= 0x9F:
		e.kind, e.count = typeList, int(head&0x0F)
	case head <= 0xBF:
		e.kind, length = typeBytes, int(head&0x1F)
	case head == 0xC0:
		e.kind = typeNil
	case head == 0xC1:
		return e, nil, false
	case head == 0xC2:
		e.kind = typeFalse
	case head == 0xC3:
		e.kind = typeTrue
	case head <= 0xC6: // bytes
		e.kind, size = typeBytes, 1<<(head-0xC4)
	case head <= 0xC9: // extension with a length
		e.kind, size = typeExtension, 1<<(head-0xC7)
	case head <= 0xCB: // float, double
		e.kind, size = typeDouble, 4<<(head-0xCA)
	case head <= 0xCF: // unsigned
		e.kind, size = typeInteger, 1<<(head-0xCC)
	case head <= 0xD3: // signed
		e.kind, size = typeNegative, 1<<(head-0xD0)
	case head <= 0xD8: // extension of a fixed length
		e.kind, length = typeExtension, 1<<(head-0xD4)
	case head <= 0xDB: // string
		e.kind, size = typeBytes, 1<<(head-0xD9)
	case head <= 0xDD:
		e.kind, size = typeList, 2<<(head-0xDC)
	default:
		e.kind, size = typeMap, 2<<(head-0xDE)
	}
	if len(b) < 1+size {
		return e, nil, false
	}
	if size > 0 {
		n := bigEndian(b[1 : 1+size])
		switch e.kind {
		case typeBytes, typeExtension:
			if n > uint64(len(b)) {
				return e, nil, false
			}
			length = int(n)
		default:
			if !e.setNumber(n, size, len(b)) {
				return e, nil, false
			}
		}
	}
	return e.cut(b, 1+size, length)
}

// setNumber takes the number that follows an element's first byte: its value, or
// the count of a collection, which can't exceed the bytes that are left.
func (e *element) setNumber(n uint64, size, limit int) bool {
	switch e.kind {
	case typeInteger:
		e.number = n
	case typeNegative:
		shift := 64 - 8*size
		if e.number = uint64(int64(n<<shift) >> shift); int64(e.number) >= 0 {
			e.kind = typeInteger
		}
	case typeDouble:
		if size == 4 {
			e.double = float64(math.Float32frombits(uint32(n)))
		} else {
			e.double = math.Float64frombits(n)
		}
	default:
		if n > uint64(limit) {
			return false
		}
		e.count = int(n)
	}
	return true
}

// cut sets what comes after the element's first head bytes, and separates the
// rest of b from it.
func (e element) cut(b []byte, head, length int) (element, []byte, bool) {
	if e.kind == typeExtension {
		if len(b) <= head {
			return e, nil, false
		}
		e.ext = b[head]
		head++
	}
	if len(b)-head < length {
		return e, nil, false
	}
	end := head + length
	e.raw, e.payload = b[:end], b[head:end]
	if e.kind == typeBytes && length > 0 {
		switch e.payload[0] {
		case particleString:
			e.kind = typeString
		case particleGeoJSON:
			e.kind = typeGeoJSON
		}
	}
	return e, b[end:], true
}

func bigEndian(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// isMapKey reports whether an element may be a map's key.
func (e *element) isMapKey() bool {
	switch e.kind {
	case typeInteger, typeNegative, typeString:
		return true
	case typeBytes:
		return len(e.payload) > 0 && e.payload[0] == particleBlob
	}
	return false
}

// isFlags reports whether an element in a collection's first place holds flags.
// Like the real server, it takes an extension of 1 byte for an ordinary element.
func (e *element) isFlags() bool {
	return e.kind == typeExtension && e.raw[0] != 0xD4 && !(e.ext == nonStorage && len(e.payload) == 1)
}

// normalise checks a list or map (particle says which) and returns it in the
// form in which the real server stores it: every number and length in its
// shortest form, and maps sorted by key. It reports false for malformed or
// truncated data, trailing bytes, bad or repeated map keys, and collections that
// claim an order they don't have.
func normalise(value []byte, particle byte) ([]byte, bool) {
	want := typeList
	if particle == particleMap {
		want = typeMap
	}
	if top, _, ok := parseElement(value); !ok || top.kind != want {
		return nil, false
	}
	n := normaliser{out: make([]byte, 0, len(value))}
	rest, ok := n.element(value, 0)
	if !ok || len(rest) != 0 {
		return nil, false
	}
	return n.out, true
}

// A normaliser appends normalised elements to out.
type normaliser struct{ out []byte }

// element normalises the first element of b and returns the rest of b.
func (n *normaliser) element(b []byte, depth int) ([]byte, bool) {
	e, rest, ok := parseElement(b)
	if !ok || depth > maxDepth {
		return nil, false
	}
	switch e.kind {
	case typeList, typeMap:
		return n.collection(e, rest, depth)
	case typeInteger, typeNegative:
		n.out = appendInteger(n.out, e.number, e.kind == typeNegative)
	case typeString, typeBytes, typeGeoJSON:
		n.out = appendBytes(n.out, e)
	case typeExtension:
		if e.ext == nonStorage && len(e.payload) > 0 && len(e.payload) < 4 {
			return nil, false
		}
		n.out = appendExtension(n.out, e.ext, e.payload)
	default:
		n.out = append(n.out, e.raw...)
	}
	return rest, true
}

// collection normalises a list or map whose header has been read. An extension
// in the first place holds flags; in a map a meaningless value follows it.
func (n *normaliser) collection(e element, b []byte, depth int) ([]byte, bool) {
	var flags byte
	if first, rest, ok := parseElement(b); e.count > 0 && ok && first.isFlags() {
		b = rest
		e.count--
		flags = first.ext & flagOrdered
		if e.kind == typeMap {
			flags = first.ext & flagMapOrders
			if _, b, ok = parseElement(b); !ok {
				return nil, false
			}
		}
	}
	count := e.count
	if flags != 0 {
		count++
	}
	n.out = appendHeader(n.out, e.kind, count)
	if flags != 0 {
		n.out = appendExtension(n.out, flags, nil)
	}
	if e.kind == typeMap {
		if flags != 0 {
			n.out = append(n.out, 0xC0)
		}
		return n.entries(b, e.count, flags, depth)
	}
	return n.elements(b, e.count, flags, depth)
}

// elements normalises a list's elements.
func (n *normaliser) elements(b []byte, count int, flags byte, depth int) ([]byte, bool) {
	previous := -1
	for range count {
		start := len(n.out)
		var ok bool
		if b, ok = n.element(b, depth+1); !ok {
			return nil, false
		}
		if flags != 0 && previous >= 0 && compareElements(n.out[previous:start], n.out[start:]) > 0 {
			return nil, false
		}
		previous = start
	}
	return b, true
}

// An entry says where a map's entry is in the output: its key's start, its end.
type entry struct{ start, end int }

// entries normalises a map's entries and sorts them by key.
func (n *normaliser) entries(b []byte, count int, flags byte, depth int) ([]byte, bool) {
	base := len(n.out)
	var list []entry
	sorted := true
	for i := range count {
		key, _, ok := parseElement(b)
		if !ok || !key.isMapKey() {
			return nil, false
		}
		start := len(n.out)
		if b, ok = n.element(b, depth+1); !ok {
			return nil, false
		}
		if b, ok = n.element(b, depth+1); !ok {
			return nil, false
		}
		list = append(list, entry{start, len(n.out)})
		if i > 0 && sorted {
			order := compareElements(n.out[list[i-1].start:], n.out[start:])
			if order == 0 || order > 0 && flags&flagOrdered != 0 {
				return nil, false
			}
			sorted = order < 0
		}
	}
	if sorted {
		return b, true
	}
	return b, n.sortEntries(base, list)
}

// sortEntries puts the entries, which begin at base, in the order of their keys.
// It reports false if two keys are equal.
func (n *normaliser) sortEntries(base int, list []entry) bool {
	body := slices.Clone(n.out[base:])
	key := func(e entry) []byte { return body[e.start-base : e.end-base] }
	slices.SortFunc(list, func(a, b entry) int { return compareElements(key(a), key(b)) })
	n.out = n.out[:base]
	for i, e := range list {
		if i > 0 && compareElements(key(list[i-1]), key(e)) == 0 {
			return false
		}
		n.out = append(n.out, key(e)...)
	}
	return true
}

// compareElements orders the first elements of a and b, which are normalised.
func compareElements(a, b []byte) int {
	order, _, _ := compareFirst(a, b)
	return order
}

// compareFirst is compareElements; it also returns what follows the elements if
// they are equal.
func compareFirst(a, b []byte) (order int, restA, restB []byte) {
	x, a, _ := parseElement(a)
	y, b, _ := parseElement(b)
	if x.kind != y.kind {
		return cmp.Compare(x.kind, y.kind), nil, nil
	}
	switch x.kind {
	case typeInteger, typeNegative:
		return cmp.Compare(x.number, y.number), a, b
	case typeDouble:
		return cmp.Compare(x.double, y.double), a, b
	case typeString, typeBytes, typeGeoJSON, typeExtension:
		return bytes.Compare(x.payload, y.payload), a, b
	case typeList:
		return compareRuns(&x, &y, a, b, 1)
	case typeMap:
		return compareRuns(&x, &y, a, b, 2)
	}
	return 0, a, b
}

// compareRuns compares the contents of two lists or maps, which have per
// elements for each of their count. A shorter list sorts before a longer one
// that begins with it; a smaller map sorts before any larger one.
func compareRuns(x, y *element, a, b []byte, per int) (int, []byte, []byte) {
	a, lenA := skipExtension(x, a)
	b, lenB := skipExtension(y, b)
	if per == 2 && lenA != lenB {
		return cmp.Compare(lenA, lenB), nil, nil
	}
	for range per * min(lenA, lenB) {
		var order int
		if order, a, b = compareFirst(a, b); order != 0 {
			return order, nil, nil
		}
	}
	return cmp.Compare(lenA, lenB), a, b
}

// skipExtension steps over an extension in a normalised collection's first place,
// which is left out of comparisons, and returns the number of elements or entries
// that follow.
func skipExtension(e *element, b []byte) ([]byte, int) {
	first, rest, ok := parseElement(b)
	if e.count == 0 || !ok || first.kind != typeExtension {
		return b, e.count
	}
	if e.kind == typeMap {
		_, rest, _ = parseElement(rest)
	}
	return rest, e.count - 1
}

// skipFlags steps over a normalised collection's flags, if it has any, and
// returns the number of elements or entries that follow.
func skipFlags(e *element, b []byte) ([]byte, int) {
	if first, _, ok := parseElement(b); !ok || !first.isFlags() {
		return b, e.count
	}
	return skipExtension(e, b)
}
