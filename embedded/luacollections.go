package embedded

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// luaValue returns the Go value behind an argument that must be userdata of one
// type.
func luaValue[T any](m *luaMachine, i int, class string) T {
	m.steps(luaCallSteps)
	if u, ok := m.L.Get(i).(*lua.LUserData); ok {
		if v, ok := u.Value.(T); ok {
			return v
		}
	} else {
		class = "userdata"
	}
	m.L.ArgError(i, class+" expected, got "+m.argType(m.L.Get(i)))
	var none T
	return none
}

func (m *luaMachine) list(i int) *luaList { return luaValue[*luaList](m, i, "List") }
func (m *luaMachine) mapAt(i int) *luaMap { return luaValue[*luaMap](m, i, "Map") }

// element returns an argument that is to go into a list, and whether it can.
func (m *luaMachine) listValue(i int) (lua.LValue, bool) { return storable(m.L.Get(i)) }

// index returns an argument that is a list's index, from 0. It reports false for
// one that no list has.
func (m *luaMachine) index(i int) (int, bool) {
	n := m.optInt(i, 0)
	return int(n - 1), n > 0 && n <= 1<<32
}

// insert puts a value at an index, after nils if the list ends before it.
func (m *luaMachine) insert(list *luaList, at int, v lua.LValue) {
	m.stretch(list, at)
	m.alloc(2 * luaSlotSize)
	m.work(len(list.elems) - at)
	list.elems = slices.Insert(list.elems, at, v)
}

// stretch appends nils until the list has n elements.
func (m *luaMachine) stretch(list *luaList, n int) {
	if gap := n - len(list.elems); gap > 0 {
		m.alloc(luaSlotSize * gap)
		m.work(gap)
		for len(list.elems) < n {
			list.elems = append(list.elems, lua.LNil)
		}
	}
}

// openList sets the functions of lists. What the real server does silently
// nothing for, a bad index or value, does nothing here.
func (m *luaMachine) openList() {
	newList := func(elems []lua.LValue) int {
		m.alloc(luaSlotSize * len(elems))
		m.L.Push(m.box(&luaList{elems: elems}, m.listMeta))
		return 1
	}
	create := func(L *lua.LState) int {
		if n := L.GetTop(); n < 1 || n > 2 || m.optInt(1, -1) < 0 || m.optInt(2, 10) < 0 {
			return 0
		}
		return newList(nil)
	}
	size := func(L *lua.LState) int {
		L.Push(lua.LNumber(len(m.list(1).elems)))
		return 1
	}
	toString := func(L *lua.LState) int { m.list(1); return m.pushDescription(L.Get(1)) }
	object := map[string]lua.LGFunction{
		"new": create, "create": create, "size": size, "tostring": toString,
		"insert": func(*lua.LState) int {
			list := m.list(1)
			at, ok := m.index(2)
			if v, valid := m.listValue(3); ok && valid {
				m.insert(list, at, v)
			}
			return 0
		},
		"append": func(*lua.LState) int {
			list := m.list(1)
			if v, ok := m.listValue(2); ok {
				m.insert(list, len(list.elems), v)
			}
			return 0
		},
		"prepend": func(*lua.LState) int {
			list := m.list(1)
			if v, ok := m.listValue(2); ok {
				m.insert(list, 0, v)
			}
			return 0
		},
		"remove": func(*lua.LState) int {
			list := m.list(1)
			if at, ok := m.index(2); ok && at < len(list.elems) {
				m.work(len(list.elems) - at)
				list.elems = slices.Delete(list.elems, at, at+1)
			}
			return 0
		},
		"concat": func(*lua.LState) int {
			list, more := m.list(1), m.list(2)
			m.alloc(luaSlotSize * len(more.elems))
			m.work(len(more.elems))
			list.elems = append(list.elems, more.elems...)
			return 0
		},
		"trim": func(*lua.LState) int {
			list := m.list(1)
			if at, ok := m.index(2); ok && at < len(list.elems) {
				clear(list.elems[at:])
				list.elems = list.elems[:at]
			}
			return 0
		},
		"drop": func(L *lua.LState) int {
			list := m.list(1)
			if n := m.optInt(2, 0); n > 0 {
				return newList(slices.Clone(list.elems[min(n, int64(len(list.elems))):]))
			}
			L.Push(lua.LNil)
			return 1
		},
		"take": func(L *lua.LState) int {
			list := m.list(1)
			if n := m.optInt(2, 0); n > 0 {
				return newList(slices.Clone(list.elems[:min(n, int64(len(list.elems)))]))
			}
			L.Push(lua.LNil)
			return 1
		},
		"clone": func(*lua.LState) int { return newList(withoutNil(m.list(1).elems)) },
		"merge": func(*lua.LState) int {
			return newList(append(withoutNil(m.list(1).elems), withoutNil(m.list(2).elems)...))
		},
		"nbytes":   func(L *lua.LState) int { m.list(1); return m.pushEncodedSize(L.Get(1)) },
		"iterator": m.listIterator,
	}
	m.listMeta = m.class("list", "List", func(L *lua.LState) int {
		t, ok := L.Get(2).(*lua.LTable)
		if !ok || L.GetTop() != 2 {
			return newList(nil)
		}
		return newList(m.listFromTable(t))
	}, object, map[string]lua.LGFunction{
		"__len": size, "__tostring": toString,
		"__index": func(L *lua.LState) int {
			list := m.list(1)
			L.Push(lua.LNil)
			if at, ok := m.index(2); ok && at < len(list.elems) {
				L.Pop(1)
				L.Push(list.elems[at])
			}
			return 1
		},
		"__newindex": func(*lua.LState) int {
			list := m.list(1)
			at, ok := m.index(2)
			if v, valid := m.listValue(3); ok && valid {
				m.stretch(list, at+1)
				list.elems[at] = v
			}
			return 0
		},
	})
}

