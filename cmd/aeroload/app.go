package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/aeroload/aeroload/internal/suggest"
)

// command is what the first argument chooses; the root command has no name.
type command struct {
	name      string
	usage     string
	argsUsage string
	options   []*option
	hint      string // behind the error about wrong flags; "" for none
	foreign   bool   // the operands are words for another program, among which a password may be
	action    func(s *settings, args []string, stdout, stderr io.Writer) error
}

func commands() []command {
	return []command{
		{name: "validate", usage: "check stage files and print their plans with every default filled in",
			argsUsage: "FILE...", options: defaultOptions(), action: validate},
		{name: "serve", usage: "run the embedded server alone, for any Aerospike client",
			options: serveOptions(), action: serve},
		{name: "gen", usage: "show or time the records of an object spec, without a server",
			options: genOptions(), action: gen},
		{name: "merge", usage: "add the results of several machines, exactly",
			argsUsage: "RESULT...", options: mergeOptions(), action: mergeResults},
		{name: "compare", usage: "tell what changed from one run to another by more than noise",
			argsUsage: "BASE NEW", options: compareOptions(), action: compareResults},
		{name: "report", usage: "make one HTML page of results, to look at and to publish",
			argsUsage: "RESULT...", options: reportOptions(), action: reportResults},
		{name: "convert", usage: "make a stage file of what another benchmark of Aerospike is told",
			argsUsage: "FILE | 'COMMAND LINE' | -- WORD...", options: convertOptions(), action: convertInput, foreign: true,
			hint: "\nThe flags of the other benchmark stand behind --, or with its whole command line in quotes."},
		{name: "completion", usage: "print the completion script of a shell: bash, zsh or fish",
			argsUsage: "SHELL", action: completion},
		{name: "man", usage: "print the manual page, for man -l",
			action: man},
	}
}

// generalOptions are the flags of every command. The CLI library acts on them.
func generalOptions() []*option {
	return []*option{
		{name: "help", category: "General", usage: "show this help"},
		{name: "version", short: "V", category: "General", usage: "show the version"},
	}
}

// execute runs a command line.
func execute(args []string, stdout, stderr io.Writer) error {
	cmd, args := commandOf(args)
	return cmd.run(newSettings(), args, stdout, stderr)
}

// commandOf returns the command that a command line is for, and the arguments
// behind its name.
func commandOf(args []string) (command, []string) {
	if len(args) > 0 {
		for _, c := range commands() {
			if c.name == args[0] {
				return c, args[1:]
			}
		}
	}
	return command{options: runOptions(), action: runStages}, args
}

// run puts the flags into s and runs the command's action.
func (cmd command) run(s *settings, args []string, stdout, stderr io.Writer) error {
	args, err := normalize(args, append(generalOptions(), cmd.options...), stderr)
	if err != nil {
		return usagef("%w%s", err, cmd.hint)
	}
	// Beside the help nothing counts; the library would look for a help topic
	// of the name of the first argument.
	if help := slices.Index(args, "--help"); help >= 0 && !slices.Contains(args[:help], "--") {
		args = []string{"--help"}
	}
	return newApp(cmd, s, stdout, stderr).Run(append([]string{"aeroload"}, args...))
}

// newApp describes a command to the CLI library.
func newApp(cmd command, s *settings, stdout, stderr io.Writer) *cli.App {
	// The library knows these by its variables alone. -h is the hosts.
	cli.HelpFlag = &cli.BoolFlag{Name: "help"}
	cli.VersionFlag = &cli.BoolFlag{Name: "version"}
	cli.HelpPrinter = func(w io.Writer, _ string, _ any) { writeHelp(w, cmd) }
	app := &cli.App{
		Name:            "aeroload",
		Version:         version(),
		HideHelpCommand: true,
		Writer:          stdout,
		ErrWriter:       stderr,
		OnUsageError:    func(_ *cli.Context, err error, _ bool) error { return &usageError{err} },
		ExitErrHandler:  func(*cli.Context, error) {},
		Action: func(ctx *cli.Context) error {
			if cmd.name == "" {
				s.fill(cmd.options, stderr)
			}
			if err := s.wrong(); err != nil {
				return err
			}
			return cmd.action(s, ctx.Args().Slice(), stdout, stderr)
		},
	}
	for _, o := range cmd.options {
		app.Flags = append(app.Flags, o.flag(s))
	}
	return app
}

// unexpected refuses arguments that are no flags.
func unexpected(args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return usagef("the command %s comes first, before all flags: aeroload %[1]s …", c.name)
		}
		names = append(names, c.name)
	}
	hint := suggest.DidYouMean(args[0], names)
	if hint == "" {
		hint = "; for the help use --help"
	}
	return usagef("unexpected argument %q%s", args[0], hint)
}

// clientModule is the official client.
const clientModule = "github.com/aerospike/aerospike-client-go/v8"

// version is what the module system knows of this build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, dep := range info.Deps {
		if dep.Path == clientModule {
			return fmt.Sprintf("%s (aerospike-client-go %s, %s)", v, dep.Version, info.GoVersion)
		}
	}
	return v
}
