package embedded

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// openHooks sets the functions that rewritten code calls.
func (m *luaMachine) openHooks() {
	m.set(hookArith, func(L *lua.LState) int {
		m.steps(luaHookSteps)
		L.Push(m.arith(string(L.Get(1).(lua.LString)), L.Get(2), L.Get(3)))
		return 1
	})
	m.set(hookCompare, func(L *lua.LState) int {
		m.steps(luaHookSteps)
		L.Push(lua.LBool(m.compare(string(L.Get(1).(lua.LString)), L.Get(2), L.Get(3))))
		return 1
	})
	m.set(hookConcat, m.concat)
	m.set(hookNumber, func(L *lua.LState) int {
		n, ok := toNumberText(L.Get(1))
		if !ok {
			L.RaiseError("'for' bound must be a number")
		}
		L.Push(lua.LNumber(n.value()))
		return 1
	})
	m.set(hookFloat, func(L *lua.LState) int {
		L.Push(m.float(float64(L.CheckNumber(1))))
		return 1
	})
	m.set(hookBig, func(L *lua.LState) int {
		n, _ := parseLuaNumber(L.CheckString(1))
		L.Push(m.number(n))
		return 1
	})
	m.set(hookSet, func(L *lua.LState) int {
		m.steps(luaHookSteps)
		key := L.Get(2)
		if t, ok := L.Get(1).(*lua.LTable); ok {
			if n, ok := toNumber(key); ok {
				if i, whole := n.whole(); whole && isSmall(i) {
					key = lua.LNumber(i) // a whole float is the integer
				}
			}
			m.checkIndex(t, key)
		} else if L.GetMetaField(L.Get(1), "__newindex") == lua.LNil {
			L.RaiseError("attempt to index a %s value", m.typeName(L.Get(1)))
		}
		L.SetTable(L.Get(1), key, L.Get(3))
		return 0
	})
	m.set(hookTable, func(L *lua.LState) int {
		t := L.CheckTable(1)
		m.alloc(luaTableSize + luaSlotSize*t.MaxN())
		L.SetTop(1)
		return 1
	})
	m.set(hookClosure, func(L *lua.LState) int {
		m.alloc(luaClosureSize)
		return L.GetTop()
	})
}

// concat joins values, the first two last, as the operator does.
func (m *luaMachine) concat(L *lua.LState) int {
	m.steps(luaHookSteps)
	top := L.GetTop()
	parts := make([]string, top)
	size := 0
	for i := range parts {
		v := L.Get(i + 1)
		switch n, isNumber := toNumber(v); {
		case isNumber:
			parts[i] = n.text()
		case v.Type() == lua.LTString:
			parts[i] = v.String()
		default:
			return m.concatMeta(L)
		}
		size += len(parts[i])
	}
	m.alloc(size)
	L.Push(lua.LString(strings.Join(parts, "")))
	return 1
}

// concatMeta joins values of which at least one is neither text nor number.
func (m *luaMachine) concatMeta(L *lua.LState) int {
	right := L.Get(L.GetTop())
	for i := L.GetTop() - 1; i >= 1; i-- {
		right = m.concatPair(L, L.Get(i), right)
	}
	L.Push(right)
	return 1
}

func (m *luaMachine) concatPair(L *lua.LState, x, y lua.LValue) lua.LValue {
	text := func(v lua.LValue) (string, bool) {
		if n, ok := toNumber(v); ok {
			return n.text(), true
		}
		s, ok := v.(lua.LString)
		return string(s), ok
	}
	a, ok1 := text(x)
	b, ok2 := text(y)
	if ok1 && ok2 {
		m.alloc(len(a) + len(b))
		return lua.LString(a + b)
	}
	for _, v := range []lua.LValue{x, y} {
		if fn, ok := L.GetMetaField(v, "__concat").(*lua.LFunction); ok {
			L.Push(fn)
			L.Push(x)
			L.Push(y)
			L.Call(2, 1)
			result := L.Get(-1)
			L.Pop(1)
			return result
		}
	}
	bad := x
	if ok1 {
		bad = y
	}
	L.RaiseError("attempt to concatenate a %s value", m.typeName(bad))
	return lua.LNil
}
