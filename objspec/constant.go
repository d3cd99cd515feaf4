package objspec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number reads a constant integer or, when it has a '.', a constant double.
func (p *parser) number() (*form, error) {
	offset, end := p.pos, p.numberEnd()
	text := p.text[offset:end]
	if p.starAfter(end) {
		return nil, p.errorAt(offset, "%q can't be a multiplier; expected at most one, a whole number from 1 to %d", shorten(text), uint32(math.MaxUint32))
	}
	parse := integer
	if strings.Contains(text, ".") {
		parse = double
	}
	f, err := parse(text)
	if errors.Is(err, strconv.ErrRange) {
		return nil, p.errorAt(offset, "%s doesn't fit into 64 bits", shorten(text))
	}
	if err != nil {
		return nil, p.errorAt(offset, "expected a number, found %q%s", shorten(text), numberHint(text))
	}
	p.pos = end
	return f, nil
}

// numberEnd returns the offset after the number at p.pos: digits, letters and
// dots, and signs where a number has them.
func (p *parser) numberEnd() int {
	end := p.pos
	for ; end < len(p.text); end++ {
		c := p.text[end]
		sign := (c == '+' || c == '-') && (end == p.pos || strings.IndexByte("eEpP", p.text[end-1]) >= 0)
		if !isDigit(c) && !isLetter(c) && c != '.' && !sign {
			break
		}
	}
	return end
}

// integer accepts what asbench does: decimal in 64 bits with a sign, or the 64
// bits in hex without one.
func integer(text string) (*form, error) {
	if digits, ok := cutHex(text); ok {
		v, err := strconv.ParseUint(digits, 16, 64)
		return constInt(int64(v)), err
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return constInt(v), err
}

// double accepts what C's strtod makes of a text with a '.', and an f after it.
// In hex, where f is a digit, only an exponent makes the f a suffix.
func double(text string) (*form, error) {
	if strings.Contains(text, "_") { // strconv allows it in hex
		return nil, strconv.ErrSyntax
	}
	_, hex := cutHex(strings.TrimLeft(text, "+-"))
	if hex && !strings.ContainsAny(text, "pP") {
		text += "p0" // strconv requires an exponent
	} else {
		text = strings.TrimSuffix(text, "f")
	}
	v, err := strconv.ParseFloat(text, 64)
	return constDouble(math.Float64bits(v)), err
}

func cutHex(text string) (digits string, ok bool) {
	if len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' {
		return text[2:], true
	}
	return text, false
}

// numberHint explains the mistakes one is likely to make with a number.
func numberHint(text string) string {
	unsigned := strings.TrimLeft(text, "+-")
	digits := strings.TrimLeft(unsigned, "0123456789")
	_, hex := cutHex(unsigned)
	switch {
	case hex && unsigned != text:
		return "; a hex integer has no sign"
	case digits == "" || digits == unsigned:
		return ""
	case strings.IndexByte("ISBDb", digits[0]) >= 0:
		return fmt.Sprintf("; did you mean %q?", shorten(strings.TrimSuffix(text, digits)+"*"+digits))
	case strings.IndexByte("eEf", digits[0]) >= 0:
		return `; a double needs a "."`
	}
	return ""
}

// str reads a constant string. Within the text of fmt it may begin and end with
// a quote behind a backslash.
func (p *parser) str() (*form, error) {
	opened := p.pos
	quote := `"`
	if p.at('\\') {
		quote = `\"`
	}
	var out []byte
	for p.pos += len(quote); p.pos < len(p.text); {
		if strings.HasPrefix(p.text[p.pos:], quote) {
			p.pos += len(quote)
			return constString(string(out)), nil
		}
		switch c := p.text[p.pos]; c {
		case '\\':
			char, err := p.escape()
			if err != nil {
				return nil, err
			}
			out = append(out, char)
		default:
			out = append(out, c)
			p.pos++
		}
	}
	return nil, p.errorAt(opened, `expected a closing " for the string that starts here, found the end of the spec`)
}

// escape reads a backslash and what it stands for.
func (p *parser) escape() (byte, error) {
	rest := p.text[p.pos+1:]
	if rest == "" {
		return 0, p.errorAt(p.pos, `expected a character after \, found the end of the spec`)
	}
	const (
		names = `abefnrtv\'"?`
		chars = "\a\b\x1b\f\n\r\t\v\\'\"?"
	)
	if i := strings.IndexByte(names, rest[0]); i >= 0 {
		p.pos += 2
		return chars[i], nil
	}
	switch c := rest[0]; {
	case c == 'x':
		return p.code(rest[1:], 2, 16, `two hex digits after \x`)
	case isDigit(c):
		return p.code(rest, 3, 8, `three octal digits, 000 to 377, after \`)
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return 0, p.errorAt(p.pos, `unknown escape \%c; expected \ and one of %s, x or octal digits`, printable(r), names)
}

// code reads an escape that ends in a number of n digits, the first of digits.
func (p *parser) code(digits string, n, base int, want string) (byte, error) {
	given := digits[:min(n, len(digits))]
	v, err := strconv.ParseUint(given, base, 8)
	if err != nil || len(given) < n {
		if end := strings.IndexByte(given, '"'); end >= 0 {
			given = given[:end]
		}
		return 0, p.errorAt(p.pos, "expected %s, found %q", want, given)
	}
	p.pos = len(p.text) - len(digits) + n
	return byte(v), nil
}

// numberOf returns the value of a constant number.
func numberOf(f *form) float64 {
	if f.kind == kindDouble {
		return doubleOf(f.bits)
	}
	return float64(int64(f.bits))
}

func doubleOf(bits uint64) float64    { return math.Float64frombits(bits) }
func doubleBits(value float64) uint64 { return math.Float64bits(value) }
