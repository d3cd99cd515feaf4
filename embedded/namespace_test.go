package embedded

import (
	"fmt"
	"strings"
	"testing"
)

func TestSetLimits(t *testing.T) {
	ns := newNamespace("test", Config{})
	for i := range maxSets {
		if id, ok := ns.makeSet(fmt.Append(nil, "set", i)); !ok || int(id) != i+1 {
			t.Fatalf("set %d has ID %d, %v", i, id, ok)
		}
	}
	if _, ok := ns.makeSet([]byte("one more")); ok {
		t.Error("the 4096th set is made")
	}
	if id, ok := ns.makeSet([]byte("set7")); !ok || id != 8 {
		t.Errorf("an old set has ID %d, %v, want 8", id, ok)
	}
	if _, ok := newNamespace("test", Config{}).makeSet([]byte(strings.Repeat("s", 64))); ok {
		t.Error("a set name of 64 bytes is taken")
	}
}

// TestSweep covers what the background sweeper calls.
func TestSweep(t *testing.T) {
	ns := newNamespace("test", Config{})
	id, _ := ns.makeSet([]byte("s"))
	for i := range 100 {
		r := &record{setID: id, generation: 1}
		if i%2 == 0 {
			r.voidTime = uint32(10 + i)
		}
		d := Digest{0: byte(i)}
		ns.storeLocked(&ns.partitions[d.partition()], &d, nil, r)
	}
	for _, tc := range []struct{ second, objects, expirable int64 }{
		{10, 100, 50}, {11, 99, 49}, {60, 75, 25}, {1000, 50, 0}, {2000, 50, 0},
	} {
		ns.sweep(uint64(tc.second) * 1000)
		if got := ns.objects.Load(); got != tc.objects || ns.expirable.Load() != tc.expirable || ns.set(id).objects.Load() != tc.objects {
			t.Errorf("second %d: %d records, %d expirable, %d in the set, want %d, %d", tc.second, got, ns.expirable.Load(), ns.set(id).objects.Load(), tc.objects, tc.expirable)
		}
	}
	if p := &ns.partitions[(&Digest{0: 0}).partition()]; p.records != nil {
		t.Error("an emptied partition keeps its map")
	}
}
