package embedded

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// A luaList is the value behind a list. Elements are what Lua code sees: numbers,
// strings, booleans, nil, and userdata of this file's types.
type luaList struct {
	elems []lua.LValue
	flags byte // as stored: flagOrdered
}

// A luaMap is the value behind a map: entries sorted by key.
type luaMap struct {
	entries []luaEntry
	flags   byte // as stored: flagMapOrders
}

type luaEntry struct {
	packed     []byte // the key, normalised
	key, value lua.LValue
}

// luaBytes is the value behind bytes.
type luaBytes struct {
	data     []byte
	capacity int
	kind     byte // a particle type, or any number that the function has set
}

// A luaGeo is the value behind a GeoJSON value.
type luaGeo struct{ text string }

// textOf is a string as a function sees it: up to its first zero byte.
func textOf(b []byte) lua.LString { return lua.LString(cString(b)) }

// fromBin turns a bin's value into a Lua value, nil if it can't be one.
func (m *luaMachine) fromBin(b bin) lua.LValue {
	m.alloc(len(b.value))
	switch {
	case b.particle == particleInteger:
		return m.integer(int64(binary.BigEndian.Uint64(b.value)))
	case b.particle == particleFloat:
		return m.float(math.Float64frombits(binary.BigEndian.Uint64(b.value)))
	case b.particle == particleString:
		return textOf(b.value)
	case b.particle == particleBool:
		return lua.LBool(b.value[0] != 0)
	case b.particle == particleList || b.particle == particleMap:
		v, _, ok := m.fromElement(b.value)
		if !ok {
			return lua.LNil
		}
		return v
	case b.particle == particleGeoJSON:
		if text, ok := geoText(b.value); ok {
			return m.box(&luaGeo{text}, m.geoMeta)
		}
		return lua.LNil
	}
	return m.newBytes(bytes.Clone(b.value), b.particle)
}

// geoText returns the text of a stored GeoJSON value.
func geoText(value []byte) (string, bool) {
	if len(value) < geoHeaderSize {
		return "", false
	}
	return cString(value[geoHeaderSize:]), true
}

func (m *luaMachine) newBytes(data []byte, kind byte) *lua.LUserData {
	return m.box(&luaBytes{data: data, capacity: len(data), kind: kind}, m.bytesMeta)
}

// fromElement turns the first MessagePack element of b into a Lua value and
// returns what follows it. It reports false for what is malformed or has no
// counterpart in Lua.
func (m *luaMachine) fromElement(b []byte) (lua.LValue, []byte, bool) {
	return m.element(b, 0)
}

func (m *luaMachine) element(b []byte, depth int) (lua.LValue, []byte, bool) {
	e, rest, ok := parseElement(b)
	if !ok || depth > maxDepth {
		return lua.LNil, nil, false
	}
	switch e.kind {
	case typeNil:
		return lua.LNil, rest, true
	case typeFalse, typeTrue:
		return lua.LBool(e.kind == typeTrue), rest, true
	case typeInteger, typeNegative:
		return m.integer(int64(e.number)), rest, true
	case typeDouble:
		return m.float(e.double), rest, true
	case typeString:
		return textOf(e.payload[1:]), rest, true
	case typeGeoJSON:
		return m.box(&luaGeo{cString(e.payload[1:])}, m.geoMeta), rest, true
	case typeBytes:
		if len(e.payload) == 0 {
			return m.newBytes(nil, 0), rest, true
		}
		return m.newBytes(bytes.Clone(e.payload[1:]), e.payload[0]), rest, true
	case typeList:
		return m.listElement(&e, rest, depth)
	case typeMap:
		return m.mapElement(&e, rest, depth)
	}
	return lua.LNil, nil, false
}

// collectionFlags reads the flags of a collection, and returns the number of
// elements or entries after them.
func collectionFlags(e *element, b []byte) (flags byte, rest []byte, count int, ok bool) {
	first, rest, ok := parseElement(b)
	if e.count == 0 || !ok || !first.isFlags() {
		return 0, b, e.count, true
	}
	if e.kind == typeMap {
		_, rest, ok = parseElement(rest)
	}
	return first.ext, rest, e.count - 1, ok
}

func (m *luaMachine) listElement(e *element, b []byte, depth int) (lua.LValue, []byte, bool) {
	flags, b, count, ok := collectionFlags(e, b)
	if !ok {
		return lua.LNil, nil, false
	}
	m.alloc(count * luaSlotSize)
	list := &luaList{elems: make([]lua.LValue, count), flags: flags & flagOrdered}
	for i := range list.elems {
		if list.elems[i], b, ok = m.element(b, depth+1); !ok {
			return lua.LNil, nil, false
		}
	}
	return m.box(list, m.listMeta), b, true
}

