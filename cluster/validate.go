package cluster

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// maxTimeout is the longest time asbench's flags can express (a C int of
	// milliseconds), and the longest the client can send.
	maxTimeout = math.MaxInt32 * time.Millisecond
	// maxConns: one client address has no more ports than this for a node.
	maxConns = 65535
	// maxRackID is the highest rack-id of the server's configuration.
	maxRackID = 1_000_000
	// errorsPerWindow is the client's bound on MaxErrorRate for each tend
	// interval of the window; above it the client silently takes 100 and 1
	// (client_policy.go, ensureErrorRates).
	errorsPerWindow = 100
)

// Validate returns everything that is wrong with the configuration, joined,
// each error beginning with the flag it is about; nil if nothing is. It reads
// the TLS files, but sends nothing.
func (c Config) Validate() error {
	return errors.Join(
		c.validateHosts(),
		c.validateTimes(),
		c.validateConns(),
		c.validateChoices(),
		c.validateRacks(),
		c.validateLogin(),
		c.validateTLS(),
	)
}

func (c Config) validateHosts() error {
	if len(c.Hosts) == 0 {
		return errors.New("--hosts: at least one host is needed")
	}
	var errs []error
	for i, host := range c.Hosts {
		err := checkName("host", host.Name)
		if err == nil {
			err = checkPort(host.Port)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--hosts: host %d: %w", i+1, err))
		}
	}
	return errors.Join(errs...)
}

func (c Config) validateTimes() error {
	var errs []error
	for _, t := range []struct {
		flag  string
		value time.Duration
		most  time.Duration
	}{
		{"--connect-timeout", c.ConnectTimeout, maxTimeout},
		{"--tender-interval", c.TendInterval, maxTimeout},
		{"--max-socket-idle", c.MaxSocketIdle, 24 * time.Hour},
		{"--read-socket-timeout", c.ReadSocketTimeout, maxTimeout},
		{"--write-socket-timeout", c.WriteSocketTimeout, maxTimeout},
		{"--read-timeout", c.ReadTimeout, maxTimeout},
		{"--write-timeout", c.WriteTimeout, maxTimeout},
		{"--sleep-between-retries", c.SleepBetweenRetries, maxTimeout},
	} {
		if t.value < 0 || t.value > t.most {
			errs = append(errs, fmt.Errorf("%s: %v is not in 0..%v", t.flag, t.value, t.most))
		}
	}
	return errors.Join(errs...)
}

func (c Config) validateConns() error {
	var errs []error
	for _, n := range []struct {
		flag  string
		value int
		most  int
	}{
		{"--max-retries", c.MaxRetries, math.MaxInt32},
		{"--min-conns-per-node", c.MinConnsPerNode, maxConns},
		{"--max-conns-per-node", c.MaxConnsPerNode, maxConns},
		{"--threads", c.Workers, maxConns},
		{"--error-rate-window", c.ErrorRateWindow, math.MaxInt32},
		{"--max-error-rate", c.MaxErrorRate, math.MaxInt32},
	} {
		if n.value < 0 || n.value > n.most {
			errs = append(errs, fmt.Errorf("%s: %d is not in 0..%d", n.flag, n.value, n.most))
		}
	}
	if c.MinConnsPerNode > c.ConnsPerNode() {
		errs = append(errs, fmt.Errorf("--min-conns-per-node: %d is more than --max-conns-per-node, %d",
			c.MinConnsPerNode, c.ConnsPerNode()))
	}
	if c.Workers > c.ConnsPerNode() {
		errs = append(errs, fmt.Errorf("--max-conns-per-node: %d connections can't carry the %d commands that "+
			"--threads or --async-max-commands have on their way at once", c.MaxConnsPerNode, c.Workers))
	}
	if most := errorsPerWindow * max(1, c.ErrorRateWindow); c.MaxErrorRate > most {
		errs = append(errs, fmt.Errorf("--max-error-rate: %d is more than the client counts, %d for each tend interval "+
			"of --error-rate-window: at most %d here", c.MaxErrorRate, errorsPerWindow, most))
	}
	return errors.Join(errs...)
}

func (c Config) validateChoices() error {
	_, auth := parseChoice("--auth", c.Auth, string(c.Auth), authModes())
	_, replica := ParseReplica(string(c.Replica))
	_, ap := ParseReadModeAP(string(c.ReadModeAP))
	_, sc := ParseReadModeSC(string(c.ReadModeSC))
	_, commit := ParseCommitLevel(string(c.CommitLevel))
	return errors.Join(auth, replica, ap, sc, commit)
}

func (c Config) validateRacks() error {
	var errs []error
	if c.Replica == ReplicaPreferRack && len(c.RackIDs) == 0 {
		errs = append(errs, errors.New("--rack-id: needed with --replica prefer-rack"))
	}
	if c.Replica != ReplicaPreferRack && len(c.RackIDs) > 0 {
		errs = append(errs, errors.New("--rack-id: only with --replica prefer-rack"))
	}
	for i, id := range c.RackIDs {
		if id < 0 || id > maxRackID {
			errs = append(errs, fmt.Errorf("--rack-id: %d is not in 0..%d", id, maxRackID))
		}
		if slices.Contains(c.RackIDs[:i], id) {
			errs = append(errs, fmt.Errorf("--rack-id: %d is given twice", id))
		}
	}
	return errors.Join(errs...)
}

func (c Config) validateLogin() error {
	var errs []error
	if c.Auth == AuthPKI {
		if c.User != "" || c.Password != "" {
			errs = append(errs, errors.New("--auth PKI: logs in by certificate, so without --user and --password"))
		}
		if !c.TLS.Enable || c.TLS.CertFile == "" {
			errs = append(errs, errors.New("--auth PKI: needs --tls-enable with --tls-certfile and --tls-keyfile"))
		}
		return errors.Join(errs...)
	}
	switch {
	case c.User != "" && c.Password == "":
		errs = append(errs, fmt.Errorf("--password: missing for --user %q", c.User))
	case c.User == "" && c.Password != "":
		errs = append(errs, errors.New("--user: missing for --password"))
	}
	if c.User != "" && !c.TLS.Enable {
		switch c.Auth {
		case AuthExternal:
			errs = append(errs, errors.New("--auth EXTERNAL: sends the password as it is, so it needs --tls-enable"))
		case AuthExternalInsecure:
			errs = append(errs, errors.New("--auth EXTERNAL_INSECURE: the Go client sends a password over TLS only, so it needs --tls-enable"))
		}
	}
	return errors.Join(errs...)
}

func (c Config) validateTLS() error {
	if c.TLS.Enable {
		_, err := c.TLS.build()
		return err
	}
	var errs []error
	t := c.TLS
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--tls-name", t.Name != ""},
		{"--tls-cafile", t.CAFile != ""},
		{"--tls-capath", t.CAPath != ""},
		{"--tls-protocols", t.Protocols != ""},
		{"--tls-cipher-suite", t.CipherSuites != ""},
		{"--tls-certfile", t.CertFile != ""},
		{"--tls-keyfile", t.KeyFile != ""},
		{"--tls-keyfile-password", t.KeyPassword != ""},
		{"--tls-crl-check", t.CRLCheck},
		{"--tls-crl-check-all", t.CRLCheckAll},
		{"--tls-cert-blacklist", t.CertBlacklist != ""},
		{"--tls-log-session-info", t.SessionLog != nil},
		{"--tls-login-only", t.LoginOnly},
	} {
		if f.given {
			errs = append(errs, fmt.Errorf("%s: has no effect without --tls-enable", f.flag))
		}
	}
	return errors.Join(errs...)
}
