package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/aeroload/aeroload/internal/wholefile"
)

// stoppedError is a run's end by a signal.
type stoppedError struct{ signal syscall.Signal }

func (e *stoppedError) Error() string { return fmt.Sprintf("stopped by %s", signalName(e.signal)) }

// code is the exit code that shells give to a command that a signal ended.
func (e *stoppedError) code() int { return 128 + int(e.signal) }

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGHUP:
		return "SIGHUP"
	}
	return s.String()
}

// withSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels,
// with a *stoppedError as its cause. The second one ends the process at once. A
// reader of the output that goes away no longer kills the process: writing to it
// then gives an error. atExit, if not nil, is called before the process ends at once.
func withSignals(parent context.Context, atExit func()) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup leaves it
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Ignore(syscall.SIGPIPE)
	done := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			select {
			case s := <-signals:
				stopped := &stoppedError{s.(syscall.Signal)}
				if !first {
					if atExit != nil {
						atExit()
					}
					wholefile.Abandon()
					os.Exit(stopped.code())
				}
				cancel(stopped)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// replaceFile is [wholefile.Replace] for commands that do nothing else: a signal ends
// the process at once, and leaves what was there before.
func replaceFile(path string, write func(io.Writer) error) error {
	ctx, cancel := withSignals(context.Background(), nil)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		var stopped *stoppedError
		if errors.As(context.Cause(ctx), &stopped) {
			wholefile.Abandon()
			os.Exit(stopped.code())
		}
	})()
	return wholefile.Replace(path, write)
}
