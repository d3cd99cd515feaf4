package embedded

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestCheckValueHLL(t *testing.T) {
	sketch := func(index, minhash byte, size int) []byte {
		return append([]byte{0, index, minhash}, make([]byte, size-3)...)
	}
	for _, tc := range []struct {
		why   string
		value []byte
		want  resultCode
	}{
		{"the smallest: 16 registers of 6 bits", sketch(4, 0, 11+12), codeOK},
		{"8 index bits, 4 minhash bits", sketch(8, 4, 11+256*10/8), codeOK},
		{"the largest", sketch(16, 48, 11+65536*54/8), codeOK},
		{"a byte too many", sketch(4, 0, 11+13), codeParameter},
		{"a byte too few", sketch(4, 0, 11+11), codeParameter},
		{"3 index bits", sketch(3, 0, 11+6), codeParameter},
		{"17 index bits", sketch(17, 0, 11+131072*6/8), codeParameter},
		{"3 minhash bits", sketch(4, 3, 11+18), codeParameter},
		{"52 minhash bits", sketch(4, 52, 11+16*58/8), codeParameter},
		{"65 bits together", sketch(16, 49, 11+65536*55/8), codeParameter},
		{"flags", append([]byte{1}, sketch(4, 0, 11+12)[1:]...), codeParameter},
		{"cut short", []byte{0, 4}, codeParameter},
	} {
		if _, got := checkValue(particleHLL, tc.value); got != tc.want {
			t.Errorf("%s: result code %d, want %d", tc.why, got, tc.want)
		}
	}
}

func TestCheckGeoJSON(t *testing.T) {
	square := `[[0,0],[0,1],[1,1],[1,0],[0,0]]`
	for _, tc := range []struct {
		text string
		ok   bool
	}{
		{`{"type":"Point","coordinates":[180,-90]}`, true},
		{`{"type":"Point","coordinates":[1,2,3]}`, false},
		{`{"type":"Point","coordinates":[181,0]}`, false},
		{`{"type":"Point","coordinates":[0,-91]}`, false},
		{`{"type":"Point","coordinates":["1","2"]}`, false},
		{`{"type":"Point"}`, false},
		{`{"type":"Polygon","coordinates":[` + square + `]}`, true},
		{`{"type":"Polygon","coordinates":[[[0,0],[0,1],[0,0]]]}`, false},
		{`{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[1,0]]]}`, false},
		{`{"type":"Polygon","coordinates":[[[0,0],[0,0],[0,1],[0,0]]]}`, false},
		{`{"type":"Polygon","coordinates":[]}`, false},
		{`{"type":"MultiPolygon","coordinates":[[` + square + `],[` + square + `]]}`, true},
		{`{"type":"MultiPolygon","coordinates":[[[[0,0]]]]}`, false},
		{`{"type":"MultiPolygon","coordinates":[]}`, false},
		{`{"type":"AeroCircle","coordinates":[[2.5,48.8],1000]}`, true},
		{`{"type":"AeroCircle","coordinates":[[2.5,48.8]]}`, false},
		{`{"type":"AeroCircle","coordinates":[[2.5,48.8],null]}`, false},
		{`{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":1}}`, true},
		{`{"type":"Feature","geometry":{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}}`, false},
		{`{"type":"Feature"}`, false},
		{`{"type":"LineString","coordinates":[[0,0],[1,1]]}`, false},
		{`{}`, false}, {`[]`, false}, {`nonsense`, false}, {``, false},
	} {
		got, code := checkGeoJSON(append([]byte{0, 0, 0}, tc.text...))
		if (code == codeOK) != tc.ok {
			t.Errorf("%s: result code %d", tc.text, code)
		}
		if tc.ok && string(got[geoHeaderSize:]) != tc.text {
			t.Errorf("%s: stored as %q", tc.text, got)
		}
	}
	text := `{"type":"Point","coordinates":[1,2]}`
	withCells := "\x01\x00\x02" + strings.Repeat("c", 16) + text
	if got, code := checkGeoJSON([]byte(withCells)); code != codeOK || string(got) != "\x00\x00\x00"+text {
		t.Errorf("cells are kept: %q, %d", got, code)
	}
}

