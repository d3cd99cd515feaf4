package convert

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// width is where the lines of a stage file's comments end.
const width = 100

// bytes writes the draft as a stage file.
func (d *draft) bytes(in *input) []byte {
	w := &writer{}
	w.paragraph("Converted from " + d.tool.input + ":")
	w.line("#")
	for _, line := range wrap(in.shown, width-4, ` \`) {
		w.line("#   " + line)
	}
	w.line("#")
	w.paragraph("Host, namespace, set and policies are no part of a stage file. This runs it:")
	w.line("#")
	for _, line := range wrap(d.command(), width-4, ` \`) {
		w.line("#   " + line)
	}
	w.table("", d.run)
	w.table("Without counterpart:", d.none)
	if len(d.notes) > 0 {
		w.line("#")
		w.paragraph("Different:")
		for _, n := range d.notes {
			w.item(n)
		}
	}
	w.line("")
	if d.whole != nil {
		w.Write(d.whole)
		return w.Bytes()
	}
	if d.hdrDir.value != "" {
		w.key("", d.hdrDir)
		w.line("")
	}
	w.line("stages:")
	for i, e := range d.stage {
		indent := "    "
		if i == 0 {
			indent = "  - "
		}
		w.key(indent, e)
	}
	return w.Bytes()
}

// command returns the words of the command line that runs the file.
func (d *draft) command() []string {
	words := []string{"aeroload"}
	for _, f := range d.run {
		word := f.name
		if !f.bare {
			word += " " + quoteShell(f.value)
		}
		words = append(words, word)
	}
	return append(words, "--workload-stages "+quoteShell(d.file()))
}

// writer writes the lines of a stage file.
type writer struct{ bytes.Buffer }

func (w *writer) line(text string) {
	w.WriteString(strings.TrimRight(text, " "))
	w.WriteByte('\n')
}

// paragraph writes a comment that fills as many lines as it needs.
func (w *writer) paragraph(text string) {
	for _, line := range wrap(strings.Fields(oneLine(text)), width-2, "") {
		w.line("# " + line)
	}
}

// item writes an item of a list in a comment.
func (w *writer) item(text string) {
	first := "#   - "
	for _, line := range wrap(strings.Fields(oneLine(text)), width-len(first), "") {
		w.line(first + line)
		first = "#     "
	}
}

// table writes entries with their reasons in a column of their own.
func (w *writer) table(title string, entries []entry) {
	if len(entries) == 0 {
		return
	}
	w.line("#")
	if title != "" {
		w.paragraph(title)
	}
	const most = 34 // columns of names; longer ones have lines of their own
	column := 0
	for _, e := range entries {
		if n := utf8.RuneCountInString(e.label()); n <= most {
			column = max(column, n)
		}
	}
	for _, e := range entries {
		label := e.label()
		lines := wrap(strings.Fields(oneLine(e.why)), width-6-column, "")
		if utf8.RuneCountInString(label) > most {
			w.line("#   " + label)
			label = ""
		}
		for _, line := range lines {
			w.line(fmt.Sprintf("#   %-*s  %s", column, label, line))
			label = ""
		}
	}
}

// label returns a flag with its value, or the setting that an entry is about.
func (e entry) label() string {
	if e.bare {
		return oneLine(e.name)
	}
	return oneLine(e.name + " " + quoteShell(e.value))
}

// key writes a key with its value and the reason behind it, or above it if that
// makes too long a line.
func (w *writer) key(indent string, e entry) {
	text := e.value
	if !e.plain {
		text = quoteYAML(text)
	}
	const column = 26 // of the reason, where it fits
	line := fmt.Sprintf("%s%s: %s", indent, e.name, text)
	why := oneLine(e.why)
	if n := max(utf8.RuneCountInString(line), column) + 3 + utf8.RuneCountInString(why); why == "" || n <= width {
		w.line(fmt.Sprintf("%-*s   # %s", column, line, why))
		return
	}
	// A comment within the first item of a list would end up before its dash.
	above := strings.Repeat(" ", len(indent))
	if strings.Contains(indent, "-") {
		above = strings.Replace(indent, "-", " ", 1)
		above = above[:len(above)-2]
	}
	for _, l := range wrap(strings.Fields(why), width-len(above)-2, "") {
		w.line(above + "# " + l)
	}
	w.line(line)
}

// wrap joins words to lines of up to limit characters, where they can be. Lines
// that go on end in more.
func wrap(words []string, limit int, more string) []string {
	var lines []string
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word)+len(more) <= limit:
			line += " " + word
		default:
			lines = append(lines, line+more)
			line = word
			if more != "" {
				line = "  " + word
			}
		}
	}
	return append(lines, line)
}

// quoteYAML writes a text as a YAML scalar on one line.
func quoteYAML(text string) string {
	n := &yaml.Node{}
	n.SetString(text)
	if n.Style == yaml.LiteralStyle || !printable(text) {
		n.Style = yaml.DoubleQuotedStyle
	}
	out, err := yaml.Marshal(n)
	line := strings.TrimSuffix(string(out), "\n")
	if err != nil || strings.Contains(line, "\n") {
		n.Style = yaml.DoubleQuotedStyle
		out, _ = yaml.Marshal(n)
		line = strings.TrimSuffix(string(out), "\n")
	}
	return line
}

// oneLine replaces what would end a comment, or that an editor would hide.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
}

// printable tells whether a text has nothing that must be escaped.
func printable(text string) bool {
	for _, r := range text {
		if r != ' ' && !unicode.IsPrint(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}
