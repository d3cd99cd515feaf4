package embedded

// indexThreshold is the number of bins from which an editor keeps an index of
// their names; below it a walk is faster.
const indexThreshold = 32

// An editor holds the bins of a record while a write works on them. It belongs
// to a connection and is reused. Names and values point into the old record or
// into the message.
type editor struct {
	bins    []bin
	key     []byte         // the stored key, or the one to store
	index   map[string]int // position by name; nil if there are few bins
	results []opResult
	limit   int // bytes: the longest collection, which could be stored
	work    int // bytes that operations have made or returned

	// What expressions can ask for besides:
	ns     *namespace
	digest *Digest
	old    *record // nil if there was none
	meta   *record // the new record's metadata
	now    uint64  // ms since the Aerospike epoch
}

// An opResult is what an operation returns to the client.
type opResult struct {
	bin
	code byte // the operation's
}

// load takes the bins of old, nil for a new record, unless they are to be
// replaced.
func (e *editor) load(req *request, old *record, limit int) {
	e.reset()
	e.limit = limit
	e.key = req.field(fieldKey)
	if old == nil {
		return
	}
	if old.hasKey() {
		e.key = old.key()
	}
	if req.isReplace() {
		return
	}
	for rest := old.bins(); len(rest) > 0; {
		var b bin
		b, rest = nextBin(rest)
		e.bins = append(e.bins, b)
	}
}

// reset drops everything that the editor points to.
func (e *editor) reset() {
	clear(e.bins)
	clear(e.results)
	e.bins, e.results = e.bins[:0], e.results[:0]
	e.key, e.index, e.work = nil, nil, 0
	e.ns, e.digest, e.old, e.meta = nil, nil, nil, nil
}

// find returns the position of a bin, -1 if there is none.
func (e *editor) find(name []byte) int {
	if len(e.bins) < indexThreshold {
		for i := range e.bins {
			if string(e.bins[i].name) == string(name) {
				return i
			}
		}
		return -1
	}
	if e.index == nil {
		e.index = make(map[string]int, len(e.bins))
		for i := range e.bins {
			e.index[string(e.bins[i].name)] = i
		}
	}
	if i, ok := e.index[string(name)]; ok {
		return i
	}
	return -1
}

// set writes a bin, at position i if it exists, else (-1) after the others.
func (e *editor) set(i int, b bin) {
	if i >= 0 {
		e.bins[i] = b
		return
	}
	if e.index != nil {
		e.index[string(b.name)] = len(e.bins)
	}
	e.bins = append(e.bins, b)
}

// remove deletes the bin at position i. The last bin takes its place, as in the
// real server.
func (e *editor) remove(i int) {
	last := len(e.bins) - 1
	if e.index != nil {
		delete(e.index, string(e.bins[i].name))
		if i != last {
			e.index[string(e.bins[last].name)] = i
		}
	}
	e.bins[i] = e.bins[last]
	e.bins[last] = bin{}
	e.bins = e.bins[:last]
}

// apply runs one operation, which checkWrite has let through.
func (e *editor) apply(req *request, o *op) resultCode {
	switch o.code {
	case opTouch:
		return codeOK // the write itself changes generation and void time
	case opWrite:
		return e.applySet(req, o)
	case opIncr, opAppend, opPrepend:
		return e.applyModify(req, o)
	case opDeleteAll:
		clear(e.bins)
		e.bins, e.index = e.bins[:0], nil
		e.respond(req, o)
		return codeOK
	case opRead:
		return e.applyRead(req, o)
	case opCDTModify:
		return e.applyCDTModify(req, o)
	case opCDTRead:
		return e.applyTypedRead(req, o, typedRead(o))
	case opBitsModify:
		return e.applyBitsModify(req, o)
	case opBitsRead:
		return e.applyTypedRead(req, o, typedRead(o))
	case opExpRead:
		return e.applyExprRead(o)
	case opExpModify:
		return e.applyExprModify(req, o)
	}
	return codeParameter
}

// spend notes that an operation made or returned a value. A transaction may
// handle as many bytes as a message can hold: enough for any real one, while one
// that builds on its own values again and again would take for ever.
func (e *editor) spend(value []byte) resultCode {
	if e.work += len(value); e.work > maxMessage {
		return codeRecordTooBig
	}
	return codeOK
}

// applySet writes a bin, or deletes it if the value is null.
func (e *editor) applySet(req *request, o *op) resultCode {
	i := e.find(o.name)
	if o.particle != particleNull {
		if len(o.value) > e.limit {
			return codeRecordTooBig // not worth a look
		}
		value, code := checkValue(o.particle, o.value)
		if code != codeOK {
			return code
		}
		e.set(i, bin{name: o.name, value: value, particle: o.particle})
	} else if i >= 0 {
		e.remove(i)
	}
	e.respond(req, o)
	return codeOK
}

// applyModify adds to, appends to or prepends to a bin.
func (e *editor) applyModify(req *request, o *op) resultCode {
	i := e.find(o.name)
	var old *bin
	if i >= 0 {
		old = &e.bins[i]
	}
	changed, code := modify(o.code, old, o.particle, o.value)
	if code != codeOK {
		return code
	}
	changed.name = o.name
	e.set(i, changed)
	e.respond(req, o)
	return e.spend(changed.value)
}

// applyRead returns a bin, or all bins, as they are at this point.
func (e *editor) applyRead(req *request, o *op) resultCode {
	if req.isReadAll(o) {
		for _, b := range e.bins {
			e.results = append(e.results, opResult{b, opRead})
		}
		return codeOK // once at most, so the bins bound it
	}
	if i := e.find(o.name); i >= 0 {
		b := e.bins[i]
		e.results = append(e.results, opResult{bin{name: o.name, value: b.value, particle: b.particle}, o.code})
		return e.spend(b.value)
	}
	e.respond(req, o)
	return codeOK
}

// respond gives an operation that has nothing to return a null result, if every
// operation wants one.
func (e *editor) respond(req *request, o *op) {
	if req.respondAllOps() {
		e.results = append(e.results, opResult{bin{name: o.name}, o.code})
	}
}
