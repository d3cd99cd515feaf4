package objspec

import "math"

// generator is an entry of the table of generators.
type generator struct {
	name   string
	params []param
	make   func(c *call) (*form, error)
}

// param is what a generator can be given. Arguments may be left out from the
// last one on.
type param struct {
	name string
	// def is the argument that stands for one left out. Its kind is the
	// argument's; where that is a double, an integer is as good.
	def *form
	// low and high are the least and the greatest number; equal, there is no
	// such limit beyond the kind's.
	low, high float64
}

// generators are all generators but pick and fmt, whose arguments are special.
// docs/object-spec.md has a table of them.
var generators = []generator{
	{name: "first_name", make: fromList("first", "person/first")},
	{name: "last_name", make: fromList("last", "person/last")},
	{name: "full_name", make: fullName},
	{name: "username", make: username},
	{name: "email", make: email},
	{name: "phone", make: phone},
	{name: "street", make: street},
	{name: "city", make: fromList("city", "address/city")},
	{name: "state", make: fromList("state", "address/state")},
	{name: "state_abbr", make: fromList("state_abbr", "address/state_abr")},
	{name: "zip", make: zip},
	{name: "country", make: fromList("country", "address/country")},
	{name: "country_code", make: fromList("country_code", "address/country_abr")},
	{name: "lat", make: degrees(90)},
	{name: "lon", make: degrees(180)},
	{name: "geojson", make: geoPoint, params: []param{
		{"latmin", constDouble(doubleBits(-90)), -90, 90},
		{"latmax", constDouble(doubleBits(90)), -90, 90},
		{"lonmin", constDouble(doubleBits(-180)), -180, 180},
		{"lonmax", constDouble(doubleBits(180)), -180, 180},
	}},
	{name: "geo_circle", make: geoCircle, params: []param{
		{"rmin", constDouble(doubleBits(100)), 0.01, maxRadius},
		{"rmax", constDouble(doubleBits(10_000)), 0.01, maxRadius},
	}},
	{name: "company", make: company},
	{name: "job_title", make: fromList("job", "job/title")},
	{name: "ipv4", make: ipv4},
	{name: "ipv6", make: ipv6},
	{name: "mac", make: mac},
	{name: "url", make: url},
	{name: "domain", make: domain},
	{name: "uuid", make: uuid},
	{name: "word", make: word},
	{name: "words", make: severalWords, params: []param{{"n", constInt(3), 1, 100_000}}},
	{name: "sentence", make: sentence},
	{name: "lorem", make: lorem, params: []param{{"characters", constInt(100), 1, maxRecordBytes}}},
	{name: "product", make: product},
	{name: "color", make: fromList("color", "color/full")},
	{name: "credit_card", make: creditCard},
	{name: "date", make: date, params: []param{
		{"from", constString("2000-01-01"), 0, 0},
		{"to", constString("2029-12-31"), 0, 0},
		{"format", constString("%Y-%m-%d"), 0, 0},
	}},
	{name: "timestamp", make: timestamp, params: []param{
		{"from", constInt(946684800), 0, 0}, // 2000-01-01
		{"to", constInt(1893455999), 0, 0},  // 2029-12-31, its last second
	}},
	{name: "now", make: now},
	{name: "int", make: interval, params: []param{
		{"from", constInt(0), 0, 0},
		{"to", constInt(math.MaxInt32), 0, 0},
	}},
	{name: "double", make: doubles, params: []param{
		{"from", constDouble(0), 0, 0},
		{"to", constDouble(doubleBits(1)), 0, 0},
	}},
	{name: "key", make: key},
}

// fromList returns the maker of a generator that takes a list's values.
func fromList(name string, sources ...string) func(c *call) (*form, error) {
	return func(c *call) (*form, error) { return listForm(c.p.list(name, nil, sources...)), nil }
}

func listForm(w *words) *form {
	f := generatedText(w.longest, uint64(len(w.values)), func(dst []byte, s *source) []byte {
		return append(dst, w.pick(s)...)
	})
	f.values = enumeration{words: w, n: uint64(len(w.values))}
	return f
}
