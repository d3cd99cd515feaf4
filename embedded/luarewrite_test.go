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
