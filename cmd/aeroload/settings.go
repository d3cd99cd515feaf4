package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/stage"
)

// settings is what the command line says.
type settings struct {
	given map[string]bool // long names of the flags on the command line
	errs  []error         // what is wrong with them

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
	latency      bool
	percentiles  []float64
	outputFile   string
	outputPeriod time.Duration
	hdrDir       string

	listen string // of serve
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
			// Drawn, so that two runs differ; the header prints it, so that
			// any run can be repeated. 32 bits are short enough to be copied.
			Seed: uint64(rand.Uint32()),
		},
		percentiles:  []float64{50, 90, 99, 99.9, 99.99},
		outputPeriod: time.Second,
		listen:       "127.0.0.1:3000",
	}
	s.defaults.ObjectOptions.BinName = "testbin"
	s.defaults.ObjectOptions.CompressionRatio = 1
	return s
}

// finish works out what depends on several flags.
func (s *settings) finish() error {
	hosts, err := cluster.ParseHosts(s.hosts, s.port)
	if err != nil {
		return usagef("--hosts: %w", err)
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
	for _, name := range []string{"hosts", "port", "user", "password", "tls-enable"} {
		if s.embedded && s.given[name] {
			return usagef("--embedded starts a server of its own and does not go with --%s", name)
		}
	}
	return nil
}

// plan makes the plan from the stage file or the flags.
func (s *settings) plan() (*stage.Plan, error) {
	if s.stagesFile == "" {
		return asUsage(stage.FromFlags(s.stageFlags, s.defaults))
	}
	if len(s.stageFlags) > 0 {
		var names []string
		for _, f := range s.stageFlags {
			names = append(names, f.Flag)
		}
		return nil, usagef("%s and --workload-stages do not go together: put the value into the stages of %s",
			strings.Join(names, ", "), s.stagesFile)
	}
	return asUsage(stage.Load(s.stagesFile, s.defaults))
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
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
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
		*target(s) = v
		return err
	}
}

// setStage hands the text to the stage key of the same meaning, which checks it
// as in a stage file.
func setStage(flag, key string, isSwitch bool) func(*settings, string) error {
	return func(s *settings, text string) error {
		if isSwitch {
			text = "true"
		}
		s.stageFlags = append(s.stageFlags, stage.FlagValue{Flag: "--" + flag, Key: key, Text: text})
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
		p, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || !(p >= 0 && p < 100) {
			return fmt.Errorf("%q in %q is not a percentile: expected numbers from 0 to below 100", field, text)
		}
		if len(list) > 0 && p <= list[len(list)-1] {
			return fmt.Errorf("%q: percentiles must ascend", text)
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
