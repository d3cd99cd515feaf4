package embedded_test

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aeroload/aeroload/embedded"
	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

func TestValuesReadBackAsWritten(t *testing.T) {
	long := strings.Repeat("long", 25000)
	values := []struct {
		why    string
		value  any
		read   any // what the client returns
		stored any // what Bin.Value returns
	}{
		{"zero", 0, 0, int64(0)},
		{"smallest integer", math.MinInt64, math.MinInt64, int64(math.MinInt64)},
		{"largest integer", math.MaxInt64, math.MaxInt64, int64(math.MaxInt64)},
		{"double", -1.5e300, -1.5e300, -1.5e300},
		{"empty string", "", "", ""},
		{"string with a zero byte", "a\x00é", "a\x00é", "a\x00é"},
		{"string longer than the input buffer", long, long, long},
		{"blob", []byte{0, 255}, []byte{0, 255}, []byte{0, 255}},
		{"true", true, true, true},
		{"false", false, false, false},
		{"list", []any{1, "a", 2.5, []byte{7}, true, nil, []any{-33}}, []any{1, "a", 2.5, []byte{7}, true, nil, []any{-33}},
			[]any{int64(1), "a", 2.5, []byte{7}, true, nil, []any{int64(-33)}}},
		{"empty list", []any{}, []any{}, []any{}},
		{"map", map[any]any{"b": 1, "a": []any{}, 3: "x"}, map[any]any{"b": 1, "a": []any{}, 3: "x"},
			map[any]any{"b": int64(1), "a": []any{}, int64(3): "x"}},
		{"GeoJSON", as.NewGeoJSONValue(`{"type":"Point","coordinates":[2.5,48.8]}`),
			as.NewGeoJSONValue(`{"type":"Point","coordinates":[2.5,48.8]}`), `{"type":"Point","coordinates":[2.5,48.8]}`},
	}
	eachTarget(t, func(t *testing.T, tg target) {
		for _, tc := range values {
			t.Run(tc.why, func(t *testing.T) {
				key := newKey(t)
				must(t, tg.client.Put(nil, key, as.BinMap{"v": tc.value, "other": 1}))
				r, err := tg.client.Get(nil, key, "v")
				must(t, err)
				if !reflect.DeepEqual(r.Bins, as.BinMap{"v": tc.read}) {
					t.Errorf("read %v, want %v", r.Bins, tc.read)
				}
				if r.Generation != 1 {
					t.Errorf("generation %d, want 1", r.Generation)
				}
				if tg.server == nil {
					return
				}
				b, ok := tg.stored(t, key).Bin("v")
				if got := b.Value(); !ok || !reflect.DeepEqual(got, tc.stored) {
					t.Errorf("stored %#v, want %#v", got, tc.stored)
				}
			})
		}
	})
}

func TestReadForms(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key, missing := newKey(t), newKey(t)
		must(t, tg.client.Put(nil, key, as.BinMap{"a": 1, "b": "x"}))
		must(t, tg.client.Put(nil, key, as.BinMap{"c": 2.5}))
		for _, tc := range []struct {
			why  string
			bins []string
			want as.BinMap
		}{
			{"no names: all bins", nil, as.BinMap{"a": 1, "b": "x", "c": 2.5}},
			{"some", []string{"c", "a"}, as.BinMap{"a": 1, "c": 2.5}},
			{"a missing one is left out", []string{"a", "nope"}, as.BinMap{"a": 1}},
			{"only missing ones", []string{"nope"}, as.BinMap{}},
		} {
			r, err := tg.client.Get(nil, key, tc.bins...)
			must(t, err)
			if !maps.Equal(r.Bins, tc.want) || r.Generation != 2 {
				t.Errorf("%s: %v generation %d, want %v generation 2", tc.why, r.Bins, r.Generation, tc.want)
			}
		}
		header, err := tg.client.GetHeader(nil, key)
		must(t, err)
		if header.Generation != 2 || len(header.Bins) != 0 || header.Expiration != math.MaxUint32 {
			t.Errorf("header %+v, want generation 2, no bins, no expiration", header)
		}
		for k, want := range map[*as.Key]bool{key: true, missing: false} {
			if got, err := tg.client.Exists(nil, k); got != want || err != nil {
				t.Errorf("exists %v, %v, want %v", got, err, want)
			}
		}
		_, err = tg.client.Get(nil, missing)
		wantCode(t, "get of a missing record", err, types.KEY_NOT_FOUND_ERROR)
		if r, err := tg.client.GetHeader(nil, missing); r != nil || err != nil {
			t.Errorf("header of a missing record: %v, %v, want none, without an error (the client's way)", r, err)
		}
	})
}

