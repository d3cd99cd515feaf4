package workload

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Workload
		why  string
	}{
		{"I", Workload{Insert, 0, 0, -1, -1}, "insert has no percentages"},
		{"DB", Workload{Delete, 0, 0, -1, -1}, "nor has delete"},
		{"RU", Workload{ReadUpdate, 50, 50, -1, -1}, "half reads by default"},
		{"RU,75", Workload{ReadUpdate, 75, 25, -1, -1}, "the rest writes"},
		{"RU,0", Workload{ReadUpdate, 0, 100, -1, -1}, "writes only"},
		{"RU,100", Workload{ReadUpdate, 100, 0, -1, -1}, "reads only"},
		{"RU,0.0001", Workload{ReadUpdate, 0.0001, 99.9999, -1, -1}, "fractions"},
		{"RU,80,60,30", Workload{ReadUpdate, 80, 20, 60, 30}, "bin shares"},
		{"RR,20,100", Workload{ReadReplace, 20, 80, 100, -1}, "only the read share given"},
		{"RUD", Workload{ReadUpdateDelete, 40, 40, -1, -1}, "a fifth deletes by default"},
		{"RUD,60,0", Workload{ReadUpdateDelete, 60, 0, -1, -1}, "reads and deletes, which crashes asbench"},
		{"RUD,60,40", Workload{ReadUpdateDelete, 60, 40, -1, -1}, "no deletes left"},
		{"RUD,50,40,10,20", Workload{ReadUpdateDelete, 50, 40, 10, 20}, "all four"},
		{"RUF", Workload{ReadUpdateUDF, 40, 40, -1, -1}, "a fifth calls the UDF by default"},
		{"RUF,20,40,1,2", Workload{ReadUpdateUDF, 20, 40, 1, 2}, "all four"},
		{"RUF,0,0", Workload{ReadUpdateUDF, 0, 0, -1, -1}, "UDF calls only"},
		{"RU,50%,100%,100%", Workload{ReadUpdate, 50, 50, 100, 100}, "as the header prints it"},
		{" RU , 50 ", Workload{ReadUpdate, 50, 50, -1, -1}, "blanks"},
	} {
		got, err := Parse(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: Parse(%q) = %+v, %v; want %+v", c.why, c.text, got, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want, why string }{
		{"", "the workload is empty", "nothing"},
		{"RX", `unknown workload "RX"`, "no such code"},
		{"ru", `did you mean "RU"?`, "another case"},
		{"I,50", `"I,50": I takes no percentages`, "insert takes none"},
		{"RU,1,2,3,4", "RU takes at most 3 percentages, not 4", "too many"},
		{"RU,101", `percentage 1: "101" is not a number from 0 to 100`, "above 100"},
		{"RU,-1", `"-1" is not a number`, "below 0"},
		{"RU,NaN", `"NaN" is not a number`, "a float that compares false"},
		{"RU,50,x", `percentage 2: "x" is not a number`, "not a number"},
		{"RU,", `percentage 1: "" is not a number`, "nothing after the comma"},
		{"RUD,70", "70 % reads and 40 % writes (the default) are more than 100 %", "a default that does not fit"},
		{"RUF,60,40", "leave nothing for UDF calls", "no UDF calls left"},
		{"RUD,60,50", "60 % reads and 50 % writes are more than 100 %", "more than everything"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Parse(%q) = %v, want an error with %q", c.why, c.text, err, c.want)
		}
		if errors.Is(err, ErrNotSupported) {
			t.Errorf("%s: Parse(%q) says not supported", c.why, c.text)
		}
	}
	for _, text := range []string{"C,50", "CI,50,10", "CK"} {
		if _, err := Parse(text); !errors.Is(err, ErrNotSupported) {
			t.Errorf("Parse(%q) = %v, want not supported", text, err)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		text         string
		reads, write bool
		want         string
	}{
		{"RU,80", false, false, "RU,80%,100%,100%"},
		{"RU,80", true, false, "RU,80%,0%,100%"},
		{"RU,80", false, true, "RU,80%,100%,0%"},
		{"RU,80,30", true, true, "RU,80%,30%,0%"},
		{"RUD,40,40,1,2", true, true, "RUD,40%,40%,1%,2%"},
		{"I", false, true, "I"},
	} {
		w, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Resolve(c.reads, c.write).String(); got != c.want {
			t.Errorf("Resolve(%q, %v, %v) = %s, want %s", c.text, c.reads, c.write, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"I", "RU,75", "RUD,50,40,100,10", "RR,0.5%", "C,1", "RU,1e2", "RU,0x1p3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse(text)
		if err != nil {
			return
		}
		if sum := w.Read + w.Write; sum < 0 || sum > 100.0000001 {
			t.Fatalf("Parse(%q) = %+v", text, w)
		}
		w = w.Resolve(false, false)
		if again, err := Parse(w.String()); err != nil || again.Resolve(false, false) != w {
			t.Fatalf("Parse(%q) = %+v, which prints as %s and reads back as %+v, %v", text, w, w, again, err)
		}
	})
}
