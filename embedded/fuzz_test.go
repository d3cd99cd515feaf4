package embedded

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// nullConn takes everything that is written to it, and never has anything to
// read.
type nullConn struct{ net.Conn }

func (nullConn) Write(b []byte) (int, error) { return len(b), nil }
func (nullConn) Read([]byte) (int, error)    { return 0, io.EOF }
func (nullConn) Close() error                { return nil }
func (nullConn) RemoteAddr() net.Addr        { return &net.TCPAddr{} }

// newFuzzConn makes a connection to a server with a fixed clock, to feed
// messages to without a network.
func newFuzzConn(f *testing.F) *conn {
	f.Helper()
	s := RunT(f, Config{Now: func() time.Time { return time.Unix(2_000_000_000, 0) }, DefaultTTL: time.Hour})
	return &conn{server: s, nc: nullConn{}, peer: nullConn{}.RemoteAddr()}
}

func testField(kind byte, value string) string {
	return string(appendField(nil, kind, value))
}

func testOp(code, particle byte, name, value string) string {
	return string(appendOp(nil, code, particle, []byte(name), []byte(value)))
}

func testMessage(info1, info2, info3 byte, fields, ops []string) []byte {
	b := make([]byte, msgHeaderSize)
	copy(b, []byte{msgHeaderSize, info1, info2, info3})
	binary.BigEndian.PutUint16(b[18:], uint16(len(fields)))
	binary.BigEndian.PutUint16(b[20:], uint16(len(ops)))
	return append(b, strings.Join(fields, "")+strings.Join(ops, "")...)
}

// FuzzMessage feeds record messages to the parser and carries them out. Whatever
// the message, the reply must be well-formed and the counters must stay right.
func FuzzMessage(f *testing.F) {
	ns, set := testField(fieldNamespace, "test"), testField(fieldSet, "s")
	digest := testField(fieldDigest, strings.Repeat("d", 20))
	at := []string{ns, set, digest, testField(fieldKey, "\x03key")}
	row := "\x00\x00\x00\x00" + strings.Repeat("d", 20)
	batch := "\x00\x00\x00\x03\x05" +
		row + "\x0e\x01\x01\x00\x00\x00\x00\x00\x00\x05\x00\x02\x00\x01" + ns + set + testOp(opWrite, particleInteger, "n", "\x01") +
		row + "\x00\x03\x00\x01\x00\x00" + ns + row + "\x01"
	for _, seed := range [][]byte{
		testMessage(info1Read|info1GetAll, 0, 0, at, nil),
		testMessage(info1Read, 0, 0, at, []string{testOp(opRead, 0, "n", "")}),
		testMessage(0, info2Write, 0, at, []string{testOp(opWrite, particleString, "n", "x"), testOp(opWrite, particleNull, "m", "")}),
		testMessage(info1Read, info2Write|info2RespondAllOps, 0, at, []string{testOp(opIncr, particleInteger, "n", "\x01"), testOp(opRead, 0, "n", "")}),
		testMessage(info1Read|info1GetAll, info2Write, 0, at, []string{testOp(opAppend, particleString, "n", "x"), testOp(opRead, 0, "", "")}),
		testMessage(0, info2Write, info3CreateOrReplace, at, []string{testOp(opWrite, particleMap, "m", "\x82\x02\xc0\x01\xc0")}),
		testMessage(0, info2Write, 0, at, []string{testOp(opTouch, 0, "", ""), testOp(opDeleteAll, 0, "", ""), testOp(opPrepend, particleBlob, "b", "x")}),
		testMessage(0, info2Write|info2Delete, 0, at, nil),
		testMessage(info1Read, 0, info3PartitionDone, []string{ns, testField(fieldPIDArray, "\x64\x04\x00\x00"), testField(fieldSampleMax, "\x00\x00\x00\x00\x00\x00\x00\x09")}, []string{testOp(opRead, 0, "n", "")}),
		testMessage(info1Read|info1ShortQuery, 0, info3PartitionDone, []string{ns, set, testField(fieldDigestArray, strings.Repeat("e", 20)), testField(fieldBinList, "\x01\x01n")}, nil),
		testMessage(info1Batch, 0, 0, []string{testField(fieldFilter, "x"), testField(fieldBatch, batch)}, nil),
		testMessage(info1Read, 0, 0, []string{ns, digest}, []string{testOp(opCDTRead, 4, "l", "")}),
		testMessage(0, info2Write, 0, []string{ns, digest, testField(fieldUDFFile, "m")}, nil),
		testMessage(0, info2Write, 0, []string{ns, set, digest, testField(fieldUDFFile, "m"), testField(fieldUDFFunction, "f"), testField(fieldUDFArgs, "\x91\x07")}, nil),
		testMessage(0, 0, 0, []string{ns, testField(fieldUDFFile, "m"), testField(fieldUDFFunction, "f"), testField(fieldUDFArgs, "\x91\x07"), testField(fieldUDFOp, "\x02")}, nil),
		testMessage(0, info2Write, 0, []string{ns}, []string{testOp(opWrite, particleInteger, "n", "\x02")}),
		testMessage(info1Read, 0, info3PartitionDone, []string{ns, testField(fieldPIDArray, "\x64\x04"), testField(fieldIndexRange,
			"\x01\x01n\x01\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x09")}, nil),
		{},
	} {
		f.Add(seed)
	}
	c := newFuzzConn(f)
	c.server.order[0].createIndex("n", sindexDef{bin: "n", particle: particleInteger})
	c.server.order[0].createIndex("m", sindexDef{bin: "m", particle: particleInteger, kind: indexMapKeys})
	if got := c.server.udfs.register("m.lua", "", []byte("function f(rec, n) rec.n = n return aerospike:update(rec) end")); got != "ok" {
		f.Fatal(got)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c.out = c.out[:0]
		if err := c.handle(protoMessage, body); err != nil {
			t.Fatal(err)
		}
		if len(c.out) == 0 {
			t.Fatal("no reply")
		}
		checkReply(t, c.out)
		checkCounters(t, c.server)
		checkIndexes(t, c.server)
	})
}

