package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

func TestInsertVisitsEachKeyOnce(t *testing.T) {
	for _, threads := range []string{"1", "7", "16", "300"} {
		tg := newTarget(t)
		r := tg.run(0, "-w", "I", "-k", "1000", "-z", threads)
		if n := len(tg.records(1, 1001)); n != 1000 {
			t.Errorf("-z %s stored %d records, want 1000", threads, n)
		}
		for key := range 1000 {
			if rec, ok := tg.get(key + 1); ok && rec.Generation != 1 {
				t.Errorf("-z %s wrote key %d %d times", threads, key+1, rec.Generation)
			}
		}
		if rows := summary(t, r.stderr); len(rows) != 1 || rows[0].count != 1000 || rows[0].op != "write" {
			t.Errorf("-z %s: summary %+v", threads, rows)
		}
	}
}

func TestObjectSpecIsStoredAsWritten(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "50", "-R", "-o", `I2,S16,[3*I1,{2*S4:D}],"a\tb",true,0x3ff,-1.5,B9,b,D,I8`)
	alnum := regexp.MustCompile(`^[a-z0-9]+$`)
	records := tg.records(1, 51)
	if len(records) != 50 {
		t.Fatalf("%d records", len(records))
	}
	for key, bins := range records {
		check := func(name string, ok func(v any) bool) {
			t.Helper()
			if !ok(bins[name]) {
				t.Errorf("key %d: bin %s is %T %v", key, name, bins[name], bins[name])
			}
		}
		text := func(n int) func(any) bool {
			return func(v any) bool { s, ok := v.(string); return ok && len(s) == n && alnum.MatchString(s) }
		}
		check("testbin", func(v any) bool { n, ok := v.(int); return ok && n >= 256 && n <= 65535 })
		check("testbin_2", text(16))
		check("testbin_3", func(v any) bool {
			list, ok := v.([]any)
			if !ok || len(list) != 4 {
				return false
			}
			for _, e := range list[:3] {
				if n, ok := e.(int); !ok || n < 0 || n > 255 {
					return false
				}
			}
			m, ok := list[3].(map[any]any)
			if !ok || len(m) != 2 {
				return false
			}
			for k, v := range m {
				if _, ok := v.(float64); !ok || !text(4)(k) {
					return false
				}
			}
			return true
		})
		check("testbin_4", func(v any) bool { return v == "a\tb" })
		check("testbin_5", func(v any) bool { return v == true })
		check("testbin_6", func(v any) bool { return v == 0x3ff })
		check("testbin_7", func(v any) bool { return v == -1.5 })
		check("testbin_8", func(v any) bool { b, ok := v.([]byte); return ok && len(b) == 9 })
		check("testbin_9", func(v any) bool { _, ok := v.(bool); return ok })
		check("testbin_10", func(v any) bool { f, ok := v.(float64); return ok && !math.IsNaN(f) && !math.IsInf(f, 0) })
		check("testbin_11", func(v any) bool { n, ok := v.(int); return ok && (n < 0 || n >= 1<<56) })
		if len(bins) != 11 {
			t.Errorf("key %d has %d bins, want 11", key, len(bins))
		}
	}
	if reflect.DeepEqual(records[1], records[2]) {
		t.Error("with -R two records are the same")
	}
}

func TestFixedValuesAreTheSameForAllRecords(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "30", "-o", "I4,S8", "-z", "3")
	records := tg.records(1, 31)
	for key, bins := range records {
		if !reflect.DeepEqual(bins, records[1]) {
			t.Errorf("key %d holds %v, key 1 %v", key, bins, records[1])
		}
	}
}

func TestSeedDecidesTheRecords(t *testing.T) {
	one, two, three := newTarget(t), newTarget(t), newTarget(t)
	one.run(0, "-w", "I", "-k", "40", "-o", "I4,S8,[2*B3]", "-R", "--seed", "5", "-z", "1")
	two.run(0, "-w", "I", "-k", "40", "-o", "I4,S8,[2*B3]", "-R", "--seed", "5", "-z", "9")
	three.run(0, "-w", "I", "-k", "40", "-o", "I4,S8,[2*B3]", "-R", "--seed", "6", "-z", "9")
	a, b, c := one.records(1, 41), two.records(1, 41), three.records(1, 41)
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed and another number of threads stored other records")
	}
	if reflect.DeepEqual(a, c) {
		t.Error("another seed stored the same records")
	}
	// A partial update with the seed equals those bins of the whole record.
	one.run(0, "-w", "RU,0", "--write-bins", "2,3", "-k", "40", "-o", "I4,S8,[2*B3]", "-R", "--seed", "5", "-t", "1", "-g", "200")
	if !reflect.DeepEqual(one.records(1, 41), a) {
		t.Error("partial writes with the same seed changed the records")
	}
}

