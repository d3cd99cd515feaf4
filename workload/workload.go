package workload

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/keygen"
)

// Kind is the family of a workload: what its transactions do.
type Kind uint8

// The kinds: those with letter codes, and the free mix.
const (
	Insert            Kind = iota // I: write every key of the range once
	ReadUpdate                    // RU: read or update random keys
	ReadReplace                   // RR: read random keys or replace their whole record
	ReadUpdateDelete              // RUD: read, update or delete random keys
	ReadUpdateUDF                 // RUF: read, update or call a UDF on random keys
	Delete                        // DB: walk the range once and delete bins
	ReadThenUpdate                // RMU: read a random record, then update a bin of it
	ReadThenIncrement             // RMI: read a random record, then add 1 to a bin of it
	ReadThenDecrement             // RMD: read a random record, then subtract 1 from a bin of it
	Business                      // TXN: transactions of many commands
	Collections                   // C: add to lists and maps, read their ends
	Counters                      // CI: add to the values of maps, read the largest
	Lookups                       // CK: put into maps, read by key
	Mix                           // operations with weights
)

// Workload says what the transactions of a stage do.
type Workload struct {
	Kind Kind
	// Read and Write are the percentages (0..100) of the transactions that
	// read and that write, of the kinds RU, RR, RUD and RUF; the rest deletes
	// in a RUD workload and calls a UDF in a RUF workload.
	Read, Write float64
	// ReadAll is the percentage of the reads that take all bins, WriteAll
	// that of the writes that write all bins; the others take the stage's
	// read-bins and write-bins. -1 means that the text did not say: it is 0
	// in a stage that names bins and 100 in one that does not
	// ([Workload.Resolve]).
	ReadAll, WriteAll float64
	// Share is the percentage of the key range, from its start, that an
	// insert workload visits; above 0.
	Share float64
	// Pattern is what the transactions of a TXN workload are made of.
	Pattern *Pattern
	// Cap is how many elements or entries a collection keeps in a C, CI or CK
	// workload, Window how many are read; 0 is all of them, but one entry for
	// CK.
	Cap, Window int
	// Mix are the operations of a Mix workload.
	Mix []Operation
}

// NewMix returns the workload that chooses between operations by their weights.
// There must be one at least.
func NewMix(operations []Operation) Workload {
	return Workload{Kind: Mix, Mix: operations, ReadAll: -1, WriteAll: -1}
}

// Operations lists what the workload's transactions do, and how often. The letter
// codes are short forms of such lists.
func (w Workload) Operations() []Operation {
	var list []Operation
	add := func(name string, weight, all float64) {
		if weight > 0 {
			o, _ := NewOperation(name, weight)
			o.All = all
			list = append(list, o)
		}
	}
	rest := 100 - w.Read - w.Write
	switch w.Kind {
	case Insert:
		add("insert", 100, w.WriteAll)
	case ReadUpdate:
		add("read", w.Read, w.ReadAll)
		add("update", w.Write, w.WriteAll)
	case ReadReplace:
		add("read", w.Read, w.ReadAll)
		add("replace", w.Write, w.WriteAll)
	case ReadUpdateDelete:
		add("read", w.Read, w.ReadAll)
		add("update", w.Write, w.WriteAll)
		add("delete", rest, -1)
	case ReadUpdateUDF:
		add("read", w.Read, w.ReadAll)
		add("update", w.Write, w.WriteAll)
		add("udf", rest, -1)
	case Delete:
		list = []Operation{{Name: "delete", Weight: 100, Actions: []Action{DeleteBins}, All: -1}}
	case ReadThenUpdate:
		add("read-update", 100, -1)
	case ReadThenIncrement:
		add("read-increment", 100, -1)
	case ReadThenDecrement:
		add("read-decrement", 100, -1)
	case Business:
		list = []Operation{NewTransaction(w.Pattern, 100)}
	case Collections, Counters, Lookups:
		for _, o := range []Operation{
			{Name: "read-collection", Weight: w.Read, Actions: []Action{ReadCollection}, All: -1},
			{Name: "write-collection", Weight: w.Write, Actions: []Action{WriteCollection}, All: -1},
		} {
			if o.Weight > 0 {
				list = append(list, o)
			}
		}
	case Mix:
		return w.Mix
	}
	return list
}

// Resolve fills in the percentages that were left open, given whether the stage
// names bins for its reads and its writes.
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
	w.Mix = slices.Clone(w.Mix)
	for i := range w.Mix {
		if o := &w.Mix[i]; o.Shared() {
			o.All = all(o.All, o.Actions[0] == ReadBins && readBins || o.Actions[0] != ReadBins && writeBins)
		}
	}
	return w
}

// Does tells whether any transaction does something for which is holds.
func (w Workload) Does(is func(Action) bool) bool {
	return slices.ContainsFunc(w.Operations(), func(o Operation) bool { return o.Does(is) })
}

