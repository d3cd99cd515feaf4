package objspec

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/aerospike/aerospike-client-go/v8"
)

// decoded values are int64, float64, bool, string, []byte, geo, []any or entries.
type entries []entry

type geo string // the text of GeoJSON

type entry struct{ key, value any }

// decodePacked reads one value of Aerospike's MessagePack dialect. It knows
// all the widths MessagePack has for the types a spec can make, not only those
// the package writes.
func decodePacked(b []byte) (v any, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, fmt.Errorf("no bytes left")
	}
	c, b := b[0], b[1:]
	number := func(n int) uint64 {
		if len(b) < n {
			err = fmt.Errorf("%d bytes left, %#x needs %d", len(b), c, n)
			return 0
		}
		var word [8]byte
		copy(word[8-n:], b[:n])
		b = b[n:]
		return binary.BigEndian.Uint64(word[:])
	}
	switch {
	case c <= 0x7f || c >= 0xe0:
		return int64(int8(c)), b, nil
	case c <= 0x8f:
		return decodeMap(uint64(c&0x0f), b)
	case c <= 0x9f:
		return decodeList(uint64(c&0x0f), b)
	case c <= 0xbf:
		return decodeRaw(uint64(c&0x1f), b)
	}
	switch c {
	case 0xc2, 0xc3:
		return c == 0xc3, b, nil
	case 0xcb:
		v = math.Float64frombits(number(8))
	case 0xcc, 0xcd, 0xce, 0xcf:
		v = int64(number(1 << (c - 0xcc)))
	case 0xd0:
		v = int64(int8(number(1)))
	case 0xd1:
		v = int64(int16(number(2)))
	case 0xd2:
		v = int64(int32(number(4)))
	case 0xd3:
		v = int64(number(8))
	case 0xd9, 0xda, 0xdb:
		if n := number(1 << (c - 0xd9)); err == nil {
			return decodeRaw(n, b)
		}
	case 0xdc, 0xdd:
		if n := number(2 << (c - 0xdc)); err == nil {
			return decodeList(n, b)
		}
	case 0xde, 0xdf:
		if n := number(2 << (c - 0xde)); err == nil {
			return decodeMap(n, b)
		}
	default:
		err = fmt.Errorf("unexpected byte %#x", c)
	}
	return v, b, err
}

func decodeRaw(n uint64, b []byte) (any, []byte, error) {
	if n == 0 || uint64(len(b)) < n {
		return nil, nil, fmt.Errorf("a string of %d bytes with %d left", n, len(b))
	}
	switch contents := b[1:n]; b[0] {
	case 3:
		return string(contents), b[n:], nil
	case 4:
		return bytes.Clone(contents), b[n:], nil
	case 23:
		return geo(contents), b[n:], nil
	default:
		return nil, nil, fmt.Errorf("unexpected particle type %d", b[0])
	}
}

func decodeList(n uint64, b []byte) (any, []byte, error) {
	list := []any{}
	for range n {
		v, rest, err := decodePacked(b)
		if err != nil {
			return nil, nil, err
		}
		list, b = append(list, v), rest
	}
	return list, b, nil
}

// decodeMap refuses equal keys.
func decodeMap(n uint64, b []byte) (any, []byte, error) {
	list := entries{}
	seen := map[any]bool{}
	for range n {
		k, rest, err := decodePacked(b)
		if err != nil {
			return nil, nil, err
		}
		id := k
		switch k := k.(type) {
		case []byte:
			id = [1]string{string(k)} // differs from the same string
		case int64, string:
		default:
			return nil, nil, fmt.Errorf("a key of type %T", k)
		}
		if seen[id] {
			return nil, nil, fmt.Errorf("key %v twice", k)
		}
		seen[id] = true
		v, rest, err := decodePacked(rest)
		if err != nil {
			return nil, nil, err
		}
		list, b = append(list, entry{k, v}), rest
	}
	return list, b, nil
}

