package workload

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// worker runs transactions one after the other. Everything it writes per
// transaction is its own, on cache lines of its own.
type worker struct {
	job   *Job
	tally *tally

	rng       rand.PCG
	draws     keygen.Generator
	latest    *keygen.Latest // draws, if it is that
	part      keygen.Part
	source    keygen.Source
	values    *objspec.Generator // nil when all records get the same value
	args      *objspec.Generator // likewise, of UDF calls
	collector *collector         // of collection workloads, else nil
	verifier  *verifier          // of stages that verify, else nil
	searcher  *searcher          // of workloads with queries or scans, else nil

	// The next transaction, prepared before its time has come.
	course    course
	key       *as.Key
	record    uint64   // what the values of the key's record depend on
	keyErr    as.Error // why there is no key
	readNames []string // none asks for all bins
	bins      []*as.Bin
	udfArgs   []as.Value
	ops       []*as.Operation // on collections
	got       *as.Record      // what the last single-record read returned
	batches   []*batch        // by the number of the step; nil for single-record commands
	fresh     uint64          // which of the records behind the range is the next to insert

	// stop is set when the job is interrupted: an atomic flag costs less per
	// transaction than asking a context.
	stop    atomic.Bool
	ending  *ending
	settled bool // nothing more is to come of it; guarded by ending

	slots  slots
	timer  Timer  // nil without a rate
	number uint64 // of the next transaction within the stage

	epoch  time.Time     // the stage's start; all times below count from it
	end    time.Duration // when the last transaction ended
	warmup time.Duration // what was due before it is not recorded
	// recording tells whether the present transaction is recorded.
	recording bool
	limit     time.Duration // no transaction starts after it

	monitor *Monitor      // nil for none
	offset  time.Duration // of epoch from the monitor's start
	success atomic.Int64  // when a transaction succeeded last, from the monitor's start
	failing bool          // the last transaction failed

	_ [64]byte // keeps the neighbour in memory off the last line
}

func newWorker(ctx context.Context, j *Job, i int, t *tally) *worker {
	s := &j.spec
	w := &worker{
		job:   j,
		tally: t,
		// One stream per round, stage and worker; a number of workers fits 16
		// bits, and one of stages 32.
		rng:     *rand.NewPCG(s.Seed, j.round<<48|s.Stream<<16|uint64(i)),
		part:    j.keys.Part(i, s.Workers, j.walkBatch()),
		fresh:   j.inserts + uint64(i),
		number:  uint64(i),
		warmup:  s.Warmup,
		limit:   math.MaxInt64,
		monitor: s.Monitor,
	}
	// Keys of integers are always valid.
	w.key, _ = as.NewKey(s.Namespace, s.Set, 0)
	w.source = j.newSource()
	w.draws = s.Distribution.New(j.keys, &w.rng, i, s.Workers)
	w.latest, _ = w.draws.(*keygen.Latest)
	if s.Workload.Endless() {
		w.limit = s.Warmup + s.Duration
	}
	if s.Schedule.Throttled() {
		w.slots = s.Schedule.slots(i, s.Workers, &w.rng)
		w.timer = s.Schedule.timers(s.NewTimer)(ctx)
	}
	if s.Random {
		w.values = s.Object.NewGenerator(s.Seed)
	}
	if s.Workload.Does(Action.searches) {
		w.searcher = newSearcher(s)
	}
	if s.Verify {
		w.verifier = newVerifier(s)
	}
	if s.Workload.Collects() {
		w.collector = newCollector(s)
	}
	w.udfArgs = j.fixedArgs
	if s.Random && s.UDF.Args != nil {
		w.args = s.UDF.Args.NewGenerator(s.Seed)
	}
	w.batches = make([]*batch, len(j.steps))
	for n, st := range j.steps {
		if st.records > 1 {
			w.batches[n] = newBatch(j, st)
		}
	}
	return w
}