func TestRecordExistsActions(t *testing.T) {
	old, merged, replaced := as.BinMap{"a": 1, "b": 2}, as.BinMap{"a": 9, "b": 2}, as.BinMap{"a": 9}
	eachTarget(t, func(t *testing.T, tg target) {
		for _, tc := range []struct {
			why       string
			action    as.RecordExistsAction
			onMissing types.ResultCode
			onOld     types.ResultCode
			then      as.BinMap // of the old record
		}{
			{"update creates and merges", as.UPDATE, types.OK, types.OK, merged},
			{"update only", as.UPDATE_ONLY, types.KEY_NOT_FOUND_ERROR, types.OK, merged},
			{"replace", as.REPLACE, types.OK, types.OK, replaced},
			{"replace only", as.REPLACE_ONLY, types.KEY_NOT_FOUND_ERROR, types.OK, replaced},
			{"create only", as.CREATE_ONLY, types.OK, types.KEY_EXISTS_ERROR, old},
		} {
			policy := as.NewWritePolicy(0, 0)
			policy.RecordExistsAction = tc.action
			missing, key := newKey(t), newKey(t)
			wantCode(t, tc.why+", missing", tg.client.Put(policy, missing, as.BinMap{"a": 9}), tc.onMissing)
			must(t, tg.client.Put(nil, key, old))
			wantCode(t, tc.why+", existing", tg.client.Put(policy, key, as.BinMap{"a": 9}), tc.onOld)
			r, err := tg.client.Get(nil, key)
			must(t, err)
			if !maps.Equal(r.Bins, tc.then) {
				t.Errorf("%s: left %v, want %v", tc.why, r.Bins, tc.then)
			}
			if ok, _ := tg.client.Exists(nil, missing); ok != (tc.onMissing == types.OK) {
				t.Errorf("%s: the missing record exists: %v", tc.why, ok)
			}
		}
	})
}

func TestGenerationPolicies(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		for _, tc := range []struct {
			why        string
			policy     as.GenerationPolicy
			generation uint32
			writes     int // before the one in question
			want       types.ResultCode
		}{
			{"equal", as.EXPECT_GEN_EQUAL, 2, 2, types.OK},
			{"not equal", as.EXPECT_GEN_EQUAL, 1, 2, types.GENERATION_ERROR},
			{"a new record has generation 0", as.EXPECT_GEN_EQUAL, 0, 0, types.OK},
			{"new record, expected 1", as.EXPECT_GEN_EQUAL, 1, 0, types.GENERATION_ERROR},
			{"greater", as.EXPECT_GEN_GT, 3, 2, types.OK},
			{"same is not greater", as.EXPECT_GEN_GT, 2, 2, types.GENERATION_ERROR},
		} {
			key := newKey(t)
			for range tc.writes {
				must(t, tg.client.Put(nil, key, as.BinMap{"a": 1}))
			}
			policy := as.NewWritePolicy(tc.generation, 0)
			policy.GenerationPolicy = tc.policy
			wantCode(t, tc.why+" write", tg.client.Put(policy, key, as.BinMap{"a": 2}), tc.want)
			if tc.writes == 0 {
				continue
			}
			policy.Generation += uint32(map[bool]int{true: 1}[tc.want == types.OK])
			_, err := tg.client.Delete(policy, key)
			wantCode(t, tc.why+" delete", err, tc.want)
		}
	})
}

func TestGenerationWraps(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		for range 65535 {
			must(t, tg.client.PutBins(nil, key, as.NewBin("a", 1)))
		}
		r, err := tg.client.GetHeader(nil, key)
		must(t, err)
		if r.Generation != 65535 {
			t.Fatalf("generation %d, want 65535", r.Generation)
		}
		must(t, tg.client.PutBins(nil, key, as.NewBin("a", 1)))
		if r, err = tg.client.GetHeader(nil, key); err != nil || r.Generation != 1 {
			t.Errorf("generation after 65535: %v, %v, want 1", r, err)
		}
	})
}

func TestBinDelete(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		must(t, tg.client.Put(nil, key, as.BinMap{"a": 1, "b": 2}))
		must(t, tg.client.Put(nil, key, as.BinMap{"a": nil, "never": nil}))
		r, err := tg.client.Get(nil, key)
		must(t, err)
		if !maps.Equal(r.Bins, as.BinMap{"b": 2}) || r.Generation != 2 {
			t.Errorf("%v generation %d, want only b, generation 2", r.Bins, r.Generation)
		}
		must(t, tg.client.Put(nil, key, as.BinMap{"b": nil}))
		_, err = tg.client.Get(nil, key)
		wantCode(t, "after the last bin went", err, types.KEY_NOT_FOUND_ERROR)
		wantCode(t, "deleting bins of a missing record", tg.client.Put(nil, key, as.BinMap{"b": nil}), types.KEY_NOT_FOUND_ERROR)
		policy := as.NewWritePolicy(0, 0)
		policy.RecordExistsAction = as.REPLACE
		wantCode(t, "bin delete in a replace", tg.client.Put(policy, key, as.BinMap{"a": nil}), types.PARAMETER_ERROR)
	})
}

