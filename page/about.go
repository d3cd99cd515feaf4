package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/result"
)

// about is what a run was.
type about struct {
	legend
	Start, Length       string
	Stopped             string
	Embedded            bool
	Passed, Failed      int      // assertions
	Total               int      // of them
	Missed              []string // the first that failed
	More                int      // that failed besides
	Facts               []fact
	Notes               []string
	Config, Connections string // YAML
}

// mostMissed is how many failed assertions the head of the page lists.
const mostMissed = 10

// fact is a short answer about a run or a stage.
type fact struct{ Name, Value string }

func newAbout(r Run, l look) (about, error) {
	d := r.Document
	a := about{
		legend: l.legend(r.Name),
		Start:  d.Start.UTC().Format("2006-01-02 15:04:05 UTC"), Length: formatSeconds(d.End.Sub(d.Start).Seconds()),
		Stopped: d.Stopped, Embedded: d.Server.Embedded,
	}
	for _, s := range d.Stages {
		for _, c := range s.Assertions {
			if c.OK {
				a.Passed++
				continue
			}
			a.Failed++
			if len(a.Missed) == mostMissed {
				a.More++
				continue
			}
			a.Missed = append(a.Missed, fmt.Sprintf("stage %d: %s", s.Number, cut(c.String(), longest)))
		}
	}
	a.Total = a.Passed + a.Failed
	a.Facts = facts(d)
	for _, n := range d.Notes {
		if n.Kind == result.NoteEmbedded || n.Kind == result.NoteStopped {
			continue // the page says so more clearly
		}
		where := ""
		if n.Stage > 0 {
			where = fmt.Sprintf("stage %d: ", n.Stage)
		}
		a.Notes = append(a.Notes, n.At.UTC().Format("15:04:05 ")+where+n.Text)
	}
	var err error
	if a.Config, err = toYAML(ordered(d.Config.Stages)); err != nil {
		return a, fmt.Errorf("%s: configuration: %w", r.Name, err)
	}
	keys, err := connection(d.Config.Connection)
	if err != nil {
		return a, fmt.Errorf("%s: connection: %w", r.Name, err)
	}
	if a.Connections, err = toYAML(whole(keys)); err != nil {
		return a, fmt.Errorf("%s: connection: %w", r.Name, err)
	}
	return a, nil
}

// ordered returns stages as YAML with the keys first that tell what a stage is.
func ordered(stages []map[string]any) []yaml.Node {
	first := []string{"stage", "desc", "workload", "operations"}
	list := make([]yaml.Node, len(stages))
	for i, keys := range stages {
		list[i].Kind = yaml.MappingNode
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(keys)), func(k string) bool { return slices.Contains(first, k) })
		for _, k := range slices.Concat(first, names) {
			if v, ok := keys[k]; ok {
				var key, value yaml.Node
				key.SetString(k)
				if err := value.Encode(whole(v)); err != nil {
					value.SetString(fmt.Sprint(v))
				}
				list[i].Content = append(list[i].Content, &key, &value)
			}
		}
	}
	return list
}

// facts say where, with what and against what a run ran.
func facts(d *result.Document) []fact {
	list := []fact{
		{"started", d.Start.UTC().Format(time.RFC3339)},
		{"ended", d.End.UTC().Format(time.RFC3339)},
		{"namespace", d.Config.Namespace},
		{"set", d.Config.Set},
		{"seed", fmt.Sprint(d.Seed)},
		{"aeroload", fmt.Sprintf("%s, Aerospike client %s, %s", d.Versions.Aeroload, d.Versions.Client, d.Versions.Go)},
	}
	for _, n := range d.Server.Nodes {
		list = append(list, fact{"node " + n.Name, strings.TrimSpace(fmt.Sprintf("%s, %s %s", n.Host, n.Edition, n.Build))})
	}
	for _, m := range d.Machines {
		text := fmt.Sprintf("%s/%s %s, %d × %s", m.OS, m.Arch, m.Kernel, m.Cores, m.CPU)
		if m.MemoryBytes > 0 {
			text += ", " + formatBytes(m.MemoryBytes)
		}
		list = append(list, fact{"load from " + m.Host, text})
	}
	return list
}

// connection returns a connection by the names of the document.
func connection(c result.Connection) (keys map[string]any, err error) {
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return keys, json.Unmarshal(data, &keys)
}

// difference is a key of the configuration in which runs differ.
type difference struct {
	Key    string
	Values []string // by run
}

// differences are what is not the same in the configurations of all runs.
func differences(runs []Run) []difference {
	var configs []map[string]string
	keys := map[string]bool{}
	for _, r := range runs {
		config := flat(r.Document)
		configs = append(configs, config)
		for k := range config {
			keys[k] = true
		}
	}
	var list []difference
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		d := difference{Key: k}
		differ := false
		for _, config := range configs {
			differ = differ || config[k] != configs[0][k]
			value := none
			if config[k] != "" {
				value = cut(config[k], longest)
			}
			d.Values = append(d.Values, value)
		}
		if differ {
			list = append(list, d)
		}
	}
	return list
}

// flat is a configuration as texts by name.
func flat(d *result.Document) map[string]string {
	config := map[string]string{
		"namespace": d.Config.Namespace, "set": d.Config.Set, "bin": d.Config.Bin,
		"aeroload": d.Versions.Aeroload, "client": d.Versions.Client, "Go": d.Versions.Go,
	}
	var builds, machines []string
	for _, n := range d.Server.Nodes {
		builds = append(builds, strings.TrimSpace(n.Edition+" "+n.Build))
	}
	for _, m := range d.Machines {
		machines = append(machines, m.Host)
	}
	config["servers"], config["machines"] = strings.Join(builds, ", "), strings.Join(machines, ", ")
	for i, s := range d.Config.Stages {
		for k, v := range s {
			config[fmt.Sprintf("stage %d %s", i+1, k)] = compact(v)
		}
	}
	if keys, err := connection(d.Config.Connection); err == nil {
		for k, v := range keys {
			config["connection "+k] = compact(v)
		}
	}
	return config
}

// compact writes a value of JSON on one line; texts as they are.
func compact(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
