package workload

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// FineTimer makes a timer of the operating system, which is late by some tens of
// microseconds: the kernel wakes the runtime's poller when it fires, as it does
// for a network connection. It is a Go timer where no such timer can be had.
func FineTimer(ctx context.Context) Timer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return GoTimer(ctx)
	}
	t := &fineTimer{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}
	if t.conn, err = t.file.SyscallConn(); err != nil {
		t.file.Close()
		return GoTimer(ctx)
	}
	t.step = t.armOrFired
	// A deadline in the past ends a wait that is going on, and any later one.
	t.detach = context.AfterFunc(ctx, func() { _ = t.file.SetReadDeadline(time.Unix(1, 0)) })
	return t
}

type fineTimer struct {
	fd     int
	file   *os.File
	conn   syscall.RawConn
	step   func(uintptr) bool // armOrFired, bound once so that waiting allocates nothing
	detach func() bool

	value unix.ItimerSpec
	armed bool
	err   error
}

func (t *fineTimer) Wait(d time.Duration) bool {
	t.value.Value = unix.NsecToTimespec(int64(max(d, 1))) // 0 would disarm it
	t.armed = false
	return t.conn.Read(t.step) == nil && t.err == nil
}

// armOrFired is called by the poller when it has forgotten earlier events, so
// the timer cannot fire unnoticed, and again when the timer has fired. Setting
// the timer clears that it has, so it need not be read.
func (t *fineTimer) armOrFired(uintptr) bool {
	if t.armed {
		return true
	}
	t.armed = true
	t.err = unix.TimerfdSettime(t.fd, 0, &t.value, nil)
	return t.err != nil
}

func (t *fineTimer) Close() {
	t.detach()
	t.file.Close()
}
