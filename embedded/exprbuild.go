package embedded

import "bytes"

// maxExprSize is the size in bytes above which an expression isn't taken.
const maxExprSize = 1 << 20

// An exprBuilder checks an expression and builds the tree that is evaluated.
type exprBuilder struct {
	b         []byte // what is left
	code      resultCode
	scope     []exprVariable
	variables int
	depth     int
}

// An exprVariable is a variable in scope.
type exprVariable struct {
	name    []byte
	t       exprType
	defined bool
}

// compileExpression checks an expression.
func compileExpression(b []byte) (*expression, resultCode) {
	if len(b) > maxExprSize {
		return nil, codeParameter
	}
	if _, rest, _, ok := skipPacked(b); !ok || len(rest) != 0 {
		return nil, codeParameter
	}
	p := exprBuilder{b: b}
	root := p.node()
	if p.code != codeOK {
		return nil, p.code
	}
	return &expression{root, p.variables}, codeOK
}

// fail notes that the expression is wrong, and returns no node.
func (p *exprBuilder) fail() *exprNode {
	if p.code == codeOK {
		p.code = codeParameter
	}
	return nil
}

// node builds the next part of the expression.
func (p *exprBuilder) node() *exprNode {
	p.depth++
	defer func() { p.depth-- }()
	e, rest, ok := parseElement(p.b)
	if !ok || p.depth > maxDepth || p.code != codeOK {
		return p.fail()
	}
	if e.kind != typeList {
		return p.constant(&e)
	}
	p.b = rest
	op, ok := p.integer()
	if !ok || e.count == 0 || op < 0 || op >= exprConstant {
		return p.fail()
	}
	n := &exprNode{op: int(op), t: exprBool}
	count := e.count - 1
	switch {
	case op == exprUnknownOp:
		return p.arity(n, count, 0)
	case op <= exprLE:
		return p.compare(n, count)
	case op == exprRegex:
		return p.regex(n, count)
	case op == exprGeoOp:
		p.code = codeUnsupportedFeature
		return nil
	case op >= exprAnd && op <= exprMax:
		return p.operation(n, count)
	case op >= exprDigestMod && op <= exprBinType:
		return p.record(n, count)
	case op >= exprCond:
		return p.special(n, count)
	}
	return p.fail()
}

// special builds conditions, variables, quotes and calls.
func (p *exprBuilder) special(n *exprNode, count int) *exprNode {
	switch n.op {
	case exprCond:
		return p.cond(n, count)
	case exprLet:
		return p.let(n, count)
	case exprCall:
		return p.callOp(n, count)
	case exprVar:
		name, ok := p.bytes()
		if !ok || count != 1 {
			return p.fail()
		}
		for i := len(p.scope) - 1; i >= 0; i-- {
			if v := &p.scope[i]; bytes.Equal(v.name, name) {
				if !v.defined {
					return p.fail()
				}
				n.t, n.number = v.t, int64(i)
				return n
			}
		}
		return p.fail()
	}
	value, rest, _, ok := skipPacked(p.b)
	if head, _, _ := parseElement(p.b); !ok || count != 1 || head.kind != typeList {
		return p.fail()
	}
	p.b = rest
	return &exprNode{op: exprConstant, t: exprList, value: exprValue{t: exprList, b: value}}
}

// integer reads a parameter that is an integer.
func (p *exprBuilder) integer() (int64, bool) {
	e, rest, ok := parseElement(p.b)
	if !ok || e.kind != typeInteger && e.kind != typeNegative {
		return 0, false
	}
	p.b = rest
	return int64(e.number), true
}

// bytes reads a parameter that is a string or bytes.
func (p *exprBuilder) bytes() ([]byte, bool) {
	e, rest, ok := parseElement(p.b)
	if !ok || e.kind != typeString && e.kind != typeBytes && e.kind != typeGeoJSON {
		return nil, false
	}
	p.b = rest
	return e.payload, true
}

// arity checks the number of parameters.
func (p *exprBuilder) arity(n *exprNode, count, want int) *exprNode {
	if count != want {
		return p.fail()
	}
	return n
}

