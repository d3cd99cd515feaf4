package embedded

import (
	"context"
	"errors"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// What one call of a function may use.
const (
	maxLuaSteps  = 100_000_000 // instructions, and pieces of work of their size
	maxLuaMemory = 128 << 20   // bytes made in all, whether they were freed or not
	maxLuaValue  = 64 << 20    // bytes of a value that is encoded or printed
)

// Steps that calls of Go functions are worth.
const (
	luaHookSteps    = 10  // of an operator
	luaCallSteps    = 100 // of a function on a record, list, map or bytes
	luaPatternSteps = 8   // of matching, for each byte
	luaPCallSteps   = 400 // of a protected call, which may have an error's trace to make
)

// What the pieces of a program take, in bytes, roughly.
const (
	luaBoxSize     = 96
	luaSlotSize    = 16
	luaEntrySize   = 72
	luaTableSize   = 192
	luaClosureSize = 160
)

// maxLuaGap is how far beyond a table's end an index may be set, as long as there
// is memory for what is between.
const maxLuaGap = 1 << 16

// luaPath is where a real server keeps modules; error messages show it.
const luaPath = "/opt/aerospike/usr/udf/lua/"

// The texts of the errors that end a function that takes too much.
const (
	luaTimeout     = "UDF Execution Timeout"
	luaOutOfMemory = "not enough memory"
)

// A luaMachine is a Lua state in which one module is loaded. One call at a time
// uses it; its global variables stay from one to the next, as in the real server.
type luaMachine struct {
	L      *lua.LState
	meter  luaMeter
	memory int // bytes that the call may still make

	maxSteps, maxMemory int        // of a call
	rec                 *udfRecord // the call's, nil outside of one
	now                 func() uint64
	// version is the store's when the state was made.
	version uint64

	listMeta, mapMeta, bytesMeta, geoMeta, recordMeta, iterMeta, numberMeta, streamMeta *lua.LTable

	// source finds a registered module by name; loaded are those that have been
	// required, false while they are being loaded.
	source func(name string) (*lua.FunctionProto, bool)
	loaded map[string]lua.LValue
}

// A luaMeter counts a state's instructions: the state asks for its context's Done
// channel before each. When too many have been counted, the context is done.
type luaMeter struct {
	context.Context
	left int
}

var closedDone = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done returns nil, which is never ready, until the steps are used up.
func (m *luaMeter) Done() <-chan struct{} {
	if m.left--; m.left > 0 {
		return nil
	}
	return closedDone
}

// Err says why the context is done.
func (m *luaMeter) Err() error {
	if m.left > 0 {
		return nil
	}
	return errLuaTimeout
}

var errLuaTimeout = errors.New(luaTimeout)

// steps counts work that Go code does for the program.
func (m *luaMachine) steps(n int) {
	if m.meter.left -= n; m.meter.left <= 0 {
		m.L.RaiseError(luaTimeout)
	}
}

// work is steps for n small pieces of work, such as moving an element.
func (m *luaMachine) work(n int) { m.steps(n / 4) }

// alloc counts n bytes that are made for the program.
func (m *luaMachine) alloc(n int) {
	m.meter.left -= n / 16
	if m.memory -= n; m.memory < 0 {
		m.outOfMemory()
	}
}

func (m *luaMachine) outOfMemory() { m.L.RaiseError(luaOutOfMemory) }

// refill gives the machine what one call may use.
func (m *luaMachine) refill() { m.meter.left, m.memory = m.maxSteps, m.maxMemory }

// compileLua compiles a module's source. file is its name, for error messages.
func compileLua(file string, source []byte) (*lua.FunctionProto, error) {
	chunk, err := parse.Parse(strings.NewReader(markFloorDivision(string(source))), file)
	if err != nil {
		return nil, err
	}
	if chunk, err = rewriteLua(chunk); err != nil {
		return nil, err
	}
	return lua.Compile(chunk, luaPath+file)
}

// newLuaMachine makes a state with the library that functions use, and nothing
// that reaches out of it.
func newLuaMachine(now func() uint64, source func(string) (*lua.FunctionProto, bool)) *luaMachine {
	m := &luaMachine{
		L: lua.NewState(lua.Options{
			SkipOpenLibs: true, CallStackSize: 2048, MinimizeStackMemory: true,
			RegistrySize: 1024, RegistryMaxSize: 1 << 17, RegistryGrowStep: 1024,
		}),
		meter: luaMeter{Context: context.Background()},

		maxSteps: maxLuaSteps, maxMemory: maxLuaMemory,
		now:    now,
		source: source,
		loaded: make(map[string]lua.LValue),
	}
	m.refill()
	m.L.SetContext(&m.meter)
	for _, lib := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable},
		{lua.StringLibName, lua.OpenString}, {lua.MathLibName, lua.OpenMath},
	} {
		m.L.Push(m.L.NewFunction(lib.open))
		m.L.Push(lua.LString(lib.name))
		m.L.Call(1, 0)
	}
	m.openBase()
	m.openStrings()
	m.openTables()
	m.openMath()
	m.openHooks()
	m.openAerospike()
	m.openRecord()
	m.openList()
	m.openMap()
	m.openBytes()
	m.openGeo()
	m.openStream()
	return m
}

// set makes a function a global variable.
func (m *luaMachine) set(name string, fn lua.LGFunction) { m.L.SetGlobal(name, m.L.NewFunction(fn)) }

// table returns a global table.
func (m *luaMachine) table(name string) *lua.LTable {
	t, _ := m.L.GetGlobal(name).(*lua.LTable)
	return t
}

