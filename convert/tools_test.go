package convert

import "testing"

// ten is what a benchmark that runs until it is stopped gets.
const ten = "87600h0m0s"

// The wanted values are the tools' own, worked out from their sources and help
// texts.

func TestAsbench(t *testing.T) {
	for _, c := range []struct{ line, stage, args, comment, why string }{
		{"asbench -w RU", "RU,50 1-1000001 I4 10s threads=16", "", "threads: 16 default there", "all is default"},
		{"asbench -w I -K 0 -k 500", "I 0-500 I4 0s threads=16", "", "", "an insert ends by itself"},
		{"asbench -w I -t 3", "I 1-1000001 I4 3s threads=16", "", "", "or after a time at least"},
		{"asbench -wRU,75,50 -z16 -t 60 -g 100", "RU,75,50,100 1-1000001 I4 1m0s threads=16 tps=100", "", "asbench never reads all bins", "values are glued to short flags"},
		{"asbench -thre 5 --thro 7 --durat=9", "RU,50 1-1000001 I4 9s threads=5 tps=7", "", "-thre 5", "long names may be shortened"},
		{"asbench -dLa -c 70", "RU,50 1-1000001 I4 10s async=70", "--latency --debug", "-a, -c 70", "switches share a dash"},
		{"asbench -L 4,3", "RU,50 1-1000001 I4 10s threads=16", "--latency-columns 4,3", "--latency-columns 4,3 -L 4,3, of an older version", "columns of older versions"},
		{"asbench -dL4,3", "RU,50 1-1000001 I4 10s threads=16", "--latency-columns 4,3 --debug", "-L 4,3, of an older version", "the same glued"},
		{"asbench -dL 4,3", "RU,50 1-1000001 I4 10s threads=16", "--latency-columns 4,3 --debug", "-L 4,3, of an older version", "the same behind other switches"},
		{"asbench --latency alt,4,3,us -z 3", "RU,50 1-1000001 I4 10s threads=3", "--latency-columns alt,4,3,us", "--latency alt,4,3,us, of an older version", "the same by its long name"},
		{"asbench --latency=4,3 -g 9", "RU,50 1-1000001 I4 10s threads=16 tps=9", "--latency-columns 4,3", "With a target rate, latency columns hold response times here", "the same with an equals sign, and with a rate"},
		{"asbench -z 8 -z 9", "RU,50 1-1000001 I4 10s threads=9", "", "-z is given twice; the last counts", "the last value counts"},
		{"asbench -e -1 -R -o S5", "RU,50 1-1000001 S5 10s threads=16 random ttl=-1", "", "", "a value may begin with a dash"},
		{"asbench -P -U joe", "RU,50 1-1000001 I4 10s threads=16", "--user joe", "aeroload asks for it", "a password that is asked for"},
		{"asbench -P sesame -U joe", "RU,50 1-1000001 I4 10s threads=16", "--user joe", "-P ***", "a password behind a blank"},
		{"asbench -Penv:sesame", "RU,50 1-1000001 I4 10s threads=16", "", "-P***", "a password that only looks like a place"},
		{"asbench --tls-keyfile-password env:PW", "RU,50 1-1000001 I4 10s threads=16", "--tls-keyfile-password env:PW", "", "where the password is, is no secret"},
		{"asbench -S -Y 2 -W 3", "RU,50 1-1000001 I4 10s threads=16", "", "-Y 2 the Go client divides its pool", "without counterpart"},
		{"asbench --readModeAP all -n bar -s ''", "RU,50 1-1000001 I4 10s threads=16", "--namespace bar --set  --read-mode-ap all", "", "camelCase, and an empty set"},
		{"asbench -w RUD,50,20 --batch-size 5 --batch-read-size 9", "RUD,50,20 1-1000001 I4 10s threads=16 read=9 write=5", "", "", "batches"},
		{"asbench -o I4,S5 --read-bins 2 -b x", "RU,50,0,100 1-1000001 I4,S5 10s threads=16 read-bins=[2]", "--bin x", "", "bins"},
		{"asbench -w RUF,10,10 -upn m -ufn f -ufv '\"a: }\",1'", `RUF,10,10 1-1000001 I4 10s threads=16 m.f("a: }",1)`, "", "", "a UDF"},
	} {
		r, err := commandLineOf(t, "asbench", c.line, Options{})
		check(t, c.why+": "+c.line, r, err, c.stage, c.args, c.comment)
	}
}