// constant builds a value.
func (p *exprBuilder) constant(e *element) *exprNode {
	raw, rest, _, ok := skipPacked(p.b)
	if !ok {
		return p.fail()
	}
	p.b = rest
	n := &exprNode{op: exprConstant}
	v := &n.value
	switch e.kind {
	case typeNil:
	case typeFalse, typeTrue:
		*v = boolValue(e.kind == typeTrue)
	case typeNegative, typeInteger:
		*v = intValue(int64(e.number))
	case typeDouble:
		*v = exprValue{t: exprFloat, f: e.double}
	case typeString:
		*v = exprValue{t: exprString, b: e.payload[1:]}
	case typeBytes:
		if len(e.payload) == 0 {
			return p.fail()
		}
		v.b = e.payload[1:]
		switch e.payload[0] {
		case particleBlob:
			v.t = exprBlob
		case particleHLL:
			v.t = exprHLL
		default:
			return p.fail()
		}
	case typeGeoJSON:
		value, code := checkGeoJSON(append(make([]byte, geoHeaderSize), e.payload[1:]...))
		if code != codeOK {
			return p.fail()
		}
		*v = exprValue{t: exprGeo, b: value}
	case typeMap:
		*v = exprValue{t: exprMap, b: raw}
	default:
		return p.fail()
	}
	n.t = v.t
	return n
}

// take builds count parts that are the node's arguments.
func (p *exprBuilder) take(n *exprNode, count int) bool {
	for range count {
		arg := p.node()
		if arg == nil {
			return false
		}
		n.args = append(n.args, arg)
	}
	return true
}

// compare builds a comparison of two values of one type.
func (p *exprBuilder) compare(n *exprNode, count int) *exprNode {
	if count != 2 || !p.take(n, 2) {
		return p.fail()
	}
	t := n.args[0].t
	if t != n.args[1].t || t == exprGeo || t == exprHLL {
		return p.fail()
	}
	return n
}

// regex builds the comparison of a string with a regular expression.
func (p *exprBuilder) regex(n *exprNode, count int) *exprNode {
	flags, ok := p.integer()
	if !ok || count != 3 {
		return p.fail()
	}
	pattern, ok := p.bytes()
	if !ok || !p.take(n, 1) || n.args[0].t != exprString {
		return p.fail()
	}
	if n.regex, ok = compilePOSIX(pattern, int(flags)); !ok {
		return p.fail()
	}
	return n
}

// An exprShape says what arguments an operation takes: how many at least, and at
// most, of what type, which is exprTypes for numbers of one type; and the type of
// its value, which is exprTypes for that of the arguments.
type exprShape struct {
	least, most int
	args, value exprType
}

const manyArgs = 1 << 20

// shapeOf returns what arguments an operation takes.
func shapeOf(op int) (exprShape, bool) {
	switch op {
	case exprAnd, exprOr, exprExclusive:
		return exprShape{2, manyArgs, exprBool, exprBool}, true
	case exprNot:
		return exprShape{1, 1, exprBool, exprBool}, true
	case exprAdd, exprSub, exprMul, exprDiv, exprMin, exprMax:
		return exprShape{1, manyArgs, exprTypes, exprTypes}, true
	case exprAbs:
		return exprShape{1, 1, exprTypes, exprTypes}, true
	case exprPow, exprLog:
		return exprShape{2, 2, exprFloat, exprFloat}, true
	case exprFloor, exprCeil:
		return exprShape{1, 1, exprFloat, exprFloat}, true
	case exprToInt:
		return exprShape{1, 1, exprFloat, exprInt}, true
	case exprToFloat:
		return exprShape{1, 1, exprInt, exprFloat}, true
	case exprIntAnd, exprIntOr, exprIntXor:
		return exprShape{1, manyArgs, exprInt, exprInt}, true
	case exprIntNot, exprIntCount:
		return exprShape{1, 1, exprInt, exprInt}, true
	case exprMod, exprLShift, exprRShift, exprARShift, exprIntLScan, exprIntRScan:
		return exprShape{2, 2, exprInt, exprInt}, true
	}
	return exprShape{}, false
}

