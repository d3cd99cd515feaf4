package embedded_test

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// ask sends info commands and returns the lines of the reply.
func (c *rawConn) ask(commands ...string) []string {
	c.t.Helper()
	c.send(frame(1, []byte(strings.Join(commands, "\n")+"\n")))
	kind, body := c.receive()
	if kind != 1 {
		c.t.Fatalf("reply of type %d", kind)
	}
	return strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
}

func TestInfo(t *testing.T) {
	owned := regexp.QuoteMeta(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\xFF", 512))))
	eachTarget(t, func(t *testing.T, tg target) {
		c := dialRaw(t, tg.addr)
		for _, tc := range []struct{ command, want string }{
			{"node", `[0-9A-F]{15,16}`},
			{"node:", `[0-9A-F]{15,16}`},
			{"node/x", `[0-9A-F]{15,16}`},
			{"name", `[0-9A-F]{15,16}`},
			{"build", `8\.1\.\d+\.\d+`},
			{"edition", "Aerospike Community Edition"},
			{"version", `Aerospike Community Edition build 8\.1\.\d+\.\d+`},
			{"features", ".*;pquery;pscans;.*;replicas;.*"},
			{"compatibility-id", "15"},
			{"status", "ok"},
			{"namespaces", "test;bar"},
			{"partitions", "4096"},
			{"partition-generation", "0"},
			{"peers-generation", "0"},
			{"rebalance-generation", "1"},
			{"replicas", "test:0,1," + owned + ";bar:0,1," + owned},
			{"replicas:max=1", "test:0,1," + owned + ";bar:0,1," + owned},
			{"replicas:max=z", "ERROR:4:bad max"},
			{"replicas-all", "test:1," + owned + ";bar:1," + owned},
			{"replicas-master", "test:" + owned + ";bar:" + owned},
			{"peers-clear-std", `0,3000,\[\]`},
			{"peers-clear-alt", `0,3000,\[\]`},
			{"peers-tls-std", "ERROR:25:enterprise only"},
			{"service", regexp.QuoteMeta(tg.addr)},
			{"service-clear-std", regexp.QuoteMeta(tg.addr)},
			{"service-clear-alt", ""},
			{"services", ""},
			{"services-alumni", ""},
			{"rack-ids", "ERROR:25:enterprise only"},
			{"racks:", "ERROR:25:enterprise only"},
			{"roster:", "ERROR:25:enterprise only"},
			{"feature-key", "ERROR:25:enterprise only"},
			{"connection", "admin=false"},
			{"cluster-stable:", "[0-9A-F]+"},
			{"cluster-stable:size=1;ignore-migrations=true", "[0-9A-F]+"},
			{"cluster-stable:size=4", "ERROR:7:cluster not specified size"},
			{"cluster-stable:size=x", "ERROR:4:bad size"},
			{"cluster-stable:size=99999", "ERROR:4:'size' value too long"},
			{"cluster-stable:ignore-migrations=x", "ERROR:4:bad ignore migrations"},
			{"cluster-stable:namespace=nope", "ERROR:20:namespace not found on node"},
			{"namespace/test", "ns_cluster_size=1;effective_replication_factor=1;objects=.*;stop_writes=false;.*"},
			{"namespace/nope", "type=unknown"},
			{"namespace", "type=unknown"},
			{"sets/nope", "ns_type=unknown"},
			{"sets/test/nope", ""},
			{"statistics", ".*cluster_size=1;cluster_key=[0-9A-F]+;.*;client_connections=.*"},
			{"sindex-list:", ""},
			{"sindex/test", ""},
			{"sindex-exists:ns=test;indexname=a", "false"},
			{"sindex-exists:indexname=a", "ERROR:20:missing 'namespace'"},
			{"sindex-stat:ns=test;indexname=a", "ERROR:201:no index"},
			{"sindex-stat:namespace=nope;indexname=a", "ERROR:20:namespace not found on node"},
			{"sindex-delete:ns=test;indexname=a", "ok"},
			{"udf-remove:filename=nope.lua;", "ok"},
			{"query-show", ".*"}, // a real server lists finished queries
			{"query-abort:trid=5", "ERROR:2:id not active"},
			{"query-abort-all:", "number-of-queries-killed:0"},
			{"get-config:context=namespace;id=nope", "ERROR:20:namespace not found on node"},
			{"truncate:", "ERROR:20:missing 'namespace'"},
			{"truncate:namespace=;set=x", "ERROR:20:missing 'namespace' value"},
			{"truncate:namespace=test", "ERROR:4:missing 'set'"},
			{"truncate:namespace=test;set=", "ERROR:4:missing 'set' value"},
			{"truncate:namespace=test;set=" + strings.Repeat("s", 64), "ERROR:4:'set' value too long"},
			{"truncate:namespace=" + strings.Repeat("n", 32) + ";set=s", "ERROR:20:'namespace' value too long"},
			{"truncate:namespace=test;set=embnope;lut=0", "ERROR:4:would truncate to 0"},
			{"truncate:namespace=test;set=embnope;lut=abc", "ERROR:4:would truncate to 0"},
			{"truncate:namespace=test;set=embnope;lut=99999999999999999999", "ERROR:4:would truncate in the future"},
			{"truncate:namespace=test;set=embnope", "ok"},
			{"truncate:namespace=nope;set=s", "ok"},
			{"truncate-namespace:namespace=nope", "ok"},
			{"truncate-namespace:namespace=test;set=s", "ERROR:4:unexpected set name"},
			{"truncate-undo:namespace=test;set=embnope", "ok"},
			{"user-agent-set:", "ERROR:4:missing 'value'"},
			{"user-agent-set:value=", "ERROR:4:missing 'value' value"},
			{"user-agent-set:value=@@@@", "ERROR:4:'value' invalid base64"},
			{"user-agent-set:value=MSxnbyw=", "ok"},
			{"user-agent-set:value=MSxnbyw=", "ERROR:4:already set"},
			{"nope", "ERROR:4:unrecognized command"},
			{"nope/bar", "ERROR:4:unrecognized command"},
			{" node", "ERROR:4:unrecognized command"},
			{"", "ERROR:4:unrecognized command"},
		} {
			lines := c.ask(tc.command)
			if len(lines) != 1 {
				t.Errorf("%q: %d lines", tc.command, len(lines))
				continue
			}
			want := "^" + regexp.QuoteMeta(tc.command) + "\t" + tc.want + "$"
			if !regexp.MustCompile(want).MatchString(lines[0]) {
				t.Errorf("%.100q:\n got %.200q\nwant %.200q", tc.command, lines[0], tc.want)
			}
		}
		if got := c.ask("node", "nope", "build"); len(got) != 3 || !strings.HasPrefix(got[2], "build\t8.") {
			t.Errorf("three commands: %q", got)
		}
		c.send(frame(1, []byte("node")))
		if _, body := c.receive(); len(body) != 0 {
			t.Errorf("a command without an end is answered: %q", body)
		}
		c.send(frame(1, nil))
		if _, body := c.receive(); !strings.HasPrefix(string(body), "features\t") {
			t.Errorf("the summary begins %.50q", body)
		}
	})
}

func TestInfoPartitions(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		line := dialRaw(t, tg.addr).ask("partition-info")[0]
		rows := strings.Split(strings.TrimPrefix(line, "partition-info\t"), ";")
		if len(rows) != 1+2*4096 {
			t.Fatalf("%d rows, want a heading and 4096 for each namespace", len(rows))
		}
		columns := strings.Count(rows[0], ":")
		form := regexp.MustCompile(`^(test|bar):\d+:S:1:0:0:0:[0-9A-F]+:[0-9A-F]+:0:0:0:\d+:`)
		for _, row := range rows[1:] {
			if !form.MatchString(row) || strings.Count(row, ":") != columns {
				t.Fatalf("row %q doesn't fit the heading %q", row, rows[0])
			}
		}
	})
}

