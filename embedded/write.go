package embedded

// write answers a transaction that writes, and may read on the way. Its
// operations take effect together or not at all.
func (c *conn) write(ns *namespace, req *request) outcome {
	if code := checkWrite(req); code != codeOK {
		return failed(code)
	}
	if req.has(fieldMRTID) {
		return failed(codeEnterpriseOnly)
	}
	now := c.server.nowMs()
	p := &ns.partitions[req.digest.partition()]
	if !c.lock(p) {
		return outcome{}
	}
	defer p.mu.Unlock()
	old := ns.lookupLocked(p, &req.digest, now)
	next := &c.fresh
	code := prepareWrite(ns, req, old, next, now, c.batchExpr)
	if code == codeOK {
		code = c.applyWrite(ns, req, old, next)
	}
	if code != codeOK {
		c.edit.reset()
		if old == nil {
			return failed(code)
		}
		return failedOn(old, code)
	}
	done := outcome{}
	if len(c.edit.bins) == 0 {
		ns.removeLocked(p, &req.digest, old)
	} else {
		ns.storeLocked(p, &req.digest, old, newRecord(next, c.edit.key, c.edit.bins))
		done.generation, done.voidTime = next.generation, next.voidTime
	}
	done.ops = c.appendResults()
	c.edit.reset()
	return done
}

// checkWrite checks the operations of a write before the record is looked up.
func checkWrite(req *request) resultCode {
	if len(req.ops) == 0 || len(req.ops) > maxOps {
		return codeParameter
	}
	var reads, results, readAll bool
	unsupported := false
	for i := range req.ops {
		o := &req.ops[i]
		if o.code != opTouch && !validBinName(o.name) {
			return codeBinName
		}
		switch {
		case req.isReadAll(o):
			if req.respondAllOps() || readAll {
				return codeParameter
			}
			reads, readAll = true, true
		case o.code == opRead:
			reads, results = true, true
		case o.code == opCDTRead || o.code == opExpRead || o.code == opBitsRead:
			reads, results = true, true
		case o.code == opHLLRead:
			reads, results, unsupported = true, true, true
		case changesInPlace(o) && req.isReplace():
			return codeParameter
		}
		switch o.code {
		case opCDTModify:
			results = true
		case opHLLModify:
			results, unsupported = true, true
		}
	}
	switch {
	case reads && req.info1&info1Read == 0,
		readAll && results,
		req.info1&info1GetAll != 0 && !readAll:
		return codeParameter
	case unsupported:
		return codeUnsupportedFeature
	}
	return codeOK
}

// changesInPlace reports whether an operation builds on what the record holds,
// so that it makes no sense when the record is replaced.
func changesInPlace(o *op) bool {
	switch o.code {
	case opTouch, opIncr, opAppend, opPrepend, opDeleteAll, opBitsModify, opHLLModify, opCDTModify:
		return true
	}
	return o.code == opWrite && o.particle == particleNull
}

// updateOnly reports whether a write must find a record.
func updateOnly(req *request) bool {
	if req.info3&(info3UpdateOnly|info3ReplaceOnly) != 0 {
		return true
	}
	for i := range req.ops {
		if req.ops[i].code == opTouch {
			return true
		}
	}
	return false
}

// prepareWrite checks a write's conditions against the record, nil if there is
// none, and sets the metadata of the one that takes its place.
func prepareWrite(ns *namespace, req *request, old, next *record, nowMs uint64, batch *expression) resultCode {
	*next = record{lastUpdate: nowMs}
	if old == nil && updateOnly(req) {
		return codeNotFound
	}
	if old != nil && req.info2&info2CreateOnly != 0 {
		return codeRecordExists
	}
	if old != nil {
		next.generation, next.setID = old.generation, old.setID
		next.voidTime = old.voidTime
		next.lastUpdate = max(nowMs, old.lastUpdate)
	}
	if !checkGeneration(req, next.generation) {
		return codeGeneration
	}
	if code := prepareSet(ns, req, old, next, nowMs); code != codeOK {
		return code
	}
	if old != nil {
		if code := checkFilter(ns, req, batch, old, nowMs); code != codeOK {
			return code
		}
	}
	if code := prepareKey(req, old); code != codeOK {
		return code
	}
	if !prepareVoidTime(ns, req, old == nil, next, nowMs) {
		return codeParameter
	}
	if next.generation++; next.generation == 0 {
		next.generation = 1
	}
	return codeOK
}

// prepareSet gives a new record its set, or checks that an old one is in it.
func prepareSet(ns *namespace, req *request, old, next *record, nowMs uint64) resultCode {
	if old != nil {
		if !checkSet(ns, req, old, true) {
			return codeParameter
		}
		return codeOK
	}
	if name := req.field(fieldSet); len(name) > 0 {
		var ok bool
		if next.setID, ok = ns.makeSet(name); !ok {
			return codeParameter
		}
	}
	if ns.doomed(&record{lastUpdate: nowMs, setID: next.setID}, nowMs) {
		return codeForbidden // it would be truncated at once
	}
	return codeOK
}

// prepareKey checks the key that the message carries, if any.
func prepareKey(req *request, old *record) resultCode {
	if !req.has(fieldKey) {
		return codeOK
	}
	if old != nil && old.hasKey() {
		if !checkKey(req, old) {
			return codeKeyMismatch
		}
		return codeOK
	}
	key := req.field(fieldKey)
	if len(key) == 0 || key[0] == particleInteger && len(key) != 1+8 {
		return codeUnsupportedFeature
	}
	return codeOK
}

// prepareVoidTime sets when the record expires. It reports false if the
// message's time-to-live is over 10 years.
func prepareVoidTime(ns *namespace, req *request, created bool, next *record, nowMs uint64) bool {
	ttl := req.ttl
	if ttl == ttlDontUpdate {
		if !created {
			return true
		}
		ttl = ttlDefault
	}
	if ttl == ttlDefault {
		ttl = ns.defaultTTL
	}
	switch {
	case ttl == ttlNever || ttl == 0:
		next.voidTime = 0
	case ttl > maxTTL:
		return false
	default:
		next.voidTime = uint32(nowMs/1000) + ttl
	}
	return true
}

// applyWrite runs a write's operations on the bins in c.edit, and collects their
// results there.
func (c *conn) applyWrite(ns *namespace, req *request, old, next *record) resultCode {
	e := &c.edit
	e.load(req, old, ns.maxRecordSize)
	e.ns, e.digest, e.old, e.meta, e.now = ns, &req.digest, old, next, next.lastUpdate
	for i := range req.ops {
		if code := e.apply(req, &req.ops[i]); code != codeOK {
			return code
		}
	}
	switch {
	case len(e.bins) > maxBins:
		return codeParameter
	case len(e.bins) == 0 && (old == nil || req.isReplace()):
		return codeNotFound // a replace doesn't look at what was there
	case len(e.bins) == 0 && req.info2&info2DurableDelete != 0:
		return codeEnterpriseOnly
	case len(e.bins) == 0:
		return codeOK
	case storedSize(next.voidTime, ns.setName(next.setID), e.key, e.bins) > ns.maxRecordSize:
		return codeRecordTooBig
	}
	return codeOK
}

// appendResults appends the results of a write's operations and returns how many
// there are.
func (c *conn) appendResults() uint16 {
	for i := range c.edit.results {
		r := &c.edit.results[i]
		c.out = appendOp(c.out, r.code, r.particle, r.name, r.value)
	}
	return uint16(len(c.edit.results))
}
