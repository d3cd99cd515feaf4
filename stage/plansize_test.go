package stage

import (
	"context"
	"runtime"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/workload"
)

// A plan of a hundred million keys costs no more to start than one of a thousand:
// nothing is made for each key before its turn.
func TestHugePlansStartAtOnce(t *testing.T) {
	cost := func(text string) uint64 {
		plan, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := Prepare(plan, &slowClient{}, as.NewPolicy(), as.NewWritePolicy(0, 0), workload.GoTimer)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		n := &notes{fail: func(string) error { // the stage has started
			cancel()
			return nil
		}}
		r := s.Run(ctx, n)
		runtime.ReadMemStats(&after)
		if len(r.Stages) != 1 {
			t.Errorf("%s: %d stages ran", text, len(r.Stages))
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, stage := range []string{
		"workload: I", "workload: I, random: true", "workload: I, batch-size: 100", "workload: I, shard: 3/8", "workload: DB",
		"workload: 'I:60'", "workload: RU", "workload: RU, keys: zipfian", "workload: RU, keys: {distribution: latest}",
	} {
		small := cost("- {" + stage + ", key-end: 1001, threads: 4}")
		large := cost("- {" + stage + ", key-end: 100_000_001, threads: 4}")
		// A few transactions may be made before the stop is heard.
		if large > small+4<<20 {
			t.Errorf("%s: 100 M keys cost %d bytes to start, 1000 keys %d", stage, large, small)
		}
	}
}
