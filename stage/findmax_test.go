package stage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/workload"
)

// tried runs a search against a server that holds the limits up to a rate, and
// returns the rates that it tried.
func tried(f FindMax, holds func(rate float64) bool) (rates []float64, s *rateSearch) {
	s = newRateSearch(&f)
	for more := true; more; {
		rates = append(rates, math.Round(s.rate))
		more = s.next(holds(s.rate))
	}
	return rates, s
}

func TestRateSearch(t *testing.T) {
	for _, c := range []struct {
		why  string
		f    FindMax
		max  float64
		want string
		low  float64
	}{
		{"doubling, then halving the ratio; what fails is tried twice",
			FindMax{From: 1000, To: 1e9, Precision: 0.1}, 5000, "[1000 2000 4000 8000 8000 5657 5657 4757 5187 5187 5187]", 4757},
		{"up to the highest rate", FindMax{From: 1000, To: 5000, Precision: 0.05}, 1e6, "[1000 2000 4000 5000]", 5000},
		{"the first rate fails", FindMax{From: 1000, To: 1e9, Precision: 0.05}, 500, "[1000 1000]", 0},
		{"only one rate", FindMax{From: 700, To: 700, Precision: 0.05}, 1e6, "[700]", 700},
	} {
		rates, s := tried(c.f, func(rate float64) bool { return rate <= c.max })
		if got := fmt.Sprint(rates); got != c.want || math.Round(s.low) != c.low {
			t.Errorf("%s: tried %s and found %.0f; want %s and %.0f", c.why, got, s.low, c.want, c.low)
		}
	}
}

// A hiccup does not decide: two of three tries do.
func TestRateSearchRepeatsBeforeItDecides(t *testing.T) {
	outcomes := []bool{true, false, true, true, false, false, false} // 1000; 2000 after a hiccup; 4000 fails, thrice
	f := FindMax{From: 1000, To: 1e9, Precision: 1}
	rates, s := tried(f, func(float64) bool {
		ok := outcomes[0]
		outcomes = outcomes[1:]
		return ok
	})
	if got := fmt.Sprint(rates); got != "[1000 2000 2000 2000 4000 4000 4000]" || s.low != 2000 || s.high() != 4000 {
		t.Errorf("tried %s, found %g below %g", got, s.low, s.high())
	}
}

// With one probe in ten failing at random, the answer is still near the truth nearly
// always: within 25 % in 95 of 100 searches at least, with a fixed seed.
func TestRateSearchInNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	far := 0
	for range 400 {
		limit := 2000 * math.Exp(rng.Float64()*4)
		f := FindMax{From: 1000, To: 1e9, Precision: 0.05}
		rates, s := tried(f, func(rate float64) bool { return (rate <= limit) != (rng.Float64() < 0.1 && rate < limit) })
		if s.low < limit*0.75 || s.low > limit*1.25 {
			far++
		}
		if len(rates) > 60 {
			t.Errorf("%d probes", len(rates))
		}
	}
	if far > 20 {
		t.Errorf("%d of 400 searches ended far from the truth", far)
	}
}

// kneeClient answers in 1 ms up to a rate, measured over the tenth of a second that
// passed, and in 50 ms beyond it.
type kneeClient struct {
	slowClient
	most float64
	from time.Time
	n    int
	slow bool
}

func (c *kneeClient) Get(*as.BasePolicy, *as.Key, ...string) (*as.Record, as.Error) {
	c.mu.Lock()
	const window = 100 * time.Millisecond
	c.n++
	if past := time.Since(c.from); past >= window {
		c.slow = float64(c.n)/past.Seconds() > c.most
		c.from, c.n = time.Now(), 0
	}
	slow := c.slow
	c.mu.Unlock()
	if slow {
		time.Sleep(50 * time.Millisecond)
	} else {
		time.Sleep(time.Millisecond)
	}
	return nil, nil
}

func TestFindMaxFindsTheKnee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan, err := parse("- {workload: 'RU,100', threads: 500, find-max: {p99: 10ms, from: 200, probe: 3s, precision: 5%}}")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Prepare(plan, &kneeClient{most: 1500, from: time.Now()}, as.NewPolicy(), as.NewWritePolicy(0, 0), workload.GoTimer)
		if err != nil {
			t.Fatal(err)
		}
		result := s.Run(context.Background(), &notes{})
		st := result.Stages[0]
		if last := st.Probes[len(st.Probes)-1]; last.Held != st.MaxRate {
			t.Errorf("the last probe says that %g tps hold, the result %g", last.Held, st.MaxRate)
		}
		if st.MaxRate < 1500/1.06 || st.MaxRate > 1500*1.02 || !st.Settled || result.Found() != nil {
			t.Errorf("found %g (settled %v), want about 1500; probes:", st.MaxRate, st.Settled)
		}
		for i, p := range st.Probes {
			next := 0.0
			if i+1 < len(st.Probes) {
				next = st.Probes[i+1].Rate
			}
			if p.Next != next {
				t.Errorf("after %.0f tps it says that %.0f come, not %.0f", p.Rate, p.Next, next)
			}
			if p.OK != (p.Rate <= 1500) && math.Abs(p.Rate-1500) > 30 {
				t.Errorf("%.0f tps: %v: %s", p.Rate, p.OK, p.Why())
			}
		}
	})
}

