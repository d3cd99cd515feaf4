package workload

import (
	"context"
	"sync"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/internal/steady"
)

// ErrorLimits say how many failures a stage bears before it is ended. The zero value
// bears all.
type ErrorLimits struct {
	// Limited ends the stage as soon as more than Max of its transactions have
	// failed.
	Limited bool
	Max     uint64
	// Counted tells that Max was given, and not only that no failure is borne.
	Counted bool
	// Patience ends a stage in which every transaction has failed for that long;
	// 0 waits for ever.
	Patience time.Duration
	// Refused is the Patience with a cluster that is there and refuses every
	// transaction for reasons that do not pass by themselves. It takes
	// [minRefused] of them. 0 is the same as Patience.
	Refused time.Duration
	// Always holds for the whole stage. Otherwise one that had any success is
	// never ended by Patience: what worked once may work again.
	Always bool
}

// minRefused is how many refusals count as every transaction being refused: one
// of each of 16 workers might be about one bad record.
const minRefused = 20

// lookEvery is how often a monitor looks whether anything succeeds, while
// transactions fail.
const lookEvery = 100 * time.Millisecond

// Monitor follows the failures of one stage, warm-up included: it notices when the
// cluster is gone and when it is back, ends a stage that goes beyond its limits, and
// writes the errors to a log if there is one. A stage without failures costs it
// nothing.
type Monitor struct {
	limits ErrorLimits
	log    *ErrorLog // nil for none
	stage  int

	trouble chan struct{} // wakes it up

	mu      sync.Mutex
	start   time.Time // of the stage; zero before it
	workers []*worker // of the present round
	stop    func(error)
	ended   bool // stop was called
	failed  uint64
	refused uint64 // of them
	kinds   map[failureKey]*Failure
	last    time.Duration // when a transaction of an earlier round succeeded last, from start; below 0 for never
	barren  outages       // when every transaction failed, for whatever reason
	outages outages       // when the cluster was gone
}

// NewMonitor returns the monitor of a stage, by whose number the log calls it.
func NewMonitor(stage int, limits ErrorLimits) *Monitor {
	return &Monitor{limits: limits, stage: stage, trouble: make(chan struct{}, 1), kinds: map[failureKey]*Failure{}, last: -1}
}

// LogTo writes failures to a log. It must be called before the stage starts.
func (m *Monitor) LogTo(log *ErrorLog) { m.log = log }

// Watch follows the stage from now on until ctx is done, and returns when it has
// stopped to. It calls stop, once, with a *[TooManyErrors] when the stage is beyond
// its limits.
func (m *Monitor) Watch(ctx context.Context, stop func(error)) {
	m.mu.Lock()
	m.stop = stop
	if m.start.IsZero() {
		m.start = steady.Now()
	}
	m.mu.Unlock()
	timer := time.NewTimer(0)
	<-timer.C
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.trouble:
		}
		for more := true; more; {
			timer.Reset(lookEvery)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			more = m.look()
		}
	}
}

// Outages returns the times at which the cluster was gone, in their order. One that
// is not over lasts until the given end.
func (m *Monitor) Outages(end time.Time) []Outage {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.outages.look(m.lastSuccess())
	list := make([]Outage, 0, len(m.outages.list)+1)
	for _, o := range m.outages.list {
		list = append(list, Outage{From: m.start.Add(o.from), Until: m.start.Add(o.until), Over: true})
	}
	if from, ok := m.outages.open(); ok {
		if end.Sub(m.start)-from >= minOutage {
			list = append(list, Outage{From: m.start.Add(from), Until: end})
		}
	}
	return list
}

// begin takes note of the workers of a round that starts at epoch.
func (m *Monitor) begin(workers []*worker, epoch time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.start.IsZero() {
		m.start = epoch
	}
	m.last = m.lastSuccess()
	m.workers = workers
	for _, w := range workers {
		w.offset = epoch.Sub(m.start)
		w.success.Store(-1)
	}
}

// lastSuccess returns when a transaction succeeded last; below 0 for never. The lock
// must be held.
func (m *Monitor) lastSuccess() time.Duration {
	last := m.last
	for _, w := range m.workers {
		last = max(last, time.Duration(w.success.Load()))
	}
	return last
}

