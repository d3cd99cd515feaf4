package objspec

import (
	"errors"
	"flag"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestConstants(t *testing.T) {
	tests := []struct {
		spec string
		want any
		why  string
	}{
		{`0`, int64(0), "digits without a star are no multiplier"},
		{`123`, int64(123), ""},
		{`007`, int64(7), "decimal in spite of the zeros, as strtol with base 10"},
		{`-10`, int64(-10), ""},
		{`+10`, int64(10), "strtol takes a plus"},
		{`9223372036854775807`, int64(math.MaxInt64), "the largest"},
		{`-9223372036854775808`, int64(math.MinInt64), "the smallest"},
		{`0x3ff`, int64(1023), ""},
		{`0X3FF`, int64(1023), "either case"},
		{`0xffffffffffffffff`, int64(-1), "64 bits as they are"},
		{`3.14`, 3.14, ""},
		{`3.14f`, 3.14, "a C suffix"},
		{`1.`, 1.0, "no digits after the dot"},
		{`1.f`, 1.0, "nor before the suffix"},
		{`.5`, 0.5, "none before the dot"},
		{`-.5`, -0.5, ""},
		{`+1.5`, 1.5, ""},
		{`1.5e3`, 1500.0, "exponent"},
		{`1.5E-3f`, 0.0015, "exponent with sign and suffix"},
		{`0x1.8`, 1.5, "strtod reads hex"},
		{`0x1.8f`, 1.0 + 0x8f/256.0, "in hex an f is a digit"},
		{`-0x1.8p1f`, -3.0, "but not after an exponent"},
		{`1.e-400`, 0.0, "too small for a double is zero"},
		{`true`, true, ""},
		{`TRUE`, true, "words in any case"},
		{`tRuE`, true, ""},
		{`T`, true, ""},
		{`false`, false, ""},
		{`False`, false, ""},
		{`F`, false, ""},
		{`""`, "", "the empty string"},
		{`"text"`, "text", ""},
		{`"a, b: [c]  {d}"`, "a, b: [c]  {d}", "syntax has no meaning in a string"},
		{`"grüße"`, "grüße", "UTF-8"},
		{`"\a\b\e\f\n\r\t\v\\\'\"\?"`, "\a\b\x1b\f\n\r\t\v\\'\"?", "all letter escapes"},
		{`"\x61\x4F\x4fff"`, "aOOff", "two hex digits, no more"},
		{`"\141\000\3777"`, "a\x00\xff7", "three octal digits, no more"},
		{`[]`, []any{}, "asbench has empty lists"},
		{`[ ]`, []any{}, ""},
		{`{}`, entries{}, "and empty maps"},
		{`{ }`, entries{}, ""},
		{`[2*7,"a",[T,-1],{1:{"k":2.5}}]`,
			[]any{int64(7), int64(7), "a", []any{true, int64(-1)}, entries{{int64(1), entries{{"k", 2.5}}}}}, "nesting"},
		{`{1:2.5}`, entries{{int64(1), 2.5}}, "asbench takes the value's dot for the key's"},
		{`{1*"a":1*F}`, entries{{"a", false}}, "the only multiplier a constant key and a value may have"},
		{`[ 2 * 1 , 3 ]`, []any{int64(1), int64(1), int64(3)}, "a blank wherever one may be"},
		{`{ 1 : 2 , 3 : 4 }`, entries{{int64(1), int64(2)}, {int64(3), int64(4)}}, "in a map too"},
		{`5 `, int64(5), "asbench takes a blank at the end"},
		{`5,`, int64(5), "and a comma"},
		{`[5,6,]`, []any{int64(5), int64(6)}, "in lists too"},
		{`S0`, "", "strings of no length"},
		{`B0`, []byte{}, "and bytes"},
		{`{S0:T,1:F}`, entries{{"", true}, {int64(1), false}}, "which may be map keys, as there is one of them"},
	}
	for _, tt := range tests {
		g := mustParse(t, tt.spec, Options{}).NewGenerator(1)
		if got := values(t, g, 1)[0]; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %#v, want %#v (%s)", tt.spec, got, tt.want, tt.why)
		}
	}
}

