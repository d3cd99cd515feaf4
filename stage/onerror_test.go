package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/workload"
)

func TestErrorLimitsAreRead(t *testing.T) {
	for _, c := range []struct {
		why, text, want string // on-error, max-errors, max-outage of the only stage
	}{
		{"by default", "- {workload: I}", "give-up 0 0s"},
		{"go on", "- {workload: I, on-error: continue}", "continue 0 0s"},
		{"stop at the first", "- {workload: I, on-error: stop}", "stop 0 0s"},
		{"a limit stops", "- {workload: I, max-errors: 1k}", "stop 1000 0s"},
		{"both", "- {workload: I, on-error: stop, max-errors: 5}", "stop 5 0s"},
		{"an outage", "- {workload: I, max-outage: 5m}", "give-up 0 5m0s"},
		{"a number is seconds", "- {workload: I, max-outage: 90, max-errors: 3}", "stop 3 1m30s"},
		{"the file's default", "{defaults: {max-errors: 3, max-outage: 9}, stages: [{workload: I}]}", "stop 3 9s"},
		{"to go on here wins over the file's limits", "{defaults: {max-errors: 3, max-outage: 9}, stages: [{workload: I, on-error: continue}]}", "continue 0 0s"},
		{"a limit here wins over going on elsewhere", "{defaults: {on-error: continue}, stages: [{workload: I, max-errors: 3}]}", "stop 3 0s"},
		{"and so does a longest outage", "{defaults: {on-error: continue}, stages: [{workload: I, max-outage: 3}]}", "give-up 0 3s"},
		{"stop here, by the file's limit", "{defaults: {max-errors: 7}, stages: [{workload: I, on-error: stop}]}", "stop 7 0s"},
	} {
		plan, err := parse(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		says := func(s *Stage) string { return fmt.Sprintf("%v %d %v", s.OnError, s.MaxErrors, s.MaxOutage) }
		if got := says(plan.Stages[0]); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
		var b bytes.Buffer
		if err := plan.WriteYAML(&b); err != nil {
			t.Fatal(err)
		}
		again, err := parse(b.String())
		if err != nil || says(again.Stages[0]) != c.want {
			t.Errorf("%s: %v, printed as\n%s", c.why, err, &b)
		}
	}
}

func TestErrorLimitProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"- {workload: I, on-error: contniue}", `f.yaml:1:27: on-error: "contniue" is not continue, stop or give-up; did you mean "continue"?`},
		{"- {workload: I, max-errors: some}", `f.yaml:1:29: max-errors: "some" is not a count`},
		{"- {workload: I, max-errors: -1}", `f.yaml:1:29: max-errors: -1 is out of range`},
		{"- {workload: I, max-outage: 0}", `f.yaml:1:29: max-outage: an outage of no time at all`},
		{"- {workload: I, max-outage: ever}", `f.yaml:1:29: max-outage: "ever" is not a duration`},
		{"- {workload: I, on-error: continue, max-errors: 1}", `f.yaml:1:49: max-errors: the stage does not stop at a number of errors: on-error is continue`},
		{"- {workload: I, on-error: give-up, max-errors: 1}", `f.yaml:1:48: max-errors: the stage does not stop at a number of errors: on-error is give-up`},
		{"- {workload: I, on-error: continue, max-outage: 1}", `f.yaml:1:49: max-outage: the stage does not stop at errors: on-error is continue`},
		{"- {workload: I, on-eror: stop}", `f.yaml:1:17: unknown key "on-eror"; did you mean "on-error"?`},
	} {
		_, err := parse(c.text)
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != 1 || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// brokenClient is a slowClient that fails by the time since its start.
type brokenClient struct {
	*slowClient
	start time.Time
	fails func(at time.Duration) types.ResultCode
}

func (c *brokenClient) answer() as.Error {
	c.do()
	if code := c.fails(time.Since(c.start)); code != types.OK {
		return &as.AerospikeError{ResultCode: code}
	}
	return nil
}

func (c *brokenClient) Get(*as.BasePolicy, *as.Key, ...string) (*as.Record, as.Error) {
	return nil, c.answer()
}
func (c *brokenClient) PutBins(*as.WritePolicy, *as.Key, ...*as.Bin) as.Error { return c.answer() }

func TestErrorsEndTheRun(t *testing.T) {
	// gone is a cluster that is away between two seconds.
	gone := func(from, until float64) func(time.Duration) types.ResultCode {
		return func(at time.Duration) types.ResultCode {
			if s := at.Seconds(); s > from && s < until {
				return types.NETWORK_ERROR
			}
			return types.OK
		}
	}
	const two = "- {workload: RU, threads: 4, duration: 100%s}\n- {workload: RU, threads: 4, duration: 100}"
	for _, c := range []struct {
		why, text string
		fails     func(time.Duration) types.ResultCode
		stop      time.Duration
		want      string // stages, seconds, why it stopped
		outages   string // by stage
	}{
		{"all is well", fmt.Sprintf(two, ""), gone(0, 0), 0, "2 200 ", "[] []"},
		{"the cluster comes back within the stage", fmt.Sprintf(two, ""), gone(10, 95), 0, "2 200 ", "[10-95] []"},
		{"and in the next", fmt.Sprintf(two, ""), gone(90, 150), 0, "2 200 ", "[90-] [100-150]"},
		{"not within a minute from the start of one", fmt.Sprintf(two, ""), gone(90, 1000), 0, "2 160 stage 2: given up because all", "[90-] [100-]"},
		{"it need not be back then", fmt.Sprintf(two, ""), gone(5, 99), 0, "2 200 ", "[5-99] []"},
		{"the longest outage is over", fmt.Sprintf(two, ", max-outage: 20"), gone(10, 95), 0, "1 30 stage 1: given up because every transaction failed for 20", "[10-]"},
		{"the first error is too many", fmt.Sprintf(two, ", on-error: stop"), gone(10, 95), 0, "1 10 stage 1: stopped because a transaction failed (on-error: stop)", "[]"},
		{"the same by a number", fmt.Sprintf(two, ", max-errors: 0"), gone(10, 95), 0, "1 10 stage 1: stopped because a transaction failed (max-errors: 0)", "[]"},
		{"the same by both", fmt.Sprintf(two, ", on-error: stop, max-errors: 0"), gone(10, 95), 0, "1 10 stage 1: stopped because a transaction failed (on-error: stop)", "[]"},
		{"the same by a number in place of the file's choice", "{defaults: {on-error: continue}, stages: [{workload: RU, threads: 4, duration: 100, max-errors: 0}]}", gone(10, 95), 0, "1 10 stage 1: stopped because a transaction failed (max-errors: 0)", "[]"},
		{"the hundredth is", fmt.Sprintf(two, ", max-errors: 99"), gone(10, 95), 0, "1 12 stage 1: stopped because more than 99 transactions failed (max-errors)", "[10-]"},
		{"they are those of the stage", "- {workload: RU, threads: 4, duration: 10, max-errors: 500}\n- {workload: RU, threads: 4, duration: 10, max-errors: 500}",
			gone(0, 100), 0, "2 20 ", "[0-] [10-]"},
		{"refused from the start", fmt.Sprintf(two, ""), func(time.Duration) types.ResultCode { return types.PARAMETER_ERROR }, 0,
			"1 10 stage 1: given up because all", "[]"},
		{"refused, and told to go on", "- {workload: RU, threads: 4, duration: 100, on-error: continue}", func(time.Duration) types.ResultCode { return types.PARAMETER_ERROR }, 0,
			"1 100 ", "[]"},
		{"a signal while the cluster is gone", fmt.Sprintf(two, ""), gone(10, 95), 20 * time.Second, "1 20 stopped", "[10-]"},
		{"in the warm-up", "- {workload: RU, threads: 4, duration: 100, warmup: 30}", gone(10, 40), 0, "1 100 ", "[30-40]"},
		{"only in the warm-up", "- {workload: RU, threads: 4, duration: 100, warmup: 30}", gone(10, 20), 0, "1 100 ", "[]"},
		{"a search for a rate ends by itself", "- {workload: RU, threads: 4, duration: 200, find-max: {error-rate: 1%, from: 10, to: 20}}", gone(-1, 1000), 0, "1 12 ", "[0-]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			plan, err := parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			client := &brokenClient{&slowClient{latency: 90 * time.Millisecond}, time.Now(), c.fails}
			s, err := Prepare(plan, client, as.NewPolicy(), as.NewWritePolicy(0, 0), workload.GoTimer)
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			s.LogErrors(&log)
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			if c.stop > 0 {
				time.AfterFunc(c.stop, func() { cancel(errors.New("stopped")) })
			}
			n := &notes{start: client.start}
			r := s.Run(ctx, n)
			why := ""
			if r.Stopped != nil {
				why, _, _ = strings.Cut(r.Stopped.Error(), "\n")
			}
			// Rounded down: a stage ends with its last transaction.
			got := fmt.Sprintf("%d %d %s", len(r.Stages), r.End.Sub(r.Start)/time.Second, why)
			if !strings.HasPrefix(got, c.want) || why == "" != strings.HasSuffix(c.want, " ") {
				t.Errorf("%s: %q, want %q", c.why, got, c.want)
			}
			var outages []string
			for _, st := range r.Stages {
				list := []string{}
				for _, o := range st.Outages {
					text := fmt.Sprintf("%.0f-", o.From.Sub(client.start).Seconds())
					if o.Over {
						text += fmt.Sprintf("%.0f", o.Until.Sub(client.start).Seconds())
					} else if end := st.Start.Add(st.Elapsed); !o.Until.Equal(end) {
						t.Errorf("%s: an outage until %v in a stage until %v", c.why, o.Until, end)
					}
					list = append(list, text)
				}
				outages = append(outages, fmt.Sprint(list))
			}
			if got := strings.Join(outages, " "); got != c.outages {
				t.Errorf("%s: outages %s, want %s", c.why, got, c.outages)
			}
			// Each call counts once, as a success or as a failure of some kind.
			failed := uint64(0)
			for _, f := range r.Failures {
				failed += f.Count
			}
			if total := r.Total.Total(); total.Done+failed != total.Attempted() ||
				total.Attempted() != uint64(client.calls) && !strings.Contains(c.text, "warmup") {
				t.Errorf("%s: %d calls, %+v, %d failures", c.why, client.calls, total, failed)
			}
			if failed > 0 && !strings.Contains(log.String(), " ERROR stage ") {
				t.Errorf("%s: %d failures, logged\n%s", c.why, failed, &log)
			}
			var tooMany *workload.TooManyErrors
			if c.stop == 0 && r.Stopped != nil && !errors.As(r.Stopped, &tooMany) {
				t.Errorf("%s: stopped by %#v", c.why, r.Stopped)
			}
		})
	}
}
