package objspec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// everyGenerator has each kind of generator, named and optional bins, and drawn
// sizes, in bins and in collections.
const everyGenerator = `id=@uuid,city?0.5=@city,n=@int(-5,70000),d=@double,k=@key,p=@pick("a":1,"bc":2.5),q=@pick(1,300),loc=@geojson,` +
	`f=@fmt("#{first_name}-#{key}-#{pick("x","y")}"),S{0..300},B{normal(30,9)},S:3,R:20:50,tags=2*@word,` +
	`[1..40*@word,@geojson,0..3*S{1..3},@geo_circle,@lorem(300)],` +
	`{3*@word:@city,2*@int(1,5):@date,"k":[2*@fmt("#{word}#{word}")],1..4*S{1..2}:b,7:@ipv4,3*B2:D},{20*@color:1},g?0.01=[@uuid]`

// TestNewForms checks what specs with names and several lines mean: the names of
// the bins, and the spec on one line.
func TestNewForms(t *testing.T) {
	tests := []struct{ spec, bins, line, why string }{
		{"tags=3*@word", "tags tags_2 tags_3", "tags=3*@word", ""},
		{"I4,name=S5,I4", "testbin name testbin_3", "I4,name=S5,I4", "a bin without a name is numbered by its place"},
		{"a = I4 , b ? 0.25 = 2*S5", "a b b_2", "a = I4 , b ? 0.25 = 2*S5", "blanks"},
		{"I4=S5,b=b,T=T,1=2", "I4 b T 1", "I4=S5,b=b,T=T,1=2", "forms are names before an ="},
		{"größe=I4,a-b.c$_1=I4", "größe a-b.c$_1", "größe=I4,a-b.c$_1=I4", "letters and marks"},
		{"abcdefghijklmno=I4", "abcdefghijklmno", "abcdefghijklmno=I4", "15 bytes"},
		{"a=I4\nb=S5", "a b", "a=I4,b=S5", "a line is a bin"},
		{"a=I4,\nb=S5,\n", "a b", "a=I4,b=S5,", "commas don't matter"},
		{"\n\n  # head\na=I4 # first\n\n\t# more\n  b=S5\r\n", "a b", "a=I4,b=S5", "comments and empty lines"},
		{"# one\nI4", "testbin", "I4", "a comment first"},
		{"I4 # the end", "testbin", "I4", "a comment last"},
		{"a=[\n  I4,  # x\n  S5\n]\nb={\n1 :\n2\n}", "a b", "a=[I4,S5],b={1 :2}", "within brackets a line break is a blank"},
		{`a="#x",b=@fmt("# #{word}")`, "a b", `a="#x",b=@fmt("# #{word}")`, "no comments in strings"},
		{"a=@int(\n1,\n2\n)", "a", "a=@int(1,2)", "within parentheses"},
	}
	for _, tt := range tests {
		s := mustParse(t, tt.spec, Options{})
		if got := strings.Join(s.Bins(), " "); got != tt.bins {
			t.Errorf("%q: bins %s, want %s (%s)", tt.spec, got, tt.bins, tt.why)
		}
		if got := s.String(); got != tt.line {
			t.Errorf("%q: as one line %q, want %q (%s)", tt.spec, got, tt.line, tt.why)
		}
		again := mustParse(t, s.String(), Options{})
		if got, want := values(t, again.NewGenerator(1), 1), values(t, s.NewGenerator(1), 1); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, but on one line %v", tt.spec, want, got)
		}
	}
}

