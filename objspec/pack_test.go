package objspec

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/aerospike/aerospike-client-go/v8"
)

// TestPackedLikeClient decodes generated collections, lets the client pack what
// came out, and expects the same bytes: right values in the same widths.
func TestPackedLikeClient(t *testing.T) {
	var ints []string
	for bit := range 64 {
		for _, d := range []int64{-1, 0, 1} {
			v := int64(1)<<bit + d
			if bit == 63 {
				v = math.MinInt64 + d&1
			}
			ints = append(ints, fmt.Sprint(v), fmt.Sprint(min(-v, -1)))
		}
	}
	specs := []string{
		"[" + strings.Join(ints, ",") + "]",
		"[-31,-32,-33,-127,-128,-129,127,128,255,256,65535,65536,4294967295,4294967296]",
		"[S30,S31,S254,S255,S256,S65534,S65535,S65536]", // a byte more with the particle type
		"[B30,B31,B254,B255,B256,B65534,B65535,B65536]",
		"[15*b],[16*b],[65535*b],[65536*b]",
		"{15*I2:b},{16*I2:b},{65535*I3:b},{65536*I3:b}",
		`[true,false,2.5,-0.0,"",[],{}]`,
		"[100*I1,100*I2,100*I3,100*I4,100*I5,100*I6,100*I7,100*I8]",
		everyForm, everyGenerator,
	}
	for _, spec := range specs {
		s := mustParse(t, spec, Options{})
		g := s.NewGenerator(1)
		for key := range uint64(3) {
			for _, bin := range g.Record(key, nil) {
				i := slices.Index(s.names, bin.Name)
				raw := bin.Value.(*aerospike.RawBlobValue)
				v, err := decodeBin(bin)
				if err != nil {
					t.Fatalf("%.40s, %s: %v", spec, bin.Name, err)
				}
				if want := clientValue(v).GetType(); raw.ParticleType != want {
					t.Errorf("%.40s, %s: particle type %d, the client's is %d", spec, bin.Name, raw.ParticleType, want)
				}
				if len(raw.Data) > s.bins[i].particle {
					t.Errorf("%.40s, %s: %d bytes, the most was to be %d", spec, bin.Name, len(raw.Data), s.bins[i].particle)
				}
				if s.bins[i].kind < kindList || s.bins[i].kind == kindGeo {
					continue // not packed in a bin
				}
				if want := clientPack(t, clientValue(v)); !bytes.Equal(raw.Data, want) {
					t.Errorf("%.40s, %s: packed % .20x, the client packs % .20x", spec, bin.Name, raw.Data, want)
				}
			}
		}
	}
}

// TestSizes checks that the sizes Parse accounts with are what values take.
func TestSizes(t *testing.T) {
	// Constants and random values of one width have exactly one size.
	for _, spec := range []string{
		"-32", "-33", "-128", "-129", "-32768", "-32769", "-2147483648", "-2147483649",
		"127", "128", "255", "256", "65535", "65536", "4294967295", "4294967296",
		`""`, `"x"`, "S30", "S31", "S254", "S255", "S65534", "S65535", "B31", "B255",
		"I2", "I3", "I4", "I5", "I6", "I7", "D", "b", "T", "1.5",
		"15*b", "16*b", "65535*b", "65536*b", "[15*[]]", "{15*S4:b}", "{16*S4:b}", "{70000*S4:b}",
	} {
		s := mustParse(t, "["+spec+"]", Options{})
		raw := s.NewGenerator(1).Record(1, nil)[0].Value.(*aerospike.RawBlobValue)
		if len(raw.Data) != s.bins[0].particle {
			t.Errorf("[%s] takes %d bytes, Parse counts %d", spec, len(raw.Data), s.bins[0].particle)
		}
	}
}

// TestLargest checks that a record of the largest size can be made.
func TestLargest(t *testing.T) {
	for _, spec := range []string{"S8388608", "[8388603*1]", "{1000000*I4:b}", "[[S8388600]]", "8*B1048576"} {
		g := mustParse(t, spec, Options{}).NewGenerator(1)
		values(t, g, 1)
	}
}

func TestArgs(t *testing.T) {
	for _, spec := range []string{`I4,D,b,S5,B7,T,-5,"x"`, "[2*I1,[D]],{3*S4:I4},[],{}", "[300*I8],{300*S4:[b]}",
		`@uuid,@int(-5,70000),@double,@geojson,S{0..300},[1..40*@word,@geojson],{3*@word:@city,"k":[2*@fmt("#{word}")],1..20*S{3..4}:b}`} {
		s := mustParse(t, spec, Options{})
		g := s.NewGenerator(4)
		for key := range uint64(5) {
			var want []aerospike.Value
			for _, v := range values(t, g, key) {
				want = append(want, clientValue(v))
			}
			args := g.Args(key)
			for i := range args {
				if args[i].GetType() != want[i].GetType() {
					t.Errorf("%s, argument %d: type %d, want %d", spec, i, args[i].GetType(), want[i].GetType())
				}
			}
			if got, want := clientPack(t, args...), clientPack(t, want...); !bytes.Equal(got, want) {
				t.Errorf("%s: arguments packed % x, want % x", spec, got, want)
			}
		}
	}
}
