package embedded_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
)

// A rawConn is a connection on which a test sends bytes of its own making.
type rawConn struct {
	t  testing.TB
	nc net.Conn
}

func dialRaw(t testing.TB, addr string) *rawConn {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	if err := nc.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &rawConn{t, nc}
}

func (c *rawConn) send(b []byte) {
	c.t.Helper()
	if _, err := c.nc.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// receive reads one message and returns its type and body.
func (c *rawConn) receive() (kind byte, body []byte) {
	c.t.Helper()
	var head [8]byte
	if _, err := io.ReadFull(c.nc, head[:]); err != nil {
		c.t.Fatalf("no reply: %v", err)
	}
	if head[0] != 2 {
		c.t.Fatalf("reply of version %d", head[0])
	}
	body = make([]byte, binary.BigEndian.Uint64(head[:])&(1<<48-1))
	if _, err := io.ReadFull(c.nc, body); err != nil {
		c.t.Fatalf("half a reply: %v", err)
	}
	return head[1], body
}

// result sends a message and returns the result code of the reply.
func (c *rawConn) result(b []byte) byte {
	c.t.Helper()
	c.send(b)
	kind, body := c.receive()
	if kind != 3 || len(body) < 22 {
		c.t.Fatalf("reply of type %d with %d bytes", kind, len(body))
	}
	return body[5]
}

// closed reports whether the server closes the connection without a word.
func (c *rawConn) closed() bool {
	n, err := c.nc.Read(make([]byte, 1))
	var timeout net.Error
	return n == 0 && err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
}

// frame puts a header in front of a body.
func frame(kind byte, body []byte) []byte {
	head := binary.BigEndian.AppendUint64(nil, 2<<56|uint64(kind)<<48|uint64(len(body)))
	return append(head, body...)
}

func field(kind byte, value string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(value)+1))) + string([]byte{kind}) + value
}

func operation(code, particle byte, name, value string) string {
	size := binary.BigEndian.AppendUint32(nil, uint32(4+len(name)+len(value)))
	return string(size) + string([]byte{code, particle, 0, byte(len(name))}) + name + value
}

// A rawMessage describes a record message; the counts are right unless given.
type rawMessage struct {
	info1, info2, info3, info4 byte
	generation, ttl            uint32
	fields, ops                []string
	moreFields, moreOps        int // added to the counts
	tail                       string
}

func (m rawMessage) body() []byte {
	b := []byte{22, m.info1, m.info2, m.info3, m.info4, 0}
	b = binary.BigEndian.AppendUint32(b, m.generation)
	b = binary.BigEndian.AppendUint32(b, m.ttl)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.fields)+m.moreFields))
	b = binary.BigEndian.AppendUint16(b, uint16(len(m.ops)+m.moreOps))
	return append(b, strings.Join(m.fields, "")+strings.Join(m.ops, "")+m.tail...)
}

const (
	fNamespace, fSet, fKey, fDigest, fMRT, fPIDs, fDigests, fMax, fUDF, fUDFOp, fBatch = 0, 1, 2, 4, 5, 11, 12, 13, 30, 33, 41
)

