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
	"github.com/aeroload/aeroload/internal/linelimit"
	"github.com/aeroload/aeroload/internal/prompt"
	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/internal/steady"
	"github.com/aeroload/aeroload/report"
	results "github.com/aeroload/aeroload/result"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// clientConfig is the variable by which the client takes its policies from a file.
const clientConfig = "AEROSPIKE_CLIENT_CONFIG_URL"

// debugLines is how many lines of the client's log are shown a second: all of those
// of a cluster that is well, and enough of one that is not.
const debugLines = 100

// runStages is the main command: it runs the stages of a file, or the one that
// the flags describe. Everything that can be wrong with the command line or the
// files is found before a connection is tried.
func runStages(s *settings, args []string, stdout, stderr io.Writer) error {
	if err := unexpected(args); err != nil {
		return err
	}
	if err := s.blame(s.finish()); err != nil {
		return err
	}
	plan, err := s.plan()
	if err != nil {
		return err
	}
	if s.genBench > 0 {
		first := plan.Stages[0]
		return timeGeneration(stdout, first.Object, first.Seed, first.Keys.Start, s.genBench)
	}
	if !s.given["hdr-hist"] {
		s.hdrDir = plan.HDRDir
	}
	if !s.given["metrics-listen"] {
		s.metrics = plan.MetricsListen
	}
	if s.given["metrics-linger"] && s.metrics == "" {
		return usagef("--metrics-linger says how long to serve metrics after the run, which needs --metrics-listen")
	}
	// A run, unlike the other commands, waits for no reader of what it prints.
	out := report.NewAsync(stdout)
	defer out.Close()
	if err := s.runOn(plan, out, stderr); err != nil {
		_ = out.Flush(outputPatience)
		return err
	}
	return out.Flush(outputPatience)
}

// outputPatience is how long the end of a run waits for a reader of its output.
const outputPatience = 500 * time.Millisecond

