package stage

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/cluster"
)

func TestQueryErrors(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"the time of making", "operations: {query: 1}\n  object-spec: 't=@now'", "f.yaml:2:15: query: bin 1 holds the time of its making, which a later query cannot ask for"},
		{"a string that no index has", "operations: {query: 1}\n  object-spec: 'I1,S2048'\n  query: {bin: 2}", "f.yaml:4:10: query: bin 2 can have strings of 2048 bytes; the server looks for strings of at most 2047"},
		{"a double", "operations: {query: 1}\n  object-spec: 'D'", `f.yaml:2:15: query: bin 1 is neither an integer nor a string in the object spec "D"`},
		{"another command in a name", "operations: {query: 1}\n  query: {index: 'a;set=b'}", `f.yaml:3:18: query: index: "a;set=b" is no name of an index: ';' in it has a meaning in the server's commands`},
		{"a blank in a name", "operations: {query: 1}\n  query: {index: 'a b'}", `f.yaml:3:18: query: index: "a b" is no name of an index: ' ' in it has a meaning in the server's commands`},
	} {
		_, err := Parse("f.yaml", []byte("- desc: x\n  "+c.text), specDefaults())
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.why, err, c.want)
		}
	}
	if _, err := Parse("f.yaml", []byte("- operations: {query: 1}\n  object-spec: S2047"), specDefaults()); err != nil {
		t.Errorf("the longest string: %v", err)
	}
}

// Stages share an index by name only if it is the same one.
func TestIndexesOfStages(t *testing.T) {
	const two = `- operations: {query: 1}
  object-spec: "n=@key,m=@key"
  query: {bin: 1, index: one}
- operations: {query: 1}
  query: `
	d := specDefaults()
	d.Namespace, d.Set = "test", "s"
	for _, c := range []struct{ why, second, want string }{
		{"one name for two bins", "{bin: 2, index: one}", `f.yaml:5:10: query: stage 1 has the index "one" on bin "n"; give the one on bin "m" another name`},
		{"one name for two types", "{bin: 1, index: one}\n  object-spec: 'n=S5'", `f.yaml:5:10: query: stage 1 has the index "one" on bin "n" with values of another type; give this one another name`},
		{"the same index twice", "{bin: 1, width: 5, index: one}", ""},
		{"a name of its own", "{bin: 2, index: two}", ""},
	} {
		_, err := Parse("f.yaml", []byte(two+c.second), d)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.why, err, c.want)
		}
	}
	// A name that is given may be the one that another stage has by default.
	_, err := Parse("f.yaml", []byte(strings.Replace(two, "index: one", "index: s_m", 1)+"{bin: 2}"), d)
	if err == nil || !strings.Contains(err.Error(), `stage 1 has the index "s_m" on bin "n"`) {
		t.Errorf("the default's name: %v", err)
	}

	plan, err := Parse("f.yaml", []byte(two+"{bin: 2}\n- operations: {query: 1}\n  query: {bin: 1, width: 3, index: one}\n- workload: RU,50"), d)
	if err != nil {
		t.Fatal(err)
	}
	want := []cluster.Index{
		{Namespace: "test", Set: "s", Bin: "n", Name: "one", Integer: true},
		{Namespace: "test", Set: "s", Bin: "m", Name: "s_m", Integer: true},
	}
	if got := plan.Indexes(); !reflect.DeepEqual(got, want) {
		t.Errorf("indexes %+v, want %+v", got, want)
	}
}

// Queries ask for the values that generators give each record.
func TestQueriesKnowThatRecordsDiffer(t *testing.T) {
	for text, want := range map[string]bool{"'n=@key'": true, "'@city'": true, "I4": false, "'7'": false} {
		plan, err := parse("- {operations: {query: 1}, object-spec: " + text + "}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if plan.Stages[0].Random != want {
			t.Errorf("%s: random %v, want %v", text, plan.Stages[0].Random, want)
		}
	}
}

// What validate prints is read as the same.
func TestQueriesPrintedBack(t *testing.T) {
	for _, text := range []string{
		"operations: {query: 1}, query: {bin: 1, width: 9, index: i}",
		"operations: {query: 1}",
		"operations: {scan: 2, query: 1}, scan: {partitions: 9, max-records: 7}",
		"operations: {scan: 1}, scan: {max-records: 7}",
		"operations: {scan: 1}",
	} {
		plan, err := parse("- {" + text + "}")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var b strings.Builder
		if err := plan.WriteYAML(&b); err != nil {
			t.Fatal(err)
		}
		again, err := parse(b.String())
		if err != nil {
			t.Fatalf("%s: %v in\n%s", text, err, b.String())
		}
		if a, b := plan.Stages[0], again.Stages[0]; a.Query != b.Query || a.Scan != b.Scan {
			t.Errorf("%s: read back as %+v and %+v, not %+v and %+v", text, b.Query, b.Scan, a.Query, a.Scan)
		}
	}
}
