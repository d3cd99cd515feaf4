package keygen

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"unicode/utf8"

	"github.com/aeroload/aeroload/internal/suggest"
)

const (
	// blockKeys is how many keys lie between two known offsets. To find a key,
	// half of that many lines are skipped on average; the offsets of 10
	// million keys take 5 MB.
	blockKeys = 16
	// maxInMemory is the size up to which a file's contents are kept. Reading
	// a block of a larger one is a system call of less than a microsecond,
	// from the system's cache of files.
	maxInMemory = 64 << 20
	// maxBadLines is how many bad lines are listed.
	maxBadLines = 10
	// maxBlank is how many bytes of empty lines may lie between two keys.
	// Readers fetch them along with the keys.
	maxBlank = 64 << 10
)

// File is a file of keys, one a line. Its keys have the numbers from 1 on, in the
// order of the file; empty lines have none. Any number of readers draw and walk
// at the same time.
//
// Opening a file reads it once, checks each line and remembers the place of each
// 16th key. Files up to 64 MiB are kept in memory. Of others, readers fetch the
// 16 lines around a key when they need them, so that the file may be larger than
// memory; it must not change meanwhile.
type File struct {
	path    string
	keyType Type
	src     io.ReaderAt
	close   func() error
	data    []byte  // all of it, or nil
	offsets []int64 // of each block, and of the end
	keys    uint64
}

// ParseFileType reads the type of the keys in a file: integer or string.
func ParseFileType(text string) (Type, error) {
	known := typeNames[:BytesKey]
	for i, name := range known {
		if name == text {
			return Type(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a type of keys in a file: expected integer or string%s", text, suggest.DidYouMean(text, known))
}

// OpenFile opens a file of keys. Lines end with a line feed, or a carriage return
// and a line feed; a byte order mark of UTF-8 at the start is skipped. An integer
// is decimal, from -2^63 to 2^63-1, with spaces around it or not. A string is the
// whole line, blanks included, in UTF-8 and up to [MaxKeyLen] bytes long. The
// error names the first lines that are neither. Keys that come twice are not
// noticed; they are drawn twice as often.
func OpenFile(path string, t Type) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	file, err := open(f, t)
	if err != nil {
		f.Close()
		return nil, err
	}
	return file, nil
}

func open(f *os.File, t Type) (*File, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("key file: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("key file: %s is no regular file: keys are drawn from anywhere in it, which a folder, pipe or device cannot do", f.Name())
	}
	file := &File{path: f.Name(), keyType: t, src: f, close: f.Close}
	var src io.Reader = f
	if info.Size() <= maxInMemory {
		if file.data, err = io.ReadAll(f); err != nil {
			return nil, fmt.Errorf("key file: %w", err)
		}
		src = bytes.NewReader(file.data)
	}
	if err := file.index(src); err != nil {
		return nil, err
	}
	return file, nil
}

// Close closes the file. Readers must not be used any more.
func (f *File) Close() error { return f.close() }

// Path returns the file's path.
func (f *File) Path() string { return f.path }

// Type returns the type of the keys.
func (f *File) Type() Type { return f.keyType }

// Range returns the numbers of the keys: from 1 to the number of keys.
func (f *File) Range() Range { return Range{Start: 1, End: f.keys + 1} }

const byteOrderMark = "\ufeff"

// index reads the whole file.
func (f *File) index(src io.Reader) error {
	r := bufio.NewReaderSize(src, lineBuffer)
	var offset, blank int64
	if start, _ := r.Peek(3); bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return fmt.Errorf("key file %s: it is written in UTF-16: save it as UTF-8", f.path)
	} else if string(start) == byteOrderMark {
		offset = int64(len(byteOrderMark))
		_, _ = r.Discard(len(byteOrderMark)) // they are in the buffer
	}
	var bad []error
	count := 0
	for number := 1; ; number++ {
		text, length, err := readLine(r)
		if err != nil && err != io.EOF {
			return fmt.Errorf("key file %s: %w", f.path, err)
		}
		switch key := f.text(text); {
		case length <= maxLine && len(key) == 0:
			if blank += length; blank > maxBlank {
				return fmt.Errorf("%s:%d: more than %d KiB of empty lines", f.path, number, maxBlank>>10)
			}
		default:
			if err := f.check(key, length); err != nil {
				if count++; count <= maxBadLines {
					bad = append(bad, fmt.Errorf("%s:%d: %w", f.path, number, err))
				}
			}
			if f.keys%blockKeys == 0 {
				f.offsets = append(f.offsets, offset)
			}
			f.keys++
			blank = 0
		}
		offset += length
		if err == io.EOF {
			break
		}
	}
	f.offsets = append(f.offsets, offset)
	switch {
	case count > maxBadLines:
		bad = append(bad, fmt.Errorf("%s: %d bad lines in all", f.path, count))
	case count == 0 && f.keys == 0:
		return fmt.Errorf("key file %s: it holds no keys", f.path)
	}
	return errors.Join(bad...)
}

// readLine returns the start of the next line and how many bytes the line has,
// its end included. Of a line that is longer than any key, the rest is skipped.
func readLine(r *bufio.Reader) (text []byte, length int64, err error) {
	text, err = r.ReadSlice('\n')
	length = int64(len(text))
	if err != bufio.ErrBufferFull {
		return text, length, err
	}
	text = bytes.Clone(text)
	for err == bufio.ErrBufferFull {
		var more []byte
		more, err = r.ReadSlice('\n')
		length += int64(len(more))
	}
	return text, length, err
}

// text returns the key of a line; empty if it has none.
func (f *File) text(line []byte) []byte {
	if f.keyType == IntegerKey {
		return bytes.TrimSpace(line)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// lineBuffer is how much of a line is read at most.
const lineBuffer = 64 << 10

// maxLine is the length of a line with the longest key and its end.
const maxLine = MaxKeyLen + 2

// check tells what is wrong with the key of a line of the given length.
func (f *File) check(key []byte, length int64) error {
	switch {
	case len(key) > MaxKeyLen && length <= lineBuffer:
		return fmt.Errorf("the key has %d bytes: the longest has %d", len(key), MaxKeyLen)
	case length > maxLine:
		return fmt.Errorf("the line has %d bytes with its end: the longest key has %d", length, MaxKeyLen)
	case f.keyType == IntegerKey:
		_, err := parseKey(key)
		return err
	case !utf8.Valid(key):
		return fmt.Errorf("%q is not valid UTF-8", shorten(string(key)))
	}
	return nil
}

// parseKey reads an integer key. Unlike the library's function it allocates
// nothing.
func parseKey(text []byte) (int64, error) {
	digits, limit, sign := text, uint64(math.MaxInt64), int64(1)
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		if digits = text[1:]; text[0] == '-' {
			limit, sign = 1<<63, -1
		}
	}
	if len(digits) == 0 || len(bytes.TrimLeft(digits, "0123456789")) > 0 {
		return 0, fmt.Errorf("%q is not an integer; give the key type string if the keys are texts", shorten(string(text)))
	}
	var n uint64
	for _, c := range digits {
		d := uint64(c - '0')
		if n > (limit-d)/10 {
			return 0, fmt.Errorf("%s is out of range: integer keys are from -2^63 to 2^63-1", shorten(string(text)))
		}
		n = n*10 + d
	}
	return int64(n) * sign, nil
}

// shorten keeps messages to a line.
func shorten(text string) string {
	const most = 40
	count := 0
	for i := range text { // not converted to runes, which would hide bytes that are no UTF-8
		if count++; count > most {
			return text[:i] + "…"
		}
	}
	return text
}
