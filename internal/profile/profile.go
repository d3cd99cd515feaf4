// Package profile reads the file in which users keep how they connect: settings
// for each of their clusters, under the names of the flags.
//
//	hosts: [10.0.0.1, 10.0.0.2]   # what stands at the top is the default profile
//	user: bench
//	password: secret
//	profiles:
//	  staging:
//	    hosts: staging-1:4333
//	    tls-enable: true
//
// A named profile has its own settings alone. YAML's anchors and merge keys let
// profiles share.
package profile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
)

// Default is the name of the profile at the top of a file.
const Default = "default"

// maxSize in bytes keeps a wrong path from filling the memory.
const maxSize = 1 << 20

// A Setting is one line of a profile.
type Setting struct {
	Key   string
	Text  string // as it is written; a list has commas between its elements
	Place string // file:line:column
}

// A File is a parsed file of profiles.
type File struct {
	Path string
	// Mode is that of the file; 0 if it has none, as in tests of texts.
	Mode     fs.FileMode
	profiles map[string][]Setting
}

// Load reads a file, whose profiles may have the keys that are known; those in
// lists may have a list as their value. The error is that of opening the file,
// which may be [fs.ErrNotExist], or tells everything that is wrong with it, each
// on a line that begins with file:line:column.
func Load(path string, known, lists []string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, maxSize>>20)
	}
	file, err := Parse(path, data, known, lists)
	if err != nil {
		return nil, err
	}
	file.Mode = info.Mode()
	return file, nil
}

// Parse is [Load] for a text; path stands for it in errors.
func Parse(path string, data []byte, known, lists []string) (*File, error) {
	p := parser{path: path, known: known, lists: lists, profiles: map[string][]Setting{Default: nil}}
	p.parse(data)
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return &File{Path: path, profiles: p.profiles}, nil
}

// Profile returns the settings of a profile, in their order in the file. The
// error lists the names there are.
func (f *File) Profile(name string) ([]Setting, error) {
	settings, ok := f.profiles[name]
	if !ok {
		names := f.Names()
		return nil, fmt.Errorf("there is no profile %q in %s%s; there are: %s",
			name, f.Path, suggest.DidYouMean(name, names), strings.Join(names, ", "))
	}
	return slices.Clone(settings), nil
}

// Names returns the names of all profiles, [Default] first.
func (f *File) Names() []string {
	names := []string{Default}
	for name := range f.profiles {
		if name != Default {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	return names
}

// OthersMayRead tells whether users other than the owner may read the file, as
// far as its mode says.
func (f *File) OthersMayRead() bool { return f.Mode.IsRegular() && f.Mode.Perm()&0o044 != 0 }
