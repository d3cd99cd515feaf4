package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
)

// A Cluster is a connected client and the policies of its [Config]. Its
// methods may be called concurrently.
type Cluster struct {
	client *aerospike.Client
	config Config
}

// Client is the client itself, for sending commands. Commands need the
// policies of [Cluster.ReadPolicy] and [Cluster.WritePolicy], as the client's
// defaults aren't those of the Config.
func (c *Cluster) Client() *aerospike.Client { return c.client }

// ReadPolicy returns a new policy for reads, which the caller may change.
func (c *Cluster) ReadPolicy() *aerospike.BasePolicy { return c.config.readPolicy() }

// WritePolicy returns a new policy for writes, deletes and UDF calls, which
// the caller may change: of a write that creates or updates, with the
// namespace's default time to live.
func (c *Cluster) WritePolicy() *aerospike.WritePolicy { return c.config.writePolicy() }

// closePatience is how long closing waits for the client's upkeep to end. A node that
// doesn't answer keeps it for the connect timeout, which may be long.
const closePatience = time.Second

// Close ends all connections. Commands after it fail. It returns within about a
// second, also when a node doesn't answer; what is left then ends by itself.
func (c *Cluster) Close() { closeClient(c.client) }

func closeClient(client *aerospike.Client) {
	closed := make(chan struct{})
	go func() {
		client.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closePatience):
	}
}

// warmUpBatch is how many connections to a node are opened at once: fewer than
// the connections that wait to be accepted in a server's queue, as those that
// don't fit are dropped and only tried again after a second.
const warmUpBatch = 64

// WarmUp opens connections to each node, so that a run doesn't spend its first
// transactions on doing so: as many as given, on top of those that are open,
// but never more than Config.ConnsPerNode in all. With none or fewer it does
// nothing. The error names the node, also one that does not allow as many; when ctx
// ends it is ctx's, wrapped.
func (c *Cluster) WarmUp(ctx context.Context, connections int) error {
	if connections <= 0 {
		return nil // to the client it would mean all
	}
	_, err := onEachNode(ctx, c, "opening connections", func(node *aerospike.Node) (opened int, err error) {
		if err := c.checkRoom(node, connections); err != nil {
			return 0, err
		}
		for left := connections; left > 0 && ctx.Err() == nil; left -= warmUpBatch {
			n, err := node.WarmUp(min(left, warmUpBatch))
			if opened += n; err != nil {
				return opened, err
			}
		}
		return opened, ctx.Err()
	})
	return explainFiles(err)
}

// CheckNamespace returns nil when the cluster has a namespace of that name.
// Otherwise the error quotes the name and lists the namespaces there are; or
// it says which node could not be asked.
func (c *Cluster) CheckNamespace(ctx context.Context, name string) error {
	lists, err := onEachNode(ctx, c, "asking for namespaces", func(node *aerospike.Node) (string, error) {
		return c.info(node, "namespaces")
	})
	all := strings.FieldsFunc(strings.Join(lists, ";"), func(r rune) bool { return r == ';' })
	// A namespace that one node has is there, whatever another couldn't say.
	if slices.Contains(all, name) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for the namespace %q: %w", name, err)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return fmt.Errorf("there is no namespace %q at %s; there are: %s",
		name, addresses(c.config.Hosts), strings.Join(all, ", "))
}

// A Node describes a node of the cluster.
type Node struct {
	Name    string // the id the server gives itself, such as BB9020011AC4202
	Host    string // address:port that the client uses
	Build   string // the server's version, such as 8.1.0.1; empty if it didn't say
	Edition string // such as Aerospike Community Edition; empty if it didn't say
}

// Nodes returns the cluster's nodes as they are now, by name. It asks each for
// its build and edition, which takes at most Config.ConnectTimeout or so.
func (c *Cluster) Nodes() []Node {
	found := c.client.GetNodes()
	nodes := make([]Node, len(found))
	var wg sync.WaitGroup
	for i, node := range found {
		wg.Go(func() {
			nodes[i] = Node{Name: node.GetName(), Host: node.GetHost().String()}
			nodes[i].Build, _ = c.info(node, "build")
			nodes[i].Edition, _ = c.info(node, "edition")
		})
	}
	wg.Wait()
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return nodes
}

// info asks a node for one item of information.
func (c *Cluster) info(node *aerospike.Node, item string) (string, error) {
	policy := aerospike.NewInfoPolicy()
	policy.Timeout = orNoLimit(c.config.ConnectTimeout)
	answers, err := node.RequestInfo(policy, item)
	if err != nil {
		return "", err
	}
	text, ok := answers[item]
	if !ok || strings.HasPrefix(text, "ERROR") || strings.HasPrefix(text, "FAIL") {
		return "", fmt.Errorf("the node does not know %q: %q", item, text)
	}
	return text, nil
}

// onEachNode calls do for all nodes at once. It returns their results, and the
// errors joined, each with the node's name. The client's calls can't be
// interrupted: when ctx ends they are left to their own timeouts, and their
// results are lost.
func onEachNode[T any](ctx context.Context, c *Cluster, what string, do func(*aerospike.Node) (T, error)) ([]T, error) {
	nodes := c.client.GetNodes()
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s: the cluster at %s has no node left", what, addresses(c.config.Hosts))
	}
	type result struct {
		node  *aerospike.Node
		value T
		err   error
	}
	results := make(chan result, len(nodes))
	for _, node := range nodes {
		go func() {
			value, err := do(node)
			results <- result{node, value, err}
		}()
	}
	var values []T
	var errs []error
	for range nodes {
		select {
		case r := <-results:
			if r.err != nil {
				errs = append(errs, &connectError{
					text:   fmt.Sprintf("%s: node %s at %s: %s", what, r.node.GetName(), r.node.GetHost(), innermost(r.err)),
					causes: []error{r.err},
				})
				continue
			}
			values = append(values, r.value)
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w", what, ctx.Err())
		}
	}
	return values, errors.Join(errs...)
}
