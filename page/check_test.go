package page

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// document is a page that was parsed.
type document struct {
	t    testing.TB
	text string
	root *html.Node
}

// write makes the page of some runs and checks what holds for every page.
func write(t testing.TB, runs ...Run) document {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, runs); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	d := document{t, b.String(), root}
	d.checkNesting()
	d.checkNetwork()
	d.checkReferences()
	d.checkPictures()
	return d
}

// all returns the elements of a name, or all elements for "".
func (d document) all(name string) []*html.Node {
	var list []*html.Node
	for n := range d.root.Descendants() {
		if n.Type == html.ElementNode && (name == "" || n.Data == name) {
			list = append(list, n)
		}
	}
	return list
}

// class returns the elements of a class.
func (d document) class(name string) []*html.Node {
	return slices.DeleteFunc(d.all(""), func(n *html.Node) bool { return !slices.Contains(strings.Fields(attr(n, "class")), name) })
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// text returns the text within an element, blanks put together.
func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// checkNesting checks that each element is closed where it should be: the parser
// mends what is not.
func (d document) checkNesting() {
	var open []string
	void := []string{"meta", "link", "br"}
	for z := html.NewTokenizer(strings.NewReader(d.text)); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if len(open) > 0 {
				d.t.Errorf("not closed: %v", open)
			}
			return
		case html.StartTagToken:
			if name, _ := z.TagName(); !slices.Contains(void, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				d.t.Fatalf("</%s> closes %v", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// checkNetwork checks that nothing is fetched or run.
func (d document) checkNetwork() {
	for _, n := range d.all("") {
		if slices.Contains([]string{"script", "iframe", "object", "embed", "img", "image", "use", "base", "form", "foreignobject"}, strings.ToLower(n.Data)) {
			d.t.Errorf("there is a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") {
				d.t.Errorf("<%s> has %s", n.Data, a.Key)
			}
			if slices.Contains([]string{"href", "src", "srcset", "action", "style"}, a.Key) && !strings.HasPrefix(a.Val, "#") && a.Val != "data:," {
				d.t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, n := range d.all("style") {
		if css := n.FirstChild.Data; strings.Contains(css, "url(") || strings.Contains(css, "@import") {
			d.t.Error("the style sheet fetches something")
		}
	}
}

// checkReferences checks that identifiers are unique, and those referred to there.
func (d document) checkReferences() {
	seen := map[string]bool{}
	for _, n := range d.all("") {
		if id := attr(n, "id"); id != "" {
			if seen[id] {
				d.t.Errorf("the id %s is there twice", id)
			}
			seen[id] = true
		}
	}
	for _, n := range d.all("") {
		for _, id := range strings.Fields(attr(n, "aria-labelledby") + " " + strings.TrimPrefix(attr(n, "href"), "#")) {
			if !seen[id] && id != "data:," {
				d.t.Errorf("nothing has the id %s", id)
			}
		}
	}
}

// number is a coordinate of a path.
var number = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// outline is what paths are made of.
var outline = regexp.MustCompile(`^(?:[MlmhvVHaz](?:[ -]?\d+(?:\.\d+)?)*)*$`)

// checkPictures checks that each picture has a title and a description, and that
// its coordinates are numbers within it.
func (d document) checkPictures() {
	for _, svg := range d.class("chart") {
		if attr(svg, "role") != "img" || svg.FirstChild.NextSibling.Data != "title" || len(text(svg.FirstChild.NextSibling)) < 5 {
			d.t.Errorf("a picture without a title: %s", attr(svg, "aria-labelledby"))
		}
		box := strings.Fields(attr(svg, "viewbox") + attr(svg, "viewBox"))
		width, height := parseFloat(d.t, box[2]), parseFloat(d.t, box[3])
		for n := range svg.Descendants() {
			for _, a := range n.Attr {
				switch {
				case a.Key == "d" && !outline.MatchString(a.Val):
					d.t.Fatalf("the path %.200q", a.Val)
				case a.Key == "d" && attr(n, "class") != "":
					for _, p := range points(d.t, a.Val) {
						if p.x < -1 || p.x > width+1 || p.y < -1 || p.y > height+1 {
							d.t.Fatalf("%s: a path reaches %v: %.200q", attr(svg, "aria-labelledby"), p, a.Val)
						}
					}
				case slices.Contains([]string{"x", "y", "dx"}, a.Key):
					if v := parseFloat(d.t, a.Val); v < -10 || v > width {
						d.t.Errorf("%s=%q", a.Key, a.Val)
					}
				}
			}
		}
	}
	for _, m := range mistakes {
		if strings.Contains(d.text, m) {
			d.t.Errorf("the page has %s", m)
		}
	}
}

// mistakes are what packages write in place of values that they cannot write.
var mistakes = []string{"NaN", "Inf", "%!", "<nil>", "ZgotmplZ"}

func parseFloat(t testing.TB, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// points follows the moves and lines of a path, by pairs of numbers.
func points(t testing.TB, d string) []point {
	t.Helper()
	var list []point
	var at point
	for _, part := range regexp.MustCompile(`[A-Za-z][^A-Za-z]*`).FindAllString(d, -1) {
		numbers := number.FindAllString(part[1:], -1)
		if part[0] != 'M' && part[0] != 'l' {
			continue
		}
		for i := 0; i+1 < len(numbers); i += 2 {
			p := point{parseFloat(t, numbers[i]), parseFloat(t, numbers[i+1])}
			if part[0] == 'l' {
				p = point{at.x + p.x, at.y + p.y}
			}
			at = p
			list = append(list, p)
		}
	}
	return list
}

// find returns the picture with a title of an id.
func (d document) find(id string) *html.Node {
	d.t.Helper()
	for _, n := range d.all("title") {
		if attr(n, "id") == id {
			return n.Parent
		}
	}
	d.t.Fatalf("no picture %s", id)
	return nil
}
