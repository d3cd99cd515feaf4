package stage

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/workload"
)

// The keys of the mapping "keys" come in two groups: which keys are drawn, and
// what they look like. A stage inherits each group whole or not at all.
var (
	drawKeys = append([]string{"distribution"}, keygen.DistributionParams()...)
	formKeys = []string{"type", "prefix", "pad", "template", "length", "file"}
)

// keyValues returns the value of "keys" as a mapping: a scalar is the
// distribution.
func keyValues(v value) map[string]value {
	if v.sub == nil {
		if v.text == "" {
			return nil
		}
		return map[string]value{"distribution": {text: v.text, place: v.place, inherited: v.inherited}}
	}
	sub := maps.Clone(v.sub)
	if v.inherited {
		for key, s := range sub {
			s.inherited = true
			sub[key] = s
		}
	}
	return sub
}

// mergeKeys returns own, with each group of which it says nothing taken from
// base.
func mergeKeys(own, base map[string]value) map[string]value {
	merged := maps.Clone(own)
	if merged == nil {
		merged = map[string]value{}
	}
	for _, group := range [][]string{drawKeys, formKeys} {
		if slices.ContainsFunc(group, func(key string) bool { _, ok := own[key]; return ok }) {
			continue
		}
		for _, key := range group {
			if v, ok := base[key]; ok {
				merged[key] = v
			}
		}
	}
	return merged
}

// keyDefaults are the flags about keys, as values that stages inherit.
type keyDefaults struct {
	keys  map[string]value
	shard value // without text if there is none
}

func newKeyDefaults(flags []FlagValue, problems *Problems) keyDefaults {
	d := keyDefaults{keys: map[string]value{}}
	for _, f := range flags {
		v := value{text: f.Text, place: Place{Source: f.Flag}, inherited: true}
		if f.Key == "shard" {
			d.shard = v
		} else {
			d.keys[f.Sub] = v
		}
	}
	// Checked here too, since every stage may override a wrong flag.
	readKeys(d.keys, problems)
	if d.shard.text != "" {
		newDraft(0, d.shard.place).apply(shardField, d.shard, problems)
	}
	return d
}

// shardField is the field of the key shard.
var shardField = field{name: "shard", set: func(d *draft, text string) (err error) {
	d.Shard, err = keygen.ParseShard(text)
	return err
}}

// keySpec is what the mapping "keys" says.
type keySpec struct {
	distribution keygen.Distribution
	format       keygen.Format
	file         string // "" for none
	filePlace    Place
}

// readKeys reads the mapping "keys".
func readKeys(values map[string]value, problems *Problems) (spec keySpec) {
	m := &mapReader{name: "keys", value: value{sub: values}, problems: problems}
	readDistribution(m, &spec)
	for _, key := range formKeys {
		// What could not be read is reported already.
		if v, ok := values[key]; ok && v.text == "" && !v.broken && key != "prefix" {
			m.fail(v.place, fmt.Errorf("%s: the value is missing", key))
			return spec
		}
	}
	if m.has("file") {
		readKeyFile(m, &spec)
		return spec
	}
	readFormat(m, &spec)
	return spec
}

func readDistribution(m *mapReader, spec *keySpec) {
	if v, ok := m.value.sub["distribution"]; ok {
		d, err := keygen.ParseDistribution(v.text)
		if err != nil {
			if !v.broken {
				m.fail(v.place, fmt.Errorf("distribution: %w", err))
			}
			return
		}
		spec.distribution = d
	}
	for _, key := range drawKeys[1:] {
		v, ok := m.value.sub[key]
		switch {
		case !ok || v.broken:
		case !m.has("distribution"):
			m.fail(v.place, fmt.Errorf("%s: give the distribution that it belongs to", key))
		default:
			if err := spec.distribution.Set(key, v.text); err != nil {
				m.fail(v.place, err)
			}
		}
	}
}

