package embedded_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// newIndexSet makes a set name that no earlier run has used.
func newIndexSet() string { return fmt.Sprintf("six%d-%d", keyEpoch, keySerial.Add(1)) }

// createIndex makes an index that is dropped when the test ends.
func (tg target) createIndex(t *testing.T, set, bin string, kind as.IndexType, of as.IndexCollectionType, ctx ...*as.CDTContext) string {
	t.Helper()
	name := fmt.Sprintf("%s-%s-%d", set, bin, keySerial.Add(1))
	task, err := tg.client.CreateComplexIndex(nil, "test", set, name, bin, kind, of, ctx...)
	must(t, noError(err))
	if err := <-task.OnComplete(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tg.client.DropIndex(nil, "test", set, name) })
	return name
}

// noError makes a nil client error a nil error.
func noError(err as.Error) error {
	if err == nil {
		return nil
	}
	return err
}

// find returns the ids of the records that a query finds, sorted.
func (tg target) find(t *testing.T, set string, filter *as.Filter) []int {
	t.Helper()
	stmt := as.NewStatement("test", set)
	must(t, noError(stmt.SetFilter(filter)))
	rs, err := tg.client.Query(nil, stmt)
	must(t, noError(err))
	ids := []int{}
	for r := range rs.Results() {
		must(t, noError(r.Err))
		ids = append(ids, r.Record.Bins["id"].(int))
	}
	slices.Sort(ids)
	return ids
}

// An indexedRow is what a test stores in a record, and expects queries to find.
type indexedRow struct {
	n    int
	s    string
	list []int
	m    map[string]int
}

// TestIndexedQueriesFindWhatIsThere writes, changes and deletes records at random,
// and compares what queries on indexes find with what was written.
func TestIndexedQueriesFindWhatIsThere(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := newIndexSet()
		rng := rand.New(rand.NewSource(7))
		rows := map[int]indexedRow{}
		key := func(id int) *as.Key { return mustKey(t, "test", set, id) }
		change := func(times int) {
			for range times {
				id := rng.Intn(40)
				if rng.Intn(5) == 0 {
					_, err := tg.client.Delete(nil, key(id))
					must(t, noError(err))
					delete(rows, id)
					continue
				}
				r := indexedRow{n: rng.Intn(20) - 10, s: fmt.Sprint("s", rng.Intn(6)), m: map[string]int{}}
				for range rng.Intn(30) {
					r.list = append(r.list, rng.Intn(12))
					r.m[fmt.Sprint("k", rng.Intn(8))] = rng.Intn(9)
				}
				must(t, noError(tg.client.PutBins(nil, key(id), as.NewBin("id", id), as.NewBin("n", r.n),
					as.NewBin("s", r.s), as.NewBin("l", r.list), as.NewBin("m", r.m))))
				rows[id] = r
			}
		}
		change(60) // these are there before the indexes
		tg.createIndex(t, set, "n", as.NUMERIC, as.ICT_DEFAULT)
		tg.createIndex(t, set, "s", as.STRING, as.ICT_DEFAULT)
		tg.createIndex(t, set, "l", as.NUMERIC, as.ICT_LIST)
		tg.createIndex(t, set, "m", as.STRING, as.ICT_MAPKEYS)
		tg.createIndex(t, set, "m", as.NUMERIC, as.ICT_MAPVALUES)
		for range 4 {
			for _, tc := range []struct {
				why    string
				filter *as.Filter
				has    func(indexedRow) bool
			}{
				{"integer range", as.NewRangeFilter("n", -3, 4), func(r indexedRow) bool { return r.n >= -3 && r.n <= 4 }},
				{"integer", as.NewEqualFilter("n", 0), func(r indexedRow) bool { return r.n == 0 }},
				{"string", as.NewEqualFilter("s", "s3"), func(r indexedRow) bool { return r.s == "s3" }},
				{"element", as.NewContainsFilter("l", as.ICT_LIST, 5), func(r indexedRow) bool { return slices.Contains(r.list, 5) }},
				{"elements", as.NewContainsRangeFilter("l", as.ICT_LIST, 2, 4), func(r indexedRow) bool {
					return slices.ContainsFunc(r.list, func(n int) bool { return n >= 2 && n <= 4 })
				}},
				{"map key", as.NewContainsFilter("m", as.ICT_MAPKEYS, "k3"), func(r indexedRow) bool { _, ok := r.m["k3"]; return ok }},
				{"map values", as.NewContainsRangeFilter("m", as.ICT_MAPVALUES, 7, 8), func(r indexedRow) bool {
					for _, n := range r.m {
						if n >= 7 {
							return true
						}
					}
					return false
				}},
			} {
				want := []int{}
				for id, r := range rows {
					if tc.has(r) {
						want = append(want, id)
					}
				}
				slices.Sort(want)
				if got := tg.find(t, set, tc.filter); !slices.Equal(got, want) {
					t.Errorf("%s: found %v, want %v", tc.why, got, want)
				}
			}
			change(60)
		}
	})
}

