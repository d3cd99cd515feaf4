package embedded

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Numbers are floats in the Lua that runs here, integers or floats in that of
// the real server. A plain number stands for an integer if it is whole and for a
// float if it isn't. What that can't express, whole floats and integers beyond
// 2^53, is userdata whose value is a float64 or an int64.

// maxExact is the magnitude up to which a float holds every integer.
const maxExact = 1 << 53

func isSmall(n int64) bool { return n >= -maxExact && n <= maxExact }

// isWhole reports whether a float would pass for an integer.
func isWhole(f float64) bool { return f == math.Trunc(f) && !math.IsInf(f, 0) }

// integer returns a Lua value of integer type.
func (m *luaMachine) integer(n int64) lua.LValue {
	if isSmall(n) {
		return lua.LNumber(n)
	}
	return m.box(n, m.numberMeta)
}

// float returns a Lua value of float type.
func (m *luaMachine) float(f float64) lua.LValue {
	if !isWhole(f) {
		return lua.LNumber(f)
	}
	return m.box(f, m.numberMeta)
}

// box makes userdata.
func (m *luaMachine) box(value any, meta *lua.LTable) *lua.LUserData {
	m.alloc(luaBoxSize)
	return &lua.LUserData{Value: value, Metatable: meta, Env: m.L.Env}
}

// A luaNumber is a number with its type.
type luaNumber struct {
	i       int64
	f       float64 // if it isn't an integer
	isFloat bool
}

// toNumber reads a value that is a number.
func toNumber(v lua.LValue) (luaNumber, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		f := float64(v)
		if isWhole(f) && f >= math.MinInt64 && f < math.MaxInt64 {
			return luaNumber{i: int64(f)}, true
		}
		return luaNumber{f: f, isFloat: true}, true
	case *lua.LUserData:
		switch n := v.Value.(type) {
		case int64:
			return luaNumber{i: n}, true
		case float64:
			return luaNumber{f: n, isFloat: true}, true
		}
	}
	return luaNumber{}, false
}

// toNumberText is toNumber for the operators that take the text of a number too.
func toNumberText(v lua.LValue) (luaNumber, bool) {
	text, ok := v.(lua.LString)
	if !ok {
		return toNumber(v)
	}
	return parseLuaNumber(string(text))
}

// parseLuaNumber reads the text of a number.
func parseLuaNumber(text string) (luaNumber, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return luaNumber{i: n}, true
	}
	if digits, hex := strings.CutPrefix(strings.ToLower(text), "0x"); hex {
		if n, err := strconv.ParseUint(digits, 16, 64); err == nil {
			return luaNumber{i: int64(n)}, true
		}
		return luaNumber{}, false
	}
	if strings.ContainsAny(text, "_nNxX") { // Go's forms: 1_000, inf, nan
		return luaNumber{}, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return luaNumber{f: f, isFloat: true}, err == nil
}

// value is the number as a float.
func (n luaNumber) value() float64 {
	if n.isFloat {
		return n.f
	}
	return float64(n.i)
}

// whole returns the number as an integer, if it is one in value.
func (n luaNumber) whole() (int64, bool) {
	if !n.isFloat {
		return n.i, true
	}
	return int64(n.f), isWhole(n.f) && n.f >= math.MinInt64 && n.f < math.MaxInt64
}

