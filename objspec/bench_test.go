package objspec

import (
	"testing"
)

// customer is the record of the speed goals: seven bins, all generators.
const customer = "id=@uuid, first=@first_name, last=@last_name, email=@email, age=@int(18,90), city=@city, loc=@geojson"

func BenchmarkRecord(b *testing.B) {
	for _, bb := range []struct{ name, spec string }{
		{"I4", "I4"},
		{"S50", "S50"},
		{"B1400", "B1400"},
		{"mix10", "I4,I8,S10,S50,B100,D,b,[3*I2],{2*S4:I4},\"const\""},
		{"list", "[5*I4]"},
		{"map", "{3*S4:I4}"},
		{"bigmap", "{1000*S8:I4}"},
		{"customer", customer},
		{"uuid", "@uuid"},
		{"first_name", "@first_name"},
		{"email", "@email"},
		{"int", "@int(18,90)"},
		{"geojson", "@geojson"},
		{"pick", `@pick("bronze":70,"silver":25,"gold":5)`},
		{"fmt", `@fmt("#{first_name}.#{int(1,9)}@example.com")`},
		{"date", "@date"},
		{"sizes", "S{10..200}"},
		{"normal", "B{normal(1400,200)}"},
		{"tags", "[1..20*@word]"},
		{"wordmap", "{20*@word:I4}"},
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
