package stage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/internal/listen"
	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/internal/wholefile"
	"github.com/aeroload/aeroload/internal/yamlerror"
)

// maxFileSize is far above any stage file written by hand or by a script, and
// keeps a wrong path from filling the memory.
const maxFileSize = 4 << 20

// Load reads and validates a stage file. Its error is [Problems] when the file
// could be read: every error of the file, each with its place.
func Load(path string, d Defaults) (*Plan, error) {
	data, err := wholefile.Read(path, maxFileSize)
	if err != nil {
		return nil, fmt.Errorf("stage file: %w", err)
	}
	return Parse(path, data, d)
}

// Parse validates the text of a stage file; name stands for it in errors, which
// are [Problems].
func Parse(name string, data []byte, d Defaults) (*Plan, error) {
	r := reader{name: name, data: data}
	root := r.document()
	var drafts []*draft
	if root != nil {
		drafts = r.stages(root)
	}
	if err := r.problems.err(); len(drafts) == 0 && err != nil {
		return nil, err
	}
	plan, err := resolve(drafts, d, r.problems)
	if err != nil {
		return nil, err
	}
	plan.HDRDir, plan.MetricsListen = r.hdrDir, r.metrics
	return plan, nil
}

// The top-level keys besides defaults and stages.
const (
	hdrKey     = "hdr-hist"       // the folder for HDR histograms
	metricsKey = "metrics-listen" // where to serve metrics
)

// reader walks a file's YAML nodes and collects what is wrong with them.
type reader struct {
	name     string
	data     []byte
	problems Problems
	hdrDir   string
	metrics  string
}

func (r *reader) at(n *yaml.Node) Place { return Place{r.name, n.Line, n.Column} }

// document returns the root node of the file's only document, or nil with a
// problem.
func (r *reader) document() *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(r.data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.problems.add(Place{r.name, 1, 1}, "the file holds no stages")
		return nil
	case err != nil:
		r.syntaxError(err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		r.problems.add(r.at(&second), "a second YAML document begins here: a stage file is one document")
	case !errors.Is(err, io.EOF):
		r.syntaxError(err)
		return nil
	}
	return doc.Content[0]
}

// syntaxError reports an error of the YAML parser.
func (r *reader) syntaxError(err error) {
	e := yamlerror.Find(r.data, err)
	r.problems.add(Place{r.name, e.Line, e.Column}, "not valid YAML: %s%s", e.Message, quotesHint(e.Message))
}

// quotesHint explains the errors that object specs without quotes lead to. The
// messages are those of yaml.v3's scanner (scannerc.go).
func quotesHint(message string) string {
	switch message {
	case "found character that cannot start any token":
		return "; a value that begins with @, %, ` or a tab needs quotes"
	case "mapping values are not allowed in this context":
		return "; a value that holds a colon and a blank needs quotes"
	}
	return ""
}

// stages reads the top level: a list of stages, or a mapping of defaults and
// stages.
func (r *reader) stages(root *yaml.Node) []*draft {
	root = deref(root)
	switch {
	case isNull(root):
		r.problems.add(r.at(root), "the file holds no stages")
		return nil
	case root.Kind == yaml.SequenceNode:
		return r.list(root, nil)
	case root.Kind != yaml.MappingNode:
		r.problems.add(r.at(root), "expected a list of stages, not %s", describe(root))
		return nil
	}
	var defaults, list *yaml.Node
	for key, val := range r.pairs(root) {
		switch key.Value {
		case "defaults":
			defaults = val
		case "stages":
			list = val
		case hdrKey:
			if r.hdrDir = r.scalar(hdrKey, val); r.hdrDir == "" && val.Kind == yaml.ScalarNode && !isNull(val) {
				r.problems.add(r.at(val), "%s: the value is missing", hdrKey)
			}
		case metricsKey:
			r.listen(val)
		default:
			if _, ok := lookupField(key.Value); ok {
				r.problems.add(r.at(key), "%q is a key of a stage: begin each stage with a dash, or put the stages under a key stages:", key.Value)
			} else {
				r.problems.add(r.at(key), "unknown key %q; expected defaults, stages, %s or %s%s", key.Value, hdrKey, metricsKey,
					suggest.DidYouMean(key.Value, []string{"defaults", "stages", hdrKey, metricsKey}))
			}
		}
	}
	switch {
	case list == nil:
		if len(r.problems) == 0 {
			r.problems.add(r.at(root), "the file holds no stages: the key stages is missing")
		}
		return nil
	case list.Kind != yaml.SequenceNode:
		r.problems.add(r.at(list), "stages: expected a list of stages, not %s", describe(list))
		return nil
	}
	if defaults != nil && defaults.Kind != yaml.MappingNode {
		if !isNull(defaults) {
			r.problems.add(r.at(defaults), "defaults: expected a mapping of stage keys, not %s", describe(defaults))
		}
		defaults = nil
	}
	return r.list(list, defaults)
}

// listen reads the address at which metrics are served.
func (r *reader) listen(val *yaml.Node) {
	text := r.scalar(metricsKey, val)
	if text == "" && (val.Kind != yaml.ScalarNode || isNull(val)) {
		return // a problem already, or nothing given
	}
	address, err := listen.Parse(text)
	if err != nil {
		r.problems.add(r.at(val), "%s: %w", metricsKey, err)
		return
	}
	r.metrics = address
}

