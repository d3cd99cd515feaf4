package main

import (
	"math"
	"os"
	"strings"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/internal/listen"
	"github.com/aeroload/aeroload/progress"
	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/stage"
)

const (
	catConnection = "Connection"
	catStages     = "Stages"
	catPolicies   = "Policies"
	catOutput     = "Output"
	catTLS        = "TLS"
	catAccepted   = "Accepted for asbench's command lines"
)

// runOptions are the flags of a run.
func runOptions() []*option {
	var all []*option
	for _, group := range [][]*option{connectionOptions(), profileOptions(), defaultOptions(), stageOptions(), policyOptions(), outputOptions(), tlsOptions(), acceptedOptions()} {
		all = append(all, group...)
	}
	return withEnvironment(all)
}

func connectionOptions() []*option {
	return []*option{
		{name: "embedded", category: catConnection,
			usage: "run against an Aerospike-compatible server inside this process, without a cluster",
			set:   setBool(func(s *settings) *bool { return &s.embedded })},
		{name: "hosts", short: "h", arg: "HOST[:TLSNAME][:PORT],…", def: "127.0.0.1", category: catConnection,
			usage: "nodes to ask for the cluster; IPv6 addresses in brackets",
			set:   setString(func(s *settings) *string { return &s.hosts })},
		{name: "port", short: "p", arg: "PORT", def: "3000", category: catConnection,
			usage: "port of hosts that are given without one",
			set:   setInt(func(s *settings) *int { return &s.port }, 1, 65535)},
		{name: "user", short: "U", arg: "NAME", category: catConnection, usage: "user to log in as",
			set: setString(func(s *settings) *string { return &s.cluster.User })},
		{name: "password", short: "P", arg: "PASSWORD", optional: true, category: catConnection,
			usage:  "password, glued to the flag (-Psecret, --password=secret); asked for on the terminal when left out",
			secret: func(string) bool { return true },
			set: func(s *settings, text string) error {
				s.promptPassword = text == ""
				s.cluster.Password = cluster.Secret(text)
				return nil
			}},
		{name: "auth", choices: []string{"INTERNAL", "EXTERNAL", "EXTERNAL_INSECURE", "PKI"}, arg: "MODE", def: "INTERNAL", category: catConnection,
			usage: "INTERNAL, EXTERNAL, EXTERNAL_INSECURE or PKI",
			set:   setChoice(cluster.ParseAuthMode, func(s *settings) *cluster.AuthMode { return &s.cluster.Auth })},
		{name: "services-alternate", category: catConnection, usage: "use the nodes' alternate addresses",
			set: setBool(func(s *settings) *bool { return &s.cluster.ServicesAlternate })},
		{name: "connect-timeout", aliases: []string{"connection-timeout"}, arg: "MS", def: "1000", category: catConnection,
			usage: "how long to try to reach the cluster",
			set:   setTime(func(s *settings) *time.Duration { return &s.cluster.ConnectTimeout }, time.Millisecond)},
		{name: "max-error-rate", arg: "N", def: "0", category: catConnection,
			usage: "errors of a node within the window that make the client leave it alone; 0 is no limit",
			set:   setInt(func(s *settings) *int { return &s.cluster.MaxErrorRate }, 0, math.MaxInt32)},
		{name: "error-rate-window", arg: "N", def: "1", category: catConnection, usage: "that window, in tender intervals",
			set: setInt(func(s *settings) *int { return &s.cluster.ErrorRateWindow }, 1, math.MaxInt32)},
		{name: "tender-interval", arg: "MS", def: "1000", category: catConnection, usage: "time between looks at the state of the cluster",
			set: setTime(func(s *settings) *time.Duration { return &s.cluster.TendInterval }, time.Millisecond)},
		{name: "max-socket-idle", arg: "SECONDS", def: "55", category: catConnection, usage: "how long a connection may be idle before it is replaced",
			set: setTime(func(s *settings) *time.Duration { return &s.cluster.MaxSocketIdle }, time.Second)},
		{name: "min-conns-per-node", arg: "N", def: "0", category: catConnection, usage: "connections to keep open to each node",
			set: setInt(func(s *settings) *int { return &s.cluster.MinConnsPerNode }, 0, math.MaxInt32)},
		{name: "max-conns-per-node", arg: "N", def: "300, or as many as there are threads", category: catConnection,
			usage: "connections to a node at most",
			set:   setInt(func(s *settings) *int { return &s.cluster.MaxConnsPerNode }, 1, math.MaxInt32)},
		{name: "namespace", short: "n", arg: "NAME", def: "test", category: catConnection, usage: "namespace of all records",
			set: setName(func(s *settings) *string { return &s.defaults.Namespace })},
		{name: "set", short: "s", arg: "NAME", def: "testset", category: catConnection, usage: "set of all records",
			set: setString(func(s *settings) *string { return &s.defaults.Set })},
	}
}

