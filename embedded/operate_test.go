package embedded_test

import (
	"maps"
	"math"
	"reflect"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

func TestOperate(t *testing.T) {
	start := as.BinMap{"n": 10, "f": 1.5, "s": "mid", "b": []byte{1}, "l": []any{1}}
	bin := as.NewBin
	for _, tc := range []struct {
		why    string
		ops    []*as.Operation
		want   types.ResultCode
		result as.BinMap // what operate returns
		after  as.BinMap // changes to start
	}{
		{"add, read, add, read: each read sees what came before",
			[]*as.Operation{as.AddOp(bin("n", 5)), as.GetBinOp("n"), as.AddOp(bin("n", -20)), as.GetBinOp("n")},
			types.OK, as.BinMap{"n": as.OpResults{15, -5}}, as.BinMap{"n": -5}},
		{"add wraps around", []*as.Operation{as.PutOp(bin("n", math.MaxInt64)), as.AddOp(bin("n", 1)), as.GetBinOp("n")},
			types.OK, as.BinMap{"n": math.MinInt64}, as.BinMap{"n": math.MinInt64}},
		{"add to a double", []*as.Operation{as.AddOp(bin("f", 0.25)), as.GetBinOp("f")},
			types.OK, as.BinMap{"f": 1.75}, as.BinMap{"f": 1.75}},
		{"append and prepend", []*as.Operation{as.AppendOp(bin("s", "]")), as.PrependOp(bin("s", "[")), as.GetBinOp("s")},
			types.OK, as.BinMap{"s": "[mid]"}, as.BinMap{"s": "[mid]"}},
		{"a read before a change returns the old value",
			[]*as.Operation{as.GetBinOp("s"), as.AppendOp(bin("s", "1")), as.GetBinOp("s"), as.AppendOp(bin("s", "2"))},
			types.OK, as.BinMap{"s": as.OpResults{"mid", "mid1"}}, as.BinMap{"s": "mid12"}},
		{"append to a blob", []*as.Operation{as.AppendOp(bin("b", []byte{2, 3}))},
			types.OK, as.BinMap{}, as.BinMap{"b": []byte{1, 2, 3}}},
		{"a missing bin takes the operand",
			[]*as.Operation{as.AddOp(bin("n2", 3)), as.AppendOp(bin("s2", "x")), as.PrependOp(bin("s3", "y"))},
			types.OK, as.BinMap{}, as.BinMap{"n2": 3, "s2": "x", "s3": "y"}},
		{"write and read all", []*as.Operation{as.PutOp(bin("n", 1)), as.GetOp(), as.PutOp(bin("f", nil))},
			types.OK, as.BinMap{"n": 1, "f": 1.5, "s": "mid", "b": []byte{1}, "l": []any{1}}, as.BinMap{"n": 1, "f": nil}},
		{"read of a missing bin returns nothing", []*as.Operation{as.PutOp(bin("n", 1)), as.GetBinOp("nope")},
			types.OK, as.BinMap{}, as.BinMap{"n": 1}},
		{"touch and read", []*as.Operation{as.TouchOp(), as.GetBinOp("n")}, types.OK, as.BinMap{"n": 10}, nil},
		{"delete, then write", []*as.Operation{as.DeleteOp(), as.PutOp(bin("new", 1))},
			types.OK, as.BinMap{}, as.BinMap{"n": nil, "f": nil, "s": nil, "b": nil, "l": nil, "new": 1}},
		{"read, then delete", []*as.Operation{as.GetBinOp("n"), as.DeleteOp()},
			types.OK, as.BinMap{"n": 10}, as.BinMap{"n": nil, "f": nil, "s": nil, "b": nil, "l": nil}},
		{"header only", []*as.Operation{as.GetHeaderOp()}, types.OK, as.BinMap{}, nil},
		{"add to a string", []*as.Operation{as.AddOp(bin("s", 1))}, types.BIN_TYPE_ERROR, nil, nil},
		{"add a double to an integer", []*as.Operation{as.AddOp(bin("n", 0.5))}, types.BIN_TYPE_ERROR, nil, nil},
		{"append to an integer", []*as.Operation{as.AppendOp(bin("n", "x"))}, types.BIN_TYPE_ERROR, nil, nil},
		{"append a string to a blob", []*as.Operation{as.AppendOp(bin("b", "x"))}, types.BIN_TYPE_ERROR, nil, nil},
		{"append to a list", []*as.Operation{as.AppendOp(bin("l", "x"))}, types.BIN_TYPE_ERROR, nil, nil},
		{"a failure undoes what came before it",
			[]*as.Operation{as.PutOp(bin("n", 99)), as.DeleteOp(), as.PutOp(bin("s", "t")), as.AddOp(bin("s", 1))},
			types.BIN_TYPE_ERROR, nil, nil},
	} {
		t.Run(tc.why, func(t *testing.T) {
			eachTarget(t, func(t *testing.T, tg target) {
				key := newKey(t)
				must(t, tg.client.Put(nil, key, start))
				r, err := tg.client.Operate(nil, key, tc.ops...)
				wantCode(t, "operate", err, tc.want)
				if tc.want == types.OK && !reflect.DeepEqual(r.Bins, tc.result) {
					t.Errorf("returned %v, want %v", r.Bins, tc.result)
				}
				want := maps.Clone(start)
				for name, value := range tc.after {
					want[name] = value
					if value == nil {
						delete(want, name)
					}
				}
				after, err := tg.client.Get(nil, key)
				if len(want) == 0 {
					wantCode(t, "after", err, types.KEY_NOT_FOUND_ERROR)
					return
				}
				must(t, err)
				if !reflect.DeepEqual(after.Bins, want) {
					t.Errorf("left %v, want %v", after.Bins, want)
				}
			})
		})
	}
}

func TestOperateRespondsForEachOperation(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		policy := as.NewWritePolicy(0, 0)
		policy.RespondPerEachOp = true
		r, err := tg.client.Operate(policy, key,
			as.PutOp(as.NewBin("a", 1)), as.GetBinOp("a"), as.AddOp(as.NewBin("a", 1)), as.GetBinOp("a"), as.GetBinOp("b"))
		must(t, err)
		want := as.BinMap{"a": as.OpResults{nil, 1, nil, 2}, "b": nil}
		if !reflect.DeepEqual(r.Bins, want) {
			t.Errorf("%v, want %v", r.Bins, want)
		}
	})
}

