package embedded

import "encoding/binary"

// A queryPlan is what a primary-index query is to return.
type queryPlan struct {
	setID   uint16
	inSet   bool // only records of the set
	noSet   bool // the set isn't there, so nothing is
	noBins  bool
	some    bool     // only the bins below
	bins    [][]byte // names, if some
	limit   uint64   // records, 0 for all
	wanted  [partitions]bool
	resume  map[int]Digest // by partition: start after this one
	isShort bool
	filter  *expression
	find    *indexQuery // nil if the query isn't on a secondary index
}

// query answers a message without a digest: a query.
func (c *conn) query(ns *namespace, req *request) error {
	if c.server.security != nil {
		if code := c.permitQuery(ns, req); code != codeOK {
			c.counted(req.queryKind(), code)
			c.reply(failed(code))
			return nil
		}
	}
	switch {
	case req.isUDF():
		return c.udfQuery(ns, req)
	case req.isWrite():
		return c.background(ns, req, checkBackgroundOps, c.backgroundWrite)
	}
	plan, code := planQuery(ns, req)
	c.counted(req.queryKind(), code)
	if code != codeOK {
		c.reply(failed(code))
		return nil
	}
	return c.runQuery(ns, plan)
}

// planQuery checks a query. The order of the checks is the real server's, so
// that a message with several faults gets the same code.
func planQuery(ns *namespace, req *request) (*queryPlan, resultCode) {
	switch {
	case req.info3&info3PartitionDone == 0:
		return nil, codeUnsupportedFeature // a client from before partition queries
	}
	plan := &queryPlan{
		noBins:  req.info1&info1NoBins != 0,
		isShort: req.info1&info1ShortQuery != 0,
	}
	if !plan.takeSet(ns, req) || !plan.takePartitions(req) || !plan.takeIndex(ns, req) || !validQueryFields(req) {
		return nil, codeParameter
	}
	if !req.has(fieldPIDArray) && !req.has(fieldDigestArray) {
		return nil, codeUnsupportedFeature
	}
	if code := plan.findIndex(); code != codeOK {
		return nil, code
	}
	if !plan.takeLimits(req) || !plan.takeBins(req) {
		return nil, codeParameter
	}
	if req.has(fieldFilter) {
		var code resultCode
		if plan.filter, code = compileFilter(req.field(fieldFilter)); code != codeOK {
			return nil, code
		}
	}
	return plan, codeOK
}

// takeSet takes the set to look at, which need not exist.
func (q *queryPlan) takeSet(ns *namespace, req *request) bool {
	name := req.field(fieldSet)
	if len(name) == 0 {
		return true
	}
	if len(name) > maxSetName {
		return false
	}
	var ok bool
	q.setID, ok = ns.setID(name)
	q.inSet, q.noSet = true, !ok
	return true
}

// takePartitions takes the partitions to walk in whole, and those to resume after
// a digest. It reports false if one is out of range or given twice.
func (q *queryPlan) takePartitions(req *request) bool {
	if req.has(fieldPIDArray) {
		pids := req.field(fieldPIDArray)
		if n := len(pids) / 2; n == 0 || n > partitions {
			return false
		}
		for ; len(pids) >= 2; pids = pids[2:] {
			pid := int(binary.LittleEndian.Uint16(pids))
			if pid >= partitions || q.wanted[pid] {
				return false
			}
			q.wanted[pid] = true
		}
	}
	if !req.has(fieldDigestArray) {
		return !req.has(fieldBValArray)
	}
	if req.has(fieldIndexRange) && !validResume(req) {
		return false
	}
	digests := req.field(fieldDigestArray)
	if n := len(digests) / len(Digest{}); n == 0 || n > partitions {
		return false
	}
	q.resume = make(map[int]Digest)
	for ; len(digests) >= len(Digest{}); digests = digests[len(Digest{}):] {
		d := Digest(digests[:len(Digest{})])
		pid := d.partition()
		if q.wanted[pid] {
			return false
		}
		q.wanted[pid] = true
		q.resume[pid] = d
	}
	return true
}

// validQueryFields checks fields that have no effect here but must be right.
func validQueryFields(req *request) bool {
	if req.has(fieldRecsPerSec) && (len(req.field(fieldRecsPerSec)) != 4 || req.info1&info1ShortQuery != 0) {
		return false
	}
	if !req.has(fieldIndexName) {
		return true
	}
	const maxIndexName = 255
	n := len(req.field(fieldIndexName))
	return n > 0 && n <= maxIndexName && !req.has(fieldIndexExpr)
}

// takeLimits takes the number of records to stop at.
func (q *queryPlan) takeLimits(req *request) bool {
	if req.has(fieldSocketTimeout) && len(req.field(fieldSocketTimeout)) != 4 {
		return false
	}
	if !req.has(fieldSampleMax) {
		return true
	}
	limit := req.field(fieldSampleMax)
	if len(limit) != 8 {
		return false
	}
	q.limit = binary.BigEndian.Uint64(limit)
	return true
}