func TestInfoCounts(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{ClusterName: "demo", Namespaces: []string{"test", "only"}})
	client := connect(t, server.Addr())
	for i := range 7 {
		must(t, client.Put(nil, mustKey(t, "test", "s", i), as.BinMap{"a": 1}))
	}
	must(t, client.Put(nil, mustKey(t, "only", "", 1), as.BinMap{"a": 1}))
	c := dialRaw(t, server.Addr())
	for command, want := range map[string]string{
		"cluster-name":                         "demo",
		"namespaces":                           "test;only",
		"objects":                              "8",
		"sets":                                 "ns=test:set=s:objects=7:tombstones=0:",
		"sets/test/s":                          "objects=7:tombstones=0:",
		"sets/only":                            "",
		"namespace/only":                       "ns_cluster_size=1;effective_replication_factor=1;objects=1;",
		"get-config:":                          "cluster-name=demo;",
		"latencies:":                           "batch-index:;{test}-read:;",
		"histogram:":                           "ERROR:16:unsupported feature",
		"get-config:context=namespace;id=test": "allow-ttl-without-nsup=true;default-ttl=0;",
	} {
		if got := c.ask(command)[0]; !strings.HasPrefix(got, command+"\t"+want) {
			t.Errorf("%s: %q, want %q …", command, got, want)
		}
	}
}

func TestInfoReplyIsBounded(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{})
	c := dialRaw(t, server.Addr())
	c.send(frame(1, []byte(strings.Repeat("partition-info\n", 1000)))) // 800 MB
	if !c.closed() {
		t.Error("the connection stays open")
	}
}

func TestClientFindsTheCluster(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{ClusterName: "demo"})
	policy := as.NewClientPolicy()
	policy.ClusterName = "demo"
	client, err := as.NewClientWithPolicy(policy, "127.0.0.1", server.Port())
	must(t, err)
	defer client.Close()
	nodes := client.GetNodes()
	if len(nodes) != 1 {
		t.Fatalf("%d nodes", len(nodes))
	}
	if got, want := nodes[0].GetHost().String(), fmt.Sprintf("127.0.0.1:%d", server.Port()); got != want {
		t.Errorf("node at %s, want %s", got, want)
	}
	policy.ClusterName = "another"
	if c, err := as.NewClientWithPolicy(policy, "127.0.0.1", server.Port()); err == nil {
		c.Close()
		t.Error("connected to a cluster of another name")
	}
}