func TestIndexOnContext(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := newIndexSet()
		for id, value := range []any{
			map[string]any{"in": []any{1, 2, 3}}, map[string]any{"in": []any{9}}, map[string]any{"out": 3},
			[]any{3}, map[string]any{"in": []any{7, 3}},
		} {
			must(t, noError(tg.client.PutBins(nil, mustKey(t, "test", set, id), as.NewBin("id", id), as.NewBin("b", value))))
		}
		path := as.CtxMapKey(as.NewValue("in"))
		tg.createIndex(t, set, "b", as.NUMERIC, as.ICT_LIST, path)
		tg.createIndex(t, set, "b", as.NUMERIC, as.ICT_DEFAULT, path, as.CtxListIndex(-1))
		tg.createIndex(t, set, "b", as.NUMERIC, as.ICT_DEFAULT, path, as.CtxListRank(0))
		if got := tg.find(t, set, as.NewContainsFilter("b", as.ICT_LIST, 3, path)); !slices.Equal(got, []int{0, 4}) {
			t.Errorf("elements below a key: found %v", got)
		}
		if got := tg.find(t, set, as.NewRangeFilter("b", 3, 9, path, as.CtxListIndex(-1))); !slices.Equal(got, []int{0, 1, 4}) {
			t.Errorf("last element below a key: found %v", got)
		}
		if got := tg.find(t, set, as.NewEqualFilter("b", 3, path, as.CtxListRank(0))); !slices.Equal(got, []int{4}) {
			t.Errorf("lowest element below a key: found %v", got)
		}
	})
}

// TestIndexedQueryPages reads an index in pages and expects every record once.
func TestIndexedQueryPages(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := newIndexSet()
		const records = 200
		for id := range records {
			must(t, noError(tg.client.PutBins(nil, mustKey(t, "test", set, id), as.NewBin("id", id), as.NewBin("n", id%7))))
		}
		tg.createIndex(t, set, "n", as.NUMERIC, as.ICT_DEFAULT)
		policy := as.NewQueryPolicy()
		policy.MaxRecords = 30
		parts := as.NewPartitionFilterAll()
		seen := map[int]int{}
		for page := 0; !parts.IsDone(); page++ {
			if page > records {
				t.Fatal("the pages don't end")
			}
			stmt := as.NewStatement("test", set, "id")
			must(t, noError(stmt.SetFilter(as.NewRangeFilter("n", 2, 5))))
			rs, err := tg.client.QueryPartitions(policy, stmt, parts)
			must(t, noError(err))
			n := 0
			for r := range rs.Results() {
				must(t, noError(r.Err))
				if _, other := r.Record.Bins["n"]; other {
					t.Fatal("a bin that nobody asked for")
				}
				seen[r.Record.Bins["id"].(int)]++
				n++
			}
			if n > 30 {
				t.Errorf("page %d has %d records", page, n)
			}
		}
		for id := range records {
			want := 0
			if id%7 >= 2 && id%7 <= 5 {
				want = 1
			}
			if seen[id] != want {
				t.Errorf("record %d was returned %d times, want %d", id, seen[id], want)
			}
		}
	})
}

func TestIndexesFollowTruncationAndExpiry(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	server := embedded.RunT(t, embedded.Config{Now: func() time.Time { return now }})
	tg := target{connect(t, server.Addr()), server.Addr(), server}
	set := newIndexSet()
	tg.createIndex(t, set, "n", as.NUMERIC, as.ICT_DEFAULT)
	for id, ttl := range []uint32{0, 10, 0} {
		must(t, noError(tg.client.PutBins(as.NewWritePolicy(0, ttl), mustKey(t, "test", set, id), as.NewBin("id", id), as.NewBin("n", 1))))
	}
	filter := as.NewEqualFilter("n", 1)
	if got := tg.find(t, set, filter); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("at first: %v", got)
	}
	now = now.Add(time.Minute)
	if got := tg.find(t, set, filter); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("after one has expired: %v", got)
	}
	must(t, noError(tg.client.Truncate(nil, "test", set, nil)))
	if got := tg.find(t, set, filter); len(got) != 0 {
		t.Errorf("after a truncation: %v", got)
	}
}

