package embedded

import (
	"bytes"
	"encoding/binary"

	lua "github.com/yuin/gopher-lua"
)

// Limits of a function's record in the real server (udf_record.h).
const (
	maxUDFBins    = 512
	maxUDFUpdates = 2 * maxUDFBins
)

// A udfRecord is the record that a function is called with. Its bins are in the
// connection's editor; what the function sets goes to cached first and from
// there, when it says create or update, to the editor.
type udfRecord struct {
	ns   *namespace
	req  *request
	edit *editor
	old  *record // as stored, nil if it isn't there

	open    bool   // the record is there, or was created
	written bool   // something is to be stored
	before  []bin  // the bins before the first update
	setID   uint16 // of the record
	ttl     uint32 // as in a message's header
	dropKey bool
	newKey  []byte // the message's key, to be stored
	nowMs   uint64

	cached  []cachedBin
	inserts int  // values among them that aren't nil
	tooMany bool // more bins were set or read than are allowed
	code    resultCode
}

// A cachedBin is a bin that the function has read or set.
type cachedBin struct {
	name  string
	value lua.LValue
	dirty bool // set, and not yet in the editor
}

// cache keeps a bin's value.
func (r *udfRecord) cache(name string, v lua.LValue, dirty bool) {
	if r.tooMany {
		return
	}
	isInsert := v != lua.LNil
	for i := range r.cached {
		c := &r.cached[i]
		if c.name != name {
			continue
		}
		if c.value != lua.LNil {
			r.inserts--
		}
		if isInsert {
			r.inserts++
		}
		c.value, c.dirty = v, dirty
		return
	}
	if len(r.cached) >= maxUDFUpdates || isInsert && r.inserts >= maxUDFBins {
		r.tooMany = true
		return
	}
	r.cached = append(r.cached, cachedBin{name, v, dirty})
	if isInsert {
		r.inserts++
	}
}

// forget empties the cache.
func (r *udfRecord) forget() { r.cached, r.inserts, r.tooMany = r.cached[:0], 0, false }

// get returns a bin's value.
func (r *udfRecord) get(m *luaMachine, name string) lua.LValue {
	for i := range r.cached {
		if c := &r.cached[i]; c.name == name && c.value != lua.LNil {
			return m.again(c.value)
		} else if c.name == name && c.dirty {
			return lua.LNil
		}
	}
	if !r.open {
		return lua.LNil
	}
	i := r.edit.find([]byte(name))
	if i < 0 {
		return lua.LNil
	}
	v := m.fromBin(r.edit.bins[i])
	if v != lua.LNil {
		r.cache(name, v, false)
	}
	return v
}

// again returns a value as Lua code gets it each time it reads a bin: the same
// list or map, but userdata of its own.
func (m *luaMachine) again(v lua.LValue) lua.LValue {
	if u, ok := v.(*lua.LUserData); ok {
		return m.box(u.Value, u.Metatable.(*lua.LTable))
	}
	return v
}

// update puts what was set into the editor. On failure the record is as it was
// before the first update.
func (r *udfRecord) update(m *luaMachine) int {
	if !r.written {
		r.before = append([]bin(nil), r.edit.bins...)
	}
	if code := r.apply(m); code != codeOK {
		r.code, r.written = code, false
		r.edit.bins, r.edit.index = append(r.edit.bins[:0], r.before...), nil
		r.forget()
		return -1
	}
	r.code, r.written = codeOK, true
	for i := range r.cached {
		r.cached[i].dirty = false
	}
	return 0
}

// apply writes the cached bins that are dirty. A deleted bin's place in the cache
// is taken by the last one.
func (r *udfRecord) apply(m *luaMachine) resultCode {
	if r.tooMany {
		return codeBinName
	}
	for i := 0; i < len(r.cached); i++ {
		c := &r.cached[i]
		if !c.dirty {
			continue
		}
		at := r.edit.find([]byte(c.name))
		if c.value == lua.LNil {
			if at >= 0 {
				r.edit.remove(at)
			}
			last := len(r.cached) - 1
			r.cached[i] = r.cached[last]
			r.cached = r.cached[:last]
			i--
			continue
		}
		particle, value, ok := m.toBin(c.value, false)
		switch {
		case !ok && particle == particleNull:
			return codeIncompatibleType
		case !ok:
			return codeRecordTooBig
		case at < 0 && len(r.edit.bins) >= maxUDFBins:
			return codeBinName
		}
		m.alloc(len(value))
		r.edit.set(at, bin{name: []byte(c.name), value: value, particle: particle})
	}
	return codeOK
}

