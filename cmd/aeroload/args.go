package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aeroload/aeroload/convert"
	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/internal/suggest"
)

// normalize rewrites the arguments of a command into the one form --name=value,
// so that everything that asbench's command lines contain is understood: a value
// glued to its short flag (-z16), several switches behind one dash (-dL), long
// names behind a single dash (-upn x), a value that begins with a dash
// (-e -1), camelCase names (with a warning to log), a value that may be missing
// (-P), one that makes a switch another flag (-latency 7,1), and long names of
// asbench that are shortened (--thre 16; with a warning). What is no flag
// may stand between the flags, and is returned behind them and a "--". The error
// tells of everything that is wrong.
func normalize(args []string, options []*option, log io.Writer) ([]string, error) {
	n := normalizer{options: options, log: log}
	operands, err := n.read(args)
	if err != nil {
		return nil, &usageError{err}
	}
	if len(operands) > 0 {
		n.out = append(append(n.out, "--"), operands...)
	}
	return n.out, nil
}

// A span is the end of an argument, from a byte on.
type span struct{ arg, from int }

// secretSpans tells where passwords stand in the arguments, also in ones that
// normalize would refuse.
func secretSpans(args []string, options []*option) []span {
	n := normalizer{options: options, log: io.Discard}
	_, _ = n.read(args) // what is wrong is for normalize to tell
	return n.secrets
}

type normalizer struct {
	options []*option
	log     io.Writer
	out     []string
	at      int    // which argument is read
	secrets []span // passwords so far
}

// read goes through all arguments. It returns those that are no flags.
func (n *normalizer) read(args []string) (operands []string, err error) {
	var errs []error
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			operands = append(operands, args[i+1:]...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			operands = append(operands, arg)
			continue
		}
		n.at = i
		used, err := n.flag(arg, args[i+1:])
		if err != nil {
			errs = append(errs, err)
		}
		i += used
	}
	return operands, errors.Join(errs...)
}

// flag reads one argument that begins with a dash. It returns how many of the
// following arguments it used as its value.
func (n *normalizer) flag(arg string, rest []string) (used int, err error) {
	body, long := strings.CutPrefix(arg, "--")
	if !long {
		body = arg[1:]
	}
	name, value, hasValue := strings.Cut(body, "=")
	if o := n.lookup(name, long); o != nil {
		return n.emit(o, arg, value, hasValue, rest)
	}
	_, several := convert.AsbenchFlag(name)
	unclear := len(several) > 0 && n.long(several[0]) != nil
	// -ba may well be -b with the bin "a"; -bat is meant to be a name. So is
	// -passwordsecret, which would be shown as the wrong port "asswordsecret".
	if !long && name != "" && (!unclear || len(name) < 3) {
		if o := n.short(name[:1]); o != nil && (o.secret != nil || !shown.IsPassword(name)) {
			return n.glued(o, arg, body[1:], rest)
		}
	}
	if unclear {
		return 0, usagef("the flag %s is short for several: --%s", arg[:len(arg)-len(body)+len(name)], strings.Join(several, ", --"))
	}
	typed, cut := strings.CutSuffix(shown.Flag(arg), "…")
	switch {
	case cut && shown.IsPassword(name):
		return 0, usagef("unknown flag %s…%s", typed, n.suggest(typed[len(arg)-len(body):]))
	case cut:
		return 0, usagef("unknown flag %s…", typed)
	}
	return 0, usagef("unknown flag %s%s", typed, n.suggest(name))
}

// glued reads what follows a short flag in the same argument: its value, or
// further short flags.
func (n *normalizer) glued(o *option, arg, tail string, rest []string) (int, error) {
	for o.arg == "" && tail != "" && !o.takes(strings.TrimPrefix(tail, "=")) {
		n.out = append(n.out, "--"+o.name)
		_, size := utf8.DecodeRuneInString(tail)
		letter := tail[:size]
		if o, tail = n.short(letter), tail[size:]; o == nil {
			if tail != "" {
				arg = strings.TrimSuffix(arg, tail) + "…" // what follows may be a password
			}
			return 0, usagef("unknown flag -%s in %s", letter, arg)
		}
	}
	return n.emit(o, arg, strings.TrimPrefix(tail, "="), tail != "", rest)
}

