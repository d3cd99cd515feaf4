package objspec

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/lestrrat-go/strftime"
)

// interval: a uniform integer, both ends included.
func interval(c *call) (*form, error) {
	low, high := c.integer(0), c.integer(1)
	if high < low {
		return nil, c.backwards(1, "int goes up", "less than")
	}
	n := uint64(high) - uint64(low) + 1 // 0 for all there are
	longest := low
	if intSize(high) > intSize(low) {
		longest = high
	}
	distinct := n
	if n == 0 {
		distinct = math.MaxUint64
	}
	f := generatedInt(longest, distinct, func(s *source) uint64 { return uint64(low) + s.below(n) })
	f.values = enumeration{low: low, n: n, all: true}
	return f, nil
}

// doubles: a uniform double from the first number to below the second.
func doubles(c *call) (*form, error) {
	low, high := c.args[0].float(), c.args[1].float()
	width := high - low
	switch {
	case high < low:
		return nil, c.backwards(1, "double goes up", "less than")
	case math.IsInf(width, 0):
		return nil, c.errorAt(0, "the range from %v to %v is too wide for a double", low, high)
	}
	return generatedDouble(func(s *source) uint64 {
		// Converted, so that no compiler fuses product and sum: machines
		// would make different values.
		return doubleBits(low + float64(width*s.unit()))
	}), nil
}

// key: the number of the record's key.
func key(*call) (*form, error) {
	return generatedInt(math.MaxInt64, 1, func(s *source) uint64 { return s.key }), nil
}

// now: milliseconds since 1970, by the clock of this machine.
func now(c *call) (*form, error) {
	clock := c.p.now
	f := generatedInt(math.MaxInt64, 1, func(*source) uint64 { return uint64(clock().UnixMilli()) })
	f.clock = true
	return f, nil
}

// timestamp: seconds since 1970.
func timestamp(c *call) (*form, error) {
	if c.integer(1) < c.integer(0) {
		return nil, c.backwards(1, "timestamp goes up", "less than")
	}
	return interval(c)
}

// dateLayouts are how the ends of a date's range are written, all in UTC.
var dateLayouts = []string{time.DateOnly, time.DateTime, "2006-01-02T15:04:05", time.RFC3339}

// moment reads an end of a date's range. An upper end that is a day takes in all
// of it.
func (c *call) moment(i int, upper bool) (int64, error) {
	text := c.args[i].text
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if upper && layout == time.DateOnly {
			t = t.Add(24*time.Hour - time.Second)
		}
		return t.Unix(), nil
	}
	return 0, c.errorAt(i, "expected a date such as \"2024-12-31\" or \"2024-12-31 23:59:59\", found %s", strings.Map(printable, strconv.Quote(shorten(text))))
}

// date: a uniform second of a range, as strftime writes it; UTC.
func date(c *call) (*form, error) {
	from, err := c.moment(0, false)
	if err != nil {
		return nil, err
	}
	to, err := c.moment(1, true)
	if err != nil {
		return nil, err
	}
	if to < from {
		return nil, c.backwards(1, "the dates go up", "before")
	}
	layout, err := strftime.New(c.args[2].text, strftime.WithSpecification('s', strftime.AppendFunc(appendSeconds)))
	if err != nil {
		return nil, c.errorAt(2, "%q is no strftime format: %s", shorten(c.args[2].text), strings.Map(printable, unwrapped(err).Error()))
	}
	seconds := uint64(to-from) + 1
	size := longestDate(layout, from, to)
	return generatedText(size, distinctDates(c.args[2].text, seconds), func(dst []byte, s *source) []byte {
		return layout.FormatBuffer(dst, time.Unix(from+int64(s.below(seconds)), 0).UTC())
	}), nil
}

// appendSeconds is %s, the seconds since 1970; the library's allocates.
func appendSeconds(dst []byte, t time.Time) []byte { return strconv.AppendInt(dst, t.Unix(), 10) }

// unwrapped returns the cause of an error, without what the library puts before.
func unwrapped(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}

// longestDate returns the most bytes that a date of the range can take. Names of
// months and days differ in length, and numbers without padding; so each month
// is tried with each weekday, the ends of months and days, and the range's own.
func longestDate(layout *strftime.Strftime, from, to int64) int {
	longest := 0
	try := func(t time.Time) { longest = max(longest, len(layout.FormatBuffer(nil, t))) }
	for _, end := range []int64{from, to} {
		end := time.Unix(end, 0).UTC()
		try(end)
		for month := range 12 {
			for day := range 28 {
				try(time.Date(end.Year(), time.Month(month+1), day+1, 22, 59, 59, 0, time.UTC))
			}
		}
	}
	return longest
}

// distinctDates returns that no text is likelier than one in how many, as far as
// that follows from the format at a glance.
func distinctDates(layout string, seconds uint64) uint64 {
	has := func(verbs ...string) bool {
		for _, v := range verbs {
			if strings.Contains(layout, "%"+v) {
				return true
			}
		}
		return false
	}
	// A doubled percent sign would make %%Y look like %Y.
	if strings.Contains(layout, "%%") {
		return 1
	}
	day := has("F", "c", "v") || has("Y") && (has("j") || has("m", "b", "B", "h") && has("d", "e"))
	switch {
	case has("s", "c") || day && (has("T", "X", "r") || has("H") && has("M") && has("S")):
		return seconds
	case day:
		return max(1, seconds/(24*3600))
	}
	return 1
}
