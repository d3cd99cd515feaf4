package embedded

import "sync/atomic"

// An Operation is a kind of command and the result code that it was answered with.
type Operation struct {
	// Kind is FaultRead, FaultWrite, FaultDelete, FaultOperate or FaultUDF for a
	// command on one record or for a row of a batch, and FaultBatch, FaultScan or
	// FaultQuery for a whole message.
	Kind FaultOn
	// Code is the result code in the reply, 0 for success. That of a scan or query
	// is 0 if it was begun. Those that call functions or write in the background
	// aren't counted.
	Code int
}

// Places of the kinds in operationCounters.
const (
	countRead = iota
	countWrite
	countDelete
	countOperate
	countUDF
	countBatch
	countScan
	countQuery
	countKinds
)

// operationCounters counts by kind and result code.
type operationCounters [countKinds][256]atomic.Uint64

// Operations returns how often the server has answered commands on records, by kind
// and result code; what never happened is left out. A command that a fault kept from
// being carried out isn't counted, nor is one without a readable message or a known
// namespace. Each node of a [Cluster] counts its own.
func (s *Server) Operations() map[Operation]uint64 {
	names := [countKinds]FaultOn{FaultRead, FaultWrite, FaultDelete, FaultOperate, FaultUDF, FaultBatch, FaultScan, FaultQuery}
	counts := map[Operation]uint64{}
	for kind := range s.operations {
		for code := range s.operations[kind] {
			if n := s.operations[kind][code].Load(); n > 0 {
				counts[Operation{names[kind], code}] = n
			}
		}
	}
	return counts
}

// ResetOperations sets all counts of [Server.Operations] to 0.
func (s *Server) ResetOperations() {
	for kind := range s.operations {
		for code := range s.operations[kind] {
			s.operations[kind][code].Store(0)
		}
	}
}

// counted counts a command.
func (c *conn) counted(kind int, code resultCode) { c.at().operations[kind][code].Add(1) }

// kind says of what kind a command on one record is.
func (r *request) kind() int {
	switch {
	case r.isUDF():
		return countUDF
	case r.isWrite() && r.isDelete():
		return countDelete
	case r.isWrite() && r.info1&info1Read != 0 || r.isComplex():
		return countOperate
	case r.isWrite():
		return countWrite
	}
	return countRead
}

// queryKind says of what kind a command without a record is.
func (r *request) queryKind() int {
	if r.has(fieldIndexRange) {
		return countQuery
	}
	return countScan
}
