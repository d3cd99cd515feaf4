package objspec

// kind is the type of value a form makes.
type kind uint8

const (
	kindInt kind = iota
	kindDouble
	kindBool
	kindString
	kindBytes
	kindList
	kindMap
)

// String names the kind with its article, for messages.
func (k kind) String() string {
	return [...]string{"an integer", "a double", "a boolean", "a string", "bytes", "a list", "a map"}[k]
}

// form is one node of a parsed spec: how to make one value.
type form struct {
	kind     kind
	constant bool // makes the same value each time

	bits uint64 // constant integer, double or boolean: the value's bits
	text string // constant string

	size   int // random integer: bytes, 1 to 8; string or bytes: length
	random int // bytes: how many, from the first, are random

	entries int        // list: elements; map: entries
	items   []item     // list: its elements in order
	pairs   []pair     // map: its entries in order
	groups  []keyGroup // map: key forms that could make the same key twice
	perms   int        // map: which of a Generator's permutations is the first group's

	particle int // the most bytes the value takes as a bin
	packed   int // the most bytes it takes inside a collection
}

// item is a form with its multiplier.
type item struct {
	*form
	times  int64
	offset int // where it starts in the spec
}

// pair is one key: value of a map.
type pair struct {
	key   item
	value *form
	group int // index into the map's groups, or -1 for a key no other key can equal
}

func constInt(v int64) *form {
	return &form{kind: kindInt, constant: true, bits: uint64(v), particle: 8, packed: intSize(v)}
}

func constDouble(bits uint64) *form {
	return &form{kind: kindDouble, constant: true, bits: bits, particle: 8, packed: 9}
}

func constBool(v bool) *form {
	f := &form{kind: kindBool, constant: true, particle: 1, packed: 1}
	if v {
		f.bits = 1
	}
	return f
}

func constString(text string) *form {
	return &form{kind: kindString, constant: true, text: text, particle: len(text), packed: rawSize(len(text))}
}

func randomInt(size int) *form {
	largest := int64(255)
	if size > 1 {
		// Every value from here up takes as many bytes, but for the small
		// negative ones of I8, which take fewer.
		largest = int64(intMin(size))
	}
	return &form{kind: kindInt, size: size, particle: 8, packed: intSize(largest)}
}

func randomString(size int) *form {
	return &form{kind: kindString, size: size, particle: size, packed: rawSize(size)}
}

// randomBytes computes the random share in single precision and cuts it off,
// as asbench does (aerospike-benchmark src/main/object_spec.c).
func randomBytes(size int, ratio float64) *form {
	random := int(float32(ratio) * float32(size))
	return &form{kind: kindBytes, size: size, random: random, particle: size, packed: rawSize(size)}
}

func randomDouble() *form { return &form{kind: kindDouble, particle: 8, packed: 9} }

func randomBool() *form { return &form{kind: kindBool, particle: 1, packed: 1} }
