package embedded

import "encoding/binary"

// cdtContext is the code that stands before an operation on a collection inside
// of others: a path and the operation follow.
const cdtContext = 0xFF

// A cdtOp is an operation on a list or map as a client sends it: a list of its
// code and parameters.
type cdtOp struct {
	code   int
	params cdtParams
}

// parseCDTOp reads an operation's code.
func parseCDTOp(b []byte) (cdtOp, bool) {
	if len(b) >= 2 && b[0] == 0 { // an older form, with a 2-byte code in front
		o := cdtOp{code: int(binary.BigEndian.Uint16(b))}
		if len(b) == 2 {
			return o, true
		}
		head, rest, ok := parseElement(b[2:])
		o.params = cdtParams{b: rest, left: head.count}
		return o, ok && head.kind == typeList
	}
	head, rest, ok := parseElement(b)
	if !ok || head.kind != typeList || head.count == 0 {
		return cdtOp{}, false
	}
	o := cdtOp{params: cdtParams{b: rest, left: head.count}}
	code := o.params.unsigned()
	o.code = int(min(code, 1<<16))
	return o, !o.params.bad
}

// cdtParams reads the parameters of an operation. A parameter that is missing or
// of the wrong type makes it bad for good.
type cdtParams struct {
	b            []byte
	left         int
	bad          bool
	nonStorables bool // one has had parts that can't be stored
}

// done reports whether all parameters have been read and were good.
func (p *cdtParams) done() bool { return !p.bad && p.left == 0 }

// payload reads any element.
func (p *cdtParams) payload() []byte {
	if p.bad || p.left == 0 {
		p.bad = true
		return nil
	}
	first, rest, nonStorable, ok := skipPacked(p.b)
	p.b, p.bad = rest, !ok
	p.left--
	p.nonStorables = p.nonStorables || nonStorable
	return first
}

// storage reads an element that is going to be stored.
func (p *cdtParams) storage() []byte {
	b := p.payload()
	p.bad = p.bad || p.nonStorables
	return b
}

// optionalPayload reads any element, nil if there are no more.
func (p *cdtParams) optionalPayload() []byte {
	if p.left == 0 {
		return nil
	}
	return p.payload()
}

// signed reads an integer.
func (p *cdtParams) signed() int64 { return int64(p.unsigned()) }

// unsigned reads an integer; those below zero wrap around.
func (p *cdtParams) unsigned() uint64 {
	if p.bad || p.left == 0 {
		p.bad = true
		return 0
	}
	e, rest, ok := parseElement(p.b)
	p.b = rest
	p.left--
	p.bad = !ok || e.kind != typeInteger && e.kind != typeNegative
	return e.number
}

// optional reads an integer, or returns what stands for it if there are no more.
func (p *cdtParams) optional(absent uint64) uint64 {
	if p.left == 0 {
		return absent
	}
	return p.unsigned()
}

// A cdtChange is the outcome of an operation that changes a collection: its new
// bytes, nil if it stays as it is, and the result for the client.
type cdtChange struct {
	value  []byte
	result bin
}

// A cdtTarget is the collection that an operation works on: a bin's value or a
// collection inside of it.
type cdtTarget struct {
	data    []byte // nil if there is no collection yet
	noBin   bool   // there is no bin yet
	created bool   // the path leads to a collection that is to be made
	begun   bool   // data is an empty collection that the operation has begun
	limit   int    // bytes: no value is longer

	path   []cdtStep
	prefix []byte // what goes in front of a collection that is to be made
}

// absent reports whether there is no collection yet.
func (t *cdtTarget) absent() bool { return t.created || t.noBin }

// begin makes an empty collection if there is none. Flags that make no sense are
// taken for none.
func (t *cdtTarget) begin(kind elementType, flags uint64) {
	if !t.absent() {
		return
	}
	valid := byte(flagOrdered | flagPersistIndex)
	if kind == typeMap {
		valid = flagMapOrders | flagPersistIndex
	}
	f := byte(flags)
	if f&^valid != 0 {
		f = 0
	}
	t.data = packCollection(kind, f&^flagPersistIndex, 0)
	t.begun = true
}

