package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/workload"
)

// slowClient answers every call after a time.
type slowClient struct {
	mu      sync.Mutex
	latency time.Duration
	calls   int
	open    int
	maxOpen int
}

func (c *slowClient) do() {
	c.mu.Lock()
	c.calls++
	c.open++
	c.maxOpen = max(c.maxOpen, c.open)
	c.mu.Unlock()
	time.Sleep(c.latency)
	c.mu.Lock()
	c.open--
	c.mu.Unlock()
}

func (c *slowClient) Get(*as.BasePolicy, *as.Key, ...string) (*as.Record, as.Error) {
	c.do()
	return nil, nil
}
func (c *slowClient) Operate(*as.WritePolicy, *as.Key, ...*as.Operation) (*as.Record, as.Error) {
	c.do()
	return nil, nil
}
func (c *slowClient) PutBins(*as.WritePolicy, *as.Key, ...*as.Bin) as.Error { c.do(); return nil }
func (c *slowClient) AddBins(*as.WritePolicy, *as.Key, ...*as.Bin) as.Error { c.do(); return nil }
func (c *slowClient) Execute(*as.WritePolicy, *as.Key, string, string, ...as.Value) (any, as.Error) {
	c.do()
	return nil, nil
}
func (c *slowClient) BatchOperate(_ *as.BatchPolicy, records []as.BatchRecordIfc) as.Error {
	c.do()
	for _, r := range records {
		r.BatchRec().ResultCode = 0
	}
	return nil
}
func (c *slowClient) Delete(*as.WritePolicy, *as.Key) (bool, as.Error) { c.do(); return true, nil }

// notes is an observer that writes down what it is told.
type notes struct {
	start   time.Time
	lines   []string
	periods []*Period
	ends    []*StageResult
	fail    func(line string) error
}

func (n *notes) add(format string, args ...any) error {
	line := fmt.Sprintf("%v ", time.Since(n.start).Round(time.Millisecond)) + fmt.Sprintf(format, args...)
	n.lines = append(n.lines, line)
	if n.fail != nil {
		return n.fail(line)
	}
	return nil
}

func (n *notes) Warmup(s *Stage) error                   { return n.add("warm up %d", s.Number) }
func (n *notes) Pause(s *Stage, seconds int) error       { return n.add("pause %d", s.Number) }
func (n *notes) StageStart(s *Stage, at time.Time) error { return n.add("start %d", s.Number) }
func (n *notes) StageEnd(r *StageResult) error {
	n.ends = append(n.ends, r)
	return n.add("end %d", r.Stage.Number)
}
func (n *notes) Period(p *Period) error {
	n.periods = append(n.periods, p)
	return n.add("period %d %v %d", p.Stage.Number, p.Elapsed.Round(time.Millisecond), p.Delta.Total().Attempted())
}

// sequence runs a stage file on virtual time. stop, if not 0, is when the run is
// cancelled.
func sequence(t *testing.T, text string, latency, stop time.Duration, fail func(string) error) (result *Result, n *notes, client *slowClient) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		plan, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		client = &slowClient{latency: latency}
		s, err := Prepare(plan, client, as.NewPolicy(), as.NewWritePolicy(0, 0), workload.GoTimer)
		if err != nil {
			t.Fatal(err)
		}
		n = &notes{start: time.Now(), fail: fail}
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		if stop > 0 {
			time.AfterFunc(stop, func() { cancel(errors.New("stopped")) })
		}
		result = s.Run(ctx, n)
		time.Sleep(time.Hour) // lets abandoned transactions end
	})
	return result, n, client
}

