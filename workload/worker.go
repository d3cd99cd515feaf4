package workload

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// action is what a transaction sends.
type action uint8

const (
	readRecord action = iota
	writeBins
	deleteRecord
)

// worker runs transactions one after the other. Everything it writes per
// transaction is its own, on cache lines of its own.
type worker struct {
	job   *Job
	tally *tally

	rng     rand.PCG
	uniform *keygen.Uniform
	part    keygen.Part
	values  *objspec.Generator // nil when all records get the same value
	key     *as.Key

	slots slots
	timer Timer // nil without a rate

	epoch time.Time     // the stage's start; all times below count from it
	end   time.Duration // when the last transaction ended
	limit time.Duration // no transaction starts after it

	_ [64]byte // keeps the neighbour in memory off the last line
}

func newWorker(ctx context.Context, j *Job, i int, t *tally) *worker {
	s := &j.spec
	w := &worker{
		job:   j,
		tally: t,
		// One stream per stage and worker; a thread count fits 16 bits.
		rng:   *rand.NewPCG(s.Seed, s.Stream<<16|uint64(i)),
		part:  s.Keys.Part(i, s.Threads),
		slots: s.Schedule.slots(i, s.Threads),
		limit: math.MaxInt64,
	}
	w.uniform = keygen.NewUniform(s.Keys, &w.rng)
	if s.Workload.Endless() {
		w.limit = s.Duration
	}
	if s.Schedule.Throttled() {
		w.timer = s.Schedule.timers(s.NewTimer)(ctx)
	}
	if s.Random && s.Workload.Kind != Delete {
		w.values = s.Object.NewGenerator(s.Seed)
	}
	return w
}

// run is the hot loop. Per transaction it takes no lock, allocates nothing
// beyond what the client does, and reads the clock twice, or three times when it
// had to wait for its turn.
func (w *worker) run(ctx context.Context) {
	// An atomic flag costs less per transaction than asking a context.
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()

	// Any error here is one of key construction, which integer keys do not have.
	w.key, _ = as.NewKey(w.job.spec.Namespace, w.job.spec.Set, 0)
	throttled := w.timer != nil
	if throttled {
		defer w.timer.Close()
	}
	for !stop.Load() && w.end < w.limit {
		act, key, ok := w.next()
		if !ok {
			return
		}
		_ = w.key.SetValue(as.IntegerValue(key))
		var intended time.Duration
		var waited bool
		if throttled {
			if intended, waited, ok = w.await(); !ok {
				return
			}
		}

		start, err, op, found := w.transact(act, key)
		w.end = time.Since(w.epoch)

		if !throttled {
			intended = start
		} else if waited {
			w.tally.lateness.Record(start - intended)
		}
		w.record(op, found, err, w.end-start, w.end-intended)
	}
}

// await waits until the worker's next transaction is due, or the stage's time is
// over. It returns the intended start and whether there was anything to wait
// for, and false when no further transaction may start.
func (w *worker) await() (intended time.Duration, waited, ok bool) {
	intended = w.slots.take()
	wait := min(intended, w.limit) - w.end
	if wait > 0 && !w.timer.Wait(wait) {
		return intended, true, false
	}
	return intended, wait > 0, intended < w.limit
}

// next decides what the next transaction does, and to which key. It returns
// false when the worker's part of the range is done.
func (w *worker) next() (action, uint64, bool) {
	switch w.job.spec.Workload.Kind {
	case Insert:
		key, ok := w.part.Next()
		return writeBins, key, ok
	case Delete:
		key, ok := w.part.Next()
		if len(w.job.spec.WriteBins) > 0 {
			return writeBins, key, ok
		}
		return deleteRecord, key, ok
	}
	key := w.uniform.Next()
	switch draw := w.rng.Uint64() >> 11; {
	case draw < w.job.readLimit:
		return readRecord, key, true
	case draw < w.job.writeLimit || w.job.spec.Workload.Kind != ReadUpdateDelete:
		return writeBins, key, true
	}
	return deleteRecord, key, true
}

// transact makes the client call. The value is made before the clock starts.
func (w *worker) transact(act action, key uint64) (start time.Duration, err as.Error, op Op, found bool) {
	j := w.job
	switch act {
	case readRecord:
		var names []string // none asks for all bins
		if !w.chance(j.readAll) {
			names = j.readNames
		}
		start = time.Since(w.epoch)
		_, err = j.client.Get(j.spec.ReadPolicy, w.key, names...)
		return start, err, Read, true
	case writeBins:
		bins := w.bins(key)
		start = time.Since(w.epoch)
		err = j.client.PutBins(j.writePolicy, w.key, bins...)
		return start, err, Write, true
	default:
		start = time.Since(w.epoch)
		found, err = j.client.Delete(j.writePolicy, w.key)
		return start, err, Write, found
	}
}

// bins returns what a write to the key sends.
func (w *worker) bins(key uint64) []*as.Bin {
	j := w.job
	if j.spec.Workload.Kind == Delete {
		return j.fixedAll
	}
	all := w.chance(j.writeAll)
	switch {
	case w.values == nil && all:
		return j.fixedAll
	case w.values == nil:
		return j.fixedSome
	case all:
		return w.values.Record(key, nil)
	}
	return w.values.Record(key, j.writeSel)
}

// chance draws whether something of the given probability happens, without
// drawing when that is certain.
func (w *worker) chance(limit uint64) bool {
	switch limit {
	case 0:
		return false
	case 1 << 53:
		return true
	}
	return w.rng.Uint64()>>11 < limit
}

// record counts how the transaction ended, and its latency.
func (w *worker) record(op Op, found bool, err as.Error, service, response time.Duration) {
	c := &w.tally.counts[op]
	if err == nil {
		w.tally.latency(op, service, response)
		if found {
			c.hit.Add(1)
		} else {
			c.miss.Add(1)
		}
		return
	}
	switch how, code := classify(err); how {
	case miss:
		w.tally.latency(op, service, response)
		c.miss.Add(1)
	case timeout:
		w.tally.latency(op, service, response)
		c.timeout.Add(1)
		w.tally.stats.fail(op, code, err)
	default:
		c.failed.Add(1)
		w.tally.stats.fail(op, code, err)
	}
}
