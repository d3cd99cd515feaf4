package embedded_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// looped starts a server whose connections are served by event loops.
func looped(t *testing.T, cfg embedded.Config) *embedded.Server {
	t.Helper()
	cfg.EventLoops = 2
	return embedded.RunT(t, cfg)
}

// rawPut and rawGet are messages on one record, which the loops answer.
func rawPut(digest, value string) []byte {
	return frame(3, rawMessage{info2: 1, fields: []string{field(fNamespace, "test"), field(fDigest, digest)},
		ops: []string{operation(2, 3, "s", value)}}.body())
}

func rawGet(digest string) []byte {
	return frame(3, rawMessage{info1: 3, fields: []string{field(fNamespace, "test"), field(fDigest, digest)}}.body())
}

// TestLoopMoves: a connection goes from its loop to a goroutine and back, again and
// again, with requests of every kind, some of them in one piece with others.
func TestLoopMoves(t *testing.T) {
	s := looped(t, embedded.Config{})
	c := dialRaw(t, s.Addr())
	digest := strings.Repeat("d", 20)
	batch := frame(3, rawMessage{info1: 8, fields: []string{field(fBatch, "\x00\x00\x00\x01\x05"+
		rawMessage{info1: 3, fields: []string{field(fNamespace, "test"), field(fSet, "")}}.row(0, digest))}}.body())
	for round := range 20 {
		value := fmt.Sprintf("value %d", round)
		if got := c.result(rawPut(digest, value)); got != 0 {
			t.Fatalf("round %d: put: result code %d", round, got)
		}
		// Info and batches are for a goroutine. What follows them in the same
		// piece is answered after them.
		c.send([]byte(string(rawGet(digest)) + string(frame(1, []byte("status\n"))) + string(batch) + string(rawGet(digest))))
		if _, body := c.receive(); body[5] != 0 || !strings.HasSuffix(string(body), value) {
			t.Fatalf("round %d: first read: %q", round, body)
		}
		if kind, body := c.receive(); kind != 1 || string(body) != "status\tok\n" {
			t.Fatalf("round %d: info: type %d, %q", round, kind, body)
		}
		if all := c.receiveAll(); !strings.Contains(string(all), value) {
			t.Fatalf("round %d: batch: %q", round, all)
		}
		for i := range 150 { // enough to go back to the loop
			if i == 0 {
				if _, body := c.receive(); !strings.HasSuffix(string(body), value) {
					t.Fatalf("round %d: last read: %q", round, body)
				}
			}
			c.send(rawGet(digest))
			if _, body := c.receive(); body[5] != 0 || !strings.HasSuffix(string(body), value) {
				t.Fatalf("round %d: read %d: %q", round, i, body)
			}
		}
	}
}

// TestLoopTakesPieces: messages that arrive byte by byte, and ones longer than a
// loop's buffer.
func TestLoopTakesPieces(t *testing.T) {
	s := looped(t, embedded.Config{})
	c, other := dialRaw(t, s.Addr()), dialRaw(t, s.Addr())
	for i, size := range []int{10, 15_000, 17_000, 70_000, 900_000} {
		digest := fmt.Sprintf("%020d", i)
		msg := rawPut(digest, strings.Repeat("v", size))
		for step := 1; len(msg) > 0; step *= 2 {
			n := min(step, len(msg))
			c.send(msg[:n])
			msg = msg[n:]
			if got := other.result(rawGet(strings.Repeat("x", 20))); got != 2 {
				t.Fatalf("another connection meanwhile: result code %d, want 2", got)
			}
		}
		if _, body := c.receive(); body[5] != 0 {
			t.Fatalf("%d bytes: result code %d", size, body[5])
		}
		c.send(rawGet(digest))
		if _, body := c.receive(); len(body) < size || body[5] != 0 {
			t.Fatalf("%d bytes: %d read", size, len(body))
		}
	}
}

// TestLoopSlowReaders: clients that don't take their replies keep none of the
// others waiting, and get all of them in the end.
func TestLoopSlowReaders(t *testing.T) {
	s := looped(t, embedded.Config{})
	digest := strings.Repeat("d", 20)
	c := dialRaw(t, s.Addr())
	if got := c.result(rawPut(digest, strings.Repeat("v", 500_000))); got != 0 {
		t.Fatalf("put: result code %d", got)
	}
	const readers, requests = 6, 40
	slow := make([]*rawConn, readers)
	for i := range slow {
		slow[i] = dialRaw(t, s.Addr())
		slow[i].send([]byte(strings.Repeat(string(rawGet(digest)), requests)))
	}
	for range 100 {
		if got := c.result(rawGet(strings.Repeat("x", 20))); got != 2 {
			t.Fatalf("beside slow readers: result code %d, want 2", got)
		}
	}
	for _, r := range slow {
		for i := range requests {
			if _, body := r.receive(); len(body) < 500_000 || body[5] != 0 {
				t.Fatalf("reply %d: %d bytes", i, len(body))
			}
		}
	}
}

