package embedded_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// An exprGen makes random expressions, most of which are right.
type exprGen struct {
	cdtGen
	vars []string // names of variables in scope, by type: b, i, s, f
}

func exprOp(code int, args ...string) string {
	return packed(0x90, append([]string{packedInt(code)}, args...)...)
}

// rawName packs a bin's or variable's name, which has no type in front.
func rawName(s string) string { return string([]byte{0xA0 + byte(len(s))}) + s }

func (g *exprGen) double() string {
	return string(binary.BigEndian.AppendUint64([]byte{0xCB}, pick[uint64](g.Rand, 0, 0x3FF8000000000000, 0x4010000000000000, 0xBFF0000000000000)))
}

// variable refers to one of a type, if there is one.
func (g *exprGen) variable(t byte) string {
	for _, v := range g.vars {
		if v[0] == t && g.IntN(2) == 0 {
			return exprOp(124, rawName(v))
		}
	}
	return ""
}

// choice makes what any type can be: a variable, a condition, a let.
func (g *exprGen) choice(t byte, depth int) string {
	if v := g.variable(t); v != "" {
		return v
	}
	if depth <= 0 {
		return ""
	}
	switch g.IntN(14) {
	case 0:
		return exprOp(123, g.of('b', depth-1), g.of(t, depth-1), g.of(t, depth-1))
	case 1:
		kind := pick[byte](g.Rand, 'b', 'i', 's', 'f')
		name := fmt.Sprintf("%c%d", kind, len(g.vars))
		value := g.of(kind, depth-1)
		g.vars = append(g.vars, name)
		body := g.of(t, depth-1)
		g.vars = g.vars[:len(g.vars)-1]
		return exprOp(125, rawName(name), value, body)
	case 2:
		return exprOp(123, g.of('b', depth-1), g.of(t, depth-1), exprOp(0))
	}
	return ""
}

// of makes an expression of a type: b, i, s, f, l (list), m (map) or x (blob).
func (g *exprGen) of(t byte, depth int) string {
	if e := g.choice(t, depth); e != "" {
		return e
	}
	switch t {
	case 'b':
		return g.boolean(depth)
	case 'i':
		return g.number(depth)
	case 's':
		return pick(g.Rand, exprOp(81, "\x03", rawName("s")), packedString("abc"), packedString(""), exprOp(70), exprOp(80, "\x03"))
	case 'f':
		if depth <= 0 || g.IntN(3) == 0 {
			return pick(g.Rand, g.double(), exprOp(81, "\x07", rawName("f")))
		}
		switch g.IntN(4) {
		case 0:
			return exprOp(pick(g.Rand, 27, 28, 29), g.of('f', depth-1))
		case 1:
			return exprOp(31, g.of('i', depth-1))
		}
		return exprOp(pick(g.Rand, 20, 21, 22, 23, 50, 51), g.of('f', depth-1), g.of('f', depth-1))
	case 'l':
		if depth > 0 && g.IntN(3) == 0 { // append to a list
			return exprOp(127, "\x04", "\x40", packed(0x90, "\x01", g.of('i', depth-1), "\x00", "\x00"), g.of('l', depth-1))
		}
		return pick(g.Rand, exprOp(81, "\x04", rawName("l")), exprOp(126, packed(0x90, "\x01", "\x02")))
	case 'm':
		if depth > 0 && g.IntN(3) == 0 { // put into a map
			return exprOp(127, "\x05", "\x40", packed(0x90, "\x43", g.of('i', depth-1), g.of('i', depth-1), "\x01", "\x00"), g.of('m', depth-1))
		}
		return exprOp(81, "\x05", rawName("m"))
	}
	return pick(g.Rand, exprOp(81, "\x06", rawName("x")), "\xA3\x04xy")
}

func (g *exprGen) boolean(depth int) string {
	if depth <= 0 {
		return pick(g.Rand, "\xC2", "\xC3", exprOp(81, "\x01", rawName("b")), exprOp(71), exprOp(0), exprOp(72))
	}
	switch g.IntN(5) {
	case 0:
		args := make([]string, 2+g.IntN(2))
		for i := range args {
			args[i] = g.of('b', depth-1)
		}
		return exprOp(pick(g.Rand, 16, 17, 19), args...)
	case 1:
		return exprOp(18, g.of('b', depth-1))
	case 2:
		return exprOp(7, packedInt(g.IntN(4)), rawName(pick(g.Rand, "^a.c", "b+", "[a-b]*c$", "(a|x)b", "a\\{1,2\\}", "^$")), g.of('s', depth-1))
	}
	t := pick[byte](g.Rand, 'i', 'i', 's', 'f', 'l', 'm', 'x', 'b')
	return exprOp(1+g.IntN(6), g.of(t, depth-1), g.of(t, depth-1))
}