func TestSequence(t *testing.T) {
	for _, c := range []struct {
		why, text string
		latency   time.Duration
		stop      time.Duration
		want      string
	}{
		// Four threads end four transactions every 90 ms: 11 times in the first
		// second. Latencies that divide seconds would leave it to chance on
		// which side of a second a transaction falls.
		{"a mixed stage runs for its duration, in whole periods", "- {workload: RU, threads: 4, duration: 3}", 90 * time.Millisecond, 0,
			"0s start 1; 1s period 1 1s 44; 2s period 1 1s 44; 3.06s period 1 1.06s 48; 3.06s end 1"},
		{"what is left at the end goes into the last period", "- {workload: RU, threads: 4, duration: 2.3}", 90 * time.Millisecond, 0,
			"0s start 1; 1s period 1 1s 44; 2.34s period 1 1.34s 60; 2.34s end 1"},
		{"or makes a period of its own when it is most of a second", "- {workload: RU, threads: 4, duration: 2.8}", 90 * time.Millisecond, 0,
			"0s start 1; 1s period 1 1s 44; 2s period 1 1s 44; 2.88s period 1 880ms 40; 2.88s end 1"},
		{"a walk ends with its range", "- {workload: I, threads: 4, key-end: 51}", 90 * time.Millisecond, 0,
			"0s start 1; 1s period 1 1s 44; 1.17s period 1 170ms 6; 1.17s end 1"},
		{"but runs for its duration at least", "- {workload: DB, threads: 4, key-end: 11, duration: 3}", 100 * time.Millisecond, 0,
			"0s start 1; 1s period 1 1s 10; 2s period 1 1s 0; 3s period 1 1s 0; 3s end 1"},
		{"transactions drain before the next stage", "- {workload: RU, threads: 2, duration: 1}\n- {workload: RU, threads: 2, duration: 1}", 700 * time.Millisecond, 0,
			"0s start 1; 1.4s period 1 1.4s 4; 1.4s end 1; 1.4s start 2; 2.8s period 2 1.4s 4; 2.8s end 2"},
		{"an answer that takes long does not stop the periods", "- {workload: RU, threads: 1, duration: 1}", 3100 * time.Millisecond, 0,
			"0s start 1; 2s period 1 2s 0; 3s period 1 1s 0; 3.1s period 1 100ms 1; 3.1s end 1"},
		{"a pause of one second at most is one second", "- {workload: RU, threads: 4, duration: 1, pause: 1}", 90 * time.Millisecond, 0,
			"0s pause 1; 1s start 1; 2.08s period 1 1.08s 48; 2.08s end 1"},
		{"a warm-up comes before the stage, unrecorded", "- {workload: RU, threads: 4, duration: 1, warmup: 2}", 90 * time.Millisecond, 0,
			"0s warm up 1; 2s start 1; 3.06s period 1 1.06s 44; 3.06s end 1"},
		{"a stop during the warm-up", "- {workload: RU, threads: 4, duration: 1, warmup: 20}", 90 * time.Millisecond, 1010 * time.Millisecond,
			"0s warm up 1; 1.01s start 1; 1.08s end 1"},
		{"batches", "- {workload: I, threads: 2, key-end: 11, batch-size: 4}", 90 * time.Millisecond, 0,
			"0s start 1; 180ms period 1 180ms 3; 180ms end 1"},
		{"async stages have workers of their own", "- {workload: I, threads: 2, async: true, async-max-commands: 5, key-end: 11}", 90 * time.Millisecond, 0,
			"0s start 1; 180ms period 1 180ms 10; 180ms end 1"},
		{"a number of transactions", "- {workload: RU, threads: 4, transactions: 6}", 90 * time.Millisecond, 0,
			"0s start 1; 180ms period 1 180ms 6; 180ms end 1"},
		{"UDF calls", "- {workload: 'RUF,0,0', threads: 4, transactions: 4, udf: {module: m, function: f}}", 90 * time.Millisecond, 0,
			"0s start 1; 90ms period 1 90ms 4; 90ms end 1"},
		{"a stop ends the stage early and loses nothing", "- {workload: RU, threads: 4, duration: 60}\n- {workload: I}", 90 * time.Millisecond, 1250 * time.Millisecond,
			"0s start 1; 1s period 1 1s 44; 1.26s period 1 260ms 12; 1.26s end 1"},
		{"a stop during the pause starts nothing", "- {workload: RU, pause: 5}", 100 * time.Millisecond, 500 * time.Millisecond,
			"0s pause 1"},
		{"a stop while only the minimum duration is left", "- {workload: I, threads: 4, key-end: 5, duration: 60}", 100 * time.Millisecond, 1500 * time.Millisecond,
			"0s start 1; 1s period 1 1s 4; 1.5s period 1 500ms 0; 1.5s end 1"},
		{"a stop with a hung server waits for a second", "- {workload: RU, threads: 4, duration: 60}", time.Minute, 500 * time.Millisecond,
			"0s start 1; 1s period 1 1s 0; 1.5s period 1 500ms 0; 1.5s end 1"},
	} {
		result, n, client := sequence(t, c.text, c.latency, c.stop, nil)
		if got := strings.Join(n.lines, "; "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
		// Whatever happened, each transaction is counted once.
		var counted, abandoned uint64
		for _, p := range n.periods {
			counted += p.Delta.Total().Attempted()
		}
		for _, s := range result.Stages {
			abandoned += uint64(s.Abandoned)
		}
		if total := result.Total.Total().Attempted(); counted != total || total+abandoned != uint64(client.calls) && !strings.Contains(c.text, "warmup") {
			t.Errorf("%s: %d calls, %d in periods, %d in total, %d abandoned", c.why, client.calls, counted, total, abandoned)
		}
		if (result.Stopped != nil) != (c.stop > 0) {
			t.Errorf("%s: stopped = %v", c.why, result.Stopped)
		}
	}
}

func TestStageResultsAreTheirOwn(t *testing.T) {
	result, n, _ := sequence(t, "- {workload: I, threads: 4, key-end: 41}\n- {workload: 'RU,100', threads: 2, duration: 2, tps: 10}", 100*time.Millisecond, 0, nil)
	if len(result.Stages) != 2 {
		t.Fatalf("%d stages", len(result.Stages))
	}
	first, second := result.Stages[0], result.Stages[1]
	if first.Counts[workload.Write].Done != 40 || first.Counts[workload.Read].Hit != 0 || first.Elapsed != time.Second {
		t.Errorf("stage 1 = %+v in %v", first.Counts, first.Elapsed)
	}
	if second.Counts[workload.Write].Hit != 0 || second.Counts[workload.Read].Hit != 20 || second.Elapsed != 2*time.Second {
		t.Errorf("stage 2 = %+v in %v", second.Counts, second.Elapsed)
	}
	if got := second.Service[workload.Read].Count(); got != 20 {
		t.Errorf("stage 2 has %d read latencies, want 20", got)
	}
	if got := second.Service[workload.Write].Count(); got != 0 {
		t.Errorf("stage 2 has %d write latencies, want 0", got)
	}
	if got := result.Total.Service[workload.Write].Count() + result.Total.Response[workload.Read].Count(); got != 60 {
		t.Errorf("the run has %d latencies, want 60", got)
	}
	last := n.periods[len(n.periods)-1]
	if last.SinceStart != 3*time.Second || last.InStage.Counts[workload.Read].Hit != 20 || last.Total.Counts[workload.Write].Hit != 40 {
		t.Errorf("last period: %v since start, in stage %+v, in total %+v", last.SinceStart, last.InStage.Counts, last.Total.Counts)
	}
	if !result.End.Equal(result.Start.Add(3 * time.Second)) {
		t.Errorf("from %v to %v", result.Start, result.End)
	}
}

func TestObserverErrorStopsTheRun(t *testing.T) {
	broken := errors.New("broken pipe")
	result, n, _ := sequence(t, "- {workload: RU, threads: 4, duration: 60}\n- {workload: I}", 100*time.Millisecond, 0, func(line string) error {
		if strings.Contains(line, "period") {
			return broken
		}
		return nil
	})
	if !errors.Is(result.Stopped, broken) || len(result.Stages) != 1 || len(n.ends) != 1 {
		t.Errorf("stopped = %v after %v", result.Stopped, n.lines)
	}
	if took := result.End.Sub(result.Start); took > 1200*time.Millisecond {
		t.Errorf("went on for %v", took)
	}
}

func TestThreadsBoundTransactionsInFlight(t *testing.T) {
	_, _, client := sequence(t, "- {workload: RU, threads: 7, duration: 1}", 10*time.Millisecond, 0, nil)
	if client.maxOpen != 7 {
		t.Errorf("%d transactions at once, want 7", client.maxOpen)
	}
}

func TestPausesAreDrawnFromOneToTheirLimit(t *testing.T) {
	var seen []time.Duration
	for seed := range 40 {
		_, n, _ := sequence(t, fmt.Sprintf("- {workload: RU, threads: 1, duration: 1, pause: 3, seed: %d}", seed), 100*time.Millisecond, 0, nil)
		at, err := time.ParseDuration(strings.Fields(n.lines[1])[0])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(seen, at) {
			seen = append(seen, at)
		}
	}
	slices.Sort(seen)
	if want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}; !slices.Equal(seen, want) {
		t.Errorf("pauses %v, want %v", seen, want)
	}
}

func (*slowClient) QueryPartitions(*as.QueryPolicy, *as.Statement, *as.PartitionFilter) (*as.Recordset, as.Error) {
	return nil, nil // only a server has records to return
}

func (*slowClient) ScanPartitions(*as.ScanPolicy, *as.PartitionFilter, string, string, ...string) (*as.Recordset, as.Error) {
	return nil, nil
}
