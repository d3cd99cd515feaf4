package embedded

// aggregate answers a query that calls a stream function on the records that it
// finds, for each partition that has any. Clients join the results.
func (c *conn) aggregate(ns *namespace, req *request) error {
	plan, code := planBackground(ns, req)
	call, ok := parseUDF(req)
	if code == codeOK && !ok {
		code = codeParameter
	}
	if code != codeOK {
		c.reply(failed(code))
		return nil
	}
	for pid := range partitions {
		records := c.foundIn(ns, plan, pid)
		if len(records) == 0 {
			continue
		}
		if fault := c.aggregatePartition(ns, &call, records); fault != "" {
			c.value(udfFailure, bin{particle: particleString, value: []byte(fault)})
			c.trailer(codeUnknown)
			return nil
		}
		if len(c.out) >= flushSize {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	c.trailer(codeOK)
	return nil
}

// aggregatePartition calls the function on the records of one partition.
func (c *conn) aggregatePartition(ns *namespace, call *udfCall, records []indexed) (fault string) {
	m := c.server.udfs.take(call.module)
	if m == nil {
		return udfNotLoaded
	}
	defer c.server.udfs.give(call.module, m)
	fault = m.stream(call, ns, records, c.server.nowMs(), func(b bin) { c.value(udfSuccess, b) })
	if fault != "" {
		return "UDF: Execution Error 2 : " + fault
	}
	return ""
}

// value appends a message with one value.
func (c *conn) value(name string, b bin) {
	start := len(c.out)
	c.out = grow(c.out, protoHeaderSize+msgHeaderSize)
	c.out = appendOp(c.out, opRead, b.particle, []byte(name), b.value)
	body := c.out[start+protoHeaderSize:]
	msgHeader{ops: 1}.put(body)
	putProtoHeader(c.out[start:], protoMessage, len(body))
}