// decodeBin reads a bin's value by its particle type.
func decodeBin(bin *aerospike.Bin) (any, error) {
	v := bin.Value.(*aerospike.RawBlobValue)
	fixed := map[int]int{1: 8, 2: 8, 17: 1}
	if n, ok := fixed[v.ParticleType]; ok && len(v.Data) != n {
		return nil, fmt.Errorf("particle type %d with %d bytes", v.ParticleType, len(v.Data))
	}
	switch v.ParticleType {
	case 1:
		return int64(binary.BigEndian.Uint64(v.Data)), nil
	case 2:
		return math.Float64frombits(binary.BigEndian.Uint64(v.Data)), nil
	case 3:
		return string(v.Data), nil
	case 4:
		return bytes.Clone(v.Data), nil
	case 23:
		// A byte of flags and a number of cells in two, then the text.
		if !bytes.HasPrefix(v.Data, []byte{0, 0, 0}) {
			return nil, fmt.Errorf("GeoJSON begins with % x", v.Data[:min(3, len(v.Data))])
		}
		return geo(v.Data[3:]), nil
	case 17:
		if v.Data[0] > 1 {
			return nil, fmt.Errorf("boolean %d", v.Data[0])
		}
		return v.Data[0] == 1, nil
	case 19, 20:
		value, rest, err := decodePacked(v.Data)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%d bytes after the value", len(rest))
		}
		if _, isList := value.([]any); err == nil && isList != (v.ParticleType == 20) {
			err = fmt.Errorf("particle type %d holds %T", v.ParticleType, value)
		}
		return value, err
	}
	return nil, fmt.Errorf("unexpected particle type %d", v.ParticleType)
}

// mustParse and values are for specs that the tests know to be right.
func mustParse(tb testing.TB, text string, o Options) *Spec {
	tb.Helper()
	s, err := Parse(text, o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// values decodes all bins of a record.
func values(tb testing.TB, g *Generator, key uint64) []any {
	tb.Helper()
	var out []any
	for _, bin := range g.Record(key, nil) {
		v, err := decodeBin(bin)
		if err != nil {
			tb.Fatalf("%s of %q, key %d: %v", bin.Name, g.spec, key, err)
		}
		out = append(out, v)
	}
	return out
}

// clientPack returns what the client makes of the values, one after the other.
// Its packer isn't exported, but it packs the literals of expressions too, as
// a list behind the QUOTE operator, 126.
func clientPack(tb testing.TB, values ...aerospike.Value) []byte {
	tb.Helper()
	text, err := aerospike.ExpListVal(values...).Base64()
	if err != nil {
		tb.Fatal(err)
	}
	b, decodeErr := base64.StdEncoding.DecodeString(text)
	prefix := []byte{0x92, 126, 0x90 | byte(len(values))}
	if decodeErr != nil || len(values) > 15 || !bytes.HasPrefix(b, prefix) {
		tb.Fatalf("the client's expression starts with % x: %v", b[:min(3, len(b))], decodeErr)
	}
	return b[len(prefix):]
}

// clientValue converts a decoded value to the client's types.
func clientValue(v any) aerospike.Value {
	switch v := v.(type) {
	case []any:
		return aerospike.NewListerValue(clientList(v))
	case entries:
		return aerospike.NewMapperValue(clientMap(v))
	case geo:
		return aerospike.GeoJSONValue(v)
	default:
		return aerospike.NewValue(v)
	}
}

// clientList and clientMap keep the order of entries, as a Go map wouldn't.
type clientList []any

func (l clientList) Len() int { return len(l) }

func (l clientList) PackList(buf aerospike.BufferEx) (size int, err error) {
	for _, v := range l {
		n, err := clientPackTo(buf, v)
		if err != nil {
			return size, err
		}
		size += n
	}
	return size, nil
}

type clientMap entries

func (m clientMap) Len() int { return len(m) }

func (m clientMap) PackMap(buf aerospike.BufferEx) (size int, err error) {
	for _, e := range m {
		n, err := clientList{e.key, e.value}.PackList(buf)
		if err != nil {
			return size, err
		}
		size += n
	}
	return size, nil
}

func clientPackTo(buf aerospike.BufferEx, v any) (n int, _ error) {
	var err aerospike.Error
	switch v := v.(type) {
	case int64:
		n, err = aerospike.PackInt64(buf, v)
	case float64:
		n, err = aerospike.PackFloat64(buf, v)
	case bool:
		n, err = aerospike.PackBool(buf, v)
	case string:
		n, err = aerospike.PackString(buf, v)
	case []byte:
		n, err = aerospike.PackBytes(buf, v)
	case geo:
		n, err = packGeo(buf, string(v))
	case []any:
		n, err = aerospike.PackList(buf, clientList(v))
	case entries:
		n, err = aerospike.PackMap(buf, clientMap(v))
	default:
		return 0, fmt.Errorf("unexpected type %T", v)
	}
	if err != nil {
		return n, err
	}
	return n, nil
}

// packGeo packs GeoJSON, for which the client's function isn't exported: as a
// string, whose first byte is the particle type.
func packGeo(buf aerospike.BufferEx, text string) (int, aerospike.Error) {
	n := len(text) + 1
	header := []byte{0xa0 | byte(n)}
	if n >= 32 {
		header = []byte{0xd9, byte(n)} // as none is over 255 bytes
	}
	if buf != nil {
		_, _ = buf.Write(append(header, 23))
		_, _ = buf.WriteString(text)
	}
	return len(header) + n, nil
}
