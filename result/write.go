package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes the document as JSON, indented but for the periods' numbers.
// Errors are those of w.
func (d *Document) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// CheckWritable returns an error unless a result can be written to path: before a
// run, so that no run is for nothing. What is there stays as it is.
func CheckWritable(path string) error {
	if err := CheckReplaceable(path); err != nil {
		return fmt.Errorf("result file: %w", err)
	}
	return nil
}

// CheckReplaceable returns an error unless [ReplaceFile] can write to path. What is
// there stays as it is.
func CheckReplaceable(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case err == nil && !info.Mode().IsRegular():
		return nil // a device or a pipe, written to as it is
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".writable-*")
	if err != nil {
		if e := new(fs.PathError); errors.As(err, &e) {
			err = e.Err // the name of the probe tells nobody anything
		}
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// WriteFile writes the document to path, as [ReplaceFile] does.
func (d *Document) WriteFile(path string) error {
	if err := ReplaceFile(path, d.Write); err != nil {
		return fmt.Errorf("result file: %w", err)
	}
	return nil
}

// ReplaceFile writes a file. One that is there is replaced as a whole, once all of
// it is on disk, so that neither a reader nor a crash meets half of it; devices and
// pipes are written to as they are.
func ReplaceFile(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the link stays
	}
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), os.Getpid())), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return syncFolder(filepath.Dir(path))
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
