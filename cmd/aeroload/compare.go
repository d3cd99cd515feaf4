package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/compare"
	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/internal/suggest"
	results "github.com/aeroload/aeroload/result"
)

// compareSettings are the flags of `compare`.
type compareSettings struct {
	conditions []condition.Condition
	format     string
	options    compare.Options
}

const catCompare = "Comparison"

func compareOptions() []*option {
	return []*option{
		{name: "fail-if", arg: "CONDITION", category: catCompare,
			usage: "exit with code 3 if it is met, such as 'p99 > +10%', 'tps < -5%', 'stage2.read.p99.9 > +1ms' or 'errors > 0'; may be repeated",
			set: func(s *settings, text string) error {
				c, err := condition.Parse(text, condition.Comparison)
				s.compare.conditions = append(s.compare.conditions, c)
				return err
			}},
		{name: "format", choices: []string{"text", "markdown", "json"}, arg: "FORMAT", def: "text", category: catCompare, usage: "text, markdown or json",
			set: func(s *settings, text string) error {
				if !slices.Contains(compare.Formats(), text) {
					return fmt.Errorf("%q is not one of %s%s", text, strings.Join(compare.Formats(), ", "), suggest.DidYouMean(text, compare.Formats()))
				}
				s.compare.format = text
				return nil
			}},
		{name: "alpha", arg: "PERCENT", def: "5%", category: catCompare, usage: "chance that a comparison of equals calls anything different",
			set: setPercent(func(s *settings) *float64 { return &s.compare.options.Alpha }, 0.0001, 50)},
		{name: "margin", arg: "PERCENT", def: "5%", category: catCompare, usage: "change that counts as noise when there is one run a side",
			set: setPercent(func(s *settings) *float64 { return &s.compare.options.Margin }, 0, 1000)},
	}
}

// setPercent reads a percentage within [low, high] as a share.
func setPercent(target func(*settings) *float64, low, high float64) func(*settings, string) error {
	return func(s *settings, text string) error {
		p, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if err != nil || !(p >= low && p <= high) {
			return fmt.Errorf("%q is not a percentage from %g%% to %g%%", text, low, high)
		}
		*target(s) = p / 100
		return nil
	}
}

// compareResults compares two sides, each of one or several runs.
func compareResults(s *settings, args []string, stdout, _ io.Writer) error {
	if len(args) != 2 {
		return usagef("compare needs two sides, BASE and NEW, not %d: each a result file, a folder of them, or files with commas between", len(args))
	}
	base, errBase := readSide(args[0])
	new, errNew := readSide(args[1])
	if err := errors.Join(errBase, errNew); err != nil {
		return &usageError{err}
	}
	table, err := compare.Compare(base, new, s.compare.options)
	if err != nil {
		return &usageError{err}
	}
	if err := table.Check(s.compare.conditions); err != nil {
		return &usageError{err}
	}
	if err := table.Write(stdout, s.compare.format); err != nil {
		return err
	}
	if len(table.Fired) == 0 {
		return nil
	}
	fired := &firedError{}
	for _, f := range table.Fired {
		fired.lines = append(fired.lines, f.Text)
	}
	return fired
}

// readSide reads the results of one side of a comparison.
func readSide(text string) ([]*results.Document, error) {
	files, err := resultFiles(text)
	if err != nil {
		return nil, err
	}
	var docs []*results.Document
	for _, file := range files {
		d, err := results.ReadFile(file)
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// resultFiles returns the files that an argument names: a file, a folder of them,
// or several of these with commas between.
func resultFiles(text string) ([]string, error) {
	var list []string
	for path := range strings.SplitSeq(text, ",") {
		if err := noStreams([]string{path}); err != nil {
			return nil, err
		}
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			var err error
			if files, err = filepath.Glob(filepath.Join(escapeGlob(path), "*.json")); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("the folder %s holds no result files (*.json)", path)
			}
		}
		list = append(list, files...)
	}
	return list, nil
}

// escapeGlob makes a path mean itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(path)
}
