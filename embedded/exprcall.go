package embedded

// Systems that a call is for, and the flag of calls that change a copy of the
// value.
const (
	callCDT    = 0
	callBits   = 1
	callHLL    = 2
	callModify = 0x40
)

// maxCallWork is the number of bytes that the calls of one evaluation may handle:
// enough for any real one, while one that builds on its own values again and again
// would take memory without bound.
const maxCallWork = 32 << 20

// maxCallParams bounds the parameters of a call.
const maxCallParams = 16

// An exprCallOp is an operation on a list, map or blob inside of an expression.
type exprCallOp struct {
	system int64
	modify bool
	prefix []byte // the operation up to its code
	params []exprParam
}

// An exprParam is a call's parameter: as it is, or to be evaluated.
type exprParam struct {
	raw  []byte
	node *exprNode
}

// callOp builds a call.
func (p *exprBuilder) callOp(n *exprNode, count int) *exprNode {
	t, ok := p.integer()
	if !ok || count != 4 || t < 0 || t >= int64(exprTypes) {
		return p.fail()
	}
	system, ok := p.integer()
	if !ok {
		return p.fail()
	}
	n.call = &exprCallOp{system: system &^ callModify, modify: system&callModify != 0}
	if !p.callParams(n.call) || !p.take(n, 1) {
		return p.fail()
	}
	n.t = exprType(t)
	of := n.args[0].t
	switch {
	case n.call.system == callHLL:
		p.code = codeUnsupportedFeature
		return nil
	case of == exprNil:
		n.t = exprNil // as the real server has it
	case n.call.system == callCDT && (of == exprList || of == exprMap):
	case n.call.system == callBits && of == exprBlob:
	default:
		return p.fail()
	}
	return n
}

// callParams reads a call's operation. Parameters that are lists are expressions.
func (p *exprBuilder) callParams(c *exprCallOp) bool {
	start := p.b
	head, rest, ok := parseElement(p.b)
	if !ok || head.kind != typeList {
		return false
	}
	p.b = rest
	code, ok := p.integer()
	if !ok {
		return false
	}
	count := head.count
	if code == cdtContext {
		if _, p.b, _, ok = skipPacked(p.b); !ok || count != 3 {
			return false
		}
		if head, p.b, ok = parseElement(p.b); !ok || head.kind != typeList {
			return false
		}
		if _, ok = p.integer(); !ok {
			return false
		}
		count = head.count
	}
	c.prefix = start[:len(start)-len(p.b)]
	if count > maxCallParams {
		return false
	}
	for range count - 1 {
		if e, _, ok := parseElement(p.b); ok && e.kind == typeList {
			arg := p.node()
			if arg == nil {
				return false
			}
			c.params = append(c.params, exprParam{node: arg})
			continue
		}
		raw, rest, _, ok := skipPacked(p.b)
		if !ok {
			return false
		}
		p.b = rest
		c.params = append(c.params, exprParam{raw: raw})
	}
	return true
}

// callValue carries out a call.
func (x *exprRun) callValue(n *exprNode) exprValue {
	c := n.call
	operand := append([]byte(nil), c.prefix...)
	for _, param := range c.params {
		if param.node == nil {
			operand = append(operand, param.raw...)
			continue
		}
		v := x.eval(param.node)
		var ok bool
		if operand, ok = appendPacked(operand, &v); !ok {
			return unknownValue()
		}
	}
	on := x.eval(n.args[0])
	b, ok := callTarget(&on)
	if !ok {
		return unknownValue()
	}
	result, code := c.run(b, operand, x.ns.maxRecordSize)
	if code != codeOK || !x.spend(len(operand)+len(result.value)) {
		return unknownValue()
	}
	v := binExprValue(&result)
	if v.t != n.t && n.args[0].t != exprNil {
		return unknownValue()
	}
	return v
}

// callTarget is the bin that a call works on: nil for a nil value. It reports
// false for values that no call works on.
func callTarget(v *exprValue) (*bin, bool) {
	switch v.t {
	case exprNil:
		return nil, true
	case exprList, exprMap, exprBlob, exprHLL:
		return &bin{particle: v.t.particle(), value: v.b}, true
	}
	return nil, false
}

// run carries out a call on a bin, nil for none. A call that changes it returns
// the new value.
func (c *exprCallOp) run(b *bin, operand []byte, limit int) (bin, resultCode) {
	switch {
	case c.system == callCDT && c.modify:
		changed, _, code := modifyCDT(b, operand, limit)
		if code == codeOK && changed.particle == particleNull && b != nil {
			changed = *b
		}
		return changed, code
	case c.system == callCDT && b != nil:
		return readCDT(b, operand)
	case c.system == callBits && c.modify:
		changed, code := modifyBits(b, operand, limit)
		if code == codeOK && changed.particle == particleNull && b != nil {
			changed = *b
		}
		return changed, code
	case c.system == callBits && b != nil:
		return readBits(b, operand)
	}
	return bin{}, codeUnsupportedFeature
}

// appendPacked appends a value as an element. It reports false for a value that
// is unknown.
func appendPacked(out []byte, v *exprValue) ([]byte, bool) {
	switch v.t {
	case exprNil:
		return append(out, 0xC0), true
	case exprBool:
		return append(out, 0xC2+byte(v.i)), true
	case exprInt:
		return packInteger(out, v.i), true
	case exprFloat:
		return append(out, packDouble(v.f)...), true
	case exprList, exprMap:
		return append(out, v.b...), true
	case exprGeo:
		return appendText(out, particleGeoJSON, v.b[geoHeaderSize:]), true
	case exprString, exprBlob, exprHLL:
		return appendText(out, v.t.particle(), v.b), true
	}
	return out, false
}

// appendText appends bytes with their type in front.
func appendText(out []byte, particle byte, text []byte) []byte {
	payload := append([]byte{particle}, text...)
	switch n := len(payload); {
	case n < 32:
		out = append(out, 0xA0|byte(n))
	case n < 1<<8:
		out = append(out, 0xD9, byte(n))
	case n < 1<<16:
		out = append(out, 0xDA, byte(n>>8), byte(n))
	default:
		out = append(out, 0xDB, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(out, payload...)
}