// TestFormErrors gives the place of each mistake in the newer forms.
func TestFormErrors(t *testing.T) {
	tests := []struct {
		spec   string
		offset int
		msg    string
	}{
		{"a=I4,a=I5", 5, `the record has a bin "a" already`},
		{"testbin_2=I4,I4", 13, `the record has a bin "testbin_2" already`},
		{"a_2=I4,a=2*I4", 7, `the record has a bin "a_2" already`},
		{"abcdefghijklmnop=I4", 0, `bin name "abcdefghijklmnop" has 16 bytes; a name can have 15`},
		{"abcdefghijklmn=2*I4", 0, `bin name "abcdefghijklmn_2" has 16 bytes`},
		{"=I4", 0, `expected a bin, found "="`},
		{"a=", 2, "expected a bin, found the end of the spec"},
		{"a=b=c", 3, `expected "," or the end of the spec, found "="`},
		{"a?=I4", 2, `expected the share of records that have the bin, a number above 0 and below 1 such as 0.3, found "="`},
		{"a?30=I4", 2, `found "30"; did you mean "0.3"?`},
		{"a?30%=I4", 2, `found "30%"; did you mean "0.3"?`},
		{"a?1=I4,b=I4", 2, `found "1"; did you mean "0.01"?`},
		{"a?0=I4", 2, `found "0"`},
		{"a?NaN=I4", 2, `found "NaN"`},
		{"a?0.5,b=I4", 5, `expected "=" and a value after the bin's name, found ","`},
		{"a?0.5=I4,b?0.5=I4", 0, "all bins are optional, so a record might have none"},
		{"2..3*I4", 0, "the number of a record's bins can't be drawn"},
		{"@", 1, "expected the name of a generator after @, found the end of the spec"},
		{"@City", 1, `unknown generator "City"; did you mean "city"?`},
		{"I4,x=@adress", 6, `unknown generator "adress"; they are city, color,`},
		{"city", 0, `found "city"; did you mean "@city"?`},
		{"@file:x", 0, "a spec that is in a file is given as @file:PATH and nothing else"},
		{"@city(1)", 6, "city has at most 0 arguments"},
		{"@int(1,2,3)", 9, "int has at most 2 arguments; it is int(from,to)"},
		{"@int(2,1)", 7, "int goes up: 1 is less than 2"},
		{"@int(3000000000)", 5, "int goes up: 3000000000 needs an end behind it, which is 2147483647 when left out"},
		{"@double(1.5)", 8, "double goes up: 1.5 needs an end behind it, which is 1 when left out"},
		{"@timestamp(1900000000)", 11, "1900000000 needs an end behind it, which is 1893455999 when left out"},
		{`@date("2035-01-01")`, 6, `"2035-01-01" needs an end behind it, which is "2029-12-31" when left out`},
		{"@geo_circle(20000)", 12, "the radii go up: 20000 needs an end behind it, which is 10000 when left out"},
		{"@geo_circle(2,1)", 14, "the radii go up: 1 is less than 2"},
		{"@geojson(0,1,5,4)", 15, "the longitudes go up: 4 is less than 5"},
		{"\u00a0b=I4", 0, `expected a bin, found "\u00a0"`}, // a blank that does not break
		{"a\u200b=I4", 0, `found "a"`},                      // of no width
		{"\ufeffa=I4", 0, `expected a bin, found "\ufeff"`}, // a byte order mark
		{"a\xff=I4", 0, `found "a"`},                        // no UTF-8
		{"@int(1.5)", 5, "expected an integer for from, found 1.5; it is int(from,to)"},
		{`@int("a")`, 5, `expected an integer for from, found "a"`},
		{"@int(1", 4, `expected a closing ")" for the one here`},
		{"@int(", 4, `expected a closing ")" for the one here`},
		{"@int(1,)", 7, `expected a value after ","`},
		{"@int(,1)", 5, `expected a number, a "string", true or false, found ","`},
		{"@int(1 2)", 7, `expected "," or ")", found "2"`},
		{"@int(1:2)", 5, "only pick takes weights"},
		{"@double(2,1)", 10, "double goes up: 1 is less than 2"},
		{"@double(-1.0e308,1.0e308)", 8, "too wide for a double"},
		{"@words(0)", 7, "expected a number from 1 to 100000 for n, found 0"},
		{"@lorem(9000000)", 7, "expected a number from 1 to 8388608 for characters"},
		{"@geojson(0,91)", 11, "expected a number from -90 to 90 for latmax, found 91"},
		{"@geojson(5,4)", 11, "the latitudes go up: 4 is less than 5"},
		{"@geo_circle(0)", 12, "expected a number from 0.01"},
		{"@timestamp(5,4)", 13, "timestamp goes up"},
		{`@date("x")`, 6, `expected a date such as "2024-12-31" or "2024-12-31 23:59:59", found "x"`},
		{`@date("2024-01-02","2024-01-01")`, 19, "the dates go up"},
		{`@date("2024-01-02","2024-01-03","%Q")`, 32, `"%Q" is no strftime format`},
		{"@date(\"2024-01-02\",\"2024-01-03\",\"%\n\")", 32, "'%\ufffd' was not found"}, // on one line
		{"@pick", 1, "pick needs the values to choose from"},
		{`@pick("a",1)`, 10, "the values of pick have one type; the first is a string, this is an integer"},
		{`@pick("a":0)`, 10, `expected a weight, a number above 0 and at most 1e15, found "0"`},
		{`@pick("a":x)`, 10, `expected a weight`},
		{`@pick([1])`, 6, `expected a number, a "string", true or false, found "["`},
		{"@fmt", 4, `expected ("…") after fmt`},
		{"@fmt(1)", 5, `expected a text in quotes, found "1"`},
		{`@fmt("a`, 5, `expected a closing "`},
		{`@fmt("a",1)`, 8, `expected ")" after the text of fmt, found ","`},
		{`@fmt("a#{`, 7, `expected a generator and "}"`},
		{`@fmt("a#{}")`, 9, `expected a generator, found "}"`},
		{`@fmt("a#{citi}")`, 9, `unknown generator "citi"; did you mean "city"?`},
		{`@fmt("a#{city")`, 13, `expected "}" after the generator, found "\""`},
		{`@fmt("a#{fmt("x")}")`, 9, "fmt can't be within another fmt"},
		{`@fmt("#{B4}")`, 8, "a text can't hold bytes"},
		{`@fmt("#{Smith}")`, 9, `expected a length after "S"`},
		{"S{", 2, "expected a range such as 10..200"},
		{"S{5}", 2, "expected a range such as 10..200"},
		{"S{5..}", 5, `expected a number after "..", found "}"`},
		{"S{9..5}", 5, "a range goes up: 5 is less than 9"},
		{"S{1..9", 6, `expected "}" after the distribution, found the end of the spec`},
		{"S{1..9999999}", 5, "9999999 is over 8388608"},
		{"B{normall(5,1)}", 2, `found "normall"; did you mean "normal"?`},
		{"B{normal(5)}", 2, "normal takes 2 numbers, found 1"},
		{"B{normal(-5,1)}", 9, "expected a number from 0 to 8388608, found -5"},
		{"B{normal(8000000,200000)}", 1, "this can make a length of 8800000"},
		{"[0..0*I4]", 1, "a multiplier that is always 0 makes nothing"},
		{"[1..9000000*I4]", 4, "9000000 is over 8388608"},
		{"[1..8000000*I4]", 1, "with this it takes 40000000"},
		{"S:", 2, `expected a length after "S", found the end of the spec`},
		{"S:x", 2, `expected a length after "S", found "x"`},
		{"R", 1, `expected ":", a size, ":" and a percentage after "R"`},
		{"R:10", 4, `expected ":" and the percentage`},
		{"R:10:101", 5, `expected a percentage from 0 to 100, found "101"`},
		{"{@double:1}", 1, "a map key can't be a double"},
		{"{@geojson:1}", 1, "a map key can't be GeoJSON"},
		{"{@pick(true,false):1}", 1, "a map key can't be a boolean"},
		{"{60*@state:1}", 1, "the map needs 60 different keys of this generator; there are only 50"},
		{"{6*@int(1,5):1}", 1, "the map needs 6 different keys of this generator; there are only 5"},
		{`{3*@pick("a","b"):1}`, 1, "the map needs 3 different keys of this generator; there are only 2"},
		{`{2*@pick("a","b"):1,"a":2}`, 1, "the map needs 3 different keys, of which this can make any; it can make only 2"},
		{"{2*@key:1}", 1, "it is sure to make only 0"},
		{`{2*@fmt("x#{pick("a","a","a","b")}"):1}`, 1, "it is sure to make only 0"},
		{`{2*@fmt("x#{pick("a","b","c","d")}"):1}`, 0, ""},
		{"{20*S{1..2}:1}", 0, ""},
		{"{37*S{1..2}:1}", 1, "the map needs 37 different keys, of which this can make any; it is sure to make only 36"},
		{"{300*I1:1,2*@int(0,9):1}", 1, "the map needs 300 different I1 keys; there are only 256"},
		{"{9*@int(0,9):1,256*I1:1}", 1, "the map needs 265 different keys, of which this can make any; it can make only 10"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.spec, Options{})
		if tt.msg == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.spec, err)
			}
			continue
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got error %v, want %q", tt.spec, err, tt.msg)
			continue
		}
		if e.Offset != tt.offset || !strings.Contains(e.Msg, tt.msg) {
			t.Errorf("%s: got byte %d: %s\nwant byte %d: %s", tt.spec, e.Offset, e.Msg, tt.offset, tt.msg)
		}
	}
}

