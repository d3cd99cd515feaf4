package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/keygen"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/stage"
)

const catGen = "Records"

// genBenchOption is a flag of gen and, as in asbench, of a run.
func genBenchOption(category string) *option {
	return &option{name: "gen-bench", arg: "N", category: category,
		usage: "time the generation of N records on one thread, without a server, and do nothing else",
		set: setChoice(func(text string) (uint64, error) {
			n, err := stage.ParseCount(text)
			if err == nil && n == 0 {
				err = fmt.Errorf("%q is too small: expected a number from 1", text)
			}
			return n, err
		}, func(s *settings) *uint64 { return &s.genBench })}
}

// genOptions are the flags of `gen`, which share their meaning with those of a
// run, but for -n.
func genOptions() []*option {
	var all []*option
	for _, o := range defaultOptions() {
		switch o.name {
		case "object-spec", "bin", "start-key", "compression-ratio", "seed":
			o.category = catGen
			all = append(all, o)
		}
	}
	return append(all,
		&option{name: "records", short: "n", arg: "N", def: "1", category: catGen, usage: "how many records to show, from the start key on",
			set: setChoice(stage.ParseCount, func(s *settings) *uint64 { return &s.genRecords })},
		&option{name: "json", category: catGen, usage: "show each record as a line of JSON; bytes are in hex",
			set: setBool(func(s *settings) *bool { return &s.genJSON })},
		genBenchOption(catGen))
}

// gen shows records of an object spec, or times their generation.
func gen(s *settings, args []string, stdout, _ io.Writer) error {
	if err := unexpected(args); err != nil {
		return err
	}
	spec, err := objspec.Load(s.defaults.ObjectSpec, "", s.defaults.ObjectOptions)
	if err != nil {
		return usagef("--object-spec: %w", err)
	}
	n := s.genRecords
	if s.genBench > 0 {
		n = s.genBench
	}
	keys := keygen.Range{Start: s.defaults.StartKey, End: s.defaults.StartKey + n}
	if n > 0 && keys.Check() != nil {
		return usagef("--start-key: %w", keys.Check())
	}
	if s.genBench > 0 {
		return timeGeneration(stdout, spec, s.defaults.Seed, s.defaults.StartKey, s.genBench)
	}
	return showRecords(stdout, spec, s)
}

// showRecords prints records with what is needed to make them again.
func showRecords(w io.Writer, spec *objspec.Spec, s *settings) error {
	out := bufio.NewWriter(w)
	if !s.genJSON {
		fmt.Fprintf(out, "seed %d\n", s.defaults.Seed)
	}
	width := 0
	for _, name := range spec.Bins() {
		width = max(width, utf8.RuneCountInString(name))
	}
	g := spec.NewGenerator(s.defaults.Seed)
	var line []byte
	for i := range s.genRecords {
		key := s.defaults.StartKey + i
		bins := g.Record(key, nil)
		if s.genJSON {
			line = fmt.Appendf(line[:0], `{"key":%d,"bins":{`, key)
		} else {
			line = fmt.Appendf(line[:0], "key %d\n", key)
		}
		for n, bin := range bins {
			value, err := objspec.Value(bin)
			if err != nil {
				return fmt.Errorf("key %d: %w", key, err)
			}
			switch {
			case !s.genJSON:
				line = fmt.Appendf(line, "  %-*s  %-8s  ", width, bin.Name, typeName(value))
				line = append(objspec.AppendSpec(line, value), '\n')
			default:
				if n > 0 {
					line = append(line, ',')
				}
				line = append(objspec.AppendJSON(line, bin.Name), ':')
				line = objspec.AppendJSON(line, value)
			}
		}
		if s.genJSON {
			line = append(line, "}}\n"...)
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// typeName is the server's name of a value's type.
func typeName(value any) string {
	switch value.(type) {
	case int64:
		return "integer"
	case float64:
		return "double"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []byte:
		return "blob"
	case objspec.GeoJSON:
		return "geojson"
	case []any:
		return "list"
	}
	return "map"
}

// timeGeneration makes n records and says how long that took. The bytes are
// those of the values as the client sends them.
func timeGeneration(w io.Writer, spec *objspec.Spec, seed, start, n uint64) error {
	g := spec.NewGenerator(seed)
	bytes := uint64(0)
	begin := time.Now()
	for i := range n {
		for _, bin := range g.Record(start+i, nil) {
			if raw, ok := bin.Value.(*aerospike.RawBlobValue); ok {
				bytes += uint64(len(raw.Data))
			}
		}
	}
	taken := max(time.Since(begin), time.Nanosecond)
	rate := float64(n) / taken.Seconds()
	_, err := fmt.Fprintf(w, "generated %d records in %v on one thread: %.0f records/s, %.1f ns/record\n%d bytes of values, %s bytes/record on average, %.1f MB/s\n",
		n, taken.Round(time.Microsecond), rate, float64(taken.Nanoseconds())/float64(n),
		bytes, strconv.FormatFloat(float64(bytes)/float64(n), 'f', 1, 64), float64(bytes)/taken.Seconds()/1e6)
	return err
}
