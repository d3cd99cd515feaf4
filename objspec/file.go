package objspec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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
	spec, err := readSpec(path)
	if err != nil {
		return nil, fmt.Errorf("object spec: %w", err)
	}
	s, err := Parse(spec, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// readSpec reads a file, but no more than a spec can have: the path may lead to
// anything.
func readSpec(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSpecBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxSpecBytes {
		return "", fmt.Errorf("%s has over %d bytes, the most a spec can have", path, maxSpecBytes)
	}
	return strings.TrimPrefix(string(data), byteOrderMark), nil
}
