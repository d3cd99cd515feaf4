package embedded_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// A fakeClock is a clock that only moves when told to.
type fakeClock struct{ ns atomic.Int64 }

func newFakeClock() *fakeClock {
	c := &fakeClock{}
	c.ns.Store(time.Date(2030, 6, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *fakeClock) now() time.Time          { return time.Unix(0, c.ns.Load()) }
func (c *fakeClock) advance(d time.Duration) { c.ns.Add(int64(d)) }

func TestTimeToLive(t *testing.T) {
	const day = 24 * time.Hour
	write := func(ttls ...uint32) []uint32 { return ttls }
	for _, tc := range []struct {
		why        string
		defaultTTL time.Duration
		ttls       []uint32 // of successive writes, an hour apart
		want       time.Duration
		never      bool
	}{
		{"namespace default: never", 0, write(as.TTLServerDefault), 0, true},
		{"namespace default: a day", day, write(as.TTLServerDefault), day, false},
		{"never, in spite of a default", day, write(as.TTLDontExpire), 0, true},
		{"seconds", day, write(100), 100 * time.Second, false},
		{"ten years", 0, write(10 * 365 * 86400), 10 * 365 * day, false},
		{"leave unchanged on a new record: the default", day, write(as.TTLDontUpdate), day, false},
		{"leave unchanged", 0, write(7200, as.TTLDontUpdate), time.Hour, false},
		{"leave unchanged: never", day, write(as.TTLDontExpire, as.TTLDontUpdate), 0, true},
		{"a later write counts from then", 0, write(7200, 7200), 2 * time.Hour, false},
		{"a shorter time wins too", 0, write(7200, 60), time.Minute, false},
		{"never after seconds", 0, write(7200, as.TTLDontExpire), 0, true},
		{"default after never", day, write(as.TTLDontExpire, as.TTLServerDefault), day, false},
	} {
		t.Run(tc.why, func(t *testing.T) {
			clock := newFakeClock()
			server := embedded.RunT(t, embedded.Config{Now: clock.now, DefaultTTL: tc.defaultTTL})
			client := connect(t, server.Addr())
			key := newKey(t)
			for i, ttl := range tc.ttls {
				if i > 0 {
					clock.advance(time.Hour)
				}
				must(t, client.Put(as.NewWritePolicy(0, ttl), key, as.BinMap{"a": i}))
			}
			r, ok := server.GetDigest("test", embedded.Digest(key.Digest()))
			if !ok {
				t.Fatal("not stored")
			}
			if tc.never {
				if !r.VoidTime.IsZero() {
					t.Errorf("expires at %v, want never", r.VoidTime)
				}
				clock.advance(100 * 365 * day)
			} else {
				if want := clock.now().Add(tc.want); !r.VoidTime.Equal(want) {
					t.Errorf("expires at %v, want %v", r.VoidTime, want)
				}
				clock.advance(tc.want) // there in its last second
			}
			_, err := client.Get(nil, key)
			wantCode(t, "in time", err, types.OK)
			if tc.never {
				return
			}
			clock.advance(time.Second)
			_, err = client.Get(nil, key)
			wantCode(t, "a second later", err, types.KEY_NOT_FOUND_ERROR)
		})
	}
}

func TestClientSeesTimeToLive(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		for ttl, want := range map[uint32][2]uint32{
			500:              {498, 500},
			as.TTLDontExpire: {math.MaxUint32, math.MaxUint32},
			0:                {math.MaxUint32, math.MaxUint32},
		} {
			key := newKey(t)
			must(t, tg.client.Put(as.NewWritePolicy(0, ttl), key, as.BinMap{"a": 1}))
			r, err := tg.client.Get(nil, key)
			must(t, err)
			if r.Expiration < want[0] || r.Expiration > want[1] {
				t.Errorf("TTL %d reads as %d, want %d..%d", ttl, r.Expiration, want[0], want[1])
			}
		}
	})
}

