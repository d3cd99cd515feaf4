package result

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

const (
	// maxPeriods bounds the periods that a document keeps over all stages: half
	// an hour of seconds. Beyond it, neighbouring periods of the stage that has
	// most of them are put together, so that a day has periods of a minute or
	// so. A period takes some 4 KB of memory for each operation and kind of
	// latency, and 1.5 KB in the file.
	maxPeriods = 1800
	// encodePerPeriod is how many waiting periods are encoded with each new
	// one: the new one, and one that is the sum of older ones. When periods are
	// put together, each such sum covers two periods or more, so that none is
	// left over when it happens again.
	encodePerPeriod = 2
)

// series is the periods of a stage.
type series struct {
	start time.Time // of the stage
	list  []*entry
	// merge is how many of the observer's periods make one of the series.
	merge int
	// encoded is the number of entries, from the first on, whose histograms
	// were encoded.
	encoded int
}

// entry is a period.
type entry struct {
	start, end time.Duration // from the start of the stage
	parts      int           // how many of the observer's periods it holds
	ops        [workload.NumOps]*entryOp
}

// entryOp is an operation in a period.
type entryOp struct {
	counts            workload.Counts
	service, response *latencies
}

// latencies are a histogram with its encoding, once that is known.
type latencies struct {
	packed    *hdrhistogram.PackedHistogram
	overRange int64
	summary   *Latency
}

func newSeries(start time.Time) *series { return &series{start: start, merge: 1} }

// add appends a period, or adds it to the last one while that holds too few.
func (s *series) add(p *stage.Period) {
	end := p.End.Sub(s.start)
	e := &entry{start: end - p.Elapsed, end: end, parts: 1}
	for op := range workload.Op(workload.NumOps) {
		c := p.Delta.Counts[op]
		// A transaction may be counted in the period after the one in which its
		// latency was recorded.
		if c == (workload.Counts{}) && p.Delta.Service[op].Count() == 0 {
			continue
		}
		o := &entryOp{counts: c, service: newLatencies(p.Delta.Service[op])}
		if p.Stage.Schedule.Throttled() {
			o.response = newLatencies(p.Delta.Response[op])
		}
		e.ops[op] = o
	}
	if n := len(s.list); n > 0 && s.list[n-1].parts < s.merge {
		s.list[n-1].add(e)
		s.encoded = min(s.encoded, n-1)
		return
	}
	s.list = append(s.list, e)
}

func newLatencies(s *histogram.Snapshot) *latencies {
	return &latencies{packed: s.Packed(), overRange: s.OverRange()}
}

// add adds the period that follows.
func (e *entry) add(next *entry) {
	e.end, e.parts = next.end, e.parts+next.parts
	for op, o := range next.ops {
		switch mine := e.ops[op]; {
		case o == nil:
		case mine == nil:
			e.ops[op] = o
		default:
			mine.counts = mine.counts.Add(o.counts)
			mine.service.add(o.service)
			mine.response.add(o.response)
		}
	}
}

func (l *latencies) add(m *latencies) {
	if l == nil {
		return
	}
	l.packed.Merge(m.packed)
	l.overRange += m.overRange
	l.summary = nil
}

// coarsen puts each two neighbouring periods together.
func (s *series) coarsen() {
	s.merge *= 2
	half := s.list[:0]
	for i := 0; i < len(s.list); i += 2 {
		e := s.list[i]
		if i+1 < len(s.list) {
			e.add(s.list[i+1])
		}
		half = append(half, e)
	}
	clear(s.list[len(half):]) // what they hold is garbage now
	s.list, s.encoded = half, 0
}

// boundPeriods coarsens the longest series until there are at most limit periods,
// or none has two.
func boundPeriods(all []*series, limit int) {
	for {
		total, longest := 0, all[0]
		for _, s := range all {
			total += len(s.list)
			if len(s.list) > len(longest.list) {
				longest = s
			}
		}
		if total <= limit || len(longest.list) < 2 {
			return
		}
		longest.coarsen()
	}
}

// encode encodes the histograms of up to n periods that are complete.
func (s *series) encode(n int) error {
	for ; n > 0 && s.encoded < len(s.list) && s.list[s.encoded].parts >= s.merge; n-- {
		if err := s.list[s.encoded].encode(); err != nil {
			return err
		}
		s.encoded++
	}
	return nil
}

func (e *entry) encode() error {
	for _, o := range e.ops {
		if o == nil {
			continue
		}
		if err := o.service.encode(); err != nil {
			return err
		}
		if err := o.response.encode(); err != nil {
			return err
		}
	}
	return nil
}

func (l *latencies) encode() error {
	if l == nil || l.summary != nil {
		return nil
	}
	text, err := histogram.EncodePacked(l.packed)
	if err != nil {
		return err
	}
	p := l.packed.ValueAtPercentilesSlice([]float64{50, 90, 99, 99.9, 99.99})
	l.summary = &Latency{
		Count: l.packed.TotalCount(), OverRange: l.overRange, Min: l.packed.Min(), Mean: l.packed.Mean(), Max: l.packed.Max(),
		P50: p[0], P90: p[1], P99: p[2], P999: p[3], P9999: p[4], Histogram: text,
	}
	return nil
}

// periods returns the series as a document has it.
func (s *series) periods() ([]Period, error) {
	list := []Period{}
	for _, e := range s.list {
		if err := e.encode(); err != nil {
			return nil, err
		}
		p := Period{Start: e.start.Seconds(), Seconds: (e.end - e.start).Seconds(), Operations: map[string]*PeriodOperation{}}
		for op, o := range e.ops {
			if o == nil {
				continue
			}
			po := &PeriodOperation{Counts: newCounts(o.counts), Service: o.service.summary}
			if o.response != nil {
				po.Response = o.response.summary
			}
			p.Operations[workload.Op(op).String()] = po
		}
		list = append(list, p)
	}
	return list, nil
}
