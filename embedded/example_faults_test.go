package embedded_test

import (
	"fmt"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// A server that refuses the first two writes.
func ExampleServer_SetFaults() {
	srv, err := embedded.Start(embedded.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	fault, err := embedded.ParseFault("write code=device-overload n=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := srv.SetFaults(1, fault); err != nil {
		fmt.Println(err)
		return
	}

	client, aerr := as.NewClient("127.0.0.1", srv.Port())
	if aerr != nil {
		fmt.Println(aerr)
		return
	}
	defer client.Close()
	client.DefaultWritePolicy.MaxRetries = 0
	for range 3 {
		key, _ := as.NewKey("test", "demo", 1)
		err := client.Put(nil, key, as.BinMap{"greeting": "hello"})
		fmt.Println("written:", err == nil)
	}
	// Output:
	// written: false
	// written: false
	// written: true
}

// A cluster of three nodes, one of which leaves.
func ExampleCluster() {
	nodes, err := embedded.StartCluster(embedded.ClusterConfig{Nodes: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer nodes.Close()
	before, _ := nodes.Owners("demo", "user-1")
	if err := nodes.Stop(before[0]); err != nil { // the master
		fmt.Println(err)
		return
	}
	after, _ := nodes.Owners("demo", "user-1")
	fmt.Println("the replica is the master now:", after[0] == before[1])
	// Output:
	// the replica is the master now: true
}

// A server that nobody can use without a login and a certificate.
func ExampleTestAuthority() {
	authority, err := embedded.NewTestAuthority()
	if err != nil {
		fmt.Println(err)
		return
	}
	config, err := authority.ServerConfig(true)
	if err != nil {
		fmt.Println(err)
		return
	}
	srv, err := embedded.Start(embedded.Config{
		TLS:   config,
		Users: []embedded.User{{Name: "bob", Password: "secret", Roles: []string{"read-write"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()

	own, err := authority.Issue("bob")
	if err != nil {
		fmt.Println(err)
		return
	}
	policy := as.NewClientPolicy()
	policy.User, policy.Password = "bob", "secret"
	policy.TlsConfig = authority.ClientConfig(own)
	client, aerr := as.NewClientWithPolicyAndHost(policy, &as.Host{Name: "127.0.0.1", TLSName: "localhost", Port: srv.Port()})
	if aerr != nil {
		fmt.Println(aerr)
		return
	}
	defer client.Close()
	fmt.Println("connected:", client.IsConnected())
	// Output:
	// connected: true
}
