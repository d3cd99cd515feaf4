package embedded

import (
	"regexp"

	lua "github.com/yuin/gopher-lua"
)

// codeUDFExecution is the result of a function that failed. The reply has the
// reason in a bin.
const codeUDFExecution resultCode = 100

// Fields of a message that calls a function, besides its module's.
const (
	fieldUDFFunction = 31
	fieldUDFArgs     = 32
)

// maxUDFName is one more than the bytes of a module's or function's name.
const maxUDFName = 128

// Bins of the reply to a call.
const (
	udfSuccess = "SUCCESS"
	udfFailure = "FAILURE"
)

// udfNotLoaded is the text that the real server has for a module that isn't
// there or can't be loaded.
const udfNotLoaded = "UDF: Execution Error 1"

// A udfCall is a call of a function.
type udfCall struct {
	module, function string
	args             []byte // a list in MessagePack
	background       bool   // on a record that was found; there is no reply
	// check reports whether a background call is still meant for a record.
	check func(*record) bool
}

// parseUDF takes a call from a message. It reports false if a part is missing or
// too long.
func parseUDF(req *request) (udfCall, bool) {
	module, function := req.field(fieldUDFFile), req.field(fieldUDFFunction)
	if !req.has(fieldUDFFile) || !req.has(fieldUDFFunction) || !req.has(fieldUDFArgs) ||
		len(module) >= maxUDFName || len(function) >= maxUDFName {
		return udfCall{}, false
	}
	return udfCall{module: cString(module), function: cString(function), args: req.field(fieldUDFArgs)}, true
}

// udf answers a transaction that calls a function on a record. The partition's
// lock is held while the function runs, so that nothing else changes the record.
func (c *conn) udf(ns *namespace, req *request) outcome {
	call, ok := parseUDF(req)
	if !ok {
		return failed(codeParameter)
	}
	const forbidden2 = info2Generation | info2GenerationGT | info2CreateOnly
	const forbidden3 = info3UpdateOnly | info3CreateOrReplace | info3ReplaceOnly
	if req.info2&forbidden2 != 0 || req.info3&forbidden3 != 0 {
		return failed(codeParameter)
	}
	if req.has(fieldMRTID) {
		return failed(codeEnterpriseOnly)
	}
	return c.runUDF(ns, req, &call)
}

// runUDF calls a function on the record that the request's digest names.
func (c *conn) runUDF(ns *namespace, req *request, call *udfCall) outcome {
	now := c.server.nowMs()
	p := &ns.partitions[req.digest.partition()]
	p.mu.Lock()
	defer p.mu.Unlock()
	old := ns.lookupLocked(p, &req.digest, now)
	rec := udfRecord{ns: ns, req: req, edit: &c.edit, old: old, ttl: req.ttl, nowMs: now}
	if call.background && (old == nil || call.check != nil && !call.check(old)) {
		return failed(codeNotFound)
	}
	c.edit.reset()
	defer c.edit.reset()
	if old != nil {
		if code := rec.openExisting(c, call); code != codeOK {
			return failedOn(old, code)
		}
	}
	result, fault := c.callLua(call, &rec)
	switch {
	case fault != "":
		return c.udfFailed(old, fault, call)
	case rec.code != codeOK:
		return udfOutcome(old, rec.code)
	}
	done := udfOutcome(old, codeOK)
	if rec.written {
		if done = rec.store(p); done.code != codeOK {
			return done
		}
	}
	if !call.background {
		c.out = appendOp(c.out, opRead, result.particle, []byte(udfSuccess), result.value)
		done.ops = 1
	}
	return done
}

// udfOutcome is an outcome with the metadata of a record, if there is one.
func udfOutcome(r *record, code resultCode) outcome {
	if r == nil {
		return failed(code)
	}
	return failedOn(r, code)
}

// udfFailed is the outcome of a function that failed.
func (c *conn) udfFailed(old *record, fault string, call *udfCall) outcome {
	done := udfOutcome(old, codeUDFExecution)
	if !call.background {
		c.out = appendOp(c.out, opRead, particleString, []byte(udfFailure), []byte(fault))
		done.ops = 1
	}
	return done
}

// openExisting makes a stored record the call's, unless the message isn't meant
// for it.
func (r *udfRecord) openExisting(c *conn, call *udfCall) resultCode {
	if !call.background {
		if !checkSet(r.ns, r.req, r.old, true) {
			return codeParameter
		}
		if code := checkFilter(r.ns, r.req, c.batchExpr, r.old, r.nowMs); code != codeOK {
			return code
		}
		if code := prepareKey(r.req, r.old); code != codeOK {
			return code
		}
		r.newKey = r.req.field(fieldKey)
	}
	if r.old.binCount() > maxUDFBins {
		return codeBinName
	}
	r.open, r.setID = true, r.old.setID
	for rest := r.old.bins(); len(rest) > 0; {
		var b bin
		b, rest = nextBin(rest)
		r.edit.bins = append(r.edit.bins, b)
	}
	return codeOK
}

