package embedded

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"time"
)

// A Record is a copy of a stored record, for inspection.
type Record struct {
	// Digest identifies the record in its namespace.
	Digest Digest
	// Set is the name of the record's set, empty if it is in none.
	Set string
	// UserKey is the key as the client gave it, if it asked for the key to be
	// stored: int64, string, []byte or float64. Otherwise nil.
	UserKey any
	// Generation counts the record's writes, from 1; 65535 is followed by 1.
	Generation uint16
	// VoidTime is the last second in which the record is there, the zero time if
	// it never expires.
	VoidTime time.Time
	// LastUpdate is when the record was last written, in milliseconds.
	LastUpdate time.Time
	// Bins are the record's bins in stored order.
	Bins []Bin
}

// A Bin is a copy of one bin of a record.
type Bin struct {
	// Name has at most 15 bytes.
	Name string
	// Particle is the value's type in the wire protocol's numbering: 1 integer,
	// 2 double, 3 string, 4 blob, 17 boolean, 18 HyperLogLog, 19 map, 20 list,
	// 23 GeoJSON.
	Particle byte
	// Raw is the value as it is on the wire.
	Raw []byte
}

// Bin returns the bin with this name, and whether there is one.
func (r Record) Bin(name string) (Bin, bool) {
	for _, b := range r.Bins {
		if b.Name == name {
			return b, true
		}
	}
	return Bin{}, false
}

// Value decodes the bin's value: an integer as int64, a double as float64, a
// string, a blob or HyperLogLog as []byte, a boolean as bool, a GeoJSON value's
// text as string, a list as []any, a map as map[any]any whose []byte keys are
// turned into [Blob]. An unknown type gives the raw bytes.
func (b Bin) Value() any {
	switch b.Particle {
	case particleInteger:
		return int64(binary.BigEndian.Uint64(b.Raw))
	case particleFloat:
		return math.Float64frombits(binary.BigEndian.Uint64(b.Raw))
	case particleString:
		return string(b.Raw)
	case particleBool:
		return b.Raw[0] != 0
	case particleGeoJSON:
		return string(b.Raw[geoHeaderSize:])
	case particleList, particleMap:
		value, _ := decode(b.Raw)
		return value
	}
	return b.Raw
}

// A Blob is a byte string as the key of a map.
type Blob string

// decode turns the first element of normalised MessagePack into a Go value and
// returns what follows it.
func decode(b []byte) (any, []byte) {
	e, rest, _ := parseElement(b)
	switch e.kind {
	case typeFalse, typeTrue:
		return e.kind == typeTrue, rest
	case typeInteger:
		if e.number > math.MaxInt64 {
			return e.number, rest
		}
		return int64(e.number), rest
	case typeNegative:
		return int64(e.number), rest
	case typeDouble:
		return e.double, rest
	case typeString, typeGeoJSON:
		return string(e.payload[1:]), rest
	case typeBytes:
		if len(e.payload) == 0 {
			return []byte{}, rest
		}
		return e.payload[1:], rest
	case typeExtension:
		return e.payload, rest
	case typeList:
		rest, count := skipFlags(&e, rest)
		return decodeList(rest, count)
	case typeMap:
		rest, count := skipFlags(&e, rest)
		return decodeMap(rest, count)
	}
	return nil, rest
}

func decodeList(b []byte, count int) (any, []byte) {
	list := make([]any, count)
	for i := range list {
		list[i], b = decode(b)
	}
	return list, b
}

func decodeMap(b []byte, count int) (any, []byte) {
	m := make(map[any]any, count)
	for range count {
		var key any
		key, b = decode(b)
		if blob, ok := key.([]byte); ok {
			key = Blob(blob)
		}
		m[key], b = decode(b)
	}
	return m, b
}

// Count returns how many records a set has, or the whole namespace if set is
// empty. An unknown namespace or set has none.
func (s *Server) Count(namespace, set string) int {
	ns := s.byName[namespace]
	if ns == nil {
		return 0
	}
	ns.sweep(s.nowMs())
	if set == "" {
		return int(ns.objects.Load())
	}
	id, ok := ns.setID([]byte(set))
	if !ok {
		return 0
	}
	return int(ns.set(id).objects.Load())
}

// Records returns the records of a set, or of the whole namespace if set is
// empty: partition by partition, in descending order of digests. Records written
// while it runs may or may not be among them. An unknown namespace or set has
// none.
func (s *Server) Records(namespace, set string) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		ns := s.byName[namespace]
		if ns == nil {
			return
		}
		id, ok := ns.setID([]byte(set))
		if set != "" && !ok {
			return
		}
		var found []indexed
		for pid := range partitions {
			found = ns.collect(pid, nil, s.nowMs(), found[:0])
			for _, f := range found {
				if set != "" && f.record.setID != id {
					continue
				}
				if !yield(ns.inspect(f.digest, f.record)) {
					return
				}
			}
		}
	}
}

// Get returns the record with this key, and whether there is one. The key is an
// int, int64, string or []byte; with another type there is none.
func (s *Server) Get(namespace, set string, key any) (Record, bool) {
	d, err := KeyDigest(set, key)
	if err != nil {
		return Record{}, false
	}
	return s.GetDigest(namespace, d)
}

// GetDigest returns the record with this digest (clients compute it from set
// name and key), and whether there is one.
func (s *Server) GetDigest(namespace string, digest [20]byte) (Record, bool) {
	ns := s.byName[namespace]
	if ns == nil {
		return Record{}, false
	}
	d := Digest(digest)
	r := ns.lookup(&d, s.nowMs())
	if r == nil {
		return Record{}, false
	}
	return ns.inspect(d, r), true
}

// inspect copies a record.
func (ns *namespace) inspect(d Digest, r *record) Record {
	out := Record{
		Digest:     d,
		Set:        ns.setName(r.setID),
		UserKey:    decodeKey(slices.Clone(r.key())),
		Generation: r.generation,
		LastUpdate: time.UnixMilli(int64(r.lastUpdate) + aerospikeEpochMs).UTC(),
		Bins:       make([]Bin, 0, r.binCount()),
	}
	if r.voidTime != 0 {
		out.VoidTime = time.UnixMilli(int64(r.voidTime)*1000 + aerospikeEpochMs).UTC()
	}
	for rest := slices.Clone(r.bins()); len(rest) > 0; {
		var b bin
		b, rest = nextBin(rest)
		out.Bins = append(out.Bins, Bin{Name: string(b.name), Particle: b.particle, Raw: b.value})
	}
	return out
}

// decodeKey decodes a stored key: a particle type and a value.
func decodeKey(key []byte) any {
	if len(key) == 0 {
		return nil
	}
	switch value := key[1:]; key[0] {
	case particleInteger:
		return int64(binary.BigEndian.Uint64(value))
	case particleFloat:
		if len(value) == 8 {
			return math.Float64frombits(binary.BigEndian.Uint64(value))
		}
		return value
	case particleString:
		return string(value)
	default:
		return value
	}
}
