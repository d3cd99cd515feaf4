package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

var (
	mu          sync.Mutex
	temporaries = map[string]bool{} // the files that Create has made, by path
)

// Create creates a file that is not there yet, to write to, and that is not to outlast
// the process: [Remove] or [Abandon] removes it.
func Create(path string) (*os.File, error) {
	mu.Lock()
	defer mu.Unlock()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err == nil {
		temporaries[path] = true
	}
	return f, err
}

// temporary creates a file in a folder under a name of its own. It does not have the
// name of the file that it is for in it, which may be as long as names can be.
func temporary(dir string) (*os.File, error) {
	for {
		f, err := Create(filepath.Join(dir, fmt.Sprintf(".aeroload.%08x", rand.Uint32())))
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Remove removes a temporary file.
func Remove(path string) error {
	mu.Lock()
	defer mu.Unlock()
	delete(temporaries, path)
	return os.Remove(path)
}

// A move is of a temporary file to its place.
type move struct{ temporary, path string }

// rename moves temporary files to their places. If one cannot be moved, it and those
// after it are removed.
func rename(moves ...move) (err error) {
	mu.Lock()
	defer mu.Unlock()
	for _, m := range moves {
		delete(temporaries, m.temporary)
		if err == nil {
			err = os.Rename(m.temporary, m.path)
		}
		if err != nil {
			os.Remove(m.temporary)
		}
	}
	return err
}

// Abandon removes the temporary files, for a process that ends at once: whoever makes,
// removes or renames one afterwards waits for ever.
func Abandon() {
	mu.Lock()
	for path := range temporaries {
		os.Remove(path)
	}
}
