package profile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	knownKeys = []string{"hosts", "user", "password", "port", "tls-enable", "tls-cafile"}
	listKeys  = []string{"hosts"}
)

func TestProfile(t *testing.T) {
	const text = `# how I connect
hosts: [10.0.0.1, "[::1]:4000"]
user: bench
password: 0123        # as it is written, not as the number 83
tls-enable: yes
profiles:
  staging: &staging
    hosts: staging-1:4333
    user: "joe"
    password: '#1 % @'
  empty:
  shared:
    <<: *staging
    user: ann
  both: {<<: [{port: 1, user: first}, *staging], hosts: h}
`
	f, err := Parse("p.yaml", []byte(text), knownKeys, listKeys)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Names(); !slices.Equal(got, []string{"default", "both", "empty", "shared", "staging"}) {
		t.Errorf("the names are %q", got)
	}
	for name, want := range map[string]string{
		"default": "hosts=10.0.0.1,[::1]:4000@2:1 user=bench@3:1 password=0123@4:1 tls-enable=yes@5:1",
		"staging": "hosts=staging-1:4333@8:5 user=joe@9:5 password=#1 % @@10:5",
		"empty":   "",
		"shared":  "user=ann@14:5 hosts=staging-1:4333@8:5 password=#1 % @@10:5",
		"both":    "hosts=h@15:50 port=1@15:16 user=first@15:25 password=#1 % @@10:5",
	} {
		settings, err := f.Profile(name)
		var parts []string
		for _, s := range settings {
			place, ok := strings.CutPrefix(s.Place, "p.yaml:")
			if !ok {
				t.Errorf("a place is %q", s.Place)
			}
			parts = append(parts, s.Key+"="+s.Text+"@"+place)
		}
		if got := strings.Join(parts, " "); err != nil || got != want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", name, got, err, want)
		}
	}
	_, err = f.Profile("stagin")
	if want := `there is no profile "stagin" in p.yaml; did you mean "staging"?; there are: default, both, empty, shared, staging`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestEmptyFiles(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "{}", "null", "profiles:\n"} {
		f, err := Parse("p", []byte(text), knownKeys, listKeys)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if settings, err := f.Profile(Default); err != nil || len(settings) > 0 {
			t.Errorf("%q: %v, %v", text, settings, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"hots: a", `p:1:1: unknown key "hots"; did you mean "hosts"?`},
		{"threads: 5", `p:1:1: unknown key "threads"`},
		{"profile: {}", `p:1:1: unknown key "profile"; did you mean "profiles"?`},
		{"profiles: {a: {profiles: {}}}", `p:1:16: unknown key "profiles"`},
		{"user: a\nport: 1\nuser: b", `p:3:1: "user" is given twice, first in line 1`},
		{"profiles: {a: {}, a: {}}", `p:1:19: "a" is given twice, first in line 1`},
		{"profiles: {default: {user: a}}", `p:1:12: the profile default is what stands at the top of the file`},
		{"profiles: {'': {user: a}}", `p:1:12: a profile has no name`},
		{"profiles: [a]", `p:1:11: profiles: expected names with settings below them, not a list`},
		{"profiles: {a: 5}", `p:1:15: a: expected settings such as hosts: 127.0.0.1, not a text`},
		{"- hosts: a", `p:1:1: expected settings such as hosts: 127.0.0.1, not a list`},
		{"secret", `p:1:1: expected settings such as hosts: 127.0.0.1, not a text`},
		{"user:", `p:1:6: user: the value is missing; a text that begins with # needs quotes`},
		{"password: #secret", `p:1:10: password: the value is missing; a text that begins with # needs quotes`},
		{"password: !secret x", `p:1:11: password: a text that begins with ! needs quotes`},
		{"# *secret\nuser: '*secret'\npassword: *secret", `p:3:11: not valid YAML: there is no such anchor; a text that begins with * needs quotes`},
		{"password: @secret", `p:1:1: not valid YAML: found character that cannot start any token`},
		{"password: [secret]", `p:1:11: password: expected a single value, not a list`},
		{"password: {secret: x}", `p:1:11: password: expected a single value, not a mapping`},
		{"hosts: [a, {b: c}]", `p:1:12: hosts: expected a text in the list, not a mapping`},
		{"hosts: [a, ]\nuser: &u [*u]", `p:2:7: user: expected a single value, not a list`},
		{"hosts: &h [*h]", `p:1:8: hosts: expected a text in the list, not a list`},
		{"[a]: b", `p:1:1: a key is a list`},
		{"<<: 5", `p:1:5: <<: expected what an anchor names, not a text`},
		{"profiles: &a {<<: *a}", `p:1:11: there are too many merge keys, or this one is within itself`},
		{"a: b: c", "p:1:1: not valid YAML: mapping values are not allowed in this context"},
		{"hosts: a\nuser: [", "p:2:1: not valid YAML: did not find expected node content"},
		{"hosts: a\n  user: b\n", "p:2:3: not valid YAML: mapping values are not allowed in this context"},
		{"hosts: a\n---\nhosts: b\n", "p:2:1: a second YAML document begins here: a file of profiles is one document"},
		{"hots: a\nuser: [b]\nprofiles: {x: {prot: 5}}", "p:1:1: unknown key \"hots\"; did you mean \"hosts\"?\n" +
			"p:2:7: user: expected a single value, not a list\np:3:16: unknown key \"prot\"; did you mean \"port\"?"},
	} {
		_, err := Parse("p", []byte(c.text), knownKeys, listKeys)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.yaml")
	if _, err := Load(path, knownKeys, listKeys); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Load(dir, knownKeys, listKeys); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if err := os.WriteFile(path, []byte("user: bob\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[fs.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true, 0o644: true, 0o620: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path, knownKeys, listKeys)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.OthersMayRead(); got != want {
			t.Errorf("others may read a file with mode %o: %t", mode, got)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("#", maxSize+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, knownKeys, listKeys); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("a large file: %v", err)
	}
	if f, err := Load(os.DevNull, knownKeys, listKeys); err != nil || f.OthersMayRead() {
		t.Errorf("no device: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "hosts: a", "hosts: [a, b]\nprofiles:\n  x: {user: y}\n", "profiles: &a {<<: *a}", "profiles: {a: &a {<<: [*a, *a]}}",
		"- a", "a: [", "? [x]\n: y", "user: &u [*u]", "---\n---\n", "<<: [[[]]]", "password: !x y",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("p", []byte(text), knownKeys, listKeys)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, "p:") {
					t.Fatalf("an error has no place: %s", line)
				}
			}
			return
		}
		for _, name := range file.Names() {
			settings, err := file.Profile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range settings {
				if !slices.Contains(knownKeys, s.Key) || slices.ContainsFunc(settings[:i], func(o Setting) bool { return o.Key == s.Key }) {
					t.Fatalf("%q: the key %q is unknown or there twice", name, s.Key)
				}
			}
		}
	})
}
