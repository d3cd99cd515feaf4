package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// every spec of the verify tests: all kinds of values, an optional bin, and one that
// no one can tell.
const verifySpec = "i=I4, d=D, t=b, s=S20, b=B30, l=[2*I2,S3,[D,I8,{1:b}]], m={3*S4:I1,5:[B4,@geojson]}, k={2*B4:I1}, g=@geojson, o?0.5=@word, n=@now"

// put overwrites a bin of a record, as somebody else might do.
func (tg *target) put(key int, bin string, value any) {
	tg.t.Helper()
	k, err := as.NewKey("test", tg.set, key)
	if err != nil {
		tg.t.Fatal(err)
	}
	if err := tg.client.PutBins(nil, k, as.NewBin(bin, value)); err != nil {
		tg.t.Fatal(err)
	}
}

// verified returns the numbers of records read and of mismatches.
func verified(t *testing.T, r result) (read, wrong string) {
	t.Helper()
	m := regexp.MustCompile(`Of (\d+) records? that were read.*, (\d+) were not`).FindStringSubmatch(r.stderr)
	if m == nil {
		t.Fatalf("no word about what was verified:\n%s", r.stderr)
	}
	return m[1], m[2]
}

func TestVerifyFindsNothingWrong(t *testing.T) {
	for _, c := range []struct {
		why        string
		load, read []string
	}{
		{"single records", []string{"-R"}, []string{"-R"}},
		{"batches", []string{"-R", "--batch-size", "7"}, []string{"-R", "--batch-size", "5"}},
		{"one value for all records", nil, nil},
		{"some bins", []string{"-R"}, []string{"-R", "--read-bins", "1,4,8"}},
		{"string keys", []string{"-R", "--key-template", "user%05d"}, []string{"-R", "--key-template", "user%05d"}},
		{"async", []string{"-R", "-a"}, []string{"-R", "-a"}},
	} {
		tg := newTarget(t)
		spec := verifySpec
		if c.load == nil {
			spec = "I4,S20,[3*D],{2*S3:B4}"
		}
		tg.run(0, append(c.load, "-w", "I", "-k", "300", "-o", spec, "--seed", "7")...)
		for _, workload := range []string{"RU,100", "RU,50", "RR,50", "RUD,50,40"} {
			if workload == "RUD,50,40" && len(c.read) > 2 && c.read[1] == "--read-bins" {
				continue
			}
			r := tg.run(0, append(c.read, "-w", workload, "-k", "300", "-o", spec, "--seed", "7", "--verify", "--transactions", "400")...)
			if read, wrong := verified(t, r); wrong != "0" || read == "0" {
				t.Errorf("%s, %s: %s of %s records wrong\n%s", c.why, workload, wrong, read, r.stderr)
			}
		}
	}
}