func TestDelete(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		must(t, tg.client.Put(nil, key, as.BinMap{"a": 1}))
		durable := as.NewWritePolicy(0, 0)
		durable.DurableDelete = true
		_, err := tg.client.Delete(durable, key)
		wantCode(t, "durable delete", err, types.ENTERPRISE_ONLY)
		_, err = tg.client.Delete(durable, newKey(t))
		wantCode(t, "durable delete of a missing record", err, types.ENTERPRISE_ONLY)
		wantCode(t, "durable delete by last bin", tg.client.Put(durable, key, as.BinMap{"a": nil}), types.ENTERPRISE_ONLY)
		wantCode(t, "durable write that deletes nothing", tg.client.Put(durable, key, as.BinMap{"a": 2}), types.OK)
		for _, want := range []bool{true, false} {
			if existed, err := tg.client.Delete(nil, key); existed != want || err != nil {
				t.Errorf("delete: %v, %v, want %v", existed, err, want)
			}
		}
		must(t, tg.client.Put(nil, key, as.BinMap{"a": 1}))
		if r, err := tg.client.Get(nil, key); err != nil || r.Generation != 1 {
			t.Errorf("after delete and write: %v, %v, want generation 1", r, err)
		}
	})
}

func TestTouch(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		wantCode(t, "touch of a missing record", tg.client.Touch(nil, key), types.KEY_NOT_FOUND_ERROR)
		must(t, tg.client.Put(nil, key, as.BinMap{"a": 1}))
		must(t, tg.client.Touch(as.NewWritePolicy(0, 1000), key))
		r, err := tg.client.Get(nil, key)
		must(t, err)
		if r.Generation != 2 || r.Bins["a"] != 1 || r.Expiration < 990 || r.Expiration > 1000 {
			t.Errorf("%+v, want generation 2, the same bin, about 1000 s to live", r)
		}
	})
}

func TestSendKey(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		send := as.NewWritePolicy(0, 0)
		send.SendKey = true
		for _, value := range []any{int(keyEpoch), "k" + newKey(t).Value().String(), []byte(newKey(t).Value().String())} {
			key, err := as.NewKey("test", testSet, value)
			must(t, err)
			other, err := as.NewKeyWithDigest("test", testSet, "another", key.Digest())
			must(t, err)

			must(t, tg.client.Put(nil, key, as.BinMap{"a": 1}))
			if tg.server != nil && tg.stored(t, key).UserKey != nil {
				t.Errorf("%v: the key is stored although it wasn't sent", value)
			}
			must(t, tg.client.Put(send, key, as.BinMap{"a": 2}))
			replace := as.NewWritePolicy(0, 0)
			replace.RecordExistsAction = as.REPLACE
			must(t, tg.client.Put(replace, key, as.BinMap{"a": 3}))
			if tg.server != nil {
				want := map[bool]any{true: int64(keyEpoch), false: value}[value == any(int(keyEpoch))]
				if got := tg.stored(t, key).UserKey; !reflect.DeepEqual(got, want) {
					t.Errorf("stored key %#v, want %#v", got, want)
				}
			}
			wantCode(t, "write with another key", tg.client.Put(send, other, as.BinMap{"a": 4}), types.KEY_MISMATCH)
			_, err = tg.client.Delete(send, other)
			wantCode(t, "delete with another key", err, types.KEY_MISMATCH)
			read := as.NewPolicy()
			read.SendKey = true
			_, err = tg.client.Get(read, other)
			wantCode(t, "read with another key", err, types.KEY_MISMATCH)
			_, err = tg.client.Get(read, key)
			wantCode(t, "read with the right key", err, types.OK)
		}
	})
}

