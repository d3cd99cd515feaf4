package workload

import (
	"bytes"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/objspec"
)

// What was wanted is as objspec.Value returns it, and what was got as the client does.
func TestDifference(t *testing.T) {
	text := func(at int, c byte) string { // of 200 bytes
		b := bytes.Repeat([]byte("a"), 200)
		b[at] = c
		return string(b)
	}
	zeros, odd := make([]byte, 1400), make([]byte, 1400)
	odd[721] = 0x01
	flipped := bytes.Clone(zeros)
	flipped[721] = 0x40
	list := func(last int64) []any {
		l := make([]any, 100)
		for i := range l {
			l[i] = int64(1)
		}
		return append(l, last)
	}
	for _, c := range []struct {
		why       string
		want, got any
		text      string
	}{
		{"strings are quoted", "a\x00b", "ab", `wanted "a\x00b", got "ab"`},
		{"bytes are shown in hex", []byte{0, 255}, []byte{0, 254}, "wanted bytes 00ff, got bytes 00fe"},
		{"bytes for a string", "ab", []byte("ab"), `wanted "ab", got bytes 6162`},
		{"numbers", int64(7), 8, "wanted 7, got 8"},
		{"doubles have a dot", int64(7), 7.0, "wanted 7, got 7.0"},
		{"large ones, too", 1e30, "1e+30", `wanted 1.0e+30, got "1e+30"`},
		{"GeoJSON is no string", objspec.GeoJSON(`{}`), "{}", `wanted {}, got "{}"`},
		{"GeoJSON of the client", objspec.GeoJSON(`{"a":1}`), as.GeoJSONValue(`{"a":2}`), `wanted {"a":1}, got {"a":2}`},
		{"lists look alike", []any{int64(1), "x y", []byte{9}}, []any{1, "x", "y", []byte{9}}, `wanted [1,"x y",0x09], got [1,"x","y",0x09]`},
		{"and maps, in the order of their keys", []objspec.Entry{{Key: "b", Value: int64(2)}, {Key: int64(5), Value: []any{}}, {Key: "a", Value: true}},
			map[any]any{"a": true, 5: []any{}, "b": 3}, `wanted {"a":true,"b":2,5:[]}, got {"a":true,"b":3,5:[]}`},
		{"maps within lists", []any{[]objspec.Entry{{Key: "b", Value: int64(2)}, {Key: "a", Value: int64(1)}}},
			[]any{[]as.MapPair{{Key: "b", Value: 2}}}, `wanted [{"a":1,"b":2}], got [{"b":2}]`},
		{"bytes as keys", []objspec.Entry{{Key: []byte{1, 2}, Value: int64(1)}}, map[any]any{[2]byte{1, 2}: 2}, `wanted {0x0102:1}, got {0x0102:2}`},
		{"a type that no spec makes", int64(1), as.HLLValue{1}, "wanted 1, got 01"},
		// The text of a value begins with a quote; 20 bytes before the difference are shown.
		{"the end of a long string", text(199, 'x'), text(199, 'y'),
			`wanted …` + strings.Repeat("a", 20) + `x", got …` + strings.Repeat("a", 20) + `y" (they differ from byte 200 on; wanted 200 bytes, got 200)`},
		{"its beginning", text(0, 'x'), text(0, 'y'),
			`wanted "x` + strings.Repeat("a", 58) + `…, got "y` + strings.Repeat("a", 58) + `… (they differ from byte 1 on; wanted 200 bytes, got 200)`},
		{"a shorter string", text(0, 'a'), text(0, 'a')[:199],
			`wanted …` + strings.Repeat("a", 20) + `a", got …` + strings.Repeat("a", 20) + `" (they differ from byte 200 on; wanted 200 bytes, got 199)`},
		{"one bit in the middle of long bytes", zeros, flipped,
			`wanted …` + strings.Repeat("0", 60) + `…, got …` + strings.Repeat("0", 20) + "4" + strings.Repeat("0", 39) + `… (they differ from byte 722 on; wanted 1400 bytes, got 1400)`},
		{"bytes stay whole", zeros, odd,
			`wanted …` + strings.Repeat("0", 60) + `…, got …` + strings.Repeat("0", 21) + "1" + strings.Repeat("0", 38) + `… (they differ from byte 722 on; wanted 1400 bytes, got 1400)`},
		{"characters stay whole", strings.Repeat("é", 50) + "x", strings.Repeat("é", 50) + "y",
			`wanted …` + strings.Repeat("é", 10) + `x", got …` + strings.Repeat("é", 10) + `y" (they differ from byte 101 on; wanted 101 bytes, got 101)`},
		{"a long list", list(1), list(2), `wanted …` + strings.Repeat("1,", 10) + `1], got …` + strings.Repeat("1,", 10) + `2]`},
	} {
		if got := difference(c.want, c.got); got != c.text {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.text)
		}
	}
}
