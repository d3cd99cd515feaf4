package workload

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
)

// storedBy returns what the records of a spec hold, as the client returns it.
func storedBy(t *testing.T, s *Spec) func(key int) as.BinMap {
	t.Helper()
	g := s.Object.NewGenerator(s.Seed)
	return func(key int) as.BinMap {
		if !s.Random {
			key = 0
		}
		bins := as.BinMap{}
		for _, b := range g.Record(uint64(key), nil) {
			v, err := objspec.Value(b)
			if err != nil {
				t.Fatal(err)
			}
			bins[b.Name] = asReturned(v)
		}
		return bins
	}
}

// verifying returns a spec of one worker that reads the keys 1 to 20 in turn, twice
// each, and verifies them. The bins are an integer, a string, one that cannot be
// told, and an optional one.
func verifying(t *testing.T, text string, change func(*Spec)) Spec {
	t.Helper()
	s := specOf(text)
	object, err := objspec.Parse("i=I4, s=S5, n=@now, o?0.5=B3", objspec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	distribution, err := keygen.ParseDistribution("sequential")
	if err != nil {
		t.Fatal(err)
	}
	s.Object, s.Distribution = object, distribution
	s.Verify, s.Random, s.Workers, s.Transactions = true, true, 1, 40
	s.Keys = keygen.Range{Start: 1, End: 21}
	if change != nil {
		change(&s)
	}
	return s
}

// A client that returns altered records is found out: what is altered, of key 7 but
// where it says otherwise, and what comes of it in 40 reads of 20 keys.
func TestVerify(t *testing.T) {
	probe := verifying(t, "RU,100", nil)
	with, without := 0, 0 // keys of records with and without the optional bin
	for key := 1; key <= 20; key++ {
		if _, ok := storedBy(t, &probe)(key)["o"]; ok {
			with = key
		} else {
			without = key
		}
	}
	if with == 0 || without == 0 {
		t.Fatal("choose another seed: the optional bin is in none or in all")
	}
	alter := func(bin string, value any) func(as.BinMap) { return func(b as.BinMap) { b[bin] = value } }
	remove := func(bin string) func(as.BinMap) { return func(b as.BinMap) { delete(b, bin) } }
	for _, c := range []struct {
		why, workload string
		change        func(*Spec)
		key           int
		alter         func(as.BinMap)
		mismatches    uint64
		want          string // in the first description
	}{
		{"nothing altered", "RU,100", nil, 7, alter("i2", 1), 0, ""},
		{"another number", "RU,100", nil, 7, alter("i", 5), 2, "key 7: bin i: wanted "},
		{"another type", "RU,100", nil, 7, alter("i", "5"), 2, `, got "5"`},
		{"an integer as a double", "RU,100", nil, 7, func(b as.BinMap) { b["i"] = float64(b["i"].(int)) }, 2, "key 7: bin i: wanted "},
		{"a missing bin", "RU,100", nil, 7, remove("s"), 2, ", got none"},
		{"a bin that may be missing", "RU,100", func(s *Spec) { s.MayLack = []int{1} }, 7, remove("s"), 0, ""},
		{"but not be another", "RU,100", func(s *Spec) { s.MayLack = []int{1} }, 7, alter("s", "x"), 2, `got "x"`},
		{"nor those behind it", "RU,100", func(s *Spec) { s.MayLack = []int{0} }, 7, func(b as.BinMap) { delete(b, "i"); b["s"] = "x" }, 2, "bin s: "},
		{"a bin that cannot be told", "RU,100", nil, 7, alter("n", 5), 0, ""},
		{"one that is added to", "RU,100", func(s *Spec) { s.Unknown = []int{0} }, 7, alter("i", 5), 0, ""},
		{"an optional bin is gone", "RU,100", nil, with, remove("o"), 2, "bin o: wanted bytes "},
		{"or was never there", "RU,100", nil, without, alter("o", []byte{1, 2, 3}), 2, "bin o: wanted none, got bytes 010203"},
		{"one bit", "RU,100", nil, with, func(b as.BinMap) { b["o"].([]byte)[1] ^= 4 }, 2, "bin o: "},
		{"reads of some bins see those", "RU,100", func(s *Spec) { s.ReadBins = []int{1}; s.Workload.ReadAll = 0 }, 7, alter("s", "x"), 2, "bin s: "},
		{"and no others", "RU,100", func(s *Spec) { s.ReadBins = []int{1}; s.Workload.ReadAll = 0 }, 7, alter("i", 5), 0, ""},
		{"one value for all records", "RU,100", func(s *Spec) { s.Random = false }, 7, alter("i", 5), 2, "key 7: bin i: "},
		{"batches", "RU,100", func(s *Spec) { s.BatchRead = 4; s.Transactions = 10 }, 7, alter("i", 5), 2, "key 7: bin i: "},
		{"reads before updates", "RMU", nil, 7, alter("i", 5), 2, "key 7: bin i: "},
		{"reads of business transactions", "TXN,t:R", nil, 7, alter("i", 5), 2, "key 7: bin i: "},
		{"and their batches", "TXN,t:4B", func(s *Spec) { s.Transactions = 10 }, 7, alter("i", 5), 2, "key 7: bin i: "},
		{"not asked for", "RU,100", func(s *Spec) { s.Verify = false }, 7, alter("i", 5), 0, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec := verifying(t, c.workload, c.change)
			client, stored := newFakeClient(), storedBy(t, &spec)
			client.stored = func(key int) as.BinMap {
				bins := stored(key)
				if key == c.key {
					c.alter(bins)
				}
				return bins
			}
			snap, texts := verified(t, spec, client)
			if got := snap.Counts[Read]; got.Mismatch != c.mismatches || got.Hit != 40 || got.Error != 0 {
				t.Errorf("%s: %+v, want %d mismatches in 40 reads: %q", c.why, got, c.mismatches, texts)
			}
			// What is wrong is described once, however often it is read.
			if c.want != "" && (len(texts) != 1 || !strings.Contains(texts[0], c.want)) || c.want == "" && len(texts) > 0 {
				t.Errorf("%s: described as %q, want %q", c.why, texts, c.want)
			}
		})
	}
}

