// Package result keeps what a run measured in a JSON document: written at the
// end of a run, read again by later commands, merged with those of other
// machines.
//
// [Recorder] gathers a run's document while its stages run; [Read] reads and
// checks one; [Merge] adds several. docs/result.md describes the format, and
// docs/result.schema.json is its JSON Schema.
package result

import (
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

const (
	// Format is what tells the documents from other JSON.
	Format = "aeroload-result"
	// Version is that of the documents that this package writes and reads. A
	// change that older readers would misread raises it.
	Version = 1
)

// Document is a run's result. Times are wall-clock time, durations are seconds
// and latencies microseconds, unless a name says otherwise.
type Document struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	Start   time.Time `json:"start"` // of the first stage
	End     time.Time `json:"end"`   // of the last
	// Stopped says why the run ended early; "" for a run that went to its end.
	Stopped  string    `json:"stopped,omitempty"`
	Seed     uint64    `json:"seed"` // the default of stages that state none
	Config   Config    `json:"config"`
	Versions Versions  `json:"versions"`
	Server   Server    `json:"server"`
	Machines []Machine `json:"machines"` // where aeroload ran: one, or several in a merged result
	// Runs identify the runs of a merged result, so that none is merged into it again;
	// none in the result of a run.
	Runs   []string `json:"runs,omitempty"`
	Stages []*Stage `json:"stages"` // those that ran, the last perhaps not to its end
	Notes  []Note   `json:"notes"`
}

// Config is what was run.
type Config struct {
	Namespace  string     `json:"namespace"`
	Set        string     `json:"set"`
	Bin        string     `json:"bin"` // name of the first bin
	Connection Connection `json:"connection"`
	// Stages holds the plan as `aeroload validate` prints it: each stage's
	// keys, every default filled in.
	Stages []map[string]any `json:"stages"`
}

// Connection is how the cluster was reached. It holds no password, key or
// certificate.
type Connection struct {
	Hosts                []string `json:"hosts"`
	User                 string   `json:"user,omitempty"`
	Auth                 string   `json:"auth"`
	TLS                  bool     `json:"tls"`
	ReadTimeoutMS        int64    `json:"read_timeout_ms"`
	WriteTimeoutMS       int64    `json:"write_timeout_ms"`
	ReadSocketTimeoutMS  int64    `json:"read_socket_timeout_ms"`
	WriteSocketTimeoutMS int64    `json:"write_socket_timeout_ms"`
	MaxRetries           int      `json:"max_retries"`
	SleepBetweenRetryMS  int64    `json:"sleep_between_retries_ms"`
	ConnsPerNode         int      `json:"max_conns_per_node"`
	Replica              string   `json:"replica"`
	ReadModeAP           string   `json:"read_mode_ap"`
	ReadModeSC           string   `json:"read_mode_sc"`
	CommitLevel          string   `json:"commit_level"`
	DurableDelete        bool     `json:"durable_delete"`
	Compress             bool     `json:"compress"`
	SendKey              bool     `json:"send_key"`
}

// Versions names the software of the load generator.
type Versions struct {
	Aeroload string `json:"aeroload"`
	Go       string `json:"go"`
	Client   string `json:"client"` // of aerospike-client-go
}

// Server is what was measured.
type Server struct {
	// Embedded tells that the server was aeroload's own: the numbers measure
	// the machine, not Aerospike.
	Embedded bool   `json:"embedded"`
	Nodes    []Node `json:"nodes"` // at the start
}

// Node is a node of the cluster.
type Node struct {
	Name    string `json:"name"`
	Host    string `json:"host"`
	Build   string `json:"build"`
	Edition string `json:"edition"`
}

// Machine is a machine that aeroload ran on. What the system does not tell is
// empty or 0.
type Machine struct {
	Host        string `json:"host"`
	OS          string `json:"os"`   // as Go calls it, such as linux
	Arch        string `json:"arch"` // such as amd64
	Kernel      string `json:"kernel"`
	CPU         string `json:"cpu"`
	Cores       int    `json:"cores"` // logical processors that the process may use
	MemoryBytes uint64 `json:"memory_bytes"`
}

// Stage is what a stage measured.
type Stage struct {
	Number int       `json:"stage"` // from 1
	Desc   string    `json:"desc,omitempty"`
	Start  time.Time `json:"start"`
	// Seconds is the time until the last transaction had ended.
	Seconds float64 `json:"seconds"`
	// Throttled tells that the stage had a target rate, and so response times.
	Throttled bool `json:"throttled"`
	// Abandoned transactions were without an answer when the run was stopped;
	// they count nowhere else.
	Abandoned  int                   `json:"abandoned"`
	Operations map[string]*Operation `json:"operations"` // by name; those that were tried
	// Lateness is how late aeroload itself started transactions, which response
	// times include; nil unless throttled.
	Lateness   *Latency    `json:"lateness,omitempty"`
	Client     Client      `json:"client"`
	Cluster    Events      `json:"cluster"`
	Assertions []Assertion `json:"assertions"`
	// FindMax is what a search for the highest rate came to; nil without one,
	// and in merged results.
	FindMax *FindMax `json:"find_max,omitempty"`
	// Outages are the times at which the cluster was gone; nil for none.
	Outages []Outage `json:"outages,omitempty"`
	Periods []Period `json:"periods"`
}

