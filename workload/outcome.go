package workload

import (
	"errors"
	"fmt"
	"strings"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

// outcome is how one transaction ended.
type outcome uint8

const (
	done    outcome = iota // the server answered, if only that there is no such record
	timeout                // it did not answer in time, or said that it could not
	failed
)

// classify turns a client error into an outcome and the result code that says
// most about it. The client chains the errors of a transaction's attempts, the
// last outermost; "retries used up" only says that there was another error.
func classify(err as.Error) (outcome, types.ResultCode) {
	code := types.ResultCode(types.COMMON_ERROR)
	for e := error(err); e != nil; {
		var ae *as.AerospikeError
		if !errors.As(e, &ae) {
			break
		}
		code = ae.ResultCode
		if code != types.MAX_RETRIES_EXCEEDED {
			break
		}
		e = ae.Unwrap()
	}
	return outcomeOf(code), code
}

// clientPanic turns a panic of the client into an error.
func clientPanic(p any) as.Error {
	return &panicError{as.AerospikeError{ResultCode: types.PARSE_ERROR}, fmt.Sprintf("the client panicked on the server's answer: %v", p)}
}

// panicError is a client error with a text of its own.
type panicError struct {
	as.AerospikeError
	text string
}

func (e *panicError) Error() string { return e.text }

// Unwrap returns the error that has the result code.
func (e *panicError) Unwrap() error { return &e.AerospikeError }

// describe says what an error was about. The client may chain an error for each
// of thousands of attempts, and its text grows with the square of their number,
// so only the first attempt's is taken, which says what the trouble was. The
// client does not always keep the network's error behind its own; then its text
// does not send the reader to look for it.
func describe(code types.ResultCode, err error) string {
	if err == nil {
		return code.String()
	}
	for {
		var ae *as.AerospikeError
		if !errors.As(err, &ae) || ae.Unwrap() == nil {
			return strings.TrimSuffix(err.Error(), ". Check the wrapped error for detail")
		}
		err = ae.Unwrap()
	}
}

func outcomeOf(code types.ResultCode) outcome {
	switch code {
	case types.OK, types.KEY_NOT_FOUND_ERROR:
		return done
	case types.TIMEOUT:
		return timeout
	}
	return failed
}
