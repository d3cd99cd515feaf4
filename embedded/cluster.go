package embedded

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// maxNodes is how many nodes a cluster has at most, a Community cluster's limit.
const maxNodes = 8

// ClusterConfig says how a cluster is set up. The zero value has three nodes on
// free ports that keep two copies of each record.
type ClusterConfig struct {
	// Config is that of every node. With a port in Listen, the nodes take that one
	// and those after it.
	Config

	// Nodes is how many there are, 1 to 8. Default 3.
	Nodes int

	// ReplicationFactor is how many nodes have a copy of each record, from 1. It
	// is limited by the number of nodes that are up. Default 2.
	ReplicationFactor int

	// Racks gives the rack of each node, above 0. The copies of a record are then
	// on different racks if possible. Default none: rack-ids is answered as by a
	// Community server, which has no racks.
	Racks []int
}

func (cfg ClusterConfig) withDefaults() (ClusterConfig, error) {
	if cfg.Nodes == 0 {
		cfg.Nodes = 3
	}
	if cfg.ReplicationFactor == 0 {
		cfg.ReplicationFactor = 2
	}
	switch {
	case cfg.Nodes < 1 || cfg.Nodes > maxNodes:
		return cfg, fmt.Errorf("%d nodes, want 1 to %d", cfg.Nodes, maxNodes)
	case cfg.ReplicationFactor < 1:
		return cfg, fmt.Errorf("replication factor %d, want 1 or more", cfg.ReplicationFactor)
	case cfg.Racks != nil && len(cfg.Racks) != cfg.Nodes:
		return cfg, fmt.Errorf("%d racks for %d nodes", len(cfg.Racks), cfg.Nodes)
	}
	for _, rack := range cfg.Racks {
		if rack < 1 {
			return cfg, fmt.Errorf("rack %d, want 1 or more", rack)
		}
	}
	return cfg, nil
}

// A Cluster is several nodes in one process, each with a listener of its own. To
// clients it is a cluster whose partitions have a master and replicas and move
// when nodes leave or join. In fact all nodes share the same data, so that any of
// them serves any record: a command that reaches a node that doesn't own the
// record gets the answer that a real node would fetch by proxy, and nothing is
// lost or stale when a node leaves. Its methods may be called from any goroutine.
//
// Nodes are numbered from 1.
type Cluster struct {
	replicas int   // replication factor
	racks    []int // of the nodes, nil if there are none
	nodes    []*Server
	layout   atomic.Pointer[layout] // nil until all nodes are there

	mu sync.Mutex // held to change the layout
}

// A layout is which nodes are up and own which partitions. It is replaced, never
// changed.
type layout struct {
	generation int // counts layouts, from 1
	up         []bool
	size       int
	owners     [partitions][]int // node numbers, the master first
}

// StartCluster starts a cluster. It returns an error if the configuration is out
// of range or an address can't be listened on. The caller must Close the cluster.
func StartCluster(cfg ClusterConfig) (*Cluster, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("embedded cluster: %w", err)
	}
	cl := &Cluster{replicas: cfg.ReplicationFactor, racks: cfg.Racks}
	first, err := Start(cl.member(cfg.Config, 1))
	if err != nil {
		return nil, err
	}
	cl.nodes = append(cl.nodes, first)
	up := []bool{true}
	for number := 2; number <= cfg.Nodes; number++ {
		node, err := first.addNode(cl.member(cfg.Config, number))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("embedded cluster: node %d: %w", number, err), cl.Close())
		}
		cl.nodes, up = append(cl.nodes, node), append(up, true)
	}
	cl.layout.Store(cl.newLayout(1, up))
	return cl, nil
}

// member is the configuration of a node.
func (cl *Cluster) member(cfg Config, number int) Config {
	cfg.cluster, cfg.number = cl, number
	if host, port, err := net.SplitHostPort(cfg.Listen); err == nil {
		if n, err := strconv.Atoi(port); err == nil && n != 0 {
			cfg.Listen = net.JoinHostPort(host, strconv.Itoa(n+number-1))
		}
	}
	return cfg
}

// addNode starts a node that shares the data of s.
func (s *Server) addNode(cfg Config) (*Server, error) {
	cfg.Now = s.now
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	node := &Server{
		cfg: cfg, now: s.now, started: s.started, order: s.order, byName: s.byName,
		home: s, cluster: cfg.cluster, number: cfg.number,
		stopped: make(chan struct{}), conns: make(map[*conn]struct{}),
	}
	if err := node.SetFaults(cfg.FaultSeed, cfg.Faults...); err != nil {
		return nil, err
	}
	if err := node.listen(cfg.Listen); err != nil {
		return nil, err
	}
	return node, nil
}

