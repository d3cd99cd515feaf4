package convert

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Word is one word of a command line.
type Word struct {
	Text string
	// Place says where it stands, such as "argument 3" or "column 12".
	Place string
}

// Words returns the words of a command line that a shell has split already.
func Words(args []string) []Word {
	words := make([]Word, len(args))
	for i, a := range args {
		words[i] = Word{Text: a, Place: fmt.Sprintf("argument %d", i+1)}
	}
	return words
}

// Split splits a command line as a shell does, with quotes, backslashes,
// continued lines and comments. Redirections, and the other commands of a
// pipeline, are left out. Of several commands, one must be a benchmark's. What
// only the shell that ran it knows, such as the values of variables, is an error.
func Split(text string) ([]Word, error) { return split("", text) }

// SplitFile does the same for the text of a file. Places begin with its name.
func SplitFile(name, text string) ([]Word, error) { return split(name, text) }

func split(file, text string) ([]Word, error) {
	s := splitter{file: file, text: text}
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, s.syntaxError(err)
	}
	for _, stmt := range f.Stmts {
		s.statement(stmt)
	}
	if len(s.errs) > 0 {
		return nil, errors.Join(s.errs...)
	}
	calls := s.calls
	if len(calls) > 1 {
		calls = benchmarks(calls)
	}
	switch {
	case len(calls) > 1:
		return nil, fmt.Errorf("%s: a second command line begins here: convert one at a time", calls[1].place)
	case len(calls) == 1 && calls[0].errs != nil:
		return nil, errors.Join(calls[0].errs...)
	case len(calls) == 1:
		return calls[0].words, nil
	}
	// Perhaps the program itself is in a variable.
	for _, c := range s.calls {
		if c.errs != nil {
			return nil, errors.Join(c.errs...)
		}
	}
	const none = "there is no command line of a benchmark"
	if file != "" {
		return nil, fmt.Errorf("%s: %s", file, none)
	}
	return nil, errors.New(none)
}

// splitter collects the simple commands of a script.
type splitter struct {
	file  string // "" for a command line that is no file
	text  string
	calls []call
	errs  []error
}

// call is a simple command, and what is wrong with it: that matters only if it is
// a benchmark's.
type call struct {
	words []Word
	place string
	errs  []error
}

// benchmarks returns the calls that are of a benchmark.
func benchmarks(calls []call) []call {
	var list []call
	for _, c := range calls {
		if len(c.words) > 0 && (len(findProgram(c.words).tools) > 0 || quotedLine(c.words) != nil) {
			list = append(list, c)
		}
	}
	return list
}

// place says where in the text a position is.
func (s *splitter) place(pos syntax.Pos) string {
	switch {
	case s.file != "":
		return fmt.Sprintf("%s:%d:%d", s.file, pos.Line(), pos.Col())
	case strings.Contains(strings.TrimSpace(s.text), "\n"):
		return fmt.Sprintf("line %d, column %d", pos.Line(), pos.Col())
	}
	return fmt.Sprintf("column %d", pos.Col())
}

func (s *splitter) syntaxError(err error) error {
	var parse syntax.ParseError
	switch {
	case !errors.As(err, &parse):
		return fmt.Errorf("no valid command line: %w", err)
	case parse.Text == "invalid UTF-8 encoding":
		return fmt.Errorf("%s: no valid command line: this is no text in UTF-8", s.place(parse.Pos))
	}
	return fmt.Errorf("%s: no valid command line: %s", s.place(parse.Pos), parse.Text)
}

func (s *splitter) statement(stmt *syntax.Stmt) {
	switch cmd := stmt.Cmd.(type) {
	case nil: // a redirection alone
	case *syntax.CallExpr:
		s.call(cmd)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			s.statement(cmd.Stmt)
		}
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
			s.statement(cmd.X)
			s.statement(cmd.Y)
			return
		}
		s.pipeline(cmd)
	default:
		s.errs = append(s.errs, fmt.Errorf("%s: only simple commands can be converted, one at a time", s.place(stmt.Pos())))
	}
}

// pipeline takes the benchmark's command out of a pipeline, or else the first one:
// the others feed it or read what it prints.
func (s *splitter) pipeline(cmd *syntax.BinaryCmd) {
	left, right := splitter{file: s.file, text: s.text}, splitter{file: s.file, text: s.text}
	left.statement(cmd.X)
	right.statement(cmd.Y)
	if calls := benchmarks(slices.Concat(left.calls, right.calls)); len(calls) > 0 {
		s.calls = append(s.calls, calls...)
		return
	}
	s.calls, s.errs = append(s.calls, left.calls...), append(s.errs, left.errs...)
}

func (s *splitter) call(cmd *syntax.CallExpr) {
	if len(cmd.Args) == 0 {
		return // it sets variables
	}
	c := call{place: s.place(cmd.Args[0].Pos())}
	secret := false // what follows the last flag may be a password
	for _, w := range cmd.Args {
		place := s.place(w.Pos())
		if start := beginning(w); strings.HasPrefix(start, "-") {
			secret = passwordFlag.MatchString(start)
		}
		text, err := literal(w, secret || passwordWord.MatchString(beginning(w)))
		if err != nil {
			c.errs = append(c.errs, fmt.Errorf("%s: %w", place, err))
		}
		c.words = append(c.words, Word{Text: text, Place: place})
	}
	s.calls = append(s.calls, c)
}

