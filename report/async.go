package report

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// Async writes to another writer from a goroutine of its own, so that an output
// that nobody reads, such as that of a stopped terminal, holds up neither the
// run nor its end. What waits to be written is kept in memory; a run prints some
// hundred bytes a second.
type Async struct {
	mu     sync.Mutex
	queue  []queued
	err    error
	closed bool
	wake   chan struct{}
}

// queued is text to write, or a flush to report.
type queued struct {
	text    []byte
	flushed chan error
}

// NewAsync starts writing to w.
func NewAsync(w io.Writer) *Async {
	a := &Async{wake: make(chan struct{}, 1)}
	go a.run(w)
	return a
}

// Write queues p. It returns the error, if any, of an earlier write.
func (a *Async) Write(p []byte) (int, error) {
	if err := a.enqueue(queued{text: append([]byte(nil), p...)}); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (a *Async) enqueue(q queued) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.err != nil:
		return a.err
	case a.closed:
		return os.ErrClosed
	}
	a.queue = append(a.queue, q)
	select {
	case a.wake <- struct{}{}:
	default: // it will look anyway
	}
	return nil
}

// Close makes later writes fail. What was written before is still passed on, unless
// the program ends first: [Async.Flush] waits for that. It returns nil.
func (a *Async) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.closed = true
		close(a.wake)
	}
	return nil
}

// run writes until Close, and then what is left.
func (a *Async) run(w io.Writer) {
	for range a.wake {
		a.mu.Lock()
		queue := a.queue
		a.queue = nil
		a.mu.Unlock()
		for _, q := range queue {
			if q.flushed != nil {
				q.flushed <- a.err
				continue
			}
			if a.err != nil {
				continue
			}
			if _, err := w.Write(q.text); err != nil {
				a.mu.Lock()
				a.err = err // written by this goroutine alone
				a.mu.Unlock()
			}
		}
	}
}

// errBlocked is what Flush says when the other end does not read.
var errBlocked = errors.New("standard output is not being read: its last lines are lost")

// Flush waits until everything is written, for the given time at most, and
// returns the first error there was.
func (a *Async) Flush(patience time.Duration) error {
	flushed := make(chan error, 1)
	if err := a.enqueue(queued{flushed: flushed}); err != nil {
		return err
	}
	select {
	case err := <-flushed:
		return err
	case <-time.After(patience):
		return errBlocked
	}
}
