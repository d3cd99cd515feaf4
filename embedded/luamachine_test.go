package embedded

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// testMachine makes a state with a module's source loaded and fewer steps than
// usual, so that endless loops end soon. Its record is not there.
func testMachine(tb testing.TB, source string) (*luaMachine, *udfRecord) {
	tb.Helper()
	proto, err := compileLua("test.lua", []byte(source))
	if err != nil {
		tb.Fatal(err)
	}
	m := newLuaMachine(func() uint64 { return 0 }, func(string) (*lua.FunctionProto, bool) { return nil, false })
	tb.Cleanup(m.L.Close)
	m.maxSteps, m.maxMemory = 1_000_000, 4<<20
	m.refill()
	if fault := m.protect(func() {
		m.L.Push(m.L.NewFunctionFromProto(proto))
		m.L.Call(0, 0)
	}); fault != "" {
		tb.Fatal(fault)
	}
	cfg, err := Config{}.withDefaults()
	if err != nil {
		tb.Fatal(err)
	}
	return m, &udfRecord{ns: newNamespace("test", cfg), req: &request{}, edit: &editor{}}
}

func TestFunctionsAreBounded(t *testing.T) {
	const timeout, memory = luaTimeout, luaOutOfMemory
	for _, tc := range []struct{ why, body, want string }{
		{"endless loop", `while true do end`, timeout},
		{"endless loop around pcall", `while true do pcall(error, 'x') end`, timeout},
		{"endless loop inside pcall", `pcall(function() while true do end end) return 1`, timeout},
		{"endless recursion", `local function f() return f() + 1 end return f()`, "overflow"},
		{"endless metamethods", `local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k .. 'x'] end return t.a`, "overflow"},
		{"growing string", `local s = 'x' while true do s = s .. s end`, memory},
		{"string.rep", `return string.rep('x', 1e12)`, memory},
		{"string.rep with separator", `return string.rep('', 1e12, 'xxx')`, memory},
		{"chain of tables", `local t = {} while true do t = {t} end`, ""},
		{"far index", `local t = {} t[60000000] = 1`, "too far"},
		{"far index of many", `local t, x = {} t[60000000], x = 1, 2`, "too far"},
		{"far index by rawset", `rawset({}, 60000000, 1)`, "too far"},
		{"far list index", `local l = list() l[4000000000] = 1`, memory},
		{"far insertion", `list.insert(list(), 4000000000, 1)`, memory},
		{"list in itself, returned", `local l = list() list.append(l, l) return l`, memory},
		{"list in itself, printed", `local l = list() list.append(l, l) return tostring(l)`, memory},
		{"doubling lists", `local l = list{1} for i = 1, 60 do l = list{l, l} end return l`, ""},
		{"bytes without end", `local b = bytes() while bytes.append_string(b, 'xxxxxxxxxxxxxxxx') do end return bytes.size(b) <= 16777216`, ""},
		{"bytes of a huge size", `return bytes(1e15) == nil`, ""},
		{"bytes read far behind the end", `return bytes.get_bytes(bytes(), 1, 4e9) == nil`, ""},
		{"prepending for ever", `local l = list() while true do list.prepend(l, 1) end`, timeout},
		{"map keys from the front", `local m = map() local i = 0 while true do i = i - 1 m[i] = i end`, timeout},
		{"table.insert at the front", `local t = {} while true do table.insert(t, 1, 1) end`, timeout},
		{"closures", `local t = {} local i = 1 while true do t[i] = function() return t end i = i + 1 end`, ""},
		{"slow pattern", `return string.find(string.rep('a', 3000), '.-.-.-.-.-b')`, "pattern too complex"},
		{"slow replacement", `local s = string.rep('a', 1000) while true do string.gsub(s, 'a', 'b') end`, ""},
		{"wide format", `return string.format('%999999d', 1)`, "invalid conversion"},
		{"many results", `return table.unpack({}, 1, 1e8)`, "too many results"},
		{"reading a record for ever", `while true do local d = record.digest(rec) end`, ""},
		{"sorting with a bad order", `local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function() return true end) return 1`, ""},
	} {
		m, rec := testMachine(t, "function f(rec)\n"+tc.body+"\nend")
		result, fault := m.call(&udfCall{function: "f"}, rec)
		if tc.want != "" && !strings.Contains(fault, tc.want) {
			t.Errorf("%s: %q (result %d), want %q", tc.why, fault, result.particle, tc.want)
		}
		if _, fault := m.call(&udfCall{function: "f"}, rec); strings.Contains(fault, "panic") {
			t.Errorf("%s: %s", tc.why, fault)
		}
	}
}

