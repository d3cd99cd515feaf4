package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// option is one flag. The tables of options are the only place that knows the
// flags: the argument reader, the help and the settings all follow them.
type option struct {
	name     string   // long name, with dashes
	short    string   // one letter, or ""
	aliases  []string // further names; like all long names they are also known with a single dash
	arg      string   // placeholder of the value in the help; "" for a switch
	optional bool     // the value may be left out (it is then "")
	def      string   // default, for the help
	category string
	usage    string
	choices  []string                             // all values there are, for shells to complete; nil if they are not to be listed
	env      string                               // variable of the environment that says the same, or ""
	secret   func(text string) bool               // whether the value is not to be shown; nil for never
	set      func(s *settings, text string) error // text means nothing for a switch
	// valued tells of a value behind a switch that makes it another flag, whose
	// name is valuedName; nil for none.
	valued     func(text string) bool
	valuedName string
}

// takes tells whether the value makes the switch another flag.
func (o *option) takes(value string) bool { return o.valued != nil && o.valued(value) }

// wrap puts the flag in front of an error, unless it is there already: the
// errors of package cluster begin with it.
func (o *option) wrap(err error) error {
	if prefix := "--" + o.name + ": "; !strings.HasPrefix(err.Error(), prefix) {
		return fmt.Errorf("%s%w", prefix, err)
	}
	return err
}

// flag returns the option as the CLI library sets it.
func (o *option) flag(s *settings) cli.Flag {
	return &cli.GenericFlag{Name: o.name, Value: &optionValue{o, s}}
}

// optionValue gives the option's text to the settings.
type optionValue struct {
	option   *option
	settings *settings
}

// Set implements flag.Value. Errors are kept, so that all wrong flags are
// reported together.
func (v *optionValue) Set(text string) error {
	v.settings.given[v.option.name] = true
	if err := v.option.set(v.settings, text); err != nil {
		v.settings.errs = append(v.settings.errs, v.option.wrap(err))
	}
	return nil
}

// String implements flag.Value.
func (v *optionValue) String() string { return "" }

// IsBoolFlag tells the library that switches take no value.
func (v *optionValue) IsBoolFlag() bool { return v.option.arg == "" }

// usageError is a mistake in the command line or in a file named by it. Nothing
// was sent, and the exit code is 2.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
