//go:build unix

package main

import "unsafe"

// canBlank tells whether blank can work on this system.
const canBlank = true

// blank overwrites a part of an argument by an x and NULs. The strings of os.Args
// are not copies: their bytes are those that the kernel gave the process and that
// it shows of it (runtime1.go, goargs). Nobody else may hold on to the string.
func blank(s string) {
	if s == "" {
		return
	}
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	clear(b)
	b[0] = 'x'
}
