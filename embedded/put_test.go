package embedded_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// TestPut: what is put without the wire is what the client reads, and the other way
// round.
func TestPut(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	must(t, s.Put("test", "people", "ada", 0, map[string]any{
		"i": 7, "u": uint16(9), "min": int64(math.MinInt64), "f": 1.5, "s": "text", "b": []byte{1, 2}, "t": true,
		"l": []any{-1, "a", []any{nil, false}, 2.5, []byte{9}, 1 << 40, strings.Repeat("x", 300)},
		"m": map[any]any{"k": 1, 2: []any{}, embedded.Blob("\x01"): map[any]any{}},
	}))
	got, err := client.Get(nil, mustKey(t, "test", "people", "ada"))
	must(t, err)
	want := as.BinMap{
		"i": 7, "u": 9, "min": math.MinInt64, "f": 1.5, "s": "text", "b": []byte{1, 2}, "t": true,
		"l": []any{-1, "a", []any{nil, false}, 2.5, []byte{9}, 1 << 40, strings.Repeat("x", 300)},
	}
	m, _ := got.Bins["m"].(map[any]any)
	delete(got.Bins, "m")
	if !reflect.DeepEqual(got.Bins, want) {
		t.Errorf("the client reads %v, want %v", got.Bins, want)
	}
	if len(m) != 3 || m["k"] != 1 || len(m[2].([]any)) != 0 {
		t.Errorf("the client reads the map %v", m)
	}
	stored, _ := s.Get("test", "people", "ada")
	if b, _ := stored.Bin("m"); !reflect.DeepEqual(b.Value(), map[any]any{"k": int64(1), int64(2): []any{}, embedded.Blob("\x01"): map[any]any{}}) {
		t.Errorf("Get finds the map %v", b.Value())
	}

	// A second Put replaces the bins and counts the generation up.
	must(t, s.Put("test", "people", "ada", time.Hour, map[string]any{"only": 1}))
	got, err = client.Get(nil, mustKey(t, "test", "people", "ada"))
	must(t, err)
	if len(got.Bins) != 1 || got.Generation != 2 || got.Expiration < 3595 || got.Expiration > 3600 {
		t.Errorf("after the second Put: %v", got)
	}
	if !s.Delete("test", "people", "ada") || s.Delete("test", "people", "ada") || s.Count("test", "people") != 0 {
		t.Error("Delete doesn't delete once")
	}
	_, err = client.Get(nil, mustKey(t, "test", "people", "ada"))
	wantCode(t, "read of a deleted record", err, types.KEY_NOT_FOUND_ERROR)
}

func TestPutErrors(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	deep := []any{}
	for range 5000 {
		deep = []any{deep}
	}
	one := map[string]any{"a": 1}
	for _, tc := range []struct {
		why, namespace, set string
		key                 any
		ttl                 time.Duration
		bins                map[string]any
		want                string
	}{
		{"no such namespace", "nowhere", "", 1, 0, one, "result code 20 (invalid-namespace)"},
		{"a key of a wrong type", "test", "", 1.5, 0, one, "float64"},
		{"half a second", "test", "", 1, time.Second / 2, one, "500ms"},
		{"eleven years", "test", "", 1, 11 * 365 * 24 * time.Hour, one, "time to live"},
		{"no bins", "test", "", 1, 0, nil, "no bins"},
		{"a bin without a name", "test", "", 1, 0, map[string]any{"": 1}, "no name"},
		{"a bin name of 16 bytes", "test", "", 1, 0, map[string]any{"0123456789abcdef": 1}, "result code 21 (bin-name)"},
		{"a value of a wrong type", "test", "", 1, 0, map[string]any{"a": struct{}{}}, `bin "a"`},
		{"an integer over 63 bits", "test", "", 1, 0, map[string]any{"a": uint64(math.MaxUint64)}, "uint64"},
		{"nil", "test", "", 1, 0, map[string]any{"a": nil}, "nil"},
		{"an element of a wrong type", "test", "", 1, 0, map[string]any{"a": []any{struct{}{}}}, `bin "a"`},
		{"a key that a map can't have", "test", "", 1, 0, map[string]any{"a": map[any]any{true: 1}}, "result code"},
		{"a list without end", "test", "", 1, 0, map[string]any{"a": deep}, "4096"},
		{"a record over 1 MiB", "test", "", 1, 0, map[string]any{"a": strings.Repeat("x", 1<<20)}, "result code 13 (record-too-big)"},
	} {
		err := s.Put(tc.namespace, tc.set, tc.key, tc.ttl, tc.bins)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.why, err, tc.want)
		}
	}
	if n := s.Count("test", ""); n != 0 {
		t.Errorf("%d records are stored", n)
	}
	if s.Delete("nowhere", "", 1) || s.Delete("test", "", 1.5) {
		t.Error("Delete finds what can't be there")
	}
}

