package objspec

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
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
// fault. Columns count runes. Of a spec of several lines the one with the fault
// is shown, and of a long line only the surroundings of the fault; what can't
// be printed is shown as U+FFFD.
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
	column := utf8.RuneCountInString(head) + len(before)
	line := strings.Map(printable, head+string(before)+string(after)+tail)
	return fmt.Sprintf("object spec%s: %s\n  %s\n  %s^", where, e.Msg, line, strings.Repeat(" ", column))
}

// line returns the line of the spec that the fault is in, the fault's offset in
// it, and the line's number for the message.
func (e *Error) line() (text string, offset int, where string) {
	if !strings.ContainsRune(strings.TrimRight(e.Spec, "\n"), '\n') {
		return e.Spec, e.Offset, ""
	}
	start := strings.LastIndexByte(e.Spec[:e.Offset], '\n') + 1
	text, _, _ = strings.Cut(e.Spec[start:], "\n")
	return text, e.Offset - start, fmt.Sprintf(", line %d", 1+strings.Count(e.Spec[:start], "\n"))
}

// printable keeps one column a rune, so that the caret stays under the fault.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return utf8.RuneError
}
