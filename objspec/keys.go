package objspec

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// The keys of a map must differ. Generators and strings of drawn length are
// described in keytable.go; without them, two keys can only be equal when they
// come from the same form (I1 to I8 don't overlap, strings and byte strings of
// different lengths differ) or when one is a constant that the other's form
// can make. Such keys are put in a group, and within a group keys aren't drawn
// at random but taken in turn from a random permutation of all the form can
// make, passing over the group's constants. That needs no memory and no search
// for duplicates, and always ends: Parse sees to it that a group has enough
// keys. Each key alone is still uniformly distributed.
//
// Derivation: a map takes four words for each of its groups, in the order in
// which the groups first appear among the random keys, before its first entry.
// They are the permutation's round keys.

// keyDomain identifies all the keys a form can make.
type keyDomain struct {
	kind   kind
	size   int // as in form
	random int // of bytes, as in form
	values enumeration
}

// enumeration is the values that a generator can make, by number: a list of
// strings (or of integers as eight bytes each), or n integers from low on. With
// neither there is none.
type enumeration struct {
	words *words
	low   int64
	n     uint64 // the values; 0 for all 64-bit integers
	all   bool   // it is the n integers
}

// exists tells whether there is an enumeration.
func (e enumeration) exists() bool { return e.words != nil || e.all }

// integer returns the i-th of the integers.
func (e enumeration) integer(i uint64) int64 {
	if e.words != nil {
		return int64(binary.BigEndian.Uint64([]byte(e.words.values[i])))
	}
	return int64(uint64(e.low) + i)
}

// has tells whether a constant key is among the values.
func (e enumeration) has(key *form) bool {
	switch {
	case e.all:
		return e.n == 0 || key.bits-uint64(e.low) < e.n
	case key.kind == kindInt:
		return e.words.has(string(binary.BigEndian.AppendUint64(nil, key.bits)))
	}
	return e.words.has(key.text)
}

// String names the domain's keys.
func (d keyDomain) String() string {
	if d.values.exists() {
		return "generated"
	}
	letter := map[kind]string{kindInt: "I", kindString: "S", kindBytes: "B"}[d.kind]
	return letter + strconv.Itoa(d.size)
}

// keyGroup is the keys of a map that share a domain.
type keyGroup struct {
	domain keyDomain
	prefix int      // string or bytes: how many of the leading random ones the index decides
	limit  uint64   // how many different keys there are
	random int64    // how many of them a map takes
	taken  []uint64 // the indexes of constant keys, ascending
	high   uint     // the permutation splits an index into its high bits …
	low    uint     // … and its low bits, as many or one more
}

// Prefixes long enough for any map, and short enough for a 64-bit index.
const (
	maxTextPrefix  = 12 // 36^12 < 2^63
	maxBytesPrefix = 7
)

// domainOf returns the domain a key form draws from, or a constant key could
// be drawn from; false if no random form can make the constant.
func domainOf(key *form) (keyDomain, bool) {
	switch {
	case key.generated():
		return keyDomain{kind: key.kind, values: key.values}, key.values.exists()
	case !key.constant:
		return keyDomain{kind: key.kind, size: key.size, random: key.random}, true
	case key.kind == kindInt:
		return keyDomain{kind: kindInt, size: max(1, (bits.Len64(key.bits)+7)/8)}, true
	default:
		other := func(r rune) bool { return !strings.ContainsRune(alphabet, r) }
		return keyDomain{kind: kindString, size: len(key.text)}, strings.IndexFunc(key.text, other) < 0
	}
}

// newKeyGroup returns the group for a domain.
func newKeyGroup(d keyDomain) keyGroup {
	g := keyGroup{domain: d}
	switch {
	case d.values.exists():
		if g.limit = d.values.n; g.limit == 0 {
			g.limit = math.MaxUint64 // the last of the integers is left out
		}
	case d.kind == kindInt:
		g.limit = 1 << 8
		if d.size > 1 {
			g.limit = 255 << (8 * (d.size - 1))
		}
	case d.kind == kindString:
		g.prefix = min(d.size, maxTextPrefix)
		g.limit = 1
		for range g.prefix {
			g.limit *= uint64(len(alphabet))
		}
	case d.kind == kindBytes:
		g.prefix = min(d.random, maxBytesPrefix)
		g.limit = 1 << (8 * g.prefix)
	}
	width := uint(bits.Len64(g.limit - 1))
	g.high, g.low = width/2, width-width/2
	return g
}

