package keygen

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/aeroload/aeroload/internal/suggest"
)

// Generator draws keys. It belongs to one worker.
type Generator interface {
	Next() uint64
}

// Distribution says how often each key of a range is drawn. The zero value is
// uniform. Distributions with equal parameters compare equal.
type Distribution struct {
	kind   int // index into kinds
	values [maxParams]float64
}

const maxParams = 2

// kind is a distribution by name.
type kind struct {
	name   string
	params []param
	// build makes a generator. v are the parameters in the order of params.
	build func(v [maxParams]float64, r Range, rng *rand.PCG, worker, workers int) Generator
}

// param is a number that shapes a distribution, within or, where its bounds are
// open, between the bounds. A flag is true or false, as the number 1 or 0.
type param struct {
	name      string
	value     float64 // the default
	low, high float64
	bounds    bounds
}

type bounds uint8

const (
	closed bounds = iota
	openLow
	openBoth
	flag
)

// kinds are all distributions, uniform first.
var kinds = []kind{
	{name: "uniform", build: func(_ [maxParams]float64, r Range, rng *rand.PCG, _, _ int) Generator {
		return NewUniform(r, rng)
	}},
	{name: "zipfian", params: []param{theta, {name: "scramble", value: 1, bounds: flag}},
		build: func(v [maxParams]float64, r Range, rng *rand.PCG, _, _ int) Generator {
			return NewZipfian(r, v[0], v[1] == 1, rng)
		}},
	{name: "latest", params: []param{theta},
		build: func(v [maxParams]float64, r Range, rng *rand.PCG, _, _ int) Generator {
			return NewLatest(r, v[0], rng)
		}},
	// YCSB's defaults, there as fractions.
	{name: "hotspot", params: []param{{"hot-keys", 20, 0, 100, openLow}, {"hot-operations", 80, 0, 100, closed}},
		build: func(v [maxParams]float64, r Range, rng *rand.PCG, _, _ int) Generator {
			return NewHotspot(r, v[0], v[1], rng)
		}},
	// The ends of the range are three standard deviations away.
	{name: "normal", params: []param{{"mean", 50, 0, 100, closed}, {"stddev", 16.67, 0, 100, openLow}},
		build: func(v [maxParams]float64, r Range, rng *rand.PCG, _, _ int) Generator {
			return NewNormal(r, v[0], v[1], rng)
		}},
	{name: "exponential", params: []param{{"percentile", 95, 0, 100, openBoth}, {"fraction", 0.8571428571, 0, 1, openLow}},
		build: func(v [maxParams]float64, r Range, rng *rand.PCG, _, _ int) Generator {
			return NewExponential(r, v[0], v[1], rng)
		}},
	{name: "sequential", build: func(_ [maxParams]float64, r Range, _ *rand.PCG, worker, workers int) Generator {
		return NewSequential(r, worker, workers)
	}},
}

// theta has YCSB's default. YCSB takes values below 1 alone; above 10, hardly
// anything but the hottest key is drawn.
var theta = param{"theta", 0.99, 0, 10, openLow}

