package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/aeroload/aeroload/stage"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// helpOf runs the command with --help.
func helpOf(t *testing.T, cmd command) string {
	t.Helper()
	args := []string{"--help"}
	if cmd.name != "" {
		args = []string{cmd.name, "--help"}
	}
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("%q: exit code %d, %s", args, code, &stderr)
	}
	return stdout.String()
}

func TestHelpGolden(t *testing.T) {
	for _, cmd := range allCommands() {
		got := helpOf(t, cmd)
		file := filepath.Join("testdata", strings.TrimSuffix("help-"+cmd.name, "-")+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs (go test ./cmd/aeroload -run HelpGolden -update rewrites it):\n%s", file, got)
		}
	}
}

func TestHelpShowsEveryOption(t *testing.T) {
	for _, cmd := range allCommands() {
		help := helpOf(t, cmd)
		text := strings.Join(strings.Fields(help), " ")
		for _, o := range allOptions(cmd) {
			head := "      --" + o.name
			if o.short != "" {
				head = "  -" + o.short + ", --" + o.name
			}
			switch {
			case o.optional:
				head += "[=" + o.arg + "]"
			case o.arg != "":
				head += " " + o.arg
			}
			if n := strings.Count(help, "\n"+head+"\n") + strings.Count(help, "\n"+head+"  "); n != 1 {
				t.Errorf("aeroload %s --help shows %q %d times", cmd.name, head, n)
			}
			about := o.usage
			for _, a := range o.aliases {
				about += "; also --" + a
			}
			if o.def != "" {
				about += " (default: " + o.def + ")"
			}
			if o.env != "" {
				about += " [" + o.env + "]"
			}
			if !strings.Contains(text, about) {
				t.Errorf("aeroload %s --help does not say %q", cmd.name, about)
			}
		}
		for line := range strings.Lines(help) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > helpWidth {
				t.Errorf("aeroload %s --help has a line of %d columns: %s", cmd.name, n, line)
			}
			if line != strings.TrimRight(line, " ") {
				t.Errorf("aeroload %s --help has blanks at the end of %q", cmd.name, line)
			}
		}
	}
	root := helpOf(t, allCommands()[0])
	for _, cmd := range commands() {
		if !strings.Contains(root, "aeroload "+cmd.name+" ") {
			t.Errorf("aeroload --help does not name the command %s", cmd.name)
		}
	}
}

// The help wins over everything else that is said, but for what cannot be read.
func TestHelpComesFirst(t *testing.T) {
	for _, args := range [][]string{{"-k", "abc", "--help"}, {"x", "--help"}, {"--help", "--version"}, {"-help"}} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 0 || !strings.HasPrefix(stdout.String(), "aeroload - ") {
			t.Errorf("%q: exit code %d, %s%s", args, code, &stdout, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"--help", "--banana"}, &stdout, &stderr); code != exitUsage {
		t.Errorf("--help --banana: exit code %d", code)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"--version"}, {"-V"}, {"validate", "--version"}, {"serve", "-V"}} {
		var stdout, stderr bytes.Buffer
		code := run(args, &stdout, &stderr)
		if code != 0 || !strings.HasPrefix(stdout.String(), "aeroload version ") || strings.Count(stdout.String(), "\n") != 1 {
			t.Errorf("%q: exit code %d, %s%s", args, code, &stdout, &stderr)
		}
	}
}

// notValues are defaults in the help that say how a value comes about; the tests
// below look at what they say.
var notValues = map[string]bool{
	"max-conns-per-node": true, "seed": true, "duration": true, "read-bins": true, "write-bins": true,
	"batch-read-size": true, "batch-write-size": true, "batch-delete-size": true, "batch-namespaces": true, "tls-protocols": true, "max-outage": true,
}

