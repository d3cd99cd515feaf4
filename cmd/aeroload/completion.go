package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
)

// completion prints a script that makes a shell complete aeroload's command lines.
func completion(_ *settings, args []string, stdout, _ io.Writer) error {
	writers := map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	shells := []string{"bash", "zsh", "fish"}
	if len(args) != 1 {
		return usagef("completion needs the name of a shell: %s", strings.Join(shells, ", "))
	}
	write, ok := writers[args[0]]
	if !ok {
		return usagef("there is no completion for %q%s; there is for %s", args[0], suggest.DidYouMean(args[0], shells), strings.Join(shells, ", "))
	}
	_, err := io.WriteString(stdout, write())
	return err
}

// everyCommand returns the command without a name and then the others.
func everyCommand() []command {
	return append([]command{{options: runOptions()}}, commands()...)
}

// completed returns the options of a command, those of all commands included.
func completed(cmd command) []*option { return slices.Concat(cmd.options, generalOptions()) }

// operands tells what a command takes besides flags: file, shell or "".
func operands(cmd command) string {
	switch {
	case cmd.name == "completion":
		return "bash zsh fish"
	case cmd.argsUsage != "":
		return "file"
	}
	return ""
}

// kind tells what a value is, for completing it: "file", "folder" or "".
func (o *option) kind() string {
	switch {
	case o.arg == "DIR":
		return "folder"
	case strings.HasPrefix(o.arg, "FILE"):
		return "file"
	}
	return ""
}

// bashCompletion returns the script for bash. It needs nothing but bash 3.2.
func bashCompletion() string {
	var b strings.Builder
	b.WriteString(`# bash completion of aeroload: source <(aeroload completion bash)
_aeroload() {
    local cur prev word command= flags= i
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD-1]}
    # Bash takes --flag=value apart at the equals sign.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    COMPREPLY=()
    if ((COMP_CWORD > 1)); then
        command=${COMP_WORDS[1]}
    fi
    case $command in
`)
	for _, cmd := range append(commands(), command{options: runOptions()}) {
		pattern := cmd.name
		if cmd.name == "" {
			pattern = "*"
		}
		var flags []string
		fmt.Fprintf(&b, "    %s)\n        case $prev in\n", pattern)
		for _, o := range completed(cmd) {
			flags = append(flags, "--"+o.name)
			if o.arg == "" || o.optional {
				continue
			}
			names := "--" + o.name + "|-" + o.name
			if o.short != "" {
				names += "|-" + o.short
			}
			for _, a := range o.aliases {
				names += "|--" + a + "|-" + a
			}
			action := "COMPREPLY=()"
			switch {
			case len(o.choices) > 0:
				action = fmt.Sprintf(`COMPREPLY=($(compgen -W "%s" -- "$cur"))`, strings.Join(o.choices, " "))
			case o.kind() == "folder":
				action = `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur"))`
			case o.kind() == "file":
				action = `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))`
			}
			fmt.Fprintf(&b, "        %s) %s; return ;;\n", names, action)
		}
		fmt.Fprintf(&b, "        esac\n        flags=\"%s\"\n", strings.Join(flags, " "))
		switch what := operands(cmd); what {
		case "":
		case "file":
			b.WriteString("        word=file\n")
		default:
			fmt.Fprintf(&b, "        word=\"%s\"\n", what)
		}
		b.WriteString("        ;;\n")
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	fmt.Fprintf(&b, `    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    elif ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "%s" -- "$cur"))
    elif [[ $word == file ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$cur"))
    elif [[ -n $word ]]; then
        COMPREPLY=($(compgen -W "$word" -- "$cur"))
    fi
}
complete -F _aeroload aeroload
`, strings.Join(names, " "))
	return b.String()
}

// zshQuote quotes a text for zsh and the specifications of _arguments.
func zshQuote(text string) string {
	text = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
	return strings.ReplaceAll(text, "'", `'\''`)
}

// zshCompletion returns the script for zsh.
func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef aeroload\n# zsh completion of aeroload: source <(aeroload completion zsh), or a file _aeroload in $fpath\n")
	for _, cmd := range everyCommand() {
		fmt.Fprintf(&b, "\n_aeroload_%s() {\n    _arguments -s", strings.ReplaceAll(cmd.name, "-", "_"))
		if cmd.name == "" {
			b.WriteString(" -S")
		}
		for _, o := range completed(cmd) {
			names := []string{"--" + o.name}
			if o.short != "" {
				names = append(names, "-"+o.short)
			}
			for _, name := range names {
				suffix := ""
				switch {
				case o.optional && len(name) == 2:
					suffix = "-"
				case o.optional:
					suffix = "=-"
				case o.arg != "" && len(name) == 2:
					suffix = "+"
				case o.arg != "":
					suffix = "="
				}
				fmt.Fprintf(&b, " \\\n        '*%s%s[%s]%s'", name, suffix, zshQuote(o.usage), zshValue(o))
			}
		}
		switch what := operands(cmd); what {
		case "":
		case "file":
			b.WriteString(" \\\n        '*:file:_files'")
		default:
			fmt.Fprintf(&b, " \\\n        '1:shell:(%s)'", what)
		}
		b.WriteString("\n}\n")
	}
	b.WriteString("\n_aeroload() {\n    if ((CURRENT > 2)); then\n        case ${words[2]} in\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "        %s) shift words; ((CURRENT--)); _aeroload_%s; return ;;\n", c.name, strings.ReplaceAll(c.name, "-", "_"))
	}
	b.WriteString("        esac\n    elif [[ ${words[2]} != -* ]]; then\n        local -a commands=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "            '%s:%s'\n", c.name, strings.ReplaceAll(c.usage, "'", `'\''`))
	}
	b.WriteString(`        )
        _describe command commands
        return
    fi
    _aeroload_
}

