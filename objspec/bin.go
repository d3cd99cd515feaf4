package objspec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// binItem is one or more bins of a spec.
type binItem struct {
	item
	name    string // "" for bins that are numbered
	present uint64 // optional bins: a word below it means that the bin is there; 0 for bins that always are
}

// bin reads a bin: [ name [ "?" probability ] "=" ] item.
func (p *parser) bin() (binItem, error) {
	offset := p.pos
	name, ok := p.binName()
	if !ok {
		it, err := p.item(roleBin)
		return binItem{item: it}, err
	}
	if len(name) > maxBinName {
		return binItem{}, p.errorAt(offset, "bin name %q has %d bytes; a name can have %d", shorten(name), len(name), maxBinName)
	}
	b := binItem{name: name}
	if p.at('?') {
		p.pos++
		p.skipBlank()
		probability, err := p.probability()
		if err != nil {
			return binItem{}, err
		}
		b.present = uint64(probability * (1 << 64))
		p.varies = true
		p.skipBlank()
	}
	if err := p.expect('=', `"=" and a value after the bin's name`); err != nil {
		return binItem{}, err
	}
	var err error
	if b.item, err = p.item(roleBin); err != nil {
		return binItem{}, err
	}
	b.offset = offset
	return b, nil
}

// binName reads the name of a bin if there is one at p.pos, and leaves p.pos at
// the "=" or "?" behind it.
func (p *parser) binName() (string, bool) {
	end := p.pos
	for end < len(p.text) && isNameByte(p.text[end]) {
		end++
	}
	name, rest := p.text[p.pos:end], p.text[end:]
	after := strings.TrimPrefix(rest, " ")
	if name == "" || strings.ContainsFunc(name, notInName) || !strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "?") {
		return "", false
	}
	p.pos = len(p.text) - len(after)
	return name, true
}

// notInName tells what a bin's name may not hold among the characters whose bytes
// it may: those one can't see, signs that look like others, and bytes that are no
// UTF-8 at all.
func notInName(r rune) bool {
	return r >= utf8.RuneSelf && !unicode.In(r, unicode.L, unicode.M, unicode.N) || r == utf8.RuneError
}

// isNameByte tells what a bin's name may hold in a spec. The server would take
// any byte (but zero); the others stand for something else here, or are
// likelier a slip.
func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '$' || c >= utf8.RuneSelf
}

// probability reads a number between 0 and 1.
func (p *parser) probability() (float64, error) {
	end := p.pos
	for end < len(p.text) && (isNameByte(p.text[end]) || p.text[end] == '%') {
		end++
	}
	text := p.text[p.pos:end]
	v, err := strconv.ParseFloat(text, 64)
	// Below 2^-64 nothing is ever drawn.
	if err != nil || !(v >= 1.0/(1<<63) && v < 1) || strings.ContainsAny(text, "xXpP_") {
		hint := ""
		if percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64); err == nil && percent >= 1 && percent < 100 {
			hint = fmt.Sprintf("; did you mean %q?", strconv.FormatFloat(percent/100, 'g', 6, 64))
		}
		found := p.found()
		if text != "" {
			found = strconv.Quote(shorten(text))
		}
		return 0, p.errorAt(p.pos, "expected the share of records that have the bin, a number above 0 and below 1 such as 0.3, found %s%s", found, hint)
	}
	p.pos = end
	return v, nil
}

// layOut names the bins and puts them into s.
func (p *parser) layOut(s *Spec, base string, items []binItem) error {
	seen := make(map[string]bool)
	always := false
	for _, it := range items {
		always = always || it.present == 0
		for i := range it.times {
			bin := binName(base, len(s.names))
			if it.name != "" {
				bin = binName(it.name, int(i))
			}
			if len(bin) > maxBinName {
				return p.errorAt(it.offset, "bin name %q has %d bytes; a name can have %d", shorten(bin), len(bin), maxBinName)
			}
			if seen[bin] {
				return p.errorAt(it.offset, "the record has a bin %q already", bin)
			}
			seen[bin] = true
			s.names = append(s.names, bin)
			s.bins = append(s.bins, it.form)
			s.present = append(s.present, it.present)
			s.optional = s.optional || it.present > 0
		}
	}
	if !always {
		return p.errorAt(items[0].offset, "all bins are optional, so a record might have none; one must always be there")
	}
	return nil
}

// binName returns the name of the bin with the given index: the base name for
// the first one, then base_2, base_3 and so on.
func binName(base string, index int) string {
	if index == 0 {
		return base
	}
	return base + "_" + strconv.Itoa(index+1)
}
