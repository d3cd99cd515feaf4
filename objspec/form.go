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
	kindGeo
)

// String names the kind with its article, for messages.
func (k kind) String() string {
	return [...]string{"an integer", "a double", "a boolean", "a string", "bytes", "a list", "a map", "GeoJSON"}[k]
}

// form is one node of a parsed spec: how to make one value.
type form struct {
	kind     kind
	constant bool // makes the same value each time
	clock    bool // holds the time of its making, so that it can't be made again

	bits uint64 // constant integer, double or boolean: the value's bits
	text string // constant string

	size   int     // random integer: bytes, 1 to 8; string or bytes: length
	random int     // bytes: how many, from the first, are random
	sizes  *spread // string or bytes whose length is drawn; nil for a fixed one
	ratio  float64 // of such bytes: the share that is random

	// Generators have one of these: what appends a string (or the text of
	// GeoJSON), or what returns the bits of an integer or double.
	write  func(dst []byte, s *source) []byte
	number func(s *source) uint64
	// distinct is that no value of a generator, or of a string of drawn length,
	// is more likely than one in this many.
	distinct uint64
	values   enumeration // the values of generators that can count them

	entries int        // list: elements; map: entries, at most
	varying bool       // list or map: how many it has is drawn
	items   []item     // list: its elements in order
	pairs   []pair     // map: its entries in order
	groups  []keyGroup // map: key forms that could make the same key twice
	perms   int        // map: which of a Generator's permutations is the first group's
	// table is which of a Generator's key tables the map checks its keys with,
	// or -1, and fixed are the map's constant keys, packed, for that.
	table int
	fixed [][]byte

	particle int // the most bytes the value takes as a bin
	packed   int // the most bytes it takes inside a collection
}

// item is a form with its multiplier.
type item struct {
	*form
	times  int64   // the multiplier, or the largest it can be
	counts *spread // of a multiplier that is drawn; nil for a fixed one
	slot   int     // where a Generator keeps what was drawn
	offset int     // where it starts in the spec
}

// pair is one key: value of a map.
type pair struct {
	key   item
	value *form
	group int // index into the map's groups, or -1 for a key that isn't taken from one
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

// sizedString and sizedBytes are of drawn lengths.
func sizedString(d *spread) *form {
	f := randomString(int(d.max))
	f.sizes, f.distinct = d, d.distinctTexts(uint64(len(alphabet)))
	return f
}

func sizedBytes(d *spread, ratio float64) *form {
	f := randomBytes(int(d.max), ratio)
	f.sizes, f.ratio, f.distinct = d, ratio, 1
	if randomShare(ratio, d.min) == d.min { // else short ones may all be zeros
		f.distinct = d.distinctTexts(256)
	}
	return f
}

// generatedText is a generator of strings of at most size bytes.
func generatedText(size int, distinct uint64, write func(dst []byte, s *source) []byte) *form {
	return &form{kind: kindString, write: write, distinct: distinct, particle: size, packed: rawSize(size)}
}

// generatedGeo is a generator of GeoJSON texts of at most size bytes.
func generatedGeo(size int, write func(dst []byte, s *source) []byte) *form {
	return &form{kind: kindGeo, write: write, distinct: 1, particle: geoHeader + size, packed: rawSize(size)}
}

// generatedInt is a generator of integers, the longest of which is given.
func generatedInt(longest int64, distinct uint64, number func(s *source) uint64) *form {
	return &form{kind: kindInt, number: number, distinct: distinct, particle: 8, packed: intSize(longest)}
}

func generatedDouble(number func(s *source) uint64) *form {
	return &form{kind: kindDouble, number: number, distinct: 1, particle: 8, packed: 9}
}

// generated tells whether equal values may come from another form as well, or
// from this one twice: generators, and strings of drawn length.
func (f *form) generated() bool { return f.write != nil || f.number != nil || f.sizes != nil }

// randomBytes computes the random share in single precision and cuts it off,
// as asbench does (aerospike-benchmark src/main/object_spec.c).
func randomBytes(size int, ratio float64) *form {
	return &form{kind: kindBytes, size: size, random: randomShare(ratio, size), particle: size, packed: rawSize(size)}
}

func randomShare(ratio float64, size int) int { return int(float32(ratio) * float32(size)) }

func randomDouble() *form { return &form{kind: kindDouble, particle: 8, packed: 9} }

func randomBool() *form { return &form{kind: kindBool, particle: 1, packed: 1} }
