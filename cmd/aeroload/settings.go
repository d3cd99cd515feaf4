package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/compare"
	"github.com/aeroload/aeroload/convert"
	"github.com/aeroload/aeroload/progress"
	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/stage"
)

// defaultWorkload is what a run without a stage file and --workload does, as in
// asbench.
const defaultWorkload = "RU,50"

// settings is what the command line says.
type settings struct {
	given map[string]bool // long names of the flags on the command line
	errs  []error         // what is wrong with them
	// origins tells of settings that are not from the command line where they
	// come from; nil for none.
	origins              map[string]string
	profile, profileFile string // as they were given, or ""
	profilePath          string // the file that was read, or ""

	hosts          string
	port           int
	promptPassword bool
	embedded       bool
	cluster        cluster.Config
	// socketTimeout and totalTimeout are the flags for reads and writes at
	// once, which give way to those for one of them, in whatever order.
	socketTimeout, totalTimeout *time.Duration
	readTotal, writeTotal       *time.Duration
	readSocket, writeSocket     *time.Duration

	defaults   stage.Defaults
	stagesFile string
	stageFlags []stage.FlagValue

	debug        bool
	debugLog     *report.Async // where failed transactions are written; nil without debug
	latency      bool
	percentiles  []float64
	outputFile   string
	outputPeriod time.Duration
	hdrDir       string
	resultFile   string
	hdrLog       string
	pageFile     string // of report
	progress     progress.Mode
	metrics      string // where to serve them; "" for nowhere
	// metricsLinger is how long they wait for the last fetch.
	metricsLinger time.Duration

	compare compareSettings
	convert convertSettings

	columns       report.Columns // layout of the Java benchmark's lines, if any
	summaryFormat report.SummaryFormat

	genBench   uint64 // records whose generation is timed instead of a run; 0 for none
	genRecords uint64 // of gen
	genJSON    bool

	listen string // of serve
	serve  serveSettings
}

func newSettings() *settings {
	s := &settings{
		given:   map[string]bool{},
		hosts:   "127.0.0.1",
		port:    3000,
		cluster: cluster.DefaultConfig(),
		defaults: stage.Defaults{
			Namespace:  "test",
			Set:        "testset",
			ObjectSpec: "I4",
			StartKey:   1,
			Keys:       1_000_000,
			Threads:    16,
			AsyncMax:   50,
			// Drawn, so that two runs differ; the header prints it, so that
			// any run can be repeated. 32 bits are short enough to be copied.
			Seed: uint64(rand.Uint32()),
		},
		percentiles:  []float64{50, 90, 99, 99.9, 99.99},
		outputPeriod: time.Second,
		progress:     progress.Auto,
		genRecords:   1,
		pageFile:     "report.html",
		listen:       "127.0.0.1:3000",
		serve:        serveSettings{nodes: 1, replicas: 2},
		convert:      convertSettings{from: convert.Auto},
		compare:      compareSettings{format: "text", options: compare.DefaultOptions()},
	}
	s.summaryFormat = report.SummaryText
	s.defaults.ObjectOptions.BinName = "testbin"
	s.defaults.ObjectOptions.CompressionRatio = 1
	return s
}

// wrong returns all that is wrong with the flags, if any was refused; nil if
// none was.
func (s *settings) wrong() error {
	if len(s.errs) == 0 {
		return nil
	}
	errs := append(slices.Clone(s.errs), s.blame(s.finish()))
	if len(s.stageFlags) > 0 {
		_, err := s.plan()
		errs = append(errs, err)
	}
	return &usageError{errors.Join(errs...)}
}

