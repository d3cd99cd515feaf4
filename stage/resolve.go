package stage

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/workload"
)

// FlagValue is a stage key given as a flag.
type FlagValue struct {
	Flag string // as the user knows it, such as --throughput
	Key  string // the stage key, such as tps
	Text string
	Sub  string // the key within the stage key's mapping, such as module of udf; "" for none
}

// flagDesc describes the stage of a run without a stage file. Public tools look
// for this text in asbench's output.
const flagDesc = "default config (specify your own with --workload-stages)"

// FromFlags makes the plan of a run without a stage file: one stage, described
// by flags. Its error is [Problems], whose places are the flags.
func FromFlags(values []FlagValue, d Defaults) (*Plan, error) {
	dr := newDraft(1, Place{Source: "--workload"})
	values = slices.Concat(values, d.KeyFlags)
	d.KeyFlags = nil // they are the stage's own here
	var problems Problems
	var keys []string // in the order of the flags, as their problems are then
	given := map[string]value{}
	for _, v := range values {
		flag := flagValue(v, &problems)
		before, again := given[v.Key]
		if !again {
			keys = append(keys, v.Key)
		}
		if v.Sub != "" {
			if !again {
				before = value{sub: map[string]value{}, place: flag.place}
			}
			before.sub[v.Sub] = flag
			flag = before
		}
		given[v.Key] = flag
	}
	for _, key := range keys {
		if f, ok := lookupField(key); ok {
			dr.apply(f, given[key], &problems)
		} else {
			problems.add(given[key].place, "no stage key %q", key)
		}
	}
	dr.Desc = flagDesc
	return resolve([]*draft{dr}, d, problems)
}

// flagValue reads the text of a flag. A mapping is written as in a stage file:
// {from: 0, to: 20k, over: 5m}.
func flagValue(v FlagValue, problems *Problems) value {
	flag := value{text: v.Text, place: Place{Source: v.Flag}}
	f, _ := lookupField(v.Key)
	var doc yaml.Node
	if f.setMap == nil || v.Sub != "" || !strings.HasPrefix(v.Text, "{") ||
		yaml.Unmarshal([]byte(v.Text), &doc) != nil || doc.Content[0].Kind != yaml.MappingNode {
		return flag
	}
	r := reader{}
	flag.sub = placed(r.mapping(v.Key, doc.Content[0], f), flag.place)
	for _, p := range r.problems {
		problems.addErr(flag.place, p.Err)
		flag.broken = true
	}
	return flag
}

// placed returns the values of a mapping as standing in one place.
func placed(values map[string]value, place Place) map[string]value {
	for key, v := range values {
		v.place = place
		if v.sub != nil {
			v.sub = placed(v.sub, place)
		}
		values[key] = v
	}
	return values
}

// resolve fills in the defaults and checks the rules between keys.
func resolve(drafts []*draft, d Defaults, problems Problems) (*Plan, error) {
	plan := &Plan{Namespace: d.Namespace, Set: d.Set}
	spec := value{text: d.ObjectSpec, place: Place{Source: "--object-spec"}}
	keys, files := newKeyDefaults(d.KeyFlags, &problems), keyFiles{}
	for _, dr := range drafts {
		if own, ok := dr.given["object-spec"]; ok {
			spec = own
		}
		dr.resolveForm(keys, files, &problems)
		dr.resolveKeys(d, &problems)
		dr.resolveWorkload(&problems)
		dr.checkKeys(&problems)
		dr.resolveObject(spec, d, &problems)
		dr.resolveFindMax(&problems)
		dr.resolveQuery(&problems)
		dr.resolveBatch(&problems)
		dr.resolveAssertions(&problems)
		dr.resolveErrors(&problems)
		if _, ok := dr.given["threads"]; !ok {
			dr.Threads = d.Threads
		}
		if _, ok := dr.given["async-max-commands"]; !ok {
			dr.AsyncMax = d.AsyncMax
		}
		if _, ok := dr.given["seed"]; !ok {
			dr.Seed = d.Seed
		}
		plan.Stages = append(plan.Stages, &dr.Stage)
	}
	resolveVerify(drafts, d, &problems)
	checkIndexes(drafts, d.Set, &problems)
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
	if spec.broken {
		d.bad["object-spec"] = true
		return
	}
	object, err := objspec.Load(spec.text, spec.place.dir(), defaults.ObjectOptions)
	if err != nil {
		d.bad["object-spec"] = true
		problems.addErr(spec.place, err)
		return
	}
	d.Object = object
	for key, bins := range map[string][]int{"read-bins": d.ReadBins, "write-bins": d.WriteBins} {
		if n := len(object.Bins()); len(bins) > 0 && bins[len(bins)-1] > n {
			problems.add(d.placeOf(key), "%s: there is no bin %d: the object spec %q has %d", key, bins[len(bins)-1], object, n)
			return
		}
	}
	d.checkAdditions(problems)
	d.checkCollections(problems)
	d.resolveVariety(problems)
}

// resolveVariety gives each record a value of its own if the object spec is made
// for that, and sees to it that every write has something to write.
func (d *draft) resolveVariety(problems *Problems) {
	if d.bad["workload"] {
		return
	}
	// Some transactions write generated values, or know them, and some not all bins.
	values, partial := d.Verify || d.Workload.Collects() || d.Workload.HasQueries(), false
	for _, o := range d.Workload.Operations() {
		values = values || o.Does(workload.Action.WritesValues)
		partial = partial || o.WritesSome()
	}
	if values && d.Object.Varies() || d.UDF != nil && d.UDF.Args != nil && d.UDF.Args.Varies() {
		d.Random = true
	}
	sel := []int{0} // what partial writes write by default
	if d.WriteBins != nil {
		sel = nil
		for _, n := range d.WriteBins {
			sel = append(sel, n-1)
		}
	}
	if partial && !d.Object.Always(sel) {
		problems.add(d.placeOf("write-bins"), "write-bins: all of these bins are optional, so a write might have nothing to write; add one that every record has")
	}
}

