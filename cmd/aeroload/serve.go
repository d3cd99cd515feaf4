package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/embedded"
	"github.com/aeroload/aeroload/internal/listen"
	"github.com/aeroload/aeroload/internal/wholefile"
)

// serveSettings is what the command line of `serve` says besides --listen.
type serveSettings struct {
	faults    []embedded.Fault
	faultSeed uint64

	nodes, replicas int
	racks           []int

	churn time.Duration

	maxConnections int
	idleTimeout    time.Duration

	users                     []embedded.User
	certFile, keyFile, caFile string
	tlsName, testCertificates string
}

// maxPEM is far above any file of certificates or keys.
const maxPEM = 16 << 20

const (
	catServer   = "Server"
	catSecurity = "Security"
	catFaults   = "Faults"
)

// nodeOptions make the server a cluster.
func nodeOptions() []*option {
	return []*option{
		{name: "nodes", arg: "N", def: "1", category: catServer, usage: "nodes of the cluster, 1 to 8, on the port of --listen and those after it; they share their data",
			set: setInt(func(s *settings) *int { return &s.serve.nodes }, 1, 8)},
		{name: "replication-factor", arg: "N", def: "2", category: catServer, usage: "copies of each record, at most one on each node",
			set: setInt(func(s *settings) *int { return &s.serve.replicas }, 1, 8)},
		{name: "racks", arg: "N,…", category: catServer, usage: "rack of each node, for clients that prefer one",
			set: setChoice(cluster.ParseRackIDs, func(s *settings) *[]int { return &s.serve.racks })},
		{name: "churn", arg: "MS", def: "0", category: catServer, usage: "let a node leave each time this has passed, one after the other, and come back half as long after; 0 is never",
			set: setTime(func(s *settings) *time.Duration { return &s.serve.churn }, time.Millisecond)},
	}
}

// faultOptions make the server misbehave.
func faultOptions() []*option {
	return []*option{
		{name: "fault", arg: "FAULT", category: catFaults,
			usage: "'write delay=50ms p=0.01', 'read code=timeout n=10', 'any reset p=0.1 per=connection'; may be repeated, the first that strikes counts",
			set: func(s *settings, text string) error {
				f, err := embedded.ParseFault(text)
				s.serve.faults = append(s.serve.faults, f)
				return err
			}},
		{name: "fault-seed", arg: "N", def: "0", category: catFaults, usage: "what the chances of faults are drawn from",
			set: func(s *settings, text string) error {
				var err error
				s.serve.faultSeed, err = strconv.ParseUint(text, 10, 64)
				return err
			}},
	}
}

// limitOptions bound the connections.
func limitOptions() []*option {
	return []*option{
		{name: "max-connections", arg: "N", def: "15000", category: catServer, usage: "connections to a node; further ones are closed at once",
			set: setInt(func(s *settings) *int { return &s.serve.maxConnections }, 1, math.MaxInt32)},
		{name: "idle-timeout", arg: "MS", def: "0", category: catServer, usage: "close connections that send nothing for this long; 0 is never",
			set: setTime(func(s *settings) *time.Duration { return &s.serve.idleTimeout }, time.Millisecond)},
	}
}

// securityOptions close the server to strangers.
func securityOptions() []*option {
	text := func(target func(s *serveSettings) *string) func(*settings, string) error {
		return setName(func(s *settings) *string { return target(&s.serve) })
	}
	return []*option{
		{name: "user", arg: "NAME:PASSWORD:ROLE,…", category: catSecurity,
			usage:  "a user who may log in, such as admin:secret:superuser; may be repeated, and without any nobody needs to",
			secret: func(string) bool { return true },
			set: func(s *settings, text string) error {
				u, err := parseUser(text)
				s.serve.users = append(s.serve.users, u)
				return err
			}},
		{name: "tls-certfile", arg: "FILE", category: catSecurity, usage: "speak TLS with this certificate chain, PEM",
			set: text(func(s *serveSettings) *string { return &s.certFile })},
		{name: "tls-keyfile", arg: "FILE", category: catSecurity, usage: "its private key, PEM",
			set: text(func(s *serveSettings) *string { return &s.keyFile })},
		{name: "tls-cafile", arg: "FILE", category: catSecurity, usage: "ask clients for a certificate that one of these has signed, PEM",
			set: text(func(s *serveSettings) *string { return &s.caFile })},
		{name: "tls-name", arg: "NAME", category: catSecurity, usage: "name in the nodes' certificates that they tell clients",
			set: text(func(s *serveSettings) *string { return &s.tlsName })},
		{name: "tls-test", arg: "DIR", category: catSecurity, usage: "speak TLS with a throw-away certificate, and leave ca.pem, client.pem and client.key in this folder",
			set: text(func(s *serveSettings) *string { return &s.testCertificates })},
	}
}

