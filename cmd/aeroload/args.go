package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/aeroload/aeroload/internal/suggest"
)

// normalize rewrites the arguments of a command into the one form --name=value,
// so that everything that asbench's command lines contain is understood: a value
// glued to its short flag (-z16), several switches behind one dash (-dL), long
// names behind a single dash (-upn x), a value that begins with a dash
// (-e -1), camelCase names (with a warning to log), and a value that may be
// missing (-P). What is no flag is returned in its place.
func normalize(args []string, options []*option, log io.Writer) ([]string, error) {
	n := normalizer{options: options, log: log}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return append(n.out, args[i:]...), nil
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			n.out = append(n.out, arg)
			continue
		}
		used, err := n.flag(arg, args[i+1:])
		if err != nil {
			return nil, err
		}
		i += used
	}
	return n.out, nil
}

type normalizer struct {
	options []*option
	log     io.Writer
	out     []string
}

// flag reads one argument that begins with a dash. It returns how many of the
// following arguments it used as its value.
func (n *normalizer) flag(arg string, rest []string) (used int, err error) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	long := strings.HasPrefix(arg, "--")
	if o := n.lookup(name, long); o != nil {
		return n.emit(o, arg, value, hasValue, rest)
	}
	if !long {
		if o := n.short(name[:1]); o != nil {
			return n.glued(o, arg, arg[2:], rest)
		}
	}
	return 0, usagef("unknown flag %s%s", strings.SplitN(arg, "=", 2)[0], n.suggest(name))
}

// glued reads what follows a short flag in the same argument: its value, or
// further short flags.
func (n *normalizer) glued(o *option, arg, tail string, rest []string) (int, error) {
	for o.arg == "" {
		n.out = append(n.out, "--"+o.name)
		if tail == "" {
			return 0, nil
		}
		next := n.short(tail[:1])
		if next == nil {
			return 0, usagef("%s: unknown flag -%s", arg, tail[:1])
		}
		o, tail = next, tail[1:]
	}
	if tail == "" {
		return n.emit(o, arg, "", false, rest)
	}
	return n.emit(o, arg, strings.TrimPrefix(tail, "="), true, rest)
}

// emit appends the flag in its canonical form.
func (n *normalizer) emit(o *option, arg, value string, hasValue bool, rest []string) (int, error) {
	switch {
	case o.arg == "" && hasValue:
		return 0, usagef("%s: the flag --%s takes no value", arg, o.name)
	case o.arg == "":
		n.out = append(n.out, "--"+o.name)
		return 0, nil
	case hasValue, o.optional:
		n.out = append(n.out, "--"+o.name+"="+value)
		return 0, nil
	case len(rest) == 0:
		return 0, usagef("%s needs a value: %s", arg, o.arg)
	}
	n.out = append(n.out, "--"+o.name+"="+rest[0])
	return 1, nil
}

// lookup finds an option by a whole name. A single letter is a name only behind
// a single dash.
func (n *normalizer) lookup(name string, long bool) *option {
	if len(name) <= 1 {
		if long || name == "" {
			return nil
		}
		return n.short(name)
	}
	if o := n.long(name); o != nil {
		return o
	}
	kebab := kebabCase(name)
	o := n.long(kebab)
	if o != nil && kebab != name {
		fmt.Fprintf(n.log, "warning: the flag %s is now spelled --%s\n", name, kebab)
	}
	return o
}

func (n *normalizer) short(letter string) *option {
	for _, o := range n.options {
		if o.short == letter {
			return o
		}
	}
	return nil
}

func (n *normalizer) long(name string) *option {
	for _, o := range n.options {
		if o.name == name {
			return o
		}
		for _, a := range o.aliases {
			if a == name {
				return o
			}
		}
	}
	return nil
}

func (n *normalizer) suggest(name string) string {
	var known []string
	for _, o := range n.options {
		known = append(append(known, "--"+o.name), o.aliases...)
	}
	return suggest.DidYouMean("--"+name, known)
}

// kebabCase turns maxRetries into max-retries.
func kebabCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) {
			if i > 0 {
				b.WriteByte('-')
			}
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}
