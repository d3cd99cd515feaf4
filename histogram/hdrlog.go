package histogram

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// WriteLog writes a histogram log of one interval: everything in s, measured
// from start to end. Errors are those of encoding and of w.
//
// The layout is that of asbench's .hdrhist files, in the histogram log format
// 1.2 that HdrHistogram's Java documentation of HistogramLogReader defines:
//
//	#[<start in UTC>]
//	#[Histogram log format version 1.2]
//	#[StartTime: <start, epoch seconds> (seconds since epoch), <start>]
//	"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
//	<start, epoch seconds>,<length in seconds>,<max>,<V2 compressed, base64>
//
// The times have millisecond precision. The histogram's values and the max are
// microseconds, as in asbench (HdrHistogram's own writers divide the max by a
// million, to turn nanoseconds into milliseconds; readers ignore that field
// and take the max from the histogram).
//
// Two things differ from asbench, which log readers misread in its files: the
// second field is the interval's length, not its end; and the times are
// wall-clock time, not time since the machine's boot.
func WriteLog(w io.Writer, s *Snapshot, start, end time.Time) error {
	h := s.HDR()
	payload, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return fmt.Errorf("encoding the histogram: %w", err)
	}

	start = start.UTC()
	startSeconds := float64(start.UnixMilli()) / 1000
	// The log's readers take no sign, and a stepped wall clock can end a run
	// before its start.
	length := max(0, end.Sub(start).Seconds())

	var b bytes.Buffer
	log := hdrhistogram.NewHistogramLogWriter(&b)
	err = errors.Join(
		log.OutputComment(fmt.Sprintf("[%s]", start.Format(time.RFC3339))),
		// The library's own version line says 1.3, its start line drops the
		// fraction of the second, and its interval line can't be told the unit
		// of the max.
		log.OutputComment("[Histogram log format version 1.2]"),
		log.OutputComment(fmt.Sprintf("[StartTime: %.3f (seconds since epoch), %s]",
			startSeconds, start.Format("Mon Jan 02 15:04:05 MST 2006"))),
		log.OutputLegend(),
	)
	if err != nil {
		return fmt.Errorf("writing the histogram log: %w", err)
	}
	fmt.Fprintf(&b, "%.3f,%.3f,%d.0,%s\n", startSeconds, length, h.Max(), payload)
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the histogram log: %w", err)
	}
	return nil
}

// percentileTicks is how many percentiles WritePercentiles prints for each
// halving of the distance to 100 %: asbench's choice.
const percentileTicks = 5

// WritePercentiles writes the percentile table of asbench's .txt files, which
// HdrHistogram's plotters read: value (µs), percentile (0..1), cumulative count
// and 1/(1-percentile), five percentiles for each halving of the distance to
// 1, then the mean, the standard deviation, the max and the count. Errors are
// those of w.
//
// It is the same table as asbench's for the same latencies, but for the number
// of buckets in the last line, which follows from the wider range recorded
// here (an hour instead of a second).
func WritePercentiles(w io.Writer, s *Snapshot) error {
	var b bytes.Buffer
	if _, err := s.HDR().PercentilesPrint(&b, percentileTicks, 1); err != nil {
		return fmt.Errorf("writing the percentiles: %w", err)
	}
	// The library separates the column titles by tabs; the C and Java
	// libraries, and so every parser written for their files, pad them.
	_, table, _ := bytes.Cut(b.Bytes(), []byte("\n\n"))
	_, err := fmt.Fprintf(w, "%12s %12s %12s %12s\n\n%s",
		"Value", "Percentile", "TotalCount", "1/(1-Percentile)", table)
	if err != nil {
		return fmt.Errorf("writing the percentiles: %w", err)
	}
	return nil
}