// oneServer answers one call after the other, each after a random time of the given
// mean: with Poisson arrivals it is an M/M/1 queue.
type oneServer struct {
	slowClient
	mean time.Duration
	rng  *rand.Rand
	free time.Time // when it has answered all calls that came
}

func (c *oneServer) Get(*as.BasePolicy, *as.Key, ...string) (*as.Record, as.Error) {
	c.mu.Lock()
	now := time.Now()
	if c.free.Before(now) {
		c.free = now
	}
	c.free = c.free.Add(time.Duration(c.rng.ExpFloat64() * float64(c.mean)))
	wait := c.free.Sub(now)
	c.mu.Unlock()
	time.Sleep(wait)
	return nil, nil
}

// Response times of an M/M/1 queue are exponentially distributed with the mean
// 1/(mu-lambda), so their p99 is ln(100)/(mu-lambda): with 500/s served, it is 50 ms
// at 500-ln(100)/0.05 = 407.9 transactions per second.
func TestFindMaxFindsTheLimitOfAQueue(t *testing.T) {
	const want = 407.9
	st := found(t, "workload: 'RU,100', arrival: poisson, threads: 400, duration: 1h, find-max: {p99: 50ms, from: 100, probe: 20s, precision: 5%}",
		&oneServer{mean: 2 * time.Millisecond, rng: rand.New(rand.NewPCG(1, 2))})
	// Below by up to the precision. The p99 of 8000 latencies, which depend on each
	// other, varies, and the rate with it: over ten seeds it was 383 to 436. With
	// this one and virtual time it is always the same.
	if !st.Settled || st.MaxRate < want/1.05*0.97 || st.MaxRate > want*1.03 {
		t.Errorf("found %.1f (settled %v), want %.1f or up to 5 %% less", st.MaxRate, st.Settled, want)
		for _, p := range st.Probes {
			t.Logf("%.1f tps %s: %s", p.Rate, p.Verdict(), p.Why())
		}
	}
}

// One worker whose transactions take 5 ms makes 200 a second, whatever the limits
// allow: beyond, the rate is not kept up.
func TestFindMaxIsBoundedByItsWorkers(t *testing.T) {
	st := found(t, "workload: 'RU,100', threads: 1, find-max: {max: 3600s, from: 10, precision: 2%}", &slowClient{latency: 5 * time.Millisecond})
	if !st.Settled || st.MaxRate < 200/1.02*0.99 || st.MaxRate > 200/0.99 {
		t.Errorf("found %g (settled %v), want 200 or up to 2 %% less", st.MaxRate, st.Settled)
	}
	for _, p := range st.Probes {
		if p.OK != (p.Rate <= 200/0.99) || math.Abs(p.Achieved-min(p.Rate, 200)) > 1 {
			t.Errorf("%.1f tps %s with %.1f achieved: %s", p.Rate, p.Verdict(), p.Achieved, p.Why())
		}
	}
}

// A run that is stopped keeps what the search knew.
func TestFindMaxIsStopped(t *testing.T) {
	result, n, _ := sequence(t, "- {workload: 'RU,100', threads: 4, find-max: {p99: 10ms, from: 20, probe: 3s}}", time.Millisecond, 10*time.Second, nil)
	st := result.Stages[0]
	if result.Stopped == nil || st.MaxRate != 40 || st.Settled || len(st.Probes) != 2 || len(st.Checks) != 0 || len(n.ends) != 1 {
		t.Errorf("stopped by %v: found %g (settled %v) with %d probes", result.Stopped, st.MaxRate, st.Settled, len(st.Probes))
	}
	// The third second of settling at 80 tps is part of the stage.
	if got := st.Transactions(); got < 20*4+40*4+80*2-4 || got > 20*4+40*4+80*2+4 {
		t.Errorf("%d transactions", got)
	}
	if last := n.periods[len(n.periods)-1]; last.Total.Transactions() != st.Transactions() {
		t.Errorf("the periods hold %d of %d transactions", last.Total.Transactions(), st.Transactions())
	}
}

