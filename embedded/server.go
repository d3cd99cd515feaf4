package embedded

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// aerospikeEpochMs is 2010-01-01 00:00 UTC, from which the wire protocol
	// counts time, in Unix milliseconds.
	aerospikeEpochMs = 1262304000 * 1000

	// sweepInterval is how often expired records are freed in the background.
	sweepInterval = 5 * time.Second

	// acceptRetryDelay is the pause after a failed accept, for example when the
	// process is out of file descriptors.
	acceptRetryDelay = 10 * time.Millisecond

	// nodeAddress is the part of a node ID that a real server takes from its
	// network card: a locally administered MAC address. The port, in the upper 16
	// bits, tells several servers of one process apart.
	nodeAddress = 0x0200AE000001
)

// errClosed is what Restart says after Close.
var errClosed = errors.New("the server is closed")

// A Server is a running server. Its methods may be called from any goroutine.
type Server struct {
	cfg     Config
	now     func() time.Time
	started time.Time
	order   []*namespace // as configured
	byName  map[string]*namespace
	udfs    *udfStore
	jobs    jobList

	lifecycle sync.Mutex // held by Close and Restart from start to end
	stopped   chan struct{}
	sweeping  sync.WaitGroup

	faults   atomic.Pointer[faultSet] // nil if there are none
	security *securityTable           // nil if anyone may do anything
	home     *Server                  // the cluster's first node, which has the data; nil if that is this one
	cluster  *Cluster                 // nil if there is none
	number   int                      // of a cluster's node, from 1; else 0
	traffic  trafficCounters          // of a cluster's node

	operations operationCounters

	mu     sync.Mutex // guards what follows
	ln     net.Listener
	addr   *net.TCPAddr
	conns  map[*conn]struct{}
	loops  []*loop       // that serve connections; none if each has a goroutine
	quit   chan struct{} // closed by disconnect
	opened uint64
	busy   sync.WaitGroup // the accept loop, the event loops and the connections' goroutines
}

// Start starts a server. It returns an error if the configuration is out of
// range or the address can't be listened on. The caller must Close the server.
func Start(cfg Config) (*Server, error) {
	realClock := cfg.Now == nil
	if realClock {
		cfg.Now = time.Now
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	s := &Server{
		cfg:     cfg,
		now:     cfg.Now,
		started: cfg.Now(),
		byName:  make(map[string]*namespace),
		stopped: make(chan struct{}),
		conns:   make(map[*conn]struct{}),
		cluster: cfg.cluster,
		number:  cfg.number,
	}
	if s.security, err = newSecurity(cfg); err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	for _, name := range cfg.Namespaces {
		ns := newNamespace(name, cfg)
		s.order = append(s.order, ns)
		s.byName[name] = ns
	}
	s.udfs = newUDFStore(s.nowMs)
	if err := s.SetFaults(cfg.FaultSeed, cfg.Faults...); err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	if err := s.listen(cfg.Listen); err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	if realClock {
		s.sweeping.Add(1)
		go s.sweep()
	}
	return s, nil
}

// listen opens the listener and starts accepting connections.
func (s *Server) listen(address string) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	addr, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return errors.Join(fmt.Errorf("%s is not a TCP address", address), ln.Close())
	}
	if s.cfg.TLS != nil {
		ln = tls.NewListener(ln, s.cfg.TLS)
	}
	if err := s.startLoops(); err != nil {
		return errors.Join(err, ln.Close())
	}
	s.mu.Lock()
	s.ln, s.addr, s.quit = ln, addr, make(chan struct{})
	s.mu.Unlock()
	s.busy.Add(1)
	go s.accept(ln)
	return nil
}

// accept serves the connections of ln until it is closed.
func (s *Server) accept(ln net.Listener) {
	defer s.busy.Done()
	for {
		nc, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			select {
			case <-s.stopped:
				return
			case <-time.After(acceptRetryDelay):
				continue
			}
		}
		s.open(ln, nc)
	}
}

