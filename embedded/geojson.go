package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
)

// geoHeaderSize is the size of a GeoJSON value's flags and cell count, which
// come before its cells (8 bytes each) and its text.
const geoHeaderSize = 3

// A geometry is the part of a GeoJSON object that the server looks at.
type geometry struct {
	Type        string          `json:"type"`
	Coordinates json.RawMessage `json:"coordinates"`
	Geometry    *geometry       `json:"geometry"`
}

// checkGeoJSON checks a GeoJSON value's text and returns the value without any
// cells: they index the geometry, and clients skip them.
func checkGeoJSON(value []byte) ([]byte, resultCode) {
	if len(value) < geoHeaderSize {
		return nil, codeInvalidGeoJSON
	}
	start := geoHeaderSize + 8*int(binary.BigEndian.Uint16(value[1:]))
	if len(value) < start {
		return nil, codeInvalidGeoJSON
	}
	text := value[start:]
	var g geometry
	if json.Unmarshal(text, &g) != nil || !g.valid(true) {
		return nil, codeInvalidGeoJSON
	}
	if start == geoHeaderSize && bytes.Equal(value[:geoHeaderSize], make([]byte, geoHeaderSize)) {
		return value, codeOK
	}
	return append(make([]byte, geoHeaderSize), text...), codeOK
}

// valid reports whether the geometry is one that the server takes; only a top
// level one may be a feature.
func (g *geometry) valid(top bool) bool {
	switch g.Type {
	case "Feature":
		return top && g.Geometry != nil && g.Geometry.valid(false)
	case "Point":
		var p []float64
		return json.Unmarshal(g.Coordinates, &p) == nil && validPoint(p)
	case "Polygon":
		var p [][][]float64
		return json.Unmarshal(g.Coordinates, &p) == nil && validPolygon(p)
	case "MultiPolygon":
		var list [][][][]float64
		if json.Unmarshal(g.Coordinates, &list) != nil {
			return false
		}
		for _, p := range list {
			if !validPolygon(p) {
				return false
			}
		}
		return len(list) > 0
	case "AeroCircle":
		return validCircle(g.Coordinates)
	}
	return false
}

// validCircle checks a centre and a radius in metres: [[longitude, latitude], r].
func validCircle(coordinates json.RawMessage) bool {
	var parts []json.RawMessage
	var centre []float64
	var radius *float64
	return json.Unmarshal(coordinates, &parts) == nil && len(parts) == 2 &&
		json.Unmarshal(parts[0], &centre) == nil && validPoint(centre) &&
		json.Unmarshal(parts[1], &radius) == nil && radius != nil
}

// validPoint checks longitude and latitude in degrees.
func validPoint(p []float64) bool {
	return len(p) == 2 && p[0] >= -180 && p[0] <= 180 && p[1] >= -90 && p[1] <= 90
}

// validPolygon checks the loops of a polygon: each closed, with at least four
// points apart from repetitions of the one before.
func validPolygon(loops [][][]float64) bool {
	for _, loop := range loops {
		distinct := 0
		for i, p := range loop {
			if !validPoint(p) {
				return false
			}
			if i == 0 || p[0] != loop[i-1][0] || p[1] != loop[i-1][1] {
				distinct++
			}
		}
		if distinct < 4 || loop[0][0] != loop[len(loop)-1][0] || loop[0][1] != loop[len(loop)-1][1] {
			return false
		}
	}
	return len(loops) > 0
}