// create does what aerospike:create does, and returns its result.
func (r *udfRecord) create(m *luaMachine) int {
	if r.open {
		if len(r.edit.bins) != 0 {
			return 1
		}
		return r.update(m)
	}
	var next record
	if prepareSet(r.ns, r.req, nil, &next, r.nowMs) != codeOK || prepareKey(r.req, nil) != codeOK {
		return 4
	}
	r.newKey = r.req.field(fieldKey)
	if result := r.update(m); result != 0 {
		return result
	}
	r.open, r.setID = true, next.setID
	return 0
}

// remove does what aerospike:remove does.
func (r *udfRecord) remove(m *luaMachine) int {
	if !r.open {
		return 1
	}
	r.forget()
	for i := range r.edit.bins {
		r.cache(string(r.edit.bins[i].name), lua.LNil, true)
	}
	return r.update(m)
}

// recordOf returns the record that an argument stands for: the call's. A record
// that a function kept from an earlier call has none.
func (m *luaMachine) recordOf(i int) *udfRecord {
	m.steps(luaCallSteps)
	if u, ok := m.L.Get(i).(*lua.LUserData); ok {
		if rec, ok := u.Value.(*udfRecord); ok {
			return rec // of a stream
		}
	}
	if !isRecord(m.L.Get(i)) || m.rec == nil {
		m.L.ArgError(i, "Record expected, got "+m.argType(m.L.Get(i)))
	}
	return m.rec
}

// openAerospike sets the functions on the server and those that log. What is
// logged goes nowhere, but its format is checked.
func (m *luaMachine) openAerospike() {
	object := m.L.NewTable()
	m.L.SetGlobal("aerospike", object)
	for name, run := range map[string]func(*udfRecord) int{
		"create": func(r *udfRecord) int { return r.create(m) },
		"remove": func(r *udfRecord) int { return r.remove(m) },
		"update": func(r *udfRecord) int {
			if !r.open {
				return -2
			}
			return r.update(m)
		},
	} {
		object.RawSetString(name, m.L.NewFunction(func(L *lua.LState) int {
			L.Push(lua.LNumber(run(m.recordOf(2))))
			return 1
		}))
	}
	m.L.SetFuncs(object, map[string]lua.LGFunction{
		"exists": func(L *lua.LState) int {
			L.Push(lua.LBool(m.recordOf(2).open))
			return 1
		},
		"log": func(*lua.LState) int { return 0 },
		"get_current_time": func(L *lua.LState) int {
			L.Push(m.integer(int64(m.now()) + aerospikeEpochMs))
			return 1
		},
	})
	for _, name := range []string{"trace", "debug", "info", "warn"} {
		m.set(name, func(L *lua.LState) int {
			m.stringFormat(L)
			return 0
		})
	}
}

