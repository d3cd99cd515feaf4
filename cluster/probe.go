package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// A probe asks a host for its build by an info request, the one thing an
// Aerospike node answers before a login, to learn why it can't be used.
type probe struct {
	timeout time.Duration
	tls     *tls.Config // nil for none
	login   bool        // a login will follow, so it's no matter that the node asks for one
	racks   bool        // the node must know racks
}

// probeAny asks all hosts at once and returns nil as soon as one is usable, or
// an error that names each host and its reason.
func probeAny(ctx context.Context, hosts []Host, p probe) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	type answer struct {
		host int
		err  error
	}
	answers := make(chan answer, len(hosts))
	for i, host := range hosts {
		go func() { answers <- answer{i, p.ask(ctx, host)} }()
	}
	errs := make([]error, len(hosts))
	for range hosts {
		a := <-answers
		if a.err == nil {
			return nil
		}
		errs[a.host] = a.err
	}

	// One reason for all, or each host with its own.
	reasons := make([]string, len(hosts))
	same := true
	for i, err := range errs {
		reasons[i] = p.reason(err)
		same = same && reasons[i] == reasons[0]
	}
	if same {
		return &connectError{
			text:   fmt.Sprintf("no Aerospike node answered at %s: %s", addresses(hosts), reasons[0]),
			causes: errs,
		}
	}
	for i, host := range hosts {
		reasons[i] = fmt.Sprintf("%s (%s)", host.address(), reasons[i])
	}
	return &connectError{text: "no Aerospike node answered at " + strings.Join(reasons, ", "), causes: errs}
}

var (
	errNotAerospike = errors.New("what answers is not Aerospike")
	errWantsLogin   = errors.New("the node asks for a login: give --user and --password")
	errNoRacks      = errors.New("the node has no racks, which are a feature of the Enterprise Edition: leave out --replica prefer-rack")
)

// The header of the wire protocol: a version, a type and the length of what
// follows as 48 bits (aerospike-server, as/include/base/proto.h).
const (
	protoVersion   = 2
	protoInfo      = 1
	protoHeaderLen = 8
	// maxAnswer is far above an answer to such a request and far below what bytes
	// that aren't a header are likely to say.
	maxAnswer = 1 << 20
)

// ask returns nil when the host is an Aerospike node that can be logged in to.
func (p probe) ask(ctx context.Context, host Host) error {
	var dialer net.Dialer
	plain, err := dialer.DialContext(ctx, "tcp", host.address())
	if err != nil {
		return err
	}
	defer plain.Close()
	// Reading and writing, and not only the dial, must end with ctx.
	stop := context.AfterFunc(ctx, func() { plain.Close() })
	defer stop()

	conn := plain
	if p.tls != nil {
		config := p.tls.Clone()
		config.ServerName = host.TLSName
		secured := tls.Client(plain, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			return errors.Join(ctx.Err(), fmt.Errorf("TLS: %w", err))
		}
		conn = secured
	}
	answer, err := askInfo(conn, "build")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case bytes.Contains(answer, []byte("ERROR:80")): // 80 is "not authenticated"
		if !p.login {
			return errWantsLogin
		}
		return nil // and so it would answer to anything else
	case !p.racks:
		return nil
	}
	// Without racks the client would never get a partition map, and say that
	// the namespace is unknown.
	answer, err = askInfo(conn, "racks:")
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case bytes.Contains(answer, []byte("\tERROR")):
		return errNoRacks
	}
	return nil
}

// askInfo sends an info request and returns the answer's text: the request, a
// tab, and what the node says to it.
func askInfo(conn net.Conn, item string) ([]byte, error) {
	request := item + "\n"
	message := binary.BigEndian.AppendUint64(nil, protoVersion<<56|protoInfo<<48|uint64(len(request)))
	if _, err := conn.Write(append(message, request...)); err != nil {
		return nil, err
	}
	header := make([]byte, protoHeaderLen)
	if n, err := io.ReadFull(conn, header); err != nil {
		if n > 0 {
			return nil, fmt.Errorf("%w (it said %q)", errNotAerospike, header[:n])
		}
		return nil, err
	}
	length := binary.BigEndian.Uint64(header) & (1<<48 - 1)
	if header[0] != protoVersion || header[1] != protoInfo || length > maxAnswer {
		return nil, fmt.Errorf("%w (it said %q)", errNotAerospike, header)
	}
	answer := make([]byte, length)
	if _, err := io.ReadFull(conn, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// reason is an error of ask in words for the user: without the addresses and
// operations that package net adds, as the message has named the host.
func (p probe) reason(err error) string {
	var dns *net.DNSError
	var tlsRecord tls.RecordHeaderError
	var errno syscall.Errno
	switch {
	case errors.Is(err, errNotAerospike), errors.Is(err, errWantsLogin), errors.Is(err, errNoRacks):
		return err.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no host of that name"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("no answer within %v (--connect-timeout)", p.timeout)
	case errors.As(err, &tlsRecord):
		return "it does not speak TLS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		if p.tls == nil {
			return "it closed the connection (a TLS port needs --tls-enable)"
		}
		return "it closed the connection (does that port speak TLS?)"
	case errors.As(err, &errno):
		return errno.Error()
	default:
		return err.Error()
	}
}