// defaultOptions give what a stage file leaves open. `validate` has them too.
func defaultOptions() []*option {
	return []*option{
		{name: "bin", short: "b", arg: "NAME", def: "testbin", category: catStages, usage: "name of the first bin; the others get _2, _3, … behind it",
			set: setName(func(s *settings) *string { return &s.defaults.ObjectOptions.BinName })},
		{name: "start-key", short: "K", arg: "N", def: "1", category: catStages, usage: "first key",
			set: setChoice(stage.ParseCount, func(s *settings) *uint64 { return &s.defaults.StartKey })},
		{name: "keys", short: "k", arg: "N", def: "1000000", category: catStages, usage: "number of keys; 10M and 1_000_000 are understood",
			set: setChoice(stage.ParseCount, func(s *settings) *uint64 { return &s.defaults.Keys })},
		ofKeys("key-distribution", "DISTRIBUTION", "uniform", "how often each key is drawn: uniform, zipfian[,theta=0.99], latest, hotspot, normal, exponential or sequential; see docs/keys.md", "distribution"),
		ofKeys("key-type", "TYPE", "integer", "type of the keys: integer, string or bytes", "type", "integer", "string", "bytes"),
		ofKeys("key-prefix", "TEXT", "", "string keys begin with that", "prefix"),
		ofKeys("key-pad", "N", "", "digits of string keys at least, filled up with zeros", "pad"),
		ofKeys("key-template", "TEXT", "", "string keys by a template, such as user%08d:profile", "template"),
		ofKeys("key-length", "N", "", "bytes of bytes keys, which have 8 otherwise", "length"),
		ofKeys("key-file", "FILE", "", "take the keys from a file, one a line; --key-type is integer or string", "file"),
		{name: "shard", arg: "I/N", def: "1/1", category: catStages, usage: "take the I-th of N parts of all keys, for several machines at once",
			set: setKeyFlag("shard", "shard", "")},
		{name: "object-spec", short: "o", arg: "SPEC", def: "I4", category: catStages, usage: "the bins of a record, such as I4,S50,[3*B8] or id=@uuid,city=@city, or @file:PATH; see docs/object-spec.md",
			set: setString(func(s *settings) *string { return &s.defaults.ObjectSpec })},
		{name: "compression-ratio", arg: "RATIO", def: "1", category: catStages, usage: "share of each B value that is random, 0.001 to 1; the rest is zeros",
			set: setRatio},
		{name: "threads", short: "z", arg: "N", def: "16", category: catStages, usage: "workers, each with one transaction on its way; 1 to 10000",
			set: setInt(func(s *settings) *int { return &s.defaults.Threads }, 1, stage.MaxThreads)},
		{name: "async-max-commands", short: "c", arg: "N", def: "50", category: catStages, usage: "transactions on their way at most in async stages; 1 to 5000",
			set: setInt(func(s *settings) *int { return &s.defaults.AsyncMax }, 1, stage.MaxAsync)},
		{name: "seed", arg: "N", def: "drawn at random", category: catStages, usage: "makes values, keys and operations repeatable",
			set: setChoice(stage.ParseSeed, func(s *settings) *uint64 { return &s.defaults.Seed })},
	}
}

// ofKeys returns a flag that says the same as a key in the mapping "keys" of a
// stage file.
func ofKeys(name, arg, def, usage, sub string, choices ...string) *option {
	return &option{name: name, arg: arg, choices: choices, def: def, category: catStages, usage: usage, set: setKeyFlag(name, "keys", sub)}
}

