package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aeroload/aeroload/cluster"
)

// WriteNodes prints a line for each node of the cluster, as asbench does when it
// finds one.
func WriteNodes(w io.Writer, at time.Time, nodes []cluster.Node) error {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "%s INFO Add node %s %s\n", at.Format(logTime), n.Name, n.Host)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
