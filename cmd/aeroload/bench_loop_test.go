package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/cluster"
)

// benchLoad is a load that aeroload and the smallest loop on the client both make.
type benchLoad struct {
	spec  string
	value as.Value // of the spec
	reads int      // percentage of the transactions; -1 for a walk of the keys that only writes
	batch int      // records a transaction
}

func (l benchLoad) workload() string {
	if l.reads < 0 {
		return "I"
	}
	return fmt.Sprintf("RU,%d", l.reads)
}

// BenchmarkTransactions sets what a transaction costs with everything recorded
// against what the same transaction costs in the smallest loop on the client, with
// 16 workers.
func BenchmarkTransactions(b *testing.B) {
	hosts, _ := benchHosts(b)
	c := benchCluster(b, hosts)
	for _, l := range []benchLoad{
		{"S50", as.StringValue(strings.Repeat("abcde", 10)), 80, 1},
		{"S50", as.StringValue(strings.Repeat("abcde", 10)), -1, 1},
		{"I4", as.LongValue(1 << 30), 50, 1},
		{"B1400", as.BytesValue(make([]byte, 1400)), 80, 1},
		{"S50", as.StringValue(strings.Repeat("abcde", 10)), 80, 10},
		{"S50", as.StringValue(strings.Repeat("abcde", 10)), 80, 100},
	} {
		prepared(b, c, l.spec, keyed("workload", "I")).Run(b.Context(), silent{})
		name := fmt.Sprintf("%s %s batch %d", l.workload(), l.spec, l.batch)
		b.Run(name+"/client loop", func(b *testing.B) { measured(b, func() { l.loop(b, c) }) })
		b.Run(name+"/aeroload", func(b *testing.B) {
			flags := []string{"workload", l.workload(), "transactions", fmt.Sprint(b.N), "batch-size", fmt.Sprint(l.batch)}
			if l.reads < 0 {
				flags = append(flags, "key-end", fmt.Sprint(1+b.N))
			}
			s := prepared(b, c, l.spec, flagsOf(flags)...)
			measured(b, func() {
				if total := s.Run(b.Context(), silent{}).Total.Total(); total.Done != uint64(b.N) {
					b.Errorf("of %d transactions: %+v", b.N, total)
				}
			})
		})
	}
}

// loop is the smallest loop that makes the transactions.
func (l benchLoad) loop(b *testing.B, c *cluster.Cluster) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for i := range benchWorkers {
		wg.Go(func() {
			transact := l.single(c)
			if l.batch > 1 {
				transact = l.batched(c)
			}
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := transact(rng, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// single returns what makes the n-th transaction, of one record.
func (l benchLoad) single(c *cluster.Cluster) func(rng *rand.Rand, n int64) as.Error {
	client, read, write := c.Client(), c.ReadPolicy(), c.WritePolicy()
	key, _ := as.NewKey("test", "bench", 0)
	bin := as.NewBin("testbin", l.value)
	return func(rng *rand.Rand, n int64) as.Error {
		if l.reads < 0 {
			_ = key.SetValue(as.LongValue(n))
			return client.PutBins(write, key, bin)
		}
		_ = key.SetValue(as.LongValue(1 + rng.Int64N(benchKeys)))
		if rng.IntN(100) < l.reads {
			_, err := client.Get(read, key)
			return err
		}
		return client.PutBins(write, key, bin)
	}
}

// batched is single for batches.
func (l benchLoad) batched(c *cluster.Cluster) func(rng *rand.Rand, n int64) as.Error {
	read, write := as.NewBatchPolicy(), as.NewBatchPolicy()
	read.BasePolicy, write.BasePolicy = *c.ReadPolicy(), c.WritePolicy().BasePolicy
	var reads, writes []as.BatchRecordIfc
	put := as.PutOp(as.NewBin("testbin", l.value))
	for range l.batch {
		key, _ := as.NewKey("test", "bench", 0)
		r := as.NewBatchRead(nil, key, nil)
		r.ReadAllBins = true
		reads = append(reads, r)
		writes = append(writes, as.NewBatchWrite(as.NewBatchWritePolicy(), key, put))
	}
	return func(rng *rand.Rand, _ int64) as.Error {
		for _, r := range reads { // whose keys the writes share
			_ = r.BatchRec().Key.SetValue(as.LongValue(1 + rng.Int64N(benchKeys)))
		}
		if rng.IntN(100) < l.reads {
			return c.Client().BatchOperate(read, reads)
		}
		return c.Client().BatchOperate(write, writes)
	}
}
