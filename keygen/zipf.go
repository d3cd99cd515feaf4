package keygen

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// zipf draws ranks from 0 to n-1 such that rank r has a probability in
// proportion to 1/(r+1)^theta, for any theta above 0.
//
// It is rejection-inversion after W. Hörmann and G. Derflinger
// ("Rejection-inversion to generate variates from monotone discrete
// distributions", 1996). The sum over all ranks, which costs other methods a
// pause, is not needed: the density x^-theta has an integral H with an inverse.
// A point is drawn under that density, and rejected where the density covers
// more than the rank's probability, so the result is exact but for rounding.
type zipf struct {
	theta     float64
	power     float64 // 1-theta,
	root      float64 // and 1/power
	low, span float64 // the area drawn from: from low on, span wide
	accept    float64 // points this close below their rank need no check
	excess    float64 // see accepted
	n         uint64
	rng       *rand.PCG
}

// With more ranks than fine, floating point leaves some out, and the lowest bits
// of the ranks from wide on are drawn apart. All ranks of a cell differ by 2^-24
// of their number at most, and in probability by theta times that.
const (
	fine     = 1 << 36
	wide     = 1 << 32
	wideBits = 24
)

func newZipf(n uint64, theta float64, rng *rand.PCG) zipf {
	z := zipf{theta: theta, power: 1 - theta, root: 1 / (1 - theta), excess: theta * (theta + 1) / 12, rng: rng}
	z.low = z.area(1.5) - 1
	z.accept = 2 - z.point(z.area(2.5)-z.probability(2))
	z.resize(n)
	return z
}

// resize changes the number of ranks, which must not be 0.
func (z *zipf) resize(n uint64) {
	z.n = n
	z.span = z.area(float64(n)+0.5) - z.low
}

// rank returns the next rank.
func (z *zipf) rank() uint64 {
	last := float64(z.n)
	for {
		u := z.low + z.span*fraction(z.rng)
		x := z.point(u)
		k := max(1, min(math.Floor(x+0.5), last))
		if !z.accepted(u, x, k) {
			continue
		}
		r := uint64(k) - 1
		if r < wide || z.n <= fine {
			return r
		}
		return fill(z.rng, r, bits.Len64(r)-wideBits, z.n)
	}
}

// From the rank near on, a bound of what is rejected saves computing it; from far
// on, that is less than one in 10^11, and what rounding makes of it is more.
const (
	near = 8
	far  = 1 << 20
)

// accepted tells whether the point x, which has the area u, counts for the k-th
// rank, from 1. What the density between k-1/2 and k+1/2 has too much is rejected
// at the lower end.
func (z *zipf) accepted(u, x, k float64) bool {
	below := k - x
	if below <= z.accept || k >= far {
		return true
	}
	// By the midpoint rule the density has at most h"(k-1/2)/24 too much, and
	// it is at least h(k) there. From near on, and for theta up to 10, their
	// quotient is less than theta*(theta+1)/12/(k-1/2)^2.
	if k >= near && (0.5-below)*(k-0.5)*(k-0.5) >= z.excess {
		return true
	}
	return u >= z.area(k+0.5)-z.probability(k)
}

// probability is that of the rank x-1, but for a constant factor.
func (z *zipf) probability(x float64) float64 { return math.Exp(-z.theta * math.Log(x)) }

// area is the integral of the density from 1 to x. Near theta = 1 the form with
// Expm1 loses no digits.
func (z *zipf) area(x float64) float64 {
	if z.power == 0 {
		return math.Log(x)
	}
	return math.Expm1(z.power*math.Log(x)) * z.root
}

// point is the inverse of area. With a theta far above 1 the area hardly grows
// any more, and rounding may take u past its limit; that is the last rank.
func (z *zipf) point(u float64) float64 {
	if z.power == 0 {
		return math.Exp(u)
	}
	return math.Exp(math.Log1p(max(-1, z.power*u)) * z.root)
}

// YCSBItems is how many ranks a scrambled zipfian distribution has, unless its
// range is larger. YCSB draws from that many items whatever the range, so that
// every key of the range gets some of them. The constant in YCSB's source says
// 10^16, but the sum that it divides by, 26.469, is that of 10^10 items (at theta
// 0.99), and so is the share of its hottest key, 3.78 %.
const YCSBItems = 10_000_000_000

// Zipfian draws keys of which few are very popular: the key of rank r, from 0
// on, with a probability in proportion to 1/(r+1)^theta.
type Zipfian struct {
	zipf
	scramble    bool
	start, size uint64
	limit       uint64 // hashes below it make no key likelier than another
}

// NewZipfian returns a generator over r, which must not be empty; theta is above
// 0.
//
// Scrambled, it follows YCSB's ScrambledZipfianGenerator: there are [YCSBItems]
// ranks, or as many as there are keys if those are more, and rank r goes to the
// key r.Start + hash(r) mod size by FNV-1a. The popular keys lie anywhere in the
// range; a key has the probabilities of all ranks that meet in it.
//
// Otherwise there is one rank for each key, in the order of the range, with the
// most popular key at its start, as in YCSB's ZipfianGenerator. That is steeper.
func NewZipfian(r Range, theta float64, scramble bool, rng *rand.PCG) *Zipfian {
	size := r.Size()
	z := &Zipfian{scramble: scramble, start: r.Start, size: size, limit: 1 << 63 / size * size}
	items := size
	if scramble {
		items = max(size, YCSBItems)
	}
	z.zipf = newZipf(items, theta, rng)
	return z
}

// Next returns a key.
func (z *Zipfian) Next() uint64 {
	rank := z.rank()
	if !z.scramble {
		return z.start + rank
	}
	return z.start + z.place(rank)
}

// rehashes bounds the hashes of a rank. Each is past the limit with less than an
// even chance, and in ranges below 2^40 keys with one in 2^23.
const rehashes = 64

// place returns the offset of the key that a rank goes to. YCSB takes the first
// hash, which in ranges that are no power of two, and large, would make the
// first keys up to twice as likely as the last; so what is past the last whole
// multiple of the size is hashed again.
func (z *Zipfian) place(rank uint64) uint64 {
	h := fnv1a(rank)
	for i := 0; h >= z.limit && i < rehashes; i++ {
		h = fnv1a(h)
	}
	return h % z.size
}

// fnv1a is the 64-bit FNV-1a hash of the number's 8 bytes, lowest first, and of
// it the absolute value as a signed number, as in YCSB.
func fnv1a(v uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for range 8 {
		h = (h ^ v&0xff) * 0x100000001b3
		v >>= 8
	}
	if h>>63 == 1 { // measured to be faster than without a branch
		h = -h
	}
	return h
}

// Latest draws the newest keys most often, after YCSB's SkewedLatestGenerator:
// the key r places before the newest one with a probability in proportion to
// 1/(r+1)^theta. The newest key is the last of the range, until [Latest.SetEnd]
// says that there are more.
type Latest struct {
	zipf
	start uint64
}

// NewLatest returns a generator over r, which must not be empty; theta is above
// 0.
func NewLatest(r Range, theta float64, rng *rand.PCG) *Latest {
	return &Latest{zipf: newZipf(r.Size(), theta, rng), start: r.Start}
}

// SetEnd says that the keys now end before end, in a stage that inserts keys
// while it reads them. It must be above the start of the range. A call that
// changes nothing costs nothing, another some tens of nanoseconds.
func (l *Latest) SetEnd(end uint64) {
	if n := end - l.start; n != l.n {
		l.resize(n)
	}
}

// Next returns a key.
func (l *Latest) Next() uint64 { return l.start + l.n - 1 - l.rank() }