func TestMalformedAndIllegalMessages(t *testing.T) {
	ns, set := field(fNamespace, "test"), field(fSet, testSet)
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		client := tg.client
		must(t, client.Put(nil, key, map[string]any{"a": 1, "s": "x"}))
		digest := field(fDigest, string(key.Digest()))
		at := []string{ns, set, digest}
		missing := []string{ns, set, field(fDigest, string(newKey(t).Digest()))}
		read, write := operation(1, 0, "a", ""), operation(2, 1, "a", "\x00\x00\x00\x00\x00\x00\x00\x01")
		allPIDs := field(fPIDs, "\x00\x00")
		c := dialRaw(t, tg.addr)
		for _, tc := range []struct {
			why  string
			msg  rawMessage
			want byte
		}{
			{"a read", rawMessage{info1: 1, fields: at, ops: []string{read}}, 0},
			{"no namespace", rawMessage{info1: 3, fields: []string{digest}}, 20},
			{"unknown namespace", rawMessage{info1: 3, fields: []string{field(fNamespace, "nope"), digest}}, 20},
			{"a digest of 19 bytes", rawMessage{info1: 3, fields: []string{ns, field(fDigest, string(key.Digest()[:19]))}}, 4},
			{"neither read nor write", rawMessage{fields: at}, 4},
			{"more fields announced than sent", rawMessage{info1: 3, fields: at, moreFields: 1}, 4},
			{"fewer fields announced than sent", rawMessage{info1: 3, fields: at, moreFields: -1}, 4},
			{"more operations announced than sent", rawMessage{info1: 1, fields: at, ops: []string{read}, moreOps: 1}, 4},
			{"bytes left over", rawMessage{info1: 3, fields: at, tail: "x"}, 4},
			{"a field without a type", rawMessage{info1: 3, fields: []string{ns, "\x00\x00\x00\x00\x04"}, moreFields: 0}, 4},
			{"a field that overruns", rawMessage{info1: 3, fields: []string{ns, "\x7f\xff\xff\xff\x04abc"}}, 4},
			{"an operation that overruns", rawMessage{info1: 1, fields: at, ops: []string{"\x7f\xff\xff\xff\x01\x00\x00\x01a"}}, 4},
			{"a bin name that overruns its operation", rawMessage{info1: 1, fields: at, ops: []string{"\x00\x00\x00\x04\x01\x00\x00\x01", "\x00\x00\x00\x00\x00\x00\x00\x00"}}, 4},
			{"an unknown field is skipped", rawMessage{info1: 3, fields: append([]string{field(200, "?")}, at...)}, 0},
			{"a second namespace is ignored", rawMessage{info1: 3, fields: append(at, field(fNamespace, "nope"))}, 0},
			{"read without bins or operations", rawMessage{info1: 1, fields: at}, 4},
			{"read with a write operation", rawMessage{info1: 1, fields: at, ops: []string{write}}, 4},
			{"bin name with a zero byte", rawMessage{info1: 1, fields: at, ops: []string{operation(1, 0, "a\x00b", "")}}, 21},
			{"bin name of 16 bytes", rawMessage{info1: 1, fields: at, ops: []string{operation(1, 0, strings.Repeat("n", 16), "")}}, 21},
			{"write without operations", rawMessage{info2: 1, fields: at}, 4},
			{"unknown operation", rawMessage{info2: 1, fields: at, ops: []string{operation(99, 1, "a", "12345678")}}, 4},
			{"read operation without the read bit", rawMessage{info2: 1, fields: at, ops: []string{write, read}}, 4},
			{"get-all without a read-all operation", rawMessage{info1: 3, info2: 1, fields: at, ops: []string{write}}, 4},
			{"two read-all operations", rawMessage{info1: 3, info2: 1, fields: at, ops: []string{operation(1, 0, "", ""), operation(1, 0, "", ""), write}}, 4},
			{"read-all with results for each", rawMessage{info1: 3, info2: 1 | 128, fields: at, ops: []string{operation(1, 0, "", ""), write}}, 4},
			{"read-all with another read", rawMessage{info1: 3, info2: 1, fields: at, ops: []string{operation(1, 0, "", ""), read}}, 4},
			{"touch in a replace", rawMessage{info2: 1, info3: 16, fields: at, ops: []string{operation(11, 0, "", "")}}, 4},
			{"add in a replace", rawMessage{info2: 1, info3: 16, fields: at, ops: []string{operation(5, 1, "a", "\x01")}}, 4},
			{"replace with nothing", rawMessage{info1: 1, info2: 1, info3: 16, fields: at, ops: []string{read}}, 2},
			{"integer of 1 byte", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 1, "a", "\x07")}}, 0},
			{"integer of 3 bytes", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 1, "a", "123")}}, 4},
			{"integer of no bytes", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 1, "a", "")}}, 4},
			{"double of 4 bytes", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 2, "a", "1234")}}, 4},
			{"boolean 2", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 17, "a", "\x02")}}, 4},
			{"boolean of 2 bytes", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 17, "a", "\x00\x00")}}, 4},
			{"unknown particle", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 5, "a", "x")}}, 4},
			{"add of an unknown particle", rawMessage{info2: 1, fields: at, ops: []string{operation(5, 77, "a", "x")}}, 4},
			{"blob of a client language", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 7, "j", "java")}}, 0},
			{"list that isn't one", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 20, "a", "\x80")}}, 1},
			{"list cut short", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 20, "a", "\x92\x01")}}, 1},
			{"list with bytes left over", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 20, "a", "\x91\x01\x02")}}, 1},
			{"empty list value", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 20, "a", "")}}, 1},
			{"map with a repeated key", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 19, "a", "\x82\x01\x01\x01\x02")}}, 1},
			{"map with a boolean key", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 19, "a", "\x81\xc3\x01")}}, 1},
			{"sorted map out of order", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 19, "a", "\x83\xc7\x00\x01\xc0\x02\x01\x01\x01")}}, 1},
			{"unsorted map out of order", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 19, "m", "\x82\x02\x01\x01\x01")}}, 0},
			{"sketch that isn't one", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 18, "a", "123456789012345")}}, 4},
			{"GeoJSON cut short", rawMessage{info2: 1, fields: at, ops: []string{operation(2, 23, "a", "\x00\x00\x09{}")}}, 160},
			{"add of a memcached decrement to nothing", rawMessage{info2: 1, fields: at, ops: []string{operation(5, 1, "new", strings.Repeat("\x00", 16))}}, 4},
			{"add to nothing of a string", rawMessage{info2: 1, fields: at, ops: []string{operation(5, 3, "new", "str")}}, 0},
			{"empty key to store", rawMessage{info2: 1, fields: append(at, field(fKey, "")), ops: []string{write}}, 16},
			{"short integer key to store", rawMessage{info2: 1, fields: append(at, field(fKey, "\x01abc")), ops: []string{write}}, 16},
			{"transaction, read", rawMessage{info1: 3, fields: append(at, field(fMRT, "12345678"))}, 25},
			{"transaction, read of nothing", rawMessage{info1: 3, fields: append(missing, field(fMRT, "12345678"))}, 25},
			{"transaction, write", rawMessage{info2: 1, fields: append(at, field(fMRT, "12345678")), ops: []string{write}}, 25},
			{"transaction roll forward", rawMessage{info2: 1, info4: 2, fields: at, ops: []string{write}}, 25},
			{"transaction verify", rawMessage{info1: 1, info4: 1, fields: at}, 25},
			{"read-touch over 100 %", rawMessage{info1: 3, ttl: 101, fields: at}, 0}, // the record never expires
			{"write-TTL over 10 years", rawMessage{info2: 1, ttl: 315360001, fields: at, ops: []string{write}}, 4},
			{"delete of nothing", rawMessage{info2: 3, fields: missing}, 2},
			{"update only of nothing", rawMessage{info2: 1, info3: 8, fields: missing, ops: []string{write}}, 2},
			{"query from before partitions", rawMessage{info1: 1, fields: []string{ns, allPIDs}}, 16},
			{"query without partitions", rawMessage{info1: 1, info3: 4, fields: []string{ns}}, 16},
			{"query of partition 4096", rawMessage{info1: 1, info3: 4, fields: []string{ns, field(fPIDs, "\x00\x10")}}, 4},
			{"query of a partition twice", rawMessage{info1: 1, info3: 4, fields: []string{ns, field(fPIDs, "\x01\x00\x01\x00")}}, 4},
			{"query of no partition", rawMessage{info1: 1, info3: 4, fields: []string{ns, field(fPIDs, "")}}, 4},
			{"query after half a digest", rawMessage{info1: 1, info3: 4, fields: []string{ns, field(fDigests, "0123456789")}}, 4},
			{"query with a set name of 64 bytes", rawMessage{info1: 1, info3: 4, fields: []string{ns, field(fSet, strings.Repeat("s", 64)), allPIDs}}, 4},
			{"query with a limit of 4 bytes", rawMessage{info1: 1, info3: 4, fields: []string{ns, allPIDs, field(fMax, "1234")}}, 4},
			{"query with a function but no kind", rawMessage{info1: 1, fields: []string{ns, field(fUDF, "m")}}, 4},
			{"query with a function of an unknown kind", rawMessage{info1: 1, fields: []string{ns, field(fUDF, "m"), field(fUDFOp, "\x07")}}, 4},
			{"batch without a batch", rawMessage{info1: 8, fields: []string{ns}}, 4},
			{"empty batch", rawMessage{info1: 8, fields: []string{field(fBatch, "\x00\x00\x00\x00\x04")}}, 4},
			{"batch that begins with a repeat", rawMessage{info1: 8, fields: []string{field(fBatch, "\x00\x00\x00\x01\x04\x00\x00\x00\x00"+string(key.Digest())+"\x01")}}, 4},
			{"batch with fewer rows than announced", rawMessage{info1: 8, fields: []string{field(fBatch, "\x00\x00\x00\x02\x04\x00\x00\x00\x00"+string(key.Digest())+"\x00\x03\x00\x01\x00\x00"+ns)}}, 4},
		} {
			if got := c.result(frame(3, tc.msg.body())); got != tc.want {
				t.Errorf("%s: result code %d, want %d", tc.why, got, tc.want)
			}
		}
		if got := c.result(frame(3, rawMessage{info1: 3, fields: at}.body())); got != 0 {
			t.Errorf("the connection is of no use any more: result code %d", got)
		}
	})
}

