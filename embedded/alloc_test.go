package embedded

import "testing"

// TestAllocations counts the server's own allocations for a request; a
// connection's buffers are warm after the first.
func TestAllocations(t *testing.T) {
	s := RunT(t, Config{})
	c := &conn{server: s, nc: nullConn{}, peer: nullConn{}.RemoteAddr()}
	fields := []string{testField(fieldNamespace, "test"), testField(fieldSet, "s"), testField(fieldDigest, "dddddddddddddddddddd")}
	value := testOp(opWrite, particleInteger, "n", "\x00\x00\x00\x00\x00\x00\x00\x07")
	for _, tc := range []struct {
		why  string
		body []byte
		want float64
	}{
		{"write: the record", testMessage(0, info2Write, 0, fields, []string{value, testOp(opWrite, particleString, "s", "text")}), 1},
		{"read of all bins", testMessage(info1Read|info1GetAll, 0, 0, fields, nil), 0},
		{"read of a bin", testMessage(info1Read, 0, 0, fields, []string{testOp(opRead, 0, "s", "")}), 0},
		{"header", testMessage(info1Read|info1NoBins, 0, 0, fields, nil), 0},
	} {
		got := testing.AllocsPerRun(100, func() {
			if err := c.handle(protoMessage, tc.body); err != nil || c.out[protoHeaderSize+5] != 0 {
				t.Fatalf("%s: %v, reply %x", tc.why, err, c.out)
			}
			c.out = c.out[:0]
		})
		if got > tc.want {
			t.Errorf("%s: %v allocations, want %v", tc.why, got, tc.want)
		}
	}
}
