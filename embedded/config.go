package embedded

import (
	"crypto/tls"
	"errors"
	"fmt"
	"time"
)

// Limits of the real server, from its source (datamodel.h, proto.h, rw_utils.h,
// write.c, namespace.c).
const (
	maxNamespaces     = 32
	maxNamespaceName  = 31
	maxSetName        = 63
	maxSets           = 1<<12 - 1
	maxBinName        = 15
	maxBins           = 0x7FFF
	maxOps            = 32 * 1024
	maxTTL            = 10 * 365 * 24 * 3600 // seconds
	maxMessage        = 128 << 20            // bytes
	maxRecordSize     = 1 << 20              // bytes, the server's default
	minRecordSizeConf = 64
	maxRecordSizeConf = 8 << 20
	maxConnections    = 15000
)

// Config says how a server is set up. The zero value is a server on a free
// loopback port with the namespaces test and bar, whose records never expire
// unless the client says so.
type Config struct {
	// Listen is the host:port to listen on, as net.Listen takes it. Port 0 picks
	// a free one. Default "127.0.0.1:0".
	Listen string

	// Namespaces are the names to serve, 1 to 32 of them, each 1 to 31 bytes
	// without the characters : ; , = / and white space. Default test, bar.
	Namespaces []string

	// Now is the clock that expiry, time-to-live and last-update times follow. It
	// must be safe for concurrent use. Default time.Now. If set, no sweeper runs
	// in the background.
	Now func() time.Time

	// DefaultTTL is how long a record lives when the client asks for the
	// namespace's default: whole seconds, at most 10 years. 0 means for ever.
	DefaultTTL time.Duration

	// MaxRecordSize is the greatest size of a record in bytes as the real server
	// counts it (35 bytes of overhead, names, values and their headers), 64 bytes
	// to 8 MiB. Larger ones get result code 13. Default 1 MiB.
	MaxRecordSize int

	// ClusterName is what the info command cluster-name answers. Default "null",
	// which is how a real server without a name answers.
	ClusterName string

	// Faults make the server misbehave from the start, see [Server.SetFaults].
	Faults []Fault
	// FaultSeed is what their chances are drawn from.
	FaultSeed uint64

	// Users may log in, with a password or a TLS certificate; nobody else may do
	// anything, as with security on a server of the Enterprise Edition. Without
	// users, as on a Community server, anyone may do anything and nobody can log in.
	Users []User
	// SessionTTL is how long a login's token is good for other connections: whole
	// seconds, 2 minutes to 10 days by the Now clock. Default 24 hours.
	SessionTTL time.Duration

	// TLS makes the server speak TLS, and nothing else. [TestAuthority.ServerConfig]
	// makes one for tests.
	TLS *tls.Config
	// TLSName is the name under which a cluster's nodes tell clients to verify their
	// certificates. Default is their address.
	TLSName string

	// MaxConnections is how many connections may be open; a further one is closed at
	// once. The real server's proto-fd-max. Default 15000, as there.
	MaxConnections int
	// IdleTimeout closes connections that have sent nothing for this long, by the
	// wall clock. The real server's proto-fd-idle-ms. Default 0: never, as there.
	IdleTimeout time.Duration

	// EventLoops is how many goroutines serve the connections' simple requests on
	// Linux, from 0. They take less processor time than a goroutine for each
	// connection, but hold a processor each while they wait: right for a server in a
	// process of its own, with half as many loops as processors, while clients in
	// the same process are better off without. Of no effect on other systems, with
	// TLS, and with an IdleTimeout. Default 0.
	EventLoops int

	cluster *Cluster // that the server becomes a node of, nil for none
	number  int      // as which one, from 1
}

// withDefaults returns the configuration with the defaults filled in, or an
// error that says which value is out of range.
func (cfg Config) withDefaults() (Config, error) {
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	if cfg.Namespaces == nil {
		cfg.Namespaces = []string{"test", "bar"}
	}
	if err := checkNamespaces(cfg.Namespaces); err != nil {
		return cfg, err
	}
	if cfg.DefaultTTL < 0 || cfg.DefaultTTL > maxTTL*time.Second || cfg.DefaultTTL%time.Second != 0 {
		return cfg, fmt.Errorf("default TTL %v is not a whole number of seconds from 0 to %d", cfg.DefaultTTL, maxTTL)
	}
	if cfg.MaxRecordSize == 0 {
		cfg.MaxRecordSize = maxRecordSize
	}
	if cfg.MaxRecordSize < minRecordSizeConf || cfg.MaxRecordSize > maxRecordSizeConf {
		return cfg, fmt.Errorf("maximum record size %d is not in %d..%d bytes", cfg.MaxRecordSize, minRecordSizeConf, maxRecordSizeConf)
	}
	if cfg.MaxConnections == 0 {
		cfg.MaxConnections = maxConnections
	}
	if cfg.MaxConnections < 0 || cfg.IdleTimeout < 0 {
		return cfg, fmt.Errorf("%d connections or an idle timeout of %v: negative", cfg.MaxConnections, cfg.IdleTimeout)
	}
	if cfg.EventLoops < 0 {
		return cfg, fmt.Errorf("%d event loops: negative", cfg.EventLoops)
	}
	if cfg.ClusterName == "" {
		cfg.ClusterName = "null"
	}
	return cfg, nil
}

func checkNamespaces(names []string) error {
	if len(names) == 0 || len(names) > maxNamespaces {
		return fmt.Errorf("%d namespaces, want 1 to %d", len(names), maxNamespaces)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if err := checkNamespaceName(name); err != nil {
			return fmt.Errorf("namespace %q: %w", name, err)
		}
		if seen[name] {
			return fmt.Errorf("namespace %q is given twice", name)
		}
		seen[name] = true
	}
	return nil
}

// checkNamespaceName rejects what would break the info protocol's lists.
func checkNamespaceName(name string) error {
	if name == "" {
		return errors.New("the name is empty")
	}
	if len(name) > maxNamespaceName {
		return fmt.Errorf("the name is longer than %d bytes", maxNamespaceName)
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c <= ' ' || c == 0x7F:
			return errors.New("the name has a blank or control character")
		case c == ':' || c == ';' || c == ',' || c == '=' || c == '/':
			return fmt.Errorf("the name has the character %q", c)
		}
	}
	return nil
}
