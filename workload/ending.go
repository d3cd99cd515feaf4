package workload

import (
	"context"
	"sync"
	"time"
)

// drainGrace is how long an interrupted job waits for transactions in flight.
// Together with the writing of results it stays under the two seconds within
// which a signal ends a run.
const drainGrace = time.Second

// An ending decides which of the transactions that are in flight when a job is
// interrupted are still counted: what the job's end has not seen must not count after
// it, or the parts of a result would not add up.
type ending struct {
	ended chan *worker // each worker, when it is at rest

	mu   sync.Mutex
	over bool // nothing counts any more
}

func newEnding(workers int) *ending { return &ending{ended: make(chan *worker, workers)} }

// admit tells whether a worker's last transaction counts, and has it counted.
func (e *ending) admit(w *worker, count func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return false
	}
	count()
	w.settled = true
	return true
}

// rest says that a worker is at rest.
func (e *ending) rest(w *worker) {
	e.mu.Lock()
	w.settled = true
	e.mu.Unlock()
	e.ended <- w
}

// wait waits until all workers are at rest; once ctx is done, only for drainGrace.
// It returns how many still have a transaction in flight then, none of which will
// count.
func (e *ending) wait(ctx context.Context, workers []*worker) (abandoned int) {
	left := len(workers)
	interrupted := ctx.Done()
	var patience <-chan time.Time
	for waiting := true; waiting && left > 0; {
		select {
		case <-e.ended:
			left--
		case <-interrupted:
			interrupted, patience = nil, time.After(drainGrace)
		case <-patience:
			waiting = false
		}
	}
	e.mu.Lock()
	e.over = true
	for _, w := range workers {
		if !w.settled {
			abandoned++
		}
	}
	e.mu.Unlock()
	// Those whose last transaction has been counted come to rest at once.
	for ; left > abandoned; left-- {
		<-e.ended
	}
	return abandoned
}
