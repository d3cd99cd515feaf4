package embedded

// A returnKind is what an operation on a collection is to return of the elements
// or entries that it selects (the server's proto.h).
type returnKind int

const (
	returnNone returnKind = iota
	returnIndex
	returnReverseIndex
	returnRank
	returnReverseRank
	returnCount
	returnKey
	returnValue
	returnKeyValue // a map that keeps the order of its entries
	returnIndexRange
	returnReverseIndexRange
	returnRankRange
	returnReverseRankRange
	returnExists
	returnUnorderedMap = returnKind(16)
	returnOrderedMap   = returnKind(17)
)

// flagPreserveOrder marks a map in a reply whose entries aren't sorted by key.
const flagPreserveOrder = 0x08

// A selector says how many elements an operation selects and what it returns.
type selector struct {
	what     returnKind
	inverted bool // selects what is outside
	multi    bool // returns a collection, not a single thing
}

// newSelector takes a selector from an operation's flags.
func newSelector(flags uint64, multi bool) selector {
	const kindMask, inverted = 0xFFFF, 0x10000
	return selector{what: returnKind(flags & kindMask), inverted: flags&inverted != 0, multi: multi}
}

func (s *selector) isReverse() bool {
	return s.what == returnReverseIndex || s.what == returnReverseRank
}

func (s *selector) isIndex() bool { return s.what == returnIndex || s.what == returnReverseIndex }

func (s *selector) isRank() bool { return s.what == returnRank || s.what == returnReverseRank }

func (s *selector) isIndexRange() bool {
	return s.what == returnIndexRange || s.what == returnReverseIndexRange
}

func (s *selector) isRankRange() bool {
	return s.what == returnRankRange || s.what == returnReverseRankRange
}

func (s *selector) isMap() bool {
	return s.what == returnKeyValue || s.what == returnUnorderedMap || s.what == returnOrderedMap
}

func (s *selector) isElements() bool {
	return s.what == returnKey || s.what == returnValue || s.isMap()
}

// mapFlags are the flags of a map that is returned.
func (s *selector) mapFlags() byte {
	switch s.what {
	case returnKeyValue:
		return flagPreserveOrder
	case returnOrderedMap:
		return flagOrdered
	}
	return 0
}

// integerList makes a list of integers.
type integerList struct {
	body []byte
	n    int
}

func (l *integerList) add(n int) {
	l.body = packInteger(l.body, int64(n))
	l.n++
}

// addRange adds count successive indexes or ranks of a collection of size
// elements, in ascending order. If reverse they are counted from the end.
func (l *integerList) addRange(start, count, size int, reverse bool) {
	if reverse {
		start = size - start - count
	}
	for i := start; i < start+count; i++ {
		l.add(i)
	}
}

// addOne is addRange for one.
func (l *integerList) addOne(i, size int, reverse bool) { l.addRange(i, 1, size, reverse) }

func (l *integerList) bin() bin {
	return bin{particle: particleList, value: packCollection(typeList, 0, l.n, l.body)}
}

// pair is the result of the range kinds: a start and a count.
func pair(start, count int) bin {
	var l integerList
	l.add(start)
	l.add(count)
	return l.bin()
}

// listBin makes a list of n elements, which parts hold.
func listBin(n int, parts ...[]byte) bin {
	return bin{particle: particleList, value: packCollection(typeList, 0, n, parts...)}
}

// notFound is the result if nothing is selected.
func (s *selector) notFound(index int) (bin, resultCode) {
	switch {
	case s.what == returnNone:
		return bin{}, codeOK
	case s.isIndexRange() || s.isRankRange():
		return pair(index, 0), codeOK
	case s.isIndex() || s.isRank():
		if s.multi {
			return listBin(0), codeOK
		}
		return integerBin(-1), codeOK
	case s.what == returnCount:
		return integerBin(0), codeOK
	case s.what == returnExists:
		return boolBin(false), codeOK
	case s.what == returnKey || s.what == returnValue:
		if s.multi {
			return listBin(0), codeOK
		}
		return bin{}, codeOK
	case s.isMap():
		return bin{particle: particleMap, value: packCollection(typeMap, s.mapFlags(), 0)}, codeOK
	}
	return bin{}, codeNotApplicable
}

