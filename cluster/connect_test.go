package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
)

func connect(t *testing.T, c Config) *Cluster {
	t.Helper()
	cluster, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

func TestConnectErrors(t *testing.T) {
	short := 200 * time.Millisecond
	garbage := func(text string) Host {
		return serveRaw(t, func(conn net.Conn) {
			if _, err := io.ReadFull(conn, make([]byte, 14)); err == nil {
				io.WriteString(conn, text)
			}
		})
	}
	closing := serveRaw(t, func(net.Conn) {})
	halfway := &fakeNode{info: func(item string) string {
		if item == "build" {
			return "8.1.0.1"
		}
		return "" // stalls after the first answer
	}}
	starting := &fakeNode{info: func(item string) string {
		if item == "partition-generation" {
			return "-1"
		}
		return standardInfo(item)
	}}
	closed := &fakeNode{info: func(string) string { return "ERROR:80:not authenticated" }}
	wrong := &fakeNode{login: answerLogin(62)}
	refused := refusing(t)

	for _, tt := range []struct {
		name  string
		hosts []Host
		with  func(*Config)
		want  string // a regular expression for the whole message
		is    error
	}{
		{"refused", []Host{refused}, nil,
			fmt.Sprintf("no Aerospike node answered at %s: connection refused", refused.address()), syscall.ECONNREFUSED},
		{"several with one reason", []Host{refused, refused}, nil,
			`no Aerospike node answered at \S+, \S+: connection refused`, syscall.ECONNREFUSED},
		{"several reasons", []Host{refused, silent(t)}, func(c *Config) { c.ConnectTimeout = short },
			`no Aerospike node answered at \S+ \(connection refused\), \S+ \(no answer within 200ms \(--connect-timeout\)\)`, context.DeadlineExceeded},
		{"silent", []Host{silent(t)}, func(c *Config) { c.ConnectTimeout = short },
			`no Aerospike node answered at \S+: no answer within 200ms \(--connect-timeout\)`, context.DeadlineExceeded},
		{"closing", []Host{closing}, nil,
			`no Aerospike node answered at \S+: it closed the connection \(a TLS port needs --tls-enable\)`, nil},
		{"another protocol", []Host{garbage("HTTP/1.1 400 Bad Request\r\n\r\n")}, nil,
			`no Aerospike node answered at \S+: what answers is not Aerospike \(it said "HTTP/1.1"\)`, nil},
		{"another protocol, less than a header", []Host{garbage("-ERR\r\n")}, nil,
			`no Aerospike node answered at \S+: what answers is not Aerospike \(it said "-ERR\\r\\n"\)`, nil},
		{"a header that promises too much", []Host{garbage("\x02\x01\xff\xff\xff\xff\xff\xff")}, nil,
			`no Aerospike node answered at \S+: what answers is not Aerospike \(it said .*\)`, nil},
		{"no such name", []Host{{Name: "nowhere.invalid", Port: 3000}}, nil,
			`no Aerospike node answered at nowhere\.invalid:3000: .+`, nil},
		{"stalls later", []Host{startNode(t, halfway, nil)}, func(c *Config) { c.ConnectTimeout = short },
			`the cluster at \S+ (did not finish answering within 200ms \(--connect-timeout\)|can't be used: .*timeout.*)`, nil},
		{"not ready", []Host{startNode(t, starting, nil)}, nil,
			`the cluster at \S+ can't be used: Node BB9000000000001 \(\S+\) is not yet fully initialized`, nil},
		{"login needed", []Host{startNode(t, closed, nil)}, nil,
			`no Aerospike node answered at \S+: the node asks for a login: give --user and --password`, nil},
		{"wrong password", []Host{startNode(t, wrong, nil)}, func(c *Config) { c.User, c.Password = "bob", "x" },
			`login as "bob" at \S+ refused: Invalid password`, nil},
		{"TLS where there is none", []Host{garbage("HTTP/1.1 400 Bad Request\r\n\r\n")}, func(c *Config) { c.TLS.Enable = true },
			`no Aerospike node answered at \S+: it does not speak TLS`, nil},
		{"TLS where it is closed", []Host{closing}, func(c *Config) { c.TLS.Enable = true },
			`no Aerospike node answered at \S+: it closed the connection \(does that port speak TLS\?\)`, nil},
		{"TLS where it is silent", []Host{silent(t)}, func(c *Config) { c.TLS.Enable, c.ConnectTimeout = true, short },
			`no Aerospike node answered at \S+: no answer within 200ms \(--connect-timeout\)`, context.DeadlineExceeded},
		{"invalid", []Host{refused}, func(c *Config) { c.MaxRetries = -1 },
			`--max-retries: -1 is not in .*`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testConfig(tt.hosts...)
			if tt.with != nil {
				tt.with(&c)
			}
			cluster, err := Connect(t.Context(), c)
			if err == nil {
				cluster.Close()
				t.Fatal("it connected")
			}
			if !regexp.MustCompile("^(?i:" + tt.want + ")$").MatchString(err.Error()) {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not a %v", err, tt.is)
			}
		})
	}
}