// finish works out what depends on several flags.
func (s *settings) finish() error {
	hosts, err := cluster.ParseHosts(s.hosts, s.port)
	if err != nil {
		return &usageError{err}
	}
	s.cluster.Hosts = hosts
	for _, t := range []struct {
		to            *time.Duration
		general, only *time.Duration
	}{
		{&s.cluster.ReadTimeout, s.totalTimeout, s.readTotal},
		{&s.cluster.WriteTimeout, s.totalTimeout, s.writeTotal},
		{&s.cluster.ReadSocketTimeout, s.socketTimeout, s.readSocket},
		{&s.cluster.WriteSocketTimeout, s.socketTimeout, s.writeSocket},
	} {
		if t.general != nil {
			*t.to = *t.general
		}
		if t.only != nil {
			*t.to = *t.only
		}
	}
	// Names that the server would refuse in every transaction.
	if err := stage.CheckNamespace(s.defaults.Namespace); err != nil {
		return usagef("--namespace: %w", err)
	}
	if n := len(s.defaults.Set); n > 63 {
		return usagef("--set: %q has %d bytes; the longest name has 63", s.defaults.Set, n)
	}
	var others []string
	for _, name := range []string{"hosts", "port", "user", "password", "tls-enable"} {
		if s.given[name] {
			others = append(others, "--"+name)
		}
	}
	if s.embedded && len(others) > 0 {
		return usagef("%s and --embedded do not go together: --embedded starts a server of its own", strings.Join(others, ", "))
	}
	return nil
}

// plan makes the plan from the stage file or the flags.
func (s *settings) plan() (*stage.Plan, error) {
	s.defaults.SeedDrawn = !s.given["seed"]
	if s.stagesFile != "" {
		if len(s.stageFlags) > 0 {
			return nil, usagef("%s and --workload-stages do not go together: the stages are described in %s alone",
				strings.Join(flagNames(s.stageFlags), ", "), s.stagesFile)
		}
		return asUsage(s.load(s.stagesFile))
	}
	flags := s.stageFlags
	if !s.given["workload"] && !s.given["operations"] {
		flags = append(flags, stage.FlagValue{Flag: "--workload", Key: "workload", Text: defaultWorkload})
	}
	s.defaults.KeysGiven = s.given["keys"]
	plan, err := stage.FromFlags(flags, s.defaults)
	return asUsage(plan, withoutKeys(err, slices.Concat(flags, s.defaults.KeyFlags)))
}

// load makes the plan of a stage file.
func (s *settings) load(file string) (*stage.Plan, error) {
	s.defaults.KeysGiven = s.given["keys"]
	plan, err := stage.Load(file, s.defaults)
	return plan, withoutKeys(err, s.defaults.KeyFlags)
}

// flagNames returns the names of the flags, each once.
func flagNames(flags []stage.FlagValue) []string {
	var names []string
	for _, f := range flags {
		if !slices.Contains(names, f.Flag) {
			names = append(names, f.Flag)
		}
	}
	return names
}

// withoutKeys takes the stage keys out of the problems of flags: --throughput
// says all that tps says, and is what the user typed.
func withoutKeys(err error, flags []stage.FlagValue) error {
	var problems stage.Problems
	if !errors.As(err, &problems) {
		return err
	}
	problems = slices.Clone(problems)
	for i, p := range problems {
		for _, f := range flags {
			if text, ok := strings.CutPrefix(p.Err.Error(), f.Key+": "); ok && f.Flag == p.Place.Source {
				problems[i].Err = errors.New(strings.TrimPrefix(text, f.Sub+": "))
				break
			}
		}
	}
	return problems
}

func asUsage(plan *stage.Plan, err error) (*stage.Plan, error) {
	if err != nil {
		return nil, &usageError{err}
	}
	return plan, nil
}

// The functions below make the set functions of options.

func setString(target func(*settings) *string) func(*settings, string) error {
	return func(s *settings, text string) error {
		*target(s) = text
		return nil
	}
}

// setName is setString for what cannot be empty: an unset variable of a script
// must not turn --output-file "$F" into a run without that file.
func setName(target func(*settings) *string) func(*settings, string) error {
	return func(s *settings, text string) error {
		if text == "" {
			return errors.New("the value is empty")
		}
		*target(s) = text
		return nil
	}
}

// setFile is setName for a file or folder where a dash is no stream, as it is for many
// programs, and would quietly be a file of that name. The hint is what to write for
// standard output, or empty if there is nothing.
func setFile(hint string, target func(*settings) *string) func(*settings, string) error {
	return func(s *settings, text string) error {
		switch {
		case text == "-" && hint != "":
			return fmt.Errorf(`"-" is not standard output here, but %q is; ./- is the file of that name`, hint)
		case text == "-":
			return errors.New(`"-" is no stream here; ./- is the file of that name`)
		}
		return setName(target)(s, text)
	}
}