// checkAdditions refuses to add to what is no integer.
func (d *draft) checkAdditions(problems *Problems) {
	if d.bad["workload"] || !d.Workload.HasAdditions() {
		return
	}
	key, bin := "workload", 1
	if d.Workload.Kind == workload.Mix {
		key = "operations"
	}
	if len(d.WriteBins) > 0 {
		key, bin = "write-bins", d.WriteBins[0]
	}
	switch {
	case !d.Object.Integer(bin - 1):
		problems.add(d.placeOf(key), "%s: the workload %s adds to bin %d, which is no integer in the object spec %q", key, d.Workload, bin, d.Object)
	case len(d.WriteBins) > 1 && d.Workload.Kind != workload.Mix:
		problems.add(d.placeOf(key), "%s: the workload %s adds to one bin; name only that", key, d.Workload)
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
		if d.KeyFile != nil && !defaults.KeysGiven {
			d.end = d.KeyFile.Range().End
		}
	} else {
		place = d.placeOf("key-end")
	}
	d.Keys = keygen.Range{Start: d.start, End: d.end}
	if d.bad["key-start"] || d.bad["key-end"] {
		return
	}
	err := d.Keys.Check()
	if err == nil && d.KeyFile != nil {
		err = d.checkFile()
	}
	if err != nil {
		problems.addErr(place, err)
	}
}

func (d *draft) resolveWorkload(problems *Problems) {
	d.resolveMix(problems)
	if d.bad["workload"] {
		return
	}
	if _, ok := d.given["workload"]; !ok {
		problems.add(d.place, "stage %d has no workload and no operations", d.Number)
		return
	}
	if d.ReadBins != nil && !d.Workload.HasBinReads() {
		d.ReadBins = nil
		d.meaningless("read-bins", problems, "the workload %s reads no bins", d.Workload)
	}
	if d.WriteBins != nil && !d.Workload.HasBinWrites() {
		d.WriteBins = nil
		d.meaningless("write-bins", problems, "the workload %s writes no bins", d.Workload)
	}
	if d.Random && d.Workload.Kind == workload.Delete {
		d.Random = false
		d.meaningless("random", problems, "the workload DB writes no values")
	}
	if d.Warmup > 0 && !d.Workload.Endless() {
		d.Warmup = 0
		d.meaningless("warmup", problems, "%s visits each key once; what it does in a warm-up would be lost", d.Workload)
	}
	if d.Workload.Keys(d.Keys).Size() == 0 && d.Keys.Size() > 0 {
		problems.add(d.placeOf("workload"), "workload: %s of %d keys is less than one key", d.Workload, d.Keys.Size())
	}
	d.resolveUDF(problems)
	d.Workload = d.Workload.Resolve(d.ReadBins != nil, d.WriteBins != nil)
	d.resolveEnd(problems)
}

func (d *draft) resolveUDF(problems *Problems) {
	_, given := d.given["udf"]
	switch {
	case d.Workload.HasUDFs() && !given:
		problems.add(d.placeOf("workload"), "workload: %s calls a UDF: give its module and function under the key udf", d.Workload)
	case given && !d.Workload.HasUDFs():
		d.UDF = nil
		d.meaningless("udf", problems, "the workload %s calls no UDF", d.Workload)
	}
}

// resolveEnd settles when the stage ends.
func (d *draft) resolveEnd(problems *Problems) {
	if !d.Workload.Endless() || d.bad["duration"] {
		return
	}
	_, given := d.given["duration"]
	switch {
	case !given && d.Transactions > 0:
		// The number of transactions ends it, however long that takes.
		d.Duration = maxDuration
	case !given:
		d.Duration = defaultDuration
	case d.Duration == 0:
		problems.add(d.placeOf("duration"), "duration: the workload %s has no end of its own and would run for no time at all", d.Workload)
	}
}

func (d *draft) resolveBatch(problems *Problems) {
	if !d.bad["workload"] && d.Workload.Operations() != nil && !d.Workload.Batchable() {
		for key, size := range map[string]int{
			"batch-size": d.Batch, "batch-read-size": d.BatchRead, "batch-write-size": d.BatchWrite, "batch-delete-size": d.BatchDelete,
		} {
			if size > 1 {
				d.meaningless(key, problems, "the commands of the workload %s are on single records", d.Workload)
			}
		}
		d.Batch, d.BatchRead, d.BatchWrite, d.BatchDelete = 1, 1, 1, 1
	}
	if d.Batch == 0 {
		d.Batch = 1
	}
	for key, size := range map[string]*int{
		"batch-read-size":   &d.BatchRead,
		"batch-write-size":  &d.BatchWrite,
		"batch-delete-size": &d.BatchDelete,
	} {
		if _, given := d.given[key]; !given {
			*size = d.Batch
		}
	}
	if len(d.BatchNamespaces) > 0 && !d.bad["workload"] && !d.bad["batch-read-size"] && !d.bad["batch-size"] &&
		(d.BatchRead == 1 || !d.Workload.HasReads()) {
		d.BatchNamespaces = nil
		d.meaningless("batch-namespaces", problems, "the stage has no batch reads to spread; give a batch-read-size above 1")
	}
}
