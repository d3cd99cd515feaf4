package embedded

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openTables replaces the table library.
func (m *luaMachine) openTables() {
	lib := m.table(lua.TabLibName)
	for _, name := range []string{"getn", "maxn"} {
		lib.RawSetString(name, lua.LNil)
	}
	unpack := m.L.NewFunction(m.tableUnpack)
	lib.RawSetString("unpack", unpack)
	m.L.SetGlobal("unpack", lua.LNil)
	m.L.SetFuncs(lib, map[string]lua.LGFunction{
		"concat": m.tableConcat,
		"insert": m.tableInsert,
		"remove": m.tableRemove,
		"sort":   m.tableSort,
		"pack":   m.tablePack,
	})
}

func (m *luaMachine) tableUnpack(L *lua.LState) int {
	t := L.CheckTable(1)
	from, to := m.optInt(2, 1), m.optInt(3, int64(t.Len()))
	if to-from >= 1e5 {
		L.RaiseError("too many results to unpack")
	}
	for i := from; i <= to; i++ {
		L.Push(t.RawGet(lua.LNumber(i)))
	}
	return max(0, int(to-from+1))
}

func (m *luaMachine) tablePack(L *lua.LState) int {
	t := L.CreateTable(L.GetTop(), 1)
	m.alloc(luaTableSize + luaSlotSize*L.GetTop())
	for i := 1; i <= L.GetTop(); i++ {
		t.RawSetInt(i, L.Get(i))
	}
	t.RawSetString("n", lua.LNumber(L.GetTop()))
	L.Push(t)
	return 1
}

func (m *luaMachine) tableConcat(L *lua.LState) int {
	t, sep := L.CheckTable(1), L.OptString(2, "")
	from, to := m.optInt(3, 1), m.optInt(4, int64(t.Len()))
	if to-from > maxLuaSteps {
		m.outOfMemory()
	}
	m.work(int(max(0, to-from)))
	var out strings.Builder
	for i := from; i <= to; i++ {
		v := t.RawGet(lua.LNumber(i))
		n, isNumber := toNumber(v)
		s, isText := v.(lua.LString)
		switch {
		case isNumber:
			s = lua.LString(n.text())
		case !isText:
			L.RaiseError("invalid value (at index %d) in table for 'concat'", i)
		}
		m.alloc(len(s) + len(sep))
		out.WriteString(string(s))
		if i < to {
			out.WriteString(sep)
		}
	}
	L.Push(lua.LString(out.String()))
	return 1
}

func (m *luaMachine) tableInsert(L *lua.LState) int {
	t := L.CheckTable(1)
	m.alloc(2 * luaSlotSize)
	switch L.GetTop() {
	case 2:
		t.Append(L.Get(2))
	case 3:
		pos, size := m.checkInt(2), int64(t.Len())
		if pos < 1 || pos > size+1 {
			L.ArgError(2, "position out of bounds")
		}
		m.work(int(size - pos + 1))
		t.Insert(int(pos), L.Get(3))
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func (m *luaMachine) tableRemove(L *lua.LState) int {
	t := L.CheckTable(1)
	size := int64(t.Len())
	pos := m.optInt(2, size)
	switch {
	case size == 0 && (pos == 0 || pos == size):
		L.Push(t.RawGet(lua.LNumber(pos)))
	case pos < 1 || pos > size+1:
		L.ArgError(2, "position out of bounds")
	case pos == size+1:
		L.Push(t.RawGet(lua.LNumber(pos)))
	default:
		m.work(int(size - pos + 1))
		L.Push(t.Remove(int(pos)))
	}
	return 1
}

func (m *luaMachine) tableSort(L *lua.LState) int {
	t, less := L.CheckTable(1), L.OptFunction(2, nil)
	n := t.Len()
	m.alloc(luaSlotSize * n)
	values := make([]lua.LValue, n)
	for i := range values {
		values[i] = t.RawGetInt(i + 1)
	}
	before := func(a, b lua.LValue) bool { return m.compare("<", a, b) }
	if less != nil {
		before = func(a, b lua.LValue) bool {
			L.Push(less)
			L.Push(a)
			L.Push(b)
			L.Call(2, 1)
			result := lua.LVAsBool(L.Get(-1))
			L.Pop(1)
			return result
		}
	}
	slices.SortFunc(values, func(a, b lua.LValue) int {
		m.work(8)
		switch {
		case before(a, b):
			return -1
		case before(b, a):
			return 1
		}
		return 0
	})
	for i, v := range values {
		t.RawSetInt(i+1, v)
	}
	return 0
}
