package embedded_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// aggregateRaw sends an aggregation and returns the values of its results, as
// bytes, the names of their bins, and the result code.
func (tg target) aggregateRaw(t *testing.T, set, module, function string) (values [][]byte, names []string, code byte) {
	t.Helper()
	const fFunction, fArgs = 31, 32
	c := dialRaw(t, tg.addr)
	c.send(frame(3, rawMessage{info1: 1, fields: []string{
		field(fNamespace, "test"), field(fSet, set), field(fUDF, module), field(fFunction, function),
		field(fArgs, "\x90"), field(fUDFOp, "\x01"),
	}}.body()))
	for {
		_, body := c.receive()
		for len(body) >= 22 {
			last, n := body[3]&1 != 0, binary.BigEndian.Uint16(body[20:])
			code, body = body[5], body[22:]
			for range n {
				end := 4 + binary.BigEndian.Uint32(body)
				name := 8 + int(body[7])
				names = append(names, string(body[8:name]))
				values = append(values, body[name:end])
				body = body[end:]
			}
			if last || code != 0 {
				return values, names, code
			}
		}
	}
}

func TestAggregations(t *testing.T) {
	const source = `
function values(s) return s : map(function(rec) return rec.n end) end
function even(s) return s : filter(function(rec) return rec.n % 2 == 0 end) : map(function(rec) return rec.n end) end
function total(s)
  return s : map(function(rec) return rec.n end) : reduce(function(a, b) return a + b end)
end
function count(s) return s : aggregate(0, function(n, rec) return n + 1 end) : reduce(function(a, b) return a + b end) end
function group(s)
  return s : groupby(function(rec) return rec.n % 2 end) : map(function(m) error('not on the server') end)
end
function fail(s) return s : map(function(rec) error('in a stream') end) end
function nothing(s) return nil end
`
	eachTarget(t, func(t *testing.T, tg target) {
		set := newIndexSet()
		tg.register(t, "udfaggr.lua", source)
		const records = 60
		for id := range records {
			must(t, noError(tg.client.PutBins(nil, mustKey(t, "test", set, id), as.NewBin("n", id))))
		}
		integers := func(function string) (out []int) {
			values, _, code := tg.aggregateRaw(t, set, "udfaggr", function)
			if code != 0 {
				t.Errorf("%s: result code %d", function, code)
			}
			for _, v := range values {
				out = append(out, int(binary.BigEndian.Uint64(v)))
			}
			slices.Sort(out)
			return out
		}
		sum := func(list []int) (n int) {
			for _, v := range list {
				n += v
			}
			return n
		}
		if got := integers("values"); len(got) != records || got[0] != 0 || got[records-1] != records-1 {
			t.Errorf("values: %v", got)
		}
		if got := integers("even"); len(got) != records/2 || got[1] != 2 {
			t.Errorf("even values: %v", got)
		}
		if got := sum(integers("total")); got != records*(records-1)/2 {
			t.Errorf("the partitions' totals add up to %d", got)
		}
		if got := sum(integers("count")); got != records {
			t.Errorf("the partitions' counts add up to %d", got)
		}
		if values, _, code := tg.aggregateRaw(t, set, "udfaggr", "group"); code != 0 || len(values) == 0 || values[0][0]&0xF0 != 0x80 {
			t.Errorf("groups: result code %d, %d maps", code, len(values))
		}
		for function, want := range map[string]string{"fail": "in a stream", "nope": "function not found"} {
			values, names, code := tg.aggregateRaw(t, set, "udfaggr", function)
			if code != 1 || len(names) != 1 || names[0] != "FAILURE" || !strings.HasSuffix(string(values[0]), want) {
				t.Errorf("%s: result code %d, bins %q %q, want 1 and a failure: %s", function, code, names, values, want)
			}
		}
		if _, _, code := tg.aggregateRaw(t, set+"x", "udfaggr", "values"); code != 2 {
			t.Errorf("a set that isn't there: result code %d, want 2", code)
		}
	})
}
