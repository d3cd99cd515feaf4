package workload

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

// What an interrupted job has not waited for counts nowhere, however it ends: each
// transaction that was begun was either counted or abandoned.
func TestAbandonedTransactionsCountNowhere(t *testing.T) {
	for _, text := range []string{"RU,50", "TXN,r:2,w:1"} {
		synctest.Test(t, func(t *testing.T) {
			spec := specOf(text)
			spec.Workers, spec.Duration, spec.Schedule.Curve = 40, time.Hour, Constant(1000)
			spec.Monitor = NewMonitor(1, ErrorLimits{})
			client := newFakeClient()
			client.latency = func(c call) time.Duration { return time.Duration(500+100*c.key%4000) * time.Millisecond }
			client.answer = func(c call) as.Error {
				if c.key%2 == 0 {
					return &as.AerospikeError{ResultCode: types.TIMEOUT}
				}
				return nil
			}
			job, err := Prepare(spec, client)
			if err != nil {
				t.Fatal(err)
			}
			stats := NewStats(spec.Workers, true, allOps)
			ctx, cancel := context.WithTimeout(t.Context(), 1050*time.Millisecond)
			defer cancel()
			abandoned := job.Run(ctx, stats)
			snap, failures := stats.Snapshot(), stats.Failures()
			if abandoned == 0 || abandoned == spec.Workers {
				t.Fatalf("%s: %d of %d workers were left", text, abandoned, spec.Workers)
			}
			commands := snap.Counts[Read].Attempted() + snap.Counts[Write].Attempted()
			client.mu.Lock()
			begun := uint64(len(client.calls))
			client.mu.Unlock()
			if commands+uint64(abandoned) != begun {
				t.Errorf("%s: %d commands counted and %d abandoned of %d", text, commands, abandoned, begun)
			}
			byCode := uint64(0)
			for _, f := range failures {
				byCode += f.Count
			}
			if failed := commands - snap.Counts[Read].Done - snap.Counts[Write].Done; failed != byCode {
				t.Errorf("%s: %d failed, %d by result code", text, failed, byCode)
			}
			time.Sleep(time.Minute) // the others come to their end
			if later := stats.Snapshot(); !reflect.DeepEqual(later.Counts, snap.Counts) || !reflect.DeepEqual(stats.Failures(), failures) {
				t.Errorf("%s: counted later: %+v, %+v", text, later.Counts, stats.Failures())
			}
		})
	}
}
