package embedded_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A cdtGen makes random operations on lists and maps, most of which make sense.
type cdtGen struct{ *rand.Rand }

func packed(head byte, parts ...string) string {
	return string([]byte{head | byte(len(parts))}) + strings.Join(parts, "")
}

func packedInt(n int) string {
	if n >= -32 && n < 128 {
		return string([]byte{byte(n)})
	}
	return string(binary.BigEndian.AppendUint64([]byte{0xD3}, uint64(int64(n))))
}

func packedString(s string) string { return string([]byte{0xA1 + byte(len(s)), 3}) + s }

const (
	packedNil      = "\xC0"
	packedWildcard = "\xC7\x01\xFF\x00"
	packedInfinity = "\xC7\x01\xFF\x01"
)

func (g cdtGen) scalar() string {
	switch g.IntN(12) {
	case 0:
		return packedNil
	case 1:
		return pick(g.Rand, "\xC2", "\xC3")
	case 2:
		return string(binary.BigEndian.AppendUint64([]byte{0xCB}, pick[uint64](g.Rand, 0x3FF8000000000000, 0x4010000000000000, 0xBFF0000000000000)))
	case 3, 4:
		return packedString(pick(g.Rand, "a", "b", "c", "", "longer"))
	case 5:
		return "\xA3\x04" + pick(g.Rand, "xy", "xz")
	case 6:
		return packedInt(pick(g.Rand, -200, 300, 100000, -1, 1<<40))
	}
	return packedInt(g.IntN(8) - 1)
}

// value makes a value that can be stored.
func (g cdtGen) value(depth int) string {
	if depth < 2 {
		switch g.IntN(8) {
		case 0:
			return g.list(depth + 1)
		case 1:
			return g.dict(depth + 1)
		}
	}
	return g.scalar()
}

func (g cdtGen) list(depth int) string {
	parts := make([]string, g.IntN(4))
	for i := range parts {
		parts[i] = g.value(depth)
	}
	return packed(0x90, parts...)
}

// long makes a list of more values, many of which are equal.
func (g cdtGen) long() string {
	parts := make([]string, g.IntN(15))
	for i := range parts {
		parts[i] = g.value(1 + g.IntN(4))
	}
	return packed(0x90, parts...)
}

func (g cdtGen) key() string {
	switch g.IntN(5) {
	case 0, 1:
		return packedString(pick(g.Rand, "a", "b", "c", "d"))
	case 2:
		return "\xA2\x04" + pick(g.Rand, "x", "y")
	}
	return packedInt(g.IntN(6))
}

func (g cdtGen) dict(depth int) string {
	entries := map[string]string{}
	for range g.IntN(4 + 8*g.IntN(2)) {
		entries[g.key()] = g.value(depth)
	}
	b := string([]byte{0x80 | byte(len(entries))})
	for k, v := range entries {
		b += k + v
	}
	return b
}

// operand makes a value to compare with.
func (g cdtGen) operand() string {
	switch g.IntN(20) {
	case 0:
		return packedInfinity
	case 1:
		return packed(0x90, g.scalar(), packedWildcard)
	case 2:
		return packed(0x90, g.scalar(), packedInfinity)
	case 3:
		return packedNil
	}
	return g.value(1)
}

func (g cdtGen) index() string { return packedInt(g.IntN(12) - 6) }

func (g cdtGen) count() string { return packedInt(g.IntN(5)) }

// kind makes what to return, which mostly fits the collection and the number of
// elements that are selected.
func (g cdtGen) kind(isMap, multi bool) string {
	kind := pick(g.Rand, 0, 1, 2, 3, 4, 5, 7, 7, 7, 13)
	if isMap {
		kind = pick(g.Rand, kind, 6, 7, 8, 16, 17)
	}
	if g.IntN(10) == 0 {
		kind = pick(g.Rand, 6, 8, 9, 10, 11, 12, 16, 17, 14, 99)
	}
	if multi && g.IntN(3) == 0 || g.IntN(30) == 0 {
		kind |= 0x10000
	}
	return packedInt(kind)
}

// operands makes a list of values. Maps must not be searched for none of them: a
// real server ends with a segmentation fault if all entries are to be returned.
func (g cdtGen) operands(least int) string {
	parts := make([]string, least+g.IntN(4))
	for i := range parts {
		parts[i] = g.operand()
	}
	return packed(0x90, parts...)
}

