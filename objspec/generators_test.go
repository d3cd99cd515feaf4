package objspec

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/mail"
	"net/netip"
	neturl "net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aerospike/aerospike-client-go/v8"
	"github.com/brianvoe/gofakeit/v7/data"
)

// textLike checks a string against a pattern.
func textLike(pattern string) func(any) bool {
	re := regexp.MustCompile("^(?:" + pattern + ")$")
	return func(v any) bool { s, ok := v.(string); return ok && re.MatchString(s) }
}

// oneOf checks for an entry of gofakeit's list.
func oneOf(category, kind string) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		return ok && slices.Contains(data.Data[category][kind], s)
	}
}

func within(low, high int64) func(any) bool {
	return func(v any) bool { n, ok := v.(int64); return ok && n >= low && n <= high }
}

func between(low, high float64) func(any) bool {
	return func(v any) bool { d, ok := v.(float64); return ok && d >= low && d <= high }
}

func dated(layout, from, to string) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		t, err := time.Parse(layout, s)
		low, _ := time.Parse(layout, from)
		high, _ := time.Parse(layout, to)
		return ok && err == nil && !t.Before(low) && !t.After(high)
	}
}

// point checks a GeoJSON point and its bounds: latitudes, then longitudes.
func point(box [4]float64) func(any) bool {
	return func(v any) bool {
		text, ok := v.(geo)
		var p struct {
			Type        string
			Coordinates []float64
		}
		return ok && json.Unmarshal([]byte(text), &p) == nil && p.Type == "Point" && len(p.Coordinates) == 2 &&
			p.Coordinates[1] >= box[0] && p.Coordinates[1] <= box[1] && p.Coordinates[0] >= box[2] && p.Coordinates[0] <= box[3]
	}
}

func circle(rmin, rmax float64) func(any) bool {
	return func(v any) bool {
		text, ok := v.(geo)
		var c struct {
			Type        string
			Coordinates []json.RawMessage
		}
		var at [2]float64
		var r float64
		return ok && json.Unmarshal([]byte(text), &c) == nil && c.Type == "AeroCircle" && len(c.Coordinates) == 2 &&
			json.Unmarshal(c.Coordinates[0], &at) == nil && json.Unmarshal(c.Coordinates[1], &r) == nil &&
			math.Abs(at[0]) <= 180 && math.Abs(at[1]) <= 90 && r >= rmin && r <= rmax
	}
}

// luhn checks a card number by adding up its digits from the right.
func luhn(v any) bool {
	s, ok := v.(string)
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return ok && len(s) == 16 && s[0] == '4' && sum%10 == 0
}

const (
	wordPattern = `[a-z]+`
	hex4        = `[0-9a-f]{4}`
)

