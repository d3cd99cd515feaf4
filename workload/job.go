package workload

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// Client is the part of the official client that transactions use.
// [*as.Client] has it.
type Client interface {
	Get(policy *as.BasePolicy, key *as.Key, binNames ...string) (*as.Record, as.Error)
	PutBins(policy *as.WritePolicy, key *as.Key, bins ...*as.Bin) as.Error
	Delete(policy *as.WritePolicy, key *as.Key) (bool, as.Error)
	Execute(policy *as.WritePolicy, key *as.Key, packageName, functionName string, args ...as.Value) (any, as.Error)
	BatchOperate(policy *as.BatchPolicy, records []as.BatchRecordIfc) as.Error
}

// Spec is what a stage asks of its workers. Everything in it has been validated
// by package stage.
type Spec struct {
	Workload  Workload // resolved: all percentages are known
	Namespace string
	Set       string
	Keys      keygen.Range
	// Workers is how many transactions are on their way at most, at least 1.
	Workers  int
	Duration time.Duration // of workloads without an end of their own
	// Transactions ends the stage after that many; 0 is no limit.
	Transactions uint64
	// Warmup is how long the stage runs before anything is recorded. Duration
	// begins after it.
	Warmup   time.Duration
	Schedule Schedule
	Object   *objspec.Spec
	// ReadBins and WriteBins are the bins of partial reads and writes, as
	// ascending indexes of the object spec's bins; nil means the first bin
	// for partial reads and writes that share the work with full ones, and
	// all bins for DB.
	ReadBins, WriteBins []int
	// BatchRead, BatchWrite and BatchDelete are records per transaction. With
	// 1, single-record commands are sent. UDF calls go by BatchWrite.
	BatchRead, BatchWrite, BatchDelete int
	// UDF is what UDF calls call.
	UDF Function
	// Random gives each record a value of its own; otherwise all records get
	// the same one. The same goes for the arguments of UDF calls.
	Random bool
	// Seed decides the values; Seed and Stream together decide which keys and
	// operations are drawn, so that stages with one seed still differ.
	Seed, Stream uint64
	// TTL is the records' time to live in seconds, or 0 for the namespace's
	// default, -1 for never, -2 to leave it as it is.
	TTL int64
	// NewTimer makes the timers of workers that keep to a rate.
	NewTimer NewTimer
	// ReadPolicy and WritePolicy are the policies that the stage starts from.
	ReadPolicy  *as.BasePolicy
	WritePolicy *as.WritePolicy
}

// Function names a record UDF and says what its arguments are.
type Function struct {
	Module string        // without .lua
	Name   string        // of the function in it
	Args   *objspec.Spec // nil for none; each bin is an argument
}

// action is what a transaction does.
type action uint8

const (
	readRecord action = iota
	writeBins
	deleteRecord
	callUDF
	numActions
)

// op is how results count the action.
func (a action) op() Op { return [numActions]Op{Read, Write, Write, UDF}[a] }

// Job is a stage's work, ready to run.
type Job struct {
	spec        Spec
	client      Client
	writePolicy *as.WritePolicy
	batchSize   [numActions]int
	readNames   []string // of partial reads
	writeSel    []int    // of partial writes
	fixedAll    []*as.Bin
	fixedSome   []*as.Bin
	fixedArgs   []as.Value
	readLimit   uint64 // a draw below it reads,
	writeLimit  uint64 // below this one it writes, else it does what the kind does besides
	readAll     uint64 // a draw below it reads all bins
	writeAll    uint64
}

