package workload

import (
	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
)

// newSource returns what makes the keys of one transaction, or of one row of a
// batch.
func (j *Job) newSource() keygen.Source {
	if j.spec.KeyFile != nil {
		return j.spec.KeyFile.NewReader()
	}
	return j.spec.KeyFormat.NewEncoder()
}

// inserted returns the number of the n-th record that is inserted besides those
// of the range, n from 0. These follow the range, in turn among the shards, so
// that machines do not insert each other's.
func (j *Job) inserted(n uint64) uint64 {
	shard := j.spec.Shard
	if shard.Count == 0 {
		return j.whole.End + n
	}
	// Both factors are far too small to wrap: 2^20 shards and, at a million a
	// second for a thousand years, 2^55 records.
	return j.whole.End + n*shard.Count + shard.Index - 1
}

// nextKey returns the number of the next record, or false when there is none
// left.
func (w *worker) nextKey(act Action) (uint64, bool) {
	j := w.job
	switch {
	case !j.spec.Workload.Endless():
		return w.part.Next()
	case act == InsertRecord:
		// In turn among the workers.
		key := j.inserted(w.fresh)
		w.fresh += uint64(j.spec.Workers)
		return key, key <= j.last
	case w.latest != nil:
		return w.latestKey(), true
	}
	return w.draws.Next(), true
}

// latestKey draws from the range and what was inserted behind it. What the other
// workers have inserted is not counted, which would cost each of them time, but
// taken to be as much as this one has.
func (w *worker) latestKey() uint64 {
	j := w.job
	w.latest.SetEnd(j.keys.End + w.fresh - w.fresh%uint64(j.spec.Workers))
	key := w.latest.Next()
	if key >= j.keys.End {
		return j.inserted(key - j.keys.End)
	}
	return key
}

// address sets the key of a command to that of a number, and returns what the
// record's values depend on. A key that cannot be had is an error of the
// transaction, which transact returns.
func (w *worker) address(key *as.Key, source keygen.Source, number uint64) (id uint64) {
	value, id, err := source.Key(number)
	if err != nil {
		w.keyErr = &panicError{as.AerospikeError{ResultCode: types.COMMON_ERROR}, err.Error()}
		return 0
	}
	_ = key.SetValue(value) // fails only for other types than keys have
	return id
}
