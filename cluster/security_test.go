package cluster

import (
	"regexp"
	"testing"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// TestLogins connects to servers that have users and speak TLS.
func TestLogins(t *testing.T) {
	authority, err := embedded.NewTestAuthority()
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := embedded.NewTestAuthority()
	if err != nil {
		t.Fatal(err)
	}
	ca, otherCA := write(t, "ca.pem", authority.PEM), write(t, "other.pem", stranger.PEM)
	// files are a certificate of the name and its key.
	files := func(a *embedded.TestAuthority, name string) (cert, key string) {
		c, err := a.Issue(name)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, "client.pem", c.CertPEM), write(t, "client.key", c.KeyPEM)
	}
	cert, key := files(authority, "bob")
	eveCert, eveKey := files(authority, "eve")
	foreignCert, foreignKey := files(stranger, "bob")

	start := func(cfg embedded.Config) Host {
		cfg.Users = []embedded.User{{Name: "bob", Password: "secret", Roles: []string{"read"}}}
		s := embedded.RunT(t, cfg)
		return Host{Name: "127.0.0.1", Port: s.Port()}
	}
	plain := start(embedded.Config{})
	open, mutual := embedded.Config{}, embedded.Config{}
	if open.TLS, err = authority.ServerConfig(false, "node.test"); err != nil {
		t.Fatal(err)
	}
	if mutual.TLS, err = authority.ServerConfig(true); err != nil {
		t.Fatal(err)
	}
	secured, strict := start(open), start(mutual)

	user := func(name string, password Secret) func(*Config) {
		return func(c *Config) { c.User, c.Password = name, password }
	}
	tls := func(change func(*Config)) func(*Config) {
		return func(c *Config) {
			c.User, c.Password = "bob", "secret"
			c.TLS.Enable, c.TLS.CAFile = true, ca
			change(c)
		}
	}
	for _, tt := range []struct {
		name   string
		host   Host
		change func(*Config)
		want   string // a regular expression for the error; empty if it connects
	}{
		{"the right password", plain, user("bob", "secret"), ""},
		{"a wrong password", plain, user("bob", "Secret"), `^login as "bob" at \S+ refused: .*credential`},
		{"an unknown user", plain, user("alice", "secret"), `^login as "alice" at \S+ refused: Invalid user`},
		{"no user", plain, func(*Config) {}, `^no Aerospike node answered at \S+: the node asks for a login: give --user and --password$`},
		{"TLS to a port without", plain, tls(func(*Config) {}), `(?i)tls|closed`},

		{"by TLS", secured, tls(func(*Config) {}), ""},
		{"by TLS and name", secured, tls(func(c *Config) { c.TLS.Name = "node.test" }), ""},
		{"a wrong password by TLS", secured, tls(user("bob", "x")), `^login as "bob" at \S+ refused: .*credential`},
		{"the password itself", secured, tls(func(c *Config) { c.Auth = AuthExternal }), ""},
		{"a wrong name", secured, tls(func(c *Config) { c.TLS.Name = "other.test" }), `not other\.test$`},
		{"an authority that isn't trusted", secured, tls(func(c *Config) { c.TLS.CAFile = otherCA }), `signed by unknown authority`},
		{"no TLS to a port with it", secured, user("bob", "secret"), `it closed the connection \(a TLS port needs --tls-enable\)$`},

		{"a client certificate", strict, tls(func(c *Config) { c.TLS.CertFile, c.TLS.KeyFile = cert, key }), ""},
		{"no client certificate", strict, tls(func(*Config) {}), `certificate required`},
		{"a certificate of another authority", strict, tls(func(c *Config) { c.TLS.CertFile, c.TLS.KeyFile = foreignCert, foreignKey }), `certificate`},
		{"login by certificate", strict, tls(func(c *Config) {
			c.User, c.Password, c.Auth = "", "", AuthPKI
			c.TLS.CertFile, c.TLS.KeyFile = cert, key
		}), ""},
		{"login by the certificate of nobody", strict, tls(func(c *Config) {
			c.User, c.Password, c.Auth = "", "", AuthPKI
			c.TLS.CertFile, c.TLS.KeyFile = eveCert, eveKey
		}), `^login as the owner of the client's certificate at \S+ refused: Invalid user`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testConfig(tt.host)
			tt.change(&c)
			cluster, err := Connect(t.Context(), c)
			if tt.want != "" {
				if err == nil {
					cluster.Close()
					t.Fatal("it connects")
				}
				if !regexp.MustCompile(tt.want).MatchString(err.Error()) {
					t.Errorf("got  %s\nwant %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer cluster.Close()
			if err := cluster.CheckNamespace(t.Context(), "test"); err != nil {
				t.Error(err)
			}
			key, _ := aerospike.NewKey("test", "set", 1)
			if _, err := cluster.Client().Exists(cluster.ReadPolicy(), key); err != nil {
				t.Errorf("a read: %v", err)
			}
			err2 := cluster.Client().Put(cluster.WritePolicy(), key, aerospike.BinMap{"a": 1})
			if err2 == nil || !err2.Matches(types.ROLE_VIOLATION) {
				t.Errorf("a write by a user who may only read: %v", err2)
			}
		})
	}
}
