package workload

import (
	"slices"
	"testing"
)

func TestFailuresSince(t *testing.T) {
	before := []Failure{{Op: Read, Code: 9, Count: 3}, {Op: Write, Code: 9, Count: 5}, {Op: Read, Code: 9, Record: true, Count: 2}}
	now := []Failure{{Op: Read, Code: 9, Count: 10}, {Op: Write, Code: 9, Count: 5}, {Op: Read, Code: 9, Record: true, Count: 3}, {Op: Read, Code: 22, Count: 1}}
	want := []Failure{{Op: Read, Code: 9, Count: 7}, {Op: Read, Code: 9, Record: true, Count: 1}, {Op: Read, Code: 22, Count: 1}}
	if got := FailuresSince(now, before); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := FailuresSince(now, now); len(got) != 0 {
		t.Errorf("nothing happened, but %v", got)
	}
}
