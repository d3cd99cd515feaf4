package embedded

import (
	"fmt"
	"testing"
)

// benchmarkMap is a map of n entries, sorted by key.
func benchmarkMap(n int) bin {
	var body []byte
	for i := range n {
		body = packInteger(body, int64(i))
		body = appendText(body, particleString, fmt.Appendf(nil, "value %d", i))
	}
	return bin{particle: particleMap, value: packCollection(typeMap, flagOrdered, n, body)}
}

func BenchmarkMapPut1000(b *testing.B) {
	m := benchmarkMap(1000)
	operand := append([]byte{0x95, mapPut}, packInteger(nil, 500)...)
	operand = append(operand, 0xA2, particleString, 'x', 1, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, code := modifyCDT(&m, operand, maxRecordSize); code != codeOK {
			b.Fatal(code)
		}
	}
}

func BenchmarkMapPutItems1000(b *testing.B) {
	m, items := benchmarkMap(1000), benchmarkMap(1000)
	operand := append([]byte{0x94, mapPutItems}, items.value...)
	operand = append(operand, 1, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, code := modifyCDT(&m, operand, maxRecordSize); code != codeOK {
			b.Fatal(code)
		}
	}
}

func BenchmarkMapGetByKey1000(b *testing.B) {
	m := benchmarkMap(1000)
	operand := append([]byte{0x93, mapGetByKey, byte(returnValue)}, packInteger(nil, 500)...)
	b.ReportAllocs()
	for b.Loop() {
		if _, code := readCDT(&m, operand); code != codeOK {
			b.Fatal(code)
		}
	}
}

func BenchmarkListAppend1000(b *testing.B) {
	var body []byte
	for i := range 1000 {
		body = packInteger(body, int64(i))
	}
	l := bin{particle: particleList, value: packCollection(typeList, 0, 1000, body)}
	operand := []byte{0x92, listAppend, 7}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, code := modifyCDT(&l, operand, maxRecordSize); code != codeOK {
			b.Fatal(code)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	// The integer bin n is greater than 50 and the string bin s begins with a.
	filter := []byte("\x93\x10\x93\x03\x93\x51\x02\xa1n\x32\x94\x07\x01\xa2^a\x93\x51\x03\xa1s")
	ns := newNamespace("test", Config{MaxRecordSize: maxRecordSize})
	r := newRecord(&record{generation: 1}, nil, []bin{
		{name: []byte("n"), particle: particleInteger, value: integerValue(70)},
		{name: []byte("s"), particle: particleString, value: []byte("abc")},
	})
	x, code := compileFilter(filter)
	if code != codeOK {
		b.Fatal(code)
	}
	b.ReportAllocs()
	for b.Loop() {
		ctx := recordContext(ns, &Digest{}, r, 1000)
		if !x.matches(&ctx) {
			b.Fatal("filtered out")
		}
	}
}
