package workload

import (
	"fmt"
	"strings"
	"time"
)

// TooManyErrors is why a stage was ended that went beyond its [ErrorLimits].
type TooManyErrors struct {
	// Kinds are the failures until then by operation and result code, the most
	// frequent first, each with its first error; those of the warm-up included.
	Kinds  []Failure
	Failed uint64 // how many there are in all
	// Limited tells that there were more than Limit. Otherwise every transaction
	// failed for a time, For, before which some had Succeeded or none.
	Limited   bool
	Limit     uint64
	Counted   bool // Limit was given, and does not merely follow from on-error: stop
	For       time.Duration
	Succeeded bool
}

// shownKinds is how many kinds of errors the text names, and shownText how much of
// the text of each, in bytes.
const (
	shownKinds = 5
	shownText  = 300
)

// Error says what happened and lists the first kinds of errors, a line each.
func (e *TooManyErrors) Error() string {
	var b strings.Builder
	switch {
	case e.Limited && e.Limit == 0 && e.Counted:
		b.WriteString("stopped because a transaction failed (max-errors: 0):")
	case e.Limited && e.Limit == 0:
		b.WriteString("stopped because a transaction failed (on-error: stop):")
	case e.Limited:
		fmt.Fprintf(&b, "stopped because more than %d transactions failed (max-errors):", e.Limit)
	case e.Succeeded:
		fmt.Fprintf(&b, "given up because every transaction failed for %v (max-outage):", e.For.Round(time.Millisecond))
	default:
		fmt.Fprintf(&b, "given up because all %d transactions since the start failed, for %v (on-error: continue would go on):", e.Failed, e.For.Round(time.Millisecond))
	}
	for i, f := range e.Kinds {
		if i == shownKinds {
			fmt.Fprintf(&b, "\n  and %d other kinds of errors", len(e.Kinds)-i)
			break
		}
		text := strings.Join(strings.Fields(f.Example), " ")
		if len(text) > shownText {
			text = strings.ToValidUTF8(text[:shownText], "") + "…"
		}
		fmt.Fprintf(&b, "\n  %s %d %s (%d): %s", f.Op, f.Code, f.Name(), f.Count, text)
	}
	return b.String()
}
