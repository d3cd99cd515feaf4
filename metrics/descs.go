package metrics

import "github.com/prometheus/client_golang/prometheus"

// family is a metric as it is declared. Its labels have few values: stages are those of
// the plan, operations and outcomes a handful, result codes at most some hundred, and
// nodes those of the cluster.
type family struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// families holds all of them. The names are listed, with what they mean, in
// docs/metrics.md.
type families struct {
	build, run, phase, current                     family
	info, started, elapsed, progress, workers      family
	transactions, completed, due, backlog, target  family
	failed, records, failedRecords, mismatches     family
	probes, held, assertion                        family
	nodes, node, connections                       family
	retries, connectionsFailed, tendsFailed        family
	nodesAdded, nodesRemoved, partitions, breakers family
	service, response, lateness                    *prometheus.Desc
	all                                            []*prometheus.Desc
}

const prefix = "aeroload_"

func newFamilies() *families {
	f := &families{}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		d := prometheus.NewDesc(prefix+name, help, labels, nil)
		f.all = append(f.all, d)
		return d
	}
	gauge := func(name, help string, labels ...string) family {
		return family{desc(name, help, labels...), prometheus.GaugeValue}
	}
	counter := func(name, help string, labels ...string) family {
		return family{desc(name+"_total", help, labels...), prometheus.CounterValue}
	}
	f.build = gauge("build_info", "Versions that the run was made with; always 1.", "version", "client_version", "go_version")
	f.run = gauge("run_info", "What the run is about; always 1.", "namespace", "set", "seed", "embedded")
	f.phase = gauge("phase", "1 for what the run does at the moment, 0 for the others.", "phase")
	f.current = gauge("current_stage", "Number of the stage that runs, or ran last, from 1; 0 before the first.")

	f.info = gauge("stage_info", "The stages of the plan; always 1.", "stage", "name", "workload")
	f.started = gauge("stage_start_timestamp_seconds", "When the measured time of the stage began.", "stage")
	f.elapsed = gauge("stage_elapsed_seconds", "How long the stage has been measured.", "stage")
	f.progress = gauge("stage_progress_ratio", "How much of the stage is done, from 0 to 1.", "stage")
	f.workers = gauge("stage_workers", "Transactions of the stage on their way at most.", "stage")

	f.transactions = counter("transactions", "Transactions by operation and outcome; those of several commands count as such commands, and once more as a whole with the operation txn.", "stage", "op", "outcome")
	f.completed = counter("completed_transactions", "Transactions that ended in whatever way, each once: what a target rate counts.", "stage")
	f.due = counter("due_transactions", "Transactions that the target rate has asked for.", "stage")
	f.backlog = gauge("backlog_transactions", "Transactions that are due and have not ended; those on their way are some of them.", "stage")
	f.target = gauge("target_transactions_per_second", "The target rate at the moment; stages that run without one have none.", "stage")
	f.failed = counter("failed_transactions", "Failed transactions by result code, timeouts included.", "stage", "op", "code")
	f.records = counter("records", "Records by what became of them.", "stage", "op", "outcome")
	f.failedRecords = counter("failed_records", "Failed records of batches that were answered all the same, by result code.", "stage", "op", "code")
	f.mismatches = counter("mismatched_records", "Records that were read with other values than the object spec makes.", "stage", "op")

	f.probes = counter("find_max_probes", "Rates that a stage with find-max has tried.", "stage", "outcome")
	f.held = gauge("find_max_transactions_per_second", "The highest rate at which the limits of find-max are known to hold; 0 for none.", "stage")
	f.assertion = gauge("assertion_ok", "Whether an assertion of a stage that is over held.", "stage", "assertion")

	f.nodes = gauge("cluster_nodes", "Nodes of the cluster as the client knows it.")
	f.node = gauge("cluster_node_info", "The nodes at the start of the run; always 1.", "node", "address", "build", "edition")
	f.connections = gauge("cluster_connections", "Open connections to a node.", "address")
	f.retries = counter("client_retries", "Attempts of commands after the first.")
	f.connectionsFailed = counter("client_connections_failed", "Connections that could not be opened or used.")
	f.tendsFailed = counter("client_tends_failed", "Looks at a node's state that failed.")
	f.nodesAdded = counter("client_nodes_added", "Nodes that the client has found, those at the start included.")
	f.nodesRemoved = counter("client_nodes_removed", "Nodes that the client has given up.")
	f.partitions = counter("client_partition_map_updates", "News of which node has which data.")
	f.breakers = counter("client_circuit_breaker_hits", "Commands that were refused because of a node's errors.")

	f.service = desc("service_time_seconds", "From the call of a transaction to its return.", "stage", "op")
	f.response = desc("response_time_seconds", "From when a transaction was due to its return, in stages with a target rate.", "stage", "op")
	f.lateness = desc("start_lateness_seconds", "How late aeroload itself started transactions, in stages with a target rate.", "stage")
	return f
}
