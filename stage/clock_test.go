package stage

import (
	"context"
	"strings"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/workload"
)

// A clock that is set while a run is under way changes what times are shown, and
// nothing else: all that lengths of time are computed from has a reading of the
// monotonic clock, which nobody sets.
func TestLengthsOfTimeAreMonotonic(t *testing.T) {
	plan, err := parse("- {workload: I, key-end: 7, threads: 1, duration: 1}")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	client := &brokenClient{&slowClient{latency: 100 * time.Millisecond}, start, func(at time.Duration) types.ResultCode {
		return types.NETWORK_ERROR
	}}
	s, err := Prepare(plan, client, as.NewPolicy(), as.NewWritePolicy(0, 0), workload.GoTimer)
	if err != nil {
		t.Fatal(err)
	}
	n := &notes{start: start}
	r := s.Run(context.Background(), n)
	seen := map[string]time.Time{
		"start of the run": r.Start, "end of the run": r.End, "start of the stage": r.Stages[0].Start, "end of a period": n.periods[0].End,
	}
	if len(r.Stages[0].Outages) != 1 {
		t.Fatalf("outages %v", r.Stages[0].Outages)
	}
	seen["start of an outage"], seen["end of an outage"] = r.Stages[0].Outages[0].From, r.Stages[0].Outages[0].Until
	for what, at := range seen {
		// time.Time.String shows the reading as m=±<value>.
		if !strings.Contains(at.String(), " m=") {
			t.Errorf("%s: %v has no monotonic reading", what, at)
		}
	}
}
