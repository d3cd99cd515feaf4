package embedded_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/embedded"
)

// The tests in this file send the same random requests to an embedded and to a
// real server and demand the same replies. They need AEROLOAD_TEST_HOSTS.

// bothServers connects to an embedded and to the real server.
func bothServers(t *testing.T) (ours, theirs *rawConn) {
	t.Helper()
	hosts := os.Getenv("AEROLOAD_TEST_HOSTS")
	if hosts == "" {
		t.Skip("AEROLOAD_TEST_HOSTS isn't set")
	}
	return dialRaw(t, embedded.RunT(t, embedded.Config{EventLoops: 1}).Addr()), dialRaw(t, hosts)
}

// clockSkew bounds by how many seconds the void times of the two servers may differ:
// each takes the time when a request gets to it. The times to live that tests ask for
// are further apart.
const clockSkew = 20

// sameTimes reports whether the messages of two replies, which are otherwise the
// same, have the same void times.
func sameTimes(ours, theirs []byte) bool {
	for len(ours) > 0 {
		a, b := int64(binary.BigEndian.Uint32(ours[10:])), int64(binary.BigEndian.Uint32(theirs[10:]))
		if max(a-b, b-a) > clockSkew {
			return false
		}
		parts := int(binary.BigEndian.Uint16(ours[18:])) + int(binary.BigEndian.Uint16(ours[20:]))
		ours, theirs = ours[22:], theirs[22:]
		for range parts {
			n := 4 + binary.BigEndian.Uint32(ours)
			ours, theirs = ours[n:], theirs[n:]
		}
	}
	return true
}

// blurTimes replaces the void time of each message in a reply by 1, unless it is
// 0: the two servers' clocks may be a second apart.
func blurTimes(t *testing.T, body []byte) []byte {
	t.Helper()
	out := bytes.Clone(body)
	for b := out; len(b) > 0; {
		if len(b) < 22 {
			t.Fatalf("half a message: %x", b)
		}
		if binary.BigEndian.Uint32(b[10:]) != 0 {
			binary.BigEndian.PutUint32(b[10:], 1)
		}
		parts := int(binary.BigEndian.Uint16(b[18:])) + int(binary.BigEndian.Uint16(b[20:]))
		b = b[22:]
		for range parts {
			b = b[4+binary.BigEndian.Uint32(b):]
		}
	}
	return out
}

