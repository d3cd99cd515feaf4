package embedded

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// What the server says that it is: clients pick features by it.
const (
	build           = "8.1.0.3"
	edition         = "Aerospike Community Edition"
	compatibilityID = "15"
	clusterKey      = "AE0001" // of a server on its own
)

// objects is the number of records in all namespaces.
func (s *Server) objects() (n int64) {
	for _, ns := range s.order {
		n += ns.objects.Load()
	}
	return n
}

// infoReplicas answers which partitions this node owns in each namespace: all.
func (s *Server) infoReplicas(params string) string {
	limit, fault := infoOptional(params, "max", 3)
	if fault != "" {
		return fault
	}
	if _, err := strconv.ParseUint(limit, 10, 32); limit != "" && err != nil {
		return infoError(codeParameter, "bad max")
	}
	return s.replicaMaps(true, true)
}

// replicaMaps lists, by namespace, a bitmap of the owned partitions, after the
// number of bitmaps and, before that, the regime (0 in namespaces that favour
// availability).
func (s *Server) replicaMaps(count, regime bool) string {
	var bitmap [partitions / 8]byte
	for i := range bitmap {
		bitmap[i] = 0xFF
	}
	owned := base64.StdEncoding.EncodeToString(bitmap[:])
	parts := make([]string, 0, len(s.order))
	for _, ns := range s.order {
		prefix := ""
		if regime {
			prefix = "0,"
		}
		if count {
			prefix += "1,"
		}
		parts = append(parts, ns.name+":"+prefix+owned)
	}
	return strings.Join(parts, ";")
}

// infoPartitions describes every partition of every namespace.
func (s *Server) infoPartitions() string {
	var b strings.Builder
	b.WriteString("namespace:partition:state:n_replicas:replica:succession:n_dupl:working_master:proxy_dst:" +
		"emigrates:lead_emigrates:immigrates:records:tombstones:regime:tree_id:version:final_version")
	node, version := s.nodeID(), strings.ToLower(clusterKey)+".0.mp-"
	for _, ns := range s.order {
		for pid := range ns.partitions {
			p := &ns.partitions[pid]
			p.mu.Lock()
			records := len(p.records)
			p.mu.Unlock()
			fmt.Fprintf(&b, ";%s:%d:S:1:0:0:0:%s:%s:0:0:0:%d:0:0:1:%s:%s",
				ns.name, pid, node, node, records, version, version)
		}
	}
	return b.String()
}

// infoStatistics describes the node.
func (s *Server) infoStatistics() string {
	s.mu.Lock()
	opened, open := s.opened, uint64(len(s.conns))
	s.mu.Unlock()
	return fmt.Sprintf("failed_best_practices=false;cluster_size=%d;cluster_key=", s.clusterSize()) + s.clusterKey() +
		";cluster_generation=1;cluster_principal=" + s.nodeID() +
		";cluster_min_compatibility_id=" + compatibilityID + ";cluster_max_compatibility_id=" + compatibilityID +
		";cluster_integrity=true;cluster_is_member=true;cluster_duplicate_nodes=null" +
		";cluster_clock_skew_stop_writes_sec=0;cluster_clock_skew_ms=0;cluster_clock_skew_outliers=null" +
		fmt.Sprintf(";uptime=%d", int64(s.now().Sub(s.started).Seconds())) +
		fmt.Sprintf(";objects=%d;tombstones=0;info_queue=0;rw_in_progress=0;proxy_in_progress=0", s.heldTotal()) +
		fmt.Sprintf(";client_connections=%d;client_connections_opened=%d;client_connections_closed=%d",
			open, opened, opened-open)
}

