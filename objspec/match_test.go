package objspec

import (
	"math"
	"testing"

	"github.com/aerospike/aerospike-client-go/v8"
)

func TestMatches(t *testing.T) {
	nan := math.Float64frombits(0x7ff8000000000001)
	for _, c := range []struct {
		spec string
		got  any
		want bool
		why  string
	}{
		{"7", 7, true, "an integer"},
		{"7", int64(7), true, "an integer of a 32-bit client"},
		{"7", 8, false, "another one"},
		{"7", "7", false, "a string that looks like it"},
		{"7", 7.0, false, "a double of the same value"},
		{"7", nil, false, "nothing"},
		{"1.5", 1.5, true, "a double"},
		{"1.5", 1.5000000000000002, false, "the next double"},
		{"1.5", nan, false, "no number"},
		{"-0.0", 0.0, false, "zero of the other sign"},
		{"true", true, true, "a boolean"},
		{"true", 1, false, "an integer for a boolean"},
		{`"ab"`, "ab", true, "a string"},
		{`"ab"`, "aB", false, "another case"},
		{`"ab"`, []byte("ab"), false, "bytes of the same text"},
		{`[1,"x",[2.5]]`, []any{1, "x", []any{2.5}}, true, "a list in a list"},
		{`[1,"x",[2.5]]`, []any{1, "x", []any{2.0}}, false, "deep inside"},
		{`[1,2]`, []any{1}, false, "a shorter list"},
		{`[1,2]`, []any{2, 1}, false, "another order"},
		{`{1:"a","1":2}`, map[any]any{1: "a", "1": 2}, true, "keys that only differ in type"},
		{`{1:"a","1":2}`, map[any]any{1: 2, "1": "a"}, false, "and swapped values"},
		{`{1:"a",2:"b"}`, []aerospike.MapPair{{Key: 2, Value: "b"}, {Key: 1, Value: "a"}}, true, "an ordered map"},
		{`{1:"a",2:"b"}`, map[any]any{1: "a"}, false, "a smaller map"},
		{`{1:"a",2:"b"}`, map[any]any{1: "a", 3: "b"}, false, "another key"},
		{`{1:"a"}`, []any{1, "a"}, false, "a list for a map"},
		{`{1:"a"}`, []aerospike.MapPair{{Key: []any{1}, Value: "a"}}, false, "a list for a key, which Go's maps cannot have"},
		{`{1:"a"}`, map[any]any{nil: "a"}, false, "nothing for a key"},
		{`[-1,0x7fffffffffffffff]`, []any{-1, math.MaxInt64}, true, "the ends of integers"},
	} {
		s, err := Parse(c.spec, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, ok, err := Matches(s.NewGenerator(1).Record(0, nil)[0], c.got)
		if err != nil || ok != c.want {
			t.Errorf("%s: %s and %#v: %v, %v; want %v", c.why, c.spec, c.got, ok, err, c.want)
		}
	}
}

// What random specs make matches itself and nothing that differs in one byte.
func TestMatchesBytes(t *testing.T) {
	s, err := Parse("B200,{2*B4:1},@geojson", Options{})
	if err != nil {
		t.Fatal(err)
	}
	bins := s.NewGenerator(5).Record(9, nil)
	blob, _ := Value(bins[0])
	got := blob.([]byte)
	if _, ok, _ := Matches(bins[0], got); !ok {
		t.Error("bytes do not match themselves")
	}
	got[137] ^= 1
	if _, ok, _ := Matches(bins[0], got); ok {
		t.Error("a flipped bit matches")
	}
	entries, _ := Value(bins[1])
	m := map[any]any{}
	for _, e := range entries.([]Entry) {
		m[[4]byte(e.Key.([]byte))] = 1 // as the client returns such keys
	}
	if _, ok, _ := Matches(bins[1], m); !ok {
		t.Errorf("keys of bytes do not match: %v and %v", entries, m)
	}
	geo, _ := Value(bins[2])
	if _, ok, _ := Matches(bins[2], aerospike.GeoJSONValue(geo.(GeoJSON))); !ok {
		t.Error("GeoJSON does not match itself")
	}
	if _, ok, _ := Matches(bins[2], string(geo.(GeoJSON))); ok {
		t.Error("a string matches GeoJSON")
	}
}
