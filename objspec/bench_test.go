package objspec

import (
	"testing"
)

func BenchmarkRecord(b *testing.B) {
	for _, bb := range []struct{ name, spec string }{
		{"I4", "I4"},
		{"S50", "S50"},
		{"B1400", "B1400"},
		{"mix10", "I4,I8,S10,S50,B100,D,b,[3*I2],{2*S4:I4},\"const\""},
		{"list", "[5*I4]"},
		{"map", "{3*S4:I4}"},
		{"bigmap", "{1000*S8:I4}"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			g := mustParse(b, bb.spec, Options{}).NewGenerator(1)
			b.ReportAllocs()
			key := uint64(0)
			for b.Loop() {
				g.Record(key, nil)
				key++
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mustParse(b, everyForm, Options{})
	}
}
