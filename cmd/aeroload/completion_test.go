package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// completionRows are beginnings of command lines and what must, or must not, be
// among the completions of their last word.
func completionRows() []struct{ line, has, hasNot string } {
	return []struct{ line, has, hasNot string }{
		{"aeroload ", "validate serve gen merge compare completion man", ""},
		{"aeroload va", "validate", "serve"},
		{"aeroload --ho", "--hosts", "--port"},
		{"aeroload --tls-key", "--tls-keyfile --tls-keyfile-password", "--tls-cafile"},
		{"aeroload --he", "--help", ""},
		{"aeroload --replica ", "master any sequence prefer-rack", "validate"},
		{"aeroload -C pr", "prefer-rack", "master"},
		{"aeroload -d --read-mode-sc allow", "allowReplica allowUnavailable", "session"},
		{"aeroload --workload-stages st", "stages.yaml", "--set"},
		{"aeroload --hdr-hist ", "folder/", "stages.yaml"},
		{"aeroload serve --tls-", "--tls-test", "--tls-protocols"},
		{"aeroload validate st", "stages.yaml", "serve"},
		{"aeroload compare --format ", "markdown", "stages.yaml"},
		{"aeroload completion ", "bash zsh fish", "stages.yaml"},
	}
}

// checkCompletions completes the lines by a shell, in a folder with a stage file
// and another folder. complete returns the words that the shell offers.
func checkCompletions(t *testing.T, complete func(dir, script, line string) []string, shell string) {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("there is no %s", shell)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "stages.yaml"), "- workload: I\n")
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := writeFile(t, filepath.Join(t.TempDir(), "_aeroload"), scriptOf(t, shell))
	for _, row := range completionRows() {
		got := complete(dir, script, row.line)
		for _, want := range strings.Fields(row.has) {
			if !slices.Contains(got, want) && !slices.Contains(got, strings.TrimSuffix(want, "/")) {
				t.Errorf("%q: %s is not among %q", row.line, want, got)
			}
		}
		if row.hasNot != "" && slices.Contains(got, row.hasNot) {
			t.Errorf("%q: %s is among %q", row.line, row.hasNot, got)
		}
	}
}

func scriptOf(t *testing.T, shell string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run([]string{"completion", shell}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, %s", code, &stderr)
	}
	return stdout.String()
}

func shellOutput(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("%s: %v\n%s%s", name, err, &stdout, &stderr)
	}
	return stdout.String()
}

