package embedded

import (
	"bytes"
	"regexp"
	"strconv"
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
// references are not supported, and \< and \> match at both ends of a word.
func compilePOSIX(pattern []byte, flags int) (*regexp.Regexp, bool) {
	if i := bytes.IndexByte(pattern, 0); i >= 0 {
		pattern = pattern[:i]
	}
	t := regexTranslator{in: string(pattern), extended: flags&regexExtended != 0, newline: flags&regexNewline != 0, atom: -1}
	mode := "(?s"
	if t.newline {
		mode = "(?m"
	}
	if flags&regexIgnore != 0 {
		mode += "i"
	}
	if !t.run() {
		return nil, false
	}
	re, err := regexp.Compile(mode + ")" + string(t.out))
	return re, err == nil
}

// A regexTranslator turns POSIX syntax into Go's.
type regexTranslator struct {
	in                string
	out               []byte
	extended, newline bool
	groups            []int // where the open ones start in out
	atom              int   // where what can be repeated starts in out, -1 for nothing
	repeated          bool  // it is repeated already
}

func (t *regexTranslator) run() bool {
	for i := 0; i < len(t.in); {
		next := 0
		switch c := t.in[i]; {
		case c == '[':
			t.begin()
			next = t.bracket(i)
		case c == '\\' && i+1 == len(t.in):
			return false
		case c == '\\':
			next = t.escaped(t.in[i+1], i+2)
		default:
			next = t.plain(c, i)
		}
		if next < 0 {
			return false
		}
		i = next
	}
	return len(t.groups) == 0
}

// begin notes that something that can be repeated starts here.
func (t *regexTranslator) begin() { t.atom, t.repeated = len(t.out), false }

// literal writes a character that stands for itself.
func (t *regexTranslator) literal(c byte) {
	t.begin()
	t.out = append(t.out, regexp.QuoteMeta(string([]byte{c}))...)
}

// mark writes what can't be repeated.
func (t *regexTranslator) mark(s string) {
	t.out = append(t.out, s...)
	t.atom = -1
}

// plain translates a character that no backslash precedes, and returns where the
// rest begins, -1 for an error.
func (t *regexTranslator) plain(c byte, at int) int {
	switch {
	case c == '.':
		t.begin()
		t.out = append(t.out, '.')
	case c == '*' || t.extended && (c == '+' || c == '?'):
		return t.repeat(c, at+1)
	case t.extended && (c == '(' || c == ')' || c == '|' || c == '{'):
		return t.operator(c, at+1)
	case c == '^' && (t.extended || at == 0 || t.follows(at)):
		t.mark("^")
	case c == '$' && (t.extended || at == len(t.in)-1 || t.precedes(at)):
		t.mark("$")
	default:
		t.literal(c)
	}
	return at + 1
}

// follows reports whether a group or alternative of a basic expression begins
// at a position; precedes, whether one ends behind it.
func (t *regexTranslator) follows(at int) bool {
	return strings.HasSuffix(t.in[:at], `\(`) || strings.HasSuffix(t.in[:at], `\|`)
}

func (t *regexTranslator) precedes(at int) bool {
	return strings.HasPrefix(t.in[at+1:], `\)`) || strings.HasPrefix(t.in[at+1:], `\|`)
}

// repeat translates a repetition; the rest begins at rest. With nothing to repeat
// it is an error, or in a basic expression the character itself, where in turn a
// star behind a repetition is an error.
func (t *regexTranslator) repeat(c byte, rest int) int {
	switch {
	case t.extended && t.atom < 0, !t.extended && t.repeated && t.atom >= 0 && c == '*':
		return -1
	case t.atom >= 0:
		t.suffix(string(c))
	default:
		t.literal(c)
	}
	return rest
}

// suffix writes a repetition. One of a repetition needs a group in Go.
func (t *regexTranslator) suffix(s string) {
	if t.repeated {
		inner := string(t.out[t.atom:])
		t.out = append(append(append(t.out[:t.atom], "(?:"...), inner...), ')')
	}
	t.out = append(t.out, s...)
	t.repeated = true
}

// operator translates a character that groups, alternates or starts an interval.
func (t *regexTranslator) operator(c byte, rest int) int {
	switch c {
	case '(':
		t.groups = append(t.groups, len(t.out))
		t.mark("(")
	case ')':
		last := len(t.groups) - 1
		if last < 0 {
			if !t.extended {
				return -1
			}
			t.literal(')')
			return rest
		}
		t.out = append(t.out, ')')
		t.atom, t.repeated = t.groups[last], false
		t.groups = t.groups[:last]
	case '|':
		t.mark("|")
	default:
		return t.interval(rest)
	}
	return rest
}

// interval translates a repetition of so many to so many times.
func (t *regexTranslator) interval(at int) int {
	end := "}"
	if !t.extended {
		end = `\}`
	}
	body, _, ok := strings.Cut(t.in[at:], end)
	least, most, bounded := strings.Cut(body, ",")
	if least == "" && bounded {
		least = "0"
	}
	n, err := strconv.ParseUint(least, 10, 15)
	if !ok || err != nil || t.atom < 0 || !t.extended && t.repeated {
		return -1
	}
	if bounded && most != "" {
		if m, err := strconv.ParseUint(most, 10, 15); err != nil || m < n {
			return -1
		}
	}
	if bounded {
		least += "," + most
	}
	t.suffix("{" + least + "}")
	return at + len(body) + len(end)
}

// escaped translates a character behind a backslash; the rest begins at rest.
func (t *regexTranslator) escaped(c byte, rest int) int {
	switch {
	case !t.extended && (c == '(' || c == ')' || c == '{' || c == '|'):
		return t.operator(c, rest)
	case !t.extended && (c == '+' || c == '?'):
		return t.repeat(c, rest)
	case c >= '1' && c <= '9':
		return -1
	case c == 'w' || c == 'W' || c == 's' || c == 'S':
		t.begin()
		t.out = append(t.out, '\\', c)
	case c == 'b' || c == 'B':
		t.mark(`\` + string(c))
	case c == '<' || c == '>':
		t.mark(`\b`)
	case c == '`':
		t.mark(`\A`)
	case c == '\'':
		t.mark(`\z`)
	default:
		t.literal(c)
	}
	return rest
}

// bracket translates the bracket expression at a position, and returns where it
// ends, -1 if it doesn't. A backslash in it stands for itself.
func (t *regexTranslator) bracket(at int) int {
	i := at + 1
	t.out = append(t.out, '[')
	if i < len(t.in) && t.in[i] == '^' {
		t.out = append(t.out, '^')
		if t.newline {
			t.out = append(t.out, `\n`...)
		}
		i++
	}
	for first := true; i < len(t.in); first = false {
		c := t.in[i]
		switch {
		case c == ']' && !first:
			t.out = append(t.out, ']')
			return i + 1
		case c == '[' && i+1 < len(t.in) && t.in[i+1] == ':':
			end := strings.Index(t.in[i:], ":]")
			if end < 0 {
				return -1
			}
			t.out = append(t.out, t.in[i:i+end+2]...)
			i += end + 2
			continue
		case c == '[' && i+1 < len(t.in) && (t.in[i+1] == '.' || t.in[i+1] == '='):
			return -1
		case c == '[' || c == ']' || c == '\\' || c == '^' || c == '&' || c == '~':
			t.out = append(t.out, '\\')
		}
		t.out = append(t.out, c)
		i++
	}
	return -1
}
