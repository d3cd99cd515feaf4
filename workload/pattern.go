package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxPatternCommands bounds the commands of one transaction, and
	// maxPatternBatch the records of a batch in it, so that a slip of the
	// keyboard does not make transactions of hours.
	maxPatternCommands = 100_000
	maxPatternBatch    = 100_000
)

// Pattern says what the commands of a business transaction are: items in a fixed
// order, then further reads and writes in random order. Each command is on a
// record of its own choice. The notation is that of the Java client's benchmark
// (TransactionalWorkload.java, TransactionalType.java).
type Pattern struct {
	items         []patternItem
	reads, writes int // in all, those among the items included
	variance      float64
	relative      bool // variance is a percentage of reads and of writes
	text          string
}

// patternItem is a command that is carried out a number of times.
type patternItem struct {
	action  Action
	all     bool // it takes all bins
	records int  // of a batch; 1 for a single-record command
	times   int
}

// patternCodes are the letters of items. Capital letters take all bins, small
// ones the stage's read-bins or write-bins, by default the first bin.
const patternCodes = "rbupiwRBUPW"

// itemOf returns what a letter stands for, to be done n times.
func itemOf(code rune, n int) (patternItem, bool) {
	it := patternItem{all: code < 'a', records: 1, times: n}
	switch code {
	case 'r', 'R':
		it.action = ReadBins
	case 'b', 'B': // one batch of n records
		it.action, it.records, it.times = ReadBins, n, 1
	case 'u', 'U', 'w', 'W':
		it.action = UpdateBins
	case 'p', 'P':
		it.action = ReplaceRecord
	case 'i':
		it.action = Increment
	default:
		return it, false
	}
	return it, true
}

// ParsePattern reads the parts of a business transaction, such as "r:1000",
// "w:200", "v:20%" and "t:rwrrriu20r": reads and writes, by how many these may
// vary (at random, evenly, absolute or in percent), and a fixed sequence. The
// sequence counts towards the reads and writes.
func ParsePattern(parts []string) (*Pattern, error) {
	p := &Pattern{text: strings.Join(parts, ",")}
	seen := map[string]bool{}
	for _, part := range parts {
		key, text, _ := strings.Cut(part, ":")
		if seen[key] {
			return nil, fmt.Errorf("%q: %s: is given twice", part, key)
		}
		seen[key] = true
		var err error
		switch key {
		case "r":
			p.reads, err = patternCount(text)
		case "w":
			p.writes, err = patternCount(text)
		case "v":
			err = p.parseVariance(text)
		case "t":
			err = p.parseItems(text)
		default:
			err = errors.New("expected r:READS, w:WRITES, v:VARIANCE or t:PATTERN")
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", part, err)
		}
	}
	return p, p.check()
}

func patternCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxPatternCommands {
		return 0, fmt.Errorf("%q is not a number of commands from 0 to %d", text, maxPatternCommands)
	}
	return n, nil
}

func (p *Pattern) parseVariance(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	high := float64(maxPatternCommands)
	if percent {
		high = 100
	}
	// The comparison is written so that NaN fails it.
	if err != nil || !(v >= 0 && v <= high) {
		return fmt.Errorf("%q is not a variance: expected a number of commands, or a percentage to 100%%", text)
	}
	p.variance, p.relative = v, percent
	return nil
}

func (p *Pattern) parseItems(text string) error {
	if text == "" {
		return errors.New("the pattern is empty")
	}
	digits := ""
	for i, r := range text {
		if r >= '0' && r <= '9' {
			digits += string(r)
			continue
		}
		n := 1
		if digits != "" {
			var err error
			if n, err = strconv.Atoi(digits); err != nil || n < 1 || n > maxPatternBatch {
				return fmt.Errorf("%q at position %d is not a count from 1 to %d", digits, i-len(digits)+1, maxPatternBatch)
			}
			digits = ""
		}
		item, ok := itemOf(r, n)
		if !ok {
			return fmt.Errorf("%q at position %d is no command: expected one of %s", r, i+1, patternCodes)
		}
		p.items = append(p.items, item)
	}
	if digits != "" {
		return fmt.Errorf("the count %s at the end has no command", digits)
	}
	return nil
}

// check refuses transactions with nothing or far too much in them.
func (p *Pattern) check() error {
	reads, writes := p.fixed()
	most := max(reads, p.span(p.reads, 1)) + max(writes, p.span(p.writes, 1))
	least := max(reads, p.span(p.reads, -1)) + max(writes, p.span(p.writes, -1))
	switch {
	case most == 0:
		return errors.New("a transaction without commands: give r:READS, w:WRITES or t:PATTERN")
	case most > maxPatternCommands:
		return fmt.Errorf("a transaction of up to %d commands is more than %d", most, maxPatternCommands)
	case least == 0:
		return errors.New("the variance leaves transactions without any command")
	}
	return nil
}

// fixed returns the numbers of reads and writes in the fixed sequence.
func (p *Pattern) fixed() (reads, writes int) {
	for _, it := range p.items {
		if it.action == ReadBins {
			reads += it.times
		} else {
			writes += it.times
		}
	}
	return reads, writes
}

// span returns the least (sign -1) or the largest (sign 1) number of commands
// that n may become.
func (p *Pattern) span(n int, sign float64) int {
	v := p.variance
	if p.relative {
		v *= float64(n) / 100
	}
	if n == 0 {
		return 0 // what a transaction does not do varies by nothing
	}
	return max(0, n+int(sign*math.Floor(v)))
}

// does tells whether any command of the pattern does an action for which is
// holds.
func (p *Pattern) does(is func(Action) bool) bool {
	for _, it := range p.items {
		if is(it.action) {
			return true
		}
	}
	return p.reads > 0 && is(ReadBins) || p.writes > 0 && is(UpdateBins)
}

// batched tells whether any command of the pattern is a batch.
func (p *Pattern) batched() bool {
	return slices.ContainsFunc(p.items, func(it patternItem) bool { return it.records > 1 })
}

// Parts returns the pattern's parts by the names that stage files have for them:
// reads, writes, variance and pattern, with their values.
func (p *Pattern) Parts() [][2]string {
	names := map[string]string{"r": "reads", "w": "writes", "v": "variance", "t": "pattern"}
	var parts [][2]string
	for part := range strings.SplitSeq(p.text, ",") {
		key, text, _ := strings.Cut(part, ":")
		parts = append(parts, [2]string{names[key], text})
	}
	return parts
}

// String returns the pattern as [ParsePattern] reads it, with commas between its
// parts.
func (p *Pattern) String() string { return p.text }
