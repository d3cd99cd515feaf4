package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/stage"
)

// draft is what a tool's settings come to in aeroload: the model that all tools
// share.
type draft struct {
	tool    *tool
	options Options
	hdrDir  entry   // the file's own key; no value for none
	stage   []entry // keys of the stage
	run     []entry // flags of the run that a stage file has no keys for
	none    []entry // settings without counterpart: as they were written, and why
	notes   []string
	// whole is a stage file that the input names, instead of a stage, and
	// wholeFile its path.
	whole     []byte
	wholeFile string
}

// blame says which setting the line of a file came from that aeroload's reader finds
// something wrong with.
func (d *draft) blame(file []byte, p stage.Problem) error {
	lines := strings.Split(string(file), "\n")
	if p.Place.Line < 1 || p.Place.Line > len(lines) {
		return p.Err
	}
	key, _, _ := strings.Cut(strings.TrimLeft(lines[p.Place.Line-1], " -"), ":")
	for _, e := range d.stage {
		if e.name == key && e.why != "" {
			return fmt.Errorf("%s: %w", e.why, p.Err)
		}
	}
	return p.Err
}

// entry is a key or flag with its value, and why it is there.
type entry struct {
	name, value string
	why         string
	// plain values are YAML already, and not to be quoted.
	plain bool
	// bare marks a switch, or a line without a value.
	bare bool
	// prompt marks a flag whose value must not be written down: aeroload asks
	// for it.
	prompt bool
}

// set gives the stage a key whose value is a text.
func (d *draft) set(key, value, why string) {
	d.stage = append(d.stage, entry{name: key, value: value, why: why})
}

// setPlain gives the stage a key whose value is written as YAML: a number, a
// boolean or a mapping.
func (d *draft) setPlain(key, value, why string) {
	d.stage = append(d.stage, entry{name: key, value: value, why: why, plain: true})
}

func (d *draft) setInt(key string, n int64, why string) {
	d.setPlain(key, strconv.FormatInt(n, 10), why)
}

// flag gives the run a flag with a value.
func (d *draft) flag(name, value, why string) {
	d.run = append(d.run, entry{name: name, value: value, why: why})
}

// turnOn gives the run a switch.
func (d *draft) turnOn(name, why string) {
	d.run = append(d.run, entry{name: name, why: why, bare: true})
}

// askPassword has the run ask for the user's password.
func (d *draft) askPassword(why string) {
	d.run = append(d.run, entry{name: "--password", why: why, bare: true, prompt: true})
}

// without lists a setting that has no counterpart.
func (d *draft) without(setting, why string) {
	d.none = append(d.none, entry{name: setting, why: why, bare: true})
}

// note tells of a difference.
func (d *draft) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

func (d *draft) file() string {
	if d.options.File == "" {
		return "stages.yaml"
	}
	return d.options.File
}

// endless ends a stage that has no end of its own. why says what the tool does.
func (d *draft) endless(why string) {
	if d.options.Duration != "" {
		d.set("duration", d.options.Duration, "--duration; the benchmark "+why)
		return
	}
	d.set("duration", "87600h", "the benchmark "+why+"; this is ten years, the longest there is. Ctrl-C ends the run with all results written; --duration of convert gives it another end")
}

// ends takes note that the input says itself when the stage ends.
func (d *draft) ends(in *input, how string) {
	if d.options.Duration != "" {
		in.problems = append(in.problems, fmt.Errorf("--duration is for benchmarks that run until they are stopped, and this one ends by itself: %s", how))
	}
}

// inFlight gives the stage so many transactions on their way at once, for a tool
// that has no thread for each.
func (d *draft) inFlight(n int64, why string) {
	switch {
	case n <= stage.MaxAsync:
		d.setPlain("async", "true", "transactions on their way are bounded without regard to threads")
		d.setInt("async-max-commands", n, why)
	case n <= stage.MaxThreads:
		d.setInt("threads", n, why+"; async stages have at most "+strconv.Itoa(stage.MaxAsync))
	default:
		d.setInt("threads", stage.MaxThreads, fmt.Sprintf("%s: %d, but %d is the most there can be", why, n, stage.MaxThreads))
	}
}

// threads gives the stage workers.
func (d *draft) threads(n int64, why string) {
	if n > stage.MaxThreads {
		n, why = stage.MaxThreads, fmt.Sprintf("%s, but %d is the most there can be", why, stage.MaxThreads)
	}
	d.setInt("threads", n, why)
}

