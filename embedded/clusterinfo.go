package embedded

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A ringRole is what a node is to a record.
type ringRole int

const (
	roleNone ringRole = iota
	roleReplica
	roleMaster
)

// role says what a node is to a partition.
func (l *layout) role(pid, number int) ringRole {
	switch slices.Index(l.owners[pid], number) {
	case -1:
		return roleNone
	case 0:
		return roleMaster
	}
	return roleReplica
}

// clusterLayout returns the cluster's current layout; nil for a server that isn't
// in a cluster, or whose cluster isn't complete yet.
func (s *Server) clusterLayout() *layout {
	if s.cluster == nil {
		return nil
	}
	return s.cluster.layout.Load()
}

// clusterSize is the number of nodes that are up.
func (s *Server) clusterSize() int {
	if l := s.clusterLayout(); l != nil {
		return l.size
	}
	return 1
}

// clusterKey changes when nodes come or go.
func (s *Server) clusterKey() string {
	if l := s.clusterLayout(); l != nil {
		return fmt.Sprintf("AE%04X", l.generation)
	}
	return clusterKey
}

// replicationFactor is the number of copies of each record.
func (s *Server) replicationFactor() int {
	if l := s.clusterLayout(); l != nil {
		return len(l.owners[0])
	}
	return 1
}

// heldObjects counts the records of a namespace of which the node has the master
// and the replica copy.
func (s *Server) heldObjects(ns *namespace) (master, replica int64) {
	l := s.clusterLayout()
	if l == nil {
		return ns.objects.Load(), 0
	}
	for pid := range ns.partitions {
		p := &ns.partitions[pid]
		p.mu.Lock()
		n := int64(len(p.records))
		p.mu.Unlock()
		switch l.role(pid, s.number) {
		case roleMaster:
			master += n
		case roleReplica:
			replica += n
		}
	}
	return master, replica
}

// heldTotal counts the records of all namespaces of which the node has a copy.
func (s *Server) heldTotal() (n int64) {
	for _, ns := range s.order {
		master, replica := s.heldObjects(ns)
		n += master + replica
	}
	return n
}

// withFactor puts the replication factor into a namespace's configuration.
func (s *Server) withFactor(config string) string {
	return strings.Replace(config, ";replication-factor=1;", fmt.Sprintf(";replication-factor=%d;", s.cluster.replicas), 1)
}

// clusterInfo answers info commands on the node itself and its place in the
// cluster; all others are the same at every node.
func (c *conn) clusterInfo(name, params string) (string, bool) {
	node := c.at()
	l := node.clusterLayout()
	switch name {
	case "node", "name", "service", "service-clear-std":
		return node.infoFixed(name)
	case "get-config":
		return node.withFactor(node.infoConfig(params)), true
	case "namespace":
		return node.withFactor(node.infoNamespace(params)), true
	case "statistics":
		return node.infoStatistics(), true
	case "partition-generation":
		if l == nil {
			return "-1", true // as a node that isn't ready says
		}
		return strconv.Itoa(l.generation), true
	}
	if l == nil {
		return "", false
	}
	switch name {
	case "peers-generation", "rebalance-generation":
		return strconv.Itoa(l.generation), true
	case "peers-clear-std":
		return node.infoPeers(l), true
	case "services":
		var addrs []string
		for _, peer := range node.peers(l) {
			addrs = append(addrs, peer.Addr())
		}
		return strings.Join(addrs, ";"), true
	case "partition-info":
		return node.infoClusterPartitions(l), true
	case "replicas":
		return node.infoClusterReplicas(l, params), true
	case "replicas-all":
		return node.clusterReplicas(l, partitions, true, false), true
	case "replicas-master":
		return node.clusterReplicas(l, 1, false, false), true
	case "rack-ids":
		return node.infoRackIDs()
	case "racks":
		return node.infoRacks(l)
	}
	return "", false
}

// peers lists the other nodes that are up.
func (s *Server) peers(l *layout) []*Server {
	var peers []*Server
	for i, up := range l.up {
		if node := s.cluster.nodes[i]; up && node != s {
			peers = append(peers, node)
		}
	}
	return peers
}

