package workload

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

// The first five errors of each kind are shown as they come, then one every ten
// seconds with the number of the others.
func TestErrorLogIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := NewErrorLog(&out)
		add := func(stage int, op Op, code types.ResultCode, n int) {
			for range n {
				log.add(stage, failureKey{op: op, code: code}, func() string { return "here" })
			}
		}
		add(1, Read, types.TIMEOUT, 1000)
		add(1, Write, types.TIMEOUT, 2)
		add(1, Read, types.KEY_BUSY, 6)
		time.Sleep(10*time.Second - 1)
		add(1, Read, types.TIMEOUT, 1)
		time.Sleep(time.Nanosecond)
		add(1, Read, types.TIMEOUT, 3)
		add(2, Read, types.TIMEOUT, 1)
		got := regexp.MustCompile(`(?m)^\S+ \S+ `).ReplaceAllString(out.String(), "")
		want := strings.Repeat("ERROR stage 1: read failed: 9 TIMEOUT: here\n", 5) +
			strings.Repeat("ERROR stage 1: write failed: 9 TIMEOUT: here\n", 2) +
			strings.Repeat("ERROR stage 1: read failed: 14 KEY_BUSY: here\n", 5) +
			"ERROR stage 1: read failed (and 996 more since the last one shown): 9 TIMEOUT: here\n" +
			"ERROR stage 2: read failed: 9 TIMEOUT: here\n"
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	var none *ErrorLog
	none.add(1, failureKey{}, nil) // is no use, and no harm
}

// An error shows all that is known of it.
func TestErrorLogDetail(t *testing.T) {
	for _, c := range []struct {
		workload string
		batch    int
		answer   as.Error
		row      types.ResultCode
		want     string // a regular expression
	}{
		{"I", 1, &as.AerospikeError{ResultCode: types.RECORD_TOO_BIG, Iteration: 2, InDoubt: true}, 0,
			`^ERROR stage 3: write failed: 13 RECORD_TOO_BIG: namespace test, set s, key 1 \(digest [0-9a-f]{40}\), attempt 3, may have been done all the same\n$`},
		{"I", 10, &as.AerospikeError{ResultCode: types.TIMEOUT}, 0,
			`^ERROR stage 3: write failed: 9 TIMEOUT: batch of 3, the first namespace test, set s, key 1 \(digest [0-9a-f]{40}\)\n$`},
		{"I", 10, nil, types.KEY_BUSY,
			`^ERROR stage 3: write of a record in a batch failed: 14 KEY_BUSY: namespace test, set s, key 2 \(digest [0-9a-f]{40}\), number 2 of 3 in the batch\n$`},
		// What the client panics with is an error of its own.
		{"I", 1, clientPanic("index out of range"), 0,
			`^ERROR stage 3: write failed: -2 PARSE_ERROR: namespace test, set s, key 1 \(.*\): the client panicked on the server's answer: index out of range\n$`},
	} {
		client := newFakeClient()
		client.answer = func(call) as.Error { return c.answer }
		client.row = func(key int) types.ResultCode {
			if key == 2 {
				return c.row
			}
			return types.OK
		}
		spec := specOf(c.workload)
		spec.Keys.End, spec.Workers, spec.BatchWrite = 4, 1, c.batch
		var out bytes.Buffer
		spec.Monitor = NewMonitor(3, ErrorLimits{})
		spec.Monitor.LogTo(NewErrorLog(&out))
		job, err := Prepare(spec, client)
		if err != nil {
			t.Fatal(err)
		}
		job.Run(context.Background(), NewStats(1, false, allOps))
		first, _, _ := strings.Cut(out.String(), "\n")
		first = first[strings.Index(first, "ERROR"):]
		if !regexp.MustCompile(c.want).MatchString(first + "\n") {
			t.Errorf("got %q, want %s", first, c.want)
		}
	}
}

func TestFormatKey(t *testing.T) {
	for _, c := range []struct {
		key  any
		want string
	}{{17, "17"}, {"a\"b", `"a\"b"`}, {[]byte{0, 255}, "0x00ff"}} {
		key, err := as.NewKey("test", "s", c.key)
		if err != nil {
			t.Fatal(err)
		}
		if got := formatKey(key); got != c.want {
			t.Errorf("%v: %s, want %s", c.key, got, c.want)
		}
	}
}

// The client's text for a network error refers to an error that it has not always
// kept, such as when no answer to a write comes.
func TestDescribeRefersToNothing(t *testing.T) {
	for _, err := range []error{as.ErrNetwork, fmt.Errorf("a read: %w", as.ErrNetwork)} {
		if got := describe(types.NETWORK_ERROR, err); !strings.HasSuffix(got, ": network error") {
			t.Errorf("got %q, want the client's text without the wrapped error", got)
		}
	}
}
