package embedded_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// newSet returns the name of a set that no test has used.
func newSet() string { return fmt.Sprintf("emb%x-%d", keyEpoch, keySerial.Add(1)) }

// fill stores {"i": i, "s": "x"} under the keys 0 to n-1 of a new set.
func fill(t testing.TB, client *as.Client, n int) (set string) {
	t.Helper()
	set = newSet()
	for i := range n {
		must(t, client.Put(nil, mustKey(t, "test", set, i), as.BinMap{"i": i, "s": "x"}))
	}
	return set
}

// numbers returns the values of bin i in ascending order.
func numbers(records map[*as.Record]bool) []int {
	var list []int
	for r := range records {
		list = append(list, r.Bins["i"].(int))
	}
	slices.Sort(list)
	return list
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestScanAll(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		const n = 1000
		set := fill(t, tg.client, n)
		fill(t, tg.client, 10) // another set, which must not show up
		if got := numbers(scanAll(t, tg.client, "test", set)); !slices.Equal(got, upTo(n)) {
			t.Errorf("scanned %d records, want each of %d once", len(got), n)
		}
		if got := scanAll(t, tg.client, "test", newSet()); len(got) != 0 {
			t.Errorf("an unknown set has %d records", len(got))
		}
		rs, err := tg.client.ScanAll(nil, "nope", set)
		must(t, err)
		failed := false
		for r := range rs.Results() {
			failed = failed || r.Err != nil
		}
		if !failed {
			t.Error("scan of an unknown namespace: no error")
		}
	})
}

func TestScanReturnsWholeRecords(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := newSet()
		policy := as.NewWritePolicy(0, 1000)
		policy.SendKey = true
		key := mustKey(t, "test", set, "the key")
		must(t, tg.client.Put(policy, key, as.BinMap{"a": 1, "b": []any{1, 2}}))
		must(t, tg.client.Put(policy, key, as.BinMap{"c": "x"}))
		for r := range scanAll(t, tg.client, "test", set) {
			if !reflect.DeepEqual(r.Bins, as.BinMap{"a": 1, "b": []any{1, 2}, "c": "x"}) {
				t.Errorf("bins %v", r.Bins)
			}
			if r.Key.Value() == nil || r.Key.Value().GetObject() != "the key" || !slices.Equal(r.Key.Digest(), key.Digest()) ||
				r.Key.SetName() != set || r.Key.Namespace() != "test" {
				t.Errorf("key %v, want %v", r.Key, key)
			}
			if r.Generation != 2 || r.Expiration < 990 || r.Expiration > 1000 {
				t.Errorf("generation %d, TTL %d, want 2, about 1000", r.Generation, r.Expiration)
			}
		}
		scan := as.NewScanPolicy()
		for _, tc := range []struct {
			why     string
			include bool
			names   []string
			want    []as.BinMap
		}{
			{"some bins", true, []string{"a", "nope"}, []as.BinMap{{"a": 1}}},
			{"only missing bins: the record is left out", true, []string{"nope"}, nil},
			{"no bin data", false, nil, []as.BinMap{{}}},
		} {
			scan.IncludeBinData = tc.include
			rs, err := tg.client.ScanAll(scan, "test", set, tc.names...)
			must(t, err)
			var got []as.BinMap
			for r := range collect(t, rs) {
				got = append(got, r.Bins)
			}
			if !slices.EqualFunc(got, tc.want, func(a, b as.BinMap) bool { return maps.Equal(a, b) }) {
				t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
			}
		}
	})
}

func TestScanPartitions(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		const n = 300
		set := fill(t, tg.client, n)
		all := map[*as.Record]bool{}
		for _, filter := range []*as.PartitionFilter{
			as.NewPartitionFilterByRange(0, 1000), as.NewPartitionFilterById(1000), as.NewPartitionFilterByRange(1001, 3095),
		} {
			low, high := filter.Begin, filter.Begin+filter.Count
			rs, err := tg.client.ScanPartitions(nil, filter, "test", set)
			must(t, err)
			for r := range collect(t, rs) {
				if p := r.Key.PartitionId(); p < low || p >= high {
					t.Errorf("partition %d is not in %d..%d", p, low, high-1)
				}
				all[r] = true
			}
		}
		if got := numbers(all); !slices.Equal(got, upTo(n)) {
			t.Errorf("%d records in all, want each of %d once", len(got), n)
		}
	})
}

