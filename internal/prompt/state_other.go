//go:build unix && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package prompt

import "golang.org/x/sys/unix"

// The requests that read and set the state of a terminal.
const (
	getState = unix.TCGETS
	setState = unix.TCSETS
)
