package objspec

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Error says what is wrong with an object spec, and where.
type Error struct {
	Spec   string // the whole spec
	Offset int    // the byte of Spec at fault; len(Spec) when something is missing at the end
	Msg    string // what was expected there and what was found
}

// The part of a long spec that Error shows, in characters.
const (
	windowWidth  = 72
	windowBefore = 48 // of which at most this many lie before the fault
)

// Error returns three lines: the message, the spec, and a caret under the
// fault. Of a spec of several lines the one with the fault
// is shown, and of a long line only the surroundings of the fault. A tab is shown
// as a blank, and what can't be printed as U+FFFD.
func (e *Error) Error() string {
	text, offset, where := e.line()
	before, after := []rune(text[:offset]), []rune(text[offset:])
	var head, tail string
	if len(before)+len(after) > windowWidth {
		if len(before) > windowBefore {
			// Near the end of the spec there is room for more of its start.
			keep := max(windowBefore, windowWidth-len(after))
			before, head = before[len(before)-keep:], "…"
		}
		if room := windowWidth - len(before); len(after) > room {
			after, tail = after[:room], "…"
		}
	}
	left := strings.Map(printable, head+string(before))
	right := strings.Map(printable, string(after)+tail)
	return fmt.Sprintf("object spec%s: %s\n  %s%s\n  %s^", where, e.Msg, left, right, strings.Repeat(" ", columns(left)))
}

// line returns the line of the spec that the fault is in, the fault's offset in
// it, and the line's number for the message.
func (e *Error) line() (text string, offset int, where string) {
	start := strings.LastIndexByte(e.Spec[:e.Offset], '\n') + 1
	text, _, _ = strings.Cut(e.Spec[start:], "\n")
	text = strings.TrimSuffix(text, "\r")
	if strings.ContainsRune(strings.TrimRight(e.Spec, "\r\n"), '\n') {
		where = fmt.Sprintf(", line %d", 1+strings.Count(e.Spec[:start], "\n"))
	}
	return text, min(e.Offset-start, len(text)), where
}

// printable replaces what would move the caret away from the fault.
func printable(r rune) rune {
	switch {
	case r == '\t':
		return ' '
	case unicode.IsPrint(r):
		return r
	}
	return utf8.RuneError
}

// columns returns how wide a printable text is on a terminal: East Asian
// characters and emoji take two columns (Unicode Standard Annex 11), and marks
// that combine with the character before them none.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
