package embedded

// A comparer orders two elements of a collection by their positions.
type comparer func(i, j int) int

// A selectionHeap picks a run of ranks out of unsorted elements. Which of several
// equal elements it picks, and in what order, is visible in replies, so it works
// as the real server's does (cdt.c).
type selectionHeap struct {
	at      []int // positions; the first filled ones are a binary heap
	filled  int
	sign    int // -1: the least is on top, 1: the greatest
	compare comparer
}

// pickRanks returns the positions of the elements with ranks start to
// start+count-1 out of n, and whether they come in ascending order; else they
// come in descending order.
func pickRanks(n, start, count int, compare comparer) (picked []int, ascending bool) {
	h := selectionHeap{at: make([]int, n), filled: n, sign: -1, compare: compare}
	for i := range h.at {
		h.at[i] = i
	}
	discard, tail := start, n-start-count
	if start > tail {
		h.sign, discard = 1, tail
	}
	for i := n/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	end := n - 1
	for range count + discard {
		top := h.at[0]
		h.filled--
		if h.filled >= 0 {
			h.at[0] = h.at[h.filled]
			h.sink(0)
		}
		h.at[end] = top
		end--
	}
	return h.at[h.filled : h.filled+count], h.sign > 0
}

// sink moves the element at i down to its place.
func (h *selectionHeap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= h.filled {
			return
		}
		if right := child + 1; right < h.filled {
			if order := h.compare(h.at[child], h.at[right]); order != h.sign && order != 0 {
				child = right
			}
		}
		if h.compare(h.at[child], h.at[i]) != h.sign {
			return
		}
		h.at[i], h.at[child] = h.at[child], h.at[i]
		i = child
	}
}

// lowerBound returns the first of the sorted elements from start to n that isn't
// less than value, and whether it equals it. compare orders value and the i-th
// element.
func lowerBound(start, n int, compare func(i int) int) (at int, found bool) {
	end := n
	for end > start {
		mid := int(uint(start+end) >> 1)
		if compare(mid) > 0 {
			start = mid + 1
		} else {
			end = mid
		}
	}
	return start, start < n && compare(start) == 0
}

// upperBound returns the first of the sorted elements from start to n that is
// greater than value.
func upperBound(start, n int, compare func(i int) int) int {
	for n > start {
		mid := int(uint(start+n) >> 1)
		if compare(mid) < 0 {
			n = mid
		} else {
			start = mid + 1
		}
	}
	return start
}

// anyMatch returns the place of value among n sorted elements, as the real
// server's binary search finds it: of several equal elements the first that it
// hits, which decides where a new equal one goes.
func anyMatch(n int, compare func(i int) int) (at int, found bool) {
	if n == 0 {
		return 0, false
	}
	lower, upper := 0, n
	for at = n / 2; ; {
		switch order := compare(at); {
		case order == 0:
			return at, true
		case order > 0:
			if at >= upper-1 {
				return at + 1, false
			}
			lower = at + 1
			at = (at + upper) / 2
		default:
			if at == lower {
				return at, false
			}
			upper = at
			at = (at + lower) / 2
		}
	}
}

// maxMatches bounds how often elements may be selected when several items are
// looked for. Items that are repeated select the same elements again; the answer
// to a small request could take memory and time without bound.
const maxMatches = 1 << 22

// splitItems takes a list of items apart, which need not be normalised.
func splitItems(list []byte) ([][]byte, bool) {
	const maxItems = 1 << 20
	e, rest, ok := parseElement(list)
	if !ok || e.kind != typeList || e.count > maxItems {
		return nil, false
	}
	items := make([][]byte, e.count)
	for i := range items {
		if items[i], rest, _, ok = skipPacked(rest); !ok {
			return nil, false
		}
	}
	return items, true
}

// A match is the outcome of looking for several items in unsorted elements.
type match struct {
	found mask  // elements that equal an item
	order []int // the items, sorted
	runs  runs  // by item: the rank it has among the elements, and how many equal it
}

// matchItems looks for items among n elements.
func matchItems(items [][]byte, n int, at func(i int) []byte) match {
	m := match{found: make(mask, n), runs: make(runs, len(items))}
	m.order = sortedOrder(len(items), func(i, j int) int { return comparePacked(items[i], items[j]) })
	for i := range n {
		value := at(i)
		end := upperBound(0, len(items), func(k int) int { return comparePacked(value, items[m.order[k]]) })
		if end > 0 && comparePacked(value, items[m.order[end-1]]) == 0 {
			m.found[i] = true
			m.runs[m.order[end-1]].count++
		}
		if end < len(items) {
			m.runs[m.order[end]].start++
		}
	}
	for k := 1; k < len(items); k++ {
		m.runs[m.order[k]].start += m.runs[m.order[k-1]].start
	}
	return m
}

// ranks returns the rank of each of n elements: how many are less than it.
func ranks(n int, compare comparer) []int {
	order := sortedOrder(n, compare)
	rank := make([]int, n)
	for k, i := range order {
		rank[i] = k
		if k > 0 && compare(order[k-1], i) == 0 {
			rank[i] = rank[order[k-1]]
		}
	}
	return rank
}

// absolute turns an index and a count, as clients give them, into those of a
// collection of n elements. An index below 0 counts from the end. It reports
// false if a single element is asked for that isn't there.
func absolute(index int64, count uint64, n int, multi bool) (start, length int, ok bool) {
	size := int64(n)
	switch {
	case index >= size:
		return n, 0, multi
	case index < 0:
		if index += size; index >= 0 {
			break
		}
		if before := uint64(-index); before < count {
			length = int(min(count-before, uint64(n)))
		}
		return 0, length, multi
	}
	return int(index), int(min(count, uint64(size-index))), true
}

// relative turns an index relative to another, and a count, into absolute ones.
func relative(index int64, count uint64, to int) (int64, uint64) {
	if index += int64(to); index >= 0 {
		return index, count
	}
	before := uint64(-index)
	if count <= before {
		return 0, 0
	}
	return 0, count - before
}
