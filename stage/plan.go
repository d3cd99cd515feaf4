// Package stage turns a stage file, or flags, into a validated plan, and runs
// the plan's stages in turn.
//
// [Load] reads a YAML file and finds every error in it before anything runs; the
// [Plan] it returns has every default filled in. A [Sequencer] then prepares all
// stages and runs them one after the other against one cluster.
package stage

import (
	"slices"
	"time"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/workload"
)

// Plan is a validated sequence of stages.
type Plan struct {
	// Namespace and Set are where all stages read and write.
	Namespace, Set string
	// HDRDir is the folder for HDR histograms that the file names; "" for
	// none.
	HDRDir string
	// MetricsListen is the address at which the file asks for metrics to be
	// served, as package internal/listen returns it; "" for none.
	MetricsListen string
	// Stages holds at least one stage.
	Stages []*Stage
}

// Stage is one step of a plan, with every default filled in.
type Stage struct {
	Number int    // position in the plan, from 1
	Desc   string // may be empty
	// Duration is how long the stage runs. Workloads that end by themselves
	// (I and DB) run until they are done, and at least this long.
	Duration time.Duration
	// Transactions ends the stage after that many, not counting those of the
	// warm-up; 0 is no limit.
	Transactions uint64
	// Warmup is how long the stage runs before its duration begins and
	// anything is recorded.
	Warmup   time.Duration
	Workload workload.Workload
	// Schedule has the target rate of the whole stage.
	Schedule workload.Schedule
	Object   *objspec.Spec
	// Keys are the numbers of the stage's keys, of which this process takes
	// those of the shard, by a distribution if it does not walk them.
	Keys         keygen.Range
	Shard        keygen.Shard
	Distribution keygen.Distribution
	// KeyFormat says what keys look like, and KeyFile holds them; nil for keys
	// that are made of their numbers.
	KeyFormat keygen.Format
	KeyFile   *keygen.File
	// ReadBins and WriteBins are bin numbers from 1, ascending; nil when the
	// stage names none.
	ReadBins, WriteBins []int
	// Pause is the longest time to wait before the stage, in seconds: a
	// random whole number from 1 to Pause is drawn. 0 means not to wait.
	Pause int
	// BatchRead, BatchWrite and BatchDelete are records per call, and Batch
	// is what they are when not given.
	Batch, BatchRead, BatchWrite, BatchDelete int
	// BatchNamespaces are the namespaces over which batch reads are spread; nil
	// for the plan's namespace.
	BatchNamespaces []string
	// Async bounds the transactions in flight by AsyncMax instead of Threads.
	Async    bool
	AsyncMax int
	UDF      *UDF // of workloads that call one, else nil
	// FindMax makes the stage look for a rate; nil for others.
	FindMax *FindMax
	// Query and Scan say what queries and scans ask for.
	Query Query
	Scan  workload.Scan
	// Verify compares the records that are read with what the object spec makes.
	Verify bool
	// Unknown are the indexes of bins whose values cannot be told: those that
	// stages of the plan add to.
	Unknown []int
	// MayLack are the indexes of bins that records may lack, for Verify, since
	// stages of the plan delete them or write records without them.
	MayLack []int
	// Random gives each record a value of its own instead of one for all.
	Random bool
	// TTL is the time to live of written records in seconds; 0 is the
	// namespace's default, -1 never, -2 leaves it as it is.
	TTL     int64
	Threads int
	Seed    uint64
	// Assertions are checked at the stage's end, and OnFail says what happens
	// when one fails.
	Assertions []condition.Condition
	OnFail     OnFail
	// OnError says what becomes of the run when transactions fail. MaxErrors is how
	// many may, with [StopOnError].
	OnError   OnError
	MaxErrors uint64
	// errorsCounted tells that max-errors alone was given, for messages.
	errorsCounted bool
	// MaxOutage is for how long every transaction may fail, unless OnError is
	// [ContinueOnError]; 0 for as long as errors.go says.
	MaxOutage time.Duration
}

