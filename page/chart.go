package page

import (
	"fmt"
	"math"
	"strings"
)

// point is a value of a line, in the units of the axes.
type point struct{ x, y float64 }

// line is a line of a chart. It is drawn in pieces: what lies between them was
// not measured.
type line struct {
	name   string
	color  int // index of the palette
	dash   int // index of the dash patterns
	pieces [][]point
}

// mark is a point worth noticing at the foot of a chart.
type mark struct {
	x    float64
	text string
}

// boundary is where a stage starts.
type boundary struct {
	x    float64
	text string
}

// chart is a picture before it is laid out.
type chart struct {
	title, about   string
	x, y           scale
	xLabel, yLabel string
	xText, yText   func(float64) string
	lines          []line
	marks          []mark
	boundaries     []boundary
}

const (
	colors = 8 // of the palette in page.css
	dashes = 4
)

// layout is the size of a picture. A page holds each picture in two of them and
// shows one: letters of a wide one would be unreadable on a phone.
type layout struct {
	class          string
	width, height  float64
	xTicks, yTicks int
}

func layouts() []layout {
	return []layout{
		{"wide", 960, 320, 10, 6},
		{"narrow", 400, 300, 4, 6},
	}
}

// The margins of a picture leave room for the numbers at its axes.
const (
	marginLeft, marginRight = 64, 14
	marginTop, marginBottom = 24, 44
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
}

type tick struct{ At, TextAt, Text string }

type path struct {
	Class, D string
}

// sign is a mark or a boundary.
type sign struct{ D, X, Y, Text, Label string }

// figure is a chart as the template shows it.
type figure struct {
	Title, About string
	Legend       []legend
	HasMarks     bool
	Pictures     []picture
}

type legend struct{ Class, Name string }

func (l line) class() string { return fmt.Sprintf("c%d d%d", l.color%colors, l.dash%dashes) }

// figure lays the chart out. id must be unique on the page.
func (c *chart) figure(id string) figure {
	f := figure{Title: c.title, About: c.about, HasMarks: len(c.marks) > 0}
	for _, l := range c.lines {
		f.Legend = append(f.Legend, legend{l.class(), l.name})
	}
	for _, size := range layouts() {
		f.Pictures = append(f.Pictures, c.picture(size, id+"-"+size.class))
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
		XLabelAt: px((marginLeft + right) / 2), XLabelBottom: px(size.height - 8),
	}
	for _, v := range c.x.ticks(size.xTicks) {
		p.XTicks = append(p.XTicks, tick{px(x(v)), px(bottom + 17), c.xText(v)})
	}
	for _, v := range c.y.ticks(size.yTicks) {
		p.YTicks = append(p.YTicks, tick{px(y(v)), px(y(v) + 4), c.yText(v)})
	}
	for _, l := range c.lines {
		p.Lines = append(p.Lines, path{l.class(), trace(l.pieces, x, y)})
	}
	for _, m := range c.marks {
		at := x(m.x)
		p.Marks = append(p.Marks, sign{D: fmt.Sprintf("M%s %sl-5 9h10z", px(at), px(bottom-9)), Text: m.text})
	}
	for i, b := range c.boundaries {
		at, end := x(b.x), right
		if i+1 < len(c.boundaries) {
			end = x(c.boundaries[i+1].x)
		}
		p.Boundaries = append(p.Boundaries, sign{
			D: fmt.Sprintf("M%s %sV%s", px(at), px(marginTop-8), px(bottom)), X: px(at + 4), Y: px(marginTop - 9),
			Text: b.text, Label: fit(b.text, end-at-4),
		})
	}
	return p
}

// letter is the width of a letter of the signs' font, in pixels, a little
// generous.
const letter = 6.6

// fit cuts a text to a width in pixels.
func fit(text string, width float64) string {
	room := int(width / letter)
	if r := []rune(text); len(r) > room {
		if room < 3 {
			return ""
		}
		return string(r[:room-1]) + "…"
	}
	return text
}

// trace writes the pieces of a line as an SVG path. A piece of one point is a
// short dash, which would not show otherwise.
func trace(pieces [][]point, x, y func(float64) float64) string {
	var b strings.Builder
	for _, piece := range pieces {
		for i, p := range piece {
			command := "L"
			if i == 0 {
				command = "M"
			}
			b.WriteString(command + px(x(p.x)) + " " + px(y(p.y)))
		}
		if len(piece) == 1 {
			b.WriteString("h3")
		}
	}
	return b.String()
}

// px writes a coordinate to a tenth of a pixel.
func px(v float64) string {
	return fmt.Sprintf("%g", math.Round(v*10)/10)
}
