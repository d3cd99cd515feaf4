package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/embedded"
)

// asbenchFlag is a flag of asbench 2.2.9 and what becomes of it here.
type asbenchFlag struct {
	name, short string
	def         string // asbench's default; "" where it has none
	run         string // a command line that uses it; HOST, TLS and RACKS are servers, DIR a folder
	refused     string // with this reason; "" if the run works
	byServer    bool   // it is the server that refuses it
}

// asbenchFlags are all of asbench's flags, in the order of its help.
func asbenchFlags() []asbenchFlag {
	const (
		insert = "HOST -w I -k 10 "
		short  = "HOST -t 1 -k 10 -z 2 "
		tls    = "TLS -w I -k 10 "
		udf    = "HOST -w RUF,40,20 -t 1 -k 10 -z 2 --udf-file DIR/m.lua "
	)
	return []asbenchFlag{
		{name: "hosts", short: "h", def: "127.0.0.1", run: insert},
		{name: "port", short: "p", def: "3000", run: insert + "-p 4000"},
		{name: "user", short: "U", run: tls},
		{name: "password", short: "P", run: tls},
		{name: "auth", def: "INTERNAL", run: tls + "--auth EXTERNAL"},
		{name: "auth", def: "INTERNAL", run: insert + "-U bob -Psecret --auth EXTERNAL_INSECURE", refused: "the Go client sends a password over TLS only"},
		{name: "auth", def: "INTERNAL", run: insert + "--auth PKI", refused: "--auth PKI: needs --tls-enable"},
		{name: "services-alternate", run: insert + "--services-alternate"},
		{name: "connect-timeout", def: "1000", run: insert + "--connect-timeout 60000"},
		{name: "max-error-rate", def: "0", run: insert + "--max-error-rate 100"},
		{name: "error-rate-window", def: "1", run: insert + "--error-rate-window 5"},
		{name: "tender-interval", def: "1000", run: insert + "--tender-interval 500"},
		{name: "max-socket-idle", def: "55", run: insert + "--max-socket-idle 10"},
		{name: "min-conns-per-node", def: "0", run: insert + "--min-conns-per-node 5"},
		{name: "max-conns-per-node", def: "300", run: insert + "--max-conns-per-node 20"},
		{name: "conn-pools-per-node", short: "Y", def: "1", run: insert + "-Y 2"},
		{name: "async-min-conns-per-node", def: "0", run: insert + "--async-min-conns-per-node 2"},
		{name: "async-max-conns-per-node", def: "300", run: insert + "--async-max-conns-per-node 50"},
		{name: "namespace", short: "n", def: "test", run: insert + "-n bar"},
		{name: "set", short: "s", def: "testset", run: insert + "-s people"},
		{name: "bin", short: "b", def: "testbin", run: insert + "-b field"},
		{name: "start-key", short: "K", def: "1", run: insert + "-K 1000"},
		{name: "keys", short: "k", def: "1000000", run: insert},
		{name: "object-spec", short: "o", def: "I4", run: insert + "-o I2,S50,[3*D],{2*S3:I1}"},
		{name: "random", short: "R", run: insert + "-R"},
		{name: "expiration-time", short: "e", def: "0", run: insert + "-e -1"},
		{name: "duration", short: "t", def: "10", run: short},
		{name: "workload", short: "w", def: "RU,50", run: short + "-w RUD,60,30"},
		{name: "workload-stages", run: "HOST --workload-stages DIR/stages.yaml"},
		{name: "read-bins", run: short + "-o 3*I1 --read-bins 1,3"},
		{name: "write-bins", run: short + "-o 3*I1 --write-bins 2"},
		{name: "threads", short: "z", def: "16", run: insert + "-z16"},
		{name: "throughput", short: "g", def: "0", run: short + "-g 500"},
		{name: "batch-size", def: "1", run: insert + "--batch-size 3"},
		{name: "batch-read-size", run: short + "--batch-read-size 5"},
		{name: "batch-write-size", run: short + "--batch-write-size 5"},
		{name: "batch-delete-size", run: short + "-w RUD --batch-delete-size 5"},
		{name: "compress", run: insert + "-o B1000 --compress", refused: "ENTERPRISE_ONLY", byServer: true},
		{name: "compression-ratio", def: "1", run: insert + "-o B1000 --compression-ratio 0.25"},
		{name: "socket-timeout", def: "30000", run: insert + "--socket-timeout 9000"},
		{name: "read-socket-timeout", def: "30000", run: insert + "--read-socket-timeout 9000"},
		{name: "write-socket-timeout", def: "30000", run: insert + "--write-socket-timeout 60000"},
		{name: "timeout", short: "T", def: "1000", run: insert + "-T 0"},
		{name: "read-timeout", def: "1000", run: insert + "--read-timeout 50"},
		{name: "write-timeout", def: "1000", run: insert + "--write-timeout 60000"},
		{name: "max-retries", def: "1", run: insert + "--max-retries 3"},
		{name: "sleep-between-retries", def: "0", run: insert + "--sleep-between-retries 5"},
		{name: "debug", short: "d", run: insert + "-d"},
		{name: "latency", short: "L", run: insert + "-L"},
		{name: "percentiles", def: "50,90,99,99.9,99.99", run: insert + "-L --percentiles 50,99.5"},
		{name: "output-file", run: insert + "--output-file DIR/out.txt"},
		{name: "output-file", run: insert + "--output-file stdout"},
		{name: "output-period", def: "1", run: insert + "--output-file DIR/out.txt --output-period 2"},
		{name: "hdr-hist", run: insert + "--hdr-hist DIR/hdr"},
		{name: "shared", short: "S", run: insert + "-S"},
		{name: "send-key", run: insert + "--send-key"},
		{name: "replica", short: "C", def: "sequence", run: insert + "-C master"},
		{name: "replica", short: "C", def: "sequence", run: insert + "-C any"},
		{name: "replica", short: "C", def: "sequence", run: insert + "-C prefer-rack", refused: "--rack-id: needed with --replica prefer-rack"},
		{name: "rack-id", run: "RACKS -w I -k 10 -C prefer-rack --rack-id 2"},
		{name: "rack-id", run: insert + "--rack-id 2", refused: "--rack-id: only with --replica prefer-rack"},
		{name: "read-mode-ap", short: "N", def: "one", run: short + "-N all"},
		{name: "read-mode-sc", short: "B", def: "session", run: short + "-B allowReplica"},
		{name: "commit-level", short: "M", def: "all", run: insert + "-M master"},
		{name: "durable-delete", short: "D", run: insert + "-D"},
		{name: "async", short: "a", run: insert + "-a"},
		{name: "async-max-commands", short: "c", def: "50", run: insert + "-a -c 5"},
		{name: "event-loops", short: "W", def: "1", run: insert + "-a -W 4"},
		{name: "udf-package-name", run: udf + "-upn m -ufn f"},
		{name: "udf-function-name", run: udf + "-upn m -ufn f"},
		{name: "udf-function-values", run: udf + "-upn m -ufn f -ufv I1,S4"},
		{name: "tls-enable", run: tls},
		{name: "tls-name", run: tls + "--tls-name node.test"},
		{name: "tls-cafile", run: tls},
		{name: "tls-capath", run: tls + "--tls-capath DIR/cas"},
		{name: "tls-protocols", run: tls + "--tls-protocols -all,+TLSv1.3"},
		{name: "tls-cipher-suite", run: tls + "--tls-cipher-suite ECDHE-ECDSA-AES128-GCM-SHA256:TLS_AES_128_GCM_SHA256"},
		{name: "tls-crl-check", run: tls + "--tls-crl-check", refused: "there is no revocation list"},
		{name: "tls-crl-check-all", run: tls + "--tls-crl-check-all", refused: "there is no revocation list"},
		{name: "tls-cert-blacklist", run: tls + "--tls-cert-blacklist DIR/blacklist"},
		{name: "tls-log-session-info", run: tls + "--tls-log-session-info"},
		{name: "tls-keyfile", run: tls + "--tls-certfile DIR/client.pem --tls-keyfile DIR/client.key"},
		{name: "tls-keyfile-password", run: tls + "--tls-certfile DIR/client.pem --tls-keyfile DIR/client.key --tls-keyfile-password file:DIR/pw"},
		{name: "tls-certfile", run: tls + "--tls-certfile DIR/client.pem --tls-keyfile DIR/client.key"},
		{name: "tls-login-only", run: tls + "--tls-login-only", refused: "the Go client has no connections that are encrypted for the login only"},
		{name: "version", short: "V", run: "-V"},
		{name: "help", run: "--help"},
	}
}

