package objspec

import (
	"encoding/binary"
	"math"

	"github.com/aerospike/aerospike-client-go/v8"
)

// Args returns the values of the record that key identifies, one a bin, as
// arguments for a UDF call. They equal Record's, but in types that the client
// can pack into an argument list: its RawBlobValue panics there. An optional bin
// that the record doesn't have is a nil argument. Args allocates,
// and invalidates what Record returned; its own result stays valid until the
// generator's next call.
func (g *Generator) Args(key uint64) []aerospike.Value {
	args := make([]aerospike.Value, len(g.bins))
	present := g.Record(key, nil)
	for i, f := range g.spec.bins {
		if len(present) == 0 || present[0] != g.bins[i] {
			args[i] = aerospike.NewNullValue()
			continue
		}
		present = present[1:]
		args[i] = udfArgument(f, g.values[i].Data)
	}
	return args
}

// udfArgument wraps a value's bytes, as appendParticle makes them, for the client.
func udfArgument(f *form, data []byte) aerospike.Value {
	switch f.kind {
	case kindInt:
		return aerospike.LongValue(binary.BigEndian.Uint64(data))
	case kindDouble:
		return aerospike.FloatValue(math.Float64frombits(binary.BigEndian.Uint64(data)))
	case kindBool:
		return aerospike.BoolValue(data[0] != 0)
	case kindString:
		return aerospike.StringValue(data)
	case kindBytes:
		return aerospike.BytesValue(data)
	case kindGeo:
		return aerospike.GeoJSONValue(data[geoHeader:])
	case kindList:
		entries, packed := cutHeader(data)
		return aerospike.NewListerValue(collectionArg{entries, packed})
	default:
		entries, packed := cutHeader(data)
		return aerospike.NewMapperValue(collectionArg{entries, packed})
	}
}

// collectionArg hands a packed list or map to the client, which writes the
// header itself.
type collectionArg struct {
	entries int
	packed  []byte
}

// Len returns the number of elements or entries.
func (c collectionArg) Len() int { return c.entries }

// PackList writes the elements of a list.
func (c collectionArg) PackList(buf aerospike.BufferEx) (int, error) { return c.pack(buf) }

// PackMap writes the keys and values of a map.
func (c collectionArg) PackMap(buf aerospike.BufferEx) (int, error) { return c.pack(buf) }

// pack returns the size without writing when buf is nil, which is how the
// client asks for it.
func (c collectionArg) pack(buf aerospike.BufferEx) (int, error) {
	if buf == nil {
		return len(c.packed), nil
	}
	n, err := buf.Write(c.packed)
	if err != nil {
		return n, err // not returned directly: a nil aerospike.Error isn't a nil error
	}
	return n, nil
}
