package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/workload"
)

// Bounds of what is read, far above what a run writes: they keep a wrong or
// hostile file from filling the memory.
const (
	maxFile    = 128 << 20
	maxObjects = 500_000 // JSON objects and lists
	maxCount   = 1 << 53 // what JSON readers hold exactly
)

// ReadFile reads and checks the result in a file.
func ReadFile(path string) (*Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("result file: %w", err)
	}
	defer f.Close()
	return read(path, f)
}

// Read reads a result and checks it strictly: its version, that nothing unknown is
// in it, and that its numbers agree with each other and with the histograms. What
// it returns can be used without further checks.
func Read(r io.Reader) (*Document, error) { return read("result", r) }

// read reads the result of a file, whose name begins its errors.
func read(name string, r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: reading a result: %w", name, err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s: not a result: larger than %d MiB", name, maxFile>>20)
	}
	if n := countObjects(data); n > maxObjects {
		return nil, fmt.Errorf("%s: not a result: it holds %d objects and lists, more than %d", name, n, maxObjects)
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, jsonError(name, data, err)
	}
	switch {
	case head.Format != Format:
		return nil, fmt.Errorf("%s: not a result of aeroload: its format is %.40q, not %q", name, head.Format, Format)
	case head.Version != Version:
		return nil, fmt.Errorf("%s: a result of version %d: this aeroload reads version %d", name, head.Version, Version)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	d := new(Document)
	if err := dec.Decode(d); err != nil {
		return nil, jsonError(name, data, err)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("%s: not a valid result: %w", name, err)
	}
	return d, nil
}

// countObjects counts what begins with a brace or a bracket, outside of strings.
func countObjects(data []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			n++
		}
	}
	return n
}

func (d *Document) check() error {
	if len(d.Machines) == 0 {
		return errors.New("machines: there is none")
	}
	if err := d.checkRuns(); err != nil {
		return err
	}
	for i, s := range d.Stages {
		if s == nil {
			return fmt.Errorf("stages: element %d is null", i+1)
		}
		if s.Number < 1 || s.Number > len(d.Config.Stages) || i > 0 && s.Number <= d.Stages[i-1].Number {
			return fmt.Errorf("stages: element %d has the number %d", i+1, s.Number)
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("stage %d: %w", s.Number, err)
		}
	}
	return nil
}

func (s *Stage) check() error {
	if !validSeconds(s.Seconds) || s.Abandoned < 0 {
		return fmt.Errorf("%v seconds, %d abandoned", s.Seconds, s.Abandoned)
	}
	if err := s.Lateness.check(-1); err != nil {
		return fmt.Errorf("lateness: %w", err)
	}
	if err := checkOutages(s.Outages); err != nil {
		return err
	}
	for _, a := range s.Assertions {
		if _, err := condition.Parse(a.Text, condition.Assertion); err != nil {
			return fmt.Errorf("assertions: %w", err)
		}
	}
	sums := map[string]Counts{}
	for i, p := range s.Periods {
		if !validSeconds(p.Seconds) || !validSeconds(p.Start) || i > 0 && p.Start < s.Periods[i-1].Start {
			return fmt.Errorf("period %d: from %v, %v seconds long", i+1, p.Start, p.Seconds)
		}
		for name, o := range p.Operations {
			if s.Operations[name] == nil || o == nil {
				return fmt.Errorf("period %d: operation %.40q is not one of the stage", i+1, name)
			}
			if err := checkOperation(o.Counts, o.Service, o.Response, s.Throttled); err != nil {
				return fmt.Errorf("period %d: %s: %w", i+1, name, err)
			}
			sums[name] = sums[name].add(o.Counts)
		}
	}
	for name, o := range s.Operations {
		if !slices.Contains(operationNames(), name) {
			return fmt.Errorf("unknown operation %.40q", name)
		}
		if o == nil {
			return fmt.Errorf("%s: null", name)
		}
		if err := checkOperation(o.Counts, o.Service, o.Response, s.Throttled); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(s.Periods) > 0 && sums[name] != o.Counts {
			return fmt.Errorf("%s: the periods' counts add up to %+v, not %+v", name, sums[name], o.Counts)
		}
	}
	return nil
}

func operationNames() []string {
	var names []string
	for op := range workload.NumOps {
		names = append(names, workload.Op(op).String())
	}
	return names
}

func checkOperation(c Counts, service, response *Latency, throttled bool) error {
	for _, n := range []uint64{c.Done, c.Timeouts, c.Errors, c.Hits, c.Misses, c.Lost, c.Mismatches} {
		if n > maxCount {
			return fmt.Errorf("a count of %d", n)
		}
	}
	if service == nil {
		return errors.New("service: missing")
	}
	measured := int64(c.Done + c.Timeouts)
	if err := service.check(measured); err != nil {
		return fmt.Errorf("service: %w", err)
	}
	if (response != nil) != throttled {
		return errors.New("response: stages with a target rate have one, others have none")
	}
	if err := response.check(-1); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	return nil
}

// check checks the latency against its histogram. want is how many there must be,
// or -1 for any number.
//
// In a running stage a transaction may be counted in one period and its latency
// recorded in the next, so periods may differ by those in flight.
func (l *Latency) check(want int64) error {
	if l == nil {
		return nil
	}
	s, err := l.Snapshot()
	if err != nil {
		return err
	}
	if s.Count() != l.Count {
		return fmt.Errorf("the histogram holds %d values, not %d", s.Count(), l.Count)
	}
	if d := want - l.Count; want >= 0 && (d > maxInFlight || d < -maxInFlight) {
		return fmt.Errorf("%d latencies of %d transactions", l.Count, want)
	}
	same := summarize(s)
	if same.P50 != l.P50 || same.P90 != l.P90 || same.P99 != l.P99 || same.P999 != l.P999 || same.P9999 != l.P9999 ||
		same.Min != l.Min || same.Max != l.Max || !(math.Abs(same.Mean-l.Mean) <= 1e-6*same.Mean) {
		return errors.New("the percentiles are not those of the histogram")
	}
	return nil
}

// maxInFlight is the most transactions that a stage has on their way.
const maxInFlight = 10_000

// validSeconds refuses what is no length of time, or longer than ten years.
func validSeconds(s float64) bool { return s >= 0 && s <= 10*366*24*3600 }
