package stage

import (
	"slices"
	"strings"
	"testing"
)

// What the last stage of each plan cannot tell. The bins are I4,S8,I2: 0, 1 and 2.
func TestWhatVerifyingKnows(t *testing.T) {
	const read = "- {workload: 'RU,100', verify: true}\n"
	for _, c := range []struct {
		why, text        string
		unknown, mayLack []int
	}{
		{"a load and reads", "- workload: I\n" + read, nil, nil},
		{"updates of some bins of records that are there", "- workload: I\n- {workload: 'RU,50', write-bins: 1}\n" + read, nil, nil},
		{"or were loaded by another run", "- {workload: 'RU,50', write-bins: 1, verify: true}", nil, nil},
		{"a load of some bins", "- {workload: I, write-bins: '1,3'}\n" + read, nil, []int{1}},
		{"replaces drop the other bins", "- workload: I\n- {workload: 'RR,50', write-bins: 2}\n" + read, nil, []int{0, 2}},
		{"by the first bin if none is named", "- workload: I\n- workload: RR,50,100,50\n" + read, nil, []int{1, 2}},
		{"replaces of all bins", "- workload: I\n- workload: RR,50\n" + read, nil, nil},
		{"updates may make records that were deleted", "- workload: I\n- {workload: 'RUD,40,40,100,0'}\n" + read, nil, []int{1, 2}},
		{"but not if they write all bins", "- workload: I\n- {workload: 'RUD,40,40'}\n" + read, nil, nil},
		{"or were deleted before", "- workload: DB\n- {workload: 'RU,50', write-bins: 3}\n" + read, nil, []int{0, 1}},
		{"a load makes up for that", "- workload: DB\n- workload: I\n- {workload: 'RU,50', write-bins: 3}\n" + read, nil, nil},
		{"of all keys only", "- workload: DB\n- workload: I:60\n- {workload: 'RU,50', write-bins: 3}\n" + read, nil, []int{0, 1}},
		{"records that were not loaded", "- {workload: I, key-end: 500}\n- {workload: 'RU,50', write-bins: 3}\n" + read, nil, []int{0, 1}},
		{"a load that may end early", "- {workload: I, transactions: 500}\n- {workload: 'RU,50', write-bins: 3}\n" + read, nil, []int{0, 1}},
		{"which makes up for nothing", "- workload: I\n- workload: RMI\n- {workload: I, transactions: 500}\n" + read, []int{0}, nil},
		{"a part of the records", "- {workload: I, shard: 1/2}\n- {workload: 'RU,50', write-bins: 3}\n" + read, nil, []int{0, 1}},
		{"the part that is read", "{defaults: {shard: 1/2}, stages: [{workload: I}, {workload: 'RU,50', write-bins: 3}, {workload: 'RU,100', verify: true}]}", nil, nil},
		{"a part of another range", "{defaults: {shard: 1/2}, stages: [{workload: I, key-end: 5M}, {workload: 'RU,50', write-bins: 3}, {workload: 'RU,100', verify: true}]}", nil, []int{0, 1}},
		{"records of other keys", "- {workload: I, keys: {prefix: a}}\n- {workload: 'RU,50', write-bins: 3}\n" + read, nil, []int{0, 1}},
		{"of the same keys", "{defaults: {keys: {prefix: a}}, stages: [{workload: I}, {workload: 'RU,50', write-bins: 3}, {workload: 'RU,100', verify: true}]}", nil, nil},
		{"a load of an object spec with fewer bins", "- {workload: I, object-spec: 'testbin_2=S8'}\n- {workload: 'RU,100', object-spec: 'I4,S8,I2', verify: true}\n", nil, []int{0, 2}},
		{"replaces by such a one", "- workload: I\n- {workload: 'RR,50', object-spec: 'I4,S8'}\n- {workload: 'RU,100', object-spec: 'I4,S8,I2', verify: true}\n", nil, []int{2}},
		{"updates by such a one", "- workload: I\n- {workload: 'RU,50', object-spec: 'I4,S8'}\n- {workload: 'RU,100', object-spec: 'I4,S8,I2', verify: true}\n", nil, nil},
		{"new records, which updates may reach before they are inserted", "- workload: I\n- {operations: {read: 1, insert: {weight: 1, all: 100}, update: {weight: 1, all: 0}}, write-bins: 2, keys: latest, verify: true}\n", nil, []int{0, 2}},
		{"unless reads stay within the range", "- workload: I\n- {operations: {read: 1, insert: {weight: 1, all: 100}, update: {weight: 1, all: 0}}, write-bins: 2, keys: zipfian, verify: true}\n", nil, nil},
		{"records that expire", "- {workload: I, expiration-time: 60}\n- {workload: 'RU,50', write-bins: 1}\n" + read, nil, []int{1, 2}},
		{"the present stage's own writes", "- workload: I\n- {workload: 'RU,50', write-bins: 1, expiration-time: 60, verify: true}", nil, []int{1, 2}},
		{"bins that are deleted", "- workload: I\n- {workload: DB, write-bins: '1,3'}\n" + read, nil, []int{0, 2}},
		{"numbers that are added to", "- workload: I\n- workload: RMI\n" + read, []int{0}, nil},
		{"another one", "- workload: I\n- {workload: RMD, write-bins: 3}\n" + read, []int{2}, nil},
		{"additions may make records, too", "- workload: I\n- operations: {delete: 1, increment: 1}\n" + read, []int{0}, []int{1, 2}},
		{"besides replaces", "- workload: I\n- {operations: {delete: 1, increment: 1, replace: {weight: 1, all: 0}}, write-bins: '1,2'}\n" + read, []int{0}, []int{1, 2}},
		{"a load makes up for additions", "- workload: I\n- workload: RMI\n- workload: I\n" + read, nil, nil},
		{"what comes later does not count", "- workload: I\n" + read[:len(read)-1] + "\n- workload: RMI\n" + read, []int{0}, nil},
		{"functions may make records", "- workload: I\n- {operations: {delete: 1, udf: 1}, udf: {module: m, function: f}}\n" + read, nil, []int{0, 1, 2}},
		{"business transactions: all bins", "- workload: I\n- workload: 'TXN,t:rP'\n" + read, nil, nil},
		{"and some", "- workload: I\n- workload: 'TXN,t:rp'\n" + read, nil, []int{1, 2}},
		{"collections are added to", "- {workload: 'C,50,10,5', object-spec: 'I4,[I1],{I1:I1}'}\n" + read, []int{1, 2}, nil},
		{"or only read", "- {workload: 'C,100,10,5', object-spec: 'I4,[I1],{I1:I1}'}\n" + read, nil, nil},
	} {
		plan, err := Parse("f.yaml", []byte(c.text), specDefaults())
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		st := plan.Stages[len(plan.Stages)-1]
		if !slices.Equal(st.Unknown, c.unknown) || !slices.Equal(st.MayLack, c.mayLack) {
			t.Errorf("%s: unknown %v, may lack %v; want %v, %v", c.why, st.Unknown, st.MayLack, c.unknown, c.mayLack)
		}
	}
}

