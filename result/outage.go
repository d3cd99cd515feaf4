package result

import (
	"fmt"
	"slices"
	"time"

	"github.com/aeroload/aeroload/workload"
)

// Outage is a time at which the cluster was gone: nothing succeeded, and transactions
// failed because no node answered them.
type Outage struct {
	From    time.Time `json:"from"`
	Until   time.Time `json:"until"` // the first success after it, or the stage's end
	Seconds float64   `json:"seconds"`
	// Over tells that the cluster came back within the stage.
	Over bool `json:"over"`
}

func newOutages(list []workload.Outage) []Outage {
	var out []Outage
	for _, o := range list {
		out = append(out, Outage{From: o.From, Until: o.Until, Seconds: o.Until.Sub(o.From).Seconds(), Over: o.Over})
	}
	return out
}

// mergeOutages puts those that several machines saw in the order in which they began.
func mergeOutages(stages []*Stage) []Outage {
	var all []Outage
	for _, s := range stages {
		all = append(all, s.Outages...)
	}
	slices.SortStableFunc(all, func(a, b Outage) int { return a.From.Compare(b.From) })
	return all
}

func checkOutages(list []Outage) error {
	for i, o := range list {
		if !validSeconds(o.Seconds) || i > 0 && o.From.Before(list[i-1].From) {
			return fmt.Errorf("outage %d: from %v, %v seconds long", i+1, o.From, o.Seconds)
		}
	}
	return nil
}

// noteOutages notes when the cluster was gone.
func (r *Recorder) noteOutages(s *Stage) {
	for _, o := range s.Outages {
		if o.Over {
			r.note(o.Until, NoteCluster, s.Number, "the cluster is back after %.3f s without any success", o.Seconds)
		} else {
			r.note(o.Until, NoteCluster, s.Number, "the cluster has been gone for %.3f s, without any success", o.Seconds)
		}
	}
}
