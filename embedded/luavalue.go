package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"

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

// encode appends a value as MessagePack. In a stored value a list keeps its flags
// and, if they say so, its order. It fails for what can't be encoded, and for
// values that contain themselves.
func (m *luaMachine) encode(out []byte, v lua.LValue, stored bool) ([]byte, bool) {
	return m.encodeAt(out, v, stored, 0)
}

func (m *luaMachine) encodeAt(out []byte, v lua.LValue, stored bool, depth int) ([]byte, bool) {
	if depth > maxDepth || len(out) > maxLuaValue {
		return nil, false
	}
	switch v := v.(type) {
	case *lua.LNilType:
		return append(out, 0xC0), true
	case lua.LBool:
		if v {
			return append(out, 0xC3), true
		}
		return append(out, 0xC2), true
	case lua.LString:
		return appendText(out, particleString, string(v)), true
	case lua.LNumber:
		return appendNumber(out, v), true
	case *lua.LUserData:
		switch u := v.Value.(type) {
		case int64, float64:
			return appendNumber(out, v), true
		case *luaBytes:
			return appendText(out, u.kind, string(u.data)), true
		case *luaGeo:
			return appendText(out, particleGeoJSON, u.text), true
		case *luaList:
			return m.encodeList(out, u, stored, depth)
		case *luaMap:
			return m.encodeMap(out, u, stored, depth)
		}
	}
	return nil, false
}

func appendNumber(out []byte, v lua.LValue) []byte {
	n, _ := toNumber(v)
	if n.isFloat {
		return binary.BigEndian.AppendUint64(append(out, 0xCB), math.Float64bits(n.f))
	}
	return appendInteger(out, uint64(n.i), n.i < 0)
}

// appendText appends a string, or bytes, after the byte that says which.
func appendText(out []byte, kind byte, text string) []byte {
	switch n := len(text) + 1; {
	case n < 32:
		out = append(out, 0xA0|byte(n))
	case n < 1<<8:
		out = append(out, 0xD9, byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0xDA), uint16(n))
	default:
		out = binary.BigEndian.AppendUint32(append(out, 0xDB), uint32(n))
	}
	return append(append(out, kind), text...)
}

func (m *luaMachine) encodeList(out []byte, list *luaList, stored bool, depth int) ([]byte, bool) {
	m.work(len(list.elems))
	ordered := stored && list.flags&flagOrdered != 0
	count := len(list.elems)
	if ordered {
		count++
	}
	out = appendHeader(out, typeList, count)
	if ordered {
		out = appendExtension(out, flagOrdered, nil)
	}
	base, ok := len(out), false
	var ends []int
	for _, v := range list.elems {
		if out, ok = m.encodeAt(out, v, stored, depth+1); !ok {
			return nil, false
		}
		if ordered {
			ends = append(ends, len(out))
		}
	}
	if ordered {
		sortElements(out, base, ends)
	}
	return out, true
}

// sortElements sorts the elements that start at base and end at ends.
func sortElements(out []byte, base int, ends []int) {
	body := bytes.Clone(out[base:])
	parts := make([][]byte, len(ends))
	start := 0
	for i, end := range ends {
		parts[i] = body[start : end-base]
		start = end - base
	}
	slices.SortStableFunc(parts, compareElements)
	at := base
	for _, p := range parts {
		at += copy(out[at:], p)
	}
}

func (m *luaMachine) encodeMap(out []byte, from *luaMap, stored bool, depth int) ([]byte, bool) {
	m.work(len(from.entries))
	count := len(from.entries)
	flags := from.flags & flagMapOrders
	if flags != 0 {
		count++
	}
	out = appendHeader(out, typeMap, count)
	if flags != 0 {
		out = append(appendExtension(out, flags, nil), 0xC0)
	}
	ok := true
	for _, e := range from.entries {
		out = append(out, e.packed...)
		if out, ok = m.encodeAt(out, e.value, stored, depth+1); !ok {
			return nil, false
		}
	}
	return out, true
}

// describe appends a value as tostring shows it. It stops at a length that no
// function needs, and at values that contain themselves.
func (m *luaMachine) describe(out *strings.Builder, v lua.LValue, depth int) {
	if depth > maxDepth || out.Len() > maxLuaValue {
		m.outOfMemory()
	}
	switch v := v.(type) {
	case *lua.LNilType:
		out.WriteString("NIL")
	case lua.LString:
		out.WriteString(`"` + string(v) + `"`)
	case lua.LBool:
		out.WriteString(v.String())
	case lua.LNumber:
		out.WriteString(numberText(v))
	case *lua.LUserData:
		switch u := v.Value.(type) {
		case int64, float64:
			out.WriteString(numberText(v))
		case *luaGeo:
			out.WriteString(`"` + u.text + `"`)
		case *luaBytes:
			out.WriteString(u.describe("<NULL>"))
		case *luaList:
			m.describeList(out, u, depth)
		case *luaMap:
			m.describeMap(out, u, depth)
		}
	}
}

// numberText is a number inside a collection's text.
func numberText(v lua.LValue) string {
	n, _ := toNumber(v)
	if n.isFloat && !math.IsInf(n.f, 0) && !math.IsNaN(n.f) {
		return formatG(n.f, 16)
	}
	return n.text()
}

// describe is the bytes in hexadecimal, or empty if there are none.
func (b *luaBytes) describe(empty string) string {
	if len(b.data) == 0 {
		return empty
	}
	var out strings.Builder
	for i, c := range b.data {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return out.String()
}

func (m *luaMachine) describeList(out *strings.Builder, list *luaList, depth int) {
	m.work(len(list.elems))
	out.WriteByte('[')
	for i, v := range list.elems {
		if i > 0 {
			out.WriteString(", ")
		}
		m.describe(out, v, depth+1)
	}
	out.WriteByte(']')
}

func (m *luaMachine) describeMap(out *strings.Builder, from *luaMap, depth int) {
	m.work(len(from.entries))
	out.WriteByte('{')
	for i, e := range from.entries {
		if i > 0 {
			out.WriteString(", ")
		}
		m.describe(out, e.key, depth+1)
		out.WriteByte(':')
		m.describe(out, e.value, depth+1)
	}
	out.WriteByte('}')
}
