package embedded

// Operations on maps, numbered as in the server's proto.h.
const (
	mapSetType             = 64
	mapAdd                 = 65
	mapAddItems            = 66
	mapPut                 = 67
	mapPutItems            = 68
	mapReplace             = 69
	mapReplaceItems        = 70
	mapIncrement           = 73
	mapDecrement           = 74
	mapClear               = 75
	mapRemoveByKey         = 76
	mapRemoveByIndex       = 77
	mapRemoveByValue       = 78
	mapRemoveByRank        = 79
	mapRemoveByKeyList     = 81
	mapRemoveAllByValue    = 82
	mapRemoveByValueList   = 83
	mapRemoveByKeyRange    = 84
	mapRemoveByIndexRange  = 85
	mapRemoveByValueRange  = 86
	mapRemoveByRankRange   = 87
	mapRemoveByKeyRelIndex = 88
	mapRemoveByValRelRank  = 89
	mapSize                = 96
	mapGetByKey            = 97
	mapGetByIndex          = 98
	mapGetByValue          = 99
	mapGetByRank           = 100
	mapGetAllByValue       = 102
	mapGetByKeyRange       = 103
	mapGetByIndexRange     = 104
	mapGetByValueRange     = 105
	mapGetByRankRange      = 106
	mapGetByKeyList        = 107
	mapGetByValueList      = 108
	mapGetByKeyRelIndex    = 109
	mapGetByValueRelRank   = 110
)

// getOf returns the operation that gets what another removes, 0 if it removes
// nothing.
func getOf(remove int) int {
	switch remove {
	case mapRemoveByKey:
		return mapGetByKey
	case mapRemoveByIndex:
		return mapGetByIndex
	case mapRemoveByValue:
		return mapGetByValue
	case mapRemoveByRank:
		return mapGetByRank
	case mapRemoveByKeyList:
		return mapGetByKeyList
	case mapRemoveAllByValue:
		return mapGetAllByValue
	case mapRemoveByValueList:
		return mapGetByValueList
	case mapRemoveByKeyRange:
		return mapGetByKeyRange
	case mapRemoveByIndexRange:
		return mapGetByIndexRange
	case mapRemoveByValueRange:
		return mapGetByValueRange
	case mapRemoveByRankRange:
		return mapGetByRankRange
	case mapRemoveByKeyRelIndex:
		return mapGetByKeyRelIndex
	case mapRemoveByValRelRank:
		return mapGetByValueRelRank
	}
	return 0
}

// Flags of operations that write to a map.
const (
	mapNoOverwrite = 1 << 0
	mapNoCreate    = 1 << 1
	mapNoFail      = 1 << 2
	mapDoPartial   = 1 << 3
)

// findKey returns where a key is in a map, or belongs, and whether it is there.
func (c *collection) findKey(key []byte) (at int, found bool) {
	return anyMatch(c.len(), func(i int) int { return comparePacked(key, c.at(i)) })
}

// byValueOrder returns the positions of a map's entries in the order of their
// values, and of their keys if those are equal.
func (c *collection) byValueOrder() []int {
	values := make([][]byte, c.len())
	for i := range values {
		values[i] = c.value(i)
	}
	return sortedOrder(c.len(), func(i, j int) int { return comparePacked(values[i], values[j]) })
}

