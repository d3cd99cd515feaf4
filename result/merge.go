package result

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
)

// perMachine are the stage keys in which the machines of one load may differ: what
// they share out among them.
func perMachine() []string { return []string{"seed", "key-start", "key-end", "shard"} }

// Merge adds the results of several machines that ran the same stages at the same
// time. Counts and histograms are added, so percentiles are exactly those of all
// latencies together. Rates count over the time from the first machine's start of
// a stage to the last one's end; periods are added by wall-clock time, to half a
// period. Assertions are checked again, on the sums. names stand for the documents
// in errors; the documents must come from [Read] and are not changed.
//
// Stages must be the same but for seed, shard, key range and the places of files,
// else the error names the first difference. A run that is there twice is an error
// too, since it would count twice.
func Merge(docs []*Document, names []string) (*Document, error) {
	if len(docs) == 0 {
		return nil, errors.New("nothing to merge")
	}
	first := docs[0]
	m := *first
	m.Machines, m.Runs, m.Server.Nodes, m.Notes, m.Stages = nil, nil, nil, nil, []*Stage{}
	for i, d := range docs {
		if err := sameStages(first, d, names[0], names[i]); err != nil {
			return nil, err
		}
		if twin := slices.IndexFunc(docs[:i], d.SharesRun); twin >= 0 {
			return nil, fmt.Errorf("%s and %s hold the same run, which would count twice", names[twin], names[i])
		}
		if d.Start.Before(m.Start) {
			m.Start = d.Start
		}
		if d.End.After(m.End) {
			m.End = d.End
		}
		if m.Stopped == "" {
			m.Stopped = d.Stopped
		}
		m.Machines = append(m.Machines, d.Machines...)
		m.Runs = append(m.Runs, d.runs()...)
		for _, n := range d.Server.Nodes {
			if !slices.Contains(m.Server.Nodes, n) {
				m.Server.Nodes = append(m.Server.Nodes, n)
			}
		}
		for _, n := range d.Notes {
			if i == 0 || n.Kind != NoteEmbedded { // which all have, if one has
				m.Notes = append(m.Notes, n)
			}
		}
	}
	for i := range first.Stages {
		var stages []*Stage
		for _, d := range docs {
			stages = append(stages, d.Stages[i])
		}
		s, err := mergeStages(stages)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", first.Stages[i].Number, err)
		}
		m.Stages = append(m.Stages, s)
	}
	m.noteApart(docs)
	m.Notes = append(m.Notes, Note{At: m.End, Kind: NoteMerged, Text: fmt.Sprintf("merged from %d results", len(docs))})
	slices.SortStableFunc(m.Notes, func(a, b Note) int { return a.At.Compare(b.At) })
	if m.Server.Nodes == nil {
		m.Server.Nodes = []Node{}
	}
	return &m, nil
}

// noteApart warns of stages that machines did not run at the same time, whose sum is
// the load of no moment.
func (d *Document) noteApart(docs []*Document) {
	for i, s := range d.Stages {
		apart := false
		for _, from := range docs {
			for _, other := range docs {
				end := other.Stages[i].Start.Add(time.Duration(other.Stages[i].Seconds * float64(time.Second)))
				apart = apart || end.Before(from.Stages[i].Start)
			}
		}
		if apart {
			d.Notes = append(d.Notes, Note{At: s.Start, Kind: NoteWarning, Stage: s.Number,
				Text: "the machines did not run it at the same time: its rate is that of the whole time from the first start to the last end"})
		}
	}
}

