package cluster

import (
	"strings"
	"testing"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
)

func TestDefaultConfigIsValid(t *testing.T) {
	c := DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	// asbench's defaults, as its help and source have them.
	if c.ConnectTimeout != time.Second || c.MaxRetries != 1 || c.Replica != ReplicaSequence ||
		c.ReadSocketTimeout != 30*time.Second || c.WriteTimeout != time.Second || c.ConnsPerNode() != 300 ||
		c.MaxErrorRate != 0 || c.MaxSocketIdle != 55*time.Second || c.Hosts[0].String() != "127.0.0.1:3000" {
		t.Errorf("got %+v", c)
	}
}

// TestPolicies gives every setting a value of its own and looks for it in the
// client's policies.
func TestPolicies(t *testing.T) {
	c := Config{
		User: "bob", Password: "secret", Auth: AuthPKI,
		ServicesAlternate: true,
		ConnectTimeout:    1 * time.Second,
		MaxErrorRate:      7,
		ErrorRateWindow:   3,
		TendInterval:      2 * time.Second,
		MaxSocketIdle:     40 * time.Second,
		MinConnsPerNode:   5, MaxConnsPerNode: 50,
		ReadSocketTimeout: 3 * time.Second, WriteSocketTimeout: 4 * time.Second,
		ReadTimeout: 5 * time.Second, WriteTimeout: 6 * time.Second,
		MaxRetries: 2, SleepBetweenRetries: 8 * time.Millisecond,
		Compress: true, SendKey: true,
		Replica: ReplicaPreferRack, RackIDs: []int{4, 2},
		ReadModeAP: ReadModeAPAll, ReadModeSC: ReadModeSCLinearize,
		CommitLevel: CommitMaster, DurableDelete: true,
	}
	p := c.clientPolicy()
	if p.User != "bob" || p.Password != "secret" || p.AuthMode != aerospike.AuthModePKI || !p.UseServicesAlternate ||
		p.Timeout != time.Second || p.MaxErrorRate != 7 || p.ErrorRateWindow != 3 || p.TendInterval != 2*time.Second ||
		p.IdleTimeout != 40*time.Second || p.MinConnectionsPerNode != 5 || p.ConnectionQueueSize != 51 ||
		!p.LimitConnectionsToQueueSize || !p.FailIfNotConnected || !p.RackAware || len(p.RackIds) != 2 || p.RackIds[0] != 4 {
		t.Errorf("client policy: %+v", p)
	}
	r, w := c.readPolicy(), c.writePolicy()
	if r.SocketTimeout != 3*time.Second || r.TotalTimeout != 5*time.Second {
		t.Errorf("read timeouts: %v, %v", r.SocketTimeout, r.TotalTimeout)
	}
	if w.SocketTimeout != 4*time.Second || w.TotalTimeout != 6*time.Second || !w.DurableDelete || w.CommitLevel != aerospike.COMMIT_MASTER ||
		w.RecordExistsAction != aerospike.UPDATE || w.Expiration != aerospike.TTLServerDefault {
		t.Errorf("write policy: %+v", w)
	}
	for name, b := range map[string]*aerospike.BasePolicy{"read": r, "write": &w.BasePolicy} {
		if b.MaxRetries != 3 || b.SleepBetweenRetries != 8*time.Millisecond || !b.UseCompression || !b.SendKey ||
			b.ReplicaPolicy != aerospike.PREFER_RACK || b.ReadModeAP != aerospike.ReadModeAPAll || b.ReadModeSC != aerospike.ReadModeSCLinearize {
			t.Errorf("%s policy: %+v", name, b)
		}
	}
	if c.readPolicy() == r || c.writePolicy() == w {
		t.Error("a policy is handed out twice")
	}
}

