package embedded

import (
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// maxLuaBytes is the longest value that bytes may grow to.
const maxLuaBytes = 16 << 20

// A luaInt is a fixed-width integer that bytes can hold.
type luaInt struct {
	size int
	min  int64
	max  int64
	put  func([]byte, int64)
	get  func([]byte) int64
}

// luaInts lists the integers by the ends of the names of their functions.
func luaInts() map[string]luaInt {
	ints := map[string]luaInt{"byte": {
		size: 1, max: math.MaxUint8,
		put: func(b []byte, n int64) { b[0] = byte(n) },
		get: func(b []byte) int64 { return int64(b[0]) },
	}}
	for suffix, order := range map[string]binary.ByteOrder{"": binary.BigEndian, "_be": binary.BigEndian, "_le": binary.LittleEndian} {
		ints["int16"+suffix] = luaInt{
			size: 2, min: math.MinInt16, max: math.MaxInt16,
			put: func(b []byte, n int64) { order.PutUint16(b, uint16(n)) },
			get: func(b []byte) int64 { return int64(int16(order.Uint16(b))) },
		}
		ints["int32"+suffix] = luaInt{
			size: 4, min: math.MinInt32, max: math.MaxInt32,
			put: func(b []byte, n int64) { order.PutUint32(b, uint32(n)) },
			get: func(b []byte) int64 { return int64(int32(order.Uint32(b))) },
		}
		ints["int64"+suffix] = luaInt{
			size: 8, min: math.MinInt64, max: math.MaxInt64,
			put: func(b []byte, n int64) { order.PutUint64(b, uint64(n)) },
			get: func(b []byte) int64 { return int64(order.Uint64(b)) },
		}
	}
	return ints
}

func (m *luaMachine) bytesAt(i int) *luaBytes { return luaValue[*luaBytes](m, i, "Bytes") }

// ensure gives bytes room for n bytes. It reports false if that is too many.
func (m *luaMachine) ensure(b *luaBytes, n int64) bool {
	if n <= int64(b.capacity) {
		return true
	}
	if n > maxLuaBytes {
		return false
	}
	m.alloc(int(n) - b.capacity)
	b.capacity = int(n)
	return true
}

// put writes data at a place, with zeros before it if the bytes end earlier. It
// reports false if they would get too long.
func (m *luaMachine) put(b *luaBytes, at int64, data []byte) bool {
	end := at + int64(len(data))
	if !m.ensure(b, end) {
		return false
	}
	m.work(len(data) / 8)
	if grown := int(end) - len(b.data); grown > 0 {
		m.alloc(grown)
		b.data = append(b.data, make([]byte, grown)...)
	}
	copy(b.data[at:], data)
	return true
}

// openBytes sets the functions of bytes. As in the real server, a wrong number of
// arguments or one out of range makes a change return false and a look nothing.
func (m *luaMachine) openBytes() {
	answer := func(ok bool) int {
		m.L.Push(lua.LBool(ok))
		return 1
	}
	functions := map[string]lua.LGFunction{
		"size":        m.bytesSize,
		"set_size":    m.bytesSetSize,
		"get_type":    m.bytesGetType,
		"set_type":    m.bytesSetType,
		"tostring":    m.bytesToString,
		"get_string":  m.bytesGet(func(data []byte) lua.LValue { return lua.LString(data) }),
		"get_bytes":   m.bytesGet(func(data []byte) lua.LValue { return m.newBytes(data, particleBlob) }),
		"get_var_int": m.bytesGetVarInt,
		"set_string": func(L *lua.LState) int {
			if L.GetTop() != 3 {
				return answer(false)
			}
			b, at := m.bytesAt(1), m.optInt(2, 0)
			return answer(at >= 1 && m.put(b, at-1, []byte(L.CheckString(3))))
		},
		"append_string": func(L *lua.LState) int {
			if L.GetTop() != 2 {
				return answer(false)
			}
			b, text := m.bytesAt(1), L.CheckString(2)
			return answer(text != "" && m.put(b, int64(len(b.data)), []byte(text)))
		},
		"set_bytes": func(L *lua.LState) int {
			if L.GetTop() != 4 {
				return answer(false)
			}
			b, at, from, n := m.bytesAt(1), m.optInt(2, 0), m.bytesAt(3), m.optInt(4, 0)
			return answer(at >= 1 && n >= 0 && m.put(b, at-1, from.data[:min(n, int64(len(from.data)))]))
		},
		"append_bytes": func(L *lua.LState) int {
			if L.GetTop() != 3 {
				return answer(false)
			}
			b, from, n := m.bytesAt(1), m.bytesAt(2), m.optInt(3, 0)
			return answer(n >= 0 && m.put(b, int64(len(b.data)), from.data[:min(max(n, 0), int64(len(from.data)))]))
		},
		"set_var_int": func(L *lua.LState) int {
			if L.GetTop() != 3 {
				L.Push(lua.LNumber(0))
				return 1
			}
			return m.putVarInt(m.bytesAt(1), m.optInt(2, 0)-1, m.optInt(3, 0))
		},
		"append_var_int": func(L *lua.LState) int {
			if L.GetTop() != 2 {
				L.Push(lua.LNumber(0))
				return 1
			}
			b := m.bytesAt(1)
			return m.putVarInt(b, int64(len(b.data)), m.optInt(2, 0))
		},
	}
	for name, kind := range luaInts() {
		functions["set_"+name] = func(L *lua.LState) int {
			if L.GetTop() != 3 {
				return answer(false)
			}
			return answer(m.putInt(m.bytesAt(1), m.optInt(2, 0)-1, m.optInt(3, 0), kind))
		}
		functions["append_"+name] = func(L *lua.LState) int {
			if L.GetTop() != 2 {
				return answer(false)
			}
			b := m.bytesAt(1)
			return answer(m.putInt(b, int64(len(b.data)), m.optInt(2, 0), kind))
		}
		functions["get_"+name] = m.bytesGetInt(kind)
	}
	m.bytesMeta = m.class("bytes", "Bytes", m.bytesNew, functions, map[string]lua.LGFunction{
		"__index": functions["get_byte"], "__newindex": functions["set_byte"],
		"__len": m.bytesSize, "__tostring": m.bytesToString,
	})
}

func (m *luaMachine) bytesNew(L *lua.LState) int {
	b := &luaBytes{kind: particleBlob}
	switch L.GetTop() {
	case 1:
	case 2:
		if !m.ensure(b, m.optInt(2, 0)) {
			return 0
		}
	default:
		return 0
	}
	L.Push(m.box(b, m.bytesMeta))
	return 1
}

func (m *luaMachine) bytesSize(L *lua.LState) int {
	L.Push(lua.LNumber(len(m.bytesAt(1).data)))
	return 1
}

// bytesSetSize reports whether there is room for a number of bytes.
func (m *luaMachine) bytesSetSize(L *lua.LState) int {
	if L.GetTop() != 2 {
		L.Push(lua.LFalse)
		return 1
	}
	b, n := m.bytesAt(1), m.optInt(2, 0)
	L.Push(lua.LBool(n >= 0 && n <= int64(b.capacity)))
	return 1
}

func (m *luaMachine) bytesGetType(L *lua.LState) int {
	if L.GetTop() < 1 {
		return 0
	}
	L.Push(lua.LNumber(m.bytesAt(1).kind))
	return 1
}

func (m *luaMachine) bytesSetType(L *lua.LState) int {
	if L.GetTop() != 2 {
		L.Push(lua.LFalse)
		return 1
	}
	b, kind := m.bytesAt(1), m.optInt(2, 0)
	if kind != 0 {
		b.kind = byte(kind)
	}
	L.Push(lua.LBool(kind != 0))
	return 1
}

func (m *luaMachine) bytesToString(L *lua.LState) int {
	if L.GetTop() != 1 {
		L.Push(lua.LNumber(0))
		return 1
	}
	b := m.bytesAt(1)
	m.alloc(3 * len(b.data))
	m.work(len(b.data))
	L.Push(lua.LString(b.describe("Bytes()")))
	return 1
}

// bytesGet makes the functions that copy a part out of bytes.
func (m *luaMachine) bytesGet(wrap func([]byte) lua.LValue) lua.LGFunction {
	return func(L *lua.LState) int {
		if L.GetTop() != 3 {
			return 0
		}
		b, at, n := m.bytesAt(1), m.optInt(2, 0), m.optInt(3, 0)
		if at < 1 || n < 0 || n > maxLuaBytes || at > math.MaxUint32 {
			return 0
		}
		m.alloc(int(n))
		part := make([]byte, n) // the real server returns what is behind the end
		if at <= int64(len(b.data)) {
			copy(part, b.data[at-1:])
		}
		L.Push(wrap(part))
		return 1
	}
}

func (m *luaMachine) bytesGetInt(kind luaInt) lua.LGFunction {
	return func(L *lua.LState) int {
		if L.GetTop() != 2 {
			return 0
		}
		b, at := m.bytesAt(1), m.optInt(2, 0)
		if at < 1 || at-1 > int64(len(b.data)-kind.size) {
			return 0
		}
		L.Push(m.integer(kind.get(b.data[at-1:])))
		return 1
	}
}

func (m *luaMachine) putInt(b *luaBytes, at, n int64, kind luaInt) bool {
	if at < 0 || n < kind.min || n > kind.max {
		return false
	}
	var buf [8]byte
	kind.put(buf[:], n)
	return m.put(b, at, buf[:kind.size])
}

// putVarInt writes an integer in groups of 7 bits, lowest first, and returns the
// number of bytes. The real server writes them behind the end of the bytes,
// whose size stays.
func (m *luaMachine) putVarInt(b *luaBytes, at, n int64) int {
	written := 0
	if at >= 0 && n >= math.MinInt32 && n <= math.MaxInt32 && m.ensure(b, at+5) {
		buf := binary.AppendUvarint(nil, uint64(uint32(n)))
		written = len(buf)
		if at < int64(len(b.data)) {
			copy(b.data[at:], buf)
		}
	}
	m.L.Push(lua.LNumber(written))
	return 1
}

func (m *luaMachine) bytesGetVarInt(L *lua.LState) int {
	if L.GetTop() != 2 {
		return 0
	}
	b, at := m.bytesAt(1), m.optInt(2, 0)
	if at < 1 {
		return 0
	}
	var n uint32
	size := 0
	for shift := 0; ; shift += 7 {
		var c byte
		if i := at - 1 + int64(size); i < int64(len(b.data)) {
			c = b.data[i]
		}
		size++
		n |= uint32(c&0x7F) << min(shift, 32)
		if c&0x80 == 0 {
			break
		}
	}
	L.Push(lua.LNumber(n))
	L.Push(lua.LNumber(size))
	return 2
}
