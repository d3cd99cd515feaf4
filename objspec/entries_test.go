package objspec

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/aerospike/aerospike-client-go/v8"
)

// shown writes a value with its type, and a collection as what it packs.
func shown(v any) string {
	switch v := v.(type) {
	case aerospike.ListerValue, *aerospike.ListerValue, aerospike.MapperValue, *aerospike.MapperValue:
		return fmt.Sprintf("%T", v)
	case []byte:
		return fmt.Sprintf("bytes %q", string(v))
	}
	return fmt.Sprintf("%T %v", v, v)
}

func TestEntries(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ spec, keys, values, why string }{
		{"[]", "", "", "an empty list"},
		{"[0,127,128,255,256,65535,65536,4294967295,4294967296]", "",
			"int64 0; int64 127; int64 128; int64 255; int64 256; int64 65535; int64 65536; int64 4294967295; int64 4294967296", "integers of every width"},
		{"[-1,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649]", "",
			"int64 -1; int64 -32; int64 -33; int64 -128; int64 -129; int64 -32768; int64 -32769; int64 -2147483648; int64 -2147483649", "and below 0"},
		{`[1.5,true,false,"","abc"]`, "", "float64 1.5; bool true; bool false; string ; string abc", "other scalars"},
		{`["` + long + `",7]`, "", "string " + long + "; int64 7", "a string with a longer header"},
		{`[[1,[2,"x"]],{1:2,"k":[3]},9]`, "", "*aerospike.ListerValue; *aerospike.MapperValue; int64 9", "collections stay whole"},
		{`{1:"a","k":2.5}`, "int64 1; string k", "string a; float64 2.5", "a map"},
		{"[20*1]", "", strings.TrimSuffix(strings.Repeat("int64 1; ", 20), "; "), "a list with a longer header"},
	} {
		s, err := Parse("I1,"+c.spec, Options{})
		if err != nil {
			t.Fatal(err)
		}
		keys, values := s.NewGenerator(1).Entries(5, 1)
		text := func(list []any) string {
			var texts []string
			for _, v := range list {
				texts = append(texts, shown(v))
			}
			return strings.Join(texts, "; ")
		}
		if text(keys) != c.keys || text(values) != c.values {
			t.Errorf("%s: %s has\n keys %s\n values %s\nwant\n keys %s\n values %s", c.why, c.spec, text(keys), text(values), c.keys, c.values)
		}
	}
}

// Random elements are those of the record.
func TestEntriesAreTheRecords(t *testing.T) {
	s, err := Parse("[I1,I8,S5,B6,D,b,3*[I2]],{4*S3:I4}", Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := s.NewGenerator(3)
	for key := range uint64(50) {
		_, values := g.Entries(key, 0)
		values = append([]any(nil), values...)
		list, _, err := decodePacked(g.Record(key, nil)[0].Value.(*aerospike.RawBlobValue).Data)
		if err != nil {
			t.Fatal(err)
		}
		if len(values) != 9 {
			t.Fatalf("%d elements", len(values))
		}
		for i, v := range values[:6] {
			if got, want := exact(v), exact(list.([]any)[i]); got != want {
				t.Errorf("key %d: element %d is %v, want %v", key, i, got, want)
			}
		}
		keys, values := g.Entries(key, 1)
		if len(keys) != 4 || len(values) != 4 {
			t.Errorf("key %d: %d keys, %d values", key, len(keys), len(values))
		}
	}
}

// exact writes a value so that no two different ones look the same.
func exact(v any) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprint(math.Float64bits(f))
	}
	return fmt.Sprintf("%v", v)
}
