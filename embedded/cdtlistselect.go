package embedded

import "slices"

// A picked is what an operation has selected from a collection: the result for
// the client, and the collection without the selection, nil if nothing is to be
// removed. The latter is only made if the operation removes.
type picked struct {
	result bin
	rest   []byte
}

// A listReader selects elements of a list, to return or to remove them.
type listReader struct {
	collection
	selector
	removes bool
}

// compareAt orders two elements by their positions.
func (l *listReader) compareAt(i, j int) int { return comparePacked(l.at(i), l.at(j)) }

// against returns a function that orders value and the i-th element.
func (l *listReader) against(value []byte) func(i int) int {
	return func(i int) int { return comparePacked(value, l.at(i)) }
}

// none is notFound for lists, which have no keys.
func (l *listReader) none(index int) (picked, resultCode) {
	if l.what == returnKey || l.isMap() {
		return picked{}, codeNotApplicable
	}
	result, code := l.notFound(index)
	return picked{result: result}, code
}

// byIndex selects a run of elements.
func (l *listReader) byIndex(index int64, count uint64) (picked, resultCode) {
	start, n, ok := absolute(index, count, l.len(), l.multi)
	if !ok {
		return picked{}, codeNotApplicable
	}
	if l.inverted {
		if !l.multi || l.isIndexRange() || l.isRankRange() {
			return picked{}, codeNotApplicable
		}
		l.inverted = false
		switch {
		case n == 0:
			start, n = 0, l.len()
		case start == 0:
			start, n = n, l.len()-n
		case start+n >= l.len():
			start, n = 0, start
		default:
			return l.trim(start, n)
		}
	}
	if n == 0 {
		return l.none(start)
	}
	var p picked
	if l.removes {
		p.rest = l.splice(start, n, 0, nil)
	}
	code := codeOK
	switch {
	case l.what == returnNone || l.what == returnCount || l.what == returnExists || l.isIndex():
		p.result, code = l.run(start, n, l.len())
	case l.isRank() && n == l.len():
		p.result, code = l.run(0, n, l.len())
	case l.isRank():
		p.result = l.ranksOf(start, n, 0, 0)
	case l.what == returnValue && l.multi:
		p.result = listBin(n, l.span(start, n))
	case l.what == returnValue:
		if p.result, ok = packedBin(l.at(start)); !ok {
			code = codeUnknown
		}
	case l.isIndexRange() || l.isRankRange() && l.isOrdered():
		p.result, code = l.rangeResult(start, n, l.len())
	default:
		code = codeNotApplicable
	}
	return p, code
}

// ranksOf is the result for the ranks of two runs of elements.
func (l *listReader) ranksOf(start, n, start2, n2 int) bin {
	size := l.len()
	if !l.multi {
		r := start
		if !l.isOrdered() {
			r = l.lessThan(l.at(start))
		}
		if l.isReverse() {
			r = size - r - 1
		}
		return integerBin(int64(r))
	}
	var list integerList
	if l.isOrdered() {
		list.addRange(start, n, size, l.isReverse())
		list.addRange(start2, n2, size, l.isReverse())
		return list.bin()
	}
	rank := ranks(size, l.compareAt)
	for _, r := range rank[start : start+n] {
		list.addOne(r, size, l.isReverse())
	}
	for _, r := range rank[start2 : start2+n2] {
		list.addOne(r, size, l.isReverse())
	}
	return list.bin()
}

// lessThan is the number of elements that are less than value.
func (l *listReader) lessThan(value []byte) int {
	n := 0
	for i := range l.len() {
		if comparePacked(l.at(i), value) < 0 {
			n++
		}
	}
	return n
}