// TestPutKeepsIndexes: records put without the wire are found by index.
func TestPutKeepsIndexes(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	task, err := client.CreateIndex(nil, "test", "people", "byage", "age", as.NUMERIC)
	must(t, err)
	must(t, <-task.OnComplete())
	must(t, s.Put("test", "people", 1, 0, map[string]any{"age": 30}))
	must(t, s.Put("test", "people", 2, 0, map[string]any{"age": 40}))
	query := as.NewStatement("test", "people")
	must(t, query.SetFilter(as.NewEqualFilter("age", 40)))
	rs, err := client.Query(nil, query)
	must(t, err)
	if n := len(collect(t, rs)); n != 1 {
		t.Errorf("%d records found by index, want 1", n)
	}
}

func TestOperations(t *testing.T) {
	for _, loops := range []int{0, 1} {
		s := embedded.RunT(t, embedded.Config{EventLoops: loops})
		client := connect(t, s.Addr())
		key, missing := mustKey(t, "test", "ops", 1), mustKey(t, "test", "ops", 2)
		s.ResetOperations()
		for range 3 {
			must(t, client.PutBins(nil, key, as.NewBin("n", 1)))
		}
		_, err := client.Get(nil, missing)
		wantCode(t, "read of nothing", err, types.KEY_NOT_FOUND_ERROR)
		_, err = client.Operate(nil, key, as.AddOp(as.NewBin("n", 1)), as.GetOp())
		must(t, err)
		_, err = client.Delete(nil, missing)
		must(t, err)
		_, err = client.BatchGet(nil, []*as.Key{key, missing})
		must(t, err)
		scanAll(t, client, "test", "ops")
		want := map[embedded.Operation]uint64{
			{Kind: embedded.FaultWrite}:           3,
			{Kind: embedded.FaultRead, Code: 2}:   2, // one of them in the batch
			{Kind: embedded.FaultRead}:            1,
			{Kind: embedded.FaultOperate}:         1,
			{Kind: embedded.FaultDelete, Code: 2}: 1,
			{Kind: embedded.FaultBatch}:           1,
			{Kind: embedded.FaultScan}:            1,
		}
		if got := s.Operations(); !reflect.DeepEqual(got, want) {
			t.Errorf("with %d loops: %v, want %v", loops, got, want)
		}
		s.ResetOperations()
		if got := s.Operations(); len(got) != 0 {
			t.Errorf("after a reset: %v", got)
		}
	}
}

func TestClock(t *testing.T) {
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := embedded.NewClock(start)
	if got := clock.Advance(time.Hour); !got.Equal(start.Add(time.Hour)) || !clock.Now().Equal(got) {
		t.Errorf("an hour later it is %v", got)
	}
	clock.Set(start)
	if !clock.Now().Equal(start) {
		t.Errorf("set back, it is %v", clock.Now())
	}
	s := embedded.RunT(t, embedded.Config{Now: clock.Now})
	must(t, s.Put("test", "", 1, time.Minute, map[string]any{"a": 1}))
	clock.Advance(time.Minute) // it is there in its last second
	if s.Count("test", "") != 1 {
		t.Error("the record is gone before its time")
	}
	clock.Advance(time.Second)
	if s.Count("test", "") != 0 {
		t.Error("the record outlives its time")
	}
}
