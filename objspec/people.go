package objspec

import "strconv"

// The makers of names, addresses and the like. Each comment tells the words a
// value takes, beyond those that a list takes (one).

// maxNumber is the largest number behind a user name or mail name.
const maxNumber = 999

func fullName(c *call) (*form, error) {
	first, last := c.p.firstNames(), c.p.lastNames()
	size := first.longest + 1 + last.longest
	return generatedText(size, product2(first, last), func(dst []byte, s *source) []byte {
		dst = append(append(dst, first.pick(s)...), ' ')
		return append(dst, last.pick(s)...)
	}), nil
}

// product2 is how many pairs two lists make.
func product2(a, b *words) uint64 { return times(uint64(len(a.values)), uint64(len(b.values))) }

// username: a name, an underscore, another and a number.
func username(c *call) (*form, error) {
	first, last := c.p.mailNames()
	size := first.longest + 1 + last.longest + 3
	return generatedText(size, times(product2(first, last), maxNumber), func(dst []byte, s *source) []byte {
		dst = append(append(dst, first.pick(s)...), '_')
		dst = append(dst, last.pick(s)...)
		return appendNumber(dst, s, 1, maxNumber)
	}), nil
}

// email: first.last, a number and a domain for examples.
func email(c *call) (*form, error) {
	first, last := c.p.mailNames()
	domains := c.p.mailDomains()
	size := first.longest + 1 + last.longest + 3 + 1 + domains.longest
	return generatedText(size, times(product2(first, last), maxNumber), func(dst []byte, s *source) []byte {
		dst = append(append(dst, first.pick(s)...), '.')
		dst = append(dst, last.pick(s)...)
		dst = append(appendNumber(dst, s, 1, maxNumber), '@')
		return append(dst, domains.pick(s)...)
	}), nil
}

// phone: a number of the North American plan, whose area and exchange codes
// begin with 2 to 9; one word.
func phone(*call) (*form, error) {
	const lines = 800 * 800 * 10_000
	return generatedText(len("+1-212-555-0100"), lines, func(dst []byte, s *source) []byte {
		n := s.below(lines)
		dst = append(dst, "+1-"...)
		dst = append(appendDigits(dst, 200+n/(800*10_000), 3), '-')
		dst = append(appendDigits(dst, 200+n/10_000%800, 3), '-')
		return appendDigits(dst, n%10_000, 4)
	}), nil
}

// street: a number, a family's name and a kind of street.
func street(c *call) (*form, error) {
	names, kinds := c.p.lastNames(), c.p.list("street", nil, "address/street_name")
	size := 4 + 1 + names.longest + 1 + kinds.longest
	return generatedText(size, 9999, func(dst []byte, s *source) []byte {
		dst = append(appendNumber(dst, s, 1, 9999), ' ')
		dst = append(append(dst, names.pick(s)...), ' ')
		return append(dst, kinds.pick(s)...)
	}), nil
}

// zip: from the first to the last code of the United States.
func zip(*call) (*form, error) {
	const first, last = 501, 99950
	return generatedText(5, last-first+1, func(dst []byte, s *source) []byte {
		return appendDigits(dst, first+s.below(last-first+1), 5)
	}), nil
}

func company(c *call) (*form, error) {
	names, suffixes := c.p.lastNames(), c.p.list("company", nil, "company/suffix")
	size := names.longest + 1 + suffixes.longest
	return generatedText(size, uint64(len(names.values)), func(dst []byte, s *source) []byte {
		dst = append(append(dst, names.pick(s)...), ' ')
		return append(dst, suffixes.pick(s)...)
	}), nil
}

func product(c *call) (*form, error) {
	qualities := c.p.list("quality", nil, "product/adjective")
	materials := c.p.list("material", nil, "product/material")
	names := c.p.list("product", nil, "product/name")
	size := qualities.longest + 1 + materials.longest + 1 + names.longest
	return generatedText(size, uint64(len(names.values)), func(dst []byte, s *source) []byte {
		dst = append(append(dst, qualities.pick(s)...), ' ')
		dst = append(append(dst, materials.pick(s)...), ' ')
		return append(dst, names.pick(s)...)
	}), nil
}

// creditCard: sixteen digits that begin with 4 and satisfy the check digit of
// ISO/IEC 7812 (Luhn's); one word.
func creditCard(*call) (*form, error) {
	const accounts = 100_000_000_000_000
	return generatedText(16, accounts, func(dst []byte, s *source) []byte {
		start := len(dst)
		dst = appendDigits(append(dst, '4'), s.below(accounts), 14)
		sum := 0
		for i, c := range dst[start:] {
			digit := int(c - '0')
			if i%2 == 0 { // each second one, counted from the check digit
				if digit *= 2; digit > 9 {
					digit -= 9
				}
			}
			sum += digit
		}
		return append(dst, byte('0'+(10-sum%10)%10))
	}), nil
}

// appendNumber appends a uniform number.
func appendNumber(dst []byte, s *source, low, high uint64) []byte {
	return strconv.AppendUint(dst, low+s.below(high-low+1), 10)
}

// appendDigits appends the last n decimal digits of v, zeros in front included.
func appendDigits(dst []byte, v uint64, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= len(dst)-n; i-- {
		dst[i] = byte('0' + v%10)
		v /= 10
	}
	return dst
}
