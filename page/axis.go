package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/condition"
)

// scale maps values to the share of an axis, 0 at its start and 1 at its end.
type scale struct {
	low, high float64
	log       bool
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
func timeScale(seconds float64) scale { return scale{high: math.Max(seconds, 0.001)} }

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

// ticks are the values at which an axis has a mark, about n of them.
func (s scale) ticks(n int) []float64 {
	var list []float64
	if !s.log {
		step := roundStep((s.high - s.low) / float64(n))
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

// formatRate writes 12000 as 12k.
func formatRate(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e6, "M"}, {1e3, "k"}} {
		if v >= u.size {
			return short(v/u.size) + u.name
		}
	}
	return short(v)
}

func short(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// formatCount writes 1234567 as 1 234 567, with narrow spaces that do not break.
func formatCount(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// formatSeconds writes the time since a start as 90s or 1:30:00.
func formatSeconds(seconds float64) string {
	if seconds < 120 {
		return short(seconds) + "s"
	}
	s := int(math.Round(seconds))
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// formatShare writes the percentile that a share 1/inverse is above: 1000 as
// 99.9%.
func formatShare(inverse float64) string {
	if inverse <= 1 {
		return "0%"
	}
	digits := max(0, int(math.Round(math.Log10(inverse)))-2)
	return strconv.FormatFloat(100-100/inverse, 'f', digits, 64) + "%"
}

func formatLatency(us float64) string { return condition.FormatLatency(us) }
