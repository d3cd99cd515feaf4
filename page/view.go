package page

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/result"
)

// view is what the template shows.
type view struct {
	Title    string
	Style    template.CSS
	Several  bool
	Failed   int // assertions, of all runs
	Runs     []about
	Overview []figure
	Stages   []stageView
}

// about is what a run was.
type about struct {
	Name, Class         string
	Start, Length       string
	Stopped             string
	Embedded            bool
	Passed, Failed      int // assertions
	Total               int // of them
	Facts               []fact
	Notes               []string
	Config, Connections string // YAML
}

type fact struct{ Name, Value string }

func newAbout(r Run, i int) (about, error) {
	d := r.Document
	a := about{
		Name: r.label(i), Class: fmt.Sprintf("c%d d0", i%colors),
		Start: d.Start.UTC().Format("2006-01-02 15:04:05 UTC"), Length: d.End.Sub(d.Start).Round(100 * time.Millisecond).String(),
		Stopped: d.Stopped, Embedded: d.Server.Embedded,
	}
	for _, s := range d.Stages {
		for _, c := range s.Assertions {
			if c.OK {
				a.Passed++
			} else {
				a.Failed++
			}
		}
	}
	a.Total = a.Passed + a.Failed
	a.Facts = facts(d)
	for _, n := range d.Notes {
		if n.Kind == result.NoteEmbedded || n.Kind == result.NoteStopped {
			continue // the page says so more clearly
		}
		text := n.At.UTC().Format("15:04:05 ") + n.Text
		if n.Stage > 0 {
			text = n.At.UTC().Format("15:04:05 ") + fmt.Sprintf("stage %d: ", n.Stage) + n.Text
		}
		a.Notes = append(a.Notes, text)
	}
	var err error
	if a.Config, err = toYAML(d.Config.Stages); err != nil {
		return a, err
	}
	a.Connections, err = toYAML(connection(d.Config.Connection))
	return a, err
}

// facts are the short answers to where, with what and against what a run ran.
func facts(d *result.Document) []fact {
	list := []fact{
		{"started", d.Start.UTC().Format(time.RFC3339)},
		{"ended", d.End.UTC().Format(time.RFC3339)},
		{"namespace and set", d.Config.Namespace + " " + d.Config.Set},
		{"seed", fmt.Sprint(d.Seed)},
		{"aeroload", fmt.Sprintf("%s, Aerospike client %s, %s", d.Versions.Aeroload, d.Versions.Client, d.Versions.Go)},
	}
	for _, n := range d.Server.Nodes {
		list = append(list, fact{"node " + n.Name, strings.TrimSpace(fmt.Sprintf("%s, %s %s", n.Host, n.Edition, n.Build))})
	}
	for _, m := range d.Machines {
		list = append(list, fact{"load from " + m.Host, fmt.Sprintf("%s/%s %s, %d × %s, %.1f GiB", m.OS, m.Arch, m.Kernel, m.Cores, m.CPU, float64(m.MemoryBytes)/(1<<30))})
	}
	return list
}

// connection is the part of a connection worth reading, by the names of the
// document.
func connection(c result.Connection) any {
	return struct {
		Hosts                []string
		User                 string `yaml:",omitempty"`
		Auth                 string
		TLS                  bool
		ReadTimeoutMS        int64  `yaml:"read_timeout_ms"`
		WriteTimeoutMS       int64  `yaml:"write_timeout_ms"`
		ReadSocketTimeoutMS  int64  `yaml:"read_socket_timeout_ms"`
		WriteSocketTimeoutMS int64  `yaml:"write_socket_timeout_ms"`
		MaxRetries           int    `yaml:"max_retries"`
		SleepBetweenRetryMS  int64  `yaml:"sleep_between_retries_ms"`
		ConnsPerNode         int    `yaml:"max_conns_per_node"`
		Replica              string `yaml:"replica"`
		ReadModeAP           string `yaml:"read_mode_ap"`
		ReadModeSC           string `yaml:"read_mode_sc"`
		CommitLevel          string `yaml:"commit_level"`
		DurableDelete        bool   `yaml:"durable_delete"`
		Compress             bool   `yaml:"compress"`
		SendKey              bool   `yaml:"send_key"`
	}(c)
}

