package metrics

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// Describe implements [prometheus.Collector].
func (e *Exporter) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range e.families.all {
		ch <- d
	}
}

// sink takes the metrics of one collection.
type sink struct {
	*families
	ch chan<- prometheus.Metric
}

func (s sink) put(f family, value float64, labels ...string) {
	s.ch <- prometheus.MustNewConstMetric(f.desc, f.kind, value, labels...)
}

// Collect implements [prometheus.Collector].
func (e *Exporter) Collect(ch chan<- prometheus.Metric) {
	e.look()
	s := sink{e.families, ch}
	phase, current, stages := e.state()
	plan := e.run.Plan
	s.put(s.build, 1, e.run.Aeroload, e.run.Client, runtime.Version())
	s.put(s.run, 1, plan.Namespace, plan.Set, strconv.FormatUint(e.run.Seed, 10), strconv.FormatBool(e.run.Embedded))
	for _, p := range phases() {
		s.put(s.phase, boolean(p == phase), p)
	}
	s.put(s.current, float64(current))
	for _, st := range plan.Stages {
		number := strconv.Itoa(st.Number)
		s.put(s.info, 1, number, valid(st.Desc), st.Workload.String())
		s.put(s.workers, float64(st.Workers()), number)
	}
	for _, st := range stages {
		s.stage(st)
	}
	s.clusterState(e)
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// valid makes a text a label's value, which is UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "?") }

// stage puts all of one stage.
func (s sink) stage(st *stageState) {
	number, plan := st.label(), st.stage
	s.put(s.started, float64(st.start.UnixNano())/1e9, number)
	s.put(s.elapsed, st.elapsed.Seconds(), number)
	s.put(s.progress, plan.Share(st.elapsed, st.measured), number)
	completed := st.measured.Transactions()
	s.put(s.completed, float64(completed), number)
	if plan.Schedule.Throttled() {
		if plan.FindMax == nil {
			s.put(s.due, st.due(), number)
		}
		if !st.over {
			s.put(s.target, st.target(), number)
			if plan.FindMax == nil {
				s.put(s.backlog, max(0, st.due()-float64(completed)), number)
			}
		}
	}
	s.operations(st)
	s.failures(st)
	if plan.FindMax != nil {
		s.put(s.held, st.held, number)
		s.put(s.probes, float64(st.probes[0]), number, "fails")
		s.put(s.probes, float64(st.probes[1]), number, "holds")
	}
	s.assertions(st)
	for _, m := range st.latencies(s.families) {
		s.ch <- m
	}
}

// operations puts the counts of each operation that the stage may do.
func (s sink) operations(st *stageState) {
	for op, does := range st.stage.Workload.Ops() {
		if !does {
			continue
		}
		name, c := workload.Op(op).String(), st.measured.Counts[op]
		for _, o := range []struct {
			outcome string
			n       uint64
		}{{"ok", c.Done}, {"timeout", c.Timeout}, {"error", c.Error}} {
			s.put(s.transactions, float64(o.n), st.label(), name, o.outcome)
		}
		for _, o := range []struct {
			outcome string
			n       uint64
		}{{"hit", c.Hit}, {"miss", c.Miss}, {"failed", c.Lost}} {
			s.put(s.records, float64(o.n), st.label(), name, o.outcome)
		}
		if st.stage.Verify && workload.Op(op) == workload.Read {
			s.put(s.mismatches, float64(c.Mismatch), st.label(), name)
		}
	}
}

// failures puts the failures by result code. Codes that the client has no name for go
// by their number.
func (s sink) failures(st *stageState) {
	for _, f := range st.failures {
		code := f.Name()
		if strings.ContainsRune(code, ' ') { // a sentence about the number
			code = strconv.Itoa(int(f.Code))
		}
		to := s.failed
		if f.Record {
			to = s.failedRecords
		}
		s.put(to, float64(f.Count), st.label(), f.Op.String(), code)
	}
}

// assertions puts what came of each of a stage's assertions. One that the stage has
// twice is the same both times.
func (s sink) assertions(st *stageState) {
	seen := map[string]bool{}
	for _, c := range st.checks {
		text := valid(c.Assertion.Text)
		if !seen[text] {
			s.put(s.assertion, boolean(c.OK), st.label(), text)
		}
		seen[text] = true
	}
}

// latencies returns the histograms of a state.
func (st *stageState) latencies(f *families) []prometheus.Metric {
	st.once.Do(func() {
		add := func(desc *prometheus.Desc, h *histogram.Snapshot, labels ...string) {
			if h == nil { // before the first period
				h = new(histogram.Snapshot)
			}
			st.histograms = append(st.histograms, convert(h).metric(desc, st.start, labels...))
		}
		throttled := st.stage.Schedule.Throttled()
		for op, does := range st.stage.Workload.Ops() {
			if !does {
				continue
			}
			add(f.service, st.measured.Service[op], st.label(), workload.Op(op).String())
			if throttled {
				add(f.response, st.measured.Response[op], st.label(), workload.Op(op).String())
			}
		}
		if throttled {
			add(f.lateness, st.measured.Lateness, st.label())
		}
	})
	return st.histograms
}

// clusterState puts what is known of the cluster.
func (s sink) clusterState(e *Exporter) {
	e.mu.Lock()
	nodes, health, open := e.nodes, e.health, e.open
	e.mu.Unlock()
	if nodes == nil {
		return // not connected yet
	}
	for _, n := range nodes {
		s.put(s.node, 1, valid(n.Name), valid(n.Host), valid(n.Build), valid(n.Edition))
	}
	s.put(s.nodes, float64(len(open)))
	for address, n := range open {
		s.put(s.connections, float64(n), valid(address))
	}
	for _, c := range []struct {
		family family
		n      int
	}{
		{s.retries, health.Retries}, {s.connectionsFailed, health.ConnectionsFailed}, {s.tendsFailed, health.TendsFailed},
		{s.nodesAdded, health.NodesAdded}, {s.nodesRemoved, health.NodesRemoved}, {s.partitions, health.PartitionMapUpdates},
		{s.breakers, health.CircuitBreakerHits},
	} {
		s.put(c.family, float64(c.n))
	}
}

var _ stage.ProbeObserver = (*Exporter)(nil)