// TestAsbenchFlags: each flag of asbench has its names and default here, and a run
// with it works or is refused with the reason, before anything is sent.
func TestAsbenchFlags(t *testing.T) {
	// Defaults that need more words than asbench's number.
	longer := map[string]string{"max-conns-per-node": "300, or as many as there are threads", "duration": "10; 0 for I and DB",
		"read-bins": "all", "write-bins": "all", "batch-read-size": "--batch-size", "batch-write-size": "--batch-size",
		"batch-delete-size": "--batch-size", "tls-protocols": "TLSv1.2,TLSv1.3"}
	options := map[string]*option{}
	for _, o := range allOptions(allCommands()[0]) {
		options[o.name] = o
	}
	server := newAsbenchServers(t)
	for _, f := range asbenchFlags() {
		o := options[f.name]
		if o == nil {
			t.Errorf("there is no --%s", f.name)
			continue
		}
		if want, ok := longer[f.name]; ok {
			f.def = want
		}
		if o.short != f.short || o.def != f.def {
			t.Errorf("--%s is -%s with the default %q, want -%s and %q", f.name, o.short, o.def, f.short, f.def)
		}
		t.Run(f.run, func(t *testing.T) {
			t.Parallel()
			r := runBinary(t, server.args(f.run)...)
			if f.byServer {
				if r.code != exitFailed || !strings.Contains(r.stderr, f.refused) {
					t.Errorf("exit code %d, want %d and the reason %q\n%s%s", r.code, exitFailed, f.refused, r.stdout, r.stderr)
				}
				return
			}
			if f.refused != "" {
				if r.code != exitUsage || r.stdout != "" || !strings.Contains(r.stderr, f.refused) {
					t.Errorf("exit code %d, want %d and the reason %q\n%s%s", r.code, exitUsage, f.refused, r.stdout, r.stderr)
				}
				return
			}
			if r.code != 0 || strings.Contains(r.stderr, "warning") {
				t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// asbenchServers are what the command lines of asbenchFlags connect to.
type asbenchServers struct{ plain, tls, racks, dir string }

func newAsbenchServers(t *testing.T) asbenchServers {
	t.Helper()
	dir := t.TempDir()
	authority, err := embedded.NewTestAuthority()
	if err != nil {
		t.Fatal(err)
	}
	client, err := authority.Issue("client")
	if err != nil {
		t.Fatal(err)
	}
	config, err := authority.ServerConfig(false, "node.test")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "cas"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cas/ca.pem": string(authority.PEM), "client.pem": string(client.CertPEM), "client.key": string(client.KeyPEM), "pw": "unused\n",
		"blacklist": "1234567890ABCDEF\n", "stages.yaml": "- stage: 1\n  workload: I\n  key-end: 11\n",
		"m.lua": "function f(record, ...) return 1 end\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	cluster := embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 2, Racks: []int{1, 2}})
	return asbenchServers{
		plain: embedded.RunT(t, embedded.Config{}).Addr(),
		tls: embedded.RunT(t, embedded.Config{TLS: config,
			Users: []embedded.User{{Name: "bob", Password: "secret", Roles: []string{"read-write"}}}}).Addr(),
		racks: strings.Join(cluster.Addrs(), ","),
		dir:   dir,
	}
}

func (s asbenchServers) args(line string) []string {
	// The timeouts are long because a busy test machine may stand still for
	// seconds; those of the line come later and count.
	const patient = " -T 60000 --connect-timeout 60000"
	line = strings.NewReplacer(
		"HOST", "-h "+s.plain+patient,
		"TLS ", "-h "+s.tls+patient+" --tls-enable --tls-cafile DIR/cas/ca.pem -U bob -Psecret ",
		"RACKS", "-h "+s.racks+patient,
	).Replace(line)
	return strings.Fields(strings.ReplaceAll(line, "DIR", s.dir))
}
