// Package yamlerror finds the place of a syntax error in a YAML file, of which the
// YAML library tells the line at most.
package yamlerror

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

var (
	lineOf = regexp.MustCompile(`^yaml: line (\d+): (?s:(.*))$`)
	// For what its parser finds, unlike its scanner, yaml.v3 counts lines from
	// 0 (decode.go, parser.fail). These are the parser's messages (parserc.go).
	fromParser = regexp.MustCompile(`^did not find expected (key|node content|'-' indicator|',' or '[\]}]'|<document start>|<stream-start>)`)
	anchor     = regexp.MustCompile(`^yaml: unknown anchor '(.*)' referenced$`)
)

// Error is a syntax error. Line and column count from 1.
type Error struct {
	Line, Column int
	Message      string
	// Anchor is what an alias names that is not there; "" for other errors.
	Anchor string
}

// Find says what an error of the library about a file is, and where. The column is
// that of an alias, of a character that cannot be in YAML, or else of the first text
// in the line.
func Find(data []byte, err error) Error {
	e := Error{Line: 1, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	if m := anchor.FindStringSubmatch(err.Error()); m != nil {
		e.Anchor = m[1]
		if at := aliasOf(data, e.Anchor); at >= 0 {
			e.Line, e.Column = place(data, at)
			return e
		}
	}
	if m := lineOf.FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Message = m[2]
		if fromParser.MatchString(e.Message) {
			e.Line++
		}
	} else if at := badCharacter(data); at >= 0 {
		e.Line, e.Column = place(data, at)
		return e
	}
	lines := bytes.Split(data, []byte("\n"))
	e.Line = max(1, min(e.Line, len(lines)))
	text := lines[e.Line-1]
	e.Column = 1 + len(text) - len(bytes.TrimLeft(text, " \t"))
	return e
}

// aliasOf returns where the first alias of an anchor that is not there begins, or -1.
// The same text may stand in comments and quotes, and the library tells which one it
// means if each of them is given a name of its own.
func aliasOf(data []byte, name string) int {
	all := regexp.MustCompile(`\*`+regexp.QuoteMeta(name)+`(?:[^\w-]|$)`).FindAllIndex(data, -1)
	var renamed bytes.Buffer
	end := 0
	for i, found := range all {
		behind := found[0] + 1 + len(name)
		renamed.Write(data[end:behind])
		fmt.Fprintf(&renamed, "-%d", i)
		end = behind
	}
	renamed.Write(data[end:])
	for decoder := yaml.NewDecoder(&renamed); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if err == nil {
			continue
		}
		if m := anchor.FindStringSubmatch(err.Error()); m != nil {
			i, err := strconv.Atoi(strings.TrimPrefix(m[1], name+"-"))
			if err == nil && i < len(all) {
				return all[i][0]
			}
		}
		return -1
	}
}

// badCharacter returns where the first character is that YAML does not allow, or -1.
func badCharacter(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r > '~' && r < 0xa0 && r != 0x85 {
			return at
		}
		at += size
	}
	return -1
}

// place returns the line and column of a byte.
func place(data []byte, at int) (line, column int) {
	before := data[:at]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}
