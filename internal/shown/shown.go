// Package shown makes what a user typed fit to be shown: without passwords, and
// without characters that a terminal obeys.
package shown

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// passwords are how the names of flags with a password begin, in small letters; a
// longer one stands before its own beginning.
var passwords = []string{"tls-keyfile-password", "tlskeyfilepassword", "password", "passphrase", "passwd", "pass"}

// Flag returns an unknown flag, dashes included, up to where a password may begin,
// with … in place of what is left out. That is behind the P of -Psecret and
// -LPsecret, behind a name such as --password, and at a colon, as in
// --userbob:secret:role. What stands behind an equals sign is a value in any case,
// and is cut off without a trace.
func Flag(arg string) string {
	typed, _, _ := strings.Cut(arg, "=")
	name := strings.TrimLeft(typed, "-")
	dashes := len(typed) - len(name)
	end := len(name)
	if i := strings.IndexByte(name, 'P'); i == 0 || i > 0 && dashes == 1 {
		end = i + 1
	}
	if n := password(name); n > 0 {
		end = min(end, n)
	}
	if i := strings.IndexByte(name, ':'); i >= 0 {
		end = min(end, i)
	}
	if end == len(name) {
		return typed
	}
	return typed[:dashes+end] + "…"
}

// IsPassword tells whether the name of a flag, without dashes, begins like that of a
// password.
func IsPassword(name string) bool { return password(name) > 0 }

// password returns how many bytes of a name say that it is one of a password.
func password(name string) int {
	for _, p := range passwords {
		if len(name) >= len(p) && strings.EqualFold(name[:len(p)], p) {
			return len(p)
		}
	}
	return 0
}

// Text returns a text of several lines with all characters escaped that do not
// print, as Go writes them: \x1b for the one that begins the commands of a terminal.
func Text(text string) string {
	return escape(text, func(r rune) bool { return r == '\n' || unicode.IsPrint(r) })
}

// Name is [Text] for what must stay on one line, such as the name of a file.
func Name(name string) string { return escape(name, unicode.IsPrint) }

func escape(text string, keep func(rune) bool) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if bad := r == utf8.RuneError && size == 1; !bad && keep(r) {
			b.WriteString(text[:size])
		} else {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}