// DistributionNames returns the names of all distributions.
func DistributionNames() []string {
	names := make([]string, 0, len(kinds))
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// DistributionParams returns the names of the parameters that the distributions
// have, each once.
func DistributionParams() []string {
	var names []string
	seen := map[string]bool{}
	for _, k := range kinds {
		for _, p := range k.params {
			if !seen[p.name] {
				seen[p.name] = true
				names = append(names, p.name)
			}
		}
	}
	return names
}

// NamedDistribution returns the distribution of a name, with the defaults of its
// parameters:
//
//	uniform
//	zipfian      theta=0.99 (above 0, up to 10), scramble=true
//	latest       theta=0.99
//	hotspot      hot-keys=20 and hot-operations=80, in percent
//	normal       mean=50 and stddev=16.67, in percent of the range
//	exponential  percentile=95 of the operations, fraction=0.8571428571 of the keys
//	sequential
func NamedDistribution(name string) (Distribution, error) {
	for i, k := range kinds {
		if k.name == name {
			d := Distribution{kind: i}
			for j, p := range k.params {
				d.values[j] = p.value
			}
			return d, nil
		}
	}
	return Distribution{}, fmt.Errorf("%q is not a distribution of keys: expected %s%s", name,
		strings.Join(DistributionNames(), ", "), suggest.DidYouMean(name, DistributionNames()))
}

// ParseDistribution reads a name with parameters, such as zipfian or
// zipfian,theta=0.9.
func ParseDistribution(text string) (Distribution, error) {
	name, rest, more := strings.Cut(text, ",")
	d, err := NamedDistribution(strings.TrimSpace(name))
	if err != nil {
		return d, err
	}
	seen := map[string]bool{}
	for more {
		var item string
		item, rest, more = strings.Cut(rest, ",")
		key, value, ok := strings.Cut(item, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok:
			return d, fmt.Errorf("%q in %q is not a parameter: expected a name and a value, such as theta=0.99", item, text)
		case seen[key]:
			return d, fmt.Errorf("the parameter %s is given twice in %q", key, text)
		}
		seen[key] = true
		if err := d.Set(key, value); err != nil {
			return d, err
		}
	}
	return d, nil
}

// Set changes a parameter. Its error says what the parameter, or its value,
// should be.
func (d *Distribution) Set(name, text string) error {
	k := kinds[d.kind]
	names := make([]string, 0, maxParams)
	for i, p := range k.params {
		if p.name == name {
			v, err := p.parse(text)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			d.values[i] = v
			return nil
		}
		names = append(names, p.name)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: the distribution %s has no parameters", name, k.name)
	}
	return fmt.Errorf("%s: the distribution %s has no such parameter: expected %s%s", name, k.name,
		strings.Join(names, " or "), suggest.DidYouMean(name, names))
}

func (p param) parse(text string) (float64, error) {
	if p.bounds == flag {
		switch text {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
		return 0, fmt.Errorf("%q is not true or false", text)
	}
	v, err := strconv.ParseFloat(text, 64)
	above, below := v > p.low, v < p.high
	switch p.bounds {
	case closed:
		above, below = v >= p.low, v <= p.high
	case openLow:
		below = v <= p.high
	}
	if err != nil || !above || !below { // NaN is neither
		from, to := "from", "to"
		if p.bounds != closed {
			from, to = "above", "and up to"
		}
		if p.bounds == openBoth {
			to = "and below"
		}
		return 0, fmt.Errorf("%q is not a number %s %g %s %g", text, from, p.low, to, p.high)
	}
	return v, nil
}

// Name returns the distribution's name.
func (d Distribution) Name() string { return kinds[d.kind].name }

// Params returns the names of the distribution's parameters and their values as
// [Distribution.Set] reads them.
func (d Distribution) Params() [][2]string {
	var list [][2]string
	for i, p := range kinds[d.kind].params {
		text := strconv.FormatFloat(d.values[i], 'g', -1, 64)
		if p.bounds == flag {
			text = strconv.FormatBool(d.values[i] == 1)
		}
		list = append(list, [2]string{p.name, text})
	}
	return list
}

// String returns the distribution with all its parameters, as
// [ParseDistribution] reads it.
func (d Distribution) String() string {
	var b strings.Builder
	b.WriteString(d.Name())
	for _, p := range d.Params() {
		b.WriteString("," + p[0] + "=" + p[1])
	}
	return b.String()
}

// New returns the generator of one worker, 0 <= worker < workers, over r, which
// must not be empty. The same state of rng gives the same keys; sequential
// needs none.
func (d Distribution) New(r Range, rng *rand.PCG, worker, workers int) Generator {
	return kinds[d.kind].build(d.values, r, rng, worker, workers)
}
