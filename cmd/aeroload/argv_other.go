//go:build !unix

package main

// canBlank tells whether blank can work on this system.
const canBlank = false

// blank cannot change what the system shows of the process.
func blank(string) {}
