package stage

import (
	"fmt"
	"math"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/workload"
)

// value is the text of a stage key or flag and where it stands.
type value struct {
	text  string
	place Place
}

// draft is a stage while it is being put together: the values given for it, and
// the places they came from.
type draft struct {
	Stage
	place Place            // of the stage itself
	given map[string]value // by key
	bad   map[string]bool  // keys whose value was refused
	spec  string           // the object spec's text
	start uint64
	end   uint64
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
	set  func(d *draft, text string) error
}

// fields are all keys of a stage that take a scalar, in the order in which the
// resolved plan prints them. The mapping `udf` comes with the workloads that
// call UDFs.
var fields = []field{
	{"stage", func(d *draft, text string) error {
		n, err := parseInteger(text, "a stage number", 1, math.MaxInt32)
		if err == nil && int(n) != d.Number {
			return fmt.Errorf("stage %d stands at position %d: number the stages 1, 2, 3, … in their order, or leave the numbers out", n, d.Number)
		}
		return err
	}},
	{"desc", func(d *draft, text string) error {
		for _, r := range text {
			if r < ' ' || r == 0x7f {
				return fmt.Errorf("%q does not fit on the line that announces a stage", text)
			}
		}
		d.Desc = text
		return nil
	}},
	{"duration", func(d *draft, text string) (err error) {
		d.Duration, err = parseDuration(text)
		return err
	}},
	{"workload", func(d *draft, text string) (err error) {
		d.Workload, err = workload.Parse(text)
		return err
	}},
	{"tps", func(d *draft, text string) (err error) {
		d.TPS, err = parseRate(text)
		return err
	}},
	{"object-spec", func(d *draft, text string) error {
		d.spec = text
		return nil
	}},
	{"key-start", func(d *draft, text string) error { return setKey(&d.start, text, keygen.MaxKey) }},
	{"key-end", func(d *draft, text string) error { return setKey(&d.end, text, keygen.MaxKey+1) }},
	{"read-bins", func(d *draft, text string) (err error) {
		d.ReadBins, err = parseBins(text)
		return err
	}},
	{"write-bins", func(d *draft, text string) (err error) {
		d.WriteBins, err = parseBins(text)
		return err
	}},
	{"pause", func(d *draft, text string) (err error) {
		d.Pause, err = parseSeconds(text, MaxPause)
		return err
	}},
	{"batch-size", func(d *draft, text string) error { return setBatch(&d.Batch, text) }},
	{"batch-read-size", func(d *draft, text string) error { return setBatch(&d.BatchRead, text) }},
	{"batch-write-size", func(d *draft, text string) error { return setBatch(&d.BatchWrite, text) }},
	{"batch-delete-size", func(d *draft, text string) error { return setBatch(&d.BatchDelete, text) }},
	{"async", func(d *draft, text string) (err error) {
		d.Async, err = parseBool(text)
		return err
	}},
	{"random", func(d *draft, text string) (err error) {
		d.Random, err = parseBool(text)
		return err
	}},
	{"expiration-time", setTTL},
	{"threads", func(d *draft, text string) error {
		n, err := parseInteger(text, "a number of threads", 1, MaxThreads)
		d.Threads = int(n)
		return err
	}},
	{"seed", func(d *draft, text string) (err error) {
		d.Seed, err = ParseSeed(text)
		return err
	}},
}

// udfKey is the only key whose value is a mapping.
const udfKey = "udf"

func lookupField(name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func fieldNames() []string {
	names := make([]string, 0, len(fields)+1)
	for _, f := range fields {
		names = append(names, f.name)
	}
	return append(names, udfKey)
}

// apply sets the field to v and remembers that it was given.
func (d *draft) apply(f field, v value, problems *Problems) {
	if err := f.set(d, v.text); err != nil {
		problems.addErr(v.place, fmt.Errorf("%s: %w", f.name, err))
		d.bad[f.name] = true
	}
	d.given[f.name] = v
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
	n, err := parseInteger(text, "a batch size", 1, math.MaxInt32)
	*size = int(n)
	return err
}

func setTTL(d *draft, text string) error {
	if text == "-1" || text == "-2" {
		d.TTL = int64(text[1]-'0') * -1
		return nil
	}
	n, err := parseSeconds(text, maxTTL)
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
