package embedded

// byKeys selects the entries with any of several keys.
func (m *mapReader) byKeys(list []byte) (picked, resultCode) {
	items, ok := splitItems(list)
	switch {
	case !ok:
		return picked{}, codeParameter
	case m.isRank() || m.isRankRange() || m.isIndexRange():
		return picked{}, codeNotApplicable
	case len(items) == 0:
		return m.byNoItem()
	}
	var found match
	if m.isOrdered() {
		if found, ok = m.matchKeys(items); !ok {
			return picked{}, codeParameter
		}
	} else {
		found = matchItems(items, m.len(), m.at)
	}
	if m.inverted {
		found.found.invert()
	}
	p, code := m.byMask(found.found)
	switch {
	case !m.isIndex():
	case m.isOrdered() && m.inverted:
		p.result = m.indexes(found.found)
	case m.isOrdered():
		p.result = m.ofRuns(found.runs, m.len())
	default:
		p.result = m.ofSortedRuns(found.runs, found.order, m.len())
	}
	return p, code
}

// matchKeys looks for keys. It reports false if there are too many matches.
func (m *mapReader) matchKeys(items [][]byte) (match, bool) {
	found := match{found: make(mask, m.len()), runs: make(runs, len(items))}
	total := 0
	for i, item := range items {
		compare := func(k int) int { return comparePacked(item, m.at(k)) }
		start, ok := lowerBound(0, m.len(), compare)
		found.runs[i].start = start
		if !ok {
			continue
		}
		end := upperBound(start, m.len(), compare)
		found.runs[i].count = end - start
		if total += end - start; total > maxMatches {
			return match{}, false
		}
		for k := start; k < end; k++ {
			found.found[k] = true
		}
	}
	return found, true
}

// byNoItem is the outcome of a search for no item at all.
func (m *mapReader) byNoItem() (picked, resultCode) {
	if m.inverted {
		m.inverted = false
		return m.all()
	}
	result, _ := m.notFound(0)
	return picked{result: result}, codeOK
}

// byMask selects what a mask marks and makes the result for the kinds that it
// suffices for; indexes and ranks are left to the caller.
func (m *mapReader) byMask(k mask) (picked, resultCode) {
	p := m.take(k)
	code := codeOK
	switch {
	case m.what == returnNone || m.isIndex() || m.isRank():
	case m.what == returnCount:
		p.result = integerBin(int64(k.count()))
	case m.what == returnExists:
		p.result = boolBin(k.count() != 0)
	case m.isElements():
		p.result, code = m.elements(k.positions())
	default:
		code = codeNotApplicable
	}
	return p, code
}

// byValues selects the entries with any of several values.
func (m *mapReader) byValues(list []byte) (picked, resultCode) {
	items, ok := splitItems(list)
	switch {
	case !ok:
		return picked{}, codeParameter
	case m.isRankRange() || m.isIndexRange():
		return picked{}, codeNotApplicable
	case len(items) == 0:
		return m.byNoItem()
	}
	found := matchItems(items, m.len(), m.value)
	if m.inverted {
		found.found.invert()
	}
	p, code := m.byMask(found.found)
	switch {
	case m.isIndex():
		p.result = m.indexes(found.found)
	case m.isRank():
		p.result = m.ofSortedRuns(found.runs, found.order, m.len())
	}
	return p, code
}