// Events are what the client noticed of the cluster during a stage.
type Events = cluster.Health

// Counts is how transactions ended and what became of their records.
type Counts struct {
	Done     uint64 `json:"done"`     // transactions that were answered
	Timeouts uint64 `json:"timeouts"` // that timed out
	Errors   uint64 `json:"errors"`   // that failed otherwise
	Hits     uint64 `json:"hits"`     // records that were there, or were written
	Misses   uint64 `json:"misses"`   // records to read or delete that were not there
	Lost     uint64 `json:"lost"`     // other records of batches
	// Mismatches are the hits that were read with other values than the object
	// spec makes, in stages that verify.
	Mismatches uint64 `json:"mismatches,omitempty"`
}

func newCounts(c workload.Counts) Counts {
	return Counts{Done: c.Done, Timeouts: c.Timeout, Errors: c.Error, Hits: c.Hit, Misses: c.Miss, Lost: c.Lost, Mismatches: c.Mismatch}
}

// Workload returns the counts as package workload has them.
func (c Counts) Workload() workload.Counts {
	return workload.Counts{Done: c.Done, Timeout: c.Timeouts, Error: c.Errors, Hit: c.Hits, Miss: c.Misses, Lost: c.Lost, Mismatch: c.Mismatches}
}

func (c Counts) add(d Counts) Counts { return newCounts(c.Workload().Add(d.Workload())) }

// FindMax is what a search for the highest rate came to.
type FindMax struct {
	// TPS is the highest rate at which the limits held, 0 if there was none.
	TPS float64 `json:"tps"`
	// Settled tells that the search came to its end before its time was over.
	Settled bool    `json:"settled"`
	Probes  []Probe `json:"probes"`
}

// Probe is a rate that was tried.
type Probe struct {
	TPS      float64 `json:"tps"`      // asked for
	Achieved float64 `json:"achieved"` // transactions that ended, per second
	// Behind is how many transactions were due by the end and never started.
	Behind float64 `json:"behind"`
	// P99 and LatenessP99 are of the response times, and of aeroload's own part
	// in them.
	P99         int64       `json:"p99"`
	LatenessP99 int64       `json:"lateness_p99"`
	ErrorRate   float64     `json:"error_rate"` // timeouts and errors by transactions, 0 to 1
	Limits      []Assertion `json:"limits"`
	OK          bool        `json:"ok"`  // the rate was kept up, and all limits held
	Why         string      `json:"why"` // what decided, in words
}

// newFindMax returns what a stage's search came to, nil if it had none.
func newFindMax(s *stage.StageResult) *FindMax {
	if s.Stage.FindMax == nil {
		return nil
	}
	f := &FindMax{TPS: s.MaxRate, Settled: s.Settled, Probes: []Probe{}}
	for _, p := range s.Probes {
		f.Probes = append(f.Probes, Probe{
			TPS: p.Rate, Achieved: p.Achieved, Behind: p.Behind, P99: p.P99, LatenessP99: p.Lateness,
			ErrorRate: p.ErrorRate, Limits: newAssertions(p.Checks), OK: p.OK, Why: p.Why(),
		})
	}
	return f
}

// Operation is what the transactions of one kind came to in a stage.
type Operation struct {
	Counts
	TPS              float64 `json:"tps"`                // done, by the stage's seconds
	RecordsPerSecond float64 `json:"records_per_second"` // hits and misses, by the stage's seconds
	// Codes are the transactions and records that failed, by result code, most
	// frequent first.
	Codes    []Code   `json:"codes"`
	Service  *Latency `json:"service"`            // from a call to its return
	Response *Latency `json:"response,omitempty"` // from when the transaction was due; of throttled stages
}

// Code counts the failures with one result code.
type Code struct {
	Code int    `json:"code"`
	Name string `json:"name"`
	// Records tells that it counts records in batches that were answered, not
	// transactions.
	Records bool   `json:"records"`
	Count   uint64 `json:"count"`
	Example string `json:"example"` // the text of the first such error of the run
}

// Latency is a set of latencies. The percentiles are those of the histogram:
// edges of its buckets, within 0.1 %.
type Latency struct {
	Count     int64   `json:"count"`
	OverRange int64   `json:"over_range,omitempty"` // of them above an hour, and counted as an hour
	Min       int64   `json:"min"`
	Mean      float64 `json:"mean"`
	P50       int64   `json:"p50"`
	P90       int64   `json:"p90"`
	P99       int64   `json:"p99"`
	P999      int64   `json:"p99.9"`
	P9999     int64   `json:"p99.99"`
	Max       int64   `json:"max"`
	// Histogram holds all of them, in HdrHistogram's V2 compressed encoding.
	Histogram string `json:"histogram"`
}

