package embedded

import (
	"math"
	"regexp"
)

// An exprType is the type of an expression's value, numbered as on the wire.
type exprType byte

const (
	exprNil exprType = iota
	exprBool
	exprInt
	exprString
	exprList
	exprMap
	exprBlob
	exprFloat
	exprGeo
	exprHLL
	exprTypes // the number of types

	exprUnknown = exprTypes // of a value that can't be found out
)

// particle is the particle type of values of a type.
func (t exprType) particle() byte {
	switch t {
	case exprBool:
		return particleBool
	case exprInt:
		return particleInteger
	case exprString:
		return particleString
	case exprList:
		return particleList
	case exprMap:
		return particleMap
	case exprBlob:
		return particleBlob
	case exprFloat:
		return particleFloat
	case exprGeo:
		return particleGeoJSON
	case exprHLL:
		return particleHLL
	}
	return particleNull
}

// Codes of expressions, from the server's exp.c.
const (
	exprUnknownOp = 0

	exprEQ    = 1
	exprNE    = 2
	exprGT    = 3
	exprGE    = 4
	exprLT    = 5
	exprLE    = 6
	exprRegex = 7
	exprGeoOp = 8

	exprAnd       = 16
	exprOr        = 17
	exprNot       = 18
	exprExclusive = 19

	exprAdd   = 20
	exprSub   = 21
	exprMul   = 22
	exprDiv   = 23
	exprPow   = 24
	exprLog   = 25
	exprMod   = 26
	exprAbs   = 27
	exprFloor = 28
	exprCeil  = 29

	exprToInt   = 30
	exprToFloat = 31

	exprIntAnd    = 32
	exprIntOr     = 33
	exprIntXor    = 34
	exprIntNot    = 35
	exprLShift    = 36
	exprRShift    = 37
	exprARShift   = 38
	exprIntCount  = 39
	exprIntLScan  = 40
	exprIntRScan  = 41
	exprMin       = 50
	exprMax       = 51
	exprDigestMod = 64

	exprDeviceSize  = 65
	exprLastUpdate  = 66
	exprSinceUpdate = 67
	exprVoidTime    = 68
	exprTTL         = 69
	exprSetName     = 70
	exprKeyExists   = 71
	exprIsTombstone = 72
	exprMemorySize  = 73
	exprRecordSize  = 74

	exprKey     = 80
	exprBin     = 81
	exprBinType = 82

	exprCond  = 123
	exprVar   = 124
	exprLet   = 125
	exprQuote = 126
	exprCall  = 127

	exprConstant = 128 // not on the wire: a value
)

// An exprValue is a value at run time.
type exprValue struct {
	t exprType
	i int64 // integers; 1 for true
	f float64
	b []byte // strings, blobs; lists and maps in wire form
}

func (v *exprValue) isTrue() bool { return v.t == exprBool && v.i != 0 }

// unknownValue is the value of what can't be found out.
func unknownValue() exprValue { return exprValue{t: exprUnknown} }

func boolValue(t bool) exprValue {
	v := exprValue{t: exprBool}
	if t {
		v.i = 1
	}
	return v
}

func intValue(n int64) exprValue { return exprValue{t: exprInt, i: n} }

// binExprValue is a bin's value.
func binExprValue(b *bin) exprValue {
	switch b.particle {
	case particleNull:
		return exprValue{t: exprNil}
	case particleInteger:
		return intValue(int64(bigEndian(b.value)))
	case particleFloat:
		return exprValue{t: exprFloat, f: math.Float64frombits(bigEndian(b.value))}
	case particleBool:
		return boolValue(b.value[0] != 0)
	}
	for t := range exprTypes {
		if t.particle() == b.particle {
			return exprValue{t: t, b: b.value}
		}
	}
	return unknownValue()
}

// An exprNode is a part of an expression that has been checked.
type exprNode struct {
	op   int
	t    exprType // of the value, if it isn't unknown
	args []*exprNode

	value  exprValue // of a constant
	number int64     // an operation's integer parameter
	name   []byte    // of a bin
	first  int       // where a let's variables are
	regex  *regexp.Regexp
	call   *exprCallOp
}

// isUnknown reports whether a node is known to have no value.
func (n *exprNode) isUnknown() bool { return n.op == exprUnknownOp }

// An expression is a checked expression, ready to be evaluated.
type expression struct {
	root      *exprNode
	variables int // the most that are in scope at once
}

// compileFilter checks an expression that is to select records.
func compileFilter(b []byte) (*expression, resultCode) {
	x, code := compileExpression(b)
	if code == codeOK && x.root.t != exprBool {
		return nil, codeParameter
	}
	return x, code
}
