package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"
)

// maxHeld is how many bytes of a reply are kept for a fault that works on them;
// what is beyond is lost.
const maxHeld = 1 << 20

// errFault is why a connection ends at a fault.
var errFault = errors.New("fault")

// faulty answers one message, unless a fault strikes it. What was answered before
// is sent first, as it isn't part of the fault.
func (c *conn) faulty(set *faultSet, kind byte, body []byte) error {
	c.struck = true
	defer func() { c.struck = false }()
	rule := set.find(c, kind, body)
	if rule == nil {
		return c.handle(kind, body)
	}
	if err := c.flush(); err != nil {
		return err
	}
	if rule.Action == FaultNone {
		return c.delayed(rule, kind, body)
	}
	var reply []byte
	if rule.After || rule.Action == FaultTruncate || rule.Action == FaultGarbage || rule.Action == FaultGarbageBody {
		c.held = new([]byte)
		err := c.handle(kind, body)
		reply = c.unhold()
		if err != nil {
			return err
		}
	}
	if err := c.pause(rule.delay()); err != nil {
		return err
	}
	switch rule.Action {
	case FaultCode:
		c.refuse(kind, body, resultCode(rule.Code))
		return nil
	case FaultDrop:
		_, _ = io.Copy(io.Discard, c.nc) // until the client or the server closes it
	case FaultReset:
		c.reset()
	case FaultTruncate:
		n := rule.Bytes
		if n < 0 {
			n = len(reply) / 2
		}
		c.out = append(c.out, reply[:min(n, len(reply))]...)
		return errors.Join(errFault, c.flush())
	case FaultGarbage, FaultGarbageBody:
		keep := 0
		if rule.Action == FaultGarbageBody {
			keep = min(protoHeaderSize, len(reply))
		}
		rule.garble(reply[keep:])
		c.out = append(c.out, reply...)
		return nil
	}
	return errFault
}

// delayed answers a message late. What the end of a long reply waits for, its
// beginning may not.
func (c *conn) delayed(rule *faultRule, kind byte, body []byte) error {
	if !rule.After {
		if err := c.pause(rule.delay()); err != nil {
			return err
		}
		return c.handle(kind, body)
	}
	if err := c.handle(kind, body); err != nil {
		return err
	}
	return c.pause(rule.delay())
}

// unhold returns the reply that was held back instead of being sent.
func (c *conn) unhold() []byte {
	c.hold()
	reply := *c.held
	c.held = nil
	return reply
}

// hold takes finished replies out of the output.
func (c *conn) hold() {
	*c.held = append(*c.held, c.out[:min(len(c.out), max(0, maxHeld-len(*c.held)))]...)
	c.out = c.out[:0]
}

// pause waits, or less if the server closes the connection.
func (c *conn) pause(d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.quit:
		return errClosed
	}
}