// fillByTable carries out what the tool's table says of the settings that the
// tool's own function left, and lists those that mean nothing here.
func (d *draft) fillByTable(in *input) {
	for i := range in.tool.settings {
		s := &in.tool.settings[i]
		g := in.byName[s.names[0]]
		switch {
		case g == nil || g.used || g.node != nil && g.node.empty():
		case s.none != "":
			if s.takes != nothing || g.text != "false" {
				d.without(g.cite(), s.none)
			}
		case s.flag == "":
			d.without(g.cite(), "has no effect on this load there either")
		default:
			d.flagOf(in, s, g)
		}
	}
	for _, typed := range in.twice {
		which := "last"
		if in.tool.firstWins {
			which = "first"
		}
		d.note("%s is given twice; the %s counts, as there.", typed, which)
	}
}

// flagOf gives the run the flag that means the same as a setting.
func (d *draft) flagOf(in *input, s *setting, g *given) {
	if s.takes == nothing {
		if g.text != "false" {
			d.turnOn(s.flag, g.cite())
		}
		return
	}
	text := g.text
	if s.check != nil {
		var err error
		if text, err = s.check(text); err != nil {
			in.fail(g.place, "%s: %w", g.typed, err)
			return
		}
	}
	switch {
	case !s.secret:
		d.flag(s.flag, text, g.cite())
	case s.flag == "--password":
		d.askPassword(g.typed + "; the password is not copied: aeroload asks for it")
	case strings.HasPrefix(text, "env:") || strings.HasPrefix(text, "file:"):
		// These say where the secret is, not what.
		d.flag(s.flag, text, g.typed)
	default:
		d.run = append(d.run, entry{name: s.flag, value: "env:KEY_PASSWORD", why: g.typed + "; the password is not copied: put it into this variable", prompt: true})
	}
}

// columns gives the run a layout of latency columns, as the Java client's
// benchmark takes it, or notes what is wrong with the setting that has it.
func (d *draft) columns(in *input, g *given, layout, why string) {
	if _, err := report.ParseColumns(layout); err != nil {
		in.fail(g.place, "%s: %w", g.typed, err)
		return
	}
	d.flag("--latency-columns", layout, why)
	if slices.ContainsFunc(d.stage, func(e entry) bool { return e.name == "tps" }) {
		d.note("With a target rate, latency columns hold response times here, which include waiting, and service times there.")
	}
}

// groups are the beginnings of flags in the order in which they are written;
// what begins with none of them comes last.
var groups = []string{"--hosts", "--port", "--user", "--password", "--auth", "--services", "--tls", "--namespace", "--set", "--bin",
	"--connect", "--tender", "--max-error", "--error", "--min-conns", "--max-conns", "--timeout", "--read-timeout", "--write-timeout",
	"--socket", "--read-socket", "--write-socket", "--max-retries", "--sleep"}

// sortRun puts the flags of the run in the order of their groups.
func (d *draft) sortRun() {
	rank := func(e entry) int {
		i := slices.IndexFunc(groups, func(g string) bool { return strings.HasPrefix(e.name, g) })
		if i < 0 {
			i = len(groups)
		}
		return i
	}
	slices.SortStableFunc(d.run, func(a, b entry) int { return rank(a) - rank(b) })
}

// args returns the flags of the run, but for those that would ask.
func (d *draft) args() []string {
	var args []string
	for _, f := range d.run {
		if f.prompt {
			continue
		}
		args = append(args, f.name)
		if !f.bare {
			args = append(args, f.value)
		}
	}
	return args
}

// defaults puts the flags of the run that stages depend on into d.
func (d *draft) defaults(to *stage.Defaults) {
	for _, f := range d.run {
		switch f.name {
		case "--bin":
			to.ObjectOptions.BinName = f.value
		case "--object-spec":
			to.ObjectSpec = f.value
		case "--start-key":
			to.StartKey, _ = strconv.ParseUint(f.value, 10, 64)
		case "--keys":
			to.Keys, _ = strconv.ParseUint(f.value, 10, 64)
			to.KeysGiven = true
		case "--compression-ratio":
			to.ObjectOptions.CompressionRatio, _ = strconv.ParseFloat(f.value, 64)
		}
	}
}

// quoteShell writes a word so that a shell reads it back. Control characters,
// which could end a comment, never come through as they are.
func quoteShell(word string) string {
	q, err := syntax.Quote(word, syntax.LangBash)
	if err != nil { // it holds a zero byte, which no shell can say
		return strconv.Quote(word)
	}
	if strings.ContainsAny(q, "\n\r\u0085\u2028\u2029") || !printable(q) {
		return strconv.Quote(word)
	}
	return q
}
