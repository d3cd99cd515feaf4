package progress

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"
)

// The control codes that are used, which every terminal of the last decades knows.
const (
	home  = "\r"     // to the first column
	erase = "\x1b[J" // to the end of the screen
)

// Terminal writes to standard error and keeps a status line below what is printed
// there. The cursor rests on the line's first column: wherever a terminal that is
// made narrower wraps the line, all of it is behind the cursor, and goes when that
// is erased. Methods may be called concurrently.
type Terminal struct {
	out     io.Writer
	columns func() int  // of the terminal
	front   func() bool // whether the process is in the terminal's foreground
	able    bool        // to show a line that is redrawn
	shared  bool        // standard output goes there too

	retired atomic.Bool // no line is shown any more

	mu      sync.Mutex
	text    string // the line; "" for none
	drawn   bool   // it is on the screen
	partial bool   // what was printed last is no whole line

	// The lines that go before what is written next. Their own mutex is never held
	// while something is written, which may take long.
	queueMu sync.Mutex
	queue   []string
}

// NewTerminal returns the terminal of a file. If it is none, or one that cannot move
// its cursor (TERM=dumb, or no TERM at all), what is written passes through, and
// there is no line.
func NewTerminal(f *os.File) *Terminal {
	fd := int(f.Fd())
	kind := os.Getenv("TERM")
	able := term.IsTerminal(fd) && kind != "dumb" && (kind != "" || runtime.GOOS == "windows") && enable(fd)
	return &Terminal{
		out:   f,
		able:  able,
		front: func() bool { return foreground(fd) },
		columns: func() int {
			columns, _, err := term.GetSize(fd)
			if err != nil || columns <= 0 {
				return defaultColumns // such as that of a serial line
			}
			return columns
		},
	}
}

const defaultColumns = 80

// Beside returns a writer to standard output that does not garble the line, if that
// is a terminal too: what is written then stands above the line.
func (t *Terminal) Beside(f *os.File) io.Writer {
	if !t.able || !term.IsTerminal(int(f.Fd())) {
		return f
	}
	t.shared = true
	return besides{t, f}
}

// besides writes to another stream on the same terminal.
type besides struct {
	terminal *Terminal
	out      io.Writer
}

func (b besides) Write(p []byte) (int, error) { return b.terminal.write(b.out, p) }

// Write writes to standard error, above the line if there is one.
func (t *Terminal) Write(p []byte) (int, error) { return t.write(t.out, p) }

func (t *Terminal) write(out io.Writer, p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hide()
	t.flush()
	n, err := out.Write(p)
	if len(p) > 0 {
		t.partial = !bytes.HasSuffix(p, []byte("\n"))
	}
	t.show()
	return n, err
}

// hide takes the line off the screen. In the background there is none: what the
// shell has printed since stands there.
func (t *Terminal) hide() {
	if t.drawn && t.front() {
		_, _ = io.WriteString(t.out, home+erase)
	}
	t.drawn = false
}

// show puts the line on the screen, or over the one that is there.
func (t *Terminal) show() {
	if t.text == "" || t.partial || t.retired.Load() || !t.front() {
		return
	}
	// The terminal may have become narrower since the text was made.
	_, err := io.WriteString(t.out, home+truncate(t.text, t.columns()-1)+erase+home)
	t.drawn = err == nil
}

// set changes the line; "" removes it.
func (t *Terminal) set(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = text
	if text == "" {
		t.hide()
		return
	}
	t.show()
}

// enqueue prints a line that stays before whatever is written next, and at the next
// drain. It does not wait for the terminal.
func (t *Terminal) enqueue(text string) {
	t.queueMu.Lock()
	defer t.queueMu.Unlock()
	t.queue = append(t.queue, text)
}

// drain prints the lines of enqueue.
func (t *Terminal) drain() {
	t.queueMu.Lock()
	none := len(t.queue) == 0
	t.queueMu.Unlock()
	if none {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hide()
	t.flush()
	t.show()
}

// flush prints the lines of enqueue while there is no line on the screen. Where they
// cannot be shown, they are lost.
func (t *Terminal) flush() {
	t.queueMu.Lock()
	queue := t.queue
	t.queue = nil
	t.queueMu.Unlock()
	for _, text := range queue {
		if t.front() {
			_, _ = io.WriteString(t.out, text+"\n")
		}
	}
}

// Abandon removes the line when the process is about to end at once. It does not wait
// for a terminal that is stopped.
func (t *Terminal) Abandon() {
	t.retired.Store(true)
	done := make(chan struct{})
	go func() {
		t.set("")
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(patience):
	}
}

// patience is how long the end waits for a terminal that does not take what is
// written, such as one stopped by Ctrl-S.
const patience = 200 * time.Millisecond
