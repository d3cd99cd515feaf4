package progress

import (
	"fmt"
	"math"
	"time"

	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// phase is what the run does at the moment.
type phase uint8

const (
	idle    phase = iota // between stages
	pausing              // waiting before a stage
	warming              // running a stage unrecorded
	running
)

// state is what the line is about.
type state struct {
	phase  phase
	stage  *stage.Stage
	stages int
	since  time.Time     // when the phase began
	lasts  time.Duration // of pauses and warm-ups

	measured workload.Snapshot // of the stage, at the end of the last period
	now      numbers           // of that period
	ticked   bool              // there was one

	// Of stages with find-max: the rate that is tried, since when, how many were
	// before, and the highest that holds.
	trying float64
	tried  time.Time
	tries  int
	held   float64

	stopping string // why the run is about to end early
}

// line describes the state in so many columns; 0 for any number.
func (s state) line(now time.Time, columns int) string {
	if s.phase == idle {
		return ""
	}
	parts := title(s.stage, s.stages)
	passed := now.Sub(s.since)
	if s.stopping != "" {
		if s.phase == running {
			parts = append(parts, part{"waiting for transactions on their way (Ctrl-C ends at once)", rankTime})
		}
		return join(append(parts, part{s.stopping, rankShare}), -1, columns)
	}
	switch s.phase {
	case pausing:
		return join(append(parts, part{"pause, " + clock(s.lasts-passed+time.Second-1) + " left", rankShare}), -1, columns)
	case warming:
		parts = append(parts, part{"warm-up " + clock(passed) + "/" + clock(s.lasts), rankShare})
		return join(parts, min(1, passed.Seconds()/s.lasts.Seconds()), columns)
	}
	if s.stage.FindMax != nil {
		return s.search(parts, now, columns)
	}
	share := s.stage.Share(passed, s.measured)
	parts = append(append(parts, percent(share)), s.time(passed))
	parts = append(parts, keys(s.stage, s.measured)...)
	return join(append(parts, s.measures()...), share, columns)
}

// time says how long the stage has run, and how long it will if that is known.
func (s state) time(passed time.Duration) part {
	switch all := s.stage.Duration; {
	case all > 0 && passed >= all+time.Second && s.stage.Workload.Endless():
		return part{"waiting for the last transactions, " + clock(passed), rankTime}
	case all > 0:
		return part{clock(passed) + "/" + clock(all), rankTime}
	}
	return part{clock(passed), rankTime}
}

// measures are the numbers of the last second, and the errors of the stage.
func (s state) measures() []part {
	if !s.ticked {
		return nil
	}
	return append(s.now.parts(), failures(s.measured))
}

// search describes a stage that looks for the highest rate. The bar is that of the
// probe, since nobody knows how many there will be.
func (s state) search(parts []part, now time.Time, columns int) string {
	if s.trying == 0 {
		return join(append(parts, part{"the search is over", rankShare}), -1, columns)
	}
	f := s.stage.FindMax
	all, passed := f.Settle+f.Probe, now.Sub(s.tried)
	parts = append(parts,
		part{fmt.Sprintf("probe %d at %s tps", s.tries+1, rate(s.trying)), rankShare},
		part{clock(passed) + "/" + clock(all), rankTime})
	if s.held > 0 {
		parts = append(parts, part{"holds up to " + rate(s.held), rankBest})
	}
	return join(append(parts, s.measures()...), min(1, passed.Seconds()/all.Seconds()), columns)
}

// summary is the line that stays of a stage that is over.
func summary(r *stage.StageResult, stages, columns int) string {
	st := r.Stage
	// The last transaction may end some milliseconds before the stage's time is over.
	share := math.Round(100*st.Share(r.Elapsed, r.Snapshot)) / 100
	took := part{clock(r.Elapsed.Round(time.Second)), rankTime}
	parts := append(title(st, stages), percent(share), took)
	if st.FindMax != nil {
		share = -1
		parts = append(title(st, stages), took, part{"no rate holds", rankShare})
		if r.MaxRate > 0 {
			parts[len(parts)-1].text = "holds up to " + rate(r.MaxRate) + " tps"
		}
	} else {
		parts = append(parts, keys(st, r.Snapshot)...)
		end := r.Elapsed
		if st.Schedule.Throttled() && st.Workload.Endless() {
			end = min(end, st.Duration) // none is due later, though the last may end later
		}
		parts = append(parts, measure(st, r.Snapshot, end, st.Due(end)).parts()...)
	}
	return join(append(parts, failures(r.Snapshot)), share, columns)
}
