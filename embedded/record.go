package embedded

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// A Digest is the 20-byte RIPEMD-160 hash of set name and key that identifies a
// record in a namespace. Clients compute it.
type Digest [20]byte

// partitions is the number of partitions of a namespace.
const partitions = 4096

// partition returns the ID of the partition that the record belongs to.
func (d *Digest) partition() int {
	return int(binary.LittleEndian.Uint16(d[:])) & (partitions - 1)
}

// A record is one stored record. It is immutable: a write makes a new one, so
// that readers need the partition's lock only to find it.
//
// Its data follows it in memory, in the same piece: first the stored key, if there
// is one, as 4 bytes of length, particle type, and value; then the bins, each as the
// read operation that returns it, so that a read of all bins copies a single stretch
// of memory. A record and its data apart would cost 24 bytes more, a second miss of
// the processor's caches for each read, and the garbage collector's work to follow
// the pointer: as it is, records have no pointers. A record that newRecord hasn't
// made is metadata alone.
type record struct {
	lastUpdate uint64 // ms since the Aerospike epoch
	voidTime   uint32 // s since the Aerospike epoch, 0 if it never expires
	size       uint32 // bytes of data
	generation uint16 // 1 to 65535
	setID      uint16 // 0 for no set
	layout     uint16 // number of bins, and the flag keyStored
}

const (
	// recordHeader is where a record's data begins: at its last field's end.
	recordHeader = 22

	// keyStored is set in a record's layout if it has a key.
	keyStored = maxBins + 1

	keyLengthSize = 4
)

// newRecord makes a record of metadata, key and bins, at most maxBins of them. The
// key is empty if none is stored.
func newRecord(meta *record, key []byte, bins []bin) *record {
	size := 0
	if len(key) != 0 {
		size += keyLengthSize + len(key)
	}
	for i := range bins {
		size += opHeaderSize + len(bins[i].name) + len(bins[i].value)
	}
	r := allocateRecord(meta, size)
	r.layout = uint16(len(bins))
	data := r.data()[:0]
	if len(key) != 0 {
		r.layout |= keyStored
		data = append(binary.BigEndian.AppendUint32(data, uint32(len(key))), key...)
	}
	for i := range bins {
		data = appendOp(data, opRead, bins[i].particle, bins[i].name, bins[i].value)
	}
	return r
}

// allocateRecord makes a record with metadata and room for size bytes of data. Of
// words, because they are aligned as a record needs it.
func allocateRecord(meta *record, size int) *record {
	const word = 8
	words := make([]uint64, max(unsafe.Sizeof(record{}), uintptr(recordHeader+size+word-1))/word)
	r := (*record)(unsafe.Pointer(unsafe.SliceData(words)))
	*r = *meta
	r.size = uint32(size)
	return r
}

// with returns a copy of a record with other metadata.
func (r *record) with(meta *record) *record {
	next := allocateRecord(meta, int(r.size))
	next.layout = r.layout
	copy(next.data(), r.data())
	return next
}

func (r *record) data() []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(r), recordHeader)), r.size)
}

func (r *record) binCount() uint16 { return r.layout &^ keyStored }
func (r *record) hasKey() bool     { return r.layout&keyStored != 0 }

// key returns the stored key, empty if there is none.
func (r *record) key() []byte {
	if !r.hasKey() {
		return nil
	}
	data := r.data()
	return data[keyLengthSize : keyLengthSize+binary.BigEndian.Uint32(data)]
}

// bins returns the bins in wire form.
func (r *record) bins() []byte {
	data := r.data()
	if r.hasKey() {
		data = data[keyLengthSize+binary.BigEndian.Uint32(data):]
	}
	return data
}

// expired reports whether the record's time has passed. A record is still there
// in the second of its void time.
func (r *record) expired(nowMs uint64) bool {
	return r.voidTime != 0 && uint64(r.voidTime) < nowMs/1000
}

// A bin is one bin of a record, its value in wire form.
type bin struct {
	name, value []byte
	particle    byte
}

// nextBin splits the first bin off a record's bins. The input is a record's own
// data, which is always well formed.
func nextBin(b []byte) (first bin, rest []byte) {
	end := opLengthSize + int(binary.BigEndian.Uint32(b))
	nameEnd := opHeaderSize + int(b[7])
	first = bin{particle: b[5], name: b[opHeaderSize:nameEnd:nameEnd], value: b[nameEnd:end:end]}
	return first, b[end:]
}

// findBin returns the bin with this name.
func (r *record) findBin(name []byte) (bin, bool) {
	for rest := r.bins(); len(rest) > 0; {
		var b bin
		b, rest = nextBin(rest)
		if string(b.name) == string(name) {
			return b, true
		}
	}
	return bin{}, false
}

// storedSize is the size in bytes that the real server gives a record in its
// storage, by which it judges whether the record is too big (flat.c,
// drv_mem.c): a 35-byte header, optional parts, bins, and a 4-byte end mark.
func storedSize(voidTime uint32, setName string, key []byte, bins []bin) int {
	const header, endMark = 35, 4
	size := header + endMark
	if voidTime != 0 {
		size += 4
	}
	if setName != "" {
		size += 1 + len(setName)
	}
	if len(key) != 0 {
		size += varintSize(len(key)) + len(key)
	}
	if len(bins) != 0 {
		size += varintSize(len(bins))
	}
	for i := range bins {
		size += 1 + len(bins[i].name) + storedValueSize(&bins[i])
	}
	return size
}

// varintSize is the number of bytes of an integer in 7-bit groups.
func varintSize(n int) int { return (bits.Len(uint(n)|1) + 6) / 7 }

// storedValueSize is the size in bytes of a value in the real server's storage:
// integers take as many bytes as their magnitude needs.
func storedValueSize(b *bin) int {
	switch b.particle {
	case particleInteger:
		switch n := bits.Len64(binary.BigEndian.Uint64(b.value)); {
		case n > 32:
			return 2 + 8
		case n > 16:
			return 2 + 4
		case n > 8:
			return 2 + 2
		}
		return 2 + 1
	case particleFloat:
		return 1 + 8
	case particleBool:
		return 1 + 1
	}
	return 1 + 4 + len(b.value)
}