// TestConnectTimeoutsDoNotAddUp: ten dead hosts take as long as one. One after
// another they would take five seconds.
func TestConnectTimeoutsDoNotAddUp(t *testing.T) {
	var hosts []Host
	for range 10 {
		hosts = append(hosts, silent(t))
	}
	c := testConfig(hosts...)
	c.ConnectTimeout = 500 * time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	_, err := Connect(ctx, c)
	if err == nil || !strings.Contains(err.Error(), "no answer within 500ms") {
		t.Errorf("got %v, want the connect timeout and not the test's", err)
	}
}

func TestConnectEndsWithContext(t *testing.T) {
	for name, host := range map[string]Host{
		"while asking":     silent(t),
		"in the client":    startNode(t, &fakeNode{info: onlyBuild}, nil),
		"though it worked": startNode(t, &fakeNode{}, nil),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if name == "though it worked" {
			cancel()
		} else {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		_, err := Connect(ctx, testConfig(host))
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), host.address()) {
			t.Errorf("%s: got %v, want the context's error and the host", name, err)
		}
		cancel()
	}
}

func onlyBuild(item string) string {
	if item == "build" {
		return "8.1.0.1"
	}
	return ""
}

// TestConnectWithDeadSeeds: one good host among dead ones is enough.
func TestConnectWithDeadSeeds(t *testing.T) {
	good := startNode(t, &fakeNode{}, nil)
	c := testConfig(refusing(t), Host{Name: "nowhere.invalid", Port: 3000}, good)
	cluster := connect(t, c)
	want := []Node{{Name: "BB9000000000001", Host: good.address(), Build: "8.1.0.1", Edition: "Aerospike Community Edition"}}
	if got := cluster.Nodes(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCheckNamespace(t *testing.T) {
	cluster := connect(t, testConfig(startNode(t, &fakeNode{}, nil)))
	if err := cluster.CheckNamespace(t.Context(), "test"); err != nil {
		t.Errorf("test: %v", err)
	}
	err := cluster.CheckNamespace(t.Context(), "tset")
	if err == nil || !regexp.MustCompile(`^there is no namespace "tset" at \S+; there are: bar, test$`).MatchString(err.Error()) {
		t.Errorf("tset: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cluster.CheckNamespace(ctx, "tset"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestCheckNamespaceOfNodeThatDoesNotSay(t *testing.T) {
	node := &fakeNode{info: func(item string) string {
		if item == "namespaces" || item == "edition" {
			return "ERROR:4:unrecognized command"
		}
		return standardInfo(item)
	}}
	cluster := connect(t, testConfig(startNode(t, node, nil)))
	err := cluster.CheckNamespace(t.Context(), "test")
	if err == nil || !strings.Contains(err.Error(), "BB9000000000001") || !strings.Contains(err.Error(), `"test"`) {
		t.Errorf("got %v, want the namespace and the node", err)
	}
	if nodes := cluster.Nodes(); len(nodes) != 1 || nodes[0].Edition != "" || nodes[0].Build != "8.1.0.1" {
		t.Errorf("got %+v, want a build and no edition", nodes)
	}
}

// TestMaxRetries counts the attempts that reach a node which drops the
// connection at every command.
func TestMaxRetries(t *testing.T) {
	for _, tt := range []struct{ retries, attempts int }{
		{0, 1}, {1, 2}, {2, 3}, {5, 6},
	} {
		node := &fakeNode{}
		c := testConfig(startNode(t, node, nil))
		c.MaxRetries = tt.retries
		cluster := connect(t, c)
		key, _ := aerospike.NewKey("test", "set", 1)

		if _, err := cluster.Client().Get(cluster.ReadPolicy(), key); err == nil {
			t.Error("a read succeeded")
		}
		if got := node.commandsSeen(); got != tt.attempts {
			t.Errorf("a read with %d retries was sent %d times, want %d", tt.retries, got, tt.attempts)
		}
		if err := cluster.Client().Put(cluster.WritePolicy(), key, aerospike.BinMap{"b": 1}); err == nil {
			t.Error("a write succeeded")
		}
		if got := node.commandsSeen() - tt.attempts; got != tt.attempts {
			t.Errorf("a write with %d retries was sent %d times, want %d", tt.retries, got, tt.attempts)
		}
	}
}

// TestWorkersFitTheirConnections: as many commands as there are connections
// are on their way at once. The node answers none of them before it has all,
// so a pool that is one too small never gets there.
func TestWorkersFitTheirConnections(t *testing.T) {
	const workers = 8
	var mu sync.Mutex
	waiting := 0
	all := make(chan struct{})
	node := &fakeNode{command: func(conn net.Conn) bool {
		mu.Lock()
		if waiting++; waiting == workers {
			close(all)
		}
		mu.Unlock()
		<-all
		return answerCommand(2)(conn) // not found
	}}
	c := testConfig(startNode(t, node, nil))
	c.Workers, c.MaxConnsPerNode = workers, workers
	cluster := connect(t, c)
	if err := cluster.WarmUp(t.Context(), workers); err != nil {
		t.Fatal(err)
	}
	// The workers' connections and the client's own for tending.
	node.waitForConns(t, workers+1)

	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			key, _ := aerospike.NewKey("test", "set", i)
			_, err := cluster.Client().Get(cluster.ReadPolicy(), key)
			if !errors.Is(err, aerospike.ErrKeyNotFound) {
				t.Errorf("worker %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func TestWarmUp(t *testing.T) {
	node := &fakeNode{}
	c := testConfig(startNode(t, node, nil))
	c.MaxConnsPerNode = 100
	cluster := connect(t, c)
	for _, tt := range []struct {
		connections, open int
		why               string
	}{
		{0, 1, "none is asked for, so there is but the client's own"},
		{-1, 1, "fewer than none is none"},
		{70, 71, "in two batches"},
		{1000, 101, "all that are allowed"},
	} {
		if err := cluster.WarmUp(t.Context(), tt.connections); err != nil {
			t.Errorf("%d connections: %v (%s)", tt.connections, err, tt.why)
		}
		node.waitForConns(t, tt.open)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cluster.WarmUp(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestWarmUpError(t *testing.T) {
	node := &fakeNode{}
	cluster := connect(t, testConfig(startNode(t, node, nil)))
	node.listener.Close()
	err := cluster.WarmUp(t.Context(), 10)
	if err == nil || !regexp.MustCompile(`^opening connections: node BB9000000000001 at \S+: .*connection refused$`).MatchString(err.Error()) {
		t.Errorf("got %v, want the node and the reason", err)
	}
}

// TestDebugLog runs in a process of its own, as the client's log is one for
// the process and other tests' clients may still be ending.
func TestDebugLog(t *testing.T) {
	if os.Getenv("CLUSTER_TEST_DEBUG") == "" {
		for _, debug := range []string{"no", "yes"} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestDebugLog$", "-test.v")
			cmd.Env = append(os.Environ(), "CLUSTER_TEST_DEBUG="+debug)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if logged := strings.Contains(string(out), "Seeding the cluster"); logged != (debug == "yes") {
				t.Errorf("debug %s: logged: %v\n%s", debug, logged, out)
			}
		}
		return
	}
	c := testConfig(startNode(t, &fakeNode{}, nil))
	if os.Getenv("CLUSTER_TEST_DEBUG") == "yes" {
		c.Debug = os.Stderr
	}
	connect(t, c)
}