// parseUser reads a user: name, password and roles with colons between. Only the
// password may have colons.
func parseUser(text string) (embedded.User, error) {
	name, rest, ok := strings.Cut(text, ":")
	i := strings.LastIndexByte(rest, ':')
	if !ok || i < 0 || name == "" {
		if ok {
			name += ":…" // what follows may be a password
		}
		return embedded.User{}, fmt.Errorf("%q: want NAME:PASSWORD:ROLE,…", name)
	}
	return embedded.User{Name: name, Password: rest[:i], Roles: strings.Split(rest[i+1:], ",")}, nil
}

// serverTLS returns the server's TLS configuration, nil for none.
func (s *serveSettings) serverTLS() (*tls.Config, error) {
	switch {
	case s.testCertificates != "" && (s.certFile != "" || s.keyFile != "" || s.caFile != ""):
		return nil, usagef("--tls-test: it makes its own certificates, so it doesn't go with the other flags for files")
	case s.testCertificates != "":
		return s.makeCertificates()
	case s.certFile == "" && s.keyFile == "" && s.caFile == "":
		return nil, nil
	case s.certFile == "" || s.keyFile == "":
		return nil, usagef("--tls-certfile and --tls-keyfile are needed both")
	}
	cert, err := wholefile.Read(s.certFile, maxPEM)
	if err != nil {
		return nil, usagef("--tls-certfile: %w", err)
	}
	key, err := wholefile.Read(s.keyFile, maxPEM)
	if err != nil {
		return nil, usagef("--tls-keyfile: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, usagef("--tls-certfile: %w", err)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	if s.caFile == "" {
		return config, nil
	}
	text, err := wholefile.Read(s.caFile, maxPEM)
	if err != nil {
		return nil, usagef("--tls-cafile: %w", err)
	}
	config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(text) {
		return nil, usagef("--tls-cafile: there is no PEM certificate in %q", s.caFile)
	}
	return config, nil
}

// makeCertificates makes throw-away certificates and leaves what clients need in a
// folder.
func (s *serveSettings) makeCertificates() (*tls.Config, error) {
	authority, err := embedded.NewTestAuthority()
	if err != nil {
		return nil, err
	}
	var hosts []string
	if s.tlsName != "" {
		hosts = append(hosts, s.tlsName)
	}
	config, err := authority.ServerConfig(false, hosts...)
	if err != nil {
		return nil, err
	}
	client, err := authority.Issue("client")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"ca.pem": authority.PEM, "client.pem": client.CertPEM, "client.key": client.KeyPEM}
	if err := os.MkdirAll(s.testCertificates, 0o777); err != nil {
		return nil, usagef("--tls-test: %w", err)
	}
	for name := range files {
		path := filepath.Join(s.testCertificates, name)
		if _, err := os.Lstat(path); err == nil && !madeHere(s.testCertificates) {
			return nil, usagef("--tls-test: there is a %s already, and it is of no earlier server; name another folder", path)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.testCertificates, name), text, 0o600); err != nil {
			return nil, usagef("--tls-test: %w", err)
		}
	}
	return config, nil
}

