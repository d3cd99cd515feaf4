package embedded

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/pm"
)

// maxPatternCost bounds the number of ways in which a pattern may be tried
// against a string, since matching can't be interrupted.
const maxPatternCost = 1e8

// openStrings puts limits on the string library, and gives it format and rep of
// its own.
func (m *luaMachine) openStrings() {
	lib := m.table(lua.StringLibName)
	for _, name := range []string{"dump", "gfind"} {
		lib.RawSetString(name, lua.LNil)
	}
	for _, name := range []string{"byte", "char", "len", "lower", "reverse", "sub", "upper"} {
		m.wrap(lib, name, false)
	}
	for _, name := range []string{"find", "gmatch", "match"} {
		m.wrap(lib, name, true)
	}
	m.L.SetFuncs(lib, map[string]lua.LGFunction{"rep": m.stringRep, "format": m.stringFormat, "gsub": m.stringGsub})
}

// wrap replaces a string function by one that calls it with plain numbers, and
// counts the text that it takes and returns.
func (m *luaMachine) wrap(lib *lua.LTable, name string, matches bool) {
	inner, ok := lib.RawGetString(name).(*lua.LFunction)
	if !ok {
		return
	}
	upvalues := make([]lua.LValue, len(inner.Upvalues))
	for i, u := range inner.Upvalues {
		upvalues[i] = u.Value()
	}
	lib.RawSetString(name, m.L.NewClosure(func(L *lua.LState) int {
		m.steps(luaHookSteps)
		for i := 1; i <= L.GetTop(); i++ {
			switch v := L.Get(i).(type) {
			case lua.LString:
				m.work(len(v) / 8)
			case *lua.LUserData:
				if n, ok := toNumber(v); ok {
					L.Replace(i, lua.LNumber(n.value()))
				}
			}
		}
		if matches {
			m.checkPattern(L.CheckString(1), L.CheckString(2))
		}
		n := inner.GFunction(L)
		for i := L.GetTop() - n + 1; i <= L.GetTop(); i++ {
			if s, ok := L.Get(i).(lua.LString); ok {
				m.alloc(len(s) + luaSlotSize)
			}
		}
		return n
	}, upvalues...))
}

// checkPattern refuses a pattern that might be tried in too many ways: for each
// place to start at and each repetition, as many as the subject is long.
func (m *luaMachine) checkPattern(subject, pattern string) {
	cost := float64(len(subject) + 1)
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '%':
			i++
		case '*', '+', '-', '?':
			if cost *= float64(len(subject) + 1); cost > maxPatternCost {
				m.L.RaiseError("pattern too complex")
			}
		}
	}
	m.steps(luaPatternSteps * len(subject))
	m.alloc(64*len(pattern) + 16*len(subject))
}

// stringGsub replaces what matches a pattern by a text, or by what a table or
// function has for it.
func (m *luaMachine) stringGsub(L *lua.LState) int {
	subject, pattern, replacement := L.CheckString(1), L.CheckString(2), L.Get(3)
	limit := m.optInt(4, -1)
	if n, ok := toNumber(replacement); ok {
		replacement = lua.LString(n.text())
	}
	switch replacement.Type() {
	case lua.LTString, lua.LTTable, lua.LTFunction:
	default:
		L.ArgError(3, "string/function/table expected, got "+m.argType(replacement))
	}
	m.checkPattern(subject, pattern)
	var found []*pm.MatchData
	if limit != 0 {
		var err error
		if found, err = pm.Find(pattern, []byte(subject), 0, int(max(-1, min(limit, math.MaxInt32)))); err != nil {
			L.RaiseError("%s", err.Error())
		}
	}
	var out strings.Builder
	end := 0
	for _, match := range found {
		out.WriteString(subject[end:match.Capture(0)])
		before := out.Len()
		m.replace(&out, subject, match, replacement)
		m.alloc(out.Len() - before)
		end = match.Capture(1)
	}
	out.WriteString(subject[end:])
	m.alloc(out.Len())
	L.Push(lua.LString(out.String()))
	L.Push(lua.LNumber(len(found)))
	return 2
}

// replace writes what takes the place of a match.
func (m *luaMachine) replace(out *strings.Builder, subject string, match *pm.MatchData, by lua.LValue) {
	whole := subject[match.Capture(0):match.Capture(1)]
	var value lua.LValue
	switch by := by.(type) {
	case lua.LString:
		m.replaceText(out, subject, match, string(by))
		return
	case *lua.LTable:
		value = m.L.GetTable(by, capture(subject, match, 1))
	case *lua.LFunction:
		m.L.Push(by)
		n := max(1, match.CaptureLength()/2-1)
		for i := 1; i <= n; i++ {
			m.L.Push(capture(subject, match, i))
		}
		m.L.Call(n, 1)
		value = m.L.Get(-1)
		m.L.Pop(1)
	}
	n, isNumber := toNumber(value)
	text, isText := value.(lua.LString)
	switch {
	case !lua.LVAsBool(value):
		out.WriteString(whole)
	case isNumber:
		out.WriteString(n.text())
	case isText:
		out.WriteString(string(text))
	default:
		m.L.RaiseError("invalid replacement value (a %s)", m.typeName(value))
	}
}

