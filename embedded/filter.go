package embedded

// storageUnit is what the real server rounds a record's size in storage up to,
// in bytes.
const storageUnit = 16

// recordContext is the context of expressions about a stored record.
func recordContext(ns *namespace, d *Digest, r *record, nowMs uint64) exprContext {
	return exprContext{
		ns: ns, digest: d, meta: r, key: r.key(), now: nowMs, bin: r.findBin,
		size: func() int {
			var bins []bin
			for rest := r.bins(); len(rest) > 0; {
				var b bin
				b, rest = nextBin(rest)
				bins = append(bins, b)
			}
			size := storedSize(r.voidTime, ns.setName(r.setID), r.key(), bins)
			return (size + storageUnit - 1) / storageUnit * storageUnit
		},
	}
}

// checkFilter decides by the message's filter, or else that of the batch, which
// may be nil, whether a message is for a record.
func checkFilter(ns *namespace, req *request, batch *expression, r *record, nowMs uint64) resultCode {
	x := batch
	if req.has(fieldFilter) {
		var code resultCode
		if x, code = compileFilter(req.field(fieldFilter)); code != codeOK {
			return code
		}
	}
	if x == nil {
		return codeOK
	}
	ctx := recordContext(ns, &req.digest, r, nowMs)
	if !x.matches(&ctx) {
		return codeFilteredOut
	}
	return codeOK
}

// Flags of operations that evaluate an expression.
const (
	exprCreateOnly   = 1 << 0
	exprUpdateOnly   = 1 << 1
	exprAllowDelete  = 1 << 2
	exprPolicyNoFail = 1 << 3
	exprEvalNoFail   = 1 << 4
)

// parseExprOp reads the operand of an operation that evaluates an expression.
func parseExprOp(operand []byte, valid uint64) (x *expression, flags uint64, code resultCode) {
	head, rest, ok := parseElement(operand)
	if !ok || head.kind != typeList || head.count == 0 || head.count > 2 {
		return nil, 0, codeParameter
	}
	body, rest, _, ok := skipPacked(rest)
	if !ok {
		return nil, 0, codeParameter
	}
	if e, _, ok := parseElement(rest); ok && (e.kind == typeInteger || e.kind == typeNegative) {
		if flags = e.number; flags&^valid != 0 {
			return nil, 0, codeParameter
		}
	}
	x, code = compileExpression(body)
	return x, flags, code
}

// bin is a value as a bin's. It reports false if the value is unknown.
func (v *exprValue) bin() (bin, bool) {
	switch v.t {
	case exprUnknown:
		return bin{}, false
	case exprNil:
		return bin{}, true
	case exprBool:
		return boolBin(v.i != 0), true
	case exprInt:
		return integerBin(v.i), true
	case exprFloat:
		return bin{particle: particleFloat, value: floatValue(v.f)}, true
	}
	return bin{particle: v.t.particle(), value: v.b}, true
}

// readExpr carries out an operation that returns an expression's value.
func readExpr(ctx *exprContext, operand []byte) (bin, resultCode) {
	x, flags, code := parseExprOp(operand, exprEvalNoFail)
	if code != codeOK {
		return bin{}, code
	}
	v := x.evaluate(ctx)
	b, ok := v.bin()
	if !ok && flags&exprEvalNoFail == 0 {
		return bin{}, codeNotApplicable
	}
	return b, codeOK
}

// writeContext is the context of expressions in a write: the metadata is already
// that of the new record, the bins are as they are at this point.
func (e *editor) writeContext() *exprContext {
	return &exprContext{
		ns: e.ns, digest: e.digest, meta: e.meta, key: e.key, now: e.now,
		bin: func(name []byte) (bin, bool) {
			if i := e.find(name); i >= 0 {
				return e.bins[i], true
			}
			return bin{}, false
		},
		size: func() int {
			if e.old == nil {
				return 0
			}
			ctx := recordContext(e.ns, e.digest, e.old, e.now)
			return ctx.size()
		},
	}
}

// applyExprRead returns an expression's value, which may be null.
func (e *editor) applyExprRead(o *op) resultCode {
	result, code := readExpr(e.writeContext(), o.value)
	if code != codeOK {
		return code
	}
	result.name = o.name
	e.results = append(e.results, opResult{result, o.code})
	return e.spend(result.value)
}

// applyExprModify writes an expression's value to a bin.
func (e *editor) applyExprModify(req *request, o *op) resultCode {
	const valid = exprCreateOnly | exprUpdateOnly | exprAllowDelete | exprPolicyNoFail | exprEvalNoFail
	x, flags, code := parseExprOp(o.value, valid)
	if code != codeOK {
		return code
	}
	i := e.find(o.name)
	if code, denied := exprDenial(flags, i >= 0); denied {
		if code == codeOK {
			e.respond(req, o)
		}
		return code
	}
	v := x.evaluate(e.writeContext())
	b, ok := v.bin()
	switch {
	case !ok && flags&exprEvalNoFail == 0:
		return codeNotApplicable
	case !ok:
	case b.particle == particleNull && i < 0:
	case b.particle == particleNull && flags&exprAllowDelete != 0:
		e.remove(i)
	case b.particle == particleNull && flags == 0:
		return codeNotApplicable
	case b.particle == particleNull: // with any flag the real server takes no offence
	default:
		if b.particle == particleList || b.particle == particleMap {
			if b.value, ok = normalise(b.value, b.particle); !ok {
				return codeNotApplicable
			}
		}
		b.name = o.name
		e.set(i, b)
	}
	e.respond(req, o)
	return e.spend(b.value)
}

// exprDenial reports whether the flags forbid to write a bin that is, or isn't,
// there, and the outcome then.
func exprDenial(flags uint64, exists bool) (resultCode, bool) {
	code := codeOK
	switch {
	case exists && flags&exprCreateOnly != 0:
		code = codeBinExists
	case !exists && flags&exprUpdateOnly != 0:
		code = codeBinNotFound
	default:
		return codeOK, false
	}
	if flags&exprPolicyNoFail != 0 {
		code = codeOK
	}
	return code, true
}

// lets reports whether a query's filter lets a record pass.
func (q *queryPlan) lets(ns *namespace, f *indexed, nowMs uint64) bool {
	if q.filter == nil {
		return true
	}
	ctx := recordContext(ns, &f.digest, f.record, nowMs)
	return q.filter.matches(&ctx)
}
