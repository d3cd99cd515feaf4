package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// jsonError puts the place before an error of package json, and says what it is in
// plain words. name stands for the file.
func jsonError(name string, data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return fmt.Errorf("%s: not a result: the file ends here, before the result does", at(name, data, len(data)))
	case errors.As(err, &syntax):
		why := syntax.Error()
		for _, r := range [][2]string{{"after top-level value", "behind the end of the result"}, {"looking for beginning of", "in the place of a"}, {"invalid", "unexpected"}} {
			why = strings.Replace(why, r[0], r[1], 1)
		}
		return fmt.Errorf("%s: not a result: not valid JSON: %s", at(name, data, int(syntax.Offset)-1), why)
	case errors.As(err, &kind):
		what := fmt.Sprintf("expected %s, not %s", wanted(kind.Type), found(kind.Value))
		if kind.Field != "" {
			what = kind.Field + ": " + what
		}
		return fmt.Errorf("%s: not a result: %s", at(name, data, tokenBefore(data, kind.Offset)), what)
	}
	return fmt.Errorf("%s: not a valid result: %s", name, strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
}

// at returns the place of a byte as name:line:column.
func at(name string, data []byte, offset int) string {
	before := data[:max(0, min(offset, len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("%s:%d:%d", name, line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])+1)
}

// tokenBefore returns where the JSON token begins that ends at an offset, or beyond it.
func tokenBefore(data []byte, offset int64) int {
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		start := int(d.InputOffset())
		if _, err := d.Token(); err != nil || d.InputOffset() >= offset {
			for start < len(data) && strings.IndexByte(" \t\r\n,:", data[start]) >= 0 {
				start++
			}
			return start
		}
	}
}

// wanted says what a Go type is in JSON.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Uint64:
		return "a whole number from 0 on"
	}
	return "a whole number"
}

// found says what package json calls a value.
func found(value string) string {
	switch value {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "string":
		return "a text"
	case "number":
		return "a number"
	case "bool":
		return "true or false"
	}
	return strings.TrimPrefix(value, "number ")
}