func TestScanResumesAfterADigest(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		// Many records in one partition, which is then read from each of them on.
		set := newSet()
		wanted := mustKey(t, "test", set, 0).PartitionId()
		count := 0
		for i := 0; count < 8; i++ {
			key := mustKey(t, "test", set, i)
			if key.PartitionId() == wanted {
				must(t, tg.client.Put(nil, key, as.BinMap{"i": count, "s": "x"}))
				count++
			}
		}
		rest := func(filter *as.PartitionFilter) (digests []string) {
			rs, err := tg.client.ScanPartitions(nil, filter, "test", set)
			must(t, err)
			for r := range rs.Results() {
				must(t, r.Err)
				digests = append(digests, string(r.Record.Key.Digest()))
			}
			return digests
		}
		all := rest(as.NewPartitionFilterById(wanted))
		if len(all) != count || !slices.IsSortedFunc(all, func(a, b string) int { return -compareStrings(a, b) }) {
			t.Fatalf("%d records, want %d in descending order of digests", len(all), count)
		}
		for i, digest := range all {
			key, err := as.NewKeyWithDigest("test", set, nil, []byte(digest))
			must(t, err)
			if got := rest(as.NewPartitionFilterByKey(key)); !slices.Equal(got, all[i+1:]) {
				t.Errorf("after record %d: %d records, want %d", i, len(got), len(all)-i-1)
			}
		}
	})
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestScanPages(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		const n, page = 250, 40
		set := fill(t, tg.client, n)
		policy := as.NewScanPolicy()
		policy.MaxRecords = page
		filter := as.NewPartitionFilterAll()
		all := map[*as.Record]bool{}
		for pages := 0; !filter.IsDone(); pages++ {
			if pages > n/page+1 {
				t.Fatal("the scan doesn't end")
			}
			rs, err := tg.client.ScanPartitions(policy, filter, "test", set)
			must(t, err)
			found := collect(t, rs)
			if len(found) > page {
				t.Errorf("a page of %d records, want at most %d", len(found), page)
			}
			maps.Copy(all, found)
		}
		if got := numbers(all); !slices.Equal(got, upTo(n)) {
			t.Errorf("%d records in all pages, want each of %d once", len(got), n)
		}
	})
}

func TestQueryWithoutAFilter(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		const n = 200
		set := fill(t, tg.client, n)
		for _, duration := range []as.QueryDuration{as.LONG, as.SHORT, as.LONG_RELAX_AP} {
			policy := as.NewQueryPolicy()
			policy.ExpectedDuration = duration
			rs, err := tg.client.Query(policy, as.NewStatement("test", set, "i"))
			must(t, err)
			found := collect(t, rs)
			if got := numbers(found); !slices.Equal(got, upTo(n)) {
				t.Errorf("duration %v: %d records, want each of %d once", duration, len(got), n)
			}
			for r := range found {
				if len(r.Bins) != 1 {
					t.Errorf("bins %v, want i only", r.Bins)
				}
			}
		}
		statement := as.NewStatement("test", set)
		must(t, statement.SetFilter(as.NewRangeFilter("i", 0, 5)))
		rs, err := tg.client.Query(nil, statement)
		must(t, err)
		for r := range rs.Results() {
			wantCode(t, "query on an index", r.Err, types.INDEX_NOTFOUND)
			break
		}
	})
}

func TestScanOfLargeRecords(t *testing.T) {
	// Records that fill several frames each.
	eachTarget(t, func(t *testing.T, tg target) {
		set := newSet()
		for i := range 20 {
			must(t, tg.client.Put(nil, mustKey(t, "test", set, i), as.BinMap{"i": i, "v": make([]byte, 300_000)}))
		}
		found := scanAll(t, tg.client, "test", set)
		for r := range found {
			if len(r.Bins["v"].([]byte)) != 300_000 {
				t.Errorf("record %v has %d bytes", r.Bins["i"], len(r.Bins["v"].([]byte)))
			}
		}
		if got := numbers(found); !slices.Equal(got, upTo(20)) {
			t.Errorf("records %v", got)
		}
	})
}

