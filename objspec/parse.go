package objspec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parser reads a spec by recursive descent; p.pos is the next unread byte.
//
//	spec  = item { "," item } [ "," ] [ " " ]
//	item  = [ number "*" ] form
//	form  = "I" [ size ] | "S" length | "B" length | "D" | "b"
//	      | string | number | "true" | "T" | "false" | "F"
//	      | "[" [ item { "," item } [ "," ] ] "]"
//	      | "{" [ item ":" item { "," item ":" item } ] "}"
//
// One blank may stand on either side of "," ":" and "*", after an opening and
// before a closing bracket. asbench's parser has it so too, but takes no blank
// before a list's comma. As there, a comma may end a spec or a list, but not a
// map.
type parser struct {
	text  string
	pos   int
	ratio float64
	depth int // collections around p.pos
	perms int // permutations handed out to map keys
}

// role is the place an item has in the spec.
type role uint8

const (
	roleBin role = iota
	roleElement
	roleKey
	roleValue
)

func (r role) String() string {
	return [...]string{"a bin", "a list element", "a map key", "a map value"}[r]
}

// errorAt returns an Error for the byte at the given offset.
func (p *parser) errorAt(offset int, format string, args ...any) error {
	return &Error{Spec: p.text, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// spec reads the whole text and returns its bins.
func (p *parser) spec() ([]item, error) {
	var items []item
	var total budget
	for bins := int64(0); ; {
		it, err := p.item(roleBin)
		if err != nil {
			return nil, err
		}
		if bins += it.times; bins > maxBins {
			return nil, p.errorAt(it.offset, "a record can have %d bins; this makes %d", maxBins, bins)
		}
		if err := total.add(p, it.offset, it.times, it.particle); err != nil {
			return nil, err
		}
		items = append(items, it)
		p.skipBlank()
		if p.pos == len(p.text) {
			return items, nil
		}
		if err := p.expect(',', `"," or the end of the spec`); err != nil {
			return nil, err
		}
		if p.pos == len(p.text) {
			return items, nil
		}
	}
}

// item reads a form and the multiplier before it.
func (p *parser) item(r role) (item, error) {
	offset := p.pos
	times, err := p.multiplier()
	if err != nil {
		return item{}, err
	}
	if r == roleValue && times != 1 {
		return item{}, p.errorAt(offset, "a map value can't have a multiplier; put it before the key")
	}
	f, err := p.form(r)
	if err != nil {
		return item{}, err
	}
	if r == roleKey && f.constant && times != 1 {
		return item{}, p.errorAt(offset, "a constant map key can't have a multiplier, as keys must differ")
	}
	return item{form: f, times: times, offset: offset}, nil
}

// multiplier reads "N*" and returns N, or 1 when there is none.
func (p *parser) multiplier() (int64, error) {
	end := p.pos
	for end < len(p.text) && isDigit(p.text[end]) {
		end++
	}
	if end == p.pos || !p.starAfter(end) {
		return 1, nil
	}
	digits := p.text[p.pos:end]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 {
		return 0, p.errorAt(p.pos, "expected a multiplier from 1 to %d, found %q", uint32(math.MaxUint32), shorten(digits))
	}
	p.pos = end
	p.skipBlank()
	p.pos++
	p.skipBlank()
	return int64(n), nil
}

// starAfter tells whether a "*" follows at the offset, or a blank after it.
func (p *parser) starAfter(offset int) bool {
	return strings.HasPrefix(strings.TrimPrefix(p.text[offset:], " "), "*")
}

// form reads one value form.
func (p *parser) form(r role) (*form, error) {
	if p.pos == len(p.text) {
		return nil, p.errorAt(p.pos, "expected %v, found %s", r, p.found())
	}
	offset := p.pos
	var f *form
	var err error
	switch c := p.text[p.pos]; {
	case c == '[':
		f, err = p.collection(r, kindList)
	case c == '{':
		f, err = p.collection(r, kindMap)
	case c == '"':
		f, err = p.str()
	case c == '@':
		return nil, p.errorAt(p.pos, "generators (@name) are not supported yet")
	case isDigit(c) || strings.IndexByte("+-.", c) >= 0:
		f, err = p.number()
	case isLetter(c):
		f, err = p.word(r)
	default:
		return nil, p.errorAt(p.pos, "expected %v, found %s", r, p.found())
	}
	if err != nil {
		return nil, err
	}
	if r == roleKey && f.kind != kindInt && f.kind != kindString && f.kind != kindBytes {
		return nil, p.keyError(offset, f.kind)
	}
	return f, nil
}

func (p *parser) keyError(offset int, k kind) error {
	return p.errorAt(offset, "a map key can't be %v; expected an integer, a string or bytes", k)
}

// word reads a form that starts with a letter.
func (p *parser) word(r role) (*form, error) {
	offset := p.pos
	word := p.text[offset:p.wordEnd(offset)]
	if rest := p.text[offset+len(word):]; r == roleBin && strings.HasPrefix(strings.TrimPrefix(rest, " "), "=") {
		return nil, p.errorAt(offset, "named bins (%s=…) are not supported yet", shorten(word))
	}
	p.pos++ // where the errors about what follows the letter point
	arg := word[1:]
	var f *form
	switch {
	case strings.EqualFold(word, "true") || word == "T":
		f = constBool(true)
	case strings.EqualFold(word, "false") || word == "F":
		f = constBool(false)
	case word == "b":
		f = randomBool()
	case word == "D":
		f = randomDouble()
	case word == "I":
		f = randomInt(4)
	case word[0] == 'I' && len(arg) == 1 && '1' <= arg[0] && arg[0] <= '8':
		f = randomInt(int(arg[0] - '0'))
	case word[0] == 'I' && isDigit(arg[0]):
		return nil, p.errorAt(p.pos, `expected a size from 1 to 8 after "I", found %q`, shorten(arg))
	case (word[0] == 'b' || word[0] == 'D') && isDigit(arg[0]):
		return nil, p.errorAt(p.pos, "%q takes no size, found %q%s", word[:1], shorten(arg), suggestion(word))
	case word[0] == 'S' || word[0] == 'B':
		n, err := p.length(arg)
		if err != nil {
			return nil, err
		}
		if f = randomString(n); word[0] == 'B' {
			f = randomBytes(n, p.ratio)
		}
	default:
		return nil, p.errorAt(offset, "expected %v (%s), found %q%s", r, formsFor(r), shorten(word), suggestion(word))
	}
	p.pos = offset + len(word)
	return f, nil
}

// length reads what follows an S or B.
func (p *parser) length(digits string) (int, error) {
	letter := p.text[p.pos-1]
	if digits == "" || strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) >= 0 {
		return 0, p.errorAt(p.pos, "expected a length after %q, found %s", string(letter), p.found())
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > maxRecordBytes {
		return 0, p.errorAt(p.pos, "a length of %s is over %d bytes, the most a record can hold", shorten(digits), maxRecordBytes)
	}
	return int(n), nil
}

func formsFor(r role) string {
	if r == roleKey {
		return "I, I1 to I8, S<n>, B<n>, an integer or a string"
	}
	return "I, I1 to I8, S<n>, B<n>, D, b, a constant, [list] or {map}"
}

// suggestion returns a hint when the word differs from a form by its case.
func suggestion(word string) string {
	switch {
	case word == "i" || word == "d" || word == "t" || word == "f":
	case len(word) == 2 && word[0] == 'i' && '1' <= word[1] && word[1] <= '8':
	case len(word) > 1 && (word[0] == 's' || word[0] == 'b') && strings.Trim(word[1:], "0123456789") == "":
	default:
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", shorten(strings.ToUpper(word)))
}

// expect reads a separator with the blank that may follow it. want describes
// what is allowed at this place.
func (p *parser) expect(c byte, want string) error {
	if p.pos == len(p.text) || p.text[p.pos] != c {
		return p.errorAt(p.pos, "expected %s, found %s", want, p.found())
	}
	p.pos++
	p.skipBlank()
	return nil
}

func (p *parser) skipBlank() {
	if p.at(' ') {
		p.pos++
	}
}

func (p *parser) at(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

// found describes what is at p.pos, for messages.
func (p *parser) found() string {
	rest := p.text[p.pos:]
	switch {
	case rest == "":
		return "the end of the spec"
	case rest[0] == ' ' && p.pos > 0 && p.text[p.pos-1] == ' ':
		return "a second blank"
	case rest[0] == ' ':
		return "a blank"
	}
	n := p.wordEnd(p.pos) - p.pos
	if n == 0 {
		_, n = utf8.DecodeRuneInString(rest)
	}
	return strconv.Quote(shorten(rest[:n]))
}

// wordEnd returns the offset after the letters, digits and underscores at offset.
func (p *parser) wordEnd(offset int) int {
	for offset < len(p.text) && (isLetter(p.text[offset]) || isDigit(p.text[offset])) {
		offset++
	}
	return offset
}

// shorten cuts long text for a message.
func shorten(text string) string {
	end := 32
	if len(text) <= end {
		return text
	}
	for !utf8.RuneStart(text[end]) && end > 0 {
		end--
	}
	return text[:end] + "…"
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
