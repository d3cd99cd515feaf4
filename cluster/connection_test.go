package cluster

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// TestConnectByIPv6 connects to [::1].
func TestConnectByIPv6(t *testing.T) {
	probe, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip(err)
	}
	probe.Close()
	s := embedded.RunT(t, embedded.Config{Listen: "[::1]:0"})
	hosts, err := ParseHosts(s.Addr(), 3000)
	if err != nil {
		t.Fatal(err)
	}
	cluster := connect(t, testConfig(hosts...))
	if err := roundTrip(cluster, 1); err != nil {
		t.Error(err)
	}
	if nodes := cluster.Nodes(); len(nodes) != 1 || nodes[0].Host != s.Addr() {
		t.Errorf("the nodes are %+v, want %s", nodes, s.Addr())
	}
}

// TestServicesAlternate: which addresses of its peers a node is asked for, with and
// without TLS.
func TestServicesAlternate(t *testing.T) {
	ca := issue(t, "Test CA", 1, nil, true)
	leaf := issue(t, "node", 2, ca, false)
	for _, tt := range []struct {
		alternate, tls bool
		want           string
	}{
		{false, false, "peers-clear-std"}, {true, false, "peers-clear-alt"},
		{false, true, "peers-tls-std"}, {true, true, "peers-tls-alt"},
	} {
		var mu sync.Mutex
		asked := map[string]bool{}
		node := &fakeNode{info: func(item string) string {
			if strings.HasPrefix(item, "peers-") && item != "peers-generation" {
				mu.Lock()
				asked[item] = true
				mu.Unlock()
				return "1,3000,[]"
			}
			return standardInfo(item)
		}}
		config := serverTLS(leaf)
		if !tt.tls {
			config = nil
		}
		c := testConfig(startNode(t, node, config))
		c.ServicesAlternate = tt.alternate
		if tt.tls {
			c.TLS = TLSConfig{Enable: true, CAFile: write(t, "ca.pem", ca.certPEM())}
		}
		connect(t, c)
		mu.Lock()
		if !asked[tt.want] || len(asked) != 1 {
			t.Errorf("alternate %t, TLS %t: the node was asked for %v, want %s", tt.alternate, tt.tls, asked, tt.want)
		}
		mu.Unlock()
	}
}

// TestReplicas: which nodes get the reads of records whose master is node 1.
func TestReplicas(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 3, ReplicationFactor: 2, Racks: []int{1, 2, 3}})
	hosts, err := ParseHosts(strings.Join(cl.Addrs(), ","), 3000)
	if err != nil {
		t.Fatal(err)
	}
	// Keys that node 1 is the master of, and node 2 has the copy.
	var keys []*aerospike.Key
	for n := 0; len(keys) < 10; n++ {
		owners, err := cl.Owners("set", n)
		if err != nil {
			t.Fatal(err)
		}
		if owners[0] == 1 && owners[1] == 2 {
			key, err := aerospike.NewKey("test", "set", n)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
	}
	for _, tt := range []struct {
		name    string
		replica Replica
		racks   []int
		want    [3]bool // which nodes get reads
	}{
		{"the master", ReplicaMaster, nil, [3]bool{true, false, false}},
		{"the master first", ReplicaSequence, nil, [3]bool{true, false, false}},
		{"both by turns", ReplicaAny, nil, [3]bool{true, true, false}},
		{"the rack of the master", ReplicaPreferRack, []int{1}, [3]bool{true, false, false}},
		{"the rack of the copy", ReplicaPreferRack, []int{2}, [3]bool{false, true, false}},
		{"the rack of none, then that of the copy", ReplicaPreferRack, []int{3, 2}, [3]bool{false, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testConfig(hosts...)
			c.Replica, c.RackIDs = tt.replica, tt.racks
			cluster := connect(t, c)
			await(t, func() bool { return len(cluster.client.GetNodes()) == 3 })
			before := reads(cl)
			for _, key := range keys {
				if _, err := cluster.Client().Exists(cluster.ReadPolicy(), key); err != nil {
					t.Fatal(err)
				}
			}
			var got [3]bool
			for i, n := range reads(cl) {
				got[i] = n > before[i]
			}
			if got != tt.want {
				t.Errorf("the nodes that got reads are %v, want %v", got, tt.want)
			}
		})
	}
}

// reads are how many reads each node has served.
func reads(cl *embedded.Cluster) [3]uint64 {
	var counts [3]uint64
	for i, node := range cl.Nodes() {
		counts[i] = node.Traffic().Reads
	}
	return counts
}

// TestMinConns: so many connections are open before any command.
func TestMinConns(t *testing.T) {
	node := &fakeNode{}
	c := testConfig(startNode(t, node, nil))
	c.MinConnsPerNode = 7
	connect(t, c)
	node.waitForConns(t, 7) // with the client's own, for tending
}

// TestTimeouts: a read without an answer ends by its own timeouts and not those of
// writes, and the other way round.
func TestTimeouts(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	const short, long = 200 * time.Millisecond, time.Hour
	key, err := aerospike.NewKey("test", "set", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(*Config)
		write  bool
	}{
		{"reads in all", func(c *Config) { c.ReadTimeout = short }, false},
		{"writes in all", func(c *Config) { c.WriteTimeout = short }, true},
		{"an attempt of reads", func(c *Config) { c.ReadSocketTimeout = short }, false},
		{"an attempt of writes", func(c *Config) { c.WriteSocketTimeout = short }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testConfig(Host{Name: "127.0.0.1", Port: s.Port()})
			c.MaxRetries = 0
			c.ReadTimeout, c.WriteTimeout, c.ReadSocketTimeout, c.WriteSocketTimeout = long, long, long, long
			tt.change(&c)
			cluster := connect(t, c)
			if err := s.SetFaults(1, embedded.Fault{On: embedded.FaultAny, Action: embedded.FaultDrop}); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.SetFaults(0); err != nil {
					t.Error(err)
				}
			}()
			// With the wrong timeout this takes an hour, and the test fails.
			if tt.write {
				err = cluster.Client().Put(cluster.WritePolicy(), key, aerospike.BinMap{"a": 1})
			} else {
				_, err = cluster.Client().Get(cluster.ReadPolicy(), key)
			}
			if err == nil {
				t.Error("there was an answer")
			}
		})
	}
}

// TestClientKeys connects with a client key that a password opens.
func TestClientKeys(t *testing.T) {
	authority, err := embedded.NewTestAuthority()
	if err != nil {
		t.Fatal(err)
	}
	config, err := authority.ServerConfig(true)
	if err != nil {
		t.Fatal(err)
	}
	s := embedded.RunT(t, embedded.Config{TLS: config})
	own, err := authority.Issue("client")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLUSTER_TEST_KEY_PASSWORD", "sesame")
	key := write(t, "client.key", encryptPEM(t, own.KeyPEM, "sesame"))
	for _, password := range []Secret{"sesame", "env:CLUSTER_TEST_KEY_PASSWORD", "file:" + Secret(write(t, "pw", []byte("sesame\n")))} {
		c := testConfig(Host{Name: "127.0.0.1", Port: s.Port()})
		c.TLS = TLSConfig{Enable: true, CAFile: write(t, "ca.pem", authority.PEM),
			CertFile: write(t, "client.pem", own.CertPEM), KeyFile: key, KeyPassword: password}
		if err := roundTrip(connect(t, c), 1); err != nil {
			t.Error(err)
		}
	}
}
