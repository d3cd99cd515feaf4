// Package convert turns what other benchmarks of Aerospike are told into stage
// files: a command line of asbench or of the Java or Go client's benchmark, the
// config.json of the Node.js client's, or the settings.json of the C# client's.
//
// Each tool has a table of its settings and a function that turns their values
// into a [draft], the model that all tools share; the draft is then written as a
// stage file with comments. Facts about the tools are from their sources:
// asbench 2.2.9 (aerospike-benchmark, src/main/benchmark_init.c), the Java client
// 9 (benchmarks/src/com/aerospike/benchmarks), the Go client 7 and 8
// (tools/benchmark/benchmark.go), the Node.js client 6 (benchmarks/main.js and
// worker.js) and the C# client 8 (AerospikeBenchmarks).
package convert

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/stage"
)

// Auto is the name to give instead of a tool's to have it guessed.
const Auto = "auto"

// Options are what a conversion needs besides its input.
type Options struct {
	// File is the path at which the stage file will be, for the command line in
	// its comments; "" stands for stages.yaml.
	File string
	// Duration replaces "until it is stopped" in the stages of benchmarks that
	// have no end, as the stage key duration takes it; "" keeps them endless.
	Duration string
	// ReadFile reads a stage file that a command line of asbench names; nil
	// refuses such command lines.
	ReadFile func(path string) ([]byte, error)
}

// Result is a converted stage file.
type Result struct {
	// Tool is the name of the tool whose input it was.
	Tool string
	// Text is the stage file.
	Text []byte
	// Args are the flags of the command line that runs it, without those that
	// need a password.
	Args []string
	// Missing is the error about a file that the stages name and that is not
	// there; nil if all are.
	Missing error
}

// Tools returns the names of the tools, as CommandLine and Config take them.
func Tools() []string {
	var names []string
	for _, t := range tools() {
		names = append(names, t.name)
	}
	return names
}

// ReadsWords tells whether the tool is told what to do by a command line, rather
// than by a file.
func ReadsWords(name string) bool {
	t, err := toolNamed(name)
	return err == nil && t.read != nil
}

func toolNamed(name string) (*tool, error) {
	for _, t := range tools() {
		if t.name == name {
			return t, nil
		}
	}
	known := append(Tools(), Auto)
	return nil, fmt.Errorf("%q is no tool that can be converted from: expected one of %s%s",
		name, strings.Join(known, ", "), suggest.DidYouMean(name, known))
}

// CommandLine converts a command line of the named tool, or of the one it must
// be of if the name is [Auto]. The program's name may stand in front. The error
// names every wrong word with its place; passwords are in neither result nor
// error.
func CommandLine(name string, words []Word, o Options) (*Result, error) {
	if len(words) == 0 {
		return nil, errors.New("the command line is empty")
	}
	for _, w := range words {
		if !utf8.ValidString(w.Text) {
			return nil, fmt.Errorf("%s: not valid UTF-8", w.Place)
		}
	}
	c := findProgram(words)
	if w := quotedLine(words); w != nil && len(c.tools) == 0 {
		return nil, fmt.Errorf("%s: the command line of a benchmark stands within quotes here, for another program: give it alone, without %s before it", w.Place, words[0].Text)
	}
	if name == Auto {
		return guessCommandLine(c, o)
	}
	t, err := toolNamed(name)
	if err != nil {
		return nil, err
	}
	if t.read == nil {
		return nil, fmt.Errorf("%s reads a file, not a command line: give the file", t.title)
	}
	if len(c.tools) > 0 && !slices.Contains(c.tools, name) {
		return nil, fmt.Errorf("%s: %q is the program of %s, not of %s", c.place, c.program, strings.Join(c.tools, " or "), name)
	}
	return t.convertWords(c, o)
}

// convertWords converts a command line.
func (t *tool) convertWords(c commandLine, o Options) (*Result, error) {
	in := newInput(t)
	in.launcher = c.launcher
	if c.program != "" {
		in.shown = append(in.shown, quoteShell(c.program))
	}
	t.read(in, c.args)
	if len(in.shown) == 0 {
		in.shown = append(in.shown, "(no flags)")
	}
	return t.convert(in, o)
}

