package embedded

import (
	"bytes"
	"encoding/hex"
	"math"
	"reflect"
	"strings"
	"testing"
)

// unhex decodes hexadecimal digits; blanks are for the reader.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNormalise(t *testing.T) {
	const bad = "bad"
	for _, tc := range []struct{ why, in, want string }{
		{"empty list", "90", "90"},
		{"empty map", "80", "80"},
		{"list of everything compact", "99 00 7f e0 ff c0 c2 c3 cb3ff8000000000000 a0", "99 00 7f e0 ff c0 c2 c3 cb3ff8000000000000 a0"},
		{"a float keeps its 4 bytes", "91 ca3fc00000", "91 ca3fc00000"},
		{"unsigned integers shrink", "94 cc7f cd00ff ce0000ffff cf00000000ffffffff", "94 7f ccff cdffff ceffffffff"},
		{"unsigned integers that can't", "94 cc80 cd0100 ce00010000 cf0000000100000000", "94 cc80 cd0100 ce00010000 cf0000000100000000"},
		{"signed integers shrink", "94 d0e0 d1ff80 d2ffff8000 d3ffffffff80000000", "94 e0 d080 d18000 d280000000"},
		{"signed integers that can't", "94 d0df d1ff7f d2ffff7fff d3ffffffff7fffffff", "94 d0df d1ff7f d2ffff7fff d3ffffffff7fffffff"},
		{"positive signed integers turn unsigned", "94 d007 d100c8 d20000012c d30000000000011170", "94 07 ccc8 cd012c ce00011170"},
		{"string headers shrink", "92 d90103 da0002 0361", "92 a103 a20361"},
		{"bin headers shrink to strings'", "91 c4020461", "91 a20461"},
		{"list headers shrink", "dd00000002 01 dc0001 02", "92 01 91 02"},
		{"map headers shrink", "df00000001 01 de0001 02 03", "81 01 81 02 03"},
		{"an unsorted map is sorted", "83 03a0 01a0 02a0", "83 01a0 02a0 03a0"},
		{"numbers sort before strings, strings before blobs", "83 a20461 01 a20361 02 05 03", "83 05 03 a20361 02 a20461 01"},
		{"negative before positive", "82 01 c0 ff c0", "82 ff c0 01 c0"},
		{"a shorter string sorts first", "82 a3036161 c0 a20361 c0", "82 a20361 c0 a3036161 c0"},
		{"maps inside a list are sorted", "91 82 02c0 01c0", "91 82 01c0 02c0"},
		{"maps inside a map are sorted", "81 01 82 02c0 01c0", "81 01 82 01c0 02c0"},
		{"flags of a sorted map stay", "82 c70001 c0 01 02", "82 c70001 c0 01 02"},
		{"flags of an unsorted map go", "82 c70000 c0 01 02", "81 01 02"},
		{"the wish for an index is not on the wire", "82 c70011 c0 01 02", "82 c70001 c0 01 02"},
		{"flags that mean nothing go", "82 c70008 c0 01 02", "81 01 02"},
		{"flags in another form of extension", "82 d501aaaa c0 01 02", "82 c70001 c0 01 02"},
		{"an extension of 1 byte is an element", "93 d40100 02 01", "93 d40100 02 01"},
		{"flags of a sorted list stay", "93 c70001 01 02", "93 c70001 01 02"},
		{"equal neighbours in a sorted list", "93 c70001 01 01", "93 c70001 01 01"},
		{"flags of an unsorted list go", "93 c70000 02 01", "92 02 01"},
		{"a sorted list with nothing in it", "91 c70001", "91 c70001"},
		{"nil, booleans, numbers, text, lists, maps, blobs, doubles sort in this order",
			"9a c70001 c0 c2 ff 00 a20361 9101 810101 a20400 cb0000000000000000",
			"9a c70001 c0 c2 ff 00 a20361 9101 810101 a20400 cb0000000000000000"},
		{"extensions shrink", "92 00 c70105aa", "92 00 d405aa"},
		{"an extension of 3 bytes", "92 00 c80003 05 aabbcc", "92 00 c70305aabbcc"},

		{"nothing", "", bad},
		{"not a list", "80", bad + " list"},
		{"not a map", "90", bad + " map"},
		{"a scalar", "01", bad},
		{"bytes left over", "90 00", bad},
		{"an element is missing", "92 01", bad},
		{"a value is missing", "81 01", bad},
		{"a header is cut short", "dc00", bad},
		{"a count that can't be", "ddffffffff", bad},
		{"a string is cut short", "91 a3 61", bad},
		{"a string longer than memory", "91 dbffffffff 61", bad},
		{"a number is cut short", "91 cd00", bad},
		{"an extension is cut short", "92 00 c70505 aa", bad},
		{"an extension without a type", "92 00 c700", bad},
		{"the reserved byte", "91 c1", bad},
		{"a wildcard can't be stored", "92 00 d4ff00", bad},
		{"not in the first place either", "91 d4ff00", bad},
		{"nor with a length", "91 c701ff00", bad},
		{"an extension of 1 byte as key", "81 d40100 c0", bad},
		{"a repeated key", "82 01c0 01c0", bad},
		{"a repeated key, not in a row", "83 02c0 01c0 02c0", bad},
		{"a repeated key in another form", "82 01c0 cc01c0", bad},
		{"a nil key", "81 c0 01", bad},
		{"a double as key", "81 cb3ff8000000000000 01", bad},
		{"a list as key", "81 90 01", bad},
		{"an empty byte string as key", "81 a0 01", bad},
		{"GeoJSON text as key", "81 a2177b 01", bad},
		{"a sorted map that isn't", "83 c70001 c0 02 c0 01 c0", bad},
		{"a sorted list that isn't", "93 c70001 02 01", bad},
		{"flags without the value that goes with them", "81 c70001", bad},
	} {
		particle := byte(particleList)
		if in := unhex(t, tc.in); len(in) > 0 && (in[0]&0xF0 == 0x80 || in[0] >= 0xDE) {
			particle = particleMap
		}
		switch tc.want {
		case bad + " list":
			particle = particleList
		case bad + " map":
			particle = particleMap
		}
		got, ok := normalise(unhex(t, tc.in), particle)
		if strings.HasPrefix(tc.want, bad) {
			if ok {
				t.Errorf("%s: %s is taken, as %x", tc.why, tc.in, got)
			}
			continue
		}
		if !ok || !bytes.Equal(got, unhex(t, tc.want)) {
			t.Errorf("%s: %s becomes %x, %v, want %s", tc.why, tc.in, got, ok, tc.want)
		}
		if again, ok := normalise(got, particle); !ok || !bytes.Equal(again, got) {
			t.Errorf("%s: normalised again: %x, %v", tc.why, again, ok)
		}
	}
}