func (g *exprGen) number(depth int) string {
	if depth <= 0 || g.IntN(6) == 0 {
		return pick(g.Rand, packedInt(g.IntN(20)-5), exprOp(81, "\x02", rawName("i")), exprOp(81, "\x02", rawName(pick(g.Rand, "i", "nope", "s"))),
			exprOp(82, rawName(pick(g.Rand, "i", "l", "nope"))), exprOp(64, packedInt(1+g.IntN(9))), exprOp(69), exprOp(68), exprOp(74), exprOp(65), exprOp(73))
	}
	switch g.IntN(9) {
	case 0:
		return exprOp(pick(g.Rand, 27, 35, 39), g.of('i', depth-1))
	case 1:
		return exprOp(30, g.of('f', depth-1))
	case 2:
		return exprOp(pick(g.Rand, 40, 41), g.of('i', depth-1), g.of('b', depth-1))
	case 3:
		return exprOp(pick(g.Rand, 36, 37, 38), g.of('i', depth-1), packedInt(g.IntN(64)))
	case 4: // size, sum of bits, element of a list
		return pick(g.Rand,
			exprOp(127, "\x02", "\x00", packed(0x90, "\x10"), g.of('l', depth-1)),
			exprOp(127, "\x02", "\x00", packed(0x90, "\x13", "\x07", g.of('i', depth-1)), g.of('l', depth-1)),
			exprOp(127, "\x02", "\x00", packed(0x90, "\x60"), g.of('m', depth-1)),
			exprOp(127, "\x02", "\x00", packed(0x90, "\x61", "\x07", g.of('i', depth-1)), g.of('m', depth-1)),
			exprOp(127, "\x02", "\x01", packed(0x90, "\x33", "\x00", "\x08"), g.of('x', depth-1)))
	case 5:
		return exprOp(26, g.of('i', depth-1), packedInt(pick(g.Rand, -3, 0, 1, 2, 7))) // -1 can end a real server
	}
	args := make([]string, 1+g.IntN(3))
	for i := range args {
		args[i] = g.of('i', depth-1)
	}
	return exprOp(pick(g.Rand, 20, 21, 22, 32, 33, 34, 50, 51), args...)
}

func TestRandomExpressions(t *testing.T) {
	ours, theirs := bothServers(t)
	g := &exprGen{cdtGen: cdtGen{rand.New(rand.NewPCG(6, uint64(keyEpoch)))}}
	const rounds, perKey = 40_000, 40
	codes := map[byte]int{}
	var msg rawMessage
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d, last message: fields %q, operations %q", keyEpoch, msg.fields, msg.ops)
		}
	})
	for i := range rounds {
		digest := fmt.Sprintf("%016x^%03d", keyEpoch, i/perKey)
		at := []string{field(fNamespace, "test"), field(fSet, testSet), field(fDigest, digest)}
		msg = rawMessage{info1: 1, info2: 1, fields: at, ttl: 1<<32 - 2}
		const fFilter = 43
		switch kind := g.IntN(4); {
		case i%perKey == 0:
			msg.info3, msg.ttl = 16, 1<<32-1
			if g.IntN(2) == 0 {
				msg.fields = append(at, field(fKey, "\x03stored key"))
			}
			msg.ops = []string{operation(2, 1, "i", "\x00\x00\x00\x00\x00\x00\x00\x07"), operation(2, 3, "s", pick(g.Rand, "abc", "xbbc", "")),
				operation(2, 2, "f", "\x40\x04\x00\x00\x00\x00\x00\x00"), operation(2, 17, "b", "\x01"), operation(2, 4, "x", "\x0Fyz"),
				operation(2, 20, "l", "\x93\x03\x01\x02"), operation(2, 19, "m", "\x83\xC7\x00\x01\xC0\x01\x0A\x02\x14")}
		case kind == 0:
			msg.info2 = 0
			msg.fields = append(at, field(fFilter, g.of('b', 4)))
			msg.ops = []string{operation(1, 0, "i", "")}
		case kind == 1:
			msg.info2 = 0
			msg.ops = []string{operation(7, 0, "e", packed(0x90, g.of(pick[byte](g.Rand, 'b', 'i', 's', 'f', 'l', 'm', 'x'), 4), packedInt(16*g.IntN(2))))}
		case kind == 2:
			msg.ops = []string{operation(8, 0, pick(g.Rand, "e", "i"), packed(0x90, g.of(pick[byte](g.Rand, 'i', 'i', 'f'), 4), packedInt(pick(g.Rand, 0, 0, 16, 1, 2, 9)))),
				operation(1, 0, "e", ""), operation(2, 1, "i", "\x00\x00\x00\x00\x00\x00\x00\x07"), operation(2, 0, "e", "")}
		default:
			msg.fields = append(at, field(fFilter, g.of('b', 3)))
			msg.ops = []string{operation(7, 0, "e", packed(0x90, g.of('i', 3), packedInt(16))), operation(11, 0, "", "")}
		}
		if i%perKey != 0 {
			msg.info2 |= maybe[byte](g.Rand, 0.1, 128)
		}
		codes[sameReply(t, i, ours, theirs, msg.body())]++
	}
	t.Logf("replies by result code: %v", codes)
}

