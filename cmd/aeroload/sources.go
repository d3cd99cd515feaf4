package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/aeroload/aeroload/internal/profile"
	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/internal/suggest"
)

const (
	envPrefix    = "AEROLOAD_"
	profileName  = "profile"      // the flag that chooses a profile
	profileFile  = "profile-file" // the flag that names the file of profiles
	profilesHome = ".aeroload.yaml"
)

// withEnvironment gives the flags that say how to connect a variable of the
// environment each. Those but for the flags about profiles are also keys of
// profiles. Whether to connect at all is for the command line to say.
func withEnvironment(options []*option) []*option {
	for _, o := range options {
		if (o.category == catConnection || o.category == catTLS) && o.name != "embedded" {
			o.env = envPrefix + strings.ToUpper(strings.ReplaceAll(o.name, "-", "_"))
		}
	}
	return options
}

// profileOptions are the flags about profiles.
func profileOptions() []*option {
	return []*option{
		{name: profileName, arg: "NAME", category: catConnection, usage: "take what flags and the environment leave open from that profile of ~/.aeroload.yaml; see docs/connection.md",
			def: profile.Default, set: setName(func(s *settings) *string { return &s.profile })},
		{name: profileFile, arg: "FILE", category: catConnection, usage: "read profiles from another file",
			def: "~/" + profilesHome, set: setFile("", func(s *settings) *string { return &s.profileFile })},
	}
}

// fill takes what the command line leaves open from the environment, and what
// that leaves open from the profile. It tells log what it takes from where. What
// is wrong is added to the errors of the flags.
func (s *settings) fill(options []*option, log io.Writer) {
	s.fillFromEnvironment(options, log)
	settings, path, err := s.loadProfile(options, log)
	if err != nil {
		s.errs = append(s.errs, err)
		return
	}
	s.profilePath = path
	var taken []string
	// A password that goes with another user than the one who was asked for.
	others := s.said("user") && !ofUser(settings, s.cluster.User)
	for _, p := range settings {
		o := optionOf(options, p.Key)
		if s.said(o.name) || s.embedded && !withEmbedded(o.name) {
			continue
		}
		if o.name == "password" && others {
			continue
		}
		if s.apply(o, p.Text, p.Place+": "+p.Key) {
			taken = append(taken, p.Key)
		}
	}
	if len(taken) > 0 {
		fmt.Fprintf(log, "From the profile %s of %s: %s\n", shown.Name(s.profileOrDefault()), shown.Name(path), strings.Join(taken, ", "))
	}
}

func (s *settings) fillFromEnvironment(options []*option, log io.Writer) {
	var taken []string
	for _, o := range options {
		choosesProfile := o.name == profileName || o.name == profileFile
		if o.env == "" || s.given[o.name] || s.embedded && !withEmbedded(o.name) && !choosesProfile {
			continue
		}
		// A variable that is empty is one that a script has not set.
		if text := os.Getenv(o.env); text != "" && s.apply(o, text, o.env) {
			taken = append(taken, o.env)
		}
	}
	if len(taken) > 0 {
		fmt.Fprintf(log, "From the environment: %s\n", strings.Join(taken, ", "))
	}
	s.warnOfVariables(options, log)
}

// warnOfVariables warns of variables that look like a misspelt one. Others may be
// those of scripts around aeroload.
func (s *settings) warnOfVariables(options []*option, log io.Writer) {
	var known []string // without the prefix, which would make all of them alike
	for _, o := range options {
		if o.env != "" {
			known = append(known, strings.TrimPrefix(o.env, envPrefix))
		}
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		if !ours || rest == "TEST_HOSTS" || slices.Contains(known, rest) {
			continue
		}
		if near := suggest.Nearest(rest, known); near != "" {
			fmt.Fprintf(log, "warning: the environment has %s, which has no meaning; did you mean %s%s?\n", shown.Name(name), envPrefix, near)
		}
	}
}

// apply sets an option to a text that stands at a place outside of the command
// line, and tells whether that changed anything.
func (s *settings) apply(o *option, text, place string) bool {
	if s.origins == nil {
		s.origins = map[string]string{}
	}
	s.origins[o.name] = place
	if o.arg == "" {
		on, err := parseSwitch(text)
		if err != nil {
			s.errs = append(s.errs, fmt.Errorf("%s: %w", place, err))
		}
		if err != nil || !on {
			return false
		}
	}
	if err := o.set(s, text); err != nil {
		s.errs = append(s.errs, s.blame(o.wrap(err)))
	}
	return true
}

