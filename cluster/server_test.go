package cluster

import (
	"fmt"
	"os"
	"sync"
	"testing"

	aerospike "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// TestServer uses a cluster as a run does: against the embedded server, and
// against a real one if AEROLOAD_TEST_HOSTS says where there is one.
func TestServer(t *testing.T) {
	servers := map[string]string{"embedded": embedded.RunT(t, embedded.Config{}).Addr()}
	if hosts := os.Getenv("AEROLOAD_TEST_HOSTS"); hosts != "" {
		servers["real"] = hosts
	}
	for name, text := range servers {
		t.Run(name, func(t *testing.T) {
			hosts, err := ParseHosts(text, 3000)
			if err != nil {
				t.Fatal(err)
			}
			const workers = 8
			c := testConfig(hosts...)
			c.Workers, c.MaxConnsPerNode, c.SendKey = workers, workers, true
			cluster := connect(t, c)

			if err := cluster.CheckNamespace(t.Context(), "test"); err != nil {
				t.Error(err)
			}
			if err := cluster.CheckNamespace(t.Context(), "no-such-namespace"); err == nil {
				t.Error("a namespace that isn't there was found")
			}
			nodes := cluster.Nodes()
			if len(nodes) == 0 {
				t.Fatal("there are no nodes")
			}
			for _, node := range nodes {
				if node.Name == "" || node.Host == "" || node.Build == "" || node.Edition == "" {
					t.Errorf("a node is not described in full: %+v", node)
				}
			}
			if err := cluster.WarmUp(t.Context(), workers); err != nil {
				t.Error(err)
			}

			var wg sync.WaitGroup
			for worker := range workers {
				wg.Go(func() {
					for i := range 50 {
						if err := roundTrip(cluster, worker*50+i); err != nil {
							t.Errorf("worker %d: %v", worker, err)
							return
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// roundTrip writes a record, reads it, and deletes it.
func roundTrip(cluster *Cluster, n int) error {
	key, err := aerospike.NewKey("test", "clustertest", n)
	if err != nil {
		return err
	}
	if err := cluster.Client().Put(cluster.WritePolicy(), key, aerospike.BinMap{"n": n}); err != nil {
		return err
	}
	record, err := cluster.Client().Get(cluster.ReadPolicy(), key)
	if err != nil {
		return err
	}
	if record.Bins["n"] != n {
		return fmt.Errorf("record %d reads back as %v", n, record.Bins)
	}
	existed, err := cluster.Client().Delete(cluster.WritePolicy(), key)
	if err != nil {
		return err
	}
	if !existed {
		return fmt.Errorf("record %d was gone before it was deleted", n)
	}
	return nil
}
