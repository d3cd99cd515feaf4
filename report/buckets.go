package report

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// Buckets writes asbench's --output-file: for each operation and output period,
// how many transactions took how long, in fixed buckets. Once a line could not
// be written, the run goes on, and [Buckets.Close] tells.
type Buckets struct {
	out     io.WriteCloser
	ops     []workload.Op
	every   time.Duration
	started bool
	err     error

	// What happened since the last line.
	end     time.Time
	elapsed time.Duration
	sums    [workload.NumOps]*histogram.Snapshot
}

// NewBuckets returns the output file of a run of plan. every is the output
// period, at least a second.
func NewBuckets(out io.WriteCloser, plan *stage.Plan, every time.Duration) *Buckets {
	return &Buckets{out: out, ops: operations(plan), every: every}
}

// Pause writes nothing.
func (b *Buckets) Pause(*stage.Stage, int) error { return nil }

// Warmup writes nothing.
func (b *Buckets) Warmup(*stage.Stage) error { return nil }

// StageStart announces the stage in the file, and what the buckets are before
// the first one.
func (b *Buckets) StageStart(s *stage.Stage, _ time.Time) error {
	if !b.started {
		b.started = true
		for _, op := range b.ops {
			if err := histogram.WriteBucketPreamble(b.out, op.String()+"_hist"); err != nil {
				return fmt.Errorf("output file: %w", err)
			}
		}
	}
	if _, err := io.WriteString(b.out, stageLine(s)); err != nil {
		return fmt.Errorf("output file: %w", err)
	}
	return nil
}

// Period writes a line for each operation once the output period is over.
func (b *Buckets) Period(p *stage.Period) error {
	b.end = p.End
	b.elapsed += p.Elapsed
	for _, op := range b.ops {
		b.sums[op] = p.Stage.Latency(p.Delta, op).Add(b.sums[op])
	}
	// Periods last about a second, so one that ends just short of the output
	// period belongs to it.
	if b.elapsed >= b.every-500*time.Millisecond {
		b.flush()
	}
	return nil
}

// StageEnd writes what is left of the stage.
func (b *Buckets) StageEnd(*stage.StageResult) error {
	if b.elapsed > 0 {
		b.flush()
	}
	return nil
}

func (b *Buckets) flush() {
	for _, op := range b.ops {
		err := histogram.WriteBuckets(b.out, op.String()+"_hist", b.end, b.elapsed, b.sums[op])
		if err != nil && b.err == nil {
			b.err = fmt.Errorf("output file: %w", err)
		}
	}
	b.elapsed, b.sums = 0, [workload.NumOps]*histogram.Snapshot{}
}

// Close closes the file and returns the first error that there was in writing
// it.
func (b *Buckets) Close() error { return errors.Join(b.err, b.out.Close()) }
