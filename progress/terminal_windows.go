package progress

import "golang.org/x/sys/windows"

// foreground tells whether the process has the terminal, which it always has here.
func foreground(int) bool { return true }

// enable makes the console understand control codes.
func enable(fd int) bool {
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(fd), &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(windows.Handle(fd), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
