package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

func TestExceeded(t *testing.T) {
	limits := ErrorLimits{Patience: time.Minute, Refused: 10 * time.Second}
	always := limits
	always.Always = true
	for _, c := range []struct {
		why             string
		limits          ErrorLimits
		dry             time.Duration
		succeeded       bool
		failed, refused uint64
		want            bool
	}{
		{"not yet", limits, 59 * time.Second, false, 1000, 0, false},
		{"a minute", limits, time.Minute, false, 1, 0, true},
		{"refusals do not pass", limits, 10 * time.Second, false, 1000, 1000, true},
		{"but not yet", limits, 9 * time.Second, false, 1000, 1000, false},
		{"too few to tell", limits, 10 * time.Second, false, minRefused - 1, minRefused - 1, false},
		{"just enough", limits, 10 * time.Second, false, minRefused, minRefused, true},
		{"a minute tells even then", limits, time.Minute, false, 1, 1, true},
		{"one timed out: it may be starting", limits, 10 * time.Second, false, 1001, 1000, false},
		{"it has worked and may again", limits, time.Hour, true, 1e6, 0, false},
		{"unless told not to wait", always, time.Minute, true, 10, 0, true},
		{"not yet", always, 59 * time.Second, true, 10, 0, false},
		{"refusals after successes take as long", always, 11 * time.Second, true, 1000, 1000, false},
		{"no limits", ErrorLimits{}, 1000 * time.Hour, false, 1e6, 1e6, false},
	} {
		if got := c.limits.exceeded(c.dry, c.succeeded, c.failed, c.refused); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// monitored runs a workload on virtual time, with a client that answers by the time
// since the start, and returns the monitor's verdict, when it came, and the outages
// in seconds.
func monitored(t *testing.T, spec Spec, limits ErrorLimits, answer func(at time.Duration, c call) as.Error, latency func(at time.Duration) time.Duration) (why *TooManyErrors, at time.Duration, gaps []string, stats *Stats) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		client := newFakeClient()
		client.latency = func(c call) time.Duration { return latency(c.at) }
		client.answer = func(c call) as.Error { return answer(time.Since(client.start), c) }
		m := NewMonitor(3, limits)
		spec.Monitor = m
		stats = NewStats(spec.Workers, spec.Schedule.Throttled(), allOps)
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		start := time.Now()
		var watching sync.WaitGroup
		watching.Go(func() {
			m.Watch(ctx, func(err error) {
				at = time.Since(start)
				cancel(err)
			})
		})
		job.Run(ctx, stats)
		_ = errors.As(context.Cause(ctx), &why)
		cancel(nil)
		watching.Wait()
		for _, o := range m.Outages(time.Now()) {
			gaps = append(gaps, fmt.Sprintf("%.1f-%.1f %v", o.From.Sub(start).Seconds(), o.Until.Sub(start).Seconds(), o.Over))
		}
	})
	return why, at, gaps, stats
}

