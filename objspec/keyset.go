package objspec

import (
	"fmt"
	"slices"
	"strings"
)

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
		created := newKeyGroup(domain)
		g = &created
		ks.groups[domain] = g
	}
	if key.constant {
		g.taken = append(g.taken, g.indexOf(key.form)) // no generator's: domainOf
	} else {
		g.random += key.times
	}
	need := g.random + int64(len(g.taken))
	if g.random == 0 || uint64(need) <= g.limit {
		return nil
	}
	if domain.values.exists() {
		return p.errorAt(key.offset, "the map needs %d different keys of this generator; there are only %d", need, g.limit)
	}
	share := ""
	if key.kind == kindBytes && key.random < key.size {
		share = fmt.Sprintf(" (at the compression ratio, %d of its bytes are random)", key.random)
	}
	return p.errorAt(key.offset, "the map needs %d different %v keys; there are only %d%s", need, domain, g.limit, share)
}

// assign tells the pairs of f the groups of their keys. Only groups with more
// than one key get into f; they are given permutations.
func (ks *keySet) assign(p *parser, f *form) error {
	checked, err := ks.check(p, f)
	if err != nil {
		return err
	}
	f.perms = p.perms
	position := map[keyDomain]int{}
	for i := range f.pairs {
		entry := &f.pairs[i]
		entry.group = -1
		if entry.key.constant {
			continue
		}
		domain, ok := domainOf(entry.key.form)
		if !ok {
			continue
		}
		g := ks.groups[domain]
		if g.random+int64(len(g.taken)) == 1 && (!checked || !domain.values.exists()) {
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
	return nil
}

// maxCheckedKeys keeps the comparison of each key with each other short.
const maxCheckedKeys = 1000

// check finds out whether the map's keys have to be compared when they are made,
// and whether so many different ones can be found.
func (ks *keySet) check(p *parser, f *form) (checked bool, _ error) {
	special := slices.IndexFunc(f.pairs, func(e pair) bool { return e.key.generated() || e.key.kind == kindBytes })
	if special < 0 {
		return false, nil
	}
	if len(f.pairs) > maxCheckedKeys {
		return false, p.errorAt(f.pairs[special].key.offset, "a map with bytes or generated keys can have %d keys in the spec; this has %d", maxCheckedKeys, len(f.pairs))
	}
	for i := range f.pairs {
		key := f.pairs[i].key
		if key.constant {
			continue
		}
		total := int64(0) // keys that mustn't be equal, this one's included
		mixed := false    // some of them from elsewhere
		for j := range f.pairs {
			if other := f.pairs[j].key; i == j || mayEqual(key.form, other.form) {
				total += other.times
				mixed = mixed || i != j && !sameDomain(key.form, other.form)
			}
		}
		domain, counted := domainOf(key.form)
		switch {
		case !counted && total > 1 && uint64(total) > key.distinct/2:
			// At most half of what it makes is then taken, so that another
			// draw soon finds a key.
			return false, p.errorAt(key.offset, "the map needs %d different keys, of which this can make any; it is sure to make only %d", total, key.distinct/2)
		case counted && mixed && uint64(total) > ks.groups[domain].limit:
			return false, p.errorAt(key.offset, "the map needs %d different keys, of which this can make any; it can make only %d", total, ks.groups[domain].limit)
		}
		checked = checked || mixed || !counted && total > 1
	}
	if checked {
		f.table = len(p.tables)
		p.tables = append(p.tables, f.entries)
		for i := range f.pairs {
			if key := f.pairs[i].key.form; key.constant {
				f.fixed = append(f.fixed, appendConstant(nil, key))
			}
		}
	}
	return checked, nil
}

// sameDomain tells whether two keys are taken from one group, which makes them
// differ.
func sameDomain(a, b *form) bool {
	da, counted := domainOf(a)
	db, alsoCounted := domainOf(b)
	return counted && alsoCounted && da == db
}

// mayEqual tells whether two key forms can make the same key.
func mayEqual(a, b *form) bool {
	switch {
	case a.kind != b.kind:
		return false
	case b.constant && a.values.exists():
		return a.values.has(b)
	case a.generated() || b.generated():
		return true
	case a.kind == kindBytes && a.size == b.size:
		return true // R and B may differ in how much is random
	}
	return sameDomain(a, b)
}
