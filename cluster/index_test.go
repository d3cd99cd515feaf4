package cluster

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	aerospike "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// listed is an index as the server lists it.
func listed(name, set, bin, kind, state string) string {
	return "ns=test:indexname=" + name + ":set=" + set + ":bin=" + bin + ":type=" + kind + ":indextype=default:context=null:exp=null:state=" + state
}

func TestFindIndex(t *testing.T) {
	index := Index{Namespace: "test", Set: "s", Bin: "b", Name: "s_b", Integer: true}
	for _, c := range []struct {
		why, list string
		want      indexState
		err       string // part of it
	}{
		{"none at all", "", indexAbsent, ""},
		{"its own", listed("s_b", "s", "b", "numeric", "RW"), indexServes, ""},
		{"under another name", listed("x", "s", "b", "numeric", "RW"), indexServes, ""},
		{"of the whole namespace, which serves every set", listed("x", "null", "b", "numeric", "RW"), indexServes, ""},
		{"still being built", listed("x", "s", "b", "numeric", "WO"), indexBuilding, ""},
		{"one being built beside one that serves", listed("x", "s", "b", "numeric", "WO") + ";" + listed("y", "null", "b", "numeric", "RW"), indexServes, ""},
		{"the same in the other order", listed("y", "null", "b", "numeric", "RW") + ";" + listed("x", "s", "b", "numeric", "WO"), indexServes, ""},
		{"one that could not be built", listed("x", "s", "b", "numeric", "ERROR"), indexAbsent, `the index "x" on bin "b" cannot be used: its state is ERROR`},
		{"of another set", listed("x", "t", "b", "numeric", "RW"), indexAbsent, ""},
		{"of another bin", listed("x", "s", "c", "numeric", "RW"), indexAbsent, ""},
		{"of another type", listed("x", "s", "b", "string", "RW"), indexAbsent, ""},
		{"of another namespace", strings.Replace(listed("s_b", "s", "c", "numeric", "RW"), "ns=test", "ns=bar", 1), indexAbsent, ""},
		{"of the elements of lists", strings.Replace(listed("x", "s", "b", "numeric", "RW"), "default", "list", 1), indexAbsent, ""},
		{"within a collection", strings.Replace(listed("x", "s", "b", "numeric", "RW"), "context=null", "context=kqEB", 1), indexAbsent, ""},
		{"of an expression", strings.Replace(listed("x", "s", "b", "numeric", "RW"), "exp=null", "exp=kwEC", 1), indexAbsent, ""},
		{"its name on another bin", listed("s_b", "s", "c", "string", "RW"), indexAbsent, `the index "s_b" is there already, but on the string bin "c" of the set "s": give another name for the one on bin "b"`},
		{"its name on the namespace's other bin", listed("s_b", "null", "c", "numeric", "RW"), indexAbsent, `on the numeric bin "c" of the whole namespace`},
		{"its name on list elements", strings.Replace(listed("s_b", "s", "b", "numeric", "RW"), "default", "list", 1), indexAbsent, `on the list of the bin "b"`},
	} {
		got, err := index.find(c.list)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: state %d and error %v, want %d and %q", c.why, got, err, c.want, c.err)
		}
	}
	index.Set = ""
	if got, err := index.find(listed("s_b", "null", "b", "numeric", "RW")); got != indexServes || err != nil {
		t.Errorf("no set: state %d and error %v, want %d", got, err, indexServes)
	}
}

// indexNode is a node whose index becomes what is told, one answer after the other.
func indexNode(t *testing.T, lists ...string) (c *Cluster, asked func() (created []string, listings int)) {
	t.Helper()
	var mu sync.Mutex
	var created []string
	listings := 0
	host := startNode(t, &fakeNode{info: func(item string) string {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.HasPrefix(item, "sindex-create:"):
			created = append(created, item)
			return "ok"
		case strings.HasPrefix(item, "sindex-list:"):
			listings++
			return lists[min(listings, len(lists))-1]
		}
		return standardInfo(item)
	}}, nil)
	return connect(t, testConfig(host)), func() ([]string, int) {
		mu.Lock()
		defer mu.Unlock()
		return created, listings
	}
}

