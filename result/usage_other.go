//go:build !unix

package result

// processUsage knows nothing here: the system has no getrusage.
func processUsage() usage { return usage{} }