if [[ $funcstack[1] == _aeroload ]]; then
    _aeroload "$@"
else
    compdef _aeroload aeroload
fi
`)
	return b.String()
}

// zshValue describes the value of an option to _arguments.
func zshValue(o *option) string {
	if o.arg == "" {
		return ""
	}
	about := ":" + zshQuote(o.arg) + ":"
	switch {
	case len(o.choices) > 0:
		return about + "(" + strings.Join(o.choices, " ") + ")"
	case o.kind() == "folder":
		return about + "_files -/"
	case o.kind() == "file":
		return about + "_files"
	}
	return about
}

// fishCompletion returns the script for fish.
func fishCompletion() string {
	quote := func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	none := "not __fish_seen_subcommand_from " + strings.Join(names, " ")
	var b strings.Builder
	b.WriteString("# fish completion of aeroload: aeroload completion fish | source\ncomplete -c aeroload -f\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c aeroload -n __fish_use_subcommand -a %s -d %s\n", c.name, quote(c.usage))
	}
	for _, cmd := range everyCommand() {
		when := quote(none)
		if cmd.name != "" {
			when = quote("__fish_seen_subcommand_from " + cmd.name)
		}
		for _, o := range completed(cmd) {
			fmt.Fprintf(&b, "complete -c aeroload -n %s -l %s", when, o.name)
			if o.short != "" {
				fmt.Fprintf(&b, " -s %s", o.short)
			}
			switch {
			case o.arg == "" || o.optional:
			case len(o.choices) > 0:
				fmt.Fprintf(&b, " -x -a %s", quote(strings.Join(o.choices, " ")))
			case o.kind() == "folder":
				b.WriteString(" -x -a '(__fish_complete_directories)'")
			case o.kind() == "file":
				b.WriteString(" -r -F")
			default:
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d %s\n", quote(o.usage))
		}
		switch what := operands(cmd); what {
		case "":
		case "file":
			fmt.Fprintf(&b, "complete -c aeroload -n %s -F\n", when)
		default:
			fmt.Fprintf(&b, "complete -c aeroload -n %s -a %s\n", when, quote(what))
		}
	}
	return b.String()
}
