package embedded

import "sync/atomic"

// Traffic counts the commands on records that a node of a cluster has carried out.
type Traffic struct {
	// Reads and Writes are commands on one record; deletes, touches and functions
	// are writes, and so is what does both.
	Reads, Writes uint64
	// Batches and Queries count messages.
	Batches, Queries uint64
	// Foreign are those among Reads and Writes that another node should have got: a
	// real node would have answered them by proxy. They are writes of records of
	// which the node isn't the master, and reads of those of which it has no copy.
	Foreign uint64
}

// trafficCounters is a Traffic that many goroutines add to.
type trafficCounters struct{ reads, writes, batches, queries, foreign atomic.Uint64 }

// Traffic returns the counts of a cluster's node. A server on its own doesn't
// count.
func (s *Server) Traffic() Traffic {
	return Traffic{
		Reads: s.traffic.reads.Load(), Writes: s.traffic.writes.Load(),
		Batches: s.traffic.batches.Load(), Queries: s.traffic.queries.Load(),
		Foreign: s.traffic.foreign.Load(),
	}
}

// countBatch counts a batch to a node of a cluster.
func (c *conn) countBatch() {
	if c.node != nil && c.node.cluster != nil {
		c.node.traffic.batches.Add(1)
	}
}

// countQuery counts a query.
func (c *conn) countQuery() {
	if c.node != nil && c.node.cluster != nil {
		c.node.traffic.queries.Add(1)
	}
}

// count counts a command on the record that the request's digest names.
func (c *conn) count(req *request) {
	node := c.node
	if node == nil || node.cluster == nil {
		return
	}
	counter, least := &node.traffic.reads, roleReplica
	if req.isWrite() {
		counter, least = &node.traffic.writes, roleMaster
	}
	counter.Add(1)
	if l := node.clusterLayout(); l != nil && l.role(req.digest.partition(), node.number) < least {
		node.traffic.foreign.Add(1)
	}
}
