package embedded_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

func parseFaults(t testing.TB, texts ...string) []embedded.Fault {
	t.Helper()
	var all []embedded.Fault
	for _, text := range texts {
		f, err := embedded.ParseFault(text)
		must(t, err)
		all = append(all, f)
	}
	return all
}

func setFaults(t testing.TB, s *embedded.Server, texts ...string) {
	t.Helper()
	must(t, s.SetFaults(1, parseFaults(t, texts...)...))
}

func TestSetFaultsRefusesNonsense(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	setFaults(t, s, "read drop")
	for _, f := range []embedded.Fault{
		{}, {On: "raed", Action: embedded.FaultDrop}, {Action: "explode"}, {Action: embedded.FaultCode},
		{Action: embedded.FaultDrop, Code: 5}, {Action: embedded.FaultDrop, Probability: 1.5}, {Action: embedded.FaultDrop, Key: 1.5},
		{Action: embedded.FaultDrop, Count: -1}, {Action: embedded.FaultTruncate, Bytes: -2}, {Delay: 2, DelayMax: 1},
	} {
		if err := s.SetFaults(1, embedded.Fault{Action: embedded.FaultDrop}, f); err == nil || !strings.HasPrefix(err.Error(), "fault 2: ") {
			t.Errorf("%+v: got %v, want an error of fault 2", f, err)
		}
	}
	if n := len(s.FaultHits()); n != 1 {
		t.Errorf("there are %d faults, want the one before", n)
	}
	if _, err := embedded.Start(embedded.Config{Faults: []embedded.Fault{{}}}); err == nil {
		t.Error("a server starts with a fault that does nothing")
	}
}

// TestFaultKinds checks which commands each kind strikes.
func TestFaultKinds(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	key := mustKey(t, "test", "faults", 1)
	bins := as.BinMap{"a": 1}
	must(t, client.Put(nil, key, bins))
	bp := as.NewBatchPolicy()
	bp.MaxRetries = 0
	commands := map[embedded.FaultOn]func() error{
		embedded.FaultRead:   func() error { _, err := client.Get(nil, key); return asError(err) },
		embedded.FaultWrite:  func() error { return asError(client.Add(nil, key, bins)) },
		embedded.FaultDelete: func() error { _, err := client.Delete(nil, mustKey(t, "test", "faults", "none")); return asError(err) },
		embedded.FaultOperate: func() error {
			_, err := client.Operate(nil, key, as.GetBinOp("a"), as.TouchOp())
			return asError(err)
		},
		embedded.FaultBatch: func() error {
			_, err := client.BatchGet(bp, []*as.Key{key, mustKey(t, "test", "faults", 2)})
			return asError(err)
		},
		embedded.FaultScan: func() error {
			p := as.NewScanPolicy()
			p.MaxRetries = 0
			rs, err := client.ScanAll(p, "test", "faults")
			if err != nil {
				return err
			}
			var last error
			for r := range rs.Results() {
				if r.Err != nil {
					last = r.Err
				}
			}
			return last
		},
	}
	for on := range commands {
		setFaults(t, s, string(on)+" code=18")
		for name, run := range commands {
			err := run()
			hit := err != nil && strings.Contains(err.Error(), types.ResultCodeToString(types.DEVICE_OVERLOAD))
			if hit != (name == on) {
				t.Errorf("a fault on %s: %s gives %v", on, name, err)
			}
		}
	}
	setFaults(t, s, "any code=18")
	for name, run := range commands {
		if run() == nil {
			t.Errorf("a fault on any: %s succeeds", name)
		}
	}
	must(t, s.SetFaults(0))
	for name, run := range commands {
		if err := run(); err != nil {
			t.Errorf("without faults, %s gives %v", name, err)
		}
	}
	if s.FaultHits() != nil {
		t.Error("there are hits without faults")
	}
}

// asError keeps a nil of the client's error type from being an error.
func asError(err as.Error) error {
	if err == nil {
		return nil
	}
	return err
}

// faultGet is a raw read of the record, and faultPut a write of bin a.
func faultGet(key *as.Key) []byte {
	return frame(3, rawMessage{info1: 3, fields: []string{field(fNamespace, key.Namespace()), field(fSet, key.SetName()), field(fDigest, string(key.Digest()))}}.body())
}

