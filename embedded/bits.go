package embedded

import (
	"math"
	"math/bits"
	"slices"
)

// Bit operations, numbered as in the server's proto.h.
const (
	bitResize   = 0
	bitInsert   = 1
	bitRemove   = 2
	bitSet      = 3
	bitOr       = 4
	bitXor      = 5
	bitAnd      = 6
	bitNot      = 7
	bitLShift   = 8
	bitRShift   = 9
	bitAdd      = 10
	bitSubtract = 11
	bitSetInt   = 12

	bitGet    = 50
	bitCount  = 51
	bitLScan  = 52
	bitRScan  = 53
	bitGetInt = 54
)

// Flags of operations that change bits.
const (
	bitCreateOnly = 1 << 0
	bitUpdateOnly = 1 << 1
	bitNoFail     = 1 << 2
	bitPartial    = 1 << 3
)

// Further flags of a resize.
const (
	bitFromFront  = 1 << 0
	bitGrowOnly   = 1 << 1
	bitShrinkOnly = 1 << 2
)

// Further flags of arithmetic.
const (
	bitSigned   = 1 << 0
	bitSaturate = 1 << 1
	bitWrap     = 1 << 2
)

// A bitOp is a bit operation as a client sends it. Offset and size are in bits.
type bitOp struct {
	code     uint64
	offset   int64 // below 0: from the end
	size     int64
	value    uint64
	buf      []byte
	flags    uint64
	subflags uint64
}

// parseBitOp reads an operation.
func parseBitOp(operand []byte) (bitOp, bool) {
	head, rest, ok := parseElement(operand)
	if !ok || head.kind != typeList || head.count == 0 {
		return bitOp{}, false
	}
	p := cdtParams{b: rest, left: head.count}
	o := bitOp{code: p.unsigned()}
	valid := uint64(bitUpdateOnly | bitNoFail | bitPartial)
	switch o.code {
	case bitResize:
		o.size = bitSize(&p, maxMessage, 8)
		valid = bitCreateOnly | bitUpdateOnly | bitNoFail
	case bitInsert:
		o.offset = bitOffset(&p, 8)
		o.takeBuffer(&p)
		valid = bitCreateOnly | bitUpdateOnly | bitNoFail
	case bitRemove:
		o.offset = bitOffset(&p, 8)
		o.size = bitSize(&p, maxMessage, 8)
		p.bad = p.bad || o.size == 0
	case bitAdd, bitSubtract, bitSetInt, bitGetInt:
		o.offset = bitOffset(&p, 1)
		o.size = bitSize(&p, 64, 1)
		p.bad = p.bad || o.size == 0
		valid = bitUpdateOnly | bitNoFail
	default:
		o.offset = bitOffset(&p, 1)
		o.size = bitSize(&p, 8*maxMessage, 1)
		p.bad = p.bad || o.size == 0
	}
	o.takeOperand(&p)
	if o.code < bitGet {
		o.flags = p.optional(0)
	}
	o.takeSubflags(&p)
	const either = bitCreateOnly | bitUpdateOnly
	bad := o.flags&^valid != 0 || o.flags&either == either
	return o, p.done() && !bad && (o.code <= bitSetInt || o.code >= bitGet && o.code <= bitGetInt)
}

// takeOperand reads the parameter that says what to do with the bits, if the
// operation has one.
func (o *bitOp) takeOperand(p *cdtParams) {
	switch o.code {
	case bitSet, bitOr, bitXor, bitAnd:
		o.takeBuffer(p)
	case bitLShift, bitRShift:
		o.value = p.unsigned()
		p.bad = p.bad || o.value > 8*maxMessage
	case bitAdd, bitSubtract, bitSetInt:
		o.value = p.unsigned()
	case bitLScan, bitRScan:
		e, _, ok := parseElement(p.payload())
		p.bad = p.bad || !ok || e.kind != typeTrue && e.kind != typeFalse
		if e.kind == typeTrue {
			o.value = 1
		}
	}
}

// takeSubflags reads the flags that only some operations have.
func (o *bitOp) takeSubflags(p *cdtParams) {
	var valid, either uint64
	switch o.code {
	case bitResize:
		valid, either = bitFromFront|bitGrowOnly|bitShrinkOnly, bitGrowOnly|bitShrinkOnly
	case bitAdd, bitSubtract:
		valid, either = bitSigned|bitSaturate|bitWrap, bitSaturate|bitWrap
	case bitGetInt:
		valid, either = bitSigned, math.MaxUint64
	default:
		return
	}
	o.subflags = p.optional(0)
	p.bad = p.bad || o.subflags&^valid != 0 || o.subflags&either == either
}

