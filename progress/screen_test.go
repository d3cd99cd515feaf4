package progress

import (
	"bytes"
	"strings"
	"sync"

	"github.com/hinshun/vt10x"
)

// screen is an emulated terminal.
type screen struct {
	mu       sync.Mutex
	terminal vt10x.Terminal
	columns  int
	away     bool // another job is in the foreground
	raw      bytes.Buffer
}

func newScreen(columns int) *screen {
	return &screen{terminal: vt10x.New(vt10x.WithSize(columns, 30)), columns: columns}
}

// Write shows what a process writes, with line ends as the terminal driver makes
// them.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(p)
	if _, err := s.terminal.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// rows returns what a user sees, without the empty rows at the end.
func (s *screen) rows() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []string
	for row := range strings.SplitSeq(s.terminal.String(), "\n") {
		rows = append(rows, strings.TrimRight(row, " \x00"))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// open returns the terminal that the screen is.
func (s *screen) open() *Terminal {
	return &Terminal{
		out:   s,
		able:  true,
		front: func() bool { s.mu.Lock(); defer s.mu.Unlock(); return !s.away },
		columns: func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.columns
		},
	}
}

func (s *screen) setAway(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

// resize changes the width.
func (s *screen) resize(columns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns = columns
	s.terminal.Resize(columns, 30)
}
