package embedded

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// epochSeconds is the Aerospike epoch, 2010-01-01, in Unix time.
const epochSeconds = 1262304000

// An exprContext is the record that an expression is about.
type exprContext struct {
	ns     *namespace
	digest *Digest
	meta   *record    // its metadata; the bins and the key aren't looked at
	size   func() int // bytes that it takes in storage, 0 if it's new
	key    []byte     // the stored key, if any
	now    uint64     // ms since the Aerospike epoch
	bin    func(name []byte) (bin, bool)
}

// An exprRun is the evaluation of an expression.
type exprRun struct {
	*exprContext
	variables []exprValue
	work      int // bytes that calls have handled
}

// evaluate returns an expression's value.
func (x *expression) evaluate(ctx *exprContext) exprValue {
	run := exprRun{exprContext: ctx}
	if x.variables > 0 {
		run.variables = make([]exprValue, x.variables)
	}
	return run.eval(x.root)
}

// matches reports whether a filter lets a record pass.
func (x *expression) matches(ctx *exprContext) bool {
	v := x.evaluate(ctx)
	return v.isTrue()
}

// spend notes that a call has handled n bytes. It reports false if the calls have
// handled too many.
func (x *exprRun) spend(n int) bool {
	x.work += n
	return x.work <= maxCallWork
}

// eval evaluates a node.
func (x *exprRun) eval(n *exprNode) exprValue {
	switch {
	case n.op == exprConstant:
		return n.value
	case n.op == exprUnknownOp:
		return unknownValue()
	case n.op <= exprLE:
		return x.compare(n)
	case n.op == exprRegex:
		v := x.eval(n.args[0])
		if v.t != exprString {
			return unknownValue()
		}
		text, _, _ := bytes.Cut(v.b, []byte{0})
		return boolValue(n.regex.Match(text))
	case n.op <= exprExclusive:
		return x.logic(n)
	case n.op <= exprMax:
		return x.arithmetic(n)
	case n.op <= exprRecordSize:
		return x.metadata(n)
	case n.op <= exprBinType:
		return x.content(n)
	}
	return x.special(n)
}

// special evaluates conditions, variables and calls.
func (x *exprRun) special(n *exprNode) exprValue {
	switch n.op {
	case exprCond:
		last := len(n.args) - 1
		for i := 0; i < last; i += 2 {
			v := x.eval(n.args[i])
			if v.t != exprBool {
				return unknownValue()
			}
			if v.isTrue() {
				return x.eval(n.args[i+1])
			}
		}
		return x.eval(n.args[last])
	case exprVar:
		return x.variables[n.number]
	case exprLet:
		last := len(n.args) - 1
		for i := range last {
			x.variables[n.first+i] = x.eval(n.args[i])
		}
		return x.eval(n.args[last])
	}
	return x.callValue(n)
}

// compare evaluates a comparison.
func (x *exprRun) compare(n *exprNode) exprValue {
	a := x.eval(n.args[0])
	if a.t == exprUnknown {
		return a
	}
	b := x.eval(n.args[1])
	if a.t != b.t {
		return unknownValue()
	}
	order := 0
	switch a.t {
	case exprBool, exprInt:
		order = compareInts(a.i, b.i)
	case exprFloat:
		if math.IsNaN(a.f) || math.IsNaN(b.f) {
			return boolValue(n.op == exprNE)
		}
		order = compareDoubles(a.f, b.f)
	case exprString, exprBlob:
		order = bytes.Compare(a.b, b.b)
	case exprList, exprMap:
		var unordered bool
		if order, unordered = comparePackedMaps(a.b, b.b); unordered {
			return unknownValue()
		}
	}
	switch n.op {
	case exprEQ:
		return boolValue(order == 0)
	case exprNE:
		return boolValue(order != 0)
	case exprGT:
		return boolValue(order > 0)
	case exprGE:
		return boolValue(order >= 0)
	case exprLT:
		return boolValue(order < 0)
	}
	return boolValue(order <= 0)
}

func compareInts(a, b int64) int {
	switch {
	case a > b:
		return 1
	case a < b:
		return -1
	}
	return 0
}

// logic evaluates with three values: a part that is unknown only matters if the
// others don't decide.
func (x *exprRun) logic(n *exprNode) exprValue {
	result := boolValue(n.op == exprAnd)
	for _, arg := range n.args {
		v := x.eval(arg)
		switch {
		case n.op == exprNot && v.t == exprBool:
			return boolValue(!v.isTrue())
		case v.t != exprBool:
			if n.op == exprNot || n.op == exprExclusive {
				return unknownValue()
			}
			result = unknownValue()
		case n.op == exprAnd && !v.isTrue(), n.op == exprOr && v.isTrue():
			return v
		case n.op == exprExclusive && v.isTrue():
			if result.isTrue() {
				return boolValue(false)
			}
			result = v
		}
	}
	return result
}

// arithmetic evaluates an operation on numbers.
func (x *exprRun) arithmetic(n *exprNode) exprValue {
	args := make([]exprValue, len(n.args))
	for i, arg := range n.args {
		if args[i] = x.eval(arg); args[i].t == exprUnknown {
			return unknownValue()
		}
	}
	switch n.op {
	case exprToInt:
		return intValue(int64(args[0].f))
	case exprToFloat:
		return exprValue{t: exprFloat, f: float64(args[0].i)}
	case exprIntLScan, exprIntRScan:
		return intValue(scanBits(n.op, uint64(args[0].i), args[1].isTrue()))
	}
	v := args[0]
	rest := args[1:]
	if len(rest) == 0 && v.t == exprFloat {
		v.f = unaryFloat(n.op, v.f)
		return v
	}
	if len(rest) == 0 {
		return unaryInt(n.op, v.i)
	}
	if v.t == exprFloat {
		v.f = foldFloats(n.op, v.f, rest)
		return v
	}
	return foldInts(n.op, v.i, rest)
}

