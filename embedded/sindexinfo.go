package embedded

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// Result codes on secondary indexes.
const (
	codeIndexFound    resultCode = 200
	codeIndexMaxCount resultCode = 206
)

// indexKinds names the kinds of indexes in the protocol's order.
func indexKinds() []string { return []string{"default", "list", "mapkeys", "mapvalues"} }

// indexNamespace takes the namespace that an index command names: by namespace,
// or ns in older clients.
func indexNamespace(params string) (name, fault string) {
	if _, state := infoParam(params, "namespace", maxNamespaceName); state == paramMissing {
		if name, state := infoParam(params, "ns", maxNamespaceName); state == paramOK && name != "" {
			return name, ""
		}
	}
	return infoRequired(params, "namespace", maxNamespaceName)
}

// indexNames returns the names of the index that a command is for, and of its
// namespace.
func indexNames(params string) (name, namespace, fault string) {
	if name, fault = infoRequired(params, "indexname", maxIndexName); fault != "" {
		return "", "", fault
	}
	namespace, fault = indexNamespace(params)
	return name, namespace, fault
}

// infoIndexCreate makes a secondary index.
func (s *Server) infoIndexCreate(params string) string {
	name, namespace, fault := indexNames(params)
	if fault != "" {
		return fault
	}
	def, fault := indexDefinition(params)
	if fault != "" {
		return fault
	}
	ns := s.byName[namespace]
	if ns == nil {
		return "ok" // sic: a definition that no node has a use for
	}
	ns.indexes.mu.Lock()
	defer ns.indexes.mu.Unlock()
	if x := ns.indexes.named(name); x != nil {
		if x.sindexDef != def {
			return infoError(codeIndexFound, "'indexname' already exists with different definition")
		}
		return "ok"
	}
	if x := ns.indexes.defined(def); x != nil {
		ns.renameIndex(x, name)
		return "ok"
	}
	if len(ns.indexes.all()) >= maxIndexes {
		return infoError(codeIndexMaxCount, "already at sindex definition limit")
	}
	ns.createIndex(name, def)
	return "ok"
}

// renameIndex gives an index another name. The caller holds the table's lock.
func (ns *namespace) renameIndex(x *sindex, name string) {
	renamed := *x
	renamed.name = name
	list := slices.Clone(ns.indexes.all())
	list[slices.Index(list, x)] = &renamed // it shares the trees
	ns.indexes.list.Store(&list)
}

// indexDefinition takes what is to be indexed from a command's parameters. fault
// is the error to answer with, empty if there is none.
func indexDefinition(params string) (def sindexDef, fault string) {
	const maxContext = 2047 // bytes
	if def.set, fault = infoOptional(params, "set", maxSetName); fault != "" {
		return def, fault
	}
	context, fault := infoOptional(params, "context", maxContext)
	if fault != "" {
		return def, fault
	}
	if def.context, fault = indexContext(context); fault != "" {
		return def, fault
	}
	kind, fault := infoOptional(params, "indextype", 9)
	if fault != "" {
		return def, fault
	}
	if kind != "" {
		i := slices.Index(indexKinds(), strings.ToLower(kind))
		if i < 0 {
			return def, infoError(codeParameter, "bad 'indextype' - must be one of 'default', 'list', 'mapkeys', 'mapvalues'")
		}
		def.kind = byte(i)
	}
	typeName, fault := def.takeBin(params)
	if fault != "" {
		return def, fault
	}
	if typeName == "geo2dsphere" {
		if def.kind == indexMapKeys {
			return def, infoError(codeParameter, "bad 'indexdata' bin type for 'indextype' 'mapkeys' - must be one of 'numeric', 'string', 'blob'")
		}
		return def, infoError(codeUnsupportedFeature, "unsupported feature")
	}
	return def, ""
}

// indexContext decodes a context.
func indexContext(text string) (context, fault string) {
	if text == "" {
		return "", ""
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", infoError(codeParameter, "'context' invalid base64")
	}
	if !validContext(b) {
		return "", infoError(codeParameter, "'context' invalid cdt context")
	}
	return string(b), ""
}

// takeBin takes the bin and the type of its values, from bin and type, or from
// indexdata as older clients have it. It returns the type's name.
func (def *sindexDef) takeBin(params string) (typeName, fault string) {
	data, fault := infoOptional(params, "indexdata", maxBinName+1+11)
	if fault != "" {
		return "", fault
	}
	typeName, fault = infoOptional(params, "type", 11)
	switch {
	case fault != "":
		return "", fault
	case data == "" && typeName == "":
		return "", infoError(codeParameter, "both 'indexdata' and 'type' are missing")
	case data != "" && typeName != "":
		return "", infoError(codeParameter, "both 'indexdata' and 'type' are specified")
	case data != "":
		return def.takeIndexData(data)
	}
	if !def.takeType(typeName) {
		return "", infoError(codeParameter, "bad 'type' - must be one of 'numeric', 'string', 'blob', 'geo2dsphere'")
	}
	if def.bin, fault = infoOptional(params, "bin", maxBinName); fault != "" {
		return "", fault
	}
	_, state := infoParam(params, "exp", 16<<10)
	switch {
	case def.bin != "" && state != paramMissing:
		return "", infoError(codeParameter, "both 'bin' and 'exp' are specified")
	case def.bin == "" && state == paramMissing:
		return "", infoError(codeParameter, "both 'bin' and 'exp' are missing")
	case state != paramMissing:
		return "", infoError(codeUnsupportedFeature, "unsupported feature")
	}
	return strings.ToLower(typeName), ""
}

