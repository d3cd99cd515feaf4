package embedded

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// getWindow returns width bits that start i bits behind the first of n; bits
// outside of those are 0.
func getWindow(value []byte, at, n, i, width int) uint64 {
	if i >= n || i+width <= 0 {
		return 0
	}
	lead := max(0, -i) // zeros in front
	have := min(width, n-i) - lead
	return getBits(value, at+max(0, i), have) << (width - lead - have)
}

// getBits returns n bits, at most 64, as an integer.
func getBits(b []byte, at, n int) uint64 {
	var window [9]byte
	copy(window[:], b[at/8:])
	shift := at % 8
	high := binary.BigEndian.Uint64(window[:])
	v := high<<shift | uint64(window[8])>>(8-shift)
	if n == 0 {
		return 0
	}
	return v >> (64 - n)
}

// setBits writes the n low bits of v, at most 64.
func setBits(b []byte, at, n int, v uint64) {
	for n > 0 {
		room := 8 - at%8
		width := min(room, n)
		m := byte(1<<width-1) << (room - width)
		part := byte(v>>(n-width)) << (room - width)
		b[at/8] = b[at/8]&^m | part&m
		at += width
		n -= width
	}
}

// scan finds the first bit with the operation's value among n, from the left or
// the right, -1 if there is none.
func (o *bitOp) scan(value []byte, at, n int) int {
	blocks := (n + 63) / 64
	for k := range blocks {
		if o.code == bitRScan {
			k = blocks - 1 - k
		}
		width := min(64, n-k*64)
		v := getBits(value, at+k*64, width)
		if o.value == 0 {
			v = ^v & (math.MaxUint64 >> (64 - width))
		}
		if v == 0 {
			continue
		}
		if o.code == bitLScan {
			return k*64 + bits.LeadingZeros64(v) - (64 - width)
		}
		return k*64 + width - 1 - bits.TrailingZeros64(v)
	}
	return -1
}
