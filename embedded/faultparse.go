package embedded

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseFault reads a fault: the kind of command, and words in any order, with
// blanks between. Values with blanks, or of a key that is a string of digits, are
// written in double quotes as in Go.
//
//	fault  = kind { word }
//	kind   = any | read | write | delete | operate | udf | batch | row | scan | query | info | login
//	word   = match | chance | delay | action | "after"
//	match  = ns=NAME | set=NAME | key=INTEGER | key="STRING" | digest=40HEX | node=N
//	chance = p=PROBABILITY | n=COUNT | skip=COUNT | per=connection
//	delay  = delay=TIME | delay=TIME..TIME              (such as 50ms, 1.5s)
//	action = code=NUMBER | code=NAME                    (such as timeout, key-busy)
//	       | drop | close | reset | truncate[=BYTES] | garbage[=body]
//
// Examples:
//
//	write delay=50ms p=0.01              1 % of the writes take 50 ms longer
//	read code=device-overload n=10       the first 10 reads fail with code 18
//	write drop after skip=100 n=1        write 101 takes effect but isn't answered
//	any reset p=0.1 per=connection       1 of 10 connections is reset when used
//	info delay=1s..3s node=2             node 2 is slow to tell about the cluster
//
// An error quotes the text and tells the column, from 1, of the word at fault.
// [Fault] says what the words mean.
func ParseFault(text string) (Fault, error) {
	f := Fault{Probability: 1}
	words, err := faultWords(text)
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	if len(words) == 0 {
		return Fault{}, fmt.Errorf("fault %q: it is empty, want %s and what is to happen", text, kindList())
	}
	f.On = FaultOn(words[0].name)
	if words[0].valued || !slices.Contains(faultKinds(), f.On) {
		return Fault{}, fmt.Errorf("fault %q: column %d: %q is no kind of command, want %s", text, words[0].column, words[0].text, kindList())
	}
	seen := map[string]bool{}
	for _, w := range words[1:] {
		slot := w.slot()
		err := f.take(w)
		if err == nil && seen[slot] {
			err = fmt.Errorf("there is a second %s", slot)
		}
		if err != nil {
			return Fault{}, fmt.Errorf("fault %q: column %d: %q: %w", text, w.column, w.text, err)
		}
		seen[slot] = true
	}
	if err := f.check(); err != nil {
		return Fault{}, fmt.Errorf("fault %q: %w", text, err)
	}
	return f, nil
}

func kindList() string {
	var names []string
	for _, k := range faultKinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// A faultWord is name or name=value. The text is as it was written, the column
// where it starts.
type faultWord struct {
	text, name, value string
	valued, quoted    bool
	column            int
}

// slot names what a word sets, which may be set once: there is one action.
func (w faultWord) slot() string {
	switch w.name {
	case "code", "drop", "close", "reset", "truncate", "garbage":
		return "action"
	}
	return w.name
}

// faultWords splits a text at blanks that aren't in quotes.
func faultWords(text string) ([]faultWord, error) {
	const blanks = " \t\r\n"
	var words []faultWord
	for rest := text; ; {
		rest = strings.TrimLeft(rest, blanks)
		if rest == "" {
			return words, nil
		}
		w := faultWord{column: len(text) - len(rest) + 1}
		end := strings.IndexAny(rest, blanks+"=")
		if end < 0 {
			end = len(rest)
		}
		w.name = rest[:end]
		if end < len(rest) && rest[end] == '=' {
			w.valued = true
			size := strings.IndexAny(rest[end+1:], blanks)
			if size < 0 {
				size = len(rest) - end - 1
			}
			w.value = rest[end+1 : end+1+size]
			if strings.HasPrefix(w.value, `"`) {
				prefix, err := strconv.QuotedPrefix(rest[end+1:])
				if err != nil {
					return nil, fmt.Errorf("column %d: the quotes are not closed, or there is a bad escape in them", w.column)
				}
				if w.value, err = strconv.Unquote(prefix); err != nil {
					return nil, fmt.Errorf("column %d: %w", w.column, err)
				}
				w.quoted, size = true, len(prefix)
			}
			end += 1 + size
		}
		w.text, rest = rest[:end], rest[end:]
		if rest != "" && !strings.ContainsAny(rest[:1], blanks) {
			return nil, fmt.Errorf("column %d: there must be a blank behind the closing quote", len(text)-len(rest)+1)
		}
		words = append(words, w)
	}
}

// take puts a word into the fault.
func (f *Fault) take(w faultWord) error {
	switch w.name {
	case "ns", "set", "key", "digest", "node", "p", "n", "skip", "per", "delay", "code":
		if w.value == "" {
			return errors.New("the value is missing")
		}
	case "after", "drop", "close", "reset":
		if w.valued {
			return errors.New("it takes no value")
		}
	case "truncate", "garbage":
		if w.valued && w.value == "" {
			return errors.New("the value is missing")
		}
	default:
		return errors.New("unknown word, want ns=, set=, key=, digest=, node=, p=, n=, skip=, per=connection, delay=, " +
			"code=, drop, close, reset, truncate, garbage or after")
	}
	var err error
	switch w.name {
	case "ns":
		f.Namespace = w.value
	case "set":
		f.Set = w.value
	case "key":
		f.takeKey(w)
	case "digest":
		err = f.takeDigest(w.value)
	case "node":
		f.Node, err = faultCount(w.value, 1)
	case "p":
		f.Probability, err = faultProbability(w.value)
	case "n":
		f.Count, err = faultCount(w.value, 1)
	case "skip":
		f.Skip, err = faultCount(w.value, 1)
	case "per":
		f.PerConnection = true
		if w.value != "connection" {
			err = errors.New("want connection")
		}
	case "delay":
		err = f.takeDelay(w.value)
	case "after":
		f.After = true
	default:
		err = f.takeAction(w)
	}
	return err
}

func (f *Fault) takeKey(w faultWord) {
	f.Key = w.value
	if w.quoted {
		return
	}
	if n, err := strconv.ParseInt(w.value, 10, 64); err == nil {
		f.Key = n
	}
}

func (f *Fault) takeDigest(text string) error {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(f.Digest) {
		return fmt.Errorf("want %d hexadecimal digits", 2*len(f.Digest))
	}
	copy(f.Digest[:], b)
	if f.Digest == (Digest{}) {
		return errors.New("no record has that digest")
	}
	return nil
}

func faultProbability(text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p > 0 && p <= 1) {
		return 0, errors.New("want a number above 0 and up to 1")
	}
	return p, nil
}