// guessCommandLine converts a command line if only one tool can be meant.
func guessCommandLine(c commandLine, o Options) (*Result, error) {
	var results []*Result
	var names []string
	var errs []error
	for _, t := range tools() {
		if t.read == nil || len(c.tools) > 0 && !slices.Contains(c.tools, t.name) {
			continue
		}
		r, err := t.convertWords(c, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("as one of %s: %w", t.name, err))
			continue
		}
		results, names = append(results, r), append(names, t.name)
	}
	switch {
	case len(results) == 1:
		return results[0], nil
	case len(results) == 0 && len(errs) == 1:
		return nil, errors.Unwrap(errs[0])
	case len(results) == 0:
		return nil, fmt.Errorf("%s: no tool understands this command line:\n%w", c.start(), errors.Join(errs...))
	}
	return nil, fmt.Errorf("%s: the command line could be one of %s, which mean different things by it: say which with --from", c.start(), strings.Join(names, " or "))
}

// Config converts a configuration file of the named tool, or of the one it must
// be of if the name is [Auto]. path stands for the file in errors and comments.
func Config(name, path string, data []byte, o Options) (*Result, error) {
	doc, err := parseJSON(path, data)
	if err != nil {
		return nil, err
	}
	if name == Auto {
		if name, err = guessConfig(path, doc); err != nil {
			return nil, err
		}
	}
	t, err := toolNamed(name)
	if err != nil {
		return nil, err
	}
	if t.read != nil {
		return nil, fmt.Errorf("%s has no configuration file, but a command line", t.title)
	}
	in := newInput(t)
	in.readDocument(doc)
	if other, err := guessConfig(path, doc); len(in.problems) > 0 && err == nil && other != name {
		return nil, fmt.Errorf("%s: its keys are not those of %s, but of the tool %s", path, t.title, other)
	}
	in.shown = []string{path}
	return t.convert(in, o)
}

// guessConfig tells whose file it is by its keys. The keys of one tool are none
// of the other's, since their case differs.
func guessConfig(path string, doc *document) (string, error) {
	best, most, tied := "", 0, false
	for _, t := range tools() {
		if t.read != nil {
			continue
		}
		n := 0
		for _, m := range doc.root.members {
			if slices.ContainsFunc(t.settings, func(s setting) bool { return slices.Contains(s.names, m.key) }) {
				n++
			}
		}
		if n == most {
			tied = true
		}
		if n > most {
			best, most, tied = t.name, n, false
		}
	}
	if most == 0 || tied {
		return "", fmt.Errorf("%s: its keys do not tell whether this is a config.json of the Node.js or a settings.json of the C# client's benchmark: say --from node or csharp", path)
	}
	return best, nil
}

// convert makes a stage file of what was read. It ends with aeroload's own
// reader, so that what comes out can be run.
func (t *tool) convert(in *input, o Options) (*Result, error) {
	d := &draft{tool: t, options: o}
	t.fill(in, d)
	d.fillByTable(in)
	d.sortRun()
	if err := errors.Join(in.problems...); err != nil {
		return nil, err
	}
	r := &Result{Tool: t.name, Text: d.bytes(in), Args: d.args()}
	defaults := stage.Defaults{Namespace: "test", Set: "testset", ObjectSpec: "I4", StartKey: 1, Keys: 1_000_000, Threads: 16, AsyncMax: 50}
	defaults.ObjectOptions = objspec.Options{BinName: "testbin", CompressionRatio: 1}
	d.defaults(&defaults)
	file, text := d.file(), r.Text
	if d.whole != nil { // errors are about the file as it was
		file, text = d.wholeFile, d.whole
	}
	_, err := stage.Parse(file, text, defaults)
	var problems stage.Problems
	if err != nil && !errors.As(err, &problems) {
		return nil, err
	}
	var refused []error
	for _, p := range problems {
		switch {
		case errors.Is(p.Err, fs.ErrNotExist):
			r.Missing = p.Err
		case d.whole != nil:
			refused = append(refused, fmt.Errorf("%s: %w", p.Place, p.Err))
		default: // the file with the place is not there
			refused = append(refused, d.blame(text, p))
		}
	}
	if refused != nil {
		return nil, fmt.Errorf("these settings make a stage that aeroload refuses: %w", errors.Join(refused...))
	}
	return r, nil
}
