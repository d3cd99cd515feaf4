package embedded

import "encoding/binary"

// flagPersistIndex asks the real server to keep an index of a top-level
// collection. It makes no difference to what is stored here, so it's dropped.
const flagPersistIndex = 0x10

// setListFlags changes a list's order.
func setListFlags(t *cdtTarget, flags byte) (cdtChange, resultCode) {
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	if flags&^(flagOrdered|flagPersistIndex) != 0 {
		return cdtChange{}, codeNotApplicable
	}
	flags &^= flagPersistIndex
	if flags == c.flags {
		return t.unchanged()
	}
	body := c.body
	if flags == flagOrdered {
		order := sortedOrder(c.len(), func(i, j int) int { return comparePacked(c.at(i), c.at(j)) })
		body = c.reorder(order)
	}
	return cdtChange{value: packCollection(typeList, flags, c.len(), body)}, codeOK
}

// reorder returns the elements at the positions that order gives.
func (c *collection) reorder(order []int) []byte {
	body := make([]byte, 0, len(c.body))
	for _, i := range order {
		body = append(body, c.at(i)...)
	}
	return body
}

// existsCode is the outcome of a write that would repeat a value.
func existsCode(write uint64) resultCode {
	if write&listNoFail != 0 {
		return codeOK
	}
	return codeElementExists
}

// isPartial reports whether what can be written is to be, and the rest left out.
func isPartial(write uint64) bool {
	return write&(listNoFail|listDoPartial) == listNoFail|listDoPartial
}

// listItems takes the items of a write apart, which is one value or a list.
func listItems(value []byte, many bool) (collection, resultCode) {
	stored, kind, ok := normaliseElement(value)
	if !ok || many && kind != typeList {
		return collection{}, codeParameter
	}
	if many {
		c, ok := parseCollection(stored)
		if !ok {
			return collection{}, codeParameter
		}
		return c, codeOK
	}
	return collection{kind: typeList, body: stored, offs: []int{0, len(stored)}}, codeOK
}

// appendToList adds one value or many to a list: at the end, or where they belong
// if the list is sorted. It returns the new size.
func appendToList(t *cdtTarget, value []byte, many bool, write uint64) (cdtChange, resultCode) {
	items, code := listItems(value, many)
	if code != codeOK {
		return cdtChange{}, code
	}
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	switch {
	case !c.isOrdered():
		return insertItems(t, &c, int64(c.len()), &items, many, write)
	case many:
		return mergeItems(t, &c, &items, write)
	}
	at, found := anyMatch(c.len(), func(i int) int { return comparePacked(items.body, c.at(i)) })
	if found && write&listAddUnique != 0 {
		return sized(nil, c.len()), existsCode(write)
	}
	return sized(c.splice(at, 0, 1, items.body), c.len()+1), codeOK
}

// sized is a change that returns the number of elements.
func sized(value []byte, n int) cdtChange {
	return cdtChange{value: value, result: integerBin(int64(n))}
}

// placedItems returns the target's list, which must not be ordered, and the values
// to put at a place in it.
func placedItems(t *cdtTarget, value []byte, many bool) (c collection, items collection, code resultCode) {
	if items, code = listItems(value, many); code != codeOK {
		return c, items, code
	}
	c, ok := t.parse()
	switch {
	case !ok:
		return c, items, codeParameter
	case c.isOrdered():
		return c, items, codeNotApplicable
	}
	return c, items, codeOK
}

// insertIntoList inserts one value or many.
func insertIntoList(t *cdtTarget, index int64, value []byte, many bool, write uint64) (cdtChange, resultCode) {
	c, items, code := placedItems(t, value, many)
	if code != codeOK {
		return cdtChange{}, code
	}
	return insertItems(t, &c, index, &items, many, write)
}