// sameReply sends a message to both servers and compares the replies, of which it
// returns the result code.
func sameReply(t *testing.T, round int, ours, theirs *rawConn, body []byte) byte {
	t.Helper()
	ours.send(frame(3, body))
	theirs.send(frame(3, body))
	_, got := ours.receive()
	_, want := theirs.receive()
	if !bytes.Equal(blurTimes(t, got), blurTimes(t, want)) || !sameTimes(got, want) {
		t.Fatalf("round %d: request %x\n ours   %d %q\n theirs %d %q", round, body, got[5], got[22:], want[5], want[22:])
	}
	return want[5]
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// maybe returns x with probability p, else the zero value.
func maybe[T any](r *rand.Rand, p float64, x T) T {
	var none T
	if r.Float64() < p {
		return x
	}
	return none
}

func randomValue(r *rand.Rand) (particle byte, value string) {
	switch pick(r, 0, 0, 1, 2, 2, 3, 4, 5, 6) {
	case 0:
		return 1, string(binary.BigEndian.AppendUint64(nil, pick(r, 0, 1, 200, 70000, 1<<40, ^uint64(0), r.Uint64())))
	case 1:
		return 2, string(binary.BigEndian.AppendUint64(nil, pick[uint64](r, 0, 0x3FF8000000000000, 0xBFF0000000000000)))
	case 2:
		return 3, strings.Repeat("s", r.IntN(20))
	case 3:
		return 4, strings.Repeat("\xFE", r.IntN(20))
	case 4:
		return 17, string([]byte{byte(r.IntN(3))})
	case 5:
		return 20, string(randomPacked(r, 0, 0x90))
	}
	return pick[byte](r, 1, 19, 18, 23, 7, 5, 0, 99), strings.Repeat("\x00", r.IntN(18))
}

func randomOp(r *rand.Rand, write bool) string {
	name := pick(r, "a", "a", "b", "c", "a long bin name")
	if r.IntN(40) == 0 {
		name = pick(r, "", "a too long name!", "a\x00")
	}
	if !write || r.IntN(3) == 0 {
		return operation(1, 0, name, "")
	}
	switch r.IntN(12) {
	case 0:
		return operation(2, 0, name, "")
	case 1:
		return operation(11, 0, maybe(r, 0.1, "a"), "")
	case 2:
		return operation(14, 0, maybe(r, 0.1, "a"), "")
	}
	particle, value := randomValue(r)
	return operation(pick[byte](r, 2, 2, 2, 5, 9, 10), particle, name, value)
}

// randomMessage makes a request for one of a few records.
func randomMessage(r *rand.Rand, keys []string) rawMessage {
	var m rawMessage
	write := r.IntN(3) > 0
	m.info1 = maybe[byte](r, 0.9, 1) | maybe[byte](r, 0.05, 2) | maybe[byte](r, 0.05, 32)
	if write {
		m.info2 = 1 | maybe[byte](r, 0.1, 2) | maybe[byte](r, 0.1, 4) | maybe[byte](r, 0.1, 8) |
			maybe[byte](r, 0.05, 16) | maybe[byte](r, 0.05, 32)
		m.info3 = maybe[byte](r, 0.05, 8) | maybe[byte](r, 0.1, 16) | maybe[byte](r, 0.05, 32)
		m.ttl = pick[uint32](r, 0, 0, 100, 7000, 1<<32-1, 1<<32-1, 1<<32-2, 1<<32-2)
		if r.IntN(50) == 0 {
			m.ttl = 400_000_000
		}
	}
	m.info2 |= maybe[byte](r, 0.2, 128)
	m.generation = uint32(r.IntN(5))
	m.fields = []string{field(fNamespace, "test"), field(fDigest, pick(r, keys...))}
	if r.IntN(20) > 0 {
		m.fields = append(m.fields, field(fSet, maybe(r, 0.9, testSet)))
	}
	if r.IntN(5) == 0 {
		m.fields = append(m.fields, field(fKey, pick(r, "\x03key", "\x03key", "\x03other", "\x01x", "")))
	}
	r.Shuffle(len(m.fields), func(i, j int) { m.fields[i], m.fields[j] = m.fields[j], m.fields[i] })
	for range max(r.IntN(5), maybe(r, 0.95, 1)) {
		m.ops = append(m.ops, randomOp(r, write))
	}
	return m
}

func TestRandomRequests(t *testing.T) {
	ours, theirs := bothServers(t)
	r := rand.New(rand.NewPCG(1, uint64(keyEpoch)))
	const rounds = 30_000
	codes := map[byte]int{}
	for i := range rounds {
		if i%500 == 0 {
			t.Logf("seed %d, round %d", keyEpoch, i)
		}
		keys := []string{fmt.Sprintf("%016x-%03d", keyEpoch, i/50), fmt.Sprintf("%016x+%03d", keyEpoch, i/50)}
		codes[sameReply(t, i, ours, theirs, randomMessage(r, keys).body())]++
	}
	t.Logf("replies by result code: %v", codes)
}

// row turns a request into a row of a batch.
func (m rawMessage) row(index int, digest string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(index))
	b = append(append(b, digest...), 0x0E, m.info1, m.info2, m.info3)
	b = binary.BigEndian.AppendUint16(b, uint16(m.generation))
	b = binary.BigEndian.AppendUint32(b, m.ttl)
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.fields)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.ops)))
	return string(b) + strings.Join(m.fields, "") + strings.Join(m.ops, "")
}

// receiveAll reads frames up to the one with the trailer, and joins their bodies.
func (c *rawConn) receiveAll() (all []byte) {
	c.t.Helper()
	for {
		_, body := c.receive()
		all = append(all, body...)
		if len(body) == 22 && body[3]&1 != 0 {
			return all
		}
	}
}

func TestRandomBatches(t *testing.T) {
	ours, theirs := bothServers(t)
	r := rand.New(rand.NewPCG(3, uint64(keyEpoch)))
	const rounds, rowsEach = 3_000, 20
	codes := map[byte]int{}
	for i := range rounds {
		keys := []string{fmt.Sprintf("%016x/%03d", keyEpoch, i/3), fmt.Sprintf("%016x=%03d", keyEpoch, i/3)}
		flags := byte(1) | maybe[byte](r, 0.3, 2) | maybe[byte](r, 0.7, 4) | maybe[byte](r, 0.2, 8) // carried out in order
		rows := string(append(binary.BigEndian.AppendUint32(nil, rowsEach), flags))
		for n := range rowsEach {
			digest := pick(r, keys...)
			if n > 0 && r.IntN(4) == 0 {
				rows += string(binary.BigEndian.AppendUint32(nil, uint32(n))) + digest + "\x01"
				continue
			}
			m := randomMessage(r, keys)
			if m.ttl == 1<<32-2 {
				m.ttl = 100 // the real server changes it in rows that are repeated
			}
			m.fields = []string{field(fNamespace, "test"), field(fSet, maybe(r, 0.95, testSet))}
			rows += m.row(n, digest)
		}
		msg := rawMessage{info1: 8, fields: []string{field(fBatch, rows)}}.body()
		ours.send(frame(3, msg))
		theirs.send(frame(3, msg))
		got, want := ours.receiveAll(), theirs.receiveAll()
		codes[want[len(want)-22+5]]++
		if !bytes.Equal(blurTimes(t, got), blurTimes(t, want)) || !sameTimes(got, want) {
			t.Fatalf("seed %d, round %d: request %x\n ours   %x\n theirs %x", keyEpoch, i, msg, got, want)
		}
	}
	t.Logf("batches by result code: %v", codes)
}