// modifyMap carries out an operation that changes a map.
func (o *cdtOp) modifyMap(t *cdtTarget) (cdtChange, resultCode) {
	p := &o.params
	switch o.code {
	case mapSetType:
		flags := p.unsigned()
		if !p.done() {
			return cdtChange{}, codeParameter
		}
		t.begin(typeMap, 0)
		return setMapFlags(t, byte(flags))
	case mapAdd, mapPut, mapReplace:
		key := p.storage()
		value := p.storage()
		create, write, ok := o.mapPolicy()
		if !ok {
			return cdtChange{}, codeParameter
		}
		t.begin(typeMap, create)
		return putEntry(t, key, value, write)
	case mapAddItems, mapPutItems, mapReplaceItems:
		if o.code == mapReplaceItems && t.absent() {
			return cdtChange{}, codeElementNotFound
		}
		items := p.storage()
		create, write, ok := o.mapPolicy()
		if !ok {
			return cdtChange{}, codeParameter
		}
		t.begin(typeMap, create)
		return putEntries(t, items, write)
	case mapIncrement, mapDecrement:
		key := p.payload()
		delta := p.optionalPayload()
		create := p.optional(0)
		if !p.done() {
			return cdtChange{}, codeParameter
		}
		t.begin(typeMap, create)
		return incrementInMap(t, key, delta, o.code == mapDecrement)
	}
	if o.code > mapDecrement && o.code <= mapRemoveByValRelRank && t.absent() {
		return cdtChange{}, codeOK // nothing to remove
	}
	if o.code == mapClear {
		c, ok := t.parse()
		if !ok {
			return cdtChange{}, codeParameter
		}
		return cdtChange{value: c.pack(0)}, codeOK
	}
	get := getOf(o.code)
	if get == 0 {
		return cdtChange{}, codeParameter
	}
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	m := mapReader{collection: c, removes: true}
	done, code := o.selectFromMap(&m, get)
	return cdtChange{value: done.rest, result: done.result}, code
}

// mapPolicy reads the parameters that come after what is to be written: the order
// of a map that is to be made, and the flags for writing. Older operations imply
// the latter.
func (o *cdtOp) mapPolicy() (create, write uint64, ok bool) {
	p := &o.params
	switch o.code {
	case mapPut, mapPutItems:
		create = p.optional(0)
		write = p.optional(0)
	case mapAdd, mapAddItems:
		create, write = p.optional(0), mapNoOverwrite
	default:
		write = mapNoCreate
	}
	return create, write, p.done()
}

// setMapFlags changes a map's order.
func setMapFlags(t *cdtTarget, flags byte) (cdtChange, resultCode) {
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	if flags&^(flagMapOrders|flagPersistIndex) != 0 {
		return cdtChange{}, codeNotApplicable
	}
	c.flags = flags &^ flagPersistIndex
	return cdtChange{value: c.pack(c.len(), c.body)}, codeOK
}

// putEntry writes one entry. It returns the new size.
func putEntry(t *cdtTarget, key, value []byte, write uint64) (cdtChange, resultCode) {
	key, _, ok := normaliseElement(key)
	if !ok {
		return cdtChange{}, codeParameter
	}
	if e, _, _ := parseElement(key); !e.isMapKey() {
		return cdtChange{}, codeParameter
	}
	if value, _, ok = normaliseElement(value); !ok {
		return cdtChange{}, codeParameter
	}
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	at, found := c.findKey(key)
	if denied := mapDenial(found, write); denied != codeOK {
		if write&mapNoFail != 0 {
			return sized(nil, c.len()), codeOK
		}
		return cdtChange{}, denied
	}
	del := 0
	if found {
		del = 1
	}
	entry := append(key[:len(key):len(key)], value...)
	return sized(c.splice(at, del, 1, entry), c.len()-del+1), codeOK
}

// mapDenial is why an entry may not be written, if it may not.
func mapDenial(found bool, write uint64) resultCode {
	switch {
	case found && write&mapNoOverwrite != 0:
		return codeElementExists
	case !found && write&mapNoCreate != 0:
		return codeElementNotFound
	}
	return codeOK
}

// putEntries writes the entries of a map. It returns the new size.
func putEntries(t *cdtTarget, items []byte, write uint64) (cdtChange, resultCode) {
	items, kind, ok := normaliseElement(items)
	if !ok || kind != typeMap {
		return cdtChange{}, codeParameter
	}
	add, ok := parseCollection(items)
	if !ok {
		return cdtChange{}, codeParameter
	}
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	if add.len() == 0 {
		change, code := t.unchanged()
		change.result = integerBin(int64(c.len()))
		return change, code
	}
	if c.len() == 0 && write&mapNoCreate != 0 {
		return putNoneInto(&add, &c, write)
	}
	body := make([]byte, 0, len(c.body)+len(add.body))
	copied, n := 0, c.len()
	for i := range add.len() {
		at, found := c.findKey(add.at(i))
		if denied := mapDenial(found, write); denied != codeOK {
			switch {
			case write&mapNoFail == 0:
				return cdtChange{}, denied
			case write&mapDoPartial == 0:
				return sized(nil, c.len()), codeOK
			}
			continue
		}
		if at > copied {
			body = append(body, c.span(copied, at-copied)...)
			copied = at
		}
		body = append(body, add.at(i)...)
		if found {
			copied++
		} else {
			n++
		}
	}
	body = append(body, c.span(copied, c.len()-copied)...)
	return sized(c.pack(n, body), n), codeOK
}

