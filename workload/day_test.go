package workload

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// punctualClient checks when calls come: the n-th one gap times n after the start.
type punctualClient struct {
	fakeClient
	gap   time.Duration
	calls atomic.Int64
	late  sync.Map // by the time that was missed
}

func (c *punctualClient) Get(*as.BasePolicy, *as.Key, ...string) (*as.Record, as.Error) {
	c.calls.Add(1)
	if at := time.Since(c.start); at%c.gap != 0 {
		c.late.Store(at, true)
	}
	return nil, nil
}

// A day of a schedule, worked off by 1000 workers, does not drift by a nanosecond, and
// no transaction is lost or made twice.
func TestADayWithoutDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 2
		spec := specOf("RU,100")
		spec.Workers, spec.Duration, spec.Schedule.Curve = 1000, 24*time.Hour, Constant(rate)
		client := &punctualClient{gap: time.Second / rate}
		client.start = time.Now()
		stats := NewStats(spec.Workers, true, spec.Workload.Ops())
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		job.Run(context.Background(), stats)
		const want = rate * 24 * 3600
		if n := client.calls.Load(); n != want {
			t.Errorf("%d transactions, want %d", n, want)
		}
		client.late.Range(func(at, _ any) bool {
			t.Errorf("a transaction began at %v, off its schedule", at)
			return false
		})
		snap := stats.Snapshot()
		if got := snap.Lateness.Max(); got != 0 || snap.Response[Read].Count() != want || snap.Response[Read].Max() != 0 {
			t.Errorf("lateness of up to %d µs, %d response times of up to %d µs", got, snap.Response[Read].Count(), snap.Response[Read].Max())
		}
	})
}
