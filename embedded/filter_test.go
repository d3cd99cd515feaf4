package embedded_test

import (
	"reflect"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

// filterRecord is what the filters below are applied to.
var filterRecord = as.BinMap{
	"i": 7, "f": 2.5, "s": "Hello, World", "b": []byte{1, 2, 3}, "t": true,
	"l": []any{1, 5, 9}, "m": map[any]any{"a": 1, "z": 26},
}

func TestFilters(t *testing.T) {
	i := as.ExpIntBin("i")
	n := func(v int64) *as.Expression { return as.ExpIntVal(v) }
	yes, no := as.ExpBoolVal(true), as.ExpBoolVal(false)
	missing := as.ExpEq(as.ExpIntBin("nope"), n(0)) // unknown
	size := as.ExpListSize(as.ExpListBin("l"))
	for _, tc := range []struct {
		why    string
		filter *as.Expression
		passes bool
	}{
		{"equal integers", as.ExpEq(i, n(7)), true},
		{"not equal", as.ExpNotEq(i, n(7)), false},
		{"greater", as.ExpGreater(i, n(6)), true},
		{"greater or equal", as.ExpGreaterEq(i, n(8)), false},
		{"less", as.ExpLess(i, n(7)), false},
		{"less or equal", as.ExpLessEq(i, n(7)), true},
		{"strings sort by bytes", as.ExpLess(as.ExpStringBin("s"), as.ExpStringVal("Hellp")), true},
		{"a blob sorts before a longer one", as.ExpLess(as.ExpBlobBin("b"), as.ExpBlobVal([]byte{1, 2, 3, 0})), true},
		{"doubles", as.ExpEq(as.ExpFloatBin("f"), as.ExpFloatVal(2.5)), true},
		{"booleans", as.ExpEq(as.ExpBoolBin("t"), yes), true},
		{"a bin of another type is unknown", as.ExpEq(as.ExpIntBin("s"), n(7)), false},
		{"a missing bin is unknown", missing, false},
		{"not unknown is unknown", as.ExpNot(missing), false},
		{"or with unknown", as.ExpOr(missing, yes), true},
		{"and with unknown", as.ExpNot(as.ExpAnd(missing, no)), true},
		{"exclusive: exactly one", as.ExpExclusive(yes, no, no), true},
		{"exclusive: two", as.ExpExclusive(yes, yes, no), false},
		{"bin exists", as.ExpBinExists("s"), true},
		{"bin doesn't exist", as.ExpBinExists("nope"), false},
		{"bin type", as.ExpEq(as.ExpBinType("l"), n(20)), true},
		{"sum", as.ExpEq(as.ExpNumAdd(i, n(1), n(2)), n(10)), true},
		{"difference", as.ExpEq(as.ExpNumSub(i, n(1), n(2)), n(4)), true},
		{"negation", as.ExpEq(as.ExpNumSub(i), n(-7)), true},
		{"quotient by a product", as.ExpEq(as.ExpNumDiv(n(42), i, n(2)), n(3)), true},
		{"division by zero is unknown", as.ExpOr(as.ExpEq(as.ExpNumDiv(i, n(0)), n(0)), as.ExpNotEq(as.ExpNumDiv(i, n(0)), n(0))), false},
		{"remainder of a negative number", as.ExpEq(as.ExpNumMod(n(-7), n(3)), n(-1)), true},
		{"power", as.ExpEq(as.ExpNumPow(as.ExpFloatBin("f"), as.ExpFloatVal(2)), as.ExpFloatVal(6.25)), true},
		{"minimum", as.ExpEq(as.ExpMin(i, n(3), n(9)), n(3)), true},
		{"floor to integer", as.ExpEq(as.ExpToInt(as.ExpNumFloor(as.ExpFloatBin("f"))), n(2)), true},
		{"bits", as.ExpEq(as.ExpIntXor(i, n(2)), n(5)), true},
		{"arithmetic shift", as.ExpEq(as.ExpIntARShift(n(-8), n(1)), n(-4)), true},
		{"count of bits", as.ExpEq(as.ExpIntCount(i), n(3)), true},
		{"first set bit from the left", as.ExpEq(as.ExpIntLScan(i, yes), n(61)), true},
		{"first set bit from the right", as.ExpEq(as.ExpIntRScan(i, yes), n(63)), true},
		{"basic regular expression", as.ExpRegexCompare("^Hel*o", as.ExpRegexFlagNONE, as.ExpStringBin("s")), true},
		{"a plus is a plus in a basic one", as.ExpRegexCompare("Hel+o", as.ExpRegexFlagNONE, as.ExpStringBin("s")), false},
		{"a plus repeats in an extended one", as.ExpRegexCompare("Hel+o", as.ExpRegexFlagEXTENDED, as.ExpStringBin("s")), true},
		{"case", as.ExpRegexCompare("hello.*WORLD$", as.ExpRegexFlagICASE, as.ExpStringBin("s")), true},
		{"class", as.ExpRegexCompare("[[:upper:]][^,[:space:]]{4}, (Moon|World)", as.ExpRegexFlagEXTENDED, as.ExpStringBin("s")), true},
		{"first case that holds", as.ExpEq(as.ExpCond(as.ExpGreater(i, n(5)), n(1), yes, n(2), n(3)), n(1)), true},
		{"default case", as.ExpEq(as.ExpCond(no, n(1), n(3)), n(3)), true},
		{"variable", as.ExpLet(as.ExpDef("x", as.ExpNumAdd(i, n(1))), as.ExpEq(as.ExpNumMul(as.ExpVar("x"), as.ExpVar("x")), n(64))), true},
		{"size of a list", as.ExpEq(size, n(3)), true},
		{"list element", as.ExpEq(as.ExpListGetByIndex(as.ListReturnTypeValue, as.ExpTypeINT, n(-1), as.ExpListBin("l")), n(9)), true},
		{"list of values", as.ExpEq(as.ExpListGetByValueRange(as.ListReturnTypeCount, n(2), n(9), as.ExpListBin("l")), n(1)), true},
		{"list that a call has changed", as.ExpEq(as.ExpListSize(as.ExpListAppend(as.DefaultListPolicy(), n(4), as.ExpListBin("l"))), n(4)), true},
		{"lists are compared", as.ExpEq(as.ExpListBin("l"), as.ExpListVal(as.IntegerValue(1), as.IntegerValue(5), as.IntegerValue(9))), true},
		{"map value", as.ExpEq(as.ExpMapGetByKey(as.MapReturnType.VALUE, as.ExpTypeINT, as.ExpStringVal("z"), as.ExpMapBin("m")), n(26)), true},
		{"map with a missing key", as.ExpEq(as.ExpMapGetByKey(as.MapReturnType.COUNT, as.ExpTypeINT, as.ExpStringVal("y"), as.ExpMapBin("m")), n(0)), true},
		{"set name", as.ExpEq(as.ExpSetName(), as.ExpStringVal(testSet)), true},
		{"stored key", as.ExpKeyExists(), true},
		{"key", as.ExpNotEq(as.ExpKey(as.ExpTypeSTRING), as.ExpStringVal("")), true},
		{"key of another type is unknown", as.ExpNotEq(as.ExpKey(as.ExpTypeINT), n(0)), false},
		{"never expires", as.ExpEq(as.ExpTTL(), n(-1)), true},
		{"void time", as.ExpEq(as.ExpVoidTime(), n(-1)), true},
		{"last update, in ns", as.ExpGreater(as.ExpLastUpdate(), n(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())), true},
		{"ms since update", as.ExpLess(as.ExpSinceUpdate(), n(3_600_000)), true},
		{"size in storage", as.ExpEq(as.ExpNumMod(as.ExpRecordSize(), n(16)), n(0)), true},
		{"tombstones aren't visible", as.ExpIsTombstone(), false},
		{"digest", as.ExpLess(as.ExpDigestModulo(3), n(3)), true},
	} {
		t.Run(tc.why, func(t *testing.T) {
			eachTarget(t, func(t *testing.T, tg target) {
				key := newKey(t)
				sendKey := as.NewWritePolicy(0, as.TTLDontExpire)
				sendKey.SendKey = true
				must(t, tg.client.Put(sendKey, key, filterRecord))
				policy := as.NewPolicy()
				policy.FilterExpression = tc.filter
				_, err := tg.client.Get(policy, key)
				want := types.OK
				if !tc.passes {
					want = types.FILTERED_OUT
				}
				wantCode(t, "read", err, want)
			})
		})
	}
}

func TestFilteredCommands(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		low, high := newKey(t), newKey(t)
		must(t, tg.client.Put(nil, low, as.BinMap{"i": 1}))
		must(t, tg.client.Put(nil, high, as.BinMap{"i": 100}))
		filter := as.ExpGreater(as.ExpIntBin("i"), as.ExpIntVal(50))

		write := as.NewWritePolicy(0, 0)
		write.FilterExpression = filter
		wantCode(t, "write", tg.client.Put(write, low, as.BinMap{"x": 1}), types.FILTERED_OUT)
		must(t, tg.client.Put(write, high, as.BinMap{"x": 1}))
		wantCode(t, "write of a new record", tg.client.Put(write, newKey(t), as.BinMap{"x": 1}), types.OK)
		_, err := tg.client.Operate(write, low, as.AddOp(as.NewBin("i", 1)), as.GetBinOp("i"))
		wantCode(t, "operate", err, types.FILTERED_OUT)
		_, err = tg.client.Delete(write, low)
		wantCode(t, "delete", err, types.FILTERED_OUT)
		wantCode(t, "touch", tg.client.Touch(write, low), types.FILTERED_OUT)

		batch := as.NewBatchPolicy()
		batch.FilterExpression = filter
		records, err := tg.client.BatchGet(batch, []*as.Key{low, high})
		wantCode(t, "batch", err, types.FILTERED_OUT)
		if len(records) != 2 || records[0] != nil || records[1] == nil {
			t.Errorf("batch: %v, want the second record only", records)
		}
		records, err = tg.client.BatchGet(nil, []*as.Key{low, high})
		if err != nil || records[0] == nil || records[0].Bins["x"] != nil {
			t.Errorf("the next batch, without a filter: %v, %v", records, err)
		}
		row := as.NewBatchReadPolicy()
		row.FilterExpression = filter
		rows := []as.BatchRecordIfc{as.NewBatchRead(row, low, nil), as.NewBatchRead(row, high, nil), as.NewBatchRead(nil, low, nil)}
		_ = tg.client.BatchOperate(nil, rows)
		for i, want := range []types.ResultCode{types.FILTERED_OUT, types.OK, types.OK} {
			if got := rows[i].BatchRec().ResultCode; got != want {
				t.Errorf("row %d: %v, want %v", i, got, want)
			}
		}

		bad := as.NewPolicy()
		bad.FilterExpression = as.ExpIntBin("i") // not a condition
		_, err = tg.client.Get(bad, low)
		wantCode(t, "filter that isn't a condition", err, types.PARAMETER_ERROR)
	})
}

