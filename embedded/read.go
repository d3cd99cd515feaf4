package embedded

// maxReadTouchPct bounds the percentage that a read may give for extending a
// record's life.
const maxReadTouchPct = 100

// read answers a transaction that only reads.
func (c *conn) read(ns *namespace, req *request) outcome {
	if req.has(fieldMRTID) {
		return failed(codeEnterpriseOnly)
	}
	now := c.server.nowMs()
	p := &ns.partitions[req.digest.partition()]
	if !c.lock(p) {
		return outcome{}
	}
	r := ns.lookupLocked(p, &req.digest, now)
	p.mu.Unlock()
	if r == nil {
		return failed(codeNotFound)
	}
	if !checkSet(ns, req, r, false) {
		return failedOn(r, codeParameter)
	}
	if !ns.readTouch(req, r, now) {
		return failedOn(r, codeParameter)
	}
	if code := checkFilter(ns, req, c.batchExpr, r, now); code != codeOK {
		return failedOn(r, code)
	}
	if !checkKey(req, r) {
		return failedOn(r, codeKeyMismatch)
	}
	done := failedOn(r, codeOK)
	switch {
	case req.info1&info1NoBins != 0:
	case req.info1&info1GetAll != 0:
		c.out = append(c.out, r.bins()...)
		done.ops = r.binCount()
	case len(req.ops) == 0:
		return failedOn(r, codeParameter)
	default:
		done.ops, done.code = c.readBins(ns, req, r, now)
	}
	return done
}

// readBins appends the bins that the message's operations read and returns how
// many there are. A bin that isn't there is left out, unless every operation
// wants a result. A reply may be as long as a message, no longer: reading a large
// bin many times would otherwise take memory without bound.
func (c *conn) readBins(ns *namespace, req *request, r *record, now uint64) (uint16, resultCode) {
	var n uint16
	limit := len(c.out) + maxMessage
	for i := range req.ops {
		o := &req.ops[i]
		if !validBinName(o.name) {
			return 0, codeBinName
		}
		switch o.code {
		case opRead, opCDTRead, opExpRead, opBitsRead:
		case opHLLRead:
			return 0, codeUnsupportedFeature
		default:
			return 0, codeParameter
		}
		if o.code == opExpRead {
			ctx := recordContext(ns, &req.digest, r, now)
			b, code := readExpr(&ctx, o.value)
			if code != codeOK {
				return 0, code
			}
			if len(c.out)+len(b.value) > limit {
				return 0, codeParameter
			}
			if b.particle != particleNull || req.respondAllOps() {
				c.out = appendOp(c.out, o.code, b.particle, o.name, b.value)
				n++
			}
			continue
		}
		b, found := r.findBin(o.name)
		if !found && !req.respondAllOps() {
			continue
		}
		if read := typedRead(o); found && read != nil {
			var code resultCode
			if b, code = typedValue(read, b, o.value); code != codeOK {
				return 0, code
			}
			if b.particle == particleNull && !req.respondAllOps() {
				continue
			}
		}
		if len(c.out)+len(b.value) > limit {
			return 0, codeParameter
		}
		c.out = appendOp(c.out, o.code, b.particle, o.name, b.value)
		n++
	}
	return n, codeOK
}

// readTouch extends the life of a record that is read in the last part of it, if
// the message asks for that: its record_ttl is then the percentage of the last
// written time-to-live that the part is. It reports false if it is over 100.
func (ns *namespace) readTouch(req *request, r *record, nowMs uint64) bool {
	if r.voidTime == 0 || req.ttl == ttlDefault || req.ttl == ttlNever {
		return true
	}
	if req.ttl > maxReadTouchPct {
		return false
	}
	written := uint64(r.voidTime) - r.lastUpdate/1000
	if nowMs/1000 < uint64(r.voidTime)-written*uint64(req.ttl)/100 {
		return true
	}
	p := &ns.partitions[req.digest.partition()]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.records[req.digest] != r {
		return true // written meanwhile, which sets the time
	}
	if until := uint32(nowMs/1000 + written); until > r.voidTime {
		touched := *r // the generation stays
		touched.voidTime = until
		touched.lastUpdate = max(r.lastUpdate, nowMs)
		ns.storeLocked(p, &req.digest, r, r.with(&touched))
	}
	return true
}
