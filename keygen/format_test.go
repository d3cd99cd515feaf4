package keygen

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

func TestFormats(t *testing.T) {
	const top = uint64(1<<63 - 1)
	for _, c := range []struct {
		f      Format
		number uint64
		want   string // of bytes, in hexadecimal
		why    string
	}{
		{Format{}, 0, "0", "an integer"},
		{Format{}, top, "9223372036854775807", "the largest integer"},
		{Format{Type: StringKey}, 17, "17", "digits alone"},
		{Format{Type: StringKey, Prefix: "user"}, 17, "user17", "a prefix"},
		{Format{Type: StringKey, Prefix: "user", Pad: 10}, 17, "user0000000017", "a prefix and padding"},
		{Format{Type: StringKey, Pad: 2}, 12345, "12345", "more digits than padding"},
		{Format{Type: StringKey, Pad: 5}, 12345, "12345", "as many digits as padding"},
		{Format{Type: StringKey, Pad: 3}, 0, "000", "zero"},
		{Format{Type: StringKey, Prefix: "é:", Suffix: ":x", Pad: 4, Hex: true}, 255, "é:00ff:x", "hexadecimal, text on both sides"},
		{Format{Type: StringKey}, top, "9223372036854775807", "the most digits"},
		{Format{Type: BytesKey}, 258, "0000000000000102", "eight bytes, the highest first"},
		{Format{Type: BytesKey}, top, "7fffffffffffffff", "the largest number"},
		{Format{Type: BytesKey, Length: 2}, 258, "0102", "two bytes"},
		{Format{Type: BytesKey, Length: 1}, 255, "ff", "one byte"},
		{Format{Type: BytesKey, Length: 10}, 258, "00000000000000000102", "more than eight bytes"},
	} {
		got := string(c.f.Append([]byte("before"), c.number))
		got = strings.TrimPrefix(got, "before")
		if c.f.Type == BytesKey {
			got = hex.EncodeToString([]byte(got))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
		if err := c.f.Check(Range{c.number, c.number + 1}); err != nil {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

func TestFormatCheck(t *testing.T) {
	for _, c := range []struct {
		f         Format
		last      uint64
		want, why string
	}{
		{Format{}, 1 << 63, "integer keys end", "past int64"},
		{Format{Type: BytesKey, Length: 1}, 256, "the last key, 256, does not fit into 1 bytes", "nine bits"},
		{Format{Type: BytesKey, Length: 7}, 1 << 56, "does not fit into 7 bytes", "57 bits"},
		{Format{Type: BytesKey, Length: 1025}, 1, "1025 bytes are out of range", "too long"},
		{Format{Type: BytesKey, Length: -1}, 1, "-1 bytes are out of range", "negative"},
		{Format{Type: StringKey, Pad: -1}, 1, "a padding of -1 is out of range", "negative"},
		{Format{Type: StringKey, Pad: 1025}, 1, "a padding of 1025 is out of range", "too long"},
		{Format{Type: StringKey, Prefix: strings.Repeat("p", 1022)}, 999, "up to 1025 bytes", "prefix and digits together"},
		{Format{Type: StringKey, Prefix: "\xff"}, 1, "not valid UTF-8", "no text"},
	} {
		if err := c.f.Check(Range{0, c.last + 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want it to say %q", c.why, err, c.want)
		}
	}
	if err := (Format{Type: StringKey, Prefix: strings.Repeat("p", 1021)}).Check(Range{0, 1000}); err != nil {
		t.Errorf("exactly the longest key: %v", err)
	}
}

func TestParseTemplate(t *testing.T) {
	for _, c := range []struct {
		text string
		want Format
		back string
		why  string
	}{
		{"%d", Format{Type: StringKey}, "%d", "digits alone"},
		{"user%08d", Format{Type: StringKey, Prefix: "user", Pad: 8}, "user%08d", "padded"},
		{"user%8d", Format{Type: StringKey, Prefix: "user", Pad: 8}, "user%08d", "blanks would be no use in a key"},
		{"%010d", Format{Type: StringKey, Pad: 10}, "%010d", "two digits of width"},
		{"a%xb", Format{Type: StringKey, Prefix: "a", Suffix: "b", Hex: true}, "a%xb", "hexadecimal"},
		{"100%%-%d%%", Format{Type: StringKey, Prefix: "100%-", Suffix: "%"}, "100%%-%d%%", "percent signs"},
		{"%%%%%d", Format{Type: StringKey, Prefix: "%%"}, "%%%%%d", "percent signs side by side"},
		{"é%d世", Format{Type: StringKey, Prefix: "é", Suffix: "世"}, "é%d世", "UTF-8"},
	} {
		f, err := ParseTemplate(c.text)
		if err != nil || f != c.want || f.Template() != c.back {
			t.Errorf("%s: ParseTemplate(%q) = %+v (%s), %v", c.why, c.text, f, f.Template(), err)
		}
	}
	for _, c := range []struct{ text, want, why string }{
		{"", "has no number", "nothing"},
		{"user", "has no number", "the same key for all"},
		{"100%%", "has no number", "a percent sign is none"},
		{"%d-%d", "has the number twice", "once is enough"},
		{"%s", `"%s" in the template`, "no verb of ours"},
		{"%-8d", `"%-" in the template`, "no flag of ours"},
		{"user%", `"%" in the template`, "it ends early"},
		{"user%08", `"%08" in the template`, "it ends early"},
		{"%é", `"%é" in the template`, "a whole rune is quoted"},
		{"%9999d", "width 9999", "too wide"},
		{"%99999999999999999999d", "width 99999999999999999999", "past int64"},
	} {
		if _, err := ParseTemplate(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: ParseTemplate(%q): %v; want it to say %q", c.why, c.text, err, c.want)
		}
	}
}

func TestParseType(t *testing.T) {
	for _, want := range []Type{IntegerKey, StringKey, BytesKey} {
		if got, err := ParseType(want.String()); err != nil || got != want {
			t.Errorf("ParseType(%q) = %v, %v", want.String(), got, err)
		}
	}
	if _, err := ParseType("sting"); err == nil || !strings.Contains(err.Error(), `did you mean "string"?`) {
		t.Errorf("a typo: %v", err)
	}
	if _, err := ParseFileType("bytes"); err == nil || !strings.Contains(err.Error(), "expected integer or string") {
		t.Errorf("bytes in a file: %v", err)
	}
}

// The digests are those of keys made anew with the same contents, also when the
// lengths of keys change back and forth.
func TestEncodedKeysHaveTheirDigests(t *testing.T) {
	numbers := []uint64{1, 9, 10, 1<<63 - 1, 99, 3, 12345, 10, 1}
	for _, f := range []Format{{}, {Type: StringKey}, {Type: StringKey, Prefix: "user", Pad: 10}, {Type: StringKey, Prefix: strings.Repeat("long", 200)}, {Type: BytesKey}, {Type: BytesKey, Length: 20}} {
		key, _ := as.NewKey("test", "set", 0)
		encoder := f.NewEncoder()
		for _, n := range numbers {
			v, id, err := encoder.Key(n)
			if err != nil || id != n {
				t.Fatalf("%+v: Key(%d): id %d, %v", f, n, id, err)
			}
			if err := key.SetValue(v); err != nil {
				t.Fatal(err)
			}
			var plain any
			switch text := f.Append(nil, n); f.Type {
			case StringKey:
				plain = string(text)
			case BytesKey:
				plain = text
			default:
				plain = int64(n)
			}
			want, err := as.NewKey("test", "set", plain)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(key.Digest(), want.Digest()) || key.Value().String() != want.Value().String() {
				t.Errorf("%+v: the key of %d is %v, want %v", f, n, key, want)
			}
		}
	}
}

func TestKeysAllocateNothing(t *testing.T) {
	for _, f := range []Format{{}, {Type: StringKey, Prefix: "user"}, {Type: StringKey, Pad: 10, Hex: true}, {Type: BytesKey}} {
		key, _ := as.NewKey("test", "set", 0)
		e := f.NewEncoder()
		n := uint64(0)
		next := func() {
			n = (n + 997) % 1_000_000
			v, _, _ := e.Key(n)
			_ = key.SetValue(v)
		}
		for range 2000 { // all lengths come up
			next()
		}
		if got := testing.AllocsPerRun(1000, next); got != 0 {
			t.Errorf("%+v: %v allocations a key", f, got)
		}
		buf := make([]byte, 0, 100)
		if got := testing.AllocsPerRun(1000, func() { f.Append(buf, 123456) }); got != 0 {
			t.Errorf("%+v: Append allocates %v times", f, got)
		}
	}
}

func FuzzParseTemplate(f *testing.F) {
	for _, text := range []string{"%d", "user%08d", "a%%%x%%", "%1024d", "%", "é%d"} {
		f.Add(text, uint64(12345))
	}
	f.Fuzz(func(t *testing.T, text string, number uint64) {
		format, err := ParseTemplate(text)
		if err != nil {
			return
		}
		again, err := ParseTemplate(format.Template())
		if err != nil || again != format {
			t.Fatalf("%q gives %+v, which gives %+v, %v", text, format, again, err)
		}
		if number>>63 == 1 || format.Check(Range{number, number + 1}) != nil {
			return
		}
		key := format.Append(nil, number)
		if len(key) > MaxKeyLen || len(key) < len(format.Prefix)+len(format.Suffix)+max(1, format.Pad) {
			t.Fatalf("%q: the key of %d has %d bytes", text, number, len(key))
		}
	})
}

func BenchmarkKey(b *testing.B) {
	for _, c := range []struct {
		name   string
		format Format
	}{{"integer", Format{}}, {"user%010d", Format{Type: StringKey, Prefix: "user", Pad: 10}}, {"bytes", Format{Type: BytesKey}}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			e := c.format.NewEncoder()
			for n := uint64(1); b.Loop(); n++ {
				_, _, _ = e.Key(n % 1_000_000)
			}
		})
	}
}
