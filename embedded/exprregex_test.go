package embedded

import "testing"

func TestPOSIXExpressions(t *testing.T) {
	const basic, extended = 0, regexExtended
	for _, tc := range []struct {
		why, pattern string
		flags        int
		valid        bool
		match, other string // a string that matches, one that doesn't
	}{
		{"basic: characters that only extended ones know", "a+(b)?{1}|", basic, true, "a+(b)?{1}|", "aab"},
		{"basic: escaped they mean what they mean there", `^\(ab\)\{2\}$`, basic, true, "abab", "ab"},
		{"basic: GNU's repetitions and alternatives", `^\(a\+\|b\?c\)$`, basic, true, "bc", "b"},
		{"basic: a star with nothing before it", "^*a", basic, true, "*a", "a"},
		{"basic: anchors in the middle", "a^b$c", basic, true, "a^b$c", "abc"},
		{"basic: a star of a star", "a**", basic, false, "", ""},
		{"extended: an interval of an interval", "^(a{2}){2}{1,}$", extended, true, "aaaa", "aaa"},
		{"extended: an optional repetition", "^a{2,}?$", extended, true, "", "a"},
		{"extended: at most so many", "^a{,2}$", extended, true, "aa", "aaa"},
		{"extended: upper limit below the lower", "a{2,1}", extended, false, "", ""},
		{"extended: nothing to repeat", "|*", extended, false, "", ""},
		{"extended: an anchor can't be repeated", "^*", extended, false, "", ""},
		{"extended: a closing parenthesis alone", "a)", extended, true, "a)", "a"},
		{"extended: an opening one", "(a", extended, false, "", ""},
		{"a bracket first in brackets", "^[]a]$", extended, true, "]", "b"},
		{"a backslash in brackets", `^[\a]$`, extended, true, `\`, "b"},
		{"classes", "^[[:digit:]_]+$", extended, true, "4_2", "x"},
		{"an open bracket", "[a", extended, false, "", ""},
		{"a backslash at the end", `a\`, extended, false, "", ""},
		{"back references", `(a)\1`, extended, false, "", ""},
		{"case", "^aB$", extended | regexIgnore, true, "Ab", "b"},
		{"a dot takes a newline", "^a.b$", extended, true, "a\nb", "ab"},
		{"unless lines count", "^b$", extended | regexNewline, true, "a\nb\nc", "ab"},
		{"negated brackets take no newline then", "a[^x]b", extended | regexNewline, true, "ayb", "a\nb"},
		{"what follows a zero byte is cut off", "^a\x00b", extended, true, "ax", "b"},
	} {
		re, ok := compilePOSIX([]byte(tc.pattern), tc.flags)
		if ok != tc.valid {
			t.Errorf("%s: valid %v, want %v", tc.why, ok, tc.valid)
			continue
		}
		if ok && (!re.MatchString(tc.match) || re.MatchString(tc.other)) {
			t.Errorf("%s: %q matches %v, %q %v; want only the first", tc.why, tc.match, re.MatchString(tc.match), tc.other, re.MatchString(tc.other))
		}
	}
}
