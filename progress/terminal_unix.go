//go:build unix

package progress

import "golang.org/x/sys/unix"

// foreground tells whether the process is in the foreground of its terminal, and not
// started with & or continued with bg, when the terminal is the shell's.
func foreground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// enable makes the terminal understand control codes, which all do.
func enable(int) bool { return true }
