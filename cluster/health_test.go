package cluster

import (
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
)

func TestHealthSums(t *testing.T) {
	a := Health{NodesAdded: 3, NodesRemoved: 1, TendsFailed: 2, PartitionMapUpdates: 5, ConnectionsFailed: 7, CircuitBreakerHits: 11, Retries: 13}
	b := Health{NodesAdded: 1, Retries: 2, TendsFailed: 2}
	if got := a.Sub(b).Add(b); got != a {
		t.Errorf("a - b + b is %+v", got)
	}
	if got := b.Add(b); got != (Health{NodesAdded: 2, Retries: 4, TendsFailed: 4}) {
		t.Errorf("b + b is %+v", got)
	}
}

// A node that goes away while the client looks on is counted.
func TestHealth(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	hosts, err := ParseHosts(s.Addr(), 3000)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, testConfig(hosts...))
	await(t, func() bool { return c.Health().NodesAdded == 1 })
	if err := c.WarmUp(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	// Besides those of the pool there may be one that looks at the node's state.
	if open := c.Connections(); len(open) != 1 || open[c.Nodes()[0].Host] < 3 || open[c.Nodes()[0].Host] > 4 {
		t.Errorf("open connections: %v", open)
	}
	before := c.Health()
	if before.NodesRemoved != 0 {
		t.Errorf("a cluster that is well: %+v", before)
	}
	s.Close()
	await(t, func() bool { h := c.Health().Sub(before); return h.TendsFailed > 0 || h.ConnectionsFailed > 0 })
}

// await polls until ok or a minute has passed.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("waited in vain")
		}
	}
}