// unaryFloat applies an operation to a single double.
func unaryFloat(op int, f float64) float64 {
	switch op {
	case exprSub:
		return 0 - f
	case exprDiv:
		return 1 / f
	case exprAbs:
		return math.Abs(f)
	case exprFloor:
		return math.Floor(f)
	case exprCeil:
		return math.Ceil(f)
	}
	return f
}

// unaryInt applies an operation to a single integer.
func unaryInt(op int, i int64) exprValue {
	switch op {
	case exprSub:
		i = -i
	case exprDiv:
		if i == 0 {
			return unknownValue()
		}
		i = 1 / i
	case exprAbs:
		if i < 0 {
			i = -i
		}
	case exprIntNot:
		i = ^i
	case exprIntCount:
		i = int64(bits.OnesCount64(uint64(i)))
	}
	return intValue(i)
}

// foldFloats applies an operation to a double and those that follow it.
func foldFloats(op int, f float64, rest []exprValue) float64 {
	product := 1.0
	for _, v := range rest {
		switch op {
		case exprAdd:
			f += v.f
		case exprSub:
			f -= v.f
		case exprMul:
			f *= v.f
		case exprDiv:
			product *= v.f
		case exprPow:
			f = math.Pow(f, v.f)
		case exprLog:
			f = math.Log(f) / math.Log(v.f)
		case exprMin:
			if f > v.f {
				f = v.f
			}
		case exprMax:
			if f < v.f {
				f = v.f
			}
		}
	}
	return f / product
}

// foldInts applies an operation to an integer and those that follow it. Division
// is by the product of those.
func foldInts(op int, i int64, rest []exprValue) exprValue {
	product := int64(1)
	for _, v := range rest {
		switch op {
		case exprAdd:
			i += v.i
		case exprSub:
			i -= v.i
		case exprMul:
			i *= v.i
		case exprDiv, exprMod:
			product *= v.i
		case exprIntAnd:
			i &= v.i
		case exprIntOr:
			i |= v.i
		case exprIntXor:
			i ^= v.i
		case exprLShift:
			i <<= uint64(v.i) & 63
		case exprRShift:
			i = int64(uint64(i) >> (uint64(v.i) & 63))
		case exprARShift:
			i >>= uint64(v.i) & 63
		case exprMin:
			i = min(i, v.i)
		case exprMax:
			i = max(i, v.i)
		}
	}
	switch {
	case product == 0:
		return unknownValue()
	case op == exprMod:
		return intValue(i % product)
	}
	return intValue(i / product)
}

// scanBits finds the first bit that is set, or not set, from the left or from the
// right; bits are counted from the left. It returns -1 if there is none.
func scanBits(op int, n uint64, set bool) int64 {
	if !set {
		n = ^n
	}
	switch {
	case n == 0:
		return -1
	case op == exprIntLScan:
		return int64(bits.LeadingZeros64(n))
	}
	return int64(63 - bits.TrailingZeros64(n))
}

// metadata evaluates what is known without the bins.
func (x *exprRun) metadata(n *exprNode) exprValue {
	m := x.meta
	switch n.op {
	case exprDigestMod:
		return intValue(int64(binary.LittleEndian.Uint32(x.digest[16:])) % n.number)
	case exprLastUpdate:
		return intValue(int64(m.lastUpdate+epochSeconds*1000) * 1_000_000)
	case exprSinceUpdate:
		return intValue(int64(max(x.now, m.lastUpdate) - m.lastUpdate))
	case exprVoidTime:
		if m.voidTime == 0 {
			return intValue(-1)
		}
		return intValue((int64(m.voidTime) + epochSeconds) * 1_000_000_000)
	case exprTTL:
		if m.voidTime == 0 {
			return intValue(-1)
		}
		return intValue(max(int64(m.voidTime)-int64(x.now/1000), 1))
	case exprSetName:
		return exprValue{t: exprString, b: []byte(x.ns.setName(m.setID))}
	case exprKeyExists:
		return boolValue(len(x.key) > 0)
	case exprMemorySize, exprRecordSize:
		return intValue(int64(x.size()))
	case exprIsTombstone:
		return boolValue(false)
	}
	return intValue(0) // the size on a device: there is none
}

// content evaluates what is in the record: its key and bins.
func (x *exprRun) content(n *exprNode) exprValue {
	if n.op == exprKey {
		if len(x.key) == 0 {
			return unknownValue()
		}
		b := bin{particle: x.key[0], value: x.key[1:]}
		if b.particle == particleInteger && len(b.value) != 8 {
			return unknownValue()
		}
		return ofType(&b, n.t)
	}
	b, ok := x.bin(n.name)
	switch {
	case n.op == exprBinType && !ok:
		return intValue(particleNull)
	case n.op == exprBinType:
		return intValue(int64(b.particle))
	case !ok:
		return unknownValue()
	}
	return ofType(&b, n.t)
}

// ofType is a bin's value if it has the type, else unknown.
func ofType(b *bin, t exprType) exprValue {
	if t == exprNil || b.particle != t.particle() {
		return unknownValue()
	}
	return binExprValue(b)
}
