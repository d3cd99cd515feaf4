package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	helpWidth  = 100 // columns
	helpIndent = 30  // where descriptions begin
)

// writeHelp prints a command's help, its flags grouped by topic.
func writeHelp(w io.Writer, cmd command) {
	var b strings.Builder
	if cmd.name == "" {
		b.WriteString("aeroload - run staged workloads against Aerospike\n")
	} else {
		fmt.Fprintf(&b, "aeroload %s - %s\n", cmd.name, cmd.usage)
	}
	b.WriteString("\nUsage:\n")
	for _, line := range usageLines(cmd) {
		b.WriteString("  " + line + "\n")
	}
	if cmd.name == "" {
		b.WriteString("\nCommands (aeroload COMMAND --help tells their flags):\n")
		for _, c := range commands() {
			fmt.Fprintf(&b, "  %-*s%s\n", helpIndent-2, c.name, c.usage)
		}
	}
	category := ""
	for _, o := range append(cmd.options, generalOptions()...) {
		if o.category != category {
			category = o.category
			fmt.Fprintf(&b, "\n%s:\n", category)
		}
		writeOption(&b, o)
	}
	// There is nobody left to tell if this fails.
	_, _ = io.WriteString(w, b.String())
}

func usageLines(cmd command) []string {
	if cmd.name != "" {
		return []string{strings.TrimSpace("aeroload " + cmd.name + " [flags] " + cmd.argsUsage)}
	}
	lines := []string{"aeroload [flags] --workload-stages FILE", "aeroload [flags] -w WORKLOAD"}
	for _, c := range commands() {
		lines = append(lines, usageLines(c)...)
	}
	return lines
}

func writeOption(b *strings.Builder, o *option) {
	names := "    "
	if o.short != "" {
		names = "-" + o.short + ", "
	}
	names += "--" + o.name
	switch {
	case o.optional:
		names += "[=" + o.arg + "]"
	case o.arg != "":
		names += " " + o.arg
	}
	line := "  " + names
	if utf8.RuneCountInString(line) > helpIndent-2 {
		b.WriteString(line + "\n")
		line = ""
	}
	for _, word := range o.words() {
		if n := utf8.RuneCountInString(line); n > helpIndent && n+1+utf8.RuneCountInString(word) > helpWidth {
			b.WriteString(line + "\n")
			line = ""
		}
		if n := utf8.RuneCountInString(line); n < helpIndent {
			line += strings.Repeat(" ", helpIndent-n) + word
		} else {
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
}

// words are what the help says of an option. Those with blanks in them stay on one
// line.
func (o *option) words() []string {
	words := strings.Fields(o.usage)
	for _, a := range o.aliases {
		words[len(words)-1] += ";"
		words = append(words, "also", "--"+a)
	}
	if o.def != "" {
		words = append(words, "(default: "+o.def+")")
	}
	if o.env != "" {
		words = append(words, "["+o.env+"]")
	}
	return words
}
