package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/aeroload/aeroload/page"
	results "github.com/aeroload/aeroload/result"
)

// reportOptions are the flags of `report`.
func reportOptions() []*option {
	return []*option{
		{name: "output", short: "o", arg: "FILE", def: "report.html", category: catOutput, usage: "where to write the page",
			set: setName(func(s *settings) *string { return &s.pageFile })},
	}
}

// reportResults writes a page about results.
func reportResults(s *settings, args []string, stdout, _ io.Writer) error {
	if len(args) == 0 || len(args) > page.MaxRuns {
		return usagef("report needs the names of 1 to %d result files, not %d", page.MaxRuns, len(args))
	}
	if err := results.CheckWritable(s.pageFile); err != nil {
		return &usageError{err}
	}
	runs, err := readRuns(args)
	if err != nil {
		return &usageError{err}
	}
	err = results.ReplaceFile(s.pageFile, func(w io.Writer) error { return page.Write(w, runs) })
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "The report is in %s\n", s.pageFile)
	return nil
}

// readRuns reads result files. Runs are called by the shortest part of their
// paths that tells them apart: file names, or else the paths.
func readRuns(paths []string) ([]page.Run, error) {
	var runs []page.Run
	var names []string
	var errs []error
	for _, path := range paths {
		d, err := results.ReadFile(path)
		if err == nil && len(d.Stages) == 0 {
			err = fmt.Errorf("%s: the run has no stage to report on", path)
		}
		errs = append(errs, err)
		runs = append(runs, page.Run{Name: path, Document: d})
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	if len(slices.Compact(names)) == len(paths) {
		for i := range runs {
			runs[i].Name = filepath.Base(paths[i])
		}
	}
	return runs, errors.Join(errs...)
}
