package embedded_test

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

func TestConfigErrors(t *testing.T) {
	taken := embedded.RunT(t, embedded.Config{})
	for _, tc := range []struct {
		why  string
		cfg  embedded.Config
		want string
	}{
		{"not an address", embedded.Config{Listen: "nonsense"}, "nonsense"},
		{"port in use", embedded.Config{Listen: taken.Addr()}, taken.Addr()},
		{"no namespace", embedded.Config{Namespaces: []string{}}, "0 namespaces"},
		{"too many", embedded.Config{Namespaces: make([]string, 33)}, "33 namespaces"},
		{"empty name", embedded.Config{Namespaces: []string{""}}, "empty"},
		{"name of 32 bytes", embedded.Config{Namespaces: []string{strings.Repeat("n", 32)}}, "longer than 31 bytes"},
		{"semicolon", embedded.Config{Namespaces: []string{"a;b"}}, "';'"},
		{"new line", embedded.Config{Namespaces: []string{"a\n"}}, "blank or control"},
		{"twice", embedded.Config{Namespaces: []string{"a", "b", "a"}}, `"a" is given twice`},
		{"negative TTL", embedded.Config{DefaultTTL: -time.Second}, "default TTL -1s"},
		{"fraction of a second", embedded.Config{DefaultTTL: 1500 * time.Millisecond}, "default TTL 1.5s"},
		{"over ten years", embedded.Config{DefaultTTL: 10*365*24*time.Hour + time.Second}, "default TTL"},
		{"record size too small", embedded.Config{MaxRecordSize: 63}, "63"},
		{"record size too large", embedded.Config{MaxRecordSize: 8<<20 + 1}, "8388609"},
	} {
		s, err := embedded.Start(tc.cfg)
		if err == nil {
			t.Errorf("%s: started", tc.why)
			_ = s.Close()
			continue
		}
		if !strings.HasPrefix(err.Error(), "embedded server: ") || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %q doesn't mention %q", tc.why, err, tc.want)
		}
	}
}

