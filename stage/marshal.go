package stage

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/workload"
)

// WriteYAML prints the plan as a stage file that gives every value of a stage, so
// that loading it again gives the same plan whatever the flags, but for those
// that are not the stages': namespace, set, bin name and compression ratio.
func (p *Plan) WriteYAML(w io.Writer) error {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, s := range p.Stages {
		m := &yaml.Node{Kind: yaml.MappingNode}
		for _, kv := range s.pairs() {
			key, val := text(kv[0]), text(kv[1])
			if strings.HasPrefix(kv[1], "{") && slices.Contains([]string{"tps", "operations", "query", "scan", "find-max"}, kv[0]) {
				if err := yaml.Unmarshal([]byte(kv[1]), val); err != nil {
					return err
				}
				val = val.Content[0]
			}
			// Without the string tag the encoder writes numbers and booleans
			// plainly; a description or spec that looks like one is quoted.
			if val.Kind == yaml.ScalarNode && kv[0] != "desc" && kv[0] != "object-spec" {
				val.Tag = ""
			}
			m.Content = append(m.Content, key, val)
			if kv[0] == "key-end" {
				m.Content = append(m.Content, text("keys"), s.keysNode())
			}
		}
		if s.UDF != nil {
			m.Content = append(m.Content, text("udf"), s.UDF.node())
		}
		m.Content = append(m.Content, s.assertNodes()...)
		list.Content = append(list.Content, m)
	}
	root := list
	var top []*yaml.Node
	if p.HDRDir != "" {
		top = append(top, text(hdrKey), text(p.HDRDir))
	}
	if p.MetricsListen != "" {
		top = append(top, text(metricsKey), text(p.MetricsListen))
	}
	if top != nil {
		root = &yaml.Node{Kind: yaml.MappingNode, Content: append(top, text("stages"), list)}
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
		[2]string{"transactions", strconv.FormatUint(s.Transactions, 10)},
		[2]string{"warmup", FormatDuration(s.Warmup)},
		s.workload(),
		[2]string{"tps", FormatTPS(s.Schedule.Curve)},
		[2]string{"arrival", s.arrival()},
		[2]string{"object-spec", s.Object.String()},
		[2]string{"key-start", strconv.FormatUint(s.Keys.Start, 10)},
		[2]string{"key-end", strconv.FormatUint(s.Keys.End, 10)},
		[2]string{"shard", s.Shard.String()},
	)
	if s.ReadBins != nil {
		pairs = append(pairs, [2]string{"read-bins", FormatBins(s.ReadBins)})
	}
	if s.WriteBins != nil {
		pairs = append(pairs, [2]string{"write-bins", FormatBins(s.WriteBins)})
	}
	if s.BatchNamespaces != nil {
		pairs = append(pairs, [2]string{"batch-namespaces", strings.Join(s.BatchNamespaces, ",")})
	}
	pairs = append(pairs, s.queryPairs()...)
	if s.FindMax != nil {
		// It stands instead of what it sets.
		pairs = slices.DeleteFunc(pairs, func(p [2]string) bool {
			return slices.Contains([]string{"tps", "warmup", "transactions"}, p[0])
		})
		pairs = append(pairs, [2]string{"find-max", s.FindMax.String()})
	}
	return append(append(pairs,
		[2]string{"pause", strconv.Itoa(s.Pause)},
		[2]string{"batch-size", strconv.Itoa(s.Batch)},
		[2]string{"batch-read-size", strconv.Itoa(s.BatchRead)},
		[2]string{"batch-write-size", strconv.Itoa(s.BatchWrite)},
		[2]string{"batch-delete-size", strconv.Itoa(s.BatchDelete)},
		[2]string{"async", strconv.FormatBool(s.Async)},
		[2]string{"async-max-commands", strconv.Itoa(s.AsyncMax)},
		[2]string{"verify", strconv.FormatBool(s.Verify)},
		[2]string{"random", strconv.FormatBool(s.Random)},
		[2]string{"expiration-time", strconv.FormatInt(s.TTL, 10)},
		[2]string{"threads", strconv.Itoa(s.Threads)},
		[2]string{"seed", strconv.FormatUint(s.Seed, 10)},
	), s.errorPairs()...)
}

// workload returns the key that says what the stage does, and its value.
func (s *Stage) workload() [2]string {
	if s.Workload.Kind != workload.Mix {
		return [2]string{"workload", s.Workload.String()}
	}
	texts := make([]string, len(s.Workload.Mix))
	for i, o := range s.Workload.Mix {
		weight := strconv.FormatFloat(o.Weight, 'f', -1, 64)
		switch {
		case o.Pattern != nil:
			weight = "{weight: " + weight
			for _, part := range o.Pattern.Parts() {
				weight += ", " + part[0] + ": " + part[1]
			}
			weight += "}"
		case o.Shared():
			weight = fmt.Sprintf("{weight: %s, all: %g}", weight, o.All)
		}
		texts[i] = o.Name + ": " + weight
	}
	return [2]string{"operations", "{" + strings.Join(texts, ", ") + "}"}
}

// FormatDuration writes whole seconds as a bare number, which asbench reads too,
// and other durations with their unit.
func FormatDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10)
	}
	return d.String()
}

// FormatTPS writes a target rate as a stage file gives it; none is 0.
func FormatTPS(c workload.Curve) string {
	if c == nil {
		return "0"
	}
	return c.String()
}

func (s *Stage) arrival() string {
	if s.Schedule.Poisson {
		return "poisson"
	}
	return "uniform"
}

// node returns the UDF as a stage file gives it. The file is given by its whole
// path, since a plan may be printed to anywhere.
func (u *UDF) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text("module"), text(u.Module), text("function"), text(u.Function)}}
	if u.Args != nil {
		n.Content = append(n.Content, text("args"), text(u.Args.String()))
	}
	if u.File != "" {
		path := u.File
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		n.Content = append(n.Content, text("file"), text(path))
	}
	return n
}

// FormatBins writes bin numbers as "1,3,4".
func FormatBins(bins []int) string {
	texts := make([]string, len(bins))
	for i, b := range bins {
		texts[i] = strconv.Itoa(b)
	}
	return strings.Join(texts, ",")
}
