package report

import (
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/workload"
)

func TestOutagesInTheSummary(t *testing.T) {
	start := time.Date(2026, 12, 1, 3, 4, 5, 0, time.Local)
	outage := func(from, until time.Duration, over bool) workload.Outage {
		return workload.Outage{From: start.Add(from), Until: start.Add(until), Over: over}
	}
	var many []workload.Outage
	for i := range 8 {
		many = append(many, outage(time.Duration(i)*time.Minute, time.Duration(i)*time.Minute+time.Second, true))
	}
	for _, c := range []struct {
		list []workload.Outage
		want string
	}{
		{nil, ""},
		{[]workload.Outage{outage(time.Second, 3500*time.Millisecond, true)}, "  The cluster was gone for 2.5s: from 03:04:06.000 to 03:04:08.500.\n"},
		{[]workload.Outage{outage(0, time.Second, true), outage(time.Minute, 2*time.Minute, false)},
			"  The cluster was gone for 1m1s: from 03:04:05.000 to 03:04:06.000, from 03:05:05.000 to the stage's end.\n"},
		{many, "  The cluster was gone for 8s: from 03:04:05.000 to 03:04:06.000, from 03:05:05.000 to 03:05:06.000, from 03:06:05.000 to 03:06:06.000, " +
			"from 03:07:05.000 to 03:07:06.000, from 03:08:05.000 to 03:08:06.000 and 3 more times.\n"},
	} {
		var b strings.Builder
		writeOutages(&b, c.list)
		if b.String() != c.want {
			t.Errorf("got %q, want %q", &b, c.want)
		}
	}
}
