package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/internal/wholefile"
	"github.com/aeroload/aeroload/page"
	results "github.com/aeroload/aeroload/result"
)

// reportOptions are the flags of `report`.
func reportOptions() []*option {
	return []*option{
		{name: "output", short: "o", arg: "FILE", def: "report.html", category: catOutput,
			usage: "where to write the page; - is standard output",
			set:   setName(func(s *settings) *string { return &s.pageFile })},
	}
}

// reportResults writes a page about results.
func reportResults(s *settings, args []string, stdout, _ io.Writer) error {
	if len(args) == 0 {
		return usagef("report needs results: files, folders of them, or files with commas between")
	}
	files, err := reportFiles(args)
	if err != nil {
		return &usageError{err}
	}
	if s.pageFile != "-" {
		if err := checkPageFile(s.pageFile, files); err != nil {
			return usagef("--output: %w", err)
		}
	}
	runs, err := readRuns(files)
	if err != nil {
		return &usageError{err}
	}
	if s.pageFile == "-" {
		return page.Write(stdout, runs)
	}
	if err := replaceFile(s.pageFile, func(w io.Writer) error { return page.Write(w, runs) }); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "The report is in %s\n", shown.Name(s.pageFile))
	return nil
}

// reportFiles returns the files that all arguments name.
func reportFiles(args []string) ([]string, error) {
	var files []string
	var errs []error
	for _, arg := range args {
		list, err := resultFiles(arg)
		files, errs = append(files, list...), append(errs, err)
	}
	if len(files) > page.MaxRuns {
		errs = append(errs, fmt.Errorf("these are %d results; a page shows %d at most", len(files), page.MaxRuns))
	}
	return files, errors.Join(errs...)
}

// checkPageFile refuses a page that cannot be written, or would replace a result.
func checkPageFile(path string, files []string) error {
	if err := wholefile.Check(path); err != nil {
		return err
	}
	return notAmong(path, files)
}

// notAmong refuses an output that would replace one of the results it is made of.
func notAmong(path string, files []string) error {
	there, err := os.Stat(path)
	if err != nil {
		return nil // a new file
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && os.SameFile(there, info) {
			return fmt.Errorf("%s is one of the results", path)
		}
	}
	return nil
}

// readRuns reads results. Runs are called by their files.
func readRuns(files []string) ([]page.Run, error) {
	var runs []page.Run
	var errs []error
	for _, file := range files {
		d, err := results.ReadFile(file)
		if err == nil && len(d.Stages) == 0 {
			err = fmt.Errorf("%s: the run has no stage to report on", file)
		}
		runs, errs = append(runs, page.Run{Name: file, Document: d}), append(errs, err)
	}
	shorten(runs)
	return runs, errors.Join(errs...)
}

// shorten calls runs by the names of their files without the folders, if these
// differ.
func shorten(runs []page.Run) {
	seen := map[string]bool{}
	for _, r := range runs {
		if seen[filepath.Base(r.Name)] {
			return
		}
		seen[filepath.Base(r.Name)] = true
	}
	for i, r := range runs {
		runs[i].Name = filepath.Base(r.Name)
	}
}
