package workload

import (
	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// batch is a worker's command of one action on several records. Its rows are
// made once and reused.
type batch struct {
	step    *step
	policy  *as.BatchPolicy
	records []as.BatchRecordIfc
	rows    []row
	n       int // rows of the next transaction; fewer at the end of a walk
}

// row is one record of a batch. Of read, write and udf one is set, or none for a
// delete.
type row struct {
	key    *as.Key
	source keygen.Source
	id     uint64 // what the values of the key's record depend on
	read   *as.BatchRead
	write  *as.BatchWrite
	udf    *as.BatchUDF
	result *as.BatchRecord

	// A record's values live in buffers of its generator, so each row needs
	// its own. The operations point to them.
	values    *objspec.Generator // nil when all records get the same value
	args      *objspec.Generator // likewise
	all, some []*as.Operation    // of full and of partial writes
	present   []*as.Operation    // room for those whose bins the record has
}

func newBatch(j *Job, st *step) *batch {
	b := &batch{step: st, policy: as.NewBatchPolicy(), rows: make([]row, st.records)}
	namespaces := []string{j.spec.Namespace}
	if st.act == ReadBins {
		b.policy.BasePolicy = *j.spec.ReadPolicy
		if j.spec.BatchNamespaces != nil {
			namespaces = j.spec.BatchNamespaces
		}
	} else {
		b.policy.BasePolicy = j.policies[st.act].BasePolicy
	}
	write, remove, udf := batchPolicies(j.policies[st.act])
	for i := range b.rows {
		r := &b.rows[i]
		// Keys of integers are always valid.
		r.key, _ = as.NewKey(namespaces[i%len(namespaces)], j.spec.Set, 0)
		r.source = j.newSource()
		switch st.act {
		case ReadBins:
			r.read = as.NewBatchRead(nil, r.key, nil)
			r.result = &r.read.BatchRecord
			b.records = append(b.records, r.read)
		case DeleteRecord:
			d := as.NewBatchDelete(remove, r.key)
			r.result = &d.BatchRecord
			b.records = append(b.records, d)
		case CallUDF:
			r.udf = as.NewBatchUDF(udf, r.key, j.spec.UDF.Module, j.spec.UDF.Name, j.fixedArgs...)
			r.result = &r.udf.BatchRecord
			b.records = append(b.records, r.udf)
			if j.spec.Random && j.spec.UDF.Args != nil {
				r.args = j.spec.UDF.Args.NewGenerator(j.spec.Seed)
			}
		default:
			r.fill(j, st.act)
			r.write = as.NewBatchWrite(write, r.key)
			r.result = &r.write.BatchRecord
			b.records = append(b.records, r.write)
		}
	}
	return b
}

// batchPolicies are a write policy in the forms that batch rows take.
func batchPolicies(p *as.WritePolicy) (*as.BatchWritePolicy, *as.BatchDeletePolicy, *as.BatchUDFPolicy) {
	write := as.NewBatchWritePolicy()
	write.RecordExistsAction, write.CommitLevel = p.RecordExistsAction, p.CommitLevel
	write.Expiration, write.DurableDelete, write.SendKey = p.Expiration, p.DurableDelete, p.SendKey
	remove := as.NewBatchDeletePolicy()
	remove.CommitLevel, remove.DurableDelete, remove.SendKey = p.CommitLevel, p.DurableDelete, p.SendKey
	udf := as.NewBatchUDFPolicy()
	udf.CommitLevel, udf.Expiration, udf.DurableDelete, udf.SendKey = p.CommitLevel, p.Expiration, p.DurableDelete, p.SendKey
	return write, remove, udf
}

// fill makes the operations of a row that writes.
func (r *row) fill(j *Job, act Action) {
	all, some := j.fixedAll, j.fixedSome
	switch {
	case act == DeleteBins:
		all, some = j.nulls, j.nulls
	case act.adds():
		all = map[Action][]*as.Bin{Increment: j.plus, Decrement: j.minus}[act]
		some = all
	case j.spec.Random:
		r.values = j.spec.Object.NewGenerator(j.spec.Seed)
		all = r.values.All()
		some = nil
		for _, i := range j.writeSel {
			some = append(some, all[i])
		}
	}
	operation := as.PutOp
	if act.adds() {
		operation = as.AddOp
	}
	r.all, r.some = operationsOn(all, operation), operationsOn(some, operation)
}

// having returns those of the operations whose bin the record has. The operations
// are those of the selected bins, or of all for nil. Unless the spec has optional
// bins, all stay.
func (r *row) having(ops []*as.Operation, sel []int, bins []*as.Bin) []*as.Operation {
	if len(bins) == len(ops) {
		return ops
	}
	all := r.values.All()
	r.present = r.present[:0]
	for n, op := range ops {
		i := n
		if sel != nil {
			i = sel[n]
		}
		if len(bins) > 0 && bins[0] == all[i] {
			r.present, bins = append(r.present, op), bins[1:]
		}
	}
	return r.present
}

func operationsOn(bins []*as.Bin, operation func(*as.Bin) *as.Operation) []*as.Operation {
	ops := make([]*as.Operation, len(bins))
	for i, b := range bins {
		ops[i] = operation(b)
	}
	return ops
}

// prepare fills the batch with the next keys. It returns false when there are
// none left.
func (b *batch) prepare(w *worker) bool {
	j := w.job
	all := w.chance(b.step.all) // of the whole batch
	for b.n = 0; b.n < len(b.rows); b.n++ {
		number, ok := w.nextKey(b.step.act)
		if !ok {
			break
		}
		r := &b.rows[b.n]
		id := w.address(r.key, r.source, number)
		r.id = id
		if w.keyErr != nil {
			b.n = 0 // none of the rows is sent
			return true
		}
		switch {
		case r.read != nil:
			r.read.ReadAllBins, r.read.BinNames = all, nil
			if !all {
				r.read.BinNames = j.readNames
			}
		case r.write != nil:
			r.write.Ops = r.all
			sel := []int(nil)
			if !all {
				r.write.Ops, sel = r.some, j.writeSel
			}
			if r.values != nil {
				r.write.Ops = r.having(r.write.Ops, sel, r.values.Record(id, sel))
			}
		case r.args != nil:
			r.udf.FunctionArgs = r.args.Args(id)
		}
	}
	return b.n > 0
}

// allFailed tells whether every record of a batch that was answered failed.
func (b *batch) allFailed() bool {
	for i := range b.rows[:b.n] {
		if outcomeOf(b.rows[i].result.ResultCode) == done {
			return false
		}
	}
	return b.n > 0
}

// countBatch counts what became of the records of a batch. One of which every record
// failed has failed; one of which only some failed was answered. hit tells whether
// all records were there.
func (w *worker) countBatch(op Op, b *batch, how outcome) (hit bool) {
	var hits, misses, failures uint64
	stats := w.tally.stats
	for i := range b.rows[:b.n] {
		switch result := b.rows[i].result; {
		case result.ResultCode == types.OK:
			hits++
		case result.ResultCode == types.KEY_NOT_FOUND_ERROR:
			misses++
		default:
			failures++
			if how == done {
				key := failureKey{op: op, code: result.ResultCode, record: true}
				stats.fail(key, result.Err)
				w.monitor.record(w, b, i, key)
			}
		}
	}
	c := &w.tally.counts[op]
	c.hit.Add(hits)
	c.miss.Add(misses)
	c.lost.Add(failures)
	return hits == uint64(b.n)
}
