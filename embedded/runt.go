package embedded

// A TB is the part of testing.TB that RunT needs. It is spelled out so that
// importing this package doesn't add the testing package's flags to a program.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// RunT starts a server for a test and closes it when the test ends. The test
// fails at once if the server can't be started.
func RunT(tb TB, cfg Config) *Server {
	tb.Helper()
	s, err := Start(cfg)
	if err != nil {
		tb.Fatalf("%v", err)
		return nil
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Fatalf("%v", err)
		}
	})
	return s
}
