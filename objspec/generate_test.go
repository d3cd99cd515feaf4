package objspec

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/aerospike/aerospike-client-go/v8"
)

// everyForm holds each form at least once, in bins and in collections.
const everyForm = `I1,I2,I3,I4,I5,I6,I7,I8,I,S1,S10,S23,B1,B8,B1400,D,b,true,-7,2.5,"text",` +
	`[],{},[1,"a",{2:T}],[3*I2,S4,[D,b],2*B20],[40*I1],{3*S4:I4},{20*I1:b,5:1,I1:S300},` +
	`{2*B3:b,4*S14:[2*{2*I3:I8}],"k":"v",9:{}},2*I8`

// TestPinned holds values derived with an independent program from the rules
// in random.go and keys.go. If it fails, records written by earlier versions no
// longer read back: don't adapt the values.
func TestPinned(t *testing.T) {
	const spec = `I1,I4,I8,S23,B11,D,b,[2*I2,S3],{3*S1:I1,"k":b},{2*S14:I2,2*B9:b,2*I3:b}`
	want := []string{
		"00000000000000cd",
		"00000000852cb9e0",
		"0d712cb72b7df6f2",
		"7076616267666f7436796f3676646a676c37756b666135",
		"c4bfa54949db4e0c88e73c",
		"9c3a764e8fd7fca8",
		"00",
		"93cd7848cdd861a403687778",
		"84a2033745a203621aa20376ccf4a2036bc2",
		"86af036a33673076356474327a62396a6dcde6adaf033467377935356a77317875753676cdedd6" +
			"aa04adc14e7a55e74928b8c3aa04930a70619b924795d7c2ce00b1457fc2ce008b7595c2",
	}
	for i, bin := range mustParse(t, spec, Options{}).NewGenerator(42).Record(7, nil) {
		if got := hex.EncodeToString(bin.Value.(*aerospike.RawBlobValue).Data); got != want[i] {
			t.Errorf("%s: got %s, want %s", bin.Name, got, want[i])
		}
	}
}

// TestStream checks splitmix64 against the values its author's program prints
// for the state 1234567.
func TestStream(t *testing.T) {
	s := stream(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := s.next(); got != want {
			t.Errorf("word %d: got %d, want %d", i+1, got, want)
		}
	}
}

// clone keeps the bins a generator is about to overwrite.
func clone(bins []*aerospike.Bin) map[string]string {
	out := map[string]string{}
	for _, bin := range bins {
		v := bin.Value.(*aerospike.RawBlobValue)
		out[bin.Name] = fmt.Sprintf("%d:%x", v.ParticleType, v.Data)
	}
	return out
}

func TestDeterminism(t *testing.T) {
	for _, spec := range []string{everyForm, everyGenerator} {
		testDeterminism(t, mustParse(t, spec, Options{}))
	}
}

func testDeterminism(t *testing.T, s *Spec) {
	g, other := s.NewGenerator(9), s.NewGenerator(9)
	other.Record(1234, nil) // what was generated before mustn't matter
	r := rand.New(rand.NewPCG(1, 1))
	for key := range uint64(200) {
		whole := clone(g.Record(key, nil))
		if len(whole) != len(s.Bins()) && !s.optional {
			t.Fatalf("%d bins, want %d", len(whole), len(s.Bins()))
		}
		sel := []int{}
		for i := range s.Bins() {
			if r.IntN(3) == 0 {
				sel = append(sel, i)
			}
		}
		part := other.Record(key, sel)
		var want []string
		for _, i := range sel {
			if name := s.Bins()[i]; whole[name] != "" {
				want = append(want, name)
			}
		}
		var names []string
		for _, bin := range part {
			names = append(names, bin.Name)
		}
		if !slices.Equal(names, want) {
			t.Fatalf("key %d: selected bins %v, want %v", key, names, want)
		}
		for name, got := range clone(part) {
			if got != whole[name] {
				t.Errorf("key %d, %s alone: %s, in the whole record: %s", key, name, got, whole[name])
			}
		}
	}
}

// TestDependence checks that seed, key and bin each change a value.
func TestDependence(t *testing.T) {
	s := mustParse(t, "2*I8", Options{})
	seen := map[any]string{}
	for seed := range uint64(50) {
		g := s.NewGenerator(seed)
		for key := range uint64(50) {
			for bin, v := range values(t, g, key) {
				at := fmt.Sprintf("seed %d, key %d, bin %d", seed, key, bin)
				if before, ok := seen[v]; ok {
					t.Fatalf("%s and %s have the same 64 random bits", at, before)
				}
				seen[v] = at
			}
		}
	}
}

