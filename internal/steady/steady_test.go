package steady

import "testing"

// The time of day moves as the monotonic clock does, to the nanosecond: no setting of
// the system's clock comes between.
func TestNow(t *testing.T) {
	for range 1000 {
		a, b := Now(), Now()
		if b.Round(0).Sub(a.Round(0)) != b.Sub(a) || b.Sub(a) < 0 {
			t.Fatalf("from %v to %v: the time of day moves by %v, the monotonic clock by %v", a, b, b.Round(0).Sub(a.Round(0)), b.Sub(a))
		}
	}
}
