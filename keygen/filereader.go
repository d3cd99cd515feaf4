package keygen

import (
	"bytes"
	"fmt"

	as "github.com/aerospike/aerospike-client-go/v8"
)

// FileReader is the [Source] of a file: it finds the key of a number. Keys in
// ascending order are found fastest, since it goes on from where it was.
type FileReader struct {
	file  *File
	block uint64 // the block at hand, counted from 1; 0 for none
	lines []byte // what of the block comes after the key found last
	next  uint64 // the place in the block of the key that lines begins with
	buf   []byte // the block, of a file that is not in memory
	box   box
}

// NewReader returns a reader of the file.
func (f *File) NewReader() *FileReader { return &FileReader{file: f} }

// Key returns the key of a number, and what its record's values depend on: an
// integer itself, or the FNV-1a hash of a string (64 bits). So they are the same
// with another file, or another order, that has the key. Nothing is allocated
// once the longest keys have come up. The number must be in the file's range; an
// error says that the file could not be read, or changed after it was opened.
func (r *FileReader) Key(number uint64) (as.Value, uint64, error) {
	line, err := r.line(number)
	if err != nil {
		return nil, 0, err
	}
	if r.file.keyType == IntegerKey {
		n, err := parseKey(line)
		if err != nil {
			return nil, 0, fmt.Errorf("key file %s: it has changed: %w", r.file.path, err)
		}
		return r.box.integer(n), uint64(n), nil
	}
	r.box.buf = append(r.box.buf[:0], line...)
	return r.box.text(), hashText(line), nil
}

// line returns the text of a key.
func (r *FileReader) line(number uint64) ([]byte, error) {
	block, place := (number-1)/blockKeys+1, (number-1)%blockKeys
	if block != r.block || place < r.next {
		if err := r.load(block); err != nil {
			return nil, err
		}
	}
	for len(r.lines) > 0 {
		line := r.lines
		end := bytes.IndexByte(line, '\n')
		if end < 0 {
			r.lines = nil
		} else {
			line, r.lines = line[:end], line[end+1:]
		}
		if line = r.file.text(line); len(line) == 0 {
			continue
		}
		if r.next++; r.next > place {
			if len(line) > MaxKeyLen {
				break
			}
			return line, nil
		}
	}
	r.block = 0
	return nil, fmt.Errorf("key file %s: it has changed: there is no key %d any more", r.file.path, number)
}

// load makes a block the one at hand.
func (r *FileReader) load(block uint64) error {
	r.block, r.next = 0, 0
	if block >= uint64(len(r.file.offsets)) {
		return fmt.Errorf("key file %s: it has %d keys only", r.file.path, r.file.keys)
	}
	from, to := r.file.offsets[block-1], r.file.offsets[block]
	if r.file.data != nil {
		r.lines = r.file.data[from:to]
		r.block = block
		return nil
	}
	if n := int(to - from); cap(r.buf) < n {
		r.buf = make([]byte, n)
	} else {
		r.buf = r.buf[:n]
	}
	if n, err := r.file.src.ReadAt(r.buf, from); n < len(r.buf) {
		return fmt.Errorf("key file %s: %w", r.file.path, err)
	}
	r.lines, r.block = r.buf, block
	return nil
}

// hashText is the 64-bit FNV-1a hash.
func hashText(text []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range text {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}