// bitOffset reads an offset in units of so many bits.
func bitOffset(p *cdtParams, unit int64) int64 {
	n := p.signed()
	if limit := maxMessage * 8 / unit; n > limit || n < -limit {
		p.bad = true
		return 0
	}
	return n * unit
}

// bitSize reads a size of at most limit units of so many bits.
func bitSize(p *cdtParams, limit uint64, unit int64) int64 {
	n := p.unsigned()
	if n > limit {
		p.bad = true
		return 0
	}
	return int64(n) * unit
}

// takeBuffer reads the bytes to put in or to combine with. They must suffice for
// the size, if there is one.
func (o *bitOp) takeBuffer(p *cdtParams) {
	e, _, ok := parseElement(p.payload())
	isBytes := e.kind == typeString || e.kind == typeBytes || e.kind == typeGeoJSON
	if p.bad || !ok || !isBytes || len(e.payload) < 2 {
		p.bad = true
		return
	}
	o.buf = e.payload[1:]
	switch have := int64(len(o.buf)) * 8; {
	case o.size == 0:
		o.size = have
	case have < o.size:
		p.bad = true
	}
}

// modifyBits carries out an operation on the blob in old, which is nil if there
// is no such bin. It returns the bin's new value; its particle is particleNull if
// the bin stays as it is.
func modifyBits(old *bin, operand []byte, limit int) (bin, resultCode) {
	o, ok := parseBitOp(operand)
	if !ok || o.code >= bitGet {
		return bin{}, codeParameter
	}
	code := codeOK
	switch {
	case old != nil && o.flags&bitCreateOnly != 0:
		code = codeBinExists
	case old != nil && old.particle != particleBlob:
		return bin{}, codeIncompatibleType
	case old == nil && (o.code > bitInsert || o.flags&bitUpdateOnly != 0):
		code = codeBinNotFound
	}
	if code != codeOK {
		return bin{}, o.tolerate(code)
	}
	var value []byte
	if old != nil {
		value = old.value
	}
	if !o.place(len(value)) {
		return bin{}, codeParameter
	}
	start := int(o.offset / 8)
	end := int((o.offset + o.size + 7) / 8)
	switch o.code {
	case bitResize:
		value, code = o.resize(value, limit)
	case bitInsert:
		switch size := start + len(o.buf); {
		case size >= maxMessage:
			return bin{}, codeParameter
		case size > limit:
			return bin{}, codeRecordTooBig
		}
		gap := make([]byte, max(0, start-len(value)))
		start = min(start, len(value))
		value = slices.Concat(value[:start], gap, o.buf, value[start:])
	case bitRemove:
		switch {
		case start >= len(value), end > len(value) && o.flags&bitPartial == 0:
			return bin{}, o.tolerate(codeParameter)
		}
		value = append(append([]byte{}, value[:start]...), value[min(end, len(value)):]...)
	default:
		value, code = o.overwrite(value, start, end)
	}
	if value == nil {
		return bin{}, code
	}
	return bin{particle: particleBlob, value: value}, code
}

// tolerate is the outcome of a failure that the flags may forgive.
func (o *bitOp) tolerate(code resultCode) resultCode {
	if o.flags&bitNoFail != 0 {
		return codeOK
	}
	return code
}

// place makes the offset count from the start of a blob of so many bytes. It
// reports false if it lies before that.
func (o *bitOp) place(size int) bool {
	if o.offset < 0 {
		o.offset += int64(size) * 8
	}
	return o.offset >= 0
}

// resize makes a blob as long as the operation says. It returns no value if the
// length is right already, or if that isn't allowed.
func (o *bitOp) resize(value []byte, limit int) ([]byte, resultCode) {
	size := int(o.size / 8)
	front := o.subflags&bitFromFront != 0
	switch {
	case size == len(value):
		return nil, codeOK
	case size < len(value) && o.subflags&bitGrowOnly != 0, size > len(value) && o.subflags&bitShrinkOnly != 0:
		return nil, o.tolerate(codeParameter)
	case size >= maxMessage:
		return nil, codeParameter
	case size > limit:
		return nil, codeRecordTooBig
	case size < len(value) && front:
		return append([]byte{}, value[len(value)-size:]...), codeOK
	case size < len(value):
		return append([]byte{}, value[:size]...), codeOK
	}
	added := make([]byte, size-len(value))
	if front {
		return append(added, value...), codeOK
	}
	return append(value[:len(value):len(value)], added...), codeOK
}

