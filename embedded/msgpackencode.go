package embedded

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// appendHeader appends a list's or map's header.
func appendHeader(out []byte, kind elementType, count int) []byte {
	fix, wide := byte(0x90), byte(0xDC)
	if kind == typeMap {
		fix, wide = 0x80, 0xDE
	}
	switch {
	case count < 16:
		return append(out, fix|byte(count))
	case count < 1<<16:
		return binary.BigEndian.AppendUint16(append(out, wide), uint16(count))
	}
	return binary.BigEndian.AppendUint32(append(out, wide+1), uint32(count))
}

// appendInteger appends an integer in its shortest form.
func appendInteger(out []byte, n uint64, negative bool) []byte {
	base, fix := byte(0xCC), n < 0x80
	limits := [3]bool{n < 1<<8, n < 1<<16, n < 1<<32}
	if negative {
		i := int64(n)
		base, fix = 0xD0, i >= -32
		limits = [3]bool{i >= math.MinInt8, i >= math.MinInt16, i >= math.MinInt32}
	}
	switch {
	case fix:
		return append(out, byte(n))
	case limits[0]:
		return append(out, base, byte(n))
	case limits[1]:
		return binary.BigEndian.AppendUint16(append(out, base+1), uint16(n))
	case limits[2]:
		return binary.BigEndian.AppendUint32(append(out, base+2), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(out, base+3), n)
}

// appendBytes appends a string or bytes with its header shortened, if it can be.
// A bin header that is as short as its length allows stays one.
func appendBytes(out []byte, e element) []byte {
	length, header := len(e.payload), len(e.raw)-len(e.payload)
	switch {
	case length < 32 && header > 1:
		out = append(out, 0xA0|byte(length))
	case length < 1<<8 && header > 2:
		out = append(out, 0xD9, byte(length))
	case length < 1<<16 && header > 3:
		out = binary.BigEndian.AppendUint16(append(out, 0xDA), uint16(length))
	default:
		return append(out, e.raw...)
	}
	return append(out, e.payload...)
}

// appendExtension appends an extension in its shortest form.
func appendExtension(out []byte, kind byte, payload []byte) []byte {
	switch length := len(payload); {
	case length == 1 || length == 2 || length == 4 || length == 8 || length == 16:
		out = append(out, 0xD4+byte(bits.TrailingZeros(uint(length))))
	case length < 1<<8:
		out = append(out, 0xC7, byte(length))
	case length < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0xC8), uint16(length))
	default:
		out = binary.BigEndian.AppendUint32(append(out, 0xC9), uint32(length))
	}
	return append(append(out, kind), payload...)
}
