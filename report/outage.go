package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/aeroload/aeroload/workload"
)

// maxOutages is how many outages of a stage the summary lists.
const maxOutages = 5

// outageTime is how the summary tells the moments of an outage, in local time as on
// the lines of rates.
const outageTime = "15:04:05.000"

// writeOutages says when the cluster was gone.
func writeOutages(b *strings.Builder, list []workload.Outage) {
	if len(list) == 0 {
		return
	}
	var total time.Duration
	for _, o := range list {
		total += o.Until.Sub(o.From)
	}
	fmt.Fprintf(b, "  The cluster was gone for %v:", total.Round(time.Millisecond))
	for i, o := range list {
		if i == maxOutages {
			fmt.Fprintf(b, " and %d more times", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, " from %s ", o.From.Format(outageTime))
		if o.Over {
			fmt.Fprintf(b, "to %s", o.Until.Format(outageTime))
		} else {
			b.WriteString("to the stage's end")
		}
	}
	b.WriteString(".\n")
}
