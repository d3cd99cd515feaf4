package objspec

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
	f := &form{kind: k, constant: true, table: -1}
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

// take notes what a collection inherits from what it holds.
func (f *form) take(varying bool, held ...*form) {
	f.varying = f.varying || varying
	for _, h := range held {
		f.constant = f.constant && h.constant && !varying
		f.clock = f.clock || h.clock
	}
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
		f.take(it.counts != nil, it.form)
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
		f.take(key.counts != nil, key.form, value.form)
		p.skipBlank()
		if p.at('}') {
			return keys.assign(p, f)
		}
		if err := p.expect(',', `"," or "}"`); err != nil {
			return err
		}
	}
}
