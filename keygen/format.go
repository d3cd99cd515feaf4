package keygen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aeroload/aeroload/internal/suggest"
)

// MaxKeyLen is the longest key, in bytes. The server would take more, but other
// clients stop at some KB, and real keys are far shorter.
const MaxKeyLen = 1024

// Type is what a key is in the database. Keys of different types are different
// keys, also where they read alike: 17 and "17" are two records.
type Type uint8

// The types of keys that Aerospike has.
const (
	IntegerKey Type = iota
	StringKey
	BytesKey
)

// typeNames are in the order of the constants.
var typeNames = []string{"integer", "string", "bytes"}

// ParseType reads integer, string or bytes.
func ParseType(text string) (Type, error) {
	for i, name := range typeNames {
		if name == text {
			return Type(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a type of keys: expected integer, string or bytes%s", text, suggest.DidYouMean(text, typeNames))
}

// String returns the type's name.
func (t Type) String() string { return typeNames[t] }

// Format makes the number of a key into the key itself. The zero value is an
// integer key.
type Format struct {
	Type Type
	// Prefix and Suffix stand around the digits of a string key.
	Prefix, Suffix string
	// Pad is how many digits a string key has at least; zeros fill it up.
	// Larger numbers have more.
	Pad int
	// Hex makes the digits of a string key hexadecimal, in lower case.
	Hex bool
	// Length is how many bytes a bytes key has: the number, its highest byte
	// first, after zeros. 0 means 8.
	Length int
}

// ParseTemplate reads a template for string keys, such as user%08d:profile. It
// has one %d or %x, for the number in decimal or hexadecimal; a width, with or
// without a 0 before it, pads it with zeros. %% is a percent sign.
func ParseTemplate(text string) (Format, error) {
	f := Format{Type: StringKey}
	part, found := &f.Prefix, false
	for rest := text; rest != ""; {
		plain, after, percent := strings.Cut(rest, "%")
		*part += plain
		if !percent {
			break
		}
		if rest = strings.TrimPrefix(after, "%"); len(rest) < len(after) {
			*part += "%"
			continue
		}
		digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		rest = after[len(digits):]
		if rest == "" || rest[0] != 'd' && rest[0] != 'x' {
			return Format{}, fmt.Errorf("%q in the template %q is not the number: expected %%d or %%x, with a width such as %%08d; %%%% is a percent sign", "%"+digits+firstRune(rest), text)
		}
		if found {
			return Format{}, fmt.Errorf("the template %q has the number twice", text)
		}
		if digits != "" {
			n, err := strconv.Atoi(digits)
			if err != nil || n > MaxKeyLen {
				return Format{}, fmt.Errorf("the width %s in the template %q is larger than %d", digits, text, MaxKeyLen)
			}
			f.Pad = n
		}
		f.Hex, found, part = rest[0] == 'x', true, &f.Suffix
		rest = rest[1:]
	}
	if !found {
		return Format{}, fmt.Errorf("the template %q has no number, so all keys would be the same: put %%d in it, or %%08d to pad it with zeros", text)
	}
	return f, nil
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// Template returns a string format as [ParseTemplate] reads it.
func (f Format) Template() string {
	verb := "d"
	if f.Hex {
		verb = "x"
	}
	if f.Pad > 0 {
		verb = fmt.Sprintf("0%d%s", f.Pad, verb)
	}
	return strings.ReplaceAll(f.Prefix, "%", "%%") + "%" + verb + strings.ReplaceAll(f.Suffix, "%", "%%")
}

// Check returns an error if keys of the range cannot be made, or would be longer
// than [MaxKeyLen].
func (f Format) Check(r Range) error {
	last := r.End - 1
	switch f.Type {
	case StringKey:
		if !utf8.ValidString(f.Prefix) || !utf8.ValidString(f.Suffix) {
			return fmt.Errorf("the key template %q is not valid UTF-8", f.Template())
		}
		if f.Pad < 0 || f.Pad > MaxKeyLen {
			return fmt.Errorf("a padding of %d is out of range: expected 0 to %d digits", f.Pad, MaxKeyLen)
		}
		if n := len(f.Prefix) + len(f.Suffix) + max(f.Pad, len(strconv.FormatUint(last, f.base()))); n > MaxKeyLen {
			return fmt.Errorf("the keys would have up to %d bytes: the longest has %d", n, MaxKeyLen)
		}
	case BytesKey:
		switch n := f.length(); {
		case n < 1 || n > MaxKeyLen:
			return fmt.Errorf("keys of %d bytes are out of range: expected 1 to %d", n, MaxKeyLen)
		case n < 8 && last >= 1<<(8*n):
			return fmt.Errorf("the last key, %d, does not fit into %d bytes", last, n)
		}
	default:
		if last > math.MaxInt64 {
			return errors.New("integer keys end at 2^63-1")
		}
	}
	return nil
}

// Last returns the largest number that has a key of the format.
func (f Format) Last() uint64 {
	if n := f.length(); f.Type == BytesKey && n < 8 {
		return 1<<(8*n) - 1
	}
	return MaxKey
}

func (f Format) length() int {
	if f.Length == 0 {
		return 8
	}
	return f.Length
}

func (f Format) base() int {
	if f.Hex {
		return 16
	}
	return 10
}

// Append appends the key of a number to buf: the text of a string key or of an
// integer, or the bytes. It allocates nothing if buf has room.
func (f Format) Append(buf []byte, number uint64) []byte {
	switch f.Type {
	case StringKey:
		buf = append(buf, f.Prefix...)
		start := len(buf)
		buf = strconv.AppendUint(buf, number, f.base())
		if missing := f.Pad - (len(buf) - start); missing > 0 {
			buf = padLeft(buf, start, missing, '0')
		}
		return append(buf, f.Suffix...)
	case BytesKey:
		start := len(buf)
		buf = binary.BigEndian.AppendUint64(buf, number)
		if n := f.length(); n >= 8 {
			return padLeft(buf, start, n-8, 0)
		}
		return append(buf[:start], buf[start+8-f.length():]...)
	}
	return strconv.AppendUint(buf, number, 10)
}

// padLeft moves what follows start n bytes on, and fills the gap.
func padLeft(buf []byte, start, n int, fill byte) []byte {
	for range n {
		buf = append(buf, fill)
	}
	copy(buf[start+n:], buf[start:len(buf)-n])
	for i := range n {
		buf[start+i] = fill
	}
	return buf
}
