package cluster

import (
	"fmt"
	"strings"
)

// A Secret is a password. Printed by package fmt, by whatever verb and within
// whatever value, or marshalled, it is "(hidden)" (or nothing when it is empty),
// so that it does not get into a log, a result or a message by accident.
// string(s) is the password.
type Secret string

const hidden = "(hidden)"

// String is "(hidden)", or empty for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// Format implements [fmt.Formatter] for all verbs.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

// MarshalText implements [encoding.TextMarshaler], and so for JSON and YAML.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// IsReference tells whether a --tls-keyfile-password says where the password is
// (env:VARIABLE, file:PATH) instead of the password itself.
func (s Secret) IsReference() bool {
	return strings.HasPrefix(string(s), "env:") || strings.HasPrefix(string(s), "file:")
}
