// Package prompt reads what a user types at a terminal and is not to be seen.
package prompt
