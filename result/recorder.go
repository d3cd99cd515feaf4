package result

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// Run is what a recorder must know of a run besides what it observes.
type Run struct {
	Plan     *stage.Plan
	Defaults stage.Defaults
	Cluster  cluster.Config
	Embedded bool
	// Aeroload and Client are the versions of aeroload and of
	// aerospike-client-go.
	Aeroload, Client string
}

// Recorder gathers the document of a run. It is a [stage.Observer].
type Recorder struct {
	doc      *Document
	series   []*series // by stage
	health   func() cluster.Health
	usage    usage          // at the start of the stage
	events   cluster.Health // likewise
	nodes    int            // of the cluster at the start
	encoding error          // the first
}

// NewRecorder returns a recorder of a run that is about to start.
func NewRecorder(r Run) (*Recorder, error) {
	stages, err := planStages(r.Plan)
	if err != nil {
		return nil, err
	}
	return &Recorder{
		health: func() cluster.Health { return cluster.Health{} },
		doc: &Document{
			Format:  Format,
			Version: Version,
			Seed:    r.Defaults.Seed,
			Config: Config{
				Namespace:  r.Plan.Namespace,
				Set:        r.Plan.Set,
				Bin:        r.Defaults.ObjectOptions.BinName,
				Connection: connection(r.Cluster),
				Stages:     stages,
			},
			Versions: Versions{Aeroload: r.Aeroload, Go: goVersion(), Client: r.Client},
			Server:   Server{Embedded: r.Embedded, Nodes: []Node{}},
			Machines: []Machine{thisMachine()},
			Stages:   []*Stage{},
			Notes:    []Note{},
		},
	}, nil
}

// planStages returns the stages as `aeroload validate` prints them.
func planStages(plan *stage.Plan) ([]map[string]any, error) {
	var b bytes.Buffer
	bare := *plan
	bare.HDRDir, bare.MetricsListen = "", "" // with them the stages stand under a key
	if err := bare.WriteYAML(&b); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	var stages []map[string]any
	if err := yaml.Unmarshal(b.Bytes(), &stages); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	return stages, nil
}

func connection(c cluster.Config) Connection {
	hosts := []string{}
	for _, h := range c.Hosts {
		hosts = append(hosts, fmt.Sprintf("%s:%d", h.Name, h.Port))
	}
	return Connection{
		Hosts: hosts, User: c.User, Auth: string(c.Auth), TLS: c.TLS.Enable,
		ReadTimeoutMS: c.ReadTimeout.Milliseconds(), WriteTimeoutMS: c.WriteTimeout.Milliseconds(),
		ReadSocketTimeoutMS: c.ReadSocketTimeout.Milliseconds(), WriteSocketTimeoutMS: c.WriteSocketTimeout.Milliseconds(),
		MaxRetries: c.MaxRetries, SleepBetweenRetryMS: c.SleepBetweenRetries.Milliseconds(), ConnsPerNode: c.ConnsPerNode(),
		Replica: string(c.Replica), ReadModeAP: string(c.ReadModeAP), ReadModeSC: string(c.ReadModeSC),
		CommitLevel: string(c.CommitLevel), DurableDelete: c.DurableDelete, Compress: c.Compress, SendKey: c.SendKey,
	}
}

// Connected tells the recorder of the cluster: its nodes, and where to ask for
// what the client notices of it.
func (r *Recorder) Connected(nodes []cluster.Node, health func() cluster.Health) {
	for _, n := range nodes {
		r.doc.Server.Nodes = append(r.doc.Server.Nodes, Node{Name: n.Name, Host: n.Host, Build: n.Build, Edition: n.Edition})
	}
	r.health, r.nodes = health, len(nodes)
}

// Pause does nothing.
func (r *Recorder) Pause(*stage.Stage, int) error { return nil }

// Warmup does nothing.
func (r *Recorder) Warmup(*stage.Stage) error { return nil }

// StageStart notes what the process has used until then.
func (r *Recorder) StageStart(_ *stage.Stage, at time.Time) error {
	if r.doc.Start.IsZero() {
		r.doc.Start = at
	}
	r.series = append(r.series, newSeries(at))
	r.usage, r.events = readUsage(), r.health()
	return nil
}

// Period keeps the period.
func (r *Recorder) Period(p *stage.Period) error {
	r.series[len(r.series)-1].add(p)
	boundPeriods(r.series, maxPeriods)
	return r.encodeSome()
}

// encodeSome encodes a few of the periods' histograms, so that little is left to
// do at the end of the run, when a user waits.
func (r *Recorder) encodeSome() error {
	for _, s := range r.series {
		if err := s.encode(encodePerPeriod); err != nil {
			r.encoding = err
			return err
		}
	}
	return nil
}

