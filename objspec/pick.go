package objspec

import (
	"encoding/binary"
	"math"
)

// pick reads the arguments of pick(value[:weight], …) and makes the generator.
func (p *parser) pick(offset int) (*form, error) {
	args, err := p.arguments()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, p.errorAt(offset, `pick needs the values to choose from, as in pick("a","b") or pick("a":1,"b":9)`)
	}
	weighted := false
	weights := make([]float64, len(args))
	largest, total := args[0].form, 0.0
	for i, a := range args {
		if a.kind != args[0].kind {
			return nil, p.errorAt(a.offset, "the values of pick have one type; the first is %v, this is %v", args[0].kind, a.kind)
		}
		if a.packed > largest.packed {
			largest = a.form
		}
		weights[i] = 1
		if a.weight != nil {
			weighted = true
			weights[i] = *a.weight
		}
		total += weights[i]
	}
	if len(args) == 1 {
		return args[0].form, nil
	}
	f := &form{kind: args[0].kind, particle: largest.particle, packed: largest.packed}
	f.values = enumerate(args)
	f.distinct = uint64(total / heaviest(args, weights))
	choose := func(s *source) uint64 { return s.below(uint64(len(args))) }
	if weighted {
		limits := thresholds(weights)
		choose = func(s *source) uint64 {
			word, i := s.next(), 0
			for i < len(limits)-1 && word >= limits[i] {
				i++
			}
			return uint64(i)
		}
	}
	if f.kind == kindString {
		f.write = func(dst []byte, s *source) []byte { return append(dst, args[choose(s)].text...) }
	} else {
		f.number = func(s *source) uint64 { return args[choose(s)].bits }
	}
	return f, nil
}

// heaviest returns the weight of the likeliest value, which may be there several
// times.
func heaviest(args []argument, weights []float64) float64 {
	sums := map[string]float64{}
	most := 0.0
	for i, a := range args {
		id := string(binary.BigEndian.AppendUint64([]byte(a.text), a.bits))
		sums[id] += weights[i]
		most = max(most, sums[id])
	}
	return most
}

// enumerate returns the values of pick as map keys are taken from them.
func enumerate(args []argument) enumeration {
	w := &words{}
	for _, a := range args {
		text := a.text
		if a.kind != kindString {
			text = string(binary.BigEndian.AppendUint64(nil, a.bits))
		}
		w.add(text)
	}
	return enumeration{words: w, n: uint64(len(w.values))}
}

// thresholds turns weights into numbers up to 2^64 which a word is compared
// with: value i is chosen if the word is below thresholds[i], and no earlier one;
// the last value if it is below none.
func thresholds(weights []float64) []uint64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	out := make([]uint64, len(weights))
	sum := 0.0
	for i, w := range weights {
		out[i] = math.MaxUint64
		sum += w
		if share := float64(sum / total); share < 1 {
			out[i] = uint64(float64(share * (1 << 64)))
		}
	}
	return out
}