// TestLoopWaitsForNoLock: a function that takes its time has a record's partition;
// others go on, and who asks for the record gets it afterwards.
func TestLoopWaitsForNoLock(t *testing.T) {
	s := looped(t, embedded.Config{})
	client := connect(t, s.Addr())
	task, err := client.RegisterUDF(nil, []byte("function spin(rec) local n = 0 for i = 1, 300000 do n = n + i end return n end"), "spin.lua", as.LUA)
	must(t, err)
	must(t, <-task.OnComplete())
	key := mustKey(t, "test", "", "slow")
	must(t, client.PutBins(nil, key, as.NewBin("s", "text")))
	done := make(chan error, 1)
	go func() {
		for range 10 {
			if _, err := client.Execute(nil, key, "spin", "spin"); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	c := dialRaw(t, s.Addr())
	for running := true; running; {
		select {
		case err := <-done:
			must(t, err)
			running = false
		default:
		}
		for _, want := range []struct {
			digest string
			code   byte
		}{{string(key.Digest()), 0}, {strings.Repeat("x", 20), 2}} {
			if got := c.result(rawGet(want.digest)); got != want.code {
				t.Fatalf("result code %d, want %d", got, want.code)
			}
		}
	}
}

// TestLoopLifecycle: connections in every state end with the server and with a
// restart, one too many is refused, and there is room when one goes.
func TestLoopLifecycle(t *testing.T) {
	s := looped(t, embedded.Config{MaxConnections: 3})
	for range 3 {
		idle, half, info := dialRaw(t, s.Addr()), dialRaw(t, s.Addr()), dialRaw(t, s.Addr())
		for _, c := range []*rawConn{idle, half} {
			if got := c.result(rawGet(strings.Repeat("x", 20))); got != 2 {
				t.Fatalf("result code %d, want 2", got)
			}
		}
		half.send([]byte("\x02\x03\x00\x00"))
		if !status(info) {
			t.Fatal("no answer to an info command")
		}
		if fourth := dialRaw(t, s.Addr()); !fourth.closed() {
			t.Error("a fourth connection stays open")
		}
		must(t, idle.nc.Close())
		waitFor(t, "room for another", func() bool { return status(dialRaw(t, s.Addr())) })
		must(t, s.Restart())
		if !half.closed() || !info.closed() {
			t.Error("a connection outlives a restart")
		}
	}
	must(t, s.Close())
	if nc, err := net.Dial("tcp", s.Addr()); err == nil {
		_ = nc.Close()
		t.Error("a closed server takes a connection")
	}
}

// TestLoopFaults: faults that are set while loops serve connections strike them.
func TestLoopFaults(t *testing.T) {
	s := looped(t, embedded.Config{})
	c := dialRaw(t, s.Addr())
	digest := strings.Repeat("x", 20)
	if got := c.result(rawGet(digest)); got != 2 {
		t.Fatalf("result code %d, want 2", got)
	}
	must(t, s.SetFaults(1, embedded.Fault{On: embedded.FaultRead, Action: embedded.FaultCode, Code: 9}))
	if got := c.result(rawGet(digest)); got != 9 {
		t.Errorf("with a fault: result code %d, want 9", got)
	}
	must(t, s.SetFaults(1))
	for range 100 {
		if got := c.result(rawGet(digest)); got != 2 {
			t.Fatalf("after the fault: result code %d, want 2", got)
		}
	}
}

// TestLoopNodes: the nodes of a cluster count what loops answer once each.
func TestLoopNodes(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{Config: embedded.Config{EventLoops: 1}})
	client := connect(t, cl.Addrs()[0])
	for i := range 300 {
		must(t, client.PutBins(nil, mustKey(t, "test", "loops", i), as.NewBin("n", i)))
	}
	var sum embedded.Traffic
	for _, node := range cl.Nodes() {
		n := node.Traffic()
		sum.Writes, sum.Foreign = sum.Writes+n.Writes, sum.Foreign+n.Foreign
	}
	if sum.Writes != 300 || sum.Foreign != 0 {
		t.Errorf("traffic %+v, want 300 writes", sum)
	}
}
