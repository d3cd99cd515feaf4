package workload

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
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

// A day with a cluster that is gone for half an hour, hangs for an hour and refuses
// for ten minutes: every transaction counts once, and the outages are those.
func TestADayWithOutages(t *testing.T) {
	spec := specOf("RU,100")
	spec.Workers, spec.Duration, spec.Schedule.Curve = 8, 24*time.Hour, Constant(2)
	hours := func(at time.Duration, from, until float64) bool { return at.Hours() > from && at.Hours() < until }
	var calls atomic.Int64
	why, _, gaps, stats := monitored(t, spec, ErrorLimits{Patience: time.Minute, Refused: 10 * time.Second},
		func(at time.Duration, _ call) as.Error {
			calls.Add(1)
			switch {
			case hours(at, 3, 3.5):
				return &as.AerospikeError{ResultCode: types.NETWORK_ERROR}
			case hours(at, 9, 10):
				return &as.AerospikeError{ResultCode: types.TIMEOUT}
			case hours(at, 15, 15+1./6):
				return &as.AerospikeError{ResultCode: types.FAIL_FORBIDDEN}
			}
			return nil
		},
		func(at time.Duration) time.Duration {
			if hours(at, 9, 10) {
				return time.Second
			}
			return time.Millisecond
		})
	if why != nil {
		t.Errorf("given up: %v", why)
	}
	// Half an hour from 3 and an hour from 9, both in seconds.
	if want := []string{"10800.0-12600.0 true", "32400.0-36000.0 true"}; !slices.Equal(gaps, want) {
		t.Errorf("outages %v, want %v", gaps, want)
	}
	codes, failed := map[types.ResultCode]uint64{}, uint64(0)
	for _, f := range stats.Failures() {
		codes[f.Code] += f.Count
		failed += f.Count
	}
	// Two a second; which of those at the very edges fail is the client's affair.
	for code, want := range map[types.ResultCode]uint64{types.NETWORK_ERROR: 3600, types.TIMEOUT: 7200, types.FAIL_FORBIDDEN: 1200} {
		if n := codes[code]; n+4 < want || n > want+4 {
			t.Errorf("%v: %d failures, want about %d", code, n, want)
		}
	}
	total := stats.Snapshot().Total()
	if total.Attempted() != 2*24*3600 || total.Done+failed != total.Attempted() || total.Attempted() != uint64(calls.Load()) || total.Timeout != codes[types.TIMEOUT] {
		t.Errorf("%+v, %d failures, %d calls", total, failed, calls.Load())
	}
}