func TestJava(t *testing.T) {
	const rw, w = "--max-error-rate 100 --max-retries 2", "--max-error-rate 100 --max-retries 0"
	for _, c := range []struct{ line, stage, args, comment, why string }{
		{"run_benchmarks -z 16", "RU,50 0-100000 0=I4 " + ten + " threads=16", rw, "keys, default there", "keys are 100000 from 0 on, 16 threads, one integer bin, half reads"},
		{"run_benchmarks -w I -k 500 -S 7 -t 3", "I 7-507 0=I4 0s threads=16", w, "-t 3 it is for workloads of reads and writes", "an insert ends by itself"},
		{"run_benchmarks -w RU,80,60,30 -b 3 -o I,S:5", "RU,80,60,30 0-100000 0=I4,1=S5,2=I4 " + ten + " threads=16", rw, "-b 3", "kinds take turns"},
		{"run_benchmarks -o I,S:5", "RU,50 0-100000 0=I4 " + ten + " threads=16", rw, "one bin, whatever -o lists", "one bin without -b"},
		{"run_benchmarks -b 2 -o I -R", "RU,50 0-100000 0=@key,1=I4 " + ten + " threads=16 random", rw, "", "with -R the first integer is the key"},
		{"run_benchmarks -o R:103:30", "RU,50 0-100000 0=R:96:30 " + ten + " threads=16", rw, "", "sizes are rounded to longs, and kept in longs: 103/8 is 12"},
		{"run_benchmarks -o D -R", "RU,50 0-100000 0=@now " + ten + " threads=16 random", rw, "", "a time"},
		{"run_benchmarks -o D", "RU,50 0-100000 0=I6 " + ten + " threads=16", rw, "", "the same time in all records"},
		{"run_benchmarks -w RR,40 -t 1000 -e 60", "RR,40 0-100000 0=I4 transactions=1000 threads=16 ttl=60", rw, "", "transactions"},
		{"run_benchmarks -w RMI -t 1001 -g 50", "RMI 0-100000 0=I4 transactions=501 threads=16 tps=25", rw, "50 commands/s, of which each transaction here has 2", "a read and a write are two there"},
		{"run_benchmarks -w TXN,r:3,w:2 -t 100 -g 50", "TXN,r:3,w:2 0-100000 0=I4 transactions=20 threads=16 tps=10", rw, "", "so are five commands"},
		{"run_benchmarks -w TXN,r:3,w:2 -g 50 -latency 4,3", "TXN,r:3,w:2 0-100000 0=I4 " + ten + " threads=16 tps=50", rw + " --latency-columns 4,3", "", "with -latency it counts whole ones"},
		{"run_benchmarks -latency alt,7,1,us", "RU,50 0-100000 0=I4 " + ten + " threads=16", rw + " --latency-columns alt,7,1,us", "--latency-columns alt,7,1,us -latency alt,7,1,us", "columns with counts, in microseconds"},
		{"run_benchmarks -latency ycsb,3", "RU,50 0-100000 0=I4 " + ten + " threads=16", rw + " --latency-columns ycsb,3", "", "lines as YCSB's"},
		{"run_benchmarks -w TXN,t:r2u30B -t 8", "TXN,t:r2u30B 0-100000 0=I4 transactions=2 threads=16", rw, "", "a batch is one command"},
		{"run_benchmarks -a", "RU,50 0-100000 0=I4 " + ten + " async=100", rw, "-a; default there", "100 commands at once"},
		{"run_benchmarks -aC 7 -z 3", "RU,50 0-100000 0=I4 " + ten + " async=7", rw, "-z 3 the number of threads", "switches share a dash"},
		{"run_benchmarks -async -C 7000", "RU,50 0-100000 0=I4 " + ten + " threads=7000", rw, "", "more than async stages can have"},
		{"run_benchmarks -vt 500 -z 3", "RU,50 0-100000 0=I4 " + ten + " threads=500", rw, "has 100 connections a node for 500 threads", "virtual threads"},
		{"run_benchmarks -B 20 -bns test,bar", "RU,50 0-100000 0=I4 " + ten + " threads=16 read=20 ns=[test bar]", rw, "writes are on single records", "only reads are batches"},
		{"run_benchmarks -w RMU -B 20", "RMU 0-100000 0=I4 " + ten + " threads=16", rw, "-B 20 only reads of RU and RR are batches", "and those of RU and RR alone"},
		{"run_benchmarks -w RU,30,100,20 -upn m -ufn f -ufv a,1", `update 70, udf 30 0-100000 0=I4 ` + ten + ` threads=16 m.f("a","1")`, rw, "{udf: 30, update: {weight: 70, all: 20}}", "reads call the UDF"},
		{"run_benchmarks -w RU,30 -upn m -ufn f", "RU,30 0-100000 0=I4 " + ten + " threads=16", rw, "-upn m, -ufn f the benchmark calls a UDF only if -udfFunctionValues is given", "but not without arguments"},
		{"run_benchmarks -T 50 -writeTotalTimeout 70", "RU,50 0-100000 0=I4 " + ten + " threads=16", "--max-error-rate 100 --timeout 50 --write-timeout 70 --socket-timeout 50 --max-retries 2", "", "-T is both timeouts"},
		{"run_benchmarks -T 50 -socketTimeout 9", "RU,50 0-100000 0=I4 " + ten + " threads=16", "--max-error-rate 100 --timeout 50 --socket-timeout 9 --max-retries 2", "", "unless another flag says more"},
		{"run_benchmarks -r preferRack -rackId 3", "RU,50 0-100000 0=I4 " + ten + " threads=16", rw + " --replica prefer-rack --rack-id 3", "", "racks"},
		{"run_benchmarks -rackId 3 -prole", "RU,50 0-100000 0=I4 " + ten + " threads=16", rw + " --replica any", "it counts with -replica preferRack alone", "no racks"},
		{"run_benchmarks -z 3 -z 5", "RU,50 0-100000 0=I4 " + ten + " threads=3", rw, "-z is given twice; the first counts", "the first value counts"},
		{"run_benchmarks --work=I -threads20 -k5", "I 0-5 0=I4 0s threads=20", w, "", "shortened and glued names"},
		{"run_benchmarks -tls -tp TLSv1.2,TLSv1.3 -U joe -P sesame", "RU,50 0-100000 0=I4 " + ten + " threads=16", "--user joe --tls-enable --tls-protocols -all +TLSv1.2 +TLSv1.3 " + rw, "-P ***", "TLS and a login"},
		{"run_benchmarks -upn m -ufn f -ufv 1 -w RU,100", `udf 100 0-100000 0=I4 ` + ten + ` threads=16 m.f("1")`, rw, "", "all reads call the UDF"},
		{"run_benchmarks -upn m -ufn f -ufv 1 -w RU,0", "RU,0 0-100000 0=I4 " + ten + " threads=16", rw, "only reads call it, and there are none", "no reads, no calls"},
		{"run_benchmarks -upn m -ufn f -ufv 1 -w RMU", "RMU 0-100000 0=I4 " + ten + " threads=16", rw, "the reads of RMU are plain ones", "a workload that cannot call"},
		{"run_benchmarks -upn m -ufn f -ufv 1 -B 5", "RU,50 0-100000 0=I4 " + ten + " threads=16 read=5", rw, "batch reads do not call UDFs", "batches do not call"},
		{"run_benchmarks -o R:80:100", "RU,50 0-100000 0=R:80:100 " + ten + " threads=16", rw, "only the first eighth of R:…:100 is random", "a slip of the tool"},
		{"run_benchmarks -a -C 70000 -g 9", "RU,50 0-100000 0=I4 " + ten + " threads=10000 tps=9", rw, "takes no notice of -g in asynchronous mode", "more than there can be at once"},
		{"run_benchmarks -z 70000", "RU,50 0-100000 0=I4 " + ten + " threads=10000", rw, "-z 70000, but 10000 is the most there can be", "more threads than there can be"},
		{"run_benchmarks -k 5 --", "RU,50 0-5 0=I4 " + ten + " threads=16", rw, "", "an end of the flags with nothing behind"},
		{"run_benchmarks -U joe", "RU,50 0-100000 0=I4 " + ten + " threads=16", "--user joe " + rw, "the benchmark asks for it, too", "a password that is asked for"},
		{"run_benchmarks -e -1", "RU,50 0-100000 0=I4 " + ten + " threads=16 ttl=-1", rw, "", "a negative number is a value"},
	} {
		r, err := commandLineOf(t, "java", c.line, Options{})
		check(t, c.why+": "+c.line, r, err, c.stage, c.args, c.comment)
	}
}

