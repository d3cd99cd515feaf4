package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/aeroload/aeroload/convert"
	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/internal/wholefile"
)

// convertSettings are the flags of `convert`.
type convertSettings struct {
	from     string
	output   string   // a file; "" for standard output
	duration string   // of benchmarks that run until they are stopped; "" for as long
	inputs   []string // the files that were read
}

// maxConvert bounds what is read from a file or standard input.
const maxConvert = 1 << 20

const catConvert = "Conversion"

func convertOptions() []*option {
	return []*option{
		{name: "from", choices: append(convert.Tools(), convert.Auto), arg: "TOOL", def: convert.Auto, category: catConvert,
			usage: "whose input it is: " + strings.Join(convert.Tools(), ", ") + ", or auto, which guesses where only one can be meant",
			set: func(s *settings, text string) error {
				known := append(convert.Tools(), convert.Auto)
				for _, name := range known {
					if name == text {
						s.convert.from = text
						return nil
					}
				}
				return fmt.Errorf("%q is not one of %s%s", text, strings.Join(known, ", "), suggest.DidYouMean(text, known))
			}},
		{name: "output", short: "o", arg: "FILE", def: "standard output", category: catConvert, usage: "write the stage file there; - is standard output as well",
			set: func(s *settings, text string) error {
				if text == "-" {
					s.convert.output = ""
					return nil
				}
				return setName(func(s *settings) *string { return &s.convert.output })(s, text)
			}},
		{name: "duration", short: "t", arg: "SECONDS", category: catConvert,
			usage: "how long to run what the benchmark runs until it is stopped; as long as can be when left out",
			set:   setName(func(s *settings) *string { return &s.convert.duration })},
	}
}

// convertInput makes a stage file of a command line or configuration file of
// another benchmark.
func convertInput(s *settings, args []string, stdout, stderr io.Writer) error {
	if s.convert.output != "" {
		if err := wholefile.Check(s.convert.output); err != nil {
			return usagef("--output: %w", err)
		}
	}
	r, err := s.convert.convert(args)
	if err != nil {
		return &usageError{err}
	}
	if r.Missing != nil {
		fmt.Fprintf(stderr, "warning: the stages need a file that is not there yet: %s\n", shown.Text(r.Missing.Error()))
	}
	for _, input := range s.convert.inputs {
		if s.convert.output != "" && sameFile(s.convert.output, input) {
			return usagef("--output: %s is what is converted as well", s.convert.output)
		}
	}
	if s.convert.output == "" {
		_, err := stdout.Write(r.Text)
		return err
	}
	return replaceFile(s.convert.output, func(w io.Writer) error {
		_, err := w.Write(r.Text)
		return err
	})
}

// convert converts what the arguments are: the words of a command line, a command
// line as one word, or the name of a file, which holds either a configuration or
// a command line; - is standard input.
func (c *convertSettings) convert(args []string) (*convert.Result, error) {
	o := convert.Options{File: c.output, Duration: c.duration, ReadFile: c.read}
	switch {
	case len(args) == 0:
		return nil, errors.New("convert needs a command line or a file, such as: aeroload convert --from asbench -- -w RU,80, or: aeroload convert config.json")
	case len(args) > 1 || strings.HasPrefix(args[0], "-") && args[0] != "-":
		return convert.CommandLine(c.from, convert.Words(args), o)
	case strings.ContainsAny(args[0], " \t\n"):
		if _, err := os.Stat(args[0]); err != nil {
			return c.text("", args[0], o)
		}
	}
	name, path := args[0], args[0]
	if path == "-" {
		name = "standard input"
	}
	data, err := c.read(path)
	if errors.Is(err, fs.ErrNotExist) && convert.NamesProgram(path) {
		return c.text("", path, o)
	}
	if err != nil {
		return nil, err
	}
	if convert.ReadsWords(c.from) || c.from == convert.Auto && !strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff")), "{") {
		return c.text(name, string(data), o)
	}
	return convert.Config(c.from, name, data, o)
}

// text converts a command line that no shell has split, of a file or, if that is
// "", an argument.
func (c *convertSettings) text(file, line string, o convert.Options) (*convert.Result, error) {
	words, err := convert.Split(line)
	if file != "" {
		words, err = convert.SplitFile(file, line)
	}
	if err != nil {
		return nil, err
	}
	return convert.CommandLine(c.from, words, o)
}

// read reads a file, or standard input for "-".
func (c *convertSettings) read(path string) ([]byte, error) {
	if path == "-" {
		data, err := io.ReadAll(io.LimitReader(os.Stdin, maxConvert+1))
		if err == nil && len(data) > maxConvert {
			err = fmt.Errorf("standard input is larger than %d MiB", maxConvert>>20)
		}
		return data, err
	}
	c.inputs = append(c.inputs, path)
	return wholefile.Read(path, maxConvert)
}
