package embedded

import (
	"errors"
	"strings"
	"testing"

	"github.com/yuin/gopher-lua/parse"
)

// A module that nests too deep is refused, wherever the depth comes from, and
// one below the limit is not.
func TestRewriteLuaBoundsDepth(t *testing.T) {
	const few, many = maxLuaDepth / 4, 2 * maxLuaDepth
	for name, source := range map[string]func(n int) string{
		"operators": func(n int) string { return "x = 1" + strings.Repeat("+1", n) },
		"tables":    func(n int) string { return "x = " + strings.Repeat("{", n) + strings.Repeat("}", n) },
		"blocks":    func(n int) string { return strings.Repeat("do ", n) + strings.Repeat("end ", n) },
		"functions": func(n int) string {
			return strings.Repeat("function f() ", n) + strings.Repeat("end ", n)
		},
		"nots": func(n int) string { return "x = " + strings.Repeat("not ", n) + "1" },
	} {
		for n, want := range map[int]error{few: nil, many: errLuaDepth} {
			chunk, err := parse.Parse(strings.NewReader(source(n)), name)
			if err != nil {
				t.Fatalf("%d %s: %v", n, name, err)
			}
			if _, err := rewriteLua(chunk); !errors.Is(err, want) {
				t.Errorf("%d %s: %v, want %v", n, name, err, want)
			}
		}
	}
}

// A parameter may be assigned to like any other variable, also the last one.
func TestParametersAreAssigned(t *testing.T) {
	const source = `
		local methods = {}
		function methods.one(a) a = {} a[1] = 1 return a[1] end
		function methods.two(x, a) a = {5} a[#a + 1] = 2 return a[2] end
		function methods.other(a, x) a = {} a.x = 3 return a.x end
		function methods.default(x, a) a = a or {} a[1] = 4 return a[1] end
		function methods.parens(x, a) a = (tostring(5)) return a end
		function methods.first(x, a) a, x = {}, 1 a[1] = 6 return a[1] end
		function methods.last(x, a) x, a = 1, {} a[1] = 7 return a[1] end
		function methods.rest(a, ...) a = {...} return a[2] end
		function methods.float(x, a) a = 2.0 return a / 4 end
		function methods.text(x, a) a = 'a' .. a return a end
		function methods.closure(x, a) a = function() return 9 end return a() end
		function methods.captured(x, a) local f = function() a = {} a[1] = 10 end f() return a[1] end
		function methods:self() self = {} self[1] = 11 return self[1] end
		local inner = function(x, a) a = {} a[1] = 12 return a[1] end
		function f()
			return one_of{
				methods.one(7), methods.two(8, 7), methods.other(7, 8), methods.default(8), methods.parens(8, 7),
				methods.first(8, 7), methods.last(8, 7), methods.rest(7, 8, 9), methods.float(8, 7), methods.text(8, 7),
				methods.closure(8, 7), methods.captured(8, 7), methods:self(), inner(8, 7),
			}
		end
		function one_of(list)
			local text = ''
			for i = 1, #list do text = text .. ' ' .. tostring(list[i]) end
			return text
		end`
	m, rec := testMachine(t, source)
	value, fault := m.call(&udfCall{function: "f"}, rec)
	if want := " 1 2 3 4 5 6 7 9 0.5 a7 9 10 11 12"; fault != "" || string(value.value) != want {
		t.Errorf("%q, fault %q; want %q", value.value, fault, want)
	}
}