func faultPut(key *as.Key) []byte {
	return frame(3, rawMessage{info2: 1, fields: []string{field(fNamespace, key.Namespace()), field(fSet, key.SetName()), field(fDigest, string(key.Digest()))},
		ops: []string{operation(2, 1, "a", "\x00\x00\x00\x00\x00\x00\x00\x01")}}.body())
}

func TestFaultActions(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	key := mustKey(t, "test", "faults", "k")
	exists := func() bool { _, ok := s.Get("test", "faults", "k"); return ok }

	setFaults(t, s, "write code=9 n=1", "write code=key-busy after n=1")
	c := dialRaw(t, s.Addr())
	if code := c.result(faultPut(key)); code != 9 || exists() {
		t.Errorf("code: got %d, stored %v", code, exists())
	}
	if code := c.result(faultPut(key)); code != 14 || !exists() {
		t.Errorf("code after: got %d, stored %v", code, exists())
	}
	if code := c.result(faultPut(key)); code != 0 {
		t.Errorf("used up: got %d", code)
	}
	if hits := s.FaultHits(); len(hits) != 2 || hits[0] != 1 || hits[1] != 1 {
		t.Errorf("hits %v", hits)
	}

	for _, action := range []string{"close", "reset", "truncate=0"} {
		setFaults(t, s, "read "+action)
		c := dialRaw(t, s.Addr())
		// A write before it is answered in full.
		c.send(append(faultPut(key), faultGet(key)...))
		if kind, body := c.receive(); kind != 3 || body[5] != 0 {
			t.Errorf("%s: the write before it got %d", action, body[5])
		}
		if !c.closed() {
			t.Errorf("%s: the connection stays", action)
		}
	}

	setFaults(t, s, "read truncate=11")
	c = dialRaw(t, s.Addr())
	c.send(faultGet(key))
	part := make([]byte, 100)
	n := 0
	for {
		got, err := c.nc.Read(part[n:])
		n += got
		if err != nil {
			break
		}
	}
	if n != 11 || part[0] != 2 || part[1] != 3 {
		t.Errorf("truncate: got %d bytes %x", n, part[:n])
	}

	setFaults(t, s, "read garbage=body n=1")
	c = dialRaw(t, s.Addr())
	want := 22 + 8 + 1 + 8 // header, operation, its name and its value
	c.send(faultGet(key))
	if kind, body := c.receive(); kind != 3 || len(body) != want || body[0] == 22 {
		t.Errorf("garbage: type %d, %d bytes %x", kind, len(body), body)
	}
	if code := c.result(faultGet(key)); code != 0 {
		t.Errorf("after garbage: got %d", code)
	}

	setFaults(t, s, "info code=9 n=1", "login code=65")
	c = dialRaw(t, s.Addr())
	c.send(frame(1, []byte("build\nnode\n")))
	if _, body := c.receive(); string(body) != "build\tERROR:9:fault\nnode\tERROR:9:fault\n" {
		t.Errorf("info: got %q", body)
	}
	c.send(frame(2, make([]byte, 16)))
	if kind, body := c.receive(); kind != 2 || len(body) != 16 || body[1] != 65 {
		t.Errorf("login: got type %d, %x", kind, body)
	}
}

// TestFaultRows: the records of a batch that are struck fail, the others don't.
func TestFaultRows(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	setFaults(t, s, "row set=faults key=3 code=key-busy", "row code=device-overload skip=1 n=1")
	var records []as.BatchRecordIfc
	for i := range 6 {
		records = append(records, as.NewBatchWrite(nil, mustKey(t, "test", "faults", i), as.PutOp(as.NewBin("a", i))))
	}
	bp := as.NewBatchPolicy()
	bp.MaxRetries, bp.RespondAllKeys = 0, true
	if err := client.BatchOperate(bp, records); err != nil && !err.Matches(types.BATCH_FAILED, types.KEY_BUSY, types.DEVICE_OVERLOAD) {
		t.Errorf("the batch: %v", err)
	}
	for i, r := range records {
		want := map[int]types.ResultCode{1: types.DEVICE_OVERLOAD, 3: types.KEY_BUSY}[i]
		_, stored := s.Get("test", "faults", i)
		if got := r.BatchRec().ResultCode; got != want || stored != (want == types.OK) {
			t.Errorf("record %d: %v, stored: %v", i, got, stored)
		}
	}
	if hits := s.FaultHits(); hits[0] != 1 || hits[1] != 1 {
		t.Errorf("hits %v", hits)
	}
	// Alone, the record isn't a row.
	if _, err := client.Get(nil, mustKey(t, "test", "faults", 3)); !errors.Is(err, as.ErrKeyNotFound) {
		t.Errorf("a single read: %v", err)
	}
}

