//go:build !linux

package workload

import "context"

// FineTimer makes the best timer that there is: on this system, a Go timer.
func FineTimer(ctx context.Context) Timer { return GoTimer(ctx) }