// randomPacked makes a MessagePack element, of the kind that head stands for if
// it isn't 0; some are malformed.
func randomPacked(r *rand.Rand, depth int, head byte) []byte {
	n := r.IntN(4)
	if head == 0 {
		head = pick[byte](r, 0x00, 0x01, 0x02, 0x7F, 0xE0, 0xFF, 0xA0, 0xA1, 0xC0, 0xC2, 0xC3, 0xCA, 0xCB, 0xCC, 0xCD, 0xCE, 0xCF,
			0xD0, 0xD1, 0xD2, 0xD3, 0xC4, 0xD9, 0xDA, 0xD4, 0xC7, 0xC1, 0x80, 0x90, 0xDC, 0xDE, 0xA1, 0xA1, 0xA1, 0x01)
	}
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = pick[byte](r, 0, 1, 0x7F, 0x80, 0xFF, byte(r.IntN(256)))
		}
		return b
	}
	text := func() []byte { return append([]byte{pick[byte](r, 3, 3, 3, 4, 23)}, strings.Repeat("x", n)...) }
	b := []byte{head}
	switch head {
	case 0xA1:
		return append([]byte{0xA1 + byte(n)}, text()...)
	case 0xC4, 0xD9:
		return append(append(b, byte(n+1)), text()...)
	case 0xDA:
		return append(append(b, 0, byte(n+1)), text()...)
	case 0xCC, 0xD0:
		return append(b, random(1)...)
	case 0xCD, 0xD1:
		return append(b, random(2)...)
	case 0xCA:
		return append(b, 0x3F, 0xC0, 0, 0)
	case 0xCE, 0xD2:
		return append(b, random(4)...)
	case 0xCB:
		return append(b, 0x3F, 0xF8, 0, 0, 0, 0, 0, byte(n))
	case 0xCF, 0xD3:
		return append(b, random(8)...)
	case 0xD4:
		return append(b, pick[byte](r, 0, 1, 3, 5, 0xFF), 0)
	case 0xC7:
		return append(b, 0, pick[byte](r, 0, 1, 2, 3, 8))
	case 0x80, 0x90, 0xDC, 0xDE:
		return randomCollection(r, depth, head, n)
	}
	return b
}

func randomCollection(r *rand.Rand, depth int, head byte, n int) []byte {
	if depth > 3 {
		n = 0
	}
	isMap := head == 0x80 || head == 0xDE
	flags := r.IntN(4) == 0
	count := n
	if flags {
		count++
	}
	b := []byte{head | byte(count)}
	if head >= 0xDC {
		b = []byte{head, 0, byte(count)}
	}
	if flags {
		b = append(b, 0xC7, 0, pick[byte](r, 0, 1, 1, 3))
		if isMap {
			b = append(b, 0xC0)
		}
	}
	for range n {
		if isMap {
			b = append(b, randomPacked(r, depth+1, pick[byte](r, 1, 2, 0x7F, 0xE0, 0xA1, 0xA1, 0xCC, 0xC4, 0xC0))...)
		}
		b = append(b, randomPacked(r, depth+1, 0)...)
	}
	return b
}

func TestRandomCollections(t *testing.T) {
	ours, theirs := bothServers(t)
	r := rand.New(rand.NewPCG(2, uint64(keyEpoch)))
	const rounds = 30_000
	good := 0
	at := []string{field(fNamespace, "test"), field(fSet, testSet), field(fDigest, fmt.Sprintf("%020x", keyEpoch))}
	for i := range rounds {
		particle, head := byte(20), pick[byte](r, 0x90, 0xDC)
		if r.IntN(2) == 0 {
			particle, head = 19, pick[byte](r, 0x80, 0xDE)
		}
		value := randomPacked(r, 0, head)
		if r.IntN(10) == 0 {
			value = value[:len(value)-r.IntN(min(3, len(value)))]
		}
		msg := rawMessage{info1: 1, info2: 1, info3: 16, fields: at,
			ops: []string{operation(2, particle, "c", string(value)), operation(1, 0, "c", "")}}.body()
		ours.send(frame(3, msg))
		theirs.send(frame(3, msg))
		_, got := ours.receive()
		_, want := theirs.receive()
		if want[5] == 0 {
			good++
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d, round %d: value %x\n ours   code %d, %x\n theirs code %d, %x", keyEpoch, i, value, got[5], got[22:], want[5], want[22:])
		}
	}
	t.Logf("%d of %d collections are good", good, rounds)
}
