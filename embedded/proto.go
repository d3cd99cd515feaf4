package embedded

import "encoding/binary"

// A message on the wire is an 8-byte header (version, type, 48-bit length of
// the body, big-endian) and a body. The values are from the server's proto.h.
const (
	protoHeaderSize = 8
	protoVersion    = 2

	protoInfo       = 1
	protoSecurity   = 2
	protoMessage    = 3
	protoCompressed = 4
	protoXDR        = 5

	protoSizeMask = 1<<48 - 1
)

// A record message's body starts with a header of this size; fields and bin
// operations follow.
const msgHeaderSize = 22

// Sizes of the fixed parts: a field's length and type; an operation's length,
// code, particle type, flags and name length. An operation's length does not
// count its own 4 bytes.
const (
	fieldHeaderSize = 5
	opHeaderSize    = 8
	opLengthSize    = 4
)

// Bits of the message header's info bytes that mean something to this server.
const (
	info1Read       = 1 << 0
	info1GetAll     = 1 << 1
	info1ShortQuery = 1 << 2
	info1Batch      = 1 << 3
	info1XDR        = 1 << 4
	info1NoBins     = 1 << 5
	info1Compress   = 1 << 7

	info2Write         = 1 << 0
	info2Delete        = 1 << 1
	info2Generation    = 1 << 2
	info2GenerationGT  = 1 << 3
	info2DurableDelete = 1 << 4
	info2CreateOnly    = 1 << 5
	info2RespondAllOps = 1 << 7

	info3Last            = 1 << 0
	info3PartitionDone   = 1 << 2
	info3UpdateOnly      = 1 << 3
	info3CreateOrReplace = 1 << 4
	info3ReplaceOnly     = 1 << 5

	info4VerifyRead  = 1 << 0
	info4RollForward = 1 << 1
	info4RollBack    = 1 << 2
)

// Types of message fields. Those that are not listed are skipped.
const (
	fieldNamespace     = 0
	fieldSet           = 1
	fieldKey           = 2
	fieldDigest        = 4
	fieldMRTID         = 5
	fieldSocketTimeout = 9
	fieldRecsPerSec    = 10
	fieldPIDArray      = 11
	fieldDigestArray   = 12
	fieldSampleMax     = 13
	fieldBValArray     = 15
	fieldIndexName     = 21
	fieldIndexRange    = 22
	fieldIndexExpr     = 24
	fieldUDFFile       = 30
	fieldUDFOp         = 33
	fieldBinList       = 40
	fieldBatch         = 41
	fieldBatchWithSet  = 42
	fieldFilter        = 43

	fieldLimit = 44 // one more than the highest type above
)

// Codes of bin operations.
const (
	opRead       = 1
	opWrite      = 2
	opCDTRead    = 3
	opCDTModify  = 4
	opIncr       = 5
	opExpRead    = 7
	opExpModify  = 8
	opAppend     = 9
	opPrepend    = 10
	opTouch      = 11
	opBitsRead   = 12
	opBitsModify = 13
	opDeleteAll  = 14
	opHLLRead    = 15
	opHLLModify  = 16
)

// A resultCode is the outcome of a transaction as the wire protocol knows it.
type resultCode byte

// The result codes this server answers with, numbered as in the server's
// proto.h.
const (
	codeOK                 resultCode = 0
	codeUnknown            resultCode = 1
	codeNotFound           resultCode = 2
	codeGeneration         resultCode = 3
	codeParameter          resultCode = 4
	codeRecordExists       resultCode = 5
	codeBinExists          resultCode = 6
	codeIncompatibleType   resultCode = 12
	codeRecordTooBig       resultCode = 13
	codeUnsupportedFeature resultCode = 16
	codeBinNotFound        resultCode = 17
	codeKeyMismatch        resultCode = 19
	codeNamespace          resultCode = 20
	codeBinName            resultCode = 21
	codeForbidden          resultCode = 22
	codeElementNotFound    resultCode = 23
	codeElementExists      resultCode = 24
	codeEnterpriseOnly     resultCode = 25
	codeNotApplicable      resultCode = 26
	codeFilteredOut        resultCode = 27
	codeSecurityNotSupp    resultCode = 51
	codeInvalidGeoJSON     resultCode = 160
	codeIndexNotFound      resultCode = 201
)

// Values of the header's record_ttl with a meaning of their own in writes; any
// other is a number of seconds.
const (
	ttlDefault    = 0
	ttlNever      = 1<<32 - 1
	ttlDontUpdate = 1<<32 - 2
)

// A msgHeader is the part of a message header that replies use.
type msgHeader struct {
	info1, info3 byte
	code         resultCode
	generation   uint32 // or a partition ID, in a partition-done marker
	voidTime     uint32 // seconds since the Aerospike epoch, 0 for never
	batchIndex   uint32 // travels in the transaction-ttl place
	fields, ops  uint16
}

// put writes the header into the first 22 bytes of b.
func (h msgHeader) put(b []byte) {
	_ = b[msgHeaderSize-1]
	b[0] = msgHeaderSize
	b[1] = h.info1
	b[2] = 0
	b[3] = h.info3
	b[4] = 0
	b[5] = byte(h.code)
	binary.BigEndian.PutUint32(b[6:], h.generation)
	binary.BigEndian.PutUint32(b[10:], h.voidTime)
	binary.BigEndian.PutUint32(b[14:], h.batchIndex)
	binary.BigEndian.PutUint16(b[18:], h.fields)
	binary.BigEndian.PutUint16(b[20:], h.ops)
}

// putProtoHeader writes the 8 bytes that announce a body of size bytes.
func putProtoHeader(b []byte, kind byte, size int) {
	binary.BigEndian.PutUint64(b, uint64(protoVersion)<<56|uint64(kind)<<48|uint64(size))
}

// appendMessage appends a whole message that has a header and nothing else.
func appendMessage(out []byte, h msgHeader) []byte {
	start := len(out)
	out = grow(out, protoHeaderSize+msgHeaderSize)
	putProtoHeader(out[start:], protoMessage, msgHeaderSize)
	h.put(out[start+protoHeaderSize:])
	return out
}

// appendField appends a message field.
func appendField[T string | []byte](out []byte, kind byte, value T) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(value)+1))
	out = append(out, kind)
	return append(out, value...)
}

// appendOp appends a bin operation with its value.
func appendOp(out []byte, code, particle byte, name, value []byte) []byte {
	size := opHeaderSize - opLengthSize + len(name) + len(value)
	out = binary.BigEndian.AppendUint32(out, uint32(size))
	out = append(out, code, particle, 0, byte(len(name)))
	out = append(out, name...)
	return append(out, value...)
}

// grow extends b by n bytes of unspecified content.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		b = append(b[:len(b):cap(b)], make([]byte, n)...)
		return b
	}
	return b[:len(b)+n]
}

// adminHeaderSize is the size of the header of a security message, which fields
// follow.
const adminHeaderSize = 16
