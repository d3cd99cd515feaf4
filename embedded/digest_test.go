package embedded

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

func TestRIPEMD160(t *testing.T) {
	// The vectors are those that the algorithm's authors published.
	for _, tc := range []struct{ input, want string }{
		{"", "9c1185a5c5e9fc54612808977ee8f548b2258d31"},
		{"a", "0bdc9d2d256b3ee9daae347be6f4dc835a467ffe"},
		{"abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"},
		{"message digest", "5d0689ef49d2fae572b881b123a85ffa21595f36"},
		{"abcdefghijklmnopqrstuvwxyz", "f71c27109c692c1b56bbdceb5b9d2865b3708dbc"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "12a053384a9c0c88e405a06c27dcf49ada62eb2b"},
		{strings.Repeat("1234567890", 8), "9b752e45573d4b39f4dbd3323cab82bf63326bfb"},
		{strings.Repeat("a", 1000000), "52783243c1697bdbe16d37f97f68f08325dc1528"},
	} {
		if got := ripemd160([]byte(tc.input)); hex.EncodeToString(got[:]) != tc.want {
			t.Errorf("ripemd160(%.20q) = %x, want %s", tc.input, got, tc.want)
		}
	}
}

func TestKeyDigestIsTheClients(t *testing.T) {
	keys := []any{
		0, 1, -1, int64(math.MinInt64), int64(math.MaxInt64), "", "user1", strings.Repeat("k", 200),
		[]byte{}, []byte{0, 1, 2},
	}
	for _, set := range []string{"", "s", "testset", strings.Repeat("x", 63)} {
		for _, key := range keys {
			k, err := as.NewKey("test", set, key)
			if err != nil {
				t.Fatal(err)
			}
			got, kerr := KeyDigest(set, key)
			if kerr != nil || string(got[:]) != string(k.Digest()) {
				t.Errorf("KeyDigest(%q, %v) = %x, %v, want %x", set, key, got, kerr, k.Digest())
			}
			if got.partition() != k.PartitionId() {
				t.Errorf("partition of (%q, %v) = %d, want %d", set, key, got.partition(), k.PartitionId())
			}
		}
	}
	if _, err := KeyDigest("s", 1.5); err == nil {
		t.Error("a float key has a digest")
	}
}