// stageOptions describe the stage of a run without a stage file.
func stageOptions() []*option {
	of := func(o option, key string) *option {
		key, sub, _ := strings.Cut(key, ".")
		o.category, o.set = catStages, setStage(o.name, key, sub, o.arg == "")
		return &o
	}
	return []*option{
		{name: "workload-stages", arg: "FILE", category: catStages, usage: "run the stages of a YAML file; the flags below describe the only stage of a run without one",
			set: setFile("", func(s *settings) *string { return &s.stagesFile })},
		of(option{name: "workload", short: "w", arg: "WORKLOAD", def: defaultWorkload, usage: "I[:share%], RU[,read%[,read-all%[,write-all%]]], RR,…, RUD[,read%,write%,…], RUF,…, DB, RMU, RMI, RMD, TXN,r:READS,w:WRITES,… or C|CI|CK,read%[,cap[,window]]"}, "workload"),
		of(option{name: "operations", arg: "{NAME: WEIGHT, …}", usage: "instead of a workload, operations by weight: read, update, replace, insert, delete, udf, increment, decrement, read-update, read-increment, read-decrement, query, scan, txn"}, "operations"),
		of(option{name: "duration", short: "t", arg: "SECONDS", def: "10; 0 for I and DB", usage: "how long to run; I and DB run until they are done, and at least this long"}, "duration"),
		of(option{name: "transactions", arg: "N", def: "0", usage: "end after that many; 0 is no limit"}, "transactions"),
		of(option{name: "warmup", arg: "SECONDS", def: "0", usage: "run that long first, unrecorded"}, "warmup"),
		of(option{name: "throughput", short: "g", arg: "TPS", def: "0", usage: "target rate of the whole stage; 0 is unthrottled; also {from: 0, to: 20k, over: 5m} and the other curves of stage files"}, "tps"),
		of(option{name: "find-max", arg: "{p99: 2ms, …}", usage: "look for the highest rate at which limits hold (p50 to p99.99, max, mean, error-rate); also from, to, probe, settle, precision"}, "find-max"),
		of(option{name: "arrival", choices: []string{"uniform", "poisson"}, arg: "KIND", def: "uniform", usage: "spacing of transactions at a rate: uniform or poisson"}, "arrival"),
		of(option{name: "random", short: "R", usage: "give each record a value of its own"}, "random"),
		of(option{name: "query", arg: "{bin: N, …}", usage: "what the operation query asks for: the value that a random record has in that bin, or with width: W the range of values from there; the index is created if need be"}, "query"),
		of(option{name: "scan", arg: "{partitions: N, …}", usage: "how much the operation scan reads: partitions and max-records; all by default"}, "scan"),
		of(option{name: "verify", usage: "compare what is read with what the object spec and the seed make; exit code 3 if it differs"}, "verify"),
		of(option{name: "on-error", choices: []string{"continue", "stop", "give-up"}, arg: "CHOICE", def: "give-up", usage: "continue whatever fails, stop at the first failed transaction, or give up when all fail"}, "on-error"),
		of(option{name: "max-errors", arg: "N", usage: "stop when more transactions than that have failed"}, "max-errors"),
		of(option{name: "max-outage", arg: "SECONDS", def: "60 from the start, then no limit", usage: "give up when every transaction has failed for so long"}, "max-outage"),
		of(option{name: "expiration-time", short: "e", arg: "SECONDS", def: "0", usage: "time to live of written records: 0 the namespace's default, -1 never, -2 unchanged"}, "expiration-time"),
		of(option{name: "read-bins", arg: "1,3,…", def: "all", usage: "bins that partial reads take"}, "read-bins"),
		of(option{name: "write-bins", arg: "1,3,…", def: "all", usage: "bins that partial writes set, or that DB deletes"}, "write-bins"),
		of(option{name: "batch-size", arg: "N", def: "1", usage: "records a transaction: above 1, batches are sent"}, "batch-size"),
		of(option{name: "batch-read-size", arg: "N", def: "--batch-size", usage: "the same for reads"}, "batch-read-size"),
		of(option{name: "batch-write-size", arg: "N", def: "--batch-size", usage: "the same for writes and UDF calls"}, "batch-write-size"),
		of(option{name: "batch-delete-size", arg: "N", def: "--batch-size", usage: "the same for deletes"}, "batch-delete-size"),
		of(option{name: "batch-namespaces", arg: "A,B,…", def: "--namespace", usage: "namespaces over which the records of batch reads are spread"}, "batch-namespaces"),
		of(option{name: "async", short: "a", usage: "bound the transactions on their way by --async-max-commands instead of --threads"}, "async"),
		of(option{name: "udf-package-name", aliases: []string{"upn"}, arg: "MODULE", usage: "module of the UDF that RUF calls"}, "udf.module"),
		of(option{name: "udf-function-name", aliases: []string{"ufn"}, arg: "FUNCTION", usage: "its function"}, "udf.function"),
		of(option{name: "udf-function-values", aliases: []string{"ufv"}, arg: "SPEC", usage: "its arguments, as an object spec"}, "udf.args"),
		of(option{name: "udf-file", arg: "FILE", usage: "Lua file to register as the module before the run"}, "udf.file"),
	}
}

