//go:build unix

package result

import (
	"runtime"
	"syscall"
	"time"
)

// processUsage asks the system for the process's processor time and memory.
func processUsage() usage {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return usage{}
	}
	rss := uint64(r.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" { // there it is in bytes
		rss <<= 10
	}
	return usage{user: time.Duration(r.Utime.Nano()), system: time.Duration(r.Stime.Nano()), maxRSS: rss}
}
