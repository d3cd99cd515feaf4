package embedded_test

import (
	"fmt"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

// Records are put, looked at and counted without a client.
func ExampleServer_Put() {
	srv, err := embedded.Start(embedded.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	for name, born := range map[string]int{"ada": 1815, "alan": 1912} {
		if err := srv.Put("test", "people", name, 0, map[string]any{"born": born, "tags": []any{"computing", born / 100}}); err != nil {
			fmt.Println(err)
			return
		}
	}
	for record := range srv.Records("test", "people") {
		for _, bin := range record.Bins {
			fmt.Println(bin.Name, bin.Value())
		}
	}
	fmt.Println(srv.Delete("test", "people", "ada"), srv.Count("test", "people"))
	// Unordered output:
	// born 1815
	// tags [computing 18]
	// born 1912
	// tags [computing 19]
	// true 1
}

// A record's time to live passes in no time.
func ExampleClock() {
	clock := embedded.NewClock(time.Now())
	srv, err := embedded.Start(embedded.Config{Now: clock.Now})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	if err := srv.Put("test", "sessions", 1, 30*time.Minute, map[string]any{"user": "ada"}); err != nil {
		fmt.Println(err)
		return
	}
	clock.Advance(29 * time.Minute)
	_, ok := srv.Get("test", "sessions", 1)
	fmt.Println("after 29 minutes:", ok)
	clock.Advance(2 * time.Minute)
	_, ok = srv.Get("test", "sessions", 1)
	fmt.Println("after 31 minutes:", ok)
	// Output:
	// after 29 minutes: true
	// after 31 minutes: false
}

// A server that is restarted keeps its records and its port.
func ExampleServer_Restart() {
	srv, err := embedded.Start(embedded.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	if err := srv.Put("test", "demo", 1, 0, map[string]any{"greeting": "hello"}); err != nil {
		fmt.Println(err)
		return
	}
	before := srv.Addr()
	if err := srv.Restart(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(srv.Addr() == before, srv.Count("test", "demo"))
	// Output: true 1
}

// What clients have done is counted by kind and result code.
func ExampleServer_Operations() {
	srv, err := embedded.Start(embedded.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	client, aerr := aerospike.NewClient("127.0.0.1", srv.Port())
	if aerr != nil {
		fmt.Println(aerr)
		return
	}
	defer client.Close()
	key, _ := aerospike.NewKey("test", "demo", 1)
	_, _ = client.Get(nil, key) // there is none
	_ = client.Put(nil, key, aerospike.BinMap{"greeting": "hello"})
	_, _ = client.Get(nil, key)

	counts := srv.Operations()
	fmt.Println("written:", counts[embedded.Operation{Kind: embedded.FaultWrite}])
	fmt.Println("read:", counts[embedded.Operation{Kind: embedded.FaultRead}])
	fmt.Println("not found:", counts[embedded.Operation{Kind: embedded.FaultRead, Code: 2}])
	// Output:
	// written: 1
	// read: 1
	// not found: 1
}