// checkIndexes compares what indexes hold with what they should.
func checkIndexes(t *testing.T, s *Server) {
	t.Helper()
	for _, ns := range s.order {
		for _, x := range ns.indexes.all() {
			for pid := range ns.partitions {
				want := 0
				for d, r := range ns.partitions[pid].records {
					b, ok := x.binOf(r)
					for _, v := range x.values(nil, b, ok) {
						want++
						if _, found := slices.BinarySearchFunc(x.trees[pid].entries, sindexEntry{v, d}, sindexEntry.compare); !found {
							t.Fatalf("index %s lacks %d of %x", x.name, v, d)
						}
					}
				}
				if got := len(x.trees[pid].entries); got != want {
					t.Fatalf("index %s has %d entries in partition %d, want %d", x.name, got, pid, want)
				}
			}
		}
	}
}

// checkReply checks that a reply is a sequence of whole frames of whole messages.
func checkReply(t *testing.T, out []byte) {
	t.Helper()
	var r request
	for len(out) > 0 {
		if len(out) < protoHeaderSize || out[0] != protoVersion || out[1] != protoMessage {
			t.Fatalf("bad frame %x", out)
		}
		size := binary.BigEndian.Uint64(out) & protoSizeMask
		if size < msgHeaderSize || size > uint64(len(out)-protoHeaderSize) {
			t.Fatalf("frame of %d bytes, %d there", size, len(out)-protoHeaderSize)
		}
		body := out[protoHeaderSize : protoHeaderSize+size]
		out = out[protoHeaderSize+size:]
		for len(body) > 0 {
			if len(body) < msgHeaderSize || body[0] != msgHeaderSize {
				t.Fatalf("bad message %x", body)
			}
			fields, ops := binary.BigEndian.Uint16(body[18:]), binary.BigEndian.Uint16(body[20:])
			r.present = 0
			rest, ok := r.parseFields(body[msgHeaderSize:], int(fields))
			if ok {
				rest, ok = r.parseOps(rest, int(ops))
			}
			if !ok {
				t.Fatalf("bad fields or operations in %x", body)
			}
			body = rest
		}
	}
}

