package histogram

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// WriteIntervalHeader opens a histogram log of many intervals, in the format 1.2
// that HdrHistogram's Java documentation of HistogramLogReader defines. The times
// of the intervals are absolute. Errors are those of w.
func WriteIntervalHeader(w io.Writer, start time.Time) error {
	start = start.UTC()
	_, err := fmt.Fprintf(w, "#[Histogram log format version 1.2]\n#[Values are in microseconds]\n"+
		"#[StartTime: %.3f (seconds since epoch), %s]\n"+
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		float64(start.UnixMilli())/1000, start.Format("Mon Jan 02 15:04:05 MST 2006"))
	if err != nil {
		return fmt.Errorf("writing the interval log: %w", err)
	}
	return nil
}

// WriteInterval writes one interval of such a log: its tag, which may hold no
// comma, blank or line end, its start and length in seconds, its largest latency in
// milliseconds, and all of its latencies, whose unit is µs. Errors are those of
// encoding and of w.
func WriteInterval(w io.Writer, tag string, s *Snapshot, start time.Time, length time.Duration) error {
	payload, err := s.Encode()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Tag=%s,%.3f,%.3f,%.3f,%s\n", tag, float64(start.UnixMilli())/1000, max(0, length.Seconds()), float64(s.Max())/1000, payload)
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the interval log: %w", err)
	}
	return nil
}
