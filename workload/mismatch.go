package workload

import (
	"fmt"
	"unicode/utf8"

	"github.com/aeroload/aeroload/objspec"
)

// The part of a long value that a description shows, in bytes of its text.
const (
	maxShownValue = 60
	shownBefore   = 20 // of which at most these lie before the difference
)

// difference describes two values that differ: what was wanted, as [objspec.Value]
// returns it, and what the client returned. Of long ones it shows the surroundings of
// the first difference.
func difference(want, got any) string {
	want, got = objspec.Sorted(want), objspec.Returned(got)
	a, b := shownValue(want), shownValue(got)
	if a == b {
		a, b = fmt.Sprintf("%s (%T)", a, want), fmt.Sprintf("%s (%T)", b, got)
	}
	from := 0
	if len(a) > maxShownValue || len(b) > maxShownValue {
		from = max(0, commonPrefix(a, b)-shownBefore)
	}
	if _, hex := want.([]byte); hex {
		from &^= 1 // whole bytes, of two digits each behind a word of even length
	}
	return fmt.Sprintf("wanted %s, got %s%s", window(a, from), window(b, from), differingByte(want, got))
}

// differingByte tells which byte of two strings or of two byte strings, counted from 1,
// is the first that differs, unless they are short enough to see it.
func differingByte(want, got any) string {
	a, ok := contents(want)
	b, alsoOK := contents(got)
	if _, text := want.(string); !ok || !alsoOK || text != isString(got) || max(len(a), len(b)) <= shownBefore {
		return ""
	}
	return fmt.Sprintf(" (they differ from byte %d on; wanted %d bytes, got %d)", commonPrefix(a, b)+1, len(a), len(b))
}

// contents returns what a string or a byte string holds.
func contents(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

func isString(v any) bool {
	_, ok := v.(string)
	return ok
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// shownValue writes a value as a spec has constants, but byte strings in plain hex.
func shownValue(v any) string {
	switch v := v.(type) {
	case []byte:
		return fmt.Sprintf("bytes %x", v)
	case nil, int64, float64, bool, string, objspec.GeoJSON, []any, []objspec.Entry:
		return string(objspec.AppendSpec(nil, v))
	}
	return fmt.Sprintf("%v", v) // of a type that no spec makes
}

// window returns the part of a text from an offset on, or from a character before it,
// that is to be shown, with dots for what is left out.
func window(text string, from int) string {
	from = runeStart(text, min(from, len(text)))
	end := len(text)
	if end-from > maxShownValue {
		end = runeStart(text, from+maxShownValue)
	}
	shown := text[from:end]
	if from > 0 {
		shown = "…" + shown
	}
	if end < len(text) {
		shown += "…"
	}
	return shown
}

// runeStart returns the offset at which the character around an offset begins.
func runeStart(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
