package keygen

import "math/rand/v2"

// Uniform draws keys of a range, each with the same probability.
type Uniform struct {
	start, size uint64
	rng         *rand.PCG
}

// NewUniform returns a generator over r, which must not be empty. The same rng
// state gives the same keys.
func NewUniform(r Range, rng *rand.PCG) *Uniform {
	return &Uniform{start: r.Start, size: r.Size(), rng: rng}
}

// Next returns a key.
func (u *Uniform) Next() uint64 { return u.start + below(u.rng, u.size) }

// Hotspot draws some share of the keys from a hot set, and the others from the
// rest of the range, uniformly within both. The hot set is the start of the
// range, as in YCSB.
type Hotspot struct {
	start, hot, cold uint64 // sizes of the sets
	limit            uint64 // a draw of 53 bits below it is hot
	rng              *rand.PCG
}

// NewHotspot returns a generator over r, which must not be empty, that draws
// operations percent of its keys from the first keys percent of the range. Both
// are from 0 to 100. The hot set is rounded to whole keys and holds one at
// least; if it is the whole range, all keys are drawn alike.
func NewHotspot(r Range, keys, operations float64, rng *rand.PCG) *Hotspot {
	size := r.Size()
	// A product close to 2^63 rounds up to it at most, so it fits.
	hot := min(max(1, uint64(keys/100*float64(size)+0.5)), size)
	h := &Hotspot{start: r.Start, hot: hot, cold: size - hot, limit: uint64(operations/100*(1<<53) + 0.5), rng: rng}
	if h.cold == 0 {
		h.limit = 1 << 53
	}
	return h
}

// Next returns a key.
func (h *Hotspot) Next() uint64 {
	if h.rng.Uint64()>>11 < h.limit {
		return h.start + below(h.rng, h.hot)
	}
	return h.start + h.hot + below(h.rng, h.cold)
}

// Sequential walks the keys of a range in their order and begins again at its
// end. All workers of a stage walk together: each takes every n-th key.
type Sequential struct {
	start, size, offset, step uint64
}

// NewSequential returns the walk of worker i of n, 0 <= i < n, over r, which must
// not be empty. Its first key is the i-th of the range, and from one key to the
// next it goes n keys on, across the end of the range to its start. So workers
// that take turns give r.Start, r.Start+1, … r.End-1 and r.Start again, whether n
// divides the size or is above it; and once every worker has drawn k keys, each
// key has come at least k*n/size times, rounded down.
func NewSequential(r Range, i, n int) *Sequential {
	size := r.Size()
	return &Sequential{start: r.Start, size: size, offset: uint64(i) % size, step: uint64(n) % size}
}

// Next returns a key.
func (s *Sequential) Next() uint64 {
	key := s.start + s.offset
	s.offset += s.step // below 2^64: both are below the size, at most 2^63
	if s.offset >= s.size {
		s.offset -= s.size
	}
	return key
}
