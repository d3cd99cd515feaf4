package objspec

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aeroload/aeroload/internal/wholefile"
)

// filePrefix begins an object spec that stands in a file.
const filePrefix = "@file:"

// byteOrderMark is what some editors begin a file of UTF-8 with.
const byteOrderMark = "\ufeff"

// Load is Parse for a text that may also be "@file:PATH", where the file holds
// the spec, behind a byte order mark perhaps; a path that isn't absolute starts in dir, or in the working directory
// if that is "". What is wrong with the file's text is an *Error that is wrapped
// with the path; that it can't be read, or has over 1 MiB, is another error.
func Load(text, dir string, o Options) (*Spec, error) {
	path, ok := strings.CutPrefix(strings.TrimSpace(text), filePrefix)
	if !ok {
		return Parse(text, o)
	}
	if path == "" {
		return nil, errors.New("object spec: expected the path of a file after @file:, found nothing")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err := wholefile.Read(path, maxSpecBytes)
	if err != nil {
		return nil, fmt.Errorf("object spec: %w", err)
	}
	s, err := Parse(strings.TrimPrefix(string(data), byteOrderMark), o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.file = path
	return s, nil
}

// File returns the path of the file that holds the spec; "" if it stands in none.
func (s *Spec) File() string { return s.file }
