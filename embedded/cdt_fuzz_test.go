package embedded

import (
	"bytes"
	"testing"
)

// checkStored fails the test unless a value is in the form in which collections
// are stored.
func checkStored(t *testing.T, what string, b bin) {
	t.Helper()
	if b.particle != particleList && b.particle != particleMap {
		return
	}
	stored, ok := normalise(b.value, b.particle)
	if !ok || !bytes.Equal(stored, b.value) {
		t.Fatalf("%s %x isn't in the stored form %x", what, b.value, stored)
	}
}

// checkWellFormed fails the test if a list or map is malformed.
func checkWellFormed(t *testing.T, what string, b bin) {
	t.Helper()
	if b.particle != particleList && b.particle != particleMap {
		return
	}
	if _, rest, _, ok := skipPacked(b.value); !ok || len(rest) != 0 {
		t.Fatalf("%s %x is malformed", what, b.value)
	}
}

// FuzzCollectionOperation carries out operations on lists and maps. Whatever they
// are, the collection must stay in the form in which it is stored, or be well formed
// at least where extensions are elements.
func FuzzCollectionOperation(f *testing.F) {
	// Removing the first element brings an extension to its place.
	f.Add([]byte("\x9400\xd50000"), []byte("\x94&\f01"))
	// The same from an operation in the older form.
	f.Add([]byte("0"), []byte("\x00\x01\x92\xd50000"))
	for _, seed := range []struct{ value, operand string }{
		{"\x93\x01\x02\x03", "\x94\x01\x05\x00\x00"},
		{"\x94\xc7\x00\x01\x01\x02\x03", "\x94\x02\x92\x05\x01\x01\x01"},
		{"\x93\x03\x01\x02", "\x92\x0d\x00"},
		{"\x93\x03\x01\x02", "\x93\x27\x07\x00"},
		{"\x93\x01\x02\x03", "\x94\x18\x07\x01\x02"},
		{"\x82\x01\x02\x03\x04", "\x94\x43\x05\x06\x00"},
		{"\x82\x01\x02\x03\x04", "\x94\x44\x81\x02\x91\x01\x01\x00"},
		{"\x83\xc7\x00\x01\xc0\x01\x02\x03\x91\x04", "\x93\xcc\xff\x92\x22\x03\x92\x01\x09"},
		{"\x82\x01\x02\x03\x04", "\x93\xcc\xff\x94\xcc\xa2\x07\xcc\x90\x02\x93\x01\x09\x00"},
		{"\x82\x01\x02\x03\x04", "\x93\x6b\x08\x92\x01\x03"},
		{"\x82\x01\x02\x03\x04", "\x94\x6e\x07\x02\xff"},
	} {
		f.Add([]byte(seed.value), []byte(seed.operand))
	}
	f.Fuzz(func(t *testing.T, value, operand []byte) {
		check, params := checkStored, operand
		if len(operand) > 2 && operand[0] == 0 {
			params = operand[2:] // the older form
		}
		if holdsExtensionElement(value) || holdsExtensionElement(params) {
			check = checkWellFormed
		}
		for _, particle := range []byte{particleList, particleMap} {
			stored, ok := normalise(value, particle)
			if !ok {
				continue
			}
			old := bin{particle: particle, value: stored}
			before := bytes.Clone(stored)
			if result, code := readCDT(&old, operand); code == codeOK {
				checkWellFormed(t, "result", result)
			}
			changed, result, code := modifyCDT(&old, operand, maxRecordSize)
			if code == codeOK {
				check(t, "collection", changed)
				checkWellFormed(t, "result", result)
			}
			if !bytes.Equal(stored, before) {
				t.Fatal("the old value has been changed")
			}
		}
		if changed, _, code := modifyCDT(nil, operand, maxRecordSize); code == codeOK {
			check(t, "new collection", changed)
		}
	})
}

