package workload

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/types"
)

// Each round keeps to its rate, and tells what it did not come to.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newFakeClient()
		client.latency = func(call) time.Duration { return 10 * time.Millisecond }
		spec := specOf("RU,100")
		spec.Workers, spec.Schedule.Curve = 4, Constant(1)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		rounds := job.Rounds(NewStats(4, true, spec.Workload.Ops()))
		var first []int
		for _, c := range []struct {
			tps    float64
			calls  int
			behind float64
		}{
			{100, 200, 0},
			{300, 600, 0},
			{1000, 800, 1200}, // 4 workers make 400 a second
			{3, 6, 0},
		} {
			client.calls = nil
			behind, abandoned := rounds.Run(context.Background(), c.tps, 2*time.Second)
			// A worker whose transaction ends with the time may start another or not.
			if n := len(client.calls); n < c.calls || n > c.calls+4 || behind > c.behind || behind < c.behind-4 || abandoned != 0 {
				t.Errorf("%g tps: %d calls, %g behind, %d abandoned; want %d and %g", c.tps, n, behind, abandoned, c.calls, c.behind)
			}
			if first == nil {
				first = keysOf(client)
			} else if slices.Equal(keysOf(client)[:6], first[:6]) {
				t.Errorf("%g tps: the keys of the first round again", c.tps)
			}
		}
	})
}

// No round inserts what another has inserted.
func TestRoundsInsertOnward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newFakeClient()
		spec := specOf("RU,100")
		w := mixOf(t, map[string]float64{"insert": 1})
		spec.Workload, spec.Workers, spec.Schedule.Curve = w, 3, Constant(1)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		rounds := job.Rounds(NewStats(3, true, w.Ops()))
		for range 3 {
			rounds.Run(context.Background(), 50, time.Second)
		}
		keys := keysOf(client)
		slices.Sort(keys)
		if n := len(keys); n != 150 || len(slices.Compact(keys)) != n {
			t.Errorf("%d inserts of %d records", n, len(slices.Compact(slices.Clone(keys))))
		}
	})
}

// A round that is cancelled while a call hangs leaves its worker behind.
func TestRoundsAbandon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newFakeClient()
		client.latency = func(call) time.Duration { return time.Hour }
		client.answer = failing(types.TIMEOUT)
		spec := specOf("RU,100")
		spec.Workers, spec.Schedule.Curve = 2, Constant(1)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if behind, abandoned := job.Rounds(NewStats(2, true, spec.Workload.Ops())).Run(ctx, 100, time.Minute); behind != 0 || abandoned != 2 {
			t.Errorf("%g behind, %d abandoned", behind, abandoned)
		}
		time.Sleep(2 * time.Hour)
	})
}