func TestPolicyChoices(t *testing.T) {
	for choice, want := range map[Replica]aerospike.ReplicaPolicy{
		ReplicaMaster: aerospike.MASTER, ReplicaAny: aerospike.MASTER_PROLES,
		ReplicaSequence: aerospike.SEQUENCE, ReplicaPreferRack: aerospike.PREFER_RACK,
	} {
		if got := choice.client(); got != want {
			t.Errorf("%s is %v, want %v", choice, got, want)
		}
	}
	for choice, want := range map[AuthMode]aerospike.AuthMode{
		AuthInternal: aerospike.AuthModeInternal, AuthExternal: aerospike.AuthModeExternal,
		AuthExternalInsecure: aerospike.AuthModeExternal, AuthPKI: aerospike.AuthModePKI,
	} {
		if got := choice.client(); got != want {
			t.Errorf("%s is %v, want %v", choice, got, want)
		}
	}
	for choice, want := range map[ReadModeSC]aerospike.ReadModeSC{
		ReadModeSCSession: aerospike.ReadModeSCSession, ReadModeSCLinearize: aerospike.ReadModeSCLinearize,
		ReadModeSCAllowReplica: aerospike.ReadModeSCAllowReplica, ReadModeSCAllowUnavailable: aerospike.ReadModeSCAllowUnavailable,
	} {
		if got := choice.client(); got != want {
			t.Errorf("%s is %v, want %v", choice, got, want)
		}
	}
	if ReadModeAPOne.client() != aerospike.ReadModeAPOne || CommitAll.client() != aerospike.COMMIT_ALL {
		t.Error("one or all is not the client's")
	}
}

func TestNoTimeLimits(t *testing.T) {
	for _, tt := range []struct {
		socket, total, wantSocket time.Duration
		why                       string
	}{
		{0, 0, noLimit, "the client would take two seconds"},
		{30 * time.Second, 0, 30 * time.Second, "each attempt has a limit, all together have none"},
		{0, time.Second, 0, "the client takes what is left of the total"},
		{30 * time.Second, time.Second, 30 * time.Second, "the client takes the shorter one"},
	} {
		c := Config{ReadSocketTimeout: tt.socket, ReadTimeout: tt.total, WriteSocketTimeout: tt.socket, WriteTimeout: tt.total}
		r, w := c.readPolicy(), c.writePolicy()
		if r.SocketTimeout != tt.wantSocket || w.SocketTimeout != tt.wantSocket || r.TotalTimeout != tt.total || w.TotalTimeout != tt.total {
			t.Errorf("socket %v, total %v: the socket timeouts are %v and %v, want %v (%s)",
				tt.socket, tt.total, r.SocketTimeout, w.SocketTimeout, tt.wantSocket, tt.why)
		}
	}
	if got := (Config{}).clientPolicy().Timeout; got != noLimit {
		t.Errorf("no connect timeout is %v, want %v", got, noLimit)
	}
}

