package objspec

import "strconv"

// Coordinates are drawn and written as whole millionths of a degree, a tenth of
// a metre: exact on every machine, and without the cost of printing doubles.
const micro = 1_000_000

// maxRadius is half of the equator, in metres.
const maxRadius = 20_037_508

// degrees returns the maker of a latitude or longitude as a double.
func degrees(most int64) func(*call) (*form, error) {
	return func(*call) (*form, error) {
		return generatedDouble(func(s *source) uint64 {
			return doubleBits(float64(s.millionths(-most*micro, most*micro)) / micro)
		}), nil
	}
}

// millionths returns a uniform number, both ends included.
func (s *source) millionths(low, high int64) int64 { return low + int64(s.below(uint64(high-low+1))) }

// millionths turns an argument into whole millionths.
func (c *call) millionths(i int) int64 {
	v := c.args[i].float() * micro
	if v < 0 {
		return int64(v - 0.5)
	}
	return int64(v + 0.5)
}

// geoPoint: a GeoJSON point, uniform in both coordinates; the latitude is drawn
// first, but the longitude written first (RFC 7946).
func geoPoint(c *call) (*form, error) {
	box := [4]int64{c.millionths(0), c.millionths(1), c.millionths(2), c.millionths(3)}
	for i, what := range []string{"latitudes", "longitudes"} {
		if box[2*i+1] < box[2*i] {
			return nil, c.backwards(2*i+1, "the "+what+" go up", "less than")
		}
	}
	const open, end = `{"type":"Point","coordinates":[`, `]}`
	return generatedGeo(len(open)+coordinates+len(end), func(dst []byte, s *source) []byte {
		lat, lon := s.millionths(box[0], box[1]), s.millionths(box[2], box[3])
		return append(appendPoint(append(dst, open...), lat, lon), end...)
	}), nil
}

// geoCircle: Aerospike's circle, anywhere, with a radius in whole centimetres.
func geoCircle(c *call) (*form, error) {
	low, high := int64(c.args[0].float()*100+0.5), int64(c.args[1].float()*100+0.5)
	if high < low {
		return nil, c.backwards(1, "the radii go up", "less than")
	}
	const open, middle, end = `{"type":"AeroCircle","coordinates":[[`, `],`, `]}`
	return generatedGeo(len(open)+coordinates+len(middle)+len("20037508.00")+len(end), func(dst []byte, s *source) []byte {
		lat, lon := s.millionths(-90*micro, 90*micro), s.millionths(-180*micro, 180*micro)
		radius := s.millionths(low, high)
		dst = append(appendPoint(append(dst, open...), lat, lon), middle...)
		dst = append(strconv.AppendInt(dst, radius/100, 10), '.')
		return append(appendDigits(dst, uint64(radius%100), 2), end...)
	}), nil
}

// coordinates is the most bytes that a point's take.
const coordinates = len("-180.000000,-90.000000")

func appendPoint(dst []byte, lat, lon int64) []byte {
	return appendDegrees(append(appendDegrees(dst, lon), ','), lat)
}

// appendDegrees appends millionths with all six digits.
func appendDegrees(dst []byte, v int64) []byte {
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	dst = append(strconv.AppendInt(dst, v/micro, 10), '.')
	return appendDigits(dst, uint64(v%micro), 6)
}
