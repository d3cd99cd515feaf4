package objspec

import (
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
)

// argument is a constant between the parentheses of a generator.
type argument struct {
	*form
	weight *float64 // of pick's values; nil for none
	offset int
	end    int // 0 for an argument that was left out
}

func (a argument) isNumber() bool { return a.kind == kindInt || a.kind == kindDouble }

// float returns the value of a number.
func (a argument) float() float64 { return numberOf(a.form) }

// shown returns the argument as it stands in the spec, or would stand there if it
// was left out, for messages.
func (a argument) shown(p *parser) string {
	switch {
	case a.end > 0:
	case a.kind == kindString:
		return strconv.Quote(a.text)
	case a.kind == kindInt:
		return strconv.FormatInt(int64(a.bits), 10)
	default:
		return shortFloat(a.float())
	}
	return strings.Map(printable, shorten(p.text[a.offset:a.end]))
}

// call is a generator with its arguments, in which the ones left out have their
// defaults.
type call struct {
	p      *parser
	offset int // of the generator's name
	args   []argument
}

// integer returns an argument that the table says to be an integer.
func (c *call) integer(i int) int64 { return int64(c.args[i].bits) }

// backwards reports that argument i, where a range ends, is below the one before it,
// where the range begins. One that was left out is likely to have been forgotten.
func (c *call) backwards(i int, what, below string) error {
	begin, end := c.args[i-1].shown(c.p), c.args[i].shown(c.p)
	if c.args[i].end == 0 {
		return c.errorAt(i-1, "%s: %s needs an end behind it, which is %s when left out", what, begin, end)
	}
	return c.errorAt(i, "%s: %s is %s %s", what, end, below, begin)
}

// errorAt reports an argument, or the generator when the argument was left out.
func (c *call) errorAt(i int, format string, args ...any) error {
	return c.p.errorAt(c.args[i].offset, format, args...)
}

// generator reads @name or @name(arguments), or without the @ what fmt has in
// its braces.
func (p *parser) generator() (*form, error) {
	offset := p.pos
	if p.at('@') {
		p.pos++
	}
	name := p.text[p.pos:p.wordEnd(p.pos)]
	if name == "" {
		return nil, p.errorAt(p.pos, "expected the name of a generator after @, found %s", p.found())
	}
	if name == "file" && strings.HasPrefix(p.text[p.pos+len(name):], ":") {
		return nil, p.errorAt(offset, "a spec that is in a file is given as @file:PATH and nothing else")
	}
	at := p.pos
	p.pos += len(name)
	switch name {
	case "pick":
		p.varies = true
		return p.pick(at)
	case "fmt":
		return p.format(at)
	}
	for _, g := range generators {
		if g.name == name {
			args, err := p.arguments()
			if err != nil {
				return nil, err
			}
			p.varies = true
			return p.call(g, at, args)
		}
	}
	hint := suggest.DidYouMean(name, generatorNames())
	if hint == "" {
		hint = "; they are " + strings.Join(generatorNames(), ", ")
	}
	return nil, p.errorAt(at, "unknown generator %q%s", shorten(name), hint)
}

// call makes a generator of the table.
func (p *parser) call(g generator, offset int, args []argument) (*form, error) {
	if len(args) > len(g.params) {
		return nil, p.errorAt(args[len(g.params)].offset, "%s has at most %d arguments%s", g.name, len(g.params), g.signature())
	}
	c := call{p: p, offset: offset}
	for i, param := range g.params {
		if i >= len(args) {
			c.args = append(c.args, argument{form: param.def, offset: offset})
			continue
		}
		a := args[i]
		if a.weight != nil {
			return nil, p.errorAt(a.offset, "only pick takes weights")
		}
		if param.def.kind == kindDouble && a.kind == kindInt {
			a.form = constDouble(doubleBits(a.float()))
		}
		switch {
		case a.kind != param.def.kind:
			return nil, p.errorAt(a.offset, "expected %v for %s, found %s%s", param.def.kind, param.name, a.shown(p), g.signature())
		case a.isNumber() && param.low < param.high && (a.float() < param.low || a.float() > param.high):
			return nil, p.errorAt(a.offset, "expected a number from %s to %s for %s, found %s",
				shortFloat(param.low), shortFloat(param.high), param.name, a.shown(p))
		}
		c.args = append(c.args, a)
	}
	return g.make(&c)
}

func shortFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// signature shows the arguments that a generator takes.
func (g generator) signature() string {
	if len(g.params) == 0 {
		return ""
	}
	names := make([]string, len(g.params))
	for i, p := range g.params {
		names[i] = p.name
	}
	return "; it is " + g.name + "(" + strings.Join(names, ",") + ")"
}

// arguments reads "(" [ constant [ ":" weight ] { "," … } ] ")", or nothing.
func (p *parser) arguments() ([]argument, error) {
	if !p.at('(') {
		return nil, nil
	}
	opened := p.pos
	p.pos++
	p.skipBlank()
	var args []argument
	for !p.at(')') {
		if p.pos == len(p.text) {
			return nil, p.errorAt(opened, `expected a closing ")" for the one here, found the end of the spec`)
		}
		a, err := p.argument()
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		p.skipBlank()
		if p.at(')') || p.pos == len(p.text) {
			continue
		}
		if err := p.expect(',', `"," or ")"`); err != nil {
			return nil, err
		}
		if p.at(')') {
			return nil, p.errorAt(p.pos, `expected a value after ",", found ")"`)
		}
	}
	p.pos++
	return args, nil
}

// argument reads a constant and, behind a colon, its weight.
func (p *parser) argument() (argument, error) {
	a := argument{offset: p.pos}
	var err error
	switch c := p.text[p.pos]; {
	case c == '"' || p.quoted && strings.HasPrefix(p.text[p.pos:], `\"`):
		a.form, err = p.str()
	case isDigit(c) || strings.IndexByte("+-.", c) >= 0:
		a.form, err = p.number()
	default:
		word := p.text[p.pos:p.wordEnd(p.pos)]
		switch {
		case strings.EqualFold(word, "true") || word == "T":
			a.form = constBool(true)
		case strings.EqualFold(word, "false") || word == "F":
			a.form = constBool(false)
		default:
			return a, p.errorAt(p.pos, `expected a number, a "string", true or false, found %s`, p.found())
		}
		p.pos += len(word)
	}
	if err != nil {
		return a, err
	}
	a.end = p.pos
	if !strings.HasPrefix(strings.TrimPrefix(p.text[p.pos:], " "), ":") {
		return a, nil
	}
	p.skipBlank()
	p.pos++
	p.skipBlank()
	at := p.pos
	if p.pos < len(p.text) && (isDigit(p.text[at]) || p.text[at] == '.') {
		weight, err := p.number()
		if err != nil {
			return a, err
		}
		if v := numberOf(weight); v > 0 && v <= 1e15 {
			a.weight = &v
			return a, nil
		}
	}
	p.pos = at
	return a, p.errorAt(at, "expected a weight, a number above 0 and at most 1e15, found %s", p.found())
}
