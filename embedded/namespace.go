package embedded

import (
	"bytes"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A namespace holds the records of one namespace, spread over its partitions.
type namespace struct {
	name          string
	defaultTTL    uint32 // seconds, 0 for never
	maxRecordSize int    // bytes

	partitions []partition
	objects    atomic.Int64  // records present, expired ones not yet freed included
	expirable  atomic.Int64  // those among them that have a void time
	truncated  atomic.Uint64 // ms since the Aerospike epoch: older records are gone

	indexes sindexTable

	sets   atomic.Pointer[setTable]
	setsMu sync.Mutex // held to add a set
}

// A partition is one of a namespace's 4096 shares, with a lock of its own. It is
// padded to a cache line, so that neighbours don't slow each other down.
type partition struct {
	mu      sync.Mutex
	records map[Digest]*record // made by the first write
	_       [48]byte
}

// A set is a named subset of a namespace. It is there from its first record on
// and never goes away.
type set struct {
	name      string
	objects   atomic.Int64
	truncated atomic.Uint64 // as in namespace
}

// A setTable maps set names to IDs and back. It is replaced, never changed.
type setTable struct {
	ids  map[string]uint16
	sets []*set // sets[0] stands for no set and is nil
}

func newNamespace(name string, cfg Config) *namespace {
	ns := &namespace{
		name:          name,
		defaultTTL:    uint32(cfg.DefaultTTL.Seconds()),
		maxRecordSize: cfg.MaxRecordSize,
		partitions:    make([]partition, partitions),
	}
	ns.sets.Store(&setTable{ids: map[string]uint16{}, sets: []*set{nil}})
	return ns
}

// set returns the set with this ID, nil for ID 0.
func (ns *namespace) set(id uint16) *set { return ns.sets.Load().sets[id] }

// setName returns the name of the set with this ID, empty for ID 0.
func (ns *namespace) setName(id uint16) string {
	if id == 0 {
		return ""
	}
	return ns.set(id).name
}

// setID returns the ID of an existing set.
func (ns *namespace) setID(name []byte) (uint16, bool) {
	id, ok := ns.sets.Load().ids[string(name)]
	return id, ok
}

// makeSet returns the ID of a set, which it adds if need be. It reports false if
// the name is too long or the namespace has 4095 sets already.
func (ns *namespace) makeSet(name []byte) (uint16, bool) {
	if id, ok := ns.setID(name); ok {
		return id, true
	}
	if len(name) > maxSetName {
		return 0, false
	}
	ns.setsMu.Lock()
	defer ns.setsMu.Unlock()
	old := ns.sets.Load()
	if id, ok := old.ids[string(name)]; ok {
		return id, true
	}
	if len(old.sets) > maxSets {
		return 0, false
	}
	id := uint16(len(old.sets))
	next := &setTable{ids: maps.Clone(old.ids), sets: append(slices.Clip(old.sets), &set{name: string(name)})}
	next.ids[string(name)] = id
	ns.sets.Store(next)
	return id, true
}

// doomed reports whether a record is gone although its memory isn't freed yet:
// expired, or last updated before a truncation.
func (ns *namespace) doomed(r *record, nowMs uint64) bool {
	if r.expired(nowMs) || r.lastUpdate < ns.truncated.Load() {
		return true
	}
	return r.setID != 0 && r.lastUpdate < ns.set(r.setID).truncated.Load()
}

// lookup returns a record, or nil if there is none. It frees the record instead
// if it is doomed.
func (ns *namespace) lookup(d *Digest, nowMs uint64) *record {
	p := &ns.partitions[d.partition()]
	p.mu.Lock()
	r := ns.lookupLocked(p, d, nowMs)
	p.mu.Unlock()
	return r
}

// lookupLocked is lookup for callers that hold the partition's lock.
func (ns *namespace) lookupLocked(p *partition, d *Digest, nowMs uint64) *record {
	r := p.records[*d]
	if r != nil && ns.doomed(r, nowMs) {
		ns.removeLocked(p, d, r)
		return nil
	}
	return r
}

// storeLocked puts r in the place of old, which is nil for a new record.
func (ns *namespace) storeLocked(p *partition, d *Digest, old, r *record) {
	if p.records == nil {
		p.records = make(map[Digest]*record)
	}
	p.records[*d] = r
	ns.indexes.update(d, old, r)
	if old == nil {
		ns.count(r, 1)
		return
	}
	switch had, has := old.voidTime != 0, r.voidTime != 0; {
	case has && !had:
		ns.expirable.Add(1)
	case had && !has:
		ns.expirable.Add(-1)
	}
}

// removeLocked deletes the record r, which is stored under d.
func (ns *namespace) removeLocked(p *partition, d *Digest, r *record) {
	delete(p.records, *d)
	ns.indexes.update(d, r, nil)
	ns.count(r, -1)
}

// count adds delta to the counters that r takes part in.
func (ns *namespace) count(r *record, delta int64) {
	ns.objects.Add(delta)
	if r.voidTime != 0 {
		ns.expirable.Add(delta)
	}
	if r.setID != 0 {
		ns.set(r.setID).objects.Add(delta)
	}
}

// sweep frees the records that have expired.
func (ns *namespace) sweep(nowMs uint64) {
	if ns.expirable.Load() == 0 {
		return
	}
	ns.removeIf(func(r *record) bool { return r.expired(nowMs) })
}

// truncate deletes the records of a set, or of all sets if set is nil, that were
// last updated before cut (ms since the Aerospike epoch). With upTo it takes
// those updated in that very millisecond too, but later writes of the same
// millisecond stay.
func (ns *namespace) truncate(s *set, id uint16, cut uint64, upTo bool) {
	mark := &ns.truncated
	if s != nil {
		mark = &s.truncated
	}
	for {
		old := mark.Load()
		if cut < old || cut == old && !upTo {
			return // truncated beyond that already
		}
		if mark.CompareAndSwap(old, cut) {
			break
		}
	}
	ns.removeIf(func(r *record) bool {
		if s != nil && r.setID != id {
			return false
		}
		return r.lastUpdate < cut || upTo && r.lastUpdate == cut
	})
}

// removeIf deletes the records for which gone reports true, one partition after
// the other.
func (ns *namespace) removeIf(gone func(*record) bool) {
	for i := range ns.partitions {
		p := &ns.partitions[i]
		p.mu.Lock()
		for d, r := range p.records {
			if gone(r) {
				ns.removeLocked(p, &d, r)
			}
		}
		if len(p.records) == 0 {
			p.records = nil // a map keeps its memory when emptied
		}
		p.mu.Unlock()
	}
}

// An indexed is a record with its digest, and the value by which a secondary
// index has found it.
type indexed struct {
	digest Digest
	record *record
	value  int64
}

// collect appends the records of a partition, in the order in which the real
// server walks its index: descending digests. Doomed records are freed, not
// returned. With a resume digest it starts with the one after it.
func (ns *namespace) collect(pid int, resume *Digest, nowMs uint64, into []indexed) []indexed {
	p := &ns.partitions[pid]
	p.mu.Lock()
	for d, r := range p.records {
		if ns.doomed(r, nowMs) {
			ns.removeLocked(p, &d, r)
			continue
		}
		if resume == nil || bytes.Compare(d[:], resume[:]) < 0 {
			into = append(into, indexed{digest: d, record: r})
		}
	}
	p.mu.Unlock()
	slices.SortFunc(into, func(a, b indexed) int { return bytes.Compare(b.digest[:], a.digest[:]) })
	return into
}