func TestIncrement(t *testing.T) {
	memcached := func(n int64) []byte { return append(integerValue(n), make([]byte, 8)...) }
	for _, tc := range []struct {
		why     string
		old     int64
		operand []byte
		want    int64
		code    resultCode
	}{
		{"1 byte is unsigned", 1, []byte{0xFF}, 256, codeOK},
		{"2 bytes", 1, []byte{1, 0}, 257, codeOK},
		{"4 bytes", 1, []byte{0xFF, 0xFF, 0xFF, 0xFF}, 1 << 32, codeOK},
		{"wraps at the top", math.MaxInt64, integerValue(1), math.MinInt64, codeOK},
		{"wraps at the bottom", math.MinInt64, integerValue(-1), math.MaxInt64, codeOK},
		{"a memcached decrement", 5, memcached(-3), 2, codeOK},
		{"stops at zero", 5, memcached(-7), 0, codeOK},
		{"a memcached increment", 5, memcached(7), 12, codeOK},
		{"3 bytes", 1, []byte{1, 2, 3}, 0, codeParameter},
	} {
		old := &bin{particle: particleInteger, value: integerValue(tc.old)}
		got, code := modify(opIncr, old, particleInteger, tc.operand)
		if code != tc.code || code == codeOK && !bytes.Equal(got.value, integerValue(tc.want)) {
			t.Errorf("%s: %x, code %d, want %d, code %d", tc.why, got.value, code, tc.want, tc.code)
		}
	}
	geo := &bin{particle: particleGeoJSON, value: []byte("\x00\x00\x00{}")}
	if _, code := modify(opAppend, geo, particleString, nil); code != codeUnknown {
		t.Errorf("append to GeoJSON: code %d, want %d", code, codeUnknown)
	}
}

func TestStoredSize(t *testing.T) {
	integer := func(n int64) bin { return bin{name: []byte("n"), particle: particleInteger, value: integerValue(n)} }
	for _, tc := range []struct {
		why  string
		bins []bin
		void uint32
		set  string
		key  string
		want int
	}{
		// 35 bytes of header, 1 of bin count, 4 of end mark; a bin has 1 + name.
		{"small integer", []bin{integer(255)}, 0, "", "", 40 + 2 + 3},
		{"2-byte integer", []bin{integer(256)}, 0, "", "", 40 + 2 + 4},
		{"4-byte integer", []bin{integer(1 << 16)}, 0, "", "", 40 + 2 + 6},
		{"8-byte integer", []bin{integer(-1)}, 0, "", "", 40 + 2 + 10},
		{"double", []bin{{name: []byte("n"), particle: particleFloat, value: make([]byte, 8)}}, 0, "", "", 40 + 2 + 9},
		{"boolean", []bin{{name: []byte("n"), particle: particleBool, value: []byte{1}}}, 0, "", "", 40 + 2 + 2},
		{"string", []bin{{name: []byte("n"), particle: particleString, value: []byte("abc")}}, 0, "", "", 40 + 2 + 5 + 3},
		{"void time, set and key", []bin{integer(1)}, 9, "set", "\x03key", 40 + 2 + 3 + 4 + 4 + 1 + 4},
		{"200 bins and a long key", repeat(integer(1), 200), 0, "", strings.Repeat("k", 128), 39 + 2 + 200*5 + 2 + 128},
	} {
		if got := storedSize(tc.void, tc.set, []byte(tc.key), tc.bins); got != tc.want {
			t.Errorf("%s: %d bytes, want %d", tc.why, got, tc.want)
		}
	}
}

func repeat(b bin, n int) []bin {
	list := make([]bin, n)
	for i := range list {
		list[i] = b
	}
	return list
}