func TestExpiredRecordsAreGoneEverywhere(t *testing.T) {
	clock := newFakeClock()
	server := embedded.RunT(t, embedded.Config{Now: clock.now})
	client := connect(t, server.Addr())
	key := func(i int) *as.Key { return mustKey(t, "test", "s", i) }
	const n = 100
	for i := range n {
		ttl := uint32(10)
		if i%4 == 0 {
			ttl = as.TTLDontExpire
		}
		must(t, client.Put(as.NewWritePolicy(0, ttl), key(i), as.BinMap{"i": i}))
	}
	clock.advance(10 * time.Second)
	if got := server.Count("test", "s"); got != n {
		t.Fatalf("%d records in their last second, want %d", got, n)
	}
	clock.advance(time.Second)

	seen := 0
	for r := range scanAll(t, client, "test", "s") {
		if r.Bins["i"].(int)%4 != 0 {
			t.Errorf("the scan returned an expired record: %v", r.Bins)
		}
		seen++
	}
	if seen != n/4 {
		t.Errorf("the scan returned %d records, want %d", seen, n/4)
	}
	records, err := client.BatchGet(nil, []*as.Key{key(0), key(1)})
	must(t, err)
	if records[0] == nil || records[1] != nil {
		t.Errorf("batch: %v, want the first only", records)
	}
	if ok, _ := client.Exists(nil, key(2)); ok {
		t.Error("an expired record exists")
	}
	if existed, _ := client.Delete(nil, key(3)); existed {
		t.Error("an expired record was there to delete")
	}
	if got := server.Count("test", "s"); got != n/4 {
		t.Errorf("count %d, want %d", got, n/4)
	}
	if got := server.Count("test", ""); got != n/4 {
		t.Errorf("count of the namespace %d, want %d", got, n/4)
	}
	create := as.NewWritePolicy(0, 0)
	create.RecordExistsAction = as.CREATE_ONLY
	must(t, client.Put(create, key(5), as.BinMap{"i": 5}))
	if r, err := client.Get(nil, key(5)); err != nil || r.Generation != 1 {
		t.Errorf("written again: %v, %v, want generation 1", r, err)
	}
}

func TestLastUpdateTime(t *testing.T) {
	clock := newFakeClock()
	server := embedded.RunT(t, embedded.Config{Now: clock.now})
	client := connect(t, server.Addr())
	key := newKey(t)
	lastUpdate := func() time.Time {
		r, _ := server.GetDigest("test", embedded.Digest(key.Digest()))
		return r.LastUpdate
	}
	must(t, client.Put(nil, key, as.BinMap{"a": 1}))
	first := clock.now()
	if got := lastUpdate(); !got.Equal(first) {
		t.Errorf("last update %v, want %v", got, first)
	}
	clock.advance(1500 * time.Millisecond)
	_, err := client.Get(nil, key)
	must(t, err)
	if got := lastUpdate(); !got.Equal(first) {
		t.Errorf("a read changed the last update to %v", got)
	}
	must(t, client.Touch(nil, key))
	if got, want := lastUpdate(), first.Add(1500*time.Millisecond); !got.Equal(want) {
		t.Errorf("last update %v, want %v", got, want)
	}
	clock.advance(-time.Hour)
	must(t, client.Touch(nil, key))
	if got, want := lastUpdate(), first.Add(1500*time.Millisecond); !got.Equal(want) {
		t.Errorf("the clock went back, and the last update with it, to %v", got)
	}
}

func TestReadTouch(t *testing.T) {
	clock := newFakeClock()
	server := embedded.RunT(t, embedded.Config{Now: clock.now})
	client := connect(t, server.Addr())
	key := newKey(t)
	must(t, client.Put(as.NewWritePolicy(0, 1000), key, as.BinMap{"a": 1}))
	written := clock.now()
	read := as.NewPolicy()
	for _, tc := range []struct {
		why   string
		after time.Duration // since the write
		pct   int32
		want  time.Duration // void time since the write
	}{
		{"in the first part of its life", 199 * time.Second, 80, 1000 * time.Second},
		{"in the last 80 %", 200 * time.Second, 80, 1200 * time.Second},
		{"never", 1190 * time.Second, -1, 1200 * time.Second},
		{"not asked for", 1195 * time.Second, 0, 1200 * time.Second},
	} {
		clock.ns.Store(written.Add(tc.after).UnixNano())
		read.ReadTouchTTLPercent = tc.pct
		_, err := client.Get(read, key)
		must(t, err)
		r, _ := server.GetDigest("test", embedded.Digest(key.Digest()))
		if want := written.Add(tc.want); !r.VoidTime.Equal(want) || r.Generation != 1 {
			t.Errorf("%s: expires at %v, generation %d, want %v, generation 1", tc.why, r.VoidTime, r.Generation, want)
		}
	}
	read.ReadTouchTTLPercent = 101
	_, err := client.Get(read, key)
	wantCode(t, "over 100 %", err, types.PARAMETER_ERROR)
}

func TestClockBeforeTheEpoch(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{Now: func() time.Time { return time.Unix(0, 0) }})
	client := connect(t, server.Addr())
	key := newKey(t)
	must(t, client.Put(as.NewWritePolicy(0, 10), key, as.BinMap{"a": 1}))
	if _, err := client.Get(nil, key); err != nil {
		t.Error(err)
	}
}
