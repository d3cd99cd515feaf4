package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files that a run is given are read, and nothing else: not written, touched or run.
func TestInputFilesAreOnlyRead(t *testing.T) {
	tg := newTarget(t)
	dir := t.TempDir()
	marker := filepath.Join(dir, "executed")
	touch := "touch '" + marker + "'"
	files := map[string]string{
		"keys":       "#!/bin/sh\n" + touch + "\nkey3\n",
		"inputs.lua": "#!/bin/sh\n",
		"spec":       "S5",
		"run.yaml": `- {workload: I, keys: {file: keys, type: string}, object-spec: "@file:spec"}
- {workload: "RUF,50,0", keys: {file: keys, type: string}, object-spec: "@file:spec", transactions: 50, udf: {file: inputs.lua, function: get}}
`,
	}
	// In the embedded server a module has no operating system, and here it is not
	// loaded. A real server runs it, perhaps on this machine.
	if os.Getenv("AEROLOAD_TEST_HOSTS") != "" {
		touch, marker = "true", "/dev/null"
	}
	files["inputs.lua"] = `if os and os.execute then os.execute("` + touch + `") end
if io and io.open then io.open("` + marker + `", "w") end
function get(rec) return 1 end
`
	then := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, text := range files {
		path := writeFile(t, filepath.Join(dir, name), text)
		if err := os.Chmod(path, 0o555); err != nil { // may be run, may not be written
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	r := tg.run(0, "--workload-stages", filepath.Join(dir, "run.yaml"))
	if rows := summary(t, r.stderr); len(rows) != 3 || rows[0].count != 3 {
		t.Errorf("summary %+v", rows)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		t.Errorf("the folder now holds %v, %v", entries, err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		info, err := os.Stat(path)
		if err != nil || !info.ModTime().Equal(then) || info.Mode().Perm() != 0o555 {
			t.Errorf("%s: changed at %v, mode %v, %v", name, info.ModTime(), info.Mode(), err)
		}
	}
}
