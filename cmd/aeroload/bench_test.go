package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

const (
	benchKeys    = 100_000
	benchWorkers = 16
)

// benchHosts returns AEROLOAD_TEST_HOSTS, or where an embedded server in a process
// of its own listens, whose processor time then is not ours. With it comes the
// server's process, AEROLOAD_TEST_SERVER_PID for the other; 0 if it isn't known.
func benchHosts(b *testing.B) (hosts string, pid int) {
	b.Helper()
	if hosts := os.Getenv("AEROLOAD_TEST_HOSTS"); hosts != "" {
		pid, _ := strconv.Atoi(os.Getenv("AEROLOAD_TEST_SERVER_PID"))
		return hosts, pid
	}
	server := exec.Command(binary, "serve", "--listen", "127.0.0.1:0")
	pipe, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line), server.Process.Pid
}

// benchCluster connects to a server.
func benchCluster(b *testing.B, hosts string) *cluster.Cluster {
	b.Helper()
	config := cluster.DefaultConfig()
	config.Workers = benchWorkers
	var err error
	if config.Hosts, err = cluster.ParseHosts(hosts, 3000); err != nil {
		b.Fatal(err)
	}
	c, err := cluster.Connect(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	if err := c.WarmUp(b.Context(), benchWorkers); err != nil {
		b.Fatal(err)
	}
	return c
}

// cpuTime is the processor time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measured runs b.N transactions and reports the processor time of each.
func measured(b *testing.B, run func()) {
	before := cpuTime()
	b.ResetTimer()
	run()
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// silent is an observer that does nothing.
type silent struct{}

func (silent) Pause(*stage.Stage, int) error            { return nil }
func (silent) Warmup(*stage.Stage) error                { return nil }
func (silent) StageStart(*stage.Stage, time.Time) error { return nil }
func (silent) Period(*stage.Period) error               { return nil }
func (silent) StageEnd(*stage.StageResult) error        { return nil }

// prepared makes a stage ready to run.
func prepared(b *testing.B, c *cluster.Cluster, spec string, flags ...stage.FlagValue) *stage.Sequencer {
	b.Helper()
	d := newSettings().defaults
	d.ObjectSpec, d.Keys, d.Set, d.Threads = spec, benchKeys, "bench", benchWorkers
	plan, err := stage.FromFlags(flags, d)
	if err != nil {
		b.Fatal(err)
	}
	s, err := stage.Prepare(plan, c.Client(), c.ReadPolicy(), c.WritePolicy(), workload.FineTimer)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// keyed is a stage key given as a flag.
func keyed(key, text string) stage.FlagValue {
	return stage.FlagValue{Flag: "--" + key, Key: key, Text: text}
}

// flagsOf pairs keys and texts.
func flagsOf(pairs []string) []stage.FlagValue {
	var flags []stage.FlagValue
	for i := 0; i+1 < len(pairs); i += 2 {
		flags = append(flags, keyed(pairs[i], pairs[i+1]))
	}
	return flags
}

// BenchmarkServer is the load of BenchmarkTransactions, seen from the server: the
// rate, and the processor time of the server's process for each transaction.
func BenchmarkServer(b *testing.B) {
	hosts, pid := benchHosts(b)
	c := benchCluster(b, hosts)
	prepared(b, c, "S50", keyed("workload", "I")).Run(b.Context(), silent{})
	s := prepared(b, c, "S50", keyed("workload", "RU,80"), keyed("transactions", fmt.Sprint(b.N)))
	before := processTime(pid)
	measured(b, func() { s.Run(b.Context(), silent{}) })
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tps")
	if used := processTime(pid) - before; used > 0 {
		b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "server-cpu-ns/op")
	}
}

// processTime is the processor time that another process has used, 0 if it can't be
// told: proc_pid_stat(5) has it in 10 ms ticks, user and system time as the 12th and
// 13th fields after the name.
func processTime(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
