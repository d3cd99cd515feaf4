package embedded

// Types of the steps of a path, from the server's proto.h.
const (
	stepByIndex = 0
	stepByRank  = 1
	stepByKey   = 2
	stepByValue = 3

	stepBaseMask = 0x0F
	stepList     = 0x10
	stepMap      = 0x20
	stepTypeMask = 0x3F

	stepCreateMask    = 0xC0 // how to make what isn't there; 0: not at all
	stepCreateUnbound = 0x80 // for a list: unsorted, with nils up to the index
	stepCreateSorted  = 0xC0 // for a list
	stepMapKeySorted  = 0x80
	stepMapSorted     = 0xC0
	stepPersistIndex  = 0x100
)

// A cdtStep is a collection on a path and the place in it where the path goes on.
type cdtStep struct {
	c  collection
	at int

	// If there is nothing in the place yet:
	create bool
	pad    int    // nils that go before it, in a list
	key    []byte // in a map
}

// dig follows a path, which stands at the start of b, from the bin's value to the
// collection that is meant, and returns what comes after it.
func (t *cdtTarget) dig(b []byte, modify bool) ([]byte, resultCode) {
	head, b, ok := parseElement(b)
	if !ok || head.kind != typeList || head.count == 0 || head.count%2 != 0 {
		return nil, codeParameter
	}
	for left := head.count / 2; left > 0; left-- {
		p := cdtParams{b: b, left: 2}
		kind := p.unsigned()
		switch {
		case p.bad:
			return nil, codeParameter
		case kind&stepBaseMask > stepByValue || !validStepCreate(kind):
			return nil, codeNotApplicable
		}
		creates := kind&stepCreateMask != 0
		if t.noBin {
			if !creates {
				return nil, codeNotApplicable
			}
			return t.plan(b, left)
		}
		where := p.b
		found, ok := t.step(kind, creates, &p)
		if !ok {
			return nil, codeNotApplicable
		}
		if !found {
			if !modify {
				return nil, codeNotApplicable
			}
			if _, b, _, ok = skipPacked(where); !ok {
				return nil, codeNotApplicable
			}
			return t.plan(b, left-1)
		}
		b = p.b
	}
	return b, codeOK
}

// validStepCreate reports whether a step that says how to make what isn't there
// also says in what kind of collection.
func validStepCreate(kind uint64) bool {
	return kind&(stepList|stepMap) != 0 || kind&(stepCreateMask|stepPersistIndex) == 0
}

// step follows one step from the current collection. It reports not found if the
// step leads to a place that is to be made, and not ok if it leads nowhere.
func (t *cdtTarget) step(kind uint64, creates bool, p *cdtParams) (found, ok bool) {
	c, ok := t.parse()
	if !ok {
		return false, false
	}
	s := cdtStep{c: c}
	if c.kind == typeList {
		if kind&stepMap != 0 {
			return false, false
		}
		found, ok = s.intoList(kind, creates, p)
	} else {
		if kind&stepList != 0 {
			return false, false
		}
		found, ok = s.intoMap(kind, creates, p)
	}
	if !ok || s.pad > t.limit {
		return false, false
	}
	t.path = append(t.path, s)
	if found {
		t.data = c.value(s.at)
	} else {
		t.created, t.data = true, nil
	}
	return found, true
}

// intoList finds the element that a step leads to.
func (s *cdtStep) intoList(kind uint64, creates bool, p *cdtParams) (found, ok bool) {
	c := &s.c
	compare := func(i, j int) int { return comparePacked(c.at(i), c.at(j)) }
	switch base := kind & stepBaseMask; {
	case base == stepByIndex || base == stepByRank && c.isOrdered():
		index := p.signed()
		if p.bad {
			return false, false
		}
		if s.at, _, ok = absolute(index, 1, c.len(), false); ok {
			return true, true
		}
		return false, creates && s.place(kind, index)
	case base == stepByRank:
		rank := p.signed()
		start, _, ok := absolute(rank, 1, c.len(), false)
		if p.bad || !ok {
			return false, false
		}
		at, _ := pickRanks(c.len(), start, 1, compare)
		s.at = at[0]
		return true, true
	case base == stepByValue:
		value := p.payload()
		if p.bad {
			return false, false
		}
		for i := range c.len() {
			if comparePacked(c.at(i), value) == 0 {
				s.at = i
				return true, true
			}
		}
	}
	return false, false
}

// place decides where an element goes that isn't in the list.
func (s *cdtStep) place(kind uint64, index int64) bool {
	size := s.c.len()
	s.create, s.at = true, size
	switch {
	case size == 0 && index == -1, index == int64(size), s.c.isOrdered():
		return true
	case kind&(stepCreateMask|stepPersistIndex) != stepCreateUnbound || index < 0 || index > maxInt32:
		return false
	}
	s.pad = int(index) - size
	return true
}