// madeHere tells whether the certificates in a folder are those of an earlier server.
func madeHere(dir string) bool {
	text, err := wholefile.Read(filepath.Join(dir, "ca.pem"), maxPEM)
	if err != nil {
		return false
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	return err == nil && cert.Subject.CommonName == embedded.TestAuthorityName
}

// parseListen checks the address of a server. Without a host it is that of all
// networks, as Go has it: a server is there for others.
func parseListen(text string) (string, error) {
	_, err := listen.Parse(text)
	return text, err
}

// checkPorts refuses a cluster whose last ports do not exist.
func (s *settings) checkPorts() error {
	_, port, err := net.SplitHostPort(s.listen)
	if err != nil {
		return err
	}
	first, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	if last := first + s.serve.nodes - 1; first > 0 && last > math.MaxUint16 {
		return fmt.Errorf("--nodes: the ports of %d nodes from that of --listen on, %q, end at %d; %d is the highest port", s.serve.nodes, s.listen, last, math.MaxUint16)
	}
	return nil
}

// startServer starts a server or a cluster, and tells where it listens.
func (s *settings) startServer() (io.Closer, string, error) {
	if err := s.checkPorts(); err != nil {
		return nil, "", &usageError{err}
	}
	config, err := s.serverConfig()
	if err != nil {
		return nil, "", err
	}
	if s.serve.nodes == 1 && s.serve.racks == nil && s.serve.churn == 0 {
		server, err := embedded.Start(config)
		if err != nil {
			return nil, "", serveError(err)
		}
		return server, server.Addr(), nil
	}
	if s.serve.churn > 0 && s.serve.nodes == 1 {
		return nil, "", usagef("--churn: needs --nodes 2 or more")
	}
	if s.serve.racks != nil && len(s.serve.racks) != s.serve.nodes {
		return nil, "", usagef("--racks: there are %d for %d nodes", len(s.serve.racks), s.serve.nodes)
	}
	nodes, err := embedded.StartCluster(embedded.ClusterConfig{
		Config: config, Nodes: s.serve.nodes, ReplicationFactor: s.serve.replicas, Racks: s.serve.racks,
	})
	if err != nil {
		return nil, "", serveError(err)
	}
	if s.serve.churn > 0 {
		return startChurn(nodes, s.serve.churn), strings.Join(nodes.Addrs(), ", "), nil
	}
	return nodes, strings.Join(nodes.Addrs(), ", "), nil
}

// churn is a cluster whose nodes leave and come back by turns.
type churn struct {
	*embedded.Cluster
	end  chan struct{}
	done chan error
}

func startChurn(nodes *embedded.Cluster, period time.Duration) *churn {
	c := &churn{Cluster: nodes, end: make(chan struct{}), done: make(chan error, 1)}
	go func() { c.done <- c.run(period) }()
	return c
}

// run goes on until the end is closed. A port that has been taken while its node
// was away is an error, after which the node stays away.
func (c *churn) run(period time.Duration) error {
	count := len(c.Nodes())
	for turn := 0; ; turn++ {
		number := turn%count + 1
		for _, step := range []struct {
			wait time.Duration
			do   func(int) error
		}{{period - period/2, c.Stop}, {period / 2, c.Start}} {
			select {
			case <-c.end:
				return nil
			case <-time.After(step.wait):
			}
			if err := step.do(number); err != nil {
				return err
			}
		}
	}
}

// Close ends the churn and closes the cluster.
func (c *churn) Close() error {
	close(c.end)
	return errors.Join(<-c.done, c.Cluster.Close())
}

// serverConfig is how the server, or each node, is to be.
func (s *settings) serverConfig() (embedded.Config, error) {
	config, err := s.serve.serverTLS()
	return embedded.Config{
		Listen: s.listen, Faults: s.serve.faults, FaultSeed: s.serve.faultSeed,
		MaxConnections: s.serve.maxConnections, IdleTimeout: s.serve.idleTimeout,
		Users: s.serve.users, TLS: config, TLSName: s.serve.tlsName,
		// Of all nodes, on half of the processors: the other half is for clients.
		EventLoops: runtime.GOMAXPROCS(0) / 2 / max(1, s.serve.nodes),
	}, err
}

// serveError says which flag is to blame for a server that doesn't start.
func serveError(err error) error {
	var network *net.OpError
	if errors.As(err, &network) {
		return fmt.Errorf("--listen: %w", err)
	}
	return &usageError{err}
}
