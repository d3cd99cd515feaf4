package embedded

// A resultName is a result code with the name that [ParseFault] takes for it.
type resultName struct {
	code resultCode
	name string
}

// resultNames lists the result codes of the wire protocol under the names that
// clients and the server's documentation give them.
func resultNames() []resultName {
	return []resultName{
		{1, "server-error"}, {2, "not-found"}, {3, "generation"}, {4, "parameter"}, {5, "exists"},
		{7, "cluster-key-mismatch"}, {8, "server-memory"}, {9, "timeout"}, {10, "always-forbidden"},
		{11, "partition-unavailable"}, {12, "bin-type"}, {13, "record-too-big"}, {14, "key-busy"},
		{15, "scan-abort"}, {16, "unsupported-feature"}, {17, "bin-not-found"}, {18, "device-overload"},
		{19, "key-mismatch"}, {20, "invalid-namespace"}, {21, "bin-name"}, {22, "forbidden"},
		{23, "element-not-found"}, {24, "element-exists"}, {25, "enterprise-only"}, {26, "op-not-applicable"},
		{27, "filtered-out"}, {28, "lost-conflict"}, {51, "security-not-supported"}, {52, "security-not-enabled"},
		{60, "invalid-user"}, {62, "invalid-password"}, {65, "invalid-credential"}, {66, "expired-session"},
		{80, "not-authenticated"}, {81, "role-violation"}, {83, "quota-exceeded"}, {100, "udf"},
		{150, "batch-disabled"}, {151, "batch-max-requests"}, {152, "batch-queues-full"}, {201, "index-not-found"},
		{210, "query-aborted"}, {211, "query-queue-full"}, {212, "query-timeout"},
	}
}
