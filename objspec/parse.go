package objspec

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// parser reads a spec by recursive descent; p.pos is the next unread byte. The
// grammar is in docs/object-spec.md.
//
// One blank may stand on either side of "," ":" "=" "?" and "*", after an opening
// and before a closing bracket. asbench's parser has it so too, but takes no
// blank before a list's comma. As there, a comma may end a spec or a list, but
// not a map. Where a blank may stand a line may end, too.
type parser struct {
	text   string
	pos    int
	ratio  float64
	now    func() time.Time
	depth  int // collections around p.pos
	perms  int // permutations handed out to map keys
	tables []int
	slots  int // multipliers that are drawn
	varies bool
	quoted bool // within a generator of fmt, where \" is a quote as well
	lists  map[string]*words
	breaks []lineBreak
}

// role is the place an item has in the spec.
type role uint8

const (
	roleBin role = iota
	roleElement
	roleKey
	roleValue
	rolePart
)

func (r role) String() string {
	return [...]string{"a bin", "a list element", "a map key", "a map value", "a generator"}[r]
}

// errorAt returns an Error for the byte at the given offset.
func (p *parser) errorAt(offset int, format string, args ...any) error {
	return &Error{Spec: p.text, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// spec reads the whole text and returns its bins.
func (p *parser) spec() ([]binItem, error) {
	var items []binItem
	var total budget
	if p.at('\n') || p.at('\r') || p.at('#') {
		p.skipBlank()
	}
	for bins := int64(0); ; {
		it, err := p.bin()
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
		broke := p.skipBlank()
		switch {
		case p.pos == len(p.text):
			return items, nil
		case broke && !p.at(','):
			p.breaks[len(p.breaks)-1].comma = true
			continue
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
	times, counts, err := p.multiplier()
	if err != nil {
		return item{}, err
	}
	if r == roleBin && counts != nil {
		return item{}, p.errorAt(offset, "the number of a record's bins can't be drawn; make them optional (name?0.5=…), or a list")
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
	it := item{form: f, times: times, counts: counts, offset: offset}
	if counts != nil {
		it.slot = p.slots
		p.slots++
		p.varies = true
	}
	return it, nil
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
		f, err = p.generator()
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
		return p.sized(word)
	case word == "R":
		return p.partlyRandom()
	default:
		return nil, p.errorAt(offset, "expected %v (%s), found %q%s", r, formsFor(r), shorten(word), suggestion(word))
	}
	p.pos = offset + len(word)
	return f, nil
}

func formsFor(r role) string {
	if r == roleKey {
		return "I, I1 to I8, S<n>, B<n>, an integer, a string or @generator"
	}
	return "I, I1 to I8, S<n>, B<n>, D, b, a constant, @generator, [list] or {map}"
}

// suggestion returns a hint when the word differs from a form by its case.
func suggestion(word string) string {
	switch {
	case word == "i" || word == "d" || word == "t" || word == "f":
	case slices.Contains(generatorNames(), word):
		return fmt.Sprintf("; did you mean %q?", "@"+word)
	case len(word) == 2 && word[0] == 'i' && '1' <= word[1] && word[1] <= '8':
	case len(word) > 1 && (word[0] == 's' || word[0] == 'b') && strings.Trim(word[1:], "0123456789") == "":
	default:
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", shorten(strings.ToUpper(word)))
}