// operation builds logic and arithmetic.
func (p *exprBuilder) operation(n *exprNode, count int) *exprNode {
	shape, ok := shapeOf(n.op)
	if !ok || count < shape.least || count > shape.most || !p.take(n, count) {
		return p.fail()
	}
	want := shape.args
	if want == exprTypes {
		if want = n.args[0].t; want != exprInt && want != exprFloat {
			return p.fail()
		}
	}
	for i, arg := range n.args {
		if scans := n.op == exprIntLScan || n.op == exprIntRScan; scans && i == 1 {
			want = exprBool
		}
		if arg.t != want {
			return p.fail()
		}
	}
	if n.t = shape.value; n.t == exprTypes {
		n.t = want
	}
	return n
}

// record builds what is read from the record.
func (p *exprBuilder) record(n *exprNode, count int) *exprNode {
	n.t = exprInt
	var ok bool
	switch n.op {
	case exprDigestMod:
		n.number, ok = p.integer()
		n.number = int64(int32(n.number))
		if !ok || n.number == 0 {
			return p.fail()
		}
		return p.arity(n, count, 1)
	case exprKey:
		n.number, ok = p.integer()
		n.t = exprType(n.number)
		if !ok || n.number != int64(exprInt) && n.number != int64(exprString) && n.number != int64(exprBlob) {
			return p.fail()
		}
		return p.arity(n, count, 1)
	case exprBin:
		n.number, ok = p.integer()
		if !ok || n.number < 0 || n.number >= int64(exprTypes) {
			return p.fail()
		}
		n.t = exprType(n.number)
		if n.name, ok = p.bytes(); !ok || !validBinName(n.name) {
			return p.fail()
		}
		return p.arity(n, count, 2)
	case exprBinType:
		if n.name, ok = p.bytes(); !ok || !validBinName(n.name) {
			return p.fail()
		}
		return p.arity(n, count, 1)
	case exprSetName:
		n.t = exprString
	case exprKeyExists, exprIsTombstone:
		n.t = exprBool
	case exprDeviceSize, exprLastUpdate, exprSinceUpdate, exprVoidTime, exprTTL, exprMemorySize, exprRecordSize:
	default:
		return p.fail()
	}
	return p.arity(n, count, 0)
}

// cond builds a choice: conditions, each with a value, and a value for the case
// that none holds. A value may be unknown whatever the type of the others.
func (p *exprBuilder) cond(n *exprNode, count int) *exprNode {
	if count < 3 || count%2 == 0 || !p.take(n, count) {
		return p.fail()
	}
	t := exprTypes
	for i, arg := range n.args {
		isValue := i%2 == 1 || i == count-1
		switch {
		case !isValue && arg.t != exprBool:
			return p.fail()
		case isValue && !arg.isUnknown() && t == exprTypes:
			t = arg.t
		case isValue && !arg.isUnknown() && arg.t != t:
			return p.fail()
		}
	}
	if n.t = t; t == exprTypes {
		n.t = exprBool
	}
	return n
}

// let builds an expression with variables.
func (p *exprBuilder) let(n *exprNode, count int) *exprNode {
	if count < 3 || count%2 == 0 {
		return p.fail()
	}
	n.first = len(p.scope)
	for range count / 2 {
		name, ok := p.bytes()
		if !ok || !validVariable(name) {
			return p.fail()
		}
		for i := range p.scope {
			if bytes.Equal(p.scope[i].name, name) {
				return p.fail()
			}
		}
		at := len(p.scope)
		p.scope = append(p.scope, exprVariable{name: name})
		p.variables = max(p.variables, len(p.scope))
		if !p.take(n, 1) {
			return nil
		}
		p.scope[at].t, p.scope[at].defined = n.args[len(n.args)-1].t, true
	}
	if !p.take(n, 1) {
		return nil
	}
	p.scope = p.scope[:n.first]
	n.t = n.args[len(n.args)-1].t
	return n
}

// validVariable reports whether a variable may have this name.
func validVariable(name []byte) bool {
	for i, c := range name {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(name) > 0
}
