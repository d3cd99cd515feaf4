package objspec

import (
	"fmt"
	"strings"
	"testing"
)

// TestPermutation checks that at is a bijection of [0, limit).
func TestPermutation(t *testing.T) {
	domains := []struct {
		domain keyDomain
		limit  uint64
	}{
		{keyDomain{kind: kindInt, size: 1}, 256},
		{keyDomain{kind: kindInt, size: 2}, 65536 - 256},
		{keyDomain{kind: kindString, size: 1}, 36},
		{keyDomain{kind: kindString, size: 2}, 36 * 36},
		{keyDomain{kind: kindString, size: 3}, 36 * 36 * 36},
		{keyDomain{kind: kindBytes, size: 1, random: 1}, 256},
		{keyDomain{kind: kindBytes, size: 2, random: 2}, 65536},
	}
	s := source{stream: 1}
	for _, tt := range domains {
		g := newKeyGroup(tt.domain)
		if g.limit != tt.limit {
			t.Errorf("%v: %d keys, want %d", tt.domain, g.limit, tt.limit)
		}
		for range 3 {
			var p permutation
			p.start(&g, &s)
			seen := make([]bool, tt.limit)
			for i := range tt.limit {
				v := p.at(i, &g)
				if v >= tt.limit || seen[v] {
					t.Fatalf("%v: %d is the image of %d, and of another or out of range", tt.domain, v, i)
				}
				seen[v] = true
			}
		}
	}
}

// TestLimits checks the sizes of the domains that can't be enumerated.
func TestLimits(t *testing.T) {
	for domain, want := range map[keyDomain]uint64{
		{kind: kindInt, size: 3}:                1<<24 - 1<<16,
		{kind: kindInt, size: 8}:                18374686479671623680, // 2^64 - 2^56
		{kind: kindString, size: 12}:            4738381338321616896,  // 36^12
		{kind: kindString, size: 50}:            4738381338321616896,
		{kind: kindBytes, size: 7, random: 7}:   1 << 56,
		{kind: kindBytes, size: 20, random: 20}: 1 << 56,
	} {
		if g := newKeyGroup(domain); g.limit != want {
			t.Errorf("%v: %d keys, want %d", domain, g.limit, want)
		}
	}
}

// TestDistinctKeys relies on the decoder, which refuses equal keys.
func TestDistinctKeys(t *testing.T) {
	constants := func(from, to int) string {
		var out []string
		for i := from; i < to; i++ {
			out = append(out, fmt.Sprintf("%d:T", i))
		}
		return strings.Join(out, ",")
	}
	tests := []struct {
		spec    string
		entries int
		why     string
	}{
		{"{5*S1:I1}", 5, ""},
		{"{256*I1:I1}", 256, "all there are"},
		{"{36*S1:b}", 36, "all there are"},
		{"{65280*I2:b}", 65280, "all there are"},
		{"{256*B1:b}", 256, "all there are"},
		{"{46656*S3:b}", 46656, "all there are"},
		{"{100*I1:b,I4:b,100*I1:b,56*I1:D}", 257, "one group in three places"},
		{`{35*S1:b,"a":I1}`, 36, "the constant comes after the keys it must differ from"},
		{`{"a":I1,"z":b,34*S1:b,"A":b,"":b,"ab":b}`, 39, "constants that S1 can't make don't count"},
		{"{" + constants(0, 255) + ",I1:b}", 256, "only one key is left for a single I1"},
		{"{" + constants(-300, 600) + ",100*I8:b,100*I2:b}", 1100, "negative constants are I8"},
		{"{1000*I8:b,1000*S40:b,1000*B40:b,1000*B7:b,1000*S12:b}", 5000, "more than the index decides"},
		{"{20*S1:{20*S1:{20*S1:b}}}", 20, "nested maps don't disturb each other"},
	}
	for _, tt := range tests {
		g := mustParse(t, tt.spec, Options{}).NewGenerator(1)
		for key := range uint64(5) {
			if m := values(t, g, key)[0].(entries); len(m) != tt.entries {
				t.Errorf("%.40s: %d entries, want %d (%s)", tt.spec, len(m), tt.entries, tt.why)
			}
		}
	}
}

// TestKeysOfFewValuesAreUniform counts all ordered choices of keys from few values: any
// is as likely as another, weights left aside, also beside a constant key.
func TestKeysOfFewValuesAreUniform(t *testing.T) {
	for _, c := range []struct {
		spec    string
		choices int
	}{
		{"{2*@int(1,3):b}", 3 * 2},
		{"{2*@int(1,8):b}", 8 * 7},
		{"{3*@int(1,6):b}", 6 * 5 * 4},
		{`{2*@pick("a":1,"b":9,"c"):b}`, 3 * 2},
		{`{4*@pick("a","b","c","d"):b}`, 4 * 3 * 2},
		{"{7:b,2*@int(5,9):b}", 4 * 3},
	} {
		g := mustParse(t, c.spec, Options{}).NewGenerator(1)
		index := map[string]int{}
		counts := make([]float64, c.choices)
		for key := range uint64(50000) {
			var keys strings.Builder
			for _, e := range values(t, g, key)[0].(entries) {
				fmt.Fprint(&keys, e.key, ",")
			}
			i, ok := index[keys.String()]
			if !ok {
				if i = len(index); i == c.choices {
					t.Fatalf("%s: over %d choices: %v and %s", c.spec, i, index, keys.String())
				}
				index[keys.String()] = i
			}
			counts[i]++
		}
		checkUniform(t, c.spec, counts)
	}
}

// TestKeysAreUniform looks at each key of small maps, at the order of two keys
// and at their difference.
func TestKeysAreUniform(t *testing.T) {
	g := mustParse(t, "{3*S1:b},{3*I1:b},{2*I4:b}", Options{}).NewGenerator(1)
	var chars [3][36]float64
	var small [3][256]float64
	var differences [255]float64
	var order [2]float64
	for key := range uint64(50000) {
		v := values(t, g, key)
		for i, e := range v[0].(entries) {
			chars[i][strings.Index(alphabet, e.key.(string))]++
		}
		for i, e := range v[1].(entries) {
			small[i][e.key.(int64)]++
		}
		first, second := v[1].(entries)[0].key.(int64), v[1].(entries)[1].key.(int64)
		differences[(first-second+256)%256-1]++
		if first, second = v[2].(entries)[0].key.(int64), v[2].(entries)[1].key.(int64); first < second {
			order[0]++
		} else {
			order[1]++
		}
	}
	for i := range 3 {
		checkUniform(t, fmt.Sprintf("key %d of {3*S1:b}", i), chars[i][:])
		checkUniform(t, fmt.Sprintf("key %d of {3*I1:b}", i), small[i][:])
	}
	checkUniform(t, "the difference of two keys of {3*I1:b}", differences[:])
	checkUniform(t, "the order of the keys of {2*I4:b}", order[:])
}
