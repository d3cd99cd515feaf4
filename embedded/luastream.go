package embedded

import (
	lua "github.com/yuin/gopher-lua"
)

// A streamOp is one step of a stream function.
type streamOp struct {
	kind string
	args []lua.LValue
}

// streamOps are the steps that a stream function has asked for.
type streamOps struct{ ops []streamOp }

// emitLimit is the number from which an aggregate that is a number is handed on at
// once, as the real server does.
const emitLimit = 1000

// openStream sets the methods of streams, each of which notes a step.
func (m *luaMachine) openStream() {
	methods := m.L.NewTable()
	for _, kind := range []string{"aggregate", "reduce", "map", "filter", "groupby"} {
		methods.RawSetString(kind, m.L.NewFunction(func(L *lua.LState) int {
			s := luaValue[*streamOps](m, 1, "Stream")
			op := streamOp{kind: kind}
			for i := 2; i <= L.GetTop(); i++ {
				op.args = append(op.args, L.Get(i))
			}
			m.alloc(luaTableSize)
			s.ops = append(s.ops, op)
			L.SetTop(1)
			return 1
		}))
	}
	m.streamMeta = m.L.NewTable()
	m.streamMeta.RawSetString("__index", methods)
}

// arg returns an argument of a step, nil if it wasn't given.
func (o *streamOp) arg(i int) lua.LValue {
	if i < len(o.args) {
		return o.args[i]
	}
	return lua.LNil
}

// invoke calls a Lua function with values, and returns its result.
func (m *luaMachine) invoke(fn lua.LValue, args ...lua.LValue) lua.LValue {
	m.steps(luaCallSteps)
	m.L.Push(fn)
	for _, a := range args {
		m.L.Push(a)
	}
	m.L.Call(len(args), 1)
	v := m.L.Get(-1)
	m.L.Pop(1)
	return v
}

// A luaSource returns one value after the other, and nil after the last.
type luaSource func() lua.LValue

// pipeline puts those steps behind a source that are a server's: all up to the
// first reduction, after which only clients go on.
func (m *luaMachine) pipeline(from luaSource, ops []streamOp) luaSource {
	for i := range ops {
		op := &ops[i]
		switch op.kind {
		case "map":
			from = m.mapStream(from, op.arg(0))
		case "filter":
			from = m.filterStream(from, op.arg(0))
		case "aggregate":
			from = m.aggregateStream(from, op.arg(0), op.arg(1))
		case "groupby":
			return m.reduceStream(m.aggregateStream(from, m.box(&luaMap{}, m.mapMeta), m.grouper(op.arg(0))), m.groupMerger())
		case "reduce":
			return m.reduceStream(from, op.arg(0))
		}
	}
	return from
}

func (m *luaMachine) mapStream(from luaSource, f lua.LValue) luaSource {
	return func() lua.LValue {
		v := from()
		if v == lua.LNil {
			return v
		}
		return m.invoke(f, v)
	}
}

func (m *luaMachine) filterStream(from luaSource, f lua.LValue) luaSource {
	return func() lua.LValue {
		for v := from(); v != lua.LNil; v = from() {
			if lua.LVAsBool(m.invoke(f, v)) {
				return v
			}
		}
		return lua.LNil
	}
}

// reduceStream joins all values into one.
func (m *luaMachine) reduceStream(from luaSource, f lua.LValue) luaSource {
	done := false
	return func() lua.LValue {
		if done {
			return lua.LNil
		}
		done = true
		v := from()
		if v == lua.LNil {
			return v
		}
		for next := from(); next != lua.LNil; next = from() {
			v = m.invoke(f, v, next)
		}
		return v
	}
}

// aggregateStream adds all values to an initial one.
func (m *luaMachine) aggregateStream(from luaSource, first, f lua.LValue) luaSource {
	done := false
	return func() lua.LValue {
		if done {
			return lua.LNil
		}
		v := m.cloneValue(first)
		for next := from(); next != lua.LNil; next = from() {
			v = m.invoke(f, v, next)
			if n, ok := toNumber(v); ok && n.value() >= emitLimit {
				return v
			}
		}
		done = true
		return v
	}
}