// text is the number as Lua prints it.
func (n luaNumber) text() string {
	if !n.isFloat {
		return strconv.FormatInt(n.i, 10)
	}
	switch {
	case math.IsInf(n.f, 1):
		return "inf"
	case math.IsInf(n.f, -1):
		return "-inf"
	case math.IsNaN(n.f):
		if math.Signbit(n.f) {
			return "-nan"
		}
		return "nan"
	}
	s := formatG(n.f, 14)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// formatG formats as C's %.*g does.
func formatG(f float64, precision int) string {
	s := strconv.FormatFloat(f, 'e', precision-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return s
	}
	if e < -4 || e >= precision {
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		sign := exponent[:1]
		digits := strings.TrimLeft(exponent[1:], "0")
		for len(digits) < 2 {
			digits = "0" + digits
		}
		return mantissa + "e" + sign + digits
	}
	s = strconv.FormatFloat(f, 'f', precision-1-e, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// number makes a Lua value of n.
func (m *luaMachine) number(n luaNumber) lua.LValue {
	if n.isFloat {
		return m.float(n.f)
	}
	return m.integer(n.i)
}

// arith does what Lua 5.4's operators do.
func (m *luaMachine) arith(op string, x, y lua.LValue) lua.LValue {
	a, ok1 := toNumberText(x)
	b, ok2 := toNumberText(y)
	if !ok1 || !ok2 {
		bad := x
		if ok1 {
			bad = y
		}
		m.L.RaiseError("attempt to perform arithmetic on a %s value", m.typeName(bad))
	}
	if op == "//" {
		return m.floorDivide(a, b)
	}
	if a.isFloat || b.isFloat || op == "/" || op == "^" {
		return m.float(floatArith(op, a.value(), b.value()))
	}
	switch op {
	case "+":
		return m.integer(a.i + b.i)
	case "-":
		return m.integer(a.i - b.i)
	case "*":
		return m.integer(a.i * b.i)
	}
	if b.i == 0 {
		m.L.RaiseError("attempt to perform 'n%%%%0'")
	}
	if b.i == -1 {
		return m.integer(0)
	}
	r := a.i % b.i
	if r != 0 && (r < 0) != (b.i < 0) {
		r += b.i
	}
	return m.integer(r)
}

// floorDivide divides and rounds down.
func (m *luaMachine) floorDivide(a, b luaNumber) lua.LValue {
	if a.isFloat || b.isFloat {
		return m.float(math.Floor(a.value() / b.value()))
	}
	switch b.i {
	case 0:
		m.L.RaiseError("attempt to perform 'n//0'")
	case -1:
		return m.integer(-a.i)
	}
	q := a.i / b.i
	if a.i%b.i != 0 && (a.i < 0) != (b.i < 0) {
		q--
	}
	return m.integer(q)
}

func floatArith(op string, a, b float64) float64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "^":
		return math.Pow(a, b)
	}
	r := math.Mod(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// compareNumbers returns -1, 0, 1, or 2 if one of them is not a number.
func compareNumbers(a, b luaNumber) int {
	if !a.isFloat && !b.isFloat {
		switch {
		case a.i < b.i:
			return -1
		case a.i > b.i:
			return 1
		}
		return 0
	}
	switch x, y := a.value(), b.value(); {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return 2
}

// compare does what Lua 5.4's comparisons do.
func (m *luaMachine) compare(op string, x, y lua.LValue) bool {
	a, ok1 := toNumber(x)
	b, ok2 := toNumber(y)
	if !ok1 || !ok2 {
		return m.compareOthers(op, x, y)
	}
	order := compareNumbers(a, b)
	switch op {
	case "==":
		return order == 0
	case "~=":
		return order != 0
	case "<":
		return order == -1
	case "<=":
		return order == -1 || order == 0
	case ">":
		return order == 1
	}
	return order == 1 || order == 0
}

func (m *luaMachine) compareOthers(op string, x, y lua.LValue) bool {
	switch op {
	case "==":
		return m.L.Equal(x, y)
	case "~=":
		return !m.L.Equal(x, y)
	}
	tx, ty := m.typeName(x), m.typeName(y)
	_, tableX := x.(*lua.LTable)
	_, textX := x.(lua.LString)
	if tx != ty || !tableX && !textX {
		if op == ">" || op == ">=" {
			tx, ty = ty, tx // Lua has no such operators of its own
		}
		if tx == ty {
			m.L.RaiseError("attempt to compare two %s values", tx)
		}
		m.L.RaiseError("attempt to compare %s with %s", tx, ty)
	}
	switch op {
	case "<":
		return m.L.LessThan(x, y)
	case ">":
		return m.L.LessThan(y, x)
	case "<=":
		return m.L.Equal(x, y) || m.L.LessThan(x, y)
	}
	return m.L.Equal(x, y) || m.L.LessThan(y, x)
}

// typeName is what type() says.
func (m *luaMachine) typeName(v lua.LValue) string {
	if _, ok := toNumber(v); ok {
		return "number"
	}
	return v.Type().String()
}