func (m *luaMachine) mapElement(e *element, b []byte, depth int) (lua.LValue, []byte, bool) {
	flags, b, count, ok := collectionFlags(e, b)
	if !ok {
		return lua.LNil, nil, false
	}
	m.alloc(count * luaEntrySize)
	entries := &luaMap{flags: flags & flagMapOrders}
	for range count {
		var key, value lua.LValue
		if key, b, ok = m.element(b, depth+1); !ok {
			return lua.LNil, nil, false
		}
		if value, b, ok = m.element(b, depth+1); !ok {
			return lua.LNil, nil, false
		}
		if !m.mapSet(entries, key, value) {
			return lua.LNil, nil, false
		}
	}
	return m.box(entries, m.mapMeta), b, true
}

// packKey returns a map key in its normalised form. It reports false for what
// can't be a key.
func (m *luaMachine) packKey(key lua.LValue) ([]byte, bool) {
	switch k := key.(type) {
	case lua.LString:
		return m.encode(nil, key, false)
	case lua.LNumber:
		if n, _ := toNumber(k); !n.isFloat {
			return m.encode(nil, key, false)
		}
	case *lua.LUserData:
		switch v := k.Value.(type) {
		case int64:
			return m.encode(nil, key, false)
		case *luaBytes:
			if v.kind == particleBlob {
				return m.encode(nil, key, false)
			}
		}
	}
	return nil, false
}

// mapFind returns where a key is, or would be.
func mapFind(entries []luaEntry, packed []byte) (int, bool) {
	return slices.BinarySearchFunc(entries, packed, func(e luaEntry, key []byte) int {
		return compareElements(e.packed, key)
	})
}

// mapSet sets an entry. It reports false if the key can't be one.
func (m *luaMachine) mapSet(to *luaMap, key, value lua.LValue) bool {
	m.steps(luaCallSteps)
	packed, ok := m.packKey(key)
	if !ok {
		return false
	}
	if n := len(to.entries); n == 0 || compareElements(to.entries[n-1].packed, packed) < 0 {
		to.entries = append(to.entries, luaEntry{packed, key, value})
		m.alloc(luaEntrySize + len(packed))
		return true
	}
	i, found := mapFind(to.entries, packed)
	if found {
		to.entries[i].key, to.entries[i].value = key, value
		return true
	}
	m.alloc(luaEntrySize + len(packed))
	m.steps(2 * (len(to.entries) - i))
	to.entries = slices.Insert(to.entries, i, luaEntry{packed, key, value})
	return true
}

// storable returns the value that a record, list or map keeps for v. It reports
// false for what the real server has no value for: tables, functions, records.
func storable(v lua.LValue) (lua.LValue, bool) {
	switch v := v.(type) {
	case lua.LString:
		return lua.LString(cString([]byte(v))), true
	case lua.LNumber, lua.LBool, *lua.LNilType:
		return v, true
	case *lua.LUserData:
		switch v.Value.(type) {
		case int64, float64, *luaList, *luaMap, *luaBytes, *luaGeo:
			return v, true
		}
	}
	return lua.LNil, false
}

// toBin turns a value into the particle and bytes of a bin, or of a reply, in
// which lists have no flags and bytes no kind. It reports false for what can't be one.
func (m *luaMachine) toBin(v lua.LValue, reply bool) (particle byte, value []byte, ok bool) {
	switch v := v.(type) {
	case lua.LBool:
		if v {
			return particleBool, []byte{1}, true
		}
		return particleBool, []byte{0}, true
	case lua.LString:
		return particleString, []byte(v), true
	case lua.LNumber:
		return numberToBin(v)
	case *lua.LUserData:
		switch u := v.Value.(type) {
		case int64, float64:
			return numberToBin(v)
		case *luaBytes:
			if reply {
				return particleBlob, bytes.Clone(u.data), true
			}
			return bytesParticle(u.kind), bytes.Clone(u.data), true
		case *luaGeo:
			return geoToBin(u.text)
		case *luaList:
			value, ok = m.encode(nil, v, !reply)
			return particleList, value, ok
		case *luaMap:
			value, ok = m.encode(nil, v, !reply)
			return particleMap, value, ok
		}
	}
	return particleNull, nil, false
}

func numberToBin(v lua.LValue) (byte, []byte, bool) {
	n, _ := toNumber(v)
	if n.isFloat {
		return particleFloat, floatValue(n.f), true
	}
	return particleInteger, integerValue(n.i), true
}

// geoToBin gives a GeoJSON text the header that clients send it with.
func geoToBin(text string) (byte, []byte, bool) {
	value, code := checkGeoJSON(append(make([]byte, geoHeaderSize), text...))
	return particleGeoJSON, value, code == codeOK
}

// bytesParticle is the particle type that bytes of a kind are stored as.
func bytesParticle(kind byte) byte {
	if isBlob(kind) || kind == particleHLL || kind == particleString {
		return kind
	}
	return particleBlob
}
