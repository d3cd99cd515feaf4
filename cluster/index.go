package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
)

// indexWait bounds the wait for a secondary index to be built on all nodes. Over
// many records that takes a while.
const indexWait = 10 * time.Minute

// An Index is a secondary index on the values of a bin.
type Index struct {
	Namespace, Set, Bin string
	// Name is what the index is called if it must be created; it has 1 to 255
	// bytes.
	Name string
	// Integer tells that the bin has integers; otherwise it has strings.
	Integer bool
}

// ProvideIndex makes sure that the cluster has a secondary index on a bin: one that
// is there already, whatever its name, or else a new one, for which it waits until
// all nodes have built it. A name that another index has is an error.
func (c *Cluster) ProvideIndex(ctx context.Context, index Index) error {
	there, err := c.findIndex(ctx, index)
	if err != nil || there {
		return err
	}
	kind := aerospike.STRING
	if index.Integer {
		kind = aerospike.NUMERIC
	}
	task, failure := c.client.CreateIndex(c.WritePolicy(), index.Namespace, index.Set, index.Name, index.Bin, kind)
	if failure != nil {
		return fmt.Errorf("creating the index %q on bin %q: %s", index.Name, index.Bin, innermost(failure))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, indexWait, fmt.Errorf("not built on all nodes after %v", indexWait))
	defer cancel()
	select {
	case err := <-task.OnComplete():
		if err != nil {
			return fmt.Errorf("creating the index %q on bin %q: %s", index.Name, index.Bin, innermost(err))
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("creating the index %q on bin %q: %w", index.Name, index.Bin, context.Cause(ctx))
	}
}

// findIndex tells whether every node has an index that serves. The answer to
// sindex-list has an index after the other, parted by semicolons, each with its
// properties parted by colons (docs of Aerospike's info commands).
func (c *Cluster) findIndex(ctx context.Context, index Index) (bool, error) {
	lists, err := onEachNode(ctx, c, "asking for secondary indexes", func(node *aerospike.Node) (string, error) {
		return c.info(node, "sindex-list:namespace="+index.Namespace)
	})
	if err != nil {
		return false, fmt.Errorf("looking for an index on bin %q: %w", index.Bin, err)
	}
	kind := "string"
	if index.Integer {
		kind = "numeric"
	}
	for _, list := range lists {
		found := false
		for text := range strings.SplitSeq(list, ";") {
			p := properties(text)
			fits := p["set"] == index.Set && p["bin"] == index.Bin && p["type"] == kind && p["indextype"] == "default" && isNone(p["context"]) && isNone(p["exp"])
			found = found || fits
			if !fits && p["indexname"] == index.Name {
				return false, fmt.Errorf("the index %q is there already, but on the %s bin %q of the set %q: give another name for the one on bin %q",
					index.Name, p["type"], p["bin"], p["set"], index.Bin)
			}
		}
		if !found {
			return false, nil
		}
	}
	return true, nil
}

// properties reads name=value pairs parted by colons.
func properties(text string) map[string]string {
	p := map[string]string{}
	for pair := range strings.SplitSeq(text, ":") {
		name, value, _ := strings.Cut(pair, "=")
		p[name] = value
	}
	return p
}

// isNone tells whether a property has no value.
func isNone(text string) bool { return text == "" || text == "null" || text == "NULL" }
