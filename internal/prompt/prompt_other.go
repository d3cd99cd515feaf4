//go:build !unix

package prompt

import (
	"os"

	"golang.org/x/term"
)

// Hidden reads a line from a terminal that does not show it. The error is [io.EOF] if
// the input ends before anything is typed.
func Hidden(terminal *os.File) (string, error) {
	line, err := term.ReadPassword(int(terminal.Fd()))
	return string(line), err
}
