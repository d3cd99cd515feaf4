package embedded

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"
)

// Put stores a record without the wire, in place of any that has the key, with the
// rules and limits of a client's write: the generation counts up, secondary indexes
// follow, and it is refused for what a client would be refused. The key is an int,
// int64, string or []byte. ttl is how long it lives: whole seconds, 0 for the
// namespace's default, negative for ever.
//
// A bin's value is an integer of any type that fits an int64, a float32 or float64,
// a string, []byte, bool, a []any or a map[any]any of these and nil, whose []byte
// keys are given as [Blob].
//
// An error names the bin, or the result code that a client would get.
func (s *Server) Put(namespace, set string, key any, ttl time.Duration, bins map[string]any) error {
	err := s.put(namespace, set, key, ttl, bins)
	if err != nil {
		return fmt.Errorf("embedded server: put %v: %w", key, err)
	}
	return nil
}

func (s *Server) put(namespace, set string, key any, ttl time.Duration, bins map[string]any) error {
	digest, err := KeyDigest(set, key)
	if err != nil {
		return err
	}
	if ttl%time.Second != 0 || ttl > maxTTL*time.Second {
		return fmt.Errorf("time to live %v is not a whole number of seconds up to %d", ttl, maxTTL)
	}
	if len(bins) == 0 {
		return errors.New("there are no bins")
	}
	req := request{info2: info2Write, info3: info3CreateOrReplace, ttl: uint32(ttl / time.Second), digest: digest}
	if ttl < 0 {
		req.ttl = ttlNever
	}
	if set != "" {
		req.setField(fieldSet, []byte(set))
	}
	for _, name := range slices.Sorted(maps.Keys(bins)) {
		if name == "" {
			return errors.New("a bin has no name")
		}
		particle, raw, err := encodeValue(bins[name])
		if err != nil {
			return fmt.Errorf("bin %q: %w", name, err)
		}
		req.ops = append(req.ops, op{code: opWrite, particle: particle, name: []byte(name), value: raw})
	}
	ns := s.byName[namespace]
	if ns == nil {
		return codeError(codeNamespace)
	}
	c := &conn{server: s}
	if s.home != nil {
		c.server = s.home
	}
	return codeError(c.write(ns, &req).code)
}

// Delete deletes the record with this key without the wire, and reports whether there
// was one. The key is as for [Server.Get].
func (s *Server) Delete(namespace, set string, key any) bool {
	d, err := KeyDigest(set, key)
	ns := s.byName[namespace]
	if err != nil || ns == nil {
		return false
	}
	p := &ns.partitions[d.partition()]
	p.mu.Lock()
	defer p.mu.Unlock()
	r := ns.lookupLocked(p, &d, s.nowMs())
	if r == nil {
		return false
	}
	ns.removeLocked(p, &d, r)
	return true
}

// codeError is the error for a result code, nil for success.
func codeError(code resultCode) error {
	if code == codeOK {
		return nil
	}
	for _, known := range resultNames() {
		if known.code == code {
			return fmt.Errorf("result code %d (%s)", code, known.name)
		}
	}
	return fmt.Errorf("result code %d", code)
}

// encodeValue turns a bin's value into its particle type and wire form.
func encodeValue(value any) (byte, []byte, error) {
	switch v := value.(type) {
	case nil:
		return 0, nil, errors.New("a bin can't be nil")
	case bool:
		if v {
			return particleBool, []byte{1}, nil
		}
		return particleBool, []byte{0}, nil
	case string:
		return particleString, []byte(v), nil
	case []byte:
		return particleBlob, v, nil
	case float32:
		return particleFloat, floatValue(float64(v)), nil
	case float64:
		return particleFloat, floatValue(v), nil
	case []any:
		raw, err := appendElement(nil, v, 0)
		return particleList, raw, err
	case map[any]any:
		raw, err := appendElement(nil, v, 0)
		return particleMap, raw, err
	}
	n, ok := integerOf(value)
	if !ok {
		return 0, nil, fmt.Errorf("a value can't be %v of type %T", value, value)
	}
	return particleInteger, integerValue(n), nil
}

// integerOf returns an integer of any type that fits.
func integerOf(value any) (int64, bool) {
	v := reflect.ValueOf(value)
	switch {
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		return int64(v.Uint()), v.Uint() <= math.MaxInt64
	}
	return 0, false
}

// appendElement appends an element of a list or map in MessagePack.
func appendElement(out []byte, value any, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("collections nest more than %d deep", maxDepth)
	}
	switch v := value.(type) {
	case nil:
		return append(out, 0xC0), nil
	case bool:
		if v {
			return append(out, 0xC3), nil
		}
		return append(out, 0xC2), nil
	case string:
		return appendLuaText(out, particleString, v), nil
	case []byte:
		return appendLuaText(out, particleBlob, string(v)), nil
	case Blob:
		return appendLuaText(out, particleBlob, string(v)), nil
	case float32:
		return append(append(out, 0xCB), floatValue(float64(v))...), nil
	case float64:
		return append(append(out, 0xCB), floatValue(v)...), nil
	case []any:
		out = appendHeader(out, typeList, len(v))
		for _, e := range v {
			var err error
			if out, err = appendElement(out, e, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[any]any:
		out = appendHeader(out, typeMap, len(v))
		for key, e := range v {
			var err error
			if out, err = appendElement(out, key, depth+1); err != nil {
				return nil, err
			}
			if out, err = appendElement(out, e, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	n, ok := integerOf(value)
	if !ok {
		return nil, fmt.Errorf("an element can't be %v of type %T", value, value)
	}
	return appendInteger(out, uint64(n), n < 0), nil
}