// A single byte of one record among 100 000 is found, named, and ends in exit
// code 3.
func TestVerifyFindsAFlippedByte(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "100000", "-o", "S10,B40", "-R", "--seed", "5", "--batch-size", "100")
	rec, _ := tg.get(54321)
	blob := rec.Bins["testbin_2"].([]byte)
	before := fmt.Sprintf("%x", blob)
	blob[17] ^= 0x20
	tg.put(54321, "testbin_2", blob)
	file := t.TempDir() + "/result.json"
	r := tg.run(3, "-w", "RU,100", "-k", "100000", "-o", "S10,B40", "-R", "--seed", "5", "--verify", "--batch-size", "100",
		"--key-distribution", "sequential", "-z", "4", "--transactions", "1000", "--result", file)
	if read, wrong := verified(t, r); read != "100000" || wrong != "1" {
		t.Errorf("%s of %s records wrong, want 1 of 100000", wrong, read)
	}
	// Ten bytes before the one that differs, it, and those behind it.
	shown := fmt.Sprintf("key 54321: bin testbin_2: wanted …%s…, got …%x… (they differ from byte 18 on; wanted 40 bytes, got 40)\n", before[14:74], blob[7:37])
	if !strings.Contains(r.stderr, shown) ||
		!strings.Contains(r.stderr, "aeroload: verify: 1 record was not as the object spec makes it") {
		t.Errorf("printed\n%s", r.stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil || !regexp.MustCompile(`"mismatches": ?1\b`).Match(text) {
		t.Errorf("the result does not have the mismatch: %v", err)
	}
}

func TestVerifyTellsWhatIsWrong(t *testing.T) {
	tg := newTarget(t)
	args := []string{"-k", "8", "-o", "i=I4,s=S5,o?0.5=I1,x=9", "-R", "--seed", "3"}
	tg.run(0, append(args, "-w", "I")...)
	with, without := 0, 0
	for key, bins := range tg.records(1, 9) {
		if bins["o"] != nil {
			with = key
		} else {
			without = key
		}
	}
	if with == 0 || without == 0 {
		t.Fatal("choose another seed: the optional bin is in none or in all")
	}
	for _, c := range []struct {
		key       int
		bin       string
		value     any
		want, why string
	}{
		{1, "i", "text", `key 1: bin i: wanted \d+, got "text"`, "another type"},
		{2, "x", 10, `key 2: bin x: wanted 9, got 10`, "another number"},
		{3, "s", nil, `key 3: bin s: wanted "\w{5}", got none`, "a bin that is gone"},
		{with, "o", nil, fmt.Sprintf(`key %d: bin o: wanted \d+, got none`, with), "an optional bin that is gone"},
		{without, "o", 5, fmt.Sprintf(`key %d: bin o: wanted none, got 5`, without), "one that should not be there"},
	} {
		tg.run(0, append(args, "-w", "I")...)
		rec, _ := tg.get(c.key)
		tg.put(c.key, c.bin, c.value)
		r := tg.run(3, append(args, "-w", "RU,100", "--verify", "--key-distribution", "sequential", "--transactions", "8", "-z", "1")...)
		if _, wrong := verified(t, r); wrong != "1" || !regexp.MustCompile(c.want).MatchString(r.stderr) {
			t.Errorf("%s: want %s in\n%s", c.why, c.want, r.stderr)
		}
		tg.put(c.key, c.bin, rec.Bins[c.bin]) // nil removes it again
	}
	// What is not in the spec, and what is not there at all, is no mismatch.
	tg.put(5, "other", 1)
	k, _ := as.NewKey("test", tg.set, 6)
	if _, err := tg.client.Delete(nil, k); err != nil {
		t.Fatal(err)
	}
	r := tg.run(0, append(args, "-w", "RU,100", "--verify", "--key-distribution", "sequential", "--transactions", "8", "-z", "1")...)
	if read, wrong := verified(t, r); read != "7" || wrong != "0" {
		t.Errorf("%s of %s records wrong, want 0 of 7", wrong, read)
	}
}

// Bins that the plan adds to cannot be told, nor can data of a run with another
// seed.
func TestVerifyKnowsWhatItCannotTell(t *testing.T) {
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "50", "-o", "n=I4,s=S5", "-R", "--seed", "2")
	r := tg.run(0, "-w", "RMI", "-k", "50", "-o", "n=I4,s=S5", "-R", "--seed", "2", "--verify", "--transactions", "200")
	if _, wrong := verified(t, r); wrong != "0" || !strings.Contains(r.stderr, "without n, which cannot be told") {
		t.Errorf("increments:\n%s", r.stderr)
	}
	r = tg.run(3, "-w", "RU,100", "-k", "50", "-o", "n=I4,s=S5", "-R", "--seed", "4", "--verify", "--transactions", "100")
	if _, wrong := verified(t, r); wrong != "100" || !strings.Contains(r.stderr, "and 95 more") {
		t.Errorf("another seed:\n%s", r.stderr)
	}
	r = tg.run(2, "-w", "RU,100", "-k", "50", "--verify")
	if !strings.Contains(r.stderr, "--verify: what is read was written by another run: give that run's seed (--seed)") {
		t.Errorf("no seed:\n%s", r.stderr)
	}
	r = tg.run(2, "-w", "I", "-k", "50", "--verify", "--seed", "1")
	if !strings.Contains(r.stderr, "--verify: the workload I reads no records by their keys") {
		t.Errorf("nothing read:\n%s", r.stderr)
	}
}

// Plans that leave records without some of their bins, on purpose, have no
// mismatches; what such records do hold must be right.
func TestVerifyKnowsWhatThePlanDid(t *testing.T) {
	tg := newTarget(t)
	file := tg.stages(`
defaults: {key-end: 300, object-spec: "i=I4,s=S5,o?0.5=I2,l=[1..3*I2]", seed: 3, transactions: 1000, threads: 4}
stages:
  - {workload: I, transactions: 0}
  - {workload: "RR,50,100,50", verify: true, desc: replaces by some bins}
  - {workload: I, transactions: 0}
  - {workload: "RUD,40,40", write-bins: "1,2", verify: true, desc: deletes and updates of some bins}
  - {workload: I, transactions: 0}
  - {workload: "RMU", verify: true, desc: reads before updates}
  - {workload: "TXN,r:3,w:1,t:rupB", verify: true, desc: business transactions with partial replaces}
  - {workload: I, transactions: 0}
  - {workload: "C,20,10,5", desc: collections}
  - {workload: "RU,50", verify: true, batch-size: 3, desc: other bins after them}
  - {workload: DB, write-bins: "2", transactions: 0}
  - {workload: "RU,100", verify: true, assert: [mismatches == 0], desc: without the deleted bin}
`)
	r := tg.run(0, "--workload-stages", file)
	found := regexp.MustCompile(`Of (\d+) records? that were read(.*), (\d+) were not`).FindAllStringSubmatch(r.stderr, -1)
	if len(found) != 6 {
		t.Fatalf("%d stages verified, want 6:\n%s", len(found), r.stderr)
	}
	for i, m := range found {
		if m[1] == "0" || m[3] != "0" {
			t.Errorf("verifying stage %d: %s", i+1, m[0])
		}
		if left := strings.Contains(m[2], "without l,"); left != (i >= 4) { // from the collections on
			t.Errorf("verifying stage %d: %s", i+1, m[0])
		}
	}
	// The last stage's records lack s, but not with another value, nor i.
	tg.put(7, "s", "wrong")
	tg.put(8, "i", nil)
	file = tg.stages(`
defaults: {key-end: 300, object-spec: "i=I4,s=S5", random: true, seed: 3}
stages:
  - {workload: DB, write-bins: "2", key-end: 2}
  - {workload: "RU,100", keys: sequential, transactions: 299, threads: 1, verify: true, assert: [mismatches == 0]}
`)
	r = tg.run(3, "--workload-stages", file)
	for _, want := range []string{`key 7: bin s: wanted "\w{5}", got "wrong"`, `key 8: bin i: wanted \d+, got none`, "2 were not", "assertion failed: mismatches == 0: 2"} {
		if !regexp.MustCompile(want).MatchString(r.stderr) {
			t.Errorf("want %s in\n%s", want, r.stderr)
		}
	}
}

