package wholefile

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

var (
	mu          sync.Mutex
	temporaries = map[string]bool{} // the files that Temporary has made, by path
)

var names atomic.Int64

// temporaryName returns the path of a file in a folder that nobody else writes to. It
// does not have the name of the file that it is for in it, which may be as long as
// names can be.
func temporaryName(dir string) string {
	return filepath.Join(dir, fmt.Sprintf(".aeroload.%d.%d", os.Getpid(), names.Add(1)))
}

// Temporary creates a file to write to, with flags besides those of doing so, that is
// not to outlast the process: [Remove] or [Abandon] removes it.
func Temporary(path string, flags int) (*os.File, error) {
	mu.Lock()
	defer mu.Unlock()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flags, 0o666)
	if err == nil {
		temporaries[path] = true
	}
	return f, err
}

// Remove removes a temporary file.
func Remove(path string) error {
	mu.Lock()
	defer mu.Unlock()
	delete(temporaries, path)
	return os.Remove(path)
}

// rename makes a temporary file the one at path. If that fails, it is removed.
func rename(temporary, path string) error {
	mu.Lock()
	defer mu.Unlock()
	delete(temporaries, temporary)
	err := os.Rename(temporary, path)
	if err != nil {
		os.Remove(temporary)
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