func TestConnsPerNode(t *testing.T) {
	for _, tt := range []struct {
		conns, workers, want int
		why                  string
	}{
		{0, 16, 300, "asbench's default"},
		{0, 400, 400, "asbench would fail with 400 threads"},
		{20, 16, 20, "what is given is taken"},
	} {
		c := DefaultConfig()
		c.MaxConnsPerNode, c.Workers = tt.conns, tt.workers
		if got := c.ConnsPerNode(); got != tt.want {
			t.Errorf("%d connections for %d workers are %d, want %d (%s)", tt.conns, tt.workers, got, tt.want, tt.why)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		change func(*Config)
		want   []string // each must be in the message; none means valid
	}{
		{func(c *Config) { c.Hosts = nil }, []string{"--hosts: at least one"}},
		{func(c *Config) { c.Hosts = []Host{{Name: "a", Port: 3000}, {Name: "b"}} }, []string{"--hosts: host 2: port 0 is not in 1..65535"}},
		{func(c *Config) { c.Hosts = []Host{{Port: 3000}} }, []string{"--hosts: host 1: the host is missing"}},
		{func(c *Config) { c.ConnectTimeout = -1 }, []string{"--connect-timeout: -1ns is not in 0.."}},
		{func(c *Config) { c.ConnectTimeout = 0 }, nil},
		{func(c *Config) { c.MaxSocketIdle = 25 * time.Hour }, []string{"--max-socket-idle: 25h0m0s is not in 0..24h0m0s"}},
		{func(c *Config) { c.ReadTimeout, c.WriteTimeout = -time.Second, 600*time.Hour },
			[]string{"--read-timeout: -1s", "--write-timeout: 600h"}},
		{func(c *Config) { c.ReadTimeout, c.ReadSocketTimeout = 0, 0 }, nil},
		{func(c *Config) { c.MaxRetries = -1 }, []string{"--max-retries: -1"}},
		{func(c *Config) { c.MinConnsPerNode = 301 }, []string{"--min-conns-per-node: 301 is more than --max-conns-per-node, 300"}},
		{func(c *Config) { c.MaxConnsPerNode, c.Workers = 8, 8 }, nil},
		{func(c *Config) { c.MaxConnsPerNode, c.Workers = 8, 9 }, []string{"--max-conns-per-node: 8 connections can't carry the 9 commands"}},
		{func(c *Config) { c.Workers = 5000 }, nil},
		{func(c *Config) { c.MaxConnsPerNode = 70000 }, []string{"--max-conns-per-node: 70000 is not in 0..65535"}},
		{func(c *Config) { c.MaxErrorRate = 101 }, []string{"--max-error-rate: 101", "at most 100 here"}},
		{func(c *Config) { c.MaxErrorRate, c.ErrorRateWindow = 500, 5 }, nil},
		{func(c *Config) { c.ErrorRateWindow = 0 }, nil},
		{func(c *Config) { c.ErrorRateWindow = -1 }, []string{"--error-rate-window: -1"}},
		{func(c *Config) { c.Replica = ReplicaPreferRack }, []string{"--rack-id: needed with --replica prefer-rack"}},
		{func(c *Config) { c.Replica, c.RackIDs = ReplicaPreferRack, []int{0} }, nil},
		{func(c *Config) { c.RackIDs = []int{1} }, []string{"--rack-id: only with --replica prefer-rack"}},
		{func(c *Config) { c.Replica, c.RackIDs = ReplicaPreferRack, []int{-1, 2, 2} }, []string{"--rack-id: -1", "--rack-id: 2 is given twice"}},
		{func(c *Config) {
			c.Replica, c.Auth, c.ReadModeAP, c.ReadModeSC, c.CommitLevel = "", "LDAP", "two", "SESSION", "none"
		},
			[]string{`--replica: ""`, `--auth: "LDAP"`, `--read-mode-ap: "two"`, `--read-mode-sc: "SESSION" is written "session"`, `--commit-level: "none"`}},
		{func(c *Config) { c.User = "bob" }, []string{`--password: missing for --user "bob"`}},
		{func(c *Config) { c.Password = "x" }, []string{"--user: missing"}},
		{func(c *Config) { c.User, c.Password = "bob", "x" }, nil},
		{func(c *Config) { c.User, c.Password, c.Auth = "bob", "x", AuthExternal }, []string{"--auth EXTERNAL: ", "--tls-enable"}},
		{func(c *Config) { c.User, c.Password, c.Auth = "bob", "x", AuthExternalInsecure }, []string{"--auth EXTERNAL_INSECURE: ", "--tls-enable"}},
		{func(c *Config) { c.User, c.Password, c.Auth, c.TLS.Enable = "bob", "x", AuthExternalInsecure, true }, nil},
		{func(c *Config) { c.Auth, c.User = AuthPKI, "bob" }, []string{"--auth PKI: logs in by certificate", "--auth PKI: needs --tls-enable"}},
		{func(c *Config) { c.TLS.CAFile, c.TLS.CRLCheck = "ca.pem", true }, []string{"--tls-cafile: has no effect", "--tls-crl-check: has no effect"}},
		{func(c *Config) { c.TLS.Enable, c.TLS.LoginOnly = true, true }, []string{"--tls-login-only: "}},
	} {
		c := DefaultConfig()
		tt.change(&c)
		err := c.Validate()
		if len(tt.want) == 0 {
			if err != nil {
				t.Errorf("%v, but it is valid", err)
			}
			continue
		}
		if err == nil {
			t.Errorf("valid, want %q", tt.want)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %q, want %q in it", err, want)
			}
		}
		if lines := strings.Count(err.Error(), "\n") + 1; lines != len(tt.want) && len(tt.want) > 2 {
			t.Errorf("%d errors, want %d:\n%v", lines, len(tt.want), err)
		}
	}
}

func TestRetrySleep(t *testing.T) {
	for _, c := range []struct{ asked, total, want time.Duration }{
		{0, time.Second, time.Millisecond},
		{0, 0, time.Millisecond},
		{0, time.Millisecond, 100 * time.Microsecond},
		{5 * time.Millisecond, time.Millisecond, 5 * time.Millisecond},
	} {
		if got := retrySleep(c.asked, c.total); got != c.want {
			t.Errorf("retrySleep(%v, %v) = %v, want %v", c.asked, c.total, got, c.want)
		}
	}
}
