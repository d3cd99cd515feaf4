package objspec

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// part is a piece of fmt's text: a literal, or what a form makes.
type part struct {
	literal string
	form    *form
}

// format reads the argument of fmt("…#{generator}…") and makes the generator.
// The generators in it are read where they stand, so their quotes may be written
// plainly, or with a backslash as in a string.
func (p *parser) format(offset int) (*form, error) {
	if !p.at('(') {
		return nil, p.errorAt(p.pos, `expected ("…") after fmt, as in fmt("#{first_name}@example.com"), found %s`, p.found())
	}
	if p.quoted {
		return nil, p.errorAt(offset, "fmt can't be within another fmt; write its text there")
	}
	p.pos++
	p.skipBlank()
	if !p.at('"') {
		return nil, p.errorAt(p.pos, `expected a text in quotes, found %s`, p.found())
	}
	parts, err := p.parts()
	if err != nil {
		return nil, err
	}
	p.skipBlank()
	if !p.at(')') {
		return nil, p.errorAt(p.pos, `expected ")" after the text of fmt, found %s`, p.found())
	}
	p.pos++
	return p.formatted(offset, parts)
}

// parts reads the text of fmt. p.pos is at its opening quote.
func (p *parser) parts() ([]part, error) {
	opened := p.pos
	var parts []part
	var literal []byte
	for p.pos++; p.pos < len(p.text); {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			if len(literal) > 0 {
				parts = append(parts, part{literal: string(literal)})
			}
			return parts, nil
		case strings.HasPrefix(p.text[p.pos:], "#{"):
			if len(literal) > 0 {
				parts = append(parts, part{literal: string(literal)})
				literal = nil
			}
			f, err := p.embedded()
			if err != nil {
				return nil, err
			}
			parts = append(parts, part{form: f})
		case c == '\\':
			char, err := p.escape()
			if err != nil {
				return nil, err
			}
			literal = append(literal, char)
		default:
			literal = append(literal, c)
			p.pos++
		}
	}
	return nil, p.errorAt(opened, `expected a closing " for the string that starts here, found the end of the spec`)
}

// embedded reads #{generator}. Forms such as S8 and I4 may stand there too.
func (p *parser) embedded() (*form, error) {
	opened := p.pos
	p.pos += len("#{")
	p.skipBlank()
	p.quoted = true
	defer func() { p.quoted = false }()
	start := p.pos
	var f *form
	var err error
	switch {
	case p.pos == len(p.text):
		return nil, p.errorAt(opened, `expected a generator and "}", found the end of the spec`)
	case strings.IndexByte("ISBDb", p.text[p.pos]) >= 0 && !slices.Contains(generatorNames(), p.text[p.pos:p.wordEnd(p.pos)]):
		f, err = p.word(rolePart)
	case p.at('@') || isLetter(p.text[p.pos]):
		f, err = p.generator()
	default:
		return nil, p.errorAt(p.pos, "expected a generator, found %s", p.found())
	}
	if err != nil {
		return nil, err
	}
	if f.kind == kindBytes {
		return nil, p.errorAt(start, "a text can't hold %v", f.kind)
	}
	p.skipBlank()
	if !p.at('}') {
		return nil, p.errorAt(p.pos, `expected "}" after the generator, found %s`, p.found())
	}
	p.pos++
	return f, nil
}

// formatted makes the form of fmt.
func (p *parser) formatted(offset int, parts []part) (*form, error) {
	constant, clock := true, false
	size, all, best, variable := 0, uint64(1), uint64(1), 0
	for _, part := range parts {
		if part.form == nil {
			size += len(part.literal)
			continue
		}
		constant = constant && part.form.constant
		clock = clock || part.form.clock
		size += part.form.textSize()
		best = max(best, part.form.atLeast())
		all = times(all, part.form.atLeast())
		if !part.form.constant && !part.form.fixedWidth() {
			variable++
		}
	}
	if size > maxRecordBytes {
		return nil, p.errorAt(offset, "this makes %d bytes; a record can hold %d", size, maxRecordBytes)
	}
	if constant {
		text := []byte{}
		for _, part := range parts {
			text = part.append(text, nil)
		}
		return constString(string(text)), nil
	}
	if variable > 1 {
		// Where several widths differ, two choices of parts can make one text.
		// But for any choice of the others, each value of a part makes another.
		all = best
	}
	p.varies = true
	f := generatedText(size, all, func(dst []byte, s *source) []byte {
		for i := range parts {
			dst = parts[i].append(dst, s)
		}
		return dst
	})
	f.clock = clock
	return f, nil
}

// append appends the piece's text.
func (pt *part) append(dst []byte, s *source) []byte {
	if pt.form == nil {
		return append(dst, pt.literal...)
	}
	switch f := pt.form; f.kind {
	case kindInt:
		return strconv.AppendInt(dst, int64(f.scalar(s)), 10)
	case kindDouble:
		return strconv.AppendFloat(dst, doubleOf(f.scalar(s)), 'g', -1, 64)
	case kindBool:
		return strconv.AppendBool(dst, f.scalar(s) != 0)
	default:
		return f.appendContents(dst, s)
	}
}

// textSize returns the most bytes that a value takes within a text.
func (f *form) textSize() int {
	switch f.kind {
	case kindInt:
		return 20 // -9223372036854775808
	case kindDouble:
		return 24 // -1.7976931348623157e+308
	case kindBool:
		return 5 // false
	case kindGeo:
		return f.particle - geoHeader
	default:
		return f.particle
	}
}

// atLeast returns that no value of the form is more likely than one in how many.
func (f *form) atLeast() uint64 {
	switch {
	case f.constant || f.kind == kindDouble:
		return 1
	case f.generated():
		return f.distinct
	case f.kind == kindInt:
		return uint64(math.MaxUint64)>>(64-8*f.size) - intMin(f.size) // one short of all
	case f.kind == kindString:
		return power(uint64(len(alphabet)), f.size)
	default:
		return 1
	}
}

// fixedWidth tells whether all values have the same number of characters.
func (f *form) fixedWidth() bool { return f.kind == kindString && !f.generated() }