// noStreams refuses a dash among the names of files to read, as setFile does.
func noStreams(files []string) error {
	if slices.Contains(files, "-") {
		return usagef(`"-" is no stream here; ./- is the file of that name`)
	}
	return nil
}

func setBool(target func(*settings) *bool) func(*settings, string) error {
	return func(s *settings, _ string) error {
		*target(s) = true
		return nil
	}
}

func setInt(target func(*settings) *int, low, high int) func(*settings, string) error {
	return func(s *settings, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return fmt.Errorf("%q is not a whole number from %d to %d", text, low, high)
		}
		*target(s) = n
		return nil
	}
}

// setTime reads a whole number of units, or a duration with a unit of its own.
func setTime(target func(*settings) *time.Duration, unit time.Duration) func(*settings, string) error {
	return func(s *settings, text string) error {
		d, err := parseTime(text, unit)
		*target(s) = d
		return err
	}
}

// setTimePointer is setTime for flags that override each other.
func setTimePointer(target func(*settings) **time.Duration) func(*settings, string) error {
	return func(s *settings, text string) error {
		d, err := parseTime(text, time.Millisecond)
		*target(s) = &d
		return err
	}
}

func parseTime(text string, unit time.Duration) (time.Duration, error) {
	names := map[time.Duration]string{time.Millisecond: "milliseconds", time.Second: "seconds"}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		// 2^31-1 milliseconds are 24 days: what the wire protocol can say.
		if n < 0 || n > math.MaxInt32 {
			return 0, fmt.Errorf("%s is out of range: expected 0 to %d %s", text, math.MaxInt32, names[unit])
		}
		return time.Duration(n) * unit, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d/unit > math.MaxInt32 {
		return 0, fmt.Errorf("%q is not a number of %s, nor a duration such as 500ms or 2s", text, names[unit])
	}
	return d, nil
}

func setChoice[T any](parse func(string) (T, error), target func(*settings) *T) func(*settings, string) error {
	return func(s *settings, text string) error {
		v, err := parse(text)
		if err != nil {
			return err
		}
		*target(s) = v
		return nil
	}
}

// setStage hands the text to the stage key of the same meaning, which checks it
// as in a stage file.
func setStage(flag, key, sub string, isSwitch bool) func(*settings, string) error {
	return func(s *settings, text string) error {
		if isSwitch {
			text = "true"
		}
		s.stageFlags = append(s.stageFlags, stage.FlagValue{Flag: "--" + flag, Key: key, Sub: sub, Text: text})
		return nil
	}
}

// setKeyFlag hands the text to the stage key of the same meaning. Unlike those of
// setStage, these flags are also the defaults of a stage file.
func setKeyFlag(flag, key, sub string) func(*settings, string) error {
	return func(s *settings, text string) error {
		s.defaults.KeyFlags = append(s.defaults.KeyFlags, stage.FlagValue{Flag: "--" + flag, Key: key, Sub: sub, Text: text})
		return nil
	}
}

// notUsed accepts a setting that means nothing to the Go client: the command
// line of a script written for asbench still works. The value is checked.
func notUsed(low, high int) func(*settings, string) error {
	return setInt(func(*settings) *int { return new(int) }, low, high)
}

func setPercentiles(s *settings, text string) error {
	var list []float64
	for field := range strings.SplitSeq(text, ",") {
		field = strings.TrimSpace(field)
		p, err := strconv.ParseFloat(field, 64)
		switch {
		case err != nil || !(p >= 0 && p < 100):
			where := ""
			if field != text {
				where = fmt.Sprintf(" in %q", text)
			}
			return fmt.Errorf("%q%s is not a percentile: expected numbers from 0 to below 100, such as 50,99,99.9", field, where)
		case len(list) > 0 && p <= list[len(list)-1]:
			return fmt.Errorf("%s in %q does not ascend: each percentile must be above the one before it", field, text)
		}
		list = append(list, p)
	}
	s.percentiles = list
	return nil
}

func setRatio(s *settings, text string) error {
	r, err := strconv.ParseFloat(text, 64)
	if err != nil || !(r >= 0.001 && r <= 1) {
		return fmt.Errorf("%q is not a ratio from 0.001 to 1", text)
	}
	s.defaults.ObjectOptions.CompressionRatio = r
	return nil
}
