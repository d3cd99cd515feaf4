package keygen

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

func writeFile(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.txt")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened opens a file twice: as it comes, in memory, and as if it were too large
// for that.
func opened(t testing.TB, content string, kind Type) []*File {
	t.Helper()
	var files []*File
	for range 2 {
		f, err := OpenFile(writeFile(t, content), kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files = append(files, f)
	}
	if files[0].data == nil {
		t.Fatal("a small file is not in memory")
	}
	files[1].data = nil
	return files
}

func keysOf(t testing.TB, f *File) []string {
	t.Helper()
	r := f.NewReader()
	var keys []string
	for n := f.Range().Start; n < f.Range().End; n++ {
		v, _, err := r.Key(n)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, strings.Clone(v.String()))
	}
	return keys
}

func TestKeyFiles(t *testing.T) {
	long := strings.Repeat("k", MaxKeyLen)
	for _, c := range []struct {
		content string
		kind    Type
		want    []string
		why     string
	}{
		{"a\nb\nc\n", StringKey, []string{"a", "b", "c"}, "the plain case"},
		{"a\nb", StringKey, []string{"a", "b"}, "no end of the last line"},
		{"a\r\nb\r\n", StringKey, []string{"a", "b"}, "Windows's ends of lines"},
		{"a\r\nb\r", StringKey, []string{"a", "b"}, "half of one"},
		{"\ufeffa\nb\n", StringKey, []string{"a", "b"}, "a byte order mark"},
		{"\ufeff\n\ufeffa\n", StringKey, []string{"\ufeffa"}, "a second one is a part of the key"},
		{"\n\na\n\r\n\nb\n\n\n", StringKey, []string{"a", "b"}, "empty lines"},
		{" a \n\tb,c\n#d\n \n", StringKey, []string{" a ", "\tb,c", "#d", " "}, "blanks and signs are parts of keys"},
		{"é\n世界\n", StringKey, []string{"é", "世界"}, "UTF-8"},
		{long + "\r\n" + long + "\n" + long, StringKey, []string{long, long, long}, "the longest keys"},
		{"1\n-2\n+3\n007\n", IntegerKey, []string{"1", "-2", "3", "7"}, "signs and leading zeros"},
		{" 1\t\n \n2 \r\n", IntegerKey, []string{"1", "2"}, "blanks around integers, and a line of them"},
		{"9223372036854775807\n-9223372036854775808\n", IntegerKey, []string{"9223372036854775807", "-9223372036854775808"}, "the bounds"},
		{"1\n1\n", IntegerKey, []string{"1", "1"}, "a key twice"},
		{"a" + strings.Repeat("\n", maxBlank) + "b", StringKey, []string{"a", "b"}, "as many empty lines as may be"},
	} {
		for _, f := range opened(t, c.content, c.kind) {
			if got := keysOf(t, f); !slices.Equal(got, c.want) {
				t.Errorf("%s: in memory %t: %q, want %q", c.why, f.data != nil, got, c.want)
			}
			if want := (Range{1, uint64(len(c.want)) + 1}); f.Range() != want {
				t.Errorf("%s: the range is %v, want %v", c.why, f.Range(), want)
			}
		}
	}
}

func TestKeyFileErrors(t *testing.T) {
	for _, c := range []struct {
		content string
		kind    Type
		want    []string
		why     string
	}{
		{"", StringKey, []string{"it holds no keys"}, "nothing"},
		{"\ufeff\r\n\n", StringKey, []string{"it holds no keys"}, "nothing but ends of lines"},
		{"1\nx\n3\n", IntegerKey, []string{`keys.txt:2: "x" is not an integer; give the key type string`}, "a word"},
		{"\n\n1.5\n", IntegerKey, []string{`keys.txt:3: "1.5" is not an integer`}, "empty lines count"},
		{"1\n-\n+\n1_000\n0x10\n1 2\n", IntegerKey, []string{":2: ", ":3: ", ":4: ", ":5: ", ":6: "}, "what is no decimal number"},
		{"9223372036854775808\n-9223372036854775809\n99999999999999999999999999\n", IntegerKey, []string{":1: ", ":2: ", ":3: 99999999999999999999999999 is out of range"}, "past the bounds"},
		{"a\n\xff\n", StringKey, []string{`keys.txt:2: "\xff" is not valid UTF-8`}, "no text"},
		{"\xff\xfea\x00\n\x00", StringKey, []string{"it is written in UTF-16"}, "Windows's other encoding"},
		{"a\n" + strings.Repeat("k", MaxKeyLen+1) + "\nb\n", StringKey, []string{":2: the key has 1025 bytes: the longest has 1024"}, "one byte too long"},
		{strings.Repeat("k", MaxKeyLen+1) + "\r\n", StringKey, []string{":1: the key has 1025 bytes"}, "the end of the line does not count"},
		{"\xff\x00" + strings.Repeat("é", 50) + "\n", StringKey, []string{`:1: "\xff\x00` + strings.Repeat("é", 38) + `…" is not valid UTF-8`}, "bytes that are no text, cut off"},
		{"a\n" + strings.Repeat("k", 1<<20) + "\n\xff\n", StringKey, []string{":2: the line has 1048577 bytes with its end", ":3: "}, "longer than any buffer, and the number of the next line"},
		{strings.Repeat(" ", 1<<20) + "1\n", IntegerKey, []string{":1: the line has 1048578 bytes"}, "a key behind a megabyte of blanks"},
		{"a" + strings.Repeat("\n", maxBlank+2), StringKey, []string{"more than 64 KiB of empty lines"}, "no file of keys"},
		{strings.Repeat("x\n", 12), IntegerKey, []string{":1: ", ":10: ", "12 bad lines in all"}, "some are listed"},
	} {
		f, err := OpenFile(writeFile(t, c.content), c.kind)
		if err == nil {
			f.Close()
			t.Errorf("%s: no error", c.why)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want it to say %s", c.why, err, want)
			}
		}
	}
	if _, err := OpenFile(filepath.Join(t.TempDir(), "none"), StringKey); err == nil || !strings.HasPrefix(err.Error(), "key file: ") {
		t.Errorf("no such file: %v", err)
	}
	if _, err := OpenFile(t.TempDir(), StringKey); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// Draws jump about, walks go on from where they were; a worker may do both.
func TestKeyFilesAreReadInAnyOrder(t *testing.T) {
	const size = 1000
	var content strings.Builder
	for n := 1; n <= size; n++ {
		fmt.Fprintf(&content, "key-%d%s\n", n, strings.Repeat("\n", n%7))
	}
	for _, f := range opened(t, content.String(), StringKey) {
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				r := f.NewReader()
				draws := NewUniform(f.Range(), rand.NewPCG(1, uint64(worker)))
				walk := f.Range().Part(worker, 4, 1)
				for i := range 2 * size {
					n := draws.Next()
					if k, ok := walk.Next(); ok && i%3 > 0 {
						n = k
					}
					if v, _, err := r.Key(n); err != nil || v.String() != fmt.Sprintf("key-%d", n) {
						t.Errorf("key %d is %v, %v", n, v, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

// A record's values depend on its key, not on where that stands.
func TestKeyFileIDs(t *testing.T) {
	first, other := opened(t, "a\nfoobar\n", StringKey)[0], opened(t, "foobar\nb\na\n", StringKey)[0]
	_, a, _ := first.NewReader().Key(2)
	_, b, _ := other.NewReader().Key(1)
	// The value is from the test vectors of FNV's authors.
	if const64 := uint64(0x85944171f73967e8); a != const64 || b != const64 {
		t.Errorf("the ids of foobar are %#x and %#x, want %#x", a, b, const64)
	}
	v, id, err := opened(t, "-1\n", IntegerKey)[0].NewReader().Key(1)
	if err != nil || id != 1<<64-1 || v != as.Value(as.IntegerValue(-1)) {
		t.Errorf("the integer -1: %v, id %d, %v", v, id, err)
	}
}

func TestKeyFilesThatChange(t *testing.T) {
	path := writeFile(t, strings.Repeat("12345\n", 100))
	f, err := OpenFile(path, IntegerKey)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.data = nil
	for _, c := range []struct{ content, want, why string }{
		{strings.Repeat("1234x\n", 100), `it has changed: "1234x" is not an integer`, "other lines"},
		{strings.Repeat("\n", 600), "there is no key 50 any more", "no lines"},
		{"1\n", "EOF", "a shorter file"},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.NewReader().Key(50); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want it to say %s", c.why, err, c.want)
		}
	}
	for _, n := range []uint64{0, 1000, 1 << 63} {
		if _, _, err := f.NewReader().Key(n); err == nil {
			t.Errorf("there is a key %d", n)
		}
	}
}

func TestKeyFilesAllocateNothing(t *testing.T) {
	for _, kind := range []Type{IntegerKey, StringKey} {
		for _, f := range opened(t, strings.Repeat("1234567\n", 10_000), kind) {
			r := f.NewReader()
			draws := NewUniform(f.Range(), rand.NewPCG(1, 1))
			if n := testing.AllocsPerRun(1000, func() { _, _, _ = r.Key(draws.Next()) }); n != 0 {
				t.Errorf("%v, in memory %t: %v allocations a key", kind, f.data != nil, n)
			}
		}
	}
}

// A file of ten million keys, made up as it is read, takes no more than the
// offsets of its blocks.
func TestLargeKeyFilesTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads ten million lines")
	}
	const lines = 10_000_000
	f := &File{path: "large", keyType: IntegerKey, src: generated(lines)}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if err := f.index(&generatedReader{lines: lines}); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 16<<20 {
		t.Errorf("ten million keys take %d MB", used>>20)
	}
	r := f.NewReader()
	draws := NewUniform(f.Range(), rand.NewPCG(1, 1))
	for range 1000 {
		n := draws.Next()
		if _, id, err := r.Key(n); err != nil || id != n {
			t.Fatalf("key %d is %d, %v", n, id, err)
		}
	}
	if f.keys != lines {
		t.Errorf("%d keys, want %d", f.keys, lines)
	}
}

// generated is a file in which the line n says n, in 12 digits.
type generated int64

const lineLen = 13

func (g generated) ReadAt(p []byte, off int64) (int, error) {
	first := off / lineLen
	var b []byte
	for n := first; int64(len(b)) < off%lineLen+int64(len(p)); n++ {
		b = fmt.Appendf(b, "%012d\n", n+1)
	}
	return copy(p, b[off%lineLen:]), nil
}

type generatedReader struct {
	line, lines int
	left        []byte
}

func (g *generatedReader) Read(p []byte) (int, error) {
	if len(g.left) == 0 {
		for range min(4096, g.lines-g.line) {
			g.line++
			g.left = append(Format{Type: StringKey, Pad: 12}.Append(g.left, uint64(g.line)), '\n')
		}
		if len(g.left) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, g.left)
	g.left = g.left[:copy(g.left, g.left[n:])]
	return n, nil
}

// FuzzKeyFile compares what is read with the lines that a plain split gives.
func FuzzKeyFile(f *testing.F) {
	for _, text := range []string{"a\nb\r\n\nc", "\ufeff1\n-2\n", "1\n\n\n 2 \n", "\xff", strings.Repeat("k", 1100), strings.Repeat("7\n", 40), "\r\r\n"} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, integers bool) {
		file := &File{path: "fuzz", src: bytes.NewReader(data), data: data}
		if !integers {
			file.keyType = StringKey
		}
		if file.index(bytes.NewReader(data)) != nil {
			return
		}
		var want []string
		for line := range strings.SplitSeq(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
			if integers {
				line = strings.TrimSpace(line)
			}
			if line = strings.TrimSuffix(line, "\r"); line != "" {
				want = append(want, line)
			}
		}
		if file.keys != uint64(len(want)) {
			t.Fatalf("%q: %d keys, want %d", data, file.keys, len(want))
		}
		for _, inMemory := range []bool{true, false} {
			if !inMemory {
				file.data = nil
			}
			r := file.NewReader()
			for i := range want {
				i = (i * 7) % len(want)
				v, _, err := r.Key(uint64(i + 1))
				if err != nil {
					t.Fatalf("%q: key %d: %v", data, i+1, err)
				}
				if _, text := v.(as.StringValue); text && v.String() != want[i] {
					t.Fatalf("%q: key %d is %q, want %q", data, i+1, v, want[i])
				}
			}
		}
	})
}

func BenchmarkKeyFile(b *testing.B) {
	var content strings.Builder
	for n := range 1_000_000 {
		fmt.Fprintf(&content, "user%08d\n", n)
	}
	for i, f := range opened(b, content.String(), StringKey) {
		b.Run([]string{"draws in memory", "draws from disk"}[i], func(b *testing.B) {
			b.ReportAllocs()
			r := f.NewReader()
			draws := NewUniform(f.Range(), rand.NewPCG(1, 1))
			for b.Loop() {
				_, _, _ = r.Key(draws.Next())
			}
		})
		b.Run([]string{"walk in memory", "walk from disk"}[i], func(b *testing.B) {
			b.ReportAllocs()
			r := f.NewReader()
			walk := NewSequential(f.Range(), 0, 1)
			for b.Loop() {
				_, _, _ = r.Key(walk.Next())
			}
		})
	}
}