func TestPartialWritesAndReplaces(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "20", "-o", "I1,I2,I3", "--write-bins", "1,3")
	for key, bins := range tg.records(1, 21) {
		if len(bins) != 2 || bins["testbin"] == nil || bins["testbin_3"] == nil {
			t.Errorf("key %d holds %v, want bins 1 and 3", key, bins)
		}
	}
	tg.run(0, "-w", "I", "-k", "20", "-o", "I1,I2,I3")
	// A replace leaves nothing of the old record.
	tg.run(0, "-w", "RR,0", "-k", "20", "-o", "I1,I2,I3", "--write-bins", "2", "-t", "1")
	for key, bins := range tg.records(1, 21) {
		if len(bins) != 1 || bins["testbin_2"] == nil {
			t.Errorf("key %d holds %v, want bin 2 alone", key, bins)
		}
	}
}

func TestDeletes(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "100", "-o", "I1,I2,I3")
	tg.run(0, "-w", "DB", "-K", "11", "-k", "10", "-o", "I1,I2,I3", "--write-bins", "1,2")
	for key, bins := range tg.records(1, 101) {
		if want := 3; key >= 11 && key <= 20 {
			if len(bins) != 1 || bins["testbin_3"] == nil {
				t.Errorf("key %d holds %v, want bin 3 alone", key, bins)
			}
		} else if len(bins) != want {
			t.Errorf("key %d holds %v, want all bins", key, bins)
		}
	}
	// The last bin takes the record with it; keys that are not there are
	// misses, and are not made.
	r := tg.run(0, "-w", "DB", "-K", "11", "-k", "100", "-o", "I1,I2,I3", "--write-bins", "3")
	if rows := summary(t, r.stderr); len(rows) != 1 || rows[0].count != 100 || rows[0].misses != 10 {
		t.Errorf("summary %+v, want 10 misses of 100", rows)
	}
	if n := len(tg.records(1, 101)); n != 90 {
		t.Errorf("%d records, want 90: those of bin 3 alone are gone", n)
	}
	r = tg.run(0, "-w", "DB", "-K", "1", "-k", "50")
	if rows := summary(t, r.stderr); rows[0].count != 50 || rows[0].misses != 10 {
		t.Errorf("summary %+v, want 10 misses of 50", rows)
	}
	records := tg.records(1, 101)
	for key := 1; key <= 50; key++ {
		if records[key] != nil {
			t.Errorf("key %d is still there", key)
		}
	}
	if len(records) != 50 {
		t.Errorf("%d records, want 50", len(records))
	}
}

func TestReadsOfMissingRecordsAreMisses(t *testing.T) {
	tg := newTarget(t)
	r := tg.run(0, "-w", "RU,100", "-k", "10", "-t", "1", "-g", "100")
	rows := summary(t, r.stderr)
	if len(rows) != 2 || rows[0].misses != rows[0].count || rows[0].count == 0 || rows[0].errors_ != 0 {
		t.Errorf("summary %+v", rows)
	}
	if n := tg.count(); n != 0 {
		t.Errorf("reads made %d records", n)
	}
}

func TestTimeToLive(t *testing.T) {
	for _, c := range []struct {
		e    string
		want func(ttl uint32) bool
	}{
		{"1000", func(ttl uint32) bool { return ttl > 900 && ttl <= 1000 }},
		{"-1", func(ttl uint32) bool { return ttl == as.TTLDontExpire }},
	} {
		tg := newTarget(t)
		tg.run(0, "-w", "I", "-k", "5", "-e", c.e)
		if rec, ok := tg.get(3); !ok || !c.want(rec.Expiration) {
			t.Errorf("-e %s: %+v", c.e, rec)
		}
		// -2 leaves the time as it is.
		tg.run(0, "-w", "RU,0", "-k", "5", "-e", "-2", "-t", "1")
		if rec, ok := tg.get(3); !ok || !c.want(rec.Expiration) || rec.Generation < 2 {
			t.Errorf("-e %s, then -2: %+v", c.e, rec)
		}
	}
}