// replaceText writes a replacement in which %1 to %9 stand for captures and %0
// for the whole match.
func (m *luaMachine) replaceText(out *strings.Builder, subject string, match *pm.MatchData, by string) {
	for i := 0; i < len(by); i++ {
		if by[i] != '%' {
			out.WriteByte(by[i])
			continue
		}
		i++
		switch {
		case i < len(by) && by[i] == '%':
			out.WriteByte('%')
		case i < len(by) && by[i] == '0':
			out.WriteString(subject[match.Capture(0):match.Capture(1)])
		case i < len(by) && by[i] >= '1' && by[i] <= '9':
			n := int(by[i] - '0')
			if n > max(1, match.CaptureLength()/2-1) {
				m.L.RaiseError("invalid capture index %%%d in replacement string", n)
			}
			out.WriteString(capture(subject, match, n).String())
		default:
			m.L.RaiseError("invalid use of '%%' in replacement string")
		}
	}
}

// capture returns the nth capture of a match, or the whole match if the pattern
// has none.
func capture(subject string, match *pm.MatchData, n int) lua.LValue {
	i := 2 * n
	if match.CaptureLength() == 2 {
		i = 0
	}
	if match.IsPosCapture(i) {
		return lua.LNumber(match.Capture(i))
	}
	return lua.LString(subject[match.Capture(i):match.Capture(i+1)])
}

func (m *luaMachine) stringRep(L *lua.LState) int {
	text, sep := L.CheckString(1), L.OptString(3, "")
	n := m.checkInt(2)
	if n <= 0 {
		L.Push(lua.LString(""))
		return 1
	}
	if each := int64(len(text) + len(sep)); each > 0 && n > int64(maxLuaMemory)/each {
		m.outOfMemory()
	}
	m.alloc(int(n) * (len(text) + len(sep)))
	if sep == "" {
		L.Push(lua.LString(strings.Repeat(text, int(n))))
	} else {
		L.Push(lua.LString(strings.Repeat(text+sep, int(n)-1) + text))
	}
	return 1
}

// checkInt returns an argument that must be an integer.
func (m *luaMachine) checkInt(i int) int64 {
	v := m.L.Get(i)
	n, ok := toNumberText(v)
	if !ok {
		m.L.ArgError(i, fmt.Sprintf("number expected, got %s", m.argType(v)))
	}
	whole, ok := n.whole()
	if !ok {
		m.L.ArgError(i, "number has no integer representation")
	}
	return whole
}

// optInt is checkInt for an argument that may be absent.
func (m *luaMachine) optInt(i int, otherwise int64) int64 {
	if m.L.Get(i) == lua.LNil {
		return otherwise
	}
	return m.checkInt(i)
}

func (m *luaMachine) checkNumber(i int) luaNumber {
	v := m.L.Get(i)
	n, ok := toNumberText(v)
	if !ok {
		m.L.ArgError(i, fmt.Sprintf("number expected, got %s", m.argType(v)))
	}
	return n
}

// argType names an argument's type as an error message does.
func (m *luaMachine) argType(v lua.LValue) string {
	if v == lua.LNil {
		return "nil"
	}
	return m.typeName(v)
}

// stringFormat formats as C does, with Lua's limits on width and precision.
func (m *luaMachine) stringFormat(L *lua.LState) int {
	m.steps(luaCallSteps)
	format := L.CheckString(1)
	var out strings.Builder
	arg := 1
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		if i++; i < len(format) && format[i] == '%' {
			out.WriteByte('%')
			continue
		}
		start := i
		for i < len(format) && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
			i++
		}
		if i == len(format) || i-start > 8 {
			L.RaiseError("invalid conversion '%%%s' to 'format'", format[start:min(i+1, len(format))])
		}
		arg++
		out.WriteString(m.formatOne(format[start:i], format[i], arg))
		m.alloc(16)
	}
	m.alloc(out.Len())
	L.Push(lua.LString(out.String()))
	return 1
}

// formatOne formats one argument. spec is what is between % and the verb.
func (m *luaMachine) formatOne(spec string, verb byte, arg int) string {
	width := strings.TrimLeft(spec, "-+ #0")
	whole, precision, _ := strings.Cut(width, ".")
	if len(whole) > 2 || len(precision) > 2 {
		m.L.RaiseError("invalid conversion '%%%s%c' to 'format'", spec, verb)
	}
	v := m.L.Get(arg)
	if arg > m.L.GetTop() {
		m.L.ArgError(arg, "no value")
	}
	switch verb {
	case 'd', 'i':
		return fmt.Sprintf("%"+spec+"d", m.checkInt(arg))
	case 'u':
		return fmt.Sprintf("%"+spec+"d", uint64(m.checkInt(arg)))
	case 'c':
		return fmt.Sprintf("%"+spec+"s", string([]byte{byte(m.checkInt(arg))}))
	case 'x', 'X', 'o':
		return fmt.Sprintf("%"+spec+string(verb), uint64(m.checkInt(arg)))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		return formatFloat(spec, verb, m.checkNumber(arg).value())
	case 'q':
		return strconv.Quote(string(m.toText(v)))
	case 's':
		text := string(m.toText(v))
		m.work(len(text) / 8)
		return fmt.Sprintf("%"+spec+"s", text)
	}
	m.L.RaiseError("invalid conversion '%%%s%c' to 'format'", spec, verb)
	return ""
}

func formatFloat(spec string, verb byte, f float64) string {
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		return luaNumber{f: f, isFloat: true}.text()
	case verb == 'g' && spec == "":
		return formatG(f, 6)
	case verb == 'g' && strings.HasPrefix(spec, "."):
		if precision, err := strconv.Atoi(spec[1:]); err == nil {
			return formatG(f, max(1, precision))
		}
	case verb == 'a':
		verb = 'x'
	case verb == 'A':
		verb = 'X'
	}
	return fmt.Sprintf("%"+spec+string(verb), f)
}