// TestIntegers compares the values of each form with its documented range and
// with a uniform distribution over it.
func TestIntegers(t *testing.T) {
	const n, buckets = 20000, 16
	for size := 1; size <= 8; size++ {
		lo, hi := math.Exp2(float64(8*(size-1))), math.Exp2(float64(8*size))
		if size == 1 {
			lo = 0
		}
		g := mustParse(t, fmt.Sprintf("I%d", size), Options{}).NewGenerator(3)
		var counts [buckets]float64
		for key := range uint64(n) {
			v := float64(uint64(values(t, g, key)[0].(int64)))
			// 2^64-1 and its neighbours round up to 2^64 as doubles.
			if v < lo || v > hi || v == hi && size < 8 {
				t.Fatalf("I%d made %.0f", size, v)
			}
			counts[min(buckets-1, int((v-lo)/(hi-lo)*buckets))]++
		}
		checkUniform(t, fmt.Sprintf("I%d", size), counts[:])
	}
	g := mustParse(t, "I1,I2", Options{}).NewGenerator(3)
	var small [256]bool
	low, high := int64(math.MaxInt64), int64(0)
	for key := range uint64(500000) {
		bins := g.Record(key, nil)
		v, _ := decodeBin(bins[0])
		small[v.(int64)] = true
		v, _ = decodeBin(bins[1])
		low, high = min(low, v.(int64)), max(high, v.(int64))
	}
	if slices.Contains(small[:], false) || low != 256 || high != 65535 {
		t.Errorf("I1 and I2 don't reach the ends of their ranges: I2 went from %d to %d", low, high)
	}
}

// checkUniform compares counts with equal ones by their chi-squared statistic,
// which is about normal with mean d and variance 2d for d = len-1 degrees of
// freedom. The inputs are fixed, so there is no chance in it.
func checkUniform(t *testing.T, what string, counts []float64) {
	t.Helper()
	var total, chi2 float64
	for _, c := range counts {
		total += c
	}
	want := total / float64(len(counts))
	for _, c := range counts {
		chi2 += (c - want) * (c - want) / want
	}
	d := float64(len(counts) - 1)
	if limit := d + 5*math.Sqrt(2*d); chi2 > limit {
		t.Errorf("%s isn't uniform: chi squared %.1f is over %.1f with %.0f degrees of freedom", what, chi2, limit, d)
	}
}

func TestScalars(t *testing.T) {
	g := mustParse(t, "S23,B11,D,b", Options{}).NewGenerator(5)
	var chars [23][36]float64
	var bits [88][2]float64
	var signs, bools [2]float64
	exponents := map[int]bool{}
	for key := range uint64(20000) {
		v := values(t, g, key)
		text := v[0].(string)
		if len(text) != 23 {
			t.Fatalf("S23 made %q", text)
		}
		for i, c := range []byte(text) {
			at := strings.IndexByte("0123456789abcdefghijklmnopqrstuvwxyz", c)
			if at < 0 {
				t.Fatalf("S23 made %q", text)
			}
			chars[i][at]++
		}
		blob := v[1].([]byte)
		if len(blob) != 11 {
			t.Fatalf("B11 made % x", blob)
		}
		for i := range bits {
			bits[i][blob[i/8]>>(i%8)&1]++
		}
		d := v[2].(float64)
		if math.IsNaN(d) || math.IsInf(d, 0) {
			t.Fatalf("D made %v", d)
		}
		_, exponent := math.Frexp(d)
		exponents[exponent] = true
		signs[math.Float64bits(d)>>63]++
		if v[3].(bool) {
			bools[1]++
		} else {
			bools[0]++
		}
	}
	for i := range chars {
		checkUniform(t, fmt.Sprintf("character %d of S23", i), chars[i][:])
	}
	for i := range bits {
		checkUniform(t, fmt.Sprintf("bit %d of B11", i), bits[i][:])
	}
	checkUniform(t, "the sign of D", signs[:])
	checkUniform(t, "b", bools[:])
	// Uniform bits have each of the 2046 exponents about ten times.
	if len(exponents) < 2000 {
		t.Errorf("D made only %d exponents", len(exponents))
	}
}