// withoutNil copies the elements up to the first nil, where iteration ends.
func withoutNil(elems []lua.LValue) []lua.LValue {
	if i := slices.Index(elems, lua.LNil); i >= 0 {
		elems = elems[:i]
	}
	return slices.Clone(elems)
}

// listFromTable takes the values at a table's numbers.
func (m *luaMachine) listFromTable(t *lua.LTable) []lua.LValue {
	var elems []lua.LValue
	t.ForEach(func(key, value lua.LValue) {
		m.alloc(luaSlotSize)
		if v, ok := storable(value); ok && key.Type() == lua.LTNumber {
			elems = append(elems, v)
		}
	})
	return elems
}

// pushDescription returns a collection's text.
func (m *luaMachine) pushDescription(v lua.LValue) int {
	var out strings.Builder
	m.describe(&out, v, 0)
	m.alloc(out.Len())
	m.L.Push(lua.LString(out.String()))
	return 1
}

// pushEncodedSize returns the size in bytes of a collection in MessagePack.
func (m *luaMachine) pushEncodedSize(v lua.LValue) int {
	b, ok := m.encode(nil, v, false)
	if !ok {
		m.outOfMemory()
	}
	m.alloc(len(b))
	m.L.Push(lua.LNumber(len(b)))
	return 1
}

// listIterator returns a function that returns one element after the other, for
// a generic for.
func (m *luaMachine) listIterator(L *lua.LState) int {
	list := m.list(1)
	next := 0
	return m.pushIterator(func() []lua.LValue {
		m.steps(luaCallSteps)
		if next >= len(list.elems) {
			return nil
		}
		next++
		return []lua.LValue{list.elems[next-1]}
	})
}

// pushIterator returns a generator and the iterator that it works on.
func (m *luaMachine) pushIterator(next func() []lua.LValue) int {
	m.alloc(luaClosureSize)
	iter := m.box(next, m.iterMeta)
	m.L.Push(m.L.NewFunction(func(L *lua.LState) int {
		values := next()
		for _, v := range values {
			L.Push(v)
		}
		return len(values)
	}))
	m.L.Push(iter)
	return 2
}

// openMap sets the functions of maps.
func (m *luaMachine) openMap() {
	create := func(L *lua.LState) int {
		if L.GetTop() != 1 || m.optInt(1, 0) < 1 {
			return 0
		}
		L.Push(m.box(&luaMap{}, m.mapMeta))
		return 1
	}
	size := func(L *lua.LState) int {
		L.Push(lua.LNumber(len(m.mapAt(1).entries)))
		return 1
	}
	toString := func(L *lua.LState) int { m.mapAt(1); return m.pushDescription(L.Get(1)) }
	m.iterMeta = m.L.NewTable()
	m.mapMeta = m.class("map", "Map", func(L *lua.LState) int {
		made := &luaMap{}
		if t, ok := L.Get(2).(*lua.LTable); ok && L.GetTop() <= 3 {
			m.mapFromTable(made, t)
		}
		L.Push(m.box(made, m.mapMeta))
		return 1
	}, map[string]lua.LGFunction{
		"new": create, "create": create, "size": size, "tostring": toString,
		"nbytes":   func(L *lua.LState) int { m.mapAt(1); return m.pushEncodedSize(L.Get(1)) },
		"remove":   func(L *lua.LState) int { m.mapRemove(m.mapAt(1), L.Get(2)); return 0 },
		"iterator": m.mapIterator(true, true),
		"pairs":    m.mapIterator(true, true),
		"keys":     m.mapIterator(true, false),
		"values":   m.mapIterator(false, true),
		"clone": func(L *lua.LState) int {
			from := m.mapAt(1)
			m.alloc(luaEntrySize * len(from.entries))
			L.Push(m.box(&luaMap{entries: slices.Clone(from.entries)}, m.mapMeta))
			return 1
		},
		"merge": m.mapMerge,
		"diff":  m.mapDiff,
	}, map[string]lua.LGFunction{
		"__len": size, "__tostring": toString,
		"__index": func(L *lua.LState) int {
			from := m.mapAt(1)
			L.Push(m.mapGet(from, L.Get(2)))
			return 1
		},
		"__newindex": func(L *lua.LState) int {
			to, key := m.mapAt(1), L.Get(2)
			v, ok := storable(L.Get(3))
			switch key, keyOK := storable(key); {
			case keyOK && ok:
				m.mapSet(to, key, v)
			case keyOK && !isRecord(L.Get(3)):
				m.mapRemove(to, key)
			}
			return 0
		},
	})
}

