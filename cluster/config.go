package cluster

import (
	"io"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
)

// An AuthMode is how to log in when there is a user: a value of --auth.
type AuthMode string

// The login methods.
const (
	// AuthInternal sends a hash of the password, kept by the cluster itself.
	AuthInternal AuthMode = "INTERNAL"
	// AuthExternal sends the password itself (to be checked by an LDAP server,
	// say), which the client does over TLS only.
	AuthExternal AuthMode = "EXTERNAL"
	// AuthExternalInsecure is AuthExternal without asking for TLS. The Go
	// client can't do that, so it needs TLS here as well.
	AuthExternalInsecure AuthMode = "EXTERNAL_INSECURE"
	// AuthPKI logs in by the client's TLS certificate, without a user.
	AuthPKI AuthMode = "PKI"
)

// A Replica is which copy of a record to read: a value of --replica.
type Replica string

// The choices of a copy. Writes always go to the master.
const (
	// ReplicaMaster reads the master only.
	ReplicaMaster Replica = "master"
	// ReplicaAny reads the master and the other copies in turn.
	ReplicaAny Replica = "any"
	// ReplicaSequence reads the master first and the others on a retry.
	ReplicaSequence Replica = "sequence"
	// ReplicaPreferRack reads the copy on one of Config.RackIDs, if there is one.
	ReplicaPreferRack Replica = "prefer-rack"
)

// A ReadModeAP is how many copies a read in an availability namespace asks: a
// value of --read-mode-ap.
type ReadModeAP string

// The read modes of availability namespaces.
const (
	ReadModeAPOne ReadModeAP = "one" // one copy
	ReadModeAPAll ReadModeAP = "all" // all copies, while they may differ
)

// A ReadModeSC is the guarantee of a read in a strong consistency namespace: a
// value of --read-mode-sc.
type ReadModeSC string

// The read modes of strong consistency namespaces.
const (
	ReadModeSCSession          ReadModeSC = "session"          // no older version than this client saw
	ReadModeSCLinearize        ReadModeSC = "linearize"        // no older version than any client saw
	ReadModeSCAllowReplica     ReadModeSC = "allowReplica"     // master or any full copy
	ReadModeSCAllowUnavailable ReadModeSC = "allowUnavailable" // even from an unavailable partition
)

// A CommitLevel is how many copies a write waits for: a value of --commit-level.
type CommitLevel string

// The commit levels.
const (
	CommitAll    CommitLevel = "all"    // master and copies
	CommitMaster CommitLevel = "master" // master only
)

// DefaultMaxConns is how many connections a node may have at least when
// Config.MaxConnsPerNode is 0: asbench's default.
const DefaultMaxConns = 300

// Config is everything about the connection to a cluster. Each field names the
// flag it comes from. [DefaultConfig] has asbench's defaults; the zero value
// isn't valid.
type Config struct {
	Hosts []Host // --hosts: where to ask for the cluster's nodes; at least one

	User     string   // --user: empty for a cluster without logins
	Password Secret   // --password: given with a user, except with AuthPKI
	Auth     AuthMode // --auth

	// ServicesAlternate (--services-alternate) uses the addresses that nodes
	// give as alternate, for clients outside of the cluster's network.
	ServicesAlternate bool

	ConnectTimeout  time.Duration // --connect-timeout: of Connect, and of each later new connection; 0 is no limit
	MaxErrorRate    int           // --max-error-rate: errors a node may have in a window; 0 is no limit
	ErrorRateWindow int           // --error-rate-window: in tend intervals; 0 counts as 1
	TendInterval    time.Duration // --tender-interval: between looks at the cluster; the client's least is 10 ms
	MaxSocketIdle   time.Duration // --max-socket-idle: at most 24 h; 0 counts as 55 s

	MinConnsPerNode int // --min-conns-per-node: kept open
	// MaxConnsPerNode (--max-conns-per-node) is how many commands may be on
	// their way to one node. 0 is [DefaultMaxConns] or Workers, whichever is
	// more. (asbench stays at 300 whatever --threads says, and then fails most
	// transactions of 400 threads.)
	MaxConnsPerNode int
	// Workers is how many commands the run has on their way at most: --threads,
	// or --async-max-commands if that is more. 0 if unknown.
	Workers int

	ReadSocketTimeout   time.Duration // --read-socket-timeout: of one attempt; 0 is no limit
	WriteSocketTimeout  time.Duration // --write-socket-timeout: of one attempt; 0 is no limit
	ReadTimeout         time.Duration // --read-timeout: of all attempts; 0 is no limit
	WriteTimeout        time.Duration // --write-timeout: of all attempts; 0 is no limit
	MaxRetries          int           // --max-retries: attempts after the first
	SleepBetweenRetries time.Duration // --sleep-between-retries; 0 is a millisecond or, if that is less, a tenth of the total timeout

	Compress bool // --compress: commands and answers over 128 bytes, by zlib
	SendKey  bool // --send-key: the key itself besides its digest

	Replica       Replica     // --replica
	RackIDs       []int       // --rack-id: in order of preference; with ReplicaPreferRack, and only then
	ReadModeAP    ReadModeAP  // --read-mode-ap
	ReadModeSC    ReadModeSC  // --read-mode-sc
	CommitLevel   CommitLevel // --commit-level
	DurableDelete bool        // --durable-delete: deletes leave a tombstone

	TLS TLSConfig

	// Debug (--debug) receives the client's log; nil for silence. The client
	// has one log for the whole process, so the last Connect with a Debug wins
	// and later ones without leave it as it is.
	Debug io.Writer
}

