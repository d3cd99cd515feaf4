// Package stage turns a stage file, or flags, into a validated plan, and runs
// the plan's stages in turn.
//
// [Load] reads a YAML file and finds every error in it before anything runs; the
// [Plan] it returns has every default filled in. A [Sequencer] then prepares all
// stages and runs them one after the other against one cluster.
package stage

import (
	"time"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/workload"
)

// Plan is a validated sequence of stages.
type Plan struct {
	// Source names where the plan comes from: a file, or "" for flags.
	Source string
	// Namespace and Set are where all stages read and write.
	Namespace, Set string
	// HDRDir is the folder for HDR histograms that the file names; "" for
	// none.
	HDRDir string
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
	Workload workload.Workload
	// TPS is the target rate of the whole stage in transactions per second; 0
	// means as fast as possible.
	TPS    float64
	Object *objspec.Spec
	Keys   keygen.Range
	// ReadBins and WriteBins are bin numbers from 1, ascending; nil when the
	// stage names none.
	ReadBins, WriteBins []int
	// Pause is the longest time to wait before the stage, in seconds: a
	// random whole number from 1 to Pause is drawn. 0 means not to wait.
	Pause int
	// BatchRead, BatchWrite and BatchDelete are records per call, and Batch
	// is what they are when not given.
	Batch, BatchRead, BatchWrite, BatchDelete int
	Async                                     bool
	// Random gives each record a value of its own instead of one for all.
	Random bool
	// TTL is the time to live of written records in seconds; 0 is the
	// namespace's default, -1 never, -2 leaves it as it is.
	TTL     int64
	Threads int
	Seed    uint64
}

// Throttled tells whether any stage has a target rate.
func (p *Plan) Throttled() bool {
	for _, s := range p.Stages {
		if s.TPS > 0 {
			return true
		}
	}
	return false
}

// MaxThreads returns the largest number of threads that a stage uses.
func (p *Plan) MaxThreads() int {
	n := 0
	for _, s := range p.Stages {
		n = max(n, s.Threads)
	}
	return n
}

// Ops tells which operations some stage of the plan performs.
func (p *Plan) Ops() (ops [workload.NumOps]bool) {
	for _, s := range p.Stages {
		ops[workload.Read] = ops[workload.Read] || s.Workload.HasReads()
		ops[workload.Write] = ops[workload.Write] || s.Workload.HasWrites()
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
	Threads        int
	Seed           uint64
}

// Limits of stage values.
const (
	MaxThreads = 10_000 // as in asbench
	MaxPause   = 24 * 3600
	// maxTTL is the largest time to live that does not mean something else on
	// the wire, where 2^32-1 is never, 2^32-2 do not change, and 2^32-3 is
	// reserved for reads.
	maxTTL = 1<<32 - 4
)

// defaultDuration is how long a workload without an end of its own runs, as in
// asbench.
const defaultDuration = 10 * time.Second