// emit appends the flag in its canonical form.
func (n *normalizer) emit(o *option, arg, value string, hasValue bool, rest []string) (int, error) {
	name := "--" + o.name
	switch {
	case hasValue && o.takes(value):
		n.out = append(n.out, "--"+o.valuedName+"="+value)
		return 0, nil
	case !hasValue && len(rest) > 0 && o.takes(rest[0]):
		n.out = append(n.out, "--"+o.valuedName+"="+rest[0])
		return 1, nil
	case o.arg == "" && hasValue:
		return 0, usagef("%s: %s is a switch and takes no value", arg, name)
	case o.arg == "":
		n.out = append(n.out, name)
		return 0, nil
	case hasValue && (value != "" || !o.optional):
		n.secret(o, n.at, arg, value)
		n.out = append(n.out, name+"="+value)
		return 0, nil
	case o.optional:
		// What follows is not shown: it is a password.
		if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			n.secret(o, n.at+1, rest[0], rest[0])
			return 1, usagef("%s: its value is written without a blank before it: %s=%s", arg, name, o.arg)
		}
		n.out = append(n.out, name+"=")
		return 0, nil
	}
	needs := fmt.Sprintf("%s needs a value", arg)
	if arg != name {
		needs = fmt.Sprintf("%s (%s) needs a value", arg, name)
	}
	if len(rest) == 0 {
		if o.short == "h" {
			return 0, usagef("%s: %s; for the help use --help", needs, o.arg)
		}
		return 0, usagef("%s: %s", needs, o.arg)
	}
	if next, _, _ := strings.Cut(rest[0], "="); strings.HasPrefix(next, "--") && n.long(next[2:]) != nil {
		return 0, usagef("%s, not the flag %s: %s", needs, next, o.arg)
	}
	n.secret(o, n.at+1, rest[0], rest[0])
	n.out = append(n.out, name+"="+rest[0])
	return 1, nil
}

// secret notes where a password stands: value is the end of the argument at i.
func (n *normalizer) secret(o *option, i int, arg, value string) {
	if o.secret != nil && o.secret(value) {
		n.secrets = append(n.secrets, span{i, len(arg) - len(value)})
	}
}

// lookup finds an option by a whole name. A single letter is a name only behind
// a single dash.
func (n *normalizer) lookup(name string, long bool) *option {
	if len(name) <= 1 {
		if long {
			return nil
		}
		return n.short(name)
	}
	if o := n.long(name); o != nil {
		return o
	}
	if o := n.camelCase(name); o != nil {
		fmt.Fprintf(n.log, "warning: the flag %s is now spelled --%s\n", name, o.name)
		return o
	}
	return n.shortened(name)
}

// shortened finds an option by the beginning of its name. Only asbench's flags
// may be shortened, and mean what they mean there: a beginning does not become
// unclear because aeroload has further flags.
func (n *normalizer) shortened(name string) *option {
	whole, _ := convert.AsbenchFlag(name)
	if whole == "" {
		return nil
	}
	o := n.long(whole)
	if o != nil {
		fmt.Fprintf(n.log, "warning: the flag %s is taken for --%s\n", name, o.name)
	}
	return o
}

func (n *normalizer) short(letter string) *option {
	for _, o := range n.options {
		if o.short != "" && o.short == letter {
			return o
		}
	}
	return nil
}

func (n *normalizer) long(name string) *option {
	for _, o := range n.options {
		if o.name == name || slices.Contains(o.aliases, name) {
			return o
		}
	}
	return nil
}

// camelCase finds an option by an old spelling such as maxRetries, readModeAP or
// tlsCaFile: the words of its name without dashes, and capitals anywhere but in
// front. Names of one word have no such spelling: -Port is -P with the password
// "ort".
func (n *normalizer) camelCase(name string) *option {
	lower := strings.ToLower(name)
	if lower == name || name[0] != lower[0] {
		return nil
	}
	for _, o := range n.options {
		if strings.Contains(o.name, "-") && strings.ReplaceAll(o.name, "-", "") == lower {
			return o
		}
	}
	return nil
}

func (n *normalizer) suggest(name string) string {
	if name == "h" {
		name = "help"
	}
	var known, longer []string
	for _, o := range n.options {
		if strings.HasPrefix(o.name, name) {
			longer = append(longer, "--"+o.name)
		}
		known = append(known, "--"+o.name)
		for _, a := range o.aliases {
			known = append(known, "--"+a)
		}
	}
	if len(name) > 2 && len(longer) > 0 {
		return `; did you mean "` + strings.Join(longer, `" or "`) + `"?`
	}
	return suggest.DidYouMean("--"+name, known)
}
