package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func recorded(us ...int64) *Snapshot {
	r := NewRecorder(1)
	for _, v := range us {
		r.Shard(0).Record(time.Duration(v) * time.Microsecond)
	}
	return r.Snapshot()
}

// equal compares counts, whatever zeros stand at the end.
func equal(a, b *Snapshot) bool {
	long, short := a.counts, b.counts
	if len(long) < len(short) {
		long, short = short, long
	}
	return slices.Equal(long[:len(short)], short) && !slices.ContainsFunc(long[len(short):], func(n int64) bool { return n != 0 }) &&
		a.total == b.total && a.overRange == b.overRange
}

func TestEncodeDecode(t *testing.T) {
	many := make([]int64, 5000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range many {
		many[i] = int64(math.Exp(rng.Float64() * 21))
	}
	for name, s := range map[string]*Snapshot{
		"nothing":            recorded(),
		"zero":               recorded(0),
		"one":                recorded(1),
		"the last exact":     recorded(2047),
		"the first of two":   recorded(2048),
		"an hour":            recorded(Highest),
		"over an hour":       recorded(5, Highest+1, 9e9),
		"all over the place": recorded(many...),
	} {
		text, err := s.Encode()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		back, err := Decode(text, s.OverRange())
		if err != nil || !equal(s, back) {
			t.Errorf("%s: %v, read back as %d values up to %d, want %d up to %d", name, err, back.Count(), back.Max(), s.Count(), s.Max())
		}
		// The library's own reader must see the same.
		h, err := hdrhistogram.Decode([]byte(text))
		if err != nil || !h.Equals(s.HDR()) {
			t.Errorf("%s: the library reads another histogram: %v", name, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	encode := func(h *hdrhistogram.Histogram) string {
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	wide := hdrhistogram.New(1, math.MaxInt64/4, 5)
	big := hdrhistogram.New(Lowest, Highest, SignificantDigits)
	if err := big.RecordValues(7, 1<<53+1); err != nil {
		t.Fatal(err)
	}
	one, err := recorded(1).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		over int64
		want string
	}{
		{"", 0, "too short"},
		{"HISTFAAA", 0, "decoding"},
		{"not base64!", 0, "base64"},
		{encode(wide), 0, "5 digits"},
		{encode(big), 0, "more than 2^53"},
		{one, 2, "2 of 1 values over range"},
		{one, -1, "over range"},
		{strings.Repeat("A", MaxEncoded+1), 0, "the longest"},
	} {
		if s, err := Decode(c.text, c.over); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Decode(%.20q, %d) = %v, %v; want an error with %q", c.text, c.over, s, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []*Snapshot{recorded(), recorded(1, 2, 3), recorded(Highest + 1)} {
		text, err := s.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, s.OverRange())
	}
	f.Fuzz(func(t *testing.T, text string, over int64) {
		s, err := Decode(text, over)
		if err != nil {
			return
		}
		again, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := Decode(again, over); err != nil || !equal(s, back) {
			t.Errorf("%q is not what it was after another round: %v", text, err)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	r := NewRecorder(1)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		r.Shard(0).Record(time.Duration(100e3 + rng.ExpFloat64()*300e3))
	}
	s := r.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Encode(); err != nil {
			b.Fatal(err)
		}
	}
}
