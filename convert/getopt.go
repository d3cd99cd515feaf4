package convert

import (
	"strings"

	"github.com/aeroload/aeroload/internal/shown"
)

// readGetopt reads a command line as getopt_long_only does, which asbench uses:
// long names behind one or two dashes, shortened as long as they are
// unmistakable, values glued to short flags, several switches behind one dash.
// Values that switches took in older versions stand behind the letter or the name
// with two dashes; behind one dash, as in -latency 7,1, they are the Java
// benchmark's.
func readGetopt(in *input, args []Word) {
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		body, long := strings.CutPrefix(w.Text, "--")
		switch {
		case w.Text == "--" && len(args) == 0:
			return
		case w.Text == "--":
			in.operand(args[0], "asbench has only flags")
			return
		case !strings.HasPrefix(w.Text, "-") || w.Text == "-":
			in.operand(w, "asbench has only flags")
			continue
		case !long:
			body = w.Text[1:]
		}
		name, text, glued := strings.Cut(body, "=")
		var s *setting
		if long || len(name) > 1 {
			var clash []string
			if s, clash = in.tool.abbreviated(name); len(clash) > 0 {
				args = in.unclear(w.Place, dashed(name, long), clash, args)
				continue
			}
		}
		switch {
		case s != nil && long && glued && s.hasOlder(text):
			args = in.flag(s, dashed(name, long), w.Place, text, glued, args)
		case s != nil && long && !glued && len(args) > 0 && s.hasOlder(args[0].Text):
			in.valued(s, dashed(name, long), w.Place, args[0].Text, " ")
			args = args[1:]
		case s != nil && s.takes == nothing && glued:
			in.fail(w.Place, "%s is a switch and takes no value", dashed(name, long))
		case s != nil:
			args = in.flag(s, dashed(name, long), w.Place, text, glued, args)
		case long || in.gluesPassword(name):
			args = in.unknown(w.Place, dashed(name, long), name, dashed("", long), args)
		default:
			args = in.cluster(w, args)
		}
	}
}

func dashed(name string, long bool) string {
	if long {
		return "--" + name
	}
	return "-" + name
}

// unknown notes an unknown flag. What follows its name may be its value, even a
// password, and is not shown. It returns the words behind that.
func (in *input) unknown(place, typed, name, dashes string, rest []Word) []Word {
	cut := shown.Flag(typed)
	if cut != typed { // what is left is no name but for a password's
		name = strings.TrimSuffix(strings.TrimLeft(cut, "-"), "…")
	}
	in.fail(place, "unknown flag %s%s", cut, in.tool.suggest(name, dashes))
	return behindValue(rest)
}

// gluesPassword tells whether an unknown name behind a single dash is that of a
// password with the password behind it, and not a letter with its value: -passwordx
// is no port "asswordx", which would be shown.
func (in *input) gluesPassword(name string) bool {
	if !shown.IsPassword(name) {
		return false
	}
	letter := in.tool.setting(name[:1])
	return letter == nil || !letter.secret
}

// unclear notes a name that is the beginning of several, as unknown does.
func (in *input) unclear(place, typed string, clash []string, rest []Word) []Word {
	in.fail(place, "the flag %s is short for several: %s", typed, strings.Join(clash, ", "))
	return behindValue(rest)
}

// behindValue returns the words behind what is probably a value.
func behindValue(rest []Word) []Word {
	if len(rest) > 0 && !strings.HasPrefix(rest[0].Text, "-") {
		return rest[1:]
	}
	return rest
}

// abbreviated finds a flag by its long name or the beginning of it, or returns
// the names that begin so.
func (t *tool) abbreviated(name string) (s *setting, clash []string) {
	for i := range t.settings {
		for _, n := range t.settings[i].names {
			switch {
			case n == name && len(n) > 1:
				return &t.settings[i], nil
			case len(n) > 1 && strings.HasPrefix(n, name):
				if s != nil && s != &t.settings[i] {
					clash = append(clash, "--"+n)
				} else {
					s, clash = &t.settings[i], append(clash, "--"+n)
				}
			}
		}
	}
	for _, c := range clash {
		if t.setting(strings.TrimPrefix(c, "--")) != s {
			return nil, clash
		}
	}
	return s, nil
}

// AsbenchFlag returns the whole name of the flag of asbench that name is, or is
// the only one to begin with, without dashes; two letters at least. asbench
// reads its command line with getopt_long_only, which takes such beginnings. If
// several flags begin so, it returns their names instead, and neither if none
// does.
func AsbenchFlag(name string) (whole string, several []string) {
	if len(name) < 2 {
		return "", nil
	}
	s, clash := asbenchTool().abbreviated(name)
	if s != nil {
		return s.names[0], nil
	}
	for _, c := range clash {
		several = append(several, strings.TrimPrefix(c, "--"))
	}
	return "", several
}

// flag takes a flag with its value, which may be the next word. It returns the
// words that are left.
func (in *input) flag(s *setting, typed, place, text string, glued bool, rest []Word) []Word {
	g := &given{setting: s, typed: typed, text: text, place: place}
	whole := typed
	switch {
	case s.takes == nothing, glued:
		if glued {
			whole += "=" + in.show(s, text)
		}
	case s.takes == value:
		if len(rest) == 0 {
			in.fail(place, "%s needs a value", typed)
			return rest
		}
		g.text, rest = rest[0].Text, rest[1:]
		whole += " " + in.show(s, g.text)
	case len(rest) > 0 && rest[0].Text != "" && !strings.HasPrefix(rest[0].Text, "-"):
		g.text, rest = rest[0].Text, rest[1:]
		whole += " " + in.show(s, g.text)
	}
	in.shown = append(in.shown, whole)
	in.add(g)
	return rest
}

// valued takes a flag whose value stands behind it, with what is between them.
func (in *input) valued(s *setting, typed, place, text, between string) {
	in.shown = append(in.shown, typed+between+in.show(s, text))
	in.add(&given{setting: s, typed: typed, text: text, place: place})
}

// show returns a value for comments.
func (in *input) show(s *setting, text string) string {
	if s.secret {
		return hidden
	}
	return quoteShell(text)
}

// cluster reads an argument of short flags: -z16, -dL, -k 1000.
func (in *input) cluster(w Word, args []Word) []Word {
	body := w.Text[1:]
	for body != "" {
		letter := body[:1]
		body = body[1:]
		s := in.tool.setting(letter)
		if s == nil {
			if letter == w.Text[1:2] {
				name, _, _ := strings.Cut(w.Text[1:], "=")
				return in.unknown(w.Place, "-"+name, name, "-", args)
			}
			before := strings.TrimSuffix(w.Text, body)
			if body != "" {
				before += "…" // what follows may be a password
			}
			in.fail(w.Place, "unknown flag -%s in %q", letter, before)
			return args
		}
		switch {
		case body == "" && len(args) > 0 && s.hasOlder(args[0].Text):
			in.valued(s, "-"+letter, w.Place, args[0].Text, " ")
			return args[1:]
		case body != "" && (s.takes != nothing || s.hasOlder(body)):
			in.valued(s, "-"+letter, w.Place, body, "")
			return args
		case s.takes != nothing:
			return in.flag(s, "-"+letter, w.Place, "", false, args)
		}
		in.shown = append(in.shown, "-"+letter)
		in.add(&given{setting: s, typed: "-" + letter, place: w.Place})
	}
	return args
}
