package stage

import (
	"testing"
	"time"

	"github.com/aeroload/aeroload/workload"
)

func TestProgressOfAStage(t *testing.T) {
	for _, c := range []struct {
		why, text  string
		at         time.Duration
		counts     workload.Counts
		due, share float64
		walk, done uint64
	}{
		{"a duration", "{workload: RU, duration: 20}", 5 * time.Second, workload.Counts{Done: 7, Hit: 7}, 0, 0.25, 0, 7},
		{"its end has passed while the last transactions drain", "{workload: RU, duration: 20, tps: 100}", 21 * time.Second, workload.Counts{}, 2000, 1, 0, 0},
		{"a rate", "{workload: RU, duration: 20, tps: 100}", 5 * time.Second, workload.Counts{}, 500, 0.25, 0, 0},
		{"a rising rate of which a part was the warm-up", "{workload: RU, duration: 20, warmup: 10, tps: {from: 0, to: 100, over: 20}}", 10 * time.Second, workload.Counts{},
			750, 0.5, 0, 0}, // the mean of 50 and 100 tps for 10 s
		{"transactions that end it sooner", "{workload: RU, duration: 20, transactions: 10, tps: 100}", 5 * time.Second, workload.Counts{Done: 4, Error: 1}, 10, 0.5, 0, 5},
		{"a walk", "{workload: I, key-start: 11, key-end: 111}", time.Second, workload.Counts{Done: 20, Hit: 20, Timeout: 3, Error: 2}, 0, 0.25, 100, 25},
		{"a walk in batches", "{workload: I, key-end: 101, batch-size: 10}", time.Second, workload.Counts{Done: 4, Error: 1, Hit: 38, Lost: 12}, 0, 0.5, 100, 50},
		{"a walk of a part", "{workload: 'I:50', key-end: 101, shard: 1/5}", time.Second, workload.Counts{Done: 5, Hit: 5}, 0, 0.5, 10, 5},
		{"a walk with a shortest time", "{workload: DB, key-end: 101, duration: 10}", time.Second, workload.Counts{Done: 100, Miss: 100}, 0, 0.1, 100, 100},
		{"a walk of so many", "{workload: I, key-end: 101, transactions: 10}", time.Second, workload.Counts{Done: 5, Hit: 5}, 0, 0.5, 0, 5},
		{"a search has no schedule of its own", "{workload: RU, duration: 20, find-max: {p99: 1ms}}", 5 * time.Second, workload.Counts{}, 0, 0.25, 0, 0},
	} {
		plan, err := parse("- " + c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		st := plan.Stages[0]
		var measured workload.Snapshot
		measured.Counts[workload.Write] = c.counts
		due, share, walk, done := st.Due(c.at), st.Share(c.at, measured), st.Walk(), st.Walked(measured)
		if due != c.due || share != c.share || walk != c.walk || done != c.done {
			t.Errorf("%s: %g due, %g done, %d of %d keys; want %g, %g, %d of %d", c.why, due, share, done, walk, c.due, c.share, c.done, c.walk)
		}
	}
}
