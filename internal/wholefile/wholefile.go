// Package wholefile reads and writes files as a whole: only up to a limit, and so that
// a reader, a crash or a signal never meets half of one.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Check returns an error unless [Replace] can write to path. What is there stays as
// it is.
func Check(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return nil // a device or a pipe, written to as it is
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return CheckFolder(filepath.Dir(target(path)), path)
}

// CheckFolder returns an error, about the given name, unless files can be made in the
// folder.
func CheckFolder(dir, name string) error {
	probe, err := temporary(dir)
	if err != nil {
		if e := new(fs.PathError); errors.As(err, &e) {
			err = e.Err // the name of the probe tells nobody anything
		}
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return errors.Join(probe.Close(), Remove(probe.Name()))
}

// Replace writes a file. One that is there is replaced once all of the new one is on
// disk, and its permissions and links to it stay; devices and pipes are written to as
// they are.
func Replace(path string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	there := err == nil
	if there && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	path = target(path)
	finish := (*os.File).Sync
	if there {
		finish = func(f *os.File) error { return errors.Join(f.Chmod(info.Mode().Perm()), f.Sync()) }
	}
	temporary, err := writeTemporary(File{path, write}, finish)
	if err != nil {
		return err
	}
	if err := rename(move{temporary, path}); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// maxLinks is how many links on the way to a file systems follow at most, or more.
const maxLinks = 255

// target returns where the links of a path lead to, also if there is nothing yet.
func target(path string) string {
	for range maxLinks {
		next, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return path
}

// A File is what is to be written to a path.
type File struct {
	Path  string
	Write func(io.Writer) error
}

// Refresh writes regular files that are written again and again. All of them are
// replaced at once, as far as a signal is concerned, or none if one cannot be written.
// It does not wait for the disk, so a power cut may lose the latest contents.
func Refresh(files ...File) error {
	var moves []move
	for _, file := range files {
		temporary, err := writeTemporary(file, func(*os.File) error { return nil })
		if err != nil {
			for _, m := range moves {
				err = errors.Join(err, Remove(m.temporary))
			}
			return err
		}
		moves = append(moves, move{temporary, file.Path})
	}
	return rename(moves...)
}

// writeTemporary writes a file beside the place where it is to be, and returns its
// path. finish is called when all is written.
func writeTemporary(file File, finish func(*os.File) error) (string, error) {
	f, err := temporary(filepath.Dir(file.Path))
	if err != nil {
		return "", err
	}
	if err := errors.Join(file.Write(f), finish(f), f.Close()); err != nil {
		return "", errors.Join(err, Remove(f.Name()))
	}
	return f.Name(), nil
}

// syncFolder makes a rename in a folder last. Not every system can do that.
func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return nil // a folder that may be written to but not read
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}

// Read reads a file, which must not have more than a limit of bytes: its path may lead
// to anything.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %s", path, size(limit))
	}
	return data, nil
}

// size writes a number of bytes.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
