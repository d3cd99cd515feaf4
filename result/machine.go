package result

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

func goVersion() string { return runtime.Version() }

// thisMachine describes the machine, as far as the system tells: on Linux all of
// it, from /proc.
func thisMachine() Machine {
	host, _ := os.Hostname()
	return Machine{
		Host: host, OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.GOMAXPROCS(0),
		Kernel:      strings.TrimSpace(readProc("/proc/sys/kernel/osrelease")),
		CPU:         procField(readProc("/proc/cpuinfo"), "model name"),
		MemoryBytes: memoryBytes(procField(readProc("/proc/meminfo"), "MemTotal")),
	}
}

// readProc returns a file's text, or "" where there is no such file.
func readProc(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(data), "?")
}

// procField returns the first value of a name in lines of the form "name : value".
func procField(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// memoryBytes reads what /proc/meminfo says, such as "16384 kB".
func memoryBytes(text string) uint64 {
	kb, err := strconv.ParseUint(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}

// usage is what the process has used since it started.
type usage struct {
	user, system time.Duration
	maxRSS       uint64
	heap         uint64
	pauses       *metrics.Float64Histogram // of the garbage collector, in seconds
}

// The names of runtime/metrics.
const (
	gcPauses  = "/sched/pauses/total/gc:seconds"
	heapBytes = "/memory/classes/heap/objects:bytes"
)

func readUsage() usage {
	u := processUsage()
	samples := []metrics.Sample{{Name: gcPauses}, {Name: heapBytes}}
	metrics.Read(samples)
	if samples[0].Value.Kind() == metrics.KindFloat64Histogram {
		u.pauses = samples[0].Value.Float64Histogram()
	}
	if samples[1].Value.Kind() == metrics.KindUint64 {
		u.heap = samples[1].Value.Uint64()
	}
	return u
}

// since returns what was used between before and u.
func (u usage) since(before usage) Client {
	return Client{
		UserCPU:   (u.user - before.user).Seconds(),
		SystemCPU: (u.system - before.system).Seconds(),
		HeapBytes: u.heap,
		MaxRSS:    u.maxRSS,
		GC:        pausesBetween(before.pauses, u.pauses),
	}
}

// pausesBetween summarizes the pauses that a later histogram has more than an
// earlier one.
func pausesBetween(before, after *metrics.Float64Histogram) GC {
	if after == nil || before == nil || len(before.Counts) != len(after.Counts) {
		return GC{}
	}
	counts := make([]uint64, len(after.Counts))
	var g GC
	for i := range counts {
		counts[i] = after.Counts[i] - before.Counts[i]
		g.Pauses += counts[i]
	}
	// The bucket i reaches from Buckets[i] to Buckets[i+1], whose last may be
	// infinite.
	upper := func(i int) float64 {
		if edge := after.Buckets[i+1]; !math.IsInf(edge, 1) {
			return edge
		}
		return after.Buckets[i]
	}
	quantile := func(q float64) float64 {
		need, seen := uint64(math.Ceil(q*float64(g.Pauses))), uint64(0)
		for i, n := range counts {
			if seen += n; n > 0 && seen >= need {
				return upper(i)
			}
		}
		return 0
	}
	g.P50, g.P99, g.Max = quantile(0.5), quantile(0.99), quantile(1)
	return g
}
