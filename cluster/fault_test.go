package cluster

import (
	"errors"
	"sync"
	"testing"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// TestMaxErrorRate: eight connections break at once, and a limit of five errors
// makes the client refuse the next command by itself; a limit of ten doesn't.
func TestMaxErrorRate(t *testing.T) {
	for _, limit := range []int{5, 10} {
		s := embedded.RunT(t, embedded.Config{})
		c := testConfig(Host{Name: "127.0.0.1", Port: s.Port()})
		c.MaxErrorRate, c.MaxRetries, c.TendInterval = limit, 0, time.Hour // no window ends
		c.ReadTimeout, c.ReadSocketTimeout = time.Minute, time.Minute
		cluster := connect(t, c)
		if err := s.SetFaults(1, embedded.Fault{On: embedded.FaultRead, Action: embedded.FaultDrop}); err != nil {
			t.Fatal(err)
		}
		key, _ := aerospike.NewKey("test", "set", 1)
		read := func() error {
			_, err := cluster.Client().Get(cluster.ReadPolicy(), key)
			return err
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := read(); err == nil || errors.Is(err, aerospike.ErrKeyNotFound) {
					t.Errorf("a read without an answer: %v", err)
				}
			})
		}
		for deadline := time.Now().Add(time.Minute); s.FaultHits()[0] < 8 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		if err := s.Restart(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if err := s.SetFaults(0); err != nil {
			t.Fatal(err)
		}
		var ae aerospike.Error
		err := read()
		if refused := errors.As(err, &ae) && ae.Matches(types.MAX_ERROR_RATE); refused != (limit == 5) {
			t.Errorf("after 8 errors with --max-error-rate %d: %v", limit, err)
		}
	}
}

// A node that has stopped answering doesn't hold up the end, however long the client
// would wait for it.
func TestCloseWithAHungNode(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	c := testConfig(Host{Name: "127.0.0.1", Port: s.Port()})
	c.ConnectTimeout = time.Hour
	cluster := connect(t, c)
	if err := s.SetFaults(1, embedded.Fault{On: embedded.FaultInfo, Action: embedded.FaultDrop}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); s.FaultHits()[0] == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	closed := make(chan struct{})
	go func() {
		cluster.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Error("closing waits for the node")
	}
	// The connection's end frees the client.
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
}
