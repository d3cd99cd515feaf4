package shown

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestFlag(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"--threds", "--threds"},
		{"-latencies", "-latencies"},
		{"---keys", "---keys"},
		{"--=5", "--"},
		{"-", "-"},
		{"", ""},
		{"--pasword=secret", "--pasword"},
		{"-P", "-P"},
		{"-Psecret", "-P…"},
		{"-P=secret", "-P"},
		{"-PassWord", "-P…"},
		{"--Psecret", "--P…"},
		{"-LPsecret", "-LP…"},
		{"-LPsec=ret", "-LP…"},
		{"--connPools", "--connPools"},
		{"--password", "--password"},
		{"--passwordsecret", "--password…"},
		{"-passwordsecret", "-password…"},
		{"--passWORDsecret", "--passWORD…"},
		{"--passwdsecret", "--passwd…"},
		{"--passphrasesecret", "--passphrase…"},
		{"--passsecret", "--pass…"},
		{"--tls-keyfile-passwordsecret", "--tls-keyfile-password…"},
		{"--tlsKeyFilePasswordsecret", "--tlsKeyFilePassword…"},
		{"--userbob:secret:role", "--userbob…"},
		{"-Ubob:secret:role", "-Ubob…"},
		{"--é", "--é"},
	} {
		if got := Flag(c.arg); got != c.want {
			t.Errorf("Flag(%q) = %q, want %q", c.arg, got, c.want)
		}
	}
}

func TestIsPassword(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "P": false, "port": false, "keys": false, "pas": false,
		"password": true, "passwordx": true, "PASSWORD": true, "tls-keyfile-passwordx": true,
	} {
		if got := IsPassword(name); got != want {
			t.Errorf("IsPassword(%q) = %t", name, got)
		}
	}
}

func TestTextAndName(t *testing.T) {
	for _, c := range []struct{ text, want, name string }{
		{"", "", ""},
		{`"quoted" and \ and ü`, `"quoted" and \ and ü`, `"quoted" and \ and ü`},
		{"two\nlines", "two\nlines", `two\nlines`},
		{"\x1b[31mX\r\t\x00\x7f", `\x1b[31mX\r\t\x00\x7f`, `\x1b[31mX\r\t\x00\x7f`},
		{"no UTF-8: \xff", `no UTF-8: \xff`, `no UTF-8: \xff`},
		{"\u009b31m", `\u009b31m`, `\u009b31m`}, // begins a command, too
		{"a\u202eb", `a\u202eb`, `a\u202eb`},    // turns the text around
		{"the � itself", "the � itself", "the � itself"},
	} {
		if got := Text(c.text); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.text, got, c.want)
		}
		if got := Name(c.text); got != c.name {
			t.Errorf("Name(%q) = %q, want %q", c.text, got, c.name)
		}
	}
}

// Nothing but what prints is left, and that is left as it is.
func FuzzText(f *testing.F) {
	f.Add("a\x1b[31m\xff\u202e\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Fatalf("Text(%q) = %q", text, got)
		}
		if again := Text(got); again != got {
			t.Fatalf("Text(%q) = %q, which becomes %q", text, got, again)
		}
	})
}
