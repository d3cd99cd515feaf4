package objspec

import (
	"encoding/binary"
	"math/bits"
)

// How a bin's randomness is derived. All arithmetic is modulo 2^64 and mix is
// the output function of splitmix64.
//
//	record = mix(mix(seed + golden) XOR key)
//	start  = mix(record + (bin + 1) * golden)      bin counts from 0
//	word_n = mix(start + n * golden)               n counts from 1
//
// So the bin's words are what a splitmix64 generator with state start gives.
// Values take words in the order they are written: a list its elements first
// to last, a map its keys and values in turn (see below and keys.go for what
// each of them takes). These rules are part of what a user sees: a data set
// written with a seed must read back under the same seed with a later version.

// golden is 2^64 divided by the golden ratio, made odd.
const golden = 0x9e3779b97f4a7c15

// mix is a bijection of 64-bit words in which each input bit affects each
// output bit: the finalizer of splitmix64 (Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014; constants by D. Stafford).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// stream is a splitmix64 generator: a counter and a mixing function. It takes
// every 64-bit value once before it repeats, so loops that reject some values
// always end.
type stream uint64

// source is what a value is made from.
type source struct {
	stream
	key uint64 // of the record
}

func (s *stream) next() uint64 {
	*s += golden
	return mix(uint64(*s))
}

// intMin returns the smallest value of I<size>: 0, 2^8, 2^16 … 2^56.
func intMin(size int) uint64 {
	if size == 1 {
		return 0
	}
	return 1 << (8 * (size - 1))
}

// integer returns a uniform value of I<size>. It takes a word's high bits and
// draws again, once in 256 times, when they make a smaller integer.
func (s *stream) integer(size int) uint64 {
	for {
		if v := s.next() >> (64 - 8*size); v >= intMin(size) {
			return v
		}
	}
}

// double returns the bits of a uniformly chosen finite double, denormals and
// both zeros included. asbench uses any 64 bits; NaN and infinities, one word
// in 2048, are drawn again here because they don't compare, print or convert
// to JSON.
func (s *stream) double() uint64 {
	const exponent = 0x7ff << 52
	for {
		if v := s.next(); v&exponent != exponent {
			return v
		}
	}
}

// below returns a uniform number below n, or any 64 bits for n = 0. It takes
// the high half of a word's product with n, and draws again in the few cases
// that would make some numbers likelier than others (D. Lemire, "Fast Random
// Integer Generation in an Interval", 2019).
func (s *stream) below(n uint64) uint64 {
	if n == 0 {
		return s.next()
	}
	for {
		v, low := bits.Mul64(s.next(), n)
		if low >= n || low >= -n%n {
			return v
		}
	}
}

// unit returns a multiple of 2^-53 from 0 to below 1.
func (s *stream) unit() float64 { return float64(s.next()>>11) / (1 << 53) }

// bool returns 0 or 1.
func (s *stream) bool() uint64 { return s.next() >> 63 }

const (
	alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	// charsPerWord is how many characters are taken from one word. 36^10 goes
	// 5045 times into 2^64, so of all strings of ten characters some are more
	// likely than others by one part in 5045, and shorter ones by far less.
	charsPerWord = 10
)

// fillText fills out with characters of [0-9a-z]. A word is read as a fraction
// in [0, 1): multiplied by 36 its whole part is a character and the rest the
// next fraction. Two characters a step halve the chain of multiplications.
func (s *stream) fillText(out []byte) {
	for len(out) >= charsPerWord {
		chunk := (*[charsPerWord]byte)(out)
		word, pair := s.next(), uint64(0)
		for i := 0; i < charsPerWord; i += 2 {
			pair, word = bits.Mul64(word, 36*36)
			chunk[i], chunk[i+1] = alphabet[pair/36], alphabet[pair%36]
		}
		out = out[charsPerWord:]
	}
	if len(out) == 0 {
		return
	}
	word, char := s.next(), uint64(0)
	for i := range out {
		char, word = bits.Mul64(word, 36)
		out[i] = alphabet[char]
	}
}

// fillBytes fills out with random bytes, each word's lowest byte first.
func (s *stream) fillBytes(out []byte) {
	for len(out) >= 8 {
		binary.LittleEndian.PutUint64(out, s.next())
		out = out[8:]
	}
	if len(out) == 0 {
		return
	}
	word := s.next()
	for i := range out {
		out[i] = byte(word)
		word >>= 8
	}
}
