package condition

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aeroload/aeroload/internal/suggest"
	"github.com/aeroload/aeroload/workload"
)

// maxText bounds the conditions that are read, in bytes.
const maxText = 200

// Error says what is wrong with a condition, and where.
type Error struct {
	Text   string // the whole condition
	Offset int    // of what is wrong, in bytes from 0
	Err    error
}

func (e *Error) Error() string {
	text := e.Text
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return fmt.Sprintf("%q, character %d: %v", text, utf8.RuneCountInString(e.Text[:e.Offset])+1, e.Err)
}

// Unwrap returns the error without its place.
func (e *Error) Unwrap() error { return e.Err }

// parser reads one condition.
type parser struct {
	text string
	kind Kind
}

func (p parser) errorAt(offset int, format string, args ...any) error {
	return &Error{p.text, offset, fmt.Errorf(format, args...)}
}

// Parse reads a condition. Its errors are *[Error].
func Parse(text string, kind Kind) (Condition, error) {
	p := parser{text, kind}
	if len(text) > maxText {
		return Condition{}, p.errorAt(0, "a condition has at most %d bytes", maxText)
	}
	if strings.TrimSpace(text) == "" {
		return Condition{}, p.errorAt(0, "the condition is empty; expected one such as %s", example(kind))
	}
	left := strings.IndexAny(text, "<>=!")
	if left < 0 {
		return Condition{}, p.errorAt(len(strings.TrimRight(text, " \t")), "a comparison is missing: expected one such as %s", example(kind))
	}
	right := left + len(text[left:]) - len(strings.TrimLeft(text[left:], "<>=!"))
	c := Condition{Text: strings.TrimSpace(text)}
	if err := p.metric(&c, text[:left]); err != nil {
		return Condition{}, err
	}
	if err := p.comparator(&c, left, text[left:right]); err != nil {
		return Condition{}, err
	}
	value := strings.TrimSpace(text[right:])
	at := right + strings.Index(text[right:], value)
	if value == "" {
		return Condition{}, p.errorAt(len(text), "a value is missing behind %s", text[left:right])
	}
	if err := p.value(&c, at, value); err != nil {
		return Condition{}, err
	}
	return c, nil
}

func example(kind Kind) string {
	if kind == Comparison {
		return `"p99 > +10%" or "tps < -5%"`
	}
	return `"p99 < 2ms" or "errors == 0"`
}

func (p parser) comparator(c *Condition, at int, text string) error {
	for i, known := range comparators() {
		if text == known {
			c.Comparator = Comparator(i)
			return nil
		}
	}
	hint := map[string]string{"=": "==", "=<": "<=", "=>": ">=", "<>": "!=", "!": "!=", "===": "=="}[text]
	if hint != "" {
		hint = fmt.Sprintf("; did you mean %q?", hint)
	}
	return p.errorAt(at, "unknown comparison %q: expected <, <=, >, >=, == or !=%s", text, hint)
}

// percentile is the name of a percentile, with what may stand before it.
var percentile = regexp.MustCompile(`^(?:(.*)\.)?p(\d+(?:\.\d+)?)$`)

// metric reads the left side.
func (p parser) metric(c *Condition, text string) error {
	trimmed := strings.TrimSpace(text)
	at := strings.Index(text, trimmed)
	if trimmed == "" {
		return p.errorAt(0, "the metric is missing: expected one of %s", strings.Join(metricNames(), ", "))
	}
	selectors, name := "", trimmed
	if m := percentile.FindStringSubmatch(trimmed); m != nil {
		selectors, name = m[1], trimmed[len(trimmed)-len(m[2])-1:]
		percent, err := strconv.ParseFloat(m[2], 64)
		if err != nil || percent > 100 {
			return p.errorAt(at+len(trimmed)-len(name), "%s is no percentile: expected p0 to p100, such as p99.9", name)
		}
		c.Metric, c.Percent = Percentile, percent
	} else {
		if i := strings.LastIndexByte(trimmed, '.'); i >= 0 {
			selectors, name = trimmed[:i], trimmed[i+1:]
		}
		if err := p.named(c, at+len(trimmed)-len(name), name); err != nil {
			return err
		}
	}
	if len(name) == len(trimmed) {
		return nil
	}
	for selector := range strings.SplitSeq(selectors, ".") {
		if err := p.selector(c, at, selector); err != nil {
			return err
		}
		at += len(selector) + 1
	}
	if c.Latency != "" && !c.IsLatency() {
		return p.errorAt(at, "%s is no latency: %s selects among latencies", name, c.Latency)
	}
	return nil
}

// named reads a metric that has a fixed name.
func (p parser) named(c *Condition, at int, name string) error {
	for i, m := range metrics() {
		if m.name == name {
			c.Metric = Metric(i)
			return nil
		}
	}
	if _, ok := selectorOf(name); ok {
		return p.errorAt(at+len(name), "a metric is missing behind %s: expected one of %s", name, strings.Join(metricNames(), ", "))
	}
	// Words that other tools use for the same things.
	others := map[string]string{"avg": "mean", "average": "mean", "median": "p50", "throughput": "tps", "rate": "tps", "error": "errors", "failures": "errors", "miss": "misses", "qps": "tps", "ops": "tps"}
	if other, ok := others[name]; ok {
		return p.errorAt(at, "unknown metric %q; did you mean %q?", name, other)
	}
	return p.errorAt(at, "unknown metric %q: expected one of %s%s", name, strings.Join(metricNames(), ", "), suggest.DidYouMean(name, metricNames()))
}