// StageEnd keeps what the stage came to.
func (r *Recorder) StageEnd(s *stage.StageResult) error {
	r.doc.End = s.Start.Add(s.Elapsed)
	events := r.health().Sub(r.events)
	st, err := newStage(s)
	if err != nil {
		r.encoding = err
		return err
	}
	st.Client, st.Cluster = readUsage().since(r.usage), events
	r.doc.Stages = append(r.doc.Stages, st)
	r.noteOutages(st)
	r.noteCluster(st)
	r.noteWarnings(s)
	return nil
}

func newStage(s *stage.StageResult) (*Stage, error) {
	st := &Stage{
		Number: s.Stage.Number, Desc: s.Stage.Desc, Start: s.Start, Seconds: s.Elapsed.Seconds(),
		Throttled: s.Stage.Schedule.Throttled(), Abandoned: s.Abandoned,
		Operations: map[string]*Operation{}, Assertions: newAssertions(s.Checks), FindMax: newFindMax(s),
		Outages: newOutages(s.Outages),
	}
	for op := range workload.Op(workload.NumOps) {
		c := s.Counts[op]
		if c.Attempted() == 0 && c.Lost == 0 {
			continue
		}
		o := &Operation{Counts: newCounts(c), Codes: []Code{}}
		o.rates(st.Seconds)
		var err error
		if o.Service, err = NewLatency(s.Service[op]); err != nil {
			return nil, err
		}
		if st.Throttled {
			if o.Response, err = NewLatency(s.Response[op]); err != nil {
				return nil, err
			}
		}
		for _, f := range s.Failures {
			if f.Op == op {
				o.Codes = append(o.Codes, Code{Code: int(f.Code), Name: f.Name(), Records: f.Record, Count: f.Count, Example: strings.ToValidUTF8(f.Example, "?")})
			}
		}
		st.Operations[op.String()] = o
	}
	if st.Throttled {
		var err error
		if st.Lateness, err = NewLatency(s.Lateness); err != nil {
			return nil, err
		}
	}
	return st, nil
}

func newAssertions(checks []stage.Check) []Assertion {
	list := []Assertion{}
	for _, c := range checks {
		a := Assertion{Text: c.Assertion.Text, OK: c.OK, Unit: c.Assertion.Unit()}
		if c.Known {
			a.Measured = &c.Measured
		}
		list = append(list, a)
	}
	return list
}

// rates works out the rates of a stage of some length.
func (o *Operation) rates(seconds float64) {
	if seconds > 0 {
		o.TPS = float64(o.Done) / seconds
		o.RecordsPerSecond = float64(o.Hits+o.Misses) / seconds
	}
}

func (r *Recorder) note(at time.Time, kind NoteKind, number int, format string, args ...any) {
	r.doc.Notes = append(r.doc.Notes, Note{At: at, Kind: kind, Stage: number, Text: fmt.Sprintf(format, args...)})
}

// noteCluster notes what a cluster that is well does not do.
func (r *Recorder) noteCluster(s *Stage) {
	end := s.Start.Add(time.Duration(s.Seconds * float64(time.Second)))
	for _, e := range []struct {
		n    int
		what string
	}{
		{s.Cluster.NodesRemoved, "nodes that the client lost"},
		{s.Cluster.NodesAdded, "nodes that the client found"},
		{s.Cluster.TendsFailed, "looks at a node's state that failed"},
		{s.Cluster.ConnectionsFailed, "connections that failed"},
		{s.Cluster.CircuitBreakerHits, "commands refused by the limit of errors of a node"},
	} {
		if e.n > 0 {
			r.note(end, NoteCluster, s.Number, "%s: %d", e.what, e.n)
		}
	}
}

// noteWarnings notes what makes a stage's numbers need care.
func (r *Recorder) noteWarnings(s *stage.StageResult) {
	end := s.Start.Add(s.Elapsed)
	if s.Abandoned > 0 {
		r.note(end, NoteWarning, s.Stage.Number, "%d transactions were still without an answer when the run was stopped, and count nowhere", s.Abandoned)
	}
	for _, text := range s.Mismatches {
		r.note(end, NoteWarning, s.Stage.Number, "not as the object spec makes it: %s", text)
	}
	for op := range workload.Op(workload.NumOps) {
		if n := s.Service[op].OverRange(); n > 0 {
			r.note(end, NoteWarning, s.Stage.Number, "%d %s transactions took longer than an hour, the most that is told apart", n, op)
		}
	}
}

// Document returns the document of a run that is over. It holds what the recorder
// observed until then; stopped is why the run ended early, or nil.
func (r *Recorder) Document(stopped error) (*Document, error) {
	if r.encoding != nil {
		return nil, r.encoding
	}
	for i, s := range r.doc.Stages {
		var err error
		if s.Periods, err = r.series[i].periods(); err != nil {
			return nil, err
		}
	}
	if r.doc.Server.Embedded {
		r.note(r.doc.Start, NoteEmbedded, 0, "the server was embedded: these numbers measure the machine, not Aerospike")
	}
	if stopped != nil {
		r.doc.Stopped = stopped.Error()
		r.note(r.doc.End, NoteStopped, 0, "%s", stopped.Error())
	}
	return r.doc, nil
}