// found runs a stage on virtual time.
func found(t *testing.T, text string, client workload.Client) (st *StageResult) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		plan, err := parse("- {" + text + "}")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Prepare(plan, client, as.NewPolicy(), as.NewWritePolicy(0, 0), workload.GoTimer)
		if err != nil {
			t.Fatal(err)
		}
		st = s.Run(context.Background(), &notes{}).Stages[0]
	})
	return st
}

// The stage's duration bounds the search, which then says that it is not settled; and
// a limit that never holds is an error.
func TestFindMaxEnds(t *testing.T) {
	for _, c := range []struct {
		text    string
		most    float64
		rate    float64
		settled bool
		found   bool
		took    time.Duration
	}{
		{"duration: 13, find-max: {p99: 10ms, from: 100, probe: 3s}", 1e9, 400, false, true, 12 * time.Second},
		{"duration: 60, find-max: {p99: 10ms, from: 100, to: 200, probe: 3s}", 1e9, 200, true, true, 8 * time.Second},
		{"duration: 60, find-max: {p99: 10ms, from: 100, probe: 3s}", 1, 0, true, false, 8 * time.Second},
		{"duration: 4, find-max: {p99: 10ms, from: 100, probe: 3s}", 1e9, 100, false, true, 4 * time.Second},
		{"duration: 7, find-max: {p99: 10ms, from: 100, probe: 3s}", 1, 0, false, false, 4 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			plan, err := parse("- {workload: 'RU,100', threads: 50, " + c.text + "}")
			if err != nil {
				t.Fatal(err)
			}
			s, err := Prepare(plan, &kneeClient{most: c.most, from: time.Now()}, as.NewPolicy(), as.NewWritePolicy(0, 0), workload.GoTimer)
			if err != nil {
				t.Fatal(err)
			}
			result := s.Run(context.Background(), &notes{})
			st := result.Stages[0]
			var none *FindMaxError
			if errors.As(result.Found(), &none) && none.Undecided == c.settled {
				t.Errorf("%s: %v", c.text, none)
			}
			if st.MaxRate != c.rate || st.Settled != c.settled || errors.As(result.Found(), &none) == c.found || st.Elapsed.Round(time.Second/2) != c.took {
				t.Errorf("%s: found %g, settled %v, %v, in %v", c.text, st.MaxRate, st.Settled, result.Found(), st.Elapsed)
			}
		})
	}
}

func TestFindMaxErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"workload: 'RU,50', find-max: {from: 1k}", "find-max: no limit is given; expected one such as {p99: 2ms} or {error-rate: 0.1%}"},
		{"workload: 'RU,50', find-max: {p99: 2}", `find-max: p99: "2" is no value for p99`},
		{"workload: 'RU,50', find-max: {p101: 2ms}", "find-max: p101: p101 is no percentile"},
		{"workload: 'RU,50', find-max: {p99: 2ms, error-rate: 2}", "find-max: error-rate: \"2\" is no value for error-rate: expected a share such as 1%"},
		{"workload: 'RU,50', find-max: {p99: 2ms, form: 1k}", `find-max: unknown key "form"`},
		{"workload: 'RU,50', find-max: {p99: 2ms, from: 2k, to: 1k}", "f.yaml:1:58: find-max: to: 1000 is below from, 2000"},
		{"workload: 'RU,50', find-max: {p99: 2ms, from: 0}", "find-max: from: a search begins at 1 tps or more"},
		{"workload: 'RU,50', find-max: {p99: 2ms, precision: 0}", "find-max: precision: expected at least 0.1%"},
		{"workload: I, find-max: {p99: 2ms}", "find-max: I ends with its key range"},
		{"workload: 'RU,50', tps: 5, find-max: {p99: 2ms}", "tps: it does not go with find-max"},
		{"workload: 'RU,50', warmup: 5, find-max: {p99: 2ms}", "warmup: it does not go with find-max"},
		{"workload: 'RU,50', duration: 3, find-max: {p99: 2ms}", "duration: 3s is too short for a single probe of find-max, which takes 6s"},
	} {
		_, err := parse("- {" + c.text + "}")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestFindMaxIsPrinted(t *testing.T) {
	const want = "find-max: {p99: 2ms, error-rate: 0.1%, from: 500, to: 90000, probe: 7, settle: 2, precision: 3%}"
	plan, err := parse("- {workload: 'RU,50', find-max: {p99: 2ms, error-rate: 0.1%, from: 500, to: 90k, probe: 7s, settle: 2s, precision: 3%}}")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := plan.WriteYAML(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), want) {
		t.Errorf("printed as\n%s", out.String())
	}
	if _, err := parse(out.String()); err != nil {
		t.Errorf("does not read back: %v", err)
	}
}
