package cluster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
)

// checkRoom returns an error if a node does not allow that many connections more
// than it has. It would take them and close them at once, which shows only when
// they are used, as an error of each transaction. A node that does not say how many
// it allows (to a user who may not ask, say) is left to show that.
func (c *Cluster) checkRoom(node *aerospike.Node, connections int) error {
	config, err := c.info(node, "get-config:context=service")
	if err != nil {
		return nil
	}
	statistics, err := c.info(node, "statistics")
	if err != nil {
		return nil
	}
	most, known := infoNumber(config, "proto-fd-max")
	open, counted := infoNumber(statistics, "client_connections")
	if wanted := min(connections, c.config.ConnsPerNode()); known && counted && open+wanted > most {
		return fmt.Errorf("%d connections for as many --threads or --async-max-commands are too many: it has %d and allows %d (proto-fd-max)",
			wanted, open, most)
	}
	return nil
}

// infoNumber returns the number of a name in name=value;name=value;….
func infoNumber(text, name string) (int, bool) {
	for field := range strings.SplitSeq(text, ";") {
		if value, ok := strings.CutPrefix(field, name+"="); ok {
			n, err := strconv.Atoi(value)
			return n, err == nil
		}
	}
	return 0, false
}

// explainFiles adds what to do about this machine's own limit of connections.
func explainFiles(err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return fmt.Errorf("%w: each worker needs a connection to each node; raise the limit (ulimit -n), or use fewer --threads or --async-max-commands", err)
	}
	return err
}