// trim selects what is before and behind a run of elements.
func (l *listReader) trim(start, n int) (picked, resultCode) {
	var p picked
	end, size := start+n, l.len()
	if l.removes {
		p.rest = l.pack(n, l.span(start, n))
	}
	switch {
	case l.what == returnNone:
	case l.what == returnCount:
		p.result = integerBin(int64(size - n))
	case l.what == returnExists:
		p.result = boolBin(size != n)
	case l.isIndex():
		var list integerList
		list.addRange(0, start, size, l.isReverse())
		list.addRange(end, size-end, size, l.isReverse())
		p.result = list.bin()
	case l.isRank():
		p.result = l.ranksOf(0, start, end, size-end)
	case l.what == returnValue:
		p.result = listBin(size-n, l.span(0, start), l.span(end, size-end))
	default:
		return picked{}, codeNotApplicable
	}
	return p, codeOK
}

// byInterval selects the elements from one value, included, to another, excluded,
// or without end if it is nil; or those equal to the first value.
func (l *listReader) byInterval(from, to []byte, equal bool) (picked, resultCode) {
	if l.inverted && !l.multi {
		return picked{}, codeNotApplicable
	}
	if l.isOrdered() {
		rank, n := l.orderedInterval(from, to, equal)
		if n == 0 && !l.multi {
			return l.none(0)
		}
		return l.byIndex(int64(rank), uint64(n))
	}
	less, matches := 0, 0
	m := make(mask, l.len())
	for i := range m {
		order := comparePacked(l.at(i), from)
		inside := order >= 0
		switch {
		case order < 0:
			less++
		case equal:
			inside = order == 0 && (l.multi || matches == 0)
		case to != nil:
			inside = comparePacked(l.at(i), to) < 0
		}
		if inside {
			matches++
		}
		m[i] = inside != l.inverted
	}
	n := m.count()
	var p picked
	if l.removes && n > 0 {
		p.rest = l.without(m)
	}
	code := codeOK
	switch {
	case l.isIndex() && l.multi:
		p.result = l.indexes(m)
	case l.isIndex():
		p.result, code = l.run(m.first(), n, l.len())
	case l.what == returnValue:
		p.result, code = l.values(m)
	case l.isIndexRange():
		code = codeNotApplicable
	default:
		if l.inverted {
			n = l.len() - n
		}
		p.result, code = l.rangeResult(less, n, l.len())
	}
	return p, code
}

// orderedInterval is where an interval lies in a sorted list.
func (l *listReader) orderedInterval(from, to []byte, equal bool) (rank, n int) {
	size := l.len()
	rank, found := lowerBound(0, size, l.against(from))
	switch {
	case equal && !found:
		return rank, 0
	case equal && l.multi:
		return rank, upperBound(rank+1, size, l.against(from)) - rank
	case equal:
		return rank, 1
	case to == nil:
		return rank, size - rank
	case comparePacked(from, to) >= 0:
		return rank, 0
	}
	end, _ := lowerBound(rank, size, l.against(to))
	return rank, end - rank
}

// values is the result for the elements that a mask marks.
func (l *listReader) values(m mask) (bin, resultCode) {
	if l.multi {
		body, n := l.gather(m, true)
		return listBin(n, body), codeOK
	}
	i := m.first()
	if i == len(m) {
		return bin{}, codeOK
	}
	b, ok := packedBin(l.at(i))
	if !ok {
		return bin{}, codeUnknown
	}
	return b, codeOK
}

// byRank selects a run of ranks.
func (l *listReader) byRank(rank int64, count uint64) (picked, resultCode) {
	if l.inverted && !l.multi {
		return picked{}, codeNotApplicable
	}
	if l.isOrdered() {
		return l.byIndex(rank, count)
	}
	start, n, ok := absolute(rank, count, l.len(), l.multi)
	if !ok {
		return picked{}, codeNotApplicable
	}
	at, _ := pickRanks(l.len(), start, n, l.compareAt)
	m := make(mask, l.len())
	for _, i := range at {
		m[i] = true
	}
	if l.inverted {
		m.invert()
	}
	selected := m.count()
	if selected == 0 {
		return l.none(start)
	}
	if l.inverted && l.isRankRange() {
		return picked{}, codeNotApplicable
	}
	var p picked
	if l.removes {
		p.rest = l.without(m)
	}
	code := codeOK
	switch {
	case l.isIndex():
		p.result = l.indexes(m)
	case l.what == returnValue && !l.inverted && l.multi:
		body := make([]byte, 0, len(l.body))
		for _, i := range at {
			body = append(body, l.at(i)...)
		}
		p.result = listBin(n, body)
	case l.what == returnValue:
		p.result, code = l.values(m)
	case l.isIndexRange():
		code = codeNotApplicable
	default:
		p.result, code = l.rangeResult(start, n, l.len())
	}
	return p, code
}

