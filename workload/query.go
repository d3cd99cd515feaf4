package workload

import (
	"encoding/binary"
	"math"
	"sync/atomic"

	as "github.com/aerospike/aerospike-client-go/v8"

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

	// Another goroutine than the worker's ends a search through these.
	running   atomic.Pointer[as.Recordset] // nil between searches
	abandoned atomic.Bool
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

// maxDraws bounds the draws for a record with the bin that queries ask for, which
// may be optional.
const maxDraws = 1000

// prepareQuery makes the query for the value of the record at hand or, if it has no
// such bin, of the next one drawn that has. It returns false when the worker's part
// of the range is done.
func (w *worker) prepareQuery() bool {
	x := w.searcher
	for draw := 1; !x.ask(w.record) && x.spec.Random && draw < maxDraws; draw++ {
		number, ok := w.nextKey(QueryRecords)
		if !ok {
			return false
		}
		w.record = w.address(w.key, w.source, number)
	}
	return true
}

// ask makes the query for the value of a record. It returns false if that record has
// no such bin; the query is then for 0 or the empty string.
func (x *searcher) ask(id uint64) bool {
	if !x.spec.Random {
		id = 0
	}
	bin := x.spec.Query.Bin
	raw := value(x.values.Record(id, []int{bin}))
	var data []byte
	if raw != nil {
		data = raw.Data
	}
	x.statement = as.NewStatement(x.spec.Namespace, x.spec.Set, x.bins...)
	_ = x.statement.SetFilter(x.filter(x.spec.Object.Bins()[bin], data)) // fails only on a second filter
	x.partitions = as.NewPartitionFilterAll()
	return raw != nil
}

// filter makes the filter for a value as it is sent; nil stands for 0 or the empty
// string. The type is the index's, also without a value: the server has no index for
// a filter of another type.
func (x *searcher) filter(name string, data []byte) *as.Filter {
	if x.spec.Object.Text(x.spec.Query.Bin) {
		return as.NewEqualFilter(name, string(data))
	}
	var first int64
	if data != nil {
		first = int64(binary.BigEndian.Uint64(data))
	}
	if x.spec.Query.Width == 0 {
		return as.NewEqualFilter(name, first)
	}
	last := int64(math.MaxInt64)
	// Right for values below 0 as well: the difference wraps twice.
	if room := uint64(last) - uint64(first); x.spec.Query.Width-1 < room {
		last = first + int64(x.spec.Query.Width-1)
	}
	return as.NewRangeFilter(name, first, last)
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
	x.running.Store(set)
	defer x.running.Store(nil)
	if x.abandoned.Load() { // too late for abandon to see the set
		go set.Close()
	}
	// All records are taken, also after an error: the client sends that with a lock
	// held, and without a reader it would wait for room, and Close for it, for ever.
	for result := range set.Results() {
		switch {
		case result.Err == nil:
			x.returned++
		case err == nil:
			err = result.Err
		}
	}
	_ = set.Close() // an error only says that abandon was first
	return err
}

// abandon ends the search that is running, if there is one, and those that come. It
// does not wait, as Close does for servers that have stopped.
func (x *searcher) abandon() {
	if x == nil {
		return
	}
	x.abandoned.Store(true)
	if set := x.running.Load(); set != nil {
		go set.Close()
	}
}

// cut tells whether the last search was ended in its midst, so that what it returned
// says nothing.
func (x *searcher) cut() bool { return x != nil && x.abandoned.Load() }

// countSearch counts what a query or scan returned: a hit for each record, or a miss
// if there was none.
func (w *worker) countSearch(op Op, how outcome) (hit bool) {
	c := &w.tally.counts[op]
	n := w.searcher.returned
	c.hit.Add(n)
	if how == done && n == 0 {
		c.miss.Add(1)
	}
	return how == done && n > 0
}
