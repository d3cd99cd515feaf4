// Package metrics serves what a run measures to Prometheus while it lasts.
//
// An [Exporter] observes the run and is a [prometheus.Collector]; a [Server] serves
// it over HTTP. Everything is as of the last period, at most a second or so ago.
package metrics

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// Run is what an exporter must know of a run besides what it observes.
type Run struct {
	Plan *stage.Plan
	Seed uint64
	// Embedded tells that the server is a part of this process.
	Embedded bool
	// Aeroload and Client are the versions of aeroload and of
	// aerospike-client-go.
	Aeroload, Client string
}

// Cluster is where an exporter asks for the state of the cluster.
// [*cluster.Cluster] is one.
type Cluster interface {
	Health() cluster.Health
	Connections() map[string]int
}

// The phases of a run.
const (
	connecting = "connecting"
	waiting    = "pause"
	warmingUp  = "warmup"
	running    = "running"
	between    = "between" // two stages
	stopping   = "stopping"
	finished   = "finished"
)

func phases() []string {
	return []string{connecting, waiting, warmingUp, running, between, stopping, finished}
}

// Exporter keeps the state of a run for Prometheus. It is a [stage.Observer], a
// [stage.ProbeObserver] and a [prometheus.Collector]. Its methods may be called
// concurrently.
type Exporter struct {
	run      Run
	families *families

	mu      sync.Mutex
	phase   string
	stopped bool
	current int           // number of the stage that runs or ran last
	stages  []*stageState // those that have begun to be measured, by their numbers
	cluster Cluster       // nil before and after
	nodes   []cluster.Node
	health  cluster.Health // the last that is known
	open    map[string]int // likewise
}

// stageState is what is known of a stage. Its fields but for the cache do not change:
// news is a new state.
type stageState struct {
	stage    *stage.Stage
	start    time.Time
	elapsed  time.Duration // at the end of the last period
	last     time.Duration // length of the last period
	over     bool
	measured workload.Snapshot
	failures []workload.Failure
	checks   []stage.Check

	// With find-max.
	trying, held float64
	probes       [2]int // that failed, that held

	once       sync.Once
	histograms []prometheus.Metric // made when they are first asked for
}

// NewExporter returns the exporter of a run that is about to start.
func NewExporter(r Run) *Exporter {
	return &Exporter{run: r, families: newFamilies(), phase: connecting, stages: make([]*stageState, len(r.Plan.Stages))}
}

// Connected tells of the cluster.
func (e *Exporter) Connected(c Cluster, nodes []cluster.Node) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cluster, e.nodes = c, nodes
}

// Disconnecting tells that the cluster is about to be closed. What was known of it
// last is served from then on.
func (e *Exporter) Disconnecting() {
	e.look()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cluster = nil
}

// look asks the client for the state of the cluster.
func (e *Exporter) look() {
	e.mu.Lock()
	c := e.cluster
	e.mu.Unlock()
	if c == nil {
		return
	}
	health, open := c.Health(), c.Connections()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cluster != nil {
		e.health, e.open = health, open
	}
}

func (e *Exporter) enter(phase string, s *stage.Stage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.phase = phase
	if s != nil {
		e.current = s.Number
	}
}

// Pause notes that the run waits.
func (e *Exporter) Pause(s *stage.Stage, _ int) error { e.enter(waiting, s); return nil }

// Warmup notes that the stage runs unrecorded.
func (e *Exporter) Warmup(s *stage.Stage) error { e.enter(warmingUp, s); return nil }

// StageStart notes that the stage is measured from then on.
func (e *Exporter) StageStart(s *stage.Stage, at time.Time) error {
	e.enter(running, s)
	st := &stageState{stage: s, start: at}
	if s.FindMax != nil {
		st.trying = s.FindMax.From
	}
	e.replace(st)
	return nil
}

func (e *Exporter) replace(st *stageState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stages[st.stage.Number-1] = st
}

// of returns a copy of the stage's state, to be changed.
func (e *Exporter) of(s *stage.Stage) *stageState {
	e.mu.Lock()
	defer e.mu.Unlock()
	old := e.stages[s.Number-1]
	return &stageState{
		stage: old.stage, start: old.start, elapsed: old.elapsed, last: old.last, over: old.over, measured: old.measured,
		failures: old.failures, checks: old.checks, trying: old.trying, held: old.held, probes: old.probes,
	}
}

// Period keeps what the stage has measured.
func (e *Exporter) Period(p *stage.Period) error {
	st := e.of(p.Stage)
	st.elapsed, st.last = p.End.Sub(st.start), p.Elapsed
	st.measured, st.failures = p.InStage, p.Failures
	e.replace(st)
	return nil
}

// Probe keeps what came of a rate.
func (e *Exporter) Probe(s *stage.Stage, p stage.Probe) error {
	st := e.of(s)
	st.trying, st.held = p.Next, p.Held
	if p.OK {
		st.probes[1]++
	} else {
		st.probes[0]++
	}
	e.replace(st)
	return nil
}

// StageEnd keeps what the stage came to.
func (e *Exporter) StageEnd(r *stage.StageResult) error {
	st := e.of(r.Stage)
	st.elapsed, st.over = r.Elapsed, true
	st.measured, st.failures, st.checks = r.Snapshot, r.Failures, r.Checks
	e.replace(st)
	e.enter(between, nil)
	return nil
}

// Stopping notes that the run is about to end early.
func (e *Exporter) Stopping() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
}

// Finished notes that the run is over.
func (e *Exporter) Finished() { e.enter(finished, nil) }

// over tells whether the run is.
func (e *Exporter) over() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.phase == finished
}

// state is what is served: the stages' states are shared, and do not change.
func (e *Exporter) state() (phase string, current int, stages []*stageState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	phase = e.phase
	if e.stopped && phase != finished {
		phase = stopping
	}
	for _, st := range e.stages {
		if st != nil {
			stages = append(stages, st)
		}
	}
	return phase, e.current, stages
}

func (s *stageState) label() string { return strconv.Itoa(s.stage.Number) }

// due is how many transactions were due at the end of the last period.
func (s *stageState) due() float64 { return s.stage.Due(s.elapsed) }

// target is the rate that the last period should have had, in transactions per second,
// or, before there was one, that of the first second.
func (s *stageState) target() float64 {
	switch {
	case s.stage.FindMax != nil:
		return s.trying
	case s.elapsed == 0 || s.last <= 0:
		return s.stage.Due(time.Second)
	}
	return (s.due() - s.stage.Due(s.elapsed-s.last)) / s.last.Seconds()
}
