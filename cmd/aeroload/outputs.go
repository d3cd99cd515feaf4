package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aeroload/aeroload/stage"
)

// A namedFile is a file and what it is to a run.
type namedFile struct{ what, path string }

// distinctOutputs refuses an output that would take the place of another one, or of a
// file that the run reads.
func (s *settings) distinctOutputs(plan *stage.Plan) error {
	outputs := []namedFile{{"--result", s.resultFile}, {"--hdr-log", s.hdrLog}}
	if s.outputFile != "stdout" { // which is no file's name
		outputs = append(outputs, namedFile{"--output-file", s.outputFile})
	}
	taken := s.inputs(plan)
	for _, out := range outputs {
		for _, other := range taken {
			if out.path != "" && other.path != "" && sameFile(out.path, other.path) {
				return fmt.Errorf("%s: %s is %s as well", out.what, out.path, other.what)
			}
		}
		taken = append(taken, out)
	}
	return nil
}

// inputs returns the files that a run reads; the path of one that it does not have is
// empty.
func (s *settings) inputs(plan *stage.Plan) []namedFile {
	tls := s.cluster.TLS
	files := []namedFile{
		{"the stage file", s.stagesFile}, {"the file of profiles", s.profilePath},
		{"--tls-cafile", tls.CAFile}, {"--tls-certfile", tls.CertFile}, {"--tls-keyfile", tls.KeyFile},
		{"--tls-cert-blacklist", tls.CertBlacklist},
	}
	for _, st := range plan.Stages {
		files = append(files, namedFile{"the object spec", st.Object.File()})
		if st.KeyFile != nil {
			files = append(files, namedFile{"the key file", st.KeyFile.Path()})
		}
		if u := st.UDF; u != nil {
			files = append(files, namedFile{"the Lua module", u.File})
			if u.Args != nil {
				files = append(files, namedFile{"the spec of arguments", u.Args.File()})
			}
		}
	}
	return files
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
