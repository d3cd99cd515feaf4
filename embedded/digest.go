package embedded

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// KeyDigest computes the digest of a key in a set, as clients do: RIPEMD-160 of
// the set's name, a byte for the key's type, and the key. The key is an int,
// int64, string or []byte; another type is an error.
func KeyDigest(set string, key any) (Digest, error) {
	data := []byte(set)
	switch k := key.(type) {
	case int:
		data = binary.BigEndian.AppendUint64(append(data, particleInteger), uint64(k))
	case int64:
		data = binary.BigEndian.AppendUint64(append(data, particleInteger), uint64(k))
	case string:
		data = append(append(data, particleString), k...)
	case []byte:
		data = append(append(data, particleBlob), k...)
	default:
		return Digest{}, fmt.Errorf("a key can't be of type %T", key)
	}
	return ripemd160(data), nil
}

// The tables of RIPEMD-160 (Dobbertin, Bosselaers, Preneel 1996), one byte for
// each of the 80 steps of the left and right line: which word of the block to
// add, and by how many bits to rotate. They are strings to be constants.
const (
	leftWords = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" +
		"\x07\x04\x0d\x01\x0a\x06\x0f\x03\x0c\x00\x09\x05\x02\x0e\x0b\x08" +
		"\x03\x0a\x0e\x04\x09\x0f\x08\x01\x02\x07\x00\x06\x0d\x0b\x05\x0c" +
		"\x01\x09\x0b\x0a\x00\x08\x0c\x04\x0d\x03\x07\x0f\x0e\x05\x06\x02" +
		"\x04\x00\x05\x09\x07\x0c\x02\x0a\x0e\x01\x03\x08\x0b\x06\x0f\x0d"
	rightWords = "\x05\x0e\x07\x00\x09\x02\x0b\x04\x0d\x06\x0f\x08\x01\x0a\x03\x0c" +
		"\x06\x0b\x03\x07\x00\x0d\x05\x0a\x0e\x0f\x08\x0c\x04\x09\x01\x02" +
		"\x0f\x05\x01\x03\x07\x0e\x06\x09\x0b\x08\x0c\x02\x0a\x00\x04\x0d" +
		"\x08\x06\x04\x01\x03\x0b\x0f\x00\x05\x0c\x02\x0d\x09\x07\x0a\x0e" +
		"\x0c\x0f\x0a\x04\x01\x05\x08\x07\x06\x02\x0d\x0e\x00\x03\x09\x0b"
	leftShifts = "\x0b\x0e\x0f\x0c\x05\x08\x07\x09\x0b\x0d\x0e\x0f\x06\x07\x09\x08" +
		"\x07\x06\x08\x0d\x0b\x09\x07\x0f\x07\x0c\x0f\x09\x0b\x07\x0d\x0c" +
		"\x0b\x0d\x06\x07\x0e\x09\x0d\x0f\x0e\x08\x0d\x06\x05\x0c\x07\x05" +
		"\x0b\x0c\x0e\x0f\x0e\x0f\x09\x08\x09\x0e\x05\x06\x08\x06\x05\x0c" +
		"\x09\x0f\x05\x0b\x06\x08\x0d\x0c\x05\x0c\x0d\x0e\x0b\x08\x05\x06"
	rightShifts = "\x08\x09\x09\x0b\x0d\x0f\x0f\x05\x07\x07\x08\x0b\x0e\x0e\x0c\x06" +
		"\x09\x0d\x0f\x07\x0c\x08\x09\x0b\x07\x07\x0c\x07\x06\x0f\x0d\x0b" +
		"\x09\x07\x0f\x0b\x08\x06\x06\x0e\x0c\x0d\x05\x0e\x0d\x0d\x07\x05" +
		"\x0f\x05\x08\x0b\x0e\x0e\x06\x0e\x06\x09\x0c\x09\x0c\x05\x0f\x08" +
		"\x08\x05\x0c\x09\x0c\x05\x0e\x06\x08\x0d\x06\x05\x0f\x0d\x0b\x0b"
)

// ripemd160 hashes data.
func ripemd160(data []byte) (sum Digest) {
	const block = 64
	length := uint64(len(data)) * 8
	padded := append(data[:len(data):len(data)], 0x80)
	for len(padded)%block != block-8 {
		padded = append(padded, 0)
	}
	padded = binary.LittleEndian.AppendUint64(padded, length)

	h := [5]uint32{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}
	for ; len(padded) > 0; padded = padded[block:] {
		var x [16]uint32
		for i := range x {
			x[i] = binary.LittleEndian.Uint32(padded[4*i:])
		}
		left := ripemdLine(h, &x, leftWords, leftShifts, [5]uint32{0, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E}, false)
		right := ripemdLine(h, &x, rightWords, rightShifts, [5]uint32{0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0}, true)
		h = [5]uint32{
			h[1] + left[2] + right[3],
			h[2] + left[3] + right[4],
			h[3] + left[4] + right[0],
			h[4] + left[0] + right[1],
			h[0] + left[1] + right[2],
		}
	}
	for i, word := range h {
		binary.LittleEndian.PutUint32(sum[4*i:], word)
	}
	return sum
}

// ripemdLine runs the 80 steps of one line. The right line uses the five mixing
// functions in reverse order.
func ripemdLine(h [5]uint32, x *[16]uint32, words, shifts string, add [5]uint32, reverse bool) [5]uint32 {
	a, b, c, d, e := h[0], h[1], h[2], h[3], h[4]
	for j := range 80 {
		round := j / 16
		mixed := ripemdMix(round, b, c, d)
		if reverse {
			mixed = ripemdMix(4-round, b, c, d)
		}
		t := bits.RotateLeft32(a+mixed+x[words[j]]+add[round], int(shifts[j])) + e
		a, e, d, c, b = e, d, bits.RotateLeft32(c, 10), b, t
	}
	return [5]uint32{a, b, c, d, e}
}

func ripemdMix(round int, x, y, z uint32) uint32 {
	switch round {
	case 0:
		return x ^ y ^ z
	case 1:
		return x&y | ^x&z
	case 2:
		return (x | ^y) ^ z
	case 3:
		return x&z | y&^z
	}
	return x ^ (y | ^z)
}
