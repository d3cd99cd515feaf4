// Package wholefile writes files as a whole: a reader, a crash or a signal never meets
// half of one.
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
	return CheckFolder(filepath.Dir(path), path)
}

// CheckFolder returns an error, about the given name, unless files can be made in the
// folder.
func CheckFolder(dir, name string) error {
	probe, err := Temporary(filepath.Join(dir, fmt.Sprintf(".writable.%d", os.Getpid())), os.O_TRUNC)
	if err != nil {
		if e := new(fs.PathError); errors.As(err, &e) {
			err = e.Err // the name of the probe tells nobody anything
		}
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return errors.Join(probe.Close(), Remove(probe.Name()))
}

// Replace writes a file. One that is there is replaced once all of the new one is on
// disk; devices and pipes are written to as they are, and links stay.
func Replace(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := replace(path, write, (*os.File).Sync); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// Refresh is [Replace] for a regular file that is written again and again: it does not
// wait for the disk, so a power cut may lose the latest contents.
func Refresh(path string, write func(io.Writer) error) error {
	return replace(path, write, func(*os.File) error { return nil })
}

func replace(path string, write func(io.Writer) error, sync func(*os.File) error) error {
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), os.Getpid()))
	f, err := Temporary(temporary, os.O_TRUNC)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), sync(f), f.Close()); err != nil {
		return errors.Join(err, Remove(temporary))
	}
	return rename(temporary, path)
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
