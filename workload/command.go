package workload

import (
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

// transact makes the client call. found is false when a delete found no record.
func (w *worker) transact(st *step) (found bool, err as.Error) {
	// The client panics on some answers that make no sense. Such an answer is
	// an error of its transaction, and must not take the results along.
	defer func() {
		if p := recover(); p != nil {
			err = clientPanic(p)
		}
	}()
	if w.keyErr != nil {
		return false, w.keyErr
	}
	j := w.job
	if b := w.batches[st.number]; b != nil {
		return true, j.client.BatchOperate(b.policy, b.records[:b.n])
	}
	switch policy := j.policies[st.act]; st.act {
	case ReadBins:
		w.got, err = j.client.Get(j.spec.ReadPolicy, w.key, w.readNames...)
	case DeleteRecord:
		return j.client.Delete(policy, w.key)
	case CallUDF:
		_, err = j.client.Execute(policy, w.key, j.spec.UDF.Module, j.spec.UDF.Name, w.udfArgs...)
	case Increment, Decrement:
		err = j.client.AddBins(policy, w.key, w.bins...)
	case QueryRecords, ScanRecords:
		return true, w.searcher.search(j.client, st.act)
	case ReadCollection, WriteCollection:
		_, err = j.client.Operate(policy, w.key, w.ops...)
	default:
		err = j.client.PutBins(policy, w.key, w.bins...)
	}
	return true, err
}

// settle counts how a command ended, and its latency, unless the job has ended
// without it. hit tells whether its records were there.
func (w *worker) settle(st *step, found bool, err as.Error, service, response time.Duration) (how outcome, hit bool) {
	if !w.stop.Load() {
		return w.count(st, found, err, service, response)
	}
	counted := w.ending.admit(w, func() { how, hit = w.count(st, found, err, service, response) })
	if !counted {
		w.recording = false // nor is what it was a part of
		return failed, false
	}
	return how, hit
}

func (w *worker) count(st *step, found bool, err as.Error, service, response time.Duration) (how outcome, hit bool) {
	how, code, why := w.outcome(st, err)
	if w.monitor != nil {
		w.report(st, how, code, why, service)
	}
	if !w.recording {
		return how, false
	}
	op := st.act.Op()
	switch b := w.batches[st.number]; {
	case b != nil:
		hit = w.countBatch(op, b, how)
	case st.act.searches():
		hit = w.countSearch(op, how)
	default:
		hit = w.countRecord(op, how, found && code == types.OK)
	}
	if how != done {
		w.tally.stats.fail(failureKey{op: op, code: code}, why)
	}
	w.tally.settle(op, how, service, response)
	if w.verifier != nil && st.act == ReadBins && how == done && (hit || w.batches[st.number] != nil) {
		w.verify(st)
	}
	return how, hit
}

// outcome tells how a command ended, by which result code, and why if it failed. A
// batch that was answered, but of which every record failed, has failed by the code
// of the first.
func (w *worker) outcome(st *step, err as.Error) (outcome, types.ResultCode, error) {
	if err != nil {
		how, code := classify(err)
		return how, code, err
	}
	if b := w.batches[st.number]; b != nil && b.allFailed() {
		first := b.rows[0].result
		return outcomeOf(first.ResultCode), first.ResultCode, first.Err
	}
	return done, types.OK, nil
}

// report tells the monitor how a command ended that has taken some time.
func (w *worker) report(st *step, how outcome, code types.ResultCode, err error, took time.Duration) {
	ended := w.offset + w.end
	if how != done {
		w.failing = true
		w.monitor.fail(w, st, how, code, err, ended-took, ended)
		return
	}
	w.success.Store(int64(ended))
	if w.failing {
		w.failing = false
		w.monitor.recover(ended)
	}
}

// countRecord counts what became of the record of a single-record command.
func (w *worker) countRecord(op Op, how outcome, found bool) (hit bool) {
	switch c := &w.tally.counts[op]; {
	case how != done:
	case found:
		c.hit.Add(1)
		return true
	default:
		c.miss.Add(1)
	}
	return false
}

// countWhole counts a transaction of several commands. Its failure has been
// counted by result code as that of a command.
func (w *worker) countWhole(how outcome, complete bool, service, response time.Duration) {
	if !w.recording {
		return
	}
	switch c := &w.tally.counts[Txn]; {
	case how == done && complete:
		c.hit.Add(1)
	case how == done:
		c.miss.Add(1)
	}
	w.tally.settle(Txn, how, service, response)
}

// countParts counts commands that belong to a transaction.
func (w *worker) countParts(n uint64) {
	if w.recording {
		w.tally.parts.Add(n)
	}
}
