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

// indexPoll is how often the nodes are asked meanwhile.
const indexPoll = 50 * time.Millisecond

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
// is there already, whatever its name, on the set or on the whole namespace, or else
// a new one. It returns when the index serves queries on all nodes, at the latest
// after ten minutes. That another index has the name is an error, and so is a name
// that the server's commands cannot say.
func (c *Cluster) ProvideIndex(ctx context.Context, index Index) error {
	for _, named := range [][2]string{{"set", index.Set}, {"bin", index.Bin}, {"index", index.Name}} {
		if strings.ContainsAny(named[1], ":;") {
			return fmt.Errorf("the %s %q has a colon or semicolon in its name, which no command about indexes can say", named[0], named[1])
		}
	}
	state, err := c.indexState(ctx, index)
	if err != nil || state == indexServes {
		return err
	}
	if state == indexAbsent {
		kind := aerospike.STRING
		if index.Integer {
			kind = aerospike.NUMERIC
		}
		// The task that this returns is done as soon as one node has built the
		// index and another does not know of it yet.
		if _, err := c.client.CreateIndex(c.WritePolicy(), index.Namespace, index.Set, index.Name, index.Bin, kind); err != nil {
			return fmt.Errorf("creating the index %q on bin %q: %s", index.Name, index.Bin, innermost(err))
		}
	}
	return c.awaitIndex(ctx, index)
}

// awaitIndex returns when the index serves queries on all nodes.
func (c *Cluster) awaitIndex(ctx context.Context, index Index) error {
	ctx, cancel := context.WithTimeoutCause(ctx, indexWait, fmt.Errorf("not built on all nodes after %v", indexWait))
	defer cancel()
	ticker := time.NewTicker(indexPoll)
	defer ticker.Stop()
	for {
		state, err := c.indexState(ctx, index)
		switch {
		case ctx.Err() != nil: // err says no more than that
		case err != nil:
			return err
		case state == indexServes:
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the index on bin %q: %w", index.Bin, context.Cause(ctx))
		case <-ticker.C:
		}
	}
}

// indexState is how far an index is, on the node where it is least far.
type indexState uint8

const (
	indexAbsent   indexState = iota // no node has one
	indexBuilding                   // not all nodes can use it yet
	indexServes
)

// indexState asks all nodes for an index that serves the queries that index is for.
func (c *Cluster) indexState(ctx context.Context, index Index) (indexState, error) {
	lists, err := onEachNode(ctx, c, "asking for secondary indexes", func(node *aerospike.Node) (string, error) {
		return c.info(node, "sindex-list:namespace="+index.Namespace)
	})
	if err != nil {
		return indexAbsent, fmt.Errorf("looking for an index on bin %q: %w", index.Bin, err)
	}
	var serving, building int
	for _, list := range lists {
		state, err := index.find(list)
		switch {
		case err != nil:
			return indexAbsent, err
		case state == indexServes:
			serving++
		case state == indexBuilding:
			building++
		}
	}
	switch {
	case serving == len(lists):
		return indexServes, nil
	case serving+building == 0:
		return indexAbsent, nil
	}
	return indexBuilding, nil
}

// find looks for the index in a node's answer to sindex-list, which has an index
// after the other, parted by semicolons, each with its properties parted by colons.
// An index without a set serves queries on any set (as_sindex_lookup_by_defn in
// aerospike-server as/src/sindex/sindex.c); its state is RW once it can be read, WO
// while it is built, and ERROR when that has failed (as_sindex_list_str there).
func (index Index) find(list string) (indexState, error) {
	kind := "string"
	if index.Integer {
		kind = "numeric"
	}
	found := indexAbsent
	for text := range strings.SplitSeq(list, ";") {
		p := properties(text)
		if p["ns"] != index.Namespace {
			continue
		}
		fits := p["bin"] == index.Bin && p["type"] == kind && p["indextype"] == "default" && isNone(p["context"]) && isNone(p["exp"]) &&
			(isNone(p["set"]) || p["set"] == index.Set)
		switch {
		case !fits && p["indexname"] == index.Name:
			return indexAbsent, fmt.Errorf("the index %q is there already, but on %s: give another name for the one on bin %q", index.Name, place(p), index.Bin)
		case !fits:
		case p["state"] == "ERROR":
			return indexAbsent, fmt.Errorf("the index %q on bin %q cannot be used: its state is ERROR, so the server could not build it", p["indexname"], index.Bin)
		case p["state"] == "RW":
			found = indexServes
		default:
			found = max(found, indexBuilding)
		}
	}
	return found, nil
}

// place says what an index with the properties is on.
func place(p map[string]string) string {
	set := "the whole namespace"
	if !isNone(p["set"]) {
		set = fmt.Sprintf("the set %q", p["set"])
	}
	what := "the " + p["type"] + " bin"
	if p["indextype"] != "default" {
		what = "the " + p["indextype"] + " of the bin"
	}
	return fmt.Sprintf("%s %q of %s", what, p["bin"], set)
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