// infoPeers lists the other nodes after the generation of the list and the default
// port: node ID, TLS name and addresses.
func (s *Server) infoPeers(l *layout) string {
	var peers []string
	for _, peer := range s.peers(l) {
		peers = append(peers, fmt.Sprintf("[%s,,[%s]]", peer.nodeID(), peer.Addr()))
	}
	return fmt.Sprintf("%d,%d,[%s]", l.generation, s.Port(), strings.Join(peers, ","))
}

// infoClusterReplicas is infoReplicas for a node of a cluster.
func (s *Server) infoClusterReplicas(l *layout, params string) string {
	text, fault := infoOptional(params, "max", 3)
	if fault != "" {
		return fault
	}
	limit := uint64(partitions)
	if text != "" {
		var err error
		if limit, err = strconv.ParseUint(text, 10, 32); err != nil {
			return infoError(codeParameter, "bad max")
		}
		if limit == 0 {
			limit = partitions
		}
	}
	return s.clusterReplicas(l, int(min(limit, partitions)), true, true)
}

// clusterReplicas lists, by namespace, a bitmap of partitions for each of the first
// copies: those of which the node has that copy.
func (s *Server) clusterReplicas(l *layout, limit int, count, regime bool) string {
	copies := min(limit, len(l.owners[0]))
	bitmaps := make([]string, copies)
	for i := range bitmaps {
		var bitmap [partitions / 8]byte
		for pid := range l.owners {
			if l.owners[pid][i] == s.number {
				bitmap[pid>>3] |= 0x80 >> (pid & 7)
			}
		}
		bitmaps[i] = base64.StdEncoding.EncodeToString(bitmap[:])
	}
	prefix := ""
	if regime {
		prefix = "0,"
	}
	if count {
		prefix += strconv.Itoa(copies) + ","
	}
	parts := make([]string, 0, len(s.order))
	for _, ns := range s.order {
		parts = append(parts, ns.name+":"+prefix+strings.Join(bitmaps, ","))
	}
	return strings.Join(parts, ";")
}

// infoClusterPartitions is infoPartitions for a node of a cluster.
func (s *Server) infoClusterPartitions(l *layout) string {
	var b strings.Builder
	b.WriteString("namespace:partition:state:n_replicas:replica:succession:n_dupl:working_master:proxy_dst:" +
		"emigrates:lead_emigrates:immigrates:records:tombstones:regime:tree_id:version:final_version")
	version := strings.ToLower(s.clusterKey()) + ".0.p-"
	for _, ns := range s.order {
		for pid := range ns.partitions {
			owners := l.owners[pid]
			place := slices.Index(owners, s.number)
			state, records := "A", 0 // absent
			if place < 0 {
				place = len(owners)
			} else {
				state = "S" // in sync
				p := &ns.partitions[pid]
				p.mu.Lock()
				records = len(p.records)
				p.mu.Unlock()
			}
			master := s.cluster.nodes[owners[0]-1].nodeID()
			fmt.Fprintf(&b, ";%s:%d:%s:%d:%d:%d:0:%s:%s:0:0:0:%d:0:0:1:%s:%s",
				ns.name, pid, state, len(owners), place, place, master, master, records, version, version)
		}
	}
	return b.String()
}

// infoRackIDs tells the node's rack in each namespace.
func (s *Server) infoRackIDs() (string, bool) {
	if s.cluster.racks == nil {
		return "", false
	}
	var parts []string
	for _, ns := range s.order {
		parts = append(parts, fmt.Sprintf("%s:%d", ns.name, s.cluster.racks[s.number-1]))
	}
	return strings.Join(parts, ";"), true
}

// infoRacks lists the nodes of each rack in each namespace.
func (s *Server) infoRacks(l *layout) (string, bool) {
	if s.cluster.racks == nil {
		return "", false
	}
	members := map[int][]string{}
	var racks []int
	for i, up := range l.up {
		if rack := s.cluster.racks[i]; up {
			if members[rack] == nil {
				racks = append(racks, rack)
			}
			members[rack] = append(members[rack], s.cluster.nodes[i].nodeID())
		}
	}
	slices.Sort(racks)
	var parts []string
	for _, ns := range s.order {
		part := "ns=" + ns.name
		for _, rack := range racks {
			part += fmt.Sprintf(":rack_%d=%s", rack, strings.Join(members[rack], ","))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ";"), true
}
