package embedded_test

import (
	"math"
	"reflect"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

// A cdtCase is an operation on bin c and what comes of it.
type cdtCase struct {
	why    string
	start  any // what c holds, nil for nothing
	op     *as.Operation
	code   types.ResultCode
	result any // what the operation returns
	after  any // what c holds then, if it isn't start
}

// runCDTCases carries out each case against every target.
func runCDTCases(t *testing.T, cases []cdtCase) {
	for _, tc := range cases {
		t.Run(tc.why, func(t *testing.T) {
			eachTarget(t, func(t *testing.T, tg target) {
				key := newKey(t)
				must(t, tg.client.Put(nil, key, as.BinMap{"other": 1}))
				if tc.start != nil {
					must(t, tg.client.Put(nil, key, as.BinMap{"c": tc.start}))
				}
				r, err := tg.client.Operate(nil, key, tc.op)
				wantCode(t, "operation", err, tc.code)
				if err == nil && !reflect.DeepEqual(r.Bins["c"], tc.result) {
					t.Errorf("returned %#v, want %#v", r.Bins["c"], tc.result)
				}
				want := tc.after
				if want == nil {
					want = tc.start
				}
				after, err := tg.client.Get(nil, key)
				must(t, err)
				if !reflect.DeepEqual(after.Bins["c"], want) {
					t.Errorf("left %#v, want %#v", after.Bins["c"], want)
				}
			})
		})
	}
}

type list = []any

func TestListWrites(t *testing.T) {
	const c = "c"
	sorted := as.NewListPolicy(as.ListOrderOrdered, as.ListWriteFlagsDefault)
	flags := func(f int) *as.ListPolicy { return as.NewListPolicy(as.ListOrderUnordered, f) }
	start := list{5, 1, 3}
	runCDTCases(t, []cdtCase{
		{"append returns the size", start, as.ListAppendOp(c, 9), types.OK, 4, list{5, 1, 3, 9}},
		{"append many", start, as.ListAppendOp(c, 8, "x"), types.OK, 5, list{5, 1, 3, 8, "x"}},
		{"append makes a bin", nil, as.ListAppendOp(c, 1), types.OK, 1, list{1}},
		{"a sorted list is made sorted", nil, as.ListAppendWithPolicyOp(sorted, c, 3, 1, 2), types.OK, 3, list{1, 2, 3}},
		{"append to a string", "s", as.ListAppendOp(c, 1), types.BIN_TYPE_ERROR, nil, nil},
		{"append what is there", start, as.ListAppendWithPolicyOp(flags(as.ListWriteFlagsAddUnique), c, 1), types.FAIL_ELEMENT_EXISTS, nil, nil},
		{"the same without failure", start, as.ListAppendWithPolicyOp(flags(as.ListWriteFlagsAddUnique|as.ListWriteFlagsNoFail), c, 1), types.OK, 3, nil},
		{"append what isn't there yet", start, as.ListAppendWithPolicyOp(flags(as.ListWriteFlagsAddUnique|as.ListWriteFlagsNoFail|as.ListWriteFlagsPartial), c, 1, 7, 7), types.OK, 4, list{5, 1, 3, 7}},
		{"insert", start, as.ListInsertOp(c, 1, 9), types.OK, 4, list{5, 9, 1, 3}},
		{"insert before the last", start, as.ListInsertOp(c, -1, 9, 8), types.OK, 5, list{5, 1, 9, 8, 3}},
		{"insert beyond the end fills up with nils", start, as.ListInsertOp(c, 5, 9), types.OK, 6, list{5, 1, 3, nil, nil, 9}},
		{"insert beyond the end if that isn't allowed", start, as.ListInsertWithPolicyOp(flags(as.ListWriteFlagsInsertBounded), c, 5, 9), types.OP_NOT_APPLICABLE, nil, nil},
		{"insert before the start", start, as.ListInsertOp(c, -4, 9), types.OP_NOT_APPLICABLE, nil, nil},
		{"insert far beyond what a record holds", start, as.ListInsertOp(c, 2_000_000, 9), types.RECORD_TOO_BIG, nil, nil},
		{"set", start, as.ListSetOp(c, -1, "x"), types.OK, nil, list{5, 1, "x"}},
		{"set beyond the end", start, as.ListSetOp(c, 4, 0), types.OK, nil, list{5, 1, 3, nil, 0}},
		{"pop", start, as.ListPopOp(c, 1), types.OK, 1, list{5, 3}},
		{"pop what isn't there", start, as.ListPopOp(c, 3), types.OP_NOT_APPLICABLE, nil, nil},
		{"pop some", start, as.ListPopRangeOp(c, 1, 9), types.OK, list{1, 3}, list{5}},
		{"remove", start, as.ListRemoveOp(c, 0), types.OK, 1, list{1, 3}},
		{"remove the rest", start, as.ListRemoveRangeFromOp(c, -2), types.OK, 2, list{5}},
		{"remove from no bin", nil, as.ListRemoveOp(c, 0), types.OK, nil, nil},
		{"trim returns how many are gone", list{0, 1, 2, 3, 4}, as.ListTrimOp(c, 1, 2), types.OK, 3, list{1, 2}},
		{"clear", start, as.ListClearOp(c), types.OK, nil, list{}},
		{"increment", start, as.ListIncrementOp(c, 1, 10), types.OK, 11, list{5, 11, 3}},
		{"increment by one", start, as.ListIncrementByOneOp(c, -1), types.OK, 4, list{5, 1, 4}},
		{"an integer stays one", start, as.ListIncrementOp(c, 0, 1.9), types.OK, 6, list{6, 1, 3}},
		{"increment of a string", list{"s"}, as.ListIncrementByOneOp(c, 0), types.PARAMETER_ERROR, nil, nil},
		{"sort", list{"b", 2, nil, 1.5, "a", 1}, as.ListSortOp(c, as.ListSortFlagsDefault), types.OK, nil, list{nil, 1, 2, "a", "b", 1.5}},
		{"sort downwards", start, as.ListSortOp(c, as.ListSortFlagsDescending), types.OK, nil, list{5, 3, 1}},
		{"sort and drop duplicates", list{2, 1, 2, 1}, as.ListSortOp(c, as.ListSortFlagsDropDuplicates), types.OK, nil, list{1, 2}},
		{"set the order", start, as.ListSetOrderOp(c, as.ListOrderOrdered), types.OK, nil, list{1, 3, 5}},
		{"create", nil, as.ListCreateOp(c, as.ListOrderOrdered, false), types.OK, nil, list{}},
	})
}

func TestListSelections(t *testing.T) {
	const c = "c"
	start := list{4, 2, 3, 2, 1}
	value, inverted := as.ListReturnTypeValue, as.ListReturnTypeInverted
	index, rank, count, exists := as.ListReturnTypeIndex, as.ListReturnTypeRank, as.ListReturnTypeCount, as.ListReturnTypeExists
	runCDTCases(t, []cdtCase{
		{"size", start, as.ListSizeOp(c), types.OK, 5, nil},
		{"get", start, as.ListGetOp(c, -2), types.OK, 2, nil},
		{"get what isn't there", start, as.ListGetOp(c, 5), types.OP_NOT_APPLICABLE, nil, nil},
		{"get some", start, as.ListGetRangeOp(c, 3, 9), types.OK, list{2, 1}, nil},
		{"get from no bin", nil, as.ListGetOp(c, 0), types.OK, nil, nil},
		{"by index, the rank", start, as.ListGetByIndexOp(c, 2, rank), types.OK, 3, nil},
		{"by index, the reverse index", start, as.ListGetByIndexOp(c, 0, as.ListReturnTypeReverseIndex), types.OK, 4, nil},
		{"a range that starts before the list", start, as.ListGetByIndexRangeCountOp(c, -6, 2, value), types.OK, list{4}, nil},
		{"outside of a range", start, as.ListGetByIndexRangeCountOp(c, 1, 3, value|inverted), types.OK, list{4, 1}, nil},
		{"by value, all", start, as.ListGetByValueOp(c, 2, index), types.OK, list{1, 3}, nil},
		{"by value, the ranks", start, as.ListGetByValueOp(c, 2, rank), types.OK, list{1, 2}, nil},
		{"by value, existence", start, as.ListGetByValueOp(c, 9, exists), types.OK, false, nil},
		{"by value interval", start, as.ListGetByValueRangeOp(c, 2, 4, value), types.OK, list{2, 3, 2}, nil},
		{"by value interval without end", start, as.ListGetByValueRangeOp(c, 3, nil, count), types.OK, 2, nil},
		{"outside of a value interval", start, as.ListGetByValueRangeOp(c, 2, 4, value|inverted), types.OK, list{4, 1}, nil},
		{"by values", start, as.ListGetByValueListOp(c, list{4, 1, 7}, index), types.OK, list{0, 4}, nil},
		{"by rank", start, as.ListGetByRankOp(c, 0, value), types.OK, 1, nil},
		{"by highest rank", start, as.ListGetByRankOp(c, -1, value), types.OK, 4, nil},
		{"by ranks", start, as.ListGetByRankRangeCountOp(c, 3, 2, index), types.OK, list{0, 2}, nil},
		{"by rank relative to a value", start, as.ListGetByValueRelativeRankRangeCountOp(c, 3, -1, 2, count), types.OK, 2, nil},
		{"by wildcard", list{list{1, "a"}, list{2, "b"}, list{1, "c"}}, as.ListGetByValueOp(c, list{1, as.NewWildCardValue()}, index), types.OK, list{0, 2}, nil},
		{"up to infinity", list{list{1, 5}, list{1, 7}, list{2, 0}}, as.ListGetByValueRangeOp(c, list{1, 6}, list{1, as.NewInfinityValue()}, count), types.OK, 1, nil},
		{"remove by index, return the value", start, as.ListRemoveByIndexOp(c, 0, value), types.OK, 4, list{2, 3, 2, 1}},
		{"remove by value", start, as.ListRemoveByValueOp(c, 2, count), types.OK, 2, list{4, 3, 1}},
		{"remove all but values", start, as.ListRemoveByValueListOp(c, list{4, 2}, count|inverted), types.OK, 2, list{4, 2, 2}},
		{"remove by value interval", start, as.ListRemoveByValueRangeOp(c, value, 1, 3), types.OK, list{2, 2, 1}, list{4, 3}},
		{"remove by rank", start, as.ListRemoveByRankOp(c, -1, value), types.OK, 4, list{2, 3, 2, 1}},
		{"remove by rank relative to a value", start, as.ListRemoveByValueRelativeRankRangeOp(c, as.ListReturnTypeNone, 3, 0), types.OK, nil, list{2, 2, 1}},
		{"an inverted single result makes no sense", start, as.ListGetByIndexOp(c, 0, value|inverted), types.OP_NOT_APPLICABLE, nil, nil},
		{"a list has no keys", start, as.ListGetByIndexOp(c, 0, 6), types.OP_NOT_APPLICABLE, nil, nil},
	})
}

type dict = map[any]any

func TestMapWrites(t *testing.T) {
	const c = "c"
	policy := func(f int) *as.MapPolicy { return as.NewMapPolicyWithFlags(as.MapOrder.UNORDERED, f) }
	plain := policy(as.MapWriteFlagsDefault)
	start := dict{"a": 1, "b": 2}
	runCDTCases(t, []cdtCase{
		{"put returns the size", start, as.MapPutOp(plain, c, "c", 3), types.OK, 3, dict{"a": 1, "b": 2, "c": 3}},
		{"put replaces", start, as.MapPutOp(plain, c, "a", "x"), types.OK, 2, dict{"a": "x", "b": 2}},
		{"put makes a bin", nil, as.MapPutOp(plain, c, 1, 2), types.OK, 1, dict{1: 2}},
		{"put into a list", list{1}, as.MapPutOp(plain, c, 1, 2), types.BIN_TYPE_ERROR, nil, nil},
		{"a double is no key", start, as.MapPutOp(plain, c, 1.5, 2), types.PARAMETER_ERROR, nil, nil},
		{"put of what is there", start, as.MapPutOp(policy(as.MapWriteFlagsCreateOnly), c, "a", 0), types.FAIL_ELEMENT_EXISTS, nil, nil},
		{"put of what isn't there", start, as.MapPutOp(policy(as.MapWriteFlagsUpdateOnly), c, "z", 0), types.FAIL_ELEMENT_NOT_FOUND, nil, nil},
		{"the same without failure", start, as.MapPutOp(policy(as.MapWriteFlagsUpdateOnly|as.MapWriteFlagsNoFail), c, "z", 0), types.OK, 2, nil},
		{"put many", start, as.MapPutItemsOp(plain, c, dict{"b": 9, "c": 8}), types.OK, 3, dict{"a": 1, "b": 9, "c": 8}},
		{"put what is new among many", start, as.MapPutItemsOp(policy(as.MapWriteFlagsCreateOnly|as.MapWriteFlagsNoFail|as.MapWriteFlagsPartial), c, dict{"b": 9, "c": 8}), types.OK, 3, dict{"a": 1, "b": 2, "c": 8}},
		{"put all or none", start, as.MapPutItemsOp(policy(as.MapWriteFlagsCreateOnly|as.MapWriteFlagsNoFail), c, dict{"b": 9, "c": 8}), types.OK, 2, nil},
		{"increment", start, as.MapIncrementOp(plain, c, "a", 10), types.OK, 11, dict{"a": 11, "b": 2}},
		{"increment of a new key", start, as.MapIncrementOp(plain, c, "n", 5), types.OK, 5, dict{"a": 1, "b": 2, "n": 5}},
		{"decrement", start, as.MapDecrementOp(plain, c, "b", 5), types.OK, -3, dict{"a": 1, "b": -3}},
		{"wraps around", dict{"a": math.MaxInt64}, as.MapIncrementOp(plain, c, "a", 1), types.OK, math.MinInt64, dict{"a": math.MinInt64}},
		{"clear", start, as.MapClearOp(c), types.OK, nil, dict{}},
		{"remove by key", start, as.MapRemoveByKeyOp(c, "a", as.MapReturnType.VALUE), types.OK, 1, dict{"b": 2}},
		{"remove by a missing key", start, as.MapRemoveByKeyOp(c, "z", as.MapReturnType.COUNT), types.OK, 0, nil},
		{"remove by keys", start, as.MapRemoveByKeyListOp(c, list{"b", "z"}, as.MapReturnType.COUNT), types.OK, 1, dict{"a": 1}},
		{"remove by key interval", dict{1: 1, 2: 2, 3: 3}, as.MapRemoveByKeyRangeOp(c, 1, 3, as.MapReturnType.KEY), types.OK, list{1, 2}, dict{3: 3}},
		{"remove all but a value", start, as.MapRemoveByValueOp(c, 2, as.MapReturnType.KEY|as.MapReturnType.INVERTED), types.OK, list{"a"}, dict{"b": 2}},
		{"remove by value interval", start, as.MapRemoveByValueRangeOp(c, 2, 9, as.MapReturnType.COUNT), types.OK, 1, dict{"a": 1}},
		{"remove by index", start, as.MapRemoveByIndexOp(c, -1, as.MapReturnType.KEY), types.OK, "b", dict{"a": 1}},
		{"remove by rank", dict{"a": 9, "b": 2}, as.MapRemoveByRankOp(c, -1, as.MapReturnType.KEY), types.OK, "a", dict{"b": 2}},
		{"remove from no bin", nil, as.MapRemoveByKeyOp(c, "a", as.MapReturnType.COUNT), types.OK, nil, nil},
	})
}

func TestMapSelections(t *testing.T) {
	const c = "c"
	start := dict{"a": 30, "b": 10, "c": 20, "d": 10}
	rt := as.MapReturnType
	pairs := func(kv ...any) []as.MapPair {
		var p []as.MapPair
		for i := 0; i < len(kv); i += 2 {
			p = append(p, as.MapPair{Key: kv[i], Value: kv[i+1]})
		}
		return p
	}
	runCDTCases(t, []cdtCase{
		{"size", start, as.MapSizeOp(c), types.OK, 4, nil},
		{"by key", start, as.MapGetByKeyOp(c, "c", rt.VALUE), types.OK, 20, nil},
		{"by key, the index", start, as.MapGetByKeyOp(c, "c", rt.INDEX), types.OK, 2, nil},
		{"by key, the rank", start, as.MapGetByKeyOp(c, "c", rt.RANK), types.OK, 2, nil},
		{"by a missing key", start, as.MapGetByKeyOp(c, "z", rt.VALUE), types.OK, nil, nil},
		{"by a missing key, the index", start, as.MapGetByKeyOp(c, "z", rt.INDEX), types.OK, -1, nil},
		{"by key interval", start, as.MapGetByKeyRangeOp(c, "b", "d", rt.KEY_VALUE), types.OK, pairs("b", 10, "c", 20), nil},
		{"as a map", start, as.MapGetByKeyRangeOp(c, "b", "d", rt.UNORDERED_MAP), types.OK, dict{"b": 10, "c": 20}, nil},
		{"by keys", start, as.MapGetByKeyListOp(c, list{"d", "a", "z"}, rt.VALUE), types.OK, list{30, 10}, nil},
		{"relative to a key", start, as.MapGetByKeyRelativeIndexRangeCountOp(c, "c", -1, 2, rt.KEY), types.OK, list{"b", "c"}, nil},
		{"by value", start, as.MapGetByValueOp(c, 10, rt.KEY), types.OK, list{"b", "d"}, nil},
		{"by value interval", start, as.MapGetByValueRangeOp(c, 10, 30, rt.COUNT), types.OK, 3, nil},
		{"by values", start, as.MapGetByValueListOp(c, list{30, 20}, rt.KEY), types.OK, list{"a", "c"}, nil},
		{"relative to a value", start, as.MapGetByValueRelativeRankRangeOp(c, 20, 1, rt.KEY), types.OK, list{"a"}, nil},
		{"by index", start, as.MapGetByIndexOp(c, 0, rt.KEY), types.OK, "a", nil},
		{"by indexes, inverted", start, as.MapGetByIndexRangeCountOp(c, 1, 2, rt.KEY|rt.INVERTED), types.OK, list{"a", "d"}, nil},
		{"by rank", start, as.MapGetByRankOp(c, 0, rt.KEY), types.OK, "b", nil},
		{"by ranks, from low to high", start, as.MapGetByRankRangeCountOp(c, 1, 3, rt.KEY), types.OK, list{"d", "c", "a"}, nil},
		{"an index that isn't there", start, as.MapGetByIndexOp(c, 4, rt.KEY), types.OP_NOT_APPLICABLE, nil, nil},
		{"of a string", "s", as.MapSizeOp(c), types.BIN_TYPE_ERROR, nil, nil},
	})
}

func TestPaths(t *testing.T) {
	const c = "c"
	key := func(k any) *as.CDTContext { return as.CtxMapKey(as.NewValue(k)) }
	plain := as.DefaultMapPolicy()
	start := dict{"l": list{list{3, 1}, list{2}}, "m": dict{"x": 1, "y": 2}}
	runCDTCases(t, []cdtCase{
		{"list in a list in a map", start, as.ListAppendWithPolicyContextOp(as.DefaultListPolicy(), c, []*as.CDTContext{key("l"), as.CtxListIndex(-1)}, 9), types.OK, 2,
			dict{"l": list{list{3, 1}, list{2, 9}}, "m": dict{"x": 1, "y": 2}}},
		{"by rank", start, as.ListPopOp(c, 0, key("l"), as.CtxListRank(-1)), types.OK, 3, dict{"l": list{list{1}, list{2}}, "m": dict{"x": 1, "y": 2}}},
		{"by value", start, as.ListClearOp(c, key("l"), as.CtxListValue(as.NewValue(list{2}))), types.OK, nil, dict{"l": list{list{3, 1}, list{}}, "m": dict{"x": 1, "y": 2}}},
		{"map in a map", start, as.MapPutOp(plain, c, "z", 3, key("m")), types.OK, 3, dict{"l": list{list{3, 1}, list{2}}, "m": dict{"x": 1, "y": 2, "z": 3}}},
		{"by map index", start, as.MapGetByKeyOp(c, "y", as.MapReturnType.VALUE, as.CtxMapIndex(-1)), types.OK, 2, nil},
		{"by map rank", start, as.ListSizeOp(c, as.CtxMapRank(0)), types.OK, 2, nil},
		{"nowhere", start, as.ListSizeOp(c, key("nope")), types.OP_NOT_APPLICABLE, nil, nil},
		{"to what is no collection", start, as.ListSizeOp(c, key("m"), key("x")), types.BIN_TYPE_ERROR, nil, nil},
		{"to a collection of the other kind", start, as.ListSizeOp(c, key("m")), types.BIN_TYPE_ERROR, nil, nil},
		{"in a string", "s", as.ListSizeOp(c, key("m")), types.PARAMETER_ERROR, nil, nil},
		{"make a map", start, as.MapPutOp(plain, c, "k", 1, as.CtxMapKeyCreate(as.NewValue("new"), as.MapOrder.UNORDERED)), types.OK, 1,
			dict{"l": list{list{3, 1}, list{2}}, "m": dict{"x": 1, "y": 2}, "new": dict{"k": 1}}},
		{"make a bin, and lists with room", nil, as.ListAppendWithPolicyContextOp(as.DefaultListPolicy(), c, []*as.CDTContext{as.CtxListIndexCreate(2, as.ListOrderUnordered, true)}, 7), types.OK, 1,
			list{nil, nil, list{7}}},
		{"no bin and nothing to make it", nil, as.ListAppendWithPolicyContextOp(as.DefaultListPolicy(), c, []*as.CDTContext{as.CtxListIndex(0)}, 7), types.OP_NOT_APPLICABLE, nil, nil},
		{"a removal makes nothing", start, as.MapRemoveByKeyOp(c, "k", as.MapReturnType.COUNT, as.CtxMapKeyCreate(as.NewValue("new"), as.MapOrder.UNORDERED)), types.OK, nil, nil},
	})
}

// TestSortedListStaysSorted changes an element of a sorted list by a path, which
// moves it.
func TestSortedListStaysSorted(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		key := newKey(t)
		sorted := as.NewListPolicy(as.ListOrderOrdered, as.ListWriteFlagsDefault)
		_, err := tg.client.Operate(nil, key, as.ListAppendWithPolicyOp(sorted, "c", list{1}, list{5}, list{3}))
		must(t, err)
		r, err := tg.client.Operate(nil, key, as.ListIncrementOp("c", 0, 3, as.CtxListIndex(0)), as.GetBinOp("c"))
		must(t, err)
		if want := (as.OpResults{4, list{list{3}, list{4}, list{5}}}); !reflect.DeepEqual(r.Bins["c"], want) {
			t.Errorf("%v, want %v", r.Bins["c"], want)
		}
	})
}