func verified(t *testing.T, spec Spec, client *fakeClient) (Snapshot, []string) {
	t.Helper()
	stats := NewStats(spec.Workers, spec.Schedule.Throttled(), allOps)
	job, err := Prepare(spec, client)
	if err != nil {
		t.Fatal(err)
	}
	job.Run(context.Background(), stats)
	return stats.Snapshot(), stats.Mismatches(spec.Stream)
}

// Missing records are misses and failed reads errors, in batches too; neither is a
// mismatch.
func TestVerifyLeavesMissesAndErrors(t *testing.T) {
	code := func(key int) types.ResultCode {
		return map[int]types.ResultCode{3: types.KEY_NOT_FOUND_ERROR, 4: types.DEVICE_OVERLOAD}[key]
	}
	for _, size := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			spec := verifying(t, "RU,100", func(s *Spec) { s.BatchRead = size; s.Transactions = uint64(40 / size) })
			client := newFakeClient()
			client.stored, client.row = storedBy(t, &spec), code
			if size == 1 {
				client.answer = func(c call) as.Error {
					if code := code(c.key); code != 0 {
						return &as.AerospikeError{ResultCode: code}
					}
					return nil
				}
			}
			snap, texts := verified(t, spec, client)
			got := snap.Counts[Read]
			if got.Mismatch != 0 || got.Hit != 36 || got.Miss != 2 || got.Lost+got.Error != 2 || len(texts) > 0 {
				t.Errorf("batches of %d: %+v, %q", size, got, texts)
			}
		})
	}
}

// Each stage describes its first five, and what is read in a warm-up counts nowhere.
func TestMismatchesOfStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stats := NewStats(1, false, allOps)
		for stream := range uint64(2) {
			spec := verifying(t, "RU,100", func(s *Spec) {
				s.Stream, s.Warmup, s.Duration, s.Transactions = stream, time.Second, time.Minute, 30
			})
			client := newFakeClient()
			client.stored = func(key int) as.BinMap { return as.BinMap{"i": key + int(stream), "s": "x"} }
			client.latency = func(call) time.Duration { return 100 * time.Millisecond }
			job, err := Prepare(spec, client)
			if err != nil {
				t.Fatal(err)
			}
			job.Run(context.Background(), stats)
			var keys []string
			for _, text := range stats.Mismatches(stream) {
				key, _, _ := strings.Cut(text, ":")
				keys = append(keys, key)
			}
			// A second at 100 ms a read is the first 10 of them.
			if want := []string{"key 11", "key 12", "key 13", "key 14", "key 15"}; stream == 0 && !slices.Equal(keys, want) {
				t.Errorf("described %q, want %q", keys, want)
			}
			if len(keys) != 5 {
				t.Errorf("stage %d describes %d, want 5", stream, len(keys))
			}
			if got := stats.Snapshot().Counts[Read].Mismatch; got != 30*(stream+1) {
				t.Errorf("%d mismatches after stage %d, want %d", got, stream, 30*(stream+1))
			}
		}
	})
}

// BenchmarkVerify is what it takes to make a record again and to compare it.
func BenchmarkVerify(b *testing.B) {
	for _, text := range []string{"I4", "S50", "B1400", "[10*I4],{10*S4:I4}",
		"id=@uuid, first=@first_name, last=@last_name, email=@email, age=@int(18,90), city=@city, loc=@geojson"} {
		b.Run(text, func(b *testing.B) {
			spec := specOf("RU,100")
			object, err := objspec.Parse(text, objspec.Options{})
			if err != nil {
				b.Fatal(err)
			}
			spec.Object, spec.Random = object, true
			record := as.BinMap{}
			for _, bin := range object.NewGenerator(spec.Seed).Record(1, nil) {
				v, err := objspec.Value(bin)
				if err != nil {
					b.Fatal(err)
				}
				record[bin.Name] = asReturned(v)
			}
			v := newVerifier(&spec)
			b.ReportAllocs()
			for b.Loop() {
				if what := v.check(1, true, record); what != "" {
					b.Fatal(what)
				}
			}
		})
	}
}

// asReturned turns a value of package objspec into what the client returns for it.
func asReturned(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case objspec.GeoJSON:
		return as.GeoJSONValue(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = asReturned(v[i])
		}
		return list
	case []objspec.Entry:
		m := map[any]any{}
		for _, e := range v {
			m[asReturned(e.Key)] = asReturned(e.Value)
		}
		return m
	}
	return v
}