func policyOptions() []*option {
	return []*option{
		{name: "compress", category: catPolicies, usage: "compress commands and answers (Enterprise servers only)",
			set: setBool(func(s *settings) *bool { return &s.cluster.Compress })},
		{name: "socket-timeout", arg: "MS", def: "30000", category: catPolicies, usage: "longest wait for the socket, reads and writes; 0 is no limit",
			set: setTimePointer(func(s *settings) **time.Duration { return &s.socketTimeout })},
		{name: "read-socket-timeout", arg: "MS", def: "30000", category: catPolicies, usage: "the same for reads",
			set: setTimePointer(func(s *settings) **time.Duration { return &s.readSocket })},
		{name: "write-socket-timeout", arg: "MS", def: "30000", category: catPolicies, usage: "the same for writes",
			set: setTimePointer(func(s *settings) **time.Duration { return &s.writeSocket })},
		{name: "timeout", short: "T", arg: "MS", def: "1000", category: catPolicies, usage: "longest time of a transaction with all its retries; 0 is no limit",
			set: setTimePointer(func(s *settings) **time.Duration { return &s.totalTimeout })},
		{name: "read-timeout", arg: "MS", def: "1000", category: catPolicies, usage: "the same for reads",
			set: setTimePointer(func(s *settings) **time.Duration { return &s.readTotal })},
		{name: "write-timeout", arg: "MS", def: "1000", category: catPolicies, usage: "the same for writes",
			set: setTimePointer(func(s *settings) **time.Duration { return &s.writeTotal })},
		{name: "max-retries", arg: "N", def: "1", category: catPolicies, usage: "attempts after the first",
			set: setInt(func(s *settings) *int { return &s.cluster.MaxRetries }, 0, 1_000_000)},
		{name: "sleep-between-retries", arg: "MS", def: "0", category: catPolicies, usage: "wait before another attempt",
			set: setTime(func(s *settings) *time.Duration { return &s.cluster.SleepBetweenRetries }, time.Millisecond)},
		{name: "send-key", category: catPolicies, usage: "store the user key with each record",
			set: setBool(func(s *settings) *bool { return &s.cluster.SendKey })},
		{name: "replica", choices: []string{"master", "any", "sequence", "prefer-rack"}, short: "C", arg: "CHOICE", def: "sequence", category: catPolicies, usage: "copy to read: master, any, sequence or prefer-rack",
			set: setChoice(cluster.ParseReplica, func(s *settings) *cluster.Replica { return &s.cluster.Replica })},
		{name: "rack-id", arg: "N[,N…]", category: catPolicies, usage: "rack of this machine, with --replica prefer-rack; more in order of preference",
			set: setChoice(cluster.ParseRackIDs, func(s *settings) *[]int { return &s.cluster.RackIDs })},
		{name: "read-mode-ap", choices: []string{"one", "all"}, short: "N", arg: "MODE", def: "one", category: catPolicies, usage: "copies that a read asks: one or all",
			set: setChoice(cluster.ParseReadModeAP, func(s *settings) *cluster.ReadModeAP { return &s.cluster.ReadModeAP })},
		{name: "read-mode-sc", choices: []string{"session", "linearize", "allowReplica", "allowUnavailable"}, short: "B", arg: "MODE", def: "session", category: catPolicies, usage: "session, linearize, allowReplica or allowUnavailable",
			set: setChoice(cluster.ParseReadModeSC, func(s *settings) *cluster.ReadModeSC { return &s.cluster.ReadModeSC })},
		{name: "commit-level", choices: []string{"all", "master"}, short: "M", arg: "LEVEL", def: "all", category: catPolicies, usage: "copies that a write waits for: all or master",
			set: setChoice(cluster.ParseCommitLevel, func(s *settings) *cluster.CommitLevel { return &s.cluster.CommitLevel })},
		{name: "durable-delete", short: "D", category: catPolicies, usage: "leave tombstones when deleting (Enterprise servers only)",
			set: setBool(func(s *settings) *bool { return &s.cluster.DurableDelete })},
	}
}

