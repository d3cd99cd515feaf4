//go:build unix

package prompt

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Hidden reads a line from a terminal that does not show it. The error is [io.EOF] if
// the input ends before anything is typed. (ReadPassword of golang.org/x/term would
// wait on: it takes the end of the input, a read of no bytes, for nothing at all.)
func Hidden(terminal *os.File) (string, error) {
	fd := int(terminal.Fd())
	before, err := unix.IoctlGetTermios(fd, getState)
	if err != nil {
		return "", err
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	silent.Lflag |= unix.ICANON | unix.ISIG // whole lines, and Ctrl-C still stops the program
	silent.Iflag |= unix.ICRNL
	if err := unix.IoctlSetTermios(fd, setState, &silent); err != nil {
		return "", err
	}
	defer func() { _ = unix.IoctlSetTermios(fd, setState, before) }()
	return readLine(terminal)
}

// readLine returns what is typed before the end of the line, or before the end of
// the input, which terminals have at Ctrl-D on an empty line or Ctrl-D twice. The
// error is [io.EOF] if nothing was typed before that.
func readLine(terminal io.Reader) (string, error) {
	var line []byte
	for {
		var b [1]byte // no more, so that what is behind the line stays for others
		_, err := io.ReadFull(terminal, b[:])
		switch {
		case errors.Is(err, io.EOF) && len(line) > 0, err == nil && b[0] == '\n':
			return string(line), nil
		case err != nil:
			return "", err
		}
		line = append(line, b[0])
	}
}
