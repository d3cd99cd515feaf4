package workload

import (
	"context"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/objspec"
)

// idleClient answers at once and ends the run after a number of calls. Only one
// worker may use it.
type idleClient struct {
	left int
	stop context.CancelFunc
}

func (c *idleClient) call() {
	if c.left--; c.left == 0 {
		c.stop()
	}
}

func (c *idleClient) Get(*as.BasePolicy, *as.Key, ...string) (*as.Record, as.Error) {
	c.call()
	return nil, nil
}
func (c *idleClient) PutBins(*as.WritePolicy, *as.Key, ...*as.Bin) as.Error { c.call(); return nil }
func (c *idleClient) AddBins(*as.WritePolicy, *as.Key, ...*as.Bin) as.Error { c.call(); return nil }
func (c *idleClient) Operate(*as.WritePolicy, *as.Key, ...*as.Operation) (*as.Record, as.Error) {
	c.call()
	return nil, nil
}
func (c *idleClient) Delete(*as.WritePolicy, *as.Key) (bool, as.Error) { c.call(); return true, nil }
func (c *idleClient) Execute(*as.WritePolicy, *as.Key, string, string, ...as.Value) (any, as.Error) {
	c.call()
	return nil, nil
}
func (c *idleClient) BatchOperate(*as.BatchPolicy, []as.BatchRecordIfc) as.Error {
	c.call()
	return nil
}

// digests returns how long the client takes for the digests of n keys.
func digests(n int) time.Duration {
	key, _ := as.NewKey("test", "s", 0)
	start := time.Now()
	for i := range n {
		_ = key.SetValue(as.IntegerValue(1<<32 + i))
	}
	return time.Since(start)
}

// BenchmarkHotLoop is what a transaction costs beyond the client call: choosing
// the operation and the key, computing the key's digest, making the value,
// reading the clock, recording. The digest, which the client computes, is most of
// it, and is timed apart.
func BenchmarkHotLoop(b *testing.B) {
	for _, c := range []struct {
		name, workload, spec string
		random               bool
		tps                  float64
	}{
		{"RU,80 S50", "RU,80", "S50", false, 0},
		{"RU,80 S50 random", "RU,80", "S50", true, 0},
		// So far behind its schedule that it never waits.
		{"RU,80 S50 throttled", "RU,80", "S50", false, 1e9},
		{"I I4 random", "I", "I4", true, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			spec := specOf(c.workload)
			object, err := objspec.Parse(c.spec, objspec.Options{})
			if err != nil {
				b.Fatal(err)
			}
			spec.Object, spec.Random = object, c.random
			spec.Monitor = NewMonitor(1, ErrorLimits{})
			if c.tps > 0 {
				spec.Schedule.Curve = Constant(c.tps)
			}
			spec.Workers, spec.Duration, spec.Keys.End = 1, 24*time.Hour, 1<<40
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			job, err := Prepare(spec, &idleClient{left: b.N, stop: cancel})
			if err != nil {
				b.Fatal(err)
			}
			stats := NewStats(1, c.tps > 0, allOps)
			b.ReportAllocs()
			b.ResetTimer()
			job.Run(ctx, stats)
			b.StopTimer()
			b.ReportMetric(float64((b.Elapsed()-digests(b.N)).Nanoseconds())/float64(b.N), "ns/op-without-digest")
		})
	}
}

func (*idleClient) QueryPartitions(*as.QueryPolicy, *as.Statement, *as.PartitionFilter) (*as.Recordset, as.Error) {
	return nil, nil // only a server has records to return
}

func (*idleClient) ScanPartitions(*as.ScanPolicy, *as.PartitionFilter, string, string, ...string) (*as.Recordset, as.Error) {
	return nil, nil
}