func TestBatchErrorFlags(t *testing.T) {
	const createOnly = 32
	write := rawMessage{info2: 1, fields: []string{field(fNamespace, "test"), field(fSet, testSet)},
		ops: []string{operation(2, 1, "a", "\x01")}}
	create := write
	create.info2 |= createOnly
	for _, tc := range []struct {
		why     string
		flags   byte
		replies int // the trailer not counted
		code    byte
	}{
		{"stop at the error", 1, 0, 5},
		{"tell which row failed", 1 | 8, 3, 5},
		{"report every row", 1 | 4, 3, 0},
	} {
		eachTarget(t, func(t *testing.T, tg target) {
			digests := []string{string(newKey(t).Digest()), string(newKey(t).Digest())}
			rows := "\x00\x00\x00\x03" + string([]byte{tc.flags}) +
				write.row(0, digests[0]) + create.row(1, digests[0]) + write.row(2, digests[1])
			c := dialRaw(t, tg.addr)
			c.send(frame(3, rawMessage{info1: 8, fields: []string{field(fBatch, rows)}}.body()))
			all := c.receiveAll()
			if got := len(all)/22 - 1; got != tc.replies {
				t.Errorf("%s: %d replies, want %d", tc.why, got, tc.replies)
			}
			if got := all[len(all)-22+5]; got != tc.code {
				t.Errorf("%s: the batch's result code is %d, want %d", tc.why, got, tc.code)
			}
			if tg.server != nil && tg.server.Count("test", testSet) != 2 {
				t.Errorf("%s: %d records, want 2: later rows are carried out too", tc.why, tg.server.Count("test", testSet))
			}
		})
	}
}