func TestBins(t *testing.T) {
	tests := []struct {
		spec, name string
		want       string
		why        string
	}{
		{"I", "", "testbin", "the default name"},
		{"I1, S2 ,[D] , b", "x", "x x_2 x_3 x_4", "one optional blank around commas"},
		{"2*I1,b,3*D", "", "testbin testbin_2 testbin_3 testbin_4 testbin_5 testbin_6", "a multiplier makes bins"},
		{"2 *I1,2* I1,2 * I1", "n", "n n_2 n_3 n_4 n_5 n_6", "one optional blank around *"},
		{"02*I", "n", "n n_2", "leading zeros"},
		{"I", "abcdefghijklmno", "abcdefghijklmno", "15 bytes"},
		{"9*I", "abcdefghijklm", "abcdefghijklm abcdefghijklm_2 abcdefghijklm_3 abcdefghijklm_4 abcdefghijklm_5 abcdefghijklm_6 abcdefghijklm_7 abcdefghijklm_8 abcdefghijklm_9", "15 bytes with the number"},
	}
	for _, tt := range tests {
		s := mustParse(t, tt.spec, Options{BinName: tt.name})
		if got := strings.Join(s.Bins(), " "); got != tt.want {
			t.Errorf("%q: bins %s, want %s (%s)", tt.spec, got, tt.want, tt.why)
		}
		if s.String() != tt.spec {
			t.Errorf("String() = %q, want %q", s.String(), tt.spec)
		}
	}
	s := mustParse(t, "32767*b", Options{})
	if n := len(s.Bins()); n != 32767 {
		t.Errorf("%d bins, want the server's limit", n)
	}
	s.Bins()[0] = "changed"
	if s.Bins()[0] != "testbin" {
		t.Error("Bins let a caller change the spec")
	}
}

