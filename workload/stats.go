package workload

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/histogram"
)

// Op is a kind of transaction as results tell them apart.
type Op uint8

// The operations, in the order in which results show them. A delete, of bins or
// of a record, counts as a write, as in asbench.
const (
	Write Op = iota
	Read
	UDF
	// Txn is the whole of a transaction of several commands, each of which
	// counts as what it is besides.
	Txn
	QueryOp // secondary-index queries
	ScanOp  // scans
)

// NumOps is the number of operations.
const NumOps = 6

// String returns the operation's name: write, read, udf, txn, query or scan.
func (o Op) String() string { return [NumOps]string{"write", "read", "udf", "txn", "query", "scan"}[o] }

// Counts holds how transactions of one operation ended, and what became of their
// records. A transaction counts in exactly one of Done, Timeout and Error; a
// record in one of Hit, Miss and Lost.
type Counts struct {
	Done    uint64 // the server answered
	Timeout uint64 // no answer within the total timeout, or the server gave up
	Error   uint64 // anything else

	Hit  uint64 // records that were there, or were written
	Miss uint64 // records to read or to delete that were not there
	// Lost counts the other records of batches. Those of batches that were
	// answered all the same show in the result codes of records.
	Lost uint64

	// Mismatch counts the hits that were read with other values than the object
	// spec makes, in stages that verify.
	Mismatch uint64
}

// Measured returns the number of transactions whose latency is recorded: those
// that were answered, and those that timed out. To leave the latter out would
// make a stalled server look fast. The latency of another error says nothing
// about the cluster's speed.
func (c Counts) Measured() uint64 { return c.Done + c.Timeout }

// Attempted returns the number of transactions, however they ended.
func (c Counts) Attempted() uint64 { return c.Done + c.Timeout + c.Error }

// Records returns the number of records that the server answered for.
func (c Counts) Records() uint64 { return c.Hit + c.Miss }

// Sub returns the counts since prev, an earlier state of the same counters.
func (c Counts) Sub(prev Counts) Counts {
	return Counts{
		c.Done - prev.Done, c.Timeout - prev.Timeout, c.Error - prev.Error,
		c.Hit - prev.Hit, c.Miss - prev.Miss, c.Lost - prev.Lost, c.Mismatch - prev.Mismatch,
	}
}

// Add returns the sum of both.
func (c Counts) Add(d Counts) Counts {
	return Counts{
		c.Done + d.Done, c.Timeout + d.Timeout, c.Error + d.Error,
		c.Hit + d.Hit, c.Miss + d.Miss, c.Lost + d.Lost, c.Mismatch + d.Mismatch,
	}
}

// Stats gathers what the workers of a run measure. All of it is cumulative over
// the run; a stage or a period is the difference of two snapshots, so nothing is
// ever reset under the workers' feet. Methods may be called at any time.
type Stats struct {
	tallies  []tally
	service  [NumOps]*histogram.Recorder
	response [NumOps]*histogram.Recorder // nil unless some stage is throttled
	lateness *histogram.Recorder         // likewise

	mu       sync.Mutex
	failures map[failureKey]*Failure
	// mismatches are descriptions of the first of each stage, by its stream.
	mismatches map[uint64][]string
}

// maxShards bounds the histograms' memory (about 190 KB a shard, operation and
// kind of latency). Beyond it workers share shards, which their atomic counters
// allow.
const maxShards = 32

// NewStats makes the statistics of a run whose stages have at most the given
// number of workers and do no other operations than ops. With throttled, response
// times and start lateness are recorded besides service times.
func NewStats(workers int, throttled bool, ops [NumOps]bool) *Stats {
	s := &Stats{tallies: make([]tally, workers), failures: map[failureKey]*Failure{}, mismatches: map[uint64][]string{}}
	for op := range s.service {
		shards := min(workers, maxShards)
		if !ops[op] {
			shards = 1 // stays empty
		}
		s.service[op] = histogram.NewRecorder(shards)
		if throttled {
			s.response[op] = histogram.NewRecorder(shards)
		}
	}
	if throttled {
		s.lateness = histogram.NewRecorder(min(workers, maxShards))
	}
	for i := range s.tallies {
		t := &s.tallies[i]
		t.stats = s
		for op := range s.service {
			t.service[op] = s.service[op].Shard(i)
			if throttled {
				t.response[op] = s.response[op].Shard(i)
			}
		}
		if throttled {
			t.lateness = s.lateness.Shard(i)
		}
	}
	return s
}

// Snapshot is the state of a run's statistics at one moment, or the difference
// of two.
type Snapshot struct {
	Counts [NumOps]Counts
	// Parts is the number of commands that belong to a Txn.
	Parts uint64
	// Service is the time from the client call to its return.
	Service [NumOps]*histogram.Snapshot
	// Response is the time from the transaction's intended start to its
	// return: what a caller who does not wait for others sees. It needs a
	// target rate, so stages without one have none; the elements are nil when
	// no stage of the run has one.
	Response [NumOps]*histogram.Snapshot
	// Lateness is how long after its intended start a transaction started
	// although its worker was free: the load generator's own delay (timers,
	// scheduling), which response times include. It is nil like Response.
	Lateness *histogram.Snapshot
}