// store makes the record what the function has made of it.
func (r *udfRecord) store(p *partition) outcome {
	next := record{lastUpdate: r.nowMs, setID: r.setID}
	if r.old != nil {
		next.generation, next.voidTime = r.old.generation, r.old.voidTime
		next.lastUpdate = max(r.nowMs, r.old.lastUpdate)
	}
	msg := *r.req
	msg.ttl = r.ttl
	if !prepareVoidTime(r.ns, &msg, len(r.before) == 0, &next, r.nowMs) {
		return udfOutcome(r.old, codeParameter)
	}
	if next.generation++; next.generation == 0 {
		next.generation = 1
	}
	done := outcome{generation: next.generation, voidTime: next.voidTime}
	if len(r.edit.bins) == 0 {
		switch {
		case r.old == nil:
			return failed(codeNotFound)
		case r.req.info2&info2DurableDelete != 0:
			return udfOutcome(r.old, codeEnterpriseOnly)
		}
		r.ns.removeLocked(p, &r.req.digest, r.old)
		return done
	}
	key := r.key()
	if storedSize(next.voidTime, r.ns.setName(next.setID), key, r.edit.bins) > r.ns.maxRecordSize {
		return udfOutcome(r.old, codeRecordTooBig)
	}
	r.ns.storeLocked(p, &r.req.digest, r.old, newRecord(&next, key, r.edit.bins))
	return done
}

// callLua runs a function and returns its result, or the text of its failure.
func (c *conn) callLua(call *udfCall, rec *udfRecord) (result bin, fault string) {
	m := c.server.udfs.take(call.module)
	if m == nil {
		return bin{}, udfNotLoaded
	}
	defer c.server.udfs.give(call.module, m)
	return m.call(call, rec)
}

// call runs a function.
func (m *luaMachine) call(call *udfCall, rec *udfRecord) (result bin, fault string) {
	m.refill()
	m.rec = rec
	defer func() { m.rec = nil }()
	fn, ok := m.L.GetGlobal(call.function).(*lua.LFunction)
	if !ok {
		return bin{}, "function not found"
	}
	var value lua.LValue
	err := m.protect(func() {
		args := append([]lua.LValue{m.box(m, m.recordMeta)}, m.arguments(call.args)...)
		m.L.Push(fn)
		for _, a := range args {
			m.L.Push(a)
		}
		m.L.Call(len(args), 1)
		value = m.L.Get(-1)
		result.particle, result.value, ok = m.toBin(value, true)
		if !ok && result.particle != particleNull {
			m.outOfMemory()
		}
	})
	m.L.SetTop(0)
	if err != "" {
		return bin{}, err
	}
	return result, ""
}

// Texts of errors that the Lua here words differently from Lua 5.4.
var (
	luaArithError = regexp.MustCompile(`cannot perform (?:\w+) operation between (\w+) and (\w+)`)
	luaIndexError = regexp.MustCompile(`attempt to index a non-table object\((\w+)\) with key '.*'`)
	luaMinusError = regexp.MustCompile(`__unm undefined`)
	luaOrderError = regexp.MustCompile(`attempt to compare table with table`)
	luaCallError  = regexp.MustCompile(`attempt to call a non-function object`)
	luaArgError   = regexp.MustCompile(`bad argument #(\d+) to (?:\w+\.)?(\w+) \(`)
)

// luaErrorText gives an error's text the words of Lua 5.4, but for the name of the
// variable, which isn't known.
func luaErrorText(text string) string {
	if m := luaArithError.FindStringSubmatchIndex(text); m != nil {
		bad := text[m[2]:m[3]]
		if bad == "number" {
			bad = text[m[4]:m[5]]
		}
		return text[:m[0]] + "attempt to perform arithmetic on a " + bad + " value"
	}
	text = luaIndexError.ReplaceAllString(text, "attempt to index a $1 value")
	text = luaMinusError.ReplaceAllString(text, "attempt to perform arithmetic on a nil value")
	text = luaOrderError.ReplaceAllString(text, "attempt to compare two table values")
	text = luaCallError.ReplaceAllString(text, "attempt to call a nil value")
	return luaArgError.ReplaceAllString(text, "bad argument #$1 to '$2' (")
}

// protect runs a function that may raise a Lua error, and returns the error's
// text.
func (m *luaMachine) protect(run func()) string {
	err := m.L.CallByParam(lua.P{Fn: m.L.NewFunction(func(*lua.LState) int { run(); return 0 }), Protect: true})
	if err == nil {
		return ""
	}
	api, ok := err.(*lua.ApiError)
	if !ok {
		return err.Error()
	}
	text, ok := api.Object.(lua.LString)
	if !ok {
		return "result value type unexpected"
	}
	if text == "" {
		return "error"
	}
	return luaErrorText(string(text))
}

// arguments turns a list in MessagePack into Lua values. What isn't a list gives
// none.
func (m *luaMachine) arguments(packed []byte) []lua.LValue {
	v, _, ok := m.fromElement(packed)
	if u, isData := v.(*lua.LUserData); ok && isData {
		if list, isList := u.Value.(*luaList); isList {
			return list.elems
		}
	}
	return nil
}
