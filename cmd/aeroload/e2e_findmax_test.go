package main

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
)

// slowServer answers reads after a delay.
func slowServer(t *testing.T, delay time.Duration) *embedded.Server {
	return embedded.RunT(t, embedded.Config{Faults: []embedded.Fault{{On: embedded.FaultRead, Delay: delay}}})
}

// One worker against a server that takes 5 ms for each read makes 200 reads a second
// at most, however fast or busy the machine is.
func TestFindMaxIsBoundedByTheServer(t *testing.T) {
	server := slowServer(t, 5*time.Millisecond)
	file := filepath.Join(t.TempDir(), "result.json")
	r := runBinary(t, "-h", server.Addr(), "-w", "RU,100", "-k", "10", "-z", "1", "-T", "60000", "--connect-timeout", "60000",
		"--find-max", "{max: 3600s, from: 50, to: 1000, probe: 1s, settle: 100ms, precision: 10%}", "-t", "60", "--result", file)
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	for _, line := range []string{
		`(?m)^\S+ \S+ INFO Stage 1: asked 50 tps, achieved [\d.]+, p99 [\d.]+ms, error rate 0%: holds, max <= 3600s: `,
		`(?m)^\S+ \S+ INFO Stage 1: asked \d+ tps, achieved [\d.]+, .*: fails, the rate was not kept up: \d+ transactions behind$`,
		`(?m)^Stage 1 \(.*\): .*, the limits hold (up to|at) \d+ tps`,
		`(?m)^  asked +achieved +p99 +error rate +verdict +why$`,
		`(?m)^  \d+ +[\d.]+ +[\d.]+m?s +0% +fails +the rate was not kept up: \d+ transactions behind$`,
	} {
		if !regexp.MustCompile(line).MatchString(r.stderr) {
			t.Errorf("no line like %s in\n%s", line, r.stderr)
		}
	}
	if strings.Contains(r.stdout, "asked") || !strings.Contains(r.stdout, "total(tps=") {
		t.Errorf("standard output is not rates:\n%s", r.stdout)
	}
	st := readResult(t, file).Stages[0]
	found := st.FindMax
	// A second may have two transactions of others at its ends, and miss 1 %.
	if found.TPS > 202/0.99 {
		t.Errorf("found %g tps of 200\n%s", found.TPS, r.stderr)
	}
	if stalled := st.Operations["read"].Service.Max > 500_000; found.TPS < 100 && !stalled {
		t.Errorf("found %g tps only\n%s", found.TPS, r.stderr)
	}
	var held, failed bool // the answer, and a rate that is above it by the precision at most
	for _, p := range found.Probes {
		held = held || p.OK && p.TPS == found.TPS
		failed = failed || !p.OK && p.TPS > found.TPS && p.TPS < 1.1001*found.TPS
		if len(p.Limits) != 2 || p.ErrorRate != 0 || p.P99 < 5000 || p.Why == "" || p.Achieved > 203 {
			t.Errorf("probe %+v", p)
		}
	}
	if !held || failed != found.Settled {
		t.Errorf("settled %v at %g tps, which held: %v; failed just above: %v\n%s", found.Settled, found.TPS, held, failed, r.stderr)
	}
}

func TestFindMaxFindsNone(t *testing.T) {
	server := slowServer(t, 20*time.Millisecond)
	r := runBinary(t, "-h", server.Addr(), "-w", "RU,100", "-k", "10", "-T", "60000", "--connect-timeout", "60000", "--find-max", "{p50: 10ms, from: 10, probe: 1s, settle: 100ms}")
	if r.code != 3 || !strings.Contains(r.stderr, "aeroload: stage 1: find-max: the limits do not even hold at 10 tps\n") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
}

// A search that is interrupted leaves a result with what it knew.
func TestFindMaxIsInterrupted(t *testing.T) {
	server := slowServer(t, time.Millisecond)
	file := filepath.Join(t.TempDir(), "result.json")
	cmd := exec.Command(binary, "-h", server.Addr(), "-w", "RU,100", "-k", "10", "-T", "60000", "--connect-timeout", "60000", "-t", "3600", "--result", file,
		"--find-max", "{max: 3600s, from: 1, probe: 500ms, settle: 100ms}")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	var text strings.Builder
	lines := bufio.NewScanner(stderr)
	for interrupted := false; lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if !interrupted && strings.Contains(lines.Text(), "asked 1 tps") {
			interrupted = true
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait()
	found := readResult(t, file).Stages[0].FindMax
	if code := cmd.ProcessState.ExitCode(); code != 130 || len(found.Probes) == 0 || found.Settled || !strings.Contains(text.String(), "  asked  achieved") {
		t.Errorf("exit code %d, %+v\n%s", code, found, text.String())
	}
}