// fail takes note of a transaction that failed, and of when it began and ended.
func (m *Monitor) fail(w *worker, st *step, how outcome, code types.ResultCode, err error, begun, ended time.Duration) {
	key := failureKey{op: st.act.Op(), code: code}
	m.log.add(m.stage, key, func() string { return w.detail(st, err) })

	m.mu.Lock()
	defer m.mu.Unlock()
	m.failed++
	f := m.kinds[key]
	if f == nil {
		f = &Failure{Op: key.op, Code: key.code, Example: bare(describe(key.code, err), err)}
		m.kinds[key] = f
	}
	f.Count++
	// Whoever fails first asks the others, so that one slow record is not taken
	// for an outage that has begun with it.
	if _, open := m.barren.open(); !open {
		begun = max(begun, m.lastSuccess())
	}
	m.barren.fail(begun, ended)
	switch {
	case gone(how, code):
		m.outages.fail(begun, ended)
	case !passes(code):
		m.refused++
	}
	if m.limits.Limited && m.failed > m.limits.Max {
		m.end(&TooManyErrors{Kinds: m.byCount(), Failed: m.failed, Limited: true, Limit: m.limits.Max, Counted: m.limits.Counted})
	}
	select {
	case m.trouble <- struct{}{}:
	default: // it will look anyway
	}
}

// recover takes note of the first transaction of a worker that succeeds after one
// that failed.
func (m *Monitor) recover(at time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.barren.recover(at)
	m.outages.recover(at)
}

// look looks at what has become of the trouble, and returns false when it is over.
func (m *Monitor) look() (more bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.lastSuccess()
	m.barren.look(last)
	m.outages.look(last)
	from, more := m.barren.open()
	if !more {
		return false
	}
	if dry := time.Since(m.start) - from; m.limits.exceeded(dry, last >= 0, m.failed, m.refused) {
		m.end(&TooManyErrors{Kinds: m.byCount(), Failed: m.failed, For: dry, Succeeded: last >= 0})
	}
	return true
}

// exceeded tells whether a stage is to be ended in which every transaction has failed
// for a time, given whether any had succeeded before that, how many failed in all,
// and how many of these were refused for good.
func (l ErrorLimits) exceeded(dry time.Duration, succeeded bool, failed, refused uint64) bool {
	switch {
	case l.Patience == 0 || succeeded && !l.Always:
		return false
	case !succeeded && l.Refused > 0 && failed == refused && refused >= minRefused && dry >= l.Refused:
		return true
	}
	return dry >= l.Patience
}

// end ends the stage. The lock must be held.
func (m *Monitor) end(why *TooManyErrors) {
	if !m.ended && m.stop != nil {
		m.ended = true
		m.stop(why)
	}
}

func (m *Monitor) byCount() []Failure {
	rows := make([]Failure, 0, len(m.kinds))
	for _, f := range m.kinds {
		rows = append(rows, *f)
	}
	sortFailures(rows)
	return rows
}

// gone tells whether a failure means that the cluster, or the part of it that has
// the record, could not be reached.
func gone(how outcome, code types.ResultCode) bool {
	switch code {
	case types.NETWORK_ERROR, types.NO_RESPONSE, types.MAX_RETRIES_EXCEEDED, types.MAX_ERROR_RATE,
		types.INVALID_CLUSTER_PARTITION_MAP, types.SERVER_NOT_AVAILABLE, types.NO_AVAILABLE_CONNECTIONS_TO_NODE,
		types.COMMAND_REJECTED, types.INVALID_NODE_ERROR, types.PARTITION_UNAVAILABLE, types.BATCH_FAILED,
		types.QUERY_NETIO_ERR, types.CLUSTER_KEY_MISMATCH:
		return true
	}
	return how == timeout
}

// passes tells whether a node that answers with the code may do better later without
// anybody mending anything: it has too much to do, or it is starting.
func passes(code types.ResultCode) bool {
	switch code {
	case types.SERVER_MEM_ERROR, types.KEY_BUSY, types.DEVICE_OVERLOAD, types.LOST_CONFLICT, types.XDR_KEY_BUSY,
		types.QUOTA_EXCEEDED, types.BATCH_QUEUES_FULL, types.SCAN_ABORT, types.QUERY_ABORTED, types.QUERY_QUEUEFULL,
		types.QUERY_TIMEOUT, types.INDEX_NOTREADABLE, types.NOT_AUTHENTICATED, types.EXPIRED_SESSION:
		return true
	}
	return false
}