// Snapshot returns the latencies that the histogram holds. It is safe to call on
// a document that [Read] returned.
func (l *Latency) Snapshot() (*histogram.Snapshot, error) {
	if l == nil {
		return new(histogram.Snapshot), nil
	}
	return histogram.Decode(l.Histogram, l.OverRange)
}

// summarize returns the latency without its histogram.
func summarize(s *histogram.Snapshot) *Latency {
	p := s.Percentiles([]float64{50, 90, 99, 99.9, 99.99})
	return &Latency{
		Count: s.Count(), OverRange: s.OverRange(), Min: s.Min(), Mean: s.Mean(), Max: s.Max(),
		P50: p[0], P90: p[1], P99: p[2], P999: p[3], P9999: p[4],
	}
}

// NewLatency returns what a document keeps of latencies.
func NewLatency(s *histogram.Snapshot) (*Latency, error) {
	l := summarize(s)
	var err error
	l.Histogram, err = s.Encode()
	return l, err
}

// Client is what aeroload's own process used during a stage, the embedded server
// included if there was one.
type Client struct {
	UserCPU   float64 `json:"user_cpu_seconds"`
	SystemCPU float64 `json:"system_cpu_seconds"`
	HeapBytes uint64  `json:"heap_bytes"`    // live and not yet swept objects at the stage's end
	MaxRSS    uint64  `json:"max_rss_bytes"` // most memory the process ever had until then
	GC        GC      `json:"gc"`
}

// GC is what the garbage collector's pauses came to: the times at which no Go code
// ran, up to the edges of the runtime's buckets.
type GC struct {
	Pauses uint64  `json:"pauses"`
	P50    float64 `json:"p50_seconds"`
	P99    float64 `json:"p99_seconds"`
	Max    float64 `json:"max_seconds"`
}

// Assertion is an assertion of a stage and what came of it.
type Assertion struct {
	Text string `json:"text"`
	OK   bool   `json:"ok"`
	// Measured is nil if the stage measured nothing that has such a value.
	Measured *float64 `json:"measured"`
	Unit     string   `json:"unit"` // us, fraction (0 to 1), or "" for counts and rates
}

// Period is a part of a stage.
type Period struct {
	Start      float64                     `json:"start"`      // from the start of the stage
	Seconds    float64                     `json:"seconds"`    // how long it took
	Operations map[string]*PeriodOperation `json:"operations"` // those that had any transactions
}

// PeriodOperation is what the transactions of one kind came to in a period.
type PeriodOperation struct {
	Counts
	Service  *Latency `json:"service"`
	Response *Latency `json:"response,omitempty"`
}

// Latency returns the latencies to show: response times if there are any.
func (o *PeriodOperation) Latency() *Latency {
	if o.Response != nil {
		return o.Response
	}
	return o.Service
}

// Note is something worth knowing about a run.
type Note struct {
	At   time.Time `json:"at"`
	Kind NoteKind  `json:"kind"`
	// Stage is the number of the stage it is about, or 0.
	Stage int    `json:"stage,omitempty"`
	Text  string `json:"text"`
}

// NoteKind is what a note is about.
type NoteKind string

// The kinds of notes.
const (
	NoteStopped  NoteKind = "stopped"  // why the run ended early
	NoteCluster  NoteKind = "cluster"  // what the client noticed of the cluster
	NoteEmbedded NoteKind = "embedded" // the server was aeroload's own
	NoteWarning  NoteKind = "warning"  // numbers that need care
	NoteMerged   NoteKind = "merged"   // the result is one of several machines
)

// OperationNames returns the names of the stage's operations, in the order in which
// results show them.
func (s *Stage) OperationNames() []string {
	var names []string
	for op := range workload.NumOps {
		if name := workload.Op(op).String(); s.Operations[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// Latency returns the latencies to show for an operation: response times of
// stages with a target rate, service times of others.
func (s *Stage) Latency(op *Operation) *Latency {
	if s.Throttled && op.Response != nil {
		return op.Response
	}
	return op.Service
}

// Measured gathers what a condition is about: one operation of the stage, or all
// of them. ok is false if the condition names an operation that the stage did
// not perform, or a stage other than this one.
func (s *Stage) Measured(c condition.Condition) (m condition.Measured, ok bool, err error) {
	m = condition.Measured{Seconds: s.Seconds, Latency: new(histogram.Snapshot)}
	ok = c.Op == "" || c.Op == condition.Total
	for o := range workload.Op(workload.NumOps) {
		op := s.Operations[o.String()]
		if op == nil || !c.Selects(o) {
			continue
		}
		ok = true
		m.Counts = m.Counts.Add(op.Workload())
		if !c.IsLatency() {
			continue
		}
		latency := s.Latency(op)
		switch c.Latency {
		case "service":
			latency = op.Service
		case "response":
			latency = op.Response
		}
		snapshot, err := latency.Snapshot()
		if err != nil {
			return m, false, err
		}
		m.Latency = m.Latency.Add(snapshot)
	}
	return m, ok && (c.Stage == 0 || c.Stage == s.Number), nil
}
