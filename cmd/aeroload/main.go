// Command aeroload runs staged workloads against Aerospike.
//
// Exit codes: 0 the run went well; 1 it failed (no cluster, or every transaction
// failed); 2 a usage or file error, nothing was sent; 3 an assertion or a
// comparison failed; 130 and 143 it was stopped by SIGINT or SIGTERM, and the
// results are written.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/progress"
	"github.com/aeroload/aeroload/stage"
)

// exit codes.
const (
	exitFailed     = 1
	exitUsage      = 2
	exitComparison = 3
)

func main() {
	args := hidePasswords(os.Args, os.Stderr) // before all else
	screen := progress.NewTerminal(os.Stderr)
	out := &output{Writer: screen.Beside(os.Stdout)}
	code := run(args, out, screen)
	if err := out.failure.Load(); err != nil && code == 0 {
		fmt.Fprintf(os.Stderr, "aeroload: %s\n", shown.Text((*err).Error()))
		code = exitFailed
	}
	os.Exit(code)
}

// output is the standard output, and remembers the first error in writing to it,
// which not all that print can return.
type output struct {
	io.Writer
	failure atomic.Pointer[error]
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.failure.CompareAndSwap(nil, &err)
	}
	return n, err
}

// run executes a command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	err := execute(args, stdout, stderr)
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "aeroload: %s\n", shown.Text(err.Error()))
	var stopped *stoppedError
	var usage *usageError
	var assertion *stage.AssertionError
	var verify *stage.VerifyError
	var search *stage.FindMaxError
	var fired *firedError
	switch {
	case errors.As(err, &stopped):
		return stopped.code()
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &assertion), errors.As(err, &verify), errors.As(err, &search), errors.As(err, &fired):
		return exitComparison
	}
	return exitFailed
}
