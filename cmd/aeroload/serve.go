package main

import (
	"strconv"

	"github.com/aeroload/aeroload/embedded"
)

// serveSettings is what the command line of `serve` says besides --listen.
type serveSettings struct {
	faults    []embedded.Fault
	faultSeed uint64
}

const catFaults = "Faults"

// faultOptions make the server misbehave.
func faultOptions() []*option {
	return []*option{
		{name: "fault", arg: "FAULT", category: catFaults,
			usage: "'write delay=50ms p=0.01', 'read code=timeout n=10', 'any reset p=0.1 per=connection'; may be repeated, the first that strikes counts",
			set: func(s *settings, text string) error {
				f, err := embedded.ParseFault(text)
				s.serve.faults = append(s.serve.faults, f)
				return err
			}},
		{name: "fault-seed", arg: "N", def: "0", category: catFaults, usage: "what the chances of faults are drawn from",
			set: func(s *settings, text string) error {
				var err error
				s.serve.faultSeed, err = strconv.ParseUint(text, 10, 64)
				return err
			}},
	}
}

// serverConfig is how the server is to be.
func (s *settings) serverConfig() embedded.Config {
	return embedded.Config{Listen: s.listen, Faults: s.serve.faults, FaultSeed: s.serve.faultSeed}
}
