package workload

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Workload
		why  string
	}{
		{"I", Workload{Kind: Insert, Read: 0, Write: 0, ReadAll: -1, WriteAll: -1, Share: 100}, "insert has no percentages"},
		{"DB", Workload{Kind: Delete, Read: 0, Write: 0, ReadAll: -1, WriteAll: -1, Share: 100}, "nor has delete"},
		{"RU", Workload{Kind: ReadUpdate, Read: 50, Write: 50, ReadAll: -1, WriteAll: -1, Share: 100}, "half reads by default"},
		{"RU,75", Workload{Kind: ReadUpdate, Read: 75, Write: 25, ReadAll: -1, WriteAll: -1, Share: 100}, "the rest writes"},
		{"RU,0", Workload{Kind: ReadUpdate, Read: 0, Write: 100, ReadAll: -1, WriteAll: -1, Share: 100}, "writes only"},
		{"RU,100", Workload{Kind: ReadUpdate, Read: 100, Write: 0, ReadAll: -1, WriteAll: -1, Share: 100}, "reads only"},
		{"RU,0.0001", Workload{Kind: ReadUpdate, Read: 0.0001, Write: 99.9999, ReadAll: -1, WriteAll: -1, Share: 100}, "fractions"},
		{"RU,80,60,30", Workload{Kind: ReadUpdate, Read: 80, Write: 20, ReadAll: 60, WriteAll: 30, Share: 100}, "bin shares"},
		{"RR,20,100", Workload{Kind: ReadReplace, Read: 20, Write: 80, ReadAll: 100, WriteAll: -1, Share: 100}, "only the read share given"},
		{"RUD", Workload{Kind: ReadUpdateDelete, Read: 40, Write: 40, ReadAll: -1, WriteAll: -1, Share: 100}, "a fifth deletes by default"},
		{"RUD,60,0", Workload{Kind: ReadUpdateDelete, Read: 60, Write: 0, ReadAll: -1, WriteAll: -1, Share: 100}, "reads and deletes, which crashes asbench"},
		{"RUD,60,40", Workload{Kind: ReadUpdateDelete, Read: 60, Write: 40, ReadAll: -1, WriteAll: -1, Share: 100}, "no deletes left"},
		{"RUD,50,40,10,20", Workload{Kind: ReadUpdateDelete, Read: 50, Write: 40, ReadAll: 10, WriteAll: 20, Share: 100}, "all four"},
		{"RUF", Workload{Kind: ReadUpdateUDF, Read: 40, Write: 40, ReadAll: -1, WriteAll: -1, Share: 100}, "a fifth calls the UDF by default"},
		{"RUF,20,40,1,2", Workload{Kind: ReadUpdateUDF, Read: 20, Write: 40, ReadAll: 1, WriteAll: 2, Share: 100}, "all four"},
		{"RUF,0,0", Workload{Kind: ReadUpdateUDF, Read: 0, Write: 0, ReadAll: -1, WriteAll: -1, Share: 100}, "UDF calls only"},
		{"RU,50%,100%,100%", Workload{Kind: ReadUpdate, Read: 50, Write: 50, ReadAll: 100, WriteAll: 100, Share: 100}, "as the header prints it"},
		{"RU:80", Workload{Kind: ReadUpdate, Read: 80, Write: 20, ReadAll: -1, WriteAll: -1, Share: 100}, "as the Go tool writes it"},
		{"RU:80,60", Workload{Kind: ReadUpdate, Read: 80, Write: 20, ReadAll: 60, WriteAll: -1, Share: 100}, "with more behind it"},
		{"I:60", Workload{Kind: Insert, ReadAll: -1, WriteAll: -1, Share: 60}, "part of the range"},
		{"I:0.5%", Workload{Kind: Insert, ReadAll: -1, WriteAll: -1, Share: 0.5}, "a fraction of it"},
		{"RMU", Workload{Kind: ReadThenUpdate, ReadAll: -1, WriteAll: -1, Share: 100}, "read, then update"},
		{"RMI", Workload{Kind: ReadThenIncrement, ReadAll: -1, WriteAll: -1, Share: 100}, "read, then add"},
		{"RMD", Workload{Kind: ReadThenDecrement, ReadAll: -1, WriteAll: -1, Share: 100}, "read, then subtract"},
		{"TXN,r:10,w:2,v:20%", Workload{Kind: Business, ReadAll: -1, WriteAll: -1, Share: 100,
			Pattern: &Pattern{reads: 10, writes: 2, variance: 20, relative: true, text: "r:10,w:2,v:20%"}}, "numbers of reads and writes"},
		{"TXN,t:r2B3uP", Workload{Kind: Business, ReadAll: -1, WriteAll: -1, Share: 100, Pattern: &Pattern{text: "t:r2B3uP", items: []patternItem{
			{ReadBins, false, 1, 1}, {ReadBins, true, 2, 1}, {UpdateBins, false, 1, 3}, {ReplaceRecord, true, 1, 1}}}}, "a fixed sequence"},
		{"C", Workload{Kind: Collections, Read: 50, Write: 50, ReadAll: -1, WriteAll: -1, Share: 100}, "half reads by default"},
		{"CI,70,100", Workload{Kind: Counters, Read: 70, Write: 30, ReadAll: -1, WriteAll: -1, Share: 100, Cap: 100}, "a cap"},
		{"CK,0.5,100,10", Workload{Kind: Lookups, Read: 0.5, Write: 99.5, ReadAll: -1, WriteAll: -1, Share: 100, Cap: 100, Window: 10}, "a cap and a window"},
		{" RU , 50 ", Workload{Kind: ReadUpdate, Read: 50, Write: 50, ReadAll: -1, WriteAll: -1, Share: 100}, "blanks"},
	} {
		got, err := Parse(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
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
		{"I:0", "0 % of the keys are none", "an empty part"},
		{"I:101", `percentage 1: "101" is not a number`, "more than the range"},
		{"I:60,5", "I takes at most 1 percentages, not 2", "two for an insert"},
		{"DB:5", "DB takes no percentages", "a colon where nothing may follow"},
		{"RMU,50", "RMU takes no percentages", "RMU always does both"},
		{"TXN", "a transaction without commands", "nothing in it"},
		{"TXN:5", "TXN takes no percentages", "a percentage for a transaction"},
		{"TXN,r:0,w:0", "a transaction without commands", "only zeros"},
		{"TXN,r:-1", `"r:-1": "-1" is not a number of commands`, "below 0"},
		{"TXN,r:1,r:2", `"r:2": r: is given twice`, "twice the same part"},
		{"TXN,x:1", `"x:1": expected r:READS, w:WRITES, v:VARIANCE or t:PATTERN`, "no such part"},
		{"TXN,r:1,v:200%", `"200%" is not a variance`, "more than everything"},
		{"TXN,r:1,w:1,v:1", "the variance leaves transactions without any command", "sometimes nothing"},
		{"TXN,r:60000,w:60000", "a transaction of up to 120000 commands is more than 100000", "far too much"},
		{"TXN,t:", "the pattern is empty", "no sequence"},
		{"TXN,t:rx", "'x' at position 2 is no command: expected one of rbupiwRBUPW", "no such letter"},
		{"TXN,t:r5", "the count 5 at the end has no command", "a number without a letter"},
		{"TXN,t:r0u", `"0" at position 2 is not a count`, "nothing of it"},
		{"TXN,t:999999999999r", `"999999999999" at position 1 is not a count`, "beyond an int32"},
		{"C,50,-1", `cap: "-1" is not a number of elements from 0 to 1000000`, "a cap below 0"},
		{"CI,50,1,1.5", `window: "1.5" is not a number of elements`, "a fraction of an element"},
		{"CK,50,1,1,1", "expected a percentage of reads, a cap and a window", "more than there is"},
		{"C,x,5", `percentage 1: "x" is not a number`, "no percentage"},
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
		{"I:25", false, false, "I:25"},
		{"TXN,r:5", true, false, "TXN,r:5"},
		{"RMU", true, true, "RMU"},
		{"CK,80,9", false, false, "CK,80%,9,0"},
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
	for _, s := range []string{"I", "RU,75", "RUD,50,40,100,10", "RR,0.5%", "C,1", "RU,1e2", "RU,0x1p3", "I:60", "RU:80,1", "TXN,r:1000,w:200,v:20%", "TXN,t:rwrrriu20r", "RMD", "CI,50,10,5"} {
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
		if again, err := Parse(w.String()); err != nil || !reflect.DeepEqual(again.Resolve(false, false), w) {
			t.Fatalf("Parse(%q) = %+v, which prints as %s and reads back as %+v, %v", text, w, w, again, err)
		}
	})
}
