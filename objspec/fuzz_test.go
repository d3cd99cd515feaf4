package objspec

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/aerospike/aerospike-client-go/v8"
)

func FuzzParse(f *testing.F) {
	for _, spec := range []string{
		everyForm, "2*I4 , [ 3 * S2,{I1:b} ]", `"\x41\101\n",0x3ff,-1.5e3f,T,false`,
		"{256*I1:b}", `{"k":1,35*S1:b}`, "{2*B3:{2*B3:b}}", "[[[[[]]]]]", "32767*b",
		"S0", "9999999999*I", "{300*I1:b}", `"abc`, "@city()", "a=I4", "I1,,I2", "[8388603*T]",
		everyGenerator, "a=I4 # x\nb?0.5={\n1..3*@word : 2 }\n", `@fmt("#{pick(\"a\",'b')}#{S{1..2}}")`, `@date("2020-01-01","2021-01-01","%A %-d")`,
		"S{normal(5,2)},B{exponential(9)}", "{2*@pick(1,2):b,3*I1:b}", "@geo_circle(20000)", "\ufeffa=@int(3000000000)", "日本=I4,\tb", "{9*S{0..3}:1,@key:2}", "R:3:50,S:2",
		"@date(\"2020-01-01\",\"2020-01-01\",\"%\n\")",
	} {
		f.Add(spec, "", 1.0)
		f.Add(spec, "abcdefghijklm", 0.1)
	}
	f.Fuzz(func(t *testing.T, text, name string, ratio float64) {
		o := Options{BinName: name, CompressionRatio: ratio, Now: testNow}
		s, err := Parse(text, o)
		if err != nil {
			var e *Error
			if errors.As(err, &e) && (e.Offset < 0 || e.Offset > len(text) || strings.Count(e.Error(), "\n") != 2) {
				t.Fatalf("at byte %d of %d: %v", e.Offset, len(text), e)
			}
			return
		}
		again, err := Parse(s.String(), o)
		if err != nil {
			t.Fatalf("parsed once, but not from String(): %v", err)
		}
		seen := map[string]bool{}
		for _, bin := range s.Bins() {
			if seen[bin] || len(bin) > 15 {
				t.Fatalf("bin name %q is there twice or has over 15 bytes", bin)
			}
			seen[bin] = true
		}
		total := 0
		for _, form := range s.bins {
			total += form.particle
		}
		if total > 1<<16 {
			return // too slow to generate thousands of times
		}
		g, h := s.NewGenerator(1), again.NewGenerator(1)
		for key := range uint64(2) {
			first := g.Record(key, nil)
			if !reflect.DeepEqual(clone(first), clone(h.Record(key, nil))) {
				t.Fatal("two generators made different records")
			}
			for _, bin := range first {
				v, err := decodeBin(bin)
				if err != nil {
					t.Fatalf("%s: %v", bin.Name, err)
				}
				raw := bin.Value.(*aerospike.RawBlobValue)
				if (raw.ParticleType == 19 || raw.ParticleType == 20) && !bytes.Equal(raw.Data, clientPack(t, clientValue(v))) {
					t.Fatalf("%s: the client packs %v differently", bin.Name, v)
				}
			}
		}
	})
}
