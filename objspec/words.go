package objspec

import (
	"slices"
	"strings"

	"github.com/brianvoe/gofakeit/v7/data"
)

// The words, names and places of generators are those of gofakeit, taken from
// its lists. Its functions, with a source that is seeded for each record, take 90 ns
// for a name and 560 for an email address, which they allocate; a draw from the
// lists takes 20 and 50 (docs/performance.md). A new version of it may change the lists, and with
// them what a seed makes; TestWordLists notices that.

// words is a list of different strings.
type words struct {
	values  []string
	longest int // bytes of the longest
	index   map[string]bool
}

func (w *words) has(text string) bool { return w.index[text] }

// add appends a string, unless it is there.
func (w *words) add(text string) {
	if w.index == nil {
		w.index = map[string]bool{}
	}
	if w.index[text] {
		return
	}
	w.index[text] = true
	w.values = append(w.values, text)
	w.longest = max(w.longest, len(text))
}

// pick returns one of the strings.
func (w *words) pick(s *source) string { return w.values[s.below(uint64(len(w.values)))] }

// list returns gofakeit's lists of the given names, such as person/first, as
// one. keep changes an entry, or drops it by returning "". Equal calls share a
// list, so that map keys from it are known to be the same.
func (p *parser) list(name string, keep func(string) string, sources ...string) *words {
	if w := p.lists[name]; w != nil {
		return w
	}
	w := &words{}
	for _, source := range sources {
		category, kind, _ := strings.Cut(source, "/")
		for _, text := range data.Data[category][kind] {
			if keep != nil {
				text = keep(text)
			}
			if text != "" {
				w.add(text)
			}
		}
	}
	p.lists[name] = w
	return w
}

// lower keeps entries of letters alone, in lower case.
func lower(text string) string {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
	if strings.ContainsFunc(text, other) {
		return ""
	}
	return strings.ToLower(text)
}

func (p *parser) firstNames() *words { return p.list("first", nil, "person/first") }
func (p *parser) lastNames() *words  { return p.list("last", nil, "person/last") }

// mailNames are the names as they stand in addresses.
func (p *parser) mailNames() (first, last *words) {
	return p.list("first lower", lower, "person/first"), p.list("last lower", lower, "person/last")
}

// plainWords are common English nouns, adjectives and verbs of one word each.
func (p *parser) plainWords() *words {
	return p.list("word", lower, "word/noun_common", "word/noun_concrete", "word/noun_abstract", "word/noun_countable",
		"word/adjective_descriptive", "word/verb_action")
}

func (p *parser) loremWords() *words { return p.list("lorem", lower, "lorem/word") }

// mailDomains are reserved for examples (RFC 2606): no mail to a generated
// address reaches anybody.
func (p *parser) mailDomains() *words {
	if w := p.lists["mail"]; w != nil {
		return w
	}
	w := &words{}
	for _, d := range []string{"com", "net", "org"} {
		w.add("example." + d)
	}
	p.lists["mail"] = w
	return w
}

// generatorNames returns the names of all generators, in order.
func generatorNames() []string {
	names := []string{"pick", "fmt"}
	for _, g := range generators {
		names = append(names, g.name)
	}
	slices.Sort(names)
	return names
}
