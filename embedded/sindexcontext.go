package embedded

import (
	"bytes"
	"slices"
)

// Ways in which a context steps into a collection, from the server's cdt.h.
const (
	contextListIndex = 0x10
	contextListRank  = 0x11
	contextListValue = 0x13
	contextMapIndex  = 0x20
	contextMapRank   = 0x21
	contextMapKey    = 0x22
	contextMapValue  = 0x23
)

// validContext reports whether a context is a list of steps, each a way and what
// it takes, in normalised form.
func validContext(context []byte) bool {
	normal, ok := normalise(context, particleList)
	if !ok || !bytes.Equal(normal, context) {
		return false
	}
	e, b, _ := parseElement(context)
	if e.count == 0 || e.count%2 != 0 {
		return false
	}
	for range e.count / 2 {
		way, rest, _ := parseElement(b)
		if way.kind != typeInteger || !knownStep(way.number) {
			return false
		}
		what, _, ok := parseElement(rest)
		if !ok || byPosition(way.number) && what.kind != typeInteger && what.kind != typeNegative {
			return false
		}
		if b, ok = skipElement(rest); !ok {
			return false
		}
	}
	return true
}

func knownStep(way uint64) bool {
	switch way {
	case contextListIndex, contextListRank, contextListValue,
		contextMapIndex, contextMapRank, contextMapKey, contextMapValue:
		return true
	}
	return false
}

// byPosition reports whether a step takes a number.
func byPosition(way uint64) bool { return way&0x0F <= 1 }

// resolveContext returns what a context leads to in a bin, whose name it keeps. It
// reports false if it leads to nothing.
func resolveContext(from bin, context string) (bin, bool) {
	if from.particle != particleList && from.particle != particleMap {
		return bin{}, false
	}
	value := from.value
	e, steps, _ := parseElement([]byte(context))
	for range e.count / 2 {
		way, rest, _ := parseElement(steps)
		next, _ := skipElement(rest)
		var ok bool
		if value, ok = step(value, way.number, rest[:len(rest)-len(next)]); !ok {
			return bin{}, false
		}
		steps = next
	}
	return elementBin(from.name, value)
}

// A pathPair is an element of a list, or an entry of a map.
type pathPair struct{ key, value []byte }

// step returns the element that one step leads to.
func step(value []byte, way uint64, what []byte) ([]byte, bool) {
	pairs, isMap, ok := splitCollection(value)
	if !ok || isMap != (way&0xF0 == contextMapIndex) {
		return nil, false
	}
	switch way {
	case contextListIndex, contextMapIndex:
		return pairAt(pairs, what)
	case contextListRank, contextMapRank:
		slices.SortStableFunc(pairs, func(a, b pathPair) int { return compareElements(a.value, b.value) })
		return pairAt(pairs, what)
	case contextMapKey:
		for _, p := range pairs {
			if bytes.Equal(p.key, what) {
				return p.value, true
			}
		}
	default: // the first in order of those that are equal
		for _, p := range pairs {
			if bytes.Equal(p.value, what) {
				return p.value, true
			}
		}
	}
	return nil, false
}

// pairAt returns the value at a position, which counts from the end if it is
// negative.
func pairAt(pairs []pathPair, position []byte) ([]byte, bool) {
	e, _, _ := parseElement(position)
	i := int64(e.number)
	if i < 0 {
		i += int64(len(pairs))
	}
	if i < 0 || i >= int64(len(pairs)) {
		return nil, false
	}
	return pairs[i].value, true
}

// splitCollection takes a list or map apart.
func splitCollection(value []byte) (pairs []pathPair, isMap, ok bool) {
	e, b, ok := parseElement(value)
	if !ok || e.kind != typeList && e.kind != typeMap {
		return nil, false, false
	}
	isMap = e.kind == typeMap
	b, count := skipFlags(&e, b)
	pairs = make([]pathPair, 0, count)
	for range count {
		var p pathPair
		rest := b
		if isMap {
			if rest, ok = skipElement(b); !ok {
				return nil, false, false
			}
			p.key = b[:len(b)-len(rest)]
		}
		after, ok := skipElement(rest)
		if !ok {
			return nil, false, false
		}
		p.value = rest[:len(rest)-len(after)]
		pairs = append(pairs, p)
		b = after
	}
	return pairs, isMap, true
}

// elementBin turns an element into a bin's particle and value.
func elementBin(name, value []byte) (bin, bool) {
	e, _, ok := parseElement(value)
	if !ok {
		return bin{}, false
	}
	b := bin{name: name, value: value}
	switch e.kind {
	case typeInteger, typeNegative:
		b.particle, b.value = particleInteger, integerValue(int64(e.number))
	case typeString:
		b.particle, b.value = particleString, e.payload[1:]
	case typeBytes:
		if len(e.payload) == 0 {
			return bin{}, false
		}
		b.particle, b.value = e.payload[0], e.payload[1:]
	case typeList:
		b.particle = particleList
	case typeMap:
		b.particle = particleMap
	default:
		return bin{}, false
	}
	return b, true
}
