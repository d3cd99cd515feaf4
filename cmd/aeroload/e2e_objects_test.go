package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"

	"github.com/aeroload/aeroload/embedded"
	"github.com/aeroload/aeroload/objspec"
)

// generatedBins has each generator and newer form, and the type that the client
// makes of the value's particle.
var generatedBins = []struct{ spec, kind string }{
	{"@first_name", "string"}, {"@last_name", "string"}, {"@full_name", "string"}, {"@username", "string"}, {"@email", "string"},
	{"@phone", "string"}, {"@street", "string"}, {"@city", "string"}, {"@state", "string"}, {"@state_abbr", "string"}, {"@zip", "string"},
	{"@country", "string"}, {"@country_code", "string"}, {"@lat", "float64"}, {"@lon", "float64"},
	{"@geojson", "aerospike.GeoJSONValue"}, {"@geojson(47.1,47.2,8.4,8.5)", "aerospike.GeoJSONValue"}, {"@geo_circle", "aerospike.GeoJSONValue"},
	{"@company", "string"}, {"@job_title", "string"}, {"@ipv4", "string"}, {"@ipv6", "string"}, {"@mac", "string"}, {"@url", "string"},
	{"@domain", "string"}, {"@uuid", "string"}, {"@word", "string"}, {"@words(4)", "string"}, {"@sentence", "string"}, {"@lorem(300)", "string"},
	{"@product", "string"}, {"@color", "string"}, {"@credit_card", "string"}, {"@date", "string"},
	{`@date("2024-01-01","2024-12-31","%d.%m.%Y %H:%M")`, "string"}, {"@timestamp", "int"}, {"@int", "int"}, {"@int(-5,5)", "int"},
	{"@double(-1,1)", "float64"}, {"@key", "int"}, {`@pick("a","b")`, "string"}, {"@pick(1:5,300:1)", "int"}, {"@pick(1.5,2.5)", "float64"},
	{"@pick(true,false)", "bool"}, {`@fmt("#{first_name}.#{int(1,9)}@x#{key}")`, "string"},
	{"S{0..300}", "string"}, {"B{normal(100,20)}", "[]uint8"}, {"S:50", "string"}, {"B:14", "[]uint8"}, {"R:40:25", "[]uint8"}, {"D", "float64"},
	{"[1..20*@word,@geojson,@int]", "[]interface {}"}, {"{3*@word:@city,2*@int(1,9):@geo_circle}", "map[interface {}]interface {}"},
}

// Every generator's record reads back through the client with the particle type
// and the value that the spec makes of seed and key.
func TestGeneratorsAreStored(t *testing.T) {
	var lines []string
	for i, b := range generatedBins {
		lines = append(lines, fmt.Sprintf("b%d=%s", i, b.spec))
	}
	lines = append(lines, "at=@now", "maybe?0.5=@uuid")
	text := strings.Join(lines, "\n")
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-k", "40", "--seed", "11", "-o", text)
	spec, err := objspec.Parse(text, objspec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := spec.NewGenerator(11)
	records := tg.records(1, 41)
	if len(records) != 40 {
		t.Fatalf("%d records", len(records))
	}
	with := 0
	for key, bins := range records {
		for i, b := range generatedBins {
			if got := reflect.TypeOf(bins[fmt.Sprint("b", i)]); got == nil || got.String() != b.kind {
				t.Errorf("key %d: %s is stored as %v, want %s", key, b.spec, got, b.kind)
			}
		}
		if at, ok := bins["at"].(int); !ok || at < 1_700_000_000_000 {
			t.Errorf("key %d: the time is %v", key, bins["at"])
		}
		if bins["maybe"] != nil {
			with++
		}
		want := as.BinMap{"at": bins["at"]}
		for _, bin := range g.Record(uint64(key), nil) {
			if v, err := objspec.Value(bin); err != nil {
				t.Error(err)
			} else if bin.Name != "at" {
				want[bin.Name] = clientForm(v)
			}
		}
		if !reflect.DeepEqual(bins, want) {
			t.Errorf("key %d holds\n%v, want\n%v", key, bins, want)
		}
	}
	if with == 0 || with == 40 {
		t.Errorf("%d of 40 records have the optional bin", with)
	}
}

// clientForm turns a value of package objspec into what the client reads.
func clientForm(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case objspec.GeoJSON:
		return as.GeoJSONValue(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = clientForm(v[i])
		}
		return list
	case []objspec.Entry:
		m := map[any]any{}
		for _, e := range v {
			m[clientForm(e.Key)] = clientForm(e.Value)
		}
		return m
	}
	return v
}

// dump lists the records of a server by their digests, as they are stored.
func dump(srv *embedded.Server, set string) map[embedded.Digest]string {
	records := map[embedded.Digest]string{}
	for r := range srv.Records("test", set) {
		records[r.Digest] = fmt.Sprintf("%x", fmt.Sprint(r.Bins))
	}
	return records
}

