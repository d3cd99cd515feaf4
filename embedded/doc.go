// Package embedded is an Aerospike server that runs inside the calling
// process. It listens on loopback TCP and speaks the Aerospike wire protocol as
// a single-node Community Edition 8.1 cluster does, so that any unmodified
// Aerospike client can connect to it. It is meant for tests, demonstrations and
// load that needs no installed server; it keeps everything in memory and
// promises no durability beyond [Server.Restart].
//
//	srv, err := embedded.Start(embedded.Config{})
//	if err != nil { … }
//	defer srv.Close()
//	client, err := aerospike.NewClient("127.0.0.1", srv.Port())
//
// Tests use [RunT], which closes the server when the test ends. Several servers
// may run in one process; each takes a free port unless told otherwise.
//
// # What it does
//
//   - The info protocol, with the commands that clients and tools send.
//   - Single-record reads, writes, deletes, touches and multi-operation
//     transactions with every record-exists, generation, time-to-live and
//     stored-key rule.
//   - Batches of any mix of reads, writes and deletes.
//   - List and map operations, at any depth, and bit operations.
//   - Filter expressions in all of these, and expressions as operations.
//   - Primary-index queries (scans) by partition, with resuming and limits.
//   - UDFs in Lua: registration, calls on records, in batches and in the
//     background, and aggregations; bounded in instructions and memory and without
//     access to the outside.
//   - Secondary indexes on integers, strings and blobs, of bins and of the
//     elements, keys and values of collections, and queries on them; background
//     writes.
//   - Truncation and expiry.
//   - For tests: records that are put, looked at and deleted without the wire
//     ([Server.Put], [Server.Get], [Server.Records]), counts of what clients did
//     ([Server.Operations]), a clock that is set ([Clock]), and restarts that keep
//     the data ([Server.Restart]).
//   - Faults: result codes, delays, broken connections and broken replies, by
//     chance or by count, see [Fault] and [ParseFault].
//   - Clusters of several nodes with replicas and racks, which leave and join
//     while clients run, see [Cluster].
//   - Users, roles and sessions, and TLS with or without clients' certificates, see
//     [Config.Users], [Config.TLS] and [TestAuthority]. Both are features of the
//     Enterprise Edition, and off unless they are asked for.
//   - Limits of connections, and idle ones closed.
//
// Answers, result codes included, are those of the real server, whose published
// source (aerospike-server 8.1.0) was consulted for the rules. What Community
// Edition refuses (durable deletes, compressed requests, transactions,
// authentication) is refused here with the same code.
//
// # What it does not do
//
// HyperLogLog operations, the comparison of regions, and indexes on GeoJSON values
// and expressions answer result code 16 (unsupported feature).
//
// Besides, it differs where the real server takes its time or has no bounds:
//
//   - A truncation is complete when it is answered. Records of the very
//     millisecond are gone too, those written after it stay.
//   - An expired record is gone at once for every command; a real server lets it
//     be deleted until it is swept.
//   - Collections nest at most 4096 deep, a transaction handles at most 128 MiB
//     of values, and an info reply has at most 64 MiB.
//   - A persisted index of a list or map may be asked for, and makes no difference:
//     entries of a map sorted by key and value are returned in the order of their
//     keys where such an index has the order of values.
//   - Regular expressions have no back references, \< and \> match at both ends of
//     a word, and $ and ^ inside of an expression don't match beside a newline
//     unless asked to. A list or map that an expression writes is stored in its
//     normal form.
//   - Requests on which a real server ends with a fault get an answer.
//   - UDFs run in Lua 5.1 that is made to tell integers from floats as the real
//     server's 5.4 does, but bitwise operators are missing, sums and products of
//     plain numbers lose precision beyond 2^53, and there are no coroutines, no io,
//     os, load or package. Error texts don't name variables. A function ends after
//     a number of instructions instead of a time, and what it logs is dropped.
//   - Background queries have ended when they are answered.
//   - GeoJSON values are returned without the cells that index them.
//   - Info commands report no histograms, and fewer statistics.
//   - The nodes of a cluster share their data. A node serves records that it
//     doesn't own as a real one does by proxy; no partition ever migrates, has a
//     stale copy or is unavailable. A node that leaves is missed at once.
//   - The codes of logins and of user administration follow what clients and their
//     documentation say, as there is no source of the Enterprise Edition. Quotas are
//     kept, but not enforced. External logins are checked against the same users.
//
// # Time
//
// Expiry and last-update times follow [Config.Now]. With an injected clock no
// background work runs: expired records vanish when they are next looked at,
// scanned or counted. With the real clock a sweeper frees them as well.
//
// # Layout
//
// A connection (conn.go) reads framed messages (proto.go) and answers them in
// order on one goroutine, its own or that of an event loop (loop_linux.go), which
// answers the simple requests of many; connections move between them
// (loopmove_linux.go). Info commands are in info.go, what they report in
// infostate.go, what they do in infoaction.go. A parsed request (request.go) goes
// through transact.go to read.go, write.go (which works on bins with edit.go) or
// delete.go, or to batch.go, which splits it, or scan.go. These work on a
// namespace's partitions (namespace.go), each a map of immutable records, which
// are single pieces of memory without pointers (record.go), behind its own lock. Secondary indexes are in sindex*.go. A call of
// a function (udf.go) takes a Lua state with its module from the store
// (udfstore.go); what functions use is in lua*.go. Background queries are in
// background.go, aggregations in aggregate.go and luastream.go. Values are checked
// and changed in particle.go, msgpack.go and geojson.go. Operations on lists and
// maps begin in cdtop.go, which follows a path (cdtpath.go) to the collection that
// they are for (cdtpacked.go); cdtlist.go and cdtmap.go dispatch them. Bit
// operations are in bits.go. Expressions are checked in exprbuild.go, evaluated in
// expreval.go, and used in filter.go. What tests use is in inspect.go, put.go,
// counters.go and clock.go. Faults
// step in where a message is handled (faultconn.go). The nodes of a cluster are
// servers whose connections work on the first one's data (cluster.go,
// clusterinfo.go). Security is in security.go (who may do what), securityproto.go
// (logins and lists) and securitychange.go (administration and checks).
package embedded
