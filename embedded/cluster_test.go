package embedded_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

func connectCluster(t testing.TB, cl *embedded.Cluster, change func(*as.ClientPolicy)) *as.Client {
	t.Helper()
	cp := as.NewClientPolicy()
	cp.TendInterval = 20 * time.Millisecond
	cp.Timeout = time.Minute
	if change != nil {
		change(cp)
	}
	client, err := as.NewClientWithPolicy(cp, "127.0.0.1", cl.Node(1).Port())
	must(t, asError(err))
	t.Cleanup(client.Close)
	// A command that finds no connection goes to another node, which tests of what
	// goes where must not depend on.
	waitFor(t, "connections", func() bool {
		_, err := client.WarmUp(4)
		return err == nil && len(client.GetNodes()) == len(cl.Nodes())
	})
	client.DefaultPolicy.TotalTimeout, client.DefaultPolicy.SocketTimeout = time.Minute, time.Minute
	client.DefaultWritePolicy.TotalTimeout, client.DefaultWritePolicy.SocketTimeout = time.Minute, time.Minute
	return client
}

// infoOf asks a node one info command.
func infoOf(t testing.TB, addr, command string) string {
	t.Helper()
	c := dialRaw(t, addr)
	c.send(frame(1, []byte(command+"\n")))
	_, body := c.receive()
	result, ok := strings.CutPrefix(string(body), command+"\t")
	if !ok {
		t.Fatalf("%s: got %q", command, body)
	}
	return strings.TrimSuffix(result, "\n")
}

func TestClusterDiscovery(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{})
	client := connectCluster(t, cl, nil)
	if n := len(client.GetNodes()); n != 3 {
		t.Fatalf("the client finds %d nodes, want 3", n)
	}
	for i := range 300 {
		key := mustKey(t, "test", "cluster", i)
		must(t, client.Put(nil, key, as.BinMap{"n": i}))
		r, err := client.Get(nil, key)
		must(t, asError(err))
		if r.Bins["n"] != i {
			t.Fatalf("record %d reads %v", i, r.Bins)
		}
	}
	var writes, reads uint64
	for i, node := range cl.Nodes() {
		tr := node.Traffic()
		// A third is 100; 60 and 140 are five standard deviations off.
		if tr.Writes < 60 || tr.Writes > 140 || tr.Foreign != 0 {
			t.Errorf("node %d: %+v", i+1, tr)
		}
		writes, reads = writes+tr.Writes, reads+tr.Reads
		if n := node.Count("test", "cluster"); n != 300 {
			t.Errorf("node %d counts %d records", i+1, n)
		}
	}
	if writes != 300 || reads != 300 {
		t.Errorf("%d writes and %d reads, want 300 each", writes, reads)
	}
	if n := len(scanAll(t, client, "test", "cluster")); n != 300 {
		t.Errorf("a scan finds %d records", n)
	}
	var keys []*as.Key
	for i := range 300 {
		keys = append(keys, mustKey(t, "test", "cluster", i))
	}
	records, err := client.BatchGet(nil, keys)
	must(t, asError(err))
	for i, r := range records {
		if r == nil || r.Bins["n"] != i {
			t.Errorf("record %d of the batch is %v", i, r)
		}
	}
	for i, node := range cl.Nodes() {
		if tr := node.Traffic(); tr.Batches != 1 || tr.Queries != 1 {
			t.Errorf("node %d: %+v, want one part of the batch and of the scan", i+1, tr)
		}
	}
}

// TestClusterPartitions: in the bitmaps of all nodes together, each partition has
// one master and one replica on another node.
func TestClusterPartitions(t *testing.T) {
	for _, racks := range [][]int{nil, {1, 1, 2, 2}, {1, 1, 1, 2}} {
		cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 4, ReplicationFactor: 2, Racks: racks})
		client := connectCluster(t, cl, nil)
		_ = client
		masters := make([]int, 4)
		for i := range 2000 {
			owners, err := cl.Owners("s", i)
			must(t, err)
			if len(owners) != 2 || owners[0] == owners[1] {
				t.Fatalf("key %d: owners %v", i, owners)
			}
			if racks != nil && racks[owners[0]-1] == racks[owners[1]-1] {
				t.Fatalf("key %d: owners %v are on one of the racks %v", i, owners, racks)
			}
			masters[owners[0]-1]++
		}
		for i, n := range masters {
			// A quarter is 500, with a standard deviation of 19.
			if n < 400 || n > 600 {
				t.Errorf("node %d is the master of %d of 2000 keys", i+1, n)
			}
		}
	}
}

