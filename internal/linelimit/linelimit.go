// Package linelimit keeps a log that may be flooded readable.
package linelimit

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Writer passes on so many lines a second and drops the rest, which it counts. It
// may be written to concurrently; each write should hold whole lines.
type Writer struct {
	out io.Writer
	max int

	mu      sync.Mutex
	second  time.Time // when the present second began
	passed  int       // lines of it
	dropped int       // since the last line that passed
}

// New returns a writer to out of at most max lines a second.
func New(out io.Writer, max int) *Writer { return &Writer{out: out, max: max} }

// Write writes p, or drops it. It tells of lines that were dropped before the next
// one that passes. The error is that of the underlying writer; what is dropped is no
// error.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := max(1, bytes.Count(p, []byte("\n")))
	if now := time.Now(); now.Sub(w.second) >= time.Second {
		w.second, w.passed = now, 0
	}
	if w.passed >= w.max {
		w.dropped += lines
		return len(p), nil
	}
	w.passed += lines
	if w.dropped > 0 {
		text := fmt.Sprintf("(%d lines left out)\n", w.dropped)
		w.dropped = 0
		if _, err := io.WriteString(w.out, text); err != nil {
			return 0, err
		}
	}
	return w.out.Write(p)
}