// overwrite carries out an operation that leaves the blob's length alone; the
// bits are in the bytes from start to end.
func (o *bitOp) overwrite(value []byte, start, end int) ([]byte, resultCode) {
	partial := o.flags&bitPartial != 0
	if start >= len(value) || end > len(value) && !partial {
		return nil, o.tolerate(codeNotApplicable)
	}
	o.size = min(o.size, int64(len(value))*8-o.offset)
	out := slices.Clone(value)
	at, n := int(o.offset), int(o.size)
	switch o.code {
	case bitAdd, bitSubtract, bitSetInt:
		result, ok := o.arithmetic(getBits(value, at, n))
		if !ok {
			return nil, o.tolerate(codeNotApplicable)
		}
		setBits(out, at, n, result)
		return out, codeOK
	}
	for i := 0; i < n; i += 64 {
		width := min(64, n-i)
		setBits(out, at+i, width, o.combine(value, at, n, i, width))
	}
	return out, codeOK
}

// combine is the new value of some bits: width of them, i behind the first of the
// n that the operation is about.
func (o *bitOp) combine(value []byte, at, n, i, width int) uint64 {
	var operand uint64
	if o.buf != nil {
		operand = getBits(o.buf, i, width)
	}
	old := getBits(value, at+i, width)
	switch o.code {
	case bitSet:
		return operand
	case bitOr:
		return old | operand
	case bitXor:
		return old ^ operand
	case bitAnd:
		return old & operand
	case bitNot:
		return ^old
	case bitLShift:
		return getWindow(value, at, n, i+int(o.value), width)
	}
	return getWindow(value, at, n, i-int(o.value), width)
}

// arithmetic applies an operation to an integer of the operation's size. It
// reports false if the result doesn't fit.
func (o *bitOp) arithmetic(load uint64) (uint64, bool) {
	n := int(o.size)
	m := uint64(math.MaxUint64) >> (64 - n)
	value := o.value & m
	if o.code == bitSetInt {
		return value, true
	}
	result := (load + value) & m
	over := result < load
	bound := m
	if o.code == bitSubtract {
		result = (load - value) & m
		over, bound = result > load, 0
		value = -value & m
	}
	switch {
	case o.subflags&bitWrap != 0:
		return result, true
	case o.subflags&bitSigned != 0:
		a, b, sum := signExtend(load, n), signExtend(value, n), signExtend(result, n)
		switch {
		case a < 0 && b < 0 && sum > 0:
			over, bound = true, 1<<(n-1)
		case a > 0 && b > 0 && sum < 0:
			over, bound = true, m>>1
		default:
			over = false
		}
	}
	if over && o.subflags&bitSaturate == 0 {
		return 0, false
	}
	if over {
		return bound, true
	}
	return result, true
}

// signExtend takes an integer of n bits for a signed one.
func signExtend(v uint64, n int) int64 { return int64(v<<(64-n)) >> (64 - n) }

// readBits carries out an operation that reads the blob in b.
func readBits(b *bin, operand []byte) (bin, resultCode) {
	o, ok := parseBitOp(operand)
	switch {
	case !ok || o.code < bitGet:
		return bin{}, codeParameter
	case b.particle != particleBlob:
		return bin{}, codeIncompatibleType
	case !o.place(len(b.value)):
		return bin{}, codeParameter
	case o.offset/8 >= int64(len(b.value)) || (o.offset+o.size+7)/8 > int64(len(b.value)):
		return bin{}, codeNotApplicable
	}
	at, n := int(o.offset), int(o.size)
	switch o.code {
	case bitGet:
		out := make([]byte, (n+7)/8)
		for i := 0; i < n; i += 64 {
			width := min(64, n-i)
			setBits(out, i, width, getBits(b.value, at+i, width))
		}
		return bin{particle: particleBlob, value: out}, codeOK
	case bitGetInt:
		v := getBits(b.value, at, n)
		if o.subflags&bitSigned != 0 {
			v = uint64(signExtend(v, n))
		}
		return integerBin(int64(v)), codeOK
	case bitCount:
		total := 0
		for i := 0; i < n; i += 64 {
			total += bits.OnesCount64(getBits(b.value, at+i, min(64, n-i)))
		}
		return integerBin(int64(total)), codeOK
	}
	lead := 0
	if o.code == bitRScan {
		lead = at % 8 // sic: what is in front in the same byte is looked at too
	}
	found := o.scan(b.value, at-lead, n+lead)
	if found >= 0 {
		found -= lead
	}
	return integerBin(int64(found)), codeOK
}
