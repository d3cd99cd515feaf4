package page

import "math"

// scale maps values to the share of an axis, 0 at its start and 1 at its end.
type scale struct {
	low, high float64
	log       bool
	time      bool // values are seconds, and have ticks as clocks have
}

func (s scale) at(v float64) float64 {
	if s.log {
		v, s.low, s.high = math.Log10(math.Max(v, s.low)), math.Log10(s.low), math.Log10(s.high)
	}
	return (v - s.low) / (s.high - s.low)
}

// linearScale reaches from 0 to a round number at or above high.
func linearScale(high float64) scale {
	if !(high > 0) {
		return scale{high: 1}
	}
	step := roundStep(high / 5)
	return scale{high: step * math.Ceil(high/step*(1-1e-9))}
}

// timeScale reaches from 0 to the very end of what it shows.
func timeScale(seconds float64) scale { return scale{high: math.Max(seconds, 0.001), time: true} }

// logScale reaches over [low, high] to 1, 2 or 5 times a power of ten on either
// side.
func logScale(low, high float64) scale {
	if !(low > 0) || high < low {
		low, high = 1, 10
	}
	below, above := 0.0, math.Inf(1)
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high))+1; e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			if v <= low {
				below = v
			}
			if v >= high {
				above = math.Min(above, v)
			}
		}
	}
	if above <= below {
		above = below * 10
	}
	return scale{low: below, high: above, log: true}
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is not below v.
func roundStep(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= v*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// timeStep is the least step of clocks that is not below v seconds.
func timeStep(v float64) float64 {
	const minute, hour, day = 60, 3600, 24 * 3600
	if v > day {
		return day * roundStep(v/day)
	}
	for _, step := range []float64{1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
		hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day} {
		if v > 1 && step >= v*(1-1e-9) {
			return step
		}
	}
	return roundStep(v)
}

// ticks are the values at which an axis has a mark, about n of them.
func (s scale) ticks(n int) []float64 {
	var list []float64
	if !s.log {
		step := roundStep((s.high - s.low) / float64(n))
		if s.time {
			step = timeStep((s.high - s.low) / float64(n))
		}
		for i := math.Ceil(s.low / step); i*step <= s.high*(1+1e-9); i++ {
			list = append(list, i*step)
		}
		return list
	}
	// A wide range has powers of ten alone, the widest not even all of them.
	decades := math.Log10(s.high / s.low)
	multiples, skip := []float64{1}, 1.0
	switch {
	case decades <= 1.7:
		multiples = []float64{1, 2, 5}
	case decades > float64(n):
		skip = math.Ceil(decades / float64(n))
	}
	for e := math.Floor(math.Log10(s.low) + 1e-9); e <= math.Log10(s.high)+1e-9; e += skip {
		for _, m := range multiples {
			if v := m * math.Pow(10, e); v >= s.low*(1-1e-9) && v <= s.high*(1+1e-9) {
				list = append(list, v)
			}
		}
	}
	return list
}

// percentileTicks are the values of 1/(1-percentile) at 0 %, 50 %, 90 %, 99 % and
// so on, about n of them up to high.
func percentileTicks(high float64, n int) []float64 {
	list := []float64{1}
	if high < 1e3 || n > 6 { // there is room
		list = append(list, 2)
	}
	skip := math.Max(1, math.Ceil(math.Log10(high)/float64(n)))
	for e := 1.0; e <= math.Log10(high)+1e-9; e += skip {
		list = append(list, math.Pow(10, e))
	}
	return list
}
