package embedded_test

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"github.com/aeroload/aeroload/embedded"
	as "github.com/aerospike/aerospike-client-go/v8"
)

func newAuthority(t testing.TB) *embedded.TestAuthority {
	t.Helper()
	authority, err := embedded.NewTestAuthority()
	must(t, err)
	return authority
}

func issueTo(t testing.TB, authority *embedded.TestAuthority, name string) *embedded.TestCertificate {
	t.Helper()
	c, err := authority.Issue(name)
	must(t, err)
	return c
}

func serverTLS(t testing.TB, authority *embedded.TestAuthority, mutual bool, hosts ...string) *tls.Config {
	t.Helper()
	config, err := authority.ServerConfig(mutual, hosts...)
	must(t, err)
	return config
}

// tryTLS connects with TLS; name is what the certificate is verified by.
func tryTLS(s *embedded.Server, name string, change func(*as.ClientPolicy)) (*as.Client, error) {
	cp := as.NewClientPolicy()
	cp.Timeout, cp.LoginTimeout = time.Minute, time.Minute
	change(cp)
	client, err := as.NewClientWithPolicyAndHost(cp, &as.Host{Name: "127.0.0.1", TLSName: name, Port: s.Port()})
	return client, asError(err)
}

func TestTLS(t *testing.T) {
	authority, stranger := newAuthority(t), newAuthority(t)
	open := embedded.RunT(t, embedded.Config{TLS: serverTLS(t, authority, false, "node.test")})
	mutual := embedded.RunT(t, embedded.Config{TLS: serverTLS(t, authority, true)})
	own, foreign := issueTo(t, authority, "bob"), issueTo(t, stranger, "bob")
	for _, tc := range []struct {
		what   string
		server *embedded.Server
		name   string
		config *tls.Config
		want   string // in the error, empty if it connects
	}{
		{"trusted", open, "127.0.0.1", authority.ClientConfig(), ""},
		{"trusted by name", open, "node.test", authority.ClientConfig(), ""},
		{"another name", open, "other.test", authority.ClientConfig(), "not other.test"},
		{"another authority", open, "127.0.0.1", stranger.ClientConfig(), "unknown authority"},
		{"a client's certificate, not asked for", open, "127.0.0.1", authority.ClientConfig(own), ""},
		{"no TLS", open, "", nil, "EOF"},
		{"mutual", mutual, "127.0.0.1", authority.ClientConfig(own), ""},
		{"mutual, no certificate", mutual, "127.0.0.1", authority.ClientConfig(), "certificate required"},
		{"mutual, a stranger's certificate", mutual, "127.0.0.1", authority.ClientConfig(foreign), "certificate"},
	} {
		client, err := tryTLS(tc.server, tc.name, func(cp *as.ClientPolicy) { cp.TlsConfig = tc.config })
		switch {
		case tc.want == "" && err == nil:
			if err := client.Put(nil, mustKey(t, "test", "tls", 1), as.BinMap{"a": 1}); err != nil {
				t.Errorf("%s: %v", tc.what, err)
			}
		case tc.want == "":
			t.Errorf("%s: %v", tc.what, err)
		case err == nil:
			t.Errorf("%s: it connects", tc.what)
		case !strings.Contains(err.Error(), tc.want):
			t.Errorf("%s: %v, want an error with %q", tc.what, err, tc.want)
		}
		if err == nil {
			client.Close()
		}
	}
}

// TestTLSCluster: clients find the other nodes by the info commands for TLS.
func TestTLSCluster(t *testing.T) {
	authority := newAuthority(t)
	for _, name := range []string{"", "node.test"} {
		cl := embedded.RunClusterT(t, embedded.ClusterConfig{
			Config: embedded.Config{TLS: serverTLS(t, authority, false, "node.test"), TLSName: name},
		})
		client, err := tryTLS(cl.Node(2), "127.0.0.1", func(cp *as.ClientPolicy) { cp.TlsConfig = authority.ClientConfig() })
		must(t, err)
		if n := len(client.GetNodes()); n != 3 {
			t.Errorf("TLS name %q: the client finds %d nodes", name, n)
		}
		node := client.GetNodes()[0]
		answers, aerr := node.RequestInfo(as.NewInfoPolicy(), "service-clear-std", "service-tls-std", "peers-clear-std")
		must(t, asError(aerr))
		if answers["service-clear-std"] != "" || !strings.HasPrefix(answers["service-tls-std"], "127.0.0.1:") || answers["peers-clear-std"] != "1,3000,[]" {
			t.Errorf("TLS name %q: %v", name, answers)
		}
		client.Close()
	}
}

// TestTLSLogin: logins by certificate and with the password itself.
func TestTLSLogin(t *testing.T) {
	authority := newAuthority(t)
	s := embedded.RunT(t, embedded.Config{
		TLS: serverTLS(t, authority, false),
		Users: []embedded.User{
			{Name: "cert", Roles: []string{"read"}},
			{Name: "bob", Password: "secret", Roles: []string{"read"}},
		},
	})
	for _, tc := range []struct {
		what           string
		own            string // the certificate's common name, empty for no certificate
		mode           as.AuthMode
		user, password string
	}{
		{"by certificate", "cert", as.AuthModePKI, "", ""},
		{"external", "", as.AuthModeExternal, "bob", "secret"},
	} {
		client, err := tryTLS(s, "127.0.0.1", func(cp *as.ClientPolicy) {
			cp.AuthMode, cp.User, cp.Password = tc.mode, tc.user, tc.password
			cp.TlsConfig = authority.ClientConfig()
			if tc.own != "" {
				cp.TlsConfig = authority.ClientConfig(issueTo(t, authority, tc.own))
			}
		})
		if err != nil {
			t.Errorf("%s: %v", tc.what, err)
			continue
		}
		if _, err := client.Exists(nil, mustKey(t, "test", "tls", 1)); err != nil {
			t.Errorf("%s: %v", tc.what, err)
		}
		client.Close()
	}
	for own, want := range map[string]byte{"bob": 0, "cert": 0, "eve": 60, "": 65} {
		config := authority.ClientConfig()
		if own != "" {
			config = authority.ClientConfig(issueTo(t, authority, own))
		}
		nc, err := tls.Dial("tcp", s.Addr(), config)
		must(t, err)
		c := &rawConn{t, nc}
		if got := c.admin(20, nil); got != want {
			t.Errorf("the certificate of %q: result %d, want %d", own, got, want)
		}
		must(t, nc.Close())
	}
}
