package page

import (
	"fmt"
	"math"
	"slices"
)

// point is a value of a line, in the units of the axes or in pixels.
type point struct{ x, y float64 }

// look is how a line is told from others: by color, and without it by dashes and
// markers.
type look struct {
	color  int // index of the palette
	dash   int // index of the dash patterns
	marked bool
}

const (
	colors = 8 // of the palette in page.css, and the shapes of markers
	dashes = 5 // in page.css
)

// asked is the color of lines that were asked for, not measured.
const asked = -1

func (l look) class() string {
	if l.color == asked {
		return fmt.Sprintf("asked d%d", l.dash%dashes)
	}
	return fmt.Sprintf("c%d d%d", l.color%colors, l.dash%dashes)
}

// line is a line of a chart. It is drawn in pieces: what lies between them was
// not measured.
type line struct {
	look
	name   string
	pieces [][]point
}

// mark is a period in which transactions failed.
type mark struct {
	start, end       float64
	run              int
	name             string // of the run; "" for the only one
	timeouts, errors uint64
}

// boundary is where a stage starts.
type boundary struct {
	x            float64
	number, text string
}

// chart is a picture before it is laid out.
type chart struct {
	title, about   string
	x, y           scale
	xTicks         func(n int) []float64 // nil for those of the scale
	xLabel, yLabel string
	xText, yText   func(float64) string
	lines          []line   // the first over the others
	legend         []legend // nil for the names of the lines
	marks          []mark
	boundaries     []boundary
}

// layout is the size of a picture, in the pixels of its own that the browser
// scales.
type layout struct {
	class          string
	width, height  float64
	xTicks, yTicks int
}

func wide() layout   { return layout{"wide", 960, 320, 10, 6} }
func narrow() layout { return layout{"narrow", 400, 300, 5, 6} }

// The margins of a picture leave room for the numbers at its axes.
const (
	marginLeft, marginRight = 64, 14
	marginTop, marginBottom = 24, 46
)

// picture is a chart laid out: what the template writes as SVG. Coordinates are
// texts of pixels.
type picture struct {
	Class, ID              string
	Width, Height          string
	Left, Right            string
	Top, Bottom, Middle    string
	Title, About           string
	XLabel, YLabel         string
	XLabelAt, XLabelBottom string
	XTicks, YTicks         []tick
	Lines                  []path
	Marks                  []sign
	Boundaries             []sign
	thinned                bool
}

type tick struct{ At, TextAt, Text string }

// path is a line with its markers.
type path struct{ Class, D, Markers string }

// sign is a mark or a boundary.
type sign struct{ Class, D, X, Y, Text, Label string }

// figure is a chart as the template shows it.
type figure struct {
	Title, About string
	Legend       []legend
	HasMarks     bool
	Several      bool // the marks have the colors of their runs
	Pictures     []picture
	Thinned      bool
}

// legend is a line of a legend. Marker is the path of its marker.
type legend struct{ Class, Marker, Name string }

func (l look) legend(name string) legend {
	e := legend{Class: l.class(), Name: name}
	if l.marked {
		e.Marker = "M14 6" + shape(l.color)
	}
	return e
}

// full lays the chart out for the whole width of the page. A second picture is
// for phones, on which the letters of a wide one would be unreadable; the page
// shows one of them. id must be unique on the page.
func (c *chart) full(id string) figure { return c.figure(id, wide(), narrow()) }

// half lays the chart out to stand beside another.
func (c *chart) half(id string) figure {
	l := narrow()
	l.class = "half"
	return c.figure(id, l)
}

func (c *chart) figure(id string, layouts ...layout) figure {
	f := figure{Title: c.title, About: c.about, Legend: c.legend, HasMarks: len(c.marks) > 0, Several: len(c.marks) > 0 && c.marks[0].name != ""}
	for _, l := range c.lines {
		if c.legend == nil {
			f.Legend = append(f.Legend, l.look.legend(l.name))
		}
	}
	for _, l := range layouts {
		p := c.picture(l, id+"-"+l.class)
		f.Pictures, f.Thinned = append(f.Pictures, p), f.Thinned || p.thinned
	}
	return f
}

