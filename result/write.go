package result

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/aeroload/aeroload/internal/wholefile"
)

// Write writes the document as JSON, indented but for the periods' numbers.
// Errors are those of w.
func (d *Document) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	return nil
}

// CheckWritable returns an error unless a result can be written to path: before a
// run, so that no run is for nothing. What is there stays as it is.
func CheckWritable(path string) error {
	if err := wholefile.Check(path); err != nil {
		return fmt.Errorf("result file: %w", err)
	}
	return nil
}

// WriteFile writes the document to path, as [wholefile.Replace] does.
func (d *Document) WriteFile(path string) error {
	if err := wholefile.Replace(path, d.Write); err != nil {
		return fmt.Errorf("result file: %w", err)
	}
	return nil
}