func TestCompressionRatio(t *testing.T) {
	tests := []struct {
		ratio  float64
		spec   string
		random int
		why    string
	}{
		{0, "B1000", 1000, "0 is 1"},
		{1, "B1000", 1000, ""},
		{0.25, "B1000", 250, ""},
		{0.29, "B100", 29, "exact in single precision, as in asbench; in double it'd be 28"},
		{0.001, "B1400", 1, "1.4 is cut off"},
		{0.001, "B999", 0, "less than one"},
		{0.5, "[B1000]", 500, "in collections too"},
		{0.5, "{B1000:1}", 500, "and in keys"},
		{0.5, "{2*B1000:1}", 500, "that must differ"},
	}
	for _, tt := range tests {
		g := mustParse(t, tt.spec, Options{CompressionRatio: tt.ratio}).NewGenerator(1)
		last := 0 // the longest random part; its last byte may happen to be zero
		for key := range uint64(100) {
			v := values(t, g, key)[0]
			switch list := v.(type) {
			case []any:
				v = list[0]
			case entries:
				v = list[len(list)-1].key
			}
			last = max(last, len(bytes.TrimRight(v.([]byte), "\x00")))
		}
		if last != tt.random {
			t.Errorf("%s at %v: %d random bytes, want %d (%s)", tt.spec, tt.ratio, last, tt.random, tt.why)
		}
	}
}

// TestShapes checks the structure of random collections.
func TestShapes(t *testing.T) {
	const spec = `[2*I1,S3,[2*b],{I2:D}],{2*S1:[],"key":B2,7:I1}`
	want := []any{
		[]any{int64(0), int64(0), "", []any{false, false}, entries{{int64(0), 0.0}}},
		entries{{"", []any{}}, {"", []any{}}, {"key", []byte{}}, {int64(0), int64(0)}},
	}
	g := mustParse(t, spec, Options{}).NewGenerator(1)
	for key := range uint64(20) {
		for i, v := range values(t, g, key) {
			if got, want := shape(v), shape(want[i]); got != want {
				t.Fatalf("bin %d is %s, want %s", i, got, want)
			}
		}
	}
}

// shape describes a decoded value without the values of its scalars.
func shape(v any) string {
	var parts []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			parts = append(parts, shape(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case entries:
		for _, e := range v {
			parts = append(parts, shape(e.key)+":"+shape(e.value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	default:
		return fmt.Sprintf("%T", v)
	}
}

// TestCacheLines checks that generators made in a row don't write to the same
// cache lines.
func TestCacheLines(t *testing.T) {
	s := mustParse(t, "I4,{2*I4:b}", Options{})
	owner := map[uintptr]int{}
	claim := func(i int, p unsafe.Pointer, size uintptr) {
		for line := uintptr(p) / 64; line <= (uintptr(p)+size-1)/64; line++ {
			if before, ok := owner[line]; ok && before != i {
				t.Fatalf("generators %d and %d share a cache line", before, i)
			}
			owner[line] = i
		}
	}
	var keep []*Generator // so that no memory is used again
	for i := range 100 {
		g := s.NewGenerator(1)
		g.Record(1, nil)
		keep = append(keep, g)
		for j := range g.values {
			v := &g.values[j]
			claim(i, unsafe.Pointer(v), unsafe.Sizeof(*v))
			claim(i, unsafe.Pointer(&v.Data[0]), uintptr(cap(v.Data)))
		}
		claim(i, unsafe.Pointer(&g.picked[0]), unsafe.Sizeof(g.picked[0])*uintptr(len(g.picked)))
		claim(i, unsafe.Pointer(&g.perms[0]), unsafe.Sizeof(g.perms[0]))
	}
	runtime.KeepAlive(keep)
}

// TestAllocations checks that no form allocates once a generator exists.
func TestAllocations(t *testing.T) {
	forms := strings.Split("I1 I8 S50 S7 B1400 B3 D b 5 2.5 \"x\" T [5*I4] {3*S4:I4} {256*I1:b} {2*B9:[2*S40,{2*I8:D}]} []", " ")
	for _, spec := range append(forms, everyForm) {
		g := mustParse(t, spec, Options{}).NewGenerator(1)
		key := uint64(0)
		sel := []int{0}
		allocs := testing.AllocsPerRun(100, func() {
			key++
			g.Record(key, nil)
			g.Record(key, sel)
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations a record", spec, allocs)
		}
	}
}
