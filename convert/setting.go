package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
)

// tool is a benchmark that can be converted from.
type tool struct {
	name  string // as --from takes it
	title string // in sentences
	input string // what is converted, in sentences: "a command line"
	// settings are all that the tool can be told, in the order in which their
	// counterparts are written.
	settings []setting
	// read reads a command line; nil for tools that have a file.
	read func(in *input, args []Word)
	// firstWins is true if the first of several values of a flag counts.
	firstWins bool
	// anyCase is true if the case of a key in the file does not matter.
	anyCase bool
	// fill works out the stage, and all else that takes more than the table.
	fill func(in *input, d *draft)
}

// tools are all tools.
func tools() []*tool {
	return []*tool{asbenchTool(), javaTool(), goTool(), nodeTool(), csharpTool()}
}

// takes says whether a flag has a value.
type takes int

const (
	value takes = iota
	nothing
	perhaps // only if it is glued to the flag, or does not look like another
)

// setting is one thing that a tool can be told: a flag, or a key of a file.
// One with neither flag nor none is the business of the tool's fill.
type setting struct {
	names []string // as they are written; the first stands for all
	takes takes
	// flag is the flag of aeroload that means the same.
	flag string
	// check returns the value as that flag takes it, or what is wrong with it;
	// nil takes it as it is.
	check func(text string) (string, error)
	// none says why there is no counterpart.
	none string
	// secret values are never shown.
	secret bool
	// nested settings of a file are objects or lists, all others single values.
	nested bool
	// older tells whether a text is a value that a switch took in older versions
	// of the tool, and so still does here; nil for none.
	older func(text string) bool
	// stops is true for flags that make the tool print something and end.
	stops bool
}

// hidden stands for a secret wherever it would be shown.
const hidden = "***"

// hasOlder tells whether a text is a value of a switch that older versions of the
// tool had.
func (s *setting) hasOlder(text string) bool { return s.older != nil && s.older(text) }

// given is a setting in the input.
type given struct {
	setting *setting
	typed   string // the name as it was written
	text    string // of a value; of an object or list of a file, ""
	node    *node  // of a file
	place   string
	used    bool // fill asked for it
}

// cite returns the setting as it was written, for comments and errors.
func (g *given) cite() string {
	text := g.text
	if g.setting.secret {
		text = hidden
	}
	switch {
	case g.node != nil && g.node.kind != scalar:
		return g.typed
	case g.node != nil:
		return g.typed + ": " + text
	case g.setting.takes == nothing && g.setting.older == nil || g.text == "" && g.setting.takes != value:
		return g.typed
	}
	return g.typed + " " + quoteShell(text)
}

// input is what a tool was told.
type input struct {
	tool     *tool
	byName   map[string]*given // by the first name of the setting
	shown    []string          // the input for comments, without secrets
	problems []error
	twice    []string // flags given more than once
	launcher []Word   // what stands before the program
	last     *given   // what was read last; nil for nothing
}

func newInput(t *tool) *input { return &input{tool: t, byName: map[string]*given{}} }

// fail notes what is wrong at a place.
func (in *input) fail(place, format string, args ...any) {
	in.problems = append(in.problems, fmt.Errorf("%s: %w", place, fmt.Errorf(format, args...)))
}

// operand notes a word that is no flag. Behind a password it may be the rest of
// that, and is not shown.
func (in *input) operand(w Word, why string) {
	if in.last != nil && in.last.setting.secret {
		in.fail(w.Place, "unexpected argument behind %s: %s", in.last.typed, why)
		return
	}
	in.fail(w.Place, "unexpected argument %q: %s", w.Text, why)
}

// add takes a setting that was read.
func (in *input) add(g *given) {
	in.last = g
	name := g.setting.names[0]
	if g.setting.stops {
		in.fail(g.place, "%s makes the benchmark print something and end: there is no load to convert", g.typed)
	}
	if in.byName[name] != nil && g.setting.takes != nothing {
		in.twice = append(in.twice, g.typed)
		if in.tool.firstWins {
			return
		}
	}
	in.byName[name] = g
}

// setting finds a setting by one of its names.
func (t *tool) setting(name string) *setting {
	for i, s := range t.settings {
		if slices.ContainsFunc(s.names, func(n string) bool { return n == name || t.anyCase && strings.EqualFold(n, name) }) {
			return &t.settings[i]
		}
	}
	return nil
}

// suggest returns a hint at the setting that an unknown name may mean. dashes
// stand before names of more than one letter.
func (t *tool) suggest(name, dashes string) string {
	var known []string
	for _, s := range t.settings {
		for _, n := range s.names {
			if dashes != "" && len(n) > 1 {
				n = dashes + n
			}
			known = append(known, n)
		}
	}
	return suggest.DidYouMean(dashes+name, known)
}

// get returns a setting that was given, or nil, and marks it as used.
func (in *input) get(name string) *given {
	g := in.byName[name]
	if g != nil {
		g.used = true
	}
	return g
}

// text returns the text of a setting and where it is from: as it was written, or
// that it is the default.
func (in *input) text(name, byDefault string) (text, from string) {
	if g := in.get(name); g != nil {
		return g.text, g.cite()
	}
	return byDefault, "default there"
}

// on tells whether a switch is set.
func (in *input) on(name string) bool {
	g := in.get(name)
	return g != nil && g.text != "false"
}

// integer returns a whole number within [low, high] and where it is from.
func (in *input) integer(name string, byDefault, low, high int64) (n int64, from string) {
	g := in.get(name)
	if g == nil {
		return byDefault, "default there"
	}
	n, err := strconv.ParseInt(g.text, 10, 64)
	if err != nil || n < low || n > high {
		in.fail(g.place, "%s: %q is not a whole number %s", g.typed, g.text, span(low, high))
		return byDefault, ""
	}
	return n, g.cite()
}

func span(low, high int64) string {
	if high >= maxInt {
		return fmt.Sprintf("from %d on", low)
	}
	return fmt.Sprintf("from %d to %d", low, high)
}

// maxInt is the largest number where nothing else bounds it: what fits an int64
// with room for a sum.
const maxInt = 1 << 62

// The functions below make the check functions of settings.

// whole checks a whole number within [low, high].
func whole(low, high int64) func(string) (string, error) {
	return func(text string) (string, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < low || n > high {
			return "", fmt.Errorf("%q is not a whole number %s", text, span(low, high))
		}
		return strconv.FormatInt(n, 10), nil
	}
}

// maxMillis is the longest time in milliseconds: what the wire protocol can say.
const maxMillis = 1<<31 - 1

// millis checks a time in milliseconds.
var millis = whole(0, maxMillis)

// choice checks one of several words, in any case, and turns it into another:
// the words come in pairs.
func choice(pairs ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		var known []string
		for i := 0; i < len(pairs); i += 2 {
			if strings.EqualFold(text, pairs[i]) {
				return pairs[i+1], nil
			}
			known = append(known, pairs[i])
		}
		return "", fmt.Errorf("%q is not one of %s%s", text, strings.Join(known, ", "), suggest.DidYouMean(text, known))
	}
}