// generatorRows has each generator, with and without arguments. least is how many
// different values 500 records must have.
func generatorRows() []generatorRow {
	address := func(check func(netip.Addr) bool) func(any) bool {
		return func(v any) bool {
			a, err := netip.ParseAddr(fmt.Sprint(v))
			return err == nil && check(a)
		}
	}
	return []generatorRow{
		{"@first_name", oneOf("person", "first"), 200},
		{"@last_name", oneOf("person", "last"), 150},
		{"@full_name", textLike(`\S+ \S+`), 490},
		{"@username", textLike(`[a-z]+_[a-z]+[1-9][0-9]{0,2}`), 490},
		{"@email", func(v any) bool {
			a, err := mail.ParseAddress(fmt.Sprint(v))
			return err == nil && a.Address == v && textLike(`[a-z]+\.[a-z]+[1-9][0-9]{0,2}@example\.(com|net|org)`)(v)
		}, 490},
		{"@phone", textLike(`\+1-[2-9]\d\d-[2-9]\d\d-\d{4}`), 490},
		{"@street", textLike(`[1-9]\d{0,3} [\w']+ [\w ]+`), 490},
		{"@city", oneOf("address", "city"), 60},
		{"@state", oneOf("address", "state"), 40},
		{"@state_abbr", oneOf("address", "state_abr"), 40},
		{"@zip", func(v any) bool {
			n, err := strconv.Atoi(fmt.Sprint(v))
			return err == nil && textLike(`\d{5}`)(v) && n >= 501 && n <= 99950
		}, 480},
		{"@country", oneOf("address", "country"), 150},
		{"@country_code", textLike(`[A-Z]{2}`), 150},
		{"@lat", between(-90, 90), 490},
		{"@lon", between(-180, 180), 490},
		{"@geojson", point([4]float64{-90, 90, -180, 180}), 490},
		{"@geojson(47.1,47.2,8.4,8.5)", point([4]float64{47.1, 47.2, 8.4, 8.5}), 490},
		{"@geojson(80)", point([4]float64{80, 90, -180, 180}), 490},
		{"@geojson(-1,-1,2,2)", point([4]float64{-1, -1, 2, 2}), 1},
		{"@geo_circle", circle(100, 10_000), 490},
		{"@geo_circle(0.5,2)", circle(0.5, 2), 490},
		{"@company", textLike(`[\w']+ (Inc|LLC|Group|and Sons)`), 300},
		{"@job_title", oneOf("job", "title"), 100},
		{"@ipv4", address(func(a netip.Addr) bool { return a.Is4() && a.As4()[0] >= 1 && a.As4()[0] <= 223 }), 490},
		{"@ipv6", address(func(a netip.Addr) bool { return a.Is6() && a.As16()[0]>>5 == 1 }), 490},
		{"@ipv6", textLike(hex4 + `(:` + hex4 + `){7}`), 490},
		{"@mac", textLike(`[0-9a-f][02468ace](:[0-9a-f]{2}){5}`), 490},
		{"@url", func(v any) bool {
			u, err := neturl.Parse(fmt.Sprint(v))
			return err == nil && u.Scheme == "https" && strings.HasPrefix(u.Host, "www.") && len(u.Path) > 1
		}, 490},
		{"@domain", textLike(wordPattern + `-` + wordPattern + `\.[a-z]{2,4}`), 490},
		{"@uuid", textLike(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`), 500},
		{"@word", textLike(wordPattern), 250},
		{"@words", textLike(wordPattern + `( ` + wordPattern + `){2}`), 490},
		{"@words(1)", textLike(wordPattern), 250},
		{"@words(7)", textLike(wordPattern + `( ` + wordPattern + `){6}`), 490},
		{"@sentence", textLike(`[A-Z][a-z]*( ` + wordPattern + `){5,11}\.`), 490},
		{"@lorem", textLike(`[a-z .]{100}`), 490},
		{"@lorem(1)", textLike(`[a-z]`), 10},
		{"@lorem(40)", textLike(`[a-z .]{40}`), 490},
		{"@product", textLike(`.+ .+ .+`), 490},
		{"@color", oneOf("color", "full"), 80},
		{"@credit_card", luhn, 490},
		{"@date", dated(time.DateOnly, "2000-01-01", "2029-12-31"), 400},
		{`@date("2024-02-28","2024-03-01")`, dated(time.DateOnly, "2024-02-28", "2024-03-01"), 3},
		{`@date("2024-02-28 12:00:00","2024-02-28T12:00:09","%Y-%m-%d %H:%M:%S")`, dated(time.DateTime, "2024-02-28 12:00:00", "2024-02-28 12:00:09"), 10},
		{`@date("1969-12-31","1970-01-01","%s")`, textLike(`-?\d+`), 400},
		{`@date("2020-01-01","2020-12-31","%a, %d %b %y %%")`, textLike(`(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} 20 %`), 200},
		{"@timestamp", within(946684800, 1893455999), 490},
		{"@timestamp(5,7)", within(5, 7), 3},
		{"@now", within(1700000000123, 1700000000123), 1},
		{"@int", within(0, math.MaxInt32), 490},
		{"@int(18,90)", within(18, 90), 60},
		{"@int(-3,-1)", within(-3, -1), 3},
		{"@int(5,5)", within(5, 5), 1},
		{"@int(-9223372036854775808,9223372036854775807)", within(math.MinInt64, math.MaxInt64), 490},
		{"@double", between(0, 1), 490},
		{"@double(-1.5,2)", between(-1.5, 2), 490},
		{"@key", within(0, 499), 500},
		{`@pick("a","b")`, textLike("a|b"), 2},
		{`@pick(1,2,3)`, within(1, 3), 3},
		{`@pick(1.5,2.5)`, between(1.5, 2.5), 2},
		{`@pick(true,false)`, func(v any) bool { _, ok := v.(bool); return ok }, 2},
		{`@pick("x")`, textLike("x"), 1},
		{`@pick("a":1,"b":9)`, textLike("a|b"), 2},
		{`@fmt("#{first_name}.#{int(1,9)}@x")`, textLike(`\S+\.[1-9]@x`), 300},
		{`@fmt("k#{key}/#{S3}/#{I1}/#{b}")`, textLike(`k\d+/[0-9a-z]{3}/\d{1,3}/(true|false)`), 500},
		{`@fmt("#{ @pick("a","b") }#{pick(\"c\",\"d\")}")`, textLike("[ab][cd]"), 4},
		{`@fmt("\x23{x} #{double(1,2)} #{geojson}")`, textLike(`#\{x\} 1[.\d]* \{"type":"Point".*\}`), 490},
		{`@fmt("constant\n")`, textLike(`constant\n`), 1},
		{`S{10..20}`, textLike(`[0-9a-z]{10,20}`), 490},
		{`S{exponential(4)}`, textLike(`[0-9a-z]{0,40}`), 300},
		{`B{normal(100,10)}`, func(v any) bool { b, ok := v.([]byte); return ok && len(b) >= 60 && len(b) <= 140 }, 490},
		{`S:5`, textLike(`[0-9a-z]{5}`), 490},
		{`B:5`, func(v any) bool { b, ok := v.([]byte); return ok && len(b) == 5 }, 490},
		{`R:10:30`, func(v any) bool {
			b, ok := v.([]byte)
			return ok && len(b) == 10 && !slices.ContainsFunc(b[3:], func(c byte) bool { return c != 0 })
		}, 490},
		{`[2..4*@word]`, func(v any) bool { l, ok := v.([]any); return ok && len(l) >= 2 && len(l) <= 4 }, 490},
		{`{3*@word:@int(1,2)}`, func(v any) bool { m, ok := v.(entries); return ok && len(m) == 3 }, 490},
	}
}

type generatorRow struct {
	spec  string
	check func(any) bool
	least int
}

// testNow is a clock that stands still.
func testNow() time.Time { return time.UnixMilli(1700000000123) }

// TestGenerators checks each generator's type, range and shape: as a bin, in a
// list, as a map's value and, where the type allows, as a map's key.
func TestGenerators(t *testing.T) {
	for _, tt := range generatorRows() {
		o := Options{Now: testNow}
		g := mustParse(t, tt.spec, o).NewGenerator(1)
		seen := map[string]bool{}
		for key := range uint64(500) {
			v := values(t, g, key)[0]
			seen[fmt.Sprint(v)] = true
			if !tt.check(v) {
				t.Errorf("%s made %#v for key %d", tt.spec, v, key)
				break
			}
		}
		if len(seen) < tt.least {
			t.Errorf("%s made %d different values of 500, want at least %d", tt.spec, len(seen), tt.least)
		}
		g = mustParse(t, "[I1,"+tt.spec+"],{1:"+tt.spec+"}", o).NewGenerator(1)
		for key := range uint64(20) {
			v := values(t, g, key)
			if list := v[0].([]any); !tt.check(list[1]) {
				t.Errorf("in a list %s made %#v", tt.spec, list[1])
			}
			if m := v[1].(entries); !tt.check(m[0].value) {
				t.Errorf("in a map %s made %#v", tt.spec, m[0].value)
			}
		}
		s, err := Parse("{"+tt.spec+":T}", o)
		kind := mustParse(t, tt.spec, o).bins[0].kind
		if allowed := kind == kindInt || kind == kindString || kind == kindBytes; allowed != (err == nil) {
			t.Errorf("%s as a map key: %v", tt.spec, err)
		}
		if err == nil {
			if m := values(t, s.NewGenerator(1), 3)[0].(entries); !tt.check(m[0].key) {
				t.Errorf("as a key %s made %#v", tt.spec, m[0].key)
			}
		}
	}
	tested := ""
	for _, tt := range generatorRows() {
		tested += tt.spec + " "
	}
	for _, name := range generatorNames() {
		if !regexp.MustCompile("@" + name + `\b`).MatchString(tested) {
			t.Errorf("no row has @%s", name)
		}
	}
}

// TestGeneratorsAllocateNothing covers generators, drawn sizes and maps of
// generated keys.
func TestGeneratorsAllocateNothing(t *testing.T) {
	specs := []string{customer, "{20*@word:I4,5*S4:b}", "a=I4,b?0.5=S10,c=[1..9*S{3..9}]"}
	for _, tt := range generatorRows() {
		specs = append(specs, tt.spec, "["+tt.spec+"]")
	}
	for _, spec := range specs {
		g := mustParse(t, spec, Options{Now: testNow}).NewGenerator(1)
		key := uint64(0)
		if allocs := testing.AllocsPerRun(200, func() { key++; g.Record(key, nil) }); allocs != 0 {
			t.Errorf("%s: %v allocations a record", spec, allocs)
		}
	}
}

// TestGeneratorsKeepTheirValues compares with the values of pinned_test.go.
func TestGeneratorsKeepTheirValues(t *testing.T) {
	rows := pinnedGenerators()
	for i := range rows {
		g := mustParse(t, rows[i].spec, Options{}).NewGenerator(42)
		bin := g.Record(7, nil)[0].Value.(*aerospike.RawBlobValue)
		if got := hex.EncodeToString(bin.Data); got != rows[i].want {
			t.Errorf("%s: got %s %q, want %s", rows[i].spec, got, bin.Data, rows[i].want)
		}
	}
}

// TestWordLists notices when another version of gofakeit changes a list. Records
// that were written with the old lists would then no longer read back: a change
// belongs into the release notes.
func TestWordLists(t *testing.T) {
	h := fnv.New64a()
	for _, name := range []string{"person/first", "person/last", "address/street_name", "address/city", "address/state", "address/state_abr",
		"address/country", "address/country_abr", "company/suffix", "job/title", "internet/domain_suffix", "lorem/word", "product/adjective",
		"product/material", "product/name", "color/full", "word/noun_common", "word/noun_concrete", "word/noun_abstract",
		"word/noun_countable", "word/adjective_descriptive", "word/verb_action"} {
		category, kind, _ := strings.Cut(name, "/")
		list := data.Data[category][kind]
		if len(list) == 0 {
			t.Errorf("the list %s is empty", name)
		}
		fmt.Fprintf(h, "%s %q\n", name, list)
	}
	if got := h.Sum64(); got != wordListsHash {
		t.Errorf("the hash of the lists is %#x, not %#x", got, uint64(wordListsHash))
	}
}

// TestPickWeights compares counts with the weights by their chi-squared
// statistic; see checkUniform.
func TestPickWeights(t *testing.T) {
	g := mustParse(t, `@pick("a":1,"b":9,"c":0.5,"d"),@int(1,7),x?0.3=I1`, Options{}).NewGenerator(1)
	const n = 100_000
	var counts [4]float64
	var ints [7]float64
	present := 0.0
	for key := range uint64(n) {
		bins := g.Record(key, nil)
		v, err := decodeBin(bins[0])
		if err != nil {
			t.Fatal(err)
		}
		counts[v.(string)[0]-'a']++
		v, _ = decodeBin(bins[1])
		ints[v.(int64)-1]++
		present += float64(len(bins) - 2)
	}
	chi2 := 0.0
	for i, w := range []float64{1, 9, 0.5, 1} {
		want := n * w / 11.5
		chi2 += (counts[i] - want) * (counts[i] - want) / want
	}
	if limit := 3 + 5*math.Sqrt(6); chi2 > limit {
		t.Errorf("counts %v: chi squared %.1f is over %.1f", counts, chi2, limit)
	}
	checkUniform(t, "int(1,7)", ints[:])
	if deviation := math.Sqrt(n * 0.3 * 0.7); math.Abs(present-n*0.3) > 5*deviation {
		t.Errorf("%v of %d records have the optional bin, want 30 %%", present, n)
	}
}

// TestSpreads compares drawn lengths with their distribution's mean and variance.
func TestSpreads(t *testing.T) {
	const n = 20_000
	for _, tt := range []struct {
		spec           string
		mean, variance float64
		low, high      int
	}{
		{"S{10..200}", 105, (191*191 - 1) / 12.0, 10, 200},
		{"B{normal(1400,200)}", 1400, 200 * 200, 600, 2200},
		{"B{normal(50,5.5)}", 50, 5.5*5.5 + 1/12.0, 28, 72},
		{"S{exponential(30)}", 30, 30 * 30, 0, 300},
		{"[0..9*T]", 4.5, 99 / 12.0, 0, 9},
		{"{2..6*I8:T}", 4, 2, 2, 6},
	} {
		g := mustParse(t, tt.spec, Options{}).NewGenerator(1)
		var sum, squares float64
		for key := range uint64(n) {
			v := values(t, g, key)[0]
			size := reflect.ValueOf(v).Len()
			if size < tt.low || size > tt.high {
				t.Fatalf("%s made a length of %d", tt.spec, size)
			}
			sum += float64(size)
			squares += float64(size * size)
		}
		mean := sum / n
		variance := squares/n - mean*mean
		// The cut-off tails of a normal distribution make up 0.1 % of its
		// variance, of an exponential one 0.3 %.
		if deviation := math.Sqrt(tt.variance / n); math.Abs(mean-tt.mean) > 5*deviation+tt.mean*0.001 {
			t.Errorf("%s: mean %.2f, want %.2f", tt.spec, mean, tt.mean)
		}
		if math.Abs(variance/tt.variance-1) > 0.05 {
			t.Errorf("%s: variance %.2f, want %.2f", tt.spec, variance, tt.variance)
		}
	}
}
