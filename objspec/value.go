package objspec

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/aerospike/aerospike-client-go/v8"
	particle "github.com/aerospike/aerospike-client-go/v8/types/particle_type"
)

// GeoJSON is the text of a GeoJSON value.
type GeoJSON string

// Entry is a key of a map, an int64, a string or a []byte, and its value.
type Entry struct{ Key, Value any }

// Value returns what a bin made by a Generator holds: an int64, float64, bool,
// string, []byte, GeoJSON, []any (a list) or []Entry (a map, in the order in which
// it was made). It doesn't share memory with the generator. Bins from elsewhere
// may be an error.
func Value(bin *aerospike.Bin) (any, error) {
	raw, ok := bin.Value.(*aerospike.RawBlobValue)
	if !ok {
		return nil, fmt.Errorf("bin %s was made by no generator: it holds a %T", bin.Name, bin.Value)
	}
	v, err := binValue(raw)
	if err != nil {
		return nil, fmt.Errorf("bin %s: %w", bin.Name, err)
	}
	return v, nil
}

func binValue(raw *aerospike.RawBlobValue) (any, error) {
	data := raw.Data
	least := map[int]int{particle.INTEGER: 8, particle.FLOAT: 8, particle.BOOL: 1, particle.GEOJSON: geoHeader}
	if len(data) < least[raw.ParticleType] {
		return nil, errShort
	}
	switch raw.ParticleType {
	case particle.INTEGER:
		return int64(binary.BigEndian.Uint64(data)), nil
	case particle.FLOAT:
		return doubleOf(binary.BigEndian.Uint64(data)), nil
	case particle.BOOL:
		return data[0] != 0, nil
	case particle.STRING:
		return string(data), nil
	case particle.BLOB:
		return bytes.Clone(data), nil
	case particle.GEOJSON:
		return GeoJSON(data[geoHeader:]), nil
	case particle.LIST, particle.MAP:
		u := unpacker{data: data}
		v := u.value(0)
		return v, u.err
	}
	return nil, fmt.Errorf("particle type %d is none that a spec makes", raw.ParticleType)
}

var errShort = errors.New("the value is cut off")

// unpacker reads values as appendPacked writes them.
type unpacker struct {
	data []byte
	err  error
}

// take returns the next n bytes; zeros, and the error is set, when there are
// fewer.
func (u *unpacker) take(n int) []byte {
	if n > len(u.data) {
		u.err, u.data = errShort, nil
		return make([]byte, min(n, 8))
	}
	out := u.data[:n]
	u.data = u.data[n:]
	return out
}

func (u *unpacker) number(width int) uint64 {
	var word [8]byte
	copy(word[8-width:], u.take(width))
	return binary.BigEndian.Uint64(word[:])
}

func (u *unpacker) value(depth int) any {
	if depth > maxDepth {
		u.err, u.data = errShort, nil
	}
	switch c := u.take(1)[0]; {
	case c < 0x80 || c >= 0xe0:
		return int64(int8(c))
	case c < 0x90 || c == 0xde || c == 0xdf:
		entries := []Entry{}
		for n := u.count(c, 0x80, 0xde); n > 0 && u.err == nil; n-- {
			key := u.value(depth + 1)
			entries = append(entries, Entry{key, u.value(depth + 1)})
		}
		return entries
	case c < 0xa0 || c == 0xdc || c == 0xdd:
		list := []any{}
		for n := u.count(c, 0x90, 0xdc); n > 0 && u.err == nil; n-- {
			list = append(list, u.value(depth+1))
		}
		return list
	case c < 0xc0 || c >= 0xd9 && c <= 0xdb:
		return u.raw(c)
	case c == 0xc2 || c == 0xc3:
		return c == 0xc3
	case c == 0xcb:
		return math.Float64frombits(u.number(8))
	case c >= 0xcc && c <= 0xcf:
		return int64(u.number(1 << (c - 0xcc)))
	case c >= 0xd0 && c <= 0xd3:
		width := 1 << (c - 0xd0)
		unused := 64 - 8*width
		return int64(u.number(width)<<unused) >> unused
	}
	u.err = errShort
	return nil
}

// count returns the length that a list's or map's header begins to tell.
func (u *unpacker) count(c, short, medium byte) uint64 {
	switch c {
	case medium:
		return u.number(2)
	case medium + 1:
		return u.number(4)
	}
	return uint64(c - short)
}

func (u *unpacker) raw(c byte) any {
	n := uint64(c & 0x1f)
	if c >= 0xd9 {
		n = u.number(1 << (c - 0xd9))
	}
	if n == 0 || n > uint64(len(u.data)) {
		u.err, u.data = errShort, nil
		return nil
	}
	kind := u.take(1)[0]
	contents := u.take(int(n) - 1)
	switch int(kind) {
	case particle.STRING:
		return string(contents)
	case particle.GEOJSON:
		return GeoJSON(contents)
	}
	return bytes.Clone(contents)
}

// AppendJSON appends a value that Value returned as JSON: bytes in hex, GeoJSON as
// the object that it is, and the keys of maps as strings, integers in decimal and
// bytes in hex.
func AppendJSON(dst []byte, value any) []byte {
	switch v := value.(type) {
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return appendMarshaled(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case string:
		return appendMarshaled(dst, v)
	case []byte:
		return fmt.Appendf(dst, `"%x"`, v)
	case GeoJSON:
		return append(dst, v...)
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, e)
		}
		return append(dst, ']')
	case []Entry:
		dst = append(dst, '{')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONKey(dst, e.Key), ':')
			dst = AppendJSON(dst, e.Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

func appendJSONKey(dst []byte, key any) []byte {
	if n, ok := key.(int64); ok {
		return fmt.Appendf(dst, `"%d"`, n)
	}
	return AppendJSON(dst, key)
}

// appendMarshaled appends what package json makes of a string or a finite number,
// for which it has no errors. Bytes that are no UTF-8 become U+FFFD.
func appendMarshaled(dst []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, text...)
}

// AppendSpec appends a value that Value returned the way a spec has constants:
// strings in quotes, lists in brackets, maps in braces, doubles with a dot. Bytes are shown in hex
// behind 0x, and GeoJSON as its text.
func AppendSpec(dst []byte, value any) []byte {
	switch v := value.(type) {
	case string:
		if utf8.ValidString(v) {
			return strconv.AppendQuote(dst, v)
		}
		return strconv.AppendQuoteToASCII(dst, v)
	case float64:
		return appendDouble(dst, v)
	case []byte:
		return fmt.Appendf(dst, "0x%x", v)
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendSpec(dst, e)
		}
		return append(dst, ']')
	case []Entry:
		dst = append(dst, '{')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendSpec(dst, e.Key), ':')
			dst = AppendSpec(dst, e.Value)
		}
		return append(dst, '}')
	}
	return AppendJSON(dst, value)
}

// appendDouble appends a double with the dot that tells it from an integer.
func appendDouble(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	text := appendMarshaled(nil, v)
	if bytes.IndexByte(text, '.') >= 0 {
		return append(dst, text...)
	}
	mantissa, exponent, found := bytes.Cut(text, []byte("e"))
	dst = append(append(dst, mantissa...), ".0"...)
	if found {
		dst = append(append(dst, 'e'), exponent...)
	}
	return dst
}