// newLayout spreads the partitions over the nodes that are up. Each partition has
// an order of all nodes of its own, so that only those of a node that leaves or
// joins move.
func (cl *Cluster) newLayout(generation int, up []bool) *layout {
	l := &layout{generation: generation, up: up}
	for _, is := range up {
		if is {
			l.size++
		}
	}
	for pid := range l.owners {
		var order []int
		for i := range up {
			if up[i] {
				order = append(order, i+1)
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			if nodeRank(pid, a) < nodeRank(pid, b) {
				return -1
			}
			return 1
		})
		l.owners[pid] = cl.spread(order)
	}
	return l
}

// nodeRank is a pseudo-random number for a node and a partition (the finalizer of
// SplitMix64).
func nodeRank(pid, number int) uint64 {
	x := (uint64(pid)<<8 | uint64(number)) * 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// spread takes the owners of a partition from the order of its nodes: the first,
// and then preferably nodes of racks that have none.
func (cl *Cluster) spread(order []int) []int {
	want := min(cl.replicas, len(order))
	if cl.racks == nil {
		return order[:want]
	}
	var owners []int
	used := map[int]bool{}
	for _, fresh := range []bool{true, false} {
		for _, number := range order {
			rack := cl.racks[number-1]
			if len(owners) < want && !slices.Contains(owners, number) && !(fresh && used[rack]) {
				owners, used[rack] = append(owners, number), true
			}
		}
	}
	return owners
}

// Nodes returns all nodes, also those that are stopped. Don't Close or Restart a
// node while it is stopped.
func (cl *Cluster) Nodes() []*Server { return slices.Clone(cl.nodes) }

// Node returns the node with this number, from 1. It panics if there is none.
func (cl *Cluster) Node(number int) *Server { return cl.nodes[number-1] }

// Addrs returns the host:port of each node.
func (cl *Cluster) Addrs() []string {
	addrs := make([]string, len(cl.nodes))
	for i, node := range cl.nodes {
		addrs[i] = node.Addr()
	}
	return addrs
}

// Owners returns the numbers of the nodes that own a record, the master first. The
// arguments are those of [KeyDigest], whose error it returns.
func (cl *Cluster) Owners(set string, key any) ([]int, error) {
	d, err := KeyDigest(set, key)
	if err != nil {
		return nil, err
	}
	return slices.Clone(cl.layout.Load().owners[d.partition()]), nil
}

// SetFaults is [Server.SetFaults] for every node. Each draws and counts for
// itself; [Fault.Node] restricts a fault to one.
func (cl *Cluster) SetFaults(seed uint64, faults ...Fault) error {
	for _, node := range cl.nodes {
		if err := node.SetFaults(seed, faults...); err != nil {
			return err
		}
	}
	return nil
}

// Stop makes a node leave: the others notice at once and take over its
// partitions, and its listener and connections are closed. It is an error if the
// node is stopped already or the last one.
func (cl *Cluster) Stop(number int) error {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if err := cl.move(number, true); err != nil {
		return fmt.Errorf("embedded cluster: stop: %w", err)
	}
	if err := cl.nodes[number-1].disconnect(); err != nil {
		return fmt.Errorf("embedded cluster: stop node %d: %w", number, err)
	}
	return nil
}

// Start makes a stopped node come back, on the same port and with the partitions
// that it had. It is an error if the node isn't stopped or the port is taken.
func (cl *Cluster) Start(number int) error {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if number < 1 || number > len(cl.nodes) || cl.layout.Load().up[number-1] {
		return fmt.Errorf("embedded cluster: start: node %d is not stopped", number)
	}
	node := cl.nodes[number-1]
	if err := node.listen(node.listenAddr().String()); err != nil {
		return fmt.Errorf("embedded cluster: start node %d: %w", number, err)
	}
	if err := cl.move(number, false); err != nil {
		return fmt.Errorf("embedded cluster: start: %w", err)
	}
	return nil
}

// move takes a node out of the layout or puts it back.
func (cl *Cluster) move(number int, out bool) error {
	old := cl.layout.Load()
	switch {
	case number < 1 || number > len(cl.nodes):
		return fmt.Errorf("there is no node %d", number)
	case old.up[number-1] != out:
		return fmt.Errorf("node %d is stopped: %v", number, out)
	case out && old.size == 1:
		return fmt.Errorf("node %d is the last one", number)
	}
	up := slices.Clone(old.up)
	up[number-1] = !out
	cl.layout.Store(cl.newLayout(old.generation+1, up))
	return nil
}

// Close closes all nodes, see [Server.Close].
func (cl *Cluster) Close() error {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	var errs []error
	for _, node := range slices.Backward(cl.nodes) { // the first one has the data
		errs = append(errs, node.Close())
	}
	return errors.Join(errs...)
}

// RunClusterT starts a cluster for a test and closes it when the test ends. The
// test fails at once if the cluster can't be started.
func RunClusterT(tb TB, cfg ClusterConfig) *Cluster {
	tb.Helper()
	cl, err := StartCluster(cfg)
	if err != nil {
		tb.Fatalf("%v", err)
		return nil
	}
	tb.Cleanup(func() {
		if err := cl.Close(); err != nil {
			tb.Fatalf("%v", err)
		}
	})
	return cl
}
