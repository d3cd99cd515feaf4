package workload

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
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
	args    *objspec.Generator // likewise, of UDF calls

	// The next transaction, prepared before its time has come.
	key       *as.Key
	readNames []string // none asks for all bins
	bins      []*as.Bin
	udfArgs   []as.Value
	batches   [numActions]*batch // nil for actions with single-record commands

	slots  slots
	timer  Timer  // nil without a rate
	number uint64 // of the next transaction within the stage

	epoch  time.Time     // the stage's start; all times below count from it
	end    time.Duration // when the last transaction ended
	warmup time.Duration // what was due before it is not recorded
	limit  time.Duration // no transaction starts after it

	_ [64]byte // keeps the neighbour in memory off the last line
}

func newWorker(ctx context.Context, j *Job, i int, t *tally) *worker {
	s := &j.spec
	w := &worker{
		job:   j,
		tally: t,
		// One stream per stage and worker; a number of workers fits 16 bits.
		rng:    *rand.NewPCG(s.Seed, s.Stream<<16|uint64(i)),
		part:   s.Keys.Part(i, s.Workers, j.walkBatch()),
		number: uint64(i),
		warmup: s.Warmup,
		limit:  math.MaxInt64,
	}
	// Keys of integers are always valid.
	w.key, _ = as.NewKey(s.Namespace, s.Set, 0)
	w.uniform = keygen.NewUniform(s.Keys, &w.rng)
	if s.Workload.Endless() {
		w.limit = s.Warmup + s.Duration
	}
	if s.Schedule.Throttled() {
		w.slots = s.Schedule.slots(i, s.Workers, &w.rng)
		w.timer = s.Schedule.timers(s.NewTimer)(ctx)
	}
	if s.Random && s.Workload.Kind != Delete {
		w.values = s.Object.NewGenerator(s.Seed)
	}
	w.udfArgs = j.fixedArgs
	if s.Random && s.UDF.Args != nil {
		w.args = s.UDF.Args.NewGenerator(s.Seed)
	}
	for act, size := range j.batchSize {
		if size > 1 {
			w.batches[act] = newBatch(j, action(act), size)
		}
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

	throttled := w.timer != nil
	if throttled {
		defer w.timer.Close()
	}
	for !stop.Load() && w.end < w.limit {
		act := w.choose()
		if !w.prepare(act) {
			return
		}
		var intended time.Duration
		var waited bool
		if throttled {
			var ok bool
			if intended, waited, ok = w.await(); !ok {
				return
			}
		}

		start := time.Since(w.epoch)
		found, err := w.transact(act)
		w.end = time.Since(w.epoch)

		response := time.Duration(-1)
		if throttled {
			response = w.end - intended
		} else {
			intended = start
		}
		if intended < w.warmup {
			continue
		}
		if waited {
			w.tally.lateness.Record(start - intended)
		}
		if b := w.batches[act]; b != nil {
			w.recordBatch(act.op(), b, err, w.end-start, response)
		} else {
			w.record(act.op(), found, err, w.end-start, response)
		}
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

// choose decides what the next transaction does.
func (w *worker) choose() action {
	j := w.job
	switch j.spec.Workload.Kind {
	case Insert:
		return writeBins
	case Delete:
		if len(j.spec.WriteBins) > 0 {
			return writeBins
		}
		return deleteRecord
	}
	switch draw := w.rng.Uint64() >> 11; {
	case draw < j.readLimit:
		return readRecord
	case draw < j.writeLimit:
		return writeBins
	}
	switch j.spec.Workload.Kind {
	case ReadUpdateDelete:
		return deleteRecord
	case ReadUpdateUDF:
		return callUDF
	}
	return writeBins // rounding may leave a sliver above writeLimit
}

// prepare makes all that the next transaction sends: keys, values, arguments. It
// returns false when the worker's part of the range, or of the number of
// transactions, is done.
func (w *worker) prepare(act action) bool {
	j := w.job
	if n := j.spec.Transactions; n > 0 {
		if w.number >= n {
			return false
		}
		w.number += uint64(j.spec.Workers)
	}
	if b := w.batches[act]; b != nil {
		return b.prepare(w)
	}
	key, ok := w.nextKey()
	if !ok {
		return false
	}
	_ = w.key.SetValue(as.IntegerValue(key))
	switch act {
	case readRecord:
		w.readNames = nil
		if !w.chance(j.readAll) {
			w.readNames = j.readNames
		}
	case writeBins:
		w.bins = w.nextBins(key)
	case callUDF:
		if w.args != nil {
			w.udfArgs = w.args.Args(key)
		}
	}
	return true
}

// nextKey returns the next key of the range, or false when the walk is over.
func (w *worker) nextKey() (uint64, bool) {
	if w.job.spec.Workload.Endless() {
		return w.uniform.Next(), true
	}
	return w.part.Next()
}

// nextBins returns what a write to the key sends.
func (w *worker) nextBins(key uint64) []*as.Bin {
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

// transact makes the client call. found is false when a delete found no record.
func (w *worker) transact(act action) (found bool, err as.Error) {
	// The client panics on some answers that make no sense. Such an answer is
	// an error of its transaction, and must not take the results along.
	defer func() {
		if p := recover(); p != nil {
			err = clientPanic(p)
		}
	}()
	j := w.job
	if b := w.batches[act]; b != nil {
		return true, j.client.BatchOperate(b.policy, b.records[:b.n])
	}
	switch act {
	case readRecord:
		_, err = j.client.Get(j.spec.ReadPolicy, w.key, w.readNames...)
	case writeBins:
		err = j.client.PutBins(j.writePolicy, w.key, w.bins...)
	case deleteRecord:
		return j.client.Delete(j.writePolicy, w.key)
	default:
		_, err = j.client.Execute(j.writePolicy, w.key, j.spec.UDF.Module, j.spec.UDF.Name, w.udfArgs...)
	}
	return true, err
}

// record counts how a single-record transaction ended, and its latency.
func (w *worker) record(op Op, found bool, err as.Error, service, response time.Duration) {
	how, code := done, types.OK
	if err != nil {
		how, code = classify(err)
	}
	c := &w.tally.counts[op]
	switch {
	case how == done && found && code == types.OK:
		c.hit.Add(1)
	case how == done:
		c.miss.Add(1)
	default:
		w.tally.stats.fail(failureKey{op: op, code: code}, err)
	}
	w.tally.settle(op, how, service, response)
}
