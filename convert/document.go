package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const (
	// maxDocument is far above any configuration file, and maxDepth above what
	// one has nested.
	maxDocument = 1 << 20
	maxDepth    = 20
)

// nodeKind is what a JSON value is.
type nodeKind int

const (
	scalar nodeKind = iota
	object
	list
)

// node is a JSON value and its place.
type node struct {
	kind    nodeKind
	text    string   // of a scalar: null is "", true and false are words
	null    bool     // of a scalar
	members []member // of an object
	items   []*node  // of a list
	place   string
}

// member is a key of an object, and its value.
type member struct {
	key   string
	place string
	value *node
}

// empty tells whether the value says nothing: null, "", or an empty list.
func (n *node) empty() bool {
	return n.kind == scalar && n.text == "" || n.kind == list && len(n.items) == 0
}

// document is a JSON file.
type document struct {
	path string
	root *node
}

// parseJSON reads a file of one JSON object. Comments and commas before closing
// brackets are let pass, as .NET does.
func parseJSON(path string, data []byte) (*document, error) {
	if len(data) > maxDocument {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxDocument>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	plain, err := hujson.Standardize(bytes.Clone(data)) // comments become blanks
	if err != nil {
		if m := hujsonPlace.FindStringSubmatch(err.Error()); m != nil {
			return nil, fmt.Errorf("%s:%s:%s: not valid JSON: %s", path, m[1], m[2], plainJSON(m[3]))
		}
		return nil, fmt.Errorf("%s: not valid JSON", path)
	}
	r := &jsonReader{path: path, data: plain, dec: json.NewDecoder(bytes.NewReader(plain))}
	r.dec.UseNumber()
	root, err := r.value(0)
	switch {
	case err != nil:
		return nil, err
	case root.kind != object:
		return nil, fmt.Errorf("%s: expected an object with the settings", root.place)
	}
	return &document{path, root}, nil
}

// hujsonPlace takes the place out of the library's errors.
var hujsonPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)$`)

// plainJSON says what is wrong in other words than the library, which quotes text
// of the file: that may be a password.
func plainJSON(message string) string {
	switch {
	case strings.HasPrefix(message, "invalid literal: \""):
		return `a text has a line break, a character that must be escaped, or an escape that JSON does not know, in it`
	case strings.HasPrefix(message, "invalid literal: "):
		return "this is no number, true, false or null; a text stands in double quotes"
	case strings.HasSuffix(message, ": unexpected EOF"):
		return "the file ends here, before the settings do"
	}
	if m := unexpected.FindStringSubmatch(message); m != nil {
		return "an unexpected character " + m[1]
	}
	return "it cannot be read"
}

// unexpected takes the character out of the library's errors about one.
var unexpected = regexp.MustCompile(`^invalid (?:character '.*'|UTF-8) ((?:at|in|after|before) [^\\]+)$`)

type jsonReader struct {
	path string
	data []byte
	dec  *json.Decoder
}

// at returns the place of a byte as file:line:column.
func (r *jsonReader) at(offset int) string {
	offset = min(max(offset, 0), len(r.data))
	before := r.data[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("%s:%d:%d", r.path, line, column)
}

// next reads a token and says where it begins.
func (r *jsonReader) next() (json.Token, string, error) {
	start := int(r.dec.InputOffset())
	for start < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[start]) >= 0 {
		start++
	}
	tok, err := r.dec.Token()
	return tok, r.at(start), err
}

// value reads a value.
func (r *jsonReader) value(depth int) (*node, error) {
	tok, place, err := r.next()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("%s: nested over %d deep", place, maxDepth)
	}
	n := &node{place: place}
	switch tok := tok.(type) {
	case nil:
		n.null = true
	case bool, json.Number, string:
		n.text = fmt.Sprint(tok)
	case json.Delim:
		if tok == '{' {
			n.kind = object
			err = r.object(n, depth)
		} else {
			n.kind = list
			err = r.list(n, depth)
		}
	}
	return n, err
}

func (r *jsonReader) object(n *node, depth int) error {
	seen := map[string]bool{}
	for r.dec.More() {
		tok, place, err := r.next()
		if err != nil {
			return err
		}
		key, _ := tok.(string) // the decoder refuses other keys
		if seen[key] {
			return fmt.Errorf("%s: the key %q is given twice", place, key)
		}
		seen[key] = true
		val, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.members = append(n.members, member{key, place, val})
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) list(n *node, depth int) error {
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := r.dec.Token()
	return err
}

// readDocument takes the settings of a file. A null says nothing.
func (in *input) readDocument(doc *document) {
	for _, m := range doc.root.members {
		s := in.tool.setting(m.key)
		switch {
		case s == nil:
			in.fail(m.place, "unknown key %q%s", m.key, in.tool.suggest(m.key, ""))
		case m.value.null:
		case !s.nested && m.value.kind != scalar:
			in.fail(m.value.place, "%s: expected a single value", m.key)
		default:
			in.add(&given{setting: s, typed: m.key, text: m.value.text, node: m.value, place: m.value.place})
		}
	}
}
