package suggest

import "testing"

func TestNearest(t *testing.T) {
	keys := []string{"duration", "workload", "tps", "key-start", "key-end", "read-bins", "RU", "RR", "I"}
	for _, c := range []struct{ word, want, why string }{
		{"duraton", "duration", "a letter missing"},
		{"worklaod", "workload", "two letters swapped"},
		{"key_end", "key-end", "another separator"},
		{"ru", "RU", "another case"},
		{"tsp", "tps", "two letters of a short word swapped"},
		{"tbc", "", "three letters, two of them wrong, is more than a third"},
		{"keystart", "key-start", "separator left out"},
		{"banana", "", "nothing is close"},
		{"x", "", "one letter that shares nothing is not a typo of another"},
		{"", "", "nothing was typed"},
	} {
		if got := Nearest(c.word, keys); got != c.want {
			t.Errorf("%s: Nearest(%q) = %q, want %q", c.why, c.word, got, c.want)
		}
	}
	if got := DidYouMean("duraton", keys); got != `; did you mean "duration"?` {
		t.Errorf("DidYouMean = %s", got)
	}
	if got := DidYouMean("banana", keys); got != "" {
		t.Errorf("DidYouMean = %s", got)
	}
}