// parse takes the collection apart.
func (t *cdtTarget) parse() (collection, bool) { return parseCollection(t.data) }

// unchanged is the outcome of an operation that has nothing to do, but makes the
// collection that its path leads to.
func (t *cdtTarget) unchanged() (cdtChange, resultCode) {
	if t.created {
		return cdtChange{value: t.data}, codeOK
	}
	return cdtChange{}, codeOK
}

// particleOf is the particle type of a list or map.
func particleOf(kind elementType) byte {
	if kind == typeMap {
		return particleMap
	}
	return particleList
}

// modifyCDT carries out an operation that changes the collection in old, which is
// nil if there is no such bin. It returns the bin's new value, whose particle is
// particleNull if it stays as it is, and the operation's result, likewise.
func modifyCDT(old *bin, value []byte, limit int) (changed, result bin, code resultCode) {
	o, ok := parseCDTOp(value)
	if !ok {
		return bin{}, bin{}, codeParameter
	}
	t := cdtTarget{noBin: old == nil, limit: limit}
	if old != nil {
		t.data = old.value
	}
	if o.code == cdtContext {
		if code = o.enter(&t, old, true); code != codeOK {
			return bin{}, bin{}, code
		}
	}
	isList := o.code < firstMapOp
	if old != nil && len(t.path) == 0 && old.particle != particleOf(o.kind()) {
		return bin{}, bin{}, codeIncompatibleType
	}
	var change cdtChange
	if isList {
		change, code = o.modifyList(&t)
	} else {
		change, code = o.modifyMap(&t)
	}
	switch {
	case code != codeOK:
		return bin{}, bin{}, code
	case change.value == nil && t.begun && !t.created:
		change.value = t.data
	case change.value == nil:
		return bin{}, change.result, codeOK
	}
	top := t.rebuild(change.value)
	head, _, _ := parseElement(top)
	return bin{particle: particleOf(head.kind), value: top}, change.result, codeOK
}

// readCDT carries out an operation that reads the collection in b.
func readCDT(b *bin, value []byte) (bin, resultCode) {
	o, ok := parseCDTOp(value)
	if !ok {
		return bin{}, codeParameter
	}
	t := cdtTarget{data: b.value}
	if o.code == cdtContext {
		if code := o.enter(&t, b, false); code != codeOK {
			return bin{}, code
		}
	} else if b.particle != particleOf(o.kind()) {
		return bin{}, codeIncompatibleType
	}
	c, ok := t.parse()
	if !ok {
		return bin{}, codeParameter
	}
	if o.code < firstMapOp {
		return o.readList(c)
	}
	return o.readMap(c)
}

// kind is the kind of collection that an operation is for.
func (o *cdtOp) kind() elementType {
	if o.code < firstMapOp {
		return typeList
	}
	return typeMap
}

// enter follows the path that stands before an operation to the collection that
// is meant, and reads the operation.
func (o *cdtOp) enter(t *cdtTarget, b *bin, modify bool) resultCode {
	if o.params.left != 2 {
		return codeParameter
	}
	if b != nil && b.particle != particleList && b.particle != particleMap {
		return codeParameter
	}
	rest, code := t.dig(o.params.b, modify)
	if code != codeOK {
		return code
	}
	head, rest, ok := parseElement(rest)
	if !ok || head.kind != typeList || head.count == 0 {
		return codeParameter
	}
	o.params = cdtParams{b: rest, left: head.count}
	o.code = int(min(o.params.unsigned(), 1<<16))
	if o.params.bad {
		return codeParameter
	}
	if !t.created {
		if e, _, _ := parseElement(t.data); e.kind != o.kind() {
			return codeIncompatibleType
		}
	}
	return codeOK
}
