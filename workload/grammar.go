package workload

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
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
	{code: "RMU", kind: ReadThenUpdate},
	{code: "RMI", kind: ReadThenIncrement},
	{code: "RMD", kind: ReadThenDecrement},
	{code: "TXN", kind: Business},
	{code: "C", kind: Collections, shares: 1, read: 50},
	{code: "CI", kind: Counters, shares: 1, read: 50},
	{code: "CK", kind: Lookups, shares: 1, read: 50},
}

// maxCollection bounds the cap and the window of collection workloads; a record
// cannot hold more.
const maxCollection = 1_000_000

// Parse reads a workload text such as "I", "RU,75", "RUD,50,40,100,10" or
// "TXN,r:10,w:2". A percentage may have a fraction and a trailing % sign; the
// first one may follow a colon, as in "RU:80" and "I:60" (the Go client's
// benchmark writes them so), which inserts that percentage of the key range.
// "C,70,100,10" reads 70 %, keeps 100 elements of each collection and reads 10.
func Parse(text string) (Workload, error) {
	fields := strings.Split(text, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	code, percent, colon := strings.Cut(fields[0], ":")
	s, err := lookup(code)
	if err != nil {
		return Workload{}, err
	}
	w := Workload{Kind: s.kind, Share: 100, Read: s.read, Write: s.write, ReadAll: -1, WriteAll: -1}
	if s.kind == Business && !colon {
		if w.Pattern, err = ParsePattern(fields[1:]); err != nil {
			return Workload{}, fmt.Errorf("%q: %w", text, err)
		}
		return w, nil
	}
	if w.Collects() && len(fields) > 2 {
		if err := w.parseBounds(fields[2:]); err != nil {
			return Workload{}, fmt.Errorf("%q: %w", text, err)
		}
		fields = fields[:2]
	}
	targets := s.percentages(&w)
	if colon {
		fields = slices.Insert(fields, 1, percent)
		if s.kind == Insert {
			targets = []*float64{&w.Share}
		}
	}
	if n := len(fields) - 1; n > len(targets) {
		if len(targets) == 0 {
			return Workload{}, fmt.Errorf("%q: %s takes no percentages", text, s.code)
		}
		return Workload{}, fmt.Errorf("%q: %s takes at most %d percentages, not %d", text, s.code, len(targets), n)
	}
	for i, field := range fields[1:] {
		p, err := ParsePercent(field)
		if err != nil {
			return Workload{}, fmt.Errorf("%q: percentage %d: %w", text, i+1, err)
		}
		*targets[i] = p
	}
	switch {
	case w.Share == 0:
		return Workload{}, fmt.Errorf("%q: 0 %% of the keys are none", text)
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

// parseBounds reads the cap and the window of a collection workload.
func (w *Workload) parseBounds(fields []string) error {
	if len(fields) > 2 {
		return errors.New("expected a percentage of reads, a cap and a window")
	}
	for i, field := range fields {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || n > maxCollection {
			return fmt.Errorf("%s: %q is not a number of elements from 0 to %d", [...]string{"cap", "window"}[i], field, maxCollection)
		}
		*[...]*int{&w.Cap, &w.Window}[i] = n
	}
	return nil
}

func lookup(code string) (syntax, error) {
	var known []string
	for _, s := range syntaxes {
		if s.code == code {
			return s, nil
		}
		known = append(known, s.code)
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

// ParsePercent reads a percentage from 0 to 100; it may have a fraction and a
// trailing % sign.
func ParsePercent(text string) (float64, error) {
	p, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	// The comparison is written so that NaN fails it.
	if err != nil || !(p >= 0 && p <= 100) {
		return 0, fmt.Errorf("%q is not a number from 0 to 100", text)
	}
	return p, nil
}
