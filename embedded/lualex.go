package embedded

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// floorMark stands between the halves of the operator that 5.1 doesn't have:
// a // b is parsed as (a / mark) / b.
const floorMark = "__floor_division__"

// isMarked reports whether a rewritten division is by the mark.
func isMarked(call *ast.FuncCallExpr) bool {
	fn, ok := call.Func.(*ast.IdentExpr)
	if !ok || fn.Value != hookArith {
		return false
	}
	mark, ok := call.Args[2].(*ast.IdentExpr)
	return ok && mark.Value == floorMark
}

// markFloorDivision replaces the operator // in a source, which strings and
// comments keep.
func markFloorDivision(source string) string {
	if !strings.Contains(source, "//") {
		return source
	}
	var out strings.Builder
	for i := 0; i < len(source); {
		n := skipLuaText(source[i:])
		switch {
		case n > 0:
			out.WriteString(source[i : i+n])
			i += n
		case strings.HasPrefix(source[i:], "//"):
			out.WriteString("/" + floorMark + "/")
			i += 2
		default:
			out.WriteByte(source[i])
			i++
		}
	}
	return out.String()
}

// skipLuaText returns the length of the string or comment that s begins with, 0
// if it doesn't begin with one.
func skipLuaText(s string) int {
	switch {
	case strings.HasPrefix(s, "--"):
		if n := skipLongBracket(s[2:]); n > 0 {
			return 2 + n
		}
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return n
		}
		return len(s)
	case s[0] == '\'' || s[0] == '"':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case s[0], '\n':
				return i + 1
			}
		}
		return len(s)
	}
	return skipLongBracket(s)
}

// skipLongBracket returns the length of a text in long brackets, such as
// [==[ … ]==], that s begins with.
func skipLongBracket(s string) int {
	level := 1
	for level < len(s) && s[level] == '=' {
		level++
	}
	if s == "" || s[0] != '[' || level == len(s) || s[level] != '[' {
		return 0
	}
	end := "]" + s[1:level] + "]"
	if n := strings.Index(s[level:], end); n >= 0 {
		return level + n + len(end)
	}
	return len(s)
}