func TestClusterInfo(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 2, Racks: []int{1, 7}})
	one, two := cl.Node(1), cl.Node(2)
	id := infoOf(t, two.Addr(), "node")
	if id == infoOf(t, one.Addr(), "node") {
		t.Error("both nodes have the same ID")
	}
	want := fmt.Sprintf("1,%d,[[%s,,[%s]]]", one.Port(), id, two.Addr())
	for command, want := range map[string]string{
		"peers-clear-std": want, "peers-generation": "1", "partition-generation": "1", "rebalance-generation": "1",
		"services": two.Addr(), "service": one.Addr(), "rack-ids": "test:1;bar:1",
		"racks:":                             "ns=test:rack_1=" + infoOf(t, one.Addr(), "node") + ":rack_7=" + id + ";ns=bar:rack_1=" + infoOf(t, one.Addr(), "node") + ":rack_7=" + id,
		"cluster-stable:size=2":              "AE0001",
		"cluster-stable:size=1":              "ERROR:7:cluster not specified size",
		"peers-tls-std":                      "ERROR:25:enterprise only",
		"truncate:namespace=test;set=nosuch": "ok",
	} {
		if got := infoOf(t, one.Addr(), command); got != want {
			t.Errorf("%s: got %s, want %s", command, got, want)
		}
	}
	if got := infoOf(t, two.Addr(), "rack-ids"); got != "test:7;bar:7" {
		t.Errorf("rack-ids of node 2: %s", got)
	}
	for command, part := range map[string]string{
		"statistics": "cluster_size=2;", "namespace/test": "ns_cluster_size=2;effective_replication_factor=2;",
		"get-config:context=namespace;id=test": "replication-factor=2;", "partition-info": "test:4095:S:2:",
	} {
		if got := infoOf(t, two.Addr(), command); !strings.Contains(got, part) {
			t.Errorf("%s: %s is not in %.300s", command, part, got)
		}
	}
	replicas := infoOf(t, one.Addr(), "replicas")
	if ns := strings.Split(replicas, ";"); len(ns) != 2 || !strings.HasPrefix(ns[0], "test:0,2,") || strings.Count(ns[0], ",") != 3 || len(ns[0]) != len("test:0,2,,")+2*684 {
		t.Errorf("replicas: %.100s…", replicas)
	}
	if got := infoOf(t, one.Addr(), "replicas:max=1"); !strings.HasPrefix(got, "test:0,1,") {
		t.Errorf("replicas:max=1: %.50s", got)
	}
	if got := infoOf(t, one.Addr(), "replicas-master"); strings.Count(got, ",") != 0 || !strings.HasPrefix(got, "test:") {
		t.Errorf("replicas-master: %.50s", got)
	}

	must(t, cl.Stop(1))
	for command, want := range map[string]string{
		"peers-clear-std": fmt.Sprintf("2,%d,[]", two.Port()), "peers-generation": "2", "partition-generation": "2",
		"rebalance-generation": "2", "cluster-stable:size=1": "AE0002",
	} {
		if got := infoOf(t, two.Addr(), command); got != want {
			t.Errorf("after one has left, %s: got %s, want %s", command, got, want)
		}
	}
}

func TestClusterErrors(t *testing.T) {
	for _, cfg := range []embedded.ClusterConfig{
		{Nodes: -1}, {Nodes: 9}, {ReplicationFactor: -1}, {Nodes: 2, Racks: []int{1}}, {Nodes: 1, Racks: []int{0}},
		{Config: embedded.Config{Listen: "nonsense"}}, {Config: embedded.Config{Faults: []embedded.Fault{{}}}},
		{Config: embedded.Config{Listen: "127.0.0.1:65535"}},
	} {
		if cl, err := embedded.StartCluster(cfg); err == nil {
			t.Errorf("%+v is accepted", cfg)
			must(t, cl.Close())
		}
	}
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 2})
	must(t, cl.Stop(2))
	for what, err := range map[string]error{
		"stop again": cl.Stop(2), "stop the last": cl.Stop(1), "stop 0": cl.Stop(0), "start 1": cl.Start(1), "start 3": cl.Start(3),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	must(t, cl.Start(2))
}