func TestRefusedWrites(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		nowhere, err := as.NewKey("nope", testSet, 1)
		must(t, err)
		wantCode(t, "unknown namespace, write", tg.client.Put(nil, nowhere, as.BinMap{"a": 1}), types.INVALID_NAMESPACE)

		key := newKey(t)
		wantCode(t, "bin name of 16 bytes", tg.client.Put(nil, key, as.BinMap{strings.Repeat("n", 16): 1}), types.BIN_NAME_TOO_LONG)
		wantCode(t, "bin name of 15 bytes", tg.client.Put(nil, key, as.BinMap{strings.Repeat("n", 15): 1}), types.OK)
		_, err = tg.client.Get(nil, key, strings.Repeat("n", 16))
		wantCode(t, "read of a bin name of 16 bytes", err, types.BIN_NAME_TOO_LONG)

		tooLong, err := as.NewKey("test", strings.Repeat("s", 64), 1)
		must(t, err)
		wantCode(t, "set name of 64 bytes", tg.client.Put(nil, tooLong, as.BinMap{"a": 1}), types.PARAMETER_ERROR)

		forever := as.NewWritePolicy(0, 10*365*24*3600+1)
		wantCode(t, "TTL over 10 years", tg.client.Put(forever, key, as.BinMap{"a": 1}), types.PARAMETER_ERROR)

		wantCode(t, "bad GeoJSON", tg.client.Put(nil, key, as.BinMap{"g": as.NewGeoJSONValue("{}")}), types.GEO_INVALID_GEOJSON)
	})
}

func TestRecordTooBig(t *testing.T) {
	// 35 bytes of header and 4 of end mark, set name and its length, bin count,
	// bin name and its length, value's type and 4-byte length.
	overhead := 35 + 4 + 1 + len(testSet) + 1 + 1 + len("v") + 5
	biggest := 1<<20 - overhead
	eachTarget(t, func(t *testing.T, tg target) {
		for size, want := range map[int]types.ResultCode{biggest: types.OK, biggest + 1: types.RECORD_TOO_BIG} {
			key := newKey(t)
			wantCode(t, "blob", tg.client.Put(nil, key, as.BinMap{"v": make([]byte, size)}), want)
			if ok, _ := tg.client.Exists(nil, key); ok != (want == types.OK) {
				t.Errorf("%d bytes: exists is %v", size, ok)
			}
		}
		key := newKey(t)
		must(t, tg.client.Put(nil, key, as.BinMap{"v": make([]byte, biggest)}))
		wantCode(t, "another bin", tg.client.Put(nil, key, as.BinMap{"w": 1}), types.RECORD_TOO_BIG)
		r, err := tg.client.Get(nil, key)
		must(t, err)
		if names := slices.Collect(maps.Keys(r.Bins)); !slices.Equal(names, []string{"v"}) || r.Generation != 1 {
			t.Errorf("the refused write changed the record: bins %v, generation %d", names, r.Generation)
		}
	})
}

func TestMaxRecordSizeIsConfigurable(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{MaxRecordSize: 2000})
	client := connect(t, server.Addr())
	wantCode(t, "below", client.Put(nil, newKey(t), as.BinMap{"v": make([]byte, 1900)}), types.OK)
	wantCode(t, "above", client.Put(nil, newKey(t), as.BinMap{"v": make([]byte, 2000)}), types.RECORD_TOO_BIG)
}

func TestSetMismatch(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		must(t, tg.client.Put(nil, key, as.BinMap{"a": 1}))
		other, err := as.NewKeyWithDigest("test", "embother", nil, key.Digest())
		must(t, err)
		none, err := as.NewKeyWithDigest("test", "", nil, key.Digest())
		must(t, err)
		_, err = tg.client.Get(nil, other)
		wantCode(t, "read in another set", err, types.PARAMETER_ERROR)
		_, err = tg.client.Get(nil, none)
		wantCode(t, "read without a set", err, types.OK)
		wantCode(t, "write in another set", tg.client.Put(nil, other, as.BinMap{"a": 1}), types.PARAMETER_ERROR)
		wantCode(t, "write without a set", tg.client.Put(nil, none, as.BinMap{"a": 1}), types.PARAMETER_ERROR)
		_, err = tg.client.Delete(nil, other)
		wantCode(t, "delete in another set", err, types.PARAMETER_ERROR)
		_, err = tg.client.Delete(nil, none)
		wantCode(t, "delete without a set", err, types.OK)
	})
}

func TestManyBins(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		want := as.BinMap{}
		for i := range 500 {
			want[fmt.Sprintf("bin%d", i)] = i
		}
		must(t, tg.client.Put(nil, key, want))
		half := as.BinMap{}
		for name := range want {
			if len(half) == len(want)/2 {
				break
			}
			half[name] = nil
		}
		must(t, tg.client.Put(nil, key, half))
		for name := range half {
			delete(want, name)
		}
		r, err := tg.client.Get(nil, key)
		must(t, err)
		if !maps.Equal(r.Bins, want) {
			t.Errorf("%d bins left, want %d: they differ", len(r.Bins), len(want))
		}
	})
}