// Snapshot returns the present state.
func (s *Stats) Snapshot() Snapshot {
	var snap Snapshot
	for i := range s.tallies {
		for op := range snap.Counts {
			snap.Counts[op] = snap.Counts[op].Add(s.tallies[i].counts[op].load())
		}
		snap.Parts += s.tallies[i].parts.Load()
	}
	for op := range s.service {
		snap.Service[op] = s.service[op].Snapshot()
		if s.response[op] != nil {
			snap.Response[op] = s.response[op].Snapshot()
		}
	}
	if s.lateness != nil {
		snap.Lateness = s.lateness.Snapshot()
	}
	return snap
}

// Sub returns what happened between prev, an earlier snapshot of the same run,
// and s.
func (s Snapshot) Sub(prev Snapshot) Snapshot {
	d := s
	d.Parts = s.Parts - prev.Parts
	for op := range d.Counts {
		d.Counts[op] = s.Counts[op].Sub(prev.Counts[op])
		d.Service[op] = s.Service[op].Sub(prev.Service[op])
		if s.Response[op] != nil {
			d.Response[op] = s.Response[op].Sub(prev.Response[op])
		}
	}
	if s.Lateness != nil {
		d.Lateness = s.Lateness.Sub(prev.Lateness)
	}
	return d
}

// Total returns the counts of all commands together: a [Txn] counts as its
// commands.
func (s Snapshot) Total() Counts {
	var total Counts
	for op, c := range s.Counts {
		if Op(op) != Txn {
			total = total.Add(c)
		}
	}
	return total
}

// Transactions returns the number of transactions, of one or of several commands,
// however they ended: what a target rate counts.
func (s Snapshot) Transactions() uint64 {
	return s.Total().Attempted() - s.Parts + s.Counts[Txn].Attempted()
}

// Failure is the number of transactions of one operation that ended with one
// result code, timeouts included, or of records that did so in batches which were
// answered otherwise.
type Failure struct {
	Op      Op
	Code    types.ResultCode
	Record  bool // it counts records, not transactions
	Count   uint64
	Example string // the text of the first such error
}

// Name returns the result code's name as the client spells it.
func (f Failure) Name() string { return f.Code.String() }

// FailuresSince returns the failures of now that were not there before: earlier
// failures of the same run.
func FailuresSince(now, before []Failure) []Failure {
	earlier := map[failureKey]uint64{}
	for _, f := range before {
		earlier[failureKey{f.Op, f.Code, f.Record}] = f.Count
	}
	var rows []Failure
	for _, f := range now {
		if f.Count -= earlier[failureKey{f.Op, f.Code, f.Record}]; f.Count > 0 {
			rows = append(rows, f)
		}
	}
	return rows
}

type failureKey struct {
	op     Op
	code   types.ResultCode
	record bool
}

// Failures returns a row for each operation and result code, most frequent
// first.
func (s *Stats) Failures() []Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := make([]Failure, 0, len(s.failures))
	for _, f := range s.failures {
		rows = append(rows, *f)
	}
	sortFailures(rows)
	return rows
}

// sortFailures puts the most frequent failures first.
func sortFailures(rows []Failure) {
	slices.SortFunc(rows, func(a, b Failure) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Code, b.Code))
	})
}

// fail counts a failure by its code. A failed transaction has cost the client
// far more than this lock.
func (s *Stats) fail(key failureKey, err error) {
	s.mu.Lock()
	f := s.failures[key]
	if f != nil {
		f.Count++
	}
	s.mu.Unlock()
	if f != nil {
		return
	}
	example := describe(key.code, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if f = s.failures[key]; f == nil {
		f = &Failure{Op: key.op, Code: key.code, Record: key.record, Example: example}
		s.failures[key] = f
	}
	f.Count++
}

// tally is one worker's share of the statistics. No other worker writes its
// counters, and the padding keeps them off the neighbours' cache lines.
type tally struct {
	counts   [NumOps]counters
	service  [NumOps]*histogram.Shard
	response [NumOps]*histogram.Shard
	lateness *histogram.Shard
	parts    atomic.Uint64 // commands of a Txn
	stats    *Stats
	_        [64]byte
}

type counters struct{ done, timeout, failed, hit, miss, lost, mismatch atomic.Uint64 }

func (c *counters) load() Counts {
	return Counts{c.done.Load(), c.timeout.Load(), c.failed.Load(), c.hit.Load(), c.miss.Load(), c.lost.Load(), c.mismatch.Load()}
}

// settle counts a transaction, and records its latency if it was measured.
// response is below 0 if there was no intended start to count it from.
func (t *tally) settle(op Op, how outcome, service, response time.Duration) {
	c := &t.counts[op]
	switch how {
	case done:
		c.done.Add(1)
	case timeout:
		c.timeout.Add(1)
	default:
		c.failed.Add(1)
		return
	}
	t.service[op].Record(service)
	if response >= 0 {
		t.response[op].Record(response)
	}
}