// FuzzExpression checks and evaluates expressions.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		"\x93\x01\x93\x51\x02\xa1n\x07",
		"\x93\x10\x93\x03\x93\x51\x02\xa1n\x01\x92\x12\x92\x51\xa1n",
		"\x95\x7d\xa1x\x93\x14\x01\x02\x93\x05\x92\x7c\xa1x\x09\xc3",
		"\x94\x7b\xc3\x01\x02",
		"\x94\x07\x01\xa4a.*b\x93\x51\x03\xa1s",
		"\x95\x7f\x02\x00\x91\x10\x93\x51\x04\xa1l",
		"\x95\x7f\x04\x40\x94\x01\x92\x7e\x91\x01\x00\x00\x93\x51\x04\xa1l",
		"\x91\x43", "\x92\x40\x03", "\x91\x4a", "\x92\x50\x03",
	} {
		f.Add([]byte(seed))
	}
	ns := newNamespace("test", Config{MaxRecordSize: maxRecordSize})
	bins := []bin{
		{name: []byte("n"), particle: particleInteger, value: integerValue(7)},
		{name: []byte("s"), particle: particleString, value: []byte("axxb")},
		{name: []byte("b"), particle: particleBlob, value: []byte{1, 2}},
		{name: []byte("l"), particle: particleList, value: []byte{0x92, 1, 2}},
		{name: []byte("m"), particle: particleMap, value: []byte{0x81, 1, 2}},
	}
	r := newRecord(&record{generation: 1}, nil, bins)
	f.Fuzz(func(t *testing.T, b []byte) {
		x, code := compileExpression(b)
		if code != codeOK {
			return
		}
		ctx := recordContext(ns, &Digest{}, r, 1000)
		v := x.evaluate(&ctx)
		if value, ok := v.bin(); ok && x.root.t != exprNil && v.t != exprNil && value.particle != x.root.t.particle() {
			t.Fatalf("value of particle type %d, want %d", value.particle, x.root.t.particle())
		}
	})
}

// FuzzBitOperation carries out bit operations. Those that neither resize nor move
// leave a blob's length alone.
func FuzzBitOperation(f *testing.F) {
	for _, seed := range []string{
		"\x92\x00\x04", "\x93\x01\x01\xa2\x04x", "\x93\x02\x00\x01", "\x94\x03\x03\x05\xa2\x04x", "\x93\x07\x03\x09",
		"\x94\x08\x00\x10\x03", "\x96\x0a\x04\x08\x7f\x00\x01", "\x93\x32\x03\x09", "\x94\x34\x00\x08\xc3", "\x94\x36\x00\x08\x01",
	} {
		f.Add([]byte{1, 2, 3}, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, blob, operand []byte) {
		old := bin{particle: particleBlob, value: blob}
		before := bytes.Clone(blob)
		_, _ = readBits(&old, operand)
		changed, code := modifyBits(&old, operand, maxRecordSize)
		if o, _ := parseBitOp(operand); code == codeOK && changed.particle != particleNull && o.code > bitRemove && len(changed.value) != len(blob) {
			t.Fatalf("%d bytes became %d", len(blob), len(changed.value))
		}
		if !bytes.Equal(blob, before) {
			t.Fatal("the old value has been changed")
		}
		_, _ = modifyBits(nil, operand, maxRecordSize)
	})
}

// TestRepeatedItemsAreBounded looks for wildcards again and again in a sorted
// list: the answer would be much longer than the request.
func TestRepeatedItemsAreBounded(t *testing.T) {
	const elements, items = 100_000, 100_000
	var body []byte
	for range elements {
		body = append(body, 7)
	}
	l := bin{particle: particleList, value: packCollection(typeList, flagOrdered, elements, body)}
	var wanted []byte
	for range items {
		wanted = append(wanted, 0xC7, 1, nonStorage, compareWildcard)
	}
	for _, kind := range []returnKind{returnValue, returnIndex, returnCount} {
		operand := append([]byte{0x93, listGetAllByValueList, byte(kind)}, packCollection(typeList, 0, items, wanted)...)
		if _, code := readCDT(&l, operand); code != codeParameter {
			t.Errorf("return kind %d: result code %d, want %d", kind, code, codeParameter)
		}
	}
}