// UDF is a record UDF and what it is called with.
type UDF struct {
	Module   string // without .lua
	Function string
	Args     *objspec.Spec // nil for none; each bin is an argument
	// File is the path of the module's source, to be registered before the
	// run, and Source what it holds; "" for a module that the cluster has.
	File   string
	Source []byte
}

// Workers returns how many transactions of the stage are in flight at most. In Go
// a command in flight is a waiting goroutine, which costs a few KB and no
// thread, so async stages differ from others in this number only.
func (s *Stage) Workers() int {
	if s.Async {
		return s.AsyncMax
	}
	return s.Threads
}

// Latency returns the latencies to show for an operation of the stage: response
// times if it has a target rate, else service times.
func (s *Stage) Latency(snap workload.Snapshot, op workload.Op) *histogram.Snapshot {
	if s.Schedule.Throttled() {
		return snap.Response[op]
	}
	return snap.Service[op]
}

// Batched tells whether transactions of the stage are on several records: batches,
// queries or scans.
func (s *Stage) Batched() bool {
	return s.BatchRead > 1 && s.Workload.HasReads() || s.BatchWrite > 1 && (s.Workload.HasBinWrites() || s.Workload.HasUDFs()) ||
		s.BatchDelete > 1 && s.Workload.HasDeletes() || s.Workload.HasOwnBatches() ||
		s.Workload.HasQueries() || s.Workload.HasScans()
}

// Throttled tells whether any stage has a target rate.
func (p *Plan) Throttled() bool {
	return p.any(func(s *Stage) bool { return s.Schedule.Throttled() })
}

// Batched tells whether transactions of any stage are on several records.
func (p *Plan) Batched() bool { return p.any((*Stage).Batched) }

func (p *Plan) any(is func(*Stage) bool) bool { return slices.ContainsFunc(p.Stages, is) }

// MaxWorkers returns the largest number of transactions in flight of any stage.
func (p *Plan) MaxWorkers() int {
	n := 0
	for _, s := range p.Stages {
		n = max(n, s.Workers())
	}
	return n
}

// Namespaces lists the namespaces that the plan uses, each once.
func (p *Plan) Namespaces() []string {
	names := []string{p.Namespace}
	for _, s := range p.Stages {
		names = append(names, s.BatchNamespaces...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Ops tells which operations some stage of the plan performs.
func (p *Plan) Ops() (ops [workload.NumOps]bool) {
	for _, s := range p.Stages {
		for op, performed := range s.Workload.Ops() {
			ops[op] = ops[op] || performed
		}
	}
	return ops
}

// Defaults are the values of stage keys that a file does not give. They come
// from flags.
type Defaults struct {
	Namespace, Set string
	// ObjectSpec is the text of the first stage's object spec.
	ObjectSpec string
	// ObjectOptions hold the bin name and the compression ratio.
	ObjectOptions objspec.Options
	// StartKey and Keys are the key range: Keys keys from StartKey on. A stage
	// that gives only key-start also has Keys keys.
	StartKey, Keys uint64
	// KeysGiven tells whether Keys was asked for. If not, a stage with a file
	// of keys has all of them.
	KeysGiven bool
	// KeyFlags are the flags about the stage keys "keys" and "shard".
	KeyFlags []FlagValue
	Threads  int
	AsyncMax int
	Seed     uint64
	// SeedDrawn tells that nobody gave the seed: no earlier run can have used it.
	SeedDrawn bool
}

// Limits of stage values.
const (
	MaxThreads = 10_000 // as in asbench
	MaxAsync   = 5_000  // as in asbench
	maxBatch   = 100_000
	maxPause   = 24 * 3600
)

// defaultDuration is how long a workload without an end of its own runs, as in
// asbench.
const defaultDuration = 10 * time.Second
