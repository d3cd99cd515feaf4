package convert

import (
	"regexp"
	"strings"
)

// negative is a word that begins with a dash and is a value all the same.
var negative = regexp.MustCompile(`^-(\d+|\d*\.\d+)$`)

// readCommonsCLI reads a command line as the DefaultParser of Apache Commons CLI
// does, which the Java client's benchmark uses: names of one or more letters
// behind one dash or two, long names also shortened as long as they are
// unmistakable, values behind =, in the next word or glued to the name.
func readCommonsCLI(in *input, args []Word) {
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		if w.Text == "--" || w.Text == "-" || !strings.HasPrefix(w.Text, "-") {
			if w.Text == "--" && len(args) == 0 {
				return
			}
			in.operand(w, "the benchmark has only flags")
			continue
		}
		body := strings.TrimLeft(w.Text, "-")
		typed := w.Text[:len(w.Text)-len(body)]
		name, text, glued := strings.Cut(body, "=")
		s := in.tool.setting(name)
		if s == nil && len(name) > 1 {
			var clash []string
			if s, clash = in.tool.abbreviated(name); len(clash) > 0 {
				args = in.unclear(w.Place, typed+name, clash, args)
				continue
			}
		}
		switch {
		case s != nil && s.takes == nothing && glued:
			in.fail(w.Place, "%s is a switch and takes no value", typed+name)
		case s != nil && s.takes == value && !glued && len(args) > 0 && in.isFlag(args[0].Text):
			in.fail(w.Place, "%s needs a value, not the flag %s", typed+name, args[0].Text)
		case s != nil:
			args = in.flag(s, typed+name, w.Place, text, glued, args)
		case typed == "--" || in.gluesPassword(name) || glued && len(name) > 1 && in.tool.setting(name[:1]) == nil:
			args = in.unknown(w.Place, typed+name, name, typed, args)
		default:
			args = in.glued(w, args)
		}
	}
}

// isFlag tells whether a word is a flag of the tool by its whole name.
func (in *input) isFlag(word string) bool {
	if !strings.HasPrefix(word, "-") || negative.MatchString(word) {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	return in.tool.setting(name) != nil
}

// glued reads a word whose name is followed by its value, such as -z20 or
// -threads20, or that has several switches of one letter, such as -aR.
func (in *input) glued(w Word, args []Word) []Word {
	body := w.Text[1:]
	for n := len(body) - 1; n > 1; n-- {
		if s := in.tool.setting(body[:n]); s != nil && s.takes == value {
			return in.flag(s, "-"+body[:n], w.Place, body[n:], true, args)
		}
	}
	for i := range len(body) {
		s := in.tool.setting(body[i : i+1])
		switch {
		case s == nil:
			name, _, _ := strings.Cut(body, "=")
			return in.unknown(w.Place, "-"+name, name, "-", args)
		case s.takes == value && i+1 < len(body):
			return in.flag(s, "-"+body[i:i+1], w.Place, body[i+1:], true, args)
		default:
			args = in.flag(s, "-"+body[i:i+1], w.Place, "", false, args)
		}
	}
	return args
}
