package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	results "github.com/aeroload/aeroload/result"
)

// onlyIf skips a test that needs a file of the system.
func onlyIf(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
}

// An output on a full disk fails the run, and says which; the others are whole.
func TestFullDisk(t *testing.T) {
	onlyIf(t, "/dev/full")
	for _, flag := range []string{"--output-file", "--hdr-log", "--result", "stdout"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			tg := newTarget(t)
			dir := t.TempDir()
			args := []string{"-h", tg.hosts, "-s", tg.set, "-w", "RU,50", "-k", "100", "-t", "2", "-g", "200", "-T", "60000", "--connect-timeout", "60000", "--hdr-hist", dir}
			if flag != "stdout" {
				args = append(args, flag, "/dev/full")
			}
			cmd := exec.Command(binary, args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if flag == "stdout" {
				full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer full.Close()
				cmd.Stdout = full
			}
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != 1 || !regexp.MustCompile(`(?m)no space left on device$`).MatchString(stderr.String()) {
				t.Errorf("exit code %d\n%s", code, stderr.String())
			}
			hdr := hdrCounts(t, dir)
			files, _ := filepath.Glob(filepath.Join(dir, "result_*.json"))
			if len(files) == 1 {
				d, err := results.ReadFile(files[0])
				if err != nil {
					t.Fatal(err)
				}
				addsUp(t, d, result{stderr: stderr.String()}, hdr)
			} else if flag != "stdout" { // which may be noticed before the first stage
				t.Errorf("results: %v", files)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A disk that becomes full while results are written leaves the files from before.
func TestDiskFillsUp(t *testing.T) {
	tg := newTarget(t)
	t.Parallel()
	dir := t.TempDir()
	before := []byte(`{"from": "before"}` + "\n")
	path := filepath.Join(dir, "r.json")
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	// Two blocks of 512 bytes or 1024, depending on the shell.
	cmd := exec.Command("sh", "-c", `ulimit -f 2; exec "$@"`, "sh", binary, "-h", tg.hosts, "-s", tg.set,
		"-w", "RU,50", "-k", "100", "-t", "2", "-g", "200", "-T", "60000", "--connect-timeout", "60000", "--result", path, "--hdr-hist", filepath.Join(dir, "hdr"))
	r := finish(t, cmd)
	if r.code != 1 || !strings.Contains(r.stderr, "file too large") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, before) {
		t.Errorf("the result from before is now %q, %v", data, err)
	}
	for _, pattern := range []string{filepath.Join(dir, ".*"), filepath.Join(dir, "hdr", ".*")} {
		if left, _ := filepath.Glob(pattern); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	if len(summary(t, r.stderr)) == 0 {
		t.Errorf("no summary:\n%s", r.stderr)
	}
}

// A folder in which nothing can be written, whoever one is, is found before anything
// is sent.
func TestReadOnlyFolder(t *testing.T) {
	onlyIf(t, "/proc/self")
	hosts, connections := idleListener(t)
	for _, args := range [][]string{
		{"--hdr-hist", "/proc/self"}, {"--hdr-hist", "/proc/self/hdr"}, {"--result", "/proc/self/r.json"},
		{"--hdr-log", "/proc/self/log"}, {"--output-file", "/proc/self/out"},
	} {
		r := runBinary(t, append([]string{"-h", hosts, "-w", "I", "-k", "10"}, args...)...)
		if r.code != 2 || !strings.Contains(r.stderr, "/proc/self") {
			t.Errorf("%v: exit code %d\n%s", args, r.code, r.stderr)
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// A folder that is taken away during the run fails it at the end, and not before all
// else is done.
func TestFolderIsTakenAway(t *testing.T) {
	notReal(t)
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(binary, "-h", startFaulty(t).Addr(), "--connect-timeout", "60000", "-w", "RU,50", "-k", "100", "-t", "3", "-g", "200", "--result", filepath.Join(dir, "gone", "r.json"), "--hdr-hist", filepath.Join(dir, "hdr"))
	if err := os.Mkdir(filepath.Join(dir, "gone"), 0o700); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr heard
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await(t, "a line", func() bool { return strings.Contains(stdout.String(), "total(") })
	if err := os.RemoveAll(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "no such file or directory") {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
	counts := hdrCounts(t, filepath.Join(dir, "hdr"))
	for _, row := range summary(t, stderr.String()) {
		if row.latency == "service" && counts[row.op] != row.count-row.errors_ {
			t.Errorf("%s: %d in the histogram, %+v in the summary", row.op, counts[row.op], row)
		}
	}
	if len(counts) == 0 {
		t.Errorf("no histograms\n%s", stderr.String())
	}
}