// TestClusterForeign: a node that doesn't own a record serves it all the same.
func TestClusterForeign(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 3, ReplicationFactor: 1})
	key := mustKey(t, "test", "cluster", "foreign")
	owners, err := cl.Owners("cluster", "foreign")
	must(t, err)
	for number, node := range cl.Nodes() {
		c := dialRaw(t, node.Addr())
		if code := c.result(faultPut(key)); code != 0 {
			t.Errorf("node %d answers a write with %d", number+1, code)
		}
		if code := c.result(faultGet(key)); code != 0 {
			t.Errorf("node %d answers a read with %d", number+1, code)
		}
		want := embedded.Traffic{Reads: 1, Writes: 1}
		if owners[0] != number+1 {
			want.Foreign = 2
		}
		if got := node.Traffic(); got != want {
			t.Errorf("node %d: %+v, want %+v", number+1, got, want)
		}
	}
	if r, _ := cl.Node(1).Get("test", "cluster", "foreign"); r.Generation != 3 {
		t.Errorf("generation %d, want 3", r.Generation)
	}
}

// TestReplicaPolicies: which nodes the client reads from.
func TestReplicaPolicies(t *testing.T) {
	racks := []int{1, 1, 2, 2}
	for _, tc := range []struct {
		name   string
		policy as.ReplicaPolicy
		racks  []int // of the client, in order of preference
	}{
		{"master", as.MASTER, nil},
		{"sequence", as.SEQUENCE, nil},
		{"any", as.MASTER_PROLES, nil},
		{"rack 1", as.PREFER_RACK, []int{1}},
		{"rack 2", as.PREFER_RACK, []int{2}},
		{"rack 9 or 2", as.PREFER_RACK, []int{9, 2}},
	} {
		cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 4, Racks: racks})
		client := connectCluster(t, cl, func(cp *as.ClientPolicy) {
			if tc.racks != nil {
				cp.RackAware, cp.RackIds = true, tc.racks
			}
		})
		client.DefaultPolicy.ReplicaPolicy = tc.policy
		const keys = 400
		masters := make([]uint64, 4)
		for i := range keys {
			key := mustKey(t, "test", "cluster", i)
			must(t, client.Put(nil, key, as.BinMap{"n": i}))
			_, err := client.Get(nil, key)
			must(t, asError(err))
			owners, oerr := cl.Owners("cluster", i)
			must(t, oerr)
			masters[owners[0]-1]++
		}
		for i, node := range cl.Nodes() {
			tr := node.Traffic()
			if tr.Writes != masters[i] || tr.Foreign != 0 {
				t.Errorf("%s: node %d: %+v, want %d writes", tc.name, i+1, tr, masters[i])
			}
			want := masters[i]
			switch {
			case tc.policy == as.MASTER_PROLES:
				// Reads go to master and replica in turn, so a node gets half of those of
				// which it has a copy: about a quarter of all.
				if tr.Reads < 60 || tr.Reads > 140 {
					t.Errorf("%s: node %d: %d reads of %d", tc.name, i+1, tr.Reads, keys)
				}
				continue
			case tc.racks != nil:
				mine := tc.racks[len(tc.racks)-1]
				if racks[i] != mine {
					want = 0
				} else if tr.Reads < 140 || tr.Reads > 260 { // half of the reads
					t.Errorf("%s: node %d: %d reads of %d", tc.name, i+1, tr.Reads, keys)
					continue
				} else {
					continue
				}
			}
			if tr.Reads != want {
				t.Errorf("%s: node %d: %d reads, want %d", tc.name, i+1, tr.Reads, want)
			}
		}
	}
}

