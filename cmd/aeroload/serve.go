package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/embedded"
)

// serveSettings is what the command line of `serve` says besides --listen.
type serveSettings struct {
	faults    []embedded.Fault
	faultSeed uint64

	nodes, replicas int
	racks           []int
}

const (
	catServer = "Server"
	catFaults = "Faults"
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

// startServer starts a server or a cluster, and tells where it listens.
func (s *settings) startServer() (io.Closer, string, error) {
	if s.serve.nodes == 1 && s.serve.racks == nil {
		server, err := embedded.Start(s.serverConfig())
		if err != nil {
			return nil, "", fmt.Errorf("--listen: %w", err)
		}
		return server, server.Addr(), nil
	}
	if s.serve.racks != nil && len(s.serve.racks) != s.serve.nodes {
		return nil, "", usagef("--racks: there are %d for %d nodes", len(s.serve.racks), s.serve.nodes)
	}
	nodes, err := embedded.StartCluster(embedded.ClusterConfig{
		Config: s.serverConfig(), Nodes: s.serve.nodes, ReplicationFactor: s.serve.replicas, Racks: s.serve.racks,
	})
	if err != nil {
		return nil, "", fmt.Errorf("--listen: %w", err)
	}
	return nodes, strings.Join(nodes.Addrs(), ", "), nil
}

// serverConfig is how the server, or each node, is to be.
func (s *settings) serverConfig() embedded.Config {
	return embedded.Config{Listen: s.listen, Faults: s.serve.faults, FaultSeed: s.serve.faultSeed}
}