func TestFilteredQuery(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		set := newKey(t).Value().String()
		for i := range 100 {
			must(t, tg.client.Put(nil, mustKey(t, "test", set, i), as.BinMap{"i": i}))
		}
		policy := as.NewQueryPolicy()
		policy.FilterExpression = as.ExpGreaterEq(as.ExpIntBin("i"), as.ExpIntVal(90))
		for _, limit := range []int64{0, 4} {
			policy.MaxRecords = limit
			rs, err := tg.client.Query(policy, as.NewStatement("test", set))
			must(t, err)
			records := collect(t, rs)
			if want := max(int(limit), 10*(1-int(min(limit, 1)))); len(records) != want {
				t.Errorf("%d records with limit %d, want %d: the limit counts what the filter lets pass", len(records), limit, want)
			}
			for r := range records {
				if r.Bins["i"].(int) < 90 {
					t.Errorf("%v passed", r.Bins)
				}
			}
		}
	})
}

func TestExpressionOperations(t *testing.T) {
	sum := as.ExpNumAdd(as.ExpIntBin("a"), as.ExpIntBin("b"))
	unknown := as.ExpIntBin("nope")
	for _, tc := range []struct {
		why   string
		op    *as.Operation
		want  types.ResultCode
		value any // of the bin r, returned or stored
	}{
		{"read", as.ExpReadOp("r", sum, as.ExpReadFlagDefault), types.OK, 5},
		{"read of the unknown", as.ExpReadOp("r", unknown, as.ExpReadFlagDefault), types.OP_NOT_APPLICABLE, nil},
		{"read of the unknown, if that is no failure", as.ExpReadOp("r", unknown, as.ExpReadFlagEvalNoFail), types.OK, nil},
		{"write", as.ExpWriteOp("r", sum, as.ExpWriteFlagDefault), types.OK, 5},
		{"write of the unknown", as.ExpWriteOp("r", unknown, as.ExpWriteFlagDefault), types.OP_NOT_APPLICABLE, nil},
		{"write of the unknown, if that is no failure", as.ExpWriteOp("r", unknown, as.ExpWriteFlagEvalNoFail), types.OK, nil},
		{"write to a new bin only", as.ExpWriteOp("a", sum, as.ExpWriteFlagCreateOnly), types.BIN_EXISTS_ERROR, nil},
		{"write to an old bin only", as.ExpWriteOp("r", sum, as.ExpWriteFlagUpdateOnly), types.BIN_NOT_FOUND, nil},
		{"the same without failure", as.ExpWriteOp("r", sum, as.ExpWriteFlagUpdateOnly|as.ExpWriteFlagPolicyNoFail), types.OK, nil},
		{"delete", as.ExpWriteOp("a", as.ExpNilValue(), as.ExpWriteFlagAllowDelete), types.OK, nil},
		{"delete if that isn't allowed", as.ExpWriteOp("a", as.ExpNilValue(), as.ExpWriteFlagDefault), types.OP_NOT_APPLICABLE, nil},
	} {
		t.Run(tc.why, func(t *testing.T) {
			eachTarget(t, func(t *testing.T, tg target) {
				key := newKey(t)
				must(t, tg.client.Put(nil, key, as.BinMap{"a": 2, "b": 3}))
				r, err := tg.client.Operate(nil, key, tc.op)
				wantCode(t, "operation", err, tc.want)
				if err != nil {
					return
				}
				after, err := tg.client.Get(nil, key)
				must(t, err)
				if got := r.Bins["r"]; got == nil && after.Bins["r"] != tc.value || got != nil && !reflect.DeepEqual(got, tc.value) {
					t.Errorf("returned %v, left %v, want %v", r.Bins, after.Bins, tc.value)
				}
			})
		})
	}
}
