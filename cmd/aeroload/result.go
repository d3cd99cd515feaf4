package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/report"
	results "github.com/aeroload/aeroload/result"
	"github.com/aeroload/aeroload/stage"
)

// firedError is the failed conditions of a comparison or a merged result; the exit
// code is 3.
type firedError struct{ lines []string }

func (e *firedError) Error() string { return strings.Join(e.lines, "\n") }

// versions are those of aeroload and of the client.
func versions() (own, client string) {
	own, client = "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		own = info.Main.Version
		for _, dep := range info.Deps {
			if dep.Path == clientModule {
				client = dep.Version
			}
		}
	}
	return own, client
}

// newRecorder returns the recorder of the run's result.
func (s *settings) newRecorder(plan *stage.Plan) (*results.Recorder, error) {
	own, client := versions()
	return results.NewRecorder(results.Run{
		Plan: plan, Defaults: s.defaults, Cluster: s.cluster, Embedded: s.embedded, Aeroload: own, Client: client,
	})
}

// writeResult writes the run's document to --result and to the folder of HDR
// histograms. A run that did not come to its first stage has none.
func (s *settings) writeResult(recorder *results.Recorder, hdrFiles *report.HDRFiles, run *stage.Result) error {
	var paths []string
	if s.resultFile != "" {
		paths = append(paths, s.resultFile)
	}
	if hdrFiles != nil && hdrFiles.Path("result", ".json") != "" {
		paths = append(paths, hdrFiles.Path("result", ".json"))
	}
	if run == nil || len(run.Stages) == 0 || len(paths) == 0 {
		return nil
	}
	doc, err := recorder.Document(run.Stopped)
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range paths {
		errs = append(errs, doc.WriteFile(path))
	}
	return errors.Join(errs...)
}

// mergeOptions are the flags of `merge`.
func mergeOptions() []*option {
	return []*option{
		{name: "output", short: "o", arg: "FILE", category: catOutput, usage: "write the merged result to a file",
			set: setFile("", func(s *settings) *string { return &s.resultFile })},
	}
}

// mergeResults adds the results of several machines.
func mergeResults(s *settings, args []string, stdout, _ io.Writer) error {
	if len(args) == 0 {
		return usagef("merge needs the names of result files")
	}
	if err := noStreams(args); err != nil {
		return err
	}
	if s.resultFile != "" {
		if err := results.CheckWritable(s.resultFile); err != nil {
			return &usageError{err}
		}
		if err := notAmong(s.resultFile, args); err != nil {
			return usagef("--output: %w", err)
		}
	}
	var docs []*results.Document
	var errs []error
	for _, path := range args {
		d, err := results.ReadFile(path)
		docs, errs = append(docs, d), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &usageError{err}
	}
	merged, err := results.Merge(docs, args)
	if err != nil {
		return &usageError{err}
	}
	if err := merged.WriteSummary(stdout); err != nil {
		return err
	}
	if s.resultFile != "" {
		if err := replaceFile(s.resultFile, merged.Write); err != nil {
			return fmt.Errorf("result file: %w", err)
		}
		fmt.Fprintf(stdout, "The merged result is in %s\n", shown.Name(s.resultFile))
	}
	if lines := merged.FailedAssertions(); len(lines) > 0 {
		return &firedError{lines}
	}
	return nil
}
