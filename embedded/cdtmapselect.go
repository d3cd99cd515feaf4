package embedded

// A mapReader selects entries of a map, to return or to remove them. The entries
// are always sorted by key; a map that has no order for good differs in a few
// results only.
type mapReader struct {
	collection
	selector
	removes bool
}

// keyNotFound and valueNotFound are notFound for searches by key or index, and by
// value or rank.
func (m *mapReader) keyNotFound(index int) (picked, resultCode) {
	if m.isRankRange() {
		return picked{}, codeNotApplicable
	}
	result, code := m.notFound(index)
	return picked{result: result}, code
}

func (m *mapReader) valueNotFound(rank int) (picked, resultCode) {
	if m.isIndexRange() {
		return picked{}, codeNotApplicable
	}
	result, code := m.notFound(rank)
	return picked{result: result}, code
}

// elements is the result for the keys, values or entries at some positions.
func (m *mapReader) elements(at []int) (bin, resultCode) {
	get := m.at
	if !m.isMap() {
		get = m.value
		if m.what == returnKey {
			get = m.key
		}
		if !m.multi {
			if len(at) == 0 {
				return bin{}, codeOK
			}
			if b, ok := packedBin(get(at[0])); ok {
				return b, codeOK
			}
			return bin{}, codeUnknown
		}
	}
	body := make([]byte, 0, len(m.body))
	for _, i := range at {
		body = append(body, get(i)...)
	}
	if m.isMap() {
		return bin{particle: particleMap, value: packCollection(typeMap, m.mapFlags(), len(at), body)}, codeOK
	}
	return listBin(len(at), body), codeOK
}

// positions lists the marked ones.
func (k mask) positions() []int {
	at := make([]int, 0, len(k))
	for i, set := range k {
		if set {
			at = append(at, i)
		}
	}
	return at
}

// ranksOf is the result for the ranks of the entries at some positions.
func (m *mapReader) ranksOf(at []int) bin {
	rank := make([]int, m.len())
	if m.multi {
		for k, i := range m.byValueOrder() {
			rank[i] = k
		}
		var l integerList
		for _, i := range at {
			l.addOne(rank[i], m.len(), m.isReverse())
		}
		return l.bin()
	}
	n := 0
	value := m.value(at[0])
	for i := range m.len() {
		order := comparePacked(m.value(i), value)
		if order < 0 || order == 0 && i < at[0] {
			n++
		}
	}
	if m.isReverse() {
		n = m.len() - n - 1
	}
	return integerBin(int64(n))
}

// take removes what a mask marks, if the operation removes.
func (m *mapReader) take(k mask) picked {
	if !m.removes || k.count() == 0 {
		return picked{}
	}
	return picked{rest: m.without(k)}
}

// all selects everything.
func (m *mapReader) all() (picked, resultCode) {
	var p picked
	if m.removes {
		p.rest = m.pack(0)
	}
	code := codeOK
	switch {
	case m.isIndexRange() || m.isRankRange():
		p.result = pair(0, m.len())
	case m.isElements():
		at := make([]int, m.len())
		for i := range at {
			at[i] = i
		}
		p.result, code = m.elements(at)
	default:
		p.result, code = m.run(0, m.len(), m.len())
	}
	return p, code
}

// byKey selects the entry with a key.
func (m *mapReader) byKey(key []byte) (picked, resultCode) {
	if m.isRankRange() || m.inverted && !m.isOrdered() {
		return picked{}, codeNotApplicable
	}
	at, found := m.findKey(key)
	if !found {
		return m.keyNotFound(-1)
	}
	if m.isOrdered() {
		return m.byIndex(int64(at), 1)
	}
	var p picked
	if m.removes {
		p.rest = m.splice(at, 1, 0, nil)
	}
	code := codeOK
	switch {
	case m.isElements():
		p.result, code = m.elements([]int{at})
	case m.isRank():
		p.result = m.ranksOf([]int{at})
	default:
		p.result, code = m.rangeResult(at, 1, m.len())
	}
	return p, code
}

// byKeyInterval selects the entries from one key, included, to another, excluded,
// or without end if it is nil.
func (m *mapReader) byKeyInterval(from, to []byte) (picked, resultCode) {
	if m.isRankRange() {
		return picked{}, codeNotApplicable
	}
	start, _ := lowerBound(0, m.len(), func(i int) int { return comparePacked(from, m.at(i)) })
	end := m.len()
	if to != nil {
		end, _ = lowerBound(start, m.len(), func(i int) int { return comparePacked(to, m.at(i)) })
	}
	n := end - start
	if m.isOrdered() {
		return m.byIndex(int64(start), uint64(n))
	}
	k := make(mask, m.len())
	for i := start; i < end; i++ {
		k[i] = true
	}
	return m.byRun(k, start, n)
}

