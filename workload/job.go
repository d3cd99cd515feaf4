package workload

import (
	"context"
	"fmt"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/internal/steady"
	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// Client is the part of the official client that transactions use.
// [*as.Client] has it.
type Client interface {
	Get(policy *as.BasePolicy, key *as.Key, binNames ...string) (*as.Record, as.Error)
	PutBins(policy *as.WritePolicy, key *as.Key, bins ...*as.Bin) as.Error
	AddBins(policy *as.WritePolicy, key *as.Key, bins ...*as.Bin) as.Error
	Operate(policy *as.WritePolicy, key *as.Key, operations ...*as.Operation) (*as.Record, as.Error)
	Delete(policy *as.WritePolicy, key *as.Key) (bool, as.Error)
	Execute(policy *as.WritePolicy, key *as.Key, packageName, functionName string, args ...as.Value) (any, as.Error)
	QueryPartitions(policy *as.QueryPolicy, statement *as.Statement, partitions *as.PartitionFilter) (*as.Recordset, as.Error)
	ScanPartitions(policy *as.ScanPolicy, partitions *as.PartitionFilter, namespace, set string, bins ...string) (*as.Recordset, as.Error)
	BatchOperate(policy *as.BatchPolicy, records []as.BatchRecordIfc) as.Error
}

// Spec is what a stage asks of its workers. Everything in it has been validated
// by package stage.
type Spec struct {
	Workload  Workload // resolved: all percentages are known
	Namespace string
	Set       string
	// Keys are the numbers of the stage's records, of which this process takes
	// those of the shard. Distribution says how often each is drawn where
	// they are not walked.
	Keys         keygen.Range
	Shard        keygen.Shard
	Distribution keygen.Distribution
	// KeyFormat makes keys of the numbers; or else KeyFile, if it is not nil,
	// holds the keys.
	KeyFormat keygen.Format
	KeyFile   *keygen.File
	// Workers is how many transactions are on their way at most, at least 1.
	Workers  int
	Duration time.Duration // of workloads without an end of their own
	// Transactions ends the stage after that many, not counting those of the
	// warm-up; 0 is no limit.
	Transactions uint64
	// Warmup is how long the stage runs before anything is recorded. Duration
	// begins after it.
	Warmup   time.Duration
	Schedule Schedule
	Object   *objspec.Spec
	// ReadBins and WriteBins are the bins of partial reads and writes, as
	// ascending indexes of the object spec's bins; nil means the first bin
	// for partial reads and writes that share the work with full ones, and
	// all bins for DB. Increments go to the first of WriteBins.
	ReadBins, WriteBins []int
	// BatchRead, BatchWrite and BatchDelete are records per transaction. With
	// 1, single-record commands are sent. UDF calls go by BatchWrite.
	BatchRead, BatchWrite, BatchDelete int
	// BatchNamespaces are the namespaces over which the records of batch
	// reads are spread; nil means Namespace.
	BatchNamespaces []string
	// UDF is what UDF calls call.
	UDF Function
	// Random gives each record a value of its own; otherwise all records get
	// the same one. The same goes for the arguments of UDF calls.
	Random bool
	// Query and Scan say what queries and scans ask for.
	Query Query
	Scan  Scan
	// Verify compares the records that are read with what the object spec makes.
	Verify bool
	// Unknown are the indexes of bins whose values cannot be told, for Verify.
	Unknown []int
	// MayLack are the indexes of bins that records may lack, for Verify.
	MayLack []int
	// Seed decides the values; Seed and Stream together decide which keys and
	// operations are drawn, so that stages with one seed still differ.
	Seed, Stream uint64
	// TTL is the records' time to live in seconds, or 0 for the namespace's
	// default, -1 for never, -2 to leave it as it is.
	TTL int64
	// Monitor follows the stage's failures; nil for none.
	Monitor *Monitor
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

// Job is a stage's work, ready to run.
type Job struct {
	spec       Spec
	client     Client
	whole      keygen.Range // the keys that the workload visits,
	keys       keygen.Range // those of them that are the shard's,
	last       uint64       // and the last one that can be inserted
	operations []operation
	steps      []*step // of all operations, by their number
	policies   [numActions]*as.WritePolicy
	readNames  []string // of partial reads
	writeSel   []int    // of partial writes
	fixedAll   []*as.Bin
	fixedSome  []*as.Bin
	nulls      []*as.Bin // delete single bins
	plus       []*as.Bin // adds 1
	minus      []*as.Bin // subtracts 1
	fixedArgs  []as.Value
	round      uint64 // of a job that runs in [Rounds], from 0
	inserts    uint64 // how many records earlier rounds have inserted
}

// Prepare builds the job of spec, which must be valid.
func Prepare(spec Spec, client Client) (*Job, error) {
	if spec.Workers < 1 {
		return nil, fmt.Errorf("a stage needs at least one worker, not %d", spec.Workers)
	}
	j := &Job{spec: spec, client: client, whole: spec.Workload.Keys(spec.Keys), last: spec.KeyFormat.Last(), writeSel: spec.WriteBins}
	j.keys = j.whole.Shard(spec.Shard)
	if err := j.keys.Check(); err != nil {
		return nil, err
	}
	for act := range numActions {
		j.policies[act] = writePolicy(spec, act)
	}
	j.prepareOperations()
	j.prepareBins()
	if spec.UDF.Args != nil && !spec.Random {
		j.fixedArgs = spec.UDF.Args.NewGenerator(spec.Seed).Args(0)
	}
	return j, nil
}

// prepareBins makes the bins that are the same for all records.
func (j *Job) prepareBins() {
	spec := &j.spec
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
	for _, i := range spec.WriteBins {
		j.nulls = append(j.nulls, &as.Bin{Name: names[i], Value: as.NewNullValue()})
	}
	added := names[j.writeSel[0]]
	j.plus, j.minus = []*as.Bin{as.NewBin(added, 1)}, []*as.Bin{as.NewBin(added, -1)}
	if !spec.Random {
		// The key 0 stands for all records. The workers only read these bins.
		j.fixedAll = spec.Object.NewGenerator(spec.Seed).Record(0, nil)
		j.fixedSome = spec.Object.NewGenerator(spec.Seed).Record(0, j.writeSel)
	}
}

// walkBatch is how many keys a walk of the range takes at a time.
func (j *Job) walkBatch() int { return j.steps[0].records }

// writePolicy returns the policy of commands that do the action.
func writePolicy(spec Spec, act Action) *as.WritePolicy {
	p := *spec.WritePolicy
	switch act {
	case ReadCollection:
		p.BasePolicy = *spec.ReadPolicy
	case ReplaceRecord:
		p.RecordExistsAction = as.REPLACE
	case DeleteBins:
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

// Run starts the workers and returns when the job is done: the key range was
// walked, the number of transactions is reached or the duration is over, and no
// transaction is in flight. When ctx is cancelled, no further transaction
// starts, and Run returns once those in flight have ended, at the latest after a
// second; it returns the number of workers that were still waiting for an answer
// then.
func (j *Job) Run(ctx context.Context, stats *Stats) (abandoned int) {
	_, abandoned = j.run(ctx, stats)
	return abandoned
}

// run is Run, and returns the workers, which are at rest if none is abandoned.
func (j *Job) run(ctx context.Context, stats *Stats) (workers []*worker, abandoned int) {
	workers = make([]*worker, j.spec.Workers)
	end := newEnding(len(workers))
	for i := range workers {
		workers[i] = newWorker(ctx, j, i, &stats.tallies[i])
	}
	start := steady.Now() // what it takes to make workers is no part of the stage
	if m := j.spec.Monitor; m != nil {
		m.begin(workers, start)
	}
	for _, w := range workers {
		w.epoch, w.ending = start, end
		go func() {
			defer end.rest(w)
			w.run(ctx)
		}()
	}
	abandoned = end.wait(ctx, workers)
	if abandoned > 0 {
		for _, w := range workers {
			w.searcher.abandon()
		}
	}
	return workers, abandoned
}