func TestTruncate(t *testing.T) {
	clock := newFakeClock()
	server := embedded.RunT(t, embedded.Config{Now: clock.now})
	client := connect(t, server.Addr())
	put := func(namespace, set string, i int) {
		must(t, client.Put(nil, mustKey(t, namespace, set, i), as.BinMap{"i": i}))
	}
	counts := func() [4]int {
		return [4]int{server.Count("test", "a"), server.Count("test", "b"), server.Count("test", ""), server.Count("bar", "")}
	}
	want := func(why string, n ...int) {
		t.Helper()
		if got := counts(); got != [4]int(n) {
			t.Errorf("%s: %v records in set a, set b, namespace test, namespace bar, want %v", why, got, n)
		}
	}
	for i := range 10 {
		put("test", "a", i)
		put("test", "b", i)
		put("test", "", i)
		put("bar", "a", i)
	}
	want("at first", 10, 10, 30, 10)
	middle := clock.now().Add(time.Second)
	clock.advance(2 * time.Second)
	for i := range 3 {
		put("test", "a", i) // updated after middle
	}
	must(t, client.Truncate(nil, "test", "a", &middle))
	want("set a, up to a time", 3, 10, 23, 10)
	if r, err := client.Get(nil, mustKey(t, "test", "a", 0)); err != nil || r.Generation != 2 {
		t.Errorf("a record updated later: %v, %v", r, err)
	}
	must(t, client.Truncate(nil, "test", "b", nil))
	want("set b", 3, 0, 13, 10)
	put("test", "b", 1) // in the same millisecond
	want("written after the truncation", 3, 1, 14, 10)
	must(t, client.Truncate(nil, "test", "", nil))
	want("namespace", 0, 0, 0, 10)
	put("test", "a", 1)
	want("written after that", 1, 0, 1, 10)

	future := clock.now().Add(time.Hour)
	if err := client.Truncate(nil, "test", "a", &future); err == nil {
		t.Error("truncation in the future: no error")
	}
	must(t, client.Truncate(nil, "test", "a", nil))
	clock.advance(-time.Hour)
	write := func(set string) error { return client.Put(nil, mustKey(t, "test", set, 77), as.BinMap{"i": 1}) }
	wantCode(t, "a write that is truncated already", write("a"), types.FAIL_FORBIDDEN)
	info := dialRaw(t, server.Addr())
	info.ask("truncate-namespace-undo:namespace=test")
	wantCode(t, "the namespace's truncation undone", write("c"), types.OK)
	wantCode(t, "the set's isn't", write("a"), types.FAIL_FORBIDDEN)
	info.ask("truncate-undo:namespace=test;set=a")
	wantCode(t, "both undone", write("a"), types.OK)
}

func TestTruncateOnEachTarget(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := fill(t, tg.client, 50)
		other := fill(t, tg.client, 5)
		past := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
		must(t, tg.client.Truncate(nil, "test", set, &past))
		if got := len(scanAll(t, tg.client, "test", set)); got != 50 {
			t.Errorf("%d records after a truncation of older ones, want 50", got)
		}
		must(t, tg.client.Truncate(nil, "test", newSet(), nil))
		beforeEpoch := time.Date(2009, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := tg.client.Truncate(nil, "test", set, &beforeEpoch); err == nil {
			t.Error("truncation before the epoch: no error")
		}
		must(t, tg.client.Truncate(nil, "test", set, nil))
		if tg.server == nil {
			return // the real server takes its time, and spares the last millisecond
		}
		if got := len(scanAll(t, tg.client, "test", set)); got != 0 {
			t.Errorf("%d records after a truncation", got)
		}
		if got := len(scanAll(t, tg.client, "test", other)); got != 5 {
			t.Errorf("%d records in the other set, want 5", got)
		}
	})
}