func TestNormaliseLongForms(t *testing.T) {
	text := func(header string, n int) []byte {
		return append(unhex(t, header), append([]byte{particleString}, bytes.Repeat([]byte("x"), n-1)...)...)
	}
	list := func(header string, elements ...[]byte) []byte {
		return append(unhex(t, header), bytes.Join(elements, nil)...)
	}
	zeros := func(n int) []byte { return make([]byte, n) }
	extension := func(header string, n int) []byte { return append(unhex(t, header), make([]byte, n)...) }
	for _, tc := range []struct {
		why      string
		in, want []byte
	}{
		{"string of 40 bytes", list("91", text("db00000028", 40)), list("91", text("d928", 40))},
		{"string of 300 bytes", list("91", text("db0000012c", 300)), list("91", text("da012c", 300))},
		{"string of 70000 bytes", list("91", text("db00011170", 70000)), list("91", text("db00011170", 70000))},
		{"bytes of 40 keep their header", list("91", text("c428", 40)), list("91", text("c428", 40))},
		{"list of 20", list("dd00000014", zeros(20)), list("dc0014", zeros(20))},
		{"list of 70000", list("dd00011170", zeros(70000)), list("dd00011170", zeros(70000))},
		{"extension of 40 bytes", list("92 00", extension("c90000002805", 40)), list("92 00", extension("c72805", 40))},
		{"extension of 300 bytes", list("92 00", extension("c90000012c05", 300)), list("92 00", extension("c8012c05", 300))},
		{"extension of 70000 bytes", list("92 00", extension("c90001117005", 70000)), list("92 00", extension("c90001117005", 70000))},
	} {
		if got, ok := normalise(tc.in, particleList); !ok || !bytes.Equal(got, tc.want) {
			t.Errorf("%s: %v, %d bytes that begin with %.12x, want %d that begin with %.12x", tc.why, ok, len(got), got, len(tc.want), tc.want)
		}
	}
}

