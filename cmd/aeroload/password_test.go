//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/aeroload/aeroload/embedded"
)

const testPassword = "quux-Pw17"

// lockedBuffer is a buffer that is read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestPasswordsStayHidden gives a password in every way, right and wrong, and
// looks for it in everything that a run shows and leaves.
func TestPasswordsStayHidden(t *testing.T) {
	t.Parallel()
	server := embedded.RunT(t, embedded.Config{Users: []embedded.User{{Name: "bob", Password: testPassword, Roles: []string{"read-write"}}}})
	base := []string{"-h", server.Addr(), "-U", "bob", "-T", "60000", "--connect-timeout", "60000", "-d",
		"-k", "10", "-z", "2", "--result", "result.json", "--hdr-hist", "hdr", "--hdr-log", "log", "--output-file", "out.txt"}
	const wrong = testPassword + "-wrong"
	for _, c := range []struct {
		why      string
		args     []string
		env      string // NAME=value
		profile  string // a file of profiles
		typed    string // at the prompt
		code     int    // 0 runs until it is stopped
		inMemory bool   // the environment has the password, so /proc shows it to its owner
	}{
		{why: "glued", args: []string{"-P" + testPassword}},
		{why: "behind switches", args: []string{"-LP" + testPassword}},
		{why: "a long name", args: []string{"--password=" + testPassword}},
		{why: "a long name behind one dash", args: []string{"-password=" + testPassword}},
		{why: "twice", args: []string{"-Pquux-other", "-P" + testPassword}},
		{why: "the environment", env: "AEROLOAD_PASSWORD=" + testPassword, inMemory: true},
		{why: "a profile", profile: "password: " + testPassword + "\n"},
		{why: "the terminal", args: []string{"-P"}, typed: testPassword},

		{why: "a wrong password", args: []string{"-P" + wrong}, code: exitFailed},
		{why: "a wrong password, typed", args: []string{"--password"}, typed: wrong, code: exitFailed},
		{why: "apart", args: []string{"-P", testPassword}, code: exitUsage},
		{why: "apart behind an equals sign", args: []string{"--password=", testPassword}, code: exitUsage},
		{why: "a misspelt flag", args: []string{"--pasword=" + testPassword}, code: exitUsage},
		{why: "behind an unknown letter", args: []string{"-dxP" + testPassword}, code: exitUsage},
		{why: "beside an error", args: []string{"-P" + testPassword, "-z", "0"}, code: exitUsage},
		{why: "of a key without TLS", args: []string{"-P" + testPassword, "--tls-keyfile-password", testPassword}, code: exitUsage},
		{why: "a profile that is no YAML", profile: "password: *" + testPassword + "\n", code: exitUsage},
		{why: "a profile with a list", profile: "password: [" + testPassword + "]\n", code: exitUsage},
		{why: "a profile with a misspelt key", profile: "pasword: " + testPassword + "\n", code: exitUsage},
	} {
		t.Run(c.why, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.Command(binary, append(append([]string{}, base...), c.args...)...)
			if c.code == 0 {
				cmd.Args = append(cmd.Args, "-w", "RU", "-t", "3600", "-g", "100")
			}
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
			if c.env != "" {
				cmd.Env = append(cmd.Env, c.env)
			}
			if c.profile != "" {
				if err := os.WriteFile(filepath.Join(dir, ".aeroload.yaml"), []byte(c.profile), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var stdout, stderr, screen lockedBuffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if c.typed != "" {
				terminal, shell, err := pty.Open()
				if err != nil {
					t.Skip(err)
				}
				defer terminal.Close()
				defer shell.Close()
				cmd.Stdin = shell
				go func() { _, _ = io.Copy(&screen, terminal) }()
				t.Cleanup(func() { hides(t, "the terminal", screen.String()) })
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				await(t, "the prompt", func() bool { return strings.Contains(stderr.String(), "Password: ") })
				// The prompt comes when the echo is about to be switched off.
				await(t, "the echo to end", func() bool { return !echoes(t, shell) })
				if _, err := io.WriteString(terminal, c.typed+"\n"); err != nil {
					t.Fatal(err)
				}
			} else if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.code == 0 {
				await(t, "the run to begin", func() bool { return strings.Contains(stdout.String(), "total(tps=") || cmdEnded(cmd) })
				looks := []string{"cmdline"}
				if !c.inMemory {
					looks = append(looks, "environ")
				}
				for _, name := range looks {
					text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", cmd.Process.Pid, name))
					if err != nil {
						t.Error(err)
					}
					hides(t, name, string(text))
				}
				if err := cmd.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // the exit code tells
			want := c.code
			if want == 0 {
				want = 130
			}
			if got := cmd.ProcessState.ExitCode(); got != want {
				t.Errorf("exit code %d, want %d\n%s%s", got, want, &stdout, &stderr)
			}
			hides(t, "stdout", stdout.String())
			hides(t, "stderr", stderr.String())
			files := 0
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || d.Name() == ".aeroload.yaml" {
					return err
				}
				files++
				text, err := os.ReadFile(path)
				hides(t, d.Name(), string(text))
				return err
			})
			if err != nil || c.code == 0 && files < 5 {
				t.Errorf("the run left %d files, %v", files, err)
			}
		})
	}
}