var (
	// passwordFlag matches the beginning of a word that is a flag for a password,
	// or may be: -Psecret, -dPsecret, --password=secret.
	passwordFlag = regexp.MustCompile(`^-[^-=]*P|(?i:pass)`)
	// passwordWord matches that of a word which says itself that it holds one,
	// such as PASSWORD=secret behind docker run -e.
	passwordWord = regexp.MustCompile(`(?i)pass`)
)

// beginning returns what a word begins with, up to what only the shell knows.
func beginning(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(part.Value))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return b.String()
				}
				b.WriteString(lit.Value)
			}
		default:
			return b.String()
		}
	}
	return b.String()
}

// literal returns what a word says without the help of the shell that ran it. If
// the word may be a password, what looks like a variable may be a part of that,
// and is not named.
func literal(w *syntax.Word, secret bool) (string, error) {
	var err error
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			err = fmt.Errorf("the value of the variable $%s is not known here: write it out", n.Param.Value)
			if secret {
				err = errors.New("a $ stands for a variable, whose value is not known here: write it out, and a password with a $ in single quotes")
			}
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			err = errors.New("the result of a command is not known here: write it out")
		}
		return err == nil
	})
	if err != nil {
		return "", err
	}
	// The library leaves backslashes outside of quotes, and looks for the home
	// folder of whoever runs this.
	plain := &syntax.Word{}
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			part = &syntax.SglQuoted{Value: unescape(lit.Value)}
		}
		plain.Parts = append(plain.Parts, part)
	}
	return expand.Literal(nil, plain)
}

// unescape removes the backslashes of a text outside of quotes.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// commandLine is a command line, cut into the program and its arguments.
type commandLine struct {
	launcher []Word   // what stands before the program, such as java -jar
	program  string   // "" if there is none
	place    string   // of the program
	tools    []string // whose program it can be; none if it is not known
	args     []Word
}

// start returns the place of the first word.
func (c commandLine) start() string {
	words := append(slices.Clone(c.launcher), Word{c.program, c.place})
	if c.program == "" {
		words = c.args
	}
	return words[0].Place
}

// launchers are programs, and prompts, behind which a benchmark's program stands.
var launchers = []string{"$", "%", "#", "java", "go", "docker", "podman", "kubectl", "ssh", "sudo", "exec", "eval", "env", "time", "timeout", "nohup", "nice", "taskset", "numactl"}

// findProgram looks for the program: the first word, or one behind a launcher.
func findProgram(words []Word) commandLine {
	if strings.HasPrefix(words[0].Text, "-") {
		return commandLine{args: words}
	}
	within := words[:1]
	if slices.Contains(launchers, baseName(words[0].Text)) {
		within = words
	}
	for i, w := range within {
		before := ""
		if i > 0 {
			before = words[i-1].Text
		}
		if tools := programOf(w.Text, before); tools != nil {
			return commandLine{launcher: words[:i], program: w.Text, place: w.Place, tools: tools, args: words[i+1:]}
		}
	}
	return commandLine{program: words[0].Text, place: words[0].Place, args: words[1:]}
}

// shells are programs that take a command line in one word.
var shells = []string{"sh", "bash", "dash", "ksh", "zsh"}

// quotedLine returns the word that is a benchmark's command line itself, such as
// the last of bash -c "asbench -w I" and ssh host "asbench -w I"; nil if there is
// none.
func quotedLine(words []Word) *Word {
	if !slices.Contains(append(shells, launchers...), baseName(words[0].Text)) {
		return nil
	}
	for i, w := range words[1:] {
		inner := strings.Fields(w.Text)
		if len(inner) > 1 && len(findProgram(Words(inner)).tools) > 0 {
			return &words[i+1]
		}
	}
	return nil
}

// baseName returns the name of a program without its folder.
func baseName(word string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
}

// NamesProgram tells whether a word is the name of a benchmark's program, with
// or without its folder: a command line without arguments.
func NamesProgram(word string) bool { return programOf(word, "") != nil }

// programOf returns the tools whose program a word can be; before is the word
// before it.
func programOf(word, before string) []string {
	name, version, _ := strings.Cut(baseName(word), "@")
	switch {
	case name == "asbench", name == "aerospike-benchmark":
		return []string{"asbench"}
	case name == "run_benchmarks", word == "com.aerospike.benchmarks.Main",
		strings.HasPrefix(name, "aerospike-benchmarks") && strings.HasSuffix(name, ".jar"):
		return []string{"java"}
	case name == "benchmark.go", before == "run" && (word == "." || name == "benchmark"), version != "" && name == "benchmark":
		return []string{"go"}
	case strings.HasSuffix(word, "target/benchmark"):
		return []string{"asbench"}
	case name == "benchmark":
		return []string{"asbench", "go"}
	}
	return nil
}
