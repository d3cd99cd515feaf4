package embedded_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// benchKeys is the number of records that the benchmarks work on.
const benchKeys = 10_000

// benchmarkClient runs do in parallel with 16 goroutines per processor.
func benchmarkClient(b *testing.B, do func(c *as.Client, key *as.Key) error) {
	server := embedded.RunT(b, embedded.Config{})
	client := connect(b, server.Addr())
	keys := make([]*as.Key, benchKeys)
	for i := range keys {
		keys[i] = mustKey(b, "test", "bench", i)
		must(b, client.PutBins(nil, keys[i], as.NewBin("n", i), as.NewBin("s", "sixteen bytes it")))
	}
	var next atomic.Int64
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		i := int(next.Add(977))
		for pb.Next() {
			i++
			if err := do(client, keys[i%benchKeys]); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	benchmarkClient(b, func(c *as.Client, key *as.Key) error {
		if _, err := c.Get(nil, key); err != nil {
			return err
		}
		return nil
	})
}

func BenchmarkPut(b *testing.B) {
	bin := as.NewBin("n", 1)
	benchmarkClient(b, func(c *as.Client, key *as.Key) error {
		if err := c.PutBins(nil, key, bin); err != nil {
			return err
		}
		return nil
	})
}

// BenchmarkMemory stores a million small records and reports what one of them
// takes, the garbage collector's overhead excluded.
func BenchmarkMemory(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		server := embedded.RunT(b, embedded.Config{})
		client := connect(b, server.Addr())
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		write := as.NewBatchWritePolicy()
		for i := 0; i < n; i += 1000 {
			rows := make([]as.BatchRecordIfc, 1000)
			for j := range rows {
				rows[j] = as.NewBatchWrite(write, mustKey(b, "test", "bench", i+j), as.PutOp(as.NewBin("n", i+j)))
			}
			must(b, client.BatchOperate(nil, rows))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/record")
		b.ReportMetric(float64(after.HeapSys)/1e6, "MB-heap")
		if got := server.Count("test", ""); got != n {
			b.Fatalf("%d records", got)
		}
	}
}
