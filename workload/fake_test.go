package workload

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// call is one call that a fakeClient got.
type call struct {
	op    string // get, put, delete, udf, batch
	key   int
	rows  []batchRow // of a batch
	args  []string   // of a UDF call
	bins  []string
	at    time.Duration // since the client was made
	write as.WritePolicy
}

// fakeClient notes what it is asked and answers after a time, with an error if
// it is told so.
type fakeClient struct {
	mu      sync.Mutex
	start   time.Time
	calls   []call
	answer  func(c call) as.Error          // nil answers all is well
	latency func(c call) time.Duration     // nil answers at once
	missing bool                           // deletes find nothing
	row     func(key int) types.ResultCode // of a record in a batch; nil is OK

	// stored returns what the record of a key holds. It is nil in tests that do
	// not look at records.
	stored func(key int) as.BinMap
}

func newFakeClient() *fakeClient { return &fakeClient{start: time.Now()} }

func (f *fakeClient) do(c call, key *as.Key) as.Error {
	c.key, c.at = int(key.Value().GetObject().(int)), time.Since(f.start)
	f.mu.Lock()
	f.calls = append(f.calls, c)
	f.mu.Unlock()
	if f.latency != nil {
		time.Sleep(f.latency(c))
	}
	if f.answer != nil {
		return f.answer(c)
	}
	return nil
}

func (f *fakeClient) Get(_ *as.BasePolicy, key *as.Key, names ...string) (*as.Record, as.Error) {
	if err := f.do(call{op: "get", bins: names}, key); err != nil {
		return nil, err
	}
	return f.record(key, names), nil
}

// record returns the record of a key with the named bins, or all for none.
func (f *fakeClient) record(key *as.Key, names []string) *as.Record {
	if f.stored == nil {
		return nil
	}
	bins := f.stored(key.Value().GetObject().(int))
	for name := range bins {
		if len(names) > 0 && !slices.Contains(names, name) {
			delete(bins, name)
		}
	}
	return &as.Record{Key: key, Bins: bins}
}

func (f *fakeClient) PutBins(p *as.WritePolicy, key *as.Key, bins ...*as.Bin) as.Error {
	c := call{op: "put", write: *p}
	for _, b := range bins {
		name := b.Name
		if b.Value.GetType() == 0 { // null
			name += "=nil"
		}
		c.bins = append(c.bins, name)
	}
	return f.do(c, key)
}

func (f *fakeClient) Delete(p *as.WritePolicy, key *as.Key) (bool, as.Error) {
	return !f.missing, f.do(call{op: "delete", write: *p}, key)
}

// batchRow is a row of a batch call.
type batchRow struct {
	key  int
	kind string // as the op of a call
	what string // bins or arguments

	namespace string
}

func (f *fakeClient) Execute(p *as.WritePolicy, key *as.Key, module, function string, args ...as.Value) (any, as.Error) {
	return nil, f.do(call{op: "udf", write: *p, args: append([]string{module, function}, texts(args)...)}, key)
}

func texts(values []as.Value) (list []string) {
	for _, v := range values {
		list = append(list, v.String())
	}
	return list
}

func (f *fakeClient) BatchOperate(_ *as.BatchPolicy, records []as.BatchRecordIfc) as.Error {
	c := call{op: "batch"}
	for _, r := range records {
		b := r.BatchRec()
		row := batchRow{key: b.Key.Value().GetObject().(int), namespace: b.Key.Namespace()}
		switch r := r.(type) {
		case *as.BatchRead:
			row.kind, row.what = "get", strings.Join(r.BinNames, " ")
			b.Record = f.record(b.Key, r.BinNames)
		case *as.BatchWrite:
			row.kind, row.what = "put", fmt.Sprint(len(r.Ops))
		case *as.BatchDelete:
			row.kind = "delete"
		case *as.BatchUDF:
			row.kind, row.what = "udf", strings.Join(append([]string{r.PackageName, r.FunctionName}, texts(r.FunctionArgs)...), " ")
		}
		b.ResultCode, b.Err = types.OK, nil
		if f.row != nil {
			if code := f.row(row.key); code != types.OK {
				b.Record = nil
				b.ResultCode, b.Err = code, &as.AerospikeError{ResultCode: code}
			}
		}
		c.rows = append(c.rows, row)
	}
	return f.do(c, records[0].BatchRec().Key)
}

func (f *fakeClient) AddBins(p *as.WritePolicy, key *as.Key, bins ...*as.Bin) as.Error {
	c := call{op: "add", write: *p}
	for _, b := range bins {
		c.bins = append(c.bins, fmt.Sprint(b.Name, "+", b.Value))
	}
	return f.do(c, key)
}

func (f *fakeClient) Operate(p *as.WritePolicy, key *as.Key, ops ...*as.Operation) (*as.Record, as.Error) {
	return nil, f.do(call{op: "operate", write: *p, args: []string{fmt.Sprint(len(ops))}}, key)
}

// allOps asks for statistics of all operations.
var allOps = [NumOps]bool{true, true, true, true}

// failing answers every call with the result code.
func failing(code types.ResultCode) func(call) as.Error {
	return func(call) as.Error { return &as.AerospikeError{ResultCode: code} }
}

// specOf makes the spec of a stage with three bins and the keys 1..1000, to be
// changed by the test.
func specOf(workload string) Spec {
	w, err := Parse(workload)
	if err != nil {
		panic(err)
	}
	object, err := objspec.Parse("I1,S3,I2", objspec.Options{BinName: "b"})
	if err != nil {
		panic(err)
	}
	return Spec{
		Workload:    w.Resolve(false, false),
		Namespace:   "test",
		Set:         "s",
		Keys:        keygen.Range{Start: 1, End: 1001},
		Workers:     4,
		BatchRead:   1,
		BatchWrite:  1,
		BatchDelete: 1,
		Duration:    time.Second,
		Object:      object,
		Seed:        1,
		NewTimer:    GoTimer, // which follows virtual time
		ReadPolicy:  as.NewPolicy(),
		WritePolicy: as.NewWritePolicy(0, 0),
	}
}

func (*fakeClient) QueryPartitions(*as.QueryPolicy, *as.Statement, *as.PartitionFilter) (*as.Recordset, as.Error) {
	return nil, nil // only a server has records to return
}

func (*fakeClient) ScanPartitions(*as.ScanPolicy, *as.PartitionFilter, string, string, ...string) (*as.Recordset, as.Error) {
	return nil, nil
}