// parseSwitch reads the value of a switch where it has one.
func parseSwitch(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}

// said tells whether a stronger source has set the option.
func (s *settings) said(name string) bool {
	_, ok := s.origins[name]
	return ok || s.given[name]
}

// withEmbedded tells whether a setting means something to the embedded server,
// which is not where the environment and profiles say.
func withEmbedded(name string) bool { return name == "namespace" || name == "set" }

// ofUser tells whether the settings are for that user, or for no user in
// particular.
func ofUser(settings []profile.Setting, user string) bool {
	i := slices.IndexFunc(settings, func(p profile.Setting) bool { return p.Key == "user" })
	return i < 0 || settings[i].Text == user
}

func optionOf(options []*option, name string) *option {
	return options[slices.IndexFunc(options, func(o *option) bool { return o.name == name })]
}

func (s *settings) profileOrDefault() string {
	if s.profile == "" {
		return profile.Default
	}
	return s.profile
}

// loadProfile returns the settings of the profile and the path of its file; none
// if there is no file, and none was asked for.
func (s *settings) loadProfile(options []*option, log io.Writer) ([]profile.Setting, string, error) {
	path := s.profileFile
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			if s.profile != "" {
				return nil, "", s.blame(fmt.Errorf("--%s: %w", profileName, err))
			}
			return nil, "", nil
		}
		path = filepath.Join(home, profilesHome)
	}
	var keys, lists []string
	for _, o := range options {
		if o.env != "" && o.name != profileName && o.name != profileFile {
			keys = append(keys, o.name)
		}
		if o.name == "hosts" {
			lists = append(lists, o.name)
		}
	}
	file, err := profile.Load(path, keys, lists)
	if errors.Is(err, fs.ErrNotExist) && s.profile == "" && s.profileFile == "" {
		return nil, "", nil
	}
	// An error of the system names the file, but not who asked for it.
	if system := (*fs.PathError)(nil); errors.As(err, &system) {
		switch {
		case s.profileFile != "":
			err = fmt.Errorf("--%s: %w", profileFile, err)
		case s.profile != "":
			err = fmt.Errorf("--%s: %w", profileName, err)
		}
	}
	if err != nil {
		return nil, "", s.blame(err)
	}
	settings, err := file.Profile(s.profileOrDefault())
	if err != nil {
		return nil, "", s.blame(fmt.Errorf("--%s: %w", profileName, err))
	}
	if file.OthersMayRead() && runtime.GOOS != "windows" && holdsSecret(options, file) {
		fmt.Fprintf(log, "warning: %s holds a password, and other users may read it; run: chmod 600 %[1]s\n", shown.Name(path))
	}
	return settings, path, nil
}

// holdsSecret tells whether any profile of a file has a password: also one that
// is not used now can be read.
func holdsSecret(options []*option, file *profile.File) bool {
	return slices.ContainsFunc(file.Names(), func(name string) bool {
		settings, err := file.Profile(name)
		return err == nil && slices.ContainsFunc(settings, func(p profile.Setting) bool {
			o := optionOf(options, p.Key)
			return o.secret != nil && o.secret(p.Text)
		})
	})
}

// blame puts the place that a setting comes from before the messages about it,
// which begin with its flag, if that is not the command line.
func (s *settings) blame(err error) error {
	if err == nil || len(s.origins) == 0 {
		return err
	}
	if usage, ok := err.(*usageError); ok {
		return &usageError{s.blame(usage.err)}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		errs := slices.Clone(joined.Unwrap())
		for i := range errs {
			errs[i] = s.blame(errs[i])
		}
		return errors.Join(errs...)
	}
	for name, place := range s.origins {
		if rest, ok := strings.CutPrefix(err.Error(), "--"+name+": "); ok {
			return &blamedError{text: place + ": " + rest, err: err}
		}
	}
	return err
}

// A blamedError says where the setting comes from that an error is about.
type blamedError struct {
	text string
	err  error
}

func (e *blamedError) Error() string { return e.text }
func (e *blamedError) Unwrap() error { return e.err }
