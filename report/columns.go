package report

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Columns is a layout of the lines by which the Java client's benchmark shows
// latencies. The zero value stands for no such lines. Layouts, rounding and the
// texts of lines are as in its LatencyManagerAerospike, LatencyManagerAlternate
// and LatencyManagerYcsb.
type Columns struct {
	style columnStyle
	// columns is how many there are, at least 2; each limit from the third on
	// is 1<<shift times the one before it.
	columns, shift int
	micros         bool // the limits are microseconds, not milliseconds
	warmup         int  // periods that ycsb leaves out
}

type columnStyle uint8

const (
	columnsNone columnStyle = iota
	columnsPercent
	columnsCount // alt: counts and percentages
	columnsYCSB
)

// maxColumnShift is the largest power of two of a limit: Java computes limits
// with 32 bits, and shows nonsense beyond it.
const maxColumnShift = 30

var errColumns = errors.New("expected [alt,]COLUMNS,SHIFT[,us|ms], such as 7,1 or alt,4,3,us, or ycsb[,WARMUP]")

// LooksLikeColumns tells whether text is meant as a layout for [ParseColumns],
// even if it has a mistake: ycsb, or what begins with ycsb, alt or a number, and a
// comma.
func LooksLikeColumns(text string) bool {
	first, _, comma := strings.Cut(strings.ToLower(text), ",")
	_, err := strconv.ParseInt(first, 10, 64)
	return first == "ycsb" || comma && (err == nil || first == "alt")
}

// ParseColumns reads what stands behind -latency on the Java benchmark's command
// lines:
//
//	[alt,]COLUMNS,SHIFT[,us|ms]  2 or more columns, each 2^SHIFT times the one before
//	ycsb[,WARMUP]                leave out that many periods
//
// Words may be in capitals. Unlike Java, which shows nonsense or crashes then, it
// refuses fewer than 2 columns, a shift of 0, limits beyond 2^30 and other units.
func ParseColumns(text string) (Columns, error) {
	c, err := parseColumns(strings.Split(strings.ToLower(text), ","))
	if err != nil {
		return Columns{}, fmt.Errorf("%q: %w", text, err)
	}
	return c, nil
}

func parseColumns(words []string) (c Columns, err error) {
	if words[0] == "ycsb" {
		c.style = columnsYCSB
		if len(words) > 2 {
			return c, errColumns
		}
		if len(words) == 2 {
			c.warmup, err = columnNumber(words[1], "warm-up", 0, 1_000_000)
		}
		return c, err
	}
	c.style = columnsPercent
	if words[0] == "alt" {
		c.style, words = columnsCount, words[1:]
	}
	if len(words) != 2 && len(words) != 3 {
		return c, errColumns
	}
	if c.columns, err = columnNumber(words[0], "number of columns", 2, maxColumnShift+2); err != nil {
		return c, err
	}
	if c.shift, err = columnNumber(words[1], "shift", 1, maxColumnShift); err != nil {
		return c, err
	}
	if (c.columns-2)*c.shift > maxColumnShift {
		return c, fmt.Errorf("the last column would begin at 2^%d; the largest limit is 2^%d", (c.columns-2)*c.shift, maxColumnShift)
	}
	if len(words) == 3 {
		switch words[2] {
		case "us":
			c.micros = true
		case "ms":
		default:
			return c, fmt.Errorf("the unit %q is neither us nor ms", words[2])
		}
	}
	return c, nil
}

func columnNumber(text, what string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, fmt.Errorf("the %s %q is no number; %w", what, text, errColumns)
	case err != nil || n < low || n > high:
		return 0, fmt.Errorf("the %s %s is out of range: expected %d to %d", what, text, low, high)
	}
	return n, nil
}

// String returns the layout as [ParseColumns] reads it, "" for none.
func (c Columns) String() string {
	var text string
	switch c.style {
	case columnsNone:
		return ""
	case columnsYCSB:
		if c.warmup == 0 {
			return "ycsb"
		}
		return fmt.Sprintf("ycsb,%d", c.warmup)
	case columnsCount:
		text = "alt,"
	}
	return fmt.Sprintf("%s%d,%d,%s", text, c.columns, c.shift, c.unit())
}

func (c Columns) unit() string {
	if c.micros {
		return "us"
	}
	return "ms"
}

// limit returns the value, in the layout's unit, that the latencies of column i
// exceed; those of the first column do not exceed that of the second.
func (c Columns) limit(i int) int64 {
	return 1 << (max(0, i-1) * c.shift)
}

// limits returns the limits of the columns from the second on, in microseconds.
func (c Columns) limits() []int64 {
	unit := int64(1000)
	if c.micros {
		unit = 1
	}
	list := make([]int64, c.columns-1)
	for i := range list {
		list[i] = c.limit(i+1) * unit
	}
	return list
}

// name returns the head of column i.
func (c Columns) name(i int) string {
	sign := ">"
	if i == 0 {
		sign = "<="
	}
	return fmt.Sprintf("%s%d%s", sign, c.limit(i), c.unit())
}