// byRelativeRank selects ranks counted from that of a value.
func (l *listReader) byRelativeRank(value []byte, rank int64, count uint64) (picked, resultCode) {
	if l.isOrdered() {
		to, _ := l.orderedInterval(value, value, true)
		rank, count = relative(rank, count, to)
		return l.byIndex(rank, count)
	}
	rank, count = relative(rank, count, l.lessThan(value))
	return l.byRank(rank, count)
}

// byValues selects the elements that equal any of several values.
func (l *listReader) byValues(list []byte) (picked, resultCode) {
	if l.isIndexRange() || l.isRankRange() {
		return picked{}, codeNotApplicable
	}
	items, ok := splitItems(list)
	if !ok {
		return picked{}, codeParameter
	}
	if len(items) == 0 {
		if !l.inverted {
			return l.none(0)
		}
		l.inverted = false
		return l.byIndex(0, uint64(l.len()))
	}
	if l.isOrdered() {
		return l.byValuesOrdered(items)
	}
	found := matchItems(items, l.len(), l.at)
	m := slices.Clone(found.found)
	if l.inverted {
		m.invert()
	}
	p, code := l.removeMasked(m)
	if l.isRank() {
		p.result, code = l.ofSortedRuns(found.runs, found.order, l.len()), codeOK
	}
	return p, code
}

// byValuesOrdered is byValues for a sorted list.
func (l *listReader) byValuesOrdered(items [][]byte) (picked, resultCode) {
	found := make(runs, len(items))
	m := make(mask, l.len())
	var values [][]byte
	total, size := 0, 0
	for i, item := range items {
		start, ok := lowerBound(0, l.len(), l.against(item))
		found[i].start = start
		if !ok {
			continue
		}
		end := upperBound(start, l.len(), l.against(item))
		found[i].count = end - start
		span := l.span(start, end-start)
		total += end - start
		if size += len(span); total > maxMatches || size > maxMessage {
			return picked{}, codeParameter
		}
		values = append(values, span)
		for k := start; k < end; k++ {
			m[k] = true
		}
	}
	if l.inverted {
		m.invert()
	}
	p, code := l.removeMasked(m)
	switch {
	case code != codeOK || l.inverted && !l.isRank():
	case l.inverted:
		p.result = l.indexes(m)
	case l.isIndex() || l.isRank():
		p.result = l.ofRuns(found, l.len())
	case l.what == returnValue:
		p.result = listBin(total, values...)
	}
	return p, code
}

// removeMasked removes what a mask marks, if the operation removes, and makes
// the result for the kinds that a mask suffices for; ranks are left to the caller.
func (l *listReader) removeMasked(m mask) (picked, resultCode) {
	var p picked
	n := m.count()
	if l.removes && n > 0 {
		p.rest = l.without(m)
	}
	switch {
	case l.what == returnNone || l.isRank():
	case l.isIndex():
		p.result = l.indexes(m)
	case l.what == returnCount:
		p.result = integerBin(int64(n))
	case l.what == returnExists:
		p.result = boolBin(n != 0)
	case l.what == returnValue:
		body, n := l.gather(m, true)
		p.result = listBin(n, body)
	default:
		return picked{}, codeNotApplicable
	}
	return p, codeOK
}
