package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// list and entries return what a bin of a record holds.
func list(t *testing.T, bins as.BinMap, name string) []any {
	t.Helper()
	l, ok := bins[name].([]any)
	if !ok {
		t.Fatalf("%s holds %T, want a list", name, bins[name])
	}
	return l
}

func entries(t *testing.T, bins as.BinMap, name string) map[any]any {
	t.Helper()
	m, ok := bins[name].(map[any]any)
	if !ok {
		t.Fatalf("%s holds %T, want a map", name, bins[name])
	}
	return m
}

// Each write appends to lists and puts into maps in one command, and cuts both to
// the cap.
func TestCollectionsGrowToTheirCap(t *testing.T) {
	const spec = `[2*I2,"x"],{3*S8:I4},I1`
	for _, c := range []struct{ limit, writes, list, entries int }{
		{0, 5, 15, 15}, {7, 5, 7, 7}, {20, 5, 15, 15}, {1, 3, 1, 1},
	} {
		tg := newTarget(t)
		tg.run(0, "-w", fmt.Sprintf("C,0,%d", c.limit), "-k", "1", "-o", spec, "-R", "-z", "1", "--transactions", fmt.Sprint(c.writes))
		bins := tg.records(1, 2)[1]
		l, m := list(t, bins, "testbin"), entries(t, bins, "testbin_2")
		if len(l) != c.list || len(m) != c.entries {
			t.Errorf("cap %d after %d writes: %d elements, %d entries; want %d and %d", c.limit, c.writes, len(l), len(m), c.list, c.entries)
		}
		if l[len(l)-1] != "x" {
			t.Errorf("cap %d: the list ends with %v: the oldest elements go", c.limit, l[len(l)-1])
		}
		if _, ok := bins["testbin_3"].(int); !ok {
			t.Errorf("the other bin holds %T", bins["testbin_3"])
		}
	}
}

// Without random values every write has the same elements.
func TestFixedCollections(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "C,0", "-k", "1", "-o", `[7,8],{"a":1,2:"b"}`, "-z", "1", "--transactions", "3")
	bins := tg.records(1, 2)[1]
	if got := fmt.Sprint(list(t, bins, "testbin")); got != "[7 8 7 8 7 8]" {
		t.Errorf("the list is %s", got)
	}
	if got, want := entries(t, bins, "testbin_2"), (map[any]any{"a": 1, 2: "b"}); !reflect.DeepEqual(got, want) {
		t.Errorf("the map is %v", got)
	}
}

func TestCounters(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "CI,0", "-k", "1", "-o", `{"a":1,"b":10,"c":100}`, "-z", "1", "--transactions", "5")
	if got := fmt.Sprint(entries(t, tg.records(1, 2)[1], "testbin")); got != "map[a:5 b:50 c:500]" {
		t.Errorf("the counters are %s", got)
	}
	// The cap keeps the largest.
	tg.run(0, "-w", "CI,0,2", "-k", "1", "-o", `{"a":1,"b":10,"c":100}`, "-z", "1", "--transactions", "5")
	if got := fmt.Sprint(entries(t, tg.records(1, 2)[1], "testbin")); got != "map[b:100 c:1000]" {
		t.Errorf("the capped counters are %s", got)
	}
}

// Reads answer for every form of window, and count records.
func TestCollectionReads(t *testing.T) {
	for _, c := range []struct{ workload, spec string }{
		{"C,100", "[3*I2],{3*S8:I4}"}, {"C,100,0,2", "[3*I2],{3*S8:I4}"}, {"C,100,0,50", "[3*I2],{3*S8:I4}"},
		{"CI,100", "{3*S8:I4}"}, {"CI,100,0,2", "{3*S8:I4}"},
		{"CK,100", "{3*S8:I4,3*B4:[I1]}"}, {"CK,100,0,2", "{3*S8:I4,3*B4:[I1]}"},
	} {
		for _, random := range [][]string{nil, {"-R"}} {
			tg := newTarget(t)
			tg.run(0, append(random, "-w", "I", "-k", "20", "-o", c.spec)...)
			r := tg.run(0, append(random, "-w", c.workload, "-k", "40", "-o", c.spec, "--transactions", "400")...)
			for _, row := range summary(t, r.stderr) {
				if row.op != "read" || row.count != 400 || row.errors_ > 0 || row.misses < 100 || row.misses > 300 {
					t.Errorf("%s of %s (random %v): %+v", c.workload, c.spec, random != nil, row)
				}
			}
			if len(tg.records(1, 41)) != 20 {
				t.Errorf("%s wrote", c.workload)
			}
		}
	}
}

// Maps may have byte strings as keys, which no Go map can have.
func TestCollectionsWithBytesAsKeys(t *testing.T) {
	tg := newTarget(t)
	r := tg.run(0, "-w", "CK,50,4", "-k", "5", "-o", "{2*B6:I4,1:I1}", "-R", "--transactions", "200", "-z", "3")
	if strings.Contains(r.stderr, "Failed") {
		t.Errorf("printed\n%s", r.stderr)
	}
	ops := []*as.Operation{as.MapSizeOp("testbin")}
	for key := 1; key <= 5; key++ {
		k, err := as.NewKey("test", tg.set, key)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := tg.client.Operate(nil, k, ops...)
		if err != nil {
			t.Fatal(err)
		}
		if n := rec.Bins["testbin"]; n != 4 {
			t.Errorf("record %d has %v entries, want the cap of 4", key, n)
		}
	}
}
