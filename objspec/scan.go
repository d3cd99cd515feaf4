package objspec

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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

// lineBreak is a place where a spec of several lines goes on in the next one.
type lineBreak struct {
	start, end int
	comma      bool // it stands between two bins, as a comma would
}

// skipBlank passes over the blank that may stand between two parts of a spec,
// or over line breaks with whatever blanks and comments are around them. It
// tells whether it was line breaks.
func (p *parser) skipBlank() (broke bool) {
	end, found := p.pos, false
	for at := p.pos; at < len(p.text); {
		rest := strings.TrimLeft(p.text[at:], " \t\r")
		if strings.HasPrefix(rest, "#") && (found || at == 0 || len(rest) < len(p.text)-at) {
			if i := strings.IndexByte(rest, '\n'); i >= 0 {
				rest = rest[i:]
			} else {
				rest = ""
			}
		} else if !strings.HasPrefix(rest, "\n") {
			if found {
				end = len(p.text) - len(rest)
			}
			break
		}
		found = true
		rest = strings.TrimPrefix(rest, "\n")
		at = len(p.text) - len(rest)
		end = at
	}
	if found {
		p.breaks = append(p.breaks, lineBreak{start: p.pos, end: end})
		p.pos = end
		return true
	}
	if p.at(' ') {
		p.pos++
	}
	return false
}

// oneLine returns the text with its line breaks taken out.
func (p *parser) oneLine() string {
	var b strings.Builder
	at := 0
	for _, l := range p.breaks {
		b.WriteString(p.text[at:l.start])
		if l.comma {
			b.WriteByte(',')
		}
		at = l.end
	}
	return b.String() + p.text[at:]
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