// TestFaultDrop: the connection is silent, others work, and neither closing the
// connection nor the server waits for anything.
func TestFaultDrop(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	key := mustKey(t, "test", "faults", "k")
	setFaults(t, s, "write drop after n=1", "read delay=1h")
	c := dialRaw(t, s.Addr())
	c.send(append(faultPut(key), faultPut(key)...))
	waitFor(t, "the write", func() bool { _, ok := s.Get("test", "faults", "k"); return ok })
	other := dialRaw(t, s.Addr())
	if code := other.result(faultPut(key)); code != 0 {
		t.Errorf("another connection got %d", code)
	}
	other.send(faultGet(key)) // for an hour
	waitFor(t, "the delay", func() bool { return s.FaultHits()[1] == 1 })
	if r, _ := s.Get("test", "faults", "k"); r.Generation != 2 {
		t.Errorf("generation %d, want 2: the second write on the silent connection doesn't count", r.Generation)
	}
	must(t, s.Close())
	if !c.closed() || !other.closed() {
		t.Error("a connection stays open")
	}
}

func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// TestFaultChances: the same seed gives the same hits, about as many as the
// probability says, and connections are hit as a whole.
func TestFaultChances(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	key := mustKey(t, "test", "faults", "k")
	pattern := func(seed uint64, text string, fresh bool) string {
		must(t, s.SetFaults(seed, parseFaults(t, text)...))
		var b strings.Builder
		c := dialRaw(t, s.Addr())
		for i := range 400 {
			if fresh && i%4 == 0 {
				c = dialRaw(t, s.Addr())
			}
			b.WriteByte('0' + c.result(faultPut(key)))
		}
		return b.String()
	}
	first := pattern(7, "write code=9 p=0.25", false)
	if second := pattern(7, "write code=9 p=0.25", false); second != first {
		t.Error("the same seed strikes other commands")
	}
	if third := pattern(8, "write code=9 p=0.25", false); third == first {
		t.Error("another seed strikes the same commands")
	}
	// 100 ± 43 is five standard deviations.
	if n := strings.Count(first, "9"); n < 57 || n > 143 {
		t.Errorf("a quarter of 400 was hit %d times", n)
	}
	if got := pattern(7, "write code=9 skip=3 n=2", false)[:7]; got != "0009900" {
		t.Errorf("skip=3 n=2 strikes %s", got)
	}
	byConnection := pattern(7, "write code=9 p=0.5 per=connection", true)
	for i := 0; i < len(byConnection); i += 4 {
		if part := byConnection[i : i+4]; part != "0000" && part != "9999" {
			t.Fatalf("a connection has the pattern %s", part)
		}
	}
	if !strings.Contains(byConnection, "0") || !strings.Contains(byConnection, "9") {
		t.Errorf("all of 100 connections are alike")
	}
}

func TestFaultTargets(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	bp := as.NewBatchPolicy()
	bp.MaxRetries = 0
	here, there := mustKey(t, "test", "faults", 17), mustKey(t, "bar", "other", "17")
	other := mustKey(t, "test", "faults", 18)
	for _, text := range []string{
		"any code=9 ns=test key=17 set=faults", "any code=9 digest=" + hex.EncodeToString(here.Digest()),
		"any code=9 set=faults n=2", "any code=9 ns=test n=2",
	} {
		setFaults(t, s, text)
		_, err := client.Get(nil, there)
		wantCode(t, text+": there", err, types.KEY_NOT_FOUND_ERROR)
		if _, err := client.Get(nil, here); err == nil || !err.Matches(types.TIMEOUT) {
			t.Errorf("%s: here: %v", text, err)
		}
		if strings.Contains(text, "key") || strings.Contains(text, "digest") {
			_, err = client.Get(nil, other)
			wantCode(t, text+": another key", err, types.KEY_NOT_FOUND_ERROR)
		}
		if _, err := client.BatchGet(bp, []*as.Key{there, there}); err != nil {
			t.Errorf("%s: batch there: %v", text, err)
		}
		if _, err := client.BatchGet(bp, []*as.Key{there, here}); err == nil {
			t.Errorf("%s: a batch with it succeeds", text)
		}
	}
	setFaults(t, s, "any code=9 node=2")
	_, err := client.Get(nil, here)
	wantCode(t, "a fault of node 2", err, types.KEY_NOT_FOUND_ERROR)
}