// sameStages returns an error that names the first difference between what was run.
func sameStages(a, b *Document, nameA, nameB string) error {
	differ := func(what string, va, vb any) error {
		return fmt.Errorf("these results cannot be merged: %s is %v in %s but %v in %s", what, va, nameA, vb, nameB)
	}
	switch {
	case a.Config.Namespace != b.Config.Namespace:
		return differ("the namespace", a.Config.Namespace, b.Config.Namespace)
	case a.Config.Set != b.Config.Set:
		return differ("the set", a.Config.Set, b.Config.Set)
	case a.Server.Embedded != b.Server.Embedded:
		return differ("embedded", a.Server.Embedded, b.Server.Embedded)
	case len(a.Config.Stages) != len(b.Config.Stages):
		return differ("the number of stages", len(a.Config.Stages), len(b.Config.Stages))
	case len(a.Stages) != len(b.Stages):
		return differ("the number of stages that ran", len(a.Stages), len(b.Stages))
	}
	for i, sa := range a.Config.Stages {
		sb := b.Config.Stages[i]
		keys := slices.Sorted(maps.Keys(sa))
		for key := range sb {
			if _, ok := sa[key]; !ok {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			if !slices.Contains(perMachine(), key) && !reflect.DeepEqual(withoutFile(sa[key]), withoutFile(sb[key])) {
				return differ(fmt.Sprintf("%s of stage %d", key, i+1), orNone(sa[key]), orNone(sb[key]))
			}
		}
	}
	for i, s := range a.Stages {
		if t := b.Stages[i]; s.Number != t.Number || s.Throttled != t.Throttled {
			return differ(fmt.Sprintf("stage %d", s.Number), "throttled: "+fmt.Sprint(s.Throttled), "throttled: "+fmt.Sprint(t.Throttled))
		}
	}
	return nil
}

// withoutFile leaves the path out of what a stage says of its UDF or its keys:
// machines may have the module, and their part of the keys, at different places.
func withoutFile(v any) any {
	if of, ok := v.(map[string]any); ok {
		of = maps.Clone(of)
		delete(of, "file")
		return of
	}
	return v
}

func orNone(v any) any {
	if v == nil {
		return "not given"
	}
	return v
}

func mergeStages(stages []*Stage) (*Stage, error) {
	first := stages[0]
	m := &Stage{Number: first.Number, Desc: first.Desc, Start: first.Start, Throttled: first.Throttled,
		Operations: map[string]*Operation{}, Assertions: []Assertion{}, Outages: mergeOutages(stages), Periods: []Period{}}
	var end time.Time
	var lateness []*Latency
	for _, s := range stages {
		if s.Start.Before(m.Start) {
			m.Start = s.Start
		}
		if e := s.Start.Add(time.Duration(s.Seconds * float64(time.Second))); e.After(end) {
			end = e
		}
		m.Abandoned += s.Abandoned
		m.Cluster = m.Cluster.Add(s.Cluster)
		m.Client.UserCPU += s.Client.UserCPU
		m.Client.SystemCPU += s.Client.SystemCPU
		m.Client.HeapBytes = max(m.Client.HeapBytes, s.Client.HeapBytes)
		m.Client.MaxRSS = max(m.Client.MaxRSS, s.Client.MaxRSS)
		g := &m.Client.GC
		g.Pauses, g.P50, g.P99, g.Max = g.Pauses+s.Client.GC.Pauses, max(g.P50, s.Client.GC.P50), max(g.P99, s.Client.GC.P99), max(g.Max, s.Client.GC.Max)
		lateness = append(lateness, s.Lateness)
	}
	m.Seconds = end.Sub(m.Start).Seconds()
	var err error
	if m.Throttled {
		if m.Lateness, err = mergeLatencies(lateness); err != nil {
			return nil, err
		}
	}
	for _, name := range operationNames() {
		if err := m.mergeOperation(name, stages); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := m.mergePeriods(stages); err != nil {
		return nil, err
	}
	for _, a := range first.Assertions {
		if err := m.assert(a); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (s *Stage) mergeOperation(name string, stages []*Stage) error {
	o := &Operation{Codes: []Code{}}
	var service, response []*Latency
	for _, from := range stages {
		p := from.Operations[name]
		if p == nil {
			continue
		}
		o.Counts = o.add(p.Counts)
		service, response = append(service, p.Service), append(response, p.Response)
		for _, c := range p.Codes {
			i := slices.IndexFunc(o.Codes, func(d Code) bool { return d.Code == c.Code && d.Records == c.Records })
			if i < 0 {
				o.Codes = append(o.Codes, c)
			} else {
				o.Codes[i].Count += c.Count
			}
		}
	}
	if len(service) == 0 {
		return nil
	}
	slices.SortStableFunc(o.Codes, func(a, b Code) int { return -cmp.Compare(a.Count, b.Count) })
	o.rates(s.Seconds)
	var err error
	if o.Service, err = mergeLatencies(service); err != nil {
		return err
	}
	if s.Throttled {
		if o.Response, err = mergeLatencies(response); err != nil {
			return err
		}
	}
	s.Operations[name] = o
	return nil
}

// mergeLatencies adds histograms.
func mergeLatencies(list []*Latency) (*Latency, error) {
	sum := new(histogram.Snapshot)
	for _, l := range list {
		s, err := l.Snapshot()
		if err != nil {
			return nil, err
		}
		sum = sum.Add(s)
	}
	return NewLatency(sum)
}

// mergePeriods adds the periods by the clock. They are as wide as those of the
// machine that has the widest, and each goes as a whole to where its middle is.
// Machines are shifted by whole periods, so that one whose start lies half a
// period behind does not jump back and forth.
func (s *Stage) mergePeriods(stages []*Stage) error {
	width := 0.0
	for _, from := range stages {
		width = max(width, typicalPeriod(from))
	}
	if width == 0 {
		return nil
	}
	cells := map[int][]Period{}
	for _, from := range stages {
		shift := math.Round(from.Start.Sub(s.Start).Seconds() / width)
		for _, p := range from.Periods {
			at := int(math.Min(math.Floor((p.Start+min(p.Seconds, typicalPeriod(from))/2)/width)+shift, maxObjects))
			cells[at] = append(cells[at], p)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(cells)) {
		p, err := mergeCell(cells[at])
		if err != nil {
			return err
		}
		p.Start = float64(at) * width
		s.Periods = append(s.Periods, p)
	}
	return nil
}

// typicalPeriod is the median length of a stage's periods.
func typicalPeriod(s *Stage) float64 {
	if len(s.Periods) == 0 {
		return 0
	}
	var lengths []float64
	for _, p := range s.Periods {
		lengths = append(lengths, p.Seconds)
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}

func mergeCell(periods []Period) (Period, error) {
	m := Period{Operations: map[string]*PeriodOperation{}}
	for _, p := range periods {
		m.Seconds = max(m.Seconds, p.Seconds)
	}
	for _, name := range operationNames() {
		o := &PeriodOperation{}
		var service, response []*Latency
		for _, p := range periods {
			if from := p.Operations[name]; from != nil {
				o.Counts = o.add(from.Counts)
				service = append(service, from.Service)
				if from.Response != nil {
					response = append(response, from.Response)
				}
			}
		}
		if len(service) == 0 {
			continue
		}
		var err error
		if o.Service, err = mergeLatencies(service); err != nil {
			return m, err
		}
		if len(response) > 0 {
			if o.Response, err = mergeLatencies(response); err != nil {
				return m, err
			}
		}
		m.Operations[name] = o
	}
	return m, nil
}

// assert checks an assertion again.
func (s *Stage) assert(a Assertion) error {
	c, err := condition.Parse(a.Text, condition.Assertion)
	if err != nil {
		return err
	}
	measured, _, err := s.Measured(c)
	if err != nil {
		return err
	}
	v, known := c.Measure(measured)
	a.OK, a.Measured = known && c.Holds(v), nil
	if known {
		a.Measured = &v
	}
	s.Assertions = append(s.Assertions, a)
	return nil
}

// FailedAssertions lists the assertions of all stages that failed, each with the
// measured value.
func (d *Document) FailedAssertions() []string {
	var lines []string
	for _, s := range d.Stages {
		for _, a := range s.Assertions {
			if !a.OK {
				lines = append(lines, fmt.Sprintf("stage %d: assertion failed: %s", s.Number, a))
			}
		}
	}
	return lines
}

// String says what was measured, such as "p99 < 2ms: 3.1ms".
func (a Assertion) String() string {
	c, err := condition.Parse(a.Text, condition.Assertion)
	if a.Measured == nil || err != nil {
		return a.Text + ": nothing measured"
	}
	return a.Text + ": " + c.Format(*a.Measured)
}
