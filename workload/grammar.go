package workload

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
)

// Kind is the family of a workload: what its transactions do.
type Kind uint8

// The kinds, by their letter codes.
const (
	Insert           Kind = iota // I: write every key of the range once
	ReadUpdate                   // RU: read or update random keys
	ReadReplace                  // RR: read random keys or replace their whole record
	ReadUpdateDelete             // RUD: read, update or delete random keys
	ReadUpdateUDF                // RUF: read, update or call a UDF on random keys
	Delete                       // DB: walk the range once and delete bins
)

// syntax is one letter code: which percentages may follow it and what they are
// when left out.
type syntax struct {
	code string
	kind Kind
	// shares is how many leading percentages divide the transactions: none
	// for I and DB, the reads of RU, the reads and writes of RUD.
	shares int
	read   float64
	write  float64
	// subsets is true where the bins of reads and writes may be given.
	subsets bool
}

var syntaxes = []syntax{
	{code: "I", kind: Insert},
	{code: "RU", kind: ReadUpdate, shares: 1, read: 50, subsets: true},
	{code: "RR", kind: ReadReplace, shares: 1, read: 50, subsets: true},
	{code: "RUD", kind: ReadUpdateDelete, shares: 2, read: 40, write: 40, subsets: true},
	{code: "RUF", kind: ReadUpdateUDF, shares: 2, read: 40, write: 40, subsets: true},
	{code: "DB", kind: Delete},
}

// later are the codes that aeroload knows but does not run yet.
var later = []string{"C", "CI", "CK"}

// ErrNotSupported marks what is part of the stage-file language but not run by
// this version.
var ErrNotSupported = errors.New("not supported yet")

// Workload is a parsed workload text.
type Workload struct {
	Kind Kind
	// Read and Write are the percentages (0..100) of the transactions that
	// read and that write; the rest deletes in a RUD workload and calls a UDF
	// in a RUF workload. They are 0 for I and DB, which only do one thing.
	Read, Write float64
	// ReadAll is the percentage of the reads that take all bins, WriteAll
	// that of the writes that write all bins; the others take the stage's
	// read-bins and write-bins. -1 means that the text did not say: it is 0
	// in a stage that names bins and 100 in one that does not
	// ([Workload.Resolve]).
	ReadAll, WriteAll float64
}

// Parse reads a workload text such as "I", "RU,75" or "RUD,50,40,100,10". A
// percentage may have a fraction and a trailing % sign. Codes that exist in
// asbench but are not run by this version give an error that wraps
// [ErrNotSupported].
func Parse(text string) (Workload, error) {
	fields := strings.Split(text, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	s, err := lookup(fields[0])
	if err != nil {
		return Workload{}, err
	}
	w := Workload{Kind: s.kind, Read: s.read, Write: s.write, ReadAll: -1, WriteAll: -1}
	targets := s.percentages(&w)
	if n := len(fields) - 1; n > len(targets) {
		if len(targets) == 0 {
			return Workload{}, fmt.Errorf("%q: %s takes no percentages", text, s.code)
		}
		return Workload{}, fmt.Errorf("%q: %s takes at most %d percentages, not %d", text, s.code, len(targets), n)
	}
	for i, field := range fields[1:] {
		p, err := parsePercent(field)
		if err != nil {
			return Workload{}, fmt.Errorf("%q: percentage %d: %w", text, i+1, err)
		}
		*targets[i] = p
	}
	switch {
	case s.shares == 1:
		w.Write = 100 - w.Read
	case w.Read+w.Write > 100:
		byDefault := ""
		if len(fields) == 2 {
			byDefault = " (the default)"
		}
		return Workload{}, fmt.Errorf("%q: %s %% reads and %s %% writes%s are more than 100 %%",
			text, formatPercent(w.Read), formatPercent(w.Write), byDefault)
	case s.kind == ReadUpdateUDF && w.Read+w.Write >= 100:
		return Workload{}, fmt.Errorf("%q: %s %% reads and %s %% writes leave nothing for UDF calls",
			text, formatPercent(w.Read), formatPercent(w.Write))
	}
	return w, nil
}

func lookup(code string) (syntax, error) {
	var known []string
	for _, s := range syntaxes {
		if s.code == code {
			return s, nil
		}
		known = append(known, s.code)
	}
	for _, l := range later {
		if l == code {
			return syntax{}, fmt.Errorf("%s is %w; this version runs %s", code, ErrNotSupported, strings.Join(known, ", "))
		}
	}
	if code == "" {
		return syntax{}, fmt.Errorf("the workload is empty; expected one of %s", strings.Join(known, ", "))
	}
	return syntax{}, fmt.Errorf("unknown workload %q; expected one of %s%s", code, strings.Join(known, ", "), suggest.DidYouMean(code, known))
}

// percentages lists where the percentages after the code go, in their order.
func (s syntax) percentages(w *Workload) []*float64 {
	targets := []*float64{&w.Read, &w.Write}[:s.shares]
	if s.subsets {
		targets = append(targets, &w.ReadAll, &w.WriteAll)
	}
	return targets
}

func parsePercent(text string) (float64, error) {
	p, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	// The comparison is written so that NaN fails it.
	if err != nil || !(p >= 0 && p <= 100) {
		return 0, fmt.Errorf("%q is not a number from 0 to 100", text)
	}
	return p, nil
}

func formatPercent(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }

// Resolve fills in the percentages that the text left open, given whether the
// stage names bins for its reads and its writes.
func (w Workload) Resolve(readBins, writeBins bool) Workload {
	all := func(p float64, bins bool) float64 {
		switch {
		case p >= 0:
			return p
		case bins:
			return 0
		}
		return 100
	}
	w.ReadAll, w.WriteAll = all(w.ReadAll, readBins), all(w.WriteAll, writeBins)
	return w
}

// HasReads tells whether any transaction reads.
func (w Workload) HasReads() bool { return w.Read > 0 }

// HasWrites tells whether any transaction writes or deletes.
func (w Workload) HasWrites() bool {
	return w.HasBinWrites() || w.Kind == ReadUpdateDelete && w.Read+w.Write < 100
}

// HasBinWrites tells whether any transaction writes or deletes single bins, so
// that write-bins mean something: all do but the deletes of RUD, which remove
// whole records.
func (w Workload) HasBinWrites() bool { return !w.mixed() || w.Write > 0 }

// HasUDFs tells whether any transaction calls a UDF.
func (w Workload) HasUDFs() bool { return w.Kind == ReadUpdateUDF }

// Endless tells whether the workload has no end of its own: it then runs for
// its stage's duration.
func (w Workload) Endless() bool { return w.mixed() }

// mixed tells whether transactions are drawn at random, rather than walking the
// key range.
func (w Workload) mixed() bool { return w.Kind != Insert && w.Kind != Delete }

// String returns the workload as [Parse] reads it, with every percentage that
// is known.
func (w Workload) String() string {
	for _, s := range syntaxes {
		if s.kind != w.Kind {
			continue
		}
		text := s.code
		for _, p := range s.percentages(&w) {
			if *p < 0 {
				break
			}
			text += "," + formatPercent(*p) + "%"
		}
		return text
	}
	return fmt.Sprintf("Kind(%d)", w.Kind)
}