func TestMonitor(t *testing.T) {
	code := func(c types.ResultCode) as.Error { return &as.AerospikeError{ResultCode: c} }
	always := func(c types.ResultCode) func(time.Duration, call) as.Error {
		return func(time.Duration, call) as.Error { return code(c) }
	}
	// between is a cluster that is gone from one second to another.
	between := func(c types.ResultCode, from, until float64) func(time.Duration, call) as.Error {
		return func(at time.Duration, _ call) as.Error {
			if s := at.Seconds(); s > from && s < until {
				return code(c)
			}
			return nil
		}
	}
	usual := ErrorLimits{Patience: time.Minute, Refused: 10 * time.Second}
	for _, c := range []struct {
		why    string
		limits ErrorLimits
		answer func(time.Duration, call) as.Error
		tps    float64
		want   string
		gaps   string
	}{
		{"all is well", usual, always(types.OK), 0, "", ""},
		{"no such record is an answer", usual, always(types.KEY_NOT_FOUND_ERROR), 0, "", ""},
		{"everything is refused", usual, always(types.PARAMETER_ERROR), 0, "10s all 4 PARAMETER_ERROR", ""},
		{"the cluster is too busy to do anything", usual, always(types.DEVICE_OVERLOAD), 0, "1m0s all 18 DEVICE_OVERLOAD", ""},
		{"it is gone", usual, always(types.NETWORK_ERROR), 0, "1m0s all -18 NETWORK_ERROR", "0.0-60.0 false"},
		{"it is gone at the start and comes", usual, between(types.INVALID_NODE_ERROR, -1, 50), 0, "", "0.0-50.0 true"},
		{"it is gone for long in the midst", usual, between(types.TIMEOUT, 20, 110), 0, "", "20.0-110.0 true"},
		{"so long that the user has had enough", ErrorLimits{Patience: 30 * time.Second, Always: true}, between(types.TIMEOUT, 20, 110), 0,
			"50s every 9 TIMEOUT", "20.0-50.0 false"},
		{"no refusal is an outage", usual, between(types.FAIL_FORBIDDEN, 20, 110), 0, "", ""},
		{"refused with no limit", ErrorLimits{}, always(types.PARAMETER_ERROR), 0, "", ""},
		{"gone at the end", usual, between(types.TIMEOUT, 100, 1000), 0, "", "100.0-120.0 false"},
		{"the first error is one too many", ErrorLimits{Limited: true}, between(types.TIMEOUT, 20, 110), 0, "20s limit 0 9 TIMEOUT", ""},
		{"more than a hundred errors", ErrorLimits{Limited: true, Max: 100}, between(types.KEY_BUSY, 20, 110), 40, "22.5s limit 100 14 KEY_BUSY", ""},
		{"one in two fails", usual, func(at time.Duration, c call) as.Error {
			if c.key%2 == 0 {
				return code(types.NETWORK_ERROR)
			}
			return nil
		}, 0, "", ""},
		{"at a transaction every two seconds, one that fails is an outage", usual, between(types.NETWORK_ERROR, 19, 21), 0.5, "", "20.0-22.0 true"},
	} {
		spec := specOf("RU,100")
		spec.Duration = 2 * time.Minute
		if c.tps > 0 {
			spec.Schedule.Curve = Constant(c.tps)
		}
		why, at, gaps, stats := monitored(t, spec, c.limits, c.answer, func(time.Duration) time.Duration { return 10 * time.Millisecond })
		got := ""
		if why != nil {
			got = fmt.Sprintf("%v ", at.Round(100*time.Millisecond))
			switch {
			case why.Limited:
				got += fmt.Sprintf("limit %d", why.Limit)
			case why.Succeeded:
				got += "every"
			default:
				got += "all"
			}
			f := why.Kinds[0]
			got += fmt.Sprintf(" %d %s", f.Code, f.Name())
			if len(why.Kinds) != 1 || f.Count != why.Failed {
				t.Errorf("%s: %+v", c.why, why)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
		if got := strings.Join(gaps, ", "); got != c.gaps {
			t.Errorf("%s: outages %q, want %q", c.why, got, c.gaps)
		}
		// Every transaction counts in one place.
		total, failed := stats.Snapshot().Total(), uint64(0)
		for _, f := range stats.Failures() {
			failed += f.Count
		}
		if total.Timeout+total.Error != failed || total.Attempted() != total.Done+failed {
			t.Errorf("%s: %+v, and %d failures by code", c.why, total, failed)
		}
	}
}

// In a warm-up, and in batches all of whose records fail, it is the same.
func TestMonitorOfWarmupsAndBatches(t *testing.T) {
	fast := func(time.Duration) time.Duration { return 10 * time.Millisecond }
	spec := specOf("RU,100")
	spec.Warmup, spec.Duration = time.Hour, time.Hour
	why, at, _, stats := monitored(t, spec, ErrorLimits{Patience: time.Minute, Refused: 10 * time.Second},
		func(time.Duration, call) as.Error { return &as.AerospikeError{ResultCode: types.PARAMETER_ERROR} }, fast)
	if why == nil || at.Round(time.Second) != 10*time.Second || stats.Snapshot().Total().Attempted() != 0 {
		t.Errorf("warm-up: %v after %v, %d recorded", why, at, stats.Snapshot().Total().Attempted())
	}

	synctest.Test(t, func(t *testing.T) {
		client := newFakeClient()
		client.row = func(int) types.ResultCode { return types.RECORD_TOO_BIG }
		client.latency = func(call) time.Duration { return time.Millisecond }
		spec := specOf("I")
		spec.BatchWrite, spec.Monitor = 10, NewMonitor(1, ErrorLimits{Limited: true, Max: 20})
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		go spec.Monitor.Watch(ctx, cancel)
		stats := NewStats(spec.Workers, false, allOps)
		synctest.Wait()
		job.Run(ctx, stats)
		var why *TooManyErrors
		// The others end what they have begun, and may begin one more before they
		// hear of it.
		if n := stats.Snapshot().Counts[Write].Error; !errors.As(context.Cause(ctx), &why) || why.Failed != 21 || n < 21 || n > 28 {
			t.Errorf("%v after %d failed batches", context.Cause(ctx), n)
		}
	})
}

func TestTooManyErrorsText(t *testing.T) {
	kinds := []Failure{
		{Op: Write, Code: types.DEVICE_OVERLOAD, Count: 7, Example: "the device\n  is busy"},
		{Op: Read, Code: types.TIMEOUT, Count: 2, Example: strings.Repeat("é", 200)},
	}
	for i := range 5 {
		kinds = append(kinds, Failure{Op: Read, Code: types.ResultCode(100 + i), Count: 1, Example: "x"})
	}
	for _, c := range []struct {
		err  TooManyErrors
		want string
	}{
		{TooManyErrors{Kinds: kinds[:1], Failed: 7, Limited: true},
			"stopped because a transaction failed (on-error: stop):\n  write 18 DEVICE_OVERLOAD (7): the device is busy"},
		{TooManyErrors{Kinds: kinds[:1], Failed: 7, Limited: true, Counted: true},
			"stopped because a transaction failed (max-errors: 0):\n  write 18 DEVICE_OVERLOAD (7): the device is busy"},
		{TooManyErrors{Kinds: kinds[:1], Failed: 7, Limited: true, Limit: 6},
			"stopped because more than 6 transactions failed (max-errors):\n  write 18 DEVICE_OVERLOAD (7): the device is busy"},
		{TooManyErrors{Kinds: kinds[:2], Failed: 9, For: 61234567 * time.Microsecond},
			"given up because all 9 transactions since the start failed, for 1m1.235s (on-error: continue would go on):\n  write 18 DEVICE_OVERLOAD (7): the device is busy\n  read 9 TIMEOUT (2): " + strings.Repeat("é", 150) + "…"},
		{TooManyErrors{Kinds: kinds[:1], Failed: 7, For: time.Minute, Succeeded: true},
			"given up because every transaction failed for 1m0s (max-outage):\n  write 18 DEVICE_OVERLOAD (7): the device is busy"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
	if got := (&TooManyErrors{Kinds: kinds}).Error(); !strings.HasSuffix(got, "\n  and 2 other kinds of errors") {
		t.Errorf("got\n%s", got)
	}
}