// TestErrorsShowTheirLine checks errors of specs of several lines.
func TestErrorsShowTheirLine(t *testing.T) {
	for spec, want := range map[string]string{
		"a=I4\nb=X1\nc=I4":   "object spec, line 2: expected a bin (" + formsFor(roleBin) + "), found \"X1\"\n  b=X1\n    ^",
		"a=I4\n\nb=":         "object spec, line 3: expected a bin, found the end of the spec\n  b=\n    ^",
		"b=S\n":              "object spec: expected a length after \"S\", found \"\\n\"\n  b=S\n     ^",
		"a=I4\r\n\tb=X1\r\n": "object spec, line 2: expected a bin (" + formsFor(roleBin) + "), found \"X1\"\n   b=X1\n     ^",
		"a=I4\r\nb=S\r\n":    "object spec, line 2: expected a length after \"S\", found \"\\r\"\n  b=S\n     ^",
	} {
		if _, err := Parse(spec, Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: got\n%v\nwant\n%s", spec, err, want)
		}
	}
}

// TestGeneratedKeysDiffer relies on the decoder, which refuses equal keys.
func TestGeneratedKeysDiffer(t *testing.T) {
	for _, tt := range []struct {
		spec      string
		low, high int
		why       string
	}{
		{"{50*@state:1}", 50, 50, "all there are"},
		{"{1000*@int(1,1000):1}", 1000, 1000, "all there are"},
		{`{3*@pick("a":1,"b":1000,"c":1):1}`, 3, 3, "weights don't count"},
		{`{3*@pick(1,300,-7):1}`, 3, 3, "integers"},
		{`{"Ohio":1,49*@state:1}`, 50, 50, "a constant that the generator can make"},
		{`{50*@state:1,"nowhere":1}`, 51, 51, "and one that it can't"},
		{"{5*@int(0,9):1,4*@int(5,14):1,I1:1}", 10, 10, "ranges that overlap"},
		{"{200*@first_name:1,100*@last_name:1,50*S5:1}", 350, 350, "some names are in both lists"},
		{"{160*S{1..9}:1}", 160, 160, "lengths that are drawn"},
		{`{100*@fmt("#{first_name}"):1}`, 100, 100, "draws"},
		{"{100*@uuid:1,3*@email:b}", 103, 103, ""},
		{"{0..20*@word:1}", 0, 20, "how many is drawn"},
		{"{20*R:1:100:1,20*B1:1}", 40, 40, "two forms of bytes"},
		{"{5*@int(1,5):{5*@int(1,5):1}}", 5, 5, "nested"},
	} {
		s, err := Parse(tt.spec, Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.spec, err)
			continue
		}
		g := s.NewGenerator(1)
		for key := range uint64(30) {
			if n := len(values(t, g, key)[0].(entries)); n < tt.low || n > tt.high {
				t.Errorf("%s: %d entries, want %d to %d (%s)", tt.spec, n, tt.low, tt.high, tt.why)
			}
		}
	}
}

