package keygen

import (
	"reflect"
	"unsafe"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// Source makes the keys that numbers stand for. [Format] and [File] have them.
// Each [as.Key] that is in use at the same time as others needs one of its own.
type Source interface {
	// Key returns the key of a number as a value for [as.Key.SetValue], and
	// the number that the record's values depend on: the same for the same
	// key, however it was come by. The value is good until the next call.
	Key(number uint64) (value as.Value, id uint64, err error)
}

// Encoder is the [Source] of a format.
type Encoder struct {
	format Format
	box    box
}

// NewEncoder returns an encoder for keys of the format.
func (f Format) NewEncoder() *Encoder { return &Encoder{format: f} }

// Key returns the key of a number, and the number. It never fails. Nothing is
// allocated once all lengths of keys have come up.
func (e *Encoder) Key(number uint64) (as.Value, uint64, error) {
	if e.format.Type == IntegerKey {
		return e.box.integer(int64(number)), number, nil
	}
	e.box.buf = e.format.Append(e.box.buf[:0], number)
	if e.format.Type == BytesKey {
		return e.box.bytes(), number, nil
	}
	return e.box.text(), number, nil
}

// box makes values from integers and from the contents of a buffer. To put an
// integer, string or slice into an interface costs an allocation; so the values are
// kept, one for all integers and one for each length, and what they hold is changed
// behind them. That is the opposite of what Go promises about values; the client
// computes the digest when it is given one, and reads it again while it works on the
// transaction alone.
type box struct {
	number *as.IntegerValue // what boxed holds
	boxed  as.Value

	buf    []byte
	first  *byte      // of the buffer that the values point into
	values []as.Value // by length
}

// integer returns an integer value.
func (b *box) integer(n int64) as.Value {
	if b.number == nil {
		// Reflection makes a copy that nothing else refers to. The compiler might
		// put an integer of its own making into memory that is read-only.
		b.boxed = reflect.New(reflect.TypeFor[as.IntegerValue]()).Elem().Interface().(as.Value)
		// An interface is a type and a pointer to the value.
		b.number = (*as.IntegerValue)((*[2]unsafe.Pointer)(unsafe.Pointer(&b.boxed))[1])
	}
	*b.number = as.IntegerValue(n)
	return b.boxed
}

// text returns the buffer as a string value.
func (b *box) text() as.Value {
	v := b.kept()
	if *v == nil {
		*v = as.StringValue(unsafe.String(unsafe.SliceData(b.buf), len(b.buf)))
	}
	return *v
}

// bytes returns the buffer as a bytes value.
func (b *box) bytes() as.Value {
	v := b.kept()
	if *v == nil {
		*v = as.BytesValue(b.buf[:len(b.buf):len(b.buf)])
	}
	return *v
}

// kept returns where the value of the buffer's length is kept, nil if it is not
// there yet.
func (b *box) kept() *as.Value {
	if first := unsafe.SliceData(b.buf); first != b.first {
		b.first = first
		clear(b.values)
	}
	for len(b.values) <= len(b.buf) {
		b.values = append(b.values, nil)
	}
	return &b.values[len(b.buf)]
}
