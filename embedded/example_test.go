package embedded_test

import (
	"fmt"
	"log"

	aerospike "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
)

func Example() {
	server, err := embedded.Start(embedded.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	client, err := aerospike.NewClient("127.0.0.1", server.Port())
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	key, err := aerospike.NewKey("test", "people", "ada")
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Put(nil, key, aerospike.BinMap{"born": 1815, "name": "Ada"}); err != nil {
		log.Fatal(err)
	}
	record, err := client.Get(nil, key)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(record.Bins["name"], record.Bins["born"], record.Generation)

	// What the server holds can be looked at directly.
	stored, ok := server.Get("test", "people", "ada")
	fmt.Println(ok, len(stored.Bins), server.Count("test", "people"))
	// Output:
	// Ada 1815 1
	// true 2 1
}