func TestBashCompletion(t *testing.T) {
	bash := func(dir, script string, words []string) []string {
		const driver = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _aeroload; printf '%s\n' "${COMPREPLY[@]}"`
		return strings.Fields(shellOutput(t, dir, "bash", append([]string{"--norc", "-c", driver, "bash", script}, words...)...))
	}
	checkCompletions(t, func(dir, script, line string) []string { return bash(dir, script, strings.Split(line, " ")) }, "bash")
	if _, err := exec.LookPath("bash"); err != nil {
		return
	}
	script := writeFile(t, filepath.Join(t.TempDir(), "script"), scriptOf(t, "bash"))
	// Bash takes a word apart at equals signs.
	for _, words := range [][]string{{"aeroload", "--replica", "=", "ma"}, {"aeroload", "-d", "--replica", "=", "ma"}} {
		if got := bash(t.TempDir(), script, words); !slices.Equal(got, []string{"master"}) {
			t.Errorf("%q is completed by %q", words, got)
		}
	}
	if got := bash(t.TempDir(), script, []string{"aeroload", "--replica", "="}); len(got) != 4 {
		t.Errorf("--replica= is completed by %q", got)
	}
}

func TestFishCompletion(t *testing.T) {
	checkCompletions(t, func(dir, script, line string) []string {
		out := shellOutput(t, dir, "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line)
		var words []string
		for candidate := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSpace(candidate), "\t")
			words = append(words, word)
		}
		return words
	}, "fish")
}

// TestZshCompletion types into a zsh within a zsh, as only the line editor
// completes. What the completion adds is written to a file.
func TestZshCompletion(t *testing.T) {
	const inner = `
PS1=
fpath=(${SCRIPT:h} $fpath)
autoload -Uz compinit
compinit -u -D
bindkey '^I' complete-word
typeset -a hits
compadd() {
    # With one of these, it only sorts candidates for a later call.
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        builtin compadd -A hits "$@"
        print -rl -- $hits >> $OUT
    fi
    builtin compadd "$@"
}
finish() { print -r - COMP""LETED; exit }
comppostfuncs=(finish)
print -r - RE""ADY
`
	const driver = `
zmodload zsh/zpty && zpty shell zsh -f -i && zpty -w shell "source $INNER"
zpty -r -m shell shown '*READY*' || exit 8
zpty -n -w shell "$LINE"$'\t'
zpty -r -m shell shown '*COMPLETED*' || { print -r - "$shown" >&2; exit 7 }
zpty -d shell`
	checkCompletions(t, func(dir, script, line string) []string {
		files := t.TempDir()
		t.Setenv("SCRIPT", script)
		t.Setenv("LINE", line)
		t.Setenv("OUT", writeFile(t, filepath.Join(files, "out"), ""))
		t.Setenv("INNER", writeFile(t, filepath.Join(files, "inner"), inner))
		shellOutput(t, dir, "zsh", "-f", "-c", driver)
		out, err := os.ReadFile(filepath.Join(files, "out"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}, "zsh")
}

func TestCompletionErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"completion"}, "completion needs the name of a shell: bash, zsh, fish"},
		{[]string{"completion", "bash", "zsh"}, "completion needs the name of a shell"},
		{[]string{"completion", "bsh"}, `there is no completion for "bsh"; did you mean "bash"?; there is for bash, zsh, fish`},
		{[]string{"man", "x"}, `unexpected argument "x"`},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(c.args, &stdout, &stderr); code != exitUsage || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, code, &stderr)
		}
	}
}

// Values that shells offer are taken.
func TestChoicesAreTaken(t *testing.T) {
	for _, cmd := range everyCommand() {
		for _, o := range cmd.options {
			for _, choice := range o.choices {
				if err := o.set(newSettings(), choice); err != nil {
					t.Errorf("--%s %s: %v", o.name, choice, err)
				}
			}
			stageKey := o.name == "arrival" || o.name == "on-error" || o.name == "key-type" // checked with the plan
			if len(o.choices) > 0 && o.set(newSettings(), "none-of-them") == nil && !stageKey {
				t.Errorf("--%s takes more than its choices", o.name)
			}
		}
	}
}

// What a run takes a few words for is completed: a flag whose refusal lists all
// that it takes has them as choices.
func TestFewWordsAreCompleted(t *testing.T) {
	few := regexp.MustCompile(`"none-of-them" is not (one of )?[a-z][A-Za-z-]*(, [A-Za-z-]+)*(,| or) [A-Za-z-]+$`)
	listed := 0
	for _, o := range runOptions() {
		if o.arg == "" || o.optional {
			continue
		}
		_, err := parseInto(newSettings(), "--"+o.name+"=none-of-them")
		words := false
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				words = words || few.MatchString(strings.TrimSpace(line))
			}
		}
		if words {
			listed++
		}
		if words && len(o.choices) == 0 {
			t.Errorf("--%s is not completed: %v", o.name, err)
		}
	}
	if listed < 5 {
		t.Errorf("only %d flags list their words", listed)
	}
	for name, want := range map[string][]string{
		"on-error": {"continue", "stop", "give-up"}, "key-type": {"integer", "string", "bytes"},
		"progress": {"auto", "on", "off"}, "summary-format": {"text", "node"},
	} {
		n := normalizer{options: runOptions()}
		if got := n.long(name).choices; !slices.Equal(got, want) {
			t.Errorf("--%s completes %q, want %q", name, got, want)
		}
	}
}

// TestManPage has the page checked by the programs that show it.
func TestManPage(t *testing.T) {
	page := manPage("v1.2.3 (with more)", time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	for _, cmd := range everyCommand() {
		for _, o := range completed(cmd) {
			if name := `\fB` + strings.ReplaceAll("--"+o.name, "-", `\-`) + `\fR`; !strings.Contains(page, name) {
				t.Errorf("the page does not have --%s", o.name)
			}
		}
	}
	for _, want := range []string{`.TH AEROLOAD 1 "2026-12-01" "aeroload v1.2.3"`, `.B AEROLOAD_PASSWORD`, `.B aeroload validate`, ".SH EXIT STATUS"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	file := writeFile(t, filepath.Join(t.TempDir(), "aeroload.1"), page)
	checked := false
	for _, check := range [][]string{
		{"mandoc", "-T", "lint", "-W", "warning", file},
		{"groff", "-man", "-ww", "-T", "utf8", "-z", file},
		{"man", "--warnings", "-l", file},
	} {
		if _, err := exec.LookPath(check[0]); err != nil {
			continue
		}
		checked = true
		out, err := exec.Command(check[0], check[1:]...).CombinedOutput()
		if err != nil || check[0] != "man" && len(out) > 0 || strings.Contains(string(out), "warning:") {
			t.Errorf("%q: %v\n%s", check, err, out)
		}
		if check[0] == "man" && !strings.Contains(string(out), "AEROLOAD_PASSWORD") {
			t.Errorf("man shows\n%s", out)
		}
	}
	if !checked {
		t.Skip("there is neither mandoc nor groff nor man")
	}
}