func TestSendKeyStoresTheKey(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "5", "--send-key")
	set, err := tg.client.ScanAll(nil, "test", tg.set)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for r := range set.Results() {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		seen[fmt.Sprint(r.Record.Key.Value())] = true
	}
	if !reflect.DeepEqual(seen, map[string]bool{"1": true, "2": true, "3": true, "4": true, "5": true}) {
		t.Errorf("keys %v", seen)
	}
}

// shortened makes a stage file of a thousandth of the plan: few keys, a short
// time, a low rate. The shape of the stages stays.
func shortened(t *testing.T, plan *stage.Plan, dir string) string {
	t.Helper()
	for _, s := range plan.Stages {
		s.Keys = keygen.Range{Start: s.Keys.Start, End: s.Keys.Start + min(200, s.Keys.Size())}
		s.Duration = min(s.Duration, time.Second)
		s.Pause = 0
		s.Transactions = min(s.Transactions, 500)
		s.Warmup = min(s.Warmup, time.Second)
		if f := s.FindMax; f != nil {
			s.Duration, f.From, f.To, f.Probe, f.Settle = 5*time.Second, 100, 200, 500*time.Millisecond, 100*time.Millisecond
			f.Limits = slices.DeleteFunc(f.Limits, condition.Condition.IsLatency)
		} else if s.Schedule.Throttled() {
			s.Schedule.Curve = workload.Constant(300)
		}
		// How fast it is says nothing here: the test machine may stall.
		s.Assertions = slices.DeleteFunc(s.Assertions, func(c condition.Condition) bool { return c.IsLatency() || c.Metric == condition.TPS })
	}
	file, err := os.Create(filepath.Join(dir, "short.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := plan.WriteYAML(file); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// Each recipe under examples runs, and leaves the records that its comments
// promise.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(t *testing.T, records map[int]as.BinMap, tg *target){
		"quickstart.yaml":         allWith("testbin", "testbin_2"),
		"rate-curves.yaml":        allWith("testbin"),
		"batch.yaml":              none,
		"nightly-assertions.yaml": allWith("testbin", "testbin_2"),
		"operations-mix.yaml": func(t *testing.T, records map[int]as.BinMap, tg *target) {
			// 5 % of 300 transactions insert, and as many delete.
			inserted := 0
			for key, bins := range records {
				if key > 200 {
					inserted++
				}
				// An increment of a deleted record creates it anew.
				if n, ok := bins["testbin"].(int); len(bins) != 3 && (len(bins) != 1 || !ok || n < 1) {
					t.Errorf("key %d holds %v", key, bins)
				}
			}
			if left := len(records) - inserted; inserted == 0 || left == 200 || left < 150 {
				t.Errorf("%d records left, %d inserted", left, inserted)
			}
		},
		"collections.yaml": func(t *testing.T, records map[int]as.BinMap, _ *target) {
			feeds, scores, settings := 0, 0, 0
			for key, bins := range records {
				if l, ok := bins["testbin"].([]any); ok && len(l) > 0 && len(entries(t, bins, "testbin_2")) == 2*len(l) {
					feeds++
				}
				if bins["scores"] != nil && len(entries(t, bins, "scores")) >= 3 {
					scores++
				}
				if bins["settings"] != nil && len(entries(t, bins, "settings")) >= 3 {
					settings++
				}
				if len(bins) > 4 {
					t.Errorf("key %d holds %v", key, bins)
				}
			}
			if feeds == 0 || scores == 0 || settings == 0 {
				t.Errorf("%d feeds, %d records with scores, %d with settings", feeds, scores, settings)
			}
		},
		"verify.yaml": func(t *testing.T, records map[int]as.BinMap, _ *target) {
			emails := 0
			for key, bins := range records {
				if bins["name"] == nil || bins["tags"] == nil || bins["photo"] == nil {
					t.Errorf("key %d holds %v", key, bins)
				}
				if bins["email"] != nil {
					emails++
				}
			}
			// 200 draws of 70 %: 140, give or take five standard deviations of 6.5.
			if len(records) != 200 || emails < 107 || emails > 173 {
				t.Errorf("%d records, %d with an email", len(records), emails)
			}
		},
		"find-max.yaml":              allWith("testbin", "testbin_2"),
		"queries.yaml":               allWith("city", "age", "order"),
		"business-transactions.yaml": allWith("testbin", "testbin_2"),
		"udf.yaml": func(t *testing.T, records map[int]as.BinMap, _ *target) {
			visited := 0
			for key, bins := range records {
				if bins["testbin"] == nil || bins["testbin_2"] == nil {
					t.Errorf("key %d holds %v", key, bins)
				}
				if n, ok := bins["visits"].(int); ok && n > 0 && len(bins["caller"].(string)) == 8 {
					visited++
				}
			}
			if len(records) != 200 || visited == 0 {
				t.Errorf("%d records, %d visited", len(records), visited)
			}
		},
		"skewed-keys.yaml": func(t *testing.T, _ map[int]as.BinMap, tg *target) {
			// Each of the workers inserts records of its own behind the range.
			loaded, inserted := 0, 0
			for n := range 10_000 {
				switch _, ok := tg.getAny(fmt.Sprintf("user%010d", n)); {
				case ok && n < 200:
					loaded++
				case ok:
					inserted++
				}
			}
			if all := tg.count(); loaded != 200 || inserted == 0 || loaded+inserted != all {
				t.Errorf("%d of 200 records loaded, %d inserted, %d in all", loaded, inserted, all)
			}
		},
		"load-then-mixed.yaml": allWith("testbin", "testbin_2", "testbin_3", "testbin_4", "testbin_5"),
		"step-ramp.yaml":       allWith("testbin"),
		"ttl-session-cache.yaml": func(t *testing.T, records map[int]as.BinMap, tg *target) {
			allWith("testbin", "testbin_2")(t, records, tg)
			for key := range records {
				if rec, _ := tg.get(key); rec.Expiration < 1700 || rec.Expiration > 1800 {
					t.Errorf("key %d lives %d s, want half an hour", key, rec.Expiration)
				}
			}
		},
		"write-heavy-large-records.yaml": func(t *testing.T, records map[int]as.BinMap, tg *target) {
			allWith("testbin", "testbin_2", "testbin_3", "testbin_4")(t, records, tg)
			for key, bins := range records {
				if b, ok := bins["testbin_4"].([]byte); !ok || len(b) != 100_000 {
					t.Errorf("key %d: the document is %T of %d bytes", key, bins["testbin_4"], len(b))
				}
			}
		},
		"delete.yaml":    none,
		"customers.yaml": customers,
	}
	if len(files) != len(checks) {
		t.Errorf("%d examples, %d checks", len(files), len(checks))
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := runBinary(t, "validate", absolute(t, file)); r.code != 0 {
				t.Fatalf("validate: %s", r.stderr)
			}
			plan, err := stage.Load(file, newSettings().defaults)
			if err != nil {
				t.Fatal(err)
			}
			plan.HDRDir = filepath.Join(t.TempDir(), "hdr")
			stages := len(plan.Stages)
			tg := newTarget(t)
			r := tg.run(0, "--workload-stages", shortened(t, plan, t.TempDir()))
			for n := range stages {
				if !strings.Contains(r.stdout, fmt.Sprintf("\nStage %d: ", n+1)) {
					t.Errorf("no line for stage %d in\n%s", n+1, r.stdout)
				}
			}
			for _, row := range summary(t, r.stderr) {
				if row.errors_ != 0 || row.timeouts != 0 || row.count == 0 {
					t.Errorf("summary: %+v", row)
				}
			}
			if logs, _ := filepath.Glob(filepath.Join(plan.HDRDir, "*.hdrhist")); len(logs) == 0 {
				t.Error("no histogram files")
			}
			check, ok := checks[name]
			if !ok {
				t.Fatal("this example has no check of what it stores")
			}
			var records map[int]as.BinMap
			if plan.Stages[0].KeyFormat.Type == keygen.IntegerKey {
				records = tg.records(1, 1000)
			}
			check(t, records, tg)
		})
	}
}

// none checks that the stages deleted what they had written.
func none(t *testing.T, records map[int]as.BinMap, _ *target) {
	t.Helper()
	if len(records) != 0 {
		t.Errorf("%d records left", len(records))
	}
}

// allWith checks that all 200 records are there and have exactly these bins.
func allWith(names ...string) func(*testing.T, map[int]as.BinMap, *target) {
	return func(t *testing.T, records map[int]as.BinMap, _ *target) {
		t.Helper()
		if len(records) != 200 {
			t.Errorf("%d records, want 200", len(records))
		}
		for key, bins := range records {
			for _, name := range names {
				if bins[name] == nil {
					t.Errorf("key %d has no bin %s", key, name)
				}
			}
			if len(bins) != len(names) {
				t.Errorf("key %d has %d bins, want %d", key, len(bins), len(names))
			}
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