// byRun selects n entries from start on, which k marks, or the others.
func (m *mapReader) byRun(k mask, start, n int) (picked, resultCode) {
	if m.inverted {
		k.invert()
	}
	p := m.take(k)
	code := codeOK
	switch {
	case m.isElements():
		p.result, code = m.elements(k.positions())
	case m.isRank():
		p.result = m.ranksOf(k.positions())
	default:
		p.result, code = m.rangeResult(start, n, m.len())
	}
	return p, code
}

// reduce turns the outside of a run that reaches an end of the map, or of no run,
// into a run.
func (m *mapReader) reduce(start, n int) (int, int) {
	size := m.len()
	m.inverted = false
	switch {
	case n == 0:
		return 0, size
	case start == 0:
		return n, size - n
	case start+n >= size:
		return 0, start
	}
	m.inverted = true
	return start, n
}

// byIndex selects a run of entries.
func (m *mapReader) byIndex(index int64, count uint64) (picked, resultCode) {
	start, n, ok := absolute(index, count, m.len(), m.multi)
	if !ok || m.isRankRange() || m.inverted && !m.multi {
		return picked{}, codeNotApplicable
	}
	if m.inverted {
		start, n = m.reduce(start, n)
	}
	switch n {
	case 0:
		return m.keyNotFound(start)
	case m.len():
		return m.all()
	}
	k := make(mask, m.len())
	for i := start; i < start+n; i++ {
		k[i] = true
	}
	outside := m.inverted
	p, code := m.byRun(k, start, n)
	if outside && m.isOrdered() && m.what == returnExists {
		p.result = boolBin(true) // a map without order says the opposite
	}
	return p, code
}

// byInterval selects the entries with values from one, included, to another,
// excluded, or without end if it is nil; or those whose values equal the first.
func (m *mapReader) byInterval(from, to []byte, equal bool) (picked, resultCode) {
	if m.isIndexRange() || m.inverted && !m.multi {
		return picked{}, codeNotApplicable
	}
	if m.len() == 0 {
		return m.valueNotFound(-1)
	}
	k := make(mask, m.len())
	less, n := 0, 0
	for i := range k {
		value := m.value(i)
		order := comparePacked(value, from)
		switch {
		case order < 0:
			less++
			continue
		case equal:
			k[i] = order == 0 && (m.multi || n == 0)
		default:
			k[i] = to == nil || comparePacked(value, to) < 0
		}
		if k[i] {
			n++
		}
	}
	if !m.isRank() && !m.isRankRange() {
		less = 0
	}
	if n == 0 {
		if m.inverted {
			m.inverted = false
			return m.all()
		}
		return m.valueNotFound(less)
	}
	if m.inverted {
		k.invert()
	}
	p := m.take(k)
	code := codeOK
	switch {
	case m.isElements():
		p.result, code = m.elements(k.positions())
	case m.isIndex():
		p.result = m.indexes(k)
	default:
		p.result, code = m.rangeResult(less, n, m.len())
	}
	return p, code
}

// byRank selects a run of ranks.
func (m *mapReader) byRank(rank int64, count uint64) (picked, resultCode) {
	start, n, ok := absolute(rank, count, m.len(), m.multi)
	if !ok || m.isIndexRange() || m.inverted && !m.multi {
		return picked{}, codeNotApplicable
	}
	if m.inverted {
		start, n = m.reduce(start, n)
	}
	if n == 0 {
		return m.valueNotFound(start)
	}
	at := m.byValueOrder()[start : start+n]
	k := make(mask, m.len())
	for _, i := range at {
		k[i] = true
	}
	if m.inverted {
		k.invert()
	}
	p := m.take(k)
	if m.inverted || m.what == returnOrderedMap {
		at = k.positions()
	}
	code := codeOK
	switch {
	case m.isIndex():
		var l integerList
		for _, i := range at {
			l.addOne(i, m.len(), m.isReverse())
		}
		p.result = l.bin()
		if !m.multi {
			p.result = m.indexes(k)
		}
	case m.isElements():
		p.result, code = m.elements(at)
	default:
		p.result, code = m.rangeResult(start, n, m.len())
	}
	return p, code
}

// byRelativeIndex selects entries counted from where a key is or belongs.
func (m *mapReader) byRelativeIndex(key []byte, index int64, count uint64) (picked, resultCode) {
	to, _ := lowerBound(0, m.len(), func(i int) int { return comparePacked(key, m.at(i)) })
	index, count = relative(index, count, to)
	return m.byIndex(index, count)
}

// byRelativeRank selects ranks counted from that of a value.
func (m *mapReader) byRelativeRank(value []byte, rank int64, count uint64) (picked, resultCode) {
	to := 0
	for i := range m.len() {
		if comparePacked(m.value(i), value) < 0 {
			to++
		}
	}
	rank, count = relative(rank, count, to)
	return m.byRank(rank, count)
}