func TestGo(t *testing.T) {
	const usual = "--max-error-rate 50 --timeout 0 --max-retries 2"
	for _, c := range []struct{ line, stage, args, comment, why string }{
		{"go run benchmark.go", "I 0-1000000 I=I8 0s threads=32", usual, "keys are from 0 on there", "a million records by 32 goroutines"},
		{"benchmark -w RU -k 640", "RU,50 0-640 I=I8 " + ten + " threads=32 sequential", usual, "whose percentage is 50", "each goroutine walks its keys"},
		{"benchmark -w ru:80 -k 10 -c 3", "RU,80 0-10 I=I8 " + ten + " threads=3 sequential", usual, "to key 11", "the last of 3 goroutines takes 10/3+10%3 = 4 keys from 2*4 on"},
		{"benchmark -w I:60 -o S", "I:60 0-1000000 S=S50 0s threads=32", usual, "inserts all keys whatever the percentage", "sizes have defaults"},
		{"benchmark -w RU,80,5 -o b:9 -R", "RU,80 0-1000000 B=B9 " + ten + " threads=32 random sequential", usual, "ignores ,5 at the end", "what follows is ignored"},
		{"benchmark -L 7,1", "I 0-1000000 I=I8 0s threads=32", usual + " --latency-columns 7,1", "The benchmark shows one column more than -L says", "latency columns"},
		{"benchmark -L=7:1x", "I 0-1000000 I=I8 0s threads=32", usual + " --latency-columns 7,1", "", "two numbers are all that it looks for"},
		{"benchmark -L ''", "I 0-1000000 I=I8 0s threads=32", usual, "-L '' no columns, there either", "no latency columns"},
		{"benchmark -R=false --compress -T 50 -maxRetries=0 -g 70 -w I", "I 0-1000000 I=I8 0s threads=32 tps=70", "--max-error-rate 50 --timeout 50 --max-retries 0 --compress", "", "switches with values"},
		{"benchmark -A external -U joe -P sesame -rootCA ca -tlsName n", "I 0-1000000 I=I8 0s threads=32", "--user joe --auth EXTERNAL --tls-enable --tls-cafile ca --tls-name n " + usual, "", "TLS follows from its files"},
		{"benchmark -c 256 -k 256 --", "I 0-256 I=I8 0s threads=256", usual, "has 128 connections a node for 256 goroutines", "more goroutines than connections"},
		{"benchmark -keyFilePass b64:sesame -tlsKeyFile k", "I 0-1000000 I=I8 0s threads=32", "--tls-enable --tls-keyfile k " + usual, "is in base64", "a password in a form that aeroload does not read"},
		{"benchmark -tlsName n", "I 0-1000000 I=I8 0s threads=32", usual, "there is no TLS without a file of certificates", "and from nothing else"},
	} {
		r, err := commandLineOf(t, "go", c.line, Options{})
		check(t, c.why+": "+c.line, r, err, c.stage, c.args, c.comment)
	}
}

