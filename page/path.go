package page

import (
	"math"
	"strconv"
	"strings"
)

// column is the width of what is drawn of a line as its lowest and highest point,
// in pixels.
const column = 2

// thin leaves out what a picture has no room for: of the points of each column of
// pixels, the lowest and the highest stay, in their order. So do the first and the
// last of all. It tells whether any were left out.
func thin(points []point) ([]point, bool) {
	var kept []point
	for i := 0; i < len(points); {
		at := math.Floor(points[i].x / column)
		low, high, end := i, i, i
		for ; end < len(points) && math.Floor(points[end].x/column) == at; end++ {
			if points[end].y < points[low].y {
				low = end
			}
			if points[end].y > points[high].y {
				high = end
			}
		}
		if i == 0 && min(low, high) > 0 {
			kept = append(kept, points[0])
		}
		kept = append(kept, points[min(low, high)])
		if low != high {
			kept = append(kept, points[max(low, high)])
		}
		if end == len(points) && max(low, high) < end-1 {
			kept = append(kept, points[end-1])
		}
		i = end
	}
	return kept, len(kept) < len(points)
}

// drawn is a line laid out: pieces of points in pixels.
func drawn(pieces [][]point, x, y func(float64) float64) (list [][]point, thinned bool) {
	for _, piece := range pieces {
		points := make([]point, len(piece))
		for i, p := range piece {
			points[i] = point{x(p.x), y(p.y)}
		}
		points, less := thin(points)
		list, thinned = append(list, points), thinned || less
	}
	return list, thinned
}

// trace writes the pieces of a line as an SVG path, each from its start by
// differences, which are short.
func trace(pieces [][]point) string {
	var b strings.Builder
	for _, piece := range pieces {
		var x, y int // where the path is, in tenths of a pixel
		for i, p := range piece {
			atX, atY := tenths(p.x), tenths(p.y)
			switch i {
			case 0:
				b.WriteString("M" + tenth(atX) + join(tenth(atY)))
			case 1:
				b.WriteString("l" + tenth(atX-x) + join(tenth(atY-y)))
			default:
				b.WriteString(join(tenth(atX-x)) + join(tenth(atY-y)))
			}
			x, y = atX, atY
		}
		if len(piece) == 1 {
			b.WriteString("h3") // a point alone would not show
		}
	}
	return b.String()
}

func tenths(v float64) int { return int(math.Round(v * 10)) }

// tenth writes tenths of a pixel as pixels.
func tenth(n int) string { return strconv.FormatFloat(float64(n)/10, 'f', -1, 64) }

// join puts a blank before a number that has no sign to tell it from the one
// before.
func join(number string) string {
	if strings.HasPrefix(number, "-") {
		return number
	}
	return " " + number
}

// px writes a coordinate to a tenth of a pixel.
func px(v float64) string { return tenth(tenths(v)) }

// The shapes of markers tell lines apart without color.
const shapes = 8

// shape is the path of a marker around a point that the path has moved to.
func shape(i int) string {
	return [shapes]string{
		"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",  // disc
		"m-3.2-3.2h6.4v6.4h-6.4z",                       // square
		"m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",             // diamond
		"m-1.3-4.3h2.6v3h3v2.6h-3v3h-2.6v-3h-3v-2.6h3z", // cross
		"m-1.6-4.6h3.2v9.2h-3.2z",                       // upright bar
		"m0 4.4l4.2-7.4h-8.4z",                          // triangle on its point
		"m-4.2-4.2h8.4v8.4h-8.4zm2.4 2.4v3.6h3.6v-3.6z", // frame
		"m0-4.4l4.2 7.4h-8.4z",                          // triangle
	}[i%shapes]
}

// markerGap is the distance of markers along a line, in pixels.
const markerGap = 90

// markers writes a marker on the line every now and then, at least one a piece that
// is not close to one before. Lines begin at different places, by their shape, so
// that those over each other show.
func markers(pieces [][]point, i int) string {
	var b strings.Builder
	next := float64(i%shapes) * markerGap / shapes
	for _, piece := range pieces {
		for j, p := range piece {
			if p.x >= next || j == len(piece)-1 && p.x >= next-markerGap/2 {
				b.WriteString("M" + px(p.x) + join(px(p.y)) + shape(i))
				next = p.x + markerGap
			}
		}
	}
	return b.String()
}
