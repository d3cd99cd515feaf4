package listen

import (
	"net"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ why, text, want, err string }{
		{"no host is this machine alone", ":9464", "127.0.0.1:9464", ""},
		{"any free port", ":0", "127.0.0.1:0", ""},
		{"all IPv4 addresses", "0.0.0.0:9464", "0.0.0.0:9464", ""},
		{"all addresses", "[::]:9464", "[::]:9464", ""},
		{"a name", "localhost:65535", "localhost:65535", ""},
		{"IPv6 with a zone", "[fe80::1%eth0]:80", "[fe80::1%eth0]:80", ""},
		{"nothing", "", "", "the value is empty"},
		{"a port alone", "9464", "", `"9464" is not an address: expected HOST:PORT, or :PORT; did you mean ":9464"?`},
		{"a host alone", "localhost", "", `"localhost" is not an address: expected HOST:PORT`},
		{"IPv6 without brackets", "::1:9464", "", `did you mean "[::1]:9464"?`},
		{"a URL", "http://localhost:9464/metrics", "", "is not an address"},
		{"a path", "localhost:9464/metrics", "", "its port is not a number"},
		{"no port", "localhost:", "", "its port is not a number"},
		{"a large port", ":65536", "", "its port is not a number from 0 to 65535"},
		{"a signed port", ":+80", "", "its port is not a number"},
		{"a port with zeros in front", ":080", "", "its port is not a number"},
		{"a service", ":http", "", "its port is not a number"},
		{"a star", "*:9464", "", `did you mean "0.0.0.0:9464"`},
		{"a blank", " :9464", "", "neither a name nor an IP address"},
	} {
		got, err := Parse(c.text)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %q: error %v, want %q", c.why, c.text, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q: %q, %v; want %q", c.why, c.text, got, err, c.want)
		}
	}
}

// What Parse returns it reads again, unchanged, and it has a host and a port.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{":9464", "[::]:1", "9464", "::1:9464", "a:1", "*:2", "[fe80::1%eth0]:80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := Parse(text)
		if err != nil {
			return
		}
		host, port, err := net.SplitHostPort(address)
		if err != nil || host == "" {
			t.Fatalf("%q gives %q: %v", text, address, err)
		}
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			t.Fatalf("%q gives %q: %v", text, address, err)
		}
		if again, err := Parse(address); err != nil || again != address {
			t.Fatalf("%q gives %q, which gives %q, %v", text, address, again, err)
		}
	})
}