// cloneValue copies a table, list or map, so that an aggregation starts with a
// fresh one.
func (m *luaMachine) cloneValue(v lua.LValue) lua.LValue {
	switch v := v.(type) {
	case *lua.LTable:
		t := m.L.NewTable()
		v.ForEach(func(key, value lua.LValue) {
			m.alloc(luaEntrySize)
			t.RawSet(key, value)
		})
		return t
	case *lua.LUserData:
		switch u := v.Value.(type) {
		case *luaList:
			return m.box(&luaList{elems: withoutNil(u.elems)}, m.listMeta)
		case *luaMap:
			return m.box(&luaMap{entries: append([]luaEntry(nil), u.entries...)}, m.mapMeta)
		}
	}
	return v
}

// grouper makes the function that adds a value to the list of its group.
func (m *luaMachine) grouper(f lua.LValue) lua.LValue {
	return m.L.NewFunction(func(L *lua.LState) int {
		groups, value := m.mapAt(1), L.Get(2)
		key, ok := storable(m.invoke(f, value))
		v, valid := storable(value)
		if ok && valid {
			list, isList := m.mapGet(groups, key).(*lua.LUserData)
			if !isList {
				list = m.box(&luaList{}, m.listMeta)
				m.mapSet(groups, key, list)
			}
			if l, isList := list.Value.(*luaList); isList {
				m.insert(l, len(l.elems), v)
			}
		}
		L.SetTop(1)
		return 1
	})
}

// groupMerger makes the function that joins the lists of two maps of groups.
func (m *luaMachine) groupMerger() lua.LValue {
	return m.L.NewFunction(func(L *lua.LState) int {
		into := &luaMap{entries: append([]luaEntry(nil), m.mapAt(1).entries...)}
		for _, e := range m.mapAt(2).entries {
			mine, ok := m.mapGet(into, e.key).(*lua.LUserData)
			theirs, both := e.value.(*lua.LUserData)
			if ok && both {
				a, isList := mine.Value.(*luaList)
				b, isListToo := theirs.Value.(*luaList)
				if isList && isListToo {
					m.alloc(luaSlotSize * (len(a.elems) + len(b.elems)))
					m.mapSet(into, e.key, m.box(&luaList{elems: append(withoutNil(a.elems), b.elems...)}, m.listMeta))
					continue
				}
			}
			m.mapSet(into, e.key, e.value)
		}
		L.Push(m.box(into, m.mapMeta))
		return 1
	})
}

// stream calls a stream function on records and hands its results to emit. It
// returns the text of the function's failure.
func (m *luaMachine) stream(call *udfCall, ns *namespace, records []indexed, nowMs uint64, emit func(bin)) string {
	m.refill()
	fn, ok := m.L.GetGlobal(call.function).(*lua.LFunction)
	if !ok {
		return "function not found"
	}
	fault := m.protect(func() {
		self := m.box(&streamOps{}, m.streamMeta)
		result := m.invoke(fn, append([]lua.LValue{self}, m.arguments(call.args)...)...)
		u, isData := result.(*lua.LUserData)
		if !isData {
			m.L.RaiseError("attempt to index a %s value", m.typeName(result))
		}
		s, isStream := u.Value.(*streamOps)
		if !isStream {
			m.L.RaiseError("attempt to index a %s value", m.typeName(result))
		}
		next := m.pipeline(m.recordSource(ns, records, nowMs), s.ops)
		for v := next(); v != lua.LNil; v = next() {
			var b bin
			var ok bool
			if b.particle, b.value, ok = m.toBin(v, true); !ok {
				if b.particle != particleNull {
					m.outOfMemory()
				}
			}
			emit(b)
		}
	})
	m.L.SetTop(0)
	return fault
}

// recordSource returns records, which a function can only read.
func (m *luaMachine) recordSource(ns *namespace, records []indexed, nowMs uint64) luaSource {
	return func() lua.LValue {
		if len(records) == 0 {
			return lua.LNil
		}
		f := records[0]
		records = records[1:]
		m.alloc(luaTableSize)
		rec := &udfRecord{
			ns: ns, req: &request{digest: f.digest}, edit: &editor{}, old: f.record,
			open: true, setID: f.record.setID, nowMs: nowMs,
		}
		rec.edit.load(rec.req, f.record, ns.maxRecordSize)
		return m.box(rec, m.recordMeta)
	}
}
