package embedded

import (
	"encoding/binary"
	"math"
	"slices"
)

// Types of values ("particles") on the wire, from the server's particle.h.
const (
	particleNull    = 0
	particleInteger = 1
	particleFloat   = 2
	particleString  = 3
	particleBlob    = 4
	particleJava    = 7 // 7 to 12 are blobs of a client language
	particleErlang  = 12
	particleVector  = 16
	particleBool    = 17
	particleHLL     = 18
	particleMap     = 19
	particleList    = 20
	particleGeoJSON = 23
)

// isBlob reports whether values of this type are plain bytes, strings excepted.
func isBlob(particle byte) bool {
	return particle == particleBlob || particle == particleVector ||
		particle >= particleJava && particle <= particleErlang
}

// checkValue checks a value that a client sent and returns it in the form in
// which it is stored: integers take 8 bytes, collections are normalised. The
// result may share memory with value.
func checkValue(particle byte, value []byte) ([]byte, resultCode) {
	switch {
	case particle == particleInteger:
		if len(value) == 8 {
			return value, codeOK
		}
		n, ok := integer(value)
		if !ok {
			return nil, codeParameter
		}
		return integerValue(n), codeOK
	case particle == particleFloat:
		if len(value) != 8 {
			return nil, codeParameter
		}
		return value, codeOK
	case particle == particleString || isBlob(particle):
		return value, codeOK
	case particle == particleBool:
		if len(value) != 1 || value[0] > 1 {
			return nil, codeParameter
		}
		return value, codeOK
	case particle == particleList || particle == particleMap:
		stored, ok := normalise(value, particle)
		if !ok {
			return nil, codeUnknown // sic: the server has no better code for it
		}
		return stored, codeOK
	case particle == particleHLL:
		if !validHLL(value) {
			return nil, codeParameter
		}
		return value, codeOK
	case particle == particleGeoJSON:
		return checkGeoJSON(value)
	}
	return nil, codeParameter
}

// integer reads a signed integer of 1, 2, 4 or 8 bytes, the shorter ones being
// unsigned, as the real server does.
func integer(value []byte) (int64, bool) {
	switch len(value) {
	case 8:
		return int64(binary.BigEndian.Uint64(value)), true
	case 4:
		return int64(binary.BigEndian.Uint32(value)), true
	case 2:
		return int64(binary.BigEndian.Uint16(value)), true
	case 1:
		return int64(value[0]), true
	}
	return 0, false
}

func integerValue(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func floatValue(f float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(f)) }

// modify applies an increment, append or prepend to a bin's value. A bin that
// isn't there takes the operand as its value, whichever operation it is.
func modify(code byte, old *bin, particle byte, operand []byte) (bin, resultCode) {
	changed := bin{particle: particle}
	var result resultCode
	switch {
	case !knownParticle(particle):
		return bin{}, codeParameter
	case old == nil:
		changed.value, result = checkValue(particle, operand)
	case old.particle == particleGeoJSON:
		result = codeUnknown
	case code == opIncr:
		changed.value, result = increment(old, particle, operand)
	case old.particle != particleString && !isBlob(old.particle) || old.particle != particle:
		result = codeIncompatibleType
	case code == opAppend:
		// Nothing else can grow this value in place: the spare room behind it is
		// only ever made here.
		changed.value = append(old.value, operand...)
	default:
		changed.value = slices.Concat(operand, old.value)
	}
	return changed, result
}

func knownParticle(particle byte) bool {
	switch particle {
	case particleInteger, particleFloat, particleString, particleBool, particleHLL,
		particleMap, particleList, particleGeoJSON:
		return true
	}
	return isBlob(particle)
}

// increment adds operand to an integer or float of the same type.
func increment(old *bin, particle byte, operand []byte) ([]byte, resultCode) {
	if old.particle != particle {
		return nil, codeIncompatibleType
	}
	switch particle {
	case particleInteger:
		return incrementInteger(old, operand)
	case particleFloat:
		if len(operand) != 8 {
			return nil, codeParameter
		}
		sum := math.Float64frombits(binary.BigEndian.Uint64(old.value)) +
			math.Float64frombits(binary.BigEndian.Uint64(operand))
		return floatValue(sum), codeOK
	}
	return nil, codeIncompatibleType
}

// incrementInteger adds with wrap-around. A 16-byte operand is a memcached
// decrement, which stops at zero.
func incrementInteger(old *bin, operand []byte) ([]byte, resultCode) {
	was := int64(binary.BigEndian.Uint64(old.value))
	floor := len(operand) == 16
	if floor {
		operand = operand[:8]
	}
	delta, ok := integer(operand)
	if !ok {
		return nil, codeParameter
	}
	if floor && delta < 0 && uint64(was+delta) > uint64(was) {
		return integerValue(0), codeOK
	}
	return integerValue(was + delta), codeOK
}

// validHLL reports whether value is a HyperLogLog sketch: a flags byte of zero,
// 4 to 16 index bits, 0 or 4 to 51 minhash bits, at most 64 bits together, an
// 8-byte cached count, and one register of 6 bits and a minhash for each of the
// 2^index values (particle_hll.c).
func validHLL(value []byte) bool {
	const header, registerBits = 11, 6
	if len(value) < header || value[0] != 0 {
		return false
	}
	index, minhash := int(value[1]), int(value[2])
	if index < 4 || index > 16 || minhash != 0 && (minhash < 4 || minhash > 51) || index+minhash > 64 {
		return false
	}
	registers := (registerBits + minhash) << index
	return len(value) == header+(registers+7)/8
}
