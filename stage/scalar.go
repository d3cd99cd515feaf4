package stage

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// maxNumberLen bounds the numbers that are read: longer ones overflow anyway.
const maxNumberLen = 40

// parseNumber reads a decimal number with optional sign, fraction, underscores
// between digits and one of the suffixes k, M and G (powers of 1000), or a
// hexadecimal whole number.
func parseNumber(text string) (*big.Rat, bool) {
	digits, scale := text, int64(1)
	if n := len(text); n > 1 {
		switch text[n-1] {
		case 'k', 'K':
			digits, scale = text[:n-1], 1e3
		case 'M':
			digits, scale = text[:n-1], 1e6
		case 'G':
			digits, scale = text[:n-1], 1e9
		}
	}
	digits, ok := plainDigits(digits)
	if !ok {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return nil, false
	}
	return r.Mul(r, new(big.Rat).SetInt64(scale)), true
}

// plainDigits removes underscores and refuses what [big.Rat.SetString] accepts
// beyond decimal and hexadecimal numbers: fractions with a slash, exponents,
// other bases. A leading zero is refused because YAML 1.1 and C read it as
// octal, and people do not.
func plainDigits(text string) (string, bool) {
	if text == "" || len(text) > maxNumberLen {
		return "", false
	}
	body := strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
	if hex, ok := strings.CutPrefix(body, "0x"); ok {
		return strings.ReplaceAll(text, "_", ""), hex != "" && strings.Trim(hex, "0123456789abcdefABCDEF_") == "" && hex[0] != '_'
	}
	whole, fraction, dotted := strings.Cut(body, ".")
	if strings.Trim(whole, "0123456789_") != "" || strings.Trim(fraction, "0123456789") != "" {
		return "", false
	}
	if whole == "" || whole[0] == '_' || whole[len(whole)-1] == '_' || dotted && fraction == "" {
		return "", false
	}
	if len(whole) > 1 && whole[0] == '0' {
		return "", false
	}
	return strings.ReplaceAll(text, "_", ""), true
}

// parseInteger reads a whole number within [low, high]. what names the kind of
// value in errors.
func parseInteger(text, what string, low, high int64) (int64, error) {
	r, ok := parseNumber(text)
	if !ok || !r.IsInt() {
		return 0, fmt.Errorf("%q is not %s", text, what)
	}
	if r.Cmp(new(big.Rat).SetInt64(low)) < 0 || r.Cmp(new(big.Rat).SetInt64(high)) > 0 {
		return 0, fmt.Errorf("%s is out of range: expected %s from %d to %d", text, what, low, high)
	}
	return r.Num().Int64(), nil
}

// parseRate reads a number of transactions per second: any number from 0 to a
// billion.
func parseRate(text string) (float64, error) {
	const limit = 1_000_000_000
	r, ok := parseNumber(text)
	if !ok {
		return 0, fmt.Errorf("%q is not a number of transactions per second", text)
	}
	if r.Sign() < 0 || r.Cmp(new(big.Rat).SetInt64(limit)) > 0 {
		return 0, fmt.Errorf("%s is out of range: expected a rate from 0 (unthrottled) to 1G", text)
	}
	f, _ := r.Float64()
	return f, nil
}

// maxDuration is the longest duration, ten years.
const maxDuration = 10 * 365 * 24 * time.Hour

// parseDuration reads a number of seconds, or a number with units such as 500ms,
// 30s, 5m or 1h30m.
func parseDuration(text string) (time.Duration, error) {
	const limit = maxDuration
	var d time.Duration
	if seconds, ok := plainDigits(text); ok {
		r, ok := new(big.Rat).SetString(seconds)
		if !ok {
			return 0, fmt.Errorf("%q is not a duration", text)
		}
		if r.Cmp(new(big.Rat).SetInt64(int64(limit/time.Second))) > 0 {
			return 0, fmt.Errorf("%s seconds is too long: the longest duration is ten years", text)
		}
		f, _ := r.Float64()
		d = time.Duration(f * float64(time.Second))
	} else {
		var err error
		if d, err = time.ParseDuration(text); err != nil {
			return 0, fmt.Errorf("%q is not a duration: expected a number of seconds, or a number with a unit such as 30s, 5m or 1h30m", text)
		}
	}
	switch {
	case d < 0:
		return 0, fmt.Errorf("%s is out of range: a duration cannot be negative", text)
	case d > limit:
		return 0, fmt.Errorf("%s is too long: the longest duration is ten years", text)
	}
	return d, nil
}

// parseSeconds reads a duration of whole seconds up to limit.
func parseSeconds(text string, limit int) (int, error) {
	d, err := parseDuration(text)
	switch {
	case err != nil:
		return 0, err
	case d%time.Second != 0:
		return 0, fmt.Errorf("%s is not a whole number of seconds", text)
	case d > time.Duration(limit)*time.Second:
		return 0, fmt.Errorf("%s is out of range: expected at most %d seconds", text, limit)
	}
	return int(d / time.Second), nil
}

// parseBool reads the booleans of YAML 1.1, as asbench's files use them.
func parseBool(text string) (bool, error) {
	switch text {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON":
		return true, nil
	case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF":
		return false, nil
	}
	return false, fmt.Errorf("%q is not a boolean: expected true or false, yes or no", text)
}

// parseBins reads ascending bin numbers, such as "1,3,4".
func parseBins(text string) ([]int, error) {
	var bins []int
	for field := range strings.SplitSeq(text, ",") {
		field = strings.TrimSpace(field)
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q in %q is not a bin number: expected whole numbers from 1, such as 1,3,4", field, text)
		}
		if len(bins) > 0 && n <= bins[len(bins)-1] {
			return nil, fmt.Errorf("bin %d in %q comes after bin %d: bin numbers must ascend", n, text, bins[len(bins)-1])
		}
		bins = append(bins, n)
	}
	return bins, nil
}
