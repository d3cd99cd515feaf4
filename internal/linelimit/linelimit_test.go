package linelimit

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		w := New(&out, 3)
		say := func(from, to int) {
			for i := from; i <= to; i++ {
				if n, err := fmt.Fprintf(w, "%d\n", i); n != 2 || err != nil {
					t.Fatalf("line %d: %d, %v", i, n, err)
				}
			}
		}
		say(1, 5) // 4 and 5 are too many
		time.Sleep(999 * time.Millisecond)
		say(6, 6)
		time.Sleep(time.Millisecond)
		say(7, 7)
		time.Sleep(time.Hour)
		say(8, 9)
		if want := "1\n2\n3\n(3 lines left out)\n7\n8\n9\n"; out.String() != want {
			t.Errorf("got %q, want %q", &out, want)
		}
	})
}
