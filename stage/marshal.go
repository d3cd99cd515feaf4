package stage

import (
	"io"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// WriteYAML prints the plan as a stage file that gives every value, so that
// loading it again gives the same plan whatever the flags.
func (p *Plan) WriteYAML(w io.Writer) error {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, s := range p.Stages {
		m := &yaml.Node{Kind: yaml.MappingNode}
		for _, kv := range s.pairs() {
			key, val := text(kv[0]), text(kv[1])
			// Without the string tag the encoder writes numbers and booleans
			// plainly; a description or spec that looks like one is quoted.
			if kv[0] != "desc" && kv[0] != "object-spec" {
				val.Tag = ""
			}
			m.Content = append(m.Content, key, val)
		}
		list.Content = append(list.Content, m)
	}
	root := list
	if p.HDRDir != "" {
		root = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text(hdrKey), text(p.HDRDir), text("stages"), list}}
	}
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return err
	}
	return enc.Close()
}

func text(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

// pairs lists the stage's keys and the texts of their values.
func (s *Stage) pairs() [][2]string {
	pairs := [][2]string{{"stage", strconv.Itoa(s.Number)}}
	if s.Desc != "" {
		pairs = append(pairs, [2]string{"desc", s.Desc})
	}
	pairs = append(pairs,
		[2]string{"duration", FormatDuration(s.Duration)},
		[2]string{"workload", s.Workload.String()},
		[2]string{"tps", FormatTPS(s.TPS)},
		[2]string{"object-spec", s.Object.String()},
		[2]string{"key-start", strconv.FormatUint(s.Keys.Start, 10)},
		[2]string{"key-end", strconv.FormatUint(s.Keys.End, 10)},
	)
	if s.ReadBins != nil {
		pairs = append(pairs, [2]string{"read-bins", FormatBins(s.ReadBins)})
	}
	if s.WriteBins != nil {
		pairs = append(pairs, [2]string{"write-bins", FormatBins(s.WriteBins)})
	}
	return append(pairs,
		[2]string{"pause", strconv.Itoa(s.Pause)},
		[2]string{"batch-size", strconv.Itoa(s.Batch)},
		[2]string{"batch-read-size", strconv.Itoa(s.BatchRead)},
		[2]string{"batch-write-size", strconv.Itoa(s.BatchWrite)},
		[2]string{"batch-delete-size", strconv.Itoa(s.BatchDelete)},
		[2]string{"async", strconv.FormatBool(s.Async)},
		[2]string{"random", strconv.FormatBool(s.Random)},
		[2]string{"expiration-time", strconv.FormatInt(s.TTL, 10)},
		[2]string{"threads", strconv.Itoa(s.Threads)},
		[2]string{"seed", strconv.FormatUint(s.Seed, 10)},
	)
}

// FormatDuration writes whole seconds as a bare number, which asbench reads too,
// and other durations with their unit.
func FormatDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10)
	}
	return d.String()
}

// FormatTPS writes a rate without an exponent.
func FormatTPS(tps float64) string { return strconv.FormatFloat(tps, 'f', -1, 64) }

// FormatBins writes bin numbers as "1,3,4".
func FormatBins(bins []int) string {
	texts := make([]string, len(bins))
	for i, b := range bins {
		texts[i] = strconv.Itoa(b)
	}
	return strings.Join(texts, ",")
}
