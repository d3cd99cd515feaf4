package stage

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Place is where a value was given.
type Place struct {
	// Source is a file, or the name of a flag.
	Source string
	// Line and Column count from 1; both are 0 for flags.
	Line, Column int
}

// String returns file:line:column, or the flag.
func (p Place) String() string {
	if p.Line == 0 {
		return p.Source
	}
	return fmt.Sprintf("%s:%d:%d", p.Source, p.Line, p.Column)
}

// dir returns where the relative paths of a value given there start: beside the
// file, and for flags "", the working directory.
func (p Place) dir() string {
	if p.Line == 0 {
		return ""
	}
	return filepath.Dir(p.Source)
}

// Problem is one thing wrong with a plan.
type Problem struct {
	Place Place
	Err   error
}

func (p Problem) Error() string {
	// What follows the first line, such as the caret under an object spec, is
	// set in so that problems stay apart.
	return p.Place.String() + ": " + strings.ReplaceAll(p.Err.Error(), "\n", "\n    ")
}

// Unwrap returns the error without its place.
func (p Problem) Unwrap() error { return p.Err }

// Problems is every error found in a plan, in the order of their places in the
// file.
type Problems []Problem

// Error returns one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single problems.
func (ps Problems) Unwrap() []error {
	errs := make([]error, len(ps))
	for i, p := range ps {
		errs[i] = p
	}
	return errs
}

func (ps *Problems) add(place Place, format string, args ...any) {
	ps.addErr(place, fmt.Errorf(format, args...))
}

// addErr adds a problem, unless it is there already: what several stages inherit
// is wrong only once.
func (ps *Problems) addErr(place Place, err error) {
	p := Problem{place, err}
	if !slices.ContainsFunc(*ps, func(q Problem) bool { return q.Place == place && q.Error() == p.Error() }) {
		*ps = append(*ps, p)
	}
}

// err returns the problems as an error, in the order of their places; nil when
// there are none.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
	})
	return ps
}
