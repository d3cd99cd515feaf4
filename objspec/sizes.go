package objspec

import (
	"math"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
)

// multiplier reads "N*", "N..M*" or "normal(…)*" and returns the largest number
// it stands for, and how it is drawn; 1 and nil when there is none.
func (p *parser) multiplier() (int64, *spread, error) {
	start := p.pos
	if d, ok, err := p.spreadBefore('*'); err != nil || ok {
		if err != nil {
			return 0, nil, err
		}
		if d.max == 0 {
			return 0, nil, p.errorAt(start, "a multiplier that is always 0 makes nothing")
		}
		p.afterStar()
		if d.min == d.max {
			return int64(d.max), nil, nil
		}
		return int64(d.max), d, nil
	}
	end := p.digitsEnd(start)
	if end == start || !p.starAfter(end) {
		return 1, nil, nil
	}
	digits := p.text[start:end]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 {
		return 0, nil, p.errorAt(start, "expected a multiplier from 1 to %d, found %q", uint32(math.MaxUint32), shorten(digits))
	}
	p.pos = end
	p.afterStar()
	return int64(n), nil, nil
}

// afterStar passes over a star and what may be around it.
func (p *parser) afterStar() {
	p.skipBlank()
	p.pos++
	p.skipBlank()
}

// starAfter tells whether a "*" follows at the offset, or a blank after it.
func (p *parser) starAfter(offset int) bool {
	return strings.HasPrefix(strings.TrimPrefix(p.text[offset:], " "), "*")
}

func (p *parser) digitsEnd(offset int) int {
	for offset < len(p.text) && isDigit(p.text[offset]) {
		offset++
	}
	return offset
}

