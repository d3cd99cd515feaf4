package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// distinctOutputs refuses an output that would take the place of another one, or of
// the stage file.
func (s *settings) distinctOutputs() error {
	files := []struct{ what, path string }{
		{"the stage file", s.stagesFile}, {"--result", s.resultFile}, {"--hdr-log", s.hdrLog}, {"--output-file", s.outputFile},
	}
	if s.outputFile == "stdout" { // which is no file's name
		files = files[:len(files)-1]
	}
	for i, a := range files {
		for _, b := range files[:i] {
			if a.path != "" && b.path != "" && sameFile(a.path, b.path) {
				return fmt.Errorf("%s: %s is %s as well", a.what, a.path, b.what)
			}
		}
	}
	return nil
}

// sameFile tells whether two paths are of the same file, which need not exist yet.
// Several outputs may go to the same device or pipe.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB) && infoA.Mode().IsRegular()
	}
	absA, errA2 := filepath.Abs(a)
	absB, errB2 := filepath.Abs(b)
	return errA != nil && errB != nil && errA2 == nil && errB2 == nil && absA == absB
}