// openGeo sets the constructor of GeoJSON values.
func (m *luaMachine) openGeo() {
	m.geoMeta = m.class("geojson", "GeoJSON", func(L *lua.LState) int {
		if L.GetTop() != 2 {
			return 0
		}
		L.Push(m.box(&luaGeo{cString([]byte(L.CheckString(2)))}, m.geoMeta))
		return 1
	}, nil, map[string]lua.LGFunction{
		"__tostring": func(L *lua.LState) int { return m.pushDescription(L.Get(1)) },
	})
}

func isRecord(v lua.LValue) bool {
	u, ok := v.(*lua.LUserData)
	if !ok {
		return false
	}
	switch u.Value.(type) {
	case *luaMachine, *udfRecord:
		return true
	}
	return false
}

func (m *luaMachine) mapGet(from *luaMap, key lua.LValue) lua.LValue {
	if packed, ok := m.packKey(key); ok {
		if i, found := mapFind(from.entries, packed); found {
			return from.entries[i].value
		}
	}
	return lua.LNil
}

func (m *luaMachine) mapRemove(from *luaMap, key lua.LValue) {
	if packed, ok := m.packKey(key); ok {
		if i, found := mapFind(from.entries, packed); found {
			m.steps(2 * (len(from.entries) - i))
			from.entries = slices.Delete(from.entries, i, i+1)
		}
	}
}

// mapFromTable takes the entries of a table that can be a map's.
func (m *luaMachine) mapFromTable(to *luaMap, t *lua.LTable) {
	t.ForEach(func(key, value lua.LValue) {
		k, ok := storable(key)
		if v, valid := storable(value); ok && valid {
			m.mapSet(to, k, v)
		}
	})
}

// mapIterator makes the iterators over keys, values or both.
func (m *luaMachine) mapIterator(keys, values bool) lua.LGFunction {
	return func(*lua.LState) int {
		from := m.mapAt(1)
		next := 0
		return m.pushIterator(func() []lua.LValue {
			m.steps(luaCallSteps)
			if next >= len(from.entries) {
				return nil
			}
			e := &from.entries[next]
			next++
			switch {
			case !values:
				return []lua.LValue{e.key}
			case !keys:
				return []lua.LValue{e.value}
			}
			return []lua.LValue{e.key, e.value}
		})
	}
}

// mapMerge joins two maps. Where both have a key, the value is that of a
// function, if one is given, or the second map's.
func (m *luaMachine) mapMerge(L *lua.LState) int {
	first, second := m.mapAt(1), m.mapAt(2)
	merge, _ := L.Get(3).(*lua.LFunction)
	made := &luaMap{}
	for _, e := range first.entries {
		m.mapSet(made, e.key, e.value)
	}
	for _, e := range second.entries {
		value := e.value
		if merge != nil && lua.LVAsBool(m.mapGet(made, e.key)) {
			L.Push(merge)
			L.Push(m.mapGet(first, e.key))
			L.Push(e.value)
			L.Call(2, 1)
			if v := L.Get(-1); lua.LVAsBool(v) {
				value = v
			}
			L.Pop(1)
		}
		if v, ok := storable(value); ok {
			m.mapSet(made, e.key, v)
		}
	}
	L.Push(m.box(made, m.mapMeta))
	return 1
}

// mapDiff returns the entries whose key only one of two maps has.
func (m *luaMachine) mapDiff(L *lua.LState) int {
	first, second := m.mapAt(1), m.mapAt(2)
	made := &luaMap{}
	for _, e := range first.entries {
		if !lua.LVAsBool(m.mapGet(second, e.key)) {
			m.mapSet(made, e.key, e.value)
		}
	}
	for _, e := range second.entries {
		if !lua.LVAsBool(m.mapGet(first, e.key)) {
			m.mapSet(made, e.key, e.value)
		}
	}
	L.Push(m.box(made, m.mapMeta))
	return 1
}
