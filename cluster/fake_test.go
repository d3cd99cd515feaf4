package cluster

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeNode is a node of a one-node cluster that speaks just enough of the wire
// protocol for the client to connect; commands and logins are left to a test.
type fakeNode struct {
	listener net.Listener
	info     func(item string) string // nil for the answers of standardInfo
	command  func(conn net.Conn) bool // answers a command; false closes the connection
	login    func(conn net.Conn) bool // likewise a login

	mu       sync.Mutex
	conns    map[net.Conn]bool
	commands int
}

// startNode starts the node on a free port; it ends with the test. config is
// nil for no TLS.
func startNode(t *testing.T, node *fakeNode, config *tls.Config) Host {
	t.Helper()
	listener, host := listen(t)
	if config != nil {
		listener = tls.NewListener(listener, config)
	}
	node.listener = listener
	node.conns = make(map[net.Conn]bool)
	if node.info == nil {
		node.info = standardInfo
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			node.mu.Lock()
			node.conns[conn] = true
			node.mu.Unlock()
			go node.serve(conn)
		}
	}()
	t.Cleanup(func() {
		node.mu.Lock()
		defer node.mu.Unlock()
		for conn := range node.conns {
			conn.Close()
		}
	})
	return host
}

// waitForConns returns once that many connections are open: the node learns of
// a connection a little later than the client does.
func (n *fakeNode) waitForConns(t *testing.T, want int) {
	t.Helper()
	got := -1
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		n.mu.Lock()
		got = len(n.conns)
		n.mu.Unlock()
		if got == want {
			return
		}
	}
	t.Errorf("%d connections are open, want %d", got, want)
}

func (n *fakeNode) commandsSeen() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.commands
}

func (n *fakeNode) serve(conn net.Conn) {
	defer func() {
		conn.Close()
		n.mu.Lock()
		delete(n.conns, conn)
		n.mu.Unlock()
	}()
	for {
		header := make([]byte, 8)
		if _, err := io.ReadFull(conn, header); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint64(header)&(1<<48-1))
		if _, err := io.ReadFull(conn, body); err != nil {
			return
		}
		goOn := false
		switch header[1] {
		case 1:
			goOn = n.answerInfo(conn, string(body))
		case 2:
			goOn = n.login != nil && n.login(conn)
		case 3:
			n.mu.Lock()
			n.commands++
			n.mu.Unlock()
			goOn = n.command != nil && n.command(conn)
		}
		if !goOn {
			return
		}
	}
}

func (n *fakeNode) answerInfo(conn net.Conn, request string) bool {
	var b bytes.Buffer
	for _, item := range strings.Split(strings.TrimSuffix(request, "\n"), "\n") {
		answer := n.info(item)
		if answer == "" {
			return true // silence
		}
		b.WriteString(item + "\t" + answer + "\n")
	}
	_, err := conn.Write(append(protoHeader(1, b.Len()), b.Bytes()...))
	return err == nil
}

func protoHeader(kind, length int) []byte {
	return binary.BigEndian.AppendUint64(nil, 2<<56|uint64(kind)<<48|uint64(length))
}

func standardInfo(item string) string {
	everyPartition := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 4096/8))
	answer, ok := map[string]string{
		"build":                "8.1.0.1",
		"edition":              "Aerospike Community Edition",
		"node":                 "BB9000000000001",
		"namespaces":           "test;bar",
		"partition-generation": "1",
		"peers-generation":     "1",
		"peers-clear-std":      "1,3000,[]",
		"peers-tls-std":        "1,3000,[]",
		"rack-ids":             "test:1",
		"replicas":             "test:0,1," + everyPartition + ";",
	}[item]
	if !ok {
		return "ERROR:4:unrecognized command"
	}
	return answer
}

// answerCommand answers a command with a result code and no record.
func answerCommand(code byte) func(net.Conn) bool {
	return func(conn net.Conn) bool {
		message := make([]byte, 22)
		message[0], message[5] = 22, code
		_, err := conn.Write(append(protoHeader(3, len(message)), message...))
		return err == nil
	}
}

// answerLogin answers a login with a result code.
func answerLogin(code byte) func(net.Conn) bool {
	return func(conn net.Conn) bool {
		message := make([]byte, 16)
		message[1] = code
		_, err := conn.Write(append(protoHeader(2, len(message)), message...))
		return err == nil
	}
}

// listen opens a port of the loopback interface; it is closed with the test.
func listen(t *testing.T) (net.Listener, Host) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener, Host{Name: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port}
}

// serveRaw answers each connection by f and closes it afterwards.
func serveRaw(t *testing.T, f func(net.Conn)) Host {
	t.Helper()
	listener, host := listen(t)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				f(conn)
			}()
		}
	}()
	return host
}

// silent accepts connections and never answers, until the test ends.
func silent(t *testing.T) Host {
	t.Helper()
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	return serveRaw(t, func(net.Conn) { <-end })
}

// refusing is a port that nothing listens on.
func refusing(t *testing.T) Host {
	t.Helper()
	listener, host := listen(t)
	listener.Close()
	return host
}

// testConfig connects to the hosts, patiently enough for a busy machine.
func testConfig(hosts ...Host) Config {
	c := DefaultConfig()
	c.Hosts = hosts
	c.ConnectTimeout = 20 * time.Second
	c.ReadTimeout, c.WriteTimeout = 20*time.Second, 20*time.Second
	return c
}