func (g cdtGen) keys() string {
	parts := make([]string, 1+g.IntN(4))
	for i := range parts {
		parts[i] = g.key()
	}
	return packed(0x90, parts...)
}

// optional leaves parameters away from some position on.
func (g cdtGen) optional(required int, params ...string) []string {
	return params[:required+g.IntN(len(params)-required+1)]
}

// listSelect makes the parameters of a get or remove by its number among them.
func (g cdtGen) listSelect(n int) []string {
	single := n == 0 || n == 1 || n == 2
	kind := g.kind(false, !single)
	switch n {
	case 0, 2:
		return []string{kind, g.index()}
	case 1, 3:
		return []string{kind, g.operand()}
	case 4:
		return []string{kind, g.operands(0)}
	case 5, 7:
		return g.optional(2, kind, g.index(), g.count())
	case 6:
		return g.optional(2, kind, g.operand(), g.operand())
	}
	return g.optional(3, kind, g.operand(), g.index(), g.count())
}

func (g cdtGen) mapSelect(n int) []string {
	kind := g.kind(true, n > 3)
	switch n {
	case 0:
		return []string{kind, g.key()}
	case 1, 3:
		return []string{kind, g.index()}
	case 2, 5:
		return []string{kind, g.operand()}
	case 4:
		return []string{kind, g.keys()}
	case 6:
		return []string{kind, g.operands(1)}
	case 7:
		return g.optional(2, kind, g.key(), g.key())
	case 8, 10:
		return g.optional(2, kind, g.index(), g.count())
	case 9:
		return g.optional(2, kind, g.operand(), g.operand())
	case 11:
		return g.optional(3, kind, g.key(), g.index(), g.count())
	}
	return g.optional(3, kind, g.operand(), g.index(), g.count())
}

func (g cdtGen) listWrite() (code int, params []string) {
	create, write := packedInt(pick(g.Rand, 0, 0, 1, 1, 5)), packedInt(g.IntN(16))
	switch code = g.IntN(14); code {
	case 0:
		params = []string{packedInt(pick(g.Rand, 0, 0, 1, 1, 3))}
	case 1:
		params = g.optional(1, g.value(0), create, write)
	case 2:
		params = g.optional(1, g.list(0), create, write)
	case 3, 9:
		params = g.optional(2, g.index(), g.value(0), write)
	case 4:
		params = g.optional(2, g.index(), g.list(0), write)
	case 5, 7:
		params = []string{g.index()}
	case 6, 8:
		params = g.optional(1, g.index(), g.count())
	case 10:
		params = []string{g.index(), packedInt(g.IntN(7))}
	case 12:
		params = g.optional(1, g.index(), pick(g.Rand, packedInt(g.IntN(9)-3), packedNil, g.scalar()), create, write)
	case 13:
		params = g.optional(0, packedInt(g.IntN(4)))
	}
	return code, params
}

func (g cdtGen) mapWrite() (code int, params []string) {
	create, write := packedInt(pick(g.Rand, 0, 0, 1, 1, 3, 5)), packedInt(g.IntN(16))
	switch code = pick(g.Rand, 64, 65, 66, 67, 67, 67, 68, 68, 69, 70, 73, 74, 75); code {
	case 64:
		params = []string{packedInt(pick(g.Rand, 0, 1, 3, 4))}
	case 65:
		params = g.optional(2, g.key(), g.value(0), create)
	case 66:
		params = g.optional(1, g.dict(0), create)
	case 67:
		params = g.optional(2, g.key(), g.value(0), create, write)
	case 68:
		params = g.optional(1, g.dict(0), create, write)
	case 69:
		params = []string{g.key(), g.value(0)}
	case 70:
		params = []string{g.dict(0)}
	case 73, 74:
		params = g.optional(2, g.key(), pick(g.Rand, packedInt(g.IntN(9)-3), packedNil, g.scalar()), create)
	}
	return code, params
}

