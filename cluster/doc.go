// Package cluster is the one connection to Aerospike that all stages of a run
// share: it turns asbench's connection flags into a [Config], checks them, and
// opens a [Cluster] on the official Go client.
//
// Where the Go client counts differently from the C client that asbench uses,
// Config keeps asbench's meaning and this package converts:
//
//   - max-retries n is n attempts after the first. The client's MaxRetries of n
//     above 0 is n attempts in all (command.go, executeAt).
//   - A socket timeout of 0 is no limit. The client falls back to two seconds
//     when the total timeout is 0 as well (connection.go, SetTimeout).
//   - sleep-between-retries of 0 is a millisecond, or a tenth of the total timeout
//     if that is less. Without a pause the client tries for a connection to a lost
//     node in a tight loop.
//   - max-conns-per-node is what the workers may use. The client takes one
//     connection of a node's pool for its own housekeeping.
//   - connect-timeout bounds the whole of [Connect], as it does in the client,
//     which gives the first connection to a node half of it (node_validator.go)
//     and later ones all of it.
//
// One difference can't be converted: above max-error-rate the C client refuses
// commands to a node until the window ends, while the Go client refuses one,
// and then counts from zero towards half of the limit (node.go,
// validateErrorCount).
//
// Some asbench flags have no counterpart, because the Go client is built
// differently, and so no field here: shared memory (--shared), event loops
// (--event-loops), several pools a node (--conn-pools-per-node), and pools of
// connections for asynchronous commands (--async-min-conns-per-node,
// --async-max-conns-per-node: synchronous and asynchronous commands use the
// same pool). --tls-login-only and, without TLS, --auth EXTERNAL_INSECURE can't
// be had from the Go client and are refused.
package cluster