// TLSConfig is the TLS part of a [Config]: without Enable, all of it must be
// unset.
type TLSConfig struct {
	Enable bool   // --tls-enable
	Name   string // --tls-name: of hosts that give none; by default the host's name
	CAFile string // --tls-cafile: PEM certificates to trust, and revocation lists
	CAPath string // --tls-capath: a folder of such files. With neither, the system's are trusted

	// Protocols (--tls-protocols) are the versions allowed, such as
	// "-all +TLSv1.2" or "TLSv1.2,TLSv1.3". Empty is TLSv1.2 and TLSv1.3.
	Protocols string
	// CipherSuites (--tls-cipher-suite) are the suites allowed, under their
	// OpenSSL or IANA names, with colons, commas or blanks between. They rule
	// TLSv1.2 and older; TLSv1.3's suites can't be chosen in Go, nor by
	// OpenSSL's cipher list. Empty is Go's choice.
	CipherSuites string

	CertFile string // --tls-certfile: the client's certificate chain, PEM
	KeyFile  string // --tls-keyfile: its private key, PEM
	// KeyPassword (--tls-keyfile-password) opens an encrypted KeyFile: the
	// password, or env:VARIABLE, or file:PATH (its first line).
	KeyPassword Secret

	CRLCheck    bool // --tls-crl-check: is the node's certificate revoked?
	CRLCheckAll bool // --tls-crl-check-all: is any certificate of its chain?
	// CertBlacklist (--tls-cert-blacklist) is a file of certificates to refuse:
	// on each line a serial number in hex and optionally the issuer's name as
	// OpenSSL prints it in one line (/C=US/O=Acme/CN=Test CA).
	CertBlacklist string

	// SessionLog (--tls-log-session-info) receives a line for each connection:
	// peer, version and cipher suite. nil for none.
	SessionLog io.Writer
	// LoginOnly (--tls-login-only) isn't possible with the Go client; Validate
	// refuses it.
	LoginOnly bool
}

// DefaultConfig returns asbench's defaults: a node on 127.0.0.1:3000 without
// login or TLS.
func DefaultConfig() Config {
	return Config{
		Hosts:              []Host{{Name: "127.0.0.1", Port: 3000}},
		Auth:               AuthInternal,
		ConnectTimeout:     time.Second,
		ErrorRateWindow:    1,
		TendInterval:       time.Second,
		MaxSocketIdle:      55 * time.Second,
		ReadSocketTimeout:  30 * time.Second,
		WriteSocketTimeout: 30 * time.Second,
		ReadTimeout:        time.Second,
		WriteTimeout:       time.Second,
		MaxRetries:         1,
		Replica:            ReplicaSequence,
		ReadModeAP:         ReadModeAPOne,
		ReadModeSC:         ReadModeSCSession,
		CommitLevel:        CommitAll,
	}
}

// ConnsPerNode is how many connections to one node the workers can have:
// MaxConnsPerNode, or what it stands for when it is 0.
func (c Config) ConnsPerNode() int {
	if c.MaxConnsPerNode > 0 {
		return c.MaxConnsPerNode
	}
	return max(DefaultMaxConns, c.Workers)
}

// noLimit stands for "no timeout" where the client would put one of its own
// for 0. The client sends some timeouts as 32-bit milliseconds, so a day it is.
const noLimit = 24 * time.Hour

// loginTimeout is asbench's, for logins that ask an LDAP server.
const loginTimeout = 10 * time.Second