// putNoneInto is putEntries for an empty map when nothing may be created. With
// partial success the real server writes all entries then, which is kept.
func putNoneInto(add, c *collection, write uint64) (cdtChange, resultCode) {
	switch {
	case write&mapNoFail == 0:
		return cdtChange{}, codeElementNotFound
	case write&mapDoPartial == 0:
		return sized(nil, 0), codeOK
	}
	return sized(c.pack(add.len(), add.body), add.len()), codeOK
}

// incrementInMap adds to or subtracts from an entry's value. It returns the new
// value.
func incrementInMap(t *cdtTarget, key, delta []byte, negate bool) (cdtChange, resultCode) {
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	var old []byte
	if at, found := c.findKey(key); found {
		old = c.value(at)
	}
	value, result, ok := addPacked(old, delta, negate)
	if !ok {
		return cdtChange{}, codeParameter
	}
	change, code := putEntry(t, key, value, 0)
	change.result = result
	return change, code
}

// readMap carries out an operation that reads a map.
func (o *cdtOp) readMap(c collection) (bin, resultCode) {
	if o.code == mapSize {
		return integerBin(int64(c.len())), codeOK
	}
	m := mapReader{collection: c}
	done, code := o.selectFromMap(&m, o.code)
	return done.result, code
}

// selectFromMap carries out the operations that come in two forms, to get and to
// remove; op is the code of the former.
func (o *cdtOp) selectFromMap(m *mapReader, op int) (picked, resultCode) {
	p := &o.params
	flags := p.unsigned()
	multi := op != mapGetByKey && op != mapGetByIndex && op != mapGetByValue && op != mapGetByRank
	m.selector = newSelector(flags, multi)
	switch op {
	case mapGetByKey:
		if key := p.payload(); p.done() {
			return m.byKey(key)
		}
	case mapGetByIndex:
		if index := p.signed(); p.done() {
			return m.byIndex(index, 1)
		}
	case mapGetByRank:
		if rank := p.signed(); p.done() {
			return m.byRank(rank, 1)
		}
	case mapGetByValue, mapGetAllByValue:
		if value := p.payload(); p.done() {
			return m.byInterval(value, value, true)
		}
	case mapGetByKeyRange:
		from := p.payload()
		if to := p.optionalPayload(); p.done() {
			return m.byKeyInterval(from, to)
		}
	case mapGetByValueRange:
		from := p.payload()
		if to := p.optionalPayload(); p.done() {
			return m.byInterval(from, to, false)
		}
	case mapGetByIndexRange:
		index := p.signed()
		if count := p.optional(allElements); p.done() {
			return m.byIndex(index, count)
		}
	case mapGetByRankRange:
		rank := p.signed()
		if count := p.optional(allElements); p.done() {
			return m.byRank(rank, count)
		}
	case mapGetByKeyList:
		if keys := p.payload(); p.done() {
			return m.byKeys(keys)
		}
	case mapGetByValueList:
		if values := p.payload(); p.done() {
			return m.byValues(values)
		}
	case mapGetByKeyRelIndex:
		key := p.payload()
		index := p.signed()
		if count := p.optional(allElements); p.done() {
			return m.byRelativeIndex(key, index, count)
		}
	case mapGetByValueRelRank:
		value := p.payload()
		rank := p.signed()
		if count := p.optional(allElements); p.done() {
			return m.byRelativeRank(value, rank, count)
		}
	}
	return picked{}, codeParameter
}