// stages writes a stage file.
func (tg *target) stages(text string) string {
	tg.t.Helper()
	file := filepath.Join(tg.t.TempDir(), "stages.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		tg.t.Fatal(err)
	}
	return file
}

// Keys from a file are verified by what they stand for, and batches name the record
// that is wrong. The record is overwritten behind the client's back.
func TestVerifyKeysOfAFile(t *testing.T) {
	for _, kind := range []string{"string", "integer"} {
		srv := embedded.RunT(t, embedded.Config{})
		keys := filepath.Join(t.TempDir(), "keys.txt")
		var lines strings.Builder
		for i := range 100 {
			fmt.Fprintf(&lines, "%d\n", 1000+7*i)
		}
		if err := os.WriteFile(keys, []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		run := func(code int, args ...string) result {
			t.Helper()
			r := runBinary(t, append(args, "-h", srv.Addr(), "-s", "file", "-T", "60000", "--connect-timeout", "60000",
				"--key-file", keys, "--key-type", kind, "-o", "S9,B30", "-R", "--seed", "8", "--batch-size", "10")...)
			if r.code != code {
				t.Fatalf("%q: exit code %d, want %d\n%s%s", args, r.code, code, r.stdout, r.stderr)
			}
			return r
		}
		read := []string{"-w", "RU,100", "--verify", "--key-distribution", "sequential", "--transactions", "10", "-z", "2"}
		run(0, "-w", "I")
		if n, wrong := verified(t, run(0, read...)); n != "100" || wrong != "0" {
			t.Errorf("%s keys: %s of %s records wrong", kind, wrong, n)
		}
		var key any = "1350" // 1000 + 7*50
		if kind == "integer" {
			key = 1350
		}
		rec, ok := srv.Get("test", "file", key)
		if !ok {
			t.Fatalf("no record %v", key)
		}
		bins := map[string]any{}
		for _, b := range rec.Bins {
			bins[b.Name] = b.Value()
		}
		blob := bytes.Clone(bins["testbin_2"].([]byte))
		blob[0] ^= 1
		bins["testbin_2"] = blob
		if err := srv.Put("test", "file", key, 0, bins); err != nil {
			t.Fatal(err)
		}
		r := run(3, read...)
		if n, wrong := verified(t, r); n != "100" || wrong != "1" || !strings.Contains(r.stderr, "key 1350: bin testbin_2: wanted bytes ") {
			t.Errorf("%s keys: %s of %s records wrong\n%s", kind, wrong, n, r.stderr)
		}
	}
}

// Records whose time is over are misses, and updates of some bins may make them anew.
func TestVerifyExpiredRecords(t *testing.T) {
	var ahead atomic.Int64
	srv := embedded.RunT(t, embedded.Config{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	run := func(code int, args ...string) result {
		t.Helper()
		r := runBinary(t, append(args, "-h", srv.Addr(), "-T", "60000", "--connect-timeout", "60000",
			"-k", "50", "-o", "S9,I4", "-R", "--seed", "8", "-e", "10000")...)
		if r.code != code {
			t.Fatalf("%q: exit code %d, want %d\n%s%s", args, r.code, code, r.stdout, r.stderr)
		}
		return r
	}
	run(0, "-w", "I")
	if n, wrong := verified(t, run(0, "-w", "RU,100", "--verify", "--transactions", "100")); n != "100" || wrong != "0" {
		t.Errorf("%s of %s records wrong", wrong, n)
	}
	ahead.Store(int64(5 * time.Hour))
	if n, wrong := verified(t, run(0, "-w", "RU,100", "--verify", "--transactions", "100")); n != "0" || wrong != "0" {
		t.Errorf("after they have expired: %s of %s records wrong, want none of none", wrong, n)
	}
	if n, wrong := verified(t, run(0, "-w", "RU,50", "--write-bins", "1", "--verify", "--transactions", "300")); n == "0" || wrong != "0" {
		t.Errorf("of records that some bins were written to: %s of %s wrong", wrong, n)
	}
}