// hides fails the test if a text has the password in it, but for the letters that
// every password of the test has.
func hides(t *testing.T, what, text string) {
	t.Helper()
	if strings.Contains(text, "quux") || strings.Contains(text, "Pw17") {
		t.Errorf("%s shows the password:\n%s", what, text)
	}
}

func cmdEnded(cmd *exec.Cmd) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	return err != nil || strings.Contains(string(state), ") Z ")
}

// TestPasswordNeedsATerminal: in a pipe there is nobody to ask.
func TestPasswordNeedsATerminal(t *testing.T) {
	cmd := exec.Command(binary, "-U", "bob", "-P")
	cmd.Stdin = strings.NewReader(testPassword + "\n")
	r := finish(t, cmd)
	if r.code != exitUsage || !strings.Contains(r.stderr, "--password: there is no terminal to ask for it") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// TestPasswordPromptEnds types what is no whole line at the prompt.
func TestPasswordPromptEnds(t *testing.T) {
	t.Parallel()
	server := embedded.RunT(t, embedded.Config{Users: []embedded.User{{Name: "bob", Password: testPassword, Roles: []string{"read-write"}}}})
	const ctrlC, ctrlD = "\x03", "\x04"
	for _, c := range []struct {
		why, keys string
		code      int
		want      string // on standard error
	}{
		{"an empty line", "\n", exitUsage, `--password: missing for --user "bob"`},
		{"the end of the input", ctrlD, exitUsage, "--password: the input ended before it was typed"},
		{"the end of the input behind the password", testPassword + ctrlD + ctrlD, 0, ""},
		{"the end of the input behind a wrong password", "wrong" + ctrlD + ctrlD, exitFailed, ""},
		{"a signal", testPassword[:3] + ctrlC, 130, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			keys, terminal, err := pty.Open()
			if err != nil {
				t.Skip(err)
			}
			defer keys.Close()
			defer terminal.Close()
			cmd := exec.Command(binary, "-h", server.Addr(), "-U", "bob", "-P", "-w", "I", "-k", "10", "-T", "60000", "--connect-timeout", "60000")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // for the signal
			var stderr lockedBuffer
			cmd.Stdin, cmd.Stderr = terminal, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			defer func() { _ = cmd.Process.Kill(); <-ended }()
			await(t, "the prompt", func() bool { return strings.Contains(stderr.String(), "Password: ") })
			await(t, "the echo to end", func() bool { return !echoes(t, terminal) })
			if _, err := io.WriteString(keys, c.keys); err != nil {
				t.Fatal(err)
			}
			await(t, "the end", func() bool {
				select {
				case <-ended:
					return true
				default:
					return false
				}
			})
			if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("exit code %d, want %d\n%s", got, c.code, &stderr)
			}
			if !echoes(t, terminal) {
				t.Error("the terminal no longer shows what is typed")
			}
		})
	}
}

// A password for the server of `serve` is hidden as well.
func TestServeHidesPasswords(t *testing.T) {
	var stdout lockedBuffer
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--user", "bob:"+testPassword+":read", "--user=eve:"+testPassword+":read")
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the server", func() bool { return strings.Contains(stdout.String(), "listening") })
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
	if err != nil {
		t.Error(err)
	}
	hides(t, "cmdline", string(text))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// What convert is given is another program's command line, of which nothing shows.
func TestConvertHidesItsWords(t *testing.T) {
	if !canBlank {
		t.Skip("this system does not let a program change what it shows")
	}
	for _, words := range [][]string{
		{"convert", "--from", "asbench", "--", "-h", "db", "-P" + testPassword},
		{"convert", "asbench -U bob --password=" + testPassword},
	} {
		argv := []string{"aeroload"}
		for _, w := range words {
			argv = append(argv, strings.Clone(w)) // to be overwritten
		}
		var log bytes.Buffer
		if args := hidePasswords(argv, &log); !slices.Equal(args, words) || log.Len() > 0 {
			t.Errorf("%q became %q; %s", words, args, &log)
		}
		hides(t, "argv", strings.Join(argv, " "))
	}
}
