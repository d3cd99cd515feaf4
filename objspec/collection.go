package objspec

import (
	"fmt"
	"slices"
	"strings"
)

// budget adds up the bytes of what is stored together.
type budget int

// add counts times values of the given size, and fails when a record can't
// hold them. Sizes are at most twice maxRecordBytes and multipliers have 32 bits,
// so the product fits 64 bits.
func (b *budget) add(p *parser, offset int, times int64, size int) error {
	total := int64(*b) + times*int64(size)
	if total > maxRecordBytes {
		return p.errorAt(offset, "a record can hold %d bytes; with this it takes %d", maxRecordBytes, total)
	}
	*b = budget(total)
	return nil
}

// collection reads a list or a map.
func (p *parser) collection(r role, k kind) (*form, error) {
	opened := p.pos
	if r == roleKey {
		return nil, p.keyError(opened, k)
	}
	if p.depth == maxDepth {
		return nil, p.errorAt(opened, "collections are nested over %d deep here", maxDepth)
	}
	p.depth++
	p.pos++
	p.skipBlank()
	f := &form{kind: k, constant: true}
	var err error
	if k == kindList {
		err = p.elements(f)
	} else {
		err = p.entries(f)
	}
	if err != nil {
		return nil, err
	}
	p.depth--
	p.pos++ // the closing bracket
	size := budget(f.packed)
	if err := size.add(p, opened, 1, headerSize(f.entries)); err != nil {
		return nil, err
	}
	f.packed, f.particle = int(size), int(size)
	return f, nil
}

// elements reads a list up to its closing bracket.
func (p *parser) elements(f *form) error {
	if p.at(']') {
		return nil
	}
	var size budget
	for {
		it, err := p.item(roleElement)
		if err != nil {
			return err
		}
		if err := size.add(p, it.offset, it.times, it.packed); err != nil {
			return err
		}
		f.items = append(f.items, it)
		f.entries += int(it.times)
		f.packed = int(size)
		f.constant = f.constant && it.constant
		p.skipBlank()
		if p.at(']') {
			return nil
		}
		if err := p.expect(',', `"," or "]"`); err != nil {
			return err
		}
		if p.at(']') {
			return nil
		}
	}
}

// entries reads a map up to its closing bracket.
func (p *parser) entries(f *form) error {
	if p.at('}') {
		return nil
	}
	var size budget
	keys := keySet{groups: map[keyDomain]*keyGroup{}, constants: map[any]bool{}}
	for {
		key, err := p.item(roleKey)
		if err != nil {
			return err
		}
		if err := keys.add(p, key); err != nil {
			return err
		}
		p.skipBlank()
		if err := p.expect(':', `":" and a value after the map key`); err != nil {
			return err
		}
		value, err := p.item(roleValue)
		if err != nil {
			return err
		}
		if err := size.add(p, key.offset, key.times, key.packed+value.packed); err != nil {
			return err
		}
		f.pairs = append(f.pairs, pair{key: key, value: value.form})
		f.entries += int(key.times)
		f.packed = int(size)
		f.constant = f.constant && key.constant && value.constant
		p.skipBlank()
		if p.at('}') {
			keys.assign(p, f)
			return nil
		}
		if err := p.expect(',', `"," or "}"`); err != nil {
			return err
		}
	}
}

// keySet collects the keys of a map while it's read.
type keySet struct {
	groups    map[keyDomain]*keyGroup
	constants map[any]bool // int64 and string
}

// add notes a key, and fails when the map's keys can no longer all differ.
func (ks *keySet) add(p *parser, key item) error {
	if key.constant {
		var value any = int64(key.bits)
		if key.kind == kindString {
			value = key.text
		}
		if ks.constants[value] {
			return p.errorAt(key.offset, "the map has the key %s already", strings.Map(printable, shorten(p.text[key.offset:p.pos])))
		}
		ks.constants[value] = true
	}
	domain, ok := domainOf(key.form)
	if !ok {
		return nil
	}
	g := ks.groups[domain]
	if g == nil {
		created := newKeyGroup(domain, key.random)
		g = &created
		ks.groups[domain] = g
	}
	if key.constant {
		g.taken = append(g.taken, g.indexOf(key.form))
	} else {
		g.random += key.times
	}
	need := g.random + int64(len(g.taken))
	if g.random == 0 || uint64(need) <= g.limit {
		return nil
	}
	share := ""
	if key.kind == kindBytes && key.random < key.size {
		share = fmt.Sprintf(" (at the compression ratio, %d of its bytes are random)", key.random)
	}
	return p.errorAt(key.offset, "the map needs %d different %v keys; there are only %d%s", need, domain, g.limit, share)
}

// assign tells the pairs of f the groups of their keys. Only groups with more
// than one key get into f; they are given permutations.
func (ks *keySet) assign(p *parser, f *form) {
	f.perms = p.perms
	position := map[keyDomain]int{}
	for i := range f.pairs {
		entry := &f.pairs[i]
		entry.group = -1
		if entry.key.constant {
			continue
		}
		domain, _ := domainOf(entry.key.form)
		g := ks.groups[domain]
		if g.random+int64(len(g.taken)) == 1 {
			continue
		}
		at, ok := position[domain]
		if !ok {
			at = len(f.groups)
			position[domain] = at
			slices.Sort(g.taken)
			f.groups = append(f.groups, *g)
		}
		entry.group = at
	}
	p.perms += len(f.groups)
}