func outputOptions() []*option {
	return []*option{
		{name: "latency", short: "L", category: catOutput, usage: "print the latency percentiles of each operation every second",
			set:    setBool(func(s *settings) *bool { return &s.latency }),
			valued: report.LooksLikeColumns, valuedName: "latency-columns"},
		{name: "percentiles", arg: "P,…", def: "50,90,99,99.9,99.99", category: catOutput, usage: "which ones, ascending, from 0 to below 100",
			set: setPercentiles},
		{name: "latency-columns", arg: "LAYOUT", category: catOutput, usage: "print every second how many transactions took how long, as the Java client's benchmark does: [alt,]COLUMNS,SHIFT[,us|ms] or ycsb[,WARMUP]; -latency LAYOUT and -L LAYOUT say the same",
			set: setChoice(report.ParseColumns, func(s *settings) *report.Columns { return &s.columns })},
		{name: "summary-format", choices: []string{"text", "node"}, arg: "FORMAT", def: "text", category: catOutput, usage: "text, or node: that of the Node.js client's benchmark, on standard output",
			set: setChoice(report.ParseSummaryFormat, func(s *settings) *report.SummaryFormat { return &s.summaryFormat })},
		{name: "output-file", arg: "FILE", category: catOutput, usage: "append the latency counts of each period to a file; stdout for standard output",
			set: setFile("stdout", func(s *settings) *string { return &s.outputFile })},
		{name: "output-period", arg: "SECONDS", def: "1", category: catOutput, usage: "length of such a period",
			set: func(s *settings, text string) error {
				var n int
				err := setInt(func(*settings) *int { return &n }, 1, math.MaxInt32)(s, text)
				s.outputPeriod = time.Duration(n) * time.Second
				return err
			}},
		{name: "hdr-hist", arg: "DIR", category: catOutput, usage: "keep HdrHistogram files of the run and of each stage in a folder",
			set: setFile("", func(s *settings) *string { return &s.hdrDir })},
		{name: "hdr-log", arg: "FILE", category: catOutput, usage: "write an HdrHistogram log with an interval for each second and operation",
			set: setFile("", func(s *settings) *string { return &s.hdrLog })},
		{name: "result", arg: "FILE", category: catOutput, usage: "write the whole result of the run as JSON, for merge and compare",
			set: setFile("", func(s *settings) *string { return &s.resultFile })},
		{name: "progress", choices: []string{"auto", "on", "off"}, arg: "MODE", def: "auto", category: catOutput, usage: "show on standard error how far the run is: auto on terminals, on elsewhere too (a line every 10 s), off nowhere",
			set: setChoice(progress.ParseMode, func(s *settings) *progress.Mode { return &s.progress })},
		{name: "metrics-listen", arg: "[HOST]:PORT", category: catOutput, usage: "serve Prometheus metrics while the run lasts; without a host for this machine alone; port 0 takes a free one",
			set: setChoice(listen.Parse, func(s *settings) *string { return &s.metrics })},
		{name: "metrics-linger", arg: "SECONDS", def: "0", category: catOutput, usage: "after the run, serve the metrics until they have been fetched once more, for that long at most",
			set: setTime(func(s *settings) *time.Duration { return &s.metricsLinger }, time.Second)},
		genBenchOption(catOutput),
		{name: "debug", short: "d", category: catOutput, usage: "show the client's log, and the first errors of each kind in full",
			set: setBool(func(s *settings) *bool { return &s.debug })},
	}
}

