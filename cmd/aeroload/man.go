package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"
)

// man prints the manual page.
func man(_ *settings, args []string, stdout, _ io.Writer) error {
	if err := unexpected(args); err != nil {
		return err
	}
	_, err := io.WriteString(stdout, manPage(version(), buildDate()))
	return err
}

// buildDate is the day of the commit that this was built from; today where that is
// unknown.
func buildDate() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return t
			}
		}
	}
	return time.Now()
}

// roff writes a text so that roff shows it as it is, on every device.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '…':
			b.WriteString("...")
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	if s := b.String(); !strings.HasPrefix(s, ".") {
		return s
	}
	return `\&` + b.String()
}

// manPage returns the manual page of all commands.
func manPage(version string, date time.Time) string {
	version, _, _ = strings.Cut(version, " ")
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	entry := func(name, about string) {
		line(".TP\n.B %s\n%s", roff(name), roff(about))
	}
	line(`.TH AEROLOAD 1 "%s" "aeroload %s" "User Commands"`, date.Format(time.DateOnly), roff(version))
	line(".SH NAME\naeroload \\- run staged workloads against Aerospike\n.SH SYNOPSIS\n.nf")
	for _, usage := range usageLines(command{}) {
		line("%s", roff(usage))
	}
	line(".fi\n.SH DESCRIPTION")
	line("%s", roff("aeroload runs staged workloads against Aerospike: a YAML file (or flags) says which stages to run, and out come per-second rates, latency percentiles, HDR histogram files and a summary. It takes the command lines and stage files of asbench as they are."))
	line(".PP\n%s", roff("A short flag may be glued to its value (-z16). Long names are understood behind a single dash as well, and in camelCase with a warning."))
	line(".SH COMMANDS")
	for _, c := range commands() {
		entry("aeroload "+c.name, c.usage)
	}
	line(".SH OPTIONS")
	manOptions(&b, runOptions(), ".SS")
	manOptions(&b, generalOptions(), ".SS")
	for _, c := range commands() {
		if len(c.options) > 0 {
			line(".SH %s\nFlags of\n.BR \"aeroload %[2]s\" .", strings.ToUpper("flags of "+roff(c.name)), roff(c.name))
			manOptions(&b, c.options, ".SS")
		}
	}
	line(".SH ENVIRONMENT\nEach variable says what its flag says. The flag comes first; an empty variable counts as none.")
	for _, o := range runOptions() {
		if o.env != "" {
			entry(o.env, "--"+o.name)
		}
	}
	line(".SH FILES\n.TP\n.I %s\n%s", roff("~/"+profilesHome), roff("Profiles: settings of the connection, under the names of the flags that have a variable, for what neither flags nor the environment say. What stands at the top is the profile default; others follow by their names under the key profiles."))
	line(".SH EXIT STATUS")
	for _, status := range []struct{ code, about string }{
		{"0", "the run went to its end"},
		{"1", "it failed: no cluster, or every transaction of an operation failed"},
		{"2", "a wrong flag or file; nothing was sent"},
		{"3", "an assertion of a stage failed, or a --fail-if of a comparison was met"},
		{"130, 143", "stopped by SIGINT or SIGTERM, with all results written"},
	} {
		entry(status.code, status.about)
	}
	line(".SH EXAMPLES\nLoad a million records, then read and update them for a minute at a fixed rate:\n.PP\n.RS 4\n.nf")
	line("%s\n%s", roff("aeroload -h my-node -w I -k 1M -o I4,S50"), roff("aeroload -h my-node -w RU,80 -k 1M -o I4,S50 -t 60 -g 20000 -L"))
	line(".fi\n.RE\n.PP\nRun a stage file against a server inside the same process:\n.PP\n.RS 4\n.nf\n%s\n.fi\n.RE", roff("aeroload --embedded --workload-stages stages.yaml"))
	return b.String()
}

// manOptions writes options under a heading for each topic.
func manOptions(b *strings.Builder, options []*option, heading string) {
	category := ""
	for _, o := range options {
		if o.category != category {
			category = o.category
			fmt.Fprintf(b, "%s %s\n", heading, roff(category))
		}
		names := `\fB` + roff("--"+o.name) + `\fR`
		if o.short != "" {
			names = `\fB` + roff("-"+o.short) + `\fR, ` + names
		}
		switch {
		case o.optional:
			names += `[=\fI` + roff(o.arg) + `\fR]`
		case o.arg != "":
			names += ` \fI` + roff(o.arg) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", names, roff(strings.Join(o.words(), " ")))
	}
}