// TestRandomFilteredBatches sends batches whose rows, or which as a whole, have
// filters.
func TestRandomFilteredBatches(t *testing.T) {
	ours, theirs := bothServers(t)
	g := &exprGen{cdtGen: cdtGen{rand.New(rand.NewPCG(7, uint64(keyEpoch)))}}
	const rounds, rowsEach, fFilter = 2_000, 10, 43
	codes := map[byte]int{}
	for i := range rounds {
		flags := byte(1) | maybe[byte](g.Rand, 0.7, 4)
		rows := string(append(binary.BigEndian.AppendUint32(nil, rowsEach), flags))
		for n := range rowsEach {
			m := rawMessage{info1: 1, ttl: 1<<32 - 1, fields: []string{field(fNamespace, "test"), field(fSet, testSet)}}
			switch g.IntN(4) {
			case 0:
				m.info1, m.info2 = 0, 1
				m.ops = []string{operation(2, 1, "i", string([]byte{byte(g.IntN(9))})), operation(2, 3, "s", "abc")}
			case 1:
				m.info2 = 1
				m.ops = []string{g.operation(), operation(1, 0, "i", "")}
			case 2:
				m.info1, m.info2 = 0, 3
			default:
				m.ops = []string{operation(1, 0, "i", ""), operation(1, 0, "l", "")}
			}
			if g.IntN(2) == 0 {
				filter := g.of('b', 3)
				if g.IntN(20) == 0 {
					filter = g.of('i', 1)
				}
				m.fields = append(m.fields, field(fFilter, filter))
			}
			rows += m.row(n, fmt.Sprintf("%016x%%%03d", keyEpoch, g.IntN(4)))
		}
		msg := rawMessage{info1: 8, fields: []string{field(fBatch, rows)}}
		if g.IntN(2) == 0 {
			msg.fields = []string{field(fFilter, g.of(pick[byte](g.Rand, 'b', 'b', 'b', 'b', 'i'), 3)), field(fBatch, rows)}
		}
		body := msg.body()
		ours.send(frame(3, body))
		theirs.send(frame(3, body))
		got, want := ours.receiveAll(), theirs.receiveAll()
		codes[want[len(want)-22+5]]++
		if !bytes.Equal(blurTimes(t, got), blurTimes(t, want)) {
			t.Fatalf("seed %d, round %d: request %q\n ours   %x\n theirs %x", keyEpoch, i, body, got, want)
		}
	}
	t.Logf("batches by result code: %v", codes)
}

// TestRandomRegex compares strings with random regular expressions. It leaves out
// starts and ends of words, and anchors beside a newline inside of an expression,
// which are matched differently.
func TestRandomRegex(t *testing.T) {
	ours, theirs := bothServers(t)
	r := rand.New(rand.NewPCG(8, uint64(keyEpoch)))
	const rounds, fFilter = 20_000, 43
	codes := map[byte]int{}
	for i := range rounds {
		at := []string{field(fNamespace, "test"), field(fSet, testSet), field(fDigest, fmt.Sprintf("%016x*%03d", keyEpoch, i/20%1000))}
		msg := rawMessage{info1: 0, info2: 1, fields: at}
		pattern, flags := "", r.IntN(8)
		if i%20 == 0 {
			text := ""
			for range r.IntN(9) {
				text += pick(r, "a", "b", "A", "B", "1", " ", "_", "(", "{", "+", "\\", "]", "^")
			}
			msg.ops = []string{operation(2, 3, "s", text)}
		} else {
			for range 1 + r.IntN(6) {
				pattern += pick(r, "a", "b", "B", "a", "1", ".", ".*", "*", "+", "?", "|", "^", "$", "(a|b)", "(", ")", "[ab]", "[^a]", "[]a]", "[^]a]", "[a-b1]",
					"[[:alpha:]]", "[[:digit:]_]", "{2}", "{1,2}", "{,2}", "{2,}", "\\{2\\}", "\\(a\\)", "\\|", "\\+", "\\.", "\\w", "\\W", "\\b", "[\\]")
			}
			msg.info1, msg.info2 = 1, 0
			msg.fields = append(at, field(fFilter, exprOp(7, packedInt(flags), "\xD9"+string([]byte{byte(len(pattern))})+pattern, exprOp(81, "\x03", rawName("s")))))
			msg.ops = []string{operation(1, 0, "s", "")}
		}
		body := msg.body()
		ours.send(frame(3, body))
		theirs.send(frame(3, body))
		_, got := ours.receive()
		_, want := theirs.receive()
		codes[want[5]]++
		if got[5] != want[5] {
			ours.send(frame(3, rawMessage{info1: 1, fields: at, ops: msg.ops}.body()))
			_, text := ours.receive()
			t.Errorf("pattern %q, flags %d, text %q: ours %d, theirs %d", pattern, flags, text[22+9:], got[5], want[5])
		}
	}
	t.Logf("replies by result code: %v", codes)
}
