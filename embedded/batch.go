package embedded

import "encoding/binary"

// Flags of a whole batch.
const (
	batchReportAllErrors = 1 << 2 // go on after a record fails
	batchReportErrorRow  = 1 << 3 // stop after the replies that tell of the failure
)

// Flags of a row of a batch.
const (
	rowRepeat     = 1 << 0 // all but index and digest are those of the row before
	rowInfo       = 1 << 1 // has info2 and info3
	rowGeneration = 1 << 2
	rowTTL        = 1 << 3
	rowInfo4      = 1 << 4
)

// rowHeaderSize is the size of a row's index, digest and flags.
const rowHeaderSize = 4 + 20 + 1

// frameSize is the number of bytes after which a batch or query sends what it
// has gathered.
const frameSize = 128 << 10

// A batchState is a batch that is being carried out.
type batchState struct {
	flags      byte
	parentInfo byte       // the batch's info3, for rows that have none
	frame      int        // where the current frame starts in the output, -1 for none
	code       resultCode // of the whole batch; once set nothing but the trailer is sent
	frameCode  resultCode // becomes code when the current frame has been sent
	parsed     bool       // the connection's request holds the row before
	ns         *namespace // of that row
}

// batch answers a batch: the outcome of every row, in frames, and a trailer with
// the outcome of the whole.
func (c *conn) batch(body []byte) error {
	rows, filter, ok := batchFields(body)
	if !ok || len(rows) < 5 || binary.BigEndian.Uint32(rows) == 0 {
		c.counted(countBatch, codeParameter)
		c.trailer(codeParameter)
		return nil
	}
	b := batchState{flags: rows[4], parentInfo: body[3], frame: -1}
	count := binary.BigEndian.Uint32(rows)
	rows = rows[5:]
	if filter != nil {
		var code resultCode
		if c.batchExpr, code = compileFilter(filter); code != codeOK {
			c.counted(countBatch, code)
			c.trailer(code)
			return nil
		}
	}
	defer func() { c.batchExpr = nil }()
	for range count {
		if rows, ok = c.batchRow(&b, rows); !ok {
			b.code = codeParameter
			break
		}
		if len(c.out)-b.frame >= frameSize {
			c.endFrame(&b)
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	if b.frame >= 0 {
		c.endFrame(&b)
	}
	c.counted(countBatch, b.code)
	c.trailer(b.code)
	return nil
}

// batchFields finds a batch's rows and its filter, nil if it has none. The rows go on
// to the end of the message: clients with a filter give their field a wrong
// length, which the real server doesn't look at.
func batchFields(body []byte) (rows, filter []byte, ok bool) {
	fields := int(binary.BigEndian.Uint16(body[18:]))
	for b := body[msgHeaderSize:]; fields > 0; fields-- {
		if len(b) < fieldHeaderSize {
			return nil, nil, false
		}
		switch b[4] {
		case fieldBatch, fieldBatchWithSet:
			rows = b[fieldHeaderSize:]
		case fieldFilter:
			size, _ := partSize(b)
			filter = b[fieldHeaderSize : opLengthSize+max(1, min(size, len(b)-opLengthSize))]
		}
		size, fits := partSize(b)
		if !fits && fields > 1 {
			return nil, nil, false
		}
		b = b[opLengthSize+min(size, len(b)-opLengthSize):]
	}
	return rows, filter, rows != nil
}

// trailer appends the message that ends a batch or a long query.
func (c *conn) trailer(code resultCode) {
	c.out = appendMessage(c.out, msgHeader{info3: info3Last, code: code})
}

// endFrame finishes the current frame, or drops it if the batch has failed.
func (c *conn) endFrame(b *batchState) {
	if b.code != codeOK {
		c.out = c.out[:b.frame]
	} else {
		putProtoHeader(c.out[b.frame:], protoMessage, len(c.out)-b.frame-protoHeaderSize)
		b.code = b.frameCode
	}
	b.frame = -1
}

// batchRow carries out the first row of rows and returns the others. It reports
// false if the row is malformed or its namespace unknown.
func (c *conn) batchRow(b *batchState, rows []byte) ([]byte, bool) {
	if len(rows) < rowHeaderSize {
		return nil, false
	}
	index := binary.BigEndian.Uint32(rows)
	digest, flags := rows[4:24], rows[24]
	rows = rows[rowHeaderSize:]
	req := &c.req
	if flags&rowRepeat == 0 {
		if rows, b.parsed = req.parseRow(rows, flags, b.parentInfo); !b.parsed {
			return nil, false
		}
		b.ns = c.server.namespace(req.field(fieldNamespace))
	} else if !b.parsed || req.has(fieldKey) {
		return nil, false // nothing to repeat, or a key that can't be right
	}
	if b.ns == nil {
		return nil, false
	}
	copy(req.digest[:], digest)

	if b.frame < 0 {
		b.frame = len(c.out)
		c.out = grow(c.out, protoHeaderSize)
	}
	start := len(c.out)
	c.out = grow(c.out, msgHeaderSize)
	var done outcome
	if code, struck := c.faultyRow(); struck {
		done = failed(code)
	} else {
		done = c.transact(b.ns, req)
		c.counted(req.kind(), done.code)
	}
	c.seal(start, done, index)
	b.note(done.code)
	return rows, true
}

// note decides what a row's outcome means for the batch.
func (b *batchState) note(code resultCode) {
	switch {
	case code == codeOK || code == codeNotFound || code == codeFilteredOut:
	case b.flags&batchReportAllErrors != 0:
	case b.flags&batchReportErrorRow != 0:
		b.frameCode = code
	default:
		b.code = code
	}
}

// parseRow reads what follows a row's header and returns what follows the row.
// parentInfo is the batch's info3. It reports false if the row is malformed.
func (r *request) parseRow(b []byte, flags, parentInfo byte) ([]byte, bool) {
	const consistency = 3 << 6 // the info3 bits that older clients give once
	size := 1 + 2 + 2
	for _, part := range []struct {
		flag byte
		size int
	}{{rowInfo, 2}, {rowInfo4, 1}, {rowGeneration, 2}, {rowTTL, 4}} {
		if flags&part.flag != 0 {
			size += part.size
		}
	}
	if len(b) < size {
		return nil, false
	}
	head, rest := b[:size], b[size:]
	r.info1, head = head[0]&^byte(info1Compress|info1XDR|info1Batch), head[1:]
	r.info2, r.info3, r.info4, r.generation, r.ttl = 0, parentInfo&consistency, 0, 0, 0
	if flags&rowInfo != 0 {
		r.info2, r.info3, head = head[0], head[1], head[2:]
	}
	if flags&rowInfo4 != 0 {
		r.info4, head = head[0], head[1:]
	}
	if flags&rowGeneration != 0 {
		r.generation, head = uint32(binary.BigEndian.Uint16(head)), head[2:]
	}
	if flags&rowTTL != 0 {
		r.ttl, head = binary.BigEndian.Uint32(head), head[4:]
	}
	fields := max(1, int(binary.BigEndian.Uint16(head))) // some clients don't count the namespace
	ops := int(binary.BigEndian.Uint16(head[2:]))

	r.present = 0
	rest, ok := r.parseFields(rest, fields)
	if !ok {
		return nil, false
	}
	return r.parseOps(rest, ops)
}
