package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	aerospike "github.com/aerospike/aerospike-client-go/v8"
)

// udfWait bounds the wait for a UDF module to reach all nodes.
const udfWait = 30 * time.Second

// RegisterUDF registers a Lua module under its name, without .lua, and waits
// until the whole cluster has it. A module of that name that is there already is
// replaced.
func (c *Cluster) RegisterUDF(ctx context.Context, module string, source []byte) error {
	task, err := c.client.RegisterUDF(c.WritePolicy(), source, module+".lua", aerospike.LUA)
	if err != nil {
		return fmt.Errorf("registering the UDF module %q: %s", module, innermost(err))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, udfWait, fmt.Errorf("not on all nodes after %v", udfWait))
	defer cancel()
	select {
	case err := <-task.OnComplete():
		if err != nil {
			return fmt.Errorf("registering the UDF module %q: %s", module, innermost(err))
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("registering the UDF module %q: %w", module, context.Cause(ctx))
	}
}

// CheckUDF returns an error that lists the modules that there are if the cluster
// does not have the module.
func (c *Cluster) CheckUDF(module string) error {
	list, err := c.client.ListUDF(c.ReadPolicy())
	if err != nil {
		return fmt.Errorf("asking for the UDF modules: %s", innermost(err))
	}
	var names []string
	for _, udf := range list {
		if udf.Filename == module+".lua" {
			return nil
		}
		names = append(names, strings.TrimSuffix(udf.Filename, ".lua"))
	}
	if len(names) == 0 {
		return fmt.Errorf("the cluster has no UDF module %q, nor any other: give its file to register it", module)
	}
	return fmt.Errorf("the cluster has no UDF module %q; it has %s: give its file to register it", module, strings.Join(names, ", "))
}