func (def *sindexDef) takeIndexData(data string) (typeName, fault string) {
	name, typeName, ok := strings.Cut(data, ",")
	switch {
	case !ok:
		return "", infoError(codeParameter, "'indexdata' missing bin type")
	case name == "":
		return "", infoError(codeParameter, "'indexdata' missing bin name")
	case len(name) > maxBinName:
		return "", infoError(codeParameter, "'indexdata' bin name too long")
	case !def.takeType(typeName):
		return "", infoError(codeParameter, "bad 'indexdata' bin type - must be one of 'numeric', 'string', 'blob', 'geo2dsphere'")
	}
	def.bin = name
	return strings.ToLower(typeName), ""
}

// takeType takes the type of the values.
func (def *sindexDef) takeType(name string) bool {
	switch strings.ToLower(name) {
	case "numeric":
		def.particle = particleInteger
	case "string":
		def.particle = particleString
	case "blob":
		def.particle = particleBlob
	case "geo2dsphere":
		def.particle = particleGeoJSON
	default:
		return false
	}
	return true
}

// infoIndexDelete drops an index. It need not be there.
func (s *Server) infoIndexDelete(params string) string {
	name, namespace, fault := indexNames(params)
	if fault != "" {
		return fault
	}
	if ns := s.byName[namespace]; ns != nil {
		ns.indexes.mu.Lock()
		defer ns.indexes.mu.Unlock()
		if x := ns.indexes.named(name); x != nil {
			ns.dropIndex(x)
		}
	}
	return "ok"
}

// infoIndexOf answers commands on one index.
func (s *Server) infoIndexOf(command, params string) string {
	name, namespace, fault := indexNames(params)
	if fault != "" {
		return fault
	}
	ns := s.byName[namespace]
	if ns == nil {
		return infoError(codeNamespace, "namespace not found on node")
	}
	x := ns.indexes.named(name)
	switch {
	case command == "sindex-exists":
		return fmt.Sprint(x != nil)
	case x == nil:
		return infoError(codeIndexNotFound, "no index")
	}
	return x.info(ns)
}

// info describes an index's state.
func (x *sindex) info(ns *namespace) string {
	const entryBytes = 28
	n := x.size(ns)
	return fmt.Sprintf("entries=%d;used_bytes=%d;entries_per_bval=0;entries_per_rec=0;load_pct=100;load_time=0;stat_gc_recs=0",
		n, n*entryBytes)
}

// infoIndexList lists the indexes of a namespace, or of all.
func (s *Server) infoIndexList(params string) string {
	list := s.order
	if params != "" {
		name, fault := indexNamespace(params)
		_, missing := infoParam(params, "namespace", maxNamespaceName)
		_, older := infoParam(params, "ns", maxNamespaceName)
		switch {
		case missing == paramMissing && older == paramMissing:
		case fault != "":
			return fault
		case s.byName[name] == nil:
			return infoError(codeNamespace, "namespace not found on node")
		default:
			list = []*namespace{s.byName[name]}
		}
	}
	b64, fault := infoOptional(params, "b64", 5)
	if fault != "" {
		return fault
	}
	if b64 != "" && b64 != "true" && b64 != "false" {
		return infoError(codeParameter, "bad b64")
	}
	return listIndexes(list)
}

// listIndexes describes the indexes of some namespaces.
func listIndexes(list []*namespace) string {
	var parts []string
	for _, ns := range list {
		for _, x := range ns.indexes.all() {
			parts = append(parts, x.describe(ns.name))
		}
	}
	return strings.Join(parts, ";")
}

// describe describes an index's definition. A context is always shown in base64.
func (x *sindex) describe(nsName string) string {
	set, context := "null", "null"
	if x.set != "" {
		set = x.set
	}
	if x.context != "" {
		context = base64.StdEncoding.EncodeToString([]byte(x.context))
	}
	typeName := map[byte]string{particleInteger: "numeric", particleString: "string", particleBlob: "blob"}[x.particle]
	return fmt.Sprintf("ns=%s:indexname=%s:set=%s:bin=%s:type=%s:indextype=%s:context=%s:exp=null:state=RW",
		nsName, x.name, set, x.bin, typeName, indexKinds()[x.kind], context)
}

// infoIndexes answers the older command: all indexes, those of a namespace, or the
// state of one (namespace/name).
func (s *Server) infoIndexes(params string) string {
	if params == "" {
		return listIndexes(s.order)
	}
	nsName, name, one := strings.Cut(params, "/")
	ns := s.byName[nsName]
	switch {
	case ns == nil:
		return "ns_type=unknown"
	case !one:
		return listIndexes([]*namespace{ns})
	}
	if x := ns.indexes.named(name); x != nil {
		return x.info(ns)
	}
	return infoError(codeIndexNotFound, "no index")
}
