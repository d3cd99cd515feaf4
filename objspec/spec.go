// Package objspec turns an object spec, asbench's notation for the shape of a
// record ("I4,S50,[3*D]"), into record values.
//
// Parse checks a spec completely: a spec it accepts can always be generated.
// A Generator then fills bins from it without allocating. The value of a bin
// depends on the seed, the record's key and the bin's index alone, so any
// worker, in any order, makes the same record.
package objspec

import (
	"fmt"
	"slices"
	"strconv"
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
}

// Spec is a checked object spec. It never changes, so it may be shared.
type Spec struct {
	text  string
	names []string
	bins  []*form // one a bin, in order; repeated bins share a form
	perms int     // permutations a Generator needs; see form.perms
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
	p := parser{text: text, ratio: ratio}
	if len(text) > maxSpecBytes {
		return nil, p.errorAt(maxSpecBytes, "a spec can have %d bytes; this has %d", maxSpecBytes, len(text))
	}
	items, err := p.spec()
	if err != nil {
		return nil, err
	}
	s := &Spec{text: text, perms: p.perms}
	name := o.BinName
	if name == "" {
		name = defaultBinName
	}
	for _, it := range items {
		for range it.times {
			bin := binName(name, len(s.names))
			if len(bin) > maxBinName {
				return nil, p.errorAt(it.offset, "bin name %q has %d bytes; a name can have %d", shorten(bin), len(bin), maxBinName)
			}
			s.names = append(s.names, bin)
			s.bins = append(s.bins, it.form)
		}
	}
	return s, nil
}

// binName returns the name of the bin with the given index: the base name for
// the first one, then base_2, base_3 and so on.
func binName(base string, index int) string {
	if index == 0 {
		return base
	}
	return base + "_" + strconv.Itoa(index+1)
}

// String returns the spec as it was given to Parse.
func (s *Spec) String() string { return s.text }

// Integer tells whether the bin with the given index, from 0 to len(Bins())-1,
// always holds an integer.
func (s *Spec) Integer(i int) bool { return s.bins[i].kind == kindInt }

// Bins returns the names of a record's bins, in order. The caller owns the slice.
func (s *Spec) Bins() []string { return slices.Clone(s.names) }
