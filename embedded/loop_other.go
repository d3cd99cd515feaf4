//go:build !linux

package embedded

// A loop serves connections on Linux; elsewhere each has a goroutine.
type loop struct{}

func (s *Server) startLoops() error { return nil }

func (l *loop) stop() {}

// adopt would move a connection to a loop.
func (s *Server) adopt(*conn) bool { return false }