func TestNormaliseDepth(t *testing.T) {
	nested := func(depth int) []byte {
		return append(bytes.Repeat([]byte{0x91}, depth), 0x90)
	}
	if _, ok := normalise(nested(maxDepth), particleList); !ok {
		t.Errorf("a list nested %d deep is refused", maxDepth)
	}
	if _, ok := normalise(nested(10_000_000), particleList); ok {
		t.Error("a list nested ten million deep is taken")
	}
}

func TestBinValue(t *testing.T) {
	for _, tc := range []struct {
		why      string
		particle byte
		raw      string
		want     any
	}{
		{"integer", particleInteger, "ffffffffffffffff", int64(-1)},
		{"double", particleFloat, "3ff8000000000000", 1.5},
		{"string", particleString, "6162", "ab"},
		{"blob", particleBlob, "6162", []byte("ab")},
		{"true", particleBool, "01", true},
		{"GeoJSON", particleGeoJSON, "0000007b7d", "{}"},
		{"unknown", 99, "01", []byte{1}},
		{"list", particleList, "98 01 ff c0 c3 a20361 a20462 cb3ff8000000000000 a0", []any{int64(1), int64(-1), nil, true, "a", []byte("b"), 1.5, []byte{}}},
		{"largest unsigned", particleList, "91 cfffffffffffffffff", []any{uint64(math.MaxUint64)}},
		{"sorted list", particleList, "92 c70001 01", []any{int64(1)}},
		{"extension", particleList, "92 00 d405aa", []any{int64(0), []byte{0xAA}}},
		{"map", particleMap, "82 01 9102 a20461 c2", map[any]any{int64(1): []any{int64(2)}, Blob("a"): false}},
		{"sorted map", particleMap, "82 c70001 c0 a20361 01", map[any]any{"a": int64(1)}},
	} {
		if got := (Bin{Particle: tc.particle, Raw: unhex(t, tc.raw)}).Value(); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %#v, want %#v", tc.why, got, tc.want)
		}
	}
}

// holdsExtensionElement reports whether a value holds an extension that is not the
// flags of a collection. No client makes such elements. One that comes into the
// first place, since flags are dropped or what was before it is removed, passes for
// flags from then on, as on the real server.
func holdsExtensionElement(b []byte) bool {
	for n := 1; n > 0; n-- {
		e, rest, ok := parseElement(b)
		if !ok {
			return false
		}
		if e.kind == typeExtension {
			return true
		}
		count := e.count
		if first, _, ok := parseElement(rest); ok && count > 0 && first.isFlags() && len(first.payload) == 0 {
			rest, count = skipMeta(&e, rest)
		}
		if e.kind == typeMap {
			count *= 2
		}
		b = rest
		n += count
	}
	return false
}

func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{"90", "80", "9301a20361cb3ff8000000000000", "8203c001c0", "82c70001c00102", "93c700010101", "9200c70105aa"} {
		f.Add(unhex(f, seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, particle := range []byte{particleList, particleMap} {
			got, ok := normalise(in, particle)
			if !ok {
				continue
			}
			if len(got) > len(in) {
				t.Errorf("%x grows to %x", in, got)
			}
			again, ok := normalise(got, particle)
			if !holdsExtensionElement(in) && (!ok || !bytes.Equal(again, got)) {
				t.Errorf("%x becomes %x, and that %x, %v", in, got, again, ok)
			}
			if compareElements(got, got) != 0 {
				t.Errorf("%x isn't equal to itself", got)
			}
			_ = (Bin{Particle: particle, Raw: got}).Value()
		}
	})
}
