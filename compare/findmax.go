package compare

import (
	"math"
	"slices"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/result"
)

// allLookedForMax tells whether all runs looked for the highest rate in a stage.
func (t *Table) allLookedForMax(stage int) bool {
	return !slices.ContainsFunc(slices.Concat(t.base, t.new), func(d *result.Document) bool { return d.Stages[stage].FindMax == nil })
}

// findMaxRow compares the highest rates that runs found. Each run has but one, so
// that p is NaN unless runs were repeated.
func (t *Table) findMaxRow(stage int) (r Row, p float64) {
	var sides [2][]float64
	for side, docs := range [][]*result.Document{t.base, t.new} {
		for _, d := range docs {
			sides[side] = append(sides[side], d.Stages[stage].FindMax.TPS)
		}
	}
	m := metric{name: "find-max"}
	r = t.newRow(stage, condition.Total, m, sides)
	if t.Test != "runs" {
		return r, math.NaN()
	}
	return r, m.testRuns(sides[0], sides[1])
}
