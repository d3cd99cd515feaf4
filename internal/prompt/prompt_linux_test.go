package prompt

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func TestHidden(t *testing.T) {
	for _, c := range []struct {
		why, keys, want string
		err             error
	}{
		{"a line", "secret\n", "secret", nil},
		{"a line with the Enter key", "secret\r", "secret", nil},
		{"an empty line", "\n", "", nil},
		{"blanks stay", " a b \n", " a b ", nil},
		{"a letter taken back", "secx\x7fret\n", "secret", nil},
		{"all taken back", "wrong\x15secret\n", "secret", nil},
		{"no UTF-8", "\xff\n", "\xff", nil},
		{"the end of the input", "\x04", "", io.EOF},
		{"text and the end of the input", "secret\x04\x04", "secret", nil},
		{"the end of the input among the text", "sec\x04ret\n", "secret", nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			keys, terminal, err := pty.Open()
			if err != nil {
				t.Skip(err)
			}
			defer keys.Close()
			defer terminal.Close()
			if !echoes(t, terminal) {
				t.Fatal("the terminal does not show what is typed to begin with")
			}
			type result struct {
				line string
				err  error
			}
			done := make(chan result, 1)
			go func() {
				line, err := Hidden(terminal)
				done <- result{line, err}
			}()
			// What is typed before that would be shown.
			for begin := time.Now(); echoes(t, terminal); time.Sleep(time.Millisecond) {
				if time.Since(begin) > 10*time.Second {
					t.Fatal("the terminal goes on to show what is typed")
				}
			}
			if _, err := io.WriteString(keys, c.keys); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-done:
				if got.line != c.want || !errors.Is(got.err, c.err) {
					t.Errorf("got %q, %v; want %q, %v", got.line, got.err, c.want, c.err)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("it waits on")
			}
			if !echoes(t, terminal) {
				t.Error("the terminal no longer shows what is typed")
			}
		})
	}
}

// echoes tells whether a terminal shows what is typed.
func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), getState)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

func TestHiddenNeedsATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := Hidden(r); err == nil {
		t.Error("a pipe is taken for a terminal")
	}
}
