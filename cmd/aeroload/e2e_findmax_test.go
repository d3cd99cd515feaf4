package main

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
)

// One worker against a server that takes 20 ms for each read can make 50 reads a
// second at most, however fast or busy the machine is.
func TestFindMaxIsBoundedByTheServer(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{Faults: []embedded.Fault{{On: embedded.FaultRead, Delay: 20 * time.Millisecond}}})
	file := t.TempDir() + "/result.json"
	r := runBinary(t, "-h", server.Addr(), "-w", "RU,100", "-k", "10", "-z", "1", "-T", "60000",
		"--find-max", "{max: 3600s, from: 5, to: 1000, probe: 700ms, settle: 100ms, precision: 20%}", "-t", "60", "--result", file)
	m := regexp.MustCompile(`the limits hold (up to|at) (\d+) tps`).FindStringSubmatch(r.stderr)
	if r.code != 0 || m == nil {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if rate, _ := strconv.Atoi(m[2]); rate < 5 || rate > 53 {
		t.Errorf("found %d tps\n%s", rate, r.stderr)
	}
	if !regexp.MustCompile(`INFO Stage 1: \d+ tps (holds|fails): `).MatchString(r.stderr) ||
		!regexp.MustCompile(`(?m)^  \d+ tps  fails  only \d+\.\d tps`).MatchString(r.stderr) {
		t.Errorf("no probes in\n%s", r.stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil || !regexp.MustCompile(`"find_max":\s*\{\s*"tps":\s*[1-9]`).Match(text) {
		t.Errorf("no rate in the result: %v", err)
	}
}

func TestFindMaxFindsNone(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{Faults: []embedded.Fault{{On: embedded.FaultRead, Delay: 20 * time.Millisecond}}})
	r := runBinary(t, "-h", server.Addr(), "-w", "RU,100", "-k", "10", "-T", "60000", "--find-max", "{p50: 10ms, from: 10, probe: 1s, settle: 100ms}")
	if r.code != 3 || !regexp.MustCompile(`aeroload: stage 1: find-max: the limits do not even hold at 10 tps`).MatchString(r.stderr) {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}