func TestOtherMessageTypes(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		c := dialRaw(t, tg.addr)
		compressed := append(binary.BigEndian.AppendUint64(nil, 30), "not really zlib"...)
		if got := c.result(frame(4, compressed)); got != 25 {
			t.Errorf("compressed request: result code %d, want 25 (Enterprise only)", got)
		}
		if got := c.result(frame(5, nil)); got != 4 {
			t.Errorf("replication: result code %d, want 4", got)
		}
		c.send(frame(2, make([]byte, 16)))
		if kind, body := c.receive(); kind != 2 || len(body) != 16 || body[1] != 51 {
			t.Errorf("login: type %d, body %x, want type 2, 16 bytes, result 51 (no security)", kind, body)
		}
		c.send(frame(1, []byte("build\n")))
		if kind, body := c.receive(); kind != 1 || !bytes.HasPrefix(body, []byte("build\t8.1.")) {
			t.Errorf("info after that: type %d, %q", kind, body)
		}
	})
}

func TestBrokenFramingClosesTheConnection(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		for why, text := range map[string]string{
			"version 3":            "0303000000000016",
			"type 0":               "0200000000000000",
			"type 6":               "0206000000000000",
			"129 MiB":              "0203000008100000",
			"all ones":             "02030000ffffffff",
			"TLS hello":            "160301000501000000000000",
			"HTTP":                 hex.EncodeToString([]byte("GET / HTTP/1.1\r\n\r\n")),
			"a terabyte of info":   "0201ffffffffffff",
			"version 0, a message": "0003000000000016",
		} {
			b, err := hex.DecodeString(text)
			must(t, err)
			c := dialRaw(t, tg.addr)
			c.send(b)
			if !c.closed() {
				t.Errorf("%s: the connection stays open", why)
			}
		}
	})
	server := embedded.RunT(t, embedded.Config{})
	c := dialRaw(t, server.Addr())
	c.send([]byte("\x02\x03\x00\x00\x00\x00\x00\x30half of it"))
	_ = c.nc.Close()
	if got := dialRaw(t, server.Addr()).result(frame(3, nil)); got != 4 {
		t.Errorf("the next client: result code %d, want 4 for an empty message", got)
	}
}