func readKeyFile(m *mapReader, spec *keySpec) {
	v := m.value.sub["file"]
	for _, key := range formKeys[1 : len(formKeys)-1] {
		if m.has(key) {
			m.fail(m.value.sub[key].place, fmt.Errorf("%s: a file holds the keys as they are", key))
		}
	}
	if t, ok := m.value.sub["type"]; ok && !t.broken {
		var err error
		if spec.format.Type, err = keygen.ParseFileType(t.text); err != nil {
			m.fail(t.place, fmt.Errorf("type: %w", err))
		}
	} else if !ok {
		m.fail(v.place, errors.New("file: give the type of its keys: integer or string"))
	}
	if m.failed || v.broken {
		return
	}
	spec.file, spec.filePlace = v.text, v.place
	if v.place.Line > 0 && !filepath.IsAbs(spec.file) {
		spec.file = filepath.Join(filepath.Dir(v.place.Source), spec.file) // beside the stage file
	}
}

// readFormat reads what keys look like. Without a type, it is what the other
// keys are for.
func readFormat(m *mapReader, spec *keySpec) {
	f := &spec.format
	text, length := m.has("prefix") || m.has("pad") || m.has("template"), m.has("length")
	switch t, ok := m.value.sub["type"]; {
	case ok && t.broken:
		return
	case ok:
		var err error
		if f.Type, err = keygen.ParseType(t.text); err != nil {
			m.fail(t.place, fmt.Errorf("type: %w", err))
			return
		}
	case text:
		f.Type = keygen.StringKey
	case length:
		f.Type = keygen.BytesKey
	}
	for _, key := range formKeys[1:] {
		v, ok := m.value.sub[key]
		belongs := keygen.StringKey
		if key == "length" {
			belongs = keygen.BytesKey
		}
		switch {
		case !ok || v.broken:
		case f.Type != belongs:
			m.fail(v.place, fmt.Errorf("%s: it is for %s keys, and these are of the type %s", key, belongs, f.Type))
		case m.has("template") && key != "template":
			m.fail(v.place, fmt.Errorf("%s: the template says that already", key))
		default:
			if err := setFormat(f, key, v.text); err != nil {
				m.fail(v.place, fmt.Errorf("%s: %w", key, err))
			}
		}
	}
}

func setFormat(f *keygen.Format, key, text string) (err error) {
	var n int64
	switch key {
	case "prefix":
		f.Prefix = text
	case "template":
		*f, err = keygen.ParseTemplate(text)
	case "pad":
		n, err = parseInteger(text, "a number of digits", 0, keygen.MaxKeyLen)
		f.Pad = int(n)
	case "length":
		n, err = parseInteger(text, "a number of bytes", 1, keygen.MaxKeyLen)
		f.Length = int(n)
	}
	return err
}

// keyFiles opens each file of keys once, however many stages use it.
type keyFiles map[keyFile]openedFile

type keyFile struct {
	path    string
	keyType keygen.Type
}

type openedFile struct {
	file *keygen.File
	err  error
}

func (files keyFiles) open(path string, t keygen.Type) (*keygen.File, error) {
	name := keyFile{path, t}
	f, ok := files[name]
	if !ok {
		f.file, f.err = keygen.OpenFile(path, t)
		files[name] = f
	}
	return f.file, f.err
}

// resolveForm settles which keys the stage draws and what they look like.
func (d *draft) resolveForm(defaults keyDefaults, files keyFiles, problems *Problems) {
	if _, ok := d.given["shard"]; !ok {
		d.Shard = keygen.Shard{Index: 1, Count: 1}
		if defaults.shard.text != "" {
			d.apply(shardField, defaults.shard, problems)
		}
	}
	if d.bad["keys"] {
		return
	}
	v := d.given["keys"]
	merged := mergeKeys(keyValues(v), defaults.keys)
	d.given["keys"] = value{sub: merged, place: v.place, broken: v.broken}
	before := len(*problems)
	spec := readKeys(merged, problems)
	d.Distribution, d.KeyFormat = spec.distribution, spec.format
	if spec.file != "" {
		var err error
		if d.KeyFile, err = files.open(spec.file, spec.format.Type); err != nil {
			problems.addErr(spec.filePlace, fmt.Errorf("keys: file: %w", err))
		}
	}
	d.bad["keys"] = len(*problems) > before
}