func TestOperateReadOnly(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		_, err := tg.client.Operate(nil, key, as.GetBinOp("a"))
		wantCode(t, "missing record", err, types.KEY_NOT_FOUND_ERROR)
		must(t, tg.client.Put(nil, key, as.BinMap{"a": 1, "b": 2}))
		r, err := tg.client.Operate(nil, key, as.GetBinOp("b"), as.GetBinOp("c"))
		must(t, err)
		if !maps.Equal(r.Bins, as.BinMap{"b": 2}) || r.Generation != 1 {
			t.Errorf("%v generation %d, want b, generation 1: a read changes nothing", r.Bins, r.Generation)
		}
		r, err = tg.client.Operate(nil, key, as.GetOp())
		must(t, err)
		if !maps.Equal(r.Bins, as.BinMap{"a": 1, "b": 2}) {
			t.Errorf("all bins: %v", r.Bins)
		}
	})
}

func TestUnsupportedOperations(t *testing.T) {
	server := connect(t, startServer(t))
	key := newKey(t)
	must(t, server.Put(nil, key, as.BinMap{"l": []any{1}, "n": 1}))
	for why, op := range map[string]*as.Operation{
		"HLL read":  as.HLLGetCountOp("h"),
		"HLL write": as.HLLInitOp(as.DefaultHLLPolicy(), "h", 8, -1),
	} {
		_, err := server.Operate(nil, key, op)
		wantCode(t, why, err, types.UNSUPPORTED_FEATURE)
		_, err = server.Operate(nil, key, as.PutOp(as.NewBin("n", 2)), op)
		wantCode(t, why+" after a write", err, types.UNSUPPORTED_FEATURE)
	}
	r, err := server.Get(nil, key)
	must(t, err)
	if !reflect.DeepEqual(r.Bins, as.BinMap{"l": []any{1}, "n": 1}) || r.Generation != 1 {
		t.Errorf("refused operations changed the record: %v", r)
	}
}