// Prepare builds the job of spec, which must be valid.
func Prepare(spec Spec, client Client) (*Job, error) {
	if spec.Workers < 1 {
		return nil, fmt.Errorf("a stage needs at least one worker, not %d", spec.Workers)
	}
	if err := spec.Keys.Check(); err != nil {
		return nil, err
	}
	j := &Job{
		spec:        spec,
		client:      client,
		writePolicy: writePolicy(spec),
		batchSize:   [numActions]int{spec.BatchRead, spec.BatchWrite, spec.BatchDelete, spec.BatchWrite},
		readLimit:   probability(spec.Workload.Read),
		writeLimit:  probability(spec.Workload.Read + spec.Workload.Write),
		readAll:     probability(spec.Workload.ReadAll),
		writeAll:    probability(spec.Workload.WriteAll),
		writeSel:    spec.WriteBins,
	}
	if spec.Workload.Kind == Delete {
		j.batchSize[writeBins] = spec.BatchDelete // what it writes are deletes
	}
	if j.writeSel == nil {
		j.writeSel = []int{0}
	}
	readSel := spec.ReadBins
	if readSel == nil {
		readSel = []int{0}
	}
	names := spec.Object.Bins()
	for _, i := range readSel {
		j.readNames = append(j.readNames, names[i])
	}
	switch {
	case spec.Workload.Kind == Delete:
		// Bins are deleted by writing nil. Without a selection the whole
		// record is deleted instead, whatever bins it has.
		for _, i := range spec.WriteBins {
			j.fixedAll = append(j.fixedAll, &as.Bin{Name: names[i], Value: as.NewNullValue()})
		}
	case !spec.Random:
		// The key 0 stands for all records. The workers only read these bins.
		j.fixedAll = spec.Object.NewGenerator(spec.Seed).Record(0, nil)
		j.fixedSome = spec.Object.NewGenerator(spec.Seed).Record(0, j.writeSel)
	}
	if spec.UDF.Args != nil && !spec.Random {
		j.fixedArgs = spec.UDF.Args.NewGenerator(spec.Seed).Args(0)
	}
	return j, nil
}

// walkBatch is how many keys a walk of the range takes at a time.
func (j *Job) walkBatch() int {
	if j.spec.Workload.Kind == Delete {
		return j.spec.BatchDelete
	}
	return j.spec.BatchWrite
}

// probability turns a percentage into the limit below which a draw of 53 random
// bits falls with that probability: never for 0, always for 100.
func probability(percent float64) uint64 {
	return uint64(math.Round(percent / 100 * (1 << 53)))
}

func writePolicy(spec Spec) *as.WritePolicy {
	p := *spec.WritePolicy
	switch spec.Workload.Kind {
	case ReadReplace:
		p.RecordExistsAction = as.REPLACE
	case Delete:
		// Deleting bins of a record that is not there must not be mistaken
		// for a write.
		p.RecordExistsAction = as.UPDATE_ONLY
	}
	switch spec.TTL {
	case -1:
		p.Expiration = as.TTLDontExpire
	case -2:
		p.Expiration = as.TTLDontUpdate
	default:
		p.Expiration = uint32(spec.TTL)
	}
	return &p
}

// drainGrace is how long an interrupted job waits for transactions in flight.
// Together with the writing of results it stays under the two seconds within
// which a signal ends a run.
const drainGrace = time.Second

// Run starts the workers and returns when the job is done: the key range was
// walked, the number of transactions is reached or the duration is over, and no
// transaction is in flight. When ctx is cancelled, no further transaction
// starts, and Run returns once those in flight have ended, at the latest after a
// second; it returns the number of workers that were still waiting for an answer
// then.
func (j *Job) Run(ctx context.Context, stats *Stats) (abandoned int) {
	var running atomic.Int64
	var wg sync.WaitGroup
	workers := make([]*worker, j.spec.Workers)
	for i := range workers {
		workers[i] = newWorker(ctx, j, i, &stats.tallies[i])
	}
	start := time.Now() // what it takes to make workers is no part of the stage
	for _, w := range workers {
		w.epoch = start
		running.Add(1)
		wg.Go(func() {
			defer running.Add(-1)
			w.run(ctx)
		})
	}
	drained := make(chan struct{})
	go func() {
		wg.Wait()
		close(drained)
	}()
	select {
	case <-drained:
		return 0
	case <-ctx.Done():
	}
	select {
	case <-drained:
	case <-time.After(drainGrace):
	}
	return int(running.Load())
}
