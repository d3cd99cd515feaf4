package result

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// runIDLength is that of the identity of a run in a document, in bytes.
const runIDLength = 16

// SharesRun tells whether two documents hold the same run, such as a file and a copy of
// it, or a merged result and one that went into it. What they measured is compared, not
// how the files are written.
func (d *Document) SharesRun(other *Document) bool {
	mine := d.runs()
	return slices.ContainsFunc(other.runs(), func(id string) bool { return slices.Contains(mine, id) })
}

// runs returns the identities of the runs that the document holds.
func (d *Document) runs() []string {
	if len(d.Runs) > 0 {
		return d.Runs
	}
	return []string{d.identity()}
}

// identity makes one of what the only run of a document has measured, where and when.
func (d *Document) identity() string {
	text, err := json.Marshal(struct {
		Start, End time.Time
		Seed       uint64
		Machines   []Machine
		Stages     []*Stage
	}{d.Start.UTC(), d.End.UTC(), d.Seed, d.Machines, d.Stages})
	if err != nil {
		panic(err) // documents can be written
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:runIDLength])
}

// checkRuns checks the identities in a merged document.
func (d *Document) checkRuns() error {
	for i, id := range d.Runs {
		if b, err := hex.DecodeString(id); err != nil || len(b) != runIDLength || hex.EncodeToString(b) != id {
			return fmt.Errorf("runs: %.40q is not the identity of a run", id)
		}
		if slices.Contains(d.Runs[:i], id) {
			return errors.New("runs: " + id + " is there twice")
		}
	}
	return nil
}