// takeBins takes the names of the bins to return, which come as operations or,
// from older clients, as a list. Names that no bin can have are passed over.
func (q *queryPlan) takeBins(req *request) bool {
	list := req.field(fieldBinList)
	if req.has(fieldBinList) && (len(req.ops) > 0 || len(list) == 0) {
		return false
	}
	q.some = req.has(fieldBinList) || len(req.ops) > 0
	for i := range req.ops {
		q.addBin(req.ops[i].name)
	}
	if len(list) == 0 {
		return true
	}
	n := int(list[0])
	list = list[1:]
	for range n {
		if len(list) == 0 || len(list)-1 < int(list[0]) {
			return false
		}
		end := 1 + int(list[0])
		q.addBin(list[1:end])
		list = list[end:]
	}
	return true
}

func (q *queryPlan) addBin(name []byte) {
	if validBinName(name) {
		q.bins = append(q.bins, name)
	}
}

// runQuery sends the records, partition by partition, and a trailer. It sends no
// marker for a finished partition: clients take a partition as done unless they
// are told that it isn't available.
func (c *conn) runQuery(ns *namespace, plan *queryPlan) error {
	frame := len(c.out)
	c.out = grow(c.out, protoHeaderSize)
	sent := uint64(0)
	for pid := range partitions {
		if !plan.wanted[pid] || plan.noSet || plan.limit != 0 && sent >= plan.limit {
			continue
		}
		var resume *Digest
		if d, ok := plan.resume[pid]; ok {
			resume = &d
		}
		if plan.find != nil {
			c.found = plan.find.collect(ns, pid, resume, c.server.nowMs(), c.found[:0])
		} else {
			c.found = ns.collect(pid, resume, c.server.nowMs(), c.found[:0])
		}
		for i := range c.found {
			f := &c.found[i]
			if plan.inSet && f.record.setID != plan.setID {
				continue
			}
			if !plan.lets(ns, f, c.server.nowMs()) {
				continue
			}
			if plan.limit != 0 && sent >= plan.limit {
				break
			}
			sent++
			c.appendRecord(ns, plan, f)
			if len(c.out)-frame < frameSize {
				continue
			}
			c.sealFrame(frame)
			if err := c.flush(); err != nil {
				return err
			}
			frame = 0
			c.out = grow(c.out, protoHeaderSize)
		}
	}
	clear(c.found)
	c.endQuery(plan, frame)
	return nil
}

// endQuery finishes the last frame. The trailer of a short query is part of it.
func (c *conn) endQuery(plan *queryPlan, frame int) {
	if plan.isShort {
		start := len(c.out)
		c.out = grow(c.out, msgHeaderSize)
		msgHeader{info3: info3Last}.put(c.out[start:])
	}
	if len(c.out) == frame+protoHeaderSize {
		c.out = c.out[:frame]
	} else {
		c.sealFrame(frame)
	}
	if !plan.isShort {
		c.trailer(codeOK)
	}
}

// sealFrame writes the header of the frame that starts at frame.
func (c *conn) sealFrame(frame int) {
	putProtoHeader(c.out[frame:], protoMessage, len(c.out)-frame-protoHeaderSize)
}

// appendRecord appends a record as queries return it: with its namespace,
// digest, set and stored key. If only some bins are asked for and it has none of
// them, it is left out.
func (c *conn) appendRecord(ns *namespace, plan *queryPlan, f *indexed) {
	d, r := &f.digest, f.record
	start := len(c.out)
	c.out = grow(c.out, msgHeaderSize)
	h := msgHeader{generation: uint32(r.generation), voidTime: r.voidTime, fields: 2}
	c.out = appendField(c.out, fieldNamespace, ns.name)
	c.out = appendField(c.out, fieldDigest, d[:])
	if r.setID != 0 {
		h.fields++
		c.out = appendField(c.out, fieldSet, ns.setName(r.setID))
	}
	if r.hasKey() {
		h.fields++
		c.out = appendField(c.out, fieldKey, r.key())
	}
	if plan.find != nil {
		h.fields++
		c.out = appendField(c.out, fieldBValArray, binary.LittleEndian.AppendUint64(nil, uint64(f.value)))
	}
	switch {
	case plan.noBins:
		h.info1 = info1NoBins
	case !plan.some:
		c.out = append(c.out, r.bins()...)
		h.ops = r.binCount()
	default:
		for _, name := range plan.bins {
			if b, ok := r.findBin(name); ok {
				c.out = appendOp(c.out, opRead, b.particle, b.name, b.value)
				h.ops++
			}
		}
		if h.ops == 0 {
			c.out = c.out[:start]
			return
		}
	}
	h.put(c.out[start:])
}