// clientPolicy is what the client must know to connect, but for TLS.
func (c Config) clientPolicy() *aerospike.ClientPolicy {
	p := aerospike.NewClientPolicy()
	p.AuthMode = c.Auth.client()
	p.User = c.User
	p.Password = string(c.Password)
	p.Timeout = orNoLimit(c.ConnectTimeout)
	p.LoginTimeout = loginTimeout
	p.IdleTimeout = c.MaxSocketIdle
	p.MinConnectionsPerNode = c.MinConnsPerNode
	// A command that finds the pool used up asks again in a busy loop, so the
	// pool must not be smaller than the number of workers. One connection more
	// is for the client's tending: it is counted with the others (node.go,
	// newTendConnection and newConnection).
	p.ConnectionQueueSize = c.ConnsPerNode() + 1
	p.LimitConnectionsToQueueSize = true
	p.MaxErrorRate = c.MaxErrorRate
	p.ErrorRateWindow = max(1, c.ErrorRateWindow)
	p.TendInterval = c.TendInterval
	p.UseServicesAlternate = c.ServicesAlternate
	p.RackAware = c.Replica == ReplicaPreferRack
	p.RackIds = c.RackIDs
	return p
}

// readPolicy returns a new policy of reads.
func (c Config) readPolicy() *aerospike.BasePolicy {
	return c.basePolicy(c.ReadTimeout, c.ReadSocketTimeout)
}

// writePolicy returns a new policy of writes, deletes and UDF calls.
func (c Config) writePolicy() *aerospike.WritePolicy {
	p := aerospike.NewWritePolicy(0, aerospike.TTLServerDefault)
	p.BasePolicy = *c.basePolicy(c.WriteTimeout, c.WriteSocketTimeout)
	p.DurableDelete = c.DurableDelete
	p.CommitLevel = c.CommitLevel.client()
	return p
}

func (c Config) basePolicy(total, socket time.Duration) *aerospike.BasePolicy {
	p := aerospike.NewPolicy()
	p.TotalTimeout = total
	p.SocketTimeout = socket
	if total == 0 {
		p.SocketTimeout = orNoLimit(socket)
	}
	p.MaxRetries = attempts(c.MaxRetries)
	p.SleepBetweenRetries = retrySleep(c.SleepBetweenRetries, total)
	p.SendKey = c.SendKey
	p.UseCompression = c.Compress
	p.ReplicaPolicy = c.Replica.client()
	p.ReadModeAP = c.ReadModeAP.client()
	p.ReadModeSC = c.ReadModeSC.client()
	return p
}

// retrySleep is the pause before a retry. Without one, the client tries for a
// connection to a lost node in a tight loop until the total timeout, with an error
// chained to the last for each of some hundred thousand tries (command.go,
// executeAt). A millisecond is the client's own default; with a short timeout it is
// less, because the client gives up at once when a pause would take it past that.
func retrySleep(asked, total time.Duration) time.Duration {
	switch {
	case asked > 0:
		return asked
	case total > 0:
		return min(time.Millisecond, total/10)
	}
	return time.Millisecond
}

// attempts converts a number of retries into the client's MaxRetries, which is
// a number of attempts, with 0 for one (command.go, executeAt).
func attempts(retries int) int {
	if retries <= 0 {
		return 0
	}
	return retries + 1
}

func orNoLimit(d time.Duration) time.Duration {
	if d == 0 {
		return noLimit
	}
	return d
}

func (m AuthMode) client() aerospike.AuthMode {
	switch m {
	case AuthExternal, AuthExternalInsecure:
		return aerospike.AuthModeExternal
	case AuthPKI:
		return aerospike.AuthModePKI
	default:
		return aerospike.AuthModeInternal
	}
}

func (r Replica) client() aerospike.ReplicaPolicy {
	switch r {
	case ReplicaMaster:
		return aerospike.MASTER
	case ReplicaAny:
		return aerospike.MASTER_PROLES
	case ReplicaPreferRack:
		return aerospike.PREFER_RACK
	default:
		return aerospike.SEQUENCE
	}
}

func (m ReadModeAP) client() aerospike.ReadModeAP {
	if m == ReadModeAPAll {
		return aerospike.ReadModeAPAll
	}
	return aerospike.ReadModeAPOne
}

func (m ReadModeSC) client() aerospike.ReadModeSC {
	switch m {
	case ReadModeSCLinearize:
		return aerospike.ReadModeSCLinearize
	case ReadModeSCAllowReplica:
		return aerospike.ReadModeSCAllowReplica
	case ReadModeSCAllowUnavailable:
		return aerospike.ReadModeSCAllowUnavailable
	default:
		return aerospike.ReadModeSCSession
	}
}

func (l CommitLevel) client() aerospike.CommitLevel {
	if l == CommitMaster {
		return aerospike.COMMIT_MASTER
	}
	return aerospike.COMMIT_ALL
}