// indexOf returns the index of a constant key. Long strings that only differ
// after the prefix share one.
func (g *keyGroup) indexOf(key *form) uint64 {
	if key.kind == kindInt {
		return key.bits - intMin(g.domain.size)
	}
	index := uint64(0)
	for _, c := range []byte(key.text[:g.prefix]) {
		index = index*36 + uint64(strings.IndexByte(alphabet, c))
	}
	return index
}

// maxShuffled is how many values of a generator are shuffled, exactly, to take keys
// from: of so few, the network of [permutation.at] makes some combinations twice as
// often as others.
const maxShuffled = 256

// shuffled tells whether the group's keys are taken from a shuffle.
func (g *keyGroup) shuffled() bool { return g.domain.values.exists() && g.limit <= maxShuffled }

// permutation is where a map being generated stands in one of its groups.
type permutation struct {
	rounds [4]uint64
	next   uint64
	order  [maxShuffled]uint8 // of shuffled groups: the indexes, those before next in their final order
}

// start begins another map.
func (p *permutation) start(g *keyGroup, s *source) {
	p.next = 0
	if g.shuffled() {
		for i := range g.limit {
			p.order[i] = uint8(i)
		}
		return
	}
	for i := range p.rounds {
		p.rounds[i] = s.next()
	}
}

// index returns the next unused key's index, below g.limit.
func (p *permutation) index(g *keyGroup, s *source) uint64 {
	for {
		var v uint64
		if g.shuffled() { // a step of Fisher and Yates' shuffle
			i := p.next + s.below(g.limit-p.next)
			p.order[p.next], p.order[i] = p.order[i], p.order[p.next]
			v = uint64(p.order[p.next])
		} else {
			v = p.at(p.next, g)
		}
		p.next++
		if _, taken := slices.BinarySearch(g.taken, v); !taken {
			return v
		}
	}
}

// at returns the image of i: a Feistel network, which permutes the numbers of
// high+low bits, applied until the result is below the limit. Following the
// cycle i is on must lead back below the limit, at the latest to i; as at least
// half of the numbers are below it, that takes two steps or fewer on average.
// When high and low differ the halves' widths swap in each round.
func (p *permutation) at(i uint64, g *keyGroup) uint64 {
	for {
		left, right := i>>g.low, i&(1<<g.low-1)
		left, right = right, left^mix(right^p.rounds[0])>>(64-g.high)
		left, right = right, left^mix(right^p.rounds[1])>>(64-g.low)
		left, right = right, left^mix(right^p.rounds[2])>>(64-g.high)
		left, right = right, left^mix(right^p.rounds[3])>>(64-g.low)
		if i = left<<g.low | right; i < g.limit {
			return i
		}
	}
}

// appendKey appends the key with the given index in its group. What the index
// doesn't decide of long strings is drawn from s.
func (g *keyGroup) appendKey(dst []byte, key *form, index uint64, s *source) []byte {
	switch values := g.domain.values; {
	case values.exists() && key.kind == kindInt:
		return appendInt(dst, values.integer(index))
	case values.exists():
		text := values.words.values[index]
		return append(appendRawHeader(dst, particleType(key.kind), len(text)), text...)
	case key.kind == kindInt:
		return appendInt(dst, int64(intMin(key.size)+index))
	}
	dst = appendRawHeader(dst, particleType(key.kind), key.size)
	dst, out := extend(dst, key.size)
	if key.kind == kindString {
		for i := g.prefix - 1; i >= 0; i-- {
			out[i] = alphabet[index%36]
			index /= 36
		}
		s.fillText(out[g.prefix:])
		return dst
	}
	for i := range g.prefix {
		out[i] = byte(index)
		index >>= 8
	}
	s.fillBytes(out[g.prefix:key.random])
	clear(out[key.random:])
	return dst
}
