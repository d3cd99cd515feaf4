package stage

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/aeroload/aeroload/internal/wholefile"
	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/workload"
)

// setConstantRate sets a rate that does not change.
func setConstantRate(d *draft, text string) error {
	tps, err := parseRate(text)
	d.Schedule.Curve = nil
	if tps > 0 {
		d.Schedule.Curve = workload.Constant(tps)
	}
	return err
}

// mapReader reads the values of a mapping and collects what is wrong with them.
type mapReader struct {
	name     string
	value    value
	problems *Problems
	failed   bool
}

func (m *mapReader) fail(place Place, err error) {
	m.problems.addErr(place, fmt.Errorf("%s: %w", m.name, err))
	m.failed = true
}

// missing reports a key that is not there, unless one that could not be read may
// have been meant.
func (m *mapReader) missing(text string) {
	if m.value.broken {
		m.failed = true
		return
	}
	m.fail(m.value.place, errors.New(text))
}

func (m *mapReader) has(key string) bool { _, ok := m.value.sub[key]; return ok }

// rate reads a rate that the mapping must have.
func (m *mapReader) rate(key string) float64 { return read(m, key, parseRate) }

// duration reads a duration above 0 that the mapping must have.
func (m *mapReader) duration(key string) time.Duration {
	return read(m, key, func(text string) (time.Duration, error) {
		d, err := parseDuration(text)
		if err == nil && d == 0 {
			err = fmt.Errorf("%s is too short: expected a duration above 0", text)
		}
		return d, err
	})
}

func read[T any](m *mapReader, key string, parse func(string) (T, error)) (t T) {
	v, ok := m.value.sub[key]
	if !ok {
		m.missing(key + " is missing")
		return t
	}
	if v.text == "" && m.value.broken {
		m.failed = true // it was reported when it could not be read
		return t
	}
	t, err := parse(v.text)
	if err != nil {
		m.fail(v.place, fmt.Errorf("%s: %w", key, err))
	}
	return t
}

// only refuses keys besides those that the kind of mapping has.
func (m *mapReader) only(kind string, keys ...string) {
	for key, v := range m.value.sub {
		found := false
		for _, k := range keys {
			found = found || k == key
		}
		if !found {
			m.fail(v.place, fmt.Errorf("%s does not go with a %s, which has %s", key, kind, strings.Join(keys, ", ")))
		}
	}
}

// setCurve sets a rate that changes: a ramp {from, to, over}, steps {from, to,
// step, hold}, or a sine {mean, amplitude, period}.
func setCurve(d *draft, v value, problems *Problems) {
	m := &mapReader{name: "tps", value: v, problems: problems}
	switch {
	case m.has("over"):
		m.only("ramp", "from", "to", "over")
		r := workload.Ramp{From: m.rate("from"), To: m.rate("to"), Over: m.duration("over")}
		if !m.failed && r.Peak() == 0 {
			m.fail(v.place, errors.New("a ramp from 0 to 0 has no transactions"))
		}
		d.Schedule.Curve = r
	case m.has("step") || m.has("hold"):
		m.only("staircase", "from", "to", "step", "hold")
		from, to, step, hold := m.rate("from"), m.rate("to"), m.rate("step"), m.duration("hold")
		if !m.failed && step == 0 {
			m.fail(m.value.sub["step"].place, errors.New("step: a step of 0 leads nowhere"))
		}
		if !m.failed && from == 0 && to == 0 {
			m.fail(v.place, errors.New("steps from 0 to 0 have no transactions"))
		}
		if m.failed {
			return
		}
		s, err := workload.NewSteps(from, to, step, hold)
		if err != nil {
			m.fail(v.place, err)
			return
		}
		d.Schedule.Curve = s
	case m.has("mean") || m.has("amplitude") || m.has("period"):
		m.only("sine", "mean", "amplitude", "period")
		s := workload.Sine{Mean: m.rate("mean"), Amplitude: m.rate("amplitude"), Period: m.duration("period")}
		if !m.failed && (s.Mean == 0 || s.Amplitude > s.Mean) {
			m.fail(v.place, errors.New("a sine needs a mean above 0 and an amplitude of at most the mean"))
		}
		d.Schedule.Curve = s
	default:
		m.missing("expected a number, a ramp {from, to, over}, steps {from, to, step, hold}, or a sine {mean, amplitude, period}")
	}
}

// maxUDFSize bounds a module's source; real ones have some KB.
const maxUDFSize = 1 << 20

// setUDF sets the UDF of a stage. A file is read now, so that nothing about it
// can fail later.
func setUDF(d *draft, v value, problems *Problems) {
	m := &mapReader{name: "udf", value: v, problems: problems}
	text := func(key string) string {
		if m.has(key) && m.value.sub[key].text == "" && !m.value.broken {
			m.fail(m.value.sub[key].place, fmt.Errorf("%s: the value is missing", key))
		}
		return m.value.sub[key].text
	}
	u := &UDF{Module: strings.TrimSuffix(text("module"), ".lua"), Function: text("function")}
	if path := text("file"); path != "" {
		if dir := filepath.Dir(v.place.Source); v.place.Line > 0 && !filepath.IsAbs(path) {
			path = filepath.Join(dir, path) // beside the stage file
		}
		u.File = path
		var err error
		if u.Source, err = wholefile.Read(path, maxUDFSize); err != nil {
			m.fail(m.value.sub["file"].place, fmt.Errorf("file: %w", err))
		}
		if u.Module == "" {
			u.Module = strings.TrimSuffix(filepath.Base(path), ".lua")
		}
	}
	if u.Module == "" && !m.failed {
		m.missing("module is missing: name the module, or give its file")
	}
	if u.Function == "" && !m.failed {
		m.missing("function is missing")
	}
	if args := text("args"); args != "" {
		var err error
		if u.Args, err = objspec.Load(args, m.value.sub["args"].place.dir(), objspec.Options{}); err != nil {
			m.fail(m.value.sub["args"].place, fmt.Errorf("args: %w", err))
		}
	}
	d.UDF = u
}
