package stage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/workload"
)

// value is the text of a stage key or flag, or the values of a mapping, and where
// it stands.
type value struct {
	text  string
	sub   map[string]value // of a mapping; nil for a scalar
	items []value          // of a list of texts; nil for anything else
	place Place
	// broken marks a value that could not be read, or not all of it, which
	// was reported.
	broken bool
	// inherited marks a value from the file's defaults: where it means
	// nothing, it is no error.
	inherited bool
	// plain marks a text that stands in the file as it is, without quotes.
	plain bool
}

// draft is a stage while it is being put together: the values given for it, and
// the places they came from.
type draft struct {
	Stage
	place Place            // of the stage itself
	given map[string]value // by key
	bad   map[string]bool  // keys whose value was refused
	spec  string           // the object spec's text
	mix   []workload.Operation
	start uint64
	end   uint64
	// asserted are the places of the assertions.
	asserted []Place
}

func newDraft(number int, place Place) *draft {
	return &draft{
		Stage: Stage{Number: number},
		place: place,
		given: map[string]value{},
		bad:   map[string]bool{},
	}
}

// field is a key of a stage file.
type field struct {
	name string
	set  func(d *draft, text string) error // nil if it takes no scalar
	// keys are those of the mapping that the field takes, and setMap takes it;
	// nil if it takes none.
	keys   []string
	more   *regexp.Regexp // what else a key may be; nil for nothing
	setMap func(d *draft, v value, problems *Problems)
	// setList takes a list of texts, or one text; nil if it takes none.
	setList func(d *draft, items []value, problems *Problems)
	// subKeys are those of the mappings that the values in the mapping may be;
	// nil if they must be scalars.
	subKeys []string
}

// fields are all keys of a stage.
var fields = []field{
	{name: "stage", set: func(d *draft, text string) error {
		n, err := parseInteger(text, "a stage number", 1, math.MaxInt32)
		if err == nil && int(n) != d.Number {
			return fmt.Errorf("stage %d stands at position %d: number the stages 1, 2, 3, … in their order, or leave the numbers out", n, d.Number)
		}
		return err
	}},
	{name: "desc", set: func(d *draft, text string) error {
		for _, r := range text {
			if r < ' ' || r == 0x7f {
				return fmt.Errorf("%q does not fit on the line that announces a stage", text)
			}
		}
		d.Desc = text
		return nil
	}},
	{name: "duration", set: func(d *draft, text string) (err error) {
		d.Duration, err = parseDuration(text)
		return err
	}},
	{name: "workload", set: func(d *draft, text string) (err error) {
		d.Workload, err = workload.Parse(text)
		return err
	}},
	{name: "operations", keys: workload.OperationNames(), subKeys: slices.Concat(operationKeys, transactionKeys[1:]), setMap: setOperations},
	{name: "transactions", set: func(d *draft, text string) (err error) {
		d.Transactions, err = ParseCount(text)
		return err
	}},
	{name: "warmup", set: func(d *draft, text string) (err error) {
		d.Warmup, err = parseDuration(text)
		return err
	}},
	{name: "tps", set: setConstantRate, keys: []string{"from", "to", "over", "step", "hold", "mean", "amplitude", "period"}, setMap: setCurve},
	{name: "find-max", keys: findMaxKeys, more: findMaxPercentile, setMap: setFindMax},
	{name: "arrival", set: func(d *draft, text string) error {
		if text != "uniform" && text != "poisson" {
			return fmt.Errorf("%q is no kind of arrival: expected uniform or poisson", text)
		}
		d.Schedule.Poisson = text == "poisson"
		return nil
	}},
	{name: "object-spec", set: func(d *draft, text string) error {
		d.spec = text
		return nil
	}},
	{name: "key-start", set: func(d *draft, text string) error { return setKey(&d.start, text, keygen.MaxKey) }},
	{name: "key-end", set: func(d *draft, text string) error { return setKey(&d.end, text, keygen.MaxKey+1) }},
	{name: "keys", keys: slices.Concat(drawKeys, formKeys),
		set: func(_ *draft, text string) error {
			_, err := keygen.ParseDistribution(text)
			return err
		},
		setMap: func(_ *draft, v value, problems *Problems) { readKeys(v.sub, problems) }},
	shardField,
	{name: "read-bins", set: func(d *draft, text string) (err error) {
		d.ReadBins, err = parseBins(text)
		return err
	}},
	{name: "write-bins", set: func(d *draft, text string) (err error) {
		d.WriteBins, err = parseBins(text)
		return err
	}},
	{name: "pause", set: func(d *draft, text string) (err error) {
		d.Pause, err = parseSeconds(text, maxPause)
		return err
	}},
	{name: "batch-size", set: func(d *draft, text string) error { return setBatch(&d.Batch, text) }},
	{name: "batch-read-size", set: func(d *draft, text string) error { return setBatch(&d.BatchRead, text) }},
	{name: "batch-write-size", set: func(d *draft, text string) error { return setBatch(&d.BatchWrite, text) }},
	{name: "batch-delete-size", set: func(d *draft, text string) error { return setBatch(&d.BatchDelete, text) }},
	{name: "batch-namespaces", set: setNamespaces},
	{name: "async", set: func(d *draft, text string) (err error) {
		d.Async, err = parseBool(text)
		return err
	}},
	{name: "async-max-commands", set: func(d *draft, text string) error {
		n, err := parseInteger(text, "a number of commands", 1, MaxAsync)
		d.AsyncMax = int(n)
		return err
	}},
	{name: "udf", keys: []string{"module", "function", "args", "file"}, setMap: setUDF},
	{name: "query", keys: queryKeys, setMap: setQuery},
	{name: "scan", keys: scanKeys, setMap: setScan},
	{name: "verify", set: func(d *draft, text string) (err error) {
		d.Verify, err = parseBool(text)
		return err
	}},
	{name: "random", set: func(d *draft, text string) (err error) {
		d.Random, err = parseBool(text)
		return err
	}},
	{name: "expiration-time", set: setTTL},
	{name: "threads", set: func(d *draft, text string) error {
		n, err := parseInteger(text, "a number of threads", 1, MaxThreads)
		d.Threads = int(n)
		return err
	}},
	{name: "assert", setList: setAssertions},
	{name: "on-fail", set: setOnFail},
	{name: "on-error", set: setOnError},
	{name: "max-errors", set: setMaxErrors},
	{name: "max-outage", set: setMaxOutage},
	{name: "seed", set: func(d *draft, text string) (err error) {
		d.Seed, err = ParseSeed(text)
		return err
	}},
}