func TestProvideIndexWaits(t *testing.T) {
	index := Index{Namespace: "test", Set: "s", Bin: "b", Name: "s_b", Integer: true}
	none, building, serves := ";", listed("s_b", "s", "b", "numeric", "WO"), listed("s_b", "s", "b", "numeric", "RW")
	for _, c := range []struct {
		why            string
		lists          []string
		creates, looks int
	}{
		{"one that serves is used at once", []string{serves}, 0, 1},
		{"one that is built is waited for", []string{building, building, serves}, 0, 3},
		{"a new one is not known at once, then built", []string{none, none, building, serves}, 1, 4},
	} {
		cluster, asked := indexNode(t, c.lists...)
		if err := cluster.ProvideIndex(t.Context(), index); err != nil {
			t.Errorf("%s: %v", c.why, err)
		}
		if created, looks := asked(); len(created) != c.creates || looks != c.looks {
			t.Errorf("%s: created %q after %d looks, want %d and %d", c.why, created, looks, c.creates, c.looks)
		}
	}
}

func TestProvideIndexErrors(t *testing.T) {
	index := Index{Namespace: "test", Set: "s", Bin: "b", Name: "s_b", Integer: true}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped by a test")
	var looks atomic.Int32 // connections have goroutines of their own
	cluster := connect(t, testConfig(startNode(t, &fakeNode{info: func(item string) string {
		if !strings.HasPrefix(item, "sindex-list:") {
			return standardInfo(item)
		}
		if looks.Add(1) == 3 {
			cancel(stopped)
		}
		return listed("s_b", "s", "b", "numeric", "WO")
	}}, nil)))
	if err := cluster.ProvideIndex(ctx, index); !errors.Is(err, stopped) {
		t.Errorf("stopped while waiting: %v", err)
	}
	for _, bad := range []Index{{Set: "a;b"}, {Bin: "a:b"}, {Name: "x;set=y"}} {
		if err := cluster.ProvideIndex(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "colon or semicolon") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// The nodes of a cluster all have the index when the call returns.
func TestProvideIndexOnAllNodes(t *testing.T) {
	servers := map[string]string{"embedded": embedded.RunClusterT(t, embedded.ClusterConfig{Nodes: 3}).Addrs()[0]}
	if hosts := os.Getenv("AEROLOAD_TEST_HOSTS"); hosts != "" {
		servers["real"] = hosts
	}
	for name, text := range servers {
		t.Run(name, func(t *testing.T) {
			hosts, err := ParseHosts(text, 3000)
			if err != nil {
				t.Fatal(err)
			}
			cluster := connect(t, testConfig(hosts...))
			index := Index{Namespace: "test", Set: "cluster-index", Bin: "b", Name: "cluster-index_b", Integer: true}
			t.Cleanup(func() {
				_ = cluster.client.DropIndex(nil, "test", index.Set, index.Name)
			})
			for range 2 { // the second finds it
				if err := cluster.ProvideIndex(t.Context(), index); err != nil {
					t.Fatal(err)
				}
			}
			other := index
			other.Bin = "c"
			if err := cluster.ProvideIndex(t.Context(), other); err == nil || !strings.Contains(err.Error(), `but on the numeric bin "b" of the set "cluster-index"`) {
				t.Errorf("another bin under the name: %v", err)
			}
			lists, err := onEachNode(t.Context(), cluster, "", func(n *aerospike.Node) (string, error) { return cluster.info(n, "sindex-list:namespace=test") })
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range lists {
				if strings.Count(list, "indexname=cluster-index") != 1 {
					t.Errorf("a node lists %q", list)
				}
			}
		})
	}
}

func FuzzFindIndex(f *testing.F) {
	f.Add(listed("s_b", "s", "b", "numeric", "RW"))
	f.Add(listed("x", "null", "b", "numeric", "WO") + ";" + listed("s_b", "s", "c", "string", "RW"))
	f.Add("ns=test:;:=;;bin")
	index := Index{Namespace: "test", Set: "s", Bin: "b", Name: "s_b", Integer: true}
	f.Fuzz(func(t *testing.T, list string) {
		state, err := index.find(list)
		if err != nil && state != indexAbsent {
			t.Errorf("%q: state %d beside %v", list, state, err)
		}
		if state != indexAbsent && !(strings.Contains(list, "bin=b") && strings.Contains(list, "type=numeric")) {
			t.Errorf("%q: found an index", list)
		}
	})
}
