package main

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/embedded"
)

func TestParseUser(t *testing.T) {
	for _, c := range []struct {
		text string
		want embedded.User
	}{
		{"bob:secret:read", embedded.User{Name: "bob", Password: "secret", Roles: []string{"read"}}},
		{"bob:a:b:read,write", embedded.User{Name: "bob", Password: "a:b", Roles: []string{"read", "write"}}},
		{"bob::read", embedded.User{Name: "bob", Roles: []string{"read"}}},
	} {
		if got, err := parseUser(c.text); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "bob", "bob:secret", ":secret:read"} {
		if got, err := parseUser(text); err == nil {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

// A run with a login over TLS, against a server that made its certificate itself.
func TestServeSecurity(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "certificates")
	address := startServe(t, "--user", "bob:secret:read-write", "--user", "eve:secret:read", "--tls-test", dir, "--tls-name", "node.test")[0]
	ca := filepath.Join(dir, "ca.pem")
	args := func(user, password string, more ...string) []string {
		return append([]string{"-h", address, "-w", "I", "-k", "20", "-z", "2", "-T", "60000", "--connect-timeout", "60000",
			"--user", user, "--password=" + password, "--tls-enable", "--tls-cafile", ca}, more...)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"right", args("bob", "secret"), 0, ""},
		{"by name, with a certificate", args("bob", "secret", "--tls-name", "node.test",
			"--tls-certfile", filepath.Join(dir, "client.pem"), "--tls-keyfile", filepath.Join(dir, "client.key")), 0, ""},
		{"a wrong password", args("bob", "x"), 1, `login as "bob"`},
		{"a wrong name", args("bob", "secret", "--tls-name", "other.test"), 1, "not other.test"},
		{"no right to write", args("eve", "secret"), 1, "ROLE_VIOLATION"},
	} {
		r := runBinary(t, c.args...)
		if r.code != c.code || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", c.name, r.code, c.code, c.says, r.stderr)
		}
	}
}

// The certificates of an earlier server give way to new ones, and nobody else's do.
func TestServeKeepsOthersCertificates(t *testing.T) {
	dir := t.TempDir()
	startServe(t, "--tls-test", dir)
	first := string(readFile(t, filepath.Join(dir, "ca.pem")))
	startServe(t, "--tls-test", dir)
	if string(readFile(t, filepath.Join(dir, "ca.pem"))) == first {
		t.Error("the second server left the certificates of the first")
	}
	for _, name := range []string{"ca.pem", "client.pem", "client.key"} {
		dir := t.TempDir()
		path := writeFile(t, filepath.Join(dir, name), "mine")
		r := runBinary(t, "serve", "--listen", "127.0.0.1:0", "--tls-test", dir)
		if r.code != 2 || !strings.Contains(r.stderr, "--tls-test: there is a "+path+" already") || string(readFile(t, path)) != "mine" {
			t.Errorf("%s: exit code %d, want 2; the file holds %q\n%s", name, r.code, readFile(t, path), r.stderr)
		}
	}
}
