package workload

import "slices"

// Action is what one command does to a record or, as a batch, to several.
type Action uint8

// The actions.
const (
	ReadBins        Action = iota // read bins of a record
	UpdateBins                    // write bins; the record is created if it is not there
	ReplaceRecord                 // write bins and drop the record's others; it is created likewise
	InsertRecord                  // write bins of the next record that was not visited yet
	DeleteBins                    // delete single bins of a record that is there
	DeleteRecord                  // delete a record
	CallUDF                       // call a UDF on a record
	Increment                     // add 1 to an integer bin
	Decrement                     // subtract 1 from an integer bin
	ReadCollection                // read within list and map bins of a record
	WriteCollection               // add to list and map bins of a record
	QueryRecords                  // query a secondary index
	ScanRecords                   // scan the set
	numActions
)

// Op returns the operation as which results count the action.
func (a Action) Op() Op {
	switch a {
	case ReadBins, ReadCollection:
		return Read
	case CallUDF:
		return UDF
	case QueryRecords:
		return QueryOp
	case ScanRecords:
		return ScanOp
	}
	return Write
}

// writesBins tells whether the action writes or deletes single bins, so that
// write-bins mean something.
func (a Action) writesBins() bool {
	return a.Op() == Write && a != DeleteRecord && a != WriteCollection
}

// WritesValues tells whether the action writes bins as the object spec makes them.
func (a Action) WritesValues() bool {
	return a == UpdateBins || a == ReplaceRecord || a == InsertRecord
}

// adds tells whether the action adds to a bin, which must be an integer.
func (a Action) adds() bool { return a == Increment || a == Decrement }

// Operation is one kind of transaction of a workload.
type Operation struct {
	// Name is the operation's name in a stage file, such as read or
	// read-update.
	Name string
	// Weight is how often the operation is chosen, against the weights of the
	// workload's other operations. It is above 0.
	Weight float64
	// Actions are carried out in turn, each by a command of its own, on one
	// record. They are nil for a transaction that follows Pattern.
	Actions []Action
	// All is the percentage of the commands that read or write all bins; the
	// others take the stage's read-bins or write-bins. -1 means that it was
	// not given: it is 0 in a stage that names bins and 100 in one that does
	// not ([Workload.Resolve]). Transactions of several commands have none.
	All float64
	// Pattern says what the commands of a business transaction are; nil for
	// other operations.
	Pattern *Pattern
}

// transaction is the name of operations with a [Pattern].
const transaction = "txn"

// operations are the operations of stage files by name, but for those with a
// pattern.
var operations = []struct {
	name    string
	actions []Action
}{
	{"read", []Action{ReadBins}},
	{"update", []Action{UpdateBins}},
	{"replace", []Action{ReplaceRecord}},
	{"insert", []Action{InsertRecord}},
	{"delete", []Action{DeleteRecord}},
	{"udf", []Action{CallUDF}},
	{"increment", []Action{Increment}},
	{"decrement", []Action{Decrement}},
	{"read-update", []Action{ReadBins, UpdateBins}},
	{"read-increment", []Action{ReadBins, Increment}},
	{"read-decrement", []Action{ReadBins, Decrement}},
	{"query", []Action{QueryRecords}},
	{"scan", []Action{ScanRecords}},
}

// OperationNames lists the names that [NewOperation] knows, and that of
// operations with a [Pattern].
func OperationNames() []string {
	names := make([]string, 0, len(operations)+1)
	for _, o := range operations {
		names = append(names, o.name)
	}
	return append(names, transaction)
}

// NewOperation returns the operation of a name, with all-bins share left open,
// and false if there is none of that name, or it needs a pattern.
func NewOperation(name string, weight float64) (Operation, bool) {
	for _, o := range operations {
		if o.name == name {
			return Operation{Name: name, Weight: weight, Actions: o.actions, All: -1}, true
		}
	}
	return Operation{}, false
}

// NewTransaction returns the operation that follows a pattern.
func NewTransaction(p *Pattern, weight float64) Operation {
	return Operation{Name: transaction, Weight: weight, Pattern: p, All: -1}
}

// Compound tells whether a transaction has several commands. It is then also
// measured as a whole, as [Txn].
func (o Operation) Compound() bool { return o.Pattern != nil || len(o.Actions) > 1 }

// collects tells whether the operation's commands work within list and map bins.
func (o Operation) collects() bool {
	return o.Does(func(a Action) bool { return a == ReadCollection || a == WriteCollection })
}

// Shared tells whether commands that take all bins may share the work with
// commands that take some, so that All means something.
func (o Operation) Shared() bool {
	if o.Compound() {
		return false
	}
	switch o.Actions[0] {
	case ReadBins, UpdateBins, ReplaceRecord, InsertRecord:
		return true
	}
	return false
}

// WritesSome tells whether commands of the operation write some of the bins that
// the object spec makes, the stage's write-bins or the first, and not all of them.
func (o Operation) WritesSome() bool { return o.doesSome(Action.WritesValues) }

// doesSome tells whether commands that take some bins, and not all, do an action for
// which is holds.
func (o Operation) doesSome(is func(Action) bool) bool {
	if o.Pattern != nil {
		return slices.ContainsFunc(o.Pattern.items, func(it patternItem) bool { return is(it.action) && !it.all })
	}
	return slices.ContainsFunc(o.Actions, is) && (o.Compound() || o.All < 100)
}

// Does tells whether any command of the operation does an action for which is
// holds.
func (o Operation) Does(is func(Action) bool) bool {
	if o.Pattern != nil {
		return o.Pattern.does(is)
	}
	return slices.ContainsFunc(o.Actions, is)
}