// TestIndexCommands sends index commands and expects the real server's answers.
func TestIndexCommands(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := newIndexSet()
		t.Cleanup(func() { _ = tg.client.DropIndex(nil, "test", set, set) })
		for _, tc := range []struct{ why, command, want string }{
			{"no name", "sindex-create:namespace=test;bin=a;type=numeric", "ERROR:4:missing 'indexname'"},
			{"no namespace", "sindex-create:indexname=SET;bin=a;type=numeric", "ERROR:20:missing 'namespace'"},
			{"no type", "sindex-create:namespace=test;indexname=SET;bin=a", "ERROR:4:both 'indexdata' and 'type' are missing"},
			{"both forms", "sindex-create:namespace=test;indexname=SET;indexdata=a,numeric;type=numeric", "ERROR:4:both 'indexdata' and 'type' are specified"},
			{"unknown type", "sindex-create:namespace=test;indexname=SET;bin=a;type=float", "ERROR:4:bad 'type' - must be one of 'numeric', 'string', 'blob', 'geo2dsphere'"},
			{"unknown kind", "sindex-create:namespace=test;indexname=SET;bin=a;type=numeric;indextype=set", "ERROR:4:bad 'indextype' - must be one of 'default', 'list', 'mapkeys', 'mapvalues'"},
			{"no bin", "sindex-create:namespace=test;indexname=SET;type=numeric", "ERROR:4:both 'bin' and 'exp' are missing"},
			{"long bin", "sindex-create:namespace=test;indexname=SET;type=numeric;bin=abcdefghijklmnop", "ERROR:4:'bin' value too long"},
			{"older form without a type", "sindex-create:ns=test;indexname=SET;indexdata=a", "ERROR:4:'indexdata' missing bin type"},
			{"older form without a bin", "sindex-create:ns=test;indexname=SET;indexdata=,numeric", "ERROR:4:'indexdata' missing bin name"},
			{"bad context", "sindex-create:namespace=test;indexname=SET;type=numeric;bin=a;context=!", "ERROR:4:'context' invalid base64"},
			{"context that isn't one", "sindex-create:namespace=test;indexname=SET;type=numeric;bin=a;context=gQ==", "ERROR:4:'context' invalid cdt context"},
			{"created", "sindex-create:namespace=test;set=SET;indexname=SET;bin=a;type=numeric", "ok"},
			{"again", "sindex-create:namespace=test;set=SET;indexname=SET;bin=a;type=numeric", "ok"},
			{"again, older form", "sindex-create:ns=test;set=SET;indexname=SET;indexdata=a,NUMERIC", "ok"},
			{"another with its name", "sindex-create:namespace=test;set=SET;indexname=SET;bin=b;type=numeric", "ERROR:200:'indexname' already exists with different definition"},
			{"exists", "sindex-exists:namespace=test;indexname=SET", "true"},
			{"exists not", "sindex-exists:ns=test;indexname=SETx", "false"},
			{"state of none", "sindex-stat:namespace=test;indexname=SETx", "ERROR:201:no index"},
			{"state in an unknown namespace", "sindex-stat:namespace=nope;indexname=SET", "ERROR:20:namespace not found on node"},
			{"delete none", "sindex-delete:namespace=test;indexname=SETx", "ok"},
			{"delete", "sindex-delete:namespace=test;indexname=SET", "ok"},
			{"gone", "sindex-exists:namespace=test;indexname=SET", "false"},
			{"jobs", "query-show:id=77777", "ERROR:2:job not found"},
			{"bad job", "query-show:id=x", "ERROR:4:bad id"},
		} {
			command := strings.ReplaceAll(tc.command, "SET", set)
			c := dialRaw(t, tg.addr)
			c.send(frame(1, []byte(command+"\n")))
			_, body := c.receive()
			_, got, _ := strings.Cut(strings.TrimSuffix(string(body), "\n"), "\t")
			if got != tc.want {
				t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
			}
		}
	})
}