// TestNodeLeavesAndComesBack: under load one node after the other leaves and comes
// back. No write that was acknowledged is lost, the client follows, and in the end
// each node has its share again.
func TestNodeLeavesAndComesBack(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{})
	client := connectCluster(t, cl, nil)
	wp := as.NewWritePolicy(0, 0)
	wp.MaxRetries, wp.SleepBetweenRetries = 100, 5*time.Millisecond
	wp.TotalTimeout, wp.SocketTimeout = time.Minute, time.Minute
	var done atomic.Bool
	var wg sync.WaitGroup
	const workers = 4
	written := make([]int, workers)
	for w := range workers {
		wg.Go(func() {
			for ; !done.Load(); written[w]++ {
				key, err := as.NewKey("test", "cluster", w*1_000_000+written[w])
				if err == nil {
					err = client.Put(wp, key, as.BinMap{"n": written[w]})
				}
				if err != nil {
					t.Errorf("worker %d: %v", w, err)
					return
				}
			}
		})
	}
	seen := func(want int) {
		t.Helper()
		waitFor(t, fmt.Sprintf("%d nodes", want), func() bool { return len(client.GetNodes()) == want })
	}
	for number := 3; number >= 1; number-- {
		waitForTraffic(t, cl, number)
		must(t, cl.Stop(number))
		seen(2)
		for other := 1; other <= 3; other++ {
			if other != number {
				waitForTraffic(t, cl, other)
			}
		}
		must(t, cl.Start(number))
		seen(3)
		waitForTraffic(t, cl, number)
	}
	done.Store(true)
	wg.Wait()
	total := 0
	for w, n := range written {
		total += n
		for i := range n {
			if _, ok := cl.Node(2).Get("test", "cluster", w*1_000_000+i); !ok {
				t.Fatalf("record %d of worker %d is lost", i, w)
			}
		}
	}
	if got := cl.Node(1).Count("test", "cluster"); got < total || got > total+workers {
		t.Errorf("%d records, %d acknowledged", got, total)
	}
	if got := len(scanAll(t, client, "test", "cluster")); got != cl.Node(1).Count("test", "cluster") {
		t.Errorf("a scan finds %d records of %d", got, cl.Node(1).Count("test", "cluster"))
	}
}

// waitForTraffic waits until the node has served another write of its own.
func waitForTraffic(t testing.TB, cl *embedded.Cluster, number int) {
	t.Helper()
	node := cl.Node(number)
	before := node.Traffic()
	waitFor(t, fmt.Sprintf("writes at node %d", number), func() bool {
		now := node.Traffic()
		return now.Writes-now.Foreign > before.Writes-before.Foreign
	})
}

// TestClusterFailover: with a replica, reads go on when the master hangs up.
func TestClusterFailover(t *testing.T) {
	cl := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 2})
	client := connectCluster(t, cl, nil)
	key := mustKey(t, "test", "cluster", "failover")
	must(t, client.Put(nil, key, as.BinMap{"a": 1}))
	owners, err := cl.Owners("cluster", "failover")
	must(t, err)
	fault := parseFaults(t, fmt.Sprintf("read close node=%d", owners[0]))
	must(t, cl.SetFaults(1, fault...))
	policy := as.NewPolicy()
	policy.TotalTimeout, policy.SocketTimeout, policy.SleepBetweenRetries = time.Minute, time.Minute, 0
	policy.MaxRetries = 20
	if _, err := client.Get(policy, key); err != nil {
		t.Errorf("sequence: %v", err)
	}
	if got := cl.Node(owners[1]).Traffic().Reads; got != 1 {
		t.Errorf("the replica has answered %d reads, want 1", got)
	}
	before := cl.Node(owners[0]).FaultHits()[0]
	policy.ReplicaPolicy = as.MASTER
	if _, err := client.Get(policy, key); err == nil || !err.Matches(types.MAX_RETRIES_EXCEEDED, types.NETWORK_ERROR) {
		t.Errorf("master: %v", err)
	}
	if hits := cl.Node(owners[0]).FaultHits()[0]; before < 1 || hits <= before {
		t.Errorf("the fault struck %d and then %d times", before, hits-before)
	}
	if hits := cl.Node(owners[1]).FaultHits(); hits[0] != 0 {
		t.Errorf("the fault struck the other node %d times", hits[0])
	}
}
