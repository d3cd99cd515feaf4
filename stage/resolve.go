package stage

import (
	"errors"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/workload"
)

// FlagValue is a stage key given as a flag.
type FlagValue struct {
	Flag string // as the user knows it, such as --throughput
	Key  string // the stage key, such as tps
	Text string
}

// flagDesc describes the stage of a run without a stage file. Public tools look
// for this text in asbench's output.
const flagDesc = "default config (specify your own with --workload-stages)"

// FromFlags makes the plan of a run without a stage file: one stage, described
// by flags. Its error is [Problems], whose places are the flags.
func FromFlags(values []FlagValue, d Defaults) (*Plan, error) {
	dr := newDraft(1, Place{Source: "--workload"})
	var problems Problems
	for _, v := range values {
		f, ok := lookupField(v.Key)
		if !ok {
			problems.add(Place{Source: v.Flag}, "no stage key %q", v.Key)
			continue
		}
		dr.apply(f, value{v.Text, Place{Source: v.Flag}}, &problems)
	}
	dr.Desc = flagDesc
	return resolve("", []*draft{dr}, d, problems)
}

// resolve fills in the defaults and checks the rules between keys.
func resolve(source string, drafts []*draft, d Defaults, problems Problems) (*Plan, error) {
	plan := &Plan{Source: source, Namespace: d.Namespace, Set: d.Set}
	spec := value{d.ObjectSpec, Place{Source: "--object-spec"}}
	for _, dr := range drafts {
		if own, ok := dr.given["object-spec"]; ok {
			spec = own
		}
		dr.resolveObject(spec, d, &problems)
		dr.resolveKeys(d, &problems)
		dr.resolveWorkload(&problems)
		dr.resolveBatch(&problems)
		if _, ok := dr.given["threads"]; !ok {
			dr.Threads = d.Threads
		}
		if _, ok := dr.given["seed"]; !ok {
			dr.Seed = d.Seed
		}
		plan.Stages = append(plan.Stages, &dr.Stage)
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	return plan, nil
}

// placeOf returns where the key was given, or else the place of the stage.
func (d *draft) placeOf(key string) Place {
	if v, ok := d.given[key]; ok {
		return v.place
	}
	return d.place
}

func (d *draft) resolveObject(spec value, defaults Defaults, problems *Problems) {
	object, err := objspec.Parse(spec.text, defaults.ObjectOptions)
	if err != nil {
		d.bad["object-spec"] = true
		problems.addErr(spec.place, err)
		return
	}
	d.Object = object
	for key, bins := range map[string][]int{"read-bins": d.ReadBins, "write-bins": d.WriteBins} {
		if n := len(object.Bins()); len(bins) > 0 && bins[len(bins)-1] > n {
			problems.add(d.placeOf(key), "%s: there is no bin %d: the object spec %q has %d", key, bins[len(bins)-1], object, n)
		}
	}
}

func (d *draft) resolveKeys(defaults Defaults, problems *Problems) {
	place := Place{Source: "--keys"}
	if _, ok := d.given["key-start"]; !ok {
		d.start = defaults.StartKey
	} else {
		place = d.placeOf("key-start")
	}
	if _, ok := d.given["key-end"]; !ok {
		// The sum cannot wrap: both are at most 2^63-1.
		d.end = d.start + defaults.Keys
	} else {
		place = d.placeOf("key-end")
	}
	d.Keys = keygen.Range{Start: d.start, End: d.end}
	if d.bad["key-start"] || d.bad["key-end"] {
		return
	}
	if err := d.Keys.Check(); err != nil {
		problems.addErr(place, err)
	}
}

func (d *draft) resolveWorkload(problems *Problems) {
	if d.bad["workload"] {
		return
	}
	if _, ok := d.given["workload"]; !ok {
		problems.add(d.place, "stage %d has no workload", d.Number)
		return
	}
	d.Workload = d.Workload.Resolve(d.ReadBins != nil, d.WriteBins != nil)
	if d.ReadBins != nil && !d.Workload.HasReads() {
		problems.add(d.placeOf("read-bins"), "read-bins: the workload %s reads nothing", d.Workload)
	}
	if d.WriteBins != nil && !d.Workload.HasBinWrites() {
		problems.add(d.placeOf("write-bins"), "write-bins: the workload %s writes no bins", d.Workload)
	}
	if d.Random && d.Workload.Kind == workload.Delete {
		problems.add(d.placeOf("random"), "random: the workload DB writes no values")
	}
	_, given := d.given["duration"]
	switch {
	case !d.Workload.Endless() || d.bad["duration"]:
	case !given:
		d.Duration = defaultDuration
	case d.Duration == 0:
		problems.add(d.placeOf("duration"), "duration: the workload %s has no end of its own and would run for no time at all", d.Workload)
	}
}

func (d *draft) resolveBatch(problems *Problems) {
	if d.Batch == 0 {
		d.Batch = 1
	}
	for _, b := range []struct {
		key  string
		size *int
	}{
		{"batch-read-size", &d.BatchRead},
		{"batch-write-size", &d.BatchWrite},
		{"batch-delete-size", &d.BatchDelete},
	} {
		if _, given := d.given[b.key]; !given {
			*b.size = d.Batch
		} else if *b.size > 1 {
			problems.add(d.placeOf(b.key), "%s: batches are %w; this version sends one record a transaction", b.key, workload.ErrNotSupported)
		}
	}
	if d.Batch > 1 {
		problems.add(d.placeOf("batch-size"), "batch-size: batches are %w; this version sends one record a transaction", workload.ErrNotSupported)
	}
	if d.Async {
		problems.add(d.placeOf("async"), "async is %w; this version runs transactions by worker threads", workload.ErrNotSupported)
	}
}

// NotSupported tells whether err is due, among other things, to something that
// this version knows but does not run.
func NotSupported(err error) bool { return errors.Is(err, workload.ErrNotSupported) }
