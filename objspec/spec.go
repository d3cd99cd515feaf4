// Package objspec turns an object spec, asbench's notation for the shape of a
// record ("I4,S50,[3*D]"), into record values.
// docs/object-spec.md has the whole notation.
//
// Parse checks a spec completely: a spec it accepts can always be generated.
// A Generator then fills bins from it without allocating. The value of a bin
// depends on the seed, the record's key and the bin's index alone, so any
// worker, in any order, makes the same record.
package objspec

import (
	"fmt"
	"slices"
	"time"
)

// Limits a spec is held to.
const (
	// maxRecordBytes is the largest max-record-size a server can be given
	// (aerospike-server as/src/base/cfg.c: up to WBLOCK_SZ, 8 MiB).
	maxRecordBytes = 8 << 20
	// maxBins is the server's bin limit of a record (RECORD_MAX_BINS in
	// aerospike-server as/include/base/datamodel.h).
	maxBins = 32767
	// maxBinName is the longest bin name in bytes (AS_BIN_NAME_MAX_SZ there is
	// 16, with the terminating zero).
	maxBinName = 15
	// maxSpecBytes keeps the memory of a parsed spec, up to 100 times its text,
	// within reason.
	maxSpecBytes = 1 << 20
	// maxDepth is how many collections may be nested in each other. Far more
	// than data has, and little enough for recursion over a spec to be safe.
	maxDepth = 100
)

const defaultBinName = "testbin"

// Options are what a spec's meaning depends on besides its text.
type Options struct {
	// BinName is the first bin's name; "" means "testbin". The n-th bin, from
	// the second, is called BinName_n. A name over 15 bytes is an error.
	BinName string
	// CompressionRatio, in (0, 1], is the share of each B<n> value that is
	// random; the rest is zero and compresses away. 0 means 1.
	CompressionRatio float64
	// Now is the clock of the generator @now; nil means time.Now. Generators
	// call it from the goroutines that use them.
	Now func() time.Time
}

// Spec is a checked object spec. It never changes, so it may be shared.
type Spec struct {
	text     string
	file     string // where it stands; "" for none
	names    []string
	bins     []*form  // one a bin, in order; repeated bins share a form
	present  []uint64 // one a bin; see binItem.present
	optional bool     // some bins aren't in all records
	varies   bool
	perms    int   // permutations a Generator needs; see form.perms
	tables   []int // key tables it needs, and how many keys each has at most
	slots    int   // multipliers it draws
}

// Parse reads an object spec. What is wrong with the text or with the bin
// names is reported as an *Error that tells the place, a compression ratio out
// of range as another error.
//
// Besides the syntax, Parse refuses what could never be a record: bins that
// hold more than 8 MiB of values together, over 32767 bins, collections nested
// over 100 deep, a map with more distinct keys than its key forms can make, or
// a text of over 1 MiB.
func Parse(text string, o Options) (*Spec, error) {
	ratio := o.CompressionRatio
	if ratio == 0 {
		ratio = 1
	}
	// Written so that NaN fails as well.
	if !(ratio > 0 && ratio <= 1) {
		return nil, fmt.Errorf("object spec: compression ratio %v isn't over 0 and at most 1", o.CompressionRatio)
	}
	p := parser{text: text, ratio: ratio, now: o.Now, lists: map[string]*words{}}
	if p.now == nil {
		p.now = time.Now
	}
	if len(text) > maxSpecBytes {
		return nil, p.errorAt(maxSpecBytes, "a spec can have %d bytes; this has %d", maxSpecBytes, len(text))
	}
	items, err := p.spec()
	if err != nil {
		return nil, err
	}
	s := &Spec{text: p.oneLine(), varies: p.varies, perms: p.perms, tables: p.tables, slots: p.slots}
	name := o.BinName
	if name == "" {
		name = defaultBinName
	}
	if err := p.layOut(s, name, items); err != nil {
		return nil, err
	}
	return s, nil
}

// String returns the spec as it was given to Parse, but on one line and without
// the comments that a spec of several lines may have.
func (s *Spec) String() string { return s.text }

// Integer tells whether the bin with the given index, from 0 to len(Bins())-1,
// always holds an integer.
func (s *Spec) Integer(i int) bool { return s.bins[i].kind == kindInt }

// Text tells whether the bin with the given index, from 0 to len(Bins())-1, always
// holds a string.
func (s *Spec) Text(i int) bool { return s.bins[i].kind == kindString }

// MaxBytes returns the most bytes that a value of bin i, from 0, has as it is sent.
func (s *Spec) MaxBytes(i int) int { return s.bins[i].particle }

// Bins returns the names of a record's bins, in order. The caller owns the slice.
func (s *Spec) Bins() []string { return slices.Clone(s.names) }

// Varies tells whether the spec has a generator or something else that is there
// for its variety: an optional bin, a length or a multiplier that is drawn. Then
// records are to differ, also without a setting that says so.
func (s *Spec) Varies() bool { return s.varies }

// Repeatable tells whether the values of bin i, from 0, follow from seed and key.
// The only ones that don't are those that hold the time of their making (@now).
func (s *Spec) Repeatable(i int) bool { return !s.bins[i].clock }

// Always tells whether every record has at least one of the bins, which are
// given by their index from 0; nil means all bins. Without one, a write would
// have nothing to write.
func (s *Spec) Always(sel []int) bool {
	if sel == nil {
		return true // Parse refuses anything else
	}
	return slices.ContainsFunc(sel, func(i int) bool { return s.present[i] == 0 })
}