// The same seed stores the same bytes whatever the threads, batches and order,
// and partial writes change nothing.
func TestGeneratedBytesDependOnSeedAndKeyAlone(t *testing.T) {
	t.Parallel()
	const spec = `id=@uuid,mail?0.6=@email,n=@key,age=@int(18,90),tags=[0..5*@word],pos?0.5=@geojson,m={1..4*@color:@double},b=B{10..200}`
	srv := embedded.RunT(t, embedded.Config{})
	run := func(set string, args ...string) map[embedded.Digest]string {
		t.Helper()
		args = append([]string{"-h", srv.Addr(), "-s", "same", "-T", "60000", "--connect-timeout", "60000", "-k", "300", "-o", spec}, args...)
		if r := runBinary(t, args...); r.code != 0 {
			t.Fatalf("%q: exit code %d\n%s", args, r.code, r.stderr)
		}
		return dump(srv, set)
	}
	want := run("same", "-w", "I", "--seed", "5", "-z", "1")
	if len(want) != 300 {
		t.Fatalf("%d records", len(want))
	}
	for _, args := range [][]string{
		{"-w", "I", "-z", "13"},
		{"-w", "I", "-z", "3", "--batch-size", "17"},
		{"-w", "I", "--async", "-c", "31"},
		{"-w", "I", "--async", "--batch-size", "100"},
		{"-w", "RR,0", "-t", "1", "-g", "2000"},
		{"-w", "RU,0,100,50", "--write-bins", "2,3,8", "-t", "1", "-g", "1000"},
		{"-w", "RU,0", "--write-bins", "2,3,6", "--batch-size", "20", "-t", "1", "-g", "50"},
	} {
		if got := run("same", append(args, "--seed", "5")...); !reflect.DeepEqual(got, want) {
			t.Errorf("%q changed the records", args)
		}
	}
	if got := run("same", "-w", "RR,0", "--seed", "6", "-t", "1", "-g", "2000"); reflect.DeepEqual(got, want) {
		t.Error("another seed stored the same")
	}
}

func TestGen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "spec.txt")
	if err := os.WriteFile(file, []byte("id=@uuid # comment\nage=@int(18,90)\nd=[1,{2:\"x\"}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runBinary(t, "gen", "-o", "@file:"+file, "-n", "3", "--seed", "9", "-K", "5", "--json")
	if r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	lines := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), r.stdout)
	}
	for i, line := range lines {
		var record struct {
			Key  int
			Bins map[string]any
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if age, _ := record.Bins["age"].(float64); record.Key != 5+i || age < 18 || age > 90 || len(record.Bins["id"].(string)) != 36 ||
			!reflect.DeepEqual(record.Bins["d"], []any{1.0, map[string]any{"2": "x"}}) {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
	// A record equals the one that a load with the seed writes.
	tg := newTarget(t)
	tg.run(0, "-w", "I", "-K", "5", "-k", "1", "--seed", "9", "-o", "@file:"+file)
	if rec, ok := tg.get(5); !ok || !strings.Contains(lines[0], fmt.Sprintf(`"id":"%v","age":%v,`, rec.Bins["id"], rec.Bins["age"])) {
		t.Errorf("stored %v, shown %s", rec, lines[0])
	}
	if r := runBinary(t, "gen", "-o", "a=I1,b=S2", "--seed", "9"); r.code != 0 || !strings.HasPrefix(r.stdout, "seed 9\nkey 1\n  a  integer   ") || strings.Count(r.stdout, "\n") != 4 {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
	for _, args := range [][]string{{"gen", "-o", "@uuid", "--gen-bench", "1k"}, {"-o", "@uuid", "--gen-bench=1000"}} {
		if r := runBinary(t, args...); r.code != 0 || !strings.HasPrefix(r.stdout, "generated 1000 records in ") ||
			!strings.Contains(r.stdout, "\n36000 bytes of values, 36.0 bytes/record on average, ") || r.stderr != "" {
			t.Errorf("%q: exit code %d: %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"gen", "-o", "I4,@citty"}, "aeroload: --object-spec: object spec: unknown generator \"citty\"; did you mean \"city\"?\n  I4,@citty\n      ^\n"},
		{[]string{"gen", "-o", "@file:nowhere"}, "no such file"},
		{[]string{"gen", "--gen-bench", "0"}, `--gen-bench: "0" is too small`},
		{[]string{"gen", "x"}, `unexpected argument "x"`},
		{[]string{"gen", "-K", "9223372036854775807", "-n", "2"}, "--start-key: the key range [9223372036854775807, 9223372036854775809) goes past the largest integer key"},
		{[]string{"-o", "@citty", "--gen-bench", "5"}, "unknown generator"},
	} {
		if r := runBinary(t, c.args...); r.code != exitUsage || !strings.Contains(r.stderr, c.want) || r.stdout != "" {
			t.Errorf("%q: exit code %d: %s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
}

// customers checks the records of examples/customers.yaml.
func customers(t *testing.T, records map[int]as.BinMap, _ *target) {
	if len(records) != 200 {
		t.Errorf("%d records, want 200", len(records))
	}
	emails, plans := 0, map[any]int{}
	for key, bins := range records {
		if bins["email"] != nil {
			emails++
		}
		plans[bins["plan"]]++
		number, _ := bins["number"].(string)
		address, _ := bins["address"].(map[any]any)
		_, isGeo := bins["home"].(as.GeoJSONValue)
		tags, isList := bins["tags"].([]any)
		if age, _ := bins["age"].(int); age < 18 || age > 90 || !strings.HasPrefix(number, fmt.Sprintf("C-%d-", key)) || len(address) != 3 ||
			!isGeo || !isList || len(tags) > 5 || len(bins["id"].(string)) != 36 {
			t.Errorf("key %d holds %v", key, bins)
		}
	}
	if emails < 150 || emails == 200 || plans["free"] < 100 || len(plans) != 3 {
		t.Errorf("%d of 200 customers have an email; plans %v", emails, plans)
	}
}

// What gen prints waits for its reader, however long: unlike a run it has nothing
// better to do.
func TestGenWaitsForItsReader(t *testing.T) {
	cmd := exec.Command(binary, "gen", "-n", "20000", "-o", "S50")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatal(err)
	}
	// Twice as long as a run waits at its end. Nothing can be waited for instead: gen
	// does not do anything.
	<-time.After(2 * outputPatience)
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(rest), "\n"); n != 1+2*20000 {
		t.Errorf("%d lines, want a seed and 20000 records of two lines", n)
	}
}
