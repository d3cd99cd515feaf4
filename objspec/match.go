package objspec

import (
	"bytes"
	"math"
	"reflect"

	"github.com/aerospike/aerospike-client-go/v8"
)

// Matches tells whether got, a bin's value as the client returns it, is what bin,
// made by a Generator, holds: of the same type, and the same to the last bit.
// Maps match in any order. wanted is what the bin holds, as [Value] returns it.
func Matches(bin *aerospike.Bin, got any) (wanted any, ok bool, err error) {
	wanted, err = Value(bin)
	if err != nil {
		return nil, false, err
	}
	return wanted, same(wanted, got), nil
}

// same compares a value of [Value] with one of the client.
func same(wanted, got any) bool {
	switch want := wanted.(type) {
	case int64:
		// The client has machine integers, which have 64 bits wherever it runs
		// well, and int64 elsewhere.
		switch got := got.(type) {
		case int:
			return int64(got) == want
		case int64:
			return got == want
		}
		return false
	case float64:
		f, ok := got.(float64)
		return ok && math.Float64bits(f) == math.Float64bits(want)
	case []byte:
		return sameBytes(want, got)
	case GeoJSON:
		text, ok := got.(aerospike.GeoJSONValue)
		return ok && string(text) == string(want)
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !same(want[i], list[i]) {
				return false
			}
		}
		return true
	case []Entry:
		return sameMap(want, got)
	default: // strings and booleans
		return got == wanted
	}
}

// sameBytes compares bytes, which the client returns as an array where they are the
// key of a map.
func sameBytes(want []byte, got any) bool {
	if b, ok := got.([]byte); ok {
		return bytes.Equal(b, want)
	}
	v := reflect.ValueOf(got)
	if v.Kind() != reflect.Array || v.Len() != len(want) {
		return false
	}
	for i := range want {
		if b, ok := v.Index(i).Interface().(byte); !ok || b != want[i] {
			return false
		}
	}
	return true
}

// sameMap compares a map, which the client returns as one of Go's or, if it is
// ordered, as pairs.
func sameMap(want []Entry, got any) bool {
	var entries []Entry
	switch got := got.(type) {
	case map[any]any:
		for k, v := range got {
			entries = append(entries, Entry{k, v})
		}
	case []aerospike.MapPair:
		for _, p := range got {
			entries = append(entries, Entry{p.Key, p.Value})
		}
	default:
		return false
	}
	if len(entries) != len(want) {
		return false
	}
	byKey := make(map[any]any, len(entries))
	for _, e := range entries {
		if !reflect.ValueOf(e.Key).Comparable() && reflect.TypeOf(e.Key) != reflect.TypeFor[[]byte]() {
			return false // a list or a map, which no spec has for a key
		}
		byKey[comparableKey(e.Key)] = e.Value
	}
	for _, e := range want {
		v, ok := byKey[comparableKey(e.Key)]
		if !ok || !same(e.Value, v) {
			return false
		}
	}
	return true
}

// binaryKey is a byte string as the key of one of Go's maps, where it must not
// equal a string of the same bytes.
type binaryKey string

// comparableKey returns a map key in one type for each kind of key.
func comparableKey(key any) any {
	switch k := key.(type) {
	case int:
		return int64(k)
	case []byte:
		return binaryKey(k)
	}
	if v := reflect.ValueOf(key); v.Kind() == reflect.Array {
		b := make([]byte, v.Len())
		for i := range b {
			if c, ok := v.Index(i).Interface().(byte); ok {
				b[i] = c
			}
		}
		return binaryKey(b)
	}
	return key
}