// The defaults that the help shows are asbench's, and giving them changes
// nothing.
func TestDefaults(t *testing.T) {
	wanted := map[string]string{}
	for _, r := range flagRows() {
		wanted[r.name] = r.def
	}
	for _, o := range runOptions() {
		if o.name == profileName || o.name == profileFile {
			continue // TestSources has them
		}
		if want := wanted[o.name]; o.def != want {
			t.Errorf("the help says that the default of --%s is %q, want %q", o.name, o.def, want)
		}
		if o.def == "" || notValues[o.name] {
			continue
		}
		bare, given := parseFlags(t, "--seed=1"), parseFlags(t, "--seed=1", "--"+o.name, o.def)
		barePlan, givenPlan := planText(t, bare), planText(t, given)
		if barePlan != givenPlan {
			t.Errorf("--%s %s makes the plan\n%s\nnot\n%s", o.name, o.def, givenPlan, barePlan)
		}
		// Beyond the plan, only what records that flags were given may differ.
		for _, s := range []*settings{bare, given} {
			s.given, s.stageFlags = nil, nil
			s.defaults.KeyFlags, s.defaults.KeysGiven = nil, false
			s.socketTimeout, s.totalTimeout, s.readTotal, s.writeTotal, s.readSocket, s.writeSocket = nil, nil, nil, nil, nil, nil
		}
		if !reflect.DeepEqual(bare, given) {
			t.Errorf("--%s %s gives\n%+v\nnot\n%+v", o.name, o.def, given, bare)
		}
	}
	listen := serveOptions()[0]
	if listen.name != "listen" || listen.def != newSettings().listen {
		t.Errorf("the help says that --listen is %q, but it is %q", listen.def, newSettings().listen)
	}
}

func planOf(t *testing.T, s *settings) *stage.Plan {
	t.Helper()
	plan, err := s.plan()
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func planText(t *testing.T, s *settings) string {
	t.Helper()
	var b bytes.Buffer
	if err := planOf(t, s).WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// 300 connections, or as many as there are threads.
func TestDefaultConnections(t *testing.T) {
	for _, c := range []struct{ threads, want int }{{16, 300}, {300, 300}, {400, 400}} {
		config := newSettings().cluster
		config.Workers = c.threads
		if got := config.ConnsPerNode(); got != c.want {
			t.Errorf("%d threads have %d connections to a node, want %d", c.threads, got, c.want)
		}
	}
}

// 10 seconds, and 0 for I and DB.
func TestDefaultDuration(t *testing.T) {
	for _, c := range []struct {
		workload string
		want     time.Duration
	}{{"RU,50", 10 * time.Second}, {"RR", 10 * time.Second}, {"RUD", 10 * time.Second}, {"I", 0}, {"DB", 0}} {
		if got := planOf(t, parseFlags(t, "-w", c.workload)).Stages[0].Duration; got != c.want {
			t.Errorf("%s runs for %v by default, want %v", c.workload, got, c.want)
		}
	}
}

// All bins, or the seed that is drawn: two runs differ.
func TestDefaultBinsAndSeed(t *testing.T) {
	st := planOf(t, parseFlags(t, "-o", "I4,I4")).Stages[0]
	if got := st.Workload.String(); got != "RU,50%,100%,100%" || st.ReadBins != nil || st.WriteBins != nil {
		t.Errorf("by default %s reads the bins %v and writes %v", got, st.ReadBins, st.WriteBins)
	}
	seeds := map[uint64]bool{}
	for range 8 {
		seeds[newSettings().defaults.Seed] = true
	}
	// That eight draws from 2^32 are all the same happens once in 2^224 times.
	if len(seeds) == 1 {
		t.Errorf("eight settings have the seed %v", seeds)
	}
}

// The sizes of batches by kind are --batch-size by default.
func TestDefaultBatchSizes(t *testing.T) {
	st := planOf(t, parseFlags(t)).Stages[0]
	if st.Batch != 1 || st.BatchRead != 1 || st.BatchWrite != 1 || st.BatchDelete != 1 {
		t.Errorf("the batch sizes are %d, %d, %d, %d", st.Batch, st.BatchRead, st.BatchWrite, st.BatchDelete)
	}
}