// intoMap finds the entry that a step leads to.
func (s *cdtStep) intoMap(kind uint64, creates bool, p *cdtParams) (found, ok bool) {
	c := &s.c
	switch kind & stepBaseMask {
	case stepByIndex, stepByRank:
		start, _, ok := absolute(p.signed(), 1, c.len(), false)
		if p.bad || !ok {
			return false, false
		}
		s.at = start
		if kind&stepBaseMask == stepByRank {
			s.at = c.byValueOrder()[start]
		}
		return true, true
	case stepByKey:
		key := p.payload()
		if p.bad {
			return false, false
		}
		key, _, ok := normaliseElement(key)
		if !ok {
			return false, false
		}
		if s.at, found = c.findKey(key); found {
			return true, true
		}
		s.create, s.key = true, key
		e, _, _ := parseElement(key)
		return false, creates && e.isMapKey()
	case stepByValue:
		value := p.payload()
		if p.bad {
			return false, false
		}
		for i := range c.len() {
			if comparePacked(c.value(i), value) == 0 {
				s.at = i
				return true, true
			}
		}
	}
	return false, false
}

// plan reads the steps that are left of a path that leads to a collection that is
// to be made, and makes what goes in front of it.
func (t *cdtTarget) plan(b []byte, left int) ([]byte, resultCode) {
	t.created, t.data = true, nil
	top := t.noBin
	for ; left > 0; left-- {
		p := cdtParams{b: b, left: 2}
		kind := p.unsigned()
		if p.bad || !validStepCreate(kind) || kind&stepPersistIndex != 0 && !top {
			return nil, codeNotApplicable
		}
		var ok bool
		switch kind & stepTypeMask {
		case stepByKey | stepMap:
			ok = t.planMap(kind, &p)
		case stepByIndex | stepList:
			ok = t.planList(kind, p.signed()) && !p.bad
		}
		if !ok {
			return nil, codeNotApplicable
		}
		b, top = p.b, false
	}
	return b, codeOK
}

// planMap puts a map with one entry in front of what is to be made.
func (t *cdtTarget) planMap(kind uint64, p *cdtParams) bool {
	key, _, ok := normaliseElement(p.storage())
	if !ok || p.bad {
		return false
	}
	if e, _, _ := parseElement(key); !e.isMapKey() {
		return false
	}
	var flags byte
	switch kind & stepCreateMask {
	case stepMapKeySorted:
		flags = flagOrdered
	case stepMapSorted:
		flags = flagMapOrders
	}
	t.prefix = append(t.prefix, packCollection(typeMap, flags, 1, key)...)
	return true
}

// planList puts a list in front of what is to be made, which goes in the place
// index of it.
func (t *cdtTarget) planList(kind uint64, index int64) bool {
	var flags byte
	pad := 0
	switch {
	case index < -1:
		return false
	case kind&stepCreateMask == stepCreateUnbound:
		if index > int64(t.limit) {
			return false
		}
		pad = int(max(index, 0))
	case kind&stepCreateMask == stepCreateSorted:
		flags = flagOrdered
	case index > 0 && kind&stepPersistIndex == 0:
		return false
	}
	t.prefix = append(t.prefix, packCollection(typeList, flags, pad+1, nils(pad))...)
	return true
}

// rebuild puts a collection's new value in its place on the path, and returns the
// bin's new value.
func (t *cdtTarget) rebuild(value []byte) []byte {
	if t.created {
		value = append(t.prefix[:len(t.prefix):len(t.prefix)], value...)
	}
	for i := len(t.path) - 1; i >= 0; i-- {
		value = t.path[i].rebuild(value)
	}
	return value
}

// rebuild returns the step's collection with a new value in the place.
func (s *cdtStep) rebuild(value []byte) []byte {
	c := &s.c
	if c.kind == typeMap {
		key, del := s.key, 0
		if !s.create {
			key, del = c.key(s.at), 1
		}
		entry := append(key[:len(key):len(key)], value...)
		return c.splice(s.at, del, 1, entry)
	}
	if c.isOrdered() {
		rank, _ := lowerBound(0, c.len(), func(i int) int { return comparePacked(value, c.at(i)) })
		if rank == s.at || rank == s.at+1 {
			rank = s.at
		}
		return c.move(s.at, rank, value)
	}
	if s.create {
		return c.splice(s.at, 0, s.pad+1, append(nils(s.pad), value...))
	}
	return c.splice(s.at, 1, 1, value)
}