func TestSandbox(t *testing.T) {
	m, rec := testMachine(t, `
function f(rec)
  for _, name in ipairs({'io', 'os', 'package', 'coroutine', 'load', 'loadstring', 'loadfile', 'dofile', 'module',
      'getfenv', 'setfenv', 'newproxy', 'channel'}) do
    if _G[name] ~= nil then return name end
  end
  if type(debug) ~= 'function' or string.dump ~= nil then return 'debug' end
  return 'nothing'
end`)
	result, fault := m.call(&udfCall{function: "f"}, rec)
	if string(result.value) != "nothing" || fault != "" {
		t.Errorf("a function can reach %q (%s)", result.value, fault)
	}
}

func TestMarkFloorDivision(t *testing.T) {
	for _, tc := range []struct{ why, in, want string }{
		{"an operator", "a//b", "a/" + floorMark + "/b"},
		{"one slash", "a/b", "a/b"},
		{"in strings", `'//' "//" '\'//'`, `'//' "//" '\'//'`},
		{"in a long string", "[[//]] [==[ ]] // ]==]", "[[//]] [==[ ]] // ]==]"},
		{"in comments", "--//\n--[[ //\n]] x//y", "--//\n--[[ //\n]] x/" + floorMark + "/y"},
		{"unfinished", "'//", "'//"},
		{"an index is no long bracket", "t[1]//2", "t[1]/" + floorMark + "/2"},
	} {
		if got := markFloorDivision(tc.in); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

func TestDeepSourcesAreRefused(t *testing.T) {
	for why, source := range map[string]string{
		"operators": "return " + strings.Repeat("1 + ", 5000) + "1",
		"negations": "return " + strings.Repeat("- ", 5000) + "1",
		"blocks":    strings.Repeat("do ", 5000) + strings.Repeat("end ", 5000),
		"tables":    "return " + strings.Repeat("{", 5000) + strings.Repeat("}", 5000),
	} {
		if _, err := compileLua("deep.lua", []byte(source)); err == nil {
			t.Errorf("%s 5000 deep were taken", why)
		}
	}
}

func FuzzUDF(f *testing.F) {
	for _, seed := range []string{
		"return rec.x", "local l = list{1, 2.0, 'x'} l[3] = map{a = l} return tostring(l)", "return 5 // 2 .. 'x'",
		"local a, t = 1, {} a, t[a] = 2, 3 return t[1]", "for i = 1.0, 3 do rec.x = i end return aerospike:create(rec)",
		"return bytes.get_var_int(bytes(3), 1)", "return string.format('%5.1f', 2)", "goto x ::x:: return -9223372036854775808",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		source := "function f(rec, a)\n" + body + "\nend"
		proto, err := compileLua("fuzz.lua", []byte(source))
		if err != nil {
			return
		}
		m, rec := testMachine(t, "")
		m.maxSteps = 100_000
		m.refill()
		if m.protect(func() {
			m.L.Push(m.L.NewFunctionFromProto(proto))
			m.L.Call(0, 0)
		}) != "" {
			return
		}
		if _, fault := m.call(&udfCall{function: "f", args: []byte{0x91, 0x07}}, rec); strings.Contains(fault, "runtime error") {
			t.Errorf("%s", fault)
		}
	})
}