// runOn connects and runs the plan.
func (s *settings) runOn(plan *stage.Plan, stdout *report.Async, stderr io.Writer) error {
	var err error
	s.cluster.Workers = plan.MaxWorkers()
	if s.debug {
		// A log that nobody reads must not hold up transactions.
		log := report.NewAsync(stderr)
		defer func() { _ = errors.Join(log.Flush(outputPatience), log.Close()) }()
		s.debugLog, s.cluster.Debug = log, linelimit.New(log, debugLines)
	}
	if s.cluster.TLS.SessionLog != nil {
		s.cluster.TLS.SessionLog = stderr // which knows of the progress on it
	}
	if os.Getenv(clientConfig) != "" {
		fmt.Fprintf(stderr, "warning: %s is set: the client's settings come from there, whatever the flags say\n", clientConfig)
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
	if err := s.blame(s.cluster.Validate()); err != nil {
		return &usageError{err}
	}
	recorder, err := s.newRecorder(plan)
	if err != nil {
		return err
	}
	observer, hdrFiles, closeOutput, err := s.outputs(plan, recorder, stdout, stderr)
	if err != nil {
		return err
	}
	nodeSummary := report.NewNodeSummary(plan)
	if s.summaryFormat == report.SummaryNode {
		observer = report.Multi{observer, nodeSummary}
	}
	live, err := s.goLive(plan, stderr)
	if err != nil {
		return errors.Join(err, closeOutput())
	}
	defer live.close(stderr)
	// Signals are taken until all is written, so that none cuts that short but a
	// second one.
	ctx, cancel := withSignals(context.Background(), live.abandon)
	defer cancel()
	run, err := s.runPlan(ctx, plan, append(live.observers(), observer), recorder, live, stdout)
	live.hide()
	closed := errors.Join(s.writeResult(recorder, hdrFiles, run), closeOutput())
	ran := run != nil && len(run.Stages) > 0
	if ran && s.summaryFormat == report.SummaryNode {
		err = errors.Join(err, nodeSummary.Write(stdout, run))
	}
	// The summary comes after the lines, if anybody reads them.
	_ = stdout.Flush(outputPatience)
	if s.debugLog != nil {
		_ = s.debugLog.Flush(outputPatience)
	}
	if ran {
		switch {
		case s.summaryFormat == report.SummaryText:
			err = errors.Join(err, report.WriteSummary(stderr, run, s.embedded))
		case s.embedded:
			fmt.Fprintln(stderr, report.EmbeddedNote)
		}
		if s.hdrDir != "" && closed == nil {
			fmt.Fprintf(stderr, "HDR histograms are in %s\n", shown.Name(s.hdrDir))
		}
		if s.resultFile != "" && closed == nil {
			fmt.Fprintf(stderr, "The result is in %s\n", shown.Name(s.resultFile))
		}
	}
	if err = errors.Join(err, closed); run != nil && run.Stopped == nil {
		live.linger(ctx, s.metricsLinger, stderr)
	}
	return err
}

// outputs opens the files of a run. The function that it returns closes them; the
// HDR files are nil for none.
func (s *settings) outputs(plan *stage.Plan, recorder *results.Recorder, stdout, stderr io.Writer) (stage.Observer, *report.HDRFiles, func() error, error) {
	if err := s.distinctOutputs(plan); err != nil {
		return nil, nil, nil, &usageError{err}
	}
	observers := report.Multi{report.NewLines(stdout, stderr, plan, s.shownPercentiles())}
	var closers []io.Closer
	if s.columns != (report.Columns{}) {
		c := report.NewColumnLines(stdout, plan, s.columns)
		observers, closers = append(observers, c), append(closers, c)
	}
	if s.resultFile != "" || s.hdrDir != "" {
		observers = append(observers, recorder)
	}
	if s.resultFile != "" {
		if err := results.CheckWritable(s.resultFile); err != nil {
			return nil, nil, nil, &usageError{err}
		}
	}
	var hdrFiles *report.HDRFiles
	if s.hdrDir != "" {
		h, err := report.NewHDRFiles(s.hdrDir, plan)
		if err != nil {
			return nil, nil, nil, &usageError{err}
		}
		hdrFiles = h
		observers, closers = append(observers, h), append(closers, h)
	}
	if s.hdrLog != "" {
		l, err := report.NewHDRLog(s.hdrLog, plan)
		if err != nil {
			return nil, nil, nil, &usageError{err}
		}
		observers, closers = append(observers, l), append(closers, l)
	}
	if s.outputFile != "" {
		out := io.WriteCloser(unclosed{stdout})
		if s.outputFile != "stdout" {
			f, err := os.OpenFile(s.outputFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
			if err != nil {
				return nil, nil, nil, usagef("output file: %w", err)
			}
			out = f
		}
		b := report.NewBuckets(out, plan, s.outputPeriod)
		observers, closers = append(observers, b), append(closers, b)
	}
	return observers, hdrFiles, func() error {
		var errs []error
		for _, c := range closers {
			errs = append(errs, c.Close())
		}
		return errors.Join(errs...)
	}, nil
}

// unclosed is a writer that stays open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// shownPercentiles are those of the latency lines, none without such lines.
func (s *settings) shownPercentiles() []float64 {
	if !s.latency {
		return nil
	}
	return s.percentiles
}

// runPlan connects and runs the plan. The result is nil if it did not come to
// that.
func (s *settings) runPlan(ctx context.Context, plan *stage.Plan, observer stage.Observer, recorder *results.Recorder, live *live, stdout io.Writer) (*stage.Result, error) {
	defer context.AfterFunc(ctx, func() { live.stopping(context.Cause(ctx)) })()
	err := report.WriteHeader(stdout, report.Settings{
		Cluster:      s.cluster,
		Plan:         plan,
		Defaults:     s.defaults,
		Port:         s.port,
		Embedded:     s.embedded,
		Debug:        s.debug,
		Percentiles:  s.shownPercentiles(),
		OutputFile:   s.outputFile,
		OutputPeriod: s.outputPeriod,
		HDRDir:       s.hdrDir,
	})
	if err != nil {
		return nil, err
	}
	c, err := cluster.Connect(ctx, s.cluster)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer c.Close()
	defer live.disconnecting()
	for _, namespace := range plan.Namespaces() {
		if err := c.CheckNamespace(ctx, namespace); err != nil {
			return nil, cause(ctx, err)
		}
	}
	nodes := c.Nodes()
	recorder.Connected(nodes, c.Health)
	live.connected(c, nodes)
	if err := report.WriteNodes(stdout, steady.Now(), nodes); err != nil {
		return nil, err
	}
	if err := provideUDFs(ctx, c, plan); err != nil {
		return nil, cause(ctx, err)
	}
	for _, index := range plan.Indexes() {
		if err := c.ProvideIndex(ctx, index); err != nil {
			return nil, cause(ctx, err)
		}
	}
	if err := c.WarmUp(ctx, plan.MaxWorkers()); err != nil {
		return nil, cause(ctx, err)
	}
	sequencer, err := stage.Prepare(plan, c.Client(), c.ReadPolicy(), c.WritePolicy(), workload.FineTimer)
	if err != nil {
		return nil, &usageError{err}
	}
	if s.debugLog != nil {
		sequencer.LogErrors(s.debugLog)
	}
	run := sequencer.Run(ctx, observer)
	if run.Stopped != nil {
		return run, run.Stopped
	}
	if err := failure(run); err != nil {
		return run, err
	}
	return run, errors.Join(run.Verified(), run.Found(), run.Assertions())
}

// failure returns an error if every transaction of a run failed, or all of one
// operation: a run that could write nothing did not do its work.
func failure(r *stage.Result) error {
	if total := r.Total.Total(); total.Attempted() > 0 && total.Done == 0 {
		return fmt.Errorf("all %d transactions failed", total.Attempted())
	}
	for op, c := range r.Total.Counts {
		if c.Attempted() > 0 && c.Done == 0 {
			return fmt.Errorf("all %d %s transactions failed", c.Attempted(), workload.Op(op))
		}
	}
	return nil
}

// provideUDFs registers the UDF modules whose files the plan gives, and checks
// that the cluster has the others.
func provideUDFs(ctx context.Context, c *cluster.Cluster, plan *stage.Plan) error {
	registered := map[string]bool{}
	for _, st := range plan.Stages {
		switch u := st.UDF; {
		case u == nil:
		case u.File != "" && !registered[u.Module]:
			registered[u.Module] = true
			if err := c.RegisterUDF(ctx, u.Module, u.Source); err != nil {
				return fmt.Errorf("stage %d: %w", st.Number, err)
			}
		case !registered[u.Module]:
			if err := c.CheckUDF(u.Module); err != nil {
				return fmt.Errorf("stage %d: %w", st.Number, err)
			}
		}
	}
	return nil
}

// cause returns the signal that ended ctx instead of the error that this led to.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// askPassword reads a password from the terminal without showing it.
func askPassword(stderr io.Writer) (cluster.Secret, error) {
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return "", usagef("--password: there is no terminal to ask for it; write it behind the flag (--password=…)")
	}
	state, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("password: %w", err)
	}
	// The terminal shows nothing that is typed until the password is read,
	// which must not outlive the program.
	ctx, cancel := withSignals(context.Background(), nil)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		var stopped *stoppedError
		if errors.As(context.Cause(ctx), &stopped) {
			_ = term.Restore(fd, state)
			fmt.Fprintln(stderr)
			os.Exit(stopped.code())
		}
	})()
	fmt.Fprint(stderr, "Password: ")
	password, err := prompt.Hidden(os.Stdin)
	fmt.Fprintln(stderr)
	if errors.Is(err, io.EOF) {
		return "", usagef("--password: the input ended before it was typed")
	}
	if err != nil {
		return "", fmt.Errorf("password: %w", err)
	}
	return cluster.Secret(password), nil
}

// serveOptions are the flags of `serve`.
func serveOptions() []*option {
	return append([]*option{
		{name: "listen", arg: "HOST:PORT", def: "127.0.0.1:3000", category: "Server", usage: "where to listen; port 0 takes a free one",
			set: setChoice(parseListen, func(s *settings) *string { return &s.listen })},
	}, slices.Concat(nodeOptions(), limitOptions(), securityOptions(), faultOptions())...)
}

// serve runs the embedded server until a signal ends it.
func serve(s *settings, args []string, stdout, _ io.Writer) error {
	if err := unexpected(args); err != nil {
		return err
	}
	ctx, cancel := withSignals(context.Background(), nil)
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
	if err := noStreams(args); err != nil {
		return err
	}
	var errs []error
	for i, file := range args {
		plan, err := s.load(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if i > 0 {
			fmt.Fprintln(stdout, "---")
		}
		fmt.Fprintf(stdout, "# %s\n", shown.Name(file))
		if err := plan.WriteYAML(stdout); err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		return &usageError{errors.Join(errs...)}
	}
	return nil
}