// TestFaultsAndClient: what the official client makes of each fault.
func TestFaultsAndClient(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{})
	client := connect(t, s.Addr())
	key := mustKey(t, "test", "faults", "client")
	must(t, client.Put(nil, key, as.BinMap{"a": 1}))
	policy := as.NewPolicy()
	policy.TotalTimeout, policy.SocketTimeout = 20*time.Second, 20*time.Second
	policy.SleepBetweenRetries = 0

	// The client tries again after a broken connection, and gets through.
	for _, action := range []string{"close", "reset", "truncate", "truncate=30"} {
		policy.MaxRetries = 5
		setFaults(t, s, "read n=2 "+action)
		if _, err := client.Get(policy, key); err != nil {
			t.Errorf("%s twice and 5 retries: %v", action, err)
		}
		policy.MaxRetries = 0
		setFaults(t, s, "read n=1 "+action)
		if _, err := client.Get(policy, key); err == nil {
			t.Errorf("%s without retries succeeds", action)
		}
		must(t, s.SetFaults(0))
		if _, err := client.Get(policy, key); err != nil {
			t.Errorf("after %s: %v", action, err)
		}
	}

	// It gives up at garbage, and goes on with a new connection. (Garbage behind a
	// good header makes v8.5.0 panic, so there is no test of that.)
	policy.MaxRetries = 5
	setFaults(t, s, "read n=1 garbage")
	if _, err := client.Get(policy, key); err == nil {
		t.Error("garbage is taken for a record")
	}
	if _, err := client.Get(policy, key); err != nil {
		t.Errorf("after garbage: %v", err)
	}

	// A lost write is in doubt, one that was refused is not.
	wp := as.NewWritePolicy(0, 0)
	wp.MaxRetries = 0
	wp.TotalTimeout, wp.SocketTimeout = 300*time.Millisecond, 300*time.Millisecond
	setFaults(t, s, "write drop after n=1")
	err := client.Put(wp, key, as.BinMap{"a": 2})
	if err == nil || !err.IsInDoubt() || !errors.Is(err, as.ErrTimeout) {
		t.Errorf("a write without an answer: %v", err)
	}
	if r, _ := s.Get("test", "faults", "client"); r.Generation != 2 {
		t.Errorf("generation %d, want 2: the write takes effect", r.Generation)
	}
	wp.TotalTimeout, wp.SocketTimeout = 20*time.Second, 20*time.Second
	setFaults(t, s, "write code=forbidden n=1")
	if err = client.Put(wp, key, as.BinMap{"a": 3}); err == nil || err.IsInDoubt() || !err.Matches(types.FAIL_FORBIDDEN) {
		t.Errorf("a refused write: %v", err)
	}
}

// TestCircuitBreaker: eight reads hang, and their connections break all at once.
// That is more than MaxErrorRate, so the client refuses the next command by
// itself. (Client v8.5.0 starts counting anew with every command that it lets
// through, so that errors one at a time never open the breaker.)
func TestCircuitBreaker(t *testing.T) {
	for _, limit := range []int{5, 8} {
		s := embedded.RunT(t, embedded.Config{})
		cp := as.NewClientPolicy()
		cp.MaxErrorRate, cp.ErrorRateWindow = limit, 1
		cp.TendInterval = time.Hour // no window ends
		client, err := as.NewClientWithPolicy(cp, "127.0.0.1", s.Port())
		must(t, asError(err))
		defer client.Close()
		policy := as.NewPolicy()
		policy.MaxRetries, policy.TotalTimeout, policy.SocketTimeout = 0, time.Minute, time.Minute
		setFaults(t, s, "read drop")
		key := mustKey(t, "test", "faults", "breaker")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := client.Get(policy, key); err == nil || errors.Is(err, as.ErrKeyNotFound) {
					t.Errorf("a read ends with %v", err)
				}
			})
		}
		waitFor(t, "the reads", func() bool { return s.FaultHits()[0] == 8 })
		must(t, s.Restart())
		wg.Wait()
		must(t, s.SetFaults(0))
		_, err = client.Get(policy, key)
		if refused := err.Matches(types.MAX_ERROR_RATE); refused != (limit < 8) {
			t.Errorf("after 8 errors with a limit of %d: %v", limit, err)
		}
		waitFor(t, "a read after the breaker", func() bool {
			_, err := client.Get(policy, key)
			return errors.Is(err, as.ErrKeyNotFound)
		})
	}
}
