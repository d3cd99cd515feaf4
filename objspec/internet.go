package objspec

import "strconv"

const hexDigits = "0123456789abcdef"

// ipv4: an address from 1.0.0.0 to 223.255.255.255, the unicast ones.
func ipv4(*call) (*form, error) {
	const addresses = 223 << 24
	return generatedText(len("223.255.255.255"), addresses, func(dst []byte, s *source) []byte {
		n := 1<<24 + s.below(addresses)
		for shift := 24; shift >= 0; shift -= 8 {
			dst = strconv.AppendUint(dst, n>>shift&0xff, 10)
			if shift > 0 {
				dst = append(dst, '.')
			}
		}
		return dst
	}), nil
}

// ipv6: a global unicast address (2000::/3, RFC 4291), written out; two words.
func ipv6(*call) (*form, error) {
	return generatedText(39, 1<<62, func(dst []byte, s *source) []byte {
		high, low := s.next()>>3|1<<61, s.next()
		for i := range 8 {
			if i > 0 {
				dst = append(dst, ':')
			}
			dst = appendHex(dst, high>>48, 4)
			high, low = high<<16|low>>48, low<<16
		}
		return dst
	}), nil
}

// mac: an address of a single device, not of a group.
func mac(*call) (*form, error) {
	return generatedText(len("00:00:00:00:00:00"), 1<<47, func(dst []byte, s *source) []byte {
		n := s.next() >> 16 &^ (1 << 40)
		for shift := 40; shift >= 0; shift -= 8 {
			dst = appendHex(dst, n>>shift, 2)
			if shift > 0 {
				dst = append(dst, ':')
			}
		}
		return dst
	}), nil
}

// uuid: version 4 (RFC 9562); two words.
func uuid(*call) (*form, error) {
	return generatedText(36, 1<<63, func(dst []byte, s *source) []byte {
		high, low := s.next()&^0xf000|0x4000, s.next()>>2|1<<63
		dst = append(appendHex(dst, high>>32, 8), '-')
		dst = append(appendHex(dst, high>>16, 4), '-')
		dst = append(appendHex(dst, high, 4), '-')
		dst = append(appendHex(dst, low>>48, 4), '-')
		return appendHex(dst, low, 12)
	}), nil
}

// appendHex appends the last n hex digits of v.
func appendHex(dst []byte, v uint64, n int) []byte {
	for shift := 4 * (n - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[v>>shift&0xf])
	}
	return dst
}

// domain: two words with a hyphen and a suffix.
func domain(c *call) (*form, error) {
	w, suffixes := c.p.plainWords(), c.p.list("suffix", nil, "internet/domain_suffix")
	size := 2*w.longest + 2 + suffixes.longest
	return generatedText(size, product2(w, w), func(dst []byte, s *source) []byte {
		return appendDomain(dst, s, w, suffixes)
	}), nil
}

func appendDomain(dst []byte, s *source, w, suffixes *words) []byte {
	dst = append(append(dst, w.pick(s)...), '-')
	dst = append(append(dst, w.pick(s)...), '.')
	return append(dst, suffixes.pick(s)...)
}

// url: a page of a domain.
func url(c *call) (*form, error) {
	w, suffixes := c.p.plainWords(), c.p.list("suffix", nil, "internet/domain_suffix")
	size := len("https://www./") + 3*w.longest + 2 + suffixes.longest
	return generatedText(size, product2(w, w), func(dst []byte, s *source) []byte {
		dst = appendDomain(append(dst, "https://www."...), s, w, suffixes)
		return append(append(dst, '/'), w.pick(s)...)
	}), nil
}

func word(c *call) (*form, error) { return listForm(c.p.plainWords()), nil }

// severalWords: words with blanks between them.
func severalWords(c *call) (*form, error) {
	w, n := c.p.plainWords(), int(c.integer(0))
	if n == 1 {
		return listForm(w), nil
	}
	return generatedText(n*(w.longest+1)-1, power(uint64(len(w.values)), n), func(dst []byte, s *source) []byte {
		for i := range n {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = append(dst, w.pick(s)...)
		}
		return dst
	}), nil
}

// sentence: 6 to 12 words, the first with a capital letter, and a full stop.
func sentence(c *call) (*form, error) {
	const least, most = 6, 12
	w := c.p.plainWords()
	return generatedText(most*(w.longest+1), power(uint64(len(w.values)), least), func(dst []byte, s *source) []byte {
		start := len(dst)
		for i := range least + s.below(most-least+1) {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = append(dst, w.pick(s)...)
		}
		dst[start] -= 'a' - 'A'
		return append(dst, '.')
	}), nil
}

// lorem: Latin-looking words, cut off after exactly so many characters.
func lorem(c *call) (*form, error) {
	w, n := c.p.loremWords(), int(c.integer(0))
	distinct := uint64(1)
	if n > w.longest {
		distinct = uint64(len(w.values)) // the first word is whole
	}
	return generatedText(n, distinct, func(dst []byte, s *source) []byte {
		for left := n; ; {
			text := w.pick(s)
			dst = append(dst, text[:min(left, len(text))]...)
			if left -= len(text); left <= 0 {
				return dst
			}
			if left--; left == 0 {
				return append(dst, '.')
			}
			dst = append(dst, ' ')
		}
	}), nil
}