// metricNames lists the names of metrics, with an example of a percentile.
func metricNames() []string {
	names := []string{"p99"}
	for _, m := range metrics() {
		names = append(names, m.name)
	}
	return names
}

// selectorOf reads what a selector says.
func selectorOf(text string) (c Condition, ok bool) {
	if text == "service" || text == "response" {
		return Condition{Latency: text}, true
	}
	if number, found := strings.CutPrefix(text, "stage"); found {
		n, err := strconv.Atoi(number)
		return Condition{Stage: n}, err == nil && n > 0 && n < math.MaxInt32 && number[0] != '0' && number[0] != '+'
	}
	for _, name := range operationNames() {
		if text == name {
			return Condition{Op: name}, true
		}
	}
	return Condition{}, false
}

func operationNames() []string {
	var names []string
	for op := range workload.NumOps {
		names = append(names, workload.Op(op).String())
	}
	return append(names, Total)
}

func (p parser) selector(c *Condition, at int, text string) error {
	s, ok := selectorOf(text)
	if !ok {
		known := append(operationNames(), "service", "response")
		if p.kind == Comparison {
			known = append(known, "stage1")
		}
		return p.errorAt(at, "unknown selector %q: expected one of %s%s", text, strings.Join(known, ", "), suggest.DidYouMean(text, known))
	}
	switch {
	case s.Stage > 0 && p.kind == Assertion:
		return p.errorAt(at, "%s: an assertion is about the stage that it stands in", text)
	case s.Stage > 0 && c.Stage > 0 || s.Op != "" && c.Op != "" || s.Latency != "" && c.Latency != "":
		return p.errorAt(at, "%s: there is a selector of that kind already", text)
	}
	c.Stage, c.Op, c.Latency = max(c.Stage, s.Stage), c.Op+s.Op, c.Latency+s.Latency
	return nil
}

// plainNumber is what values may hold: no exponents, infinities or hexadecimals.
var plainNumber = regexp.MustCompile(`^(\d+(?:_\d+)*(?:\.\d+)?|\.\d+)(.*)$`)

// value reads the right side.
func (p parser) value(c *Condition, at int, text string) error {
	sign, digits := 1.0, text
	switch text[0] {
	case '+':
		digits = text[1:]
	case '-':
		sign, digits = -1, text[1:]
	}
	signed := len(digits) < len(text)
	if signed && p.kind == Assertion {
		return p.errorAt(at, "%q has a sign: an assertion compares with no other run", text)
	}
	m := plainNumber.FindStringSubmatch(digits)
	if m == nil {
		return p.errorAt(at, "%q is no value: expected %s", text, expected(c.Metric, signed))
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
	if err != nil {
		return p.errorAt(at, "%q is no number", text)
	}
	suffix := strings.TrimSpace(m[2])
	var ok bool
	switch {
	case signed && suffix == "%":
		c.Change, c.Value, ok = ChangePercent, n, true
	case suffix == "%" && c.Metric.unit() != fraction && p.kind == Comparison:
		return p.errorAt(at, "%q has no sign: write +%[1]s or -%[1]s for a change", text)
	default:
		c.Value, ok = inUnit(c.Metric.unit(), n, suffix)
		if signed {
			c.Change = ChangeAbsolute
		}
	}
	if !ok {
		return p.errorAt(at, "%q is no value for %s: expected %s", text, c.Describe(), expected(c.Metric, signed))
	}
	c.Value *= sign
	if c.Metric.unit() == fraction && c.Change == NoChange && c.Value > 1 {
		return p.errorAt(at, "%s is out of range: expected 0%% to 100%%", text)
	}
	return nil
}

// inUnit returns n in the unit of a metric.
func inUnit(u unit, n float64, suffix string) (v float64, ok bool) {
	switch u {
	case fraction:
		return n / 100, suffix == "%"
	case number:
		scale, ok := map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}[suffix]
		return n * scale, ok
	}
	scale, ok := map[string]time.Duration{
		"us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
		"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "min": time.Minute,
	}[suffix]
	if n == 0 && suffix == "" {
		return 0, true
	}
	return n * float64(scale/time.Microsecond), ok
}

// expected says what a value of the metric looks like.
func expected(m Metric, signed bool) string {
	if signed {
		return [...]string{number: "a change such as +10% or -500", fraction: "a change such as +10%", latency: "a change such as +10% or +1ms"}[m.unit()]
	}
	return [...]string{number: "a number such as 9900 or 10k", fraction: "a share such as 1%", latency: "a time with a unit, such as 500us, 2ms or 1s"}[m.unit()]
}