// TestOptionalBins checks that a record has the same bins whole and in part.
func TestOptionalBins(t *testing.T) {
	s := mustParse(t, "a?0.5=I4,b=I4,c?0.3=2*S5,d?0.9=7", Options{})
	g := s.NewGenerator(1)
	counts := map[string]int{}
	for key := range uint64(1000) {
		whole := clone(g.Record(key, nil))
		for name := range whole {
			counts[name]++
		}
		part := clone(g.Record(key, []int{0, 2, 4}))
		for i, name := range s.Bins() {
			if got, want := part[name], whole[name]; i%2 == 0 && got != want || i%2 == 1 && got != "" {
				t.Fatalf("key %d, bin %s: %q in part, %q in the whole record", key, name, got, want)
			}
		}
		if args := g.Args(key); len(args) != len(s.Bins()) {
			t.Fatalf("%d arguments", len(args))
		} else if missing := args[0].GetObject() == nil; missing != (whole["a"] == "") {
			t.Fatalf("argument 1 is %v, the bin %q", args[0], whole["a"])
		}
	}
	if counts["b"] != 1000 || counts["a"] < 400 || counts["a"] > 600 || counts["c_2"] < 200 || counts["c_2"] > 400 || counts["d"] < 800 {
		t.Errorf("of 1000 records have the bins %v", counts)
	}
	for _, tt := range []struct {
		sel  []int
		want bool
	}{{nil, true}, {[]int{0, 1}, true}, {[]int{0, 2}, false}} {
		if got := s.Always(tt.sel); got != tt.want {
			t.Errorf("Always(%v) = %t", tt.sel, got)
		}
	}
	if len(g.All()) != len(s.Bins()) {
		t.Errorf("All returns %d bins", len(g.All()))
	}
}

