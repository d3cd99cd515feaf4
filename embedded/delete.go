package embedded

// delete answers a transaction that deletes a record. Its replies carry no
// metadata.
func (c *conn) delete(ns *namespace, req *request) outcome {
	if req.info2&info2DurableDelete != 0 {
		return failed(codeEnterpriseOnly)
	}
	now := c.server.nowMs()
	p := &ns.partitions[req.digest.partition()]
	if !c.lock(p) {
		return outcome{}
	}
	defer p.mu.Unlock()
	r := ns.lookupLocked(p, &req.digest, now)
	switch {
	case r == nil:
		return failed(codeNotFound)
	case !checkSet(ns, req, r, false):
		return failed(codeParameter)
	case !checkGeneration(req, r.generation):
		return failed(codeGeneration)
	}
	if code := checkFilter(ns, req, c.batchExpr, r, now); code != codeOK {
		return failed(code)
	}
	if !checkKey(req, r) {
		return failed(codeKeyMismatch)
	}
	ns.removeLocked(p, &req.digest, r)
	return failed(codeOK)
}
