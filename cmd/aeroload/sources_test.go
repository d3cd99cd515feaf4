package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/cluster"
)

// sourced reads flags with that environment and file of profiles. It returns the
// settings, what is logged, and the error.
func sourced(t *testing.T, env map[string]string, profiles string, args ...string) (*settings, string, error) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for name, value := range env {
		t.Setenv(name, value)
	}
	if profiles != "" {
		if err := os.WriteFile(filepath.Join(home, ".aeroload.yaml"), []byte(profiles), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := command{options: runOptions(), action: func(s *settings, _ []string, _, _ io.Writer) error {
		if err := s.blame(s.finish()); err != nil {
			return err
		}
		return s.blame(s.cluster.Validate())
	}}
	s := newSettings()
	var log bytes.Buffer
	err := cmd.run(s, args, io.Discard, &log)
	return s, strings.ReplaceAll(log.String(), home, "HOME"), err
}

// TestPrecedence: flag, environment, profile, default. Stage files say nothing of
// the connection.
func TestPrecedence(t *testing.T) {
	stages := writeFile(t, filepath.Join(t.TempDir(), "stages.yaml"), "- workload: I\n")
	const profiles = `
hosts: [p1, "p2:4000"]
port: 1
user: pat
password: pw
namespace: pn
connect-timeout: 2s
profiles:
  other: {hosts: o, namespace: on}
`
	type want struct{ hosts, user, password, namespace string }
	for _, c := range []struct {
		why  string
		env  map[string]string
		args string
		want want
		log  string
	}{
		{"the profile", nil, "", want{"p1:1,p2:4000", "pat", "pw", "pn"},
			"From the profile default of HOME/.aeroload.yaml: hosts, port, user, password, namespace, connect-timeout\n"},
		{"with a stage file", nil, "--workload-stages " + stages, want{"p1:1,p2:4000", "pat", "pw", "pn"},
			"From the profile default of HOME/.aeroload.yaml: hosts, port, user, password, namespace, connect-timeout\n"},
		{"the environment before the profile", map[string]string{"AEROLOAD_HOSTS": "e", "AEROLOAD_NAMESPACE": "en"}, "", want{"e:1", "pat", "pw", "en"},
			"From the environment: AEROLOAD_HOSTS, AEROLOAD_NAMESPACE\nFrom the profile default of HOME/.aeroload.yaml: port, user, password, connect-timeout\n"},
		{"flags before both", map[string]string{"AEROLOAD_HOSTS": "e", "AEROLOAD_PASSWORD": "epw"}, "-h f -Pfpw -n fn -p 2 --connect-timeout 1 -U pat", want{"f:2", "pat", "fpw", "fn"}, ""},
		{"another profile, which inherits nothing", nil, "--profile other", want{"o:3000", "", "", "on"},
			"From the profile other of HOME/.aeroload.yaml: hosts, namespace\n"},
		{"the environment chooses the profile", map[string]string{"AEROLOAD_PROFILE": "other"}, "", want{"o:3000", "", "", "on"},
			"From the environment: AEROLOAD_PROFILE\nFrom the profile other of HOME/.aeroload.yaml: hosts, namespace\n"},
		{"the flag before it", map[string]string{"AEROLOAD_PROFILE": "none"}, "--profile other", want{"o:3000", "", "", "on"},
			"From the profile other of HOME/.aeroload.yaml: hosts, namespace\n"},
		{"no profiles", nil, "--profile-file " + os.DevNull, want{"127.0.0.1:3000", "", "", "test"}, ""},
		{"an empty variable is not set", map[string]string{"AEROLOAD_HOSTS": ""}, "--profile other", want{"o:3000", "", "", "on"},
			"From the profile other of HOME/.aeroload.yaml: hosts, namespace\n"},
		{"a user of the environment, with a password of it", map[string]string{"AEROLOAD_USER": "eve", "AEROLOAD_PASSWORD": "epw"}, "--profile other", want{"o:3000", "eve", "epw", "on"},
			"From the environment: AEROLOAD_USER, AEROLOAD_PASSWORD\nFrom the profile other of HOME/.aeroload.yaml: hosts, namespace\n"},
		{"the profile's user by name", nil, "-U pat -h x -p 1 -n y --connect-timeout 1", want{"x:1", "pat", "pw", "y"},
			"From the profile default of HOME/.aeroload.yaml: password\n"},
		{"the embedded server is not where the profile says", map[string]string{"AEROLOAD_TLS_ENABLE": "1"}, "--embedded", want{"127.0.0.1:3000", "", "", "pn"},
			"From the profile default of HOME/.aeroload.yaml: namespace\n"},
		{"the environment chooses the profile of the embedded server too", map[string]string{"AEROLOAD_PROFILE": "other"}, "--embedded", want{"127.0.0.1:3000", "", "", "on"},
			"From the environment: AEROLOAD_PROFILE\nFrom the profile other of HOME/.aeroload.yaml: namespace\n"},
		{"and its file", map[string]string{"AEROLOAD_PROFILE_FILE": os.DevNull}, "--embedded", want{"127.0.0.1:3000", "", "", "test"},
			"From the environment: AEROLOAD_PROFILE_FILE\n"},
		{"a flag for it comes first there too", map[string]string{"AEROLOAD_PROFILE": "none"}, "--embedded --profile other", want{"127.0.0.1:3000", "", "", "on"},
			"From the profile other of HOME/.aeroload.yaml: namespace\n"},
	} {
		t.Run(c.why, func(t *testing.T) {
			s, log, err := sourced(t, c.env, profiles, strings.Fields(c.args)...)
			if err != nil {
				t.Fatal(err)
			}
			var hosts []string
			for _, h := range s.cluster.Hosts {
				hosts = append(hosts, h.String())
			}
			got := want{strings.Join(hosts, ","), s.cluster.User, string(s.cluster.Password), s.defaults.Namespace}
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if log != c.log {
				t.Errorf("the log is\n%swant\n%s", log, c.log)
			}
		})
	}
}

// TestEnvironmentOfEveryFlag sets each variable to what flagRows give to its flag,
// and so each key of a profile.
func TestEnvironmentOfEveryFlag(t *testing.T) {
	options := runOptions()
	seen := 0
	for _, r := range flagRows() {
		o := optionOf(options, r.name)
		wants := o.category == catConnection || o.category == catTLS
		if r.name == "embedded" {
			wants = false
		}
		if (o.env != "") != wants || wants && o.env != "AEROLOAD_"+strings.ToUpper(strings.ReplaceAll(r.name, "-", "_")) {
			t.Errorf("the variable of --%s is %q", r.name, o.env)
		}
		if !wants {
			continue
		}
		seen++
		value := r.value
		if value == "" {
			value = "true"
		}
		t.Run(r.name, func(t *testing.T) {
			want := newSettings()
			r.change(want)
			for source, s := range map[string]*settings{
				"environment": environmentOnly(t, map[string]string{o.env: value}, ""),
				"profile":     environmentOnly(t, nil, r.name+": \""+value+"\"\n"),
			} {
				if filepath.Base(s.profilePath) != ".aeroload.yaml" {
					t.Errorf("%s: the file of profiles is %q", source, s.profilePath)
				}
				s.given, s.origins, s.defaults.Seed, s.profilePath = want.given, nil, want.defaults.Seed, ""
				if !reflect.DeepEqual(s, want) {
					t.Errorf("%s:\ngot  %+v\nwant %+v", source, s, want)
				}
			}
		})
	}
	if seen < 25 {
		t.Errorf("only %d flags have variables", seen)
	}
}

// environmentOnly fills new settings, without looking at how they fit together.
func environmentOnly(t *testing.T, env map[string]string, profiles string) *settings {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for name, value := range env {
		t.Setenv(name, value)
		defer os.Unsetenv(name)
	}
	writeFile(t, filepath.Join(home, ".aeroload.yaml"), profiles)
	s := newSettings()
	s.fill(runOptions(), io.Discard)
	if len(s.errs) > 0 {
		t.Error(s.errs)
	}
	return s
}

func TestSwitchesOfTheEnvironment(t *testing.T) {
	for text, want := range map[string]bool{"true": true, "YES": true, "on": true, "1": true, "false": false, "no": false, "Off": false, "0": false} {
		s, _, err := sourced(t, map[string]string{"AEROLOAD_SERVICES_ALTERNATE": text}, "")
		if err != nil || s.cluster.ServicesAlternate != want {
			t.Errorf("%q is %t, %v", text, s.cluster.ServicesAlternate, err)
		}
	}
	s, _, err := sourced(t, map[string]string{"AEROLOAD_SERVICES_ALTERNATE": "no"}, "services-alternate: true\n")
	if err != nil || s.cluster.ServicesAlternate {
		t.Errorf("the environment does not switch off what the profile switches on: %v", err)
	}
}

func TestSourceErrors(t *testing.T) {
	for _, c := range []struct {
		why      string
		env      map[string]string
		profiles string
		args     string
		want     string // lines; HOME stands for the folder
	}{
		{"a number", map[string]string{"AEROLOAD_PORT": "abc"}, "", "", `AEROLOAD_PORT: "abc" is not a whole number from 1 to 65535`},
		{"a choice, whose error names its flag", map[string]string{"AEROLOAD_AUTH": "x"}, "", "", `AEROLOAD_AUTH: "x" is not one of INTERNAL, EXTERNAL, EXTERNAL_INSECURE, PKI`},
		{"a switch", map[string]string{"AEROLOAD_TLS_ENABLE": "perhaps"}, "", "", `AEROLOAD_TLS_ENABLE: "perhaps" is neither true nor false`},
		{"hosts", map[string]string{"AEROLOAD_HOSTS": "a,,b"}, "", "", `AEROLOAD_HOSTS: host 2, "": the host is missing`},
		{"a value of the profile", nil, "port: 70000\n", "", `HOME/.aeroload.yaml:1:1: port: "70000" is not a whole number from 1 to 65535`},
		{"a host of the profile", nil, "user: a\npassword: b\nhosts: [a, 'b:x:y']\n", "", `HOME/.aeroload.yaml:3:1: hosts: host 2, "b:x:y": port "y" is not a number`},
		{"an unknown key", nil, "hots: a\n", "", `HOME/.aeroload.yaml:1:1: unknown key "hots"; did you mean "hosts"?`},
		{"not of profiles", nil, "threads: 5\nembedded: true\nprofile: x\n", "", "HOME/.aeroload.yaml:1:1: unknown key \"threads\"\nHOME/.aeroload.yaml:2:1: unknown key \"embedded\"\nHOME/.aeroload.yaml:3:1: unknown key \"profile\"; did you mean \"profiles\"?"},
		{"an unknown profile", nil, "profiles: {a: {}}\n", "--profile b", `--profile: there is no profile "b" in HOME/.aeroload.yaml; there are: default, a`},
		{"an unknown profile of the environment", map[string]string{"AEROLOAD_PROFILE": "b"}, "profiles: {a: {}}\n", "", `AEROLOAD_PROFILE: there is no profile "b" in HOME/.aeroload.yaml; there are: default, a`},
		{"the same with the embedded server", map[string]string{"AEROLOAD_PROFILE": "b"}, "profiles: {a: {}}\n", "--embedded", `AEROLOAD_PROFILE: there is no profile "b" in HOME/.aeroload.yaml; there are: default, a`},
		{"a missing file of the environment", map[string]string{"AEROLOAD_PROFILE_FILE": "none.yaml"}, "", "--embedded", `AEROLOAD_PROFILE_FILE: open none.yaml: no such file or directory`},
		{"a profile without a file", nil, "", "--profile b", `--profile: open HOME/.aeroload.yaml: no such file or directory`},
		{"a missing file", nil, "", "--profile-file none.yaml", `--profile-file: open none.yaml: no such file or directory`},
		{"what shows later", map[string]string{"AEROLOAD_TLS_CAFILE": "/none.pem"}, "tls-enable: true\ntls-certfile: /c.pem\n", "",
			"AEROLOAD_TLS_CAFILE: \"/none.pem\": no such file or directory\nHOME/.aeroload.yaml:2:1: tls-certfile: needs --tls-keyfile, the key of the certificate"},
		{"a password for another user", nil, "user: a\npassword: secret\n", "-U b", `--password: missing for --user "b"`},
		{"several", map[string]string{"AEROLOAD_PORT": "0"}, "tls-enable: 2\n", "-z 0", "--threads: \"0\" is not a whole number from 1 to 10000\nAEROLOAD_PORT: \"0\" is not a whole number from 1 to 65535\nHOME/.aeroload.yaml:1:1: tls-enable: \"2\" is neither true nor false"},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, _, err := sourced(t, c.env, c.profiles, strings.Fields(c.args)...)
			if err == nil {
				t.Fatal("no error")
			}
			if got := strings.ReplaceAll(err.Error(), os.Getenv("HOME"), "HOME"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A file that cannot be read, and that nobody asked for, is called by its name.
func TestUnreadableProfiles(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".aeroload.yaml")
	if err := os.Symlink(file, file); err != nil { // unlike modes, a loop stops root as well
		t.Skip(err)
	}
	for _, c := range []struct {
		why, profile, args, want string
	}{
		{"nobody asked", "", "", "open PATH: "},
		{"nor with the embedded server", "", "--embedded", "open PATH: "},
		{"for a profile", "", "--profile a", "--profile: open PATH: "},
		{"for a profile in the environment", "a", "", "AEROLOAD_PROFILE: open PATH: "},
		{"for the file", "", "--profile-file PATH", "--profile-file: open PATH: "},
	} {
		t.Setenv("HOME", home)
		t.Setenv("AEROLOAD_PROFILE", c.profile)
		cmd := command{options: runOptions(), action: func(*settings, []string, io.Writer, io.Writer) error { return nil }}
		err := cmd.run(newSettings(), strings.Fields(strings.ReplaceAll(c.args, "PATH", file)), io.Discard, io.Discard)
		if want := strings.ReplaceAll(c.want, "PATH", file); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s…", c.why, err, want)
		}
	}
}

func TestSourceWarnings(t *testing.T) {
	_, log, err := sourced(t, map[string]string{"AEROLOAD_HOST": "a", "AEROLOAD_TEST_HOSTS": "x", "AEROLOAD_BUILD_DIRECTORY": "/"}, "")
	if want := "warning: the environment has AEROLOAD_HOST, which has no meaning; did you mean AEROLOAD_HOSTS?\n"; err != nil || log != want {
		t.Errorf("got %q, %v, want %q", log, err, want)
	}
	file := filepath.Join(t.TempDir(), "p.yaml")
	const warning = "holds a password, and other users may read it; run: chmod 600 "
	for _, c := range []struct {
		text string
		mode os.FileMode
		want bool
	}{
		{"user: a\npassword: b\n", 0o644, true},
		{"user: a\npassword: b\n", 0o600, false},
		{"hosts: a\n", 0o644, false},
		{"hosts: a\nprofiles: {other: {user: a, password: b}}\n", 0o644, true}, // not the profile that is used
		{"hosts: a\nprofiles: {other: {user: a}}\n", 0o644, false},
		{"tls-keyfile-password: b\ntls-enable: true\ntls-keyfile: x\n", 0o640, true},
		{"tls-keyfile-password: env:PW\ntls-enable: true\ntls-keyfile: x\n", 0o640, false},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		_, log, _ := sourced(t, nil, "", "--profile-file", file)
		if got := strings.Contains(log, warning+file); got != c.want {
			t.Errorf("%q with mode %o: the log is %q", c.text, c.mode, log)
		}
	}
}

// A command without a connection reads neither the environment nor profiles.
func TestOtherCommandsReadNoSources(t *testing.T) {
	t.Setenv("AEROLOAD_PORT", "abc")
	file := writeFile(t, filepath.Join(t.TempDir(), "stages.yaml"), "- workload: I\n")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"validate", file}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

func TestProfileFlags(t *testing.T) {
	dir := t.TempDir()
	file := writeFile(t, filepath.Join(dir, "p.yaml"), "profiles: {a: {connect-timeout: 7s, auth: external, tls-enable: true}}\n")
	for _, args := range [][]string{{"--profile", "a", "--profile-file", file}, {"-profile=a", "-profileFile", file}} {
		s, _, err := sourced(t, nil, "", args...)
		if err != nil || s.cluster.ConnectTimeout != 7*time.Second || s.cluster.Auth != cluster.AuthExternal || !s.cluster.TLS.Enable {
			t.Errorf("%q: %+v, %v", args, s.cluster, err)
		}
	}
}
