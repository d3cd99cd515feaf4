package embedded

import (
	"encoding/base64"
	"errors"
	"strconv"
)

// codeClusterKeyMismatch is what cluster-stable answers if the cluster isn't as
// expected.
const codeClusterKeyMismatch resultCode = 7

// infoClusterStable answers with the cluster key if the cluster is as the
// parameters demand.
func (s *Server) infoClusterStable(params string) string {
	size, fault := infoOptional(params, "size", 3)
	if fault != "" {
		return fault
	}
	if size != "" {
		n, err := strconv.ParseUint(size, 10, 32)
		if err != nil {
			return infoError(codeParameter, "bad size")
		}
		if n != uint64(s.clusterSize()) {
			return infoError(codeClusterKeyMismatch, "cluster not specified size")
		}
	}
	ignore, fault := infoOptional(params, "ignore-migrations", 5)
	switch {
	case fault != "":
		return fault
	case ignore == "true":
		return s.clusterKey()
	case ignore != "" && ignore != "false":
		return infoError(codeParameter, "bad ignore migrations")
	}
	name, fault := infoOptional(params, "namespace", maxNamespaceName)
	switch {
	case fault != "":
		return fault
	case name != "" && s.byName[name] == nil:
		return infoError(codeNamespace, "namespace not found on node")
	}
	return s.clusterKey()
}

// truncateTarget takes namespace and set from a truncate command's parameters.
// fault is the error to answer with, empty if there is none.
func truncateTarget(ofSet bool, params string) (namespace, set, fault string) {
	if namespace, fault = infoRequired(params, "namespace", maxNamespaceName); fault != "" {
		return "", "", fault
	}
	if ofSet {
		set, fault = infoRequired(params, "set", maxSetName)
		return namespace, set, fault
	}
	if _, state := infoParam(params, "set", maxSetName); state != paramMissing {
		return "", "", infoError(codeParameter, "unexpected set name")
	}
	return namespace, "", ""
}

// infoTruncate deletes the records of a set or namespace that were last updated
// before a time: now, unless lut gives it in Unix nanoseconds. An unknown
// namespace or set is fine, as it may exist on another node.
func (s *Server) infoTruncate(ofSet bool, params string) string {
	name, setName, fault := truncateTarget(ofSet, params)
	if fault != "" {
		return fault
	}
	text, fault := infoOptional(params, "lut", 23)
	if fault != "" {
		return fault
	}
	now := s.nowMs()
	cut := now
	if text != "" {
		if cut = truncateTime(text); cut == 0 {
			return infoError(codeParameter, "would truncate to 0")
		}
		if cut > now {
			return infoError(codeParameter, "would truncate in the future")
		}
	}
	ns := s.byName[name]
	if ns == nil {
		return "ok"
	}
	if !ofSet {
		ns.truncate(nil, 0, cut, text == "")
	} else if id, ok := ns.setID([]byte(setName)); ok {
		ns.truncate(ns.set(id), id, cut, text == "")
	}
	return "ok"
}

// truncateTime turns Unix nanoseconds, decimal, hexadecimal (0x) or octal (0),
// into milliseconds since the Aerospike epoch. What isn't a number, or is before
// the epoch, gives 0; a number too large gives the largest.
func truncateTime(text string) uint64 {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	if ms := n / 1e6; ms > aerospikeEpochMs {
		return ms - aerospikeEpochMs
	}
	return 0
}

// infoTruncateUndo forgets a truncation. Records that it deleted don't come back.
func (s *Server) infoTruncateUndo(ofSet bool, params string) string {
	name, setName, fault := truncateTarget(ofSet, params)
	if fault != "" {
		return fault
	}
	ns := s.byName[name]
	if ns == nil {
		return "ok"
	}
	if !ofSet {
		ns.truncated.Store(0)
	} else if id, ok := ns.setID([]byte(setName)); ok {
		ns.set(id).truncated.Store(0)
	}
	return "ok"
}

// infoUserAgent takes a client's description of itself, once per connection.
func (c *conn) infoUserAgent(params string) string {
	const maxEncoded = 87 // bytes; the real server keeps up to 64 decoded
	if c.userAgent {
		return infoError(codeParameter, "already set")
	}
	value, fault := infoRequired(params, "value", maxEncoded)
	if fault != "" {
		return fault
	}
	if _, err := base64.StdEncoding.DecodeString(value); err != nil {
		return infoError(codeParameter, "'value' invalid base64")
	}
	c.userAgent = true
	return "ok"
}
