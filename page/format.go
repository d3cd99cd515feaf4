package page

import (
	"math"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/condition"
)

// none stands where there is no value.
const none = "–"

// formatRate writes 12000 as 12k.
func formatRate(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= u.size {
			return short(v/u.size) + u.name
		}
	}
	return short(v)
}

// short writes a number with at most two digits behind the point.
func short(v float64) string {
	if math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// formatNumber writes a rate in full: whole from 100 on, with narrow spaces.
func formatNumber(v float64) string {
	switch {
	case v >= 1<<53:
		return short(v)
	case v >= 100:
		return formatCount(uint64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
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

// formatSeconds writes a time as durations of stage files: 90 as 1m30s, 0.25 as
// 0.25s, 86400 as 1d. Only times below a minute have parts of a second.
func formatSeconds(seconds float64) string {
	switch {
	case seconds < 10:
		return short(seconds) + "s"
	case seconds < 59.95:
		return short(math.Round(seconds*10)/10) + "s"
	}
	left := int64(math.Round(seconds))
	var b strings.Builder
	for _, u := range []struct {
		size int64
		name string
	}{{24 * 3600, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}} {
		if n := left / u.size; n > 0 {
			b.WriteString(strconv.FormatInt(n, 10) + u.name)
		}
		left %= u.size
	}
	return b.String()
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

// formatLatency writes µs with their unit, to three digits: what the histograms
// know.
func formatLatency(us float64) string {
	if us > 0 {
		unit := math.Pow(10, math.Floor(math.Log10(us))-2)
		us = math.Round(us/unit) * unit
	}
	return condition.FormatLatency(us)
}

// formatBytes writes a size in MiB or GiB.
func formatBytes(n uint64) string {
	if n >= 1<<30 {
		return short(float64(n)/(1<<30)) + " GiB"
	}
	return strconv.FormatUint((n+1<<19)>>20, 10) + " MiB"
}

// longest is the number of letters of names on the page.
const longest = 160

// cut shortens a text to a number of letters.
func cut(text string, letters int) string {
	n := 0
	for i := range text {
		if n++; n == letters {
			if rest := text[i:]; len([]rune(rest)) > 1 {
				return text[:i] + "…"
			}
			break
		}
	}
	return text
}