func toYAML(v any) (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("report page: configuration: %w", err)
	}
	return b.String(), nil
}

// stageView is a stage of all runs.
type stageView struct {
	Number        int
	Title         string
	Several       bool
	HasMismatches bool // some run's reads differed from what was written
	Rows          []row
	Codes         []string
	Assertions    []assertion
	Found         []found
	Figures       []figure
}

// row is an operation of a run in a stage.
type row struct {
	Class, Run, Op, Latency  string
	Count, TPS               string
	Misses, Timeouts, Errors string
	Bad                      bool // timeouts or errors
	P50, P90, P99, P999, Max string
	Mismatches               string
}

type assertion struct {
	Class, Run string
	OK         bool
	Text       string
}

// found is what a search for the highest rate came to.
type found struct {
	Run, Text string
	Probes    []probe
}

type probe struct {
	TPS, Achieved, Why string
	OK                 bool
}

func newStageView(runs []Run, number int, title string) (stageView, error) {
	v := stageView{Number: number, Title: title, Several: len(runs) > 1}
	for i, r := range runs {
		if s := r.stage(number); s != nil {
			v.add(s, r.label(i), fmt.Sprintf("c%d d0", i%colors))
		}
	}
	for _, op := range operations(runs) {
		c, err := distribution(runs, number, op)
		if err != nil {
			return v, fmt.Errorf("report page: stage %d: %w", number, err)
		}
		if c != nil {
			v.Figures = append(v.Figures, c.figure(fmt.Sprintf("distribution-%d-%s", number, op)))
		}
	}
	return v, nil
}

// add adds a run's share of the stage.
func (v *stageView) add(s *result.Stage, run, class string) {
	where := ""
	if v.Several {
		where = run + ": "
	}
	for _, op := range s.OperationNames() {
		o := s.Operations[op]
		for _, kind := range []struct {
			name string
			l    *result.Latency
		}{{"response", o.Response}, {"service", o.Service}} {
			if kind.l != nil {
				v.Rows = append(v.Rows, newRow(o, kind.l, row{Class: class, Run: run, Op: op, Latency: kind.name}))
			}
		}
		v.HasMismatches = v.HasMismatches || o.Mismatches > 0
		for _, c := range o.Codes {
			unit := "transactions"
			if c.Records {
				unit = "records of batches"
			}
			v.Codes = append(v.Codes, fmt.Sprintf("%s%s %s %s failed with %d %s (%s)", where, formatCount(c.Count), op, unit, c.Code, c.Name, c.Example))
		}
	}
	for _, a := range s.Assertions {
		v.Assertions = append(v.Assertions, assertion{class, run, a.OK, a.String()})
	}
	if f := s.FindMax; f != nil {
		text := fmt.Sprintf("%sthe limits hold up to %s transactions/s", where, formatRate(f.TPS))
		switch {
		case f.TPS == 0:
			text = where + "no rate was found at which the limits hold"
		case !f.Settled:
			text += "; how much more there is was not found out in time"
		}
		shown := found{Run: run, Text: text}
		for _, p := range f.Probes {
			shown.Probes = append(shown.Probes, probe{formatRate(p.TPS), formatRate(p.Achieved), p.Why, p.OK})
		}
		v.Found = append(v.Found, shown)
	}
}

func newRow(o *result.Operation, l *result.Latency, r row) row {
	us := func(v int64) string { return formatLatency(float64(v)) }
	r.Count, r.TPS = formatCount(o.Workload().Attempted()), fmt.Sprintf("%.1f", o.TPS)
	r.Misses, r.Timeouts, r.Errors = formatCount(o.Misses), formatCount(o.Timeouts), formatCount(o.Errors)
	r.Mismatches = formatCount(o.Mismatches)
	r.Bad = o.Timeouts+o.Errors > 0
	r.P50, r.P90, r.P99, r.P999, r.Max = us(l.P50), us(l.P90), us(l.P99), us(l.P999), us(l.Max)
	return r
}
