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
// fault. Columns count runes. Of a long spec only the surroundings of the
// fault are shown, and what can't be printed is shown as U+FFFD.
func (e *Error) Error() string {
	before, after := []rune(e.Spec[:e.Offset]), []rune(e.Spec[e.Offset:])
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
	return fmt.Sprintf("object spec: %s\n  %s\n  %s^", e.Msg, line, strings.Repeat(" ", column))
}

// printable keeps one column a rune, so that the caret stays under the fault.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return utf8.RuneError
}