// spreadBefore reads "N..M" or a distribution by name if there is one at p.pos.
// What must follow it, after a blank perhaps, is left unread.
func (p *parser) spreadBefore(next byte) (*spread, bool, error) {
	start := p.pos
	var d *spread
	var err error
	switch end := p.digitsEnd(start); {
	case end > start && strings.HasPrefix(p.text[end:], ".."):
		d, err = p.interval(end)
	case end == start && p.wordEnd(start) > start && strings.HasPrefix(p.text[p.wordEnd(start):], "("):
		d, err = p.distribution()
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if !strings.HasPrefix(strings.TrimPrefix(p.text[p.pos:], " "), string(next)) {
		p.skipBlank()
		return nil, false, p.errorAt(p.pos, "expected %q after the distribution, found %s", string(next), p.found())
	}
	return d, true, nil
}

// interval reads "N..M", whose dots are at the given offset.
func (p *parser) interval(dots int) (*spread, error) {
	low, err := p.size(p.pos, dots)
	if err != nil {
		return nil, err
	}
	p.pos = dots + len("..")
	end := p.digitsEnd(p.pos)
	if end == p.pos {
		return nil, p.errorAt(p.pos, `expected a number after "..", found %s`, p.found())
	}
	high, err := p.size(p.pos, end)
	if err != nil {
		return nil, err
	}
	if high < low {
		return nil, p.errorAt(p.pos, "a range goes up: %d is less than %d", high, low)
	}
	p.pos = end
	return &spread{min: low, max: high}, nil
}

// size reads the digits between two offsets.
func (p *parser) size(start, end int) (int, error) {
	n, err := strconv.ParseUint(p.text[start:end], 10, 64)
	if err != nil || n > maxRecordBytes {
		return 0, p.errorAt(start, "%s is over %d, the bytes that a record can hold", shorten(p.text[start:end]), maxRecordBytes)
	}
	return int(n), nil
}

// distribution reads "normal(mean,sd)" or "exponential(mean)".
func (p *parser) distribution() (*spread, error) {
	start := p.pos
	name := p.text[start:p.wordEnd(start)]
	kind, ok := map[string]curve{"normal": normalCurve, "exponential": exponentialCurve}[name]
	if !ok {
		return nil, p.errorAt(start, "expected normal(mean,deviation) or exponential(mean), found %q%s", shorten(name), suggest.DidYouMean(name, []string{"normal", "exponential"}))
	}
	p.pos += len(name)
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	want := map[curve]int{normalCurve: 2, exponentialCurve: 1}[kind]
	if len(args) != want {
		return nil, p.errorAt(start, "%s takes %d numbers, found %d", name, want, len(args))
	}
	for _, a := range args {
		if !a.isNumber() || a.float() < 0 || a.float() > maxRecordBytes || a.weight != nil {
			return nil, p.errorAt(a.offset, "expected a number from 0 to %d, found %s", maxRecordBytes, a.shown(p))
		}
	}
	d := &spread{curve: kind, mean: args[0].float()}
	if kind == exponentialCurve {
		d.max = int(math.Ceil(exponentialCut * d.mean))
		return d, nil
	}
	d.sd = args[1].float()
	d.min = max(0, int(math.Floor(d.mean-float64(normalCut*d.sd)+0.5)))
	d.max = int(math.Floor(d.mean + float64(normalCut*d.sd) + 0.5))
	return d, nil
}

// sized reads a string or bytes: S50, S:50 as other tools of Aerospike write it,
// or S{10..200}. p.pos is behind the letter.
func (p *parser) sized(word string) (*form, error) {
	var d *spread
	n := 0
	digits := p.pos
	switch {
	case word[1:] == "" && p.at('{'):
		p.pos++
		p.skipBlank()
		var ok bool
		var err error
		if d, ok, err = p.spreadBefore('}'); err != nil {
			return nil, err
		}
		if !ok {
			return nil, p.errorAt(p.pos, "expected a range such as 10..200, normal(mean,deviation) or exponential(mean), found %s", p.found())
		}
		p.skipBlank()
		p.pos++
	case word[1:] == "" && p.at(':'):
		digits++
		fallthrough
	default:
		var err error
		if n, err = p.length(word[:1], digits); err != nil {
			return nil, err
		}
	}
	switch {
	case d != nil && d.max > maxRecordBytes:
		return nil, p.errorAt(digits, "this can make a length of %d; a record can hold %d bytes", d.max, maxRecordBytes)
	case d != nil && d.min == d.max:
		d, n = nil, d.min
	}
	p.varies = p.varies || d != nil
	switch {
	case word[0] == 'S' && d != nil:
		return sizedString(d), nil
	case word[0] == 'S':
		return randomString(n), nil
	case d != nil:
		return sizedBytes(d, p.ratio), nil
	}
	return randomBytes(n, p.ratio), nil
}

// length reads the digits at the offset, which follow the given letter.
func (p *parser) length(letter string, offset int) (int, error) {
	digits := p.text[offset:p.wordEnd(offset)]
	if p.digitsEnd(offset) != offset+len(digits) || digits == "" {
		p.pos = offset
		return 0, p.errorAt(p.pos, "expected a length after %q, found %s", letter, p.found())
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > maxRecordBytes {
		return 0, p.errorAt(offset, "a length of %s is over %d bytes, the most a record can hold", shorten(digits), maxRecordBytes)
	}
	p.pos = offset + len(digits)
	return int(n), nil
}

// partlyRandom reads what follows the letter of R:<size>:<percent>, which is the
// Go benchmark's form of bytes of which a part is random.
func (p *parser) partlyRandom() (*form, error) {
	if !p.at(':') {
		return nil, p.errorAt(p.pos, `expected ":", a size, ":" and a percentage after "R", as in R:100:30, found %s`, p.found())
	}
	n, err := p.length("R", p.pos+1)
	if err != nil {
		return nil, err
	}
	if !p.at(':') {
		return nil, p.errorAt(p.pos, `expected ":" and the percentage that is random after the size, found %s`, p.found())
	}
	p.pos++
	end := p.wordEnd(p.pos)
	percent, err := strconv.ParseUint(p.text[p.pos:end], 10, 64)
	if err != nil || percent > 100 {
		return nil, p.errorAt(p.pos, "expected a percentage from 0 to 100, found %s", p.found())
	}
	p.pos = end
	f := randomBytes(n, 1)
	f.random = n * int(percent) / 100
	return f, nil
}