func tlsOptions() []*option {
	text := func(target func(t *cluster.TLSConfig) *string) func(*settings, string) error {
		return setName(func(s *settings) *string { return target(&s.cluster.TLS) })
	}
	on := func(target func(t *cluster.TLSConfig) *bool) func(*settings, string) error {
		return setBool(func(s *settings) *bool { return target(&s.cluster.TLS) })
	}
	return []*option{
		{name: "tls-enable", category: catTLS, usage: "connect by TLS",
			set: on(func(t *cluster.TLSConfig) *bool { return &t.Enable })},
		{name: "tls-name", arg: "NAME", category: catTLS, usage: "name in the certificate of hosts given without one",
			set: text(func(t *cluster.TLSConfig) *string { return &t.Name })},
		{name: "tls-cafile", arg: "FILE", category: catTLS, usage: "trusted certificates, PEM",
			set: text(func(t *cluster.TLSConfig) *string { return &t.CAFile })},
		{name: "tls-capath", arg: "DIR", category: catTLS, usage: "folder of trusted certificates",
			set: text(func(t *cluster.TLSConfig) *string { return &t.CAPath })},
		{name: "tls-protocols", arg: "LIST", def: "TLSv1.2,TLSv1.3", category: catTLS, usage: "versions, such as -all +TLSv1.2",
			set: text(func(t *cluster.TLSConfig) *string { return &t.Protocols })},
		{name: "tls-cipher-suite", arg: "LIST", category: catTLS, usage: "TLSv1.2 cipher suites, by their OpenSSL or IANA names",
			set: text(func(t *cluster.TLSConfig) *string { return &t.CipherSuites })},
		{name: "tls-crl-check", category: catTLS, usage: "refuse a node whose certificate is revoked",
			set: on(func(t *cluster.TLSConfig) *bool { return &t.CRLCheck })},
		{name: "tls-crl-check-all", category: catTLS, usage: "the same for every certificate of its chain",
			set: on(func(t *cluster.TLSConfig) *bool { return &t.CRLCheckAll })},
		{name: "tls-cert-blacklist", arg: "FILE", category: catTLS, usage: "serial numbers of certificates to refuse",
			set: text(func(t *cluster.TLSConfig) *string { return &t.CertBlacklist })},
		{name: "tls-log-session-info", category: catTLS, usage: "log each TLS session to stderr",
			set: func(s *settings, _ string) error {
				s.cluster.TLS.SessionLog = os.Stderr
				return nil
			}},
		{name: "tls-keyfile", arg: "FILE", category: catTLS, usage: "the client's private key, PEM",
			set: text(func(t *cluster.TLSConfig) *string { return &t.KeyFile })},
		{name: "tls-keyfile-password", arg: "PASSWORD", category: catTLS, usage: "opens it: env:VARIABLE, file:PATH, or the password itself",
			secret: func(text string) bool { return !cluster.Secret(text).IsReference() },
			set:    setName(func(s *settings) *string { return (*string)(&s.cluster.TLS.KeyPassword) })},
		{name: "tls-certfile", arg: "FILE", category: catTLS, usage: "the client's certificate, PEM",
			set: text(func(t *cluster.TLSConfig) *string { return &t.CertFile })},
		{name: "tls-login-only", category: catTLS, usage: "refused: the Go client cannot use TLS for the login alone",
			set: on(func(t *cluster.TLSConfig) *bool { return &t.LoginOnly })},
	}
}

// acceptedOptions are flags for what the Go client does not have.
func acceptedOptions() []*option {
	return []*option{
		{name: "shared", short: "S", category: catAccepted, usage: "without effect: the Go client has no shared-memory cluster state",
			set: func(*settings, string) error { return nil }},
		{name: "event-loops", short: "W", arg: "N", def: "1", category: catAccepted, usage: "without effect: Go has no event loops to configure",
			set: notUsed(1, 1000)},
		{name: "conn-pools-per-node", short: "Y", arg: "N", def: "1", category: catAccepted, usage: "without effect: the Go client divides its pool by itself",
			set: notUsed(1, 1000)},
		{name: "async-min-conns-per-node", arg: "N", def: "0", category: catAccepted, usage: "without effect: there is one pool, see --min-conns-per-node",
			set: notUsed(0, math.MaxInt32)},
		{name: "async-max-conns-per-node", arg: "N", def: "300", category: catAccepted, usage: "without effect: there is one pool, see --max-conns-per-node",
			set: notUsed(1, math.MaxInt32)},
	}
}
