package embedded_test

import (
	"bytes"
	"maps"
	"reflect"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// newKeys makes n keys and stores {"i": i, "s": "x"} under the even ones.
func newKeys(t *testing.T, client *as.Client, n int) []*as.Key {
	t.Helper()
	keys := make([]*as.Key, n)
	for i := range keys {
		keys[i] = newKey(t)
		if i%2 == 0 {
			must(t, client.Put(nil, keys[i], as.BinMap{"i": i, "s": "x"}))
		}
	}
	return keys
}

func TestBatchGet(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		keys := newKeys(t, tg.client, 9)
		check := func(why string, records []*as.Record, err error, want func(i int) as.BinMap) {
			t.Helper()
			must(t, err)
			for i, r := range records {
				switch {
				case i%2 != 0 && r != nil:
					t.Errorf("%s: record %d is there", why, i)
				case i%2 == 0 && r == nil:
					t.Errorf("%s: record %d is missing", why, i)
				case r != nil && (!maps.Equal(r.Bins, want(i)) || r.Generation != 1):
					t.Errorf("%s: record %d is %v generation %d, want %v generation 1", why, i, r.Bins, r.Generation, want(i))
				}
			}
		}
		records, err := tg.client.BatchGet(nil, keys)
		check("all bins", records, err, func(i int) as.BinMap { return as.BinMap{"i": i, "s": "x"} })
		records, err = tg.client.BatchGet(nil, keys, "i", "nope")
		check("some bins", records, err, func(i int) as.BinMap { return as.BinMap{"i": i} })
		records, err = tg.client.BatchGetHeader(nil, keys)
		check("header", records, err, func(int) as.BinMap { return as.BinMap{} })
		records, err = tg.client.BatchGetOperate(nil, keys, as.GetBinOp("s"))
		check("operations", records, err, func(int) as.BinMap { return as.BinMap{"s": "x"} })

		exists, err := tg.client.BatchExists(nil, keys)
		must(t, err)
		for i, there := range exists {
			if there != (i%2 == 0) {
				t.Errorf("exists[%d] is %v", i, there)
			}
		}
	})
}

func TestBatchOfEverything(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		k := newKeys(t, tg.client, 10)
		createOnly := as.NewBatchWritePolicy()
		createOnly.RecordExistsAction = as.CREATE_ONLY
		expectGen := as.NewBatchWritePolicy()
		expectGen.GenerationPolicy, expectGen.Generation = as.EXPECT_GEN_EQUAL, 7
		sendKey := as.NewBatchWritePolicy()
		sendKey.SendKey, sendKey.Expiration = true, 1000
		durable := as.NewBatchDeletePolicy()
		durable.DurableDelete = true
		put := func(v int) *as.Operation { return as.PutOp(as.NewBin("i", v)) }
		// The client asks for a result of each operation of a write; that rules out
		// reading all bins.
		rows := []struct {
			row  as.BatchRecordIfc
			want types.ResultCode
			bins as.BinMap
		}{
			{as.NewBatchRead(nil, k[0], []string{"i"}), types.OK, as.BinMap{"i": 0}},
			{as.NewBatchRead(nil, k[1], nil), types.KEY_NOT_FOUND_ERROR, nil},
			{as.NewBatchWrite(nil, k[1], put(11), as.GetBinOp("i")), types.OK, as.BinMap{"i": as.OpResults{nil, 11}}},
			{as.NewBatchWrite(createOnly, k[2], put(22)), types.KEY_EXISTS_ERROR, nil},
			{as.NewBatchWrite(expectGen, k[4], put(44)), types.GENERATION_ERROR, nil},
			{as.NewBatchWrite(sendKey, k[3], put(33)), types.OK, as.BinMap{"i": nil}},
			{as.NewBatchDelete(nil, k[6]), types.OK, as.BinMap{}},
			{as.NewBatchDelete(nil, k[7]), types.KEY_NOT_FOUND_ERROR, nil},
			{as.NewBatchDelete(durable, k[8]), types.ENTERPRISE_ONLY, nil},
			{as.NewBatchWrite(nil, k[8], as.AddOp(as.NewBin("s", 1))), types.BIN_TYPE_ERROR, nil},
			{as.NewBatchReadHeader(nil, k[8]), types.OK, as.BinMap{}},
			{as.NewBatchReadOps(nil, k[8], as.GetBinOp("s")), types.OK, as.BinMap{"s": "x"}},
			{as.NewBatchWrite(nil, k[8], as.AddOp(as.NewBin("i", 1)), as.GetBinOp("i")), types.OK, as.BinMap{"i": as.OpResults{nil, 9}}},
			{as.NewBatchWrite(nil, k[8], as.AddOp(as.NewBin("i", 1)), as.GetOp()), types.PARAMETER_ERROR, nil},
		}
		batch := make([]as.BatchRecordIfc, len(rows))
		for i := range rows {
			batch[i] = rows[i].row
		}
		policy := as.NewBatchPolicy()
		policy.RespondAllKeys = true
		err := tg.client.BatchOperate(policy, batch)
		if err != nil && codeOf(err) != types.OK && !isBatchFailed(err) {
			t.Fatal(err)
		}
		for i, want := range rows {
			got := batch[i].BatchRec()
			if got.ResultCode != want.want {
				t.Errorf("row %d: result code %v, want %v", i, got.ResultCode, want.want)
			}
			if want.bins != nil && (got.Record == nil || !reflect.DeepEqual(got.Record.Bins, want.bins)) {
				t.Errorf("row %d: %v, want %v", i, got.Record, want.bins)
			}
		}
		for i, want := range map[int]bool{0: true, 1: true, 2: true, 3: true, 6: false, 7: false, 8: true} {
			if ok, _ := tg.client.Exists(nil, k[i]); ok != want {
				t.Errorf("afterwards record %d exists: %v", i, ok)
			}
		}
		r, err := tg.client.Get(nil, k[3])
		must(t, err)
		if r.Expiration < 990 || r.Expiration > 1000 {
			t.Errorf("TTL %d, want about 1000", r.Expiration)
		}
		if tg.server != nil && tg.stored(t, k[3]).UserKey != k[3].Value().GetObject() {
			t.Errorf("stored key %v, want %v", tg.stored(t, k[3]).UserKey, k[3].Value())
		}
	})
}

