package embedded

import "strconv"

// Kinds of functions that a query may name.
const (
	udfAggregate  = 1 // a stream function: refused
	udfBackground = 2 // a record function, called on each record
)

// udfQuery answers a query that calls a function. A background function has been
// called on all records when the reply comes; a real server replies at once.
func (c *conn) udfQuery(ns *namespace, req *request) error {
	code := codeParameter
	if kind := req.field(fieldUDFOp); len(kind) == 1 {
		switch kind[0] {
		case udfAggregate:
			code = codeUnsupportedFeature
		case udfBackground:
			code = c.background(ns, req)
		}
	}
	if code == codeOK {
		c.trailer(codeOK)
	} else {
		c.reply(failed(code))
	}
	return nil
}

// background calls a function on each record of a set that a query finds.
func (c *conn) background(ns *namespace, req *request) resultCode {
	if req.info1&info1ShortQuery != 0 {
		return codeParameter
	}
	plan := &queryPlan{}
	if !plan.takeSet(ns, req) || !plan.takeIndex(ns, req) || !validQueryFields(req) {
		return codeParameter
	}
	if plan.noSet {
		return codeNotFound
	}
	if code := plan.findIndex(); code != codeOK {
		return code
	}
	call, ok := parseUDF(req)
	switch {
	case req.has(fieldFilter):
		return codeUnsupportedFeature
	case !ok:
		return codeParameter
	}
	call.background = true
	if plan.find != nil {
		call.check = plan.find.matches
	}
	for pid := range partitions {
		c.backgroundPartition(ns, plan, req, &call, pid)
	}
	return codeOK
}

// backgroundPartition calls a function on the records of one partition. Those that
// it fails on are passed over.
func (c *conn) backgroundPartition(ns *namespace, plan *queryPlan, req *request, call *udfCall, pid int) {
	msg := request{info2: info2Write | req.info2&info2DurableDelete, ttl: req.ttl}
	now := c.server.nowMs()
	if plan.find != nil {
		c.found = plan.find.collect(ns, pid, nil, now, c.found[:0])
	} else {
		c.found = ns.collect(pid, nil, now, c.found[:0])
	}
	for i := range c.found {
		f := &c.found[i]
		if plan.inSet && f.record.setID != plan.setID {
			continue
		}
		msg.digest = f.digest
		c.runUDF(ns, &msg, call)
	}
	clear(c.found)
}

// infoQueryShow describes a query, or all. Queries end before a command is read,
// so there are none.
func infoQueryShow(params string) string {
	id, state := infoParam(params, "id", 24)
	if state == paramMissing {
		id, state = infoParam(params, "trid", 24)
	}
	if state == paramMissing {
		return ""
	}
	if n, err := strconv.ParseUint(id, 0, 64); err != nil || n == 0 {
		return infoError(codeParameter, "bad id")
	}
	return infoError(codeNotFound, "job not found")
}
