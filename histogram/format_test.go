package histogram

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// asbenchRun is the histogram of a run of asbench 2.2.9, from the .hdrhist
// file it wrote. Its range is smaller than ours (1 s), its precision the same,
// so the counters have the same places.
func asbenchRun(t *testing.T) *Snapshot {
	t.Helper()
	h, err := hdrhistogram.NewHistogramLogReader(strings.NewReader(readFile(t, "asbench.hdrhist"))).NextIntervalHistogram()
	if err != nil {
		t.Fatal(err)
	}
	s := &Snapshot{counts: h.Export().Counts}
	for _, n := range s.counts {
		s.total += n
	}
	return s
}

// TestWritePercentilesLikeAsbench prints asbench's histogram and compares the
// text with the .txt file that asbench wrote beside it.
func TestWritePercentilesLikeAsbench(t *testing.T) {
	var b bytes.Buffer
	if err := WritePercentiles(&b, asbenchRun(t)); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(b.String(), "\n")
	want := strings.Split(readFile(t, "asbench.txt"), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range want {
		if strings.HasPrefix(want[i], "#[Buckets") {
			// 22 buckets reach an hour: 2048 µs << 21 is the first above it.
			want[i] = "#[Buckets =           22, SubBuckets     =         2048]"
		}
		if got[i] != want[i] {
			t.Errorf("line %d:\n got %q\nwant %q", i+1, got[i], want[i])
		}
	}
}

func TestWriteLog(t *testing.T) {
	r := NewRecorder(2)
	for i, d := range []time.Duration{90, 110, 110, 2_500, 1_600_000} {
		r.Shard(i).Record(d * time.Microsecond)
	}
	r.Shard(0).Record(2 * time.Hour)
	s := r.Snapshot()

	// A zone other than UTC, to see that UTC is written.
	start := time.Date(2026, 12, 1, 3, 21, 56, 123_456_789, time.FixedZone("", 9*3600))
	var b bytes.Buffer
	if err := WriteLog(&b, s, start, start.Add(5006*time.Millisecond)); err != nil {
		t.Fatal(err)
	}

	// All but the payload, which depends on the compressor's version.
	text := regexp.MustCompile(`,HIST[A-Za-z0-9+/]*=*\n$`).ReplaceAllString(b.String(), ",HIST…\n")
	// 2026-11-30T18:21:56Z is 1796062916; the max is the top bucket's end.
	want := `#[2026-11-30T18:21:56Z]
#[Histogram log format version 1.2]
#[StartTime: 1796062916.123 (seconds since epoch), Mon Nov 30 18:21:56 UTC 2026]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
1796062916.123,5.006,3600809983.0,HIST…
`
	if text != want {
		t.Errorf("got:\n%swant:\n%s", text, want)
	}

	h, err := hdrhistogram.NewHistogramLogReader(&b).NextIntervalHistogram()
	if err != nil {
		t.Fatal(err)
	}
	if !h.Equals(s.HDR()) {
		t.Error("the counts read back differ")
	}
	if h.StartTimeMs() != 1796062916123 || h.EndTimeMs() != 1796062921129 {
		t.Errorf("read back as %d to %d ms, want 1796062916123 to 1796062921129", h.StartTimeMs(), h.EndTimeMs())
	}
}

func TestWriteLogOfNothing(t *testing.T) {
	at := time.Unix(1796062916, 0)
	var b bytes.Buffer
	// An end before the start: the length must not get a sign.
	if err := WriteLog(&b, new(Snapshot), at, at.Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\n1796062916.000,0.000,0.0,HIST") {
		t.Errorf("got:\n%s", b.String())
	}
	h, err := hdrhistogram.NewHistogramLogReader(&b).NextIntervalHistogram()
	if err != nil {
		t.Fatal(err)
	}
	if h == nil || h.TotalCount() != 0 {
		t.Errorf("read back %v, want an empty histogram", h)
	}
}

func TestWriteBucketPreambleLikeAsbench(t *testing.T) {
	var b bytes.Buffer
	for _, name := range []string{"write_hist", "read_hist"} {
		if err := WriteBucketPreamble(&b, name); err != nil {
			t.Fatal(err)
		}
	}
	want, _, _ := strings.Cut(readFile(t, "asbench-output-file.txt"), "Stage 1:")
	if b.String() != want {
		t.Errorf("got:\n%swant:\n%s", b.String(), want)
	}
}

// TestWriteBucketsLikeAsbench records a latency inside each bucket of a line
// that asbench wrote, as often as the line says, and must print that line.
func TestWriteBucketsLikeAsbench(t *testing.T) {
	line := regexp.MustCompile(`(?m)^write_hist \S+Z, ([\d.]+)s, (\d+), (.*)$`)
	lines := line.FindAllStringSubmatch(readFile(t, "asbench-output-file.txt"), -1)
	if len(lines) == 0 {
		t.Fatal("the sample has no lines of counts")
	}
	for _, want := range lines {
		r := NewRecorder(1)
		for _, bucket := range strings.Split(want[3], ", ") {
			var low, n int64
			if _, err := fmt.Sscanf(bucket, "%d:%d", &low, &n); err != nil {
				t.Fatal(err)
			}
			for range n {
				r.Shard(0).Record(time.Duration(low+50) * time.Microsecond)
			}
		}
		seconds, err := strconv.ParseFloat(want[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, strings.TrimSuffix(strings.Fields(want[0])[1], ","))
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		elapsed := time.Duration(seconds * float64(time.Second))
		if err := WriteBuckets(&b, "write_hist", at, elapsed, r.Snapshot()); err != nil {
			t.Fatal(err)
		}
		if b.String() != want[0]+"\n" {
			t.Errorf("got:\n%swant:\n%s", b.String(), want[0])
		}
	}
}

func TestWriteBuckets(t *testing.T) {
	at := time.Date(2026, 11, 30, 19, 21, 46, 999e6, time.FixedZone("", 3600))
	for _, tt := range []struct {
		us      []int64
		elapsed time.Duration
		want    string
		why     string
	}{
		{nil, time.Second, "1s, 0", "a period without operations"},
		{[]int64{0, 1, 99}, 2_000_170 * time.Microsecond, "2.00017s, 3, 0:3", "all below 100 µs are bucket 0"},
		{[]int64{100, 199, 200, 3999}, 699_065 * time.Microsecond, "0.699065s, 4, 100:2, 200:1, 3900:1", "100 µs wide"},
		{[]int64{4000, 4999, 5000, 15999}, 100 * time.Second, "100s, 4, 4000:2, 5000:1, 15000:1", "1 ms wide from 4 ms"},
		{[]int64{63_008, 63_999}, 10_000_004 * time.Microsecond, "10s, 2, 63000:2", "six digits, no trailing zeros"},
		{[]int64{64_000, 67_000, 68_050, 127_900}, time.Millisecond, "0.001s, 4, 64000:2, 68000:1, 124000:1", "4 ms wide from 64 ms"},
		{[]int64{128_000, 1e6, 7.2e9}, time.Second, "1s, 3, 128000:3", "one bucket from 128 ms, whatever is over range too"},
		{[]int64{16_999, 17_000, 17_007, 17_008}, time.Second, "1s, 4, 16000:3, 17000:1", "steps of 16 µs: the one of 16992..17007 lies across the edge"},
	} {
		r := NewRecorder(1)
		for _, us := range tt.us {
			r.Shard(0).Record(time.Duration(us) * time.Microsecond)
		}
		var b bytes.Buffer
		if err := WriteBuckets(&b, "udf_hist", at, tt.elapsed, r.Snapshot()); err != nil {
			t.Fatal(err)
		}
		if want := "udf_hist 2026-11-30T18:21:46Z, " + tt.want + "\n"; b.String() != want {
			t.Errorf("got  %swant %s(%s)", b.String(), want, tt.why)
		}
	}
}

// TestBucketEdgePrecision checks the documented limit: exact below 16.384 ms,
// then at most 63 µs and always downwards.
func TestBucketEdgePrecision(t *testing.T) {
	for us := int64(0); us < 140_000; us++ {
		exact, got := bucketOf(us), bucketOf(lowestAt(index(uint64(us))))
		if us < 16_384 && got != exact {
			t.Fatalf("%d µs is counted in bucket %d, want %d", us, got, exact)
		}
		if got != exact && us-exact > 63 {
			t.Fatalf("%d µs is counted in bucket %d, %d µs below the edge of its own", us, got, us-exact)
		}
		if got > exact {
			t.Fatalf("%d µs is counted in bucket %d, above its own %d", us, got, exact)
		}
	}
}

type brokenWriter struct{}

var errBroken = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorsAreReturned(t *testing.T) {
	s, at := new(Snapshot), time.Unix(0, 0)
	for name, err := range map[string]error{
		"WriteLog":            WriteLog(brokenWriter{}, s, at, at),
		"WritePercentiles":    WritePercentiles(brokenWriter{}, s),
		"WriteBucketPreamble": WriteBucketPreamble(brokenWriter{}, "write_hist"),
		"WriteBuckets":        WriteBuckets(brokenWriter{}, "write_hist", at, 0, s),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s returned %v, want it to wrap the writer's error", name, err)
		}
	}
}
