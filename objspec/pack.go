package objspec

import (
	"encoding/binary"
	"math"

	particle "github.com/aerospike/aerospike-client-go/v8/types/particle_type"
)

// Values inside collections are MessagePack with Aerospike's additions:
// strings and byte strings both use the str family, and their first byte is
// the particle type. Unordered lists and maps have no extension header. The
// widths chosen here are those of the official Go client (packer.go), so that
// the bytes equal what it would send for the same value.

// geoHeader is what precedes the text of a GeoJSON bin: a byte of flags and two
// of a number of cells, all zero in what a client sends (value.go there). Within
// collections there is no such header.
const geoHeader = 3

// appendInt appends v in its shortest form.
func appendInt(dst []byte, v int64) []byte {
	switch {
	case v > math.MaxUint32:
		return binary.BigEndian.AppendUint64(append(dst, 0xd3), uint64(v))
	case v > math.MaxUint16:
		return binary.BigEndian.AppendUint32(append(dst, 0xce), uint32(v))
	case v > math.MaxUint8:
		return binary.BigEndian.AppendUint16(append(dst, 0xcd), uint16(v))
	case v > math.MaxInt8:
		return append(dst, 0xcc, byte(v))
	case v >= -32:
		return append(dst, byte(v))
	case v >= math.MinInt8:
		return append(dst, 0xd0, byte(v))
	case v >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(dst, 0xd1), uint16(v))
	case v >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(dst, 0xd2), uint32(v))
	default:
		return binary.BigEndian.AppendUint64(append(dst, 0xd3), uint64(v))
	}
}

// intSize returns how many bytes appendInt takes for v.
func intSize(v int64) int {
	switch {
	case v > math.MaxUint32 || v < math.MinInt32:
		return 9
	case v > math.MaxUint16 || v < math.MinInt16:
		return 5
	case v > math.MaxUint8 || v < math.MinInt8:
		return 3
	case v > math.MaxInt8 || v < -32:
		return 2
	default:
		return 1
	}
}

// appendRawHeader appends what precedes a string or byte string of n bytes.
func appendRawHeader(dst []byte, particle, n int) []byte {
	n++ // the particle type belongs to the contents
	switch {
	case n < 32:
		dst = append(dst, 0xa0|byte(n))
	case n <= math.MaxUint8:
		dst = append(dst, 0xd9, byte(n))
	case n <= math.MaxUint16:
		dst = binary.BigEndian.AppendUint16(append(dst, 0xda), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint32(append(dst, 0xdb), uint32(n))
	}
	return append(dst, byte(particle))
}

// rawSize returns how many bytes a string or byte string of n bytes takes.
func rawSize(n int) int {
	switch n++; {
	case n < 32:
		return 1 + n
	case n <= math.MaxUint8:
		return 2 + n
	case n <= math.MaxUint16:
		return 3 + n
	default:
		return 5 + n
	}
}

// appendListHeader and appendMapHeader append what precedes n entries.
func appendListHeader(dst []byte, n int) []byte { return appendHeader(dst, 0x90, 0xdc, 0xdd, n) }
func appendMapHeader(dst []byte, n int) []byte  { return appendHeader(dst, 0x80, 0xde, 0xdf, n) }

func appendHeader(dst []byte, short, medium, long byte, n int) []byte {
	switch {
	case n < 16:
		return append(dst, short|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, medium), uint16(n))
	default:
		return binary.BigEndian.AppendUint32(append(dst, long), uint32(n))
	}
}

// cutHeader returns the number of entries that a list or map header tells, and
// what is behind the header.
func cutHeader(data []byte) (n int, rest []byte) {
	switch c := data[0]; c {
	case 0xdc, 0xde:
		return int(binary.BigEndian.Uint16(data[1:])), data[3:]
	case 0xdd, 0xdf:
		return int(binary.BigEndian.Uint32(data[1:])), data[5:]
	default:
		return int(c & 0x0f), data[1:]
	}
}

// headerSize returns the bytes a list or map header for n entries takes.
func headerSize(n int) int {
	switch {
	case n < 16:
		return 1
	case n <= math.MaxUint16:
		return 3
	default:
		return 5
	}
}

// particleType returns the type under which the server stores a kind.
func particleType(k kind) int {
	switch k {
	case kindInt:
		return particle.INTEGER
	case kindDouble:
		return particle.FLOAT
	case kindBool:
		return particle.BOOL
	case kindString:
		return particle.STRING
	case kindBytes:
		return particle.BLOB
	case kindList:
		return particle.LIST
	case kindGeo:
		return particle.GEOJSON
	default:
		return particle.MAP
	}
}
