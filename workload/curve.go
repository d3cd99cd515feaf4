package workload

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"time"
)

// Curve is a target rate over time: a pure function, without a clock. Its two
// methods are each other's inverse.
type Curve interface {
	// Count returns how many transactions are due by t, a time since the
	// start of the stage.
	Count(t time.Duration) float64
	// At returns when the x-th transaction is due; [Never] if it never is. x
	// counts from 0 and need not be whole.
	At(x float64) time.Duration
	// Peak returns the highest rate, in transactions per second.
	Peak() float64
	// String returns the curve as a stage file gives it.
	String() string
}

// Never is when a transaction is due that is not.
const Never = time.Duration(math.MaxInt64)

// FormatRate writes a rate without an exponent.
func FormatRate(tps float64) string { return strconv.FormatFloat(tps, 'f', -1, 64) }

// seconds turns a number of seconds into a time. Below 2^53 ns, which is 104
// days, a float64 holds every nanosecond.
func seconds(s float64) time.Duration {
	if !(s < math.MaxInt64/float64(time.Second)) { // also NaN
		return Never
	}
	return time.Duration(s * float64(time.Second))
}

// Constant is the same rate all the time, in transactions per second, above 0.
type Constant float64

// Count implements [Curve].
func (c Constant) Count(t time.Duration) float64 { return t.Seconds() * float64(c) }

// At implements [Curve].
func (c Constant) At(x float64) time.Duration { return seconds(x / float64(c)) }

// Peak implements [Curve].
func (c Constant) Peak() float64 { return float64(c) }

func (c Constant) String() string { return FormatRate(float64(c)) }

// Ramp goes from one rate to another in a straight line, and stays there.
type Ramp struct {
	From, To float64 // transactions per second; not both 0
	Over     time.Duration
}

// Count implements [Curve].
func (r Ramp) Count(t time.Duration) float64 {
	s, over := t.Seconds(), r.Over.Seconds()
	if s >= over {
		return (r.From+r.To)/2*over + (s-over)*r.To
	}
	return r.From*s + (r.To-r.From)/over*s*s/2
}

// At implements [Curve].
func (r Ramp) At(x float64) time.Duration {
	over := r.Over.Seconds()
	if ramped := (r.From + r.To) / 2 * over; x >= ramped {
		return seconds(over + (x-ramped)/r.To)
	}
	// The root of slope/2*s^2 + from*s - x in the form that does not cancel
	// when the slope is small.
	slope := (r.To - r.From) / over
	root := math.Sqrt(max(0, r.From*r.From+2*slope*x))
	if x == 0 {
		return 0
	}
	return seconds(2 * x / (r.From + root))
}

// Peak implements [Curve].
func (r Ramp) Peak() float64 { return max(r.From, r.To) }

func (r Ramp) String() string {
	return fmt.Sprintf("{from: %s, to: %s, over: %v}", FormatRate(r.From), FormatRate(r.To), r.Over)
}

// Steps goes from one rate to another in steps, holding each for a time, and
// stays at the last.
type Steps struct {
	from, to, step float64
	hold           time.Duration
	rates          []float64 // of the steps
	counts         []float64 // due by the start of each step
}

// MaxSteps is how many steps a curve may have.
const MaxSteps = 100_000

// NewSteps returns the curve of rates from, from+step, … up to to (or down, when
// to is below from), each for the time hold. step is above 0.
func NewSteps(from, to, step float64, hold time.Duration) (*Steps, error) {
	n := math.Ceil(math.Abs(to-from)/step - 1e-9)
	if n > MaxSteps {
		return nil, fmt.Errorf("that makes %.0f steps; at most %d are possible", n, MaxSteps)
	}
	s := &Steps{from: from, to: to, step: step, hold: hold}
	var count float64
	for i := range int(n) + 1 {
		rate := from + math.Copysign(step*float64(i), to-from)
		if i == int(n) {
			rate = to
		}
		s.rates = append(s.rates, rate)
		s.counts = append(s.counts, count)
		count += rate * hold.Seconds()
	}
	return s, nil
}

// Count implements [Curve].
func (s *Steps) Count(t time.Duration) float64 {
	i := min(int(t/s.hold), len(s.rates)-1)
	return s.counts[i] + (t-time.Duration(i)*s.hold).Seconds()*s.rates[i]
}

// At implements [Curve].
func (s *Steps) At(x float64) time.Duration {
	// The last step that begins with at most x due. Steps of rate 0 begin with
	// as many as the next.
	i := sort.Search(len(s.counts), func(i int) bool { return s.counts[i] > x }) - 1
	in := seconds((x - s.counts[i]) / s.rates[i])
	if in == Never {
		return Never
	}
	return time.Duration(i)*s.hold + in
}

// Peak implements [Curve].
func (s *Steps) Peak() float64 { return max(s.from, s.to) }

func (s *Steps) String() string {
	return fmt.Sprintf("{from: %s, to: %s, step: %s, hold: %v}", FormatRate(s.from), FormatRate(s.to), FormatRate(s.step), s.hold)
}

// Sine swings around a mean: mean + amplitude*sin(2π t/period).
type Sine struct {
	Mean, Amplitude float64 // transactions per second; 0 <= Amplitude <= Mean, Mean above 0
	Period          time.Duration
}

func (s Sine) count(t float64) float64 {
	w := 2 * math.Pi / s.Period.Seconds()
	return s.Mean*t + s.Amplitude/w*(1-math.Cos(w*t))
}

// Count implements [Curve].
func (s Sine) Count(t time.Duration) float64 { return s.count(t.Seconds()) }

// At implements [Curve].
func (s Sine) At(x float64) time.Duration {
	// The count runs between mean*t and mean*t plus the swing, so t lies in an
	// interval that halving narrows to below a nanosecond.
	low, high := (x-2*s.Amplitude*s.Period.Seconds()/(2*math.Pi))/s.Mean, x/s.Mean
	low = max(low, 0)
	for high-low > 1e-10 && high > low {
		mid := low + (high-low)/2
		if mid == low || mid == high {
			break
		}
		if s.count(mid) < x {
			low = mid
		} else {
			high = mid
		}
	}
	return seconds(high)
}

// Peak implements [Curve].
func (s Sine) Peak() float64 { return s.Mean + s.Amplitude }

func (s Sine) String() string {
	return fmt.Sprintf("{mean: %s, amplitude: %s, period: %v}", FormatRate(s.Mean), FormatRate(s.Amplitude), s.Period)
}
