package embedded

// A readFunc reads something out of a bin's value, as an operation's operand says.
type readFunc func(b *bin, operand []byte) (bin, resultCode)

// typedRead returns what carries out a read operation that works on values of
// certain types, nil if it is another operation.
func typedRead(o *op) readFunc {
	switch {
	case o.code == opCDTRead:
		return readCDT
	case o.code == opBitsRead && o.particle != particleBlob:
		return readIncompatible
	case o.code == opBitsRead:
		return readBits
	}
	return nil
}

// readIncompatible refuses an operation that says it is for another type.
func readIncompatible(*bin, []byte) (bin, resultCode) { return bin{}, codeIncompatibleType }

// typedValue calls read for a bin that isn't to end up on the heap otherwise.
func typedValue(read readFunc, b bin, operand []byte) (bin, resultCode) { return read(&b, operand) }

// applyTypedRead reads something out of a bin's value. A bin that is there always
// has a result, though it may be null.
func (e *editor) applyTypedRead(req *request, o *op, read readFunc) resultCode {
	i := e.find(o.name)
	if i < 0 {
		e.respond(req, o)
		return codeOK
	}
	result, code := read(&e.bins[i], o.value)
	if code != codeOK {
		return code
	}
	result.name = o.name
	e.results = append(e.results, opResult{result, o.code})
	return e.spend(result.value)
}

// applyCDTModify changes a list or map, and may return something of it.
func (e *editor) applyCDTModify(req *request, o *op) resultCode {
	i := e.find(o.name)
	var old *bin
	if i >= 0 {
		old = &e.bins[i]
	}
	changed, result, code := modifyCDT(old, o.value, e.limit)
	if code != codeOK {
		return code
	}
	if changed.particle != particleNull {
		changed.name = o.name
		e.set(i, changed)
	}
	if result.particle != particleNull || req.respondAllOps() {
		result.name = o.name
		e.results = append(e.results, opResult{result, o.code})
	}
	if code = e.spend(changed.value); code != codeOK {
		return code
	}
	return e.spend(result.value)
}

// applyBitsModify changes the bits of a blob.
func (e *editor) applyBitsModify(req *request, o *op) resultCode {
	if o.particle != particleBlob {
		return codeIncompatibleType
	}
	i := e.find(o.name)
	var old *bin
	if i >= 0 {
		old = &e.bins[i]
	}
	changed, code := modifyBits(old, o.value, e.limit)
	if code != codeOK {
		return code
	}
	if changed.particle != particleNull {
		changed.name = o.name
		e.set(i, changed)
	}
	e.respond(req, o)
	return e.spend(changed.value)
}