func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{})
	c := dialRaw(t, server.Addr())
	digest := field(fDigest, strings.Repeat("d", 20))
	at := []string{field(fNamespace, "test"), digest}
	var all []byte
	const n = 2000
	for range n {
		add := rawMessage{info1: 1, info2: 1, fields: at, ops: []string{operation(5, 1, "n", "\x01"), operation(1, 0, "n", "")}}
		all = append(all, frame(3, add.body())...)
		all = append(all, frame(1, []byte("node\n"))...)
	}
	go func() { _, _ = c.nc.Write(all) }()
	for i := range n {
		kind, body := c.receive()
		if kind != 3 || body[5] != 0 {
			t.Fatalf("reply %d: type %d, body %x", i, kind, body)
		}
		if got := binary.BigEndian.Uint64(body[len(body)-8:]); got != uint64(i+1) {
			t.Fatalf("reply %d says %d", i, got)
		}
		if kind, _ := c.receive(); kind != 1 {
			t.Fatalf("reply %d isn't followed by the info reply", i)
		}
	}
}

func TestARequestInPieces(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{})
	c := dialRaw(t, server.Addr())
	value := strings.Repeat("v", 100_000)
	msg := frame(3, rawMessage{info2: 1, fields: []string{field(fNamespace, "test"), field(fDigest, strings.Repeat("d", 20))},
		ops: []string{operation(2, 3, "s", value)}}.body())
	for len(msg) > 0 {
		n := min(len(msg), 9_973)
		c.send(msg[:n])
		msg = msg[n:]
	}
	if _, body := c.receive(); body[5] != 0 {
		t.Fatalf("result code %d", body[5])
	}
	for r := range server.Records("test", "") {
		if b, _ := r.Bin("s"); b.Value() != value {
			t.Errorf("%d bytes stored", len(b.Raw))
		}
	}
}

func TestRepliesAreBounded(t *testing.T) {
	// A megabyte read 65535 times would be 64 GB.
	server := embedded.RunT(t, embedded.Config{})
	c := dialRaw(t, server.Addr())
	at := []string{field(fNamespace, "test"), field(fDigest, strings.Repeat("d", 20))}
	write := operation(2, 4, "v", strings.Repeat("v", 1<<20-200))
	if got := c.result(frame(3, rawMessage{info2: 1, fields: at, ops: []string{write}}.body())); got != 0 {
		t.Fatalf("write: result code %d", got)
	}
	reads := make([]string, 65535)
	for i := range reads {
		reads[i] = operation(1, 0, "v", "")
	}
	if got := c.result(frame(3, rawMessage{info1: 1, fields: at, ops: reads}.body())); got != 4 {
		t.Errorf("reads: result code %d, want 4", got)
	}
	ops := append([]string{operation(2, 1, "n", "\x01")}, reads[:32000]...)
	if got := c.result(frame(3, rawMessage{info1: 1, info2: 1, fields: at, ops: ops}.body())); got != 13 {
		t.Errorf("reads in a write: result code %d, want 13", got)
	}
	for i := range ops {
		ops[i] = operation(10, 4, "v", "prepended")
	}
	if got := c.result(frame(3, rawMessage{info2: 1, fields: at, ops: ops}.body())); got != 13 {
		t.Errorf("prepends: result code %d, want 13", got)
	}
}