// TestSharedSpec makes records of one spec in several goroutines at once.
func TestSharedSpec(t *testing.T) {
	s := mustParse(t, everyGenerator, Options{})
	want := make([]map[string]string, 50)
	g := s.NewGenerator(2)
	for key := range want {
		want[key] = clone(g.Record(uint64(key), nil))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			g := s.NewGenerator(2)
			for key := range want {
				if got := clone(g.Record(uint64(key), nil)); !reflect.DeepEqual(got, want[key]) {
					t.Errorf("key %d differs", key)
				}
			}
		})
	}
	wg.Wait()
}

// TestProperties checks what other packages ask of a spec.
func TestProperties(t *testing.T) {
	s := mustParse(t, `I4,@now,[1,{2:@fmt("#{now}")}],@uuid`, Options{})
	for i, want := range []bool{true, false, false, true} {
		if got := s.Repeatable(i); got != want {
			t.Errorf("Repeatable(%d) = %t", i, got)
		}
	}
	if !s.Varies() || mustParse(t, everyForm, Options{}).Varies() {
		t.Error("Varies is wrong")
	}
}

// TestValue compares the exported decoder with the tests' own.
func TestValue(t *testing.T) {
	for _, spec := range []string{everyForm, everyGenerator} {
		g := mustParse(t, spec, Options{}).NewGenerator(3)
		for key := range uint64(50) {
			for _, bin := range g.Record(key, nil) {
				want, err := decodeBin(bin)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Value(bin)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s: got %v, %v, want %v", bin.Name, got, err, want)
				}
			}
		}
	}
}

func TestShownValues(t *testing.T) {
	v := []any{int64(-5), 1.5, true, "a\"b\n", []byte{1, 0xff}, GeoJSON(`{"type":"Point"}`), []Entry{{int64(1), "x"}, {"k", []any{}}, {[]byte{2}, false}}}
	if got, want := string(AppendJSON(nil, v)), `[-5,1.5,true,"a\"b\n","01ff",{"type":"Point"},{"1":"x","k":[],"02":false}]`; got != want {
		t.Errorf("as JSON %s, want %s", got, want)
	}
	if got, want := string(AppendSpec(nil, v)), `[-5,1.5,true,"a\"b\n",0x01ff,{"type":"Point"},{1:"x","k":[],0x02:false}]`; got != want {
		t.Errorf("as a spec %s, want %s", got, want)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.txt")
	for name, text := range map[string]string{"s.txt": "a=I4\nb=S5\n", "marked.txt": "\xef\xbb\xbfa=I4\r\nb=S5\r\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ text, dir, want string }{
		{"@file:s.txt", dir, ""},
		{"@file:" + path, "elsewhere", ""},
		{" @file:s.txt\n", dir, ""},
		{"@file:marked.txt", dir, ""}, // a byte order mark is no part of the first bin's name
		{"@file:s.txt", "elsewhere", "no such file"},
		{"@file:", dir, "expected the path of a file"},
		{"@file:.", dir, "is a directory"},
	} {
		s, err := Load(tt.text, tt.dir, Options{})
		switch {
		case tt.want == "" && (err != nil || s.String() != "a=I4,b=S5"):
			t.Errorf("%s in %s: %v, %v", tt.text, tt.dir, s, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s in %s: got error %v, want %s", tt.text, tt.dir, err, tt.want)
		}
	}
}

// TestDocumentation holds docs/object-spec.md to its tables: it names every
// generator, and the strftime verbs that it names are known.
func TestDocumentation(t *testing.T) {
	data, err := os.ReadFile("../docs/object-spec.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for _, name := range generatorNames() {
		if !strings.Contains(doc, "`"+name+"`") && !strings.Contains(doc, "`"+name+"(") {
			t.Errorf("there is nothing about %s", name)
		}
	}
	_, after, _ := strings.Cut(doc, "strftime knows `")
	verbs, _, _ := strings.Cut(after, "`")
	if n := len(strings.Fields(verbs)); n < 30 {
		t.Fatalf("%d verbs", n)
	}
	for _, verb := range strings.Fields(verbs) {
		if _, err := Parse(`@date("2020-01-01","2020-01-02","`+verb+`")`, Options{}); err != nil {
			t.Error(err)
		}
	}
}
