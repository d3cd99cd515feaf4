package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// every spec of the verify tests: all kinds of values, an optional bin, and one that
// no one can tell.
const verifySpec = "i=I4, d=D, t=b, s=S20, b=B30, l=[2*I2,S3], m={3*S4:I1}, k={2*B4:I1}, g=@geojson, o?0.5=@word, n=@now"

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
	blob[17] ^= 0x20
	tg.put(54321, "testbin_2", blob)
	file := t.TempDir() + "/result.json"
	r := tg.run(3, "-w", "RU,100", "-k", "100000", "-o", "S10,B40", "-R", "--seed", "5", "--verify", "--batch-size", "100",
		"--key-distribution", "sequential", "-z", "4", "--transactions", "1000", "--result", file)
	if read, wrong := verified(t, r); read != "100000" || wrong != "1" {
		t.Errorf("%s of %s records wrong, want 1 of 100000", wrong, read)
	}
	if !regexp.MustCompile(`key 54321: bin testbin_2: wanted bytes [0-9a-f]+… .*, got bytes `).MatchString(r.stderr) ||
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
