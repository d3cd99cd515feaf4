package stage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aeroload/aeroload/workload"
)

// resolveVerify checks the stages that verify what they read, and finds out what
// they cannot tell.
func resolveVerify(drafts []*draft, d Defaults, problems *Problems) {
	for n, dr := range drafts {
		if !dr.Verify || dr.bad["workload"] || dr.Object == nil {
			continue
		}
		if !dr.Workload.HasRecordReads() {
			dr.Verify = false
			dr.meaningless("verify", problems, "the workload %s reads no records by their keys", dr.Workload)
			continue
		}
		if dr.seedDrawn(d) && !slices.ContainsFunc(drafts[:n], func(e *draft) bool { return e.seedDrawn(d) && e.writesValues() }) {
			problems.add(dr.placeOf("verify"), "verify: what is read was written by another run: give that run's seed (--seed)")
		}
		h := history{reader: dr, loaded: !dr.seedDrawn(d), added: map[string]bool{}, lacking: map[string]bool{}}
		if h.loaded { // perhaps by an earlier run of this plan, which went on
			h.followAll(drafts[n+1:])
		}
		h.followAll(drafts[:n+1])
		for i, name := range dr.Object.Bins() {
			if h.added[name] {
				dr.Unknown = append(dr.Unknown, i)
			}
			if h.lacking[name] {
				dr.MayLack = append(dr.MayLack, i)
			}
		}
	}
}

// seedDrawn tells whether nobody has chosen the stage's seed.
func (d *draft) seedDrawn(defaults Defaults) bool {
	_, own := d.given["seed"]
	return defaults.SeedDrawn && !own
}

func (d *draft) writesValues() bool {
	return !d.bad["workload"] && d.Workload.Does(workload.Action.WritesValues)
}

// history is what the stages of a plan may have done to the records that one of
// them verifies, besides writing what the object spec makes.
type history struct {
	reader  *draft          // the stage that verifies
	loaded  bool            // all records have been there, with all bins
	gone    bool            // records may have been deleted, or have expired, since
	added   map[string]bool // bins that were added to
	lacking map[string]bool // bins that records may lack
}

func (h *history) followAll(drafts []*draft) {
	for _, d := range drafts {
		if !d.bad["workload"] && d.Object != nil {
			h.follow(d)
		}
	}
}

// follow takes the history one stage further.
func (h *history) follow(d *draft) {
	if d.Workload.Kind == workload.Insert {
		h.load(d)
	}
	w, writes := d.Workload, d.Workload.HasWrites()
	h.gone = h.gone || w.Does(func(a workload.Action) bool { return a == workload.DeleteRecord }) || writes && d.TTL > 0
	if w.Kind == workload.Delete {
		h.gone = h.gone || d.WriteBins == nil
		h.lack(d, func(i int) bool { return !slices.Contains(d.WriteBins, i+1) })
	}
	// What writes some bins leaves records without the others: inserts and replaces
	// always, updates and additions where there was no record.
	made := h.gone || !h.loaded
	makes := func(a workload.Action) bool { return a.WritesValues() && (made || a != workload.UpdateBins) }
	if w.DoesSome(makes) {
		h.lack(d, d.writesPartly)
	}
	if w.Does(makes) { // the bins of another object spec
		h.lack(d, func(int) bool { return true })
	}
	if w.HasAdditions() && made {
		h.lack(d, func(i int) bool { return i == d.addedBin() })
	}
	if w.HasUDFs() && made { // they may make a record of bins of their own
		h.lack(d, func(int) bool { return false })
	}
	for i, name := range d.Object.Bins() {
		h.added[name] = h.added[name] || w.HasAdditions() && i == d.addedBin() || writes && w.Fits(d.Object, i)
	}
}

// lack notes that records may lack all bins but those of the stage for which has
// holds.
func (h *history) lack(d *draft, has func(i int) bool) {
	names := d.Object.Bins()
	for _, name := range h.reader.Object.Bins() {
		i := slices.Index(names, name)
		h.lacking[name] = h.lacking[name] || i < 0 || !has(i)
	}
}

// load takes the history past a stage that writes each key once, which makes up for
// all that was before if it writes all bins of all the records.
func (h *history) load(d *draft) {
	all := d.visitsAll(h.reader)
	if d.Workload.DoesSome(workload.Action.WritesValues) || !all {
		h.loaded = h.loaded && all
		return
	}
	h.loaded, h.gone = true, false
	clear(h.lacking)
	h.lack(d, func(int) bool { return true })
	for _, name := range d.Object.Bins() {
		delete(h.added, name)
	}
}

// visitsAll tells whether the stage, which walks its keys, comes to each record that
// another stage may read.
func (d *draft) visitsAll(reader *draft) bool {
	keys := d.Workload.Keys(d.Keys)
	switch {
	case d.Transactions > 0: // it may end before
		return false
	case reader.Distribution.Name() == "latest" && reader.insertsBesides(): // also behind its range
		return false
	case d.KeyFile != reader.KeyFile || d.KeyFile == nil && d.KeyFormat != reader.KeyFormat:
		return false
	case d.Shard.Count > 1: // no part of one range is a part of another
		return d.Shard == reader.Shard && keys == reader.Keys
	}
	return keys.Start <= reader.Keys.Start && keys.End >= reader.Keys.End
}

// addedBin returns the index of the bin that additions add to.
func (d *draft) addedBin() int {
	if len(d.WriteBins) > 0 {
		return d.WriteBins[0] - 1
	}
	return 0
}

// writesPartly tells whether writes of some bins write that with the index i.
func (d *draft) writesPartly(i int) bool {
	return slices.Contains(d.WriteBins, i+1) || len(d.WriteBins) == 0 && i == 0
}

// VerifyError says that records were not as the object spec makes them.
type VerifyError struct {
	// Records is how many, as often as they were read.
	Records uint64
}

func (e *VerifyError) Error() string {
	if e.Records == 1 {
		return "verify: 1 record was not as the object spec makes it"
	}
	return fmt.Sprintf("verify: %d records were not as the object spec makes them", e.Records)
}

// Verified returns a *[VerifyError] if any record that was read in a stage that
// verifies was not as the object spec makes it, and nil otherwise.
func (r *Result) Verified() error {
	if n := r.Total.Total().Mismatch; n > 0 {
		return &VerifyError{n}
	}
	return nil
}

// UnknownBins names the bins that a stage that verifies cannot tell.
func (s *Stage) UnknownBins() string {
	var names []string
	for i, name := range s.Object.Bins() {
		if slices.Contains(s.Unknown, i) || !s.Object.Repeatable(i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
