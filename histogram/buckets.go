package histogram

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// A bucketRange is a run of equally wide buckets, from low up to but without
// high. All in microseconds.
type bucketRange struct {
	low, high, width int64
}

// The layout of asbench's --output-file: below the first range is bucket 0, at
// the end of the last begins one that has no upper end.
func bucketRanges() [3]bucketRange {
	return [3]bucketRange{
		{low: 100, high: 4_000, width: 100},
		{low: 4_000, high: 64_000, width: 1_000},
		{low: 64_000, high: 128_000, width: 4_000},
	}
}

func (r bucketRange) buckets() int64 { return (r.high - r.low) / r.width }

// WriteBucketPreamble describes the buckets that [WriteBuckets] counts in, the
// way asbench opens its --output-file. name is the first word of the lines to
// come, such as write_hist. Errors are those of w.
func WriteBucketPreamble(w io.Writer, name string) error {
	ranges := bucketRanges()
	var total int64
	for _, r := range ranges {
		total += r.buckets()
	}

	var b bytes.Buffer
	fmt.Fprintf(&b, "%s:\n", name)
	fmt.Fprintf(&b, "\tTotal num buckets: %d\n", total)
	fmt.Fprintf(&b, "\tRange min: %dus\n", ranges[0].low)
	fmt.Fprintf(&b, "\tRange max: %dus\n", ranges[len(ranges)-1].high)
	for i, r := range ranges {
		fmt.Fprintf(&b, "\tBucket range %d:\n", i)
		fmt.Fprintf(&b, "\t\tRange min: %dus\n", r.low)
		fmt.Fprintf(&b, "\t\tRange max: %dus\n", r.high)
		fmt.Fprintf(&b, "\t\tBucket width: %dus\n", r.width)
		fmt.Fprintf(&b, "\t\tNum buckets: %d\n", r.buckets())
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the bucket description of %s: %w", name, err)
	}
	return nil
}

// WriteBuckets writes one line of asbench's --output-file: the name, the time
// in UTC, how many seconds the period took (six significant digits), how many
// operations ended in it, and how many of them in each bucket that has any.
// Every operation is in exactly one bucket, so the counts add up to the total.
// Errors are those of w.
//
// Buckets are 100 µs wide to 4 ms, 1 ms to 64 ms and 4 ms to 128 ms; faster
// operations are in bucket 0, slower ones in bucket 128000. The counts are
// exact below 16.384 ms: there every bucket edge is also an edge of the
// recorder's. From there on the recorder's steps are 16, 32 and 64 µs, and a
// step that lies across an edge counts in the lower bucket, so an operation up
// to 63 µs (0.1 %) above an edge may be counted below it.
func WriteBuckets(w io.Writer, name string, at time.Time, elapsed time.Duration, period *Snapshot) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s, %.6gs, %d",
		name, at.UTC().Format(time.RFC3339), elapsed.Seconds(), period.Count())

	// Values ascend with their position, so a bucket is complete as soon as
	// the next one begins.
	bucket, n := int64(0), int64(0)
	for i, count := range period.counts {
		if count == 0 {
			continue
		}
		if next := bucketOf(lowestAt(i)); next != bucket {
			writeBucket(&b, bucket, n)
			bucket, n = next, 0
		}
		n += count
	}
	writeBucket(&b, bucket, n)
	b.WriteByte('\n')

	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the buckets of %s: %w", name, err)
	}
	return nil
}

func writeBucket(b *bytes.Buffer, bucket, n int64) {
	if n > 0 {
		fmt.Fprintf(b, ", %d:%d", bucket, n)
	}
}

// bucketOf is the lower edge of the bucket a value belongs to, in µs.
func bucketOf(us int64) int64 {
	ranges := bucketRanges()
	for _, r := range ranges {
		if us < r.low {
			return 0
		}
		if us < r.high {
			return us - (us-r.low)%r.width
		}
	}
	return ranges[len(ranges)-1].high
}
