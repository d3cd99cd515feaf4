package cluster

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"syscall"
	"testing"

	aerospike "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// TestWarmUpLooksForRoom: a node that allows too few connections is found before
// the run instead of by the errors of each transaction.
func TestWarmUpLooksForRoom(t *testing.T) {
	for _, tt := range []struct {
		workers int
		most    int
		want    string
		why     string
	}{
		{20, 100, "", "there is room"},
		{20, 21, "", "there is just room: one is the client's own"},
		{20, 20, `^opening connections: node \S+ at \S+: 20 connections for as many --threads or --async-max-commands are too many: it has 1 and allows 20 \(proto-fd-max\)$`, "one is missing"},
		{400, 100, `400 connections for .* it has 1 and allows 100`, "as of asbench -z 400"},
	} {
		s := embedded.RunT(t, embedded.Config{MaxConnections: tt.most})
		c := testConfig(Host{Name: "127.0.0.1", Port: s.Port()})
		c.Workers = tt.workers
		cluster := connect(t, c)
		// The server may be late to see that the probe's connection is closed.
		await(t, func() bool {
			text, err := cluster.info(cluster.client.GetNodes()[0], "statistics")
			open, _ := infoNumber(text, "client_connections")
			return err == nil && open == 1
		})
		err := cluster.WarmUp(t.Context(), tt.workers)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !regexp.MustCompile(tt.want).MatchString(err.Error())) {
			t.Errorf("%s: got %v, want %q", tt.why, err, tt.want)
		}
	}
}

func TestInfoNumber(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
		ok   bool
	}{
		{"a=1;proto-fd-max=15000;b=2", 15000, true},
		{"proto-fd-max=7", 7, true},
		{"old-proto-fd-max=7", 0, false},
		{"proto-fd-max=many", 0, false},
		{"", 0, false},
	} {
		if got, ok := infoNumber(tt.text, "proto-fd-max"); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %d, %t", tt.text, got, ok)
		}
	}
}

// The client's errors are deep; the reason is found in them, and others are left
// alone.
func TestExplainFiles(t *testing.T) {
	deep := fmt.Errorf("opening connections: %w", &connectError{text: "too many open files",
		causes: []error{aerospike.ErrTimeout, os.NewSyscallError("socket", syscall.EMFILE)}})
	if got := explainFiles(deep).Error(); !regexp.MustCompile(`: too many open files: .*ulimit -n.*--threads`).MatchString(got) {
		t.Errorf("got %s", got)
	}
	for _, err := range []error{nil, io.EOF} {
		if got := explainFiles(err); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}