// infoNamespace describes a namespace: its state, then its configuration.
func (s *Server) infoNamespace(name string) string {
	ns := s.byName[name]
	if ns == nil {
		return "type=unknown"
	}
	now := s.nowMs()
	ns.sweep(now)
	objects, expirable := ns.objects.Load(), ns.expirable.Load()
	const indexEntrySize = 64 // bytes a record takes in the real server's index
	master, replica := s.heldObjects(ns)
	return fmt.Sprintf("ns_cluster_size=%d;effective_replication_factor=%d", s.clusterSize(), s.replicationFactor()) +
		fmt.Sprintf(";objects=%d;tombstones=0;master_objects=%d;master_tombstones=0", master+replica, master) +
		fmt.Sprintf(";prole_objects=%d", replica) + ";prole_tombstones=0;non_replica_objects=0;non_replica_tombstones=0" +
		";unreplicated_records=0;dead_partitions=0;unavailable_partitions=0;clock_skew_stop_writes=false" +
		";stop_writes=false;hwm_breached=false" +
		fmt.Sprintf(";current_time=%d;non_expirable_objects=%d", now/1000, objects-expirable) +
		fmt.Sprintf(";truncate_lut=%d;truncating=false", ns.truncated.Load()) +
		fmt.Sprintf(";index_used_bytes=%d;", objects*indexEntrySize) + ns.config()
}

// config lists a namespace's configuration.
func (ns *namespace) config() string {
	return fmt.Sprintf("allow-ttl-without-nsup=true;default-ttl=%d;max-record-size=%d;replication-factor=1;"+
		"storage-engine=memory;strong-consistency=false", ns.defaultTTL, ns.maxRecordSize)
}

// infoConfig answers with the configuration of the service or of a namespace.
func (s *Server) infoConfig(params string) string {
	context, fault := infoOptional(params, "context", 64)
	if fault != "" {
		return fault
	}
	switch context {
	case "", "service":
		return "cluster-name=" + s.cfg.ClusterName + ";min-cluster-size=1;node-id=" + s.nodeID() +
			fmt.Sprintf(";proto-fd-idle-ms=%d;proto-fd-max=%d;service.port=%d;service.address=%s",
				s.cfg.IdleTimeout.Milliseconds(), s.cfg.MaxConnections, s.Port(), s.host())
	case "namespace":
		id, _ := infoParam(params, "id", maxNamespaceName)
		if id == "" {
			id, _ = infoParam(params, "namespace", maxNamespaceName)
		}
		if ns := s.byName[id]; ns != nil {
			return ns.config()
		}
		return infoError(codeNamespace, "namespace not found on node")
	}
	return infoError(codeUnsupportedFeature, "unsupported feature")
}

// infoLatencies lists the latency histograms, none of which has data.
func (s *Server) infoLatencies() string {
	parts := []string{"batch-index:"}
	for _, ns := range s.order {
		for _, kind := range []string{"read", "write", "udf", "batch-sub-read", "batch-sub-write", "batch-sub-udf", "pi-query", "si-query"} {
			parts = append(parts, "{"+ns.name+"}-"+kind+":")
		}
	}
	return strings.Join(parts, ";")
}

// infoSets describes the sets of all namespaces (no parameter), of one
// (namespace), or one set (namespace/set).
func (s *Server) infoSets(params string) string {
	name, set, one := strings.Cut(params, "/")
	if params == "" {
		var b strings.Builder
		for _, ns := range s.order {
			b.WriteString(ns.infoSets(s.nowMs()))
		}
		return b.String()
	}
	ns := s.byName[name]
	if ns == nil {
		return "ns_type=unknown"
	}
	if !one {
		return ns.infoSets(s.nowMs())
	}
	ns.sweep(s.nowMs())
	id, ok := ns.setID([]byte(set))
	if !ok {
		return ""
	}
	return ns.set(id).info()
}

func (ns *namespace) infoSets(nowMs uint64) string {
	ns.sweep(nowMs)
	var b strings.Builder
	for _, st := range ns.sets.Load().sets[1:] {
		b.WriteString("ns=" + ns.name + ":set=" + st.name + ":" + st.info())
	}
	return b.String()
}

func (st *set) info() string {
	return fmt.Sprintf("objects=%d:tombstones=0:data_used_bytes=0:truncate_lut=%d:sindexes=0:"+
		"index_populating=false:truncating=false:default-read-touch-ttl-pct=0:default-ttl=0:"+
		"disable-eviction=false:enable-index=false:stop-writes-count=0:stop-writes-size=0;",
		st.objects.Load(), st.truncated.Load())
}