// A plan that does not load its records may have run before.
func TestVerifyingKnowsWhatAnEarlierRunDid(t *testing.T) {
	const text = "- {workload: 'RU,100', verify: true}\n- workload: RMI\n"
	for _, c := range []struct {
		why, text string
		stage     int
		want      []int
	}{
		{"no load", text, 0, []int{0}},
		{"a load", "- workload: I\n" + text, 1, nil},
		{"behind the range that was loaded", "- workload: I\n- {operations: {read: 1, insert: 1}, keys: latest, verify: true}\n- workload: RMI\n", 1, []int{0}},
	} {
		plan, err := Parse("f.yaml", []byte(c.text), specDefaults())
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.Stages[c.stage].Unknown; !slices.Equal(got, c.want) {
			t.Errorf("%s: unknown %v, want %v", c.why, got, c.want)
		}
	}
}

// Without a seed there is only to compare with what the plan itself has written.
func TestVerifyingNeedsASeed(t *testing.T) {
	const missing = "give that run's seed (--seed)"
	for _, c := range []struct{ why, text, want string }{
		{"nothing written", "- {workload: 'RU,100', verify: true}", missing},
		{"its own writes come too late", "- {workload: 'RU,50', verify: true}", missing},
		{"so do later ones", "- {workload: 'RU,50', verify: true}\n- workload: I", missing},
		{"a load", "- workload: I\n- {workload: 'RU,50', verify: true}", ""},
		{"updates", "- workload: RU,0\n- {workload: 'RU,50', verify: true}", ""},
		{"deletes write nothing", "- workload: DB\n- {workload: 'RU,50', verify: true}", missing},
		{"a seed of its own", "- {workload: 'RU,50', verify: true, seed: 5}", ""},
		{"a load with another seed", "- {workload: I, seed: 5}\n- {workload: 'RU,50', verify: true}", missing},
		{"nothing to read", "- {workload: I, verify: true, seed: 5}", "f.yaml:1:25: verify: the workload I reads no records by their keys"},
		{"that does not matter in defaults", "{defaults: {verify: true}, stages: [{workload: I}, {workload: 'RU,50'}]}", ""},
		{"assertions", "- workload: I\n- {workload: 'RU,50', verify: true, assert: [mismatches == 0]}", ""},
		{"on nothing", "- {workload: 'RU,50', assert: [mismatches == 0]}", "mismatches are found in stages that read records with verify: true"},
	} {
		d := specDefaults()
		d.SeedDrawn = true
		_, err := Parse("f.yaml", []byte(c.text), d)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.why, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v; want %q", c.why, err, c.want)
		}
	}
}