// reset makes closing the connection send a TCP reset.
func (c *conn) reset() {
	nc := c.nc
	if wrapped, ok := nc.(interface{ NetConn() net.Conn }); ok {
		nc = wrapped.NetConn()
	}
	if tcp, ok := nc.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// refuse answers a message of any type with a result code.
func (c *conn) refuse(kind byte, body []byte, code resultCode) {
	switch kind {
	case protoInfo:
		c.refuseInfo(body, infoError(code, "fault"))
	case protoSecurity:
		c.adminReply(code, 0)
	default:
		if len(body) >= msgHeaderSize && body[1]&info1Batch != 0 {
			c.trailer(code)
		} else {
			c.reply(failed(code))
		}
	}
}

// refuseInfo answers every command of an info message with the same text.
func (c *conn) refuseInfo(body []byte, text string) {
	start := len(c.out)
	c.out = grow(c.out, protoHeaderSize)
	for line := range bytes.Lines(body) {
		c.out = append(append(c.out, cString(bytes.TrimSuffix(line, []byte{'\n'}))...), '\t')
		c.out = append(append(c.out, text...), '\n')
	}
	putProtoHeader(c.out[start:], protoInfo, len(c.out)-start-protoHeaderSize)
}

// adminReply appends an answer of the security protocol without its fields: 16
// bytes, of which the second is the result and the fourth the number of fields.
func (c *conn) adminReply(code resultCode, fields byte) {
	start := len(c.out)
	c.out = append(c.out, make([]byte, protoHeaderSize+adminHeaderSize)...)
	putProtoHeader(c.out[start:], protoSecurity, adminHeaderSize)
	c.out[start+protoHeaderSize+1] = byte(code)
	c.out[start+protoHeaderSize+3] = fields
}

// find returns the first rule that strikes a message, nil if none does.
func (set *faultSet) find(c *conn, kind byte, body []byte) *faultRule {
	on := c.faultKind(kind, body)
	for _, rule := range set.rules {
		switch {
		case rule.off || on == "" || rule.On == FaultRow:
		case rule.On != on && (rule.On != FaultAny || on == FaultInfo || on == FaultLogin):
		case !c.faultMatches(rule, on, body):
		case rule.strikes(c):
			return rule
		}
	}
	return nil
}

// faultyRow looks for a fault that strikes a record of a batch, whose row the
// connection's request holds, and returns its result code.
func (c *conn) faultyRow() (resultCode, bool) {
	set := c.at().faults.Load()
	if set == nil {
		return codeOK, false
	}
	for _, rule := range set.rules {
		if !rule.off && rule.On == FaultRow && rule.covers(&c.req, c.req.digest[:]) && rule.strikes(c) {
			return resultCode(rule.Code), true
		}
	}
	return codeOK, false
}

// faultKind says of what kind a message is, and leaves a record message parsed. It
// is empty for a message that no fault is for: a malformed one, say.
func (c *conn) faultKind(kind byte, body []byte) FaultOn {
	switch {
	case kind == protoInfo:
		return FaultInfo
	case kind == protoSecurity:
		return FaultLogin
	case kind != protoMessage || len(body) < msgHeaderSize:
		return ""
	case body[1]&info1Batch != 0:
		return FaultBatch
	}
	req := &c.req
	switch {
	case !req.parse(body):
		return ""
	case !req.has(fieldDigest) && req.has(fieldIndexRange):
		return FaultQuery
	case !req.has(fieldDigest):
		return FaultScan
	case req.isUDF():
		return FaultUDF
	case req.isWrite() && req.isDelete():
		return FaultDelete
	case req.isWrite() && req.info1&info1Read != 0 || req.isComplex():
		return FaultOperate
	case req.isWrite():
		return FaultWrite
	}
	return FaultRead
}

// isComplex reports whether one of the operations works inside a bin.
func (r *request) isComplex() bool {
	for i := range r.ops {
		switch r.ops[i].code {
		case opCDTRead, opCDTModify, opExpRead, opExpModify, opBitsRead, opBitsModify, opHLLRead, opHLLModify:
			return true
		}
	}
	return false
}

// faultMatches reports whether a command is on what the rule is restricted to.
func (c *conn) faultMatches(rule *faultRule, on FaultOn, body []byte) bool {
	if rule.Namespace == "" && rule.Set == "" && rule.digest == (Digest{}) {
		return true
	}
	if on != FaultBatch {
		return rule.covers(&c.req, c.req.field(fieldDigest))
	}
	rows, _, ok := batchFields(body)
	if !ok || len(rows) < 5 {
		return false
	}
	count, parsed := binary.BigEndian.Uint32(rows), false
	rows = rows[5:]
	for ; count > 0 && len(rows) >= rowHeaderSize; count-- {
		digest, flags := rows[4:24], rows[24]
		rows = rows[rowHeaderSize:]
		if flags&rowRepeat == 0 {
			rows, parsed = c.req.parseRow(rows, flags, 0)
		}
		if !parsed {
			return false
		}
		if rule.covers(&c.req, digest) {
			return true
		}
	}
	return false
}

// covers reports whether a record is one that the rule is for.
func (r *faultRule) covers(req *request, digest []byte) bool {
	return (r.Namespace == "" || r.Namespace == string(req.field(fieldNamespace))) &&
		(r.Set == "" || r.Set == string(req.field(fieldSet))) &&
		(r.digest == Digest{} || string(r.digest[:]) == string(digest))
}