// checkCounters recounts what the counters say.
func checkCounters(t *testing.T, s *Server) {
	t.Helper()
	for _, ns := range s.order {
		var objects, expirable int64
		bySet := map[uint16]int64{}
		for i := range ns.partitions {
			for _, r := range ns.partitions[i].records {
				objects++
				bySet[r.setID]++
				if r.voidTime != 0 {
					expirable++
				}
			}
		}
		if objects != ns.objects.Load() || expirable != ns.expirable.Load() {
			t.Fatalf("%d records, %d expirable, counted as %d, %d", objects, expirable, ns.objects.Load(), ns.expirable.Load())
		}
		for id, st := range ns.sets.Load().sets {
			if id > 0 && st.objects.Load() != bySet[uint16(id)] {
				t.Fatalf("set %q has %d records, counted as %d", st.name, bySet[uint16(id)], st.objects.Load())
			}
		}
	}
}

// FuzzInfo feeds info commands to the server. Every command must be answered by
// one line that begins with it.
func FuzzInfo(f *testing.F) {
	for _, seed := range []string{
		"", "node\n", "build\nedition\n", "replicas:max=1\n", "truncate:namespace=test;set=s;lut=1\n", "truncate-namespace:namespace=bar\n",
		"sets/test/s\n", "namespace/test\n", "cluster-stable:size=1;ignore-migrations=false;namespace=test\n", "get-config:context=namespace;id=test\n",
		"sindex-exists:ns=test;indexname=i\n", "user-agent-set:value=MSxnbyw=\n", "statistics\n", "x\x00y\n", ":;/=\n", "no end",
	} {
		f.Add([]byte(seed))
	}
	c := newFuzzConn(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		c.out, c.userAgent = c.out[:0], false
		if err := c.handle(protoInfo, body); err != nil {
			t.Skip("too long a reply")
		}
		if len(c.out) < protoHeaderSize || c.out[1] != protoInfo ||
			binary.BigEndian.Uint64(c.out)&protoSizeMask != uint64(len(c.out)-protoHeaderSize) {
			t.Fatalf("bad frame %.40x", c.out)
		}
		if len(body) == 0 {
			return
		}
		lines := strings.Split(string(c.out[protoHeaderSize:]), "\n")
		commands := strings.Split(string(body), "\n")
		if len(lines) != len(commands) {
			t.Fatalf("%d commands, %d lines", len(commands)-1, len(lines)-1)
		}
		for i, command := range commands[:len(commands)-1] {
			if want := cString([]byte(command)) + "\t"; !strings.HasPrefix(lines[i], want) {
				t.Fatalf("%q is answered by %.100q", command, lines[i])
			}
		}
	})
}

// FuzzFraming feeds a byte stream to a connection, which must end by itself.
func FuzzFraming(f *testing.F) {
	f.Add([]byte("\x02\x01\x00\x00\x00\x00\x00\x05node\n\x02\x03\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x02\x04\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x01\x00\x02\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x02\x03\x00\x00\x07\xff\xff\xff"))
	c := newFuzzConn(f)
	f.Fuzz(func(t *testing.T, stream []byte) {
		fed := &conn{server: c.server, nc: &streamConn{data: stream}}
		fed.serve()
		if limit := 4*len(stream) + inputSize; len(fed.in) > limit {
			t.Errorf("%d bytes of input took a buffer of %d", len(stream), len(fed.in))
		}
	})
}

// A streamConn is a connection whose other end sends data and hangs up.
type streamConn struct {
	nullConn
	data []byte
}

func (c *streamConn) Read(b []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 1000)], c.data)
	c.data = c.data[n:]
	return n, nil
}
