package convert

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// samples are values of settings that do not take a 7.
var samples = map[string]string{
	"hosts": "h1", "h": "h1", "user": "joe", "U": "joe", "password": sesame, "P": sesame, "auth": "PKI", "A": "pki",
	"tls-keyfile-password": sesame, "keyFilePass": sesame, "compression-ratio": "0.5",
	"replica": "master", "read-mode-ap": "one", "read-mode-sc": "session", "commit-level": "master",
	"percentiles": "50,99", "workload-stages": "testdata/two-stages.yaml", "workload": "RU,7", "w": "RU,7",
	"object-spec": "S7", "objectSpec": "S:7", "o": "S:7", "read-bins": "1", "write-bins": "1",
	"readModeAP": "all", "consistencyLevel": "all", "readModeSC": "linearize", "commitLevel": "all",
	"latency": "7,1", "L": "7,1", "keyType": "I", "tlsProtocols": "TLSv1.2",
}

// companions are what a setting needs beside it.
var companions = map[string]string{
	"udf-package-name": "-w RUF,7,7 -ufn f", "udf-function-name": "-w RUF,7,7 -upn m", "udf-function-values": "-w RUF,7,7 -upn m -ufn f",
	"udfPackageName": "-ufn f -ufv 1", "udfFunctionName": "-upn m -ufv 1", "udfFunctionValues": "-upn m -ufn f",
	"keyType": "-F keys.txt", "tlsCertFile": "-tlsCAFile ca", "tlsName": "-tlsCAFile ca", "batchNamespaces": "-B 5",
}

// lines returns the lines of a test file, each cut at its first blank.
func lines(t *testing.T, file string) [][2]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list [][2]string
	for line := range strings.Lines(string(data)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, [2]string{name, rest})
	}
	return list
}

// TestEveryFlag converts each flag that a tool has, which are listed in files of
// their own, taken from the tools' sources. Each must be in the result: as a key,
// as a flag, or as one without counterpart.
func TestEveryFlag(t *testing.T) {
	for _, name := range []string{"asbench", "java", "go"} {
		tool, err := toolNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		for _, l := range lines(t, "testdata/flags-"+name+".txt") {
			flag, kind := l[0], l[1]
			listed[flag] = true
			s := tool.setting(flag)
			if s == nil {
				t.Errorf("%s: -%s is not known", name, flag)
				continue
			}
			if want := map[string]takes{"-": nothing, "value": value, "perhaps": perhaps}[kind]; s.takes != want {
				t.Errorf("%s: -%s takes %d, want %d", name, flag, s.takes, want)
				continue
			}
			typed := "-" + flag
			if len(flag) > 1 && name == "asbench" {
				typed = "--" + flag
			}
			cited, line := typed, "x "+companions[s.names[0]]+" "+typed
			if s.takes != nothing {
				text := samples[s.names[0]]
				if text == "" {
					text = "7"
				}
				line += " " + text
				if !s.secret {
					cited += " " + text
				}
			}
			r, err := commandLineOf(t, name, line, Options{})
			if s.stops {
				if err == nil || !strings.Contains(err.Error(), "no load to convert") {
					t.Errorf("%s: %s: %v", name, typed, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", name, typed, err)
				continue
			}
			_, rest, _ := strings.Cut(string(r.Text), "This runs it:")
			if !strings.Contains(rest, cited) {
				t.Errorf("%s: %q is not accounted for in\n%s", name, cited, r.Text)
			}
		}
		for _, s := range tool.settings {
			for _, n := range s.names {
				if !listed[n] {
					t.Errorf("%s: -%s is no flag of the tool", name, n)
				}
			}
		}
	}
}

// TestEveryKey does the same for the keys of files: whatever is left out, the
// rest is the same, so each is tried alone, and then all together.
func TestEveryKey(t *testing.T) {
	for _, name := range []string{"node", "csharp"} {
		tool, err := toolNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		var all []string
		for _, l := range lines(t, "testdata/keys-"+name+".txt") {
			listed[l[0]] = true
			member := fmt.Sprintf("%q: %s", l[0], l[1])
			all = append(all, member)
			text := "{" + member + "}"
			if l[0] == "FixedValue" || l[0] == "TlsEnable" || strings.HasPrefix(l[0], "Latency") && l[0] != "Latency" {
				text = `{"Latency": true, ` + member + "}"
			}
			if l[0] == "Latency" {
				text = `{"Latency": true}`
			}
			if l[0] == "BinSize" {
				text = `{"BinType": "String", ` + member + "}"
			}
			r, err := configOf(t, name, text, Options{})
			if err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
				continue
			}
			_, rest, _ := strings.Cut(string(r.Text), "This runs it:")
			if !strings.Contains(rest, l[0]) {
				t.Errorf("%s: %s is not accounted for in\n%s", name, l[0], r.Text)
			}
		}
		r, err := configOf(t, name, "{"+strings.Join(all, ",\n")+"}", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, rest, _ := strings.Cut(string(r.Text), "This runs it:")
		for key := range listed {
			if !strings.Contains(rest, key) {
				t.Errorf("%s: with all others, %s is not in\n%s", name, key, r.Text)
			}
		}
		for _, s := range tool.settings {
			if !listed[s.names[0]] {
				t.Errorf("%s: %s is no key of the tool", name, s.names[0])
			}
		}
	}
}
