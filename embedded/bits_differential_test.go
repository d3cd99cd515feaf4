package embedded_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func packedBlob(b string) string { return string([]byte{0xA1 + byte(len(b)), 4}) + b }

// bitOperation makes a random bit operation. Offsets and sizes within one blob
// are the rule. Operations on a part only start in the first byte: elsewhere a
// real server writes beyond the blob.
func bitOperation(r *rand.Rand) (code byte, operand string) {
	offset, size := packedInt(r.IntN(44)-6), packedInt(r.IntN(24))
	buf := make([]byte, 1+r.IntN(5))
	for i := range buf {
		buf[i] = byte(r.IntN(256))
	}
	flags := pick(r, 0, 0, 0, 1, 2, 4, 6, 3)
	op := pick(r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 50, 51, 52, 53, 54)
	if op >= 2 && op <= 9 && r.IntN(4) == 0 {
		flags = 8 | pick(r, 0, 4)
		offset = packedInt(r.IntN(8))
	}
	params := []string{"\xCC" + string([]byte{byte(op)})}
	optional := 1
	switch op {
	case 0:
		params = append(params, packedInt(r.IntN(9)), packedInt(flags), packedInt(r.IntN(8)))
		optional = 2
	case 1:
		params = append(params, packedInt(r.IntN(7)-2), packedBlob(string(buf)), packedInt(flags))
	case 2:
		if flags&8 != 0 {
			offset = "\x00"
		} else {
			offset = packedInt(r.IntN(6) - 2)
		}
		params = append(params, offset, packedInt(r.IntN(5)), packedInt(flags))
	case 3, 4, 5, 6:
		params = append(params, offset, size, packedBlob(string(buf)), packedInt(flags))
	case 7:
		params = append(params, offset, size, packedInt(flags))
	case 8, 9:
		params = append(params, offset, size, packedInt(r.IntN(20)), packedInt(flags))
	case 10, 11:
		params = append(params, offset, packedInt(r.IntN(40)), packedInt(r.IntN(300)-150), packedInt(flags), packedInt(r.IntN(8)))
		optional = 2
	case 12:
		params = append(params, offset, packedInt(r.IntN(40)), packedInt(r.IntN(300)-150), packedInt(flags))
	case 50, 51:
		params = append(params, offset, size)
		optional = 0
	case 52, 53:
		params = append(params, offset, size, pick(r, "\xC2", "\xC3"))
		optional = 0
	case 54:
		params = append(params, offset, packedInt(r.IntN(66)), packedInt(r.IntN(3)))
	}
	if flags&8 == 0 {
		params = params[:len(params)-r.IntN(optional+1)]
	}
	if op >= 50 {
		return 12, packed(0x90, params...)
	}
	return 13, packed(0x90, params...)
}

func TestRandomBitOperations(t *testing.T) {
	ours, theirs := bothServers(t)
	r := rand.New(rand.NewPCG(5, uint64(keyEpoch)))
	const rounds, perKey = 40_000, 40
	codes := map[byte]int{}
	var ops []string
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d, last operations %q", keyEpoch, ops)
		}
	})
	for i := range rounds {
		digest := fmt.Sprintf("%016x!%03d", keyEpoch, i/perKey)
		msg := rawMessage{info1: 1, info2: 1, fields: []string{field(fNamespace, "test"), field(fSet, testSet), field(fDigest, digest)}}
		if i%perKey == 0 {
			msg.info3 = 16
			ops = []string{operation(2, 4, "b", "\x0F\xF0\x55\xAA"[:1+r.IntN(4)]), operation(2, 3, "s", "text")}
		} else {
			code, operand := bitOperation(r)
			name := pick(r, "b", "b", "b", "b", "b", "new", "s")
			particle := byte(4)
			if r.IntN(50) == 0 {
				particle = 3
			}
			ops = []string{operation(code, particle, name, operand), operation(1, 0, "b", ""), operation(1, 0, "new", "")}
			if name == "new" {
				ops = append(ops, operation(2, 0, "new", ""))
			}
			msg.info2 |= maybe[byte](r, 0.2, 128)
			if code == 12 && r.IntN(2) == 0 && name != "new" {
				msg.info2 = 0
			}
		}
		msg.ops = ops
		codes[sameReply(t, i, ours, theirs, msg.body())]++
	}
	t.Logf("replies by result code: %v", codes)
}