// op makes an operation: its code on the wire and its operand.
func (g cdtGen) op(isMap, write bool) string {
	var code int
	var params []string
	selects := []int{32, 33, 34, 35, 36, 37, 38, 39, 40}
	reads := []int{19, 20, 21, 22, 23, 24, 25, 26, 27}
	choose := g.listSelect
	if isMap {
		selects = []int{76, 77, 78, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89}
		reads = []int{97, 98, 99, 100, 107, 102, 108, 103, 104, 105, 106, 109, 110}
		choose = g.mapSelect
	}
	n := g.IntN(len(selects))
	switch {
	case write && g.IntN(3) == 0:
		code, params = selects[n], choose(n)
	case write && isMap:
		code, params = g.mapWrite()
	case write:
		code, params = g.listWrite()
	case g.IntN(15) == 0 && isMap:
		code = 96
	case g.IntN(15) == 0:
		code = 16
	case g.IntN(15) == 0 && !isMap:
		code, params = 17, []string{g.index()}
	case g.IntN(15) == 0 && !isMap:
		code, params = 18, g.optional(1, g.index(), g.count())
	default:
		code, params = reads[n], choose(n)
	}
	head := packedInt(code)
	if code > 127 {
		head = "\xCC" + string([]byte{byte(code)})
	}
	return packed(0x90, append([]string{head}, params...)...)
}

// path makes a path of one or two steps.
func (g cdtGen) path() string {
	var parts []string
	for range 1 + g.IntN(2) {
		kind := pick(g.Rand, 0x10, 0x11, 0x13, 0x20, 0x21, 0x22, 0x22, 0x22, 0x23, 0x10)
		create := 0
		if kind == 0x10 || kind == 0x22 {
			create = pick(g.Rand, 0, 0, 0x40, 0x80, 0xC0)
		}
		var where string
		switch kind & 0xF {
		case 0, 1:
			where = packedInt(g.IntN(5) - 1)
			if create == 0x80 { // -1 ends a real server
				where = packedInt(g.IntN(5))
			}
		case 2:
			where = g.key()
		case 3:
			where = g.value(1)
		}
		parts = append(parts, "\xCD"+string([]byte{byte((kind | create) >> 8), byte(kind | create)}), where)
	}
	return packed(0x90, parts...)
}

func (g cdtGen) operation() string {
	isMap, write := g.IntN(2) == 0, g.IntN(5) < 3
	name := pick(g.Rand, "l", "l", "o")
	if isMap {
		name = pick(g.Rand, "m", "m", "k")
	}
	if g.IntN(60) == 0 {
		name = pick(g.Rand, "l", "m")
	}
	operand := g.op(isMap, write)
	if g.IntN(4) == 0 {
		operand = packed(0x90, "\xCC\xFF", g.path(), g.op(g.IntN(2) == 0, write))
		name = pick(g.Rand, "l", "o", "m", "k")
	}
	if write {
		return operation(4, 20, name, operand)
	}
	return operation(3, 20, name, operand)
}

func TestRandomCollectionOperations(t *testing.T) {
	ours, theirs := bothServers(t)
	g := cdtGen{rand.New(rand.NewPCG(4, uint64(keyEpoch)))}
	const rounds, perKey = 40_000, 60
	codes := map[byte]int{}
	var ops []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d, last operations %q", keyEpoch, ops)
		}
	})
	for i := range rounds {
		digest := fmt.Sprintf("%016x~%03d", keyEpoch, i/perKey%1000)
		ops = nil
		msg := rawMessage{info1: 1, info2: 1}
		switch {
		case i%perKey == 0:
			msg.info3 = 16
			ops = []string{operation(2, 20, "l", g.long()), operation(2, 20, "o", "\x91\xC7\x00\x01"),
				operation(2, 19, "m", g.dict(0)), operation(2, 19, "k", "\x81\xC7\x00\x01\xC0"), operation(2, 3, "s", "text")}
		default:
			for range 1 + g.IntN(2) {
				ops = append(ops, g.operation())
			}
			msg.info2 |= maybe[byte](g.Rand, 0.2, 128)
			ops = append(ops, operation(1, 0, "l", ""), operation(1, 0, "o", ""), operation(1, 0, "m", ""), operation(1, 0, "k", ""))
		}
		if i%perKey != 0 && g.IntN(10) == 0 {
			msg.info2 = 0
		}
		msg.fields = []string{field(fNamespace, "test"), field(fSet, testSet), field(fDigest, digest)}
		msg.ops = ops
		codes[sameReply(t, i, ours, theirs, msg.body())]++
	}
	t.Logf("replies by result code: %v", codes)
}
