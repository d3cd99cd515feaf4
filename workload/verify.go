package workload

import (
	"fmt"
	"slices"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/objspec"
)

// maxMismatches is how many mismatches of a stage are described.
const maxMismatches = 5

// verifier tells whether records that were read are as the object spec makes them.
type verifier struct {
	spec   *objspec.Spec
	values *objspec.Generator
	random bool
	names  []string
	lack   []bool // by index: the bin may be missing
	all    []int  // indexes of the bins that can be told
	some   []int  // those of them that partial reads take
}

func newVerifier(s *Spec) *verifier {
	v := &verifier{spec: s.Object, values: s.Object.NewGenerator(s.Seed), random: s.Random, names: s.Object.Bins()}
	v.lack = make([]bool, len(v.names))
	for _, i := range s.MayLack {
		v.lack[i] = true
	}
	partial := s.ReadBins
	if partial == nil {
		partial = []int{0}
	}
	for i := range v.names {
		if !v.spec.Repeatable(i) || slices.Contains(s.Unknown, i) {
			continue
		}
		v.all = append(v.all, i)
		if slices.Contains(partial, i) {
			v.some = append(v.some, i)
		}
	}
	return v
}

// check returns what is wrong with the bins of the record that id stands for, or ""
// if nothing is. all tells whether all bins were read.
func (v *verifier) check(id uint64, all bool, bins as.BinMap) string {
	sel := v.some
	if all {
		sel = v.all
	}
	if len(sel) == 0 {
		return ""
	}
	if !v.random {
		id = 0
	}
	wanted := v.values.Record(id, sel)
	for _, i := range sel {
		name := v.names[i]
		got, there := bins[name]
		switch {
		case len(wanted) == 0 || wanted[0].Name != name: // an optional bin that the record has not
			if there {
				return fmt.Sprintf("bin %s: wanted none, got %s", name, window(shownValue(objspec.Returned(got)), 0))
			}
		case !there && v.lack[i]:
			wanted = wanted[1:]
		case !there:
			want, _, _ := objspec.Matches(wanted[0], nil)
			return fmt.Sprintf("bin %s: wanted %s, got none", name, window(shownValue(objspec.Sorted(want)), 0))
		default:
			want, ok, err := objspec.Matches(wanted[0], got)
			if err != nil {
				return err.Error()
			}
			if !ok {
				return fmt.Sprintf("bin %s: %s", name, difference(want, got))
			}
			wanted = wanted[1:]
		}
	}
	return ""
}

// verify compares what a read returned, of which records were there.
func (w *worker) verify(st *step) {
	if b := w.batches[st.number]; b != nil {
		for i := range b.rows[:b.n] {
			if r := &b.rows[i]; r.result.ResultCode == 0 && r.result.Record != nil {
				w.verifyRecord(r.key, r.id, r.read.ReadAllBins, r.result.Record)
			}
		}
		return
	}
	w.verifyRecord(w.key, w.record, w.readNames == nil, w.got)
}

func (w *worker) verifyRecord(key *as.Key, id uint64, all bool, got *as.Record) {
	what := w.verifier.check(id, all, got.Bins)
	if what == "" {
		return
	}
	w.tally.counts[Read].mismatch.Add(1)
	w.tally.stats.describeMismatch(w.job.spec.Stream, fmt.Sprintf("key %v: %s", key.Value(), what))
}

// describeMismatch keeps the description of a mismatch of a stage, unless there are
// enough, or it is there: of a record that is read again.
func (s *Stats) describeMismatch(stream uint64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.mismatches[stream]; len(list) < maxMismatches && !slices.Contains(list, text) {
		s.mismatches[stream] = append(list, text)
	}
}

// Mismatches returns descriptions of the first records of a stage, told by its
// [Spec.Stream], that were not as the object spec makes them.
func (s *Stats) Mismatches(stream uint64) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mismatches[stream])
}
