package workload

import (
	"sync"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// call is one call that a fakeClient got.
type call struct {
	op    string // get, put, delete
	key   int
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
	answer  func(c call) as.Error      // nil answers all is well
	latency func(c call) time.Duration // nil answers at once
	missing bool                       // deletes find nothing
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
	return nil, f.do(call{op: "get", bins: names}, key)
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
		Threads:     4,
		Duration:    time.Second,
		Object:      object,
		Seed:        1,
		NewTimer:    GoTimer, // which follows virtual time
		ReadPolicy:  as.NewPolicy(),
		WritePolicy: as.NewWritePolicy(0, 0),
	}
}
