// Package progress shows on a terminal how far a run is: a line at the bottom of
// what is printed, redrawn several times a second.
//
// A [Terminal] keeps the line apart from everything else that goes to the same
// terminal. A [Progress] observes the run and says what stands in the line.
package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/stage"
)

// Mode says when progress is shown.
type Mode string

// The modes.
const (
	Auto Mode = "auto" // on a terminal
	On   Mode = "on"   // also elsewhere, where it is a line of its own now and then
	Off  Mode = "off"  // never
)

// ParseMode reads the name of a mode.
func ParseMode(text string) (Mode, error) {
	switch m := Mode(text); m {
	case Auto, On, Off:
		return m, nil
	}
	return "", fmt.Errorf("%q is not auto, on or off%s", text, suggest.DidYouMean(text, []string{string(Auto), string(On), string(Off)}))
}

const (
	redraw = 250 * time.Millisecond // how often the line is redrawn on a terminal,
	repeat = 10 * time.Second       // and printed elsewhere
)

// Progress shows the progress of a run. It is a [stage.Observer] and a
// [stage.ProbeObserver], whose methods only note what there is to show and never wait
// for the terminal. A nil *Progress shows nothing.
type Progress struct {
	terminal *Terminal
	wake     chan struct{} // there is something new to draw
	quit     chan struct{}
	done     chan struct{}
	close    sync.Once

	start time.Time // of the stage's measured time

	mu    sync.Mutex
	state state
}

// New starts to show the progress of a run of plan. It returns nil if the mode and
// the terminal ask for none. [Progress.Close] ends it.
func New(t *Terminal, plan *stage.Plan, mode Mode) *Progress {
	if mode == Off || mode == Auto && !t.able {
		return nil
	}
	p := &Progress{
		terminal: t,
		wake:     make(chan struct{}, 1),
		quit:     make(chan struct{}),
		done:     make(chan struct{}),
		state:    state{stages: len(plan.Stages)},
	}
	go p.run()
	return p
}

// run draws until the progress is closed.
func (p *Progress) run() {
	defer close(p.done)
	every := redraw
	if !p.terminal.able {
		every = repeat
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.draw(true)
		case <-p.wake:
			p.draw(p.terminal.able)
		case <-p.quit:
			p.draw(false)
			if p.terminal.able {
				p.terminal.set("")
			}
			return
		}
	}
}

// draw prints what is queued about stages that are over and, if it is time for that,
// what the run does.
func (p *Progress) draw(line bool) {
	p.terminal.drain()
	if !line {
		return
	}
	p.mu.Lock()
	s := p.state
	p.mu.Unlock()
	switch text := s.line(time.Now(), p.columns()); {
	case p.terminal.able:
		p.terminal.set(text)
	case text != "":
		p.terminal.enqueue(text)
		p.terminal.drain()
	}
}

// columns is how many there are for a line, 0 for any number.
func (p *Progress) columns() int {
	if !p.terminal.able {
		return 0
	}
	return p.terminal.columns()
}

// change changes the state.
func (p *Progress) change(change func(*state)) error {
	p.mu.Lock()
	change(&p.state)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // it will look anyway
	}
	return nil
}

// begin begins a phase of a stage.
func (p *Progress) begin(ph phase, s *stage.Stage, lasts time.Duration, at time.Time) error {
	return p.change(func(st *state) {
		*st = state{stages: st.stages, stopping: st.stopping, phase: ph, stage: s, since: at, lasts: lasts}
	})
}

// Pause shows how much of the pause is left.
func (p *Progress) Pause(s *stage.Stage, seconds int) error {
	return p.begin(pausing, s, time.Duration(seconds)*time.Second, time.Now())
}

// Warmup shows how much of the warm-up has passed.
func (p *Progress) Warmup(s *stage.Stage) error { return p.begin(warming, s, s.Warmup, time.Now()) }

// StageStart shows the stage.
func (p *Progress) StageStart(s *stage.Stage, at time.Time) error {
	p.start = at
	err := p.begin(running, s, s.Duration, at)
	if s.FindMax == nil {
		return err
	}
	return p.change(func(st *state) { st.trying, st.tried = s.FindMax.From, at })
}

// Period shows what the last second has measured.
func (p *Progress) Period(period *stage.Period) error {
	st := period.Stage
	end := period.End.Sub(p.start)
	n := measure(st, period.Delta, period.Elapsed, st.Due(end)-st.Due(end-period.Elapsed))
	return p.change(func(s *state) {
		s.measured, s.now, s.ticked = period.InStage, n, true
		if st.FindMax != nil {
			s.now.target = s.trying
		}
	})
}

// Probe shows the rate that is tried next.
func (p *Progress) Probe(_ *stage.Stage, probe stage.Probe) error {
	return p.change(func(s *state) {
		s.trying, s.tried, s.held = probe.Next, time.Now(), probe.Held
		s.tries++
	})
}

// StageEnd removes the line. Unless standard output goes to the same terminal, a line
// about the stage stays.
func (p *Progress) StageEnd(r *stage.StageResult) error {
	return p.change(func(s *state) {
		// Where the rates of each second are printed, it would say nothing new.
		if !p.terminal.shared {
			p.terminal.enqueue(summary(r, s.stages, p.columns()))
		}
		*s = state{stages: s.stages, stopping: s.stopping}
	})
}

// Stopping shows that the run is about to end early, and why.
func (p *Progress) Stopping(why error) {
	if p == nil {
		return
	}
	_ = p.change(func(s *state) { s.stopping = why.Error() })
}

// Close ends the line. A terminal that does not take what is written to it is not
// waited for.
func (p *Progress) Close() error {
	if p == nil {
		return nil
	}
	p.terminal.retired.Store(true) // whoever comes to the terminal first removes the line
	p.close.Do(func() { close(p.quit) })
	select {
	case <-p.done:
	case <-time.After(patience):
	}
	return nil
}