func TestNode(t *testing.T) {
	const bins = `"binSpec": [{"name": "b", "type": "INTEGER"}]`
	const rw = "--set demo --max-error-rate 100 --max-retries 2"
	for _, c := range []struct{ text, stage, args, comment, why string }{
		{`{"reads": 1}`, "RU,50 1-100001 bin1=I4 " + ten + " async=40 ttl=10000", rw, "default of its guide", "all is default"},
		{`{` + bins + `}`, "RU,50 1-100001 b=@key " + ten + " async=40 random ttl=10000", rw, "", "integers are the key"},
		{`{"reads": 1, "writes": 2, "time": "2m", ` + bins + `}`, "RU,33.3333 1-100001 b=@key 2m0s async=40 random ttl=10000", rw, "time: 2m, in seconds", "a share that is no whole percentage"},
		{`{"reads": 0, "writes": 5, "iterations": 3, "operations": 7, "processes": 2}`, "RU,0 1-100001 bin1=I4 transactions=42 async=14 ttl=10000", "--set demo --max-error-rate 100 --max-retries 0", "", "iterations of each process"},
		{`{"keyRange": {"min": 5, "max": 9}, "ttl": 60, "binSpec": [{"name": "s", "type": "STRING", "size": 47}, {"name": "b", "type": "BYTES"}]}`, "RU,50 5-10 s=S93,b=B46 " + ten + " async=40 ttl=60", rw, "", "46 characters twice and the key; both ends are keys"},
		{`{"binSpec": [{"name": "a", "type": "DOUBLE"}, {"name": "c", "type": "LIST"}]}`, "RU,50 1-100001 num=@key " + ten + " async=40 random ttl=10000", rw, "for the type DOUBLE of bin a", "unknown types"},
		{`{"processes": 4, "operations": 2000}`, "RU,50 1-100001 bin1=I4 " + ten + " threads=8000 ttl=10000", rw, "", "more at once than async stages can have"},
		{`{"timeout": 50, "set": "s", "host": "h", "user": "joe", "password": "sesame"}`, "RU,50 1-100001 bin1=I4 " + ten + " async=40 ttl=10000", "--hosts h --user joe --set s --max-error-rate 100 --timeout 50 --max-retries 2", "", "the old timeout"},
		{`{"timeout": 50, "totalTimeout": 60}`, "RU,50 1-100001 bin1=I4 " + ten + " async=40 ttl=10000", "--set demo --max-error-rate 100 --timeout 60 --max-retries 2", "totalTimeout has taken its place", "both timeouts"},
		{`{"summary": true, "host": "h"}`, "RU,50 1-100001 bin1=I4 " + ten + " async=40 ttl=10000", "--hosts h --set demo --max-error-rate 100 --max-retries 2 --summary-format node", "--summary-format node summary: true", "the summary at the end"},
		{`{"summary": false}`, "RU,50 1-100001 bin1=I4 " + ten + " async=40 ttl=10000", rw, "", "no summary"},
		{`{"processes": 3, "scanSpec": [{}], "querySpec": [{}]}`, "RU,50 1-100001 bin1=I4 " + ten + " async=10 ttl=10000", rw, "keeps a process busy", "processes that scan do not read and write"},
	} {
		r, err := configOf(t, "node", c.text, Options{})
		check(t, c.why+": "+c.text, r, err, c.stage, c.args, c.comment)
	}
}

