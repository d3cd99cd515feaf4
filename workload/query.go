package workload

import (
	"encoding/binary"
	"math"

	as "github.com/aerospike/aerospike-client-go/v8"
	particle "github.com/aerospike/aerospike-client-go/v8/types/particle_type"

	"github.com/aeroload/aeroload/objspec"
)

// Query says what secondary-index queries ask for: the records of which a bin has
// the value that a record of the key range has, or a value of a range that begins
// there.
type Query struct {
	// Bin is the index of the bin in the object spec. It has integers or strings.
	Bin int
	// Width is how many values the range has, of integers; 0 asks for one value
	// by equality.
	Width uint64
}

// Scan says what scans read.
type Scan struct {
	// Partitions is how many of the 4096 partitions a scan reads, from a random
	// one on; 0 is all of them.
	Partitions int
	// MaxRecords ends a scan after that many records; 0 is no limit.
	MaxRecords int64
}

// NumPartitions is the number of partitions of a namespace.
const NumPartitions = 4096

// searches tells whether the action returns any number of records.
func (a Action) searches() bool { return a == QueryRecords || a == ScanRecords }

// HasQueries tells whether any transaction is a secondary-index query.
func (w Workload) HasQueries() bool { return w.Does(func(a Action) bool { return a == QueryRecords }) }

// HasScans tells whether any transaction is a scan.
func (w Workload) HasScans() bool { return w.Does(func(a Action) bool { return a == ScanRecords }) }

// searcher makes a worker's queries and scans.
type searcher struct {
	spec   *Spec
	query  *as.QueryPolicy
	scan   *as.ScanPolicy
	values *objspec.Generator
	bins   []string // to return; none asks for all

	statement  *as.Statement // of the next query
	partitions *as.PartitionFilter
	returned   uint64 // by the last query or scan
}

func newSearcher(s *Spec) *searcher {
	// They last as long as they have records to return, so no total timeout.
	// The socket's timeout finds servers that have stopped.
	x := &searcher{spec: s, query: as.NewQueryPolicy(), scan: as.NewScanPolicy(), values: s.Object.NewGenerator(s.Seed)}
	for _, p := range []*as.MultiPolicy{&x.query.MultiPolicy, &x.scan.MultiPolicy} {
		retries := p.MaxRetries
		p.BasePolicy = *s.ReadPolicy
		p.TotalTimeout, p.MaxRetries = 0, retries
	}
	x.scan.MaxRecords = s.Scan.MaxRecords
	names := s.Object.Bins()
	for _, i := range s.ReadBins {
		x.bins = append(x.bins, names[i])
	}
	return x
}

// prepareQuery makes the query for the value of a record.
func (x *searcher) prepareQuery(id uint64) {
	if !x.spec.Random {
		id = 0
	}
	x.statement = as.NewStatement(x.spec.Namespace, x.spec.Set, x.bins...)
	found := x.values.Record(id, []int{x.spec.Query.Bin})
	name := x.spec.Object.Bins()[x.spec.Query.Bin]
	var filter *as.Filter
	switch raw := value(found); {
	case raw == nil: // an optional bin that the record has not: nothing has this value
		filter = as.NewEqualFilter(name, "")
	case raw.ParticleType == particle.STRING:
		filter = as.NewEqualFilter(name, string(raw.Data))
	case x.spec.Query.Width == 0:
		filter = as.NewEqualFilter(name, int64(binary.BigEndian.Uint64(raw.Data)))
	default:
		first := int64(binary.BigEndian.Uint64(raw.Data))
		last := int64(math.MaxInt64)
		if room := uint64(last) - uint64(first); x.spec.Query.Width-1 < room {
			last = first + int64(x.spec.Query.Width-1)
		}
		filter = as.NewRangeFilter(name, first, last)
	}
	_ = x.statement.SetFilter(filter) // fails only on a second filter
	x.partitions = as.NewPartitionFilterAll()
}

// value returns what the first of a generator's bins holds; nil if there is none.
func value(bins []*as.Bin) *as.RawBlobValue {
	if len(bins) == 0 {
		return nil
	}
	raw, _ := bins[0].Value.(*as.RawBlobValue)
	return raw
}

// prepareScan chooses the partitions of a scan.
func (x *searcher) prepareScan(w *worker) {
	n := x.spec.Scan.Partitions
	if n == 0 || n == NumPartitions {
		x.partitions = as.NewPartitionFilterAll()
		return
	}
	x.partitions = as.NewPartitionFilterByRange(w.between(0, NumPartitions-n), n)
}

// search runs a query or scan and counts the records that come.
func (x *searcher) search(client Client, act Action) as.Error {
	x.returned = 0
	var set *as.Recordset
	var err as.Error
	if act == QueryRecords {
		set, err = client.QueryPartitions(x.query, x.statement, x.partitions)
	} else {
		set, err = client.ScanPartitions(x.scan, x.partitions, x.spec.Namespace, x.spec.Set, x.bins...)
	}
	if err != nil {
		return err
	}
	defer set.Close()
	for result := range set.Results() {
		if result.Err != nil {
			return result.Err
		}
		x.returned++
	}
	return nil
}

// countSearch counts what a query or scan returned: a hit for each record, or a miss
// if there was none.
func (w *worker) countSearch(op Op, err as.Error) (how outcome, hit bool) {
	c := &w.tally.counts[op]
	n := w.searcher.returned
	c.hit.Add(n)
	if err != nil {
		var key failureKey
		how, key.code = classify(err)
		key.op = op
		if how != done {
			w.tally.stats.fail(key, err)
			return how, false
		}
	}
	if n == 0 {
		c.miss.Add(1)
	}
	return how, n > 0
}