func lookupField(name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func fieldNames() []string {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}

// apply sets the field to v and remembers that it was given.
func (d *draft) apply(f field, v value, problems *Problems) {
	d.given[f.name] = v
	switch {
	case v.items != nil:
		before := len(*problems)
		f.setList(d, v.items, problems)
		d.bad[f.name] = v.broken || len(*problems) > before
	case v.sub != nil:
		before := len(*problems)
		f.setMap(d, v, problems)
		d.bad[f.name] = v.broken || len(*problems) > before
	case v.broken:
		d.bad[f.name] = true
	default:
		if err := f.set(d, v.text); err != nil {
			problems.addErr(v.place, fmt.Errorf("%s: %w", f.name, err))
			d.bad[f.name] = true
		}
	}
}

// meaningless takes back a value that means nothing in this stage. That is an
// error, unless the value is one of the file's defaults.
func (d *draft) meaningless(key string, problems *Problems, format string, args ...any) {
	v := d.given[key]
	delete(d.given, key)
	if !v.inherited {
		problems.add(v.place, key+": "+format, args...)
	}
}

func setKey(key *uint64, text string, high uint64) error {
	r, ok := parseNumber(text)
	if !ok || !r.IsInt() || r.Sign() < 0 {
		return fmt.Errorf("%q is not a key number: expected a whole number such as 1000000, 1_000_000 or 1M", text)
	}
	if !r.Num().IsUint64() || r.Num().Uint64() > high {
		return fmt.Errorf("%s is out of range: expected a key from 0 to %d", text, high)
	}
	*key = r.Num().Uint64()
	return nil
}

func setBatch(size *int, text string) error {
	n, err := parseInteger(text, "a batch size", 1, maxBatch)
	*size = int(n)
	return err
}

func setTTL(d *draft, text string) error {
	if text == "-1" || text == "-2" {
		d.TTL = int64(text[1]-'0') * -1
		return nil
	}
	n, err := parseSeconds(text, int(maxDuration/time.Second)) // ten years, as on the server
	if err != nil {
		return fmt.Errorf("%w (0 is the namespace's default, -1 never, -2 leaves it as it is)", err)
	}
	d.TTL = int64(n)
	return nil
}

// ParseCount reads a number of things, from 0 on: a whole number that may use
// underscores and one of the suffixes k, M and G.
func ParseCount(text string) (uint64, error) {
	n, err := parseInteger(text, "a count", 0, math.MaxInt64)
	return uint64(n), err
}

// ParseSeed reads a seed: a whole number from 0 to 2^64-1.
func ParseSeed(text string) (uint64, error) {
	r, ok := parseNumber(text)
	if !ok || !r.IsInt() || !r.Num().IsUint64() {
		return 0, fmt.Errorf("%q is not a seed: expected a whole number from 0 to 2^64-1", text)
	}
	return r.Num().Uint64(), nil
}
