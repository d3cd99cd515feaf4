package embedded_test

import (
	"errors"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
)

// status asks for an answer on the connection, and reports whether there is one.
func status(c *rawConn) bool {
	if _, err := c.nc.Write(frame(1, []byte("status\n"))); err != nil {
		return false
	}
	reply := make([]byte, 8+len("status\tok\n"))
	_, err := io.ReadFull(c.nc, reply)
	return err == nil && string(reply[8:]) == "status\tok\n"
}

// TestMaxConnections: one too many is closed at once, the others are not harmed,
// and there is room again when one goes.
func TestMaxConnections(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{MaxConnections: 3})
	var open []*rawConn
	for range 3 {
		c := dialRaw(t, s.Addr())
		if !status(c) {
			t.Fatal("a connection within the limit is refused")
		}
		open = append(open, c)
	}
	if status(dialRaw(t, s.Addr())) {
		t.Error("a fourth connection is served")
	}
	for i, c := range open {
		if !status(c) {
			t.Errorf("connection %d is gone", i+1)
		}
	}
	must(t, open[0].nc.Close())
	waitFor(t, "room for another", func() bool { return status(dialRaw(t, s.Addr())) })
}

// TestIdleTimeout: idle connections are closed, whether they have said nothing,
// something or half of something.
func TestIdleTimeout(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{IdleTimeout: 300 * time.Millisecond})
	mute, idle, half := dialRaw(t, s.Addr()), dialRaw(t, s.Addr()), dialRaw(t, s.Addr())
	idle.send(frame(1, []byte("status\n")))
	half.send([]byte("\x02\x03\x00\x00"))
	for name, c := range map[string]*rawConn{"mute": mute, "idle": idle, "half": half} {
		// The answer, if the machine is quick enough for one, and then the end.
		if _, err := io.Copy(io.Discard, c.nc); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the %s connection stays open", name)
		}
	}
}

// TestThousandsOfIdleConnections: they cost a bounded amount of memory each, harm
// no other client, and all end with the server.
func TestThousandsOfIdleConnections(t *testing.T) {
	const count = 3000
	s := embedded.RunT(t, embedded.Config{})
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := heap()
	conns := make([]*rawConn, count)
	for i := range conns {
		conns[i] = dialRaw(t, s.Addr())
		if !status(conns[i]) {
			t.Fatalf("connection %d isn't served", i+1)
		}
		if i%3 == 0 {
			conns[i].send([]byte("\x02\x03\x00\x00\x07\xff\xff\xff")) // announces 128 MiB
		}
	}
	// 16 KiB of input buffer, the stacks of both ends' goroutines, and change.
	if per := (heap() - before) / count; per > 64<<10 {
		t.Errorf("a connection takes %d bytes", per)
	}
	client := connect(t, s.Addr())
	for i := range 100 {
		must(t, client.Put(nil, mustKey(t, "test", "limits", i), map[string]any{"a": i}))
	}
	if !status(conns[1]) || !status(conns[count-1]) {
		t.Error("an idle connection isn't served any more")
	}
	must(t, s.Close())
	for i, c := range conns {
		if !c.closed() {
			t.Fatalf("connection %d stays open", i+1)
		}
	}
}

func TestLimitErrors(t *testing.T) {
	for _, cfg := range []embedded.Config{{MaxConnections: -1}, {IdleTimeout: -1}, {EventLoops: -1}} {
		if s, err := embedded.Start(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
			must(t, s.Close())
		}
	}
}
