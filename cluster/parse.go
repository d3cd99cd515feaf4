package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A Host is where to ask for a cluster's nodes.
type Host struct {
	Name    string // DNS name or address, without brackets
	TLSName string // the name its TLS certificate must have; empty for TLSConfig.Name
	Port    int    // 1..65535
}

// String is the host as --hosts takes it: name:tlsname:port, without the TLS
// name when there is none.
func (h Host) String() string {
	if h.TLSName == "" {
		return h.address()
	}
	name := h.Name
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	return fmt.Sprintf("%s:%s:%d", name, h.TLSName, h.Port)
}

// address is the host as it is dialled and named in messages.
func (h Host) address() string {
	return net.JoinHostPort(h.Name, strconv.Itoa(h.Port))
}

// ParseHosts reads a --hosts value: host[:tlsname][:port] with commas between,
// an IPv6 address in brackets. A host without a port gets defaultPort. An
// error quotes the piece that is wrong and says which one it is, from 1.
//
// As in asbench, a single part after the host is a port when it begins with a
// digit and a TLS name otherwise.
func ParseHosts(text string, defaultPort int) ([]Host, error) {
	var hosts []Host
	for i, piece := range strings.Split(text, ",") {
		piece = strings.TrimSpace(piece)
		host, err := parseHost(piece, defaultPort)
		if err != nil {
			return nil, fmt.Errorf("--hosts: host %d, %q: %w", i+1, piece, err)
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

func parseHost(piece string, defaultPort int) (Host, error) {
	host := Host{Port: defaultPort}
	name, rest, more := strings.Cut(piece, ":")
	if inside, ok := strings.CutPrefix(piece, "["); ok {
		var after string
		if name, after, ok = strings.Cut(inside, "]"); !ok {
			return Host{}, errors.New("the bracket isn't closed")
		}
		if addr, err := netip.ParseAddr(name); err != nil || !addr.Is6() {
			return Host{}, fmt.Errorf("%q is not an IPv6 address", name)
		}
		if rest, more = strings.CutPrefix(after, ":"); !more && after != "" {
			return Host{}, fmt.Errorf("unexpected %q after the bracket", after)
		}
	} else if addr, err := netip.ParseAddr(piece); err == nil && addr.Is6() {
		return Host{}, fmt.Errorf("put an IPv6 address in brackets: [%s]", piece)
	}
	if err := checkName("host", name); err != nil {
		return Host{}, err
	}
	host.Name = name
	if !more {
		return host, checkPort(defaultPort)
	}

	if rest == "" {
		return Host{}, errors.New("nothing follows the colon")
	}
	tlsName, port, both := strings.Cut(rest, ":")
	if !both && isDigit(rest[0]) {
		tlsName, port = "", rest
	}
	if both || port == "" {
		if err := checkName("TLS name", tlsName); err != nil {
			return Host{}, err
		}
		host.TLSName = tlsName
	}
	if both || port != "" {
		n, err := strconv.Atoi(port)
		if err != nil || !isDigit(port[0]) {
			return Host{}, fmt.Errorf("port %q is not a number", port)
		}
		host.Port = n
	}
	return host, checkPort(host.Port)
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// checkName refuses what can't be part of a name and is rather a mistyped
// separator or a URL; whether a name exists is for the resolver to say.
func checkName(what, name string) error {
	if name == "" {
		return fmt.Errorf("the %s is missing", what)
	}
	if i := strings.IndexFunc(name, func(r rune) bool { return r <= ' ' || strings.ContainsRune("/@;[]", r) }); i >= 0 {
		return fmt.Errorf("the %s %q has a %q in it", what, name, name[i:i+1])
	}
	return nil
}

func checkPort(port int) error {
	if port < 1 || port > 65535 {
		return fmt.Errorf("port %d is not in 1..65535", port)
	}
	return nil
}

// ParseRackIDs reads a --rack-id value: a rack, or several with commas between
// in order of preference.
func ParseRackIDs(text string) ([]int, error) {
	var ids []int
	for i, piece := range strings.Split(text, ",") {
		id, err := strconv.Atoi(strings.TrimSpace(piece))
		if err != nil {
			return nil, fmt.Errorf("--rack-id: rack %d, %q, is not a number", i+1, piece)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// ParseAuthMode reads an --auth value, in any case, as asbench does. The error
// lists the choices.
func ParseAuthMode(text string) (AuthMode, error) {
	return parseChoice("--auth", AuthMode(strings.ToUpper(text)), text, authModes())
}

// ParseReplica reads a --replica value. The error lists the choices.
func ParseReplica(text string) (Replica, error) {
	return parseChoice("--replica", Replica(text), text, replicas())
}

// ParseReadModeAP reads a --read-mode-ap value. The error lists the choices.
func ParseReadModeAP(text string) (ReadModeAP, error) {
	return parseChoice("--read-mode-ap", ReadModeAP(text), text, readModesAP())
}

// ParseReadModeSC reads a --read-mode-sc value. The error lists the choices.
func ParseReadModeSC(text string) (ReadModeSC, error) {
	return parseChoice("--read-mode-sc", ReadModeSC(text), text, readModesSC())
}

// ParseCommitLevel reads a --commit-level value. The error lists the choices.
func ParseCommitLevel(text string) (CommitLevel, error) {
	return parseChoice("--commit-level", CommitLevel(text), text, commitLevels())
}

func authModes() []AuthMode {
	return []AuthMode{AuthInternal, AuthExternal, AuthExternalInsecure, AuthPKI}
}

func replicas() []Replica {
	return []Replica{ReplicaMaster, ReplicaAny, ReplicaSequence, ReplicaPreferRack}
}

func readModesAP() []ReadModeAP { return []ReadModeAP{ReadModeAPOne, ReadModeAPAll} }

func readModesSC() []ReadModeSC {
	return []ReadModeSC{ReadModeSCSession, ReadModeSCLinearize, ReadModeSCAllowReplica, ReadModeSCAllowUnavailable}
}

func commitLevels() []CommitLevel { return []CommitLevel{CommitAll, CommitMaster} }

// parseChoice is value if it is one of the choices; typed is what the user wrote.
func parseChoice[T ~string](flag string, value T, typed string, choices []T) (T, error) {
	if slices.Contains(choices, value) {
		return value, nil
	}
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = string(c)
		if strings.EqualFold(typed, words[i]) {
			return "", fmt.Errorf("%s: %q is written %q", flag, typed, words[i])
		}
	}
	return "", fmt.Errorf("%s: %q is not one of %s", flag, typed, strings.Join(words, ", "))
}
