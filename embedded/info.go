package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// maxInfoReply is the size in bytes beyond which the answer to one message of
// info commands isn't built; the connection is closed instead.
const maxInfoReply = 64 << 20

var errInfoTooLong = errors.New("info reply too long")

// info answers a message of info commands. Each command ends with a new line,
// which is answered by a line of the command, a tab and the result. An empty
// message asks for a summary.
func (c *conn) info(body []byte) error {
	start := len(c.out)
	c.out = grow(c.out, protoHeaderSize)
	limit := start + maxInfoReply
	if len(body) == 0 {
		for _, name := range infoSummary() {
			c.infoLine(name)
		}
	}
	for {
		line, rest, found := bytes.Cut(body, []byte{'\n'})
		if !found {
			break // what doesn't end with a new line is not a command
		}
		body = rest
		c.infoLine(cString(line))
		if len(c.out) > limit {
			return errInfoTooLong
		}
	}
	putProtoHeader(c.out[start:], protoInfo, len(c.out)-start-protoHeaderSize)
	return nil
}

// cString is the text before the first zero byte, where the real server stops
// reading too.
func cString(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// infoSummary lists the commands that an empty message stands for.
func infoSummary() []string {
	return []string{
		"features", "node", "compatibility-id", "edition", "build_ee_sha", "build_sha", "build_arch",
		"build_time", "build_os", "build", "version", "statistics", "services-alumni", "services",
		"partition-generation",
	}
}

// infoLine appends a command and its result.
func (c *conn) infoLine(command string) {
	name, params := command, ""
	if i := strings.IndexAny(command, "/:;"); i >= 0 {
		name, params = command[:i], command[i+1:]
	}
	c.out = append(c.out, command...)
	c.out = append(c.out, '\t')
	c.out = append(c.out, c.infoResult(name, params)...)
	c.out = append(c.out, '\n')
}

// infoError formats an error as the info protocol has it.
func infoError(code resultCode, message string) string {
	return fmt.Sprintf("ERROR:%d:%s", code, message)
}

// infoResult returns the result of one command.
func (c *conn) infoResult(name, params string) string {
	s := c.server
	if s.security != nil {
		if denied := c.infoDenied(name, params); denied != "" {
			return denied
		}
	}
	if c.at().cfg.TLS != nil {
		if result, ok := c.tlsInfo(name); ok {
			return result
		}
	}
	if c.node != nil && c.node.cluster != nil {
		if result, ok := c.clusterInfo(name, params); ok {
			return result
		}
	}
	if result, ok := s.infoFixed(name); ok {
		return result
	}
	switch name {
	case "cluster-stable":
		return s.infoClusterStable(params)
	case "get-config":
		return s.infoConfig(params)
	case "latencies":
		return s.infoLatencies()
	case "namespace":
		return s.infoNamespace(params)
	case "objects":
		return fmt.Sprint(s.objects())
	case "partition-info":
		return s.infoPartitions()
	case "replicas":
		return s.infoReplicas(params)
	case "replicas-all", "replicas-master":
		return s.replicaMaps(name == "replicas-all", false)
	case "sets":
		return s.infoSets(params)
	case "query-show":
		return s.infoQueryShow(params)
	case "sindex":
		return s.infoIndexes(params)
	case "sindex-create":
		return s.infoIndexCreate(params)
	case "sindex-delete":
		return s.infoIndexDelete(params)
	case "sindex-exists", "sindex-stat":
		return s.infoIndexOf(name, params)
	case "sindex-list":
		return s.infoIndexList(params)
	case "statistics":
		return s.infoStatistics()
	case "truncate", "truncate-namespace":
		return s.infoTruncate(name == "truncate", params)
	case "truncate-undo", "truncate-namespace-undo":
		return s.infoTruncateUndo(name == "truncate-undo", params)
	case "udf-clear-cache":
		return s.udfs.infoClearCache()
	case "udf-get":
		return s.udfs.infoGet(params)
	case "udf-list":
		return s.udfs.infoList()
	case "udf-put":
		return s.udfs.infoPut(params)
	case "udf-remove":
		return s.udfs.infoRemove(params)
	case "user-agent-set":
		return c.infoUserAgent(params)
	}
	return infoOther(name)
}

// infoOther answers the commands of a real server that have no meaning here,
// and those that it doesn't know.
func infoOther(name string) string {
	switch name {
	case "alumni-tls-alt", "alumni-tls-std", "feature-key", "peers-tls-alt", "peers-tls-std", "quiesce",
		"quiesce-undo", "rack-ids", "racks", "revive", "roster", "roster-set", "service-tls-alt",
		"service-tls-std", "xdr-dc-state", "xdr-get-filter", "xdr-set-filter":
		return infoError(codeEnterpriseOnly, "enterprise only")
	case "config-get", "config-set", "debug-record", "debug-record-meta", "digests", "endpoints",
		"eviction-reset", "get-sl", "get-stats", "health-outliers", "health-stats", "help", "histogram",
		"index-pressure", "jem-stats", "log-message", "log-set", "mcast", "mesh", "physical-devices",
		"set-config", "set-log", "smd-info", "smd-show",
		"thread-traces", "tip", "tip-clear", "user-agents":
		return infoError(codeUnsupportedFeature, "unsupported feature")
	}
	return infoError(codeParameter, "unrecognized command")
}

// infoFixed answers the commands whose result depends on nothing but the
// server's identity. The features are those of a real server, although some are
// refused here: clients choose their protocol by them.
func (s *Server) infoFixed(name string) (string, bool) {
	switch name {
	case "admin-clear-std", "build_ee_sha", "log", "logs", "service-clear-alt", "services",
		"services-alternate", "services-alumni":
		return "", true
	case "alumni-clear-alt", "alumni-clear-std", "peers-clear-alt", "peers-clear-std":
		return "0,3000,[]", true // generation, default port, no peers
	case "best-practices":
		return "failed_best_practices=none", true
	case "build":
		return build, true
	case "build_arch", "build_os", "build_sha", "build_time":
		return "embedded", true
	case "cluster-name":
		return s.cfg.ClusterName, true
	case "compatibility-id":
		return compatibilityID, true
	case "connection":
		return "admin=false", true
	case "dump-cluster", "dump-fabric", "dump-hb", "dump-hlc", "dump-migrates", "dump-rw", "dump-skew",
		"dump-wb-summary", "recluster", "services-alumni-reset", "status":
		return "ok", true
	case "edition":
		return edition, true
	case "features":
		return "batch-any;batch-index;blob-bits;cdt-index;cdt-list;cdt-map;cluster-stable;float;geo;" +
			"sindex-exists;peers;pipelining;pquery;pscans;query-show;relaxed-sc;replicas;replicas-all;" +
			"replicas-master;replicas-max;truncate-namespace;udf", true
	case "name", "node":
		return s.nodeID(), true
	case "namespaces":
		return strings.Join(s.cfg.Namespaces, ";"), true
	case "partition-generation", "peers-generation":
		return "0", true
	case "partitions":
		return fmt.Sprint(partitions), true
	case "query-abort":
		return infoError(codeNotFound, "id not active"), true // queries end before a command is read
	case "query-abort-all":
		return "number-of-queries-killed:0", true
	case "rebalance-generation":
		return "1", true
	case "service", "service-clear-std":
		return s.Addr(), true
	case "version":
		return edition + " build " + build, true
	}
	return "", false
}

// A paramState says how looking for a parameter went.
type paramState int

const (
	paramOK paramState = iota
	paramMissing
	paramTooLong
)

// infoParam finds name=value among the parameters, which semicolons separate.
// A value of more than limit bytes is too long.
func infoParam(params, name string, limit int) (string, paramState) {
	for part := range strings.SplitSeq(params, ";") {
		key, value, ok := strings.Cut(part, "=")
		switch {
		case !ok || key != name:
		case len(value) > limit:
			return "", paramTooLong
		default:
			return value, paramOK
		}
	}
	return "", paramMissing
}

// infoOptional is infoParam for a parameter that may be absent. The second
// result is the error to answer with, empty if there is none.
func infoOptional(params, name string, limit int) (value, fault string) {
	code := codeParameter
	if name == "namespace" {
		code = codeNamespace
	}
	value, state := infoParam(params, name, limit)
	switch {
	case state == paramTooLong:
		return "", infoError(code, "'"+name+"' value too long")
	case state == paramOK && value == "":
		return "", infoError(code, "missing '"+name+"' value")
	}
	return value, ""
}

// infoRequired is infoOptional for a parameter that must be there.
func infoRequired(params, name string, limit int) (value, fault string) {
	value, fault = infoOptional(params, name, limit)
	if value != "" || fault != "" {
		return value, fault
	}
	code := codeParameter
	if name == "namespace" {
		code = codeNamespace
	}
	return "", infoError(code, "missing '"+name+"'")
}
