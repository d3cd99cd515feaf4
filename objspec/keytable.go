package objspec

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A map in which a generator, or strings of drawn length, could make a key that
// another key form makes too, or the same twice, compares its keys. Each new
// key is looked up in a table of those before it and of the map's constants, and
// made again until it is new. Forms whose values can be counted take the next
// value of their group's permutation each time, the others draw. Parse sees to
// it that this ends, and soon: the values that can be counted suffice for all
// keys they could be equal to, and at least half of what the others make is
// still free. The weights of pick don't count among keys that must differ.

// keyTable is a hash table with open addresses. A slot has the offset of a packed
// key in the buffer, plus 1, or the bitwise complement of the number of a
// constant key; 0 is a free slot.
type keyTable []int

// newKeyTable returns a table for n keys, at most half full.
func newKeyTable(n int) keyTable { return padded[int](1 << bits.Len(uint(2*n))) }

// start begins another map, with its constant keys.
func (t keyTable) start(fixed [][]byte) {
	clear(t)
	for i, key := range fixed {
		t.add(nil, key, ^i, fixed)
	}
}

// add puts in the packed key, which the value of the slot stands for, and tells
// whether it was new. Packed values are prefix-free, so a key needs no length.
func (t keyTable) add(buf, key []byte, value int, fixed [][]byte) bool {
	for i := hash(key) & uint64(len(t)-1); ; i = (i + 1) & uint64(len(t)-1) {
		switch at := t[i]; {
		case at == 0:
			t[i] = value
			return true
		case at > 0 && bytes.HasPrefix(buf[at-1:], key):
			return false
		case at < 0 && bytes.Equal(fixed[^at], key):
			return false
		}
	}
}

func hash(key []byte) uint64 {
	h := uint64(len(key))
	for len(key) >= 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(key))
		key = key[8:]
	}
	for _, c := range key {
		h = h<<8 | h>>56 ^ uint64(c)
	}
	return mix(h + golden)
}
