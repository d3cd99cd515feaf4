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

// encode appends a value as MessagePack. In a stored value a list keeps its flags
// and, if they say so, its order. It fails for what can't be encoded, and for
// values that contain themselves.
func (m *luaMachine) encode(out []byte, v lua.LValue, stored bool) ([]byte, bool) {
	return m.encodeAt(out, v, stored, 0)
}

func (m *luaMachine) encodeAt(out []byte, v lua.LValue, stored bool, depth int) ([]byte, bool) {
	if depth > maxDepth || len(out) > min(maxLuaValue, m.memory) {
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
		return appendLuaText(out, particleString, string(v)), true
	case lua.LNumber:
		return appendNumber(out, v), true
	case *lua.LUserData:
		switch u := v.Value.(type) {
		case int64, float64:
			return appendNumber(out, v), true
		case *luaBytes:
			return appendLuaText(out, u.kind, string(u.data)), true
		case *luaGeo:
			return appendLuaText(out, particleGeoJSON, u.text), true
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

// appendLuaText appends a string, or bytes, after the byte that says which.
func appendLuaText(out []byte, kind byte, text string) []byte {
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
	if depth > maxDepth || out.Len() > min(maxLuaValue, m.memory) {
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