func TestCsharp(t *testing.T) {
	const usual = "--set test --max-error-rate 100 --timeout 1000 --max-retries 0"
	for _, c := range []struct{ text, stage, args, comment, why string }{
		{`{"Records": 100000}`, "I 0-100000 bin=I4 0s async=40", usual, "as in the file that comes with the benchmark", "all is default"},
		{`{"Records": 1050, "InitPct": 50}`, "I 0-500 bin=I4 0s async=40", usual, "", "1050/100 is 10, times 50"},
		{`{"initialize": "False", "READPCT": "70", "Sync": true}`, "RU,70 0-100000 bin=I4 " + ten + " threads=8", usual, "", "case does not matter, and texts are read as well"},
		{`{"Initialize": false, "TransactionMax": 90, "BinType": "byte", "BinSize": 7, "FixedValue": false, "BatchSize": 5, "Throughput": 30}`, "RU,50 0-100000 bin=B7 transactions=90 async=40 tps=30 random read=5", usual, "takes no notice of Throughput", "much at once"},
		{`{"Initialize": true, "TransactionMax": 90, "BatchSize": 5}`, "I 0-100000 bin=I4 0s async=40", usual, "TransactionMax: 90 it is for Initialize: false", "what an insert ignores"},
		{`{"Replica": "MASTER_PROLES", "Latency": true, "Debug": true, "ReadModeSC": "allow_replica"}`, "I 0-100000 bin=I4 0s async=40", usual + " --replica any --latency-columns 4,3 --read-mode-sc allowReplica --debug", "", "policies"},
		{`{"Latency": true, "LatencyColumns": 7, "LatencyShift": 1, "LatencyAltFormat": true}`, "I 0-100000 bin=I4 0s async=40", usual + " --latency-columns alt,7,1", "LatencyColumns: 7; LatencyShift: 1; LatencyAltFormat: true", "latency columns with counts"},
		{`{"Latency": false, "LatencyColumns": 7, "LatencyAltFormat": false}`, "I 0-100000 bin=I4 0s async=40", usual, "LatencyColumns: 7 it does not count without Latency", "no latency columns"},
		{`{"Replica": "random"}`, "I 0-100000 bin=I4 0s async=40", usual + " --replica any", "any node at all there", "another choice of replicas"},
		{`{"TlsName": "n", "TlsLoginOnly": true, "Timeout": null}`, "I 0-100000 bin=I4 0s async=40", usual, "it does not count without TlsEnable", "TLS is off"},
		{`{"TlsEnable": true, "TlsName": "n", "TlsProtocols": "Tls12,TLSv1.3", "TlsLoginOnly": true, "User": "joe", "Password": "sesame", "AuthMode": "external"}`, "I 0-100000 bin=I4 0s async=40", "--user joe --auth EXTERNAL --tls-enable --tls-name n --tls-protocols -all +TLSv1.2 +TLSv1.3 " + usual, "cannot use TLS for the login alone", "TLS is on"},
	} {
		r, err := configOf(t, "csharp", c.text, Options{})
		check(t, c.why+": "+c.text, r, err, c.stage, c.args, c.comment)
	}
}
