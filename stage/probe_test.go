package stage

import (
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/workload"
)

// trialOf is a trial of 10 seconds in which n reads were answered in 1 ms and some
// timed out or failed.
func trialOf(n, timeouts, failed uint64, behind float64) trial {
	t := trial{seconds: 10, ended: n + timeouts + failed, behind: behind}
	for op := range t.Response {
		t.Response[op] = new(histogram.Snapshot)
	}
	t.Counts[workload.Read] = workload.Counts{Done: n, Timeout: timeouts, Error: failed, Hit: n}
	t.Response[workload.Read] = latencies(n, time.Millisecond).Add(latencies(timeouts, time.Second))
	t.Lateness = latencies(n, 10*time.Microsecond)
	return t
}

func latencies(n uint64, each time.Duration) *histogram.Snapshot {
	r := histogram.NewRecorder(1)
	for range n {
		r.Shard(0).Record(each)
	}
	return r.Snapshot()
}

func TestJudge(t *testing.T) {
	whole := func(t trial) trial { // each read is a command of a transaction of 5 ms
		t.Parts = t.ended
		t.Counts[workload.Txn].Done, t.Response[workload.Txn] = t.ended, latencies(t.ended, 5*time.Millisecond)
		return t
	}
	late := trialOf(1000, 0, 0, 0)
	late.Lateness = latencies(1000, 900*time.Microsecond)
	for _, c := range []struct {
		why, limits, arrival string
		trial                trial // at 100 tps
		ok                   bool
		text                 string
	}{
		{"all is well", "p99: 1ms", "uniform", trialOf(1000, 0, 0, 0), true, "p99 <= 1ms: 1ms, error-rate <= 1%: 0%"},
		{"1 % less, and a transaction cut off at each end", "p99: 1ms", "uniform", trialOf(988, 0, 0, 11), true, ""},
		{"too few", "p99: 1ms", "uniform", trialOf(987, 0, 0, 0), false, "the rate was not kept up"},
		{"too many wait at the end", "p99: 1ms", "uniform", trialOf(1000, 0, 0, 12), false, "the rate was not kept up: 12 transactions behind"},
		{"as few at random arrivals are chance", "p99: 1ms", "poisson", trialOf(900, 0, 0, 0), true, ""},
		{"but not as few as this", "p99: 1ms", "poisson", trialOf(850, 0, 0, 0), false, "the rate was not kept up"},
		{"slow", "p50: 500us, p99: 2ms", "uniform", trialOf(1000, 0, 0, 0), false, "p50 <= 500us: 1ms"},
		{"percentiles of any number", "p62.5: 999us", "uniform", trialOf(1000, 0, 0, 0), false, "p62.5 <= 999us: 1ms"},
		{"timeouts are errors", "error-rate: 0.5%", "uniform", trialOf(994, 6, 0, 0), false, "error-rate <= 0.5%: 0.6%"},
		{"together with errors", "error-rate: 0.5%", "uniform", trialOf(994, 3, 3, 0), false, "error-rate <= 0.5%: 0.6%"},
		{"as many as may be", "error-rate: 0.6%", "uniform", trialOf(994, 3, 3, 0), true, ""},
		{"errors are limited unasked", "p99: 1ms", "uniform", trialOf(985, 0, 15, 0), false, "error-rate <= 1%: 1.5%"},
		{"nothing was answered", "p99: 1ms", "uniform", trialOf(0, 0, 1000, 0), false, "p99 <= 1ms: nothing measured"},
		{"nothing was tried", "p99: 1ms", "uniform", trialOf(0, 0, 0, 1000), false, "1000 transactions behind"},
		{"the whole of transactions counts, not their commands alone", "p99: 3ms", "uniform", whole(trialOf(1000, 0, 0, 0)), false, "p99 <= 3ms: 5.0"},
		{"and the mean too", "mean: 3ms", "uniform", whole(trialOf(1000, 0, 0, 0)), false, "mean <= 3ms: 5"},
		{"aeroload was slow itself", "p99: 500us", "uniform", late, false, "aeroload's own lateness: 900µs (p99)"},
	} {
		plan, err := parse("- {workload: 'RU,100', arrival: " + c.arrival + ", find-max: {" + c.limits + "}}")
		if err != nil {
			t.Fatal(err)
		}
		p := judge(plan.Stages[0], 100, c.trial)
		if p.OK != c.ok || !strings.Contains(p.Why(), c.text) {
			t.Errorf("%s: %s, %s; want %v and %q", c.why, p.Verdict(), p.Why(), c.ok, c.text)
		}
	}
	p := judge(planStage(t), 100, trialOf(990, 4, 6, 0))
	if p.Achieved != 100 || p.ErrorRate != 0.01 || p.P99 != 1000 || p.Lateness != 10 || p.Behind != 0 {
		t.Errorf("measured %+v", p)
	}
}

func planStage(t *testing.T) *Stage {
	t.Helper()
	plan, err := parse("- {workload: 'RU,100', find-max: {p99: 1ms}}")
	if err != nil {
		t.Fatal(err)
	}
	return plan.Stages[0]
}
