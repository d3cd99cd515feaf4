package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// hidePasswords blanks the passwords in the arguments that ps and /proc show, and
// returns a copy of the arguments as they were. argv is os.Args. As with every
// program that does so, there is an instant at the start when they can be seen;
// a warning on log says where they stay.
func hidePasswords(argv []string, log io.Writer) []string {
	if len(argv) == 0 {
		return nil
	}
	args := make([]string, len(argv)-1)
	for i, arg := range argv[1:] {
		args[i] = strings.Clone(arg)
	}
	cmd, rest := commandOf(args)
	skipped := len(argv) - len(rest)
	spans := secretSpans(rest, append(generalOptions(), cmd.options...))
	if cmd.foreign {
		spans = nil
		for i := range rest {
			spans = append(spans, span{arg: i})
		}
	}
	for _, s := range spans {
		blank(argv[skipped+s.arg][s.from:])
	}
	if len(spans) > 0 && !blanked(argv, args, skipped, spans) {
		fmt.Fprintln(log, "warning: other users of this machine can see the password in the list of processes; give it by the environment or a profile")
	}
	return args
}

// blanked tells whether the system shows the arguments without the passwords,
// as far as it lets us look.
func blanked(argv, args []string, skipped int, spans []span) bool {
	shown, err := os.ReadFile("/proc/self/cmdline")
	if err != nil {
		return canBlank
	}
	for _, s := range spans {
		start := 0
		for _, arg := range argv[:skipped+s.arg] {
			start += len(arg) + 1 // and a NUL
		}
		password := []byte(args[skipped-1+s.arg][s.from:])
		if at := start + s.from; len(password) > 1 && at < len(shown) && bytes.HasPrefix(shown[at:], password) {
			return false
		}
	}
	return true
}
