package cluster

// Health counts what went wrong between the client and the cluster since it was
// opened, as the client sees it. All are counts of events, over all nodes.
type Health struct {
	NodesAdded          int `json:"nodes_added"`           // nodes that the client found, those at the start included
	NodesRemoved        int `json:"nodes_removed"`         // nodes that it gave up
	TendsFailed         int `json:"tends_failed"`          // looks at a node's state that failed
	PartitionMapUpdates int `json:"partition_map_updates"` // news of which node has which data
	ConnectionsFailed   int `json:"connections_failed"`    // connections that could not be opened or used
	CircuitBreakerHits  int `json:"circuit_breaker_hits"`  // commands refused because of --max-error-rate
	Retries             int `json:"retries"`               // attempts after the first
}

// Sub returns what happened since before, an earlier state of the same cluster.
func (h Health) Sub(before Health) Health {
	return Health{
		NodesAdded: h.NodesAdded - before.NodesAdded, NodesRemoved: h.NodesRemoved - before.NodesRemoved,
		TendsFailed: h.TendsFailed - before.TendsFailed, PartitionMapUpdates: h.PartitionMapUpdates - before.PartitionMapUpdates,
		ConnectionsFailed: h.ConnectionsFailed - before.ConnectionsFailed, CircuitBreakerHits: h.CircuitBreakerHits - before.CircuitBreakerHits,
		Retries: h.Retries - before.Retries,
	}
}

// Add returns the sum of both, for clients of several machines.
func (h Health) Add(o Health) Health { return h.Sub(Health{}.Sub(o)) }

// Health returns the counts as they are now. The client brings those of commands
// up to date when it looks at its nodes, each --tender-interval. Where it cannot
// tell, they are 0.
func (c *Cluster) Health() Health {
	stats, err := c.client.Stats()
	if err != nil {
		return Health{}
	}
	all, _ := stats["cluster-aggregated-stats"].(map[string]any)
	count := func(name string) int {
		n, _ := all[name].(float64)
		return int(n)
	}
	return Health{
		NodesAdded:          count("node-added-count"),
		NodesRemoved:        count("node-removed-count"),
		TendsFailed:         count("tends-failed"),
		PartitionMapUpdates: count("partition-map-updates"),
		ConnectionsFailed:   count("connections-failed"),
		CircuitBreakerHits:  count("circuit-breaker-hits"),
		Retries:             count("transaction-retry-count"),
	}
}

// Connections returns how many connections are open to each node of the cluster as
// it is now, by the node's address; nil where the client cannot tell.
func (c *Cluster) Connections() map[string]int {
	stats, err := c.client.Stats()
	if err != nil {
		return nil
	}
	open := map[string]int{}
	for _, node := range c.client.GetNodes() {
		address := node.GetHost().String()
		if s, ok := stats[address].(map[string]any); ok {
			n, _ := s["open-connections"].(float64)
			open[address] = int(n)
		}
	}
	return open
}