// insertsBesides tells whether the stage inserts new records, behind its range.
func (d *draft) insertsBesides() bool {
	return d.Workload.Endless() && d.Workload.Does(func(a workload.Action) bool { return a == workload.InsertRecord })
}

// checkKeys checks the rules between keys and workload, which are known now.
func (d *draft) checkKeys(problems *Problems) {
	if d.bad["workload"] || d.bad["keys"] || d.bad["key-start"] || d.bad["key-end"] || d.Keys.Check() != nil {
		return
	}
	values := d.given["keys"].sub
	if v, ok := values["distribution"]; ok && !d.Workload.Endless() {
		d.Distribution = keygen.Distribution{}
		if !v.inherited {
			problems.add(v.place, "keys: distribution: the workload %s visits each key once, in their order", d.Workload)
		}
	}
	if d.KeyFile != nil && d.insertsBesides() {
		problems.add(values["file"].place, "keys: file: the workload %s inserts new records, for which a file has no keys", d.Workload)
	}
	visited := d.Workload.Keys(d.Keys)
	if visited.Size() > 0 && !d.bad["shard"] && visited.Shard(d.Shard).Size() == 0 {
		problems.add(d.placeOf("shard"), "shard: %s of %d keys holds none", d.Shard, visited.Size())
	}
	if d.KeyFile == nil {
		if err := d.KeyFormat.Check(d.Keys); err != nil {
			problems.addErr(d.formPlace(), fmt.Errorf("keys: %w", err))
		}
	}
}

// formPlace is where it was given what the keys look like.
func (d *draft) formPlace() Place {
	for _, key := range formKeys {
		if v, ok := d.given["keys"].sub[key]; ok {
			return v.place
		}
	}
	return d.place
}

// checkFile refuses numbers of keys that the stage's file does not have.
func (d *draft) checkFile() error {
	if all := d.KeyFile.Range(); d.Keys.Start < all.Start || d.Keys.End > all.End {
		return fmt.Errorf("the key file %s has keys from 1 to %d, and none for the range [%d, %d)", d.KeyFile.Path(), all.Size(), d.Keys.Start, d.Keys.End)
	}
	return nil
}

// keysNode returns what the stage says of its keys as a stage file gives it. The
// file is given by its whole path, since a plan may be printed to anywhere.
func (s *Stage) keysNode() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	plain := func(key, val string) {
		v := text(val)
		v.Tag = ""
		n.Content = append(n.Content, text(key), v)
	}
	if s.Workload.Endless() {
		plain("distribution", s.Distribution.Name())
		for _, p := range s.Distribution.Params() {
			plain(p[0], p[1])
		}
	}
	plain("type", s.KeyFormat.Type.String())
	switch {
	case s.KeyFile != nil:
		path := s.KeyFile.Path()
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		n.Content = append(n.Content, text("file"), text(path))
	case s.KeyFormat.Type == keygen.StringKey:
		n.Content = append(n.Content, text("template"), text(s.KeyFormat.Template()))
	case s.KeyFormat.Length > 0:
		plain("length", strconv.Itoa(s.KeyFormat.Length))
	}
	return n
}

// DescribeKeys says in a line which keys the stage draws and what they look like;
// "" for integers that are walked or drawn uniformly.
func (s *Stage) DescribeKeys() string {
	var parts []string
	if s.Distribution != (keygen.Distribution{}) {
		parts = append(parts, s.Distribution.String())
	}
	switch f := s.KeyFormat; {
	case s.KeyFile != nil:
		parts = append(parts, f.Type.String()+" from "+s.KeyFile.Path())
	case f.Type == keygen.StringKey:
		parts = append(parts, "string "+f.Template())
	case f.Type == keygen.BytesKey && f.Length > 0:
		parts = append(parts, fmt.Sprintf("bytes of length %d", f.Length))
	case f.Type == keygen.BytesKey:
		parts = append(parts, "bytes")
	}
	return strings.Join(parts, ", ")
}