// insertItems inserts items into an unsorted list. Beyond the end, nils fill the
// gap.
func insertItems(t *cdtTarget, c *collection, index int64, items *collection, many bool, write uint64) (cdtChange, resultCode) {
	size := c.len()
	if many && items.len() == 0 {
		change, code := t.unchanged()
		change.result = integerBin(int64(size))
		return change, code
	}
	if index < 0 {
		index += int64(size)
	}
	if index < 0 || index > maxInt32 {
		return cdtChange{}, codeNotApplicable
	}
	at := int(index)
	if at > size && write&listInsertBounded != 0 {
		if write&listNoFail != 0 {
			return sized(nil, size), codeOK
		}
		return cdtChange{}, codeNotApplicable
	}
	body, n := items.body, items.len()
	if write&listAddUnique != 0 {
		var code resultCode
		if body, n, code = newItems(c, items, many, write); n == 0 {
			return sized(nil, size), code
		}
	}
	if at-size > t.limit {
		return cdtChange{}, codeRecordTooBig
	}
	if at <= size {
		return sized(c.splice(at, 0, n, body), size+n), codeOK
	}
	return sized(c.pack(at+n, c.body, nils(at-size), body), at+n), codeOK
}

// nils returns n elements that are nil.
func nils(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 0xC0
	}
	return b
}

// newItems returns the items that aren't in the list yet, and aren't repeated. If
// there are others and the flags don't allow to leave them out, it returns none.
func newItems(c, items *collection, many bool, write uint64) ([]byte, int, resultCode) {
	size := c.len()
	at := func(i int) []byte {
		if i < size {
			return c.at(i)
		}
		return items.at(i - size)
	}
	compare := func(i, j int) int { return comparePacked(at(i), at(j)) }
	order := sortedOrder(size+items.len(), compare)
	first := make([]int, len(order)) // the first that equals each
	for k, i := range order {
		first[i] = i
		if k > 0 && compare(order[k-1], i) == 0 {
			first[i] = first[order[k-1]]
		}
	}
	var body []byte
	n := 0
	for i := range items.len() {
		switch same := first[size+i]; {
		case same == size+i:
			body = append(body, items.at(i)...)
			n++
		case same < size: // it is in the list
			if !many || !isPartial(write) {
				return nil, 0, existsCode(write)
			}
		case write&listNoFail == 0:
			return nil, 0, codeNotApplicable
		case !isPartial(write):
			return nil, 0, codeOK
		}
	}
	return body, n, existsCode(write)
}

// mergeItems adds items to a sorted list.
func mergeItems(t *cdtTarget, c, items *collection, write uint64) (cdtChange, resultCode) {
	size := c.len()
	if items.len() == 0 {
		change, code := t.unchanged()
		change.result = integerBin(int64(size))
		return change, code
	}
	order := sortedOrder(items.len(), func(i, j int) int { return comparePacked(items.at(i), items.at(j)) })
	unique := write&listAddUnique != 0
	if unique {
		kept := dropRepeated(items, order)
		if len(kept) != len(order) {
			switch {
			case write&listNoFail == 0:
				return cdtChange{}, codeNotApplicable
			case !isPartial(write):
				return sized(nil, size), codeOK
			}
		}
		order = kept
	}
	body := make([]byte, 0, len(c.body)+len(items.body))
	copied, n := 0, size
	for _, i := range order {
		item := items.at(i)
		at, found := anyMatch(size, func(k int) int { return comparePacked(item, c.at(k)) })
		if found && unique {
			if !isPartial(write) {
				return sized(nil, size), existsCode(write)
			}
			continue
		}
		if at > copied {
			body = append(body, c.span(copied, at-copied)...)
			copied = at
		}
		body = append(body, item...)
		n++
	}
	body = append(body, c.span(copied, size-copied)...)
	return sized(c.pack(n, body), n), codeOK
}

// dropRepeated returns the sorted positions without those of elements that equal
// the one before.
func dropRepeated(c *collection, order []int) []int {
	kept := make([]int, 0, len(order))
	for k, i := range order {
		if k == 0 || comparePacked(c.at(order[k-1]), c.at(i)) != 0 {
			kept = append(kept, i)
		}
	}
	return kept
}

// setListElement writes an element.
func setListElement(t *cdtTarget, index int64, value []byte, write uint64) (cdtChange, resultCode) {
	c, items, code := placedItems(t, value, false)
	if code != codeOK {
		return cdtChange{}, code
	}
	switch {
	case index >= int64(c.len()):
		change, code := insertItems(t, &c, index, &items, false, write)
		change.result = bin{}
		return change, code
	}
	if index < 0 {
		index += int64(c.len())
	}
	if index < 0 {
		return cdtChange{}, codeNotApplicable
	}
	at := int(index)
	if write&listAddUnique != 0 {
		for i := range c.len() {
			if i != at && comparePacked(c.at(i), items.body) == 0 {
				return cdtChange{}, existsCode(write)
			}
		}
	}
	return cdtChange{value: c.splice(at, 1, 1, items.body)}, codeOK
}

