package convert

import (
	"errors"
	"fmt"
	"path"
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
// continued lines and comments. Redirections, and the commands that a pipe leads
// to, are left out. Of several commands, one must be a benchmark's. What only
// the shell that ran it knows, such as the values of variables, is an error.
func Split(text string) ([]Word, error) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		var parse syntax.ParseError
		if errors.As(err, &parse) {
			return nil, fmt.Errorf("%s: no valid command line: %s", placeOf(text, parse.Pos), parse.Text)
		}
		return nil, fmt.Errorf("no valid command line: %w", err)
	}
	s := splitter{text: text}
	for _, stmt := range f.Stmts {
		s.statement(stmt)
	}
	if len(s.errs) > 0 {
		return nil, errors.Join(s.errs...)
	}
	if len(s.calls) > 1 {
		s.calls = slices.DeleteFunc(s.calls, func(words []Word) bool { return len(findProgram(words).tools) == 0 })
	}
	switch len(s.calls) {
	case 0:
		return nil, errors.New("there is no command line of a benchmark")
	case 1:
		return s.calls[0], nil
	}
	return nil, fmt.Errorf("%s: a second command line begins here: convert one at a time", s.calls[1][0].Place)
}

// placeOf says where in the text a position is.
func placeOf(text string, pos syntax.Pos) string {
	if strings.Contains(strings.TrimSpace(text), "\n") {
		return fmt.Sprintf("line %d, column %d", pos.Line(), pos.Col())
	}
	return fmt.Sprintf("column %d", pos.Col())
}

// splitter collects the simple commands of a script.
type splitter struct {
	text  string
	calls [][]Word
	errs  []error
}

func (s *splitter) statement(stmt *syntax.Stmt) {
	switch cmd := stmt.Cmd.(type) {
	case nil: // a redirection alone
	case *syntax.CallExpr:
		s.call(cmd)
	case *syntax.BinaryCmd:
		s.statement(cmd.X)
		if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
			s.statement(cmd.Y)
		}
	default:
		s.errs = append(s.errs, fmt.Errorf("%s: only simple commands can be converted, one at a time", placeOf(s.text, stmt.Pos())))
	}
}

func (s *splitter) call(cmd *syntax.CallExpr) {
	var words []Word
	for _, w := range cmd.Args {
		place := placeOf(s.text, w.Pos())
		text, err := literal(w)
		if err != nil {
			s.errs = append(s.errs, fmt.Errorf("%s: %w", place, err))
		}
		words = append(words, Word{Text: text, Place: place})
	}
	if len(words) > 0 { // else it sets variables
		s.calls = append(s.calls, words)
	}
}

// literal returns what a word says without the help of the shell that ran it.
func literal(w *syntax.Word) (string, error) {
	var err error
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			err = fmt.Errorf("the value of the variable $%s is not known here: write it out", n.Param.Value)
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

// launchers are programs, and prompts, behind which a benchmark's program stands.
var launchers = []string{"$", "%", "#", "java", "go", "docker", "podman", "kubectl", "ssh", "sudo", "exec", "env", "time", "timeout", "nohup", "nice", "taskset", "numactl"}

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
