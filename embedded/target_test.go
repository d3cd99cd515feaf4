package embedded_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// testSet is the set that the tests of single records use, on a real server too.
const testSet = "embtest"

// keySerial and keyEpoch make keys that no other test, and no earlier run against
// the same real server, has used.
var (
	keySerial atomic.Int64
	keyEpoch  = time.Now().UnixNano()
)

// A target is a server that a test runs against: an embedded one, or a real one,
// of which the tests demand the same answers.
type target struct {
	client *as.Client
	addr   string
	server *embedded.Server // nil if the target is real
}

// eachTarget runs a test against a new embedded server, and against the real one
// at AEROLOAD_TEST_HOSTS if that is set.
func eachTarget(t *testing.T, test func(t *testing.T, tg target)) {
	t.Run("embedded", func(t *testing.T) {
		server := embedded.RunT(t, embedded.Config{})
		test(t, target{connect(t, server.Addr()), server.Addr(), server})
	})
	hosts := os.Getenv("AEROLOAD_TEST_HOSTS")
	if hosts == "" {
		return
	}
	t.Run("real", func(t *testing.T) {
		test(t, target{connect(t, hosts), hosts, nil})
	})
}

func connect(t testing.TB, addr string) *as.Client {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	client, aerr := as.NewClient(host, n)
	if aerr != nil {
		t.Fatal(aerr)
	}
	t.Cleanup(client.Close)
	client.DefaultPolicy.MaxRetries = 0
	client.DefaultWritePolicy.MaxRetries = 0
	return client
}

// newKey makes a key that nothing is stored under.
func newKey(t testing.TB) *as.Key {
	t.Helper()
	key, err := as.NewKey("test", testSet, fmt.Sprintf("%d-%d", keyEpoch, keySerial.Add(1)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// codeOf returns a client error's result code, 0 for no error.
func codeOf(err error) types.ResultCode {
	var ae as.Error
	if err == nil || !errors.As(err, &ae) {
		return types.OK
	}
	for _, code := range []types.ResultCode{
		types.SERVER_ERROR, types.KEY_NOT_FOUND_ERROR, types.GENERATION_ERROR, types.PARAMETER_ERROR,
		types.KEY_EXISTS_ERROR, types.BIN_TYPE_ERROR, types.RECORD_TOO_BIG, types.UNSUPPORTED_FEATURE,
		types.KEY_MISMATCH, types.INVALID_NAMESPACE, types.BIN_NAME_TOO_LONG, types.FAIL_FORBIDDEN,
		types.ENTERPRISE_ONLY, types.GEO_INVALID_GEOJSON, types.INDEX_NOTFOUND, types.INDEX_FOUND, types.UDF_BAD_RESPONSE, types.FILTERED_OUT,
		types.FAIL_ELEMENT_EXISTS, types.FAIL_ELEMENT_NOT_FOUND, types.OP_NOT_APPLICABLE, types.BIN_EXISTS_ERROR, types.BIN_NOT_FOUND,
	} {
		if ae.Matches(code) {
			return code
		}
	}
	return types.COMMON_ERROR
}

// wantCode fails the test unless err has the code.
func wantCode(t testing.TB, what string, err error, want types.ResultCode) {
	t.Helper()
	if got := codeOf(err); got != want {
		t.Errorf("%s: result code %v (%v), want %v", what, got, err, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stored returns the record behind a key as it is in the server.
func (tg target) stored(t testing.TB, key *as.Key) embedded.Record {
	t.Helper()
	r, ok := tg.server.GetDigest(key.Namespace(), embedded.Digest(key.Digest()))
	if !ok {
		t.Fatalf("nothing is stored under %v", key.Value())
	}
	return r
}

// startServer starts an embedded server and returns its address.
func startServer(t testing.TB) string {
	t.Helper()
	return embedded.RunT(t, embedded.Config{}).Addr()
}

func mustKey(t testing.TB, namespace, set string, value any) *as.Key {
	t.Helper()
	key, err := as.NewKey(namespace, set, value)
	must(t, err)
	return key
}

// scanAll collects the records of a set.
func scanAll(t testing.TB, client *as.Client, namespace, set string) map[*as.Record]bool {
	t.Helper()
	rs, err := client.ScanAll(nil, namespace, set)
	must(t, err)
	return collect(t, rs)
}

func collect(t testing.TB, rs *as.Recordset) map[*as.Record]bool {
	t.Helper()
	found := map[*as.Record]bool{}
	for r := range rs.Results() {
		must(t, r.Err)
		found[r.Record] = true
	}
	return found
}
