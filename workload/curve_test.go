package workload

import (
	"math"
	"testing"
	"time"
)

func mustSteps(t *testing.T, from, to, step float64, hold time.Duration) *Steps {
	t.Helper()
	s, err := NewSteps(from, to, step, hold)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCurves(t *testing.T) {
	for _, c := range []struct {
		curve Curve
		at    time.Duration
		count float64
		why   string
	}{
		{Constant(0.5), 20 * time.Second, 10, "one every two seconds"},
		{Constant(100_000), time.Second, 100_000, ""},
		{Ramp{0, 100, 10 * time.Second}, 10 * time.Second, 500, "the triangle below the line"},
		{Ramp{0, 100, 10 * time.Second}, 5 * time.Second, 125, "a quarter of it by half the time"},
		{Ramp{0, 100, 10 * time.Second}, 12 * time.Second, 700, "then the final rate"},
		{Ramp{100, 0, 10 * time.Second}, 5 * time.Second, 375, "downwards"},
		{Ramp{50, 50, 10 * time.Second}, 20 * time.Second, 1000, "a flat ramp is constant"},
		{mustSteps(t, 10, 30, 10, time.Second), time.Second, 10, ""},
		{mustSteps(t, 10, 30, 10, time.Second), 2500 * time.Millisecond, 45, "10 + 20 + half of 30"},
		{mustSteps(t, 10, 30, 10, time.Second), 5 * time.Second, 120, "the last step lasts"},
		{mustSteps(t, 30, 10, 15, time.Second), 3 * time.Second, 55, "30 + 15 + 10: the last step is cut"},
		{mustSteps(t, 5, 5, 1, time.Second), 4 * time.Second, 20, "a single step"},
		{Sine{100, 100, 8 * time.Second}, 8 * time.Second, 800, "a whole period has the mean"},
		{Sine{100, 50, 8 * time.Second}, 4 * time.Second, 400 + 2*50*8/(2*math.Pi), "the first half has the hill"},
	} {
		if got := c.curve.Count(c.at); math.Abs(got-c.count) > 1e-6*c.count {
			t.Errorf("%v: Count(%v) = %v, want %v (%s)", c.curve, c.at, got, c.count, c.why)
		}
		if got := c.curve.At(c.count); (got - c.at).Abs() > time.Microsecond {
			t.Errorf("%v: At(%v) = %v, want %v (%s)", c.curve, c.count, got, c.at, c.why)
		}
	}
}

// At is Count's inverse everywhere, never runs backwards, and starts at 0.
func TestCurvesAreMonotonous(t *testing.T) {
	for _, c := range []Curve{
		Constant(333.3), Ramp{0, 5000, time.Minute}, Ramp{5000, 10, time.Minute}, mustSteps(t, 0, 1000, 100, 5*time.Second),
		mustSteps(t, 1000, 100, 300, 7*time.Second), Sine{1000, 1000, 10 * time.Second}, Sine{1000, 0, 10 * time.Second},
	} {
		last := time.Duration(-1)
		for x := 0.0; x < 30_000; x += 7.5 {
			at := c.At(x)
			if at < last {
				t.Fatalf("%v: At(%v) = %v comes before %v", c, x, at, last)
			}
			if back := c.Count(at); math.Abs(back-x) > 1e-3 && at != Never {
				t.Fatalf("%v: Count(At(%v)) = %v", c, x, back)
			}
			last = at
		}
		if _, ok := c.(*Steps); !ok && c.At(0) != 0 {
			t.Errorf("%v: At(0) = %v", c, c.At(0))
		}
	}
}

func TestWhatIsNeverDue(t *testing.T) {
	if at := (Ramp{100, 0, 10 * time.Second}).At(501); at != Never {
		t.Errorf("the 501st of 500 transactions is due at %v", at)
	}
	if at := mustSteps(t, 10, 0, 10, time.Second).At(11); at != Never {
		t.Errorf("the 11th of 10 transactions is due at %v", at)
	}
	if at := Constant(1e-9).At(1e12); at != Never {
		t.Errorf("far beyond time: %v", at)
	}
}

func TestTooManySteps(t *testing.T) {
	if _, err := NewSteps(1, 1e9, 1, time.Second); err == nil {
		t.Error("a billion steps: no error")
	}
}

func BenchmarkCurves(b *testing.B) {
	steps, err := NewSteps(1000, 50_000, 100, time.Second)
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]Curve{
		"constant": Constant(1000), "ramp": Ramp{0, 1000, time.Hour}, "steps": steps, "sine": Sine{1000, 500, time.Minute},
	} {
		b.Run(name, func(b *testing.B) {
			x := 0.0
			for b.Loop() {
				c.At(x)
				x++
			}
		})
	}
}
