package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aeroload/aeroload/result"
)

// distinct leaves out runs that are there before, such as a copy in a folder: a run
// that counts twice looks like two that agree, which leaves no room for noise.
func (t *Table) distinct(docs []*result.Document, side string) []*result.Document {
	var list []*result.Document
	for _, d := range docs {
		if slices.ContainsFunc(list, d.SharesRun) {
			t.warn("a run is there more than once in %s, and counts once", side)
			continue
		}
		list = append(list, d)
	}
	return list
}

// checkStages refuses runs of different stages, and warns of what makes numbers
// hard to compare.
func (t *Table) checkStages() error {
	first := t.base[0]
	for _, d := range slices.Concat(t.base, t.new) {
		if len(d.Stages) != len(first.Stages) || len(d.Stages) == 0 {
			return fmt.Errorf("the runs are of %d and %d stages: only runs of the same stages compare", len(first.Stages), len(d.Stages))
		}
		for i, s := range d.Stages {
			want := first.Stages[i]
			if s.Number != want.Number || s.Throttled != want.Throttled || !slices.Equal(s.OperationNames(), want.OperationNames()) {
				return fmt.Errorf("stage %d has other operations in one run than in another: %v (with a target rate: %v) and %v (%v)",
					want.Number, want.OperationNames(), want.Throttled, s.OperationNames(), s.Throttled)
			}
			t.warnOfPlans(s.Number, first.Config.Stages[s.Number-1], d.Config.Stages[s.Number-1])
		}
		if d.Server.Embedded != first.Server.Embedded {
			t.warn("some runs were against the embedded server, others were not")
		}
		if len(d.Machines) != len(first.Machines) || d.Machines[0].CPU != first.Machines[0].CPU {
			t.warn("the runs are from different machines")
		}
		if d.Stopped != "" {
			t.warn("a run ended early: %s", d.Stopped)
		}
	}
	return nil
}

func (t *Table) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(t.Warnings, text) {
		t.Warnings = append(t.Warnings, text)
	}
}

// warnOfPlans warns of what a stage was told in one run and not in another, but for
// what does not change the load.
func (t *Table) warnOfPlans(stage int, a, b map[string]any) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if slices.Contains([]string{"stage", "desc", "seed", "assert", "on-fail", "pause"}, key) {
			continue
		}
		if a, b := setting(a[key]), setting(b[key]); a != b {
			t.warn("stage %d: %s is %s in one run and %s in another", stage, key, a, b)
		}
	}
}

// setting is the value of a key for people; lists and maps are JSON.
func setting(v any) string {
	switch v := v.(type) {
	case nil:
		return "not given"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any, []any:
		if text, err := json.Marshal(v); err == nil {
			return string(text)
		}
	}
	return fmt.Sprint(v)
}
