package objspec

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/aerospike/aerospike-client-go/v8"
)

// Returned turns a value that the client returned into one as [Value] returns it, to be
// shown by [AppendSpec]. Maps come in the order of their keys as shown, since the client
// returns most in none; [Sorted] puts those of [Value] in the same order. What no spec
// makes, such as a HyperLogLog, stays as it is.
func Returned(got any) any {
	switch got := got.(type) {
	case int:
		return int64(got)
	case aerospike.GeoJSONValue:
		return GeoJSON(got)
	case []any:
		list := make([]any, len(got))
		for i, e := range got {
			list[i] = Returned(e)
		}
		return list
	case map[any]any:
		entries := make([]Entry, 0, len(got))
		for k, v := range got {
			entries = append(entries, Entry{Returned(k), Returned(v)})
		}
		return sortedEntries(entries)
	case []aerospike.MapPair:
		entries := make([]Entry, 0, len(got))
		for _, p := range got {
			entries = append(entries, Entry{Returned(p.Key), Returned(p.Value)})
		}
		return sortedEntries(entries)
	}
	if v := reflect.ValueOf(got); v.Kind() == reflect.Array { // bytes as the key of a map
		if b, ok := comparableKey(got).(binaryKey); ok {
			return []byte(b)
		}
	}
	return got
}

// Sorted returns a value of [Value] with the entries of its maps in the order of their
// keys as [AppendSpec] shows them.
func Sorted(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i, e := range value {
			list[i] = Sorted(e)
		}
		return list
	case []Entry:
		entries := make([]Entry, len(value))
		for i, e := range value {
			entries[i] = Entry{e.Key, Sorted(e.Value)}
		}
		return sortedEntries(entries)
	}
	return value
}

func sortedEntries(entries []Entry) []Entry {
	slices.SortFunc(entries, func(a, b Entry) int { return bytes.Compare(AppendSpec(nil, a.Key), AppendSpec(nil, b.Key)) })
	return entries
}