func (c *chart) picture(size layout, id string) picture {
	right, bottom := size.width-marginRight, size.height-marginBottom
	x := func(v float64) float64 { return marginLeft + c.x.at(v)*(right-marginLeft) }
	y := func(v float64) float64 { return bottom - c.y.at(v)*(bottom-marginTop) }
	p := picture{
		Class: size.class, ID: id, Width: px(size.width), Height: px(size.height),
		Left: px(marginLeft), Right: px(right), Top: px(marginTop), Bottom: px(bottom), Middle: px((marginTop + bottom) / 2),
		Title: c.title, About: c.about, XLabel: c.xLabel, YLabel: c.yLabel,
		XLabelAt: px((marginLeft + right) / 2), XLabelBottom: px(size.height - 7),
	}
	xTicks := c.x.ticks
	if c.xTicks != nil {
		xTicks = c.xTicks
	}
	for _, v := range xTicks(size.xTicks) {
		p.XTicks = append(p.XTicks, tick{px(x(v)), px(bottom + 20), c.xText(v)})
	}
	for _, v := range c.y.ticks(size.yTicks) {
		p.YTicks = append(p.YTicks, tick{px(y(v)), px(y(v) + 4), c.yText(v)})
	}
	for _, l := range slices.Backward(c.lines) {
		pieces, thinned := drawn(l.pieces, x, y)
		d := path{Class: l.class(), D: trace(pieces)}
		if l.marked {
			d.Markers = markers(pieces, l.color)
		}
		if thinned {
			d.Class += " dense"
		}
		p.Lines, p.thinned = append(p.Lines, d), p.thinned || thinned
	}
	p.Marks = c.signs(x, bottom)
	for i, b := range c.boundaries {
		at, end := x(b.x), right
		if i+1 < len(c.boundaries) {
			end = x(c.boundaries[i+1].x)
		}
		label := fit(b.text, end-at-6)
		if len([]rune(label)) < 6 && label != b.text {
			label = fit(b.number, end-at-4)
		}
		p.Boundaries = append(p.Boundaries, sign{
			D: fmt.Sprintf("M%s %sV%s", px(at), px(marginTop-14), px(bottom)), X: px(at + 4), Y: px(marginTop - 8),
			Text: b.text, Label: label,
		})
	}
	return p
}

// signGap is the least distance of two marks of a run, in pixels. Closer ones are
// one.
const signGap = 9

// signs are the marks of failures at the foot of a picture, those of each run a
// little higher than those of the run before.
func (c *chart) signs(x func(float64) float64, bottom float64) (list []sign) {
	for i := 0; i < len(c.marks); {
		all, periods := c.marks[i], 1
		at := x((all.start + all.end) / 2)
		for i++; i < len(c.marks) && c.marks[i].run == all.run && x((c.marks[i].start+c.marks[i].end)/2)-at < signGap; i++ {
			next := c.marks[i]
			all.end, all.timeouts, all.errors, periods = next.end, all.timeouts+next.timeouts, all.errors+next.errors, periods+1
		}
		text := fmt.Sprintf("%s to %s: %s timeouts, %s errors", formatSeconds(all.start), formatSeconds(all.end), formatCount(all.timeouts), formatCount(all.errors))
		class := "mark"
		if all.name != "" {
			text, class = all.name+", "+text, fmt.Sprintf("mark c%d", all.run%colors)
		}
		if periods > 1 {
			text += fmt.Sprintf(" in %d periods", periods)
		}
		list = append(list, sign{Class: class, D: fmt.Sprintf("M%s %sl-5 9h10z", px(at), px(bottom-9-4*float64(all.run))), Text: text})
	}
	return list
}

// letter is the width of a letter of the signs' font, in pixels, a little
// generous.
const letter = 6.6

// fit cuts a text to a width in pixels.
func fit(text string, width float64) string {
	room := int(width / letter)
	r := []rune(text)
	switch {
	case len(r) <= room:
		return text
	case room < 3:
		return ""
	}
	return string(r[:room-1]) + "…"
}

// extent returns the least and the greatest value of the lines, 0 without any.
func extent(lines []line) (low, high float64) {
	first := true
	for _, l := range lines {
		for _, piece := range l.pieces {
			for _, p := range piece {
				if first {
					low, high, first = p.y, p.y, false
				}
				low, high = math.Min(low, p.y), math.Max(high, p.y)
			}
		}
	}
	return low, high
}
