package embedded

import (
	"bytes"
	"encoding/binary"
)

// A request is a parsed record message. Its byte slices point into the
// connection's input buffer and are good until the next message is read. The
// value is reused, so that parsing allocates nothing once it is warm.
type request struct {
	info1, info2, info3, info4 byte
	generation                 uint32
	ttl                        uint32
	digest                     Digest

	present uint64 // one bit per field type
	values  [fieldLimit][]byte
	ops     []op
}

// An op is one bin operation of a request.
type op struct {
	code, particle byte
	name, value    []byte
}

func (r *request) has(field byte) bool { return r.present&(1<<field) != 0 }

// field returns a field's value, nil if it is absent.
func (r *request) field(kind byte) []byte {
	if !r.has(kind) {
		return nil
	}
	return r.values[kind]
}

// setField keeps a field's value. Of several with one type the first counts,
// which is the one the real server finds.
func (r *request) setField(kind byte, value []byte) {
	if kind >= fieldLimit || r.has(kind) {
		return
	}
	r.present |= 1 << kind
	r.values[kind] = value
}

func (r *request) isWrite() bool       { return r.info2&info2Write != 0 }
func (r *request) isDelete() bool      { return r.info2&info2Delete != 0 }
func (r *request) respondAllOps() bool { return r.info2&info2RespondAllOps != 0 }
func (r *request) isUDF() bool         { return r.has(fieldUDFFile) }

func (r *request) isReplace() bool {
	return r.info3&(info3CreateOrReplace|info3ReplaceOnly) != 0
}

// isReadAll reports whether o asks for all bins inside a multi-operation
// transaction: a read without a name, together with the get-all bit.
func (r *request) isReadAll(o *op) bool {
	return o.code == opRead && len(o.name) == 0 && r.info1&info1GetAll != 0
}

// isQuick reports whether a request takes a short time for certain: it reads or
// writes plain bins of one record.
func (r *request) isQuick() bool {
	if !r.has(fieldDigest) || r.isUDF() || r.has(fieldFilter) {
		return false
	}
	if !r.isWrite() && r.ttl != ttlDefault && r.ttl != ttlNever {
		return false // it may turn into a write
	}
	for i := range r.ops {
		switch r.ops[i].code {
		case opRead, opWrite, opIncr, opAppend, opPrepend, opTouch, opDeleteAll:
		default:
			return false
		}
	}
	return true
}

// parse reads a record message's body. It reports false if the body is
// malformed: too short, a part that overruns it, or bytes left over.
func (r *request) parse(body []byte) bool {
	if len(body) < msgHeaderSize {
		return false
	}
	r.info1, r.info2, r.info3, r.info4 = body[1], body[2], body[3], body[4]
	r.generation = binary.BigEndian.Uint32(body[6:])
	r.ttl = binary.BigEndian.Uint32(body[10:])
	fields := int(binary.BigEndian.Uint16(body[18:]))
	ops := int(binary.BigEndian.Uint16(body[20:]))

	r.present = 0
	rest, ok := r.parseFields(body[msgHeaderSize:], fields)
	if !ok {
		return false
	}
	rest, ok = r.parseOps(rest, ops)
	return ok && len(rest) == 0
}

// parseFields reads n fields and returns what follows them.
func (r *request) parseFields(b []byte, n int) ([]byte, bool) {
	for range n {
		if len(b) < fieldHeaderSize {
			return nil, false
		}
		size, ok := partSize(b) // counts the type byte
		if !ok || size == 0 {
			return nil, false
		}
		r.setField(b[4], b[fieldHeaderSize:opLengthSize+size])
		b = b[opLengthSize+size:]
	}
	return b, true
}

// parseOps reads n bin operations and returns what follows them.
func (r *request) parseOps(b []byte, n int) ([]byte, bool) {
	r.ops = r.ops[:0]
	for range n {
		if len(b) < opHeaderSize {
			return nil, false
		}
		size, ok := partSize(b)
		if !ok {
			return nil, false
		}
		nameEnd := opHeaderSize + int(b[7])
		valueStart := nameEnd
		if b[6]&1 != 0 {
			valueStart += 8 // a last-update time that only replication sends
		}
		if valueStart > opLengthSize+size {
			return nil, false
		}
		r.ops = append(r.ops, op{
			code:     b[4],
			particle: b[5],
			name:     b[opHeaderSize:nameEnd:nameEnd],
			value:    b[valueStart : opLengthSize+size : opLengthSize+size],
		})
		b = b[opLengthSize+size:]
	}
	return b, true
}

// partSize reads the length that starts a field or an operation. It reports
// false if the part is longer than what is left of the message.
func partSize(b []byte) (int, bool) {
	size := binary.BigEndian.Uint32(b)
	return int(size), uint64(size) <= uint64(len(b)-opLengthSize)
}

// validBinName reports whether a bin may have this name: at most 15 bytes, none
// of them zero. The empty name is valid.
func validBinName(name []byte) bool {
	return len(name) <= maxBinName && bytes.IndexByte(name, 0) < 0
}