// run is the hot loop. Per transaction it takes no lock, allocates nothing
// beyond what the client does, and reads the clock twice, or three times when it
// had to wait for its turn.
func (w *worker) run(ctx context.Context) {
	defer context.AfterFunc(ctx, func() { w.stop.Store(true) })()

	throttled := w.timer != nil
	if throttled {
		defer w.timer.Close()
	}
	for !w.stop.Load() && w.end < w.limit {
		op := w.choose()
		w.course = op.begin(w)
		st := w.course.next(w)
		if !w.admit() || !w.prepare(st) {
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
		found, err := w.transact(st)
		w.end = time.Since(w.epoch)
		if w.searcher.cut() {
			return
		}

		response := time.Duration(-1)
		if throttled {
			response = w.end - intended
		} else {
			intended = start
		}
		if w.recording = intended >= w.warmup; !w.recording {
			w.readmit()
		}
		how, hit := w.settle(st, found, err, w.end-start, response)
		if waited && w.recording {
			w.tally.lateness.Record(start - intended)
		}
		if op.compound() {
			w.proceed(how, hit, start, intended)
		}
	}
}

// proceed carries out the rest of a transaction whose first command has ended,
// and counts the whole of it. A command that fails ends it. One that is stopped
// in its midst is not counted.
func (w *worker) proceed(how outcome, hit bool, start, intended time.Duration) {
	throttled := w.timer != nil
	complete, parts := hit, uint64(1)
	for st := w.course.next(w); st != nil && how == done; st = w.course.next(w) {
		if w.stop.Load() || !w.prepare(st) {
			w.countParts(parts)
			return
		}
		due := w.end // when the command before it has ended
		began := time.Since(w.epoch)
		found, err := w.transact(st)
		w.end = time.Since(w.epoch)
		response := time.Duration(-1)
		if throttled {
			response = w.end - due
		}
		how, hit = w.settle(st, found, err, w.end-began, response)
		complete = complete && hit
		parts++
	}
	w.countParts(parts)
	response := time.Duration(-1)
	if throttled {
		response = w.end - intended
	}
	w.countWhole(how, complete, w.end-start, response)
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
func (w *worker) choose() *operation {
	list := w.job.operations
	if len(list) == 1 {
		return &list[0]
	}
	draw := w.rng.Uint64() >> 11
	for i := range list {
		if draw < list[i].limit {
			return &list[i]
		}
	}
	return &list[len(list)-1] // never: its limit is above every draw
}

// between draws a number from low to high, without drawing when they are the
// same.
func (w *worker) between(low, high int) int {
	if low == high {
		return low
	}
	// The bias is below 1e-13 for numbers this small.
	hi, _ := bits.Mul64(w.rng.Uint64(), uint64(high-low+1))
	return low + int(hi)
}

// admit counts the next transaction, and returns false when the worker's part of
// the stage's number of transactions is done.
func (w *worker) admit() bool {
	n := w.job.spec.Transactions
	if n == 0 {
		return true
	}
	if w.number >= n {
		return false
	}
	w.number += uint64(w.job.spec.Workers)
	return true
}

// readmit takes a transaction that is not recorded out of the count.
func (w *worker) readmit() {
	if w.job.spec.Transactions > 0 {
		w.number -= uint64(w.job.spec.Workers)
	}
}

// prepare makes all that the next command sends: keys, values, arguments. It
// returns false when the worker's part of the range is done.
func (w *worker) prepare(st *step) bool {
	w.keyErr = nil
	if b := w.batches[st.number]; b != nil {
		return b.prepare(w)
	}
	j := w.job
	if !st.again {
		number, ok := w.nextKey(st.act)
		if !ok {
			return false
		}
		w.record = w.address(w.key, w.source, number)
	}
	switch st.act {
	case ReadBins:
		w.readNames = nil
		if !w.chance(st.all) {
			w.readNames = j.readNames
		}
	case CallUDF:
		if w.args != nil {
			w.udfArgs = w.args.Args(w.record)
		}
	case DeleteRecord:
	case QueryRecords:
		return w.prepareQuery()
	case ScanRecords:
		w.searcher.prepareScan(w)
	case ReadCollection:
		w.ops = w.collector.nextReads(w)
	case WriteCollection:
		w.ops = w.collector.nextWrites(w)
	default:
		w.bins = w.nextBins(st)
	}
	return true
}

// nextBins returns what a write to the record sends.
func (w *worker) nextBins(st *step) []*as.Bin {
	j := w.job
	switch st.act {
	case DeleteBins:
		return j.nulls
	case Increment:
		return j.plus
	case Decrement:
		return j.minus
	}
	all := w.chance(st.all)
	switch {
	case w.values == nil && all:
		return j.fixedAll
	case w.values == nil:
		return j.fixedSome
	case all:
		return w.values.Record(w.record, nil)
	}
	return w.values.Record(w.record, j.writeSel)
}

// chance draws whether something of the given probability happens, without
// drawing when that is certain.
func (w *worker) chance(limit uint64) bool {
	switch limit {
	case 0:
		return false
	case certain:
		return true
	}
	return w.rng.Uint64()>>11 < limit
}