func TestIndexQueryFaults(t *testing.T) {
	const fRange, fIndexName, fType, fBVals = 22, 21, 26, 15
	integers := func(bin, from, to string) string {
		return "\x01" + string([]byte{byte(len(bin))}) + bin + "\x01" + from + to
	}
	eight := func(n byte) string { return "\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00" + string([]byte{n}) }
	eachTarget(t, func(t *testing.T, tg target) {
		set := newIndexSet()
		name := tg.createIndex(t, set, "n", as.NUMERIC, as.ICT_DEFAULT)
		c := dialRaw(t, tg.addr)
		at := []string{field(fNamespace, "test"), field(fSet, set), field(fPIDs, "\x00\x00")}
		for _, tc := range []struct {
			why    string
			fields []string
			want   byte
		}{
			{"no such index", []string{field(fRange, integers("x", eight(1), eight(2)))}, 201},
			{"an index of another kind", []string{field(fRange, integers("n", eight(1), eight(2))), field(fType, "\x01")}, 201},
			{"no such name", []string{field(fIndexName, "nope"), field(fRange, integers("", eight(1), eight(2)))}, 201},
			{"by name", []string{field(fIndexName, name), field(fRange, integers("", eight(1), eight(2)))}, 0},
			{"name and bin", []string{field(fIndexName, name), field(fRange, integers("n", eight(1), eight(2)))}, 4},
			{"neither", []string{field(fRange, integers("", eight(1), eight(2)))}, 4},
			{"empty range", []string{field(fRange, "")}, 4},
			{"two ranges", []string{field(fRange, "\x02"+integers("n", eight(1), eight(2))[1:])}, 4},
			{"end before start", []string{field(fRange, integers("n", eight(2), eight(1)))}, 4},
			{"short integers", []string{field(fRange, integers("n", "\x00\x00\x00\x01\x01", eight(2)))}, 4},
			{"cut short", []string{field(fRange, integers("n", eight(1), "\x00\x00"))}, 4},
			{"unknown type", []string{field(fRange, "\x01\x01n\x07"+eight(1)+eight(2))}, 4},
			{"string too long", []string{field(fRange, "\x01\x01n\x03\x00\x00\x08\x00"+strings.Repeat("x", 2048))}, 4},
			{"string that overruns", []string{field(fRange, "\x01\x01n\x03\x00\x00\x00\x09x")}, 4},
			{"string on an integer index", []string{field(fRange, "\x01\x01n\x03\x00\x00\x00\x01x\x00\x00\x00\x01x")}, 201},
			{"values without digests", []string{field(fRange, integers("n", eight(1), eight(2))), field(fBVals, strings.Repeat("x", 8))}, 4},
		} {
			msg := rawMessage{info1: 1, info3: 4, fields: append(slices.Clone(at), tc.fields...)}
			c.send(frame(3, msg.body()))
			_, body := c.receive()
			if body[5] != tc.want {
				t.Errorf("%s: result code %d, want %d", tc.why, body[5], tc.want)
			}
		}
	})
}

func TestBackgroundQueries(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := newIndexSet()
		for id := range 50 {
			must(t, noError(tg.client.PutBins(nil, mustKey(t, "test", set, id), as.NewBin("id", id), as.NewBin("n", id))))
		}
		tg.createIndex(t, set, "n", as.NUMERIC, as.ICT_DEFAULT)
		tg.register(t, "udfback.lua", "function add(rec, n) rec.m = rec.n + n aerospike:update(rec) end")
		query := func(low, high int64) *as.Statement {
			stmt := as.NewStatement("test", set)
			must(t, noError(stmt.SetFilter(as.NewRangeFilter("n", low, high))))
			return stmt
		}
		task, err := tg.client.ExecuteUDF(nil, query(10, 19), "udfback", "add", as.NewValue(100))
		must(t, noError(err))
		if err := <-task.OnComplete(); err != nil {
			t.Fatal(err)
		}
		task, err = tg.client.QueryExecute(nil, nil, query(40, 49), as.PutOp(as.NewBin("w", 1)))
		must(t, noError(err))
		if err := <-task.OnComplete(); err != nil {
			t.Fatal(err)
		}
		// With a filter, and without an index.
		even := as.NewQueryPolicy()
		even.FilterExpression = as.ExpEq(as.ExpNumMod(as.ExpIntBin("n"), as.ExpIntVal(2)), as.ExpIntVal(0))
		task, err = tg.client.QueryExecute(even, nil, as.NewStatement("test", set), as.PutOp(as.NewBin("e", 1)))
		must(t, noError(err))
		if err := <-task.OnComplete(); err != nil {
			t.Fatal(err)
		}
		for id := range 50 {
			r, err := tg.client.Get(nil, mustKey(t, "test", set, id))
			must(t, noError(err))
			want := as.BinMap{"id": id, "n": id}
			if id%2 == 0 {
				want["e"] = 1
			}
			if id >= 10 && id < 20 {
				want["m"] = id + 100
			}
			if id >= 40 {
				want["w"] = 1
			}
			if fmt.Sprint(r.Bins) != fmt.Sprint(want) {
				t.Errorf("record %d has %v, want %v", id, r.Bins, want)
			}
		}
		// A filter lets a call of a function through, or not.
		for id, code := range map[int]types.ResultCode{6: types.OK, 7: types.FILTERED_OUT} {
			policy := as.NewWritePolicy(0, 0)
			policy.FilterExpression = even.FilterExpression
			_, err := tg.client.Execute(policy, mustKey(t, "test", set, id), "udfback", "add", as.NewValue(1))
			if code == types.OK {
				must(t, noError(err))
			} else {
				wantCode(t, "a call on a record that is filtered out", err, code)
			}
			r, err := tg.client.Get(nil, mustKey(t, "test", set, id))
			must(t, noError(err))
			if called := r.Bins["m"] != nil; called != (code == types.OK) {
				t.Errorf("record %d has %v", id, r.Bins)
			}
		}
		_, err = tg.client.QueryExecute(nil, nil, query(40, 49), as.GetBinOp("w"))
		wantCode(t, "a read in a background query", err, types.PARAMETER_ERROR)
	})
}