// incrementInList adds to an element, by 1 unless a delta is given. It returns
// the new value.
func incrementInList(t *cdtTarget, index int64, delta []byte, write uint64) (cdtChange, resultCode) {
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	if index < 0 {
		index += int64(c.len())
	}
	if index < 0 || index > maxInt32 {
		return cdtChange{}, codeNotApplicable
	}
	at := int(index)
	var old []byte
	if at < c.len() {
		old = c.at(at)
	}
	value, result, ok := addPacked(old, delta, false)
	if !ok {
		return cdtChange{}, codeParameter
	}
	var change cdtChange
	code := codeOK
	if c.isOrdered() {
		change, code = replaceOrdered(&c, at, value, write)
	} else {
		change, code = setListElement(t, index, value, write)
	}
	change.result = result
	return change, code
}

// replaceOrdered replaces an element of a sorted list, or adds one behind the end.
func replaceOrdered(c *collection, at int, value []byte, write uint64) (cdtChange, resultCode) {
	size := c.len()
	if at > size {
		return cdtChange{}, codeNotApplicable
	}
	rank, found := lowerBound(0, size, func(i int) int { return comparePacked(value, c.at(i)) })
	if found && write&listAddUnique != 0 {
		if rank == at {
			return cdtChange{}, codeOK
		}
		return cdtChange{}, existsCode(write)
	}
	return cdtChange{value: c.move(at, rank, value)}, codeOK
}

// move returns the collection with the element at one place, if there is one,
// taken out, and value put in before what is at the other place.
func (c *collection) move(from, to int, value []byte) []byte {
	size := c.len()
	if from >= size {
		return c.splice(to, 0, 1, value)
	}
	if to <= from {
		return c.pack(size, c.body[:c.offs[to]], value, c.body[c.offs[to]:c.offs[from]], c.body[c.offs[from+1]:])
	}
	return c.pack(size, c.body[:c.offs[from]], c.body[c.offs[from+1]:c.offs[to]], value, c.body[c.offs[to]:])
}

// sortList sorts a list, or drops repeated elements.
func sortList(t *cdtTarget, flags uint64) (cdtChange, resultCode) {
	if t.absent() {
		return cdtChange{}, codeOK
	}
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	if c.len() <= 1 {
		return cdtChange{}, codeOK
	}
	order := sortedOrder(c.len(), func(i, j int) int {
		switch {
		case c.isOrdered():
			return i - j
		case flags&sortDescending != 0:
			return comparePacked(c.at(j), c.at(i))
		}
		return comparePacked(c.at(i), c.at(j))
	})
	if flags&sortDropDuplicates != 0 {
		first, last := c.at(order[0]), c.at(order[len(order)-1])
		if comparePacked(first, last) > 0 {
			return cdtChange{}, codeParameter // sic: duplicates aren't dropped in descending order
		}
		order = dropRepeated(&c, order)
	}
	return cdtChange{value: c.pack(len(order), c.reorder(order))}, codeOK
}

// addPacked adds delta, or 1 if that is nil, to a number, or to 0 if that is nil.
// The sum has the number's type.
func addPacked(number, delta []byte, negate bool) (sum []byte, result bin, ok bool) {
	step, stepDouble, isDouble := int64(1), 1.0, false
	if delta != nil {
		d, _, _ := parseElement(delta)
		switch d.kind {
		case typeInteger, typeNegative:
			step = int64(d.number)
			stepDouble = float64(step)
		case typeDouble:
			stepDouble, isDouble = d.double, true
			step = int64(d.double)
		case typeNil:
		default:
			return nil, bin{}, false
		}
	}
	if negate {
		step, stepDouble = -step, -stepDouble
	}
	base := 0.0
	if number != nil {
		n, _, _ := parseElement(number)
		switch n.kind {
		case typeInteger, typeNegative:
			step += int64(n.number)
			isDouble = false
		case typeDouble:
			base, isDouble = n.double, true
		default:
			return nil, bin{}, false
		}
	}
	if isDouble {
		sum = packDouble(base + stepDouble)
		return sum, bin{particle: particleFloat, value: sum[1:]}, true
	}
	return packInteger(nil, step), bin{particle: particleInteger, value: binary.BigEndian.AppendUint64(nil, uint64(step))}, true
}
