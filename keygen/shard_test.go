package keygen

import (
	"strings"
	"testing"
)

func TestParseShard(t *testing.T) {
	for _, c := range []struct{ text, err, why string }{
		{"1/1", "", "everything"},
		{"2/8", "", "the second of eight"},
		{"8/8", "", "the last of eight"},
		{"1000000/1000000", "", "the most there can be"},
		{"0/8", `of 8 shards the first is 1/8 and the last 8/8`, "counted from 1"},
		{"9/8", `of 8 shards the first is 1/8 and the last 8/8`, "past the last"},
		{"1/0", "from 1 to 1000000", "no shards"},
		{"1/1000001", "from 1 to 1000000", "too many"},
		{"2", "such as 2/8", "of how many?"},
		{"2/8/9", "such as 2/8", "one too many"},
		{"-1/8", "such as 2/8", "negative"},
		{"2 / 8", "such as 2/8", "blanks"},
		{"", "such as 2/8", "nothing"},
	} {
		s, err := ParseShard(c.text)
		switch {
		case c.err == "" && (err != nil || s.String() != c.text):
			t.Errorf("%s: ParseShard(%q) = %v, %v", c.why, c.text, s, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: ParseShard(%q): %v; want it to say %s", c.why, c.text, err, c.err)
		}
	}
}

func TestShardsAreDisjointAndComplete(t *testing.T) {
	for _, r := range []Range{{0, 1}, {5, 7}, {5, 8}, {1, 101}, {1, 1_000_000_008}, {0, 1<<63 - 1}, {0, 1 << 63}, {1<<63 - 5, 1 << 63}} {
		for _, count := range []uint64{1, 2, 3, 7, 8, 1000, 4099} {
			next := r.Start
			smallest, largest := r.Size(), uint64(0)
			for i := uint64(1); i <= count; i++ {
				s := r.Shard(Shard{i, count})
				if s.Start != next || s.End < s.Start {
					t.Fatalf("shard %d/%d of %v is %v, but the one before ends at %d", i, count, r, s, next)
				}
				next = s.End
				smallest, largest = min(smallest, s.Size()), max(largest, s.Size())
			}
			if next != r.End {
				t.Fatalf("the %d shards of %v end at %d", count, r, next)
			}
			if largest-smallest > 1 {
				t.Errorf("of the %d shards of %v the smallest has %d keys, the largest %d", count, r, smallest, largest)
			}
		}
	}
	if r := (Range{3, 9}); r.Shard(Shard{}) != r {
		t.Error("the zero shard is not the whole range")
	}
}

func FuzzParseShard(f *testing.F) {
	f.Add("2/8", uint64(100))
	f.Add("999999/1000000", uint64(1<<63))
	f.Fuzz(func(t *testing.T, text string, size uint64) {
		s, err := ParseShard(text)
		r := Range{0, size}
		if err != nil || r.Check() != nil {
			return
		}
		if again, err := ParseShard(s.String()); err != nil || again != s {
			t.Fatalf("%q gives %v, which gives %v, %v", text, s, again, err)
		}
		part := r.Shard(s)
		if part.Start > part.End || part.End > size {
			t.Fatalf("%v of %v is %v", s, r, part)
		}
		if s.Index < s.Count && r.Shard(Shard{s.Index + 1, s.Count}).Start != part.End {
			t.Fatalf("%v of %v ends at %d, where its neighbour does not begin", s, r, part.End)
		}
	})
}
