package embedded

// Operations on lists, numbered as in the server's proto.h.
const (
	listSetType               = 0
	listAppend                = 1
	listAppendItems           = 2
	listInsert                = 3
	listInsertItems           = 4
	listPop                   = 5
	listPopRange              = 6
	listRemove                = 7
	listRemoveRange           = 8
	listSet                   = 9
	listTrim                  = 10
	listClear                 = 11
	listIncrement             = 12
	listSort                  = 13
	listSize                  = 16
	listGet                   = 17
	listGetRange              = 18
	listGetByIndex            = 19
	listGetByValue            = 20
	listGetByRank             = 21
	listGetAllByValue         = 22
	listGetAllByValueList     = 23
	listGetByIndexRange       = 24
	listGetByValueInterval    = 25
	listGetByRankRange        = 26
	listGetByValueRelRank     = 27
	listRemoveByIndex         = 32
	listRemoveByValue         = 33
	listRemoveByRank          = 34
	listRemoveAllByValue      = 35
	listRemoveAllByValueList  = 36
	listRemoveByIndexRange    = 37
	listRemoveByValueInterval = 38
	listRemoveByRankRange     = 39
	listRemoveByValueRelRank  = 40
	listRemoveOffset          = listRemoveByIndex - listGetByIndex // from a get to its remove
	firstMapOp                = 64
)

// Flags of operations that write to a list.
const (
	listAddUnique     = 1 << 0
	listInsertBounded = 1 << 1
	listNoFail        = 1 << 2
	listDoPartial     = 1 << 3
)

// Flags of a list's sort.
const (
	sortDescending     = 1 << 0
	sortDropDuplicates = 1 << 1
)

const maxInt32 = 1<<31 - 1

// allElements is the count that an operation has which gives none.
const allElements = 1<<32 - 1

// modifyList carries out an operation that changes a list.
func (o *cdtOp) modifyList(t *cdtTarget) (cdtChange, resultCode) {
	p := &o.params
	switch o.code {
	case listSetType:
		flags := p.unsigned()
		if !p.done() {
			return cdtChange{}, codeParameter
		}
		t.begin(typeList, 0)
		return setListFlags(t, byte(flags))
	case listAppend, listAppendItems:
		value := p.storage()
		create, write := p.optional(0), p.optional(0)
		if !p.done() {
			return cdtChange{}, codeParameter
		}
		t.begin(typeList, create)
		return appendToList(t, value, o.code == listAppendItems, write)
	case listInsert, listInsertItems:
		index := p.signed()
		value := p.storage()
		write := p.optional(0)
		if !p.done() {
			return cdtChange{}, codeParameter
		}
		t.begin(typeList, 0)
		return insertIntoList(t, index, value, o.code == listInsertItems, write)
	case listSet:
		index := p.signed()
		value := p.storage()
		write := p.optional(0)
		if !p.done() {
			return cdtChange{}, codeParameter
		}
		t.begin(typeList, 0)
		return setListElement(t, index, value, write)
	case listIncrement:
		index := p.signed()
		delta := p.optionalPayload()
		create, write := p.optional(0), p.optional(0)
		if !p.done() {
			return cdtChange{}, codeParameter
		}
		t.begin(typeList, create)
		return incrementInList(t, index, delta, write)
	case listSort:
		flags := p.optional(0)
		switch {
		case t.noBin:
			return cdtChange{}, codeIncompatibleType
		case !p.done():
			return cdtChange{}, codeParameter
		}
		return sortList(t, flags)
	}
	if t.absent() {
		return cdtChange{}, codeOK // nothing to remove
	}
	if o.code == listClear {
		c, ok := t.parse()
		if !ok {
			return cdtChange{}, codeParameter
		}
		return cdtChange{value: packCollection(typeList, c.flags&flagOrdered, 0)}, codeOK
	}
	return o.removeFromList(t)
}

// removeFromList carries out an operation that removes elements.
func (o *cdtOp) removeFromList(t *cdtTarget) (cdtChange, resultCode) {
	c, ok := t.parse()
	if !ok {
		return cdtChange{}, codeParameter
	}
	l := listReader{collection: c, removes: true}
	p := &o.params
	var done picked
	code := codeParameter
	switch o.code {
	case listRemove, listPop:
		l.what = returnCount
		if o.code == listPop {
			l.what = returnValue
		}
		if index := p.signed(); p.done() {
			done, code = l.byIndex(index, 1)
		}
	case listRemoveRange, listPopRange, listTrim:
		l.selector = selector{what: returnCount, multi: true, inverted: o.code == listTrim}
		if o.code == listPopRange {
			l.what = returnValue
		}
		index := p.signed()
		if count := p.optional(allElements); p.done() {
			done, code = l.byIndex(index, count)
		}
	default:
		if o.code >= listRemoveByIndex {
			done, code = o.selectFromList(&l, o.code-listRemoveOffset)
		}
	}
	return cdtChange{value: done.rest, result: done.result}, code
}

// readList carries out an operation that reads a list.
func (o *cdtOp) readList(c collection) (bin, resultCode) {
	l := listReader{collection: c}
	p := &o.params
	var done picked
	code := codeParameter
	switch o.code {
	case listSize:
		return integerBin(int64(c.len())), codeOK
	case listGet:
		l.what = returnValue
		if index := p.signed(); p.done() {
			done, code = l.byIndex(index, 1)
		}
	case listGetRange:
		l.selector = selector{what: returnValue, multi: true}
		index := p.signed()
		if count := p.optional(allElements); p.done() {
			done, code = l.byIndex(index, count)
		}
	default:
		done, code = o.selectFromList(&l, o.code)
	}
	return done.result, code
}

// selectFromList carries out the operations that come in two forms, to get and to
// remove; op is the code of the former.
func (o *cdtOp) selectFromList(l *listReader, op int) (picked, resultCode) {
	p := &o.params
	flags := p.unsigned()
	multi := op != listGetByIndex && op != listGetByValue && op != listGetByRank
	l.selector = newSelector(flags, multi)
	switch op {
	case listGetByIndex:
		if index := p.signed(); p.done() {
			return l.byIndex(index, 1)
		}
	case listGetByRank:
		if rank := p.signed(); p.done() {
			return l.byRank(rank, 1)
		}
	case listGetByValue, listGetAllByValue:
		if value := p.payload(); p.done() {
			return l.byInterval(value, value, true)
		}
	case listGetAllByValueList:
		if values := p.payload(); p.done() {
			return l.byValues(values)
		}
	case listGetByIndexRange:
		index := p.signed()
		if count := p.optional(allElements); p.done() {
			return l.byIndex(index, count)
		}
	case listGetByRankRange:
		rank := p.signed()
		if count := p.optional(allElements); p.done() {
			return l.byRank(rank, count)
		}
	case listGetByValueInterval:
		from := p.payload()
		if to := p.optionalPayload(); p.done() {
			return l.byInterval(from, to, false)
		}
	case listGetByValueRelRank:
		value := p.payload()
		rank := p.signed()
		if count := p.optional(allElements); p.done() {
			return l.byRelativeRank(value, rank, count)
		}
	}
	return picked{}, codeParameter
}