func isBatchFailed(err error) bool {
	ae, ok := err.(as.Error)
	return ok && ae.Matches(types.BATCH_FAILED)
}

func TestBatchStopsAtAnError(t *testing.T) {
	// Without RespondAllKeys a failed row fails the batch, although the rows after
	// it are carried out too.
	eachTarget(t, func(t *testing.T, tg target) {
		keys := newKeys(t, tg.client, 5)
		createOnly := as.NewBatchWritePolicy()
		createOnly.RecordExistsAction = as.CREATE_ONLY
		batch := make([]as.BatchRecordIfc, len(keys))
		for i, key := range keys {
			batch[i] = as.NewBatchWrite(createOnly, key, as.PutOp(as.NewBin("i", 100)))
		}
		policy := as.NewBatchPolicy()
		policy.RespondAllKeys = false
		wantCode(t, "batch", tg.client.BatchOperate(policy, batch), types.KEY_EXISTS_ERROR)
		for i, key := range keys {
			want := map[bool]int{true: i, false: 100}[i%2 == 0]
			if r, err := tg.client.Get(nil, key); err != nil || r.Bins["i"] != want {
				t.Errorf("record %d: %v, %v, want %d", i, r, err, want)
			}
		}
	})
}

func TestBatchUnknownNamespace(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		keys := newKeys(t, tg.client, 2)
		records, err := tg.client.BatchGet(nil, append(keys, mustKey(t, "nope", testSet, 1)))
		if err == nil {
			t.Errorf("read %v, want an error", records)
		}
	})
}

func TestLargeBatch(t *testing.T) {
	// 1000 records of 1 kB make several reply frames; the repeat flag is used.
	eachTarget(t, func(t *testing.T, tg target) {
		const n = 1000
		value := bytes.Repeat([]byte{7}, 1000)
		writes, reads := make([]as.BatchRecordIfc, n), make([]as.BatchRecordIfc, n)
		write, read := as.NewBatchWritePolicy(), as.NewBatchReadPolicy()
		for i := range n {
			key := newKey(t)
			writes[i] = as.NewBatchWrite(write, key, as.PutOp(as.NewBin("i", i)), as.PutOp(as.NewBin("v", value)))
			reads[i] = as.NewBatchRead(read, key, nil)
		}
		must(t, tg.client.BatchOperate(nil, writes))
		for i := range reads {
			reads[i].(*as.BatchRead).ReadAllBins = true
		}
		must(t, tg.client.BatchOperate(nil, reads))
		for i, r := range reads {
			want := as.BinMap{"i": i, "v": value}
			if got := r.BatchRec().Record; got == nil || !reflect.DeepEqual(got.Bins, want) {
				t.Fatalf("record %d differs", i)
			}
		}
	})
}

func TestBatchRefusals(t *testing.T) {
	server := embedded.RunT(t, embedded.Config{})
	client := connect(t, server.Addr())
	keys := newKeys(t, client, 4)
	hll := as.NewBatchReadOps(nil, keys[2], as.HLLGetCountOp("i"))
	read := as.NewBatchRead(nil, keys[2], []string{"i"})
	policy := as.NewBatchPolicy()
	policy.RespondAllKeys = true
	_ = client.BatchOperate(policy, []as.BatchRecordIfc{hll, read})
	if got := hll.BatchRec().ResultCode; got != types.UNSUPPORTED_FEATURE {
		t.Errorf("HLL: %v", got)
	}
	if got := read.BatchRec(); got.ResultCode != types.OK || got.Record.Bins["i"] != 2 {
		t.Errorf("the row after them: %v", got)
	}
}
