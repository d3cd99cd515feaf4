package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/internal/shown"
	"github.com/aeroload/aeroload/stage"
)

// Settings is what the header shows of a run.
type Settings struct {
	Cluster  cluster.Config
	Plan     *stage.Plan
	Defaults stage.Defaults
	Port     int
	Embedded bool
	Debug    bool
	// Percentiles are those of the latency lines; none if there are no such
	// lines.
	Percentiles  []float64
	OutputFile   string // "" for none
	OutputPeriod time.Duration
	HDRDir       string // "" for none
}

// notUsed stands where asbench shows a setting of the C client that the Go
// client does not have.
const notUsed = "(not used)"

// WriteHeader prints the settings, a name and a value a line, in the order and
// the layout of asbench. Lines that asbench does not have come last, but for the
// one that says that there is no real cluster, which comes first.
func WriteHeader(w io.Writer, s Settings) error {
	var b strings.Builder
	line := func(name string, format string, args ...any) {
		fmt.Fprintf(&b, "%-23s "+format+"\n", append([]any{name + ":"}, args...)...)
	}
	pool := func(name string, value any) {
		fmt.Fprintf(&b, "%-25s %v\n", name+":", value)
	}
	c := s.Cluster
	if s.Embedded {
		line("server", "embedded (the numbers measure this machine, not Aerospike)")
	}
	line("hosts", "%s", hostNames(c.Hosts))
	line("port", "%d", s.Port)
	line("user", "%s", orNull(c.User))
	line("services-alternate", "%t", c.ServicesAlternate)
	line("max error rate", "%d", c.MaxErrorRate)
	line("tender interval", "%d ms", c.TendInterval.Milliseconds())
	line("error rate window", "%d", c.ErrorRateWindow)
	line("max socket idle", "%d secs", int(c.MaxSocketIdle/time.Second))
	line("namespace", "%s", s.Plan.Namespace)
	line("set", "%s", s.Plan.Set)
	line("start-key", "%d", s.Defaults.StartKey)
	line("keys/records", "%d", s.Defaults.Keys)
	// A spec of several lines stays one line of the header.
	line("object spec", "%s", strings.ReplaceAll(s.Defaults.ObjectSpec, "\n", " "))
	for _, st := range s.Plan.Stages {
		writeStage(&b, st)
	}
	line("threads", "%d", s.Defaults.Threads)
	line("enable compression", "%t", c.Compress)
	line("compression ratio", "%f", s.Defaults.ObjectOptions.CompressionRatio)
	line("connect timeout", "%d ms", c.ConnectTimeout.Milliseconds())
	line("read socket timeout", "%d ms", c.ReadSocketTimeout.Milliseconds())
	line("write socket timeout", "%d ms", c.WriteSocketTimeout.Milliseconds())
	line("read total timeout", "%d ms", c.ReadTimeout.Milliseconds())
	line("write total timeout", "%d ms", c.WriteTimeout.Milliseconds())
	line("max retries", "%d", c.MaxRetries)
	line("sleep between retries", "%d ms", c.SleepBetweenRetries.Milliseconds())
	line("debug", "%t", s.Debug)
	writeOutputs(line, s)
	line("shared memory", "%s", notUsed)
	line("send-key", "%t", c.SendKey)
	line("read replica", "%s", c.Replica)
	line("read mode AP", "%s", c.ReadModeAP)
	line("read mode SC", "%s", c.ReadModeSC)
	line("write commit level", "%s", c.CommitLevel)
	pool("min conns per node", c.MinConnsPerNode)
	pool("max conns per node", c.ConnsPerNode())
	pool("conn pools per node", notUsed)
	pool("async min conns per node", notUsed)
	pool("async max conns per node", notUsed)
	pool("async max commands", s.Defaults.AsyncMax)
	pool("event loops", notUsed)
	line("auth mode", "%s", c.Auth)
	line("seed", "%d", s.Defaults.Seed)
	_, err := io.WriteString(w, shown.Text(b.String())) // names may hold anything
	return err
}

// writeOutputs prints what the run measures and where it writes it.
func writeOutputs(line func(name, format string, args ...any), s Settings) {
	if len(s.Percentiles) == 0 {
		line("latency", "false")
	} else {
		var columns []string
		for _, p := range s.Percentiles {
			columns = append(columns, strconv.FormatFloat(p, 'f', -1, 64)+"%")
		}
		line("hdr histogram format", "UTC-time, seconds-running, total, min-latency, max-latency, %s", strings.Join(columns, ","))
		line("latency period", "1s")
	}
	line("latency histogram", "%t", s.OutputFile != "")
	if s.OutputFile != "" {
		line("histogram output file", "%s", s.OutputFile)
		line("histogram period", "%ds", int(s.OutputPeriod/time.Second))
	}
	line("cumulative HDR hist", "%t", s.HDRDir != "")
	if s.HDRDir != "" {
		line("cumulative HDR output", "%s", s.HDRDir)
	}
}

// writeStage prints a stage the way asbench does: its own YAML, not quite that
// of stage files.
func writeStage(b *strings.Builder, s *stage.Stage) {
	fmt.Fprintf(b, "- duration: %s\n", stage.FormatDuration(s.Duration))
	for _, kv := range [][2]string{
		{"desc", orNull(s.Desc)},
		{"tps", stage.FormatTPS(s.Schedule.Curve)},
		{"key-start", fmt.Sprint(s.Keys.Start)},
		{"key-end", fmt.Sprint(s.Keys.End)},
		{"pause", itoa(s.Pause)},
		{"batch-size", itoa(s.Batch)},
		{"batch-write-size", itoa(s.BatchWrite)},
		{"batch-delete-size", itoa(s.BatchDelete)},
		{"batch-read-size", itoa(s.BatchRead)},
		{"async", fmt.Sprint(s.Async)},
		{"random", fmt.Sprint(s.Random)},
		{"ttl", fmt.Sprint(s.TTL)},
		{"workload", s.Workload.String()},
		{"stage", itoa(s.Number)},
		{"object-spec", s.Object.String()},
		{"read-bins", orNull(stage.FormatBins(s.ReadBins))},
		{"write-bins", orNull(stage.FormatBins(s.WriteBins))},
		{"threads", itoa(s.Threads)},
		{"seed", fmt.Sprint(s.Seed)},
	} {
		fmt.Fprintf(b, "  %s: %s\n", kv[0], kv[1])
	}
	if keys := s.DescribeKeys(); keys != "" {
		fmt.Fprintf(b, "  keys: %s\n", keys)
	}
	if s.Shard.Count > 1 {
		fmt.Fprintf(b, "  shard: %s\n", s.Shard)
	}
}

func orNull(s string) string {
	if s == "" {
		return "(null)"
	}
	return s
}

func hostNames(hosts []cluster.Host) string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Name
	}
	return strings.Join(names, ",")
}
