package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/logger"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/internal/steady"
)

// Connect opens the cluster. It returns an error of [Config.Validate], or one
// line that names the hosts and the reason, within about Config.ConnectTimeout
// however many hosts there are; a node that answers at first and then stalls
// can take twice as long. When ctx ends it returns ctx's error, wrapped.
//
// Errors wrap what the network or the client returned, so errors.Is finds
// syscall.ECONNREFUSED, context.DeadlineExceeded and the like.
func Connect(ctx context.Context, c Config) (*Cluster, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Hosts = slices.Clone(c.Hosts)
	c.RackIDs = slices.Clone(c.RackIDs)
	policy := c.clientPolicy()
	if c.TLS.Enable {
		config, err := c.TLS.build()
		if err != nil {
			return nil, err
		}
		policy.TlsConfig = config
	}
	if c.Debug != nil {
		logger.Logger.SetLogger(log.New(stamped{c.Debug}, "", 0))
		logger.Logger.SetLevel(logger.DEBUG)
	}

	// The client reports a failure as a tree of errors that doesn't say which
	// host failed how, and a name that can't be resolved as a timeout. So each
	// host is asked first, and the client is started once one has answered.
	hosts := c.seeds()
	err := probeAny(ctx, hosts, probe{timeout: policy.Timeout, tls: policy.TlsConfig, login: c.needsLogin(), racks: c.Replica == ReplicaPreferRack})
	var client *aerospike.Client
	if err == nil {
		if client, err = newClient(ctx, policy, hosts); err != nil {
			err = c.explain(err, hosts)
		}
	}
	if ctx.Err() != nil {
		if client != nil {
			closeClient(client)
		}
		return nil, fmt.Errorf("connecting to %s: %w", addresses(hosts), ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	return &Cluster{client: client, config: c}, nil
}

// stamped puts the time before each line of the client's log, as that of a run's other
// lines is told.
type stamped struct{ io.Writer }

func (w stamped) Write(p []byte) (int, error) {
	line := append([]byte(steady.Now().Format("2006-01-02 15:04:05.000 ")), p...)
	n, err := w.Writer.Write(line)
	return max(0, n-len(line)+len(p)), err
}

// seeds are the hosts, each with the TLS name its certificate must have.
func (c Config) seeds() []Host {
	hosts := slices.Clone(c.Hosts)
	if !c.TLS.Enable {
		return hosts
	}
	for i := range hosts {
		if hosts[i].TLSName == "" {
			hosts[i].TLSName = c.TLS.Name
		}
		if hosts[i].TLSName == "" {
			hosts[i].TLSName = hosts[i].Name
		}
	}
	return hosts
}

func (c Config) needsLogin() bool { return c.User != "" || c.Auth == AuthPKI }

func addresses(hosts []Host) string {
	names := make([]string, len(hosts))
	for i, host := range hosts {
		names[i] = host.address()
	}
	return strings.Join(names, ", ")
}

// newClient starts the client. The client can't be interrupted, so when ctx
// ends first, it is left to its own timeout and closed if it comes up late.
func newClient(ctx context.Context, policy *aerospike.ClientPolicy, hosts []Host) (*aerospike.Client, error) {
	seeds := make([]*aerospike.Host, len(hosts))
	for i, host := range hosts {
		seeds[i] = &aerospike.Host{Name: host.Name, TLSName: host.TLSName, Port: host.Port}
	}
	type result struct {
		client *aerospike.Client
		err    error
	}
	done := make(chan result, 1)
	go func() {
		client, err := aerospike.NewClientWithPolicyAndHost(policy, seeds...)
		done <- result{client, err}
	}()
	select {
	case r := <-done:
		return r.client, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.client != nil {
				r.client.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// explain says in one line why the client didn't come up.
func (c Config) explain(err error, hosts []Host) error {
	at := addresses(hosts)
	var ae aerospike.Error
	if !errors.As(err, &ae) {
		return fmt.Errorf("connecting to %s: %w", at, err)
	}
	text := ""
	switch {
	case c.needsLogin() && ae.Matches(loginRefusals()...):
		who := fmt.Sprintf("%q", c.User)
		if c.Auth == AuthPKI {
			who = "the owner of the client's certificate"
		}
		text = fmt.Sprintf("login as %s at %s refused: %s", who, at, innermost(err))
	case ae.Matches(types.NOT_AUTHENTICATED):
		text = fmt.Sprintf("the cluster at %s asks for a login: give --user and --password", at)
	case ae.Matches(types.TIMEOUT):
		text = fmt.Sprintf("the cluster at %s did not finish answering within %v (--connect-timeout)", at, c.ConnectTimeout)
	default:
		text = fmt.Sprintf("the cluster at %s can't be used: %s", at, innermost(err))
	}
	return &connectError{text: text, causes: []error{err}}
}

// loginRefusals are the server's answers to a login that it doesn't accept.
func loginRefusals() []types.ResultCode {
	return []types.ResultCode{
		types.SECURITY_NOT_SUPPORTED, types.ILLEGAL_STATE,
		types.INVALID_USER, types.INVALID_PASSWORD, types.EXPIRED_PASSWORD, types.FORBIDDEN_PASSWORD,
		types.INVALID_CREDENTIAL, types.NOT_AUTHENTICATED, types.NOT_WHITELISTED,
	}
}

// innermost is the text of the error that others are wrapped around. The
// client's own errors put their fields before the text: "ResultCode: …, Node:
// …: text".
func innermost(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	text := err.Error()
	if _, after, ok := strings.Cut(text, ", Node: "); ok {
		if _, message, ok := strings.Cut(after, ": "); ok {
			return message
		}
	}
	return text
}

// A connectError is a single line with several causes behind it.
type connectError struct {
	text   string
	causes []error
}

func (e *connectError) Error() string   { return e.text }
func (e *connectError) Unwrap() []error { return e.causes }