// class makes a global table of functions, what calling it does, and the table
// that its values have as their metatable.
func (m *luaMachine) class(name, meta string, make lua.LGFunction, functions, metaFunctions map[string]lua.LGFunction) *lua.LTable {
	object := m.L.SetFuncs(m.L.NewTable(), functions)
	if make != nil {
		m.L.SetMetatable(object, m.L.SetFuncs(m.L.NewTable(), map[string]lua.LGFunction{"__call": make}))
	}
	if name != "" {
		m.L.SetGlobal(name, object)
	}
	mt := m.L.SetFuncs(m.L.NewTable(), metaFunctions)
	if meta != "" {
		m.L.SetGlobal(meta, mt)
	}
	return mt
}

// openBase takes away what reaches out of the state or around its limits.
func (m *luaMachine) openBase() {
	for _, name := range []string{
		"dofile", "load", "loadfile", "loadstring", "module", "newproxy", "_printregs", "getfenv", "setfenv",
		"_GOPHER_LUA_VERSION", "gcinfo",
	} {
		m.L.SetGlobal(name, lua.LNil)
	}
	m.L.SetGlobal("_VERSION", lua.LString("Lua 5.4"))
	m.set("collectgarbage", func(L *lua.LState) int {
		L.Push(lua.LNumber(0))
		return 1
	})
	m.set("print", func(*lua.LState) int { return 0 })
	m.set("require", m.require)
	m.set("type", func(L *lua.LState) int {
		L.Push(lua.LString(m.typeName(L.CheckAny(1))))
		return 1
	})
	m.set("tostring", func(L *lua.LState) int {
		L.Push(m.toText(L.CheckAny(1)))
		return 1
	})
	m.set("tonumber", m.baseToNumber)
	m.set("error", m.baseError)
	for _, name := range []string{"pcall", "xpcall"} {
		if inner, ok := m.L.GetGlobal(name).(*lua.LFunction); ok {
			m.set(name, func(L *lua.LState) int {
				m.steps(luaPCallSteps)
				return inner.GFunction(L)
			})
		}
	}
	m.set("rawset", func(L *lua.LState) int {
		t := L.CheckTable(1)
		m.checkIndex(t, L.CheckAny(2))
		L.RawSet(t, L.CheckAny(2), L.CheckAny(3))
		L.SetTop(1)
		return 1
	})
	m.numberMeta = m.openNumbers()
}

// toText is what tostring does.
func (m *luaMachine) toText(v lua.LValue) lua.LString {
	if n, ok := toNumber(v); ok {
		m.alloc(32)
		return lua.LString(n.text())
	}
	text := m.L.ToStringMeta(v)
	s, ok := text.(lua.LString)
	if !ok {
		m.L.RaiseError("'__tostring' must return a string")
	}
	m.alloc(len(s))
	return s
}

// baseError raises an error. A text gets the place that the level says in front
// of it: where error was called (1), or the function that called it was (2).
func (m *luaMachine) baseError(L *lua.LState) int {
	value := L.Get(1)
	if text, ok := value.(lua.LString); ok {
		if level := m.optInt(2, 1); level > 0 && level < 100 {
			if where := L.Where(int(level)); !strings.HasPrefix(where, "[G]") && where != "" {
				value = lua.LString(where+" ") + text
			}
		}
	}
	L.Error(value, 0)
	return 0
}

func (m *luaMachine) baseToNumber(L *lua.LState) int {
	if base := L.Get(2); base != lua.LNil {
		L.SetTop(2)
		text := strings.TrimSpace(L.CheckString(1))
		n, ok := parseBase(text, L.CheckInt(2))
		if !ok {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(m.integer(n))
		return 1
	}
	n, ok := toNumberText(L.CheckAny(1))
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(m.number(n))
	return 1
}

// parseBase reads an integer in a base of 2 to 36.
func parseBase(text string, base int) (n int64, ok bool) {
	digits, negative := strings.CutPrefix(strings.ToLower(text), "-")
	if base < 2 || base > 36 || digits == "" {
		return 0, false
	}
	for _, c := range []byte(digits) {
		d := int64(c - '0')
		if c >= 'a' && c <= 'z' {
			d = int64(c-'a') + 10
		} else if c < '0' || c > '9' {
			return 0, false
		}
		if d >= int64(base) {
			return 0, false
		}
		n = n*int64(base) + d
	}
	if negative {
		n = -n
	}
	return n, true
}

// require loads a registered module, once per state.
func (m *luaMachine) require(L *lua.LState) int {
	name := L.CheckString(1)
	if v, ok := m.loaded[name]; ok {
		if v == nil {
			L.RaiseError("loop or previous error loading module '%s'", name)
		}
		L.Push(v)
		return 1
	}
	proto, ok := m.source(name)
	if !ok {
		L.RaiseError("module '%s' not found:\n\tno file '%s'", name, luaPath+name+".lua")
	}
	m.loaded[name] = nil
	L.Push(L.NewFunctionFromProto(proto))
	L.Push(lua.LString(name))
	L.Call(1, 1)
	v := L.Get(-1)
	if v == lua.LNil {
		v = lua.LTrue
	}
	m.loaded[name] = v
	L.SetTop(1)
	L.Push(v)
	return 1
}

// checkIndex stops a table's array from being stretched to an index far away.
func (m *luaMachine) checkIndex(t *lua.LTable, key lua.LValue) {
	n, ok := key.(lua.LNumber)
	if !ok || n < 1 || n >= lua.LNumber(lua.MaxArrayIndex) || float64(n) != math.Trunc(float64(n)) {
		m.alloc(luaEntrySize)
		return
	}
	gap := int(n) - t.MaxN()
	if gap > maxLuaGap {
		m.L.RaiseError("table index %d is too far from the table's end", int(n))
	}
	m.alloc(luaSlotSize * max(2, gap))
}
