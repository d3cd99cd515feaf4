package progress

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// A run as its observer sees it, on virtual time: what the screen shows is right
// between the seconds too.
func TestARunOnTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planOf(t, "- {workload: 'RU,100', duration: 4, warmup: 2, pause: 3, tps: 100, desc: first}\n- {workload: I, key-end: 11, desc: second}")
		s := newScreen(100)
		p := New(s.open(), plan, Auto)
		defer p.Close()
		after := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := s.rows(); got != want {
				t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
			}
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		after(time.Second, "")
		must(p.Pause(plan.Stages[0], 3))
		after(0, "1/2  first  pause, 0:03 left")
		after(2*time.Second, "1/2  first  pause, 0:01 left")
		must(p.Warmup(plan.Stages[0]))
		after(time.Second, "1/2  first  [==========>         ]  warm-up 0:01/0:02")
		start := time.Now()
		must(p.StageStart(plan.Stages[0], start))
		after(500*time.Millisecond, "1/2  first  [==>                 ]   12%  0:00/0:04")
		time.Sleep(500 * time.Millisecond)
		second := measured(workload.Counts{Done: 99, Hit: 99, Error: 1}, 300)
		must(p.Period(&stage.Period{Stage: plan.Stages[0], End: time.Now(), Elapsed: time.Second, Delta: second, InStage: second}))
		after(0, "1/2  first  [=====>              ]   25%  0:01/0:04  100/100 tps  p99 300µs  1 error")
		after(time.Second, "1/2  first  [==========>         ]   50%  0:02/0:04  100/100 tps  p99 300µs  1 error")
		p.Stopping(errors.New("stopped by SIGINT"))
		after(0, "1/2  first  waiting for transactions on their way (Ctrl-C ends at once)  stopped by SIGINT")
		must(p.StageEnd(&stage.StageResult{Stage: plan.Stages[0], Elapsed: 2 * time.Second, Snapshot: second}))
		const over = "1/2  first  [==========>         ]   50%  0:02  50/100 tps  p99 300µs  1 error"
		after(0, over)
		must(p.Close())
		after(time.Minute, over) // which is all that stays
		if strings.Count(s.raw.String(), "\n") != 1 {
			t.Errorf("it printed %q", s.raw.String())
		}
	})
}

func TestASearchOnTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planOf(t, "- {workload: 'RU,100', find-max: {p99: 1ms, from: 100, settle: 1s, probe: 3s}, desc: knee}")
		s := newScreen(100)
		p := New(s.open(), plan, Auto)
		st, start := plan.Stages[0], time.Now()
		_ = p.StageStart(st, start)
		time.Sleep(time.Second)
		_ = p.Period(&stage.Period{Stage: st, End: time.Now(), Elapsed: time.Second, Delta: measured(workload.Counts{Done: 98}, 70), InStage: measured(workload.Counts{Done: 98}, 70)})
		synctest.Wait()
		if got, want := s.rows(), "1/1  knee  [=====>              ]  probe 1 at 100 tps  0:01/0:04  98/100 tps  p99 70µs  no errors"; got != want {
			t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
		}
		time.Sleep(3 * time.Second)
		_ = p.Probe(st, stage.Probe{Rate: 100, Next: 200, Held: 100})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got, want := s.rows(), "1/1  [=====>     ]  probe 2 at 200 tps  0:02/0:04  holds up to 100  98/100 tps  p99 70µs  no errors"; got != want {
			t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
		}
		p.Close()
		synctest.Wait()
		if s.rows() != "" {
			t.Errorf("what is left is %q", s.rows())
		}
	})
}

// Where standard output goes to the same terminal, its lines say more than the line of
// a stage that is over, which then is left out.
func TestNothingStaysBesideTheRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planOf(t, "- {workload: I, key-end: 11}")
		s := newScreen(80)
		term := s.open()
		term.shared = true
		p := New(term, plan, Auto)
		_ = p.StageStart(plan.Stages[0], time.Now())
		time.Sleep(time.Second)
		synctest.Wait()
		fmt.Fprintln(besides{term, s}, "rates")
		if got, want := s.rows(), "rates\n1/1  I  [>                   ]    0%  0:01  0/10 keys"; got != want {
			t.Errorf("the screen shows\n%s\nwant\n%s", got, want)
		}
		_ = p.StageEnd(&stage.StageResult{Stage: plan.Stages[0], Elapsed: time.Second, Snapshot: measured(workload.Counts{Done: 10, Hit: 10})})
		p.Close()
		synctest.Wait()
		if got := s.rows(); got != "rates" {
			t.Errorf("the screen shows\n%s", got)
		}
	})
}

// Asked for elsewhere than on a terminal, progress is a plain line now and then, and
// one for each stage.
func TestPlainLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planOf(t, "- {workload: 'RU,100', duration: 60, desc: first}")
		var out bytes.Buffer
		p := New(&Terminal{out: &out, front: func() bool { return true }}, plan, On)
		_ = p.StageStart(plan.Stages[0], time.Now())
		for range 25 {
			time.Sleep(time.Second)
			second := measured(workload.Counts{Done: 10, Hit: 10}, 50)
			_ = p.Period(&stage.Period{Stage: plan.Stages[0], End: time.Now(), Elapsed: time.Second, Delta: second, InStage: second})
			synctest.Wait()
		}
		_ = p.StageEnd(&stage.StageResult{Stage: plan.Stages[0], Elapsed: 25 * time.Second, Snapshot: measured(workload.Counts{Done: 250}, 50)})
		p.Close()
		synctest.Wait()
		want := "1/1  first   16%  0:10/1:00  10 tps  p99 50µs  no errors\n" +
			"1/1  first   33%  0:20/1:00  10 tps  p99 50µs  no errors\n" +
			"1/1  first   42%  0:25  10 tps  p99 50µs  no errors\n"
		if out.String() != want {
			t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
		}
	})
}

func TestNoProgress(t *testing.T) {
	s := newScreen(80)
	p := New(s.open(), nil, Off)
	if p != nil {
		t.Error("it is off")
	}
	p.Stopping(errors.New("x"))
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// The line follows the terminal's width. (The emulated terminal cuts what is too long for
// it, as xterm does; others wrap it.)
func TestTheTerminalIsResized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planOf(t, "- {workload: 'RU,100', duration: 100, desc: first}")
		s := newScreen(80)
		p := New(s.open(), plan, Auto)
		defer p.Close()
		_ = p.StageStart(plan.Stages[0], time.Now())
		for _, c := range []struct {
			columns int
			want    string
		}{
			{80, "1/1  first  [>                   ]    1%  0:01/1:40"},
			{34, "1/1  [>        ]    2%  0:02/1:40"},
			{12, "1/1    3%"},
			{60, "1/1  first  [>                   ]    4%  0:04/1:40"},
		} {
			s.resize(c.columns)
			fmt.Fprint(p.terminal, "") // shows the line again, as it was
			time.Sleep(time.Second)
			synctest.Wait()
			if got := s.rows(); got != c.want {
				t.Errorf("%d columns: the screen shows\n%s\nwant\n%s", c.columns, got, c.want)
			}
		}
	})
}