// run is the result for count successive indexes, or ranks, of a collection of
// size elements.
func (s *selector) run(start, count, size int) (bin, resultCode) {
	switch {
	case s.what == returnNone:
		return bin{}, codeOK
	case s.what == returnCount:
		if s.inverted {
			count = size - count
		}
		return integerBin(int64(count)), codeOK
	case s.what == returnExists:
		return boolBin(s.inverted == (count == 0)), codeOK
	case !s.isIndex() && !s.isRank():
		return bin{}, codeNotApplicable
	case s.multi:
		var l integerList
		if s.inverted {
			l.addRange(0, start, size, s.isReverse())
			l.addRange(start+count, size-start-count, size, s.isReverse())
		} else {
			l.addRange(start, count, size, s.isReverse())
		}
		return l.bin(), codeOK
	case count == 0:
		return integerBin(-1), codeOK
	case s.isReverse():
		return integerBin(int64(size - start - 1)), codeOK
	}
	return integerBin(int64(start)), codeOK
}

// rangeResult is run for all kinds, those that return a range included.
func (s *selector) rangeResult(start, count, size int) (bin, resultCode) {
	if !s.isIndexRange() && !s.isRankRange() {
		return s.run(start, count, size)
	}
	if s.inverted {
		return bin{}, codeNotApplicable
	}
	if s.what == returnReverseIndexRange || s.what == returnReverseRankRange {
		start = size - start - count
	}
	return pair(start, count), codeOK
}

// A mask marks elements of a collection.
type mask []bool

func (m mask) count() int {
	n := 0
	for _, set := range m {
		if set {
			n++
		}
	}
	return n
}

// first is the first marked position.
func (m mask) first() int {
	for i, set := range m {
		if set {
			return i
		}
	}
	return len(m)
}

func (m mask) invert() {
	for i := range m {
		m[i] = !m[i]
	}
}

// indexes is the result for the positions that a mask marks.
func (s *selector) indexes(m mask) bin {
	if !s.multi {
		i := m.first()
		if s.isReverse() {
			i = len(m) - i - 1
		}
		return integerBin(int64(i))
	}
	var l integerList
	for i, set := range m {
		if set {
			l.addOne(i, len(m), s.isReverse())
		}
	}
	return l.bin()
}

// without returns the collection without what the mask marks.
func (c *collection) without(m mask) []byte {
	body, n := c.gather(m, false)
	return c.pack(n, body)
}

// gather returns the elements or entries whose mark is set or not, and their
// number.
func (c *collection) gather(m mask, marked bool) (body []byte, n int) {
	body = make([]byte, 0, len(c.body))
	for i := range m {
		if m[i] == marked {
			body = append(body, c.at(i)...)
			n++
		}
	}
	return body, n
}

// runs are the results of searching a collection for several items: where each
// item's matches start, by index or rank, and how many there are.
type runs []struct{ start, count int }

// ofRuns is the result for the matches of several items, item by item.
func (s *selector) ofRuns(r runs, size int) bin {
	var l integerList
	for _, run := range r {
		l.addRange(run.start, run.count, size, s.isReverse())
	}
	return l.bin()
}

// ofSortedRuns is ofRuns with respect to inversion: what is between the items,
// which order sorts.
func (s *selector) ofSortedRuns(r runs, order []int, size int) bin {
	var l integerList
	if !s.inverted {
		for _, run := range r {
			for i := range run.count {
				l.addOne(run.start+i, size, s.isReverse())
			}
		}
		return l.bin()
	}
	previous := 0
	for _, i := range order {
		if r[i].count == 0 {
			continue
		}
		l.addRange(previous, r[i].start-previous, size, s.isReverse())
		previous = r[i].start + r[i].count
	}
	l.addRange(previous, size-previous, size, s.isReverse())
	return l.bin()
}
