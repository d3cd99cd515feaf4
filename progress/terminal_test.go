package progress

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTheLineStaysBelowWhatIsPrinted(t *testing.T) {
	s := newScreen(40)
	term := s.open()
	out := besides{term, s} // standard output, on the same terminal
	check := func(want string) {
		t.Helper()
		if got := s.rows(); got != want {
			t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
		}
	}
	fmt.Fprintln(out, "header")
	check("header")
	term.set("line one, which is long")
	check("header\nline one, which is long")
	fmt.Fprintln(out, "a rate")
	check("header\na rate\nline one, which is long")
	term.set("short")
	check("header\na rate\nshort")
	fmt.Fprint(out, "half ")
	check("header\na rate\nhalf") // the line would stand behind it
	term.set("shorter")
	check("header\na rate\nhalf")
	fmt.Fprint(term, "a line\n")
	check("header\na rate\nhalf a line\nshorter")
	term.enqueue("stays")
	check("header\na rate\nhalf a line\nshorter")
	fmt.Fprint(term, "later\n")
	check("header\na rate\nhalf a line\nstays\nlater\nshorter")
	term.set("")
	check("header\na rate\nhalf a line\nstays\nlater")
	fmt.Fprintln(term, "summary")
	check("header\na rate\nhalf a line\nstays\nlater\nsummary")
}

// Text of several rows scrolls the screen, and nothing of the line is left behind.
func TestTheLineAtTheBottomOfTheScreen(t *testing.T) {
	s := newScreen(20)
	term := s.open()
	term.set("[==>  ] 50%")
	for i := range 50 {
		fmt.Fprintf(term, "%d %s\n", i, strings.Repeat("x", 30)) // two rows
		if got := strings.Count(s.rows(), "50%"); got != 1 {
			t.Fatalf("the line is on the screen %d times:\n%s", got, s.rows())
		}
	}
	if !strings.HasSuffix(s.rows(), "xxx\n[==>  ] 50%") {
		t.Errorf("the screen shows\n%s", s.rows())
	}
}

// In the background the terminal is the shell's, whose prompt must not be erased.
func TestTheBackgroundIsQuiet(t *testing.T) {
	s := newScreen(40)
	term := s.open()
	term.set("line")
	s.setAway(true)
	_, _ = s.Write([]byte("\r\x1b[J$ bg\n$ edit")) // the user's own typing
	term.set("other line")
	term.enqueue("about a stage")
	term.drain()
	term.set("")
	if got, want := s.rows(), "$ bg\n$ edit"; got != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
	}
	s.setAway(false)
	_, _ = s.Write([]byte("\n"))
	term.set("again")
	if got, want := s.rows(), "$ bg\n$ edit\nagain"; got != want {
		t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
	}
}

func TestWritersDoNotMix(t *testing.T) {
	s := newScreen(60)
	term := s.open()
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			for i := range 100 {
				switch w {
				case 0:
					fmt.Fprintf(term, "standard error %d\n", i)
				case 1:
					fmt.Fprintf(besides{term, s}, "standard output %d\n", i)
				default:
					term.set(fmt.Sprintf("line %d", i))
				}
			}
		})
	}
	wg.Wait()
	term.set("")
	for row := range strings.SplitSeq(s.rows(), "\n") {
		var n int
		if _, err := fmt.Sscanf(row, "standard error %d", &n); err != nil {
			if _, err := fmt.Sscanf(row, "standard output %d", &n); err != nil {
				t.Errorf("a row is %q", row)
			}
		}
		if strings.Contains(row, "line") {
			t.Errorf("the line is left in %q", row)
		}
	}
}

// What is written passes through unchanged where there is no terminal, and so does
// its error.
func TestNoTerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	term := NewTerminal(w)
	if out := term.Beside(w); out != w {
		t.Errorf("standard output is wrapped: %T", out)
	}
	if p := New(term, nil, Auto); p != nil {
		t.Error("a pipe has progress")
	}
	fmt.Fprint(term, "text\n")
	term.Abandon()
	w.Close()
	if _, err := term.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("writing to a closed file: %v", err)
	}
	if got, _ := io.ReadAll(r); string(got) != "text\n" {
		t.Errorf("the pipe got %q", got)
	}
}

// A terminal that Ctrl-S has stopped holds up neither the end of the run nor the
// second Ctrl-C.
func TestAStoppedTerminal(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close() // which also ends the writers
	term := &Terminal{out: w, able: true, columns: func() int { return 80 }, front: func() bool { return true }}
	plan := planOf(t, "- {workload: RU}")
	p := New(term, plan, Auto)
	if err := p.Pause(plan.Stages[0], 1); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		term.Abandon()
		p.Close()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("waits for the terminal")
	}
}
