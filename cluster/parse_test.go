package cluster

import (
	"slices"
	"strings"
	"testing"
)

func TestParseHosts(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Host
	}{
		{"127.0.0.1", []Host{{"127.0.0.1", "", 3000}}},
		{"a:4000", []Host{{"a", "", 4000}}},
		{"a:cert", []Host{{"a", "cert", 3000}}},
		{"a:cert:4000", []Host{{"a", "cert", 4000}}},
		{"a:1cert:4000", []Host{{"a", "1cert", 4000}}}, // with a port, a TLS name may begin with a digit
		{"[::1]", []Host{{"::1", "", 3000}}},
		{"[::1]:4000", []Host{{"::1", "", 4000}}},
		{"[2001:db8::1]:cert:4000", []Host{{"2001:db8::1", "cert", 4000}}},
		{"[fe80::1%eth0]:cert", []Host{{"fe80::1%eth0", "cert", 3000}}},
		{"a, b:1 ,[::1]:65535", []Host{{"a", "", 3000}, {"b", "", 1}, {"::1", "", 65535}}},
		{"192.168.1.10:cert1:3000,192.168.1.20:cert2:3000", []Host{{"192.168.1.10", "cert1", 3000}, {"192.168.1.20", "cert2", 3000}}},
	} {
		got, err := ParseHosts(tt.text, 3000)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %+v and %v, want %+v", tt.text, got, err, tt.want)
		}
	}
}

func TestParseHostsErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `host 1, "": the host is missing`},
		{"a,,b", `host 2, "": the host is missing`},
		{"a,", `host 2, "": the host is missing`},
		{":3000", `host 1, ":3000": the host is missing`},
		{"a:", `host 1, "a:": nothing follows the colon`},
		{"a,b:99999", `host 2, "b:99999": port 99999 is not in 1..65535`},
		{"a:0", `port 0 is not in 1..65535`},
		{"a:3000x", `port "3000x" is not a number`},
		{"a:cert:", `port "" is not a number`},
		{"a:cert:x", `port "x" is not a number`},
		{"a:cert:+1", `port "+1" is not a number`},
		{"host::3000", `the TLS name is missing`},
		{"a:b:3000:4000", `port "3000:4000" is not a number`},
		{"::1", `put an IPv6 address in brackets: [::1]`},
		{"fe80::1", `put an IPv6 address in brackets: [fe80::1]`},
		{"[::1", `the bracket isn't closed`},
		{"[127.0.0.1]", `"127.0.0.1" is not an IPv6 address`},
		{"[::1]3000", `unexpected "3000" after the bracket`},
		{"http://a:3000", `the TLS name "//a" has a "/" in it`},
		{"a b", `the host "a b" has a " " in it`},
		{"a;b", `the host "a;b" has a ";" in it`},
	} {
		_, err := ParseHosts(tt.text, 3000)
		if err == nil || !strings.HasPrefix(err.Error(), "--hosts: host ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q in it", tt.text, err, tt.want)
		}
	}
	if _, err := ParseHosts("a", 0); err == nil {
		t.Error("a default port of 0 is taken")
	}
}

// FuzzParseHosts: whatever is accepted is a usable host, and means the same
// when it is written again.
func FuzzParseHosts(f *testing.F) {
	for _, s := range []string{"", "a", "a:1", "a:b:2", "[::1]:t:3", "a,b", "::1", "[", "a:\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hosts, err := ParseHosts(text, 3000)
		if err != nil {
			return
		}
		for _, host := range hosts {
			if host.Name == "" || host.Port < 1 || host.Port > 65535 {
				t.Fatalf("%q: %+v", text, host)
			}
			again, err := ParseHosts(host.String(), 1)
			if err != nil || len(again) != 1 || again[0] != host {
				t.Fatalf("%q: %+v is written %q, which is read as %+v, %v", text, host, host, again, err)
			}
		}
	})
}

func TestParseRackIDs(t *testing.T) {
	if got, err := ParseRackIDs("3, 1"); err != nil || !slices.Equal(got, []int{3, 1}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := ParseRackIDs("1,x"); err == nil || !strings.Contains(err.Error(), `rack 2, "x"`) {
		t.Errorf("got %v, want the piece and its place", err)
	}
}

func TestParseChoices(t *testing.T) {
	if got, err := ParseAuthMode("external_insecure"); err != nil || got != AuthExternalInsecure {
		t.Errorf("--auth is in any case: got %q, %v", got, err)
	}
	if got, err := ParseReplica("prefer-rack"); err != nil || got != ReplicaPreferRack {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := ParseReadModeAP("all"); err != nil || got != ReadModeAPAll {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := ParseReadModeSC("allowReplica"); err != nil || got != ReadModeSCAllowReplica {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := ParseCommitLevel("master"); err != nil || got != CommitMaster {
		t.Errorf("got %q, %v", got, err)
	}
	_, auth := ParseAuthMode("kerberos")
	_, replica := ParseReplica("Any")
	_, ap := ParseReadModeAP("")
	_, sc := ParseReadModeSC("allowreplica")
	_, commit := ParseCommitLevel("both")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{auth, `--auth: "kerberos" is not one of INTERNAL, EXTERNAL, EXTERNAL_INSECURE, PKI`},
		{replica, `--replica: "Any" is written "any"`},
		{ap, `--read-mode-ap: "" is not one of one, all`},
		{sc, `--read-mode-sc: "allowreplica" is written "allowReplica"`},
		{commit, `--commit-level: "both" is not one of all, master`},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("got %v, want %s", tt.err, tt.want)
		}
	}
}
