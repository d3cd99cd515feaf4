package embedded

import (
	"bytes"
	"regexp"
	"strings"
)

// Flags of POSIX regular expressions, as the C library of the real server has
// them.
const (
	regexExtended = 1 << 0
	regexIgnore   = 1 << 1 // case
	regexNewline  = 1 << 2
)

// compilePOSIX compiles a POSIX regular expression, basic or extended. Back
// references are not supported.
func compilePOSIX(pattern []byte, flags int) (*regexp.Regexp, bool) {
	if i := bytes.IndexByte(pattern, 0); i >= 0 {
		pattern = pattern[:i]
	}
	t := regexTranslator{in: string(pattern), extended: flags&regexExtended != 0, newline: flags&regexNewline != 0}
	switch {
	case t.newline:
		t.out.WriteString("(?m)")
	default:
		t.out.WriteString("(?s)")
	}
	if flags&regexIgnore != 0 {
		t.out.WriteString("(?i)")
	}
	if !t.run() {
		return nil, false
	}
	re, err := regexp.Compile(t.out.String())
	return re, err == nil
}

// A regexTranslator turns POSIX syntax into Go's.
type regexTranslator struct {
	in                string
	out               strings.Builder
	extended, newline bool
	open              int  // groups
	atom              bool // something that can be repeated has come before
}

func (t *regexTranslator) run() bool {
	for i := 0; i < len(t.in); {
		c := t.in[i]
		switch {
		case c == '[':
			end := t.bracket(i)
			if end < 0 {
				return false
			}
			i, t.atom = end, true
			continue
		case c == '\\':
			if i+1 == len(t.in) {
				return false
			}
			if !t.escaped(t.in[i+1]) {
				return false
			}
			i += 2
			continue
		}
		t.plain(c, i)
		i++
	}
	return t.open == 0
}

// plain translates a character that no backslash precedes.
func (t *regexTranslator) plain(c byte, at int) {
	switch {
	case c == '.':
		t.put(".", true)
	case c == '*':
		if !t.atom {
			t.put(`\*`, true)
			return
		}
		t.repeat("*")
	case t.extended && (c == '+' || c == '?'):
		if t.atom {
			t.repeat(string(c))
		}
	case t.extended && c == '{':
		t.out.WriteByte('{')
	case t.extended && (c == '(' || c == ')' || c == '|' || c == '}'):
		t.operator(c)
	case c == '^' && (t.extended || at == 0 || t.follows(at)):
		t.put("^", false)
	case c == '$' && (t.extended || at == len(t.in)-1 || t.precedes(at)):
		t.put("$", false)
	default:
		t.put(regexp.QuoteMeta(string([]byte{c})), true)
	}
}

// put writes what can, or can't, be repeated.
func (t *regexTranslator) put(s string, atom bool) {
	t.out.WriteString(s)
	t.atom = atom
}

// repeat writes a repetition; a second one in a row makes no difference that a
// match would show.
func (t *regexTranslator) repeat(s string) {
	written := t.out.String()
	if last := written[len(written)-1]; last == '*' || last == '+' || last == '?' || last == '}' {
		if !strings.HasSuffix(written[:len(written)-1], `\`) {
			return
		}
	}
	t.out.WriteString(s)
}

// operator translates a character that groups, alternates or repeats.
func (t *regexTranslator) operator(c byte) {
	switch c {
	case '(':
		t.open++
		t.put("(", false)
	case ')':
		if t.open == 0 {
			t.put(`\)`, true)
			return
		}
		t.open--
		t.put(")", true)
	case '|':
		t.put("|", false)
	default:
		t.out.WriteByte(c) // a brace
	}
}

// follows reports whether a group or alternative of a basic expression begins
// at a position; precedes, whether one ends behind it.
func (t *regexTranslator) follows(at int) bool {
	return strings.HasSuffix(t.in[:at], `\(`) || strings.HasSuffix(t.in[:at], `\|`)
}

func (t *regexTranslator) precedes(at int) bool {
	return strings.HasPrefix(t.in[at+1:], `\)`) || strings.HasPrefix(t.in[at+1:], `\|`)
}

// escaped translates a character behind a backslash.
func (t *regexTranslator) escaped(c byte) bool {
	switch {
	case !t.extended && (c == '(' || c == ')' || c == '{' || c == '}' || c == '|'):
		t.operator(c)
	case !t.extended && (c == '+' || c == '?'):
		if t.atom {
			t.repeat(string(c))
		}
	case c >= '1' && c <= '9':
		return false
	case c == 'w' || c == 'W' || c == 's' || c == 'S':
		t.put(`\`+string(c), true)
	case c == 'b' || c == 'B':
		t.put(`\`+string(c), false)
	case c == '<' || c == '>':
		t.put(`\b`, false)
	case c == '`':
		t.put(`\A`, false)
	case c == '\'':
		t.put(`\z`, false)
	default:
		t.put(regexp.QuoteMeta(string([]byte{c})), true)
	}
	return true
}

// bracket translates the bracket expression at a position, and returns where it
// ends, -1 if it doesn't. A backslash in it stands for itself.
func (t *regexTranslator) bracket(at int) int {
	i := at + 1
	t.out.WriteByte('[')
	if i < len(t.in) && t.in[i] == '^' {
		t.out.WriteByte('^')
		if t.newline {
			t.out.WriteString(`\n`)
		}
		i++
	}
	for first := true; i < len(t.in); first = false {
		c := t.in[i]
		switch {
		case c == ']' && !first:
			t.out.WriteByte(']')
			return i + 1
		case c == '[' && i+1 < len(t.in) && t.in[i+1] == ':':
			end := strings.Index(t.in[i:], ":]")
			if end < 0 {
				return -1
			}
			t.out.WriteString(t.in[i : i+end+2])
			i += end + 2
			continue
		case c == '[' && i+1 < len(t.in) && (t.in[i+1] == '.' || t.in[i+1] == '='):
			return -1
		case c == '[' || c == ']' || c == '\\' || c == '^' || c == '&' || c == '~':
			t.out.WriteByte('\\')
		}
		t.out.WriteByte(c)
		i++
	}
	return -1
}
