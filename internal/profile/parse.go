package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/internal/yamlerror"
)

// profilesKey holds the named profiles.
const profilesKey = "profiles"

// maxMerges bounds the mappings that merge keys bring in all: one that merges
// itself would never end.
const maxMerges = 100

// parser collects the profiles of a file and what is wrong with it. Values are
// never in its messages: they may be passwords.
type parser struct {
	path         string
	known, lists []string
	profiles     map[string][]Setting
	merges       int
	errs         []error
}

func (p *parser) place(n *yaml.Node) string { return fmt.Sprintf("%s:%d:%d", p.path, n.Line, n.Column) }

func (p *parser) wrong(n *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s: %w", p.place(n), fmt.Errorf(format, args...)))
}

func (p *parser) parse(data []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return // an empty file has no settings
	}
	if err == nil {
		if err = decoder.Decode(&second); err == nil {
			p.wrong(&second, "a second YAML document begins here: a file of profiles is one document")
			return
		}
	}
	if !errors.Is(err, io.EOF) {
		p.errs = append(p.errs, p.syntaxError(data, err))
		return
	}
	root := resolve(document.Content[0])
	if isNull(root) {
		return
	}
	if root.Kind != yaml.MappingNode {
		p.wrong(root, "expected settings such as hosts: 127.0.0.1, not %s", describe(root))
		return
	}
	entries := p.entries(root)
	p.profiles[Default] = p.profile(entries, profilesKey)
	for _, e := range entries {
		if e.key.Value == profilesKey {
			p.named(e.value)
		}
	}
}

// named reads the named profiles.
func (p *parser) named(n *yaml.Node) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.wrong(n, "%s: expected names with settings below them, not %s", profilesKey, describe(n))
		return
	}
	for _, e := range p.entries(n) {
		name := e.key.Value
		switch {
		case name == Default:
			p.wrong(e.key, "the profile %s is what stands at the top of the file", Default)
		case name == "":
			p.wrong(e.key, "a profile has no name")
		case isNull(e.value):
			p.profiles[name] = nil
		case e.value.Kind != yaml.MappingNode:
			p.wrong(e.value, "%s: expected settings such as hosts: 127.0.0.1, not %s", name, describe(e.value))
		default:
			p.profiles[name] = p.profile(p.entries(e.value))
		}
	}
}

// profile reads the settings of a mapping, but for the keys to skip.
func (p *parser) profile(entries []entry, skip ...string) []Setting {
	var settings []Setting
	for _, e := range entries {
		key := e.key.Value
		if slices.Contains(skip, key) {
			continue
		}
		if !slices.Contains(p.known, key) {
			p.wrong(e.key, "unknown key %q%s", key, suggest.DidYouMean(key, slices.Concat(p.known, skip)))
			continue
		}
		if text, ok := p.text(key, e.value); ok {
			settings = append(settings, Setting{Key: key, Text: text, Place: p.place(e.key)})
		}
	}
	return settings
}

// text reads a value.
func (p *parser) text(key string, n *yaml.Node) (string, bool) {
	switch {
	case isNull(n):
		p.wrong(n, "%s: the value is missing; a text that begins with # needs quotes", key)
	case n.Kind == yaml.ScalarNode && !strings.HasPrefix(n.Tag, "!!"):
		p.wrong(n, "%s: a text that begins with ! needs quotes", key)
	case n.Kind == yaml.ScalarNode:
		return n.Value, true
	case n.Kind == yaml.SequenceNode && slices.Contains(p.lists, key):
		var texts []string
		for _, element := range n.Content {
			element = resolve(element)
			if element.Kind != yaml.ScalarNode || isNull(element) {
				p.wrong(element, "%s: expected a text in the list, not %s", key, describe(element))
				return "", false
			}
			texts = append(texts, element.Value)
		}
		return strings.Join(texts, ","), true
	default:
		p.wrong(n, "%s: expected a single value, not %s", key, describe(n))
	}
	return "", false
}

// entry is a key and its value, which is no alias.
type entry struct{ key, value *yaml.Node }

// entries returns what a mapping holds, with what it merges behind that unless
// the mapping has the same key itself. A key that is there twice is wrong.
func (p *parser) entries(n *yaml.Node) []entry {
	var own, merged []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1])
		switch {
		case key.Tag == "!!merge":
			merged = append(merged, p.merge(value)...)
		case key.Kind != yaml.ScalarNode:
			p.wrong(key, "a key is %s", describe(key))
		default:
			if first := find(own, key.Value); first != nil {
				p.wrong(key, "%q is given twice, first in line %d", key.Value, first.Line)
				continue
			}
			own = append(own, entry{key, value})
		}
	}
	for _, e := range merged {
		if find(own, e.key.Value) == nil {
			own = append(own, e)
		}
	}
	return own
}

// merge returns what a merge key brings: the entries of a mapping, or of several.
func (p *parser) merge(n *yaml.Node) []entry {
	if p.merges++; p.merges > maxMerges {
		if p.merges == maxMerges+1 {
			p.wrong(n, "there are too many merge keys, or this one is within itself")
		}
		return nil
	}
	switch {
	case n.Kind == yaml.MappingNode:
		return p.entries(n)
	case n.Kind == yaml.SequenceNode:
		var all []entry
		for _, element := range n.Content {
			all = append(all, p.merge(resolve(element))...)
		}
		return all
	default:
		p.wrong(n, "<<: expected what an anchor names, not %s", describe(n))
	}
	return nil
}

func find(entries []entry, key string) *yaml.Node {
	for _, e := range entries {
		if e.key.Value == key {
			return e.key
		}
	}
	return nil
}

// resolve returns what an alias stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func describe(n *yaml.Node) string {
	switch {
	case isNull(n):
		return "nothing"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	}
	return "a text"
}

// syntaxError puts the place before an error of the YAML parser.
func (p *parser) syntaxError(data []byte, err error) error {
	e := yamlerror.Find(data, err)
	if e.Anchor != "" { // its name may be a password
		e.Message = "there is no such anchor; a text that begins with * needs quotes"
	}
	return fmt.Errorf("%s:%d:%d: not valid YAML: %s", p.path, e.Line, e.Column, e.Message)
}
