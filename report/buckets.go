package report

import (
	"fmt"
	"io"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// Buckets writes asbench's --output-file: for each operation and output period,
// how many transactions took how long, in fixed buckets.
type Buckets struct {
	out     io.Writer
	ops     []workload.Op
	every   time.Duration
	pending *pendingBuckets
}

// pendingBuckets are the periods since the last line.
type pendingBuckets struct {
	end     time.Time
	elapsed time.Duration
	periods []workload.Snapshot
}

// NewBuckets writes the file's preamble and returns its observer. every is the
// output period, at least a second.
func NewBuckets(out io.Writer, plan *stage.Plan, every time.Duration) (*Buckets, error) {
	b := &Buckets{out: out, ops: operations(plan), every: every, pending: &pendingBuckets{}}
	for _, op := range b.ops {
		if err := histogram.WriteBucketPreamble(out, op.String()+"_hist"); err != nil {
			return nil, fmt.Errorf("output file: %w", err)
		}
	}
	return b, nil
}

// Pause writes nothing.
func (b *Buckets) Pause(*stage.Stage, int) error { return nil }

// Warmup writes nothing.
func (b *Buckets) Warmup(*stage.Stage) error { return nil }

// StageStart announces the stage in the file.
func (b *Buckets) StageStart(s *stage.Stage, _ time.Time) error {
	if _, err := io.WriteString(b.out, stageLine(s)); err != nil {
		return fmt.Errorf("output file: %w", err)
	}
	return nil
}

// Period writes a line for each operation once the output period is over.
func (b *Buckets) Period(p *stage.Period) error {
	b.pending.end = p.End
	b.pending.elapsed += p.Elapsed
	b.pending.periods = append(b.pending.periods, p.Delta)
	// Periods last about a second, so one that ends just short of the output
	// period belongs to it.
	if b.pending.elapsed < b.every-500*time.Millisecond {
		return nil
	}
	return b.flush()
}

// StageEnd writes what is left of the stage.
func (b *Buckets) StageEnd(*stage.StageResult) error { return b.flush() }

func (b *Buckets) flush() error {
	p := b.pending
	b.pending = &pendingBuckets{}
	if len(p.periods) == 0 {
		return nil
	}
	for _, op := range b.ops {
		sum := p.periods[0].Latency(op)
		for _, s := range p.periods[1:] {
			sum = sum.Add(s.Latency(op))
		}
		if err := histogram.WriteBuckets(b.out, op.String()+"_hist", p.end, p.elapsed, sum); err != nil {
			return fmt.Errorf("output file: %w", err)
		}
	}
	return nil
}
