package histogram

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// MaxEncoded is the longest text that [Decode] reads, in bytes: what 23552
// counters of nine bytes each take in base64, with room for the headers, if
// they could not be compressed at all.
const MaxEncoded = 300_000

// maxDecoded is the most latencies that a decoded histogram may hold: counts up
// to it are exact in every JSON reader, and sums of some hundred of them do not
// overflow.
const maxDecoded = 1 << 53

// Packed returns the latencies as a sparse histogram of the HdrHistogram
// library, in microseconds: a few kilobytes where [Snapshot.HDR] takes 184 KiB.
// It belongs to the caller.
func (s *Snapshot) Packed() *hdrhistogram.PackedHistogram {
	p := hdrhistogram.NewPacked(Lowest, Highest, SignificantDigits)
	for i, n := range s.counts {
		if n > 0 {
			// All values that have a counter are within the range.
			_ = p.RecordValues(lowestAt(i), n)
		}
	}
	return p
}

// Encode returns the latencies in HdrHistogram's V2 compressed encoding, as
// base64 text. It does not hold how many were over range.
func (s *Snapshot) Encode() (string, error) { return EncodePacked(s.Packed()) }

// EncodePacked is [Snapshot.Encode] of a sparse histogram.
func EncodePacked(p *hdrhistogram.PackedHistogram) (string, error) {
	text, err := p.Encode()
	if err != nil {
		return "", fmt.Errorf("encoding a histogram: %w", err)
	}
	return string(text), nil
}

// Decode reads what [Snapshot.Encode] wrote. Histograms of another range or
// precision are refused, since their counters are at other places, and so is
// what is too long or holds more than 2^53 latencies. overRange is the number of
// latencies above an hour, which must be within the count.
func Decode(text string, overRange int64) (*Snapshot, error) {
	if len(text) > MaxEncoded {
		return nil, fmt.Errorf("a histogram of %d bytes: the longest has %d", len(text), MaxEncoded)
	}
	p, err := hdrhistogram.DecodePacked([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("decoding a histogram: %w", err)
	}
	if p.LowestTrackableValue() != Lowest || p.HighestTrackableValue() != Highest || p.SignificantFigures() != SignificantDigits {
		return nil, fmt.Errorf("a histogram from %d to %d µs with %d digits: expected %d to %d with %d",
			p.LowestTrackableValue(), p.HighestTrackableValue(), p.SignificantFigures(), Lowest, Highest, SignificantDigits)
	}
	if p.TotalCount() > maxDecoded {
		return nil, fmt.Errorf("a histogram of %d values: more than 2^53", p.TotalCount())
	}
	if overRange < 0 || overRange > p.TotalCount() {
		return nil, fmt.Errorf("%d of %d values over range", overRange, p.TotalCount())
	}
	s := &Snapshot{total: p.TotalCount(), overRange: overRange}
	if s.total == 0 {
		return s, nil
	}
	if p.Max() >= 2*Highest { // the top bucket is Highest's; beyond it are no counters
		return nil, fmt.Errorf("a histogram with a value of %d µs: the highest is %d", p.Max(), Highest)
	}
	s.counts = make([]int64, index(uint64(p.Max()))+1)
	p.ForEachBucket(func(us, n int64) bool {
		s.counts[index(uint64(us))] = n
		return true
	})
	return s, nil
}