// TestErrors gives each mistake's place, and a part of the message.
func TestErrors(t *testing.T) {
	deep := strings.Repeat("[", 100) + "I" + strings.Repeat("]", 100)
	mustParse(t, deep, Options{})
	tests := []struct {
		spec   string
		offset int
		msg    string
	}{
		{``, 0, "expected a bin, found the end of the spec"},
		{` I1`, 0, "expected a bin, found a blank"},
		{`I1,,I2`, 3, `expected a bin, found ","`},
		{`I1,  I2`, 4, "expected a bin, found a second blank"},
		{`I1  ,I2`, 3, `expected "," or the end of the spec, found a second blank`},
		{`I1 I2`, 3, `expected "," or the end of the spec, found "I2"`},
		{`I1;I2`, 2, `found ";"`},
		{"I1,\xff", 3, `found "\xff"`},
		{`nul`, 0, `found "nul"`},
		{`true1`, 0, `found "true1"`},
		{`t`, 0, `did you mean "T"?`},
		{`f`, 0, `did you mean "F"?`},
		{`d`, 0, `did you mean "D"?`},
		{`i8`, 0, `did you mean "I8"?`},
		{`s12`, 0, `did you mean "S12"?`},
		{`b12`, 1, `"b" takes no size, found "12"; did you mean "B12"?`},
		{`D8`, 1, `"D" takes no size, found "8"`},
		{`I0`, 1, `from 1 to 8 after "I", found "0"`},
		{`I9`, 1, `from 1 to 8 after "I", found "9"`},
		{`I10`, 1, `found "10"`},
		{`Ia`, 0, `found "Ia"`},
		{`I-1`, 1, `expected "," or the end of the spec, found "-"`},
		{`S`, 1, `expected a length after "S", found the end`},
		{`S,I1`, 1, `expected a length after "S", found ","`},
		{`S-1`, 1, `expected a length after "S", found "-"`},
		{`S1x`, 1, `expected a length after "S", found "1x"`},
		{`B99999999999999999999`, 1, "a length of 99999999999999999999 is over 8388608"},
		{`S8388609`, 1, "a length of 8388609 is over 8388608"},
		{`B` + strings.Repeat("9", 1000), 1, strings.Repeat("9", 32) + "… is over"},
		{`5*`, 2, "expected a bin, found the end"},
		{`[5*]`, 3, `expected a list element, found "]"`},
		{`0*I1`, 0, `expected a multiplier from 1 to 4294967295, found "0"`},
		{`[I,4294967296*I]`, 3, `expected a multiplier from 1 to 4294967295, found "4294967296"`},
		{`99999999999999999999*I`, 0, `expected a multiplier from 1`},
		{`-1*I`, 0, `"-1" can't be a multiplier`},
		{`1.5*I`, 0, `"1.5" can't be a multiplier`},
		{`2*3*I`, 2, `"3" can't be a multiplier; expected at most one`},
		{`2  *I`, 2, `found a second blank`},
		{`3I2`, 0, `expected a number, found "3I2"; did you mean "3*I2"?`},
		{`12abc`, 0, `expected a number, found "12abc"`},
		{`0f`, 0, `a double needs a "."`},
		{`1e5`, 0, `a double needs a "."`},
		{`0x`, 0, `expected a number, found "0x"`},
		{`0xg`, 0, `expected a number, found "0xg"`},
		{`-0x40`, 0, `expected a number, found "-0x40"; a hex integer has no sign`},
		{`0x10000000000000000`, 0, "0x10000000000000000 doesn't fit into 64 bits"},
		{`9223372036854775808`, 0, "9223372036854775808 doesn't fit into 64 bits"},
		{`-9223372036854775809`, 0, "doesn't fit into 64 bits"},
		{`1.0e999`, 0, "doesn't fit into 64 bits"},
		{`.`, 0, `expected a number, found "."`},
		{`-`, 0, `expected a number, found "-"`},
		{`1.2.3`, 0, `expected a number, found "1.2.3"`},
		{`1_0.5`, 0, `expected a number, found "1_0.5"`},
		{`0x1_0.5p1`, 0, `expected a number, found "0x1_0.5p1"`},
		{`I,"abc`, 2, "closing \" for the string that starts here"},
		{`"ab\`, 3, `a character after \`},
		{`"\q"`, 1, `unknown escape \q`},
		{`"\é"`, 1, `unknown escape \é`},
		{"\"\\\n\"", 1, "unknown escape \\\uFFFD"},
		{`"\400"`, 1, `three octal digits, 000 to 377, after \, found "400"`},
		{`"\18"`, 1, `three octal digits, 000 to 377, after \, found "18"`},
		{`"\9"`, 1, `three octal digits, 000 to 377, after \, found "9"`},
		{`"a\x0g"`, 2, `two hex digits after \x, found "0g"`},
		{`"\x4"`, 1, `two hex digits after \x, found "4"`},
		{`"\x4`, 1, `two hex digits after \x, found "4"`},
		{`[I2`, 3, `expected "," or "]", found the end`},
		{`{2*S0:T}`, 1, "the map needs 2 different S0 keys; there are only 1"},
		{`{1:2,}`, 5, "expected a map key"},
		{`[I2,`, 4, `expected a list element, found the end`},
		{`[I2}`, 3, `expected "," or "]", found "}"`},
		{`[  ]`, 2, `found a second blank`},
		{`I3]`, 2, `expected "," or the end of the spec, found "]"`},
		{`}`, 0, `expected a bin, found "}"`},
		{`{`, 1, `expected a map key, found the end`},
		{`{I1}`, 3, `expected ":" and a value after the map key, found "}"`},
		{`{I1:}`, 4, `expected a map value, found "}"`},
		{`{I1:b`, 5, `expected "," or "}", found the end`},
		{`{I1:b,}`, 6, `expected a map key, found "}"`},
		{`{I1:b:D}`, 5, `expected "," or "}", found ":"`},
		{`{D:I1}`, 1, "a map key can't be a double"},
		{`{3.14:I1}`, 1, "a map key can't be a double"},
		{`{b:I1}`, 1, "a map key can't be a boolean"},
		{`{I:b,true:I1}`, 5, "a map key can't be a boolean"},
		{`{[I1]:I1}`, 1, "a map key can't be a list"},
		{`{2*{1:1}:I1}`, 3, "a map key can't be a map"},
		{`{nul:I1}`, 1, `expected a map key (I, I1 to I8, S<n>, B<n>, an integer, a string or @generator), found "nul"`},
		{`{2*5:I1}`, 1, "a constant map key can't have a multiplier"},
		{`{I1:2*I1}`, 4, "a map value can't have a multiplier"},
		{`{1:b,0x1:b}`, 5, "the map has the key 0x1 already"},
		{`{"a":b,I:I,"\x61":b}`, 11, `the map has the key "\x61" already`},
		{`{"` + strings.Repeat("é", 20) + `":1,"` + strings.Repeat("é", 20) + `":1}`, 46, "the key \"" + strings.Repeat("é", 15) + "… already"},
		{`{300*I1:I1}`, 1, "the map needs 300 different I1 keys; there are only 256"},
		{`{65281*I2:b}`, 1, "the map needs 65281 different I2 keys; there are only 65280"},
		{`{40*S1:b}`, 1, "the map needs 40 different S1 keys; there are only 36"},
		{`{30*S1:b,I:I,7*S1:b}`, 13, "the map needs 37 different S1 keys"},
		{`{"k":1,36*S1:b}`, 7, "the map needs 37 different S1 keys"},
		{`{36*S1:b,"k":1}`, 9, "the map needs 37 different S1 keys"},
		{`{256*I1:b,0:1}`, 10, "the map needs 257 different I1 keys"},
		{`{257*B1:b}`, 1, "the map needs 257 different B1 keys; there are only 256"},
		{`[[8388605*1]]`, 1, "a record can hold 8388608 bytes; with this it takes 8388610"},
		{`[4294967295*[]]`, 1, "with this it takes 4294967295"},
		{`{4294967295*S20:I}`, 1, "a record can hold 8388608 bytes"},
		{`4294967295*""`, 0, "a record can have 32767 bins; this makes 4294967295"},
		{`32767*b,b`, 8, "a record can have 32767 bins; this makes 32768"},
		{`S8388608,b`, 9, "with this it takes 8388609"},
		{`3*S4194304`, 0, "with this it takes 12582912"},
		{`[S8388608]`, 1, "with this it takes 8388614"},
		{`b,[` + deep + `]`, 102, "nested over 100 deep"},
		{strings.Repeat("{1:", 1<<18), 300, "nested over 100 deep"},
		{`I1,"` + strings.Repeat("x", 1<<20), 1 << 20, "a spec can have 1048576 bytes; this has 1048580"},
		{`{a=I:b}`, 1, `expected a map key`},
	}
	for _, tt := range tests {
		_, err := Parse(tt.spec, Options{})
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.40q: got error %v, want an *Error with %q", tt.spec, err, tt.msg)
			continue
		}
		if e.Offset != tt.offset || !strings.Contains(e.Msg, tt.msg) || e.Spec != tt.spec {
			t.Errorf("%.40q: got byte %d: %s\nwant byte %d: %s", tt.spec, e.Offset, e.Msg, tt.offset, tt.msg)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, ratio := range []float64{-0.1, 1.01, math.NaN(), math.Inf(1)} {
		if _, err := Parse("I", Options{CompressionRatio: ratio}); err == nil {
			t.Errorf("compression ratio %v was accepted", ratio)
		}
	}
	tests := []struct {
		spec, name string
		offset     int
		why        string
	}{
		{"I", "abcdefghijklmnop", 0, "the name alone has 16 bytes"},
		{"b,b,I", "abcdefghijklmn", 2, "with _2 it has 16"},
		{"b,9*I", "abcdefghijklm", 2, "the tenth has 16"},
		{"b,b", "ééééééé", 2, "7 characters, 14 bytes"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.spec, Options{BinName: tt.name})
		var e *Error
		if !errors.As(err, &e) || e.Offset != tt.offset || !strings.Contains(e.Msg, "has 16 bytes; a name can have 15") {
			t.Errorf("bin name %q: got %v, want an error at byte %d (%s)", tt.name, err, tt.offset, tt.why)
		}
	}
	// Ratio 0.4 leaves B2 no random byte, and B5 two.
	for spec, want := range map[string]string{
		"{2*B2:b}":     "2 different B2 keys; there are only 1 (at the compression ratio, 0 of its bytes are random)",
		"{65537*B5:b}": "65537 different B5 keys; there are only 65536 (at the compression ratio, 2 of its bytes are random)",
	} {
		_, err := Parse(spec, Options{CompressionRatio: 0.4})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", spec, err, want)
		}
	}
}

// TestErrorText compares printed errors with testdata/errors.golden.
func TestErrorText(t *testing.T) {
	list := func(n int) string { return strings.Repeat("I4,", n) }
	specs := []string{
		"I4,S,B10",
		"",
		`"grüße",nul`,              // the column counts characters
		`"日本語",x=@cty`,             // of which these take two columns
		"\"e\u0301\",nul",          // and an accent that combines none
		"I1,\tI2",                  // a tab is a blank
		"I1,\aI2",                  // nothing unprintable
		list(40) + "X",             // cut on the left
		"X," + list(40) + "I4",     // cut on the right
		list(40) + "X," + list(40), // cut on both sides
		list(23) + "S,",            // 72 characters still fit
		list(24) + "S",             // and 73 don't
	}
	var out strings.Builder
	for _, spec := range specs {
		_, err := Parse(spec, Options{})
		if err == nil {
			t.Fatalf("%q was accepted", spec)
		}
		out.WriteString(err.Error() + "\n")
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 3 || utf8.RuneCountInString(lines[1]) > 2+72+2 || columns(lines[2]) > columns(lines[1])+1 {
			t.Errorf("%q: three lines expected, the second at most 76 characters with the caret below it:\n%v", spec, err)
		}
	}
	const golden = "testdata/errors.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