// DoesSome tells whether any command that takes some bins, and not all, does
// something for which is holds. It is for workloads that are resolved.
func (w Workload) DoesSome(is func(Action) bool) bool {
	return slices.ContainsFunc(w.Operations(), func(o Operation) bool { return o.doesSome(is) })
}

// HasReads tells whether any transaction reads.
func (w Workload) HasReads() bool { return w.Does(func(a Action) bool { return a.Op() == Read }) }

// HasRecordReads tells whether any transaction reads records by their keys.
func (w Workload) HasRecordReads() bool { return w.Does(func(a Action) bool { return a == ReadBins }) }

// HasBinReads tells whether any transaction reads whole bins, so that read-bins
// mean something.
func (w Workload) HasBinReads() bool {
	return w.Does(func(a Action) bool { return a == ReadBins || a.searches() })
}

// HasWrites tells whether any transaction writes or deletes.
func (w Workload) HasWrites() bool { return w.Does(func(a Action) bool { return a.Op() == Write }) }

// HasBinWrites tells whether any transaction writes or deletes single bins, so
// that write-bins mean something: all that write do, but for the deletes of RUD,
// which remove whole records.
func (w Workload) HasBinWrites() bool { return w.Does(Action.writesBins) }

// HasUDFs tells whether any transaction calls a UDF.
func (w Workload) HasUDFs() bool { return w.Does(func(a Action) bool { return a == CallUDF }) }

// HasDeletes tells whether any transaction deletes bins or a record.
func (w Workload) HasDeletes() bool {
	return w.Does(func(a Action) bool { return a == DeleteRecord || a == DeleteBins })
}

// HasOwnBatches tells whether any transaction has batches whose size the workload
// itself gives.
func (w Workload) HasOwnBatches() bool {
	return slices.ContainsFunc(w.Operations(), func(o Operation) bool { return o.Pattern != nil && o.Pattern.batched() })
}

// HasAdditions tells whether any transaction adds to a bin, which must then be
// an integer.
func (w Workload) HasAdditions() bool { return w.Does(Action.adds) }

// Ops tells as which operations the results count what the workload does.
func (w Workload) Ops() (ops [NumOps]bool) {
	ops[Read], ops[Write], ops[UDF] = w.HasReads(), w.HasWrites(), w.HasUDFs()
	ops[QueryOp], ops[ScanOp] = w.HasQueries(), w.HasScans()
	ops[Txn] = slices.ContainsFunc(w.Operations(), Operation.Compound)
	return ops
}

// Batchable tells whether any transaction could be a batch of as many records as
// the stage says: all but those of several commands, which bring their own, and
// those that work within collections, queries and scans.
func (w Workload) Batchable() bool {
	return slices.ContainsFunc(w.Operations(), func(o Operation) bool {
		return !o.Compound() && !o.collects() && !o.Does(Action.searches)
	})
}

// Endless tells whether the workload has no end of its own: it then runs for
// its stage's duration. The others walk the key range once.
func (w Workload) Endless() bool { return w.Kind != Insert && w.Kind != Delete }

// Keys returns the part of the key range that the workload visits.
func (w Workload) Keys(r keygen.Range) keygen.Range {
	if w.Kind != Insert || w.Share == 100 {
		return r
	}
	// As a decimal fraction, since 0.6 has no exact binary one.
	part, _ := new(big.Rat).SetString(formatPercent(w.Share))
	size := new(big.Int).SetUint64(r.Size())
	size.Mul(size, part.Num())
	size.Div(size, new(big.Int).Mul(part.Denom(), big.NewInt(100)))
	return keygen.Range{Start: r.Start, End: r.Start + size.Uint64()}
}

// String returns the workload as [Parse] reads it, with every percentage that
// is known, and a mix as a list of its operations.
func (w Workload) String() string {
	if w.Kind == Mix {
		texts := make([]string, len(w.Mix))
		for i, o := range w.Mix {
			texts[i] = o.Name + " " + formatPercent(o.Weight)
		}
		return strings.Join(texts, ", ")
	}
	for _, s := range syntaxes {
		if s.kind != w.Kind {
			continue
		}
		text := s.code
		if w.Pattern != nil {
			text += "," + w.Pattern.String()
		}
		if w.Kind == Insert && w.Share < 100 {
			text += ":" + formatPercent(w.Share)
		}
		for _, p := range s.percentages(&w) {
			if *p < 0 {
				break
			}
			text += "," + formatPercent(*p) + "%"
		}
		if w.Collects() {
			text += fmt.Sprintf(",%d,%d", w.Cap, w.Window)
		}
		return text
	}
	return fmt.Sprintf("Kind(%d)", w.Kind)
}

func formatPercent(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }
