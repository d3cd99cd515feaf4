package embedded

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Fields of queries on a secondary index.
const (
	fieldIndexContext = 23
	fieldIndexType    = 26
)

// An indexQuery is the part of a query that names an index and what to find in
// it.
type indexQuery struct {
	index      *sindex
	start, end int64
	text       []byte           // the string or blob to find, for which start and end are the hash
	after      map[Digest]int64 // where to resume: by digest, the value that was returned with it
}

// takeIndex takes a query's range and the index that it is in, if there is such
// an index. It reports false if the range is malformed.
func (q *queryPlan) takeIndex(ns *namespace, req *request) bool {
	if !req.has(fieldIndexRange) {
		return true
	}
	find := &indexQuery{}
	def, ok := find.parse(req)
	if !ok {
		return false
	}
	if req.has(fieldIndexName) {
		find.index = ns.indexes.named(string(req.field(fieldIndexName)))
	} else {
		def.set = string(req.field(fieldSet))
		find.index = ns.indexes.defined(def)
		if find.index == nil && def.set != "" {
			def.set = ""
			find.index = ns.indexes.defined(def)
		}
	}
	if req.has(fieldDigestArray) {
		find.takeResume(req)
	}
	q.find = find
	return true
}

// findIndex answers whether the index that the query asks for is there.
func (q *queryPlan) findIndex() resultCode {
	if q.find != nil && q.find.index == nil {
		return codeIndexNotFound
	}
	return codeOK
}

// parse takes the range, and the definition of the index that is asked for.
func (f *indexQuery) parse(req *request) (def sindexDef, ok bool) {
	b := req.field(fieldIndexRange)
	if len(b) < 2 || b[0] != 1 { // the number of ranges
		return def, false
	}
	n := int(b[1])
	b = b[2:]
	other := req.has(fieldIndexName) || req.has(fieldIndexExpr)
	if n == 0 != other || n > maxBinName || len(b) < n+1 {
		return def, false
	}
	def.bin, def.particle, b = string(b[:n]), b[n], b[n+1:]
	switch def.particle {
	case particleInteger:
		ok = f.parseIntegers(b)
	case particleString, particleBlob:
		ok = f.parseText(b)
	case particleGeoJSON:
		ok = true // no such index is ever found
	}
	if !ok {
		return def, false
	}
	if req.has(fieldIndexType) {
		if len(req.field(fieldIndexType)) == 0 {
			return def, false
		}
		def.kind = req.field(fieldIndexType)[0]
	}
	if !req.has(fieldIndexContext) {
		return def, true
	}
	if other || !validContext(req.field(fieldIndexContext)) {
		return def, false
	}
	def.context = string(req.field(fieldIndexContext))
	return def, true
}

func (f *indexQuery) parseIntegers(b []byte) bool {
	const size = 4 + 8
	if len(b) < 2*size || binary.BigEndian.Uint32(b) != 8 || binary.BigEndian.Uint32(b[size:]) != 8 {
		return false
	}
	f.start = int64(binary.BigEndian.Uint64(b[4:]))
	f.end = int64(binary.BigEndian.Uint64(b[size+4:]))
	return f.start <= f.end
}

// parseText takes the string or blob that a query looks for. Clients send it
// twice, as the two ends of a range.
func (f *indexQuery) parseText(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	n := binary.BigEndian.Uint32(b)
	if n >= maxIndexedString || uint64(n) > uint64(len(b)-4) {
		return false
	}
	f.text = b[4 : 4+n]
	f.start = hashText(f.text)
	f.end = f.start
	return true
}

// takeResume takes the values that go with the digests to resume after.
func (f *indexQuery) takeResume(req *request) {
	digests, values := req.field(fieldDigestArray), req.field(fieldBValArray)
	f.after = make(map[Digest]int64)
	for len(digests) >= len(Digest{}) && len(values) >= 8 {
		f.after[Digest(digests[:len(Digest{})])] = int64(binary.LittleEndian.Uint64(values))
		digests, values = digests[len(Digest{}):], values[8:]
	}
}

// validResume reports whether a query on an index that resumes has as many values
// as digests.
func validResume(req *request) bool {
	return req.has(fieldBValArray) &&
		len(req.field(fieldBValArray))/8 == len(req.field(fieldDigestArray))/len(Digest{})
}

// matches reports whether a record has a value that the query looks for. An index
// only says that it may have.
func (f *indexQuery) matches(r *record) bool {
	b, ok := f.index.binOf(r)
	if !ok {
		return false
	}
	found := false
	f.index.eachValue(b, func(v int64, text []byte) bool {
		found = v >= f.start && v <= f.end && (f.index.particle == particleInteger || bytes.Equal(text, f.text))
		return !found
	})
	return found
}

// collect appends the records of a partition that the query finds, in the order
// of their values. With a resume digest it starts after that one.
func (f *indexQuery) collect(ns *namespace, pid int, resume *Digest, nowMs uint64, into []indexed) []indexed {
	p := &ns.partitions[pid]
	p.mu.Lock()
	defer p.mu.Unlock()
	from := sindexEntry{value: f.start}
	if resume != nil && f.after[*resume] >= f.start {
		from = sindexEntry{f.after[*resume], *resume}
	} else {
		resume = nil // a client that asks for a key's partition sends 0
	}
	entries := f.index.trees[pid].entries
	i, found := slices.BinarySearchFunc(entries, from, sindexEntry.compare)
	if found && resume != nil {
		i++
	}
	var seen map[Digest]bool
	if f.index.kind != indexDefault && f.start != f.end {
		seen = make(map[Digest]bool)
	}
	for ; i < len(entries) && entries[i].value <= f.end; i++ {
		e := &entries[i]
		r := p.records[e.digest]
		if r == nil || ns.doomed(r, nowMs) || seen[e.digest] {
			continue
		}
		if f.index.particle != particleInteger && !f.matches(r) {
			continue
		}
		if seen != nil {
			seen[e.digest] = true
		}
		into = append(into, indexed{e.digest, r, e.value})
	}
	return into
}
