package workload

import "math"

// operation is an [Operation], ready to run.
type operation struct {
	limit   uint64 // of a draw of 53 bits: below it, this operation is chosen
	steps   []*step
	pattern *pattern // nil for transactions of fixed steps
}

// compound tells whether the transaction is measured as a whole besides its
// commands.
func (o *operation) compound() bool { return o.pattern != nil || len(o.steps) > 1 }

// step is a command of a transaction.
type step struct {
	number  int // among the job's steps: the worker's batch for it
	act     Action
	records int    // of a batch; 1 for a single-record command
	all     uint64 // probability that it takes all bins
	again   bool   // it is on the record of the step before
}

// pattern is a [Pattern], ready to run.
type pattern struct {
	items         []patternStep
	read, write   *step // beyond the items
	reads, writes span
}

// span is how many commands of a kind a transaction has.
type span struct {
	least, most int
	fixed       int // among the items
}

// draw returns how many there are beyond the items this time.
func (s span) draw(w *worker) int { return max(0, w.between(s.least, s.most)-s.fixed) }

type patternStep struct {
	*step
	times int
}

// certain is the probability of what always happens.
const certain = 1 << 53

// probability turns a percentage into the limit below which a draw of 53 random
// bits falls with that probability: never for 0, always for 100.
func probability(percent float64) uint64 {
	return uint64(math.Round(percent / 100 * certain))
}

// prepareOperations builds the operations of the workload.
func (j *Job) prepareOperations() {
	list := j.spec.Workload.Operations()
	var total, sum float64
	for _, o := range list {
		total += o.Weight
	}
	for i, o := range list {
		sum += o.Weight
		op := operation{limit: probability(100 * sum / total)}
		if i == len(list)-1 {
			op.limit = certain // whatever rounding has left
		}
		switch {
		case o.Pattern != nil:
			op.pattern = j.preparePattern(o.Pattern)
		case o.Compound():
			for k, act := range o.Actions {
				s := j.step(act, 1, 0, k > 0)
				if act == ReadBins && j.spec.ReadBins == nil {
					s.all = certain
				}
				op.steps = append(op.steps, s)
			}
		default:
			act := o.Actions[0]
			if act == DeleteBins && j.spec.WriteBins == nil {
				act = DeleteRecord // whatever bins it has
			}
			op.steps = []*step{j.step(act, j.batchSize(act), probability(o.All), false)}
		}
		j.operations = append(j.operations, op)
	}
}

func (j *Job) step(act Action, records int, all uint64, again bool) *step {
	s := &step{number: len(j.steps), act: act, records: records, all: all, again: again}
	j.steps = append(j.steps, s)
	return s
}

// batchSize is how many records a transaction of the action has.
func (j *Job) batchSize(act Action) int {
	switch act {
	case ReadBins:
		return j.spec.BatchRead
	case DeleteRecord, DeleteBins:
		return j.spec.BatchDelete
	}
	return j.spec.BatchWrite
}

func (j *Job) preparePattern(p *Pattern) *pattern {
	all := func(all bool) uint64 {
		if all {
			return certain
		}
		return 0
	}
	reads, writes := p.fixed()
	// Reads and writes beyond the items take all bins, as in the Java tool.
	run := &pattern{
		read: j.step(ReadBins, 1, certain, false), write: j.step(UpdateBins, 1, certain, false),
		reads:  span{p.span(p.reads, -1), p.span(p.reads, 1), reads},
		writes: span{p.span(p.writes, -1), p.span(p.writes, 1), writes},
	}
	for _, it := range p.items {
		run.items = append(run.items, patternStep{j.step(it.action, it.records, all(it.all), false), it.times})
	}
	return run
}

// course is how far a transaction has come.
type course struct {
	operation     *operation
	step          int // of the operation, or item of its pattern
	times         int // that the item was carried out
	reads, writes int // left after the items
}

// begin starts a transaction of the operation.
func (o *operation) begin(w *worker) course {
	c := course{operation: o}
	if p := o.pattern; p != nil {
		c.reads, c.writes = p.reads.draw(w), p.writes.draw(w)
	}
	return c
}

// next returns the transaction's next step, or nil when it is complete.
func (c *course) next(w *worker) *step {
	p := c.operation.pattern
	if p == nil {
		if c.step == len(c.operation.steps) {
			return nil
		}
		c.step++
		return c.operation.steps[c.step-1]
	}
	for c.step < len(p.items) {
		if it := p.items[c.step]; c.times < it.times {
			c.times++
			return it.step
		}
		c.step, c.times = c.step+1, 0
	}
	switch left := c.reads + c.writes; {
	case left == 0:
		return nil
	case w.between(1, left) <= c.reads:
		c.reads--
		return p.read
	}
	c.writes--
	return p.write
}