func (r *reader) list(list, defaults *yaml.Node) []*draft {
	if len(list.Content) == 0 {
		r.problems.add(r.at(list), "the list of stages is empty")
		return nil
	}
	var common map[string]value
	if defaults != nil {
		common = r.values(defaults)
		if v, ok := common["stage"]; ok {
			r.problems.add(v.place, "stage: a stage's number cannot be a default")
			delete(common, "stage")
		}
		// Checked here too, since every stage may override a wrong default.
		newDraft(0, r.at(defaults)).applyAll(common, &r.problems)
	}
	var drafts []*draft
	for i, item := range list.Content {
		item = deref(item)
		d := newDraft(i+1, r.at(item))
		drafts = append(drafts, d)
		if item.Kind != yaml.MappingNode {
			r.problems.add(d.place, "expected a stage (a mapping such as `workload: RU,75`), not %s", describe(item))
			d.bad["workload"] = true
			continue
		}
		own := r.values(item)
		for key, v := range common {
			v.inherited = true
			mine, ok := own[key]
			switch {
			case !ok:
				own[key] = v
			case key == "keys":
				mine.sub = mergeKeys(keyValues(mine), keyValues(v))
				own[key] = mine
			}
		}
		d.applyAll(own, &r.problems)
	}
	return drafts
}

// applyAll applies values in the order of the fields.
func (d *draft) applyAll(values map[string]value, problems *Problems) {
	for _, f := range fields {
		if v, ok := values[f.name]; ok {
			d.apply(f, v, problems)
		}
	}
}

// values reads the keys of a stage.
func (r *reader) values(mapping *yaml.Node) map[string]value {
	values := map[string]value{}
	for key, val := range r.pairs(mapping) {
		name := key.Value
		f, ok := lookupField(name)
		if !ok {
			r.problems.add(r.at(key), "unknown key %q%s", name, hint(name))
			continue
		}
		v := value{place: r.at(val)}
		before := len(r.problems)
		switch {
		case f.setList != nil:
			v.items = r.items(name, val)
		case f.setMap != nil && val.Kind == yaml.MappingNode:
			v.sub = r.mapping(name, val, f)
		case f.set == nil:
			r.problems.add(v.place, "%s: expected a mapping of %s, not %s", name, strings.Join(f.keys, ", "), describe(val))
		default:
			v.text = r.scalar(name, val)
		}
		v.broken = len(r.problems) > before
		values[name] = v
	}
	return values
}

// hint says what an unknown stage key was probably meant to be.
func hint(name string) string {
	switch name {
	case hdrKey, metricsKey:
		return ": it stands at the top level, beside stages"
	case "<<":
		return ": YAML merge keys are not supported; put what stages share under defaults"
	}
	// Words that asbench and other tools use for the same things.
	others := map[string]string{"ttl": "expiration-time", "throughput": "tps", "rate": "tps", "description": "desc", "name": "desc", "time": "duration"}
	if key, ok := others[name]; ok {
		return fmt.Sprintf("; did you mean %q?", key)
	}
	return suggest.DidYouMean(name, fieldNames())
}

// mapping reads the values of a key that takes a mapping.
func (r *reader) mapping(name string, n *yaml.Node, f field) map[string]value {
	sub := map[string]value{}
	for key, val := range r.pairs(n) {
		if !slices.Contains(f.keys, key.Value) && (f.more == nil || !f.more.MatchString(key.Value)) {
			r.problems.add(r.at(key), "%s: unknown key %q; expected %s%s", name, key.Value, strings.Join(f.keys, ", "), suggest.DidYouMean(key.Value, f.keys))
			continue
		}
		v := value{place: r.at(val)}
		before := len(r.problems)
		if inner := name + ": " + key.Value; f.subKeys != nil && val.Kind == yaml.MappingNode {
			v.sub = r.mapping(inner, val, field{keys: f.subKeys})
		} else {
			v.text = r.scalar(inner, val)
		}
		v.broken = len(r.problems) > before
		sub[key.Value] = v
	}
	return sub
}

// lists are the stage keys whose comma-separated value may also be a YAML list.
var lists = []string{"read-bins", "write-bins", "batch-namespaces"}

// scalar returns the text of a stage key's value, or "" with a problem.
func (r *reader) scalar(name string, n *yaml.Node) string {
	if slices.Contains(lists, name) && n.Kind == yaml.SequenceNode {
		var items []string
		for _, item := range n.Content {
			if item = deref(item); item.Kind != yaml.ScalarNode {
				r.problems.add(r.at(item), "%s: expected a list of single values, not %s", name, describe(item))
				return ""
			}
			items = append(items, item.Value)
		}
		return strings.Join(items, ",")
	}
	switch {
	case isNull(n):
		r.problems.add(r.at(n), "%s: the value is missing", name)
		return ""
	case n.Kind != yaml.ScalarNode && name == "object-spec":
		r.problems.add(r.at(n), "%s: expected a single value, not %s; a spec that begins with a bracket or brace needs quotes", name, describe(n))
		return ""
	case n.Kind != yaml.ScalarNode:
		r.problems.add(r.at(n), "%s: expected a single value, not %s", name, describe(n))
		return ""
	}
	return n.Value
}

// pairs yields the keys and values of a mapping, and reports keys that are not
// plain words or are given twice.
func (r *reader) pairs(mapping *yaml.Node) func(yield func(key, val *yaml.Node) bool) {
	return func(yield func(key, val *yaml.Node) bool) {
		first := map[string]int{}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			key, val := deref(mapping.Content[i]), deref(mapping.Content[i+1])
			if key.Kind != yaml.ScalarNode {
				r.problems.add(r.at(key), "expected a key, not %s", describe(key))
				continue
			}
			if line, ok := first[key.Value]; ok {
				r.problems.add(r.at(key), "the key %q is given twice; it stands in line %d already", key.Value, line)
				continue
			}
			first[key.Value] = key.Line
			if !yield(key, val) {
				return
			}
		}
	}
}

func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case isNull(n):
		return "nothing"
	}
	text := n.Value
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return strconv.Quote(text)
}