// openRecord sets the functions of records.
func (m *luaMachine) openRecord() {
	number := func(of func(*udfRecord) int64) lua.LGFunction {
		return func(L *lua.LState) int {
			r := m.recordOf(1)
			n := int64(0)
			if r.open {
				n = of(r)
			}
			L.Push(m.integer(n))
			return 1
		}
	}
	stored := func(of func(*record) int64) lua.LGFunction {
		return number(func(r *udfRecord) int64 {
			if r.old == nil {
				return 0
			}
			return of(r.old)
		})
	}
	size := number(func(r *udfRecord) int64 { return r.size() })
	m.recordMeta = m.class("record", "Record", nil, map[string]lua.LGFunction{
		"gen":              stored(func(r *record) int64 { return int64(r.generation) }),
		"last_update_time": stored(func(r *record) int64 { return int64(r.lastUpdate) }),
		"ttl": stored(func(r *record) int64 {
			return max(0, int64(r.voidTime)-int64(m.recordOf(1).nowMs/1000))
		}),
		"numbins":     number(func(r *udfRecord) int64 { return int64(len(r.edit.bins)) }),
		"size":        size,
		"memory_size": size,
		"device_size": number(func(*udfRecord) int64 { return 0 }),
		"digest": func(L *lua.LState) int {
			L.Push(m.newBytes(bytes.Clone(m.recordOf(1).req.digest[:]), particleBlob))
			return 1
		},
		"setname": func(L *lua.LState) int {
			r := m.recordOf(1)
			if name := r.ns.setName(r.setID); r.open && name != "" {
				L.Push(lua.LString(name))
			} else {
				L.Push(lua.LNil)
			}
			return 1
		},
		"key": func(L *lua.LState) int {
			L.Push(m.keyValue(m.recordOf(1)))
			return 1
		},
		"set_ttl": func(*lua.LState) int {
			m.recordOf(1).ttl = uint32(m.optInt(2, 0))
			return 0
		},
		"drop_key": func(*lua.LState) int {
			if r := m.recordOf(1); r.open {
				r.dropKey = true
			}
			return 0
		},
		"bin_names": m.recordBinNames,
	}, map[string]lua.LGFunction{
		"__index": func(L *lua.LState) int {
			r := m.recordOf(1)
			name, ok := m.binName()
			if !ok {
				L.Push(lua.LNil)
				return 1
			}
			L.Push(r.get(m, name))
			return 1
		},
		"__newindex": func(L *lua.LState) int {
			r := m.recordOf(1)
			if L.Get(2) == lua.LNil {
				return 0
			}
			v, ok := storable(L.Get(3))
			if isRecord(L.Get(3)) {
				v, ok = L.Get(3), true // an update then fails
			}
			if !ok {
				L.RaiseError("can't set bin %s to unsupported type", L.CheckString(2))
			}
			if name, ok := m.binName(); ok {
				r.cache(name, v, true)
			}
			return 0
		},
	})
}

// binName returns a bin's name, the second argument. It reports false for one
// that no bin can have.
func (m *luaMachine) binName() (string, bool) {
	if m.L.Get(2) == lua.LNil {
		return "", false
	}
	name := cString([]byte(m.L.CheckString(2)))
	return name, len(name) <= maxBinName
}

// key is the key that is stored, or will be.
func (r *udfRecord) key() []byte {
	switch {
	case r.dropKey:
		return nil
	case r.old != nil && r.old.hasKey():
		return r.old.key()
	}
	return r.newKey
}

// size is the size in bytes of the record as stored, in multiples of 16.
func (r *udfRecord) size() int64 {
	const unit = 16
	if r.old == nil {
		return 0
	}
	var bins []bin
	for rest := r.old.bins(); len(rest) > 0; {
		var b bin
		b, rest = nextBin(rest)
		bins = append(bins, b)
	}
	size := storedSize(r.old.voidTime, r.ns.setName(r.old.setID), r.old.key(), bins)
	return int64((size + unit - 1) / unit * unit)
}

// keyValue returns the record's key, nil if it has none or is not there.
func (m *luaMachine) keyValue(r *udfRecord) lua.LValue {
	key := r.key()
	if !r.open || len(key) == 0 {
		return lua.LNil
	}
	switch value := key[1:]; {
	case key[0] == particleInteger && len(value) == 8:
		return m.integer(int64(binary.BigEndian.Uint64(value)))
	case key[0] == particleString:
		return textOf(value)
	case key[0] == particleBlob:
		return m.newBytes(bytes.Clone(value), particleBlob)
	}
	return lua.LNil
}

func (m *luaMachine) recordBinNames(L *lua.LState) int {
	r := m.recordOf(1)
	if !r.open {
		L.RaiseError("can't get bin names")
	}
	t := L.NewTable()
	m.alloc(luaTableSize + luaSlotSize*len(r.edit.bins))
	for i := range r.edit.bins {
		t.RawSetInt(i+1, lua.LString(r.edit.bins[i].name))
	}
	L.Push(t)
	return 1
}
