package embedded

import (
	"math"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"
)

// openMath replaces the math library by one that tells integers from floats.
func (m *luaMachine) openMath() {
	lib := m.L.NewTable()
	m.L.SetGlobal(lua.MathLibName, lib)
	lib.RawSetString("pi", lua.LNumber(math.Pi))
	lib.RawSetString("huge", lua.LNumber(math.Inf(1)))
	lib.RawSetString("maxinteger", m.integer(math.MaxInt64))
	lib.RawSetString("mininteger", m.integer(math.MinInt64))
	for name, f := range map[string]func(float64) float64{
		"acos": math.Acos, "asin": math.Asin, "cos": math.Cos, "exp": math.Exp,
		"sin": math.Sin, "sqrt": math.Sqrt, "tan": math.Tan,
		"deg": func(x float64) float64 { return x * (180 / math.Pi) },
		"rad": func(x float64) float64 { return x * (math.Pi / 180) },
	} {
		lib.RawSetString(name, m.L.NewFunction(func(L *lua.LState) int {
			L.Push(m.float(f(m.checkNumber(1).value())))
			return 1
		}))
	}
	m.L.SetFuncs(lib, map[string]lua.LGFunction{
		"abs": m.mathAbs, "ceil": m.mathRound(math.Ceil), "floor": m.mathRound(math.Floor),
		"fmod": m.mathFmod, "modf": m.mathModf, "max": m.mathExtreme(">"), "min": m.mathExtreme("<"),
		"atan": m.mathAtan, "log": m.mathLog, "random": m.mathRandom,
		"randomseed": func(*lua.LState) int { return 0 },
		"tointeger":  m.mathToInteger, "type": m.mathType,
		"sum":     func(L *lua.LState) int { L.Push(m.arith("+", L.Get(1), L.Get(2))); return 1 },
		"product": func(L *lua.LState) int { L.Push(m.arith("*", L.Get(1), L.Get(2))); return 1 },
	})
}

func (m *luaMachine) mathAbs(L *lua.LState) int {
	n := m.checkNumber(1)
	n.f = math.Abs(n.f)
	if n.i < 0 {
		n.i = -n.i
	}
	L.Push(m.number(n))
	return 1
}

// mathRound makes floor and ceil, whose results are integers if they fit.
func (m *luaMachine) mathRound(round func(float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		n := m.checkNumber(1)
		if n.isFloat {
			n.f = round(n.f)
			if whole, ok := n.whole(); ok {
				n = luaNumber{i: whole}
			}
		}
		L.Push(m.number(n))
		return 1
	}
}

func (m *luaMachine) mathFmod(L *lua.LState) int {
	a, b := m.checkNumber(1), m.checkNumber(2)
	if a.isFloat || b.isFloat {
		L.Push(m.float(math.Mod(a.value(), b.value())))
		return 1
	}
	if b.i == 0 {
		L.ArgError(2, "zero")
	}
	if b.i == -1 {
		b.i = 1
	}
	L.Push(m.integer(a.i % b.i))
	return 1
}

func (m *luaMachine) mathModf(L *lua.LState) int {
	f := m.checkNumber(1).value()
	whole, part := math.Modf(f)
	if math.IsInf(f, 0) {
		part = 0
	}
	n := luaNumber{f: whole, isFloat: true}
	if i, ok := n.whole(); ok {
		n = luaNumber{i: i}
	}
	L.Push(m.number(n))
	L.Push(m.float(part))
	return 2
}

// mathExtreme makes max and min.
func (m *luaMachine) mathExtreme(op string) lua.LGFunction {
	return func(L *lua.LState) int {
		best := m.checkNumber(1)
		for i := 2; i <= L.GetTop(); i++ {
			n := m.checkNumber(i)
			if order := compareNumbers(n, best); op == ">" && order == 1 || op == "<" && order == -1 {
				best = n
			}
		}
		L.Push(m.number(best))
		return 1
	}
}

func (m *luaMachine) mathAtan(L *lua.LState) int {
	x := 1.0
	if L.GetTop() > 1 {
		x = m.checkNumber(2).value()
	}
	L.Push(m.float(math.Atan2(m.checkNumber(1).value(), x)))
	return 1
}

func (m *luaMachine) mathLog(L *lua.LState) int {
	x := m.checkNumber(1).value()
	if L.GetTop() < 2 {
		L.Push(m.float(math.Log(x)))
		return 1
	}
	switch base := m.checkNumber(2).value(); base {
	case 2:
		L.Push(m.float(math.Log2(x)))
	case 10:
		L.Push(m.float(math.Log10(x)))
	default:
		L.Push(m.float(math.Log(x) / math.Log(base)))
	}
	return 1
}

func (m *luaMachine) mathRandom(L *lua.LState) int {
	low, high := int64(1), int64(0)
	switch L.GetTop() {
	case 0:
		L.Push(m.float(rand.Float64()))
		return 1
	case 1:
		high = m.checkInt(1)
	default:
		low, high = m.checkInt(1), m.checkInt(2)
	}
	if low > high {
		L.ArgError(L.GetTop(), "interval is empty")
	}
	if size := uint64(high-low) + 1; size != 0 {
		L.Push(m.integer(low + int64(rand.Uint64N(size))))
	} else {
		L.Push(m.integer(int64(rand.Uint64())))
	}
	return 1
}

func (m *luaMachine) mathToInteger(L *lua.LState) int {
	n, ok := toNumberText(L.CheckAny(1))
	whole, isWhole := n.whole()
	if !ok || !isWhole {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(m.integer(whole))
	return 1
}

func (m *luaMachine) mathType(L *lua.LState) int {
	n, ok := toNumber(L.CheckAny(1))
	switch {
	case !ok:
		L.Push(lua.LNil)
	case n.isFloat:
		L.Push(lua.LString("float"))
	default:
		L.Push(lua.LString("integer"))
	}
	return 1
}

// openNumbers makes the metatable of boxed numbers.
func (m *luaMachine) openNumbers() *lua.LTable {
	functions := map[string]lua.LGFunction{
		"__unm": func(L *lua.LState) int {
			n, _ := toNumber(L.Get(1))
			if n.isFloat {
				L.Push(m.float(-n.f))
			} else {
				L.Push(m.integer(-n.i))
			}
			return 1
		},
		"__eq": func(L *lua.LState) int {
			L.Push(lua.LBool(m.compare("==", L.Get(1), L.Get(2))))
			return 1
		},
	}
	for name, op := range map[string]string{"__add": "+", "__sub": "-", "__mul": "*", "__div": "/", "__mod": "%", "__pow": "^"} {
		functions[name] = func(L *lua.LState) int {
			L.Push(m.arith(op, L.Get(1), L.Get(2)))
			return 1
		}
	}
	return m.L.SetFuncs(m.L.NewTable(), functions)
}