func faultCount(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, fmt.Errorf("want a whole number from %d", least)
	}
	return n, nil
}

func (f *Fault) takeDelay(text string) error {
	from, to, ranged := strings.Cut(text, "..")
	var err error
	if f.Delay, err = time.ParseDuration(from); err == nil && ranged {
		f.DelayMax, err = time.ParseDuration(to)
	}
	switch {
	case err != nil:
		return errors.New("want a time such as 50ms, or two: 10ms..1s")
	case f.Delay < 0 || f.DelayMax < 0:
		return errors.New("want a time of 0 or more")
	case ranged && f.DelayMax <= f.Delay:
		return errors.New("the second time must be greater than the first")
	}
	return nil
}

func (f *Fault) takeAction(w faultWord) error {
	f.Action = FaultAction(w.name)
	var err error
	switch w.name {
	case "code":
		f.Code, err = faultCode(w.value)
	case "truncate":
		f.Bytes = -1
		if w.valued {
			f.Bytes, err = faultCount(w.value, 0)
		}
	case "garbage":
		if w.valued {
			f.Action = FaultGarbageBody
			if w.value != "body" {
				err = errors.New("want garbage or garbage=body")
			}
		}
	}
	return err
}

// faultCode reads a result code, which is a number or a name.
func faultCode(text string) (int, error) {
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > 255 {
			return 0, errors.New("want a result code from 1 to 255")
		}
		return n, nil
	}
	names := resultNames()
	for _, r := range names {
		if r.name == text {
			return int(r.code), nil
		}
	}
	all := make([]string, len(names))
	for i, r := range names {
		all[i] = r.name
	}
	return 0, fmt.Errorf("unknown result code, want 1 to 255 or %s", strings.Join(all, ", "))
}

// String returns the fault as ParseFault reads it.
func (f Fault) String() string {
	on := f.On
	if on == "" {
		on = FaultAny
	}
	words := []string{string(on)}
	add := func(given bool, format string, args ...any) {
		if given {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(f.Namespace != "", "ns=%s", faultQuote(f.Namespace))
	add(f.Set != "", "set=%s", faultQuote(f.Set))
	if text, ok := f.Key.(string); ok {
		add(true, "key=%q", text)
	} else {
		add(f.Key != nil, "key=%v", f.Key)
	}
	add(f.Digest != Digest{}, "digest=%x", f.Digest[:])
	add(f.Node != 0, "node=%d", f.Node)
	add(f.Probability != 0 && f.Probability != 1, "p=%v", f.Probability)
	add(f.Skip != 0, "skip=%d", f.Skip)
	add(f.Count != 0, "n=%d", f.Count)
	add(f.PerConnection, "per=connection")
	if f.DelayMax > f.Delay {
		add(true, "delay=%v..%v", f.Delay, f.DelayMax)
	} else {
		add(f.Delay != 0, "delay=%v", f.Delay)
	}
	switch f.Action {
	case FaultNone:
	case FaultCode:
		add(true, "code=%d", f.Code)
	case FaultTruncate:
		add(f.Bytes >= 0, "truncate=%d", f.Bytes)
		add(f.Bytes < 0, "truncate")
	default:
		add(true, "%s", f.Action)
	}
	add(f.After, "after")
	return strings.Join(words, " ")
}

// faultQuote quotes a value that can't stand as it is.
func faultQuote(text string) string {
	if strings.ContainsAny(text, " \t\r\n\"") || !strconv.CanBackquote(text) {
		return strconv.Quote(text)
	}
	return text
}
