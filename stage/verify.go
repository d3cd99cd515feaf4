package stage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aeroload/aeroload/workload"
)

// resolveVerify checks the stages that verify what they read, and finds out which
// bins they cannot tell.
func resolveVerify(drafts []*draft, d Defaults, problems *Problems) {
	added := addedBins(drafts)
	written := false // by a stage of the plan up to here
	for _, dr := range drafts {
		if dr.bad["workload"] || dr.Object == nil {
			continue
		}
		written = written || dr.Workload.Does(workload.Action.WritesValues)
		if !dr.Verify {
			continue
		}
		_, own := dr.given["seed"]
		switch {
		case !dr.Workload.HasRecordReads():
			dr.Verify = false
			dr.meaningless("verify", problems, "the workload %s reads no records by their keys", dr.Workload)
			continue
		case d.SeedDrawn && !own && !written:
			problems.add(dr.placeOf("verify"), "verify: what is read was written by another run: give that run's seed (--seed)")
		}
		for i, name := range dr.Object.Bins() {
			if slices.Contains(added, name) {
				dr.Unknown = append(dr.Unknown, i)
			}
		}
	}
}

// addedBins lists the bins that stages add to, numbers as well as elements, so
// that their values depend on what has happened.
func addedBins(drafts []*draft) []string {
	var names []string
	for _, dr := range drafts {
		if dr.bad["workload"] || dr.Object == nil {
			continue
		}
		bins := dr.Object.Bins()
		if dr.Workload.HasAdditions() {
			bin := 0
			if len(dr.WriteBins) > 0 {
				bin = dr.WriteBins[0] - 1
			}
			if bin < len(bins) {
				names = append(names, bins[bin])
			}
		}
		for i, name := range bins {
			if dr.Workload.Fits(dr.Object, i) {
				names = append(names, name)
			}
		}
	}
	return names
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
