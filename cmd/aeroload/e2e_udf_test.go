package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUDFCalls(t *testing.T) {
	for _, size := range []string{"1", "5"} {
		tg := newTarget(t)
		file := writeFile(t, filepath.Join(t.TempDir(), "aeroload_e2e.lua"), `
function add(rec, n, word)
  rec['sum'] = (rec['sum'] or 0) + n
  rec['word'] = word
  if aerospike:exists(rec) then aerospike:update(rec) else aerospike:create(rec) end
end
function fails(rec) error('on purpose') end`)
		r := tg.run(0, "-w", "RUF,0,0", "-k", "10", "-z", "3", "--transactions", "200", "--batch-size", size,
			"--udf-file", file, "-ufn", "add", "-ufv", `3,"x"`)
		sum := 0
		for key, bins := range tg.records(1, 11) {
			if bins["word"] != "x" || bins["sum"].(int)%3 != 0 {
				t.Errorf("key %d holds %v", key, bins)
			}
			sum += bins["sum"].(int)
		}
		calls := 200
		if size == "5" {
			calls = 1000
		}
		if sum != 3*calls {
			t.Errorf("batches of %s: the calls added up to %d, want %d", size, sum, 3*calls)
		}
		if rows := summary(t, r.stderr); len(rows) != 1 || rows[0].op != "udf" || rows[0].count != 200 || rows[0].errors_ != 0 {
			t.Errorf("summary %+v", rows)
		}
		if !strings.Contains(r.stdout, " udf(tps=") {
			t.Errorf("no udf column in\n%s", r.stdout)
		}

		// Calls that fail are counted by their code, and the run goes on.
		r = tg.run(1, "-w", "RUF,0,0", "-k", "10", "--transactions", "50", "--batch-size", size, "-upn", "aeroload_e2e", "-ufn", "fails")
		if rows := summary(t, r.stderr); len(rows) != 1 || rows[0].errors_ != 50 || !strings.Contains(r.stderr, "UDF_BAD_RESPONSE") || !strings.Contains(r.stderr, "on purpose") {
			t.Errorf("failing calls:\n%s", r.stderr)
		}

		r = tg.run(1, "-w", "RUF", "-k", "10", "-upn", "no_such_module", "-ufn", "f")
		if !strings.Contains(r.stderr, `no UDF module "no_such_module"`) || strings.Contains(r.stdout, "Stage 1") {
			t.Errorf("a module that is not there:\n%s", r.stderr)
		}
	}
}
