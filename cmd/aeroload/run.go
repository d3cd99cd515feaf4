package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/embedded"
	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// runStages is the main command: it runs the stages of a file, or the one that
// the flags describe. Everything that can be wrong with the command line or the
// files is found before a connection is tried.
func runStages(s *settings, args []string, stdout, stderr io.Writer) error {
	if err := unexpected(args); err != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	plan, err := s.plan()
	if err != nil {
		return err
	}
	if !s.given["hdr-hist"] {
		s.hdrDir = plan.HDRDir
	}
	s.cluster.Workers = plan.MaxThreads()
	if s.debug {
		s.cluster.Debug = stderr
	}
	if s.promptPassword {
		if s.cluster.Password, err = askPassword(stderr); err != nil {
			return err
		}
	}
	if s.embedded {
		server, err := embedded.Start(embedded.Config{})
		if err != nil {
			return fmt.Errorf("embedded server: %w", err)
		}
		defer server.Close()
		s.port = server.Port()
		s.cluster.Hosts = []cluster.Host{{Name: "127.0.0.1", Port: s.port}}
	}
	if err := s.cluster.Validate(); err != nil {
		return &usageError{err}
	}
	observer, closeOutput, err := s.outputs(plan, stdout, stderr)
	if err != nil {
		return err
	}
	result, err := s.runPlan(plan, observer, stdout)
	if result != nil && len(result.Stages) > 0 {
		err = errors.Join(err, report.WriteSummary(stderr, result, s.embedded))
		if s.hdrDir != "" {
			fmt.Fprintf(stderr, "HDR histograms are in %s\n", s.hdrDir)
		}
	}
	return errors.Join(err, closeOutput())
}

// outputs opens the files of a run.
func (s *settings) outputs(plan *stage.Plan, stdout, stderr io.Writer) (stage.Observer, func() error, error) {
	var percentiles []float64
	if s.latency {
		percentiles = s.percentiles
	}
	observers := report.Multi{report.NewLines(stdout, stderr, plan, percentiles)}
	if s.hdrDir != "" {
		h, err := report.NewHDRFiles(s.hdrDir, plan)
		if err != nil {
			return nil, nil, &usageError{err}
		}
		observers = append(observers, h)
	}
	finish := func() error { return nil }
	if s.outputFile != "" {
		out := stdout
		if s.outputFile != "stdout" {
			f, err := os.OpenFile(s.outputFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
			if err != nil {
				return nil, nil, usagef("output file: %w", err)
			}
			out, finish = f, f.Close
		}
		b, err := report.NewBuckets(out, plan, s.outputPeriod)
		if err != nil {
			return nil, nil, errors.Join(err, finish())
		}
		observers = append(observers, b)
	}
	return observers, finish, nil
}

// runPlan connects and runs the plan. The result is nil if it did not come to
// that.
func (s *settings) runPlan(plan *stage.Plan, observer stage.Observer, stdout io.Writer) (*stage.Result, error) {
	ctx, cancel := withSignals(context.Background())
	defer cancel()
	err := report.WriteHeader(stdout, report.Settings{
		Cluster:    s.cluster,
		Plan:       plan,
		Defaults:   s.defaults,
		Port:       s.port,
		Embedded:   s.embedded,
		Debug:      s.debug,
		Latency:    s.latency,
		OutputFile: s.outputFile,
		HDRDir:     s.hdrDir,
	})
	if err != nil {
		return nil, err
	}
	c, err := cluster.Connect(ctx, s.cluster)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer c.Close()
	if err := c.CheckNamespace(ctx, plan.Namespace); err != nil {
		return nil, cause(ctx, err)
	}
	if err := c.WarmUp(ctx, plan.MaxThreads()); err != nil {
		return nil, cause(ctx, err)
	}
	sequencer, err := stage.Prepare(plan, c.Client(), c.ReadPolicy(), c.WritePolicy(), workload.FineTimer)
	if err != nil {
		return nil, &usageError{err}
	}
	result := sequencer.Run(ctx, observer)
	if result.Stopped != nil {
		return result, result.Stopped
	}
	if total := result.Total.Total(); total.Attempted() > 0 && total.Answered() == 0 {
		return result, fmt.Errorf("all %d transactions failed", total.Attempted())
	}
	return result, nil
}

// cause returns the signal that ended ctx instead of the error that this led to.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// askPassword reads a password from the terminal without showing it.
func askPassword(stderr io.Writer) (string, error) {
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return "", usagef("--password: there is no terminal to ask for it; write it behind the flag (--password=…)")
	}
	fmt.Fprint(stderr, "Password: ")
	password, err := term.ReadPassword(fd)
	fmt.Fprintln(stderr)
	if err != nil {
		return "", fmt.Errorf("password: %w", err)
	}
	return string(password), nil
}

// serveOptions are the flags of `serve`.
func serveOptions() []*option {
	return append([]*option{
		{name: "listen", arg: "HOST:PORT", def: "127.0.0.1:3000", category: "Server", usage: "where to listen; port 0 takes a free one",
			set: setString(func(s *settings) *string { return &s.listen })},
	}, slices.Concat(nodeOptions(), limitOptions(), securityOptions(), faultOptions())...)
}

// serve runs the embedded server until a signal ends it.
func serve(s *settings, args []string, stdout, _ io.Writer) error {
	if err := unexpected(args); err != nil {
		return err
	}
	ctx, cancel := withSignals(context.Background())
	defer cancel()
	server, addresses, err := s.startServer()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s Aerospike-compatible server listening on %s, namespaces test and bar; stop with Ctrl-C\n",
		time.Now().Format(time.DateTime), addresses)
	<-ctx.Done()
	return server.Close()
}

// validate prints the plans of stage files, or everything that is wrong with
// them.
func validate(s *settings, args []string, stdout, _ io.Writer) error {
	if len(args) == 0 {
		return usagef("validate needs the name of a stage file")
	}
	var errs []error
	for i, file := range args {
		plan, err := stage.Load(file, s.defaults)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if i > 0 {
			fmt.Fprintln(stdout, "---")
		}
		fmt.Fprintf(stdout, "# %s\n", file)
		if err := plan.WriteYAML(stdout); err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		return &usageError{errors.Join(errs...)}
	}
	return nil
}