// open starts serving a connection, unless ln is being closed.
func (s *Server) open(ln net.Listener, nc net.Conn) {
	c := &conn{server: s, node: s, nc: nc, peer: nc.RemoteAddr()}
	if s.home != nil {
		c.server = s.home
	}
	s.mu.Lock()
	if s.ln != ln || len(s.conns) >= s.cfg.MaxConnections {
		s.mu.Unlock()
		_ = nc.Close()
		return
	}
	s.conns[c] = struct{}{}
	s.opened++
	c.serial, c.quit = s.opened, s.quit
	s.busy.Add(1)
	s.mu.Unlock()
	if s.adopt(c) {
		s.busy.Done()
		return
	}
	go s.serve(c)
}

// serve answers a connection's requests on a goroutine of its own, until it ends
// or a loop takes it.
func (s *Server) serve(c *conn) {
	defer s.busy.Done()
	for {
		err := c.serve()
		if !errors.Is(err, errQuick) {
			break
		}
		if s.adopt(c) {
			return
		}
	}
	_ = c.nc.Close()
	s.forget(c)
}

// forget ends the bookkeeping of a connection that has been closed.
func (s *Server) forget(c *conn) {
	c.enter(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// disconnect closes the listener and all connections, and waits for their
// goroutines.
func (s *Server) disconnect() error {
	s.mu.Lock()
	ln := s.ln
	s.ln = nil
	if ln != nil {
		close(s.quit)
	}
	for c := range s.conns {
		if c.nc != nil {
			_ = c.nc.Close()
		}
	}
	for _, l := range s.loops {
		l.stop()
	}
	s.loops = nil
	s.mu.Unlock()
	var err error
	if ln != nil {
		err = ln.Close()
	}
	s.busy.Wait()
	return err
}

// Close closes the listener and all connections, and waits until their
// goroutines have ended. What is stored can still be inspected. Closing again
// does nothing.
func (s *Server) Close() error {
	s.lifecycle.Lock()
	defer s.lifecycle.Unlock()
	select {
	case <-s.stopped:
		return nil
	default:
	}
	close(s.stopped)
	s.sweeping.Wait()
	if err := s.disconnect(); err != nil {
		return fmt.Errorf("embedded server: close: %w", err)
	}
	return nil
}

// Restart closes the listener and all connections, as a stopped server would,
// and listens on the same port again. Records stay. It fails if the server is
// closed or the port has been taken in between; the server then has no listener,
// and Restart may be tried again.
func (s *Server) Restart() error {
	s.lifecycle.Lock()
	defer s.lifecycle.Unlock()
	select {
	case <-s.stopped:
		return fmt.Errorf("embedded server: restart: %w", errClosed)
	default:
	}
	err := s.disconnect()
	if err == nil {
		err = s.listen(s.listenAddr().String())
	}
	if err != nil {
		return fmt.Errorf("embedded server: restart: %w", err)
	}
	return nil
}

func (s *Server) listenAddr() *net.TCPAddr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addr
}

// Addr returns the host:port to connect to, for example "127.0.0.1:43211". If the
// server listens on all addresses, the host is 127.0.0.1.
func (s *Server) Addr() string {
	return net.JoinHostPort(s.host(), strconv.Itoa(s.Port()))
}

// Port returns the TCP port that the server listens on.
func (s *Server) Port() int { return s.listenAddr().Port }

func (s *Server) host() string {
	if ip := s.listenAddr().IP; !ip.IsUnspecified() {
		return ip.String()
	}
	return "127.0.0.1"
}

// nodeID is the name of the cluster's node: up to 16 hexadecimal digits.
func (s *Server) nodeID() string {
	return fmt.Sprintf("%X", uint64(s.Port())<<48|nodeAddress)
}

// nowMs is the time in milliseconds since the Aerospike epoch, 0 before it.
func (s *Server) nowMs() uint64 {
	return uint64(max(0, s.now().UnixMilli()-aerospikeEpochMs))
}

// namespace returns a namespace by name, or nil.
func (s *Server) namespace(name []byte) *namespace { return s.byName[string(name)] }

// sweep frees expired records from time to time, until the server is closed.
func (s *Server) sweep() {
	defer s.sweeping.Done()
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.stopped:
			return
		case <-ticker.C:
			for _, ns := range s.order {
				ns.sweep(s.nowMs())
			}
		}
	}
}
