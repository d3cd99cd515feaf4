package result

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/aeroload/aeroload/internal/gcpause"
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
	pauses       gcpause.Reading // of the garbage collector
}

// heapBytes is a name of runtime/metrics.
const heapBytes = "/memory/classes/heap/objects:bytes"

func readUsage() usage {
	u := processUsage()
	u.pauses = gcpause.Read()
	samples := []metrics.Sample{{Name: heapBytes}}
	metrics.Read(samples)
	if samples[0].Value.Kind() == metrics.KindUint64 {
		u.heap = samples[0].Value.Uint64()
	}
	return u
}

// since returns what was used between before and u.
func (u usage) since(before usage) Client {
	p := u.pauses.Since(before.pauses)
	return Client{
		UserCPU:   (u.user - before.user).Seconds(),
		SystemCPU: (u.system - before.system).Seconds(),
		HeapBytes: u.heap,
		MaxRSS:    u.maxRSS,
		GC:        GC{Pauses: p.Count, P50: p.P50, P99: p.P99, Max: p.Max},
	}
}