func TestCollectionOperationsInBatch(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		a, b := newKey(t), newKey(t)
		must(t, tg.client.Put(nil, a, as.BinMap{"l": list{1, 2, 3}, "m": dict{"k": 1}}))
		write := as.NewBatchWrite(nil, b, as.ListAppendOp("l", 4), as.MapPutOp(as.DefaultMapPolicy(), "m", "x", 1), as.ListSizeOp("l"))
		read := as.NewBatchReadOps(nil, a, as.ListGetOp("l", -1), as.MapGetByKeyOp("m", "k", as.MapReturnType.VALUE))
		must(t, tg.client.BatchOperate(nil, []as.BatchRecordIfc{write, read}))
		if got, want := write.BatchRec().Record.Bins, (as.BinMap{"l": as.OpResults{1, 1}, "m": 1}); !reflect.DeepEqual(got, want) {
			t.Errorf("write returned %v, want %v", got, want)
		}
		if got, want := read.BatchRec().Record.Bins, (as.BinMap{"l": 3, "m": 1}); !reflect.DeepEqual(got, want) {
			t.Errorf("read returned %v, want %v", got, want)
		}
	})
}

func TestBits(t *testing.T) {
	const c = "c"
	p := as.DefaultBitPolicy()
	flags := func(f int) *as.BitPolicy { return as.NewBitPolicy(f) }
	start := []byte{0b0000_0001, 0b0100_0010, 0b1111_0000}
	runCDTCases(t, []cdtCase{
		{"resize", start, as.BitResizeOp(p, c, 4, as.BitResizeFlagsDefault), types.OK, nil, append(append([]byte{}, start...), 0)},
		{"resize from the front", start, as.BitResizeOp(p, c, 2, as.BitResizeFlagsFromFront), types.OK, nil, start[1:]},
		{"resize makes a bin", nil, as.BitResizeOp(p, c, 2, as.BitResizeFlagsDefault), types.OK, nil, []byte{0, 0}},
		{"grow only", start, as.BitResizeOp(p, c, 2, as.BitResizeFlagsGrowOnly), types.PARAMETER_ERROR, nil, nil},
		{"insert", start, as.BitInsertOp(p, c, 1, []byte{9, 8}), types.OK, nil, []byte{1, 9, 8, 0x42, 0xF0}},
		{"insert beyond the end", []byte{1}, as.BitInsertOp(p, c, 3, []byte{9}), types.OK, nil, []byte{1, 0, 0, 9}},
		{"remove", start, as.BitRemoveOp(p, c, 0, 2), types.OK, nil, []byte{0xF0}},
		{"set", start, as.BitSetOp(p, c, 4, 8, []byte{0b1010_0101}), types.OK, nil, []byte{0b0000_1010, 0b0101_0010, 0xF0}},
		{"or", start, as.BitOrOp(p, c, 20, 4, []byte{0xA0}), types.OK, nil, []byte{1, 0x42, 0xFA}},
		{"exclusive or", start, as.BitXorOp(p, c, 16, 8, []byte{0xFF}), types.OK, nil, []byte{1, 0x42, 0x0F}},
		{"and", start, as.BitAndOp(p, c, 16, 8, []byte{0x3C}), types.OK, nil, []byte{1, 0x42, 0x30}},
		{"not", start, as.BitNotOp(p, c, 4, 6), types.OK, nil, []byte{0b0000_1110, 0b1000_0010, 0xF0}},
		{"shift left", start, as.BitLShiftOp(p, c, 0, 16, 3), types.OK, nil, []byte{0b0000_1010, 0b0001_0000, 0xF0}},
		{"shift right", start, as.BitRShiftOp(p, c, -8, 8, 2), types.OK, nil, []byte{1, 0x42, 0b0011_1100}},
		{"add", start, as.BitAddOp(p, c, 0, 16, 0x0100, false, as.BitOverflowActionFail), types.OK, nil, []byte{2, 0x42, 0xF0}},
		{"add too much", start, as.BitAddOp(p, c, 16, 8, 0x20, false, as.BitOverflowActionFail), types.OP_NOT_APPLICABLE, nil, nil},
		{"add up to the limit", start, as.BitAddOp(p, c, 16, 8, 0x20, false, as.BitOverflowActionSaturate), types.OK, nil, []byte{1, 0x42, 0xFF}},
		{"add with wrap-around", start, as.BitAddOp(p, c, 16, 8, 0x20, false, as.BitOverflowActionWrap), types.OK, nil, []byte{1, 0x42, 0x10}},
		{"subtract", start, as.BitSubtractOp(p, c, 8, 8, 0x40, false, as.BitOverflowActionFail), types.OK, nil, []byte{1, 2, 0xF0}},
		{"set an integer", start, as.BitSetIntOp(p, c, 3, 10, 1023), types.OK, nil, []byte{0b0001_1111, 0b1111_1010, 0xF0}},
		{"beyond the end", start, as.BitSetOp(p, c, 20, 8, []byte{1}), types.OP_NOT_APPLICABLE, nil, nil},
		{"beyond the end without failure", start, as.BitSetOp(flags(as.BitWriteFlagsNoFail), c, 20, 8, []byte{1}), types.OK, nil, nil},
		{"no bin", nil, as.BitSetOp(p, c, 0, 8, []byte{1}), types.BIN_NOT_FOUND, nil, nil},
		{"a bin that mustn't be there", start, as.BitInsertOp(flags(as.BitWriteFlagsCreateOnly), c, 0, []byte{1}), types.BIN_EXISTS_ERROR, nil, nil},
		{"of a string", "s", as.BitNotOp(p, c, 0, 8), types.BIN_TYPE_ERROR, nil, nil},
		{"get", start, as.BitGetOp(c, 9, 5), types.OK, []byte{0b1000_0000}, nil},
		{"count", start, as.BitCountOp(c, 4, 16), types.OK, 7, nil},
		{"first from the left", start, as.BitLScanOp(c, 8, 16, true), types.OK, 1, nil},
		{"first from the right", start, as.BitRScanOp(c, 0, 24, true), types.OK, 19, nil},
		{"none", []byte{0}, as.BitLScanOp(c, 0, 8, true), types.OK, -1, nil},
		{"integer", start, as.BitGetIntOp(c, 8, 16, false), types.OK, 0x42F0, nil},
		{"signed integer", start, as.BitGetIntOp(c, 16, 8, true), types.OK, -16, nil},
	})
}
