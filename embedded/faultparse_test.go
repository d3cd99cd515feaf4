package embedded_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
)

func TestParseFault(t *testing.T) {
	digest := strings.Repeat("0f", 20)
	raw, _ := hex.DecodeString(digest)
	for _, tc := range []struct {
		text string
		want embedded.Fault
	}{
		{"write delay=50ms p=0.01", embedded.Fault{On: embedded.FaultWrite, Delay: 50 * time.Millisecond, Probability: 0.01}},
		{"read delay=1ms..2s", embedded.Fault{On: embedded.FaultRead, Delay: time.Millisecond, DelayMax: 2 * time.Second, Probability: 1}},
		{"read delay=0s..1ms", embedded.Fault{On: embedded.FaultRead, DelayMax: time.Millisecond, Probability: 1}},
		{"  any\tcode=9  n=3 skip=2 ", embedded.Fault{Action: embedded.FaultCode, Code: 9, Count: 3, Skip: 2, Probability: 1, On: embedded.FaultAny}},
		{"batch code=key-busy", embedded.Fault{On: embedded.FaultBatch, Action: embedded.FaultCode, Code: 14, Probability: 1}},
		{"row code=9 p=0.5", embedded.Fault{On: embedded.FaultRow, Action: embedded.FaultCode, Code: 9, Probability: 0.5}},
		{"delete drop after", embedded.Fault{On: embedded.FaultDelete, Action: embedded.FaultDrop, After: true, Probability: 1}},
		{"scan close delay=1s", embedded.Fault{On: embedded.FaultScan, Action: embedded.FaultClose, Delay: time.Second, Probability: 1}},
		{"operate reset per=connection p=.5", embedded.Fault{On: embedded.FaultOperate, Action: embedded.FaultReset, PerConnection: true, Probability: 0.5}},
		{"query truncate", embedded.Fault{On: embedded.FaultQuery, Action: embedded.FaultTruncate, Bytes: -1, Probability: 1}},
		{"info truncate=0 node=2", embedded.Fault{On: embedded.FaultInfo, Action: embedded.FaultTruncate, Node: 2, Probability: 1}},
		{"udf garbage", embedded.Fault{On: embedded.FaultUDF, Action: embedded.FaultGarbage, Probability: 1}},
		{"login garbage=body", embedded.Fault{On: embedded.FaultLogin, Action: embedded.FaultGarbageBody, Probability: 1}},
		{`read ns=test set="my set" key=17 drop`, embedded.Fault{On: embedded.FaultRead, Namespace: "test", Set: "my set", Key: int64(17), Action: embedded.FaultDrop, Probability: 1}},
		{`read key="17" drop`, embedded.Fault{On: embedded.FaultRead, Key: "17", Action: embedded.FaultDrop, Probability: 1}},
		{`read key=user-1 drop`, embedded.Fault{On: embedded.FaultRead, Key: "user-1", Action: embedded.FaultDrop, Probability: 1}},
		{`read set=a=b drop`, embedded.Fault{On: embedded.FaultRead, Set: "a=b", Action: embedded.FaultDrop, Probability: 1}},
		{"read digest=" + digest + " drop", embedded.Fault{On: embedded.FaultRead, Digest: embedded.Digest(raw), Action: embedded.FaultDrop, Probability: 1}},
	} {
		got, err := embedded.ParseFault(tc.text)
		if err != nil || got != tc.want {
			t.Errorf("%q:\ngot  %+v, %v\nwant %+v", tc.text, got, err, tc.want)
		}
		again, err := embedded.ParseFault(got.String())
		if err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %+v, %v", tc.text, got, again, err)
		}
	}
}

func TestParseFaultErrors(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"", `fault "": it is empty`},
		{"wrte drop", `column 1: "wrte" is no kind of command, want any, read, `},
		{"p=1 drop", `column 1: "p=1" is no kind of command`},
		{"write", `fault "write": it does nothing`},
		{"write p=0.5", "it does nothing"},
		{"write drop p=0", `column 12: "p=0": want a number above 0 and up to 1`},
		{"write drop p=NaN", "want a number above 0"},
		{"write drop p=", `"p=": the value is missing`},
		{"write drop n=0", `"n=0": want a whole number from 1`},
		{"write drop n=1.5", "want a whole number from 1"},
		{"write drop node=0", `"node=0": want a whole number from 1`},
		{"write drop=5", `column 7: "drop=5": it takes no value`},
		{"write drop close", `column 12: "close": there is a second action`},
		{"write drop n=1 n=2", `column 16: "n=2": there is a second n`},
		{"write delay=50", `"delay=50": want a time such as 50ms`},
		{"write delay=-1s", "want a time of 0 or more"},
		{"write delay=2s..1s", "the second time must be greater"},
		{"write delay=1s..", "want a time such as 50ms, or two"},
		{"write code=0", "want a result code from 1 to 255"},
		{"write code=256", "want a result code from 1 to 255"},
		{"write code=bogus", "unknown result code, want 1 to 255 or server-error, not-found,"},
		{"write truncate=-1", "want a whole number from 0"},
		{"write truncate=", "the value is missing"},
		{"write garbage=head", "want garbage or garbage=body"},
		{"write per=command drop", `"per=command": want connection`},
		{"write drop later", `column 12: "later": unknown word, want ns=`},
		{"write drop digest=12", "want 40 hexadecimal digits"},
		{"write drop digest=" + strings.Repeat("0", 40), "no record has that digest"},
		{"write drop key=1 digest=" + strings.Repeat("1", 40), "a key and a digest exclude each other"},
		{"row drop", "a row of a batch takes a result code and nothing else"},
		{"row code=9 delay=1s", "a row of a batch takes a result code"},
		{"info drop ns=test", "an info command has no namespace, set or key"},
		{`write drop set="a`, "column 12: the quotes are not closed"},
		{`write drop set="a"b`, "column 19: there must be a blank behind the closing quote"},
	} {
		f, err := embedded.ParseFault(tc.text)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: got %+v, %v, want an error with %q", tc.text, f, err, tc.want)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, seed := range []string{
		"write delay=50ms p=0.01", `any key="a b" code=key-busy n=3`, "read delay=1ms..2s reset after", `x="`, "info truncate=3 node=1",
		"scan garbage=body per=connection skip=1 ns=a set=b digest=" + strings.Repeat("1", 40),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := embedded.ParseFault(text)
		if err != nil {
			return
		}
		again, err := embedded.ParseFault(fault.String())
		if err != nil || again != fault {
			t.Errorf("%q is printed as %q, which is %+v, %v", text, fault, again, err)
		}
		if err := new(embedded.Server).SetFaults(1, fault); err != nil {
			t.Errorf("%q parses, but: %v", text, err)
		}
	})
}
