package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestAsyncWritesEverythingInOrder(t *testing.T) {
	var out, want bytes.Buffer
	a := NewAsync(&out)
	for i := range 1000 {
		line := fmt.Appendf(nil, "line %d\n", i)
		want.Write(line)
		if _, err := a.Write(line); err != nil {
			t.Fatal(err)
		}
		line[0] = 'x' // the caller may reuse it
	}
	if err := a.Flush(time.Minute); err != nil {
		t.Fatal(err)
	}
	if out.String() != want.String() {
		t.Errorf("%d bytes, want %d", out.Len(), want.Len())
	}
}

func TestAsyncDoesNotWaitForABlockedReader(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	a := NewAsync(w)
	for range 100 {
		if _, err := a.Write([]byte("line\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Flush(time.Millisecond); !errors.Is(err, errBlocked) {
		t.Errorf("Flush = %v", err)
	}
}

func TestAsyncReportsErrors(t *testing.T) {
	a := NewAsync(&full{0})
	if _, err := a.Write([]byte("line")); err != nil {
		t.Errorf("the first write fails only later: %v", err)
	}
	if err := a.Flush(time.Minute); !errors.Is(err, errFull) {
		t.Errorf("Flush = %v", err)
	}
	if _, err := a.Write([]byte("line")); !errors.Is(err, errFull) {
		t.Errorf("the next write: %v", err)
	}
}
