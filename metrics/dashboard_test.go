package metrics

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"
	"gopkg.in/yaml.v3"
)

// exportedNames lists the names of all series with their labels, those of histograms by
// their parts.
func exportedNames(t *testing.T) map[string][]string {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(atARate(t), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	all, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, family := range all {
		labels := []string{"job", "instance"}
		for _, l := range family.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		name := family.GetName()
		if family.GetType() == dto.MetricType_HISTOGRAM {
			names[name+"_bucket"] = append(labels, "le")
			names[name+"_sum"], names[name+"_count"] = labels, labels
		} else {
			names[name] = labels
		}
	}
	return names
}

// atARate is the exporter of [sample], in whose last stage there is a target rate.
func atARate(t *testing.T) *Exporter {
	t.Helper()
	e := sample(t)
	st := e.of(e.run.Plan.Stages[1])
	st.over = false
	e.replace(st)
	return e
}

var (
	quoted   = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	duration = regexp.MustCompile(`\[[^\]]*\]`)
	matchers = regexp.MustCompile(`\{[^}]*\}`)
	grouping = regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	word     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
)

// namesIn returns the metrics and the labels that a PromQL expression names.
func namesIn(expr string) (metrics, labels []string) {
	expr = quoted.ReplaceAllString(expr, "")
	expr = duration.ReplaceAllString(expr, "")
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for l := range strings.SplitSeq(g[2], ",") {
			labels = append(labels, strings.TrimSpace(l))
		}
	}
	expr = grouping.ReplaceAllString(expr, "")
	for _, m := range matchers.FindAllString(expr, -1) {
		labels = append(labels, word.FindAllString(m, -1)...)
	}
	expr = matchers.ReplaceAllString(expr, "")
	for _, w := range word.FindAllString(expr, -1) {
		if strings.HasSuffix(w, "(") || slices.Contains([]string{"and", "or", "unless", "bool", "offset"}, strings.TrimSpace(w)) {
			continue // a function, or an operator
		}
		metrics = append(metrics, strings.TrimSpace(w))
	}
	return metrics, labels
}

func TestNamesIn(t *testing.T) {
	m, l := namesIn(`histogram_quantile(0.99, sum by (le, op) (rate(a_bucket{job=~"$job|x_y",op!="txn"}[$__rate_interval]))) and on (stage) (b == 1) or vector(0)`)
	if got := fmt.Sprint(m, l); got != "[a_bucket b] [le op stage job op]" {
		t.Errorf("found %s", got)
	}
}

// Every metric and label that the dashboard names is exported.
func TestDashboard(t *testing.T) {
	data, err := os.ReadFile("../examples/metrics/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Title      string
		UID        string
		Templating struct {
			List []struct{ Name, Definition string }
		}
		Panels []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr, RefID string }
		}
		Annotations struct{ List []struct{ Expr string } }
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	exported := exportedNames(t)
	used := map[string]bool{}
	check := func(where, expr string) {
		t.Helper()
		metrics, labels := namesIn(expr)
		if len(metrics) == 0 {
			t.Errorf("%s: no metric in %s", where, expr)
		}
		for _, m := range metrics {
			known, ok := exported[m]
			if !ok {
				t.Errorf("%s: %s is not exported", where, m)
				continue
			}
			used[m] = true
			for _, l := range labels {
				if !slices.Contains(known, l) {
					t.Errorf("%s: %s has no label %s", where, m, l)
				}
			}
		}
	}
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		if ids[p.ID] || p.GridPos.W <= 0 || p.GridPos.X+p.GridPos.W > 24 || len(p.Targets) == 0 {
			t.Errorf("panel %q: %+v", p.Title, p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			check(p.Title, target.Expr)
		}
	}
	for _, a := range dashboard.Annotations.List {
		check("annotation", a.Expr)
	}
	for _, v := range dashboard.Templating.List[1:] {
		inner := strings.TrimSuffix(strings.TrimPrefix(v.Definition, "label_values("), ")")
		metric, label, ok := strings.Cut(strings.ReplaceAll(inner, " ", ""), ",")
		name, _, _ := strings.Cut(metric, "{")
		if !ok || exported[name] == nil || !slices.Contains(exported[name], label) {
			t.Errorf("variable %s: %s", v.Name, v.Definition)
		}
	}
	for _, must := range []string{
		"aeroload_completed_transactions_total", "aeroload_target_transactions_per_second", "aeroload_failed_transactions_total",
		"aeroload_response_time_seconds_bucket", "aeroload_service_time_seconds_bucket", "aeroload_backlog_transactions",
	} {
		if !used[must] {
			t.Errorf("the dashboard does not show %s", must)
		}
	}
	if len(dashboard.Panels) < 10 || dashboard.Title == "" || dashboard.UID == "" {
		t.Errorf("%d panels of %q", len(dashboard.Panels), dashboard.Title)
	}
}

// The documentation lists what is exported, and nothing else.
func TestDocumentation(t *testing.T) {
	data, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(aeroload_[a-z_]+)`").FindAllStringSubmatch(string(data), -1) {
		listed[m[1]] = true
	}
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	for _, d := range newFamilies().all {
		n := name.FindStringSubmatch(d.String())[1]
		if !listed[n] {
			t.Errorf("docs/metrics.md does not list %s", n)
		}
		delete(listed, n)
	}
	for n := range listed {
		t.Errorf("docs/metrics.md lists %s, which is not exported", n)
	}
}

// The example of Prometheus's configuration is YAML and fetches from the port of the
// documentation.
func TestPrometheusConfiguration(t *testing.T) {
	data, err := os.ReadFile("../examples/metrics/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		ScrapeConfigs []struct {
			JobName       string `yaml:"job_name"`
			StaticConfigs []struct {
				Targets []string `yaml:"targets"`
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(config.ScrapeConfigs); got != "[{aeroload [{[localhost:9464]}]}]" {
		t.Errorf("it fetches %s", got)
	}
}