func TestListenAddress(t *testing.T) {
	for listen, host := range map[string]string{"": "127.0.0.1", "localhost:0": "127.0.0.1", "0.0.0.0:0": "127.0.0.1"} {
		s := embedded.RunT(t, embedded.Config{Listen: listen})
		if want := fmt.Sprintf("%s:%d", host, s.Port()); s.Addr() != want || s.Port() == 0 {
			t.Errorf("listening on %q: address %s, want %s", listen, s.Addr(), want)
		}
		dialRaw(t, s.Addr())
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	before := goroutines()
	for range 3 {
		s, err := embedded.Start(embedded.Config{})
		if err != nil {
			t.Fatal(err)
		}
		idle := dialRaw(t, s.Addr())
		half := dialRaw(t, s.Addr())
		half.send([]byte("\x02\x03\x00\x00\x00\x00\x10\x00half"))
		deaf := dialRaw(t, s.Addr()) // asks, and never reads
		go func() { _, _ = deaf.nc.Write(frame(1, []byte(strings.Repeat("replicas\n", 20_000)))) }()
		if got := idle.ask("status"); got[0] != "status\tok" {
			t.Fatal(got)
		}
		must(t, s.Close())
		if !idle.closed() || !half.closed() {
			t.Error("a connection is still open")
		}
		if _, err := net.Dial("tcp", s.Addr()); err == nil {
			t.Error("the port is still open")
		}
		must(t, s.Close())
		if err := s.Restart(); err == nil {
			t.Error("a closed server restarts")
		}
	}
	// A goroutine that has said that it is done may need a moment to end.
	var left []string
	for range 1000 {
		left = slices.DeleteFunc(goroutines(), func(g string) bool { return slices.Contains(before, g) })
		if len(left) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
}

// goroutines returns the stacks of the goroutines that run this package's code,
// tests excluded.
func goroutines() (list []string) {
	buf := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(stack, "aeroload/embedded.(") {
			list = append(list, stack)
		}
	}
	return list
}

func TestInspectionAfterClose(t *testing.T) {
	s, err := embedded.Start(embedded.Config{})
	must(t, err)
	client := connect(t, s.Addr())
	must(t, client.Put(nil, mustKey(t, "test", "s", "k"), as.BinMap{"a": 1}))
	must(t, s.Close())
	if r, ok := s.Get("test", "s", "k"); !ok || len(r.Bins) != 1 {
		t.Errorf("%v, %v, want the record", r, ok)
	}
}

func TestRestartKeepsPortAndData(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	key := mustKey(t, "test", "s", 1)
	must(t, client.Put(nil, key, as.BinMap{"a": 1}))
	raw := dialRaw(t, s.Addr())
	addr := s.Addr()
	node := raw.ask("node")[0]
	must(t, s.Restart())
	if !raw.closed() {
		t.Error("a connection has survived the restart")
	}
	if s.Addr() != addr {
		t.Errorf("address %s, was %s", s.Addr(), addr)
	}
	if got := dialRaw(t, addr).ask("node")[0]; got != node {
		t.Errorf("%s, was %s", got, node)
	}
	// The client notices its dead connections one by one.
	policy := as.NewPolicy()
	policy.MaxRetries = 10
	if r, err := client.Get(policy, key); err != nil || r.Bins["a"] != 1 {
		t.Errorf("after the restart: %v, %v", r, err)
	}
}

func TestSeveralServers(t *testing.T) {
	a, b := embedded.RunT(t, embedded.Config{}), embedded.RunT(t, embedded.Config{})
	key := mustKey(t, "test", "s", 1)
	must(t, connect(t, a.Addr()).Put(nil, key, as.BinMap{"a": 1}))
	if ok, err := connect(t, b.Addr()).Exists(nil, key); ok || err != nil {
		t.Errorf("the other server has the record: %v, %v", ok, err)
	}
}

func TestInspection(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	send := as.NewWritePolicy(0, 0)
	send.SendKey = true
	for i := range 100 {
		set := []string{"even", "odd"}[i%2]
		must(t, client.Put(send, mustKey(t, "test", set, i), as.BinMap{"i": i}))
	}
	for _, tc := range []struct {
		namespace, set string
		want           int
	}{{"test", "even", 50}, {"test", "odd", 50}, {"test", "", 100}, {"test", "nope", 0}, {"bar", "", 0}, {"nope", "", 0}} {
		got := 0
		for r := range s.Records(tc.namespace, tc.set) {
			b, ok := r.Bin("i")
			if !ok || b.Value() != r.UserKey || tc.set != "" && r.Set != tc.set {
				t.Fatalf("record %+v", r)
			}
			digest, err := embedded.KeyDigest(r.Set, r.UserKey)
			if err != nil || digest != r.Digest {
				t.Fatalf("record %v has digest %x, want %x", r.UserKey, r.Digest, digest)
			}
			got++
		}
		if got != tc.want || s.Count(tc.namespace, tc.set) != tc.want {
			t.Errorf("%q %q: %d records, count %d, want %d", tc.namespace, tc.set, got, s.Count(tc.namespace, tc.set), tc.want)
		}
	}
	for range s.Records("test", "") {
		break // stopping early is fine
	}
	if r, ok := s.Get("test", "odd", 7); !ok || r.UserKey != int64(7) {
		t.Errorf("Get: %v, %v", r, ok)
	}
	for _, missing := range []struct {
		namespace string
		key       any
	}{{"test", 8}, {"nope", 7}, {"test", 7.5}} {
		if r, ok := s.Get(missing.namespace, "odd", missing.key); ok {
			t.Errorf("Get(%v): %v", missing, r)
		}
	}
	if _, ok := (embedded.Record{}).Bin("a"); ok {
		t.Error("an empty record has a bin")
	}
}

func TestInspectedRecordsAreCopies(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	must(t, client.Put(nil, mustKey(t, "test", "s", 1), as.BinMap{"b": []byte{1, 2}}))
	r, _ := s.Get("test", "s", 1)
	r.Bins[0].Raw[0] = 99
	again, _ := s.Get("test", "s", 1)
	if b, _ := again.Bin("b"); b.Raw[0] != 1 {
		t.Error("changing a copy changed the record")
	}
}

func TestConcurrentClients(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	counter := mustKey(t, "test", "s", "counter")
	const workers, rounds = 8, 100
	var wg sync.WaitGroup
	fail := make(chan error, workers)
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				own := mustKey(t, "test", "s", w*rounds+i)
				_, err := client.Operate(nil, counter, as.AddOp(as.NewBin("n", 1)))
				err2 := client.Put(nil, own, as.BinMap{"i": i})
				_, err3 := client.Get(nil, own)
				if err := errors.Join(err, err2, err3); err != nil {
					fail <- err
					return
				}
			}
		})
	}
	wg.Go(func() {
		for range 5 {
			for range s.Records("test", "") {
			}
			s.Count("test", "s")
		}
	})
	wg.Wait()
	select {
	case err := <-fail:
		t.Fatal(err)
	default:
	}
	r, err := client.Get(nil, counter)
	must(t, err)
	if r.Bins["n"] != workers*rounds || s.Count("test", "s") != workers*rounds+1 {
		t.Errorf("counter %v, records %d, want %d, %d", r.Bins["n"], s.Count("test", "s"), workers*rounds, workers*rounds+1)
	}
}

// A fakeTB records what RunT does with a test.
type fakeTB struct {
	failed   string
	cleanups []func()
}

func (f *fakeTB) Helper()                           {}
func (f *fakeTB) Fatalf(format string, args ...any) { f.failed = fmt.Sprintf(format, args...) }
func (f *fakeTB) Cleanup(fn func())                 { f.cleanups = append(f.cleanups, fn) }

func TestRunT(t *testing.T) {
	tb := &fakeTB{}
	s := embedded.RunT(tb, embedded.Config{})
	c := dialRaw(t, s.Addr())
	for _, fn := range tb.cleanups {
		fn()
	}
	if tb.failed != "" || !c.closed() {
		t.Errorf("failed %q, or still open after the test", tb.failed)
	}
	if embedded.RunT(tb, embedded.Config{MaxRecordSize: -1}); !strings.Contains(tb.failed, "record size") {
		t.Errorf("a bad configuration fails the test with %q", tb.failed)
	}
}
