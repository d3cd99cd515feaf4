package page

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/aeroload/aeroload/objspec"
	"github.com/aeroload/aeroload/result"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// target is the rate that a stage was asked for.
type target struct {
	curve  workload.Curve
	warmup time.Duration // passed before the measured time
	times  float64       // machines that ran it
	text   string        // as the stage file gives it
}

// newTarget reads the rate from the configuration of a result. It returns nil if
// the stage had none, or none that this version understands.
func newTarget(d *result.Document, number int) *target {
	if number > len(d.Config.Stages) {
		return nil
	}
	config := d.Config.Stages[number-1]
	if config["tps"] == nil || config["find-max"] != nil {
		return nil
	}
	// Only what makes the rate is read again: other keys may name files.
	keys := map[string]any{"workload": "RU", "duration": 1, "tps": config["tps"]}
	if config["warmup"] != nil {
		keys["warmup"] = config["warmup"]
	}
	data, err := yaml.Marshal([]any{whole(keys)})
	if err != nil {
		return nil
	}
	plan, err := stage.Parse("result", data, stage.Defaults{
		ObjectSpec: "I4", ObjectOptions: objspec.Options{BinName: "b", CompressionRatio: 1}, StartKey: 1, Keys: 1, Threads: 1, AsyncMax: 1,
	})
	if err != nil || plan.Stages[0].Schedule.Curve == nil {
		return nil
	}
	s := plan.Stages[0]
	return &target{curve: s.Schedule.Curve, warmup: s.Warmup, times: float64(len(d.Machines)), text: stage.FormatTPS(s.Schedule.Curve)}
}

// rate is the target's mean over a period, in transactions per second.
func (t *target) rate(p result.Period) (float64, bool) {
	from := t.warmup + time.Duration(p.Start*float64(time.Second))
	to := from + time.Duration(p.Seconds*float64(time.Second))
	if to <= from {
		return 0, false
	}
	return t.times * (t.curve.Count(to) - t.curve.Count(from)) / (to - from).Seconds(), true
}

// describe names the rate for people.
func (t *target) describe() string {
	text := t.text
	if c, ok := t.curve.(workload.Constant); ok {
		text = formatNumber(float64(c))
	}
	if t.times > 1 {
		return fmt.Sprintf("%g × %s", t.times, text)
	}
	return text
}

// whole makes whole numbers of the floating-point ones that reading JSON leaves
// in a configuration, so that they are not written with exponents. Those that JSON
// does not hold exactly stay.
func whole(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case []map[string]any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = whole(e)
		}
		return list
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = whole(e)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = whole(e)
		}
		return m
	}
	return v
}

// toYAML writes a value as people read it.
func toYAML(v any) (string, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(v)
	return b.String(), err
}
