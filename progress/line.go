package progress

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/aeroload/aeroload/condition"
	"github.com/aeroload/aeroload/histogram"
	"github.com/aeroload/aeroload/stage"
	"github.com/aeroload/aeroload/workload"
)

// part is a piece of the line. Where there is no room for all, the description is
// shortened, and then those of the lowest rank are left out first.
type part struct {
	text string
	rank int
}

// The ranks. How much is done stays whatever happens.
const (
	rankDesc = iota
	rankBest
	rankKeys
	rankBar
	rankTime
	rankP99
	rankErrors
	rankRate
	rankStage
	rankShare
)

const (
	gap     = 2  // columns between parts
	barMost = 20 // columns of the bar, without its brackets
	barLess = 6  // with fewer it says nothing
	barEnds = gap + 2
	descLen = 24 // columns of a stage's description at most,
	descCut = 8  // and at least, where it is shortened
)

// join makes a line of the parts that fits into so many columns, with a bar behind
// the title if share is not negative and there is room; 0 columns mean any number, and
// no bar. The last column stays free, so that no terminal goes to the next line.
func join(parts []part, share float64, columns int) string {
	if columns <= 0 {
		return strings.Join(texts(parts), strings.Repeat(" ", gap))
	}
	room := columns - 1
	parts = fit(parts, share >= 0, room)
	list := texts(parts)
	if cells := min(barMost, room-width(parts)-barEnds); share >= 0 && cells >= barLess {
		at := slices.IndexFunc(parts, func(p part) bool { return p.rank != rankStage && p.rank != rankDesc })
		list = slices.Insert(list, max(at, 0), bar(share, cells))
	}
	return truncate(strings.Join(list, strings.Repeat(" ", gap)), room)
}

// fit returns the parts for which there is room, and for a bar unless that would
// cost a part that matters more.
func fit(parts []part, withBar bool, room int) []part {
	for len(parts) > 1 {
		least := 0
		for i, p := range parts {
			if p.rank < parts[least].rank {
				least = i
			}
		}
		need := width(parts)
		if withBar && parts[least].rank < rankBar {
			need += barEnds + barLess
		}
		if need <= room {
			return parts
		}
		if p := &parts[least]; p.rank == rankDesc {
			if left := uniseg.StringWidth(p.text) - (need - room); left >= descCut {
				p.text = shorten(p.text, left)
				return parts
			}
		}
		parts = slices.Delete(parts, least, least+1)
	}
	return parts
}

func texts(parts []part) []string {
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = p.text
	}
	return list
}

func width(parts []part) int {
	n := gap * (len(parts) - 1)
	for _, p := range parts {
		n += uniseg.StringWidth(p.text)
	}
	return n
}

// truncate cuts a text to so many columns. What a user sees as one character stays
// one.
func truncate(text string, columns int) string {
	used, end := 0, 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used += g.Width(); used > columns {
			return text[:end]
		}
		_, end = g.Positions()
	}
	return text
}

// shorten makes a text fit into so many columns, and shows where it was cut.
func shorten(text string, columns int) string {
	if uniseg.StringWidth(text) <= columns {
		return text
	}
	return strings.TrimRight(truncate(text, columns-1), " ") + "…"
}

// bar draws how much is done in so many columns, without its brackets.
func bar(share float64, cells int) string {
	done := int(share * float64(cells))
	head := ""
	if done < cells {
		head = ">"
	}
	return "[" + strings.Repeat("=", done) + head + strings.Repeat(" ", cells-done-len(head)) + "]"
}

// title is how a line about a stage begins: its number among all, and what it does.
func title(st *stage.Stage, stages int) []part {
	desc := st.Desc
	if desc == "" {
		desc = st.Workload.String()
	}
	// A line end or a control code in it would garble the terminal.
	desc = strings.Join(strings.FieldsFunc(desc, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	desc = shorten(desc, descLen)
	list := []part{{fmt.Sprintf("%d/%d", st.Number, stages), rankStage}}
	if desc != "" {
		list = append(list, part{desc, rankDesc})
	}
	return list
}

// clock writes a time as 0:07, 12:34 or 1:02:03.
func clock(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// rate writes transactions per second; slow ones with a digit behind the point.
func rate(tps float64) string {
	if tps < 9.95 && tps != math.Trunc(tps) {
		return fmt.Sprintf("%.1f", tps)
	}
	return fmt.Sprintf("%.0f", tps)
}

// numbers are what a period or a stage measured.
type numbers struct {
	tps    float64
	target float64 // 0 for none
	p99    string  // "" if nothing was measured
}

// measure works out the numbers of what was measured in some time, when so many
// transactions were due.
func measure(st *stage.Stage, snap workload.Snapshot, elapsed time.Duration, due float64) numbers {
	var n numbers
	if s := elapsed.Seconds(); s > 0 {
		n.tps, n.target = float64(snap.Transactions())/s, due/s
	}
	all := new(histogram.Snapshot)
	for op := range workload.Op(workload.NumOps) {
		if op != workload.Txn { // its commands are measured, as in assertions
			all = all.Add(st.Latency(snap, op))
		}
	}
	if all.Count() > 0 {
		n.p99 = "p99 " + condition.FormatLatency(float64(all.Percentile(99)))
	}
	return n
}

func (n numbers) parts() []part {
	text := rate(n.tps)
	if n.target > 0 {
		text += "/" + rate(n.target)
	}
	list := []part{{text + " tps", rankRate}}
	if n.p99 != "" {
		list = append(list, part{n.p99, rankP99})
	}
	return list
}

// failures says what went wrong in a stage.
func failures(snap workload.Snapshot) part {
	c := snap.Total()
	var list []string
	for _, f := range []struct {
		n    uint64
		what string
	}{{c.Timeout, "timeout"}, {c.Error, "error"}, {c.Lost, "failed record"}, {c.Mismatch, "mismatch"}} {
		switch {
		case f.n == 1:
			list = append(list, "1 "+f.what)
		case f.n > 1 && f.what == "mismatch":
			list = append(list, fmt.Sprintf("%d mismatches", f.n))
		case f.n > 1:
			list = append(list, fmt.Sprintf("%d %ss", f.n, f.what))
		}
	}
	if list == nil {
		return part{"no errors", rankErrors}
	}
	return part{strings.Join(list, " "), rankErrors}
}

// keys says how many keys of a walk are done; nothing for other stages.
func keys(st *stage.Stage, snap workload.Snapshot) []part {
	switch all := st.Walk(); {
	case all > 0:
		return []part{{fmt.Sprintf("%d/%d keys", min(st.Walked(snap), all), all), rankKeys}}
	case st.Transactions > 0:
		return []part{{fmt.Sprintf("%d/%d transactions", snap.Transactions(), st.Transactions), rankKeys}}
	}
	return nil
}

// percent writes a share in whole percent, and 100 only for all.
func percent(share float64) part {
	return part{fmt.Sprintf("%3d%%", int(100*share+1e-9)), rankShare}
}
