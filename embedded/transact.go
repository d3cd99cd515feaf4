package embedded

// An outcome is how a single-record transaction ended. Its bin operations, if
// any, have been appended to the connection's output.
type outcome struct {
	code       resultCode
	generation uint16
	voidTime   uint32 // seconds since the Aerospike epoch
	ops        uint16
}

// failed is the outcome of a transaction that didn't get to look at a record.
func failed(code resultCode) outcome { return outcome{code: code} }

// failedOn is the outcome of a transaction that failed on a record, whose
// metadata the reply carries.
func failedOn(r *record, code resultCode) outcome {
	return outcome{code: code, generation: r.generation, voidTime: r.voidTime}
}

// message answers one record message. As handle, it may return errSlow.
func (c *conn) message(body []byte) error {
	if len(body) < msgHeaderSize {
		c.reply(failed(codeParameter))
		return nil
	}
	if body[1]&info1Batch != 0 {
		if c.slow() {
			return errSlow
		}
		c.countBatch()
		return c.batch(body)
	}
	req := &c.req
	if !req.parse(body) {
		c.reply(failed(codeParameter))
		return nil
	}
	if !req.isQuick() && c.slow() {
		return errSlow
	}
	ns := c.server.namespace(req.field(fieldNamespace))
	if ns == nil {
		c.reply(failed(codeNamespace))
		return nil
	}
	if !req.has(fieldDigest) {
		c.countQuery()
		return c.query(ns, req)
	}
	if len(req.field(fieldDigest)) != len(req.digest) {
		c.reply(failed(codeParameter))
		return nil
	}
	copy(req.digest[:], req.field(fieldDigest))

	start := len(c.out)
	c.out = grow(c.out, protoHeaderSize+msgHeaderSize)
	done := c.transact(ns, req)
	if c.blocked {
		c.blocked = false
		c.out = c.out[:start]
		return errSlow
	}
	c.count(req)
	c.counted(req.kind(), done.code)
	body = c.seal(start+protoHeaderSize, done, 0)
	putProtoHeader(c.out[start:], protoMessage, len(body))
	return nil
}

// reply appends a message that has an outcome and no bins.
func (c *conn) reply(done outcome) {
	c.out = appendMessage(c.out, msgHeader{
		code: done.code, generation: uint32(done.generation), voidTime: done.voidTime,
	})
}

// seal writes the header of the message whose body starts at start, and returns
// the body. Bins of a failed transaction are cut off, but for the one that tells
// why a function failed.
func (c *conn) seal(start int, done outcome, batchIndex uint32) []byte {
	if done.code != codeOK && done.code != codeUDFExecution {
		done.ops = 0
		c.out = c.out[:start+msgHeaderSize]
	}
	body := c.out[start:]
	msgHeader{
		code: done.code, generation: uint32(done.generation), voidTime: done.voidTime,
		batchIndex: batchIndex, ops: done.ops,
	}.put(body)
	return body
}

// transact carries out a single-record transaction, the digest of which is set.
func (c *conn) transact(ns *namespace, req *request) outcome {
	if c.server.security != nil {
		if code := c.permit(ns, req); code != codeOK {
			return failed(code)
		}
	}
	switch {
	case req.isWrite() && req.isDelete():
		return c.delete(ns, req)
	case req.isWrite() && req.isUDF():
		return c.udf(ns, req)
	case req.isWrite() && req.info4&(info4RollForward|info4RollBack) != 0:
		return failed(codeEnterpriseOnly)
	case req.isWrite():
		return c.write(ns, req)
	case req.info1&info1Read == 0:
		return failed(codeParameter)
	case req.info4&info4VerifyRead != 0:
		return failed(codeEnterpriseOnly)
	}
	return c.read(ns, req)
}

// checkSet reports whether a message may touch a record as far as the set is
// concerned: the message names the record's set. A message without a set name
// may do so too, unless it is a write.
func checkSet(ns *namespace, req *request, r *record, write bool) bool {
	name := req.field(fieldSet)
	if len(name) == 0 && !write {
		return true
	}
	return string(name) == ns.setName(r.setID)
}

// checkKey reports whether a key that the message carries is the stored one, if
// one is stored.
func checkKey(req *request, r *record) bool {
	return !r.hasKey() || !req.has(fieldKey) || string(req.field(fieldKey)) == string(r.key())
}

// checkGeneration reports whether the record's generation, 0 for a new record,
// is what the message demands.
func checkGeneration(req *request, generation uint16) bool {
	switch {
	case req.info2&info2Generation != 0:
		return req.generation == uint32(generation)
	case req.info2&info2GenerationGT != 0:
		return req.generation > uint32(generation)
	}
	return true
}
