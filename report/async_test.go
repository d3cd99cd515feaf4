package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

func TestAsyncWritesEverythingInOrder(t *testing.T) {
	var out, want bytes.Buffer
	a := NewAsync(&out)
	defer a.Close()
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
	defer a.Close()
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
	defer a.Close()
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

func TestAsyncClosed(t *testing.T) {
	var out bytes.Buffer
	a := NewAsync(&out)
	if _, err := a.Write([]byte("line")); err != nil {
		t.Fatal(err)
	}
	if err := a.Flush(time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Close(), a.Close()); err != nil {
		t.Errorf("Close = %v", err)
	}
	if _, err := a.Write([]byte("more")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write after Close: %v", err)
	}
	if out.String() != "line" {
		t.Errorf("written: %q", &out)
	}
}
